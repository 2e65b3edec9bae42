#!/usr/bin/env python3
"""What traversals of streams read from DRAM, by the cache simulator; no GPU.

    traversals.py                    the table, to standard output
    traversals.py --only gb10        of shapes with this in their names
    traversals.py --markdown FILE    the page docs/notebooks/traversals.md

Every kernel is persistent with one CTA on an SM; the traversals are those of
attn-sawtooth and attn-traverse, at the default drift of the simulator.
"""

import argparse
from pathlib import Path
from typing import NamedTuple

import simulation
from common import markdown

KIB = 1024
MIB = KIB * KIB
QUERY_TILE, KEY_TILE = 128, 64


class Shape(NamedTuple):
    target: str
    heads: int
    kv_heads: int
    dim: int
    length: int
    causal: bool = False
    pair_tiles: bool = False

    @property
    def name(self):
        heads = str(self.heads) if self.heads == self.kv_heads else f"{self.heads}/{self.kv_heads}"
        mask = "causal" if self.causal else "full"
        mask += ", pair-tiles" if self.pair_tiles else ""
        return f"{self.target}, H {heads}, D {self.dim}, S {self.length // KIB}K, {mask}"

    @property
    def pair_bytes(self):
        """Of a tile of keys and one of values."""
        return 2 * KEY_TILE * self.dim * 2

    @property
    def set_mib(self):
        return 2 * self.length * self.dim * 2 / MIB


SHAPES = [
    Shape("gb10", 1, 1, 64, 128 * KIB),
    Shape("gb10", 1, 1, 128, 64 * KIB),
    Shape("gb10", 4, 4, 128, 64 * KIB),
    Shape("gb10", 4, 4, 128, 64 * KIB, True),
    Shape("gb10", 4, 4, 128, 64 * KIB, True, True),
    Shape("gb10", 8, 2, 128, 96 * KIB, True),
    Shape("h200", 1, 1, 128, 128 * KIB),
    Shape("h200", 4, 4, 128, 128 * KIB),
    Shape("h200", 4, 4, 128, 128 * KIB, True),
    Shape("h200", 4, 4, 128, 128 * KIB, True, True),
    Shape("h200", 8, 2, 128, 96 * KIB, True),
    Shape("mi300x", 8, 8, 128, 16 * KIB),
    Shape("mi300x", 8, 8, 128, 16 * KIB, True),
    Shape("mi300x", 32, 8, 128, 16 * KIB, True),
    Shape("mi300x", 32, 8, 128, 16 * KIB, True, True),
    Shape("mi300x", 16, 16, 64, 48 * KIB),
]
# Bytes of L2 that one domain keeps of a stream; h200: each of two partitions has
# a copy of what its SMs read.
CAPACITY = {"gb10": 24 * MIB, "h200": 25 * MIB, "mi300x": 4 * MIB}
# The share of it that a shift goes back over.
SHARE = 0.75


def traversals(shape):
    back = int(SHARE * CAPACITY[shape.target] / shape.pair_bytes)
    return {
        "forward": "",
        "sawtooth": "sawtooth=force",
        "inside-out": "traversal=inside-out",
        "inside-out, alternating": "traversal=inside-out sawtooth=force",
        "rotated by CTA": "traversal=rotated stride=1",
        "rotated by visit": f"traversal=rotated stride=0 shift={back}",
    }


def measure(shape, schedule, compiler):
    order = "grid-order=swizzled-head-first " if shape.target == "mi300x" else ""
    order += "pair-tiles " if shape.pair_tiles else ""
    run = simulation.attention(
        shape.target,
        f"tiles=query={QUERY_TILE},key={KEY_TILE} persistent resident=1 {order}{schedule}",
        heads=shape.heads, kv_heads=shape.kv_heads, dim=shape.dim, causal=shape.causal,
        queries=shape.length, compiler=compiler, resident=1, jobs=1,
        max_work=100_000_000_000)
    return run.total["dram_read_bytes"], 100 * run.total["hit_rate"]


def table(only, compiler, show):
    names = list(traversals(SHAPES[0]))
    reads, rates = [], []
    for shape in SHAPES:
        if only and only not in shape.name:
            continue
        results = [measure(shape, s, compiler) for s in traversals(shape).values()]
        first = [shape.name, f"{shape.set_mib:.0f}"]
        reads.append(first + [f"{r[0] / 1e6:,.0f}" for r in results])
        rates.append(first + [f"{r[1]:.2f}" for r in results])
        show(" | ".join(reads[-1]) + " || " + " | ".join(rates[-1][2:]))
    header = ["shape", "K and V of a head, MiB"] + names
    return markdown(header, reads), markdown(header, rates)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", help="what the names of shapes contain")
    parser.add_argument("--attn-compile")
    parser.add_argument("--markdown", type=Path)
    args = parser.parse_args()
    reads, rates = table(args.only, args.attn_compile, lambda line: print(line, flush=True))
    page = f"Read from DRAM, MB:\n\n{reads}\n\nHit rates of L2, %:\n\n{rates}\n"
    if args.markdown:
        text = args.markdown.read_text()
        begin, end = text.index("<!-- tables -->"), text.index("<!-- end -->")
        args.markdown.write_text(f"{text[:begin]}<!-- tables -->\n\n{page}\n{text[end:]}")
    else:
        print(page)


if __name__ == "__main__":
    main()
