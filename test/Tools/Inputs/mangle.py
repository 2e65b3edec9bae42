#!/usr/bin/env python3
"""Feeds damaged copies of a file to a tool, which has to refuse or take each
one, and never to crash or hang.

usage: mangle.py [--cuts N] [--flips N] [--edits N] [--seed N] FILE TOOL [ARG...]

A cut ends the file early, a flip changes one byte, an edit changes a whole token
(and so gets past the parser more often). TOOL reads the copy from stdin. Prints
one line of counts; exits with 1 after printing the copies that killed the tool.
"""

import argparse
import collections
import concurrent.futures
import os
import random
import re
import subprocess
import sys

TIMEOUT_S = 60
NUMBERS = [b"0", b"1", b"-1", b"3", b"64", b"-64", b"4096", b"9223372036854775807"]


def damaged(text, options):
    """Yields names and damaged copies."""
    chance = random.Random(options.seed)
    for i in range(options.cuts):
        end = len(text) * i // options.cuts
        yield f"cut at byte {end}", text[:end]
    for _ in range(options.flips):
        at = chance.randrange(len(text))
        byte = bytes([chance.randrange(256)])
        yield f"byte {at} is {byte!r}", text[:at] + byte + text[at + 1 :]
    tokens = re.findall(rb"\s+|[%@#!]?[A-Za-z_$%@#!][\w.$]*|-?\d+|.", text, re.DOTALL)
    places = [i for i, token in enumerate(tokens) if not token.isspace()]
    for _ in range(options.edits):
        at = chance.choice(places)
        old, other = tokens[at], tokens[chance.choice(places)]
        new = chance.choice([b"", old + b" " + old, other])
        if re.fullmatch(rb"-?\d+", old):
            new = chance.choice(NUMBERS)
        # A change of all that are alike agrees with itself, and goes further.
        everywhere = chance.random() < 0.5
        copy = [new if i == at or everywhere and token == old else token
                for i, token in enumerate(tokens)]
        line = b"".join(tokens[:at]).count(b"\n") + 1
        yield f"line {line}: {'every' if everywhere else 'one'} {old!r} is {new!r}", b"".join(copy)


def run(command, text):
    """The outcome (ok, refused, crashed, hung, silent) and stderr."""
    try:
        done = subprocess.run(command, input=text, capture_output=True, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return "hung", b""
    status = done.returncode
    # A shell or a wrapper may report a signal as 128 + its number.
    if status < 0 or status > 128 or b"Stack dump" in done.stderr:
        return "crashed", done.stderr
    if status == 0:
        return "ok", done.stderr
    return ("refused" if b"error:" in done.stderr else "silent"), done.stderr


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--cuts", type=int, default=60)
    parser.add_argument("--flips", type=int, default=100)
    parser.add_argument("--edits", type=int, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("file")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    with open(options.file, "rb") as file:
        text = file.read()
    counts = collections.Counter()
    copies = list(damaged(text, options))
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = pool.map(lambda copy: run(options.command, copy[1]), copies)
        for (name, copy), (outcome, stderr) in zip(copies, outcomes):
            counts[outcome] += 1
            if outcome in ("ok", "refused"):
                continue
            print(f"--- {outcome}: {name}", flush=True)
            sys.stdout.buffer.write(copy + b"\n--- stderr\n" + stderr + b"\n")
    print(f"{len(copies)} copies: {counts['ok']} taken, {counts['refused']} refused")
    return 0 if counts["ok"] + counts["refused"] == len(copies) else 1


if __name__ == "__main__":
    sys.exit(main())
