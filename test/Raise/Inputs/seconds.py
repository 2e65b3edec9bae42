#!/usr/bin/env python3
"""Prints how many milliseconds attn-raise takes on a file, the least of five runs.

usage: seconds.py FILE MOST

Fails above MOST."""

import re
import subprocess
import sys


def main():
    file, most = sys.argv[1], float(sys.argv[2])
    times = []
    for _ in range(5):
        done = subprocess.run(["attn-opt", file, "--attn-raise", "--mlir-timing", "--mlir-timing-display=list", "-o", "/dev/null"],
                              capture_output=True, text=True, check=True)
        times.append(1000 * float(re.search(r"^ +([\d.]+) \([^\n]* AttnRaise$", done.stderr, re.MULTILINE)[1]))
    print(f"attn-raise took {min(times):.0f} ms")
    sys.exit(min(times) > most)


if __name__ == "__main__":
    main()
