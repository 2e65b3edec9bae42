"""New keys and values behind those that caches have, on what devices.py says: rows, pages, bad numbers, rotary embedding,
and attention of what is there then. Expected caches are written out here, in float64."""

import hashlib
import itertools
import math
import os
import random
import struct
import subprocess
from typing import NamedTuple

import attn_mlir
import float8
from attn_mlir import ArgumentError
from devices import DL_TYPES, KIND, ON_CPU, TARGET, allocate, read
import buffers
from support import DLArray, expect, main

I32 = (0, 32)
# DLPack's numbers of the types.
FLOAT8 = {"f8E4M3FN": (10, 8), "f8E4M3FNUZ": (11, 8), "f8E5M2": (12, 8)}
# Of each target those that it converts to.
OWN_FLOAT8 = {"mi300x": ["f8E4M3FNUZ"], "cpu": list(FLOAT8)}.get(TARGET, ["f8E4M3FN", "f8E5M2"])
# Of no page, whatever there are.
BAD = (-1, 2**31 - 1, 10**6, -(2**31))


def encode(values, element):
    return (float8 if element in FLOAT8 else buffers).encode(values, element)


def decode(data, element):
    return (float8 if element in FLOAT8 else buffers).decode(data, element)


class Append(NamedTuple):
    """What is appended to what: ``page`` is the rows of one, or 0 for a row of the cache each; ``angles`` of rotary embedding; ``cache`` is the type of FP8
    that caches have, and ``scales`` sizes of those of K and V ("?x2"), or ""."""

    lengths: tuple
    tokens: tuple  # of each sequence; the same where they are not packed
    heads: int = 2
    dims: tuple = (64, 64)
    page: int = 16
    columns: int = 3
    element: str = "f16"
    layout: str = "bshd"
    cache_layout: str = "bshd"
    angles: int = 0
    interleaved: bool = False
    packed: bool = False
    bad: tuple = ()  # (sequence, column): a number of no page
    cache: str = ""
    scales: tuple = ("", "")

    @property
    def pages(self):
        return len(self.lengths) * self.columns + 2

    def rows(self, count, rows, dim, layout=None, element=""):
        middle = f"{rows}x{self.heads}" if (layout or self.layout) == "bshd" else f"{self.heads}x{rows}"
        return f"tensor<{count}x{middle}x{dim}x{element or self.element}>"

    def clauses(self):
        extra = [("t", "tensor<?x?xi32>", "block_table(%t)")] if self.page else []
        extra += [("c", "tensor<?xi32>", "cu_seqlens(%c)")] if self.packed else []
        table = f"tensor<?x{self.angles}x{self.element}>"
        extra += [("cos", table, "rotary(%cos, %sin)"), ("sin", table, "")] if self.angles else []
        text = " ".join(clause for _, _, clause in extra) + (" interleaved" if self.interleaved else "")
        scales = [(name, f"tensor<{sizes}xf32>", f"{name}(%{name})") for name, sizes in zip(("k_scale", "v_scale"), self.scales) if sizes]
        extra += scales
        text += "".join(f" {clause}" for _, _, clause in scales) + f" layout({self.layout}) cache_layout({self.cache_layout})"
        return extra, text

    def text(self, attention=""):
        """A function @f of the caches; with ``attention``, which is its text, of its results, too."""
        batch = "1" if self.packed else "?"
        new = [self.rows(batch, "?", dim) for dim in self.dims]
        caches = [self.rows("?", self.page or "?", dim, self.cache_layout, self.cache) for dim in self.dims]
        extra, clauses = self.clauses()
        types = [*new, *caches, "tensor<?xi32>", *(type for _, type, _ in extra)]
        arguments = [f"%{name}: {type}" for name, type in
                     zip(("k", "v", "kc", "vc", "n", *(name for name, _, _ in extra)), types)]
        first, values, results = "", "%nkc, %nvc", caches
        if attention:
            q, o = (f"tensor<?x?x{2 * self.heads}x{dim}x{self.element}>" for dim in self.dims)
            arguments = [f"%q: {q}", *arguments]
            values, results = "%o, %nkc, %nvc", [o, *caches]
            first = (f"  %o = attn.attention %q, %nkc, %nvc mask(#attn.causal<bottom_right>) scale(0.125) layout(bshd)"
                     f" lengths(%nn : tensor<?xi32>){' block_table(%t : tensor<?x?xi32>)' if self.page else ''}"
                     f" : ({q}, {', '.join(caches)}) -> {o}\n")
        else:
            values, results = values + ", %nn", [*caches, "tensor<?xi32>"]
        return (
            f"func.func @f({', '.join(arguments)}) -> ({', '.join(results)}) {{\n"
            f"  %nkc, %nvc, %nn = attn.append_cache %k, %v to %kc, %vc at %n {clauses}\n"
            f"    : ({', '.join(types)}) -> ({', '.join(caches)}, tensor<?xi32>)\n{first}"
            f"  return {values} : {', '.join(results)}\n}}\n"
        )


# Where bundles are that were compiled before, for a machine with a GPU and without a compiler.
KEPT = os.environ.get("ATTN_TEST_BUNDLES")
ONLY_COMPILES = os.environ.get("ATTN_TEST_ONLY_COMPILES") == "1"


def load(directory, text, *options):
    """The kernel; None where bundles are only to be made."""
    if KEPT:
        directory = os.path.join(KEPT, hashlib.sha256("\0".join((text, *options)).encode()).hexdigest()[:16])
    bundle = os.path.join(directory, "bundle")
    if not KEPT or not os.path.isdir(bundle):
        os.makedirs(directory, exist_ok=True)
        source = os.path.join(directory, "program.mlir")
        with open(source, "w") as file:
            file.write(text)
        subprocess.run(["attn-compile", source, f"--target={TARGET}", "--emit=bundle", "-o", bundle, *options], check=True)
    return None if ONLY_COMPILES else attn_mlir.load(bundle)


class Array:
    """Contiguous, and surrounded by NaN."""

    GUARD = 128

    def __init__(self, sizes, values, element):
        self.sizes, self.element = sizes, element
        self.values = values
        guard = [math.nan] * self.GUARD if element != "i32" else [-7] * self.GUARD
        types = {"i32": I32, **DL_TYPES, **FLOAT8}
        self.data = encode([*guard, *values, *guard], element)
        self.bytes = len(self.data) // max(len(values) + 2 * self.GUARD, 1)
        self.address = allocate(self.data)
        self.strides = [math.prod(sizes[i + 1:]) for i in range(len(sizes))]
        self.dlpack = DLArray(sizes, types[element], self.address + self.GUARD * self.bytes, self.strides, 0, KIND)

    def read(self):
        """All, the surroundings as well."""
        return read(self.address, len(self.data))

    def place(self, *index):
        return sum(i * s for i, s in zip(index, self.strides))


def order(layout, batch, row, head):
    return (batch, row, head) if layout == "bshd" else (batch, head, row)


class Run:
    """Numbers of a case, and what the caches are to be."""

    def __init__(self, case):
        self.case = case
        self.random = random.Random(repr(case))
        count = len(case.lengths)
        rows = sum(case.tokens) + 3 if case.packed else max(case.tokens)
        self.new = [self.floats(self.sizes(1 if case.packed else count, rows, dim, case.layout)) for dim in case.dims]
        first = (case.pages, case.page) if case.page else (count, 40)
        self.caches = [self.floats(self.sizes(*first, dim, case.cache_layout), case.cache) for dim in case.dims]
        self.lengths = Array((count,), list(case.lengths), "i32")
        self.extra = []
        if case.page:
            self.numbers = self.random.sample(range(case.pages), count * case.columns)
            for (sequence, column), number in zip(case.bad, itertools.cycle((case.pages, *BAD))):
                self.numbers[sequence * case.columns + column] = number
            self.extra.append(Array((count, case.columns), self.numbers, "i32"))
        if case.packed:
            self.starts = [2, *itertools.accumulate(case.tokens, initial=2)][1:]
            self.extra.append(Array((count + 1,), self.starts, "i32"))
        if case.angles:
            turns = [self.random.uniform(-3, 3) for _ in range(40 * case.angles)]
            self.tables = [Array((40, case.angles), self.rounded([f(x) for x in turns]), case.element)
                           for f in (math.cos, math.sin)]
            self.extra += self.tables
        self.scales = [self.scale(sizes) for sizes in case.scales]
        self.extra += [scale for scale in self.scales if scale]
        if case.cache:
            self.add_special()

    def scale(self, sizes):
        """Numbers of which tokens become multiples; some that are no powers of two."""
        if not sizes:
            return None
        count, heads = (int(size) if size != "?" else len(self.case.lengths) for size in sizes.split("x"))
        numbers = [self.random.choice((0.0078125, 0.3, 1.7, 1.0, 0.011)) for _ in range(count * heads)]
        return Array((count, heads), buffers.decode(buffers.encode(numbers, "f32"), "f32"), "f32")

    def add_special(self):
        """What is beyond FP8, numbers between two of it, and NaN, among new tokens."""
        positive = float8.POSITIVE[self.case.cache]
        special = [math.nan, math.inf, -math.inf, 6e4, -6e4, positive[-1], -0.0, positive[1] / 2, -positive[1] / 2, positive[1] * 1.5]
        special += [(a + b) / 2 for a, b in zip(positive[8:40], positive[9:])]
        for which, array in enumerate(self.new):
            values = list(array.values)
            for i in range(0, len(values), 7):
                values[i] = self.random.choice(special)
            self.new[which] = Array(array.sizes, self.rounded(values), self.case.element)

    def sizes(self, first, rows, dim, layout):
        return (first, rows, self.case.heads, dim) if layout == "bshd" else (first, self.case.heads, rows, dim)

    def rounded(self, values):
        return list(decode(encode(values, self.case.element), self.case.element))

    def floats(self, sizes, element=""):
        element = element or self.case.element
        values = [self.random.gauss(0, 1) for _ in range(math.prod(sizes))]
        return Array(sizes, list(decode(encode(values, element), element)), element)

    def target(self, sequence, token):
        """Page and row of a new token; None where it has no place."""
        case = self.case
        length = case.lengths[sequence]
        places = case.columns * case.page if case.page else 40
        place = length + token
        if not 0 <= length <= places or place >= places:
            return None
        if not case.page:
            return sequence, place
        page = self.numbers[sequence * case.columns + place // case.page]
        return (page, place % case.page) if 0 <= page < case.pages else None

    def turned(self, row, place):
        """Rotary embedding of a row of K, rounded."""
        angles, result = self.case.angles, list(row)
        for c in range(angles):
            a, b = (2 * c, 2 * c + 1) if self.case.interleaved else (c, c + angles)
            cos, sin = ((table.values[place * angles + c] if 0 <= place < 40 else 0.0) for table in self.tables)
            result[a], result[b] = row[a] * cos - row[b] * sin, row[b] * cos + row[a] * sin
        return result if self.case.cache else self.rounded(result)

    def narrowed(self, values, which, sequence, head):
        """A row as a cache of FP8 has it."""
        scale, number = self.scales[which], 1.0
        if scale:
            number = scale.values[sequence % scale.sizes[0] * scale.sizes[1] + head % scale.sizes[1]]
        quotients = [float8.quotient(x, number) for x in values]
        return float8.decode(float8.encode(quotients, self.case.cache), self.case.cache)

    def wanted(self):
        """Values of the caches, and lengths."""
        case = self.case
        caches = [list(cache.values) for cache in self.caches]
        for sequence, count in enumerate(case.tokens):
            for token in range(count):
                to = self.target(sequence, token)
                if to is None:
                    continue
                batch, row = (0, self.starts[sequence] + token) if case.packed else (sequence, token)
                for head, which in itertools.product(range(case.heads), range(2)):
                    new, cache, dim = self.new[which], self.caches[which], case.dims[which]
                    begin = new.place(*order(case.layout, batch, row, head))
                    values = new.values[begin:begin + dim]
                    if case.angles and which == 0:
                        values = self.turned(values, case.lengths[sequence] + token)
                    if case.cache:
                        values = self.narrowed(values, which, sequence, head)
                    at = cache.place(*order(case.cache_layout, *to, head))
                    caches[which][at:at + dim] = values
        places = case.columns * case.page if case.page else 40
        return caches, [n + count if 0 <= n <= places else -1 for n, count in zip(case.lengths, case.tokens)]

    def inputs(self):
        return [array.dlpack for array in (*self.new, *self.caches, self.lengths, *self.extra)]

    def check(self, got_lengths):
        caches, lengths = self.wanted()
        for array, values in zip(self.caches, caches):
            data = array.read()
            edge = Array.GUARD * array.bytes
            assert data[:edge] == array.data[:edge] and data[-edge:] == array.data[-edge:], "wrote outside of a cache"
            got = decode(data[edge:-edge], array.element)
            # A sum in f32 may round to a neighbour of what one in float64 rounds to.
            steps = {"f16": 2e-3, "bf16": 1.6e-2, "f32": 1e-6, "f8E5M2": 0.3}
            bound = steps.get(array.element, 0.15) if self.case.angles else 0
            wrong = [i for i, (x, y) in enumerate(zip(got, values))
                     if not (abs(x - y) <= bound * max(abs(y), 1) or math.isnan(x) and math.isnan(y))]
            if not self.case.angles:
                assert data[edge:-edge] == encode(values, array.element), "a number of other bits"
            assert not wrong, (self.case, len(wrong), wrong[:4], [got[i] for i in wrong[:4]], [values[i] for i in wrong[:4]])
        if got_lengths:
            assert list(got_lengths) == lengths, (self.case, got_lengths, lengths)

    def append(self, kernel):
        count = len(self.case.lengths)
        lengths = Array((count,), [99] * count, "i32")
        kernel(*self.inputs(), out=(*(cache.dlpack for cache in self.caches), lengths.dlpack))
        edge = Array.GUARD * 4
        self.check(struct.unpack(f"<{count}i", lengths.read()[edge:-edge]))


def some(cases):
    """Those that a target has: code for the CPU takes longer to compile than to run in the emulator."""
    return cases[:1] if ON_CPU else cases


def run(scratch, *cases):
    for number, case in enumerate(some(cases)):
        kernel = load(os.path.join(scratch, str(number)), case.text())
        if kernel is None:
            continue
        assert len(kernel.variants[-1].steps) == 1
        Run(case).append(kernel)
        kernel.close()


def test_rows(scratch, log):
    run(scratch,
        Append((0, 17, 3), (1, 1, 1), page=0, heads=8),
        Append((0, 31, 12, 5), (9,) * 4, page=0, element="bf16", layout="bhsd", cache_layout="bhsd", dims=(72, 40)),
        Append((36, 40, 0), (4,) * 3, page=0, cache_layout="bhsd", heads=17, dims=(16, 128)))


def test_pages(scratch, log):
    run(scratch,
        Append((0, 17, 47), (1, 1, 1)),
        Append((3, 30), (20, 20), page=24, heads=5, element="bf16", dims=(128, 96)),
        Append((3, 0), (9, 9), page=5, columns=3, cache_layout="bhsd", layout="bhsd"))


def test_bad_numbers(scratch, log):
    """Lengths that are none, places behind the table's pages, numbers of no page: nothing is written, and nothing outside."""
    run(scratch,
        Append((5, 20, 40, 0), (6,) * 4, bad=((0, 0), (1, 1), (2, 2), (3, 0))),
        Append((-1, 2**31 - 1, 49, -(2**31), 48), (3,) * 5),
        Append((-1, 41, 39, 2**31 - 2, 40), (3,) * 5, page=0),
        Append((5, 20), (20, 20), bad=((0, 1), (1, 1)), angles=16))


def test_packed(scratch, log):
    run(scratch,
        Append((4, 0, 20, 47, 9), (3, 0, 7, 5, 1), packed=True),
        Append((4, 0, 20), (3, 0, 7), packed=True, page=0, element="bf16", angles=32))


def test_float8(scratch, log):
    """Caches of FP8 of tokens that are not: divided by scales, rounded, and cut at the largest number; the bits are those of arithmetic in float64."""
    first, last = OWN_FLOAT8[0], OWN_FLOAT8[-1]
    run(scratch,
        Append((0, 17, 47), (2, 2, 2), cache=first, scales=("?x2", "1x1"), element="bf16"),
        Append((3, 30, -1, 5), (9,) * 4, page=24, heads=5, dims=(128, 40), cache=last, scales=("1x5", "?x1"), bad=((1, 1), (3, 0)), cache_layout="bhsd"),
        Append((4, 0, 20), (3, 0, 7), packed=True, page=0, heads=17, dims=(40, 72), cache=first, scales=("", "?x17"), element="f32"),
        Append((0, 17), (3, 3), dims=(64, 42), cache=first, element="bf16", angles=12, scales=("?x2", "")))


def test_no_tokens(scratch, log):
    """Lengths are written all the same."""
    run(scratch, Append((4, 0, 50), (0, 0, 0)), Append((4, 0), (0, 0), packed=True))


def test_rotary(scratch, log):
    run(scratch,
        Append((0, 17, 3), (5,) * 3, angles=32),
        Append((0, 17, 3), (5,) * 3, angles=32, interleaved=True, element="bf16"),
        Append((7, 30), (4, 4), angles=12, dims=(72, 64), page=0, heads=3),
        Append((7, 35), (8, 8), angles=12, dims=(40, 64), page=0, interleaved=True, layout="bhsd"))


def attention_alone(case):
    q, k, v, o = (f"tensor<?x?x{heads}x{dim}x{case.element}>" for heads, dim in
                  ((2 * case.heads, case.dims[0]), (case.heads, case.dims[0]), (case.heads, case.dims[1]),
                   (2 * case.heads, case.dims[1])))
    if case.page:
        k, v = (text.replace("<?x?x", f"<?x{case.page}x") for text in (k, v))
    table = (", %t: tensor<?x?xi32>", " block_table(%t : tensor<?x?xi32>)") if case.page else ("", "")
    return (f"func.func @g(%q: {q}, %k: {k}, %v: {v}, %n: tensor<?xi32>{table[0]}) -> {o} {{\n"
            f"  %o = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>) scale(0.125) layout(bshd) lengths(%n : tensor<?xi32>)"
            f"{table[1]} : ({q}, {k}, {v}) -> {o}\n  return %o : {o}\n}}\n")


def test_with_attention(scratch, log):
    """One program: the bits are those of attention to caches that have the tokens."""
    for number, (case, schedule, steps) in enumerate(some((
            (Append((0, 31, 12), (3,) * 3, page=0, angles=32), "tiles=query=16,key=16", 2),
            (Append((0, 17, 3, -1), (2,) * 4), "tiles=query=16,key=16", 2),
            (Append((0, 17, 40, 5), (1,) * 4, bad=((2, 1), (1, 0))), "tiles=query=16,key=16 pack-group split-ctas", 4)))):
        folder = os.path.join(scratch, str(number))
        options = [f"--schedule={schedule}"]
        whole, alone = load(folder, case.text("attention"), *options), load(folder + "a", attention_alone(case), *options)
        if whole is None:
            continue
        assert len(whole.variants[-1].steps) == steps, whole.variants
        its = Run(case)
        sizes = (len(case.lengths), max(case.tokens), 2 * case.heads, case.dims[0])
        q, outs = its.floats(sizes), [its.floats((*sizes[:3], case.dims[1])) for _ in range(2)]
        whole(q.dlpack, *its.inputs(), out=(outs[0].dlpack, *(cache.dlpack for cache in its.caches)))
        its.check(None)
        lengths = Array((len(case.lengths),), its.wanted()[1], "i32")
        alone(q.dlpack, *(cache.dlpack for cache in its.caches), lengths.dlpack, *(x.dlpack for x in its.extra[:case.page > 0]),
              out=outs[1].dlpack)
        assert outs[0].read() == outs[1].read(), case
        assert outs[0].read() != outs[0].data
        for kernel in (whole, alone):
            kernel.close()


def test_rotate(scratch, log):
    """Queries turned, each by its place or all of a sequence by the first."""
    for number, (layout, together) in enumerate(some((("bshd", ""), ("bhsd", " together interleaved")))):
        case = Append((0, 17, 30), (4,) * 3, heads=20, angles=24, layout=layout, interleaved=bool(together), page=0)
        x, table = case.rows("?", "?", 64), f"tensor<?x24x{case.element}>"
        kernel = load(os.path.join(scratch, str(number)), (
            f"func.func @f(%x: {x}, %n: tensor<?xi32>, %cos: {table}, %sin: {table}) -> {x} {{\n"
            f"  %y = attn.rotate %x at %n by %cos, %sin{' interleaved together' if together else ''} layout({layout})"
            f" : ({x}, tensor<?xi32>, {table}, {table}) -> {x}\n  return %y : {x}\n}}\n"))
        if kernel is None:
            continue
        its = Run(case)
        out = its.floats(its.new[0].sizes)
        kernel(its.new[0].dlpack, its.lengths.dlpack, *(table.dlpack for table in its.tables), out=out.dlpack)
        edge = Array.GUARD * out.bytes
        got = decode(out.read()[edge:-edge], case.element)
        for sequence, token, head in itertools.product(range(3), range(4), range(20)):
            at = out.place(*order(layout, sequence, token, head))
            wanted = its.turned(its.new[0].values[at:at + 64], case.lengths[sequence] + (0 if together else token))
            assert all(abs(a - b) <= 2e-3 * max(1, abs(b)) for a, b in zip(got[at:at + 64], wanted)), (sequence, token, head)
        kernel.close()


def test_caches_must_be_the_callers(scratch, log):
    case = Append((0, 17, 47), (1, 1, 1))
    kernel = load(scratch, case.text())
    if kernel is None:
        return
    its, other = Run(case), Run(case)
    count = Array((3,), [0] * 3, "i32")
    expect(ArgumentError, "expected the array of 'arg2', which it is written over, but got another", kernel, *its.inputs(),
           out=(other.caches[0].dlpack, its.caches[1].dlpack, count.dlpack))
    kernel.close()


if __name__ == "__main__":
    main()
