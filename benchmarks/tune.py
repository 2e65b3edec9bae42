#!/usr/bin/env python3
"""Writes a tuning file: the fastest schedule of each class of attention on the GPU that is here.

    tune.py compile --target=h200             bundles of candidates; wants no GPU
    tune.py run --tuning FILE                 times them in turns, on a GPU, and writes FILE
    tune.py run --dry-run [--tuning FILE]     the same by predicted times: what would be written; no GPU

Candidates are those that the transfer model ranks within a factor of its best one, some drawn from the others, and what
the compiler takes by itself (benchmarks/choice.py has the first two, which this shares). Each is checked against
PyTorch before it is timed; what is wrong at one size is in no row. A row is written for each pair of a head dimension and
a mask whose fastest schedule beats what the compiler takes by itself by 2 %. attn-compile --tuning=FILE reads the file; in
tuning/ it becomes part of the library (docs/targets.md, rows of your own).
"""

import datetime
import json
import re
import subprocess
import sys
from pathlib import Path

import choice
from common import harness
from forward import LENGTHS, kernels

sys.path.insert(0, str(Path(__file__).resolve().parent / "kit"))

import calibrate  # noqa: E402  (of the kit: rows of a tuning file)

DEFAULT_DIRECTORY = harness.ROOT / "build-gpu" / "tune"
BY_ITSELF = "by-itself"


def classes(plan):
    """(columns, causal, rows, element) -> shapes of the plan, in the order in which rows are tried."""
    known = {kernel.name: kernel for kernel in kernels()}
    result = {}
    for shape in plan:
        kernel = known[shape["kernel"]]
        result.setdefault((2 * kernel.dim, kernel.causal, 64, "bf16"), []).append(shape)
    return dict(sorted(result.items()))


# ---------------------------------------------------------------------------
# Compile half


def default_jobs(out, names, target):
    """Bundles of what the compiler takes by itself, the files of tuning/ included."""
    return [harness.Job(out / name / BY_ITSELF, (out / (name + ".mlir")).read_text(), target=target) for name in names]


def compile_half(arguments):
    try:
        choice.compile_half(arguments)
    except SystemExit as end:
        # Candidates that do not compile are not timed; a plan there must be.
        if isinstance(end.code, str) or not choice_record(arguments, quiet=True):
            raise
    record = choice_record(arguments)
    record["target"] = arguments.target
    harness.write_json(Path(arguments.out) / "plan.json", record)
    if harness.compile_jobs(default_jobs(Path(arguments.out), record["options"], arguments.target), arguments):
        sys.exit(1)


def choice_record(arguments, quiet=False):
    path = Path(arguments.out) / "plan.json"
    if not path.is_file():
        if quiet:
            return None
        harness.skip(f"no plan in {path.parent}: tune.py compile", getattr(arguments, "strict", False))
    return json.loads(path.read_text())


# ---------------------------------------------------------------------------
# Run half


def wanted(record, arguments):
    """The shapes of the plan that are asked for."""
    return [s for s in record["plan"] if re.search(arguments.filter, s["kernel"]) and s["length"] in arguments.lengths]


def predicted(shapes, _):
    """{(kernel, length): (milliseconds by number, numbers that failed)}, as the model has them."""
    return {(s["kernel"], s["length"]): (
        {c["number"]: 1e3 * c["prediction"]["seconds"] for c in s["candidates"]}, []) for s in shapes}


def measured(shapes, arguments):
    """The same on the GPU that is here; of what the compiler takes by itself, by the name BY_ITSELF."""
    torch, attn_mlir = harness.require_gpu(arguments.strict)
    known, out = {kernel.name: kernel for kernel in kernels()}, Path(arguments.out)
    generator = torch.Generator(device="cuda")
    generator.manual_seed(arguments.seed)
    print(f"{harness.describe_device(torch)}; medians of {arguments.rounds}", flush=True)
    results, loaded, wrong, of = {}, {}, [], None
    for shape in shapes:
        kernel = known[shape["kernel"]]
        if of != kernel.name:
            of, loaded = kernel.name, choice.load(attn_mlir, out / kernel.name)
            wrong = choice.check(torch, kernel, loaded, arguments, generator)
            for name in wrong:
                print(f"WRONG: {of} {name}", flush=True)
        numbers = [c["number"] for c in shape["candidates"]] + [BY_ITSELF]
        ms = choice.measure(torch, kernel, {**shape, "candidates": [{"number": n} for n in numbers]}, loaded,
                            arguments, generator)
        results[kernel.name, shape["length"]] = (ms, wrong)
        if ms:
            best = min(ms, key=ms.get)
            print(f"{of} S {shape['length']}: best {best} {ms[best]:.4f} ms of {len(ms)}", flush=True)
        torch.cuda.empty_cache()
    return results


# ---------------------------------------------------------------------------
# The file


def timed_shape(shape, options, times):
    """A shape in the form of the kit's, of which calibrate.py makes rows."""
    ms, failed = times
    listed = options[shape["kernel"]] + [{"schedule": "", "lower": ""}]
    number = lambda name: len(listed) - 1 if name == BY_ITSELF else name
    return {"kernel": shape["kernel"], "keys": shape["length"], "options": listed,
            "ms": {number(n): t for n, t in ms.items()}, "failed": {number(n): "wrong" for n in failed}}


def tuning_text(record, results, device, sms, date):
    """Rows are for chips with all facts of the target, of which the number of SMs is that of the device."""
    facts = f", sms = {sms}" if sms else ""
    rows = []
    for key, shapes in classes([s for s in record["plan"] if (s["kernel"], s["length"]) in results]).items():
        timed = [timed_shape(s, record["options"], results[s["kernel"], s["length"]]) for s in shapes]
        rows.append(calibrate.row(key, timed))
    return "\n".join([
        f"// Attention on {device}: the fastest of the model's candidates, by columns of K and V",
        f"// together and by mask, {date}. Written by benchmarks/tune.py.",
        f'module attributes {{attn.target = #attn.target<"{record["target"]}"{facts}>}} {{', *rows, "}"]) + "\n"


def run_half(arguments):
    if not arguments.dry_run:
        torch, _ = harness.require_gpu(arguments.strict)
        device, sms = harness.describe_device(torch), torch.cuda.get_device_properties(0).multi_processor_count
    else:
        sms, device = 0, "no device (predicted times, NOTHING was measured)"
        print("DRY RUN: times are predicted, nothing is measured", flush=True)
    record = choice_record(arguments)
    shapes = wanted(record, arguments)
    if not shapes:
        sys.exit("tune.py: expected shapes of the plan, but got a filter and lengths that none has")
    results = (predicted if arguments.dry_run else measured)(shapes, arguments)
    text = tuning_text(record, results, device, sms, datetime.date.today().isoformat())
    if not arguments.tuning:
        print(text, end="")
        return
    Path(arguments.tuning).write_text(text)
    print(f"wrote {arguments.tuning}")
    verify(arguments)


def verify(arguments):
    """Whether the compiler reads what was written, where it is here."""
    compiler = harness.find_compiler(arguments.attn_compile)
    if not compiler:
        print(f"SKIPPED: reading it again, as there is no {arguments.attn_compile}")
        return
    source = next(Path(arguments.out).glob("*.mlir"))
    target = choice_record(arguments)["target"]
    done = subprocess.run(
        [str(compiler), str(source), f"--target={target}", f"--tuning={arguments.tuning}", "--remarks", "-o", "/dev/null"],
        capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"tune.py: {arguments.tuning} is refused: {harness.first_error(done.stderr)}")
    print("the compiler reads it")


def main():
    parser = harness.new_parser(__doc__)
    halves = parser.add_subparsers(dest="half", required=True)
    compile_parser = halves.add_parser("compile", help="make bundles; wants no GPU")
    harness.add_compile_arguments(compile_parser)
    compile_parser.add_argument("--within", type=float, default=1.3, metavar="FACTOR",
                                help="candidates predicted within this factor of the best (default: 1.3)")
    compile_parser.add_argument("--sample", type=int, default=4, metavar="COUNT",
                                help="beside those, so many of all candidates of a kernel (default: 4)")
    run_parser = halves.add_parser("run", help="measure and write; wants a GPU and PyTorch")
    harness.add_run_arguments(run_parser)
    run_parser.add_argument("--tuning", metavar="FILE", help="what to write (default: standard output)")
    run_parser.add_argument("--dry-run", action="store_true", help="by predicted times; wants no GPU")
    run_parser.add_argument("--attn-compile", default=str(harness.ROOT / "build/tools/attn-compile/attn-compile"),
                            help="reads what was written")
    run_parser.add_argument("--rounds", type=int, default=15, help="default: 15")
    run_parser.add_argument("--warm-up", type=int, default=2, help="default: 2")
    run_parser.add_argument("--seed", type=int, default=1)
    run_parser.add_argument("--bound", type=float, default=2e-2,
                            help="largest deviation of a row from SDPA, both rounded (default: 0.02)")
    for half in (compile_parser, run_parser):
        half.add_argument("--out", default=str(DEFAULT_DIRECTORY), help="default: build-gpu/tune")
        half.add_argument("--filter", default="mha", metavar="REGEX", help="of kernels (default: mha)")
        half.add_argument("--lengths", type=int, nargs="+", default=LENGTHS)
    arguments = parser.parse_args()
    {"compile": compile_half, "run": run_half}[arguments.half](arguments)


if __name__ == "__main__":
    main()
