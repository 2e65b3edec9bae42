"""Counts the instructions of the loops of a kernel in assembly, by name.

    loops.py FILE

Loops end in a branch back to a label and hold no other label.
"""

import collections
import re
import sys


def main():
    with open(sys.argv[1]) as file:
        lines = [line.strip() for line in file]
    labels, start = {}, 0
    for number, line in enumerate(lines):
        if re.match(r"\.LBB\w+:", line):
            start = number
            labels[line.split(":")[0]] = number
        branch = re.match(r"s_c?branch\S*\s+(\.LBB\w+)", line)
        if not branch or labels.get(branch[1]) != start:
            continue
        body = [text for text in lines[start + 1 : number + 1] if text and text[0] not in ".;"]
        print(f"loop of {len(body)} instructions")
        names = collections.Counter(text.split()[0] for text in body)
        for name, count in names.most_common():
            print(f"  {count} {name}")


if __name__ == "__main__":
    main()
