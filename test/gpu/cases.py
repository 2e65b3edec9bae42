#!/usr/bin/env python3
"""The kernels and sizes that are checked on a GPU.

Each kernel takes one value of every list below. The lists are dealt like decks
of cards, shuffled with a fixed seed, so that every value comes equally often
and values meet in pairs that nobody chose. Sizes are dealt the same way.

    cases.py            prints the combinations
    cases.py --summary  prints how often each value occurs
"""

import argparse
import collections
import random
from typing import NamedTuple, Optional

import extremes

SEED = 20261121
ATTENTION_KERNELS = 72
SIZES_PER_KERNEL = 5


class Mask(NamedTuple):
    """A window without bounds is no mask; causal is a window with right = 0."""

    kind: str = "none"  # none, causal, window
    left: int = -1
    right: int = -1
    align: str = "top_left"

    def text(self):
        if self.kind == "none":
            return ""
        if self.kind == "causal":
            return f" mask(#attn.causal<{self.align}>)"
        return (
            f" mask(#attn.window<left = {self.left}, right = {self.right}, "
            f"align = {self.align}>)"
        )

    def label(self):
        if self.kind == "none":
            return "full"
        corner = "tl" if self.align == "top_left" else "br"
        if self.kind == "causal":
            return "causal-" + corner
        bound = lambda n: "inf" if n < 0 else str(n)
        return f"window{bound(self.left)}_{bound(self.right)}-{corner}"


class Sizes(NamedTuple):
    batch: int
    queries: int
    keys: int

    def label(self):
        return f"B={self.batch} Sq={self.queries} Skv={self.keys}"


class MatmulSizes(NamedTuple):
    m: int
    n: int
    k: int

    def label(self):
        return f"m={self.m} n={self.n} k={self.k}"


ELEMENTS = ["bf16", "f16"]
# Head dimension of Q and K, of V; common ones come more often.
DIMS = [
    (64, 64),
    (128, 128),
    (64, 64),
    (128, 128),
    (56, 56),
    (72, 72),
    (80, 80),
    (96, 96),
    (112, 112),
    (256, 256),
    (192, 128),
    (8, 16),
]
# Heads of Q, of K and V: MHA, GQA, MQA.
HEADS = [(2, 2), (4, 2), (3, 1), (6, 2), (1, 1), (8, 2), (5, 5), (4, 1)]
MASKS = [
    Mask(),
    Mask("causal", -1, 0, "top_left"),
    Mask("causal", -1, 0, "bottom_right"),
    Mask(),
    Mask("window", 17, 3, "top_left"),
    Mask("window", 40, 0, "bottom_right"),
    Mask("window", -1, 11, "bottom_right"),
    Mask("window", 0, -1, "top_left"),
    Mask("window", 300, 0, "bottom_right"),
]
# Tile sizes, and what the lowering is asked for; "" leaves it to the compiler.
TILES = [
    ("", ""),
    ("query=128,key=64", ""),
    ("query=64,key=64", ""),
    ("", ""),
    ("query=128,key=32", ""),
    ("query=64,key=32", ""),
    ("query=64,key=128", ""),
    ("query=128,key=128", "wgmma=all specialize overlap ping-pong"),
    ("query=64,key=96", "wgmma=all specialize overlap store-tensors"),
    ("query=128,key=80", "wgmma=all specialize overlap ping-pong stages=3 optimistic-max"),
    ("query=128,key=64", "warps=8 optimistic-max"),
    ("query=64,key=64", "stages=1 store-tensors"),
    ("query=64,key=48", "stages=3 wgmma=scores"),
    ("query=80,key=80", "warps=5 optimistic-max"),
    ("query=128,key=64", "copy=async chunk=4"),
    ("query=64,key=64", "copy=async stages=1"),
]
SCHEDULES = [
    "",
    "sawtooth=force",
    "persistent sms=3 resident=1 sawtooth=force",
    "persistent",
    "persistent sms=5 resident=1 grid-order=naive-block-first sawtooth=force",
    "persistent sms=4 resident=1 grid-order=naive-head-first sawtooth=force",
    "persistent sms=6 resident=1 grid-order=swizzled-block-first domains=3",
    "persistent sms=2 resident=2 grid-order=swizzled-head-first domains=8 sawtooth=force",
    "persistent sms=8 resident=1 grid-order=swizzled-head-first domains=4 chunk=2 longest-first",
    "grid-order=swizzled-head-first domains=4",
    "grid-order=swizzled-block-first domains=3 longest-first sawtooth=force",
    "grid-order=naive-head-first longest-first",
    "splits=3",
    "splits=2 persistent sms=4 resident=1 sawtooth=force longest-first",
    "persistent sawtooth=auto overrides=sms=3,l2_effective_bytes=9000",
    "sawtooth=auto overrides=l2_effective_bytes=1",
]
# Hopper's own pipeline with the tiles that are its defaults, by head dimensions; few CTAs,
# so that each takes many tiles. Without tiles and schedule: what the compiler takes itself.
ROLES = "wgmma=all specialize overlap ping-pong"
OPTIMISTIC = ROLES + " optimistic-max"
HOPPER = [
    ((64, 64), "query=192,key=128", OPTIMISTIC + " resident-stages=2 store-tensors"),
    ((128, 128), "query=128,key=128", ROLES + " resident-stages=2"),
    ((256, 256), "query=128,key=80", OPTIMISTIC + " store-tensors"),
    ((192, 128), "query=128,key=112", OPTIMISTIC),
    ((56, 56), "query=192,key=128", ROLES + " resident-stages=2 store-tensors"),
    ((96, 96), "query=128,key=128", ROLES + " resident-stages=2 store-tensors"),
    ((40, 80), "query=128,key=128", ROLES + " resident-stages=2"),
    ((128, 128), "query=128,key=160", OPTIMISTIC + " resident-stages=2"),
    ((72, 72), "query=128,key=128", OPTIMISTIC + " resident-stages=2 wide-panels"),
    ((136, 104), "query=128,key=96", OPTIMISTIC + " wide-panels lead=30 rounded-sums=registers"),
    ((104, 104), "query=128,key=128", OPTIMISTIC + " resident-stages=2 wide-panels store-tensors"),
    ((128, 128), "query=128,key=128", OPTIMISTIC + " resident-stages=2 lead=30 rounded-sums=products"),
    ((64, 64), "query=192,key=128", OPTIMISTIC + " resident-stages=2 store-tensors lead=30 rounded-sums=products"),
]
HOPPER_SCHEDULES = [
    "",
    "persistent sms=3 resident=1",
    "persistent sms=5 resident=1 pair-tiles",
    "persistent sms=4 resident=1 pair-tiles sawtooth=force",
    "persistent sms=7 resident=1 pair-tiles grid-order=swizzled-head-first domains=4",
    "persistent sms=3 resident=1 grid-order=naive-block-first sawtooth=force",
    "persistent sms=5 resident=1 snake grid-order=block-outermost longest-first",
    "persistent sms=5 resident=1 dynamic grid-order=two-sets longest-first",
]
# Score modifications: none (most often), softcap, ALiBi, a mask of one's own.
MODIFICATIONS = ["none", "none", "none", "softcap", "none", "alibi", "none", "drop"]
# bit 0: BSHD, bit 1: LSE.
LAYOUTS = [0, 1, 2, 3]

SIZES = [
    Sizes(1, 1, 1),
    Sizes(2, 37, 53),
    Sizes(1, 128, 128),
    Sizes(1, 1, 97),
    Sizes(1, 101, 31),
    Sizes(1, 257, 257),
    Sizes(3, 16, 64),
    Sizes(2, 131, 127),
    Sizes(1, 64, 0),
    Sizes(1, 1000, 1000),
    Sizes(1, 61, 160),
    Sizes(0, 5, 5),
    Sizes(1, 384, 640),
    Sizes(2, 0, 7),
    Sizes(1, 2048, 2048),
    Sizes(2, 513, 300),
    Sizes(5, 131, 1),
    Sizes(1, 300, 1025),
]
CAPS = [1.5, 20.0]
# How long keys are along the sequence: what the row maxima do. Growing ones make every tile
# miss the maximum of those before; falling ones none but the first.
INPUTS = ["even", "growing", "even", "leaping", "falling"]

MODIFICATION_TEXT = {
    "none": "",
    "softcap": """
      captures(%cap : f32)
      score(%s: f32, %b: index, %h: index, %i: index, %j: index, %c: f32) {
        %x = arith.divf %s, %c : f32
        %t = math.tanh %x : f32
        %y = arith.mulf %t, %c : f32
        attn.yield %y : f32
      }""",
    "alibi": """
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %d = arith.subi %j, %i : index
        %di = arith.index_cast %d : index to i32
        %df = arith.sitofp %di : i32 to f32
        %hi = arith.index_cast %h : index to i32
        %hf = arith.sitofp %hi : i32 to f32
        %e = arith.constant -2.0 : f32
        %hn = arith.mulf %hf, %e : f32
        %m = math.exp2 %hn : f32
        %bias = arith.mulf %m, %df : f32
        %y = arith.addf %s, %bias : f32
        attn.yield %y : f32
      }""",
    "drop": """
      score(%s: f32, %b: index, %h: index, %i: index, %j: index) {
        %three = arith.constant 3 : index
        %sum = arith.addi %i, %b : index
        %all = arith.addi %sum, %j : index
        %r = arith.remui %all, %three : index
        %zero = arith.constant 0 : index
        %drop = arith.cmpi eq, %r, %zero : index
        %inf = arith.constant 0xFF800000 : f32
        %y = arith.select %drop, %inf, %s : f32
        attn.yield %y : f32
      }""",
}


def modification_text(name):
    if name in MODIFICATION_TEXT:
        return MODIFICATION_TEXT[name]
    return extremes.modification_text(name)


class Attention(NamedTuple):
    """A kernel of attention. `static` has its sizes where they are static."""

    number: int
    element: str
    qk: int
    value: int
    heads: int
    kv_heads: int
    mask: Mask
    bshd: bool
    lse: bool
    modification: str
    scale: float
    tiles: str
    options: str
    lower: str
    static: Optional[Sizes] = None
    # Of extremes.py, one for each of its sizes; none: of INPUTS.
    inputs: tuple = ()

    kind = "attention"

    @property
    def name(self):
        return (
            f"a{self.number:02d}-{self.element}-d{self.qk}_{self.value}"
            f"-h{self.heads}_{self.kv_heads}-{self.mask.label()}"
        )

    def schedule(self):
        return " ".join(
            filter(None, ["tiles=" + self.tiles if self.tiles else "", self.options])
        )

    def describe(self):
        words = [
            self.name,
            "bshd" if self.bshd else "bhsd",
            "lse" if self.lse else "",
            "" if self.modification == "none" else self.modification,
            "static" if self.static else "",
            f"[{self.schedule()}]",
            f"({self.lower})" if self.lower else "",
        ]
        return " ".join(filter(None, words))

    def tensor(self, heads, dim, length):
        size = {"batch": "?", "query": "?", "key": "?"}
        if self.static:
            size = dict(zip(["batch", "query", "key"], map(str, self.static)))
        middle = [size[length], str(heads)] if self.bshd else [str(heads), size[length]]
        shape = "x".join([size["batch"], *middle, str(dim)])
        return f"tensor<{shape}x{self.element}>"

    def text(self):
        """The kernel as level-1 MLIR."""
        q = self.tensor(self.heads, self.qk, "query")
        k = self.tensor(self.kv_heads, self.qk, "key")
        v = self.tensor(self.kv_heads, self.value, "key")
        o = self.tensor(self.heads, self.value, "query")
        rows = [str(self.static.batch), str(self.static.queries)] if self.static else "??"
        l = f"tensor<{rows[0]}x{self.heads}x{rows[1]}xf32>"
        results = f"({o}, {l})" if self.lse else o
        cap = ", %cap: f32" if self.modification == "softcap" else ""
        return (
            f"func.func @f(%q: {q}, %k: {k}, %v: {v}{cap}) -> {results} {{\n"
            f"  {'%r:2' if self.lse else '%r'} = attn.attention %q, %k, %v"
            f"{self.mask.text()} scale({self.scale!r})"
            f"{' layout(bshd)' if self.bshd else ''}"
            f"{modification_text(self.modification)}\n"
            f"      : ({q}, {k}, {v}) -> {results}\n"
            f"  return {f'%r#0, %r#1 : {o}, {l}' if self.lse else f'%r : {o}'}\n"
            f"}}\n"
        )

    def scalars(self, sizes):
        """Values of the captured scalars."""
        return [CAPS[sum(sizes) % 2]] if self.modification == "softcap" else []


class Matmul(NamedTuple):
    """A kernel of attn.matmul; sizes are static where given."""

    number: int
    element: str
    result: str
    tiles: str
    options: str
    n: Optional[int] = None
    k: Optional[int] = None

    kind = "matmul"
    lower = ""

    @property
    def name(self):
        static = f"-n{self.n or 'x'}-k{self.k or 'x'}" if self.n or self.k else ""
        return f"m{self.number:02d}-{self.element}-{self.result}{static}"

    schedule = Attention.schedule

    def describe(self):
        return f"{self.name} [{self.schedule()}]"

    def text(self):
        n, k = self.n or "?", self.k or "?"
        types = (
            f"(tensor<?x{k}x{self.element}>, tensor<{k}x{n}x{self.element}>)"
            f" -> tensor<?x{n}x{self.result}>"
        )
        lhs, rhs = types[1 : types.index(")")].split(", ")
        result = types.split(" -> ")[1]
        return (
            f"func.func @f(%a: {lhs}, %b: {rhs}) -> {result} {{\n"
            f"  %c = attn.matmul %a, %b : {types}\n"
            f"  return %c : {result}\n}}\n"
        )

    def scalars(self, sizes):
        return []


MATMULS = [
    Matmul(0, "bf16", "f32", "", ""),
    Matmul(1, "f16", "f16", "", "persistent sms=5 resident=1"),
    Matmul(2, "bf16", "bf16", "m=128,n=128,k=32", "sawtooth=force"),
    Matmul(3, "f16", "f32", "m=64,n=64,k=64", "persistent sms=3 resident=1 sawtooth=force"),
    Matmul(4, "bf16", "bf16", "m=128,n=64,k=64", "splits=2", n=512, k=256),
    Matmul(5, "f16", "f16", "m=64,n=128,k=32", "grid-order=naive-head-first", k=512),
]
MATMUL_SIZES = [
    MatmulSizes(8, 8, 8),
    MatmulSizes(304, 200, 504),
    MatmulSizes(128, 128, 128),
    MatmulSizes(1, 24, 40),
    MatmulSizes(1000, 512, 64),
    MatmulSizes(37, 64, 0),
]

# Sizes that the type knows.
STATIC = [Sizes(1, 256, 256), Sizes(2, 200, 333), Sizes(1, 64, 1024), Sizes(1, 37, 53)]


def deal(deck, count, rng):
    """`count` cards from shuffled decks. (random.random() is the one generator
    that Python keeps the same from version to version.)"""
    cards = []
    while len(cards) < count:
        cards += sorted(deck, key=lambda card: rng.random())
    return cards[:count]


def fits(qk, value, tiles, options, shared=232448, registers=65536):
    """What the partition asks of a tile on h200 (docs/targets.md, Footprint),
    counting each part of a split."""
    if not tiles:
        return "splits" not in options or value <= 128
    query, key = (int(part.split("=")[1]) for part in tiles.split(","))
    parts = 3 if "splits=3" in options else 2 if "splits=2" in options else 1
    stay, streamed = query * qk * 2, key * (qk + value) * 2
    return (
        stay + 2 * streamed <= shared
        and parts * query * (value + 2) + query * key <= registers
    )


def attention_kernels():
    rng = random.Random(SEED)
    count = ATTENTION_KERNELS
    columns = [
        deal(deck, count, rng)
        for deck in (
            ELEMENTS,
            DIMS,
            HEADS,
            MASKS,
            TILES,
            SCHEDULES,
            MODIFICATIONS,
            LAYOUTS,
        )
    ]
    kernels = []
    for number, row in enumerate(zip(*columns)):
        element, (qk, value), (heads, kv), mask, (tiles, lower) = row[:5]
        options, modification, layout = row[5:]
        if not fits(qk, value, tiles, options):
            tiles, lower = "query=64,key=32", ""
        if not fits(qk, value, tiles, options):
            options = "persistent sms=3 resident=1"
        kernels.append(
            Attention(
                number,
                element,
                qk,
                value,
                heads,
                kv,
                mask,
                bool(layout & 1),
                bool(layout & 2),
                modification,
                0.25 if number % 3 == 0 else round(qk**-0.5, 9),
                tiles,
                options,
                lower,
                STATIC[number // 18] if number % 18 == 5 else None,
            )
        )
    return kernels


def hopper_kernels():
    """Every head dimension with every schedule; the rest in turns."""
    kernels = []
    for (qk, value), tiles, lower in HOPPER:
        for options in HOPPER_SCHEDULES:
            i = len(kernels)
            # Without options: those that were measured, for the head dimensions.
            mine = (tiles, lower) if options else ("", "")
            kernels.append(
                Attention(
                    ATTENTION_KERNELS + i,
                    ELEMENTS[i % len(ELEMENTS)],
                    qk,
                    value,
                    *HEADS[i % len(HEADS)],
                    MASKS[(i + i // 6) % len(MASKS)],
                    bool(i & 1),
                    bool(i & 2),
                    MODIFICATIONS[(i // 2) % len(MODIFICATIONS)],
                    round(qk**-0.5, 9),
                    mine[0],
                    options,
                    mine[1],
                    None,
                )
            )
    return kernels


EXTREME_MASKS = {
    "causal": MASKS[1],
    "full": MASKS[0],
    "bottom right": MASKS[2],
    "window": MASKS[8],
}


def extreme_sizes(number):
    """No multiple of a tile, far more keys than extremes.LEFT."""
    return Sizes(1, 1500 - 37 * number, 1500 - 29 * number)


def extreme_kernels(first):
    """Large scores, infinities, NaN and denormals."""
    result = []
    for element, dim, mask, modification, pipeline, inputs in extremes.kernels():
        tiles, options, lower = pipeline
        i = len(result)
        result.append(
            Attention(
                first + i,
                element,
                dim,
                dim,
                2,
                1 + i % 2,
                EXTREME_MASKS[mask],
                bool(i & 1),
                True,
                modification,
                2.0 ** -(dim.bit_length() // 2),
                tiles,
                options,
                lower,
                inputs=inputs,
            )
        )
    return result


def inputs_of(kernel, sizes, index):
    """What the inputs of combination `index` are like."""
    if kernel.kind == "attention" and kernel.inputs:
        numbers = range(len(kernel.inputs))
        return kernel.inputs[[extreme_sizes(n) for n in numbers].index(sizes)]
    return INPUTS[index % len(INPUTS)]


def combinations():
    """All (kernel, sizes), kernels in order."""
    rng = random.Random(SEED + 1)
    kernels = attention_kernels() + hopper_kernels()
    sizes = deal(SIZES, len(kernels) * SIZES_PER_KERNEL, rng)
    result = []
    for index, kernel in enumerate(kernels):
        if kernel.static:
            result.append((kernel, kernel.static))
            continue
        mine = sizes[index * SIZES_PER_KERNEL : (index + 1) * SIZES_PER_KERNEL]
        result += [(kernel, s) for s in dict.fromkeys(mine)]
    for kernel in extreme_kernels(len(kernels)):
        result += [(kernel, extreme_sizes(n)) for n in range(len(kernel.inputs))]
    for kernel in MATMULS:
        for s in MATMUL_SIZES:
            s = s._replace(n=kernel.n or s.n, k=kernel.k or s.k)
            if (kernel, s) not in result:
                result.append((kernel, s))
    return result


def kernels():
    return list(dict.fromkeys(kernel for kernel, _ in combinations()))


def cross_section(pairs):
    """A dozen small combinations that differ in what matters to a sanitizer:
    head dimensions, masks, schedules, layouts, rings."""
    chosen, seen = [], set()
    for kernel, sizes in pairs:
        small = 2 <= max(sizes) <= 400 and min(sizes) > 0
        if kernel.kind == "matmul":
            feature = "matmul"
        else:
            words = kernel.options.split()
            feature = next(
                (
                    word
                    for word in ["splits", "sawtooth", "grid-order", "persistent"]
                    if any(w.startswith(word) for w in words)
                ),
                "plain",
            ) + (" masked" if kernel.mask.kind != "none" else " full")
            feature += " narrow" if kernel.qk < 64 or kernel.qk % 64 else ""
        if small and feature not in seen:
            seen.add(feature)
            chosen.append((kernel, sizes))
    return chosen


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--summary", action="store_true")
    parser.add_argument("--mlir", metavar="NAME", help="print kernels of that prefix")
    arguments = parser.parse_args()
    pairs = combinations()
    if arguments.mlir:
        for kernel in kernels():
            if kernel.name.startswith(arguments.mlir):
                print(f"// {kernel.describe()}\n{kernel.text()}")
        return
    if arguments.summary:
        for field in Attention._fields[1:]:
            counts = collections.Counter(
                str(getattr(k, field)) for k in kernels() if k.kind == "attention"
            )
            print(f"{field}:", ", ".join(f"{v} x {n}" for v, n in sorted(counts.items())))
        counts = collections.Counter(s.label() for _, s in pairs)
        print("sizes:", ", ".join(f"{v} x {n}" for v, n in sorted(counts.items())))
    else:
        for index, (kernel, sizes) in enumerate(pairs):
            print(kernel.describe(), sizes.label(), inputs_of(kernel, sizes, index))
    print(f"{len(kernels())} kernels, {len(pairs)} combinations")


if __name__ == "__main__":
    main()
