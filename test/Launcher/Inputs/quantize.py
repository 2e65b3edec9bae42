"""Numbers of FP8 and their scales on what devices.py says: groups of heads, lengths that are no multiple of a tile, zeros, rotations, means.
Expected ones are written out here, in float64."""

import math
import os
import random
from typing import NamedTuple

import float8
from append import OWN_FLOAT8, Array, decode, encode, load
from devices import ON_CPU, TARGET
from support import main


class Case(NamedTuple):
    batch: int
    heads: int
    length: int
    dim: int
    groups: int
    is_rotated: bool = False
    layout: str = "bhsd"
    element: str = "bf16"
    centered: bool = False
    blocks: int = 1  # Of the rotation, between which is Sylvester's matrix.

    def text(self, number):
        rows = f"{self.heads}x?" if self.layout == "bhsd" else f"?x{self.heads}"
        x, q = (f"tensor<?x{rows}x{self.dim}x{type}>" for type in (self.element, number))
        s, m = f"tensor<?x{self.groups}xf32>", f"tensor<{self.shape}x{self.element}>"
        arguments, types, words = f"%x: {x}", x, " centered" if self.centered else ""
        names, results = "%q, %s", f"{q}, {s}"
        if self.centered:
            names, results = f"{names}, %means", f"{results}, tensor<?x{self.heads}x{self.dim}xf32>"
        if self.is_rotated:
            arguments, types, words = f"{arguments}, %m: {m}", f"{types}, {m}", f"{words} rotate(%m) factor({self.factor:.9e})"
        words += " layout(bshd)" if self.layout == "bshd" else ""
        return (f"func.func @f({arguments}) -> ({results}) {{\n  {names} = attn.quantize %x{words} : ({types}) -> ({results})\n"
                f"  return {names} : {results}\n}}\n")

    @property
    def shape(self):
        """Of the rotation."""
        columns = self.dim // self.blocks
        return f"{columns}x{columns}" if self.blocks == 1 else f"{self.blocks}x{columns}x{columns}"

    @property
    def factor(self):
        return self.dim**-0.5

    def sizes(self):
        middle = (self.heads, self.length) if self.layout == "bhsd" else (self.length, self.heads)
        return (self.batch, *middle, self.dim)

    def rows(self):
        """Batch and head of each row, in memory."""
        for batch in range(self.batch):
            for a in range(self.heads if self.layout == "bhsd" else self.length):
                for b in range(self.length if self.layout == "bhsd" else self.heads):
                    yield batch, (a if self.layout == "bhsd" else b)


def rotated(case, values, matrix):
    """Rows times the matrix, whose columns are lists."""
    result = []
    for at in range(0, len(values), case.dim):
        row = values[at:at + case.dim]
        result += [case.factor * math.fsum(x * y for x, y in zip(row, column)) for column in matrix]
    return result


def whole_columns(case, entries):
    """Columns of the matrix that rows of blocks are: Sylvester's has the signs between blocks."""
    size = len(entries[0])
    return [[row[j % size] * (-1) ** (i // size & j // size).bit_count() for i, row in enumerate(entries)] for j in range(case.dim)]


def draw_values(case, draw):
    values = []
    means = [20 * draw.gauss(0, 1) if case.centered else 0 for _ in range(case.dim)]
    for _, head in case.rows():
        # The last head has zeros alone, the first an outlier now and then.
        size = 0 if head == case.heads - 1 else 1
        values += [size * (mean + draw.gauss(0, 1) * (20 if draw.random() < 0.002 and head == 0 else 1)) for mean in means]
    return list(decode(encode(values, case.element), case.element))


def center(case, values):
    """Rows less the mean of their head, and these means."""
    sums = [[0.0] * case.dim for _ in range(case.batch * case.heads)]
    heads = [batch * case.heads + head for batch, head in case.rows()]
    for row, head in enumerate(heads):
        sums[head] = [x + y for x, y in zip(sums[head], values[row * case.dim:(row + 1) * case.dim])]
    means = [[x / case.length for x in one] for one in sums]
    return [x - means[heads[i // case.dim]][i % case.dim] for i, x in enumerate(values)], [x for one in means for x in one]


def check_means(case, got, wanted, off):
    for x, y in zip(got, wanted):
        assert abs(x - y) <= off, (case, x, y)


def launch(case, number, kernel):
    """What centering may be off by, what the rows stand for, numbers and scales."""
    draw = random.Random(repr(case))
    values = draw_values(case, draw)
    entries = [[draw.choice((-1.0, 1.0)) for _ in range(case.dim // case.blocks)] for _ in range(case.dim)]
    x = Array(case.sizes(), values, case.element)
    inputs = [x]
    results = []
    off = 0.0
    if case.centered:
        whole = values
        off = 1e-6 * max(map(abs, whole))
        values, means = center(case, values)
        results.append(Array((case.batch, case.heads, case.dim), [-1.0] * len(means), "f32"))
    if case.is_rotated:
        inputs.append(Array(tuple(map(int, case.shape.split("x"))), [x for row in entries for x in row], case.element))
        values = rotated(case, values, whole_columns(case, entries))
    q = Array(case.sizes(), [0.0] * len(values), number)
    s = Array((case.batch, case.groups), [-1.0] * (case.batch * case.groups), "f32")
    results = [q, s, *results]
    kernel(*(array.dlpack for array in inputs), out=tuple(array.dlpack for array in results))
    got = []
    for array in results:
        data, edge = array.read(), Array.GUARD * array.bytes
        assert data[:edge] == array.data[:edge] and data[-edge:] == array.data[-edge:], "wrote outside of a result"
        got.append(list(decode(data[edge:-edge], array.element)))
    if case.centered:
        check_means(case, got.pop(), means, off)
    return (off, values, *got)


def check(case, number, off, values, numbers, scales):
    """`off`: what subtracting means in f32 may be off by."""
    positive = float8.POSITIVE[number]
    largest = [0.0] * len(scales)
    groups = [batch * case.groups + head * case.groups // case.heads for batch, head in case.rows()]
    for row, group in enumerate(groups):
        largest[group] = max(largest[group], *(abs(y) for y in values[row * case.dim:(row + 1) * case.dim]))
    for scale, most in zip(scales, largest):
        wanted = most / positive[-1] if most else 1.0
        assert abs(scale - wanted) <= 1e-5 * wanted + off / positive[-1], (case, scale, wanted)
    for i, (x, y) in enumerate(zip(numbers, values)):
        y /= scales[groups[i // case.dim]]
        nearest = float8.decode(float8.encode([y], number), number)[0]
        # A sum, and a product with a reciprocal, in f32 may round to the other neighbour.
        near = abs(x - y) <= abs(nearest - y) * (1 + 1e-3) + 1e-4 * abs(y) + 2 * off / scales[groups[i // case.dim]]
        assert near, (case, number, i, x, y, nearest)


def run(scratch, *cases):
    number = OWN_FLOAT8[0]
    if TARGET == "mi355x":
        # The emulator has no v_pk_maximum3_f16.
        cases = [case for case in cases if case.element != "f16"]
    for i, case in enumerate(cases[:1] if ON_CPU else cases):
        kernel = load(os.path.join(scratch, str(i)), case.text(number))
        if kernel is None:
            continue
        check(case, number, *launch(case, number, kernel))
        kernel.close()


def test_plain(scratch, log):
    run(scratch, Case(2, 4, 37, 64, 2), Case(1, 3, 130, 96, 3, layout="bshd", element="f16"), Case(1, 2, 1, 128, 1))


def test_rotated(scratch, log):
    run(scratch, Case(1, 4, 37, 32, 2, True), Case(2, 2, 131, 64, 2, True, "bshd"))


def test_rotated_by_blocks(scratch, log):
    run(scratch, Case(1, 2, 37, 128, 1, True, blocks=4), Case(2, 2, 131, 96, 2, True, "bshd", blocks=2),
        Case(1, 2, 131, 64, 2, True, centered=True, blocks=2))


def test_centered(scratch, log):
    run(scratch, Case(2, 2, 530, 64, 1, centered=True), Case(1, 3, 37, 96, 3, layout="bshd", element="f16", centered=True),
        Case(1, 2, 1, 128, 1, centered=True), Case(1, 2, 131, 64, 2, True, centered=True))


if __name__ == "__main__":
    main()
