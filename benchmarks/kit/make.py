#!/usr/bin/env python3
"""Makes a hardware kit: all that measures this compiler on a chip that is elsewhere.

    make.py --target gb10 [--out kit-gb10.tar.gz]
    make.py --target a100 --ptx        the chip's driver compiles, not ptxas

Wants attn-compile and libattn_launcher.so; no GPU. There, with Python, PyTorch and a
driver: tar xf kit-gb10.tar.gz && python3 kit-gb10/run.py --out result.json
(docs/hardware-kit.md).
"""

import json
import subprocess
import sys
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import kernels
import plain
from kernels import ROOT

import harness
from compile import job as check_job

PLAN_VERSION = 1
SMALL = 4  # schedules of a kernel in a kit for tests
SCRIPTS = {
    "benchmarks": ["common.py", "forward.py", "forward_configs.py", "l2_sawtooth.py",
                   "naive_attention.py", "simulation.py"],
    "benchmarks/kit": ["kernels.py", "run.py", "device.py", "speed.py", "counts.py", "plain.py"],
    "test/gpu": ["cases.py", "check.py", "compile.py", "extremes.py", "harness.py", "reference.py"],
    "test/Target/ROCDL/Inputs": ["buffers.py", "emulate.py", "listed_blocks.py", "problems.py", "written_kernels.py"],
}
RUN = '''#!/usr/bin/env python3
"""Measures attn-mlir on this machine's GPU: run.py --out result.json"""
import runpy
import sys
from pathlib import Path

here = Path(__file__).resolve().parent / "benchmarks" / "kit"
sys.path.insert(0, str(here))
sys.argv[0] = str(here / "run.py")
runpy.run_path(sys.argv[0], run_name="__main__")
'''


def explain(compiler, source, target, sizes):
    """What the compiler says of a shape: the target's facts, candidates, predictions."""
    size = f"batch={sizes.batch},query={sizes.queries},key={sizes.keys}"
    done = subprocess.run(
        [str(compiler), str(source), "--target=" + target, "--choose=model",
         "--explain=json", "--size=" + size],
        capture_output=True, text=True, check=False,
    )
    if done.returncode:
        sys.exit(f"{source.name}: {harness.first_error(done.stderr)}")
    return json.loads(done.stdout)


def candidates(page, kernel, best, every_order):
    """(schedule, lower) of what is timed: what the compiler takes by itself, the model's
    first ones, and every order with the tiles of its first."""
    fits = [(c["schedule"], c["lower"]) for c in page["candidates"] if "rejected" not in c]
    result = [("", "")] + fits[:best]
    if every_order and fits and kernel.queries == 0 and not kernel.is_float8:
        schedule, lower = fits[0]
        tiles = next(w for w in schedule.split() if w.startswith("tiles=")).split("=", 1)[1]
        result += kernels.orders(tiles, lower, domains_of(page))
    elif fits and kernel.queries:
        # Decoding: with streams that CTAs share and without.
        result += [next((f for f in fits if ("split-ctas" in f[0]) == split), fits[0])
                   for split in (True, False)]
    return list(dict.fromkeys(kernels.with_mx(result, kernel, page["target"]["capabilities"])))


def domains_of(page):
    return page["target"]["facts"]["l2_domains"]


def ptxas_of(arguments):
    return "none" if arguments.ptx else ""


def plan_kernel(compiler, kernel, arguments, work):
    """The entry of the plan of a kernel, and its jobs."""
    source = work / (kernel.name + ".mlir")
    source.write_text(kernel.text())
    pages = [explain(compiler, source, arguments.target, kernel.sizes(s)) for s in kernel.shapes]
    options, shapes = {}, []
    for number, (shape, page) in enumerate(zip(kernel.shapes, pages)):
        every_order = arguments.small or number >= len(pages) - 2
        taken = candidates(page, kernel, 1 if arguments.small else 3, every_order)
        taken = taken[:SMALL] if arguments.small else taken
        predictions = {(c["schedule"], c["lower"]): c["prediction"]
                       for c in page["candidates"] if "rejected" not in c}
        numbers = {}
        for key in taken:
            numbers[options.setdefault(key, len(options))] = predictions.get(key)
        shapes.append({"batch": shape[0], "keys": shape[1], "predictions": numbers})
    jobs = [
        harness.Job(work / "bundles" / "speed" / kernel.name / f"{n:03}", kernel.text(), *key,
                    arguments.target, ptxas=ptxas_of(arguments))
        for key, n in options.items()
    ]
    entry = {"kernel": kernel.name, "shapes": shapes,
             "options": [{"schedule": s, "lower": l} for s, l in options]}
    return entry, jobs


def add_tree(tar, prefix, work, launcher):
    for folder, names in SCRIPTS.items():
        for name in names:
            tar.add(ROOT / folder / name, f"{prefix}/{folder}/{name}")
    for path in sorted((ROOT / "python" / "attn_mlir").glob("*.py")):
        tar.add(path, f"{prefix}/python/attn_mlir/{path.name}")
    tar.add(launcher, f"{prefix}/python/attn_mlir/{launcher.name}")
    for path in sorted((work / "bundles").rglob("*")):
        # Sources are made anew from kernels.py and cases.py.
        if path.is_file() and path.suffix != ".mlir":
            tar.add(path, f"{prefix}/{path.relative_to(work)}")
    for name in ("plan.json", "run.py"):
        tar.add(work / name, f"{prefix}/{name}")


def facts_of(compiler, target):
    """Name, architecture and facts of a target."""
    kernel = kernels.small_timed_kernels()[0]
    done = subprocess.run(
        [str(compiler), "-", "--target=" + target, "--explain=json", "--size=batch=1,query=64,key=64"],
        input=kernel.text(), capture_output=True, text=True, check=False,
    )
    if done.returncode:
        sys.exit(f"{target}: {harness.first_error(done.stderr)}")
    return json.loads(done.stdout)["target"]


def main():
    parser = harness.new_parser(__doc__)
    parser.add_argument("--out", metavar="FILE", help="default: kit-TARGET.tar.gz")
    parser.add_argument("--work", metavar="DIR", help="of bundles (default: build-gpu/kit/TARGET)")
    parser.add_argument("--ptx", action="store_true", help="PTX in place of cubins")
    parser.add_argument("--small", action="store_true", help="a few small kernels, for tests")
    parser.add_argument("--checks", type=int, help="kernels that are checked (default: 48; 4 if small)")
    harness.add_compile_arguments(parser)
    parser.add_argument(
        "--launcher", default=str(ROOT / "build/lib/Launcher/libattn_launcher.so"),
        help="default: that of build/",
    )
    arguments = parser.parse_args()
    compiler = harness.find_compiler(arguments.attn_compile)
    launcher = Path(arguments.launcher)
    if not compiler or not launcher.is_file():
        sys.exit(f"expected {arguments.attn_compile} and {launcher}, but one of them is missing: build first")
    name = f"{arguments.target}{'-ptx' if arguments.ptx else ''}{'-small' if arguments.small else ''}"
    work = Path(arguments.work or ROOT / "build-gpu" / "kit" / name)
    work.mkdir(parents=True, exist_ok=True)

    facts = facts_of(compiler, arguments.target)
    timed = kernels.small_timed_kernels() if arguments.small else kernels.timed_kernels()
    timed = kernels.possible_kernels(timed, facts["arch"])
    with ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        planned = list(pool.map(lambda k: plan_kernel(compiler, k, arguments, work), timed))
    checked = kernels.checked_kernels(facts["arch"], arguments.checks or (4 if arguments.small else 48))
    jobs = [job for _, mine in planned for job in mine]
    checks = [check_job(k, work / "bundles" / "check", "", arguments.target)
              ._replace(ptxas=ptxas_of(arguments)) for k in checked]
    plains = [harness.Job(work / "bundles" / "plain" / f"{n:02}", case.text(), case.schedule, case.lower,
                          arguments.target, ptxas=ptxas_of(arguments))
              for n, case in enumerate(plain.CASES)]
    plains = plains[:2] if arguments.small else plains
    failed = harness.compile_jobs(jobs + checks + plains, arguments)
    plan = {
        "format": "attn-mlir-kit", "version": PLAN_VERSION, "target": arguments.target,
        "facts": facts, "ptx": arguments.ptx, "small": arguments.small,
        "made": time.strftime("%Y-%m-%d", time.gmtime()),
        "speed": [entry for entry, _ in planned],
        "checks": [k.name for k, j in zip(checked, checks) if not j.problem()],
        "plain": [n for n, j in enumerate(plains) if not j.problem()],
        "not_compiled": {str(j.directory.relative_to(work)): j.problem()
                         for j in jobs + checks + plains if j.problem()},
    }
    (work / "plan.json").write_text(json.dumps(plan, indent=1) + "\n")
    (work / "run.py").write_text(RUN)
    out = Path(arguments.out or f"kit-{name}.tar.gz")
    with tarfile.open(out, "w:gz") as tar:
        add_tree(tar, "kit-" + arguments.target, work, launcher)
    print(f"{out}: {out.stat().st_size / 1e6:.1f} MB, {len(jobs)} bundles to time, "
          f"{len(plan['checks'])} to check, {failed} not compiled")


if __name__ == "__main__":
    main()
