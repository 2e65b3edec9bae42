"""What the scripts that check and measure kernels on a GPU have in common.

Each has two halves, which may run on two machines. The compile half turns
level-1 MLIR into bundles with attn-compile and wants no GPU. The run half
launches the bundles and wants a GPU, PyTorch and the package `attn_mlir`.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
SKIPPED_EXIT_CODE = 77


def skip(reason, strict=False):
    """Says loudly that nothing was run, and why, and ends the process."""
    print(f"SKIPPED: {reason}", flush=True)
    sys.exit(SKIPPED_EXIT_CODE if strict else 0)


# ---------------------------------------------------------------------------
# Compile half


class Job(NamedTuple):
    """A bundle to make: `directory`, beside which lie the source
    (directory.mlir) and the record of how it was made (directory.json)."""

    directory: Path
    source: str
    schedule: str = ""
    lower: str = ""
    target: str = "h200"
    also_lower: str = ""
    # Of attn-compile's option. Not in the key: whoever launches a bundle need not know.
    ptxas: str = ""

    def beside(self, suffix):
        return self.directory.with_name(self.directory.name + suffix)

    def key(self):
        """Says what the bundle is made of; kept in its record."""
        parts = [self.source, self.schedule, self.lower, self.target]
        text = "\0".join(parts + [self.also_lower] * bool(self.also_lower))
        return hashlib.sha256(text.encode()).hexdigest()

    def record(self):
        try:
            return json.loads(self.beside(".json").read_text())
        except (OSError, ValueError):
            return {}

    def problem(self):
        """Why the bundle cannot be launched, or None."""
        record = self.record()
        if not record:
            return "not compiled"
        if record.get("key") != self.key():
            return "the bundle is of another kernel: compile again"
        if record.get("error"):
            return "does not compile: " + record["error"]
        if not (self.directory / "manifest.json").is_file():
            return "the bundle has no manifest"
        return None


def add_compile_arguments(parser):
    parser.add_argument(
        "--attn-compile",
        default=str(ROOT / "build/tools/attn-compile/attn-compile"),
        help="the compiler (default: that of build/)",
    )
    parser.add_argument("--target", default="h200", help="default: h200")
    parser.add_argument(
        "-j", "--jobs", type=int, default=2, help="processes at once (default: 2)"
    )
    parser.add_argument(
        "--force", action="store_true", help="compile what is up to date, too"
    )
    parser.add_argument(
        "--ptxas", default="", metavar="FILE",
        help="of attn-compile; 'none': bundles of PTX, which the driver compiles",
    )


def find_compiler(path):
    """The compiler's path, or None."""
    found = shutil.which(path)
    return Path(found).resolve() if found else None


def up_to_date(job, compiler, ptxas=""):
    """Made of the same input, by the compiler as it is now. Failures count:
    the same compiler would fail again."""
    record = job.record()
    if record.get("key") != job.key() or record.get("ptxas", "") != (job.ptxas or ptxas):
        return False
    if not record.get("error") and job.problem():
        return False
    return job.beside(".json").stat().st_mtime >= compiler.stat().st_mtime


def first_error(text):
    """The line of a compiler's output that says what is wrong."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    for line in lines:
        if "error" in line.lower() or "LLVM ERROR" in line:
            return line
    return lines[-1] if lines else "no message"


def compile_job(job, compiler, ptxas="", timeout=600):
    """Makes one bundle and its record; returns the error or None. `ptxas`: for jobs that name none."""
    ptxas = job.ptxas or ptxas
    shutil.rmtree(job.directory, ignore_errors=True)
    job.directory.parent.mkdir(parents=True, exist_ok=True)
    source = job.beside(".mlir")
    source.write_text(job.source)
    command = [str(compiler), str(source), "--target=" + job.target]
    if job.schedule:
        command.append("--schedule=" + job.schedule)
    if job.lower:
        command.append("--lower=" + job.lower)
    if job.also_lower:
        command.append("--also-lower=" + job.also_lower)
    if ptxas:
        command.append("--ptxas=" + ptxas)
    command += ["--emit=bundle", "-o", str(job.directory)]
    begin = time.monotonic()
    error = None
    try:
        done = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=timeout,
        )
        if done.returncode != 0:
            error = f"exit code {done.returncode}: {first_error(done.stdout)}"
        elif not (job.directory / "manifest.json").is_file():
            error = "attn-compile wrote no manifest"
    except subprocess.TimeoutExpired:
        error = f"took more than {timeout} s"
    # The record is for the machine with the GPU too: no paths of this one.
    if error:
        error = error.replace(str(job.beside(".mlir")), source.name)
    record = {
        "key": job.key(),
        "schedule": job.schedule,
        "lower": job.lower,
        "also_lower": job.also_lower,
        "target": job.target,
        "ptxas": ptxas,
        "seconds": round(time.monotonic() - begin, 3),
        "error": error,
    }
    job.beside(".json").write_text(json.dumps(record, indent=1) + "\n")
    return error


def compile_jobs(jobs, arguments):
    """Makes the bundles that are not up to date and prints what failed. Returns
    the number that failed, or None where there is no compiler."""
    compiler, ptxas = find_compiler(arguments.attn_compile), getattr(arguments, "ptxas", "")
    if not compiler:
        print(f"SKIPPED: compilation, as there is no {arguments.attn_compile}")
        return None
    todo = [job for job in jobs if arguments.force or not up_to_date(job, compiler, ptxas)]
    with concurrent.futures.ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        for job, error in zip(
            todo, pool.map(lambda job: compile_job(job, compiler, ptxas), todo)
        ):
            if error:
                print(f"FAILED to compile {job.directory.name}: {error}", flush=True)
    failed = sum(1 for job in jobs if job.problem())
    print(
        f"{len(jobs)} bundles: {len(todo)} compiled, {len(jobs) - len(todo)} were "
        f"up to date; {failed} failed",
        flush=True,
    )
    return failed


# ---------------------------------------------------------------------------
# Run half


def add_run_arguments(parser):
    parser.add_argument(
        "--strict",
        action="store_true",
        help=f"exit with {SKIPPED_EXIT_CODE}, not 0, where nothing can be run",
    )


def import_package():
    """The package `attn_mlir`: an installed one, else that of this repository."""
    try:
        import attn_mlir
    except ImportError:
        sys.path.insert(0, str(ROOT / "python"))
        import attn_mlir
    return attn_mlir


def require_gpu(strict=False):
    """(torch, attn_mlir), or the end of the process with SKIPPED."""
    try:
        import torch
    except ImportError as error:
        skip(f"no PyTorch ({error})", strict)
    if not torch.cuda.is_available():
        skip("PyTorch sees no GPU", strict)
    try:
        package = import_package()
        package.version()  # opens the launcher's library
        return torch, package
    except Exception as error:
        skip(f"the package attn_mlir cannot be used ({error})", strict)


def describe_device(torch):
    p = torch.cuda.get_device_properties(0)
    return (
        f"{p.name}, {p.multi_processor_count} SMs, "
        f"PyTorch {torch.__version__}, CUDA {torch.version.cuda}"
    )


def launch(kernel, inputs, outputs, scalars=()):
    """Launches a kernel: views that are read, then views that are written."""
    arguments = {"out": outputs[0]}
    if len(outputs) > 1:
        arguments["lse"] = outputs[1]
    if scalars:
        arguments["scalars"] = list(scalars)
    kernel(*inputs, **arguments)


def write_json(path, value):
    if path:
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(json.dumps(value, indent=1) + "\n")


def new_parser(description):
    return argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )


def add_halves(parser):
    """The parsers of `compile` and `run`, with what all scripts that have both take."""
    halves = parser.add_subparsers(dest="half", required=True)
    compile_parser, run_parser = halves.add_parser("compile"), halves.add_parser("run")
    add_compile_arguments(compile_parser)
    add_run_arguments(run_parser)
    return compile_parser, run_parser


def child_environment(**extra):
    """The environment of a child process, with unbuffered output."""
    return dict(os.environ, PYTHONUNBUFFERED="1", **extra)
