"""Numbers of FP8 and their scales on what devices.py says: groups of heads, lengths that are no multiple of a tile, zeros, rotations.
Expected ones are written out here, in float64."""

import math
import os
import random
from typing import NamedTuple

import float8
from append import OWN_FLOAT8, Array, decode, encode, load
from devices import ON_CPU
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

    def text(self, number):
        rows = f"{self.heads}x?" if self.layout == "bhsd" else f"?x{self.heads}"
        x, q = (f"tensor<?x{rows}x{self.dim}x{type}>" for type in (self.element, number))
        s, m = f"tensor<?x{self.groups}xf32>", f"tensor<{self.dim}x{self.dim}x{self.element}>"
        arguments, types, words = f"%x: {x}", x, ""
        if self.is_rotated:
            arguments, types, words = f"{arguments}, %m: {m}", f"{types}, {m}", f" rotate(%m) factor({self.factor:.9e})"
        words += " layout(bshd)" if self.layout == "bshd" else ""
        return (f"func.func @f({arguments}) -> ({q}, {s}) {{\n  %q, %s = attn.quantize %x{words} : ({types}) -> ({q}, {s})\n"
                f"  return %q, %s : {q}, {s}\n}}\n")

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


def draw_values(case, draw):
    values = []
    for _, head in case.rows():
        # The last head has zeros alone, the first an outlier now and then.
        size = 0 if head == case.heads - 1 else 1
        values += [size * draw.gauss(0, 1) * (20 if draw.random() < 0.002 and head == 0 else 1) for _ in range(case.dim)]
    return list(decode(encode(values, case.element), case.element))


def launch(case, number, kernel):
    """What the rows stand for, numbers and scales."""
    draw = random.Random(repr(case))
    values = draw_values(case, draw)
    columns = [[draw.choice((-1.0, 1.0)) for _ in range(case.dim)] for _ in range(case.dim)]
    x = Array(case.sizes(), values, case.element)
    inputs = [x]
    if case.is_rotated:
        inputs.append(Array((case.dim, case.dim), [columns[j][i] for i in range(case.dim) for j in range(case.dim)], case.element))
        values = rotated(case, values, columns)
    q = Array(case.sizes(), [0.0] * len(values), number)
    s = Array((case.batch, case.groups), [-1.0] * (case.batch * case.groups), "f32")
    kernel(*(array.dlpack for array in inputs), out=(q.dlpack, s.dlpack))
    got = []
    for array in (q, s):
        data, edge = array.read(), Array.GUARD * array.bytes
        assert data[:edge] == array.data[:edge] and data[-edge:] == array.data[-edge:], "wrote outside of a result"
        got.append(list(decode(data[edge:-edge], array.element)))
    return (values, *got)


def check(case, number, values, numbers, scales):
    positive = float8.POSITIVE[number]
    largest = [0.0] * len(scales)
    groups = [batch * case.groups + head * case.groups // case.heads for batch, head in case.rows()]
    for row, group in enumerate(groups):
        largest[group] = max(largest[group], *(abs(y) for y in values[row * case.dim:(row + 1) * case.dim]))
    for scale, most in zip(scales, largest):
        wanted = most / positive[-1] if most else 1.0
        assert abs(scale - wanted) <= 1e-5 * wanted, (case, scale, wanted)
    for i, (x, y) in enumerate(zip(numbers, values)):
        y /= scales[groups[i // case.dim]]
        nearest = float8.decode(float8.encode([y], number), number)[0]
        # A sum, and a product with a reciprocal, in f32 may round to the other neighbour.
        near = abs(x - y) <= abs(nearest - y) * (1 + 1e-3) + 1e-4 * abs(y)
        assert near, (case, number, i, x, y, nearest)


def run(scratch, *cases):
    number = OWN_FLOAT8[0]
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


if __name__ == "__main__":
    main()
