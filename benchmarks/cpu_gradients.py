#!/usr/bin/env python3
"""Attention and its gradients on the CPU by two compilers: seconds to compile, and time of a call. No GPU.

    cpu_gradients.py ATTN_COMPILE [OTHER_ATTN_COMPILE]

`examples/backward.mlir` with 4 query heads on 2 KV heads, of 16, 64 and 128 columns, bf16 and f32, S 1024, normal
inputs. Processor time: of compiling the least of three, of calls the median of nine, in turns.
"""

import argparse
import itertools
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import harness, markdown

LENGTH, HEADS, KV_HEADS = 1024, 4, 2


def text(dim, element):
    source = (harness.ROOT / "examples" / "backward.mlir").read_text()
    source = re.sub(r"x32x\?", f"x{HEADS}x?", re.sub(r"x8x\?", f"x{KV_HEADS}x?", source))
    return re.sub(r"x128xbf16", f"x{dim}x{element}", source)


def compile_once(compiler, source, bundle):
    """Processor seconds."""
    before = os.times()
    subprocess.run([compiler, source, "--target=cpu", "--emit=bundle", "-o", bundle], check=True)
    after = os.times()
    return after.children_user - before.children_user


def measure(compilers, dim, element, folder):
    """Rows of the table, and whether all compilers' kernels give the same bits."""
    import torch

    sys.path.insert(0, str(harness.ROOT / "python"))
    import attn_mlir

    dtype = {"bf16": torch.bfloat16, "f32": torch.float32}[element]
    q, do = (torch.randn(1, HEADS, LENGTH, dim).to(dtype) for _ in range(2))
    k, v = (torch.randn(1, KV_HEADS, LENGTH, dim).to(dtype) for _ in range(2))
    source = folder / f"{dim}-{element}.mlir"
    source.write_text(text(dim, element))
    seconds, kernels, outs = [], [], []
    for i, compiler in enumerate(compilers):
        bundle = folder / f"{dim}-{element}-{i}"
        seconds.append(min(compile_once(compiler, source, bundle) for _ in range(3)))
        kernels.append(attn_mlir.load(str(bundle)))
        outs.append(tuple(torch.empty_like(x) for x in (q, q, k, v)))
    times = [[] for _ in kernels]
    for turn in range(9):
        for i in sorted(range(len(kernels)), reverse=turn % 2 == 1):
            start = time.process_time()
            kernels[i](q, k, v, do, out=outs[i])
            times[i].append(1e3 * (time.process_time() - start))
    same = all(torch.equal(x, y) for other in outs[1:] for x, y in zip(outs[0], other))
    return [[f"D {dim}, {element}", i + 1, f"{seconds[i]:.1f}", f"{statistics.median(times[i]):.0f}"]
            for i in range(len(kernels))], same


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("compilers", nargs="+", metavar="ATTN_COMPILE")
    arguments = parser.parse_args()
    table, same = [], True
    with tempfile.TemporaryDirectory() as folder:
        for dim, element in itertools.product((16, 64, 128), ("bf16", "f32")):
            rows, equal = measure(arguments.compilers, dim, element, Path(folder))
            table += rows
            same &= equal
    print(markdown(["heads", "compiler", "s to compile", "ms a call"], table))
    print("results: the same bits" if same else "results: other bits")
    return 0


if __name__ == "__main__":
    sys.exit(main())
