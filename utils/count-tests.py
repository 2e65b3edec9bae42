#!/usr/bin/env python3
"""Counts the tests in lit's results (lit --output FILE), names those that were
skipped, and ends with the line `N passed, N failed, N skipped`. Fails unless all
that ran passed; no test is no success."""

import collections
import json
import re
import sys

# A test that passes now and then, or that is expected to fail, has not passed.
SKIPPED = {"UNSUPPORTED", "SKIPPED"}


def reason(test):
    found = re.search(r"unavailable features: (.*)", test["output"])
    return f"wants {found[1]}" if found else test["output"].strip()


def main():
    if len(sys.argv) != 2:
        sys.exit(f"usage: {sys.argv[0]} RESULTS")
    with open(sys.argv[1]) as file:
        tests = json.load(file)["tests"]
    counts = collections.Counter()
    for test in tests:
        code = test["code"]
        kind = "passed" if code == "PASS" else "skipped" if code in SKIPPED else "failed"
        counts[kind] += 1
        if kind == "skipped":
            print(f"skipped: {test['name']}: {reason(test)}")
    print(", ".join(f"{counts[kind]} {kind}" for kind in ("passed", "failed", "skipped")))
    return 0 if counts["passed"] and not counts["failed"] else 1


if __name__ == "__main__":
    sys.exit(main())
