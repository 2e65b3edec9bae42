"""Attention to the blocks that lists name, as a BlockMask does."""

import math
import random
from typing import NamedTuple

from buffers import Buffer, Numbers


class Blocks(NamedTuple):
    """Some rows of blocks list nothing; behind the numbers of each stand some of no block, of which partial lists count one."""

    block: tuple  # queries, keys
    heads: tuple  # query heads, KV heads
    sizes: tuple  # batch, queries, keys
    dim: int = 64
    lists: tuple = (1, 1)  # lists of a batch for each head, or one for all: 0
    full: bool = True
    causal: bool = True
    schedule: str = ""
    lower: str = ""
    element = "bf16"
    lse = True

    def name(self):
        kinds = f"{'full ' if self.full else ''}{'causal ' if self.causal else ''}lists {self.lists}"
        return f"blocks {self.block} h{self.heads} {self.sizes} d{self.dim} {kinds} {self.schedule} {self.lower}"

    def outer(self):
        batch, heads = self.sizes[0], self.heads[0]
        return (batch if self.lists[0] else 1, heads if self.lists[1] else 1)

    def text(self):
        q, k = (f"tensor<?x{h}x?x{self.dim}xbf16>" for h in self.heads)
        lse = f"tensor<?x{self.heads[0]}x?xf32>"
        outer = f"{'?' if self.lists[0] else 1}x{self.outer()[1]}"
        types = [f"tensor<{outer}x?xi32>", f"tensor<{outer}x?x?xi32>"] * (2 if self.full else 1)
        names = [f"%l{i}" for i in range(len(types))]
        arguments = ", ".join(f"{name}: {type}" for name, type in zip(names, types))
        mask = " mask(#attn.causal<top_left>)" if self.causal else ""
        return (
            f"func.func @f(%q: {q}, %k: {k}, %v: {k}, {arguments}) -> ({q}, {lse}) {{\n"
            f"  %o, %lse = attn.attention %q, %k, %v{mask} scale(0.125)"
            f" blocks<{self.block[0]}, {self.block[1]}>({', '.join(names)} : {', '.join(types)})\n"
            f"    : ({q}, {k}, {k}) -> ({q}, {lse})\n"
            f"  return %o, %lse : {q}, {lse}\n}}\n")

    def drawn(self):
        """For each list the numbers of its rows: partial blocks, then full ones."""
        generator = random.Random(self.name())
        (batch, heads), (_, queries, keys) = self.outer(), self.sizes
        rows, columns = -(-queries // self.block[0]), -(-keys // self.block[1])
        found = []
        for number in range(batch * heads * rows):
            some = [c for c in range(columns) if number % 4 != 1 and generator.random() < 0.6]
            partial = [c for c in some if not self.full or generator.random() < 0.5]
            full = [c for c in some if c not in partial]
            generator.shuffle(partial)
            found.append((partial, full))
        return found, rows, columns

    def views(self):
        batch, queries, keys = self.sizes
        hq, hkv = self.heads
        found, rows, columns = self.drawn()
        outer = self.outer()
        inputs = [
            Buffer((batch, hq, queries, self.dim), range(4), "bf16", 8),
            Buffer((batch, hkv, keys, self.dim), range(4), "bf16", 2),
            Buffer((batch, hkv, keys, self.dim), range(4), "bf16", 6),
        ]
        for kind in range(2 if self.full else 1):
            counts = [len(lists[kind]) for lists in found]
            numbers = []
            for lists in found:
                none = [(-1, 1 << 20, -(1 << 31), columns)[i % 4] for i in range(columns)]
                numbers += [*lists[kind], *none][:columns]
            if kind == 0:
                # A number of no block has no key; one more than a row has room for is none.
                counts = [count + i % 2 for i, count in enumerate(counts)]
            inputs += [Numbers((*outer, rows), counts), Numbers((*outer, rows, columns), numbers)]
        return inputs, [
            Buffer((batch, hq, queries, self.dim), range(4), "bf16", 0), Buffer((batch, hq, queries), range(3), "f32", 0)]

    def keys_of(self, b, h, i):
        """The keys that a query attends to."""
        found, rows, _ = self.drawn()
        (batch, heads), keys = self.outer(), self.sizes[2]
        place = ((b if batch > 1 else 0) * heads + (h if heads > 1 else 0)) * rows + i // self.block[0]
        size = self.block[1]
        result = []
        for kind, numbers in enumerate(found[place]):
            for number in numbers:
                ends = (number + 1) * size > keys
                result += [j for j in range(number * size, min((number + 1) * size, keys))
                           if (kind and not ends) or not self.causal or j <= i]
        return result

    def wanted(self, q, k, v, *_lists):
        batch, queries, _ = self.sizes
        group = self.heads[0] // self.heads[1]
        rows, sums = [], []
        for b in range(batch):
            for h in range(self.heads[0]):
                for i in range(queries):
                    x = q.row(b, h, i)
                    places = self.keys_of(b, h, i)
                    scores = [0.125 * sum(map(float.__mul__, x, k.row(b, h // group, j))) for j in places]
                    if not scores:
                        rows.append([0.0] * self.dim)
                        sums.append(-math.inf)
                        continue
                    top = max(scores)
                    weights = [math.exp(s - top) for s in scores]
                    total = sum(weights)
                    columns = zip(*(v.row(b, h // group, j) for j in places))
                    rows.append([sum(map(float.__mul__, weights, c)) / total for c in columns])
                    sums.append(top + math.log(total))
        return rows, sums


def cases():
    return [
        Blocks((64, 64), (2, 2), (1, 130, 200)),
        Blocks((64, 64), (4, 2), (2, 70, 128), lists=(0, 1), schedule="tiles=query=32,key=32"),
        Blocks((32, 48), (2, 1), (1, 100, 150), lists=(0, 0), full=False, lower="stages=3"),
        Blocks((128, 64), (2, 1), (1, 131, 190), causal=False, schedule="persistent sms=3 resident=1"),
        Blocks((64, 128), (1, 1), (1, 1, 300), schedule="tiles=query=16,key=64 splits=2"),
        Blocks((64, 64), (2, 2), (1, 65, 0), 128, lower="optimistic-max"),
    ]
