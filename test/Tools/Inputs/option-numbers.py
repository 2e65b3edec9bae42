"""Gives senseless numbers to every integer option of every pass and pipeline of the project, as attn-opt's help lists
them: each is taken, or refused with the numbers that are not."""

import re
import subprocess
import sys

tool, example = sys.argv[1:]
NUMBERS = (-1, 0, 1 << 31, (1 << 63) - 1)
RANGE = re.compile(r"error: .*expect(?:s|ed) .*(\d+ to \d+|at least \d+|at most \d+|up to \d+|4, 8 or 16 bytes)")
# What a pass reads, where it is not level 1.
BEFORE = {"attn-stream-partition": "attn-set-target{target=h200}", "attn-choose-schedule": "attn-set-target{target=h200}",
          "attn-schedule": "", "attn-assign-fragments": "attn-schedule{target=h200},attn.kernel(attn-stage-loads)"}


def options():
    """Pairs of a pass and one of its integer options."""
    text = subprocess.run([tool, "--help-hidden"], capture_output=True, text=True, check=True).stdout
    name = ""
    for line in text.splitlines():
        if match := re.match(r"      --([a-z0-9-]+)(=| )", line):
            name = match[1]
        elif (match := re.match(r"        --([a-z0-9-]+)=<(?:u?long|u?int)>", line)) and "attn-" in name:
            yield name, match[1]


def run(name, option, number):
    """The exit status and the diagnostics of one number."""
    for anchor in ("{}", "attn.kernel({})"):
        passes = [BEFORE.get(name, "attn-schedule{target=h200}"), anchor.format(f"{name}{{{option}={number}}}")]
        pipeline = f"builtin.module({','.join(filter(None, passes))})"
        done = subprocess.run([tool, example, f"--pass-pipeline={pipeline}", "-o", "/dev/null"], capture_output=True,
                              text=True, errors="replace", timeout=20, check=False)
        if "restricted to 'attn.kernel'" not in done.stderr:
            break
    return done.returncode, done.stderr


tried, wrong = 0, []
for name, option in options():
    taken = []
    for number in NUMBERS:
        status, said = run(name, option, number)
        tried += 1
        if status == 0:
            taken.append(number)
        elif status != 1 or not RANGE.search(said):
            wrong.append(f"{name} {option}={number}: status {status}: {said[:300]}")
    if -1 in taken or len(taken) == len(NUMBERS):
        wrong.append(f"{name} {option}: takes {taken}")
    print(f"{name} {option}: takes {taken}")
print(f"{tried} tried, {len(wrong)} wrong")
for text in wrong:
    print("WRONG", text)
