#!/usr/bin/env python3
"""Appending to caches on a GPU, without PyTorch: the cases of test/Launcher/Inputs/append.py, by CUDA's driver.

    check_append.py compile [FOLDER]             bundles of all cases
    check_append.py run [FOLDER]                 launches them
    check_append.py run [FOLDER] --under TOOL    with a command in front, such as "compute-sanitizer --tool memcheck"

Among them are block tables with negative numbers, huge ones and the largest of 32 bits, lengths of no place, and decoding from such tables. All arrays lie between NaN
that must stay, each in an allocation of its own, so that memcheck sees whoever leaves one.
"""

import argparse
import os
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
INPUTS = ROOT / "test/Launcher/Inputs"
DIRECTORY = ROOT / "build-gpu" / "append"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("half", choices=("compile", "run"))
    parser.add_argument("folder", nargs="?", type=Path, default=DIRECTORY, help="of bundles (default: %(default)s)")
    parser.add_argument("--under", default="", metavar="TOOL", help="a command that runs it")
    parser.add_argument("--attn-compile", default=str(ROOT / "build/tools/attn-compile/attn-compile"), help="the compiler")
    arguments = parser.parse_args()
    path = [str(INPUTS), *([os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []), str(ROOT / "python")]
    environment = {
        **os.environ, "ATTN_TEST_TARGET": "h200", "ATTN_TEST_BUNDLES": str(arguments.folder.resolve()),
        "ATTN_TEST_ONLY_COMPILES": str(int(arguments.half == "compile")), "PYTHONPATH": os.pathsep.join(path),
        "PATH": os.pathsep.join([str(Path(arguments.attn_compile).parent), os.environ["PATH"]]),
    }
    arguments.folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as scratch:
        command = [*shlex.split(arguments.under), sys.executable, str(INPUTS / "append.py"), scratch]
        return subprocess.run(command, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main())
