#!/usr/bin/env python3
"""Constants of lib/Analysis/ScheduleModel.cpp for kernels with roles.

    fit_model.py FILE [FILE ...]       files of choice.py run --json; wants numpy

A step of a tile takes O (i + t) and (t + E e) / g cycles, whose third powers add up,
and W g for waits, with i, t and e cycles of instruction slots, tensor cores and
exponentials and g warpgroups; a visit takes shares of the time of its store and of
its load (docs/transfer-model.md, "Cycles of a step"). O and E are tried one by one,
the rest is least squares. Fits to every other shape, and tests on the others.
"""

import argparse
import json
import re
from pathlib import Path

try:
    import numpy
except ImportError:
    numpy = None

LAUNCH_NS = 500
NAMES = ["waits of four warps", "stored", "stored by TMA", "loaded", "start"]


class Chip:
    """What an SM does in a cycle: by default the facts of h200."""

    def __init__(self, clock_mhz=1830, sms=132, tensor_gflops=989000, special_per_clock=16, dram_gbps=4800, **_):
        self.clock_ghz = clock_mhz / 1000
        self.flop, self.exp = tensor_gflops / sms / self.clock_ghz, special_per_clock
        self.bytes = 0.88 * dram_gbps / sms / self.clock_ghz


def features(chip, result, option, prediction):
    """Cycles of the slot that is done last, by what they are spent on."""
    dim = int(re.match(r"d(\d+)", result["kernel"]).group(1))
    rows, keys = (int(n) for n in re.findall(r"=(\d+)", option["schedule"])[:2])
    persistent, stored = "persistent" in option["schedule"], "store-tensors" in option["lower"]
    steps, visits = prediction["slot_steps"], prediction["slot_visits"]
    tensor, exp = 4 * rows * keys * dim / chip.flop, rows * keys / chip.exp
    store = visits * rows * dim * 2 / chip.bytes
    covered = persistent and "resident-stages=2" in option["lower"]
    return {
        "together": prediction["slot_work"],
        "tensor": tensor * steps, "exp": exp * steps, "groups": rows / 64,
        "linear": [
            steps * rows / 64, 0 if stored else store, store if stored else 0,
            0 if covered else store, 0 if persistent else visits,
        ],
    }


def load(records, within, chip):
    """(features, cycles measured), of every other shape each."""
    halves = ([], [])
    for record in records:
        for i, result in enumerate(record["results"]):
            for number, milliseconds in result["ms"].items():
                option = record["options"][result["kernel"]][int(number)]
                prediction = result["features"][number]
                if ("overlap" not in option["lower"] or prediction["bound"] in ("DRAM", "L2")
                        or milliseconds > within * result["best_ms"]):
                    continue
                cycles = (milliseconds * 1e6 - LAUNCH_NS) * chip.clock_ghz
                halves[i % 2].append((features(chip, result, option, prediction), cycles))
    return halves


class Rows:
    """Features of many measurements, as arrays."""

    def __init__(self, rows):
        take = lambda name: numpy.array([f[name] for f, _ in rows], float)
        self.together, self.tensor, self.exp = take("together"), take("tensor"), take("exp")
        self.groups, self.linear = take("groups"), take("linear")
        self.measured = numpy.array([cycles for _, cycles in rows])

    def steps(self, joined, alone):
        chain = (self.tensor + alone * self.exp) / self.groups
        both = ((joined * self.together) ** 3 + chain**3) ** (1 / 3)
        return numpy.maximum(both, numpy.maximum(self.tensor, self.exp))

    def error(self, joined, alone, linear):
        return (self.steps(joined, alone) + self.linear @ linear) / self.measured - 1

    def solve(self, joined, alone):
        """The linear constants, none negative."""
        left = 1 - self.steps(joined, alone) / self.measured
        values = numpy.linalg.lstsq(self.linear / self.measured[:, None], left, rcond=None)[0]
        return numpy.maximum(values, 0)


def rms(values):
    return float(numpy.sqrt((values**2).mean()))


def fit(halves):
    """Lines that say the constants and how well they fit."""
    half, other = map(Rows, halves)
    best = None
    for joined in numpy.arange(0.7, 1.3, 0.02):
        for alone in numpy.arange(1.0, 4.0, 0.1):
            linear = half.solve(joined, alone)
            error = rms(half.error(joined, alone, linear))
            if best is None or error < best[0]:
                best = (error, joined, alone, linear)
    error, joined, alone, linear = best
    return [
        f"instructions and products together {joined:.2f}, exponentials alone {alone:.1f}, "
        + ", ".join(f"{n} {v:.2f}" for n, v in zip(NAMES, linear)),
        f"rms {100 * error:.1f} % of the {len(half.measured)} it was fitted to, "
        f"{100 * rms(other.error(joined, alone, linear)):.1f} % of {len(other.measured)} others",
    ]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="of choice.py run --json")
    parser.add_argument(
        "--within", type=float, default=1.3,
        help="candidates within this factor of a shape's best (default: 1.3)",
    )
    arguments = parser.parse_args()
    if numpy is None:
        raise SystemExit("SKIPPED: fit_model.py wants numpy")
    records = [json.loads(Path(path).read_text()) for path in arguments.files]
    print("\n".join(fit(load(records, arguments.within, Chip()))))


if __name__ == "__main__":
    main()
