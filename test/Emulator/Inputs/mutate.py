"""Deletes every barrier and every wait of a kernel in turn; counts what is noticed.

usage: mutate.py KERNEL attn-emulate HSACO ARGUMENTS...
"""

import re
import subprocess
import sys

kernel, tool, hsaco, *arguments = sys.argv[1:]


def run(*options):
    return subprocess.run([tool, hsaco, *options], capture_output=True, text=True)


listing = run("--list").stdout
counts = re.search(rf"^{kernel}: \d+ instructions, (\d+) barriers, (\d+) waits", listing, re.M)
intact = run(*arguments)
if intact.returncode != 0:
    sys.exit(intact.stderr)
for option, what, count in (("barrier", "barriers", counts[1]), ("wait", "waits", counts[2])):
    missed = []
    for n in range(int(count)):
        mutant = run(*arguments, f"--drop-{option}={n}")
        if mutant.returncode == 0:
            missed.append(n)
        elif "race on LDS" not in mutant.stderr and "pending" not in mutant.stderr:
            sys.exit(mutant.stderr)
    print(f"noticed {int(count) - len(missed)} of {count} {what}", *missed)
