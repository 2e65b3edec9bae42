"""Problems for kernels on gfx942, their numbers, and what is right, in float64: no line of it is shared
with the compiler."""

import itertools
import math
from typing import NamedTuple

import listed_blocks
from buffers import Buffer, Scales, decode, encode
from written_kernels import Chain, Listed, Merge

# Of FP8 weights have 4 bits, or 3.
BOUNDS = {"bf16": 1e-2, "f16": 2e-3, "f32": 1e-5, "f8E4M3FNUZ": 0.07, "f8E4M3FN": 0.07, "f8E5M2": 0.13}
# Keys of a block, of scales that have a third dimension.
BLOCK = 32
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
    """Attention."""

    mask: str
    element: str
    heads: tuple  # query heads, KV heads
    dims: tuple  # of Q and K, of V
    sizes: tuple  # batch, queries, keys
    schedule: str = "tiles=query=64,key=64"
    lower: str = ""
    layout: str = "bhsd"
    lse: bool = True
    # Key j is multiplied by 1 + growth * j: row maxima rise from tile to tile.
    growth: float = 0
    # O in f32, as it is accumulated.
    wide: bool = False
    # Of FP8: sizes of the scales of Q, K and V, one after the other.
    scales: tuple = ()
    # Q is zero, so that all weights are 1, which every type has.
    flat: bool = False

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
            f"growth={self.growth}" if self.growth else "",
            "wide" if self.wide else "",
            f"scales={self.scales}" if self.scales else "",
            "flat" if self.flat else "",
        ]
        return " ".join(part for part in parts if part)

    def bound(self):
        return BOUNDS[self.output() if self.flat else self.element]

    def text(self):
        hq, hkv = self.heads
        dqk, dv = self.dims
        place = "?x%dx?x%d" if self.layout == "bhsd" else "?x?x%dx%d"
        tensor = lambda h, d, element: "tensor<%sx%s>" % (place % (h, d), element)
        q, k, v = (tensor(h, d, self.element) for h, d in ((hq, dqk), (hkv, dqk), (hkv, dv)))
        o = tensor(hq, dv, self.output())
        results = [o] + (["tensor<?x%dx?xf32>" % hq] if self.lse else [])
        layout = "" if self.layout == "bhsd" else "layout(bshd)"
        listed = "(" + ", ".join(results) + ")" if self.lse else o
        named = [(name, "tensor<%sxf32>" % "x".join(map(str, size))) for name, size in zip("qkv", self.scales)]
        more = "".join(f", %{name}s: {tensor}" for name, tensor in named)
        scales = " ".join(f"{name}_scale(%{name}s : {tensor})" for name, tensor in named)
        scales += f" scale_block({BLOCK})" * any(len(size) == 3 for size in self.scales)
        return (
            f"func.func @f(%q: {q}, %k: {k}, %v: {v}{more}) -> {listed} {{\n"
            f"  %r{':2' if self.lse else ''} = attn.attention %q, %k, %v "
            f"{MASKS[self.mask][0]} scale(0.125) {layout} {scales} : ({q}, {k}, {v}) -> {listed}\n"
            f"  return {'%r#0, %r#1' if self.lse else '%r'} : {', '.join(results)}\n}}\n"
        )

    def output(self):
        narrow = self.element.startswith("f8")
        return "f32" if self.wide else "bf16" if narrow else self.element

    def views(self):
        batch, queries, keys = self.sizes
        (hq, hkv), (dqk, dv) = self.heads, self.dims
        order = (0, 1, 2, 3) if self.layout == "bhsd" else (0, 2, 1, 3)
        # Rows are whole words.
        words = 2 if self.element.startswith("f8") else 1
        inputs = [
            Buffer((batch, hq, queries, dqk), order, self.element, 8 * words),
            Buffer((batch, hkv, keys, dqk), order, self.element, 2 * words),
            Buffer((batch, hkv, keys, dv), order, self.element, 6 * words),
        ]
        inputs += [Scales(size, range(len(size)), "f32", 0) for size in self.scales]
        outputs = [Buffer((batch, hq, queries, dv), order, self.output(), 0)]
        if self.lse:
            outputs.append(Buffer((batch, hq, queries), (0, 1, 2), "f32", 0))
        return inputs, outputs

    def adjust(self, q, k, v, *scales):
        if self.flat:
            for index in itertools.product(*map(range, q.sizes[:-1])):
                q.scale(0, *index)
        if not self.growth:
            return
        *outer, keys, _ = k.sizes
        for index in itertools.product(*map(range, outer), range(keys)):
            k.scale(1 + self.growth * index[-1], *index)

    def wanted(self, q, k, v, *scales):
        return attention(self, q, k, v, scales)


class Matmul(NamedTuple):
    element: str
    sizes: tuple  # m, n, k
    schedule: str = "tiles=m=64,n=64,k=32"
    lower: str = ""
    static: bool = False
    lse = False

    def name(self):
        kind = "static" if self.static else "dynamic"
        return f"matmul {self.element} {self.sizes} {kind} {self.schedule} {self.lower}"

    def text(self):
        m, n, k = self.sizes if self.static else ("?", "?", "?")
        a, b = f"tensor<{m}x{k}x{self.element}>", f"tensor<{k}x{n}x{self.element}>"
        c = f"tensor<{m}x{n}xf32>"
        return (
            f"func.func @f(%a: {a}, %b: {b}) -> {c} {{\n"
            f"  %c = attn.matmul %a, %b : ({a}, {b}) -> {c}\n  return %c : {c}\n}}\n"
        )

    def views(self):
        m, n, k = self.sizes
        pad = lambda size: size % 2 + 2  # strides of whole words
        return [
            Buffer((m, k), (0, 1), self.element, pad(k)),
            Buffer((k, n), (0, 1), self.element, pad(n)),
        ], [Buffer((m, n), (0, 1), "f32", 0)]

    def wanted(self, a, b):
        m, n, k = self.sizes
        columns = list(zip(*(b.row(i) for i in range(k)))) if k else [()] * n
        rows = [[sum(map(float.__mul__, a.row(i), column)) for column in columns] for i in range(m)]
        return rows, []


class LogSumExp(NamedTuple):
    element: str
    sizes: tuple
    schedule: str = "tiles=row=64,column=64"
    lower: str = ""
    lse = False

    def name(self):
        return f"logsumexp {self.element} {self.sizes} {self.schedule} {self.lower}"

    def text(self):
        x = f"tensor<?x?x{self.element}>"
        return (
            f"func.func @f(%x: {x}) -> tensor<?xf32> {{\n"
            f"  %y = attn_test.logsumexp %x : ({x}) -> tensor<?xf32>\n"
            "  return %y : tensor<?xf32>\n}\n"
        )

    def views(self):
        rows, columns = self.sizes
        pad = columns % 2 + 2
        return [Buffer(self.sizes, (0, 1), self.element, pad)], [Buffer((rows,), (0,), "f32", 0)]

    def wanted(self, x):
        rows = [x.row(i) for i in range(self.sizes[0])]
        return [[max(r) + math.log(sum(math.exp(v - max(r)) for v in r))] for r in rows], []


class MergedParts(NamedTuple):
    """attn.merge_states of outputs and LSEs, of which some saw no key: there the output is NaN."""

    element: str
    sizes: tuple  # parts, batch, heads, queries, D
    schedule: str = ""
    lower: str = ""
    layout: str = "bhsd"
    lse = True

    def name(self):
        return f"merged parts {self.element} {self.sizes} {self.layout} {self.schedule} {self.lower}"

    def text(self):
        parts, batch, heads, queries, dim = self.sizes
        bshd = self.layout == "bshd"
        o = f"?x{heads}x{dim}" if bshd else f"{heads}x?x{dim}"
        os, lses = f"tensor<?x?x{o}x{self.element}>", f"tensor<?x?x{heads}x?xf32>"
        o, lse = f"tensor<?x{o}x{self.element}>", f"tensor<?x{heads}x?xf32>"
        layout = " layout(bshd)" if bshd else ""
        return (
            f"func.func @f(%os: {os}, %lses: {lses}) -> ({o}, {lse}) {{\n"
            f"  %o, %lse = attn.merge_states %os, %lses{layout} : ({os}, {lses}) -> ({o}, {lse})\n"
            f"  return %o, %lse : {o}, {lse}\n}}\n"
        )

    def views(self):
        parts, batch, heads, queries, dim = self.sizes
        bshd = self.layout == "bshd"
        pad = dim % 2 + 2
        return [
            Buffer(self.sizes, (0, 1, 3, 2, 4) if bshd else range(5), self.element, pad),
            Buffer(self.sizes[:4], range(4), "f32", 3),
        ], [
            Buffer((batch, heads, queries, dim), (0, 2, 1, 3) if bshd else range(4), self.element, 0),
            Buffer((batch, heads, queries), range(3), "f32", 0),
        ]

    def adjust(self, os, lses):
        for number, index in enumerate(itertools.product(*map(range, lses.sizes))):
            at = lses.base(*index)
            empty = number % 5 == 0 or index[-1] % 7 == 3
            # Sums of exponentials of large scores, too, which no float holds.
            moved = lses.values[at] * 4 + (10000 if index[-1] % 3 == 1 else 0)
            (lses.values[at],) = decode(encode([-math.inf if empty else moved], "f32"), "f32")
            if empty:
                os.scale(math.nan, *index)

    def wanted(self, os, lses):
        rows, results = [], []
        for index in itertools.product(*map(range, self.sizes[1:4])):
            parts = [(lses.values[lses.base(p, *index)], os.row(p, *index)) for p in range(self.sizes[0])]
            seen = [(lse, row) for lse, row in parts if lse != -math.inf]
            top = max((lse for lse, _ in seen), default=-math.inf)
            whole = sum(math.exp(lse - top) for lse, _ in seen)
            result = [0.0] * self.sizes[4]
            for lse, row in seen:
                result = [x + math.exp(lse - top) / whole * y for x, y in zip(result, row)]
            rows.append(result)
            results.append(top + math.log(whole) if seen else -math.inf)
        return rows, results


def far_cases():
    """Rows as far apart as the code can have them, heads and batches further: places of elements
    need 34 bits, the offsets within a tile all 31 that they have."""
    tiles = "tiles=query=128,key=64"
    return [
        Case("full", "bf16", (2, 1), (64, 64), (2, 130, 90), tiles),
        Case("causal-br", "f16", (2, 2), (56, 56), (1, 70, 131), tiles),
        Case("window", "bf16", (1, 1), (128, 128), (1, 65, 140), "tiles=query=64,key=64", layout="bshd"),
        Matmul("bf16", (70, 72, 96), "tiles=m=64,n=64,k=32 persistent sms=2 resident=1"),
    ]


def large_cases():
    """Tiles for which MI300X has no room in its LDS: 144 and 81 KiB."""
    return [
        Matmul("bf16", (260, 130, 150), "tiles=m=256,n=128,k=64", "stages=3"),
        Case("causal", "bf16", (2, 1), (128, 128), (1, 70, 300), "tiles=query=64,key=160"),
    ]


ORDERS = (
    "naive-block-first",
    "swizzled-block-first",
    "naive-head-first",
    "swizzled-head-first",
)


def float8_cases(element, more=()):
    """Of FP8, which a target has of its own kind."""
    mha, gqa, mqa = (2, 2), (4, 2), (4, 1)
    result = [
        Case("full", element, mha, (64, 64), (1, 70, 150), scales=((1, 1), (1, 1), (1, 1))),
        Case("causal-br", element, gqa, (128, 128), (2, 37, 131), scales=((2, 2), (1, 2), (2, 1))),
        Case("causal", element, mqa, (64, 64), (1, 131, 97), "tiles=query=128,key=128"),
        Case("window", element, gqa, (56, 56), (1, 70, 130), layout="bshd", scales=((1, 2), (1, 2))),
        # Small blocks; head dimensions that are padded; unequal ones.
        Case("causal-br", element, gqa, (128, 128), (1, 33, 129), "tiles=query=16,key=64", scales=((1, 1),)),
        Case("causal-br", element, mha, (80, 80), (1, 37, 75)),
        Case("full", element, mha, (96, 32), (1, 37, 75), wide=True),
        Case("full", element, mha, (16, 16), (1, 20, 40), "tiles=query=16,key=32"),
        Case("causal", element, mha, (64, 64), (1, 90, 170), "tiles=query=64,key=96", "warps=2"),
        Case("full", element, mha, (64, 64), (1, 100, 120), "tiles=query=32,key=32 splits=2", wide=True),
        Case("causal", element, mha, (64, 64), (1, 100, 120), "tiles=query=32,key=32 sawtooth=force"),
        Case("full", element, mha, (64, 64), (1, 33, 0)),
        # Where each key's place is seen.
        Case("causal", element, gqa, (64, 64), (1, 150, 170), "tiles=query=128,key=64", flat=True),
        Case("window", element, mha, (128, 128), (1, 70, 150), flat=True, scales=((1, 1), (1, 1), (1, 2))),
        Case("full", element, mha, (32, 48), (1, 20, 70), "tiles=query=16,key=32", flat=True),
        # Scales of blocks of keys.
        Case("causal-br", element, gqa, (64, 64), (2, 70, 131), scales=((1, 1), (2, 2, 5), (1, 2, 5))),
        Case("full", element, mha, (64, 64), (1, 70, 150), "tiles=query=64,key=32 splits=2", flat=True, scales=((1, 1), (1, 1), (1, 2, 5))),
    ]
    return result + [case._replace(element=other) for other in more for case in result[::3]]


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
        "traversal=inside-out",
        "traversal=backward",
        "persistent sms=2 resident=1 traversal=rotated shift=2 sawtooth=force",
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
        Case("causal-br", "bf16", gqa, (128, 128), (2, 50, 90), wide=True),
        Case("window", "f16", gqa, (56, 56), (1, 70, 90), layout="bshd", wide=True),
        Case("full", "bf16", mha, (64, 64), (1, 33, 130), "tiles=query=32,key=32 splits=2", wide=True),
    ]
    # The maximum of the tiles before, which keys that grow prove too small.
    for element, mask, heads, dim, growth in (
        ("bf16", "full", mha, 64, 0),
        ("bf16", "full", gqa, 128, 0.3),
        ("f16", "full", mha, 64, 0.3),
        ("bf16", "causal", mha, 64, 0.3),
        ("f16", "window", gqa, 56, 0.3),
    ):
        tiles = "tiles=query=64,key=32"
        result.append(
            Case(mask, element, heads, (dim, dim), (1, 70, 150), tiles, "optimistic-max", growth=growth)
        )
    # Priorities of waves, which are no matter to an emulator but in what LLVM makes of them.
    for products, mask in (("scores", "full"), ("all", "causal"), ("all optimistic-max", "full")):
        result.append(Case(mask, "bf16", gqa, (128, 128), (1, 70, 150), lower="priority=" + products))
    # Other operations that stream.
    for element in ("bf16", "f16"):
        result += [
            Matmul(element, (70, 100, 90)),
            Matmul(element, (33, 47, 51), "tiles=m=32,n=48,k=16", "stages=3"),
            Matmul(element, (64, 72, 40), static=True),
            # Eight elements a lane of rows of 32 bytes.
            Matmul(element, (70, 100, 50), "tiles=m=64,n=64,k=16"),
            Matmul(element, (130, 60, 0), "tiles=m=128,n=64,k=64 persistent sms=2 resident=1", "warps=8"),
        ]
    for element in ("f32", "bf16"):
        result.append(LogSumExp(element, (70, 100)))
        result.append(LogSumExp(element, (33, 51), "tiles=row=32,column=32 persistent", "stages=1"))
    # Slices straight into registers, in small and large blocks; splits, or queries, that are none.
    result += [
        Chain((70, 130)),
        Chain((33, 192), 2, lower="warps=1"),
        Chain((130, 65), 2, lower="warps=4"),
        Listed(((2, 0), (1,)), (70, 130)),
        Listed(((), (3, 1, 0), (2,)), (190, 256), lower="warps=1"),
        Listed(((1, 1, 1, 1, 0),), (64, 128), lower="stages=3"),
        Merge((3, 2, 37)),
        Merge((5, 1, 70), 64, lower="warps=2"),
        Merge((2, 1, 33), 32, "persistent sms=2 resident=1", "warps=2"),
        Merge((0, 1, 20)),
        Merge((1, 1, 1)),
        MergedParts("bf16", (3, 2, 2, 37, 64)),
        MergedParts("f16", (11, 1, 2, 21, 128), layout="bshd"),
        MergedParts("f32", (2, 1, 3, 19, 72), "tiles=query=16"),
        MergedParts("bf16", (6, 1, 1, 9, 128), "tiles=query=4 persistent sms=2 resident=1"),
        MergedParts("bf16", (0, 1, 1, 5, 64)),
    ]
    result += listed_blocks.cases()
    # Values in an odd number of panels of 64 bytes, whose rows change places.
    result.append(Case("causal", "bf16", mha, (64, 64), (1, 70, 200), "tiles=query=64,key=96"))
    return result


def scale_of(scales, number, batch, head, key=0):
    """Of Q, K or V: of a batch, a KV head and a block of keys, or of all of them."""
    if number >= len(scales):
        return 1.0
    tensor = scales[number]
    places = zip((batch, head, key // BLOCK), tensor.sizes)
    return tensor.values[tensor.base(*(i % size for i, size in places))]


def attention(case, q, k, v, scales=()):
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
            factor = 0.125 * scale_of(scales, 0, b, h // group)
            ks, vs = (
                [[scale_of(scales, number, b, h // group, j) * x for x in row] for j, row in enumerate(rows_of)]
                for number, rows_of in ((1, ks), (2, vs))
            )
            columns = list(zip(*vs)) if vs else [()] * case.dims[1]
            for i in range(queries):
                x = q.row(b, h, i)
                low = 0 if left is None else max(0, i + shift - left)
                high = keys if right is None else min(keys, i + shift + right + 1)
                high = max(high, low)
                scores = [factor * sum(map(float.__mul__, x, y)) for y in ks[low:high]]
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
