#!/usr/bin/env python3
"""Prints what the parts of the last utils/test.sh took, beside the limits in the table
of docs/testing.md ("What CI does"), and warns of each part that exceeds its own. Times are
processor seconds of the part over two cores: what else the machine does counts little.

--limits FILE, --times DIRECTORY: another page, another build's times (build/times);
--strict: fail where a part exceeds."""

import argparse
import re
import sys
from fnmatch import fnmatchcase as fnmatch
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CORES = 2


def limits(page):
    """[(part, limit in seconds, patterns of its tests or None)] of the table."""
    rows = []
    for line in page.read_text().splitlines():
        row = re.match(r"\| (.+?) \| (?:`(.+?)`|–) \| (\d+) s \|", line)
        if row:
            rows.append((row[1], int(row[3]), row[2] and row[2].lower().split()))
    return rows


def spent(directory):
    """Processor seconds by part (what test.sh wrote) and by test."""
    parts, tests = {}, {}
    for line in filter(None, (directory / "parts").read_text().splitlines()):
        name, user, system = line.rsplit(" ", 2)
        parts[name] = float(user) + float(system)
    for line in filter(None, (directory / "tests").read_text().splitlines()):
        seconds, name = line.split(" ", 1)
        tests[name] = float(seconds)  # the last run of a test counts
    return parts, tests


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--limits", type=Path, default=ROOT / "docs/testing.md")
    parser.add_argument("--times", type=Path, default=ROOT / "build/times")
    parser.add_argument("--strict", action="store_true")
    arguments = parser.parse_args()
    rows = limits(arguments.limits)
    if not rows:
        sys.exit(f"error: expected a table of parts and limits in {arguments.limits}, but found none")
    parts, tests = spent(arguments.times)
    slow, total, allowed = [], 0.0, 0
    print(f"{'part':<44}{'took, s':>9}{'limit, s':>9}")
    for part, limit, patterns in rows:
        if patterns is None:
            took = parts.get(part, 0.0)
        else:
            mine = [name for name in tests if any(fnmatch(name.lower(), p) for p in patterns)]
            took = sum(tests.pop(name) for name in mine)
        took /= CORES
        total, allowed = total + took, allowed + limit
        if took > limit:
            slow.append(f"{part} took {took:.0f} s of {limit} s")
        print(f"{part:<44}{took:9.0f}{limit:9}{'  exceeds' if took > limit else ''}")
    print(f"{'in all':<44}{total:9.0f}{allowed:9}")
    for name in tests:
        slow.append(f"{name} belongs to no part of the table")
    for warning in slow:
        print(f"warning: {warning}")
    return 1 if slow and arguments.strict else 0


if __name__ == "__main__":
    sys.exit(main())
