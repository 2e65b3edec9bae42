#!/usr/bin/env python3
"""Time from source text to PTX: attn-compile on each example, and Triton.

attn-compile is timed as a whole process, from the MLIR file to the PTX file.
Triton is timed within its process, after its import and a first compilation that
is not counted, without its caches: from the Python source of a plain
FlashAttention-2 forward to the moment when PTX is there (before ptxas, as ours),
and to the end of triton.compile. It needs no GPU for that. All numbers are
medians, of one run on one machine.

Triton is no dependency of this project; without version 3.6 that part says SKIPPED:

    pip install --target DIR 'triton==3.6.*'; PYTHONPATH=DIR compile_time.py
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from common import attention_text, harness, markdown, median

# A plain FlashAttention-2 forward in Triton, with grouped heads and a causal
# mask, as a yardstick for compile time. In a file of its own while it is timed,
# since Triton reads the source of what it compiles from a file.
TRITON_SOURCE = '''
import triton
import triton.language as tl


@triton.jit
def forward(q, k, v, o, scale_log2,
            q_b, q_h, q_s, k_b, k_h, k_s, v_b, v_h, v_s, o_b, o_h, o_s,
            heads, group, queries, keys,
            D: tl.constexpr, M: tl.constexpr, N: tl.constexpr, CAUSAL: tl.constexpr):
    block = tl.program_id(0)
    batch = tl.program_id(1) // heads
    head = tl.program_id(1) % heads
    kv_head = head // group
    rows = block * M + tl.arange(0, M)
    cols = tl.arange(0, N)
    dims = tl.arange(0, D)
    q_tile = tl.load(q + batch * q_b + head * q_h + rows[:, None] * q_s + dims[None, :],
                     mask=rows[:, None] < queries, other=0.0)
    k_ptr = k + batch * k_b + kv_head * k_h
    v_ptr = v + batch * v_b + kv_head * v_h
    m = tl.full([M], -1e30, tl.float32)
    l = tl.zeros([M], tl.float32)
    acc = tl.zeros([M, D], tl.float32)
    end = keys
    if CAUSAL:
        end = tl.minimum(keys, (block + 1) * M)
    for start in range(0, end, N):
        here = start + cols
        k_tile = tl.load(k_ptr + here[:, None] * k_s + dims[None, :],
                         mask=here[:, None] < keys, other=0.0)
        s = tl.dot(q_tile, tl.trans(k_tile)) * scale_log2
        keep = here[None, :] < keys
        if CAUSAL:
            keep = keep & (here[None, :] <= rows[:, None])
        s = tl.where(keep, s, float("-inf"))
        m_new = tl.maximum(m, tl.max(s, 1))
        p = tl.exp2(s - m_new[:, None])
        alpha = tl.exp2(m - m_new)
        l = l * alpha + tl.sum(p, 1)
        v_tile = tl.load(v_ptr + here[:, None] * v_s + dims[None, :],
                         mask=here[:, None] < keys, other=0.0)
        acc = tl.dot(p.to(v_tile.dtype), v_tile, acc * alpha[:, None])
        m = m_new
    acc = acc / l[:, None]
    tl.store(o + batch * o_b + head * o_h + rows[:, None] * o_s + dims[None, :],
             acc.to(o.dtype.element_ty), mask=rows[:, None] < queries)
'''

TRITON_STRIDES = "q_b q_h q_s k_b k_h k_s v_b v_h v_s o_b o_h o_s".split()


def triton_worker(arch, dim, causal, repeats):
    """In a child: prints the times of `repeats` compilations as JSON."""
    os.environ["TRITON_ALWAYS_COMPILE"] = "1"
    with tempfile.TemporaryDirectory() as folder:
        os.environ["TRITON_CACHE_DIR"] = os.path.join(folder, "cache")
        import triton
        from triton.backends.compiler import GPUTarget
        from triton.compiler import ASTSource, make_backend

        source = Path(folder) / "kernel.py"
        source.write_text(TRITON_SOURCE)
        to_ptx, to_cubin = [], []
        ptx = ""
        target = GPUTarget("cuda", arch, 32)
        signature = {name: "*bf16" for name in "qkvo"}
        signature["scale_log2"] = "fp32"
        signature.update((name, "i32") for name in TRITON_STRIDES)
        signature.update((n, "i32") for n in ("heads", "group", "queries", "keys"))
        constants = {"D": dim, "M": 128, "N": 64, "CAUSAL": causal}
        signature.update((name, "constexpr") for name in constants)
        # Pointers and strides are multiples of 16, as Triton's JIT would find.
        names = list(signature)
        attrs = {
            (i,): [["tt.divisibility", 16]]
            for i, name in enumerate(names)
            if signature[name] == "*bf16" or name in TRITON_STRIDES
        }
        options = {"num_warps": 4 if dim <= 64 else 8, "num_stages": 3}
        for turn in range(repeats + 1):
            spec = importlib.util.spec_from_file_location(f"kernel{turn}", source)
            module = importlib.util.module_from_spec(spec)
            spec.loader.exec_module(module)
            begin = time.perf_counter()
            ast = ASTSource(module.forward, signature, constants, attrs)
            ptx_at = []

            # The moment at which PTX is there: the end of that stage.
            backend = make_backend(target)
            original = type(backend).make_ptx

            def make_ptx(self, *args, **kwargs):
                result = original(self, *args, **kwargs)
                ptx_at.append(time.perf_counter())
                return result

            type(backend).make_ptx = make_ptx
            try:
                ptx = triton.compile(ast, target=target, options=options).asm["ptx"]
            finally:
                type(backend).make_ptx = original
            end = time.perf_counter()
            if turn:  # the first one also imports and loads libraries
                to_ptx.append(ptx_at[-1] - begin)
                to_cubin.append(end - begin)
        assert ".entry" in ptx and len(to_ptx) == repeats
        print("@" + json.dumps({
            "version": triton.__version__, "ptx": to_ptx, "cubin": to_cubin,
            "lines": len(ptx.splitlines()),
        }))


def time_triton(arch, dim, causal, repeats):
    """(times as triton_worker prints them, None) or (None, what is missing)."""
    command = [
        sys.executable, __file__, "--triton-worker",
        json.dumps([arch, dim, causal, repeats]),
    ]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env=harness.child_environment(),
    )
    for line in done.stdout.splitlines():
        if line.startswith("@"):
            return json.loads(line[1:]), None
    return None, harness.first_error(done.stderr)


def time_in_process(compiler, source, arguments):
    """Median seconds from text to PTX within a process, as Triton's are taken."""
    command = [
        str(compiler), str(source), "--target=" + arguments.target, "--emit=ptx",
        "--schedule=" + arguments.schedule, "--lower=" + arguments.lower,
        "-o", os.devnull, f"--benchmark={2 * arguments.repeats + 1}",
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    return float(done.stderr.split("median ")[1].split()[0])


def time_ours(compiler, source, output, arguments):
    """Seconds of a whole process from MLIR to PTX, and an error or None."""
    command = [
        str(compiler), str(source), "--target=" + arguments.target, "--emit=ptx",
        "-o", str(output),
    ]
    if arguments.schedule:
        command.append("--schedule=" + arguments.schedule)
    if arguments.lower:
        command.append("--lower=" + arguments.lower)
    begin = time.perf_counter()
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace",
    )
    seconds = time.perf_counter() - begin
    if done.returncode:
        return seconds, harness.first_error(done.stdout)
    if not output.is_file() or ".entry" not in output.read_text():
        return seconds, "no PTX was written"
    return seconds, None


def main():
    parser = harness.new_parser(__doc__)
    parser.add_argument(
        "--attn-compile",
        default=str(harness.ROOT / "build/tools/attn-compile/attn-compile"),
    )
    parser.add_argument("--target", default="h200", help="default: h200")
    parser.add_argument("--arch", type=int, default=90, help="Triton's (default: 90)")
    parser.add_argument("--schedule", default="")
    parser.add_argument("--lower", default="")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--strict", action="store_true")
    parser.add_argument("--triton-worker", help=harness.argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.triton_worker:
        triton_worker(*json.loads(arguments.triton_worker))
        return
    compiler = harness.find_compiler(arguments.attn_compile)
    if not compiler:
        harness.skip(f"there is no {arguments.attn_compile}", arguments.strict)

    rows, results, failed, skipped = [], [], False, False
    with tempfile.TemporaryDirectory() as folder:
        sources = {p.name: p for p in sorted((harness.ROOT / "examples").glob("*.mlir"))}
        # The kernels that Triton compiles below, too.
        for dim in (64, 128):
            path = Path(folder) / f"forward-d{dim}-causal.mlir"
            path.write_text(attention_text(16, 16, dim, causal=True))
            sources[path.name] = path
        times = {name: [] for name in sources}
        errors = {}
        for turn in range(arguments.repeats + 1):
            for name, source in sources.items():
                if name in errors:
                    continue
                output = Path(folder) / "out.ptx"
                output.unlink(missing_ok=True)
                seconds, error = time_ours(compiler, source, output, arguments)
                if error:
                    errors[name] = error
                elif turn:  # the first one reads files from disk
                    times[name].append(seconds)
        for name in sources:
            if name in errors:
                print(f"FAILED {name}: {errors[name].replace(folder, '')}")
                failed = True
                continue
            results.append({"what": name, "tool": "attn-compile", "seconds": times[name]})
            rows.append([f"attn-compile {name}", f"{median(times[name]):.3f}",
                         f"{min(times[name]):.3f}", f"{max(times[name]):.3f}"])
        for dim in (64, 128):
            got, error = time_triton(arguments.arch, dim, True, arguments.repeats)
            if not got:
                print(f"SKIPPED: Triton, D {dim}: {error}")
                skipped = True
                continue
            for stage in ("ptx", "cubin"):
                name = f"Triton {got['version']} D {dim} causal, to {stage}"
                results.append({"what": name, "tool": "triton", "seconds": got[stage]})
                rows.append([name, f"{median(got[stage]):.3f}",
                             f"{min(got[stage]):.3f}", f"{max(got[stage]):.3f}"])
            ours = times.get(f"forward-d{dim}-causal.mlir")
            if ours:
                inside = time_in_process(
                    compiler, sources[f"forward-d{dim}-causal.mlir"], arguments)
                rows.append([f"attn-compile D {dim} causal, in process", f"{inside:.3f}", "", ""])
                print(f"D {dim} causal, text to PTX: Triton / attn-compile = "
                      f"{median(got['ptx']) / median(ours):.1f} (whole process), "
                      f"{median(got['ptx']) / inside:.1f} (in process, as Triton)")
    if rows:
        print(markdown(["seconds", "median", "least", "most"], rows))
    harness.write_json(arguments.json, results)
    sys.exit(1 if failed else harness.SKIPPED_EXIT_CODE if skipped and arguments.strict else 0)


if __name__ == "__main__":
    main()
