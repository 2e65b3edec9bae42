#!/usr/bin/env python3
"""Runs the commands of README.md and docs/, and compares what the pages show.

Every fenced `sh` block is taken apart into commands. Each runs, in a scratch folder
of its page, with the built tools on the PATH; one with the comment `# fails` has to
fail. What cannot run in a test (a GPU, minutes, a network) is in ELSEWHERE, with the
reason and a check that stands for it. A `text` or `mlir` block that follows a
command, up to the next command, is output: its lines, or parts of them between `...`,
occur in what one of the page's commands up to there printed, in order, aside from white space, comments
and the names of values. documented.json has, by page, commands
that print what a page shows without its command (`beside`: IR before a pass, a file),
and the blocks that are no output, by their first lines, with the reason (`other`). An `mlir` block without `...` that holds whole functions or kernels
parses. --list prints what would be done; pages can be named.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[3]
LINKS = ("benchmarks", "examples", "python", "test", "utils")


class Elsewhere(NamedTuple):
    """A command that does not run here: why, and what is run in place of it."""

    pattern: str
    reason: str
    instead: str


# `{0}`: the program; `{sub}`: its first argument that is no option.
ELSEWHERE = (
    Elsewhere(r"utils/demo\.sh", "builds; demo.test runs what follows", "bash -n {0}"),
    Elsewhere(r"utils/test\.sh", "runs this test", "bash -n {0}"),
    Elsewhere(r"utils/(fuzz|sanitize)\.sh", "builds, and takes minutes; utils/test.sh runs the latter", "bash -n {0}"),
    Elsewhere(r"utils/(check-)?wheels\.sh", "builds, and installs by pip; wheels.test runs it", "bash -n {0}"),
    Elsewhere(r"utils/gpu-check\.sh", "expected a GPU; gpu-check.test runs it without", "bash -n {0}"),
    Elsewhere(r"benchmarks/(forward|decode|l2_model|choice|tune)\.py (compile|run|compare)",
              "minutes, a GPU, or what was measured on one", "python3 {0} {sub} --help"),
    Elsewhere(r"benchmarks/python_calls\.py run", "expected a GPU", "python3 {0} {sub} --help"),
    Elsewhere(r"test/peers/flash_attention_suites\.py", "a GPU, and the public repository of another project",
              "python3 -m py_compile {0}"),
    Elsewhere(r"utils/print-front-ends\.py", "front ends of other projects", "python3 -m py_compile {0}"),
    Elsewhere(r"utils/raise-report\.py", "reports on what front ends print", "python3 {0} --help"),
    Elsewhere(r"cmake --build build-examples", "builds; installed-package.test does it", "cmake --version"),
    Elsewhere(r"ctest --test-dir build-examples", "installed-package.test runs it", "ctest --version"),
    Elsewhere(r"pip install dist/\S+", "wheels.test installs them", "bash -n utils/check-wheels.sh"),
    Elsewhere(r"benchmarks/kit/(make|report|calibrate)\.py", "minutes, or what was measured on a GPU; kit.test runs them",
              "python3 {0} --help"),
    Elsewhere(r"tar xf kit-\w+\.tar\.gz", "is on another machine; kit.test does it", "tar --version"),
    Elsewhere(r"python3 kit-\w+/run\.py", "expected a GPU's machine; kit.test runs it without",
              "python3 benchmarks/kit/run.py --help"),
    Elsewhere(r"python3 test/gpu/planted\.py (compile|run)", "expected a GPU's machine",
              "python3 {sub} {subsub} --help"),
    Elsewhere(r"test/Integration/Inputs/documented\.py", "is this test", "python3 {0} --help"),
    Elsewhere(r"attn-random .*--count=\d{4,}", "minutes to an hour; random-run.test runs fewer",
              "{0} --mode=run --count=1"),
    Elsewhere(r"test/Target/Inputs/target_campaign\.py .*--count=\d{3,}", "minutes; campaign.test runs fewer",
              "{0} --count=1"),
    Elsewhere(r"cmake -S examples", "expected an installed package; installed-package.test builds and runs them",
              "cmake --version"),
    Elsewhere(r"ninja -C build \S+", "is the build that this test runs in",
              "ninja -C build -t query {last}"),
    Elsewhere(r"pip install \./python", "a package index; Launcher's tests import the package",
              "python3 -c 'import ast; ast.parse(open(\"python/attn_mlir/__init__.py\").read())'"),
)

# Inputs that pages speak of without making them.
SETUP = {
    "docs/emulator.md": (
        "clang-22 -x cl -cl-std=CL2.0 --target=amdgcn-amd-amdhsa -mcpu=gfx942 -nogpulib -O2 -w"
        " -c test/Emulator/Inputs/kernels.cl -o kernel.o",
        "ld.lld-22 -shared --no-undefined kernel.o -o kernel.hsaco",
    ),
    "docs/passes/attn-arrange-tiles.md": (
        "sed '0,/^.*--- rows.mlir/d; /^.*--- lengths.mlir/,$d' test/Tools/float8-arranged.test > fp8-rows.mlir",
    ),
    "docs/passes/attn-two-level-sums.md": (
        "sed '0,/^.*--- columns.mlir/d; /^.*--- one.mlir/,$d' test/Tools/float8.test > fp8.mlir",
    ),
    "docs/passes/attn-pack-group.md": (
        "sed 's/?x32x?x/?x32x1x/g' examples/llama3-8b-prefill.mlir > decode.mlir",
    ),
}

OTHER_BLOCKS = json.loads((Path(__file__).parent / "documented.json").read_text())


class Block(NamedTuple):
    language: str
    line: int
    text: str


def blocks(page):
    fence = None
    for number, line in enumerate((ROOT / page).read_text().splitlines(), 1):
        if fence is None and line.startswith("```"):
            fence = Block(line[3:].strip(), number, "")
        elif fence is not None and line.startswith("```"):
            yield fence
            fence = None
        elif fence is not None:
            fence = fence._replace(text=fence.text + line + "\n")


def complete(text):
    """True unless a quote or a line is still open."""
    return not text.rstrip("\n").endswith("\\") and \
        subprocess.run(["bash", "-n"], input=text, text=True, stderr=subprocess.DEVNULL).returncode == 0


def commands(block):
    """(line, text, fails) of each command of a block of shell."""
    text, start = "", None
    for number, line in enumerate(block.text.splitlines(), block.line + 1):
        if not text and (not line.strip() or line.startswith("#")):
            continue
        start = start if text else number
        text += line + "\n"
        if complete(text):
            yield start, text.strip(), bool(re.search(r"#\s*fails\s*$", text.strip()))
            text = ""
    if text:
        yield start, text.strip(), False


def instead_of(text):
    """What stands for each program of `text` that runs elsewhere, or None."""
    plain = re.sub(r"\s+#.*$", "", text)
    found = []
    for part in plain.split("&&"):
        words = part.split()
        for entry in ELSEWHERE:
            if re.match(entry.pattern + r"(\s|$)", part.strip()):
                rest = [word for word in words[1:] if not word.startswith("-")]
                command = entry.instead.format(
                    words[0], sub=rest[0] if rest else "", subsub=rest[1] if len(rest) > 1 else "",
                    last=words[-1])
                options = [word for word in words if word.startswith("--")]
                found.append((command, options if "--help" in command else [], entry.reason))
                break
        else:
            return None
    return found


def squeezed(text):
    """Without comments of IR and white space, with one name for all SSA values and one for
    each kind of layout: numbers shift with every change before them."""
    text = re.sub(r"\s//[^\n]*", "", text)
    text = re.sub(r"(#(?:acc|rows|parts|shared))\d+\b", r"\1", text)
    return re.sub(r"\s+", "", re.sub(r"%[\w$.-]+", "%", text))


def missing_part(shown, output):
    """The first line of `shown`, or part of it between gaps, that `output` lacks behind
    those before it; None if all are there."""
    position = 0
    shown = re.sub(r"\s//[^\n]*", "", shown)
    for part in re.split(r"\.\.\.|\n", shown):
        words = squeezed(part)
        found = output.find(words, position)
        if found < 0:
            return part.strip()
        position = found + len(words)
    return None


def is_module(block):
    return block.language == "mlir" and "..." not in block.text and \
        block.text.count("{") == block.text.count("}") and \
        re.match(r"\s*(//.*\n|#\w+ = .*\n)*\s*(module|func\.func|attn\.kernel)\b", block.text)


class Page:
    def __init__(self, page, folder, environment):
        self.page, self.folder, self.environment = page, folder, environment
        self.failures, self.counts = [], {"run": 0, "elsewhere": 0, "compared": 0, "parsed": 0}

    def fail(self, line, what, text):
        self.failures.append(f"{self.page}:{line}: {what}\n    " + text.strip().replace("\n", "\n    "))

    def shell(self, text, **rest):
        done = subprocess.run(["bash", "-c", text], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace", **rest)
        return done.returncode, done.stdout

    def run_elsewhere(self, line, text, found):
        for command, options, _ in found:
            status, output = self.shell(command)
            for option in options:
                if option.split("=")[0] not in output:
                    self.fail(line, f"{option} is no option of `{command}`", output)
            if status:
                self.fail(line, f"`{command}` stands for `{text}` and fails", output)
        self.counts["elsewhere"] += 1

    def run_block(self, block):
        """The output of all commands of a block."""
        result = ""
        for line, text, fails in commands(block):
            found = instead_of(text)
            if found:
                self.run_elsewhere(line, text, found)
                continue
            status, output = self.shell(text)
            if (status != 0) != fails:
                self.fail(line, f"status {status}, expected {'a failure' if fails else 'none'}: {text}",
                          output[-1500:])
            if fails and status > 2:
                self.fail(line, f"status {status} is a crash: {text}", output[-1500:])
            result += output
            self.counts["run"] += 1
        return result

    def run_beside(self):
        """What commands print that the page leaves out: the IR before a pass."""
        outputs = []
        for command in OTHER_BLOCKS.get(self.page, {}).get("beside", ()):
            status, output = self.shell(command)
            if status:
                self.fail(0, f"documented.json: {command}", output[-500:])
            outputs.append(squeezed(output))
        return outputs

    def run(self):
        for name in LINKS:
            os.symlink(ROOT / name, self.folder / name)
        os.symlink(self.environment["ATTN_BUILD"], self.folder / "build")
        for command in SETUP.get(self.page, ()):
            status, output = self.shell(command)
            if status:
                self.fail(0, f"setup: {command}", output)
        printed = []
        others = OTHER_BLOCKS.get(self.page, {}).get("other", {})
        beside = None
        for block in blocks(self.page):
            if block.language == "sh":
                printed.append(squeezed(self.run_block(block)))
                continue
            if is_module(block):
                self.parse(block)
            if not printed or block.language not in ("text", "mlir"):
                continue
            first = block.text.strip().splitlines()[0].strip()
            if first in others:
                continue
            lacks = None
            for output in reversed(printed):
                lacks = missing_part(block.text, output)
                if lacks is None:
                    break
            if lacks is not None:
                beside = self.run_beside() if beside is None else beside
                if any(missing_part(block.text, output) is None for output in beside):
                    lacks = None
            if lacks is not None:
                self.fail(block.line, "not in the output of the command above:", lacks)
            self.counts["compared"] += 1
        shown = {b.text.strip().splitlines()[0].strip() for b in blocks(self.page) if b.text.strip()}
        for first in others:
            if first not in shown:
                self.fail(0, "documented.json names a block that is not there:", first)

    def parse(self, block):
        done = subprocess.run(["attn-opt", "-", "-o", "/dev/null"], input=block.text, text=True,
                              env=self.environment, stderr=subprocess.PIPE)
        if done.returncode:
            self.fail(block.line, "does not parse:", done.stderr[-1500:])
        self.counts["parsed"] += 1


def pages():
    found = ["README.md"] + sorted(str(p.relative_to(ROOT)) for p in (ROOT / "docs").rglob("*.md"))
    return [page for page in found if any(b.language in ("sh", "mlir") for b in blocks(page))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pages", nargs="*", help="README.md, docs/dialect.md, ...; default: all")
    parser.add_argument("--build", default=str(ROOT / "build"), help="the build directory")
    parser.add_argument("--tools", help="other places of the tools, in front of the PATH")
    parser.add_argument("--list", action="store_true", help="print the commands and what becomes of them")
    arguments = parser.parse_args()
    if arguments.list:
        for page in arguments.pages or pages():
            for block in blocks(page):
                for line, text, fails in commands(block) if block.language == "sh" else ():
                    found = instead_of(text)
                    what = "; ".join(f"{c} ({r})" for c, _, r in found) if found else \
                        "fails" if fails else "runs"
                    print(f"{page}:{line}: {text}\n    -> {what}")
        return 0

    environment = dict(os.environ, ATTN_BUILD=arguments.build)
    tools = [arguments.tools] if arguments.tools else []
    tools += [f"{arguments.build}/tools/{tool}" for tool in ("attn-opt", "attn-compile", "attn-emulate")]
    tools.append(f"{arguments.build}/test/lib")  # attn-random
    environment["PATH"] = os.pathsep.join(tools + [environment["PATH"]])
    failures, totals = [], {}
    for page in arguments.pages or pages():
        with tempfile.TemporaryDirectory() as folder:
            one = Page(page, Path(folder), environment)
            one.run()
        failures += one.failures
        for name, count in one.counts.items():
            totals[name] = totals.get(name, 0) + count
    for failure in failures:
        print(failure)
    print(f"{totals['run']} commands run, {totals['elsewhere']} elsewhere, {totals['compared']} outputs "
          f"compared, {totals['parsed']} modules parsed, {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
