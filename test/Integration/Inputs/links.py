#!/usr/bin/env python3
"""Checks that the links of all pages lead to files, and to headings, that are there.

    links.py DIRECTORY      README.md and every other .md below it, but for builds
"""

import re
import sys
from pathlib import Path


def text_of(page):
    """Without fenced blocks, whose lines are neither headings nor links."""
    return re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)


def anchors(page):
    """The names by which headings are linked to: as GitHub makes them."""
    found = set()
    for heading in re.findall(r"^#+ (.*)$", text_of(page), re.MULTILINE):
        shown = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading.strip()).lower()
        name = re.sub(r"[^\w\- ]", "", shown).replace(" ", "-")
        again = sum(other == name or re.fullmatch(re.escape(name) + r"-\d+", other) is not None
                    for other in found)
        found.add(f"{name}-{again}" if again else name)
    return found


def main():
    root = Path(sys.argv[1])
    folders = ("benchmarks", "docs", "examples", "python", "test", "utils")
    pages = [root / "README.md"] + sorted(p for f in folders for p in (root / f).rglob("*.md"))
    count, broken = 0, []
    for page in pages:
        for link in re.findall(r"\]\(([^)\s]+)\)", text_of(page)):
            if re.match(r"[a-z]+:", link):
                continue
            count += 1
            path, _, anchor = link.partition("#")
            target = page.parent / path if path else page
            if not target.exists():
                broken.append(f"{page.relative_to(root)}: no file: {link}")
            elif anchor and target.suffix == ".md" and anchor not in anchors(target):
                broken.append(f"{page.relative_to(root)}: no heading: {link}")
    for line in broken:
        print(line)
    print(f"{len(pages)} pages, {count} links, {len(broken)} broken")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
