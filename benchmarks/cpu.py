#!/usr/bin/env python3
"""Attention on the CPU beside PyTorch's `scaled_dot_product_attention`: processor time of a call on one thread. No GPU.

    cpu.py [--rounds N]

Normal inputs, 8 heads; by rows [batch, heads, length, columns]. Medians of calls in an order that is drawn anew each
round. Above 1 is faster than PyTorch.
"""

import argparse
import os
import random
import statistics
import sys
import time

from common import harness, markdown

# Queries, keys, columns, causal.
SHAPES = [(512, 512, 64, False), (2048, 2048, 64, False), (2048, 2048, 64, True), (2048, 2048, 128, False),
          (2048, 2048, 128, True), (1024, 1024, 80, True), (777, 777, 64, True), (1, 16384, 128, False)]


def times_of(functions, rounds):
    """Milliseconds of each: medians."""
    times = [[] for _ in functions]
    for _ in range(rounds):
        for i in random.sample(range(len(functions)), len(functions)):
            start = time.process_time()
            functions[i]()
            times[i].append(1e3 * (time.process_time() - start))
    return [statistics.median(each) for each in times]


def row(shape, dtype, rounds):
    import attn_mlir
    import torch
    from torch.nn.functional import scaled_dot_product_attention

    queries, keys, dim, causal = shape
    q, k, v = (torch.randn(1, 8, length, dim).to(dtype) for length in (queries, keys, keys))
    functions = [lambda: attn_mlir.attention(q, k, v, causal=causal),
                 lambda: scaled_dot_product_attention(q, k, v, is_causal=causal)]
    ours, peers = (function() for function in functions)
    assert torch.allclose(ours.float(), peers.float(), atol=2e-2 if dtype == torch.bfloat16 else 1e-4)
    mine, other = times_of(functions, rounds)
    name = f"{queries} x {keys}, D {dim}{', causal' if causal else ''}"
    return [name, str(dtype).removeprefix("torch."), f"{mine:.1f}", f"{other:.1f}", f"{other / mine:.2f}"], other / mine


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    os.environ["ATTN_CPU_THREADS"] = "1"
    sys.path.insert(0, str(harness.ROOT / "python"))
    import torch

    torch.set_num_threads(1)
    table, ratios = [], []
    for dtype in (torch.float32, torch.bfloat16):
        for shape in SHAPES:
            cells, ratio = row(shape, dtype, arguments.rounds)
            table.append(cells)
            ratios.append(ratio)
    print(markdown(["queries x keys", "type", "ms", "PyTorch's", "ratio"], table))
    print(f"geometric mean {statistics.geometric_mean(ratios):.2f}, least {min(ratios):.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
