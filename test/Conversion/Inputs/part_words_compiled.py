#!/usr/bin/env python3
"""Whether the arithmetic on words that a compiled kernel has is that of the protocol in part_words.py.

    part_words_compiled.py PARTS < IR

The IR is what convert-attn-to-cpu makes of a kernel with one part that begins and ends. Its operations are
evaluated one after the other, for values that a CTA knows and finds."""

import itertools
import random
import re
import sys

import part_words as protocol

WORD = (1 << 64) - 1


def signed(value):
    return value - (1 << 64) if value >> 63 else value


OPERATIONS = {
    "index_cast": lambda x: x,
    "shli": lambda x, y: x << y,
    "shrui": lambda x, y: x >> y,
    "andi": lambda x, y: x & y,
    "ori": lambda x, y: x | y,
    "xori": lambda x, y: x ^ y,
    "muli": lambda x, y: x * y,
    "select": lambda c, x, y: x if c else y,
    "cmpi ne": lambda x, y: x != y,
    "cmpi eq": lambda x, y: x == y,
    "cmpi slt": lambda x, y: signed(x) < signed(y),
}


class Kernel:
    """The lines from where a part is known, to where its CTA asks whether to go on."""

    def __init__(self, text):
        lines = text.splitlines()
        first = next(i for i, line in enumerate(lines) if "arith.divui" in line)
        last = next(i for i, line in enumerate(lines) if "scf.condition" in line)
        self.part = re.search(r"(%\S+) = arith.remui", text)[1]
        self.lines = lines[first + 1:last + 1]

    def run(self, part, found, before=None):
        """What the CTA knows when it has begun, what it changes when it ends, whether it goes on, and what it knows
        then. `found` is what the word holds at each change; `before` what it knew, if not what it began with."""
        values, found, yields = {self.part: part}, list(found), []

        def of(name):
            return int(values[name]) & WORD

        for line in self.lines:
            operation = re.match(r"\s*(%\S+) = arith\.(cmpi \w+|\w+),? (.*) : ", line)
            if operation and operation[2] != "constant":
                names = operation[3].split(", ")
                values[operation[1]] = OPERATIONS[operation[2]](*map(of, names))
            elif found_constant := re.match(r"\s*(%\S+) = arith\.constant (-?\w+)", line):
                values[found_constant[1]] = 1 if found_constant[2] == "true" else int(found_constant[2])
            elif change := re.match(r"\s*(%\S+) = memref.atomic_rmw (\w+) (%\S+), ", line):
                values[change[1]], changed = found.pop(0), of(change[3])
            elif loop := re.match(r"\s*%\S+ = scf.while \((%\S+) = (%\S+)\)", line):
                begun = of(loop[2])
                values[loop[1]] = begun if before is None else before
            elif branch := re.match(r"\s*(%\S+) = scf.if (%\S+) ", line):
                result, condition = branch[1], branch[2]
            elif done := re.match(r"\s*scf.yield (%\S+) ", line):
                yields.append(of(done[1]))
                if len(yields) == 2:
                    values[result] = yields[0 if of(condition) else 1]
            elif end := re.match(r"\s*scf.condition\((%\S+)\) (%\S+) ", line):
                return begun, changed, bool(of(end[1])), of(end[2])
            elif line.strip() not in ("} else {", "}"):
                sys.exit(f"expected an operation that is known, but got {line}")


def words(parts):
    """Values of a word, of two parts all and else many: with what no part has."""
    high = (0, protocol.AGAIN, protocol.SETTLED)
    if parts == 2:
        return [fields | bit for fields in range(4 ** parts) for bit in high]
    draw = random.Random(parts)
    return [draw.getrandbits(2 * parts) & draw.getrandbits(2 * parts) | bit for bit in high for _ in range(4)]


def main():
    parts = int(sys.argv[1])
    kernel = Kernel(sys.stdin.read())
    every, compared, wrong = sum(1 << 2 * part for part in range(parts)), 0, 0
    for part in range(parts):
        low = 1 << 2 * part
        others = every ^ low
        for before, held in itertools.product(words(parts), repeat=2):
            begun, changed, again, seen = kernel.run(part, (before, held), before)
            wanted = 0 if before & protocol.SETTLED else protocol.seen_from(before, held, low, others)
            right = (
                begun == protocol.begun_from(before, low) and changed == protocol.changes(before, low)
                and seen == wanted and again == bool(wanted & protocol.AGAIN))
            compared, wrong = compared + 1, wrong + (not right)
    print(f"{parts} parts: {compared} changes, {wrong} other than the protocol's")


main()
