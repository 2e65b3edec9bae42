"""What the benchmarks share: attention as MLIR, timing, tables."""

import math
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "test" / "gpu"))

import harness  # noqa: E402  (of test/gpu)

ELEMENTS = {"bf16": "bfloat16", "f16": "float16"}


def attention_text(heads, kv_heads, dim, causal, element="bf16", name="forward"):
    """Attention with dynamic batch and lengths, B H S D, as level-1 MLIR."""
    q = f"tensor<?x{heads}x?x{dim}x{element}>"
    kv = f"tensor<?x{kv_heads}x?x{dim}x{element}>"
    mask = " mask(#attn.causal<top_left>)" if causal else ""
    return (
        f"func.func @{name}(%q: {q}, %k: {kv}, %v: {kv}) -> {q} {{\n"
        f"  %o = attn.attention %q, %k, %v{mask} scale({round(dim ** -0.5, 9)!r})\n"
        f"      : ({q}, {kv}, {kv}) -> {q}\n"
        f"  return %o : {q}\n}}\n"
    )


def forward_flops(batch, heads, length, dim, causal):
    """Of the two products; half of them under a causal mask, as is customary."""
    return 4 * batch * heads * length * length * dim / (2 if causal else 1)


def median(values):
    values = sorted(values)
    middle = len(values) // 2
    if len(values) % 2:
        return values[middle]
    return (values[middle - 1] + values[middle]) / 2


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def time_interleaved(torch, calls, rounds, warm_up=3):
    """Median milliseconds of each of `calls` (name -> function of the round), in
    turns, so that all share the drift of clocks and temperature. The order of a round
    is drawn: who always follows the same one finds the chip as that one leaves it, which
    was worth up to 7 % between equal kernels. Each launch lies between two events of
    its own."""
    for turn in range(warm_up):
        for call in calls.values():
            call(turn)
    torch.cuda.synchronize()
    # Work for the GPU while the host runs ahead, so that it never waits.
    if hasattr(torch.cuda, "_sleep"):
        torch.cuda._sleep(40_000_000)
    events = {name: [] for name in calls}
    draw = random.Random(rounds)
    for turn in range(rounds):
        for name in draw.sample(list(calls), len(calls)):
            begin = torch.cuda.Event(enable_timing=True)
            end = torch.cuda.Event(enable_timing=True)
            begin.record()
            calls[name](turn)
            end.record()
            events[name].append((begin, end))
    torch.cuda.synchronize()
    return {
        name: median([begin.elapsed_time(end) for begin, end in pairs])
        for name, pairs in events.items()
    }


def time_steadily(torch, calls, rounds, seconds):
    """What `time_interleaved` has of so many rounds that they take about `seconds` together, by what `rounds` before, behind
    a pause of their own, take; and of these. A chip at its power limit has higher clocks for the first tenth of a second, the
    more so for who takes less power, than one that works on."""
    first = time_interleaved(torch, calls, rounds)
    needed = math.ceil(1e3 * seconds / sum(first.values()))
    return time_interleaved(torch, calls, needed) if needed > rounds else first, first


def markdown(header, rows):
    """A Markdown table with aligned columns; the first is left-aligned."""
    table = [list(map(str, header))] + [list(map(str, row)) for row in rows]
    widths = [max(3, *(len(row[i]) for row in table)) for i in range(len(header))]

    def line(row):
        cells = [
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(row, widths))
        ]
        return "| " + " | ".join(cells) + " |"

    rule = ["-" * widths[0]] + ["-" * (w - 1) + ":" for w in widths[1:]]
    lines = [line(table[0]), "| " + " | ".join(rule) + " |"]
    return "\n".join(lines + [line(row) for row in table[1:]])
