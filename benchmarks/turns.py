#!/usr/bin/env python3
"""How long CTAs that add one after the other take, by the order they start in.

    turns.py [--length 16384] [--sms 132] [--heads 8,16,32,64] [--lag 1]

A model of the form `ordered` of gradients (docs/backward.md), in tiles: a block of keys
visits the queries that its mask lets see it, one tile after the other, and is done with
one when all blocks of its head that start earlier have passed it, `lag` tiles before.
Each SM takes the next block when it is done with one. `ideal` is all work over all SMs.
What L2 holds is not in it.
"""

import argparse
import heapq
import math
from itertools import product

import numpy

# Of the axes head and key: the slower one first, and whether keys go backwards.
ORDERS = {
    "key in head, forwards": ("head", False),
    "key in head, backwards": ("head", True),
    "head in key, forwards": ("key", False),
    "head in key, backwards": ("key", True),
}


def starting_order(slow, backwards, heads, blocks):
    """Pairs of a head and a block of keys."""
    keys = range(blocks - 1, -1, -1) if backwards else range(blocks)
    if slow == "head":
        return product(range(heads), keys)
    return ((head, key) for key in keys for head in range(heads))


def first_tile(mask, key, arguments):
    """The first tile of queries that sees a block of keys."""
    return key * arguments.keys // arguments.queries if mask != "full" else 0


def past_tile(mask, key, tiles, arguments):
    """One past the last."""
    if not mask.startswith("window"):
        return tiles
    last = (key + 1) * arguments.keys - 1 + int(mask.removeprefix("window"))
    return min(tiles, last // arguments.queries + 1)


def makespan(mask, heads, order, arguments):
    """Tiles until all are done, and tiles in all."""
    blocks = math.ceil(arguments.length / arguments.keys)
    tiles = math.ceil(arguments.length / arguments.queries)
    # When all that started earlier have passed a tile, of each head.
    passed = numpy.full((heads, tiles), -numpy.inf)
    free = [0.0] * (arguments.sms * arguments.resident)
    place = numpy.arange(tiles, dtype=float)
    end, work = 0.0, 0
    for head, key in starting_order(*order, heads, blocks):
        start = heapq.heappop(free)
        low, high = first_tile(mask, key, arguments), past_tile(mask, key, tiles, arguments)
        count = high - low
        # Done at the latest of a tile after the one before, and the lag after others.
        steps = place[:count]
        earliest = numpy.maximum(start + arguments.start + 1, passed[head, low:high] + arguments.lag)
        done = numpy.maximum.accumulate(earliest - steps) + steps
        own = numpy.empty(tiles)
        # Tiles in front of the first are passed when it comes to that one.
        own[:low] = start + arguments.start + 1 - arguments.lag
        own[low:high] = done
        own[high:] = done[-1] if count else start
        passed[head] = numpy.maximum(passed[head], own)
        finish = done[-1] if count else start
        heapq.heappush(free, finish)
        end, work = max(end, finish), work + count + arguments.start
    return end, work


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    numbers = lambda text: list(map(int, text.split(",")))
    parser.add_argument("--length", type=int, default=16384)
    parser.add_argument("--keys", type=int, default=128, help="of a block (default: 128)")
    parser.add_argument("--queries", type=int, default=64, help="of a tile (default: 64)")
    parser.add_argument("--sms", type=int, default=132)
    parser.add_argument("--resident", type=int, default=1, help="CTAs an SM (default: 1)")
    parser.add_argument("--heads", type=numbers, default=[4, 8, 16, 32, 64], help="times batch")
    parser.add_argument("--lag", type=float, default=1.0,
                        help="tiles from an addition to the next CTA's (default: 1)")
    parser.add_argument("--start", type=float, default=2.0,
                        help="tiles that a CTA takes to start and end (default: 2)")
    parser.add_argument("--masks", type=lambda text: text.split(","), default=["full", "causal", "window1024"])
    arguments = parser.parse_args()
    print("| mask | heads | " + " | ".join(ORDERS) + " |")
    print("|---|---|" + "---|" * len(ORDERS))
    for mask, heads in product(arguments.masks, arguments.heads):
        cells = []
        for order in ORDERS.values():
            end, work = makespan(mask, heads, order, arguments)
            cells.append(f"{end / (work / (arguments.sms * arguments.resident)):.3f}")
        print(f"| {mask} | {heads} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
