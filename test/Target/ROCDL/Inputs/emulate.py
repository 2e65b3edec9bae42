#!/usr/bin/env python3
"""Runs kernels for gfx942 in the emulator, against a float64 reference.

Compiles small cases to bundles with attn-compile, passes what the manifest
says to attn-emulate, and compares the result with attention written out here.
Between rows and behind the last one buffers hold NaN; outputs are poisoned.

    emulate.py --compile attn-compile --emulate attn-emulate
        [--filter TEXT] [--part I/N] [--drop-barriers] [--list]
"""

import argparse
import array
import json
import math
import os
import random
import re
import struct
import subprocess
import sys
import tempfile
from typing import NamedTuple

INTERLEAVINGS = ("forward", "reverse", "random")
BOUNDS = {"bf16": 1e-2, "f16": 2e-3}
MASKS = {
    "full": ("", None, None, False),
    "causal": ("mask(#attn.causal<top_left>)", None, 0, False),
    "causal-br": ("mask(#attn.causal<bottom_right>)", None, 0, True),
    "window": (
        "mask(#attn.window<left = 40, right = 5, align = bottom_right>)",
        40,
        5,
        True,
    ),
}


class Case(NamedTuple):
    mask: str
    element: str
    heads: tuple  # query heads, KV heads
    dims: tuple  # of Q and K, of V
    sizes: tuple  # batch, queries, keys
    schedule: str = "tiles=query=64,key=64"
    lower: str = ""
    layout: str = "bhsd"
    lse: bool = True

    def name(self):
        parts = [
            self.mask,
            self.element,
            "h%d/%d" % self.heads,
            "d%d/%d" % self.dims,
            "b%d,q%d,k%d" % self.sizes,
            self.schedule,
            self.lower,
            self.layout,
        ]
        return " ".join(part for part in parts if part)

    def text(self):
        hq, hkv = self.heads
        dqk, dv = self.dims
        place = "?x%dx?x%d" if self.layout == "bhsd" else "?x?x%dx%d"
        tensor = lambda h, d: "tensor<%sx%s>" % (place % (h, d), self.element)
        q, k, v, o = tensor(hq, dqk), tensor(hkv, dqk), tensor(hkv, dv), tensor(hq, dv)
        results = [o] + (["tensor<?x%dx?xf32>" % hq] if self.lse else [])
        layout = "" if self.layout == "bhsd" else "layout(bshd)"
        listed = "(" + ", ".join(results) + ")" if self.lse else o
        return (
            f"func.func @f(%q: {q}, %k: {k}, %v: {v}) -> {listed} {{\n"
            f"  %r{':2' if self.lse else ''} = attn.attention %q, %k, %v "
            f"{MASKS[self.mask][0]} scale(0.125) {layout} : ({q}, {k}, {v}) -> {listed}\n"
            f"  return {'%r#0, %r#1' if self.lse else '%r'} : {', '.join(results)}\n}}\n"
        )


ORDERS = (
    "naive-block-first",
    "swizzled-block-first",
    "naive-head-first",
    "swizzled-head-first",
)


def cases():
    mha, gqa, mqa = (2, 2), (4, 2), (4, 1)
    result = []
    # Masks, elements and head dimensions.
    for i, mask in enumerate(MASKS):
        for j, dim in enumerate((64, 128, 56)):
            heads = (mha, gqa, mqa)[(i + j) % 3]
            for element in ("bf16", "f16"):
                batch = 1 + (i + j) % 2
                sizes = (batch, 70 + 9 * i, (93, 129, 64, 130)[i])
                result.append(Case(mask, element, heads, (dim, dim), sizes))
    # Dimensions that take small blocks, and unequal ones.
    for dims in ((80, 80), (112, 64), (64, 48), (16, 16), (96, 32), (128, 256), (40, 72)):
        tiles = "tiles=query=64,key=%d" % (32 if max(dims) > 128 else 64)
        result.append(Case("causal-br", "bf16", gqa, dims, (1, 37, 75), tiles))
    # Tiles and waves.
    for tiles, warps in (
        ("query=128,key=64", 4),
        ("query=128,key=64", 8),
        ("query=256,key=32", 8),
        ("query=32,key=128", 1),
        ("query=64,key=16", 2),
        ("query=16,key=64", 1),
        ("query=128,key=128", 4),
        ("query=128,key=32", 2),
    ):
        result.append(
            Case("causal", "bf16", mha, (64, 64), (1, 150, 170), "tiles=" + tiles, f"warps={warps}")
        )
    # Grid orders, persistence, sawtooth.
    small = "tiles=query=32,key=32 "
    for order in ORDERS:
        result.append(
            Case("causal", "f16", gqa, (64, 64), (2, 70, 90), small + f"grid-order={order} domains=4")
        )
    for schedule in (
        "persistent sms=3 resident=1",
        "persistent sms=3 resident=1 pair-tiles",
        "persistent sms=2 resident=1 sawtooth=force",
        "sawtooth=force",
        "persistent sms=3 resident=1 sawtooth=force grid-order=swizzled-head-first domains=2",
        "grid-order=naive-head-first longest-first",
        "splits=2",
    ):
        for mask in ("full", "causal", "window"):
            result.append(Case(mask, "bf16", mha, (64, 64), (1, 100, 120), small + schedule))
    # Layouts of the caller, no LSE, a single query, no keys.
    result += [
        Case("causal-br", "bf16", gqa, (128, 128), (2, 50, 90), layout="bshd"),
        Case("full", "f16", gqa, (56, 56), (2, 50, 90), layout="bshd"),
        Case("full", "bf16", mha, (64, 64), (1, 65, 65), lse=False),
        Case("full", "bf16", gqa, (128, 128), (1, 1, 300)),
        Case("full", "bf16", mha, (64, 64), (1, 33, 0)),
        Case("causal-br", "bf16", mha, (64, 64), (1, 90, 20)),
    ]
    return result


# ------------------------------------------------------------------------------
# Numbers


def encode(values, element):
    if element == "f16":
        return struct.pack("<%de" % len(values), *values)
    if element == "f32":
        return struct.pack("<%df" % len(values), *values)
    words = array.array("I", struct.pack("<%df" % len(values), *values))
    rounded = array.array("H")
    for word in words:
        if word & 0x7FFFFFFF > 0x7F800000:
            rounded.append(0x7FC0)
        else:
            rounded.append((word + 0x7FFF + (word >> 16 & 1)) >> 16)
    return rounded.tobytes()


def decode(data, element):
    if element == "f16":
        return struct.unpack("<%de" % (len(data) // 2), data)
    if element == "f32":
        return struct.unpack("<%df" % (len(data) // 4), data)
    words = array.array("I", (half << 16 for half in array.array("H", data)))
    return struct.unpack("<%df" % len(words), words.tobytes())


class Buffer:
    """A strided array of (batch, head, sequence, feature) with NaN in its gaps."""

    def __init__(self, sizes, order, element, gap):
        self.sizes, self.element = sizes, element
        stride, self.strides = 1, [0] * len(sizes)
        for place in reversed(order):
            self.strides[place] = stride
            stride *= sizes[place]
            if place == order[-1]:
                stride += gap
        self.values = [math.nan] * max(stride + 64, 1)

    def places(self):
        def walk(dim, base):
            if dim == len(self.sizes):
                yield base
                return
            for i in range(self.sizes[dim]):
                yield from walk(dim + 1, base + i * self.strides[dim])

        return walk(0, 0)

    def fill(self, generator):
        for place in self.places():
            self.values[place] = generator.gauss(0, 1)
        self.values = list(decode(encode(self.values, self.element), self.element))

    def row(self, *index):
        base = sum(i * s for i, s in zip(index, self.strides))
        return self.values[base : base + self.sizes[-1]]


def attention(case, q, k, v):
    """Rows of O and LSE in the order of (batch, head, query)."""
    _, left, right, bottom = MASKS[case.mask]
    batch, queries, keys = case.sizes
    group = case.heads[0] // case.heads[1]
    shift = keys - queries if bottom else 0
    rows, sums = [], []
    for b in range(batch):
        for h in range(case.heads[0]):
            ks = [k.row(b, h // group, j) for j in range(keys)]
            vs = [v.row(b, h // group, j) for j in range(keys)]
            columns = list(zip(*vs)) if vs else [()] * case.dims[1]
            for i in range(queries):
                x = q.row(b, h, i)
                low = 0 if left is None else max(0, i + shift - left)
                high = keys if right is None else min(keys, i + shift + right + 1)
                high = max(high, low)
                scores = [0.125 * sum(map(float.__mul__, x, y)) for y in ks[low:high]]
                if not scores:
                    rows.append([0.0] * case.dims[1])
                    sums.append(-math.inf)
                    continue
                top = max(scores)
                weights = [math.exp(s - top) for s in scores]
                total = sum(weights)
                rows.append([sum(map(float.__mul__, weights, c[low:high])) / total for c in columns])
                sums.append(top + math.log(total))
    return rows, sums


# ------------------------------------------------------------------------------
# Bundles


def evaluate(expression, views):
    if isinstance(expression, int):
        return expression
    name, *operands = expression
    if name == "size":
        return views[operands[0]].sizes[operands[1]]
    x = [evaluate(operand, views) for operand in operands]
    operators = {
        "add": lambda: x[0] + x[1],
        "sub": lambda: x[0] - x[1],
        "mul": lambda: x[0] * x[1],
        "floordiv": lambda: x[0] // x[1],
        "ceildiv": lambda: -(-x[0] // x[1]),
        "rem": lambda: x[0] % x[1],
        "min": lambda: min(x),
        "max": lambda: max(x),
        "and": lambda: int(bool(x[0] and x[1])),
        "or": lambda: int(bool(x[0] or x[1])),
        "select": lambda: x[1] if x[0] else x[2],
        "eq": lambda: int(x[0] == x[1]),
        "ne": lambda: int(x[0] != x[1]),
        "lt": lambda: int(x[0] < x[1]),
        "le": lambda: int(x[0] <= x[1]),
        "gt": lambda: int(x[0] > x[1]),
        "ge": lambda: int(x[0] >= x[1]),
    }
    return operators[name]()


def compile_case(tool, case, directory):
    source = os.path.join(directory, "case.mlir")
    with open(source, "w") as file:
        file.write(case.text())
    bundle = os.path.join(directory, "bundle")
    command = [tool, source, "--target=mi300x", "--emit=bundle", "-o", bundle, "--schedule=" + case.schedule]
    if case.lower:
        command.append("--lower=" + case.lower)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError("does not compile:\n" + done.stderr)
    with open(os.path.join(bundle, "manifest.json")) as file:
        manifest = json.load(file)
    (variant,) = manifest["variants"]
    return os.path.join(bundle, variant["binary"]), variant


class Launch:
    """What the emulator is to run, and where the results go."""

    def __init__(self, code, variant, views, outputs, directory):
        self.outputs, self.dumps = outputs, {}
        self.arguments = [code, "--block", str(variant["block"])]
        self.arguments += ["--grid", str(evaluate(variant["grid"], views))]
        for number, parameter in enumerate(variant["parameters"]):
            view = views[parameter["view"]]
            kind = parameter["kind"]
            if kind == "size":
                text = "i64:%d" % view.sizes[parameter["dim"]]
            elif kind == "stride":
                text = "i64:%d" % view.strides[parameter["dim"]]
            else:
                text = self.buffer(number, parameter["view"], view, directory)
            self.arguments += ["--arg", text]

    def buffer(self, number, index, view, directory):
        what = "poison"
        if index not in self.outputs:
            path = os.path.join(directory, "view%d.bin" % index)
            with open(path, "wb") as file:
                file.write(encode(view.values, view.element))
            what = "@" + path
        else:
            path = os.path.join(directory, "result%d.bin" % index)
            self.arguments += ["--dump", "%d:%s" % (number, path)]
            self.dumps[index] = path
        return "%s[%d]:%s" % (view.element, len(view.values), what)

    def run(self, tool, *options):
        done = subprocess.run([tool] + self.arguments + list(options), capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError("emulator: " + done.stdout[-500:] + done.stderr[-1500:])
        results = {}
        for index, path in self.dumps.items():
            with open(path, "rb") as file:
                results[index] = file.read()
        return results


def prepare(case, tool, directory):
    code, variant = compile_case(tool, case, directory)
    batch, queries, keys = case.sizes
    (hq, hkv), (dqk, dv) = case.heads, case.dims
    order = (0, 1, 2, 3) if case.layout == "bhsd" else (0, 2, 1, 3)
    generator = random.Random(case.name())
    q = Buffer((batch, hq, queries, dqk), order, case.element, 8)
    k = Buffer((batch, hkv, keys, dqk), order, case.element, 2)
    v = Buffer((batch, hkv, keys, dv), order, case.element, 6)
    o = Buffer((batch, hq, queries, dv), order, case.element, 0)
    views, outputs = [q, k, v, o], {3}
    for view in (q, k, v):
        view.fill(generator)
    if case.lse:
        views.append(Buffer((batch, hq, queries), (0, 1, 2), "f32", 0))
        outputs.add(4)
    return Launch(code, variant, views, outputs, directory), views


def check(case, views, wanted, results):
    """What is wrong, or an empty text."""
    rows, sums = wanted
    o = views[3]
    o.values = list(decode(results[3], case.element))
    batch, queries, _ = case.sizes
    index = [(b, h, i) for b in range(batch) for h in range(case.heads[0]) for i in range(queries)]
    worst = 0.0
    for place, row in zip(index, rows):
        got = o.row(*place)
        norm = math.sqrt(sum(x * x for x in row))
        error = math.sqrt(sum((x - y) ** 2 for x, y in zip(got, row)))
        error = error / norm if norm else error
        if not error <= BOUNDS[case.element]:
            return "row %s has error %g" % (place, error)
        worst = max(worst, error)
    written = set(o.places())
    for place, value in enumerate(o.values):
        if place not in written and not math.isnan(value):
            return "element %d outside of the result was written" % place
    if case.lse:
        lse = views[4]
        lse.values = list(decode(results[4], "f32"))
        for place, total in zip(index, sums):
            got = lse.values[sum(i * s for i, s in zip(place, lse.strides))]
            if not (got == total or abs(got - total) <= 1e-4):
                return "LSE of row %s is %g, wanted %g" % (place, got, total)
    return ""


def run_case(case, arguments):
    with tempfile.TemporaryDirectory() as directory:
        launch, views = prepare(case, arguments.compile, directory)
        wanted = attention(case, *views[:3])
        for interleaving in INTERLEAVINGS:
            results = launch.run(arguments.emulate, "--interleave", interleaving, "--seed", "7")
            error = check(case, views, wanted, results)
            if error:
                return interleaving + ": " + error
    return ""


def drop_barriers(case, arguments):
    """Each barrier of a kernel is needed: without it a run fails."""
    needless = []
    with tempfile.TemporaryDirectory() as directory:
        launch, views = prepare(case, arguments.compile, directory)
        wanted = attention(case, *views[:3])
        listed = subprocess.run(
            [arguments.emulate, "--list", launch.arguments[0]], capture_output=True, text=True
        ).stdout
        count = int(re.search(r"(\d+) barriers", listed).group(1))
        for number in range(count):
            failed = False
            for interleaving in INTERLEAVINGS:
                try:
                    results = launch.run(
                        arguments.emulate, "--interleave", interleaving, "--drop-barrier", str(number)
                    )
                    failed |= bool(check(case, views, wanted, results))
                except RuntimeError:
                    failed = True
            if not failed:
                needless.append(number)
    if not count:
        return "has no barriers"
    return "runs without barriers %s of %d" % (needless, count) if needless else ""


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compile", default="attn-compile")
    parser.add_argument("--emulate", default="attn-emulate")
    parser.add_argument("--filter", default="")
    parser.add_argument("--part", default="0/1", help="the cases I, I + N, ...")
    parser.add_argument("--drop-barriers", action="store_true")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    first, step = map(int, arguments.part.split("/"))
    chosen = [case for case in cases()[first::step] if arguments.filter in case.name()]
    failures = 0
    for case in chosen:
        if arguments.list:
            print(case.name())
            continue
        try:
            error = (drop_barriers if arguments.drop_barriers else run_case)(case, arguments)
        except RuntimeError as problem:
            error = str(problem)
        failures += bool(error)
        print(("FAIL " if error else "pass ") + case.name() + ("\n  " + error if error else ""), flush=True)
    print("%d of %d cases pass" % (len(chosen) - failures, len(chosen)))
    sys.exit(1 if failures or not chosen else 0)


if __name__ == "__main__":
    main()
