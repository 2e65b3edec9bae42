#!/usr/bin/env python3
"""FlashAttention's own tests, unmodified, on attn_mlir: flash_attention_suites.py PATH [--suite fa2|fa3].

PATH is a checkout of the public repository. Cases are drawn by a seed from those that need no feature that is missing;
what that is, is a fixed list (flash_attention_plugin.py, docs/python-frameworks.md).
"""

import argparse
import collections
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
TESTS = {"fa2": os.path.join("tests", "test_flash_attn.py"), "fa3": os.path.join("hopper", "test_flash_attn.py")}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", help="checkout of flash-attention")
    parser.add_argument("--suite", choices=("fa2", "fa3"), help="default: both")
    parser.add_argument("--cases", type=int, default=2000, help="cases to draw of each suite; 0: all (default: 2000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the GPU")
    parser.add_argument("--collect-only", action="store_true", help="only count; needs no GPU")
    parser.add_argument("--log", help="folder for the output of pytest (default: a temporary one)")
    return parser.parse_args()


def start(options, suite, shard, folder):
    """A process of pytest, its report and its log."""
    report = os.path.join(folder, f"{suite}-{shard}.json")
    python = os.path.join(os.path.dirname(os.path.dirname(HERE)), "python")
    root = os.path.abspath(options.path)
    places = [HERE, python, os.path.join(root, os.path.dirname(TESTS[suite])), os.environ.get("PYTHONPATH", "")]
    environment = dict(
        os.environ, PYTHONPATH=os.pathsep.join(filter(None, places)), SUITE=suite, SUITE_ROOT=root,
        SUITE_CASES=str(options.cases), SUITE_SEED=str(options.seed), SUITE_SHARD=f"{shard}/{options.jobs}",
        SUITE_REPORT=report, PYTHONDONTWRITEBYTECODE="1")
    command = [sys.executable, "-m", "pytest", "-p", "flash_attention_plugin", "-p", "no:cacheprovider", "-q", "--tb=short",
               "-rf", os.path.join(root, TESTS[suite])]
    if options.collect_only:
        command.append("--collect-only")
    log = open(os.path.join(folder, f"{suite}-{shard}.log"), "w")
    return subprocess.Popen(command, env=environment, stdout=log, stderr=subprocess.STDOUT), report, log.name


def show(suite, found, outcomes, reasons, is_run):
    """Prints what was counted; whether all that ran passed."""
    counts = found["counts"]
    skips, eligible = counts.pop("the suite skips", 0), counts.pop("eligible", 0)
    cases = found["collected"] - skips
    forward = cases - counts.get("missing: backward", 0)
    print(f"{suite}: {cases} cases ({skips} more that the suite itself skips), {forward} of the forward pass")
    print(f"{suite}: {eligible} eligible, {100 * eligible / max(forward, 1):.1f} % of the forward cases")
    for name, count in sorted(counts.items()):
        print(f"{suite}:   {name}: {count}")
    if not is_run:
        print(f"{suite}: {found['drawn']} would be drawn")
        return True
    passed, run = outcomes["passed"], sum(outcomes.values())
    print(f"{suite}: {found['drawn']} drawn, {run} run, {passed} passed, {outcomes['failed']} failed, "
          f"{outcomes['skipped']} skipped")
    for name, count in sorted(reasons.items()):
        print(f"{suite}:   failed by {name}: {count}")
    return run == passed == found["drawn"]


def run(options, suite, folder):
    started = [start(options, suite, shard, folder) for shard in range(options.jobs)]
    codes = [process.wait() for process, _, _ in started]
    outcomes, reasons, found = collections.Counter(), collections.Counter(), None
    for code, (_, report, log) in zip(codes, started):
        if not os.path.exists(report):
            print(f"{suite}: expected pytest to collect cases, but it exited with {code}; see {log}", file=sys.stderr)
            with open(log) as file:
                print("".join(file.readlines()[-20:]), file=sys.stderr)
            return False
        with open(report) as file:
            found = json.load(file)
        outcomes.update(found.get("outcomes", {}))
        reasons.update(found.get("reasons", {}))
        if code not in (0, 5):
            print(f"{suite}: pytest exited with {code}; see {log}", file=sys.stderr)
    # 5: no case for this process.
    return show(suite, found, outcomes, reasons, not options.collect_only) and all(code in (0, 5) for code in codes)


def main():
    options = arguments()
    for test in TESTS.values():
        if not os.path.exists(os.path.join(options.path, test)):
            sys.exit(f"{options.path}: expected a checkout of flash-attention with {test}")
    folder = options.log or tempfile.mkdtemp(prefix="flash-attention-suites-")
    os.makedirs(folder, exist_ok=True)
    print(f"output of pytest: {folder}")
    suites = [options.suite] if options.suite else ["fa2", "fa3"]
    sys.exit(0 if all([run(options, suite, folder) for suite in suites]) else 1)


if __name__ == "__main__":
    main()
