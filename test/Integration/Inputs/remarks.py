#!/usr/bin/env python3
"""Checks that passes emit remarks by the functions that attn-tblgen makes of records, that some
pass calls each of these, and that some test expects each remark.

usage: remarks.py SOURCE BUILD"""

import re
import sys
from collections import Counter
from pathlib import Path

BY_HAND = re.compile(r"\bRemarkOpts\b|\bremark::(?:passed|missed|failed|analysis)\(")


def read_all(folder, *suffixes):
    return {p: p.read_text() for p in sorted(folder.rglob("*")) if p.suffix in suffixes}


def rows(page):
    """Category, identifier, kind and text of each remark in the reference."""
    category = None
    for line in page.read_text().splitlines():
        if line.startswith("## "):
            category = line[3:].strip("`")
        elif match := re.match(r"\| `([^`]+)` \| (\w+) \| (.*?) \| ", line):
            yield (category, *match.groups())


def not_expected(remarks, tests):
    """Remarks that no test expects: by identifier, and by text where one has several."""
    texts = Counter(remark[:3] for remark in remarks)
    for category, name, kind, text in remarks:
        if not re.search(rf"\[{kind.capitalize()}\] {name}\b", tests):
            yield f"no test expects {name} ({kind}) of {category}"
        elif texts[category, name, kind] > 1 and "{" not in text and text not in tests:
            yield f"no test expects '{text}' of {category}"


def main():
    source, build = map(Path, sys.argv[1:])
    code = read_all(source / "lib", ".cpp", ".h")
    wrong = [f"{file.relative_to(source)}: expected an emitter of attn::remarks, but got {match[0]}"
             for file, text in code.items() for match in BY_HAND.finditer(text)]
    called = set(re.findall(r"\bremarks::(emit\w+)\(", "\n".join(code.values())))
    made = [name for text in read_all(build / "include", ".inc").values()
            for name in re.findall(r"^\S+ (emit\w+)\(::mlir::Operation \*op.*\);$", text, re.MULTILINE)]
    wrong += [f"nobody calls {name}" for name in made if name not in called]
    remarks = list(rows(build / "docs/reference/remarks.md"))
    tests = "\n".join(read_all(source / "test", ".mlir", ".test").values())
    wrong += not_expected(remarks, tests)
    print("\n".join(wrong + [f"{len(made)} emitters, {len(remarks)} remarks, {len(wrong)} wrong"]))
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
