#!/usr/bin/env python3
"""Reports what attn-raise makes of a folder of MLIR files: raised, not raised and why, or not read.

usage: raise-report.py FOLDER [--attn-opt=PATH] [--list]

Files are split at lines of `// -----`, as tests are. Functions of IREE's util dialect are read as those of func, and some
names of older MLIR as today's. What attn-opt does not know is allowed where it is in generic form; other dialects are reported
as not read, with the first error. --list prints a line for each part of a file with exponentials
or a softmax in it."""

import argparse
import re
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

REMARK = re.compile(r"remark: \[(Passed|Missed)\] (\S+) \| Category:attn-raise(.*)")


# Operations that are another dialect's name for those of func and arith, and a value that only hides where it is from.
RENAMED = [
    (r"\butil\.func public @", "func.func @"),
    (r"\butil\.func\b", "func.func"),
    (r"\butil\.return\b", "func.return"),
    (r"\butil\.call\b", "func.call"),
    (r"\butil\.unfoldable_constant\b", "arith.constant"),
    (r"\barith\.(max|min)f\b", r"arith.\1imumf"),
    (r"= util\.optimization_barrier (%\S+) : (.*)", r'= "util.optimization_barrier"(\1) : (\2) -> \2'),
]
# Before output_shape was part of it; of static results alone.
EXPANDED = re.compile(r"(tensor\.expand_shape \S+ \[\[[^:]*\]\]) : (tensor<[^>]*>) into tensor<([\dx]+)x(\w+)>")


def readable(text):
    """The text as this MLIR reads it, where only names have changed."""
    for pattern, replacement in RENAMED:
        text = re.sub(pattern, replacement, text)
    return EXPANDED.sub(lambda m: f"{m[1]} output_shape [{m[3].replace('x', ', ')}] : {m[2]} into tensor<{m[3]}x{m[4]}>", text)


def parts(folder):
    """Texts that may hold a softmax between products, with where they are from."""
    for path in sorted(folder.rglob("*.mlir")):
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        for number, part in enumerate(re.split(r"^// ?-----.*$", text, flags=re.MULTILINE)):
            if re.search(r"softmax|math\.exp|tosa\.exp|linalg\.exp", part):
                yield f"{path.relative_to(folder)}:{number}", readable(part)


def report(attn_opt, part):
    """What became of one part: a list of outcomes."""
    try:
        done = subprocess.run(
            [attn_opt, "--attn-raise", "--allow-unregistered-dialect", "--remarks-filter=attn.*", "-o", "/dev/null", "-"],
            input=part, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return ["took longer than 60 s"]
    remarks = REMARK.findall(done.stderr)
    if done.returncode:
        error = re.search(r"error: (.*)", done.stderr)
        return [f"not read: {error[1] if error else done.stderr[:100]}"]
    outcomes = []
    for kind, name, rest in remarks:
        found = re.search(r'found=("[^"]*"|\S+)', rest)
        outcomes.append("raised" if kind == "Passed" else f"stays, {name}: {found[1] if found else ''}")
    return outcomes or ["no softmax before a product"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--attn-opt", default="attn-opt")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args()
    if not options.folder.is_dir():
        sys.exit(f"raise-report.py: error: expected a folder, but got '{options.folder}'")
    names, texts = zip(*parts(options.folder)) if any(parts(options.folder)) else ((), ())
    counts = Counter()
    with ThreadPoolExecutor() as pool:
        for name, outcomes in zip(names, pool.map(lambda t: report(options.attn_opt, t), texts)):
            for outcome in outcomes:
                if options.list:
                    print(f"{name}: {outcome}")
                counts[re.sub(r"not read: .*", "not read", outcome)] += 1
    for outcome, count in counts.most_common():
        print(f"{count:6} {outcome}")
    print(f"{len(names)} parts of files, {counts['raised']} raised, "
          f"{sum(n for o, n in counts.items() if o.startswith('stays'))} stay")


if __name__ == "__main__":
    main()
