#!/usr/bin/env python3
"""PyTorch's own tests of scaled_dot_product_attention on attn_mlir: sdpa_suite.py PATH.

PATH is a checkout of PyTorch at the release that is installed, of which test/test_transformers.py is run as it is: the cases of
the flash back end, under attn_mlir.torch.activate(). Dropout, nested tensors and errors of PyTorch's own kernels are
left out (sdpa_plugin.py). Needs a GPU, but for --collect-only.
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TEST = os.path.join("test", "test_transformers.py")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", help="checkout of PyTorch")
    parser.add_argument("--cases", type=int, default=500, help="cases to draw; 0: all (default: 500)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the GPU")
    parser.add_argument("--seconds", type=float, default=0, help="no case begins later; 0: no limit")
    parser.add_argument("--collect-only", action="store_true", help="only count")
    parser.add_argument("--log", help="folder for results and what cases print (default: a temporary one)")
    return parser.parse_args()


def start(options, shard, folder):
    """A process of pytest for a part of the cases, and its files."""
    files = {name: os.path.join(folder, f"sdpa-{shard}-{name}") for name in ("counts.json", "results.jsonl", "pytest.log")}
    for file in files.values():
        if os.path.exists(file):
            os.unlink(file)
    python = os.path.join(os.path.dirname(os.path.dirname(HERE)), "python")
    root = os.path.abspath(options.path)
    places = [HERE, os.path.join(root, "test"), os.environ.get("PYTHONPATH", ""), python]
    environment = dict(
        os.environ, PYTHONPATH=os.pathsep.join(filter(None, places)), SUITE_CASES=str(options.cases),
        SUITE_SEED=str(options.seed), SUITE_SKIP="0", SUITE_SHARD=f"{shard}/{options.jobs}", SUITE_JOBS="1",
        SUITE_SECONDS=str(options.seconds), SUITE_REPORT=files["counts.json"], SUITE_RESULTS=files["results.jsonl"],
        SUITE_LOG=files["pytest.log"], PYTHONDONTWRITEBYTECODE="1")
    command = [sys.executable, "-m", "pytest", "-p", "sdpa_plugin", "-p", "no:cacheprovider", "-q", "--tb=short", "--capture=no",
               os.path.join(root, TEST)]
    if options.collect_only:
        command.append("--collect-only")
    log = open(files["pytest.log"], "w")
    return subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT), files


def lines_of(files):
    if not os.path.exists(files["results.jsonl"]):
        return []
    with open(files["results.jsonl"]) as file:
        return [json.loads(line) for line in file]


def show(lines, drawn):
    """A table of what was run; whether all of it passed."""
    rows = collections.defaultdict(collections.Counter)
    for line in lines:
        test = line["id"].rpartition("::")[2]
        test = test.partition("_batch_size")[0].partition("_fused_kernel")[0]
        rows[test][line["outcome"]] += 1
        rows[test]["calls"] += line.get("calls", 0)
    for test, row in sorted(rows.items()):
        said = ", ".join(f"{row[name]} {name}" for name in ("passed", "skipped", "failed") if row[name])
        print(f"{test}: {said}; {row['calls']} calls of attn_mlir")
    bad = [line for line in lines if line["outcome"] not in ("passed", "skipped")]
    for line in bad[:40]:
        print(f"{line['outcome']}: {line['id'].rpartition('::')[2]}: {line['reason'][:200]}")
    print(f"{drawn} drawn, {len(lines)} run, {len(bad)} failed")
    return not bad and len(lines) == drawn


def main():
    options = arguments()
    if not os.path.exists(os.path.join(options.path, TEST)):
        sys.exit(f"{options.path}: expected a checkout of PyTorch with {TEST}")
    folder = options.log or tempfile.mkdtemp(prefix="sdpa-suite-")
    os.makedirs(folder, exist_ok=True)
    print(f"results and what cases print: {folder}")
    jobs = 1 if options.collect_only else options.jobs
    options.jobs = jobs
    started = [start(options, shard, folder) for shard in range(jobs)]
    codes = [process.wait() for process, _ in started]
    files = [its for _, its in started]
    if not os.path.exists(files[0]["counts.json"]):
        with open(files[0]["pytest.log"]) as file:
            sys.exit("".join(file.readlines()[-20:]) + f"expected pytest to collect cases, but it exited with {codes[0]}")
    with open(files[0]["counts.json"]) as file:
        found = json.load(file)
    for kind, number in sorted(found["counts"].items()):
        print(f"{kind}: {number}")
    if options.collect_only:
        print(f"{found['drawn']} would be drawn")
        return
    passed = show([line for its in files for line in lines_of(its)], found["drawn"])
    for code, its in zip(codes, files):
        if code not in (0, 1, 5):
            print(f"a process of pytest ended with {code}; see {its['pytest.log']}")
    sys.exit(0 if passed and all(code in (0, 5) for code in codes) else 1)


if __name__ == "__main__":
    main()
