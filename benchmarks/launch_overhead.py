#!/usr/bin/env python3
"""What the launcher adds to a launch, and whether it can be captured in a graph.

    launch_overhead.py compile      one bundle
    launch_overhead.py run          on a GPU

The C program launch_overhead.c, built with cc, times attnBundleLaunch and
cuLaunchKernelEx alone in turns; the overhead is the difference of the medians of
10,000 calls. The call from Python is timed beside it. The launch is captured into
a CUDA graph through PyTorch; replays must equal plain launches bit by bit, also
after the inputs have changed.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import attention_text, harness, median

DEFAULT_DIRECTORY = harness.ROOT / "build-gpu" / "launch-overhead"
HEADS, D, LENGTH = 4, 64, 128


def compile_half(arguments):
    job = harness.Job(
        Path(arguments.out) / "forward", attention_text(HEADS, HEADS, D, causal=False),
        arguments.schedule, arguments.lower, arguments.target,
    )
    sys.exit(1 if harness.compile_jobs([job], arguments) else 0)


def find_library(path):
    """The launcher's library: the option, the environment, or under the build."""
    if path or os.environ.get("ATTN_LAUNCHER"):
        return Path(path or os.environ["ATTN_LAUNCHER"])
    for root in (harness.ROOT / "build", harness.ROOT / "build-gpu", harness.ROOT / "python"):
        found = sorted(root.rglob("libattn_launcher.so*"))
        if found:
            return found[0]
    return None


def c_calls(bundle, library, calls):
    """The medians that the C program prints, or (None, why not)."""
    compiler = os.environ.get("CC") or shutil.which("cc") or shutil.which("gcc")
    if not compiler:
        return None, "there is no C compiler"
    source = Path(__file__).with_suffix(".c")
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "launch_overhead"
        build = [
            compiler, "-std=c11", "-O2", "-Wall", "-Werror", str(source),
            "-I", str(harness.ROOT / "include"), str(library.resolve()),
            f"-Wl,-rpath,{library.resolve().parent}", "-ldl", "-o", str(program),
        ]
        done = subprocess.run(
            build, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        if done.returncode:
            return None, "cc: " + harness.first_error(done.stdout)
        done = subprocess.run(
            [str(program), str(bundle), str(calls), str(LENGTH)],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300,
        )
    if done.returncode:
        return None, done.stderr.strip() or f"exit code {done.returncode}"
    return json.loads(done.stdout), None


def make_tensors(torch):
    shape = (1, HEADS, LENGTH, D)
    inputs = [torch.randn(shape, device="cuda").to(torch.bfloat16) for _ in range(3)]
    return inputs, torch.full_like(inputs[0], float("nan"))


def python_call(torch, kernel, calls):
    """Median nanoseconds of the call from Python."""
    inputs, out = make_tensors(torch)
    times = []
    for i in range(-200, calls):
        begin = time.perf_counter_ns()
        kernel(*inputs, out=out)
        end = time.perf_counter_ns()
        if i >= 0:
            times.append(end - begin)
        if i % 64 == 0:
            torch.cuda.synchronize()
    torch.cuda.synchronize()
    return median(times)


def graph_problems(torch, kernel):
    """What differs between plain launches and replays of a captured graph."""
    inputs, out = make_tensors(torch)
    plain = torch.empty_like(out)
    problems = []
    # Loads the module, which must not happen during the capture.
    harness.launch(kernel, inputs, [plain])
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        harness.launch(kernel, inputs, [out])
    torch.cuda.synchronize()
    if not bool(out.isnan().all()):
        problems.append("the kernel ran during the capture")
    for turn in range(3):
        for t in inputs:
            t.copy_(torch.randn(t.shape, device="cuda"))
        out.fill_(float("nan"))
        plain.fill_(float("nan"))
        harness.launch(kernel, inputs, [plain])
        graph.replay()
        torch.cuda.synchronize()
        if bool(plain.isnan().any()):
            problems.append(f"turn {turn}: a plain launch left NaN")
        if not torch.equal(out.view(torch.int16), plain.view(torch.int16)):
            problems.append(f"turn {turn}: the replay differs")
    return problems


def run_half(arguments):
    torch, attn_mlir = harness.require_gpu(arguments.strict)
    bundle = Path(arguments.out) / "forward"
    if not (bundle / "manifest.json").is_file():
        harness.skip(f"no bundle {bundle}: launch_overhead.py compile", arguments.strict)
    print(harness.describe_device(torch))
    failed, skipped = False, False
    result = {"device": harness.describe_device(torch)}
    library = find_library(arguments.library)
    if library is None:
        print("SKIPPED: the C calls: libattn_launcher.so was not found (--library)")
        skipped = True
    else:
        numbers, problem = c_calls(bundle, library, arguments.calls)
        if problem:
            print(f"FAILED: the C calls: {problem}")
            failed = True
        else:
            result.update(numbers)
            print(
                f"median of {numbers['calls']} calls: "
                f"attnBundleLaunch {numbers['attnBundleLaunch_ns'] / 1e3:.2f} us, "
                f"attnPreparedLaunch {numbers['attnPreparedLaunch_ns'] / 1e3:.2f} us, "
                f"cuLaunchKernelEx {numbers['cuLaunchKernelEx_ns'] / 1e3:.2f} us; "
                f"the launcher adds {numbers['overhead_ns'] / 1e3:.2f} us"
            )
    kernel = attn_mlir.load(str(bundle))
    result["python_ns"] = python_call(torch, kernel, arguments.calls)
    print(f"median of {arguments.calls} calls from Python: {result['python_ns'] / 1e3:.2f} us")
    result["graph_problems"] = graph_problems(torch, kernel)
    for problem in result["graph_problems"]:
        print(f"FAILED: CUDA graph: {problem}")
    if not result["graph_problems"]:
        print("CUDA graph: captured; 3 replays with new inputs equal plain launches")
    harness.write_json(arguments.json, result)
    failed = failed or bool(result["graph_problems"])
    sys.exit(1 if failed else harness.SKIPPED_EXIT_CODE if skipped and arguments.strict else 0)


def main():
    parser = harness.new_parser(__doc__)
    halves = parser.add_subparsers(dest="half", required=True)
    compile_parser = halves.add_parser("compile", help="make the bundle; wants no GPU")
    harness.add_compile_arguments(compile_parser)
    compile_parser.add_argument("--schedule", default="tiles=query=64,key=64")
    compile_parser.add_argument("--lower", default="")
    run_parser = halves.add_parser("run", help="measure; wants a GPU and PyTorch")
    harness.add_run_arguments(run_parser)
    run_parser.add_argument(
        "--library", metavar="FILE",
        help="libattn_launcher.so (default: $ATTN_LAUNCHER, else searched in build/, "
        "build-gpu/ and python/)",
    )
    run_parser.add_argument("--calls", type=int, default=10000)
    run_parser.add_argument("--json", metavar="FILE")
    for half in (compile_parser, run_parser):
        half.add_argument(
            "--out", default=str(DEFAULT_DIRECTORY),
            help="default: build-gpu/launch-overhead",
        )
    arguments = parser.parse_args()
    compile_half(arguments) if arguments.half == "compile" else run_half(arguments)


if __name__ == "__main__":
    main()
