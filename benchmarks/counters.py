#!/usr/bin/env python3
"""Tiles that CTAs take from a counter, beside other ways to hand them out.

    counters.py compile   bundles: causal attention, and decoding with lengths on the device
    counters.py run       on a GPU: times of each, and whether results are right

Causal: 32/8 heads, D 128, bf16, tiles of 128 x 128 with roles. Lengths: one query, 32/8
heads, D 128, a work list. Graph replays without a flush, medians; the error is the largest
difference to PyTorch's attention.
"""

import subprocess
import sys

from common import attention_text, harness, markdown, median
from decode import capture, text

DIRECTORY = harness.ROOT / "build-gpu" / "counters"
ROLES = "wgmma=all specialize overlap ping-pong optimistic-max resident-stages=2"
TILES = "tiles=query=128,key=128 persistent resident=1"
CAUSAL = {
    "in turn": TILES,
    "pairs": TILES + " pair-tiles",
    "counter": TILES + " dynamic",
    "counter, longest first": TILES + " dynamic longest-first grid-order=naive-block-first",
}
CAUSAL_SHAPES = ((8, 512), (4, 1024), (2, 4096), (1, 8192), (1, 1000), (3, 333))
LIST = "pack-group split-ctas tiles=query=64,key=128"
LISTS = {
    "list": LIST,
    "list in turn": LIST + " persistent resident=1",
    "list by counter": LIST + " persistent resident=1 dynamic",
}
LIST_LOWER = "wgmma=all specialize overlap stages=2"
LENGTHS = {
    "16 of 4096": [4096] * 16,
    "1 of 32768, 15 of 2048": [32768] + [2048] * 15,
    "1 of 8192, 63 of 128": [8192] + [128] * 63,
    "64 of 1000 to 3331": [1000 + 37 * i for i in range(64)],
    "0, 1, 37, 97, 1500": [0, 1, 37, 97, 1500],
}
BOUND = 0.04


def directory(name):
    return DIRECTORY / name.replace(" ", "-").replace(",", "")


def compile_half(arguments):
    compiler = harness.find_compiler(arguments.attn_compile)
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    jobs = [(name, attention_text(32, 8, 128, True), schedule, ROLES)
            for name, schedule in CAUSAL.items()]
    jobs += [(name, text(32, 8, 128, lengths=True), schedule, LIST_LOWER)
             for name, schedule in LISTS.items()]
    for name, source, schedule, lower in jobs:
        place = directory(name).with_suffix(".mlir")
        place.write_text(source)
        subprocess.run([compiler, place, "--target=h200", f"--schedule={schedule}",
                        f"--lower={lower}", "--emit=bundle", "-o", directory(name)], check=True)
    print(f"{len(jobs)} bundles in {DIRECTORY}")
    return 0


def time_call(torch, kernel, inputs, out, rounds=30):
    prepared = kernel.prepare(*inputs, out=out)
    graph = capture(torch, lambda: prepared.launch(torch.cuda.current_stream()))
    events = [[torch.cuda.Event(enable_timing=True) for _ in range(2)] for _ in range(rounds)]
    for begin, end in events:
        begin.record()
        graph.replay()
        end.record()
    torch.cuda.synchronize()
    return median([begin.elapsed_time(end) * 1e3 for begin, end in events])


def normal(torch, *shape):
    return torch.randn(shape, device="cuda").bfloat16()


def sdpa(torch, q, k, v, causal):
    return torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=causal,
                                                            enable_gqa=True)


def measure(torch, kernels, names, inputs, wanted):
    """A time and an error for each of the kernels."""
    found = []
    for name in names:
        out = torch.full_like(inputs[0], torch.nan)
        time = time_call(torch, kernels[name], inputs, out)
        found.append((time, (out.double() - wanted.double()).abs().max().item()))
    return found


def measure_causal(torch, kernels, shape):
    batch, length = shape
    q = normal(torch, batch, 32, length, 128)
    k, v = (normal(torch, batch, 8, length, 128) for _ in range(2))
    return measure(torch, kernels, CAUSAL, (q, k, v), sdpa(torch, q, k, v, True))


def measure_lengths(torch, kernels, lengths):
    q = normal(torch, len(lengths), 32, 1, 128)
    k, v = (normal(torch, len(lengths), 8, max(lengths), 128) for _ in range(2))
    numbers = torch.tensor(lengths, dtype=torch.int32, device="cuda")
    wanted = torch.zeros_like(q)
    for i, length in enumerate(lengths):
        if length:
            wanted[i] = sdpa(torch, q[i, None], k[i, None, :, :length], v[i, None, :, :length],
                             False)[0]
            k[i, :, length:] = v[i, :, length:] = torch.nan
    return measure(torch, kernels, LISTS, (q, k, v, numbers), wanted)


def run_half(arguments):
    torch, attn_mlir = harness.require_gpu()
    torch.manual_seed(0)
    kernels = {name: attn_mlir.load(str(directory(name))) for name in [*CAUSAL, *LISTS]}
    worst = 0.0
    for title, names, cases in (
        ("causal, us", CAUSAL,
         [(f"{b} x {s}", measure_causal(torch, kernels, (b, s))) for b, s in CAUSAL_SHAPES]),
        ("lengths, us", LISTS,
         [(name, measure_lengths(torch, kernels, n)) for name, n in LENGTHS.items()]),
    ):
        print(markdown([title, *names], [[name, *(f"{time:.1f}" for time, _ in found)]
                                         for name, found in cases]))
        worst = max([worst, *(error if error == error else float("inf")
                              for _, found in cases for _, error in found)])
    print(f"the largest difference to PyTorch's attention: {worst:.3g}, of {BOUND} allowed")
    return 0 if worst <= BOUND else 1


def main():
    parser = harness.new_parser(__doc__)
    parser.add_argument("half", choices=("compile", "run"))
    parser.add_argument("--attn-compile", default=str(
        harness.ROOT / "build/tools/attn-compile/attn-compile"))
    arguments = parser.parse_args()
    return {"compile": compile_half, "run": run_half}[arguments.half](arguments)


if __name__ == "__main__":
    sys.exit(main())
