#!/usr/bin/env python3
"""Checks that folders of lib and include/attn-mlir use only those above them in the table
"Where things are" of docs/README.md, and that the table names each of them.

usage: layers.py ROOT"""

import re
import sys
from pathlib import Path


def layers(page):
    section = page.read_text().split("## Where things are")[1].split("\n## ")[0]
    rows = re.findall(r"^\| ((?:`[^`]+`(?:, )?)+) \|", section, re.MULTILINE)
    return [name for row in rows for name in re.findall(r"`([^`]+)`", row)]


def layer_of(path, names):
    return max((n for n in names if path.startswith(n + "/")), key=len, default=None)


def main():
    root = Path(sys.argv[1])
    names, wrong = layers(root / "docs/README.md"), []
    for base in (root / "lib", root / "include/attn-mlir"):
        for file in sorted(base.rglob("*")):
            if file.suffix not in (".cpp", ".h", ".td"):
                continue
            path = file.relative_to(base).as_posix()
            own = layer_of(path, names)
            # Headers of the precompiled header and option parsers belong to all.
            if own is None and not path.startswith(("PCH", "Support/")):
                wrong.append(f"{file}: its folder is not in the table")
            for used in re.findall(r'^#?include "attn-mlir/([^"]+)"', file.read_text(), re.MULTILINE):
                other = layer_of(used, names)
                if own and other and names.index(other) > names.index(own):
                    wrong.append(f"{file}: {own} uses {other}, which is below it in the table")
    print("\n".join(wrong + [f"{len(names)} folders, {len(wrong)} uses against the order"]))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
