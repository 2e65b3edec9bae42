"""The model of exchanges beside measured times: constants of links from some of the shapes, errors on all. What the host takes for a call was
measured by itself, at a length that is none of these shapes."""

import itertools
import math

from attn_mlir import _exchange_model as model
from attn_mlir._segments import shares
from common import markdown

# Constants that are fitted, and what is tried: several times around the best so far, ever closer.
_START = {"pair": 300e9, "gather": 250e9, "latency": 50e-6, "memory": 2e12, "taken": 0.2}
_STEPS = (2.0, 1.4, 1.2, 1.1, 1.05, 1.02)
# Of the squared logarithms by which constants leave where they start: those that times say nothing of stay there.
_INERTIA = 2e-3


def _shape(row, heads):
    return model.Shape(1, heads, heads, row["dim"], row["dim"], 2)


def _window(row):
    return (-1, 0 if row["mask"] == "causal" else -1)


def _rate(row, heads, alone):
    """Of one device: what the whole sequence took there."""
    pairs = row["length"] ** 2 // (2 if row["mask"] == "causal" else 1)
    return 4 * heads * row["dim"] * pairs / (row["in a row"]["ms"][alone] * 1e-3)


def in_a_row(computing, host, calls):
    """Of a call of several: hosts and devices each do one behind the other, at one time, but for what devices do of the last call, or hosts say
    of the first. Of these half: kernels begin while the host says the rest of a call, and end at most half of one behind it."""
    return max(computing, host) + min(computing, host) / (2 * calls)


def predicted(row, heads, alone, constants, kinds):
    """Milliseconds of a call of each kind in a row."""
    links = model.Links(rate=_rate(row, heads, alone), **constants)
    held = shares(row["length"], row["devices"])
    found, host = model.predictions(held, _shape(row, heads), _window(row), links, kinds), row.get("host", {})
    return {each.exchange: in_a_row(1e3 * each.seconds, host.get(each.exchange, 0.0), row.get("calls", 5)) for each in found}


def _loss(rows, heads, alone, constants, kinds):
    errors = [
        math.log(found / row["in a row"]["ms"][kind])
        for row in rows for kind, found in predicted(row, heads, alone, constants, kinds).items()]
    moved = [math.log(constants[name] / start) for name, start in _START.items()]
    return sum(error**2 for error in errors) + _INERTIA * sum(each**2 for each in moved)


def fitted(rows, heads, alone, kinds):
    """Constants with the least squares of logarithms."""
    best = dict(_START)
    for step in _STEPS:
        moved = True
        while moved:
            before = _loss(rows, heads, alone, best, kinds)
            tried = [{**best, name: best[name] * factor} for name, factor in itertools.product(best, (step, 1 / step))]
            found = min(tried, key=lambda constants: _loss(rows, heads, alone, constants, kinds))
            moved = _loss(rows, heads, alone, found, kinds) < before * (1 - 1e-9)
            best = found if moved else best
    return best


def show(rows, heads, alone, dim):
    """Prints a table of the ways that all rows have; the largest error of the exchanges."""
    kinds = [kind for kind in (model.COPIES, *model.EXCHANGES) if all(kind in row["in a row"]["ms"] for row in rows)]
    constants = fitted([row for row in rows if row["dim"] == dim], heads, alone, kinds)
    print(f"constants of shapes of D {dim}:", {name: f"{number:.3g}" for name, number in constants.items()})
    lines, worst = [], 0.0
    for row in rows:
        found = predicted(row, heads, alone, constants, kinds)
        errors = {kind: found[kind] / row["in a row"]["ms"][kind] - 1 for kind in kinds}
        worst = max([worst, *(abs(errors[kind]) for kind in kinds if kind != model.COPIES)])
        lines.append([
            f"D {row['dim']}, S {row['length']}, {row['mask']}",
            *(f"{row['in a row']['ms'][kind]:.2f} / {found[kind]:.2f} ({errors[kind]:+.0%})" for kind in kinds)])
    print(markdown(["measured / predicted, ms", *kinds], lines))
    print(f"largest error of {', '.join(kind for kind in kinds if kind != model.COPIES)}: {worst:.1%}")
    return worst
