"""Problems for kernels that no pass wrote: level 2 or 3 in files of test/Target/Inputs."""

import itertools
import math
from pathlib import Path
from typing import NamedTuple

from buffers import Buffer, Numbers, decode, encode

_FOLDER = Path(__file__).resolve().parents[2] / "Inputs"


def kernel(name):
    return (_FOLDER / f"{name}.mlir").read_text()


class Chain(NamedTuple):
    """(A B) C: tiles of A B come back from LDS."""

    sizes: tuple  # rows, inner
    stages: int = 1
    schedule: str = ""
    lower: str = ""
    element = "bf16"
    lse = False

    def name(self):
        return f"chain {self.sizes} {self.stages} stages {self.lower}"

    def text(self):
        return kernel("chain").replace("LAYOUT", "#attn.shared<128, folded>").replace("STAGES", str(self.stages))

    def views(self):
        rows, inner = self.sizes
        inputs = [
            Buffer((rows, 128), (0, 1), "bf16", 8),
            Buffer((128, inner), (0, 1), "bf16", inner % 2 + 2),
            Buffer((inner, 64), (0, 1), "bf16", 4),
        ]
        return inputs, [Buffer((rows, 64), (0, 1), "f32", 2)]

    def wanted(self, a, b, c):
        def times(x, columns):
            return [[sum(map(float.__mul__, row, column)) for column in columns] for row in x]

        rows, inner = self.sizes
        left = times([a.row(i) for i in range(rows)], list(zip(*(b.row(i) for i in range(128)))))
        # Tiles are rounded as they go to LDS.
        left = [list(decode(encode(row, "bf16"), "bf16")) for row in left]
        return times(left, list(zip(*(c.row(i) for i in range(inner))))), []


class Listed(NamedTuple):
    """A B, of which a row of tiles of A has those that a list names."""

    lists: tuple  # of each 64 rows, numbers of tiles of 64 columns
    sizes: tuple  # rows, inner
    schedule: str = ""
    lower: str = ""
    element = "bf16"
    lse = False

    def name(self):
        return f"listed {self.lists} {self.sizes} {self.lower}"

    def text(self):
        return kernel("listed")

    def views(self):
        rows, inner = self.sizes
        most = max(map(len, self.lists))
        # Behind the end of a list are numbers of tiles, too.
        padded = [number for numbers in self.lists for number in (*numbers, *[1] * (most - len(numbers)))]
        inputs = [
            Buffer((rows, inner), (0, 1), "bf16", inner % 2 + 2),
            Buffer((inner, 64), (0, 1), "bf16", 4),
            Numbers((len(self.lists), most), padded),
            Numbers((len(self.lists),), list(map(len, self.lists))),
        ]
        return inputs, [Buffer((rows, 64), (0, 1), "f32", 2)]

    def wanted(self, a, b, _tiles, _counts):
        rows, inner = self.sizes

        def row(i):
            places = [j for tile in self.lists[i // 64] for j in range(64 * tile, min(64 * tile + 64, inner))]
            return [sum(a.row(i)[j] * b.row(j)[column] for j in places) for column in range(64)]

        return [row(i) for i in range(rows)], []


class Merge(NamedTuple):
    """Partial states of online softmax, merged."""

    sizes: tuple  # splits, batch, queries
    rows: int = 16  # of a tile
    schedule: str = ""
    lower: str = ""
    element = "bf16"
    lse = True
    heads, dim, scale = 3, 128, 0.125
    # Factor and reference of rows that have seen a key, and that have seen none.
    factor, nothing = 0.125 / math.log(2), (0.25, -(2.0**126))

    def name(self):
        return f"merge {self.sizes} {self.rows} rows {self.schedule} {self.lower}"

    def text(self):
        text = kernel("merge-states").replace("tensor<16x", f"tensor<{self.rows}x")
        return text.replace("constant 16 :", f"constant {self.rows} :")

    def views(self):
        splits, batch, queries = self.sizes
        state = lambda *more: Buffer((splits, batch, self.heads, queries, *more), range(4 + len(more)), "f32", 3)
        result = (batch, self.heads, queries)
        return [state(), state(), state(), state(self.dim)], [
            Buffer((*result, self.dim), range(4), "bf16", 0),
            Buffer(result, range(3), "f32", 0),
        ]

    def adjust(self, factor, reference, total, sums):
        """What a split leaves behind; nothing where it has seen no key."""
        for number, index in enumerate(itertools.product(*map(range, factor.sizes))):
            at, empty = factor.base(*index), number % 5 == 0 or index[-1] % 7 == 3
            (factor.values[at],) = decode(encode([self.factor], "f32"), "f32")
            reference.values[at] *= 8
            total.values[at] = 0.0 if empty else 0.5 + abs(total.values[at])
            if empty:
                factor.values[at], reference.values[at] = self.nothing
                sums.scale(0, *index)

    def wanted(self, factor, reference, total, sums):
        splits, *outer = factor.sizes
        rows, results = [], []
        for index in itertools.product(*map(range, outer)):
            states = [(s, *index) for s in range(splits)]
            value = lambda view, state: view.values[view.base(*state)]
            top = max([value(reference, s) for s in states], default=0)
            weights = [2 ** (value(reference, s) - top) for s in states]
            whole = sum(w * value(total, s) for w, s in zip(weights, states))
            columns = zip(*(sums.row(*s) for s in states)) if states else [()] * self.dim
            rows.append([sum(map(float.__mul__, weights, c)) / (whole or 1) for c in columns])
            results.append(top * self.scale / self.factor + math.log(whole) if whole else -math.inf)
        return rows, results
