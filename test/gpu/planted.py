#!/usr/bin/env python3
"""Does racecheck see a dropped wait? Does it find the real kernels clean?

    planted.py compile [--attn-compile FILE]    bundles; wants no GPU
    planted.py run                              on a GPU, with compute-sanitizer

Makes a kernel as it is, one that does not wait for its tiles to arrive (the
"full" barriers), and one whose producer does not wait for slots to be free (the
"empty" barriers), and runs compute-sanitizer's racecheck on each: the first must
be clean, the others must not be. Waits are dropped from the output of
convert-attn-to-nvvm, where each names its barrier.

Racecheck follows asynchronous copies by threads (copy=async) and not what the
tensor memory accelerator writes, so the defects are planted where it can see
them; both kinds of copy share the code of the waits. With tensor copies a dropped
wait for arrival must show in the result.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
DEFAULT_OUT = ROOT / "build-gpu" / "planted"
SOURCE = """\
func.func @planted(%q: tensor<?x2x?x64xbf16>, %k: tensor<?x2x?x64xbf16>,
                   %v: tensor<?x2x?x64xbf16>) -> tensor<?x2x?x64xbf16> {
  %o = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>) scale(0.125)
      : (tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>, tensor<?x2x?x64xbf16>)
      -> tensor<?x2x?x64xbf16>
  return %o : tensor<?x2x?x64xbf16>
}
"""
DEVICE = (
    "builtin.module(attn.kernel(attn-materialize-grid),convert-attn-stream-to-scf,"
    "cse,canonicalize,convert-attn-to-nvvm)"
)
VARIANTS = (
    ("clean", None, "persistent sms=3 resident=1 sawtooth=force", "stages=2"),
    ("clean-async", None, "", "stages=2 copy=async"),
    ("clean-one-stage", None, "", "stages=1"),
    # With two stages the waits for free slots order the accesses, too.
    ("no-full-wait", "full", "", "stages=1 copy=async"),
    ("no-empty-wait", "empty", "", "stages=2 copy=async"),
    ("no-full-wait-tensor", "full", "", "stages=2"),
)


def run_tool(command, text=None):
    result = subprocess.run(command, input=text, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"{' '.join(map(str, command))}:\n{result.stderr}")
    return result.stdout


def compile_all(arguments):
    tool = Path(arguments.attn_compile)
    opt = tool.parent.parent / "attn-opt" / "attn-opt"
    arguments.out.mkdir(parents=True, exist_ok=True)
    source = arguments.out / "planted.mlir"
    source.write_text(SOURCE)
    for name, dropped, schedule, lower in VARIANTS:
        target = run_tool([
            tool, source, "--target=h200", f"--schedule=tiles=query=64,key=64 {schedule}",
            f"--lower={lower}", "--emit=target"])
        device = run_tool([opt, f"--pass-pipeline={DEVICE}"], target)
        if dropped:
            lines = device.splitlines()
            kept = [line for line in lines if f'attn.barrier = "{dropped}"' not in line]
            assert len(kept) < len(lines), f"no {dropped} wait to drop"
            device = "\n".join(kept)
        shutil.rmtree(arguments.out / name, ignore_errors=True)
        lowered = run_tool([opt, "--attn-device-to-llvm"], device)
        run_tool([tool, "-", "--emit=bundle", "-o", arguments.out / name], lowered)
    print(f"{len(VARIANTS)} bundles in {arguments.out}")


def work(arguments):
    """One launch, in the process that racecheck watches."""
    sys.path.insert(0, str(ROOT / "python"))
    import attn_mlir
    import torch

    shape = (1, 2, 200, 64)
    q, k, v = (torch.randn(shape, device="cuda").to(torch.bfloat16) for _ in range(3))
    o = attn_mlir.load(str(arguments.out / arguments.name))(q, k, v)
    torch.cuda.synchronize()
    wanted = torch.nn.functional.scaled_dot_product_attention(
        q.double(), k.double(), v.double(), is_causal=True)
    error = ((o.double() - wanted).norm(dim=-1) / wanted.norm(dim=-1)).max().item()
    print("RESULT", "right" if error < 1e-2 else "wrong", error)


def count_hazards(arguments, name):
    sanitizer = shutil.which("compute-sanitizer") or "/usr/local/cuda/bin/compute-sanitizer"
    result = subprocess.run(
        [sanitizer, "--tool", "racecheck", sys.executable, __file__, "work", name,
         "--out", arguments.out],
        capture_output=True, text=True, timeout=300,
        env=dict(os.environ, PYTORCH_NO_CUDA_MEMORY_CACHING="1"))
    match = re.search(r"RACECHECK SUMMARY: (\d+) hazard", result.stdout)
    if not match:
        sys.exit(f"{name}: no summary of racecheck:\n{result.stdout}\n{result.stderr}")
    if arguments.verbose:
        print(result.stdout)
    return int(match.group(1)), "RESULT right" in result.stdout


def run_all(arguments):
    try:
        import torch
        if not torch.cuda.is_available():
            raise ImportError("no GPU")
    except ImportError as error:
        print(f"SKIPPED: {error}")
        return 0
    failed = 0
    for name, dropped, _, _ in VARIANTS:
        hazards, right = count_hazards(arguments, name)
        if name.endswith("-tensor"):
            good = not right
        else:
            good = (hazards > 0) == bool(dropped) and (right or bool(dropped))
        failed += not good
        print(f"{'passed' if good else 'FAILED'} {name}: {hazards} hazards reported, "
              f"result {'right' if right else 'wrong'}")
    print(f"planted defects: {len(VARIANTS) - failed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("step", choices=("compile", "run", "work"))
    parser.add_argument("name", nargs="?")
    parser.add_argument("--out", type=Path, default=DEFAULT_OUT)
    parser.add_argument("--verbose", action="store_true", help="print racecheck's reports")
    parser.add_argument(
        "--attn-compile", default=ROOT / "build" / "tools" / "attn-compile" / "attn-compile")
    arguments = parser.parse_args()
    step = {"compile": compile_all, "run": run_all, "work": work}[arguments.step]
    return step(arguments)


if __name__ == "__main__":
    sys.exit(main())
