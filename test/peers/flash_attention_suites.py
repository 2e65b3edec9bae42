#!/usr/bin/env python3
"""FlashAttention's own tests, unmodified, on attn_mlir: flash_attention_suites.py PATH [--suite fa2|fa3].

PATH is a checkout of the public repository. Cases are drawn by a seed from those that need no feature that is missing;
what that is, is a fixed list (flash_attention_plugin.py, docs/python-frameworks.md). A suite's order is fixed by its
seed: where --seconds ended a call, --skip goes on. --add sums what several calls wrote.
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
_ASK = "import torch; print('%d.%d' % torch.cuda.get_device_capability() if torch.cuda.is_available() else '')"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", help="checkout of flash-attention")
    parser.add_argument("--suite", choices=tuple(TESTS), help="default: both")
    parser.add_argument("--kind", choices=("forward", "gradients"), help="tests of gradients alone, or the others (default: both)")
    parser.add_argument("--cases", type=int, default=2000, help="cases to draw of each suite; 0: all (default: 2000)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--skip", type=int, default=0, help="cases at the front of the order that are left out")
    parser.add_argument("--jobs", type=int, default=1, help="processes that share the GPU")
    parser.add_argument("--seconds", type=float, default=0, help="no case of a suite begins later; 0: no limit")
    parser.add_argument("--case-seconds", type=float, default=120, help="a case that takes longer has failed")
    parser.add_argument("--collect-only", action="store_true", help="only count; needs no GPU")
    parser.add_argument("--log", help="folder for results and what cases print (default: a temporary one)")
    parser.add_argument("--add", nargs="*", default=[], help="files of results of earlier calls, counted as well")
    return parser.parse_args()


def capability():
    done = subprocess.run([sys.executable, "-c", _ASK], stdout=subprocess.PIPE, text=True)
    return done.stdout.strip()


def start(options, suite, folder, gpu):
    """pytest's process, and the files that it writes: its counts and a line for each case."""
    files = {name: os.path.join(folder, f"{suite}-{name}") for name in ("counts.json", "results.jsonl", "cases.log", "pytest.log")}
    for file in files.values():
        if os.path.exists(file):
            os.unlink(file)
    python = os.path.join(os.path.dirname(os.path.dirname(HERE)), "python")
    root = os.path.abspath(options.path)
    # The package of the source tree is behind one that is given.
    places = [HERE, os.path.join(root, os.path.dirname(TESTS[suite])), os.environ.get("PYTHONPATH", ""), python]
    environment = dict(
        os.environ, PYTHONPATH=os.pathsep.join(filter(None, places)), SUITE=suite, SUITE_ROOT=root,
        SUITE_CASES=str(options.cases), SUITE_SEED=str(options.seed), SUITE_SKIP=str(options.skip),
        SUITE_JOBS=str(options.jobs), SUITE_SECONDS=str(options.seconds), SUITE_CASE_SECONDS=str(options.case_seconds),
        SUITE_REPORT=files["counts.json"], SUITE_RESULTS=files["results.jsonl"], SUITE_LOG=files["cases.log"],
        SUITE_CAPABILITY=gpu or "9.0", PYTHONDONTWRITEBYTECODE="1")
    if options.kind:
        environment["SUITE_KIND"] = options.kind
    command = [sys.executable, "-m", "pytest", "-p", "flash_attention_plugin", "-p", "no:cacheprovider", "-q", "--tb=short",
               "--capture=no", os.path.join(root, TESTS[suite])]
    if options.collect_only:
        command.append("--collect-only")
    with open(files["pytest.log"], "w") as log:
        return subprocess.run(command, env=environment, stdout=log, stderr=subprocess.STDOUT).returncode, files


def lines_of(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file]


def show_counts(suite, counts):
    """What there is, and how much of it is eligible."""
    def of(prefix):
        return sum(number for kind, number in counts.items() if kind.startswith(prefix))

    forward, eligible = of("forward:"), of("forward: eligible")
    print(f"{suite}: {forward} cases of the forward pass, {of('gradients:')} of gradients alone; "
          f"{of('the suite skips')} more that the suite itself skips")
    print(f"{suite}: {eligible} eligible, {100 * eligible / max(forward, 1):.1f} % of the forward pass; "
          f"{of('gradients: eligible')} of gradients")
    for kind, number in sorted(counts.items()):
        if "missing" in kind:
            print(f"{suite}:   {kind}: {number}")


def _feature(line):
    """What a case is counted by: its test, and what its gradients were."""
    test = line["id"].rpartition("::")[2].partition("[")[0]
    own, others = line.get("own gradients", 0), line.get("PyTorch's gradients", 0)
    gradients = "kernels" if own and not others else "PyTorch" if others and not own else "both" if own else "-"
    return test, gradients


def show_results(suite, lines):
    """A table of what was run; whether all of it passed."""
    rows = collections.defaultdict(collections.Counter)
    for line in lines:
        rows[_feature(line)][line["outcome"]] += 1
        rows["all", ""][line["outcome"]] += 1
    outcomes = [name for name in ("passed", "skipped", "failed", "crashed", "too long") if rows["all", ""][name]]
    print(f"{suite}: {'test':42} {'gradients':10}" + "".join(f"{name:>9}" for name in outcomes))
    for (test, gradients), row in sorted(rows.items()):
        print(f"{suite}: {test:42} {gradients:10}" + "".join(f"{row[name]:9}" for name in outcomes))
    print(f"{suite}: {len(lines)} run; {sum(line.get('compiled', 0) for line in lines)} kernels compiled in "
          f"{sum(line.get('compiled s', 0) for line in lines):.0f} of {sum(line['seconds'] for line in lines):.0f} s of cases")
    bad = [line for line in lines if line["outcome"] not in ("passed", "skipped")]
    for line in bad[:40]:
        print(f"{suite}: {line['outcome']}: {line['id'].rpartition('::')[2]}: {line['reason'][:160]}")
    if len(bad) > 40:
        print(f"{suite}: and {len(bad) - 40} more")
    return not bad


def run(options, suite, folder, gpu):
    code, files = start(options, suite, folder, gpu)
    if not os.path.exists(files["counts.json"]):
        print(f"{suite}: expected pytest to collect cases, but it exited with {code}; see {files['pytest.log']}", file=sys.stderr)
        with open(files["pytest.log"]) as file:
            print("".join(file.readlines()[-20:]), file=sys.stderr)
        return False
    with open(files["counts.json"]) as file:
        found = json.load(file)
    show_counts(suite, found["counts"])
    if options.collect_only:
        print(f"{suite}: {found['drawn']} would be drawn")
        return True
    lines = lines_of(files["results.jsonl"])
    # Cases begin in order; those that are missing were not run, and are the next call's.
    run_now = {line["index"] for line in lines}
    done = next(index for index in range(found["drawn"] + 1) if index not in run_now)
    lines = [line for line in lines if line["index"] < done]
    print(f"{suite}: {found['drawn']} drawn with seed {options.seed} behind the first {options.skip}, {done} done; "
          f"go on with --skip {options.skip + done}")
    for path in options.add:
        lines += [line for line in lines_of(path) if f"{os.path.dirname(TESTS[suite])}/" in line["id"]]
    passed = show_results(suite, lines)
    if not done and code not in (0, 5):
        with open(files["pytest.log"]) as file:
            print("".join(file.readlines()[-20:]), file=sys.stderr)
    return passed and done == found["drawn"]


def main():
    options = arguments()
    for test in TESTS.values():
        if not os.path.exists(os.path.join(options.path, test)):
            sys.exit(f"{options.path}: expected a checkout of flash-attention with {test}")
    folder = options.log or tempfile.mkdtemp(prefix="flash-attention-suites-")
    os.makedirs(folder, exist_ok=True)
    print(f"results and what cases print: {folder}")
    suites = [options.suite] if options.suite else list(TESTS)
    gpu = "" if options.collect_only else capability()
    sys.exit(0 if all([run(options, suite, folder, gpu) for suite in suites]) else 1)


if __name__ == "__main__":
    main()
