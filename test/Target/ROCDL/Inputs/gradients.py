#!/usr/bin/env python3
"""Runs the kernels of the backward pass for gfx942 in the emulator, against their definitions in
float64, pair by pair: no line of these is shared with the compiler.

    gradients.py [--compile attn-test-compile] [--emulate attn-emulate] [--filter TEXT] [--part I/N]
"""

import argparse
import itertools
import math
import random
import sys
import tempfile
from typing import NamedTuple

from emulate import INTERLEAVINGS, Launch, compile_case, evaluate, report
from buffers import Buffer, decode, encode
from problems import BOUNDS, MASKS


class Gradient(NamedTuple):
    part: str  # "rows", "query", "key", or "bias" of that of what is added to scores
    mask: str
    element: str
    heads: tuple  # query heads, KV heads
    dims: tuple  # of Q and K, of V
    sizes: tuple  # batch, queries, keys
    schedule: str = ""
    lower: str = ""
    layout: str = "bhsd"
    sums: str = ""  # What a bias is broadcast over, of "bhqk"; of rows "-": a term is taken away
    scale = 0.125

    def name(self):
        return " ".join(
            [self.part, self.mask, self.element, "h%d/%d" % self.heads, "d%d/%d" % self.dims]
            + ["b%d,q%d,k%d" % self.sizes, self.schedule, self.lower, self.layout, self.sums]
        )

    def shapes(self):
        """Of Q, K, V, dO and what there is one of for each query."""
        (hq, hkv), (dqk, dv), (batch, queries, keys) = self.heads, self.dims, self.sizes
        return (
            (batch, hq, queries, dqk),
            (batch, hkv, keys, dqk),
            (batch, hkv, keys, dv),
            (batch, hq, queries, dv),
            (batch, hq, queries),
        )

    def text(self):
        place = "?x%dx?x%d" if self.layout == "bhsd" else "?x?x%dx%d"
        wide = lambda shape: "tensor<%sx%s>" % (place % (shape[1], shape[3]), self.element)
        q, k, v, o = map(wide, self.shapes()[:4])
        rows = "tensor<?x%dx?xf32>" % self.heads[0]
        layout = "" if self.layout == "bhsd" else "layout(bshd)"
        if self.part == "rows":
            minus, more, type = (" minus(%z)", f", %z: {rows}", f", {rows}") if self.sums else ("", "", "")
            return (
                f"func.func @f(%x: {o}, %y: {o}{more}) -> {rows} {{\n"
                f"  %r = attn.row_dot %x, %y{minus} {layout} : ({o}, {o}{type}) -> {rows}\n  return %r : {rows}\n}}\n"
            )
        if self.part == "bias":
            return self.text_of_bias([q, k, v, o, rows, rows], layout)
        types, result = [q, k, v, o, rows, rows], [q] if self.part == "query" else [k, v]
        names = ["%q", "%k", "%v", "%do", "%lse", "%delta"]
        arguments = ", ".join(map(": ".join, zip(names, types)))
        results = "(%s)" % ", ".join(result)
        values = ", ".join("%%r#%d" % i for i in range(len(result))) if len(result) > 1 else "%r"
        return (
            f"func.func @f({arguments}) -> {results} {{\n"
            f"  %r{':2' if len(result) > 1 else ''} = attn.attention_backward_{self.part} {', '.join(names)} "
            f"{MASKS[self.mask][0]} scale(0.125) {layout} : ({', '.join(types)}) -> {results}\n"
            f"  return {values} : {', '.join(result)}\n}}\n"
        )

    def text_of_bias(self, types, layout):
        sizes = ["1" if name in self.sums else size for name, size in zip("bhqk", ("?", self.heads[0], "?", "?"))]
        bias = "tensor<%sx%s>" % ("x".join(map(str, sizes)), self.element)
        result = "tensor<%sx%s>" % ("x".join(map(str, sizes[:3] if "k" in self.sums else sizes)), self.element)
        names = ["%q", "%k", "%v", "%do", "%lse", "%delta", "%bias"]
        at = ", ".join("%zero" if name in self.sums else "%" + name for name in "bhqk")
        types = types + [bias]
        return (
            f"func.func @f({', '.join(map(': '.join, zip(names, types)))}) -> {result} {{\n"
            f"  %r = attn.attention_backward_capture {', '.join(names[:6])} {MASKS[self.mask][0]} scale(0.125) {layout} "
            f"captures(%bias) of(0) score(%s: f32, %b: index, %h: index, %q: index, %k: index, %t: {bias}) {{\n"
            f"    %zero = arith.constant 0 : index\n"
            f"    %x = attn.gather %t[{at}] : {bias} -> {self.element}\n"
            f"    %wide = arith.extf %x : {self.element} to f32\n    %y = arith.addf %s, %wide : f32\n"
            f"    attn.yield %y : f32\n  }} : ({', '.join(types)}) -> {result}\n  return %r : {result}\n}}\n"
        )

    def views(self):
        order = (0, 1, 2, 3) if self.layout == "bhsd" else (0, 2, 1, 3)
        q, k, v, o, rows = self.shapes()
        wide = lambda shape, gap: Buffer(shape, order, self.element, gap)
        values = lambda gap: Buffer(rows, (0, 1, 2), "f32", gap)
        if self.part == "rows":
            return [wide(o, 2), wide(o, 6)] + ([values(3)] if self.sums else []), [values(0)]
        if self.part == "bias":
            shape = (self.sizes[0], self.heads[0], *self.sizes[1:])
            shape = tuple(1 if name in self.sums else size for name, size in zip("bhqk", shape))
            bias = Buffer(shape, (0, 1, 2, 3), self.element, 2)
            shape = shape[:3] if "k" in self.sums else shape
            inputs = [wide(q, 8), wide(k, 2), wide(v, 6), wide(o, 2), values(3), values(5), bias]
            return inputs, [Buffer(shape, tuple(range(len(shape))), self.element, 0)]
        inputs = [wide(q, 8), wide(k, 2), wide(v, 6), wide(o, 2), values(3), values(5)]
        return inputs, [wide(q, 0)] if self.part == "query" else [wide(k, 0), wide(v, 0)]

    def attends(self, i, j):
        _, left, right, bottom = MASKS[self.mask]
        after = j - i - (self.sizes[2] - self.sizes[1] if bottom else 0)
        return (left is None or after >= -left) and (right is None or after <= right)

    def adjust(self, inputs):
        """An LSE that belongs to the scores: infinite where a query sees no key."""
        q, k, lse = inputs[0], inputs[1], inputs[4]
        group = self.heads[0] // self.heads[1]
        for b, h, i in itertools.product(*map(range, lse.sizes)):
            scores = [
                self.scale * dot(q.row(b, h, i), k.row(b, h // group, j)) + self.added(inputs, b, h, i, j)
                for j in range(self.sizes[2])
                if self.attends(i, j)
            ]
            top = max(scores, default=0)
            total = sum(math.exp(s - top) for s in scores)
            value = top + math.log(total) if scores else -math.inf
            (lse.values[lse.base(b, h, i)],) = decode(encode([value], "f32"), "f32")

    def place(self, *pair):
        """Where a bias has what is added to the score of a pair."""
        return tuple(0 if name in self.sums else index for name, index in zip("bhqk", pair))

    def added(self, inputs, *pair):
        bias = inputs[6] if self.part == "bias" else None
        return bias.values[bias.base(*self.place(*pair))] if bias else 0.0

    def wanted(self, inputs):
        """For each result its rows, and the size of what each is a sum of."""
        if self.part == "rows":
            x, y, *taken = inputs
            rows = {index: (x.row(*index), y.row(*index)) for index in places(x)}
            minus = lambda index: taken[0].values[taken[0].base(*index)] if taken else 0.0
            return [{index: ([dot(*pair) - minus(index)], math.hypot(*map(float.__mul__, *pair))) for index, pair in rows.items()}]
        q, k, v, do, lse, delta, *bias = inputs
        dq, dk, dv = (Sums(view, self.element) for view in (q, k, v))
        changes = {}
        group = self.heads[0] // self.heads[1]
        for b, h, i in itertools.product(*map(range, lse.sizes)):
            at = lambda view: view.values[view.base(b, h, i)]
            query, change = q.row(b, h, i), do.row(b, h, i)
            for j in range(self.sizes[2]):
                if not self.attends(i, j):
                    continue
                key = (b, h // group, j)
                p = math.exp(self.scale * dot(query, k.row(*key)) + self.added(inputs, b, h, i, j) - at(lse))
                dp = dot(change, v.row(*key))
                dx = p * (dp - at(delta))
                size = p * math.hypot(dp, at(delta))
                if bias:
                    place = self.place(b, h, i, j)
                    total, squares = changes.get(place, (0.0, 0.0))
                    changes[place] = total + dx, squares + size * size
                    continue
                dq.add((b, h, i), dx, size, k.row(*key))
                dk.add(key, dx, size, query)
                dv.add(key, p, p, change)
        if bias:
            return [self.rows_of(changes)]
        return [dq.take(self.scale)] if self.part == "query" else [dk.take(self.scale), dv.take(1)]


    def rows_of(self, changes):
        """Rows of the gradient of a bias, from what it is at each place."""
        (view,) = self.views()[1]
        none = (0.0, 0.0)
        at = lambda place: changes.get((*place, 0) if "k" in self.sums else place, none)
        rows = {}
        for index in places(view):
            row = [at((*index, column)) for column in range(view.sizes[-1])]
            rows[index] = [x for x, _ in row], math.sqrt(sum(squares for _, squares in row))
        return rows


def dot(x, y):
    return sum(map(float.__mul__, x, y))


def places(view):
    return itertools.product(*map(range, view.sizes[:-1]))


class Sums:
    """Rows of a gradient, and for each the sum of the squares of its terms."""

    def __init__(self, view, element):
        self.rows = {index: [0.0] * view.sizes[-1] for index in places(view)}
        self.squares = dict.fromkeys(self.rows, 0.0)
        # What is smaller may be rounded to nothing.
        self.smallest = 2.0**-14 if element == "f16" else 0.0

    def add(self, index, factor, size, row):
        size = max(size, min(abs(factor) * 2**11, self.smallest))
        self.rows[index] = [x + factor * y for x, y in zip(self.rows[index], row)]
        self.squares[index] += size * size * dot(row, row)

    def take(self, scale):
        size = lambda index: math.hypot(scale * math.sqrt(self.squares[index]), self.smallest * 16)
        return {index: ([scale * x for x in row], size(index)) for index, row in self.rows.items()}


def check(case, outputs, wanted, results):
    bound = 1e-5 if case.part == "rows" else BOUNDS[case.element]
    for view, rows, data in zip(outputs, wanted, (results[number] for number in sorted(results))):
        values = list(decode(data, view.element))
        columns = 1 if case.part == "rows" else view.sizes[-1]
        written = set()
        for index, (row, size) in rows.items():
            base = view.base(*index)
            got = values[base : base + columns]
            written.update(range(base, base + columns))
            error = math.dist(got, row)
            norm = max(math.hypot(*row), size)
            if not (error == 0 or (norm and error / norm <= bound)):
                return f"row {index} has error {error} of {norm}"
        for place, value in enumerate(values):
            if place not in written and not math.isnan(value):
                return f"element {place} outside of the result was written"
    return ""


def run_case(case, arguments):
    with tempfile.TemporaryDirectory() as directory:
        code, step = compile_case(arguments.compile, case, directory, arguments.target)
        inputs, outputs = case.views()
        for limit in step.get("limits", []):
            if not evaluate(limit, inputs + outputs):
                raise RuntimeError("sizes and strides are not within the limit %s" % limit)
        generator = random.Random(case.name())
        for view in inputs:
            view.fill(generator)
        if case.part != "rows":
            case.adjust(inputs)
        written = range(len(inputs), len(inputs) + len(outputs))
        launch = Launch(code, step, inputs + outputs, set(written), directory)
        wanted = case.wanted(inputs)
        for interleaving in INTERLEAVINGS:
            results = launch.run(arguments.emulate, "--interleave", interleaving, "--seed", "7")
            if error := check(case, outputs, wanted, results):
                return interleaving + ": " + error
    return ""


def cases():
    mha, gqa, mqa = (2, 2), (4, 2), (3, 1)
    small = "tiles=query=32,key=32 "
    result = []
    for part in ("query", "key"):
        # Masks, elements, head dimensions, odd sizes.
        for i, (mask, dim, heads) in enumerate(zip(MASKS, (64, 128, 56, 64), (mha, gqa, mqa, gqa))):
            element = ("bf16", "f16")[i % 2]
            result.append(Gradient(part, mask, element, heads, (dim, dim), (1, 35, 41), small))
        result += [
            Gradient(part, "causal-br", "bf16", gqa, (64, 64), (2, 30, 45)),
            Gradient(part, "causal", "bf16", mha, (96, 32), (1, 40, 33), small),
            Gradient(part, "full", "f16", mha, (192, 128), (1, 17, 20), "tiles=query=32,key=16"),
            Gradient(part, "causal-br", "bf16", (1, 1), (256, 256), (1, 18, 20)),
            Gradient(part, "causal", "bf16", gqa, (64, 64), (1, 70, 70), small + "sawtooth=force"),
            Gradient(part, "window", "f16", mha, (64, 64), (1, 70, 70), small + "persistent sms=2 resident=1"),
            Gradient(part, "causal", "bf16", gqa, (64, 64), (1, 33, 50), "grid-order=swizzled-head-first domains=4"),
            Gradient(part, "causal-br", "bf16", gqa, (64, 64), (1, 37, 33), small, "stages=3", "bshd"),
            # Default tiles, of which MI300X has what products read both ways in LDS twice.
            Gradient(part, "causal", "bf16", (1, 1), (128, 128), (1, 70, 40) if part == "key" else (1, 40, 70)),
            # Nothing to stream.
            Gradient(part, "full", "bf16", mha, (64, 64), (1, 35, 0) if part == "query" else (1, 0, 35), small),
            Gradient(part, "full", "bf16", mha, (64, 64), (1, 1, 1), small),
        ]
    result += [
        Gradient("rows", "full", "bf16", gqa, (64, 64), (2, 37, 1)),
        Gradient("rows", "full", "f16", mha, (64, 192), (1, 70, 1), layout="bshd"),
        Gradient("rows", "full", "bf16", mha, (64, 56), (1, 33, 1), "persistent sms=1 resident=1"),
        Gradient("rows", "full", "bf16", gqa, (64, 64), (2, 37, 1), sums="-"),
        Gradient("bias", "causal-br", "bf16", gqa, (64, 64), (2, 35, 41), small),
        Gradient("bias", "full", "f16", mha, (64, 64), (2, 35, 41), small, sums="b"),
        Gradient("bias", "causal", "bf16", gqa, (64, 32), (1, 37, 33), small, layout="bshd", sums="h"),
        Gradient("bias", "window", "bf16", mqa, (128, 128), (2, 33, 35), sums="bh"),
        Gradient("bias", "causal", "f16", gqa, (64, 64), (2, 33, 35), small, sums="q"),
        Gradient("bias", "full", "bf16", mha, (64, 64), (2, 37, 33), small + "persistent sms=2 resident=1", sums="bhq"),
        Gradient("bias", "causal-br", "bf16", gqa, (56, 56), (2, 33, 45), small, "stages=3", sums="k"),
        Gradient("bias", "full", "bf16", mha, (64, 64), (1, 35, 33), small, sums="bhk"),
    ]
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compile", default="attn-test-compile")
    parser.add_argument("--emulate", default="attn-emulate")
    parser.add_argument("--target", default="mi300x")
    parser.add_argument("--filter", default="")
    parser.add_argument("--part", default="0/1", help="the cases I, I + N, ...")
    arguments = parser.parse_args()
    first, step = map(int, arguments.part.split("/"))
    chosen = [case for case in cases()[first::step] if arguments.filter in case.name()]
    sys.exit(report(chosen, lambda case: run_case(case, arguments)))


if __name__ == "__main__":
    main()
