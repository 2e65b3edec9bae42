#!/usr/bin/env python3
"""What attention() costs a Python program: the first call, that of a second process, and any other.

    python_calls.py run [--fa3 WHEEL]     on a GPU, with the compiler installed or built

The first call is that of a new process with empty folders of caches: D 128, causal, bf16; beside it FlexAttention's,
compiled by torch.compile, with its mask. A second process finds the first one's kernel on disk. Both have PyTorch and
CUDA started before the clock runs, and end when the result is there. Other calls are host time: medians of single
calls in turns of which the order is drawn, without a synchronisation, beside scaled_dot_product_attention, FA3's
operator where its wheel is given, and cuLaunchKernelEx alone (launch_overhead.c).
"""

import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import harness, markdown, median
from decode import import_fa3
from launch_overhead import c_calls, find_library

HEADS, D, LENGTH = 16, 128, 4096
# Of the calls whose host time is taken: the GPU must not be what they wait for.
CALL_HEADS, CALL_LENGTH = 4, 128

PROLOGUE = """
import time, torch
shape = ({batch}, {heads}, {length}, {dim})
q, k, v = (torch.randn(shape, device="cuda", dtype=torch.bfloat16) for _ in range(3))
(q @ q.transpose(-1, -2))[0, 0, 0, 0].item()
"""
OURS = PROLOGUE + """
begin = time.perf_counter()
import attn_mlir
imported = time.perf_counter()
attn_mlir.attention(q, k, v, causal=True)
torch.cuda.synchronize()
end = time.perf_counter()
info = attn_mlir.cache_info()
print("RESULT", imported - begin, end - imported, info.compiled, info.from_disk)
"""
FLEX = PROLOGUE + """
from torch.nn.attention import flex_attention as flex
begin = time.perf_counter()
mask = flex.create_block_mask(lambda b, h, i, j: j <= i, None, None, {length}, {length}, device="cuda")
torch.compile(flex.flex_attention)(q, k, v, block_mask=mask)
torch.cuda.synchronize()
print("RESULT", 0, time.perf_counter() - begin, 1, 0)
"""


def process(code, folder):
    """What a new process prints: seconds of importing and of the call, kernels compiled, and found on disk."""
    environment = dict(
        os.environ, ATTN_MLIR_CACHE_DIR=f"{folder}/attn-mlir", TORCHINDUCTOR_CACHE_DIR=f"{folder}/inductor",
        TRITON_CACHE_DIR=f"{folder}/triton",
        PYTHONPATH=os.pathsep.join([os.environ.get("PYTHONPATH", ""), str(harness.ROOT / "python")]))
    text = code.format(batch=1, heads=HEADS, length=LENGTH, dim=D)
    done = subprocess.run([sys.executable, "-c", text], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, timeout=500)
    lines = [line for line in done.stdout.splitlines() if line.startswith("RESULT")]
    if done.returncode or not lines:
        raise RuntimeError(done.stdout + done.stderr)
    return [float(number) for number in lines[0].split()[1:]]


def first_calls(rounds):
    rows = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as folder:
            cold, warm = process(OURS, folder), process(OURS, folder)
            if cold[2] < 1 or warm[2] != 0:
                raise RuntimeError(f"expected a kernel to be compiled once, but got {cold} and {warm}")
            flex = process(FLEX, folder)
        rows.append((cold[1], flex[1], warm[1], warm[0]))
    return [median(column) for column in zip(*rows)]


def host_times(torch, calls, count):
    """Median microseconds of one call of each."""
    times = {name: [] for name in calls}
    draw = random.Random(count)
    for turn in range(-200, count):
        for name in draw.sample(list(calls), len(calls)):
            begin = time.perf_counter_ns()
            calls[name]()
            end = time.perf_counter_ns()
            if turn >= 0:
                times[name].append((end - begin) / 1e3)
        if turn % 16 == 0:
            torch.cuda.synchronize()
    torch.cuda.synchronize()
    return {name: median(values) for name, values in times.items()}


def calls_of(torch, attn_mlir, fa3):
    q, k, v = (torch.randn(1, CALL_HEADS, CALL_LENGTH, D, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    swapped = [tensor.transpose(1, 2).contiguous() for tensor in (q, k, v)]
    out = torch.empty_like(q)
    calls = {
        "attention(q, k, v)": lambda: attn_mlir.attention(q, k, v),
        "attention(q, k, v, causal=True, scale=0.1)": lambda: attn_mlir.attention(q, k, v, causal=True, scale=0.1),
        "attention(q, k, v, out=o)": lambda: attn_mlir.attention(q, k, v, out=out),
        "scaled_dot_product_attention": lambda: torch.nn.functional.scaled_dot_product_attention(q, k, v),
    }
    if fa3:
        calls["FA3"] = lambda: fa3.flash_attn_func(*swapped)
    return calls


def driver_call(attn_mlir, arguments):
    """Microseconds of cuLaunchKernelEx alone, or None where it is not measured here."""
    library = find_library(arguments.library)
    if library is None:
        return None
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder) / "forward.attn"
        attn_mlir.compile(((None, 4, None, 64), "bfloat16")).save(bundle)
        numbers, problem = c_calls(bundle, library, arguments.calls)
    if problem:
        print(f"SKIPPED: cuLaunchKernelEx alone: {problem}")
        return None
    return numbers["cuLaunchKernelEx_ns"] / 1e3


def kernels_of_serving(torch, attn_mlir):
    """Kernels that a process compiles that serves one model: prompts and decoding of many lengths and batches."""
    attn_mlir.cache_clear()
    draw = random.Random(1)
    for _ in range(200):
        batch, keys = draw.choice((1, 2, 3, 8, 16)), draw.randint(1, 9000)
        queries = 1 if draw.random() < 0.7 else keys
        q = torch.randn(batch, 32, queries, D, device="cuda", dtype=torch.bfloat16)
        k, v = (torch.randn(batch, 8, keys, D, device="cuda", dtype=torch.bfloat16) for _ in range(2))
        attn_mlir.attention(q, k, v, causal=True)
    info = attn_mlir.cache_info()
    return info.compiled + info.from_disk


def run_half(arguments):
    torch, attn_mlir = harness.require_gpu(arguments.strict)
    print(harness.describe_device(torch))
    result = {}
    if arguments.first:
        cold, flex, warm, importing = first_calls(arguments.first)
        print(f"first call {cold:.3f} s (FlexAttention {flex:.3f} s); of a second process {1e3 * warm:.1f} ms, beside "
              f"{1e3 * importing:.1f} ms of importing")
        result.update(cold_s=cold, flex_s=flex, second_s=warm)
    times = host_times(torch, calls_of(torch, attn_mlir, import_fa3(arguments.fa3)), arguments.calls)
    alone = driver_call(attn_mlir, arguments)
    if alone:
        times["cuLaunchKernelEx"] = alone
    print(markdown(["call", "us"], [[name, f"{value:.2f}"] for name, value in times.items()]))
    result.update(calls=times, kernels=kernels_of_serving(torch, attn_mlir))
    print(f"200 calls of 32/8 heads with 1 to 16 sequences of 1 to 9000 keys: {result['kernels']} kernels")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(result, indent=2))
    return 0


def main():
    parser = harness.new_parser(__doc__)
    halves = parser.add_subparsers(dest="half", required=True)
    run_parser = halves.add_parser("run")
    run_parser.add_argument("--strict", action="store_true", help="status 77 where there is no GPU")
    run_parser.add_argument("--calls", type=int, default=4000)
    run_parser.add_argument("--first", type=int, default=3, help="rounds of first calls; 0: none")
    run_parser.add_argument("--fa3", help="FlashAttention-3's wheel (fa3-fwd)")
    run_parser.add_argument("--library", help="libattn_launcher.so, for cuLaunchKernelEx alone")
    run_parser.add_argument("--json", help="write the numbers here")
    return run_half(parser.parse_args())


if __name__ == "__main__":
    sys.exit(main())
