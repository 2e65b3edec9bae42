"""mask= and score_mod=: Python functions and the kernels that are made of them, against the same functions of
tensors."""

import collections
import functools
import math
import operator
import sys
import types
import unittest

import attn_mlir
import numpy
import reference
import torch
from torch import float32
from torch.nn.attention.flex_attention import and_masks, noop_mask, or_masks

B, H, HKV, SQ, SKV, D = 2, 4, 2, 45, 70, 16


def make(seed=0, sizes=(B, H, HKV, SQ, SKV), dtype=float32):
    torch.manual_seed(seed)
    batch, heads, kv_heads, queries, keys = sizes
    return [
        torch.randn(batch, n, length, D, dtype=dtype) * 1.5
        for n, length in ((heads, queries), (kv_heads, keys), (kv_heads, keys))
    ]


class Captured:
    """Arrays that functions read."""

    def __init__(self):
        torch.manual_seed(7)
        self.slopes = torch.rand(H) - 0.5
        self.bias = torch.randn(H, SQ, SKV)
        self.rows = torch.randn(2, SKV)
        self.half = torch.randn(1, H, SQ, SKV).half()
        self.wide = torch.randn(SQ, SKV)[None, None].expand(B, H, SQ, SKV)
        self.table = torch.randn(H, 129).bfloat16()
        self.ids = torch.randint(0, 3, (B, SKV)).sort().values
        self.ids32 = self.ids.int()
        self.lengths = torch.tensor([13, 66])
        self.allowed = torch.rand(B, SQ, SKV) < 0.6
        self.small = torch.randint(-4, 5, (SKV,), dtype=torch.int8)
        self.one = torch.tensor(0.75)
        self.strided = torch.randn(SKV, H).t()
        self.long = torch.randn(4 * SKV)
        self.holes = torch.where(torch.arange(SKV) % 5 == 1, float("nan"), 0.5)
        self.wholes = torch.arange(1.0, SKV + 1)


C = Captured()


def relative(score, b, h, q, k):
    return score + C.table[h, (k - q + 64).clamp(0, 128)]


SCORES = {
    "identity": lambda s, b, h, q, k: s,
    "constant": lambda s, b, h, q, k: s * 0 + 1.5,
    "softcap": lambda s, b, h, q, k: 20.0 * torch.tanh(s / 20.0),
    "alibi": lambda s, b, h, q, k: s + C.slopes[h] * (k - q),
    "alibi-made": lambda s, b, h, q, k: s + torch.exp2(-((h + 1) * 8.0 / H)) * (k - q),
    "bias": lambda s, b, h, q, k: s + C.bias[h, q, k],
    "bias-half": lambda s, b, h, q, k: s + C.half[0, h, q, k],
    "bias-repeated": lambda s, b, h, q, k: s + C.wide[b, h, q, k],
    "bias-partly": lambda s, b, h, q, k: s + C.rows[0][k] * C.bias[1][q, k],
    "strided": lambda s, b, h, q, k: s + C.strided[h, k],
    "longer-than-the-keys": lambda s, b, h, q, k: s + C.long[k] * C.long[q],
    "relative": relative,
    "int8": lambda s, b, h, q, k: s + C.small[k] * 0.25,
    "scalar-tensor": lambda s, b, h, q, k: s * C.one + C.one,
    "where": lambda s, b, h, q, k: torch.where(q >= k, s, -float("inf")),
    "where-numbers": lambda s, b, h, q, k: s + torch.where((q - k) % 3 == 0, 1.0, 0.0),
    "floor": lambda s, b, h, q, k: s + (q - k) // 7 + (q - k) % 7 * 0.125,
    "floor-negative": lambda s, b, h, q, k: s + (q - k) // -5 + (k - q) % -5 * 0.125,
    "float-floor": lambda s, b, h, q, k: s + s // 0.75 + s % 0.75,
    "true-division": lambda s, b, h, q, k: s + (q - k) / 16,
    "powers": lambda s, b, h, q, k: s**2 * 0.125 + 2.0 ** (-h) - s**3 * 0.01,
    "whole-powers": lambda s, b, h, q, k: (s * 0.5)**13 * 1e-3 + s**0 + (s * s + 1) ** -3 + h**2 * 0.1 + (s * s) ** 0.5 + 2 ** (h * 0.5),
    "real-powers": lambda s, b, h, q, k: (s.abs() + 0.5) ** 1.5 - torch.pow(s * s + 1, 1 - 0.25 * h),
    "signed-powers": lambda s, b, h, q, k: s * (-1) ** (q + k) + (h - 1.5) ** (k % 4) + (h - 1.0) ** (q % 3) + 0.0 ** (k // 30),
    "integer-powers": lambda s, b, h, q, k: s + 3 ** (k // 20) * 0.01 + 0 ** (k // 20) + (h - 2) ** (q % 4) * 0.1 + 2**h * 0.1 + 2 ** (q > k),
    "whole-quotients": lambda s, b, h, q, k: s + torch.floor(k / 41) + (q / 7).int() - torch.floor((k * q) / C.wholes[q]) * 0.1,
    "greatest": lambda s, b, h, q, k: torch.fmax(s, C.holes[k]) - torch.fmin(C.holes[k], s),
    "activations": lambda s, b, h, q, k: torch.log(torch.nn.functional.gelu(s) + torch.nn.functional.silu(s) + torch.nn.functional.relu(s) + 2),
    "more-activations": lambda s, b, h, q, k: (
        torch.nn.functional.softplus(s * 9) + torch.nn.functional.gelu(s, approximate="tanh") + torch.nn.functional.leaky_relu(s)),
    "signs": lambda s, b, h, q, k: s + torch.sign(k - q) * 0.5 + torch.trunc(s) - torch.isnan(s) * 1.0 + torch.expm1(-s.abs()) + torch.log1p(s * s),
    "trigonometric": lambda s, b, h, q, k: torch.sin(torch.cos(s)) + torch.tan(s * 0.1 + h) + torch.atan(s),
    "aten": lambda s, b, h, q, k: torch.ops.aten.where(q >= k, s + torch.ops.aten.index(C.slopes, [h]), s * 0.5),
    "made": lambda s, b, h, q, k: s + torch.zeros_like(s) + s.new_full((), 0.5) + torch.ones_like(q) * 0.25,
    "keywords": lambda s, b, h, q, k: torch.where(q > k, input=s, other=torch.pow(s, exponent=2)) + (q * 0.5).to(int),
    "erf": lambda s, b, h, q, k: s * torch.erf(s * 0.7) + torch.floor(s) - torch.ceil(s * 2),
    "functions": lambda s, b, h, q, k: torch.sigmoid(s) + torch.exp(-s.abs()) + torch.log(1 + s * s),
    "more-functions": lambda s, b, h, q, k: torch.sqrt(s.abs()) + torch.rsqrt(1 + s * s) + s.sin() - s.cos(),
    "extrema": lambda s, b, h, q, k: torch.maximum(torch.minimum(s, s * 0 + 1), s * 0.5).clamp(-2, max=2),
    "integer-extrema": lambda s, b, h, q, k: s + torch.minimum(q, k) * 0.1 + (q - k).abs().clamp(max=9) * 0.2,
    "relu": lambda s, b, h, q, k: torch.relu(s) - (-s).relu() * 0.5,
    "comparisons": lambda s, b, h, q, k: s + (q < k) + (s > 0) * 2 - (q != k) * 0.5 + (h == 1).float(),
    "bits": lambda s, b, h, q, k: s + ((q ^ k) & 7) * 0.1 + (q | 1) * 0.01 + ((k >> 2) << 1) * 0.01,
    "casts": lambda s, b, h, q, k: s * 0 + s.to(torch.int32) + s.to(torch.bfloat16) + (q - k).to(torch.float32) * 0.5,
    "reversed": lambda s, b, h, q, k: 1.0 - s + 2.0 / (s * s + 1) - (3 - q) * 0.1,
    "our-softcap": lambda s, b, h, q, k: attn_mlir.softcap(s, 7.0),
    "ours": lambda s, b, h, q, k: attn_mlir.where(q > k, attn_mlir.tanh(s), attn_mlir.maximum(s, s * 2)),
}
MASKS = {
    "causal": lambda b, h, q, k: q >= k,
    "window": lambda b, h, q, k: (q >= k) & (q - k <= 11),
    "near": lambda b, h, q, k: abs(q - k) < 9,
    "far": lambda b, h, q, k: (q - k).abs() >= 9,
    "documents": lambda b, h, q, k: C.ids[b, q] == C.ids[b, k],
    "documents-32": lambda b, h, q, k: (C.ids32[b, q] == C.ids32[b, k]) & (k <= q),
    "lengths": lambda b, h, q, k: k < C.lengths[b],
    "prefix": lambda b, h, q, k: (k < C.lengths[b]) | (k <= q),
    "allowed": lambda b, h, q, k: C.allowed[b, q, k],
    "chunks": lambda b, h, q, k: (q // 16 == k // 16) & (q >= k),
    "dilated": lambda b, h, q, k: torch.logical_and(q % 3 == k % 3, torch.logical_not(q < k)),
    "heads": lambda b, h, q, k: (h % 2 == 0) | (k < 5),
    "not": lambda b, h, q, k: ~(k == q),
    "nothing": lambda b, h, q, k: k < 0,
    "everything": lambda b, h, q, k: True,
    "integers": lambda b, h, q, k: (q + k) & 1,
    # Of 32 bits, as FlexAttention's indices are.
    "hash": lambda b, h, q, k: ((q.int() * 73856093) ^ (k.int() * 19349663)) % 5 != 0,
    "hash-of-pairs": lambda b, h, q, k: ((q.int() * 50 + k.int()) * 26544357) % 97 < 50,
    "overflow-of-sums": lambda b, h, q, k: ((k + 2147483640).int() // 7 > 0) & ((-2147483640 - k) >> 3 < 0) | (k % 4 == 0),
    "negative-divisors": lambda b, h, q, k: ((k.int() << 31) % -7 == -5) | ((q.int() * 2**30) // -4096 >= 0),
    "overflow": lambda b, h, q, k: (k.int() * 50000000) // 7 >= 0,
    "shifts": lambda b, h, q, k: ((k.int() << 26) >> 26 >= 0) | (((1 << 30) >> 28) > k),
    "long": lambda b, h, q, k: (k * 1e9).long() > 20000000000,
    "of-torch": and_masks(lambda b, h, q, k: q >= k - 30, or_masks(lambda b, h, q, k: k % 3 == 0, lambda b, h, q, k: q - k < 9)),
    "noop": and_masks(noop_mask, or_masks(lambda b, h, q, k: C.ids[b, q] == C.ids[b, k], lambda b, h, q, k: k < 4)),
    "sum-of-booleans": lambda b, h, q, k: ((k < 16) + C.allowed[b, q, k]) == 1,
}
CAUSAL = MASKS["causal"]


# Small tiles: many of each kind, and quickly compiled.
TILES = "tiles=query=16,key=16"


class Functions(unittest.TestCase):
    def compare(self, tensors, mask=None, score=None):
        o, lse = attn_mlir.attention(*tensors, mask=mask, score_mod=score, return_lse=True, schedule=TILES)
        q, k, _ = tensors
        sizes = q.shape[0], q.shape[1], q.shape[2], k.shape[2]
        keep = None
        if mask is not None:
            keep = torch.as_tensor(mask(*reference.indices(*sizes))).bool().expand(sizes)
        wanted, wanted_lse = reference.attention(*tensors, keep=keep, score=score)
        reference.check(self, o, wanted, q.dtype, 1e-4)
        reference.check(self, lse, wanted_lse, q.dtype, 1e-4)



class Scores(Functions):
    def test_scores(self):
        tensors = make()
        for name, score in SCORES.items():
            with self.subTest(name):
                self.compare(tensors, score=score)


class Masks(Functions):
    def test_masks(self):
        tensors = make(1)
        for name, mask in MASKS.items():
            with self.subTest(name):
                self.compare(tensors, mask=mask)

    def test_both(self):
        self.compare(make(2), mask=MASKS["documents"], score=SCORES["relative"])
        self.compare(make(2), mask=MASKS["allowed"], score=SCORES["bias"])

    def test_sorted(self):
        ids = attn_mlir.sorted(C.ids)
        o = attn_mlir.attention(*make(3), mask=lambda b, h, q, k: ids[b, q] == ids[b, k])
        keep = (C.ids[:, None, :SQ, None] == C.ids[:, None, None, :]).expand(B, H, SQ, SKV)
        reference.check(self, o, reference.attention(*make(3), keep=keep)[0], float32)

    def test_tensors_as_masks(self):
        tensors = make(4)
        torch.manual_seed(9)
        for shape in ((B, H, SQ, SKV), (B, 1, SQ, SKV), (1, 1, SQ, SKV), (SQ, SKV), (B, 1, 1, SKV), (1, SKV), (SKV,), (H, 1, 1)):
            allowed, added = torch.rand(shape) < 0.7, torch.randn(shape)
            added[torch.rand(shape) < 0.2] = float("-inf")
            for dtype in (float32, torch.bfloat16):
                with self.subTest(shape=shape, dtype=dtype):
                    extra = added.to(dtype)
                    o, lse = attn_mlir.attention(*tensors, mask=extra, return_lse=True, schedule=TILES)
                    wanted = reference.attention(*tensors, score=lambda s, *_: s + extra.double())
                    reference.check(self, o, wanted[0], float32)
                    reference.check(self, lse, wanted[1], float32)
            keep = allowed.expand(B, H, SQ, SKV)
            for name, mask in (("bool", allowed), ("expanded", keep), ("numpy", numpy.broadcast_to(allowed.numpy(), (B, H, SQ, SKV)))):
                with self.subTest(shape=shape, mask=name):
                    o = attn_mlir.attention(*tensors, mask=mask, schedule=TILES)
                    reference.check(self, o, reference.attention(*tensors, keep=keep)[0], float32)

    def test_mask_and_score_mod(self):
        tensors = make(5)
        added = torch.randn(SQ, SKV)
        o = attn_mlir.attention(*tensors, mask=added, score_mod=SCORES["softcap"])
        wanted, _ = reference.attention(*tensors, score=lambda s, *i: SCORES["softcap"](s, *i) + added.double())
        reference.check(self, o, wanted, float32)

    def test_numpy_captures(self):
        slopes, table = C.slopes.numpy(), attn_mlir.capture(C.bias.numpy())
        o = attn_mlir.attention(
            *make(6), score_mod=lambda s, b, h, q, k: s + slopes[h] * (k - q) + table[h, q, k])
        wanted, _ = reference.attention(
            *make(6), score=lambda s, b, h, q, k: s + C.slopes[h] * (k - q) + C.bias[h, q, k])
        reference.check(self, o, wanted, float32)


class Keys(unittest.TestCase):
    """How many kernels are compiled."""

    def compiled(self, call):
        before = attn_mlir.cache_info()
        call()
        after = attn_mlir.cache_info()
        return after.compiled + after.from_disk - before.compiled - before.from_disk

    def test_lambdas_made_anew(self):
        tensors = make(7)

        def call(slopes, cap):
            return attn_mlir.attention(*tensors, score_mod=lambda s, b, h, q, k: s + slopes[h] * cap * (k - q))

        slopes = torch.rand(H)
        self.assertEqual(self.compiled(lambda: call(slopes, 3.0)), 1)
        self.assertEqual(self.compiled(lambda: call(slopes, 3.0)), 0)
        other = torch.rand(H)
        results = []
        self.assertEqual(self.compiled(lambda: results.append(call(other, 3.0))), 0)
        wanted, _ = reference.attention(*tensors, score=lambda s, b, h, q, k: s + other[h] * 3.0 * (k - q))
        reference.check(self, results[0], wanted, float32)
        self.assertEqual(self.compiled(lambda: call(other, 4.0)), 1)

    def test_one_text_of_two_functions(self):
        tensors = make(8)
        one = lambda s, b, h, q, k: s * 0.5 - h
        two = functools.partial(lambda c, s, b, h, q, k: s * c - h, 0.5)
        self.assertEqual(self.compiled(lambda: attn_mlir.attention(*tensors, score_mod=one)), 1)
        self.assertEqual(self.compiled(lambda: attn_mlir.attention(*tensors, score_mod=two)), 0)

    def test_arrays_change_in_place(self):
        tensors = make(9)
        bias = torch.zeros(H)
        score = lambda s, b, h, q, k: s + bias[h] * k
        attn_mlir.attention(*tensors, score_mod=score)
        bias += 0.05
        o = attn_mlir.attention(*tensors, score_mod=score)
        reference.check(self, o, reference.attention(*tensors, score=score)[0], float32)

    def test_numbers_that_change(self):
        """A number in a 0-dimensional tensor, in an attribute, in a global, in a list."""
        tensors = make(10)
        number, holder, items = torch.tensor(1.0), type("Holder", (), {"x": 1.0})(), [1.0]
        for change in (lambda: number.fill_(2.0), lambda: setattr(holder, "x", 3.0), lambda: items.__setitem__(0, 0.5)):
            score = lambda s, b, h, q, k: s * number * holder.x * items[0]
            attn_mlir.attention(*tensors, score_mod=score)
            change()
            o = attn_mlir.attention(*tensors, score_mod=score)
            reference.check(self, o, reference.attention(*tensors, score=score)[0], float32)

    def test_numbers_that_are_read(self):
        """Numbers of arrays that the kernel does not read: each call reads them anew."""
        tensors, table, array, flags = make(18), torch.tensor([2.0, 3.0]), numpy.array([1.0, 2.0], numpy.float32), torch.tensor([True])
        config, known = type("Config", (), {"window": 9}), {"window": 9}
        get = known.get
        first = lambda s, b, h, q, k: s * table[0] + k * table.max() * 0.1
        item = lambda s, b, h, q, k: s * table[1].item() + float(array[0]) + array[1]
        branch = lambda s, b, h, q, k: s * 2 if flags[0] else s
        window = lambda s, b, h, q, k: s + (q - k < config.window) * 1.0 - (q - k < get("window")) * 1.0
        for score, change in (
            (first, lambda: table.mul_(-0.5)), (item, lambda: table.add_(1)), (item, lambda: array.__imul__(2)),
            (branch, lambda: flags.logical_not_()), (window, lambda: setattr(config, "window", 3)),
            (window, lambda: known.update(window=1)),
        ):
            attn_mlir.attention(*tensors, score_mod=score)
            change()
            o = attn_mlir.attention(*tensors, score_mod=score)
            reference.check(self, o, reference.attention(*tensors, score=score)[0], float32)

    def test_what_functions_have(self):
        """Attributes of functions, arrays of a partial's function, strides, and names of a tuple."""
        tensors, array, slanted = make(24), numpy.array([1.0, 2.0], numpy.float32), torch.arange(H * SKV).view(H, SKV) * 0.01
        flat, Pair = slanted.flatten(), collections.namedtuple("Pair", "x y")

        def scaled(s, b, h, q, k):
            return s * scaled.factor

        partial = functools.partial(lambda w, s, b, h, q, k: s * float(array[0]) * w, 0.5)
        pair, other = Pair(1.0, -2.0), collections.namedtuple("Pair", "y x")(1.0, -2.0)
        scaled.factor = 1.0

        def of_names(pair):
            return lambda s, b, h, q, k: s * pair.x

        def of_strides(x):
            return lambda s, b, h, q, k: s + flat[h * x.stride(0) + k * x.stride(1)]

        transposed = slanted.t().contiguous().t()
        for before, change, after in (
            (scaled, lambda: setattr(scaled, "factor", -0.5), scaled), (partial, lambda: array.__imul__(3), partial),
            (of_names(pair), lambda: None, of_names(other)), (of_strides(slanted), lambda: None, of_strides(transposed)),
        ):
            attn_mlir.attention(*tensors, score_mod=before)
            change()
            o = attn_mlir.attention(*tensors, score_mod=after)
            reference.check(self, o, reference.attention(*tensors, score=after)[0], float32)

    def test_traces(self):
        """How often functions are called: once for all calls that only read what a signature has."""
        tensors, number, array, wide = make(25), torch.tensor(3), numpy.arange(SKV), numpy.float32(0.5)
        functions = {
            "number": dict(mask=lambda b, h, q, k: q - k < number),
            "numpy": dict(mask=lambda b, h, q, k: array[k] < 9, score_mod=lambda s, b, h, q, k: s * wide + array[k] * 0.1),
            "reduce": dict(mask=lambda b, h, q, k: functools.reduce(operator.and_, [q >= k, k < 50])),
            "shape": dict(score_mod=lambda s, b, h, q, k: s + C.slopes[h] * C.slopes.shape[0]),
            "of-torch": dict(mask=MASKS["of-torch"]),
            "attribute": dict(mask=lambda b, h, q, k: k < C.wholes[q]),
        }
        before = attn_mlir._trace._trace
        self.addCleanup(setattr, attn_mlir._trace, "_trace", before)
        calls = []
        attn_mlir._trace._trace = lambda *arguments: calls.append(1) or before(*arguments)
        for name, keywords in functions.items():
            with self.subTest(name):
                calls.clear()
                for _ in range(3):
                    attn_mlir.attention(*tensors, **keywords)
                # C is an object, of which attributes may change.
                self.assertEqual(len(calls), 3 if name in ("shape", "attribute") else 1)

    def test_modules_that_change(self):
        """What a function imports is another each time."""
        module = types.ModuleType("of_this_test")
        sys.modules["of_this_test"] = module
        self.addCleanup(sys.modules.pop, "of_this_test")

        def score(s, b, h, q, k):
            from of_this_test import slope

            return s + slope * k

        tensors = make(19)
        for module.slope in (0.1, -0.3):
            o = attn_mlir.attention(*tensors, score_mod=score)
            reference.check(self, o, reference.attention(*tensors, score=score)[0], float32)

    def test_numbers_that_are_no_arguments(self):
        """No window, and what is beyond f32, whatever was called before."""
        tensors = make(20)
        mask = lambda width: lambda b, h, q, k: q - k < width
        for width in (5, 6, 7, 8, 2**30, 2**31 - 1):
            keep = mask(width)(*reference.indices(B, H, SQ, SKV)).expand(B, H, SQ, SKV)
            o = attn_mlir.attention(*tensors, mask=mask(width))
            reference.check(self, o, reference.attention(*tensors, keep=keep)[0], float32)
        for number in (1.0, 2.0, 3.0, 4.0, 1e39):
            score = lambda s, b, h, q, k: torch.where(k == 2, -number, s)
            o = attn_mlir.attention(*tensors, score_mod=score)
            reference.check(self, o, reference.attention(*tensors, score=score)[0], float32)

    def test_number_that_counts_up(self):
        """It becomes an argument of the kernel: a third number is the last that is compiled for."""
        tensors = make(14)

        def call(offset, cap):
            mask = lambda b, h, q, k: (q + offset >= k) & (k // 3 != 5)
            score = lambda s, b, h, q, k: cap * torch.tanh(s / cap) + C.slopes[h] * (k - q - offset)
            o, lse = attn_mlir.attention(*tensors, mask=mask, score_mod=score, return_lse=True)
            keep = mask(*reference.indices(B, H, SQ, SKV)).expand(B, H, SQ, SKV)
            wanted, wanted_lse = reference.attention(*tensors, keep=keep, score=score)
            reference.check(self, o, wanted, float32)
            reference.check(self, lse, wanted_lse, float32)

        counts = [self.compiled(lambda: call(offset, 5.0)) for offset in (9, 10, 11, 12, 13, 40, 0, -3)]
        self.assertEqual(counts, [1, 1, 1, 0, 0, 0, 0, 0])
        counts = [self.compiled(lambda: call(14, cap)) for cap in (5.0, 6.0, 7.0, 8.0, 0.5)]
        self.assertEqual(counts, [0, 1, 1, 0, 0])
        # What divides stays a constant.
        for divisor in (2, 3, 4, 5):
            mask = lambda b, h, q, k: q // divisor >= k % divisor
            self.assertEqual(self.compiled(lambda: attn_mlir.attention(*tensors, mask=mask)), 1)

    def test_mask_without_captures(self):
        """A call without it is another one."""
        tensors = make(15)
        masked = attn_mlir.attention(*tensors, mask=lambda b, h, q, k: k < 3)
        plain = attn_mlir.attention(*tensors)
        reference.check(self, plain, reference.attention(*tensors)[0], float32)
        self.assertTrue(torch.equal(attn_mlir.attention(*tensors, mask=lambda b, h, q, k: k < 3), masked))

    def test_arrays_are_let_go(self):
        import gc
        import weakref

        tensors = make(16)
        holder = type("Holder", (), {"bias": torch.randn(H)})()
        attn_mlir.attention(*tensors, score_mod=lambda s, b, h, q, k: s + holder.bias[h])
        closed = torch.randn(H)
        attn_mlir.attention(*tensors, score_mod=lambda s, b, h, q, k: s + closed[h])
        gone = weakref.ref(holder.bias), weakref.ref(closed), weakref.ref(tensors[0])
        del holder, closed, tensors
        gc.collect()
        self.assertEqual([reference() for reference in gone], [None] * 3)

    def test_two_names_of_one_array(self):
        """What was traced with one array in two places is not taken for two arrays."""
        tensors, a, b_ = make(11), torch.randn(H), torch.randn(H)

        def call(x, y):
            return attn_mlir.attention(*tensors, score_mod=lambda s, b, h, q, k: s * x[h] + y[h] * k * 0.1)

        call(a, a)
        wanted, _ = reference.attention(*tensors, score=lambda s, b, h, q, k: s * a[h] + b_[h] * k * 0.1)
        reference.check(self, call(a, b_), wanted, float32)

    def test_sizes_share_a_kernel(self):
        bias = torch.randn(H, 300, 300)
        score = lambda s, b, h, q, k: s + bias[h, q, k]
        for sizes in ((2, H, 2, 33, 70), (1, H, 2, 128, 300), (3, H, 2, 2, 31)):
            tensors = make(12, sizes)
            o = attn_mlir.attention(*tensors, score_mod=score)
            reference.check(self, o, reference.attention(*tensors, score=score)[0], float32)


PARAMETER, PARAMETERS = torch.nn.Parameter(torch.tensor(0.5)), torch.nn.Parameter(torch.rand(2))
REFUSED = {
    "if": (dict(mask=lambda b, h, q, k: True if q > k else False), "attn_mlir.where"),
    "and": (dict(mask=lambda b, h, q, k: q > k and h == 0), "`&`"),
    "chained": (dict(mask=lambda b, h, q, k: 0 < q < k), "chained comparisons"),
    "division": (dict(score_mod=lambda s, b, h, q, k: s + q // k), "by a constant other than 0"),
    "zero": (dict(score_mod=lambda s, b, h, q, k: s + q % 0), "but got 0"),
    "function": (dict(score_mod=lambda s, b, h, q, k: torch.lgamma(s)), "but got 'lgamma'"),
    "whole": (dict(score_mod=lambda s, b, h, q, k: s + C.bias), "to be indexed"),
    "partly": (dict(score_mod=lambda s, b, h, q, k: s + C.bias[h]), "expected 3 indices"),
    "more": (dict(score_mod=lambda s, b, h, q, k: s + C.slopes[h, q]), "expected 1 indices"),
    "dot": (dict(score_mod=lambda s, b, h, q, k: s + torch.dot(C.bias[h, q], C.bias[h, k])), "but got 'dot'"),
    "row": (dict(score_mod=lambda s, b, h, q, k: s + torch.exp(C.bias[h, q])), "expected 3 indices"),
    "slice": (dict(score_mod=lambda s, b, h, q, k: s + C.bias[h, :, k]), "expected scalar indices"),
    "float-index": (dict(score_mod=lambda s, b, h, q, k: s + C.slopes[s]), "expected integer indices"),
    "double": (dict(score_mod=lambda s, b, h, q, k: s + C.slopes.double()[h]), "but got torch.float64"),
    "float-mask": (dict(mask=lambda b, h, q, k: q * 0.5), "expected a boolean"),
    "none": (dict(mask=lambda b, h, q, k: None), "but got None"),
    "short": (dict(score_mod=lambda s, b, h, q, k: s + C.slopes[k]), f"expected at least {SKV} elements"),
    "short-mask": (dict(mask=torch.ones(SQ, SKV - 1) > 0), f"expected 1 or {SKV} elements"),
    "wide-expanded-mask": (dict(mask=torch.ones(1, 1).expand(SQ, SKV + 1)), f"expected 1 or {SKV} elements"),
    "long-mask": (dict(mask=torch.ones(SQ + 1, SKV) > 0), f"expected 1 or {SQ} elements"),
    "wide-mask": (dict(mask=torch.ones(2 * SKV)), f"expected 1 or {SKV} elements"),
    "many-heads": (dict(mask=torch.ones(H + 1, 1, 1)), f"expected 1 or {H} elements"),
    "float": (dict(mask=lambda b, h, q, k: math.exp(q) > 1), "expected no number of Python"),
    "range": (dict(mask=lambda b, h, q, k: [i for i in range(k)]), "expected no number of Python"),
    "maximum-of-one": (dict(mask=lambda b, h, q, k: q.max()), "'max': expected the arguments that it has of scalars, but got 1"),
    "exponent": (dict(score_mod=lambda s, b, h, q, k: s + 3 ** (q - k)), "expected integers to the power of what is 0 or more"),
    "number-with-gradient": (dict(score_mod=lambda s, b, h, q, k: s * PARAMETER), "expected numbers that are captured"),
    "element-with-gradient": (dict(score_mod=lambda s, b, h, q, k: s * PARAMETERS[0]), "expected numbers that are captured"),
    "number": (dict(mask=3), "expected a function or an array"),
    "integer-mask": (dict(mask=torch.ones(SQ, SKV, dtype=torch.int32)), "expected booleans"),
    "rank": (dict(mask=torch.ones(1, B, H, SQ, SKV)), "expected an array of 1 to 4 dimensions"),
    "invert": (dict(mask=lambda b, h, q, k: ~(q * 1.0)), "expected ~ of booleans"),
    "big": (dict(mask=lambda b, h, q, k: q + 2**70 < k + h), "expected integers of 64 bits"),
}


class Refused(unittest.TestCase):
    def test_refused(self):
        tensors = make(13)
        for name, (keywords, message) in REFUSED.items():
            with self.subTest(name):
                with self.assertRaises(attn_mlir.ArgumentError) as raised:
                    attn_mlir.attention(*tensors, **keywords)
                self.assertIn(message, str(raised.exception))

    def test_gradient_that_would_be_lost(self):
        """It is refused of what was traced without it, too."""
        tensors, number = make(21), torch.tensor(0.5)
        score = lambda s, b, h, q, k: s * number
        attn_mlir.attention(*tensors, score_mod=score)
        number.requires_grad_()
        with self.assertRaises(attn_mlir.ArgumentError):
            attn_mlir.attention(*tensors, score_mod=score)
        with torch.no_grad():
            attn_mlir.attention(*tensors, score_mod=score)


class Padding(unittest.TestCase):
    def test_gradients(self):
        """Rows that an added mask hides altogether, as padding is: of no loss, they add nothing, whatever number hides them."""
        import attn_mlir.torch

        wanted = None
        for hidden in (-100.0, -1e9, torch.finfo(float32).min):
            tensors = [x.requires_grad_() for x in make(22)]
            mask = torch.zeros(1, 1, SQ, SKV)
            mask[..., :5, :] = hidden
            mask[..., 60:] = hidden
            o, _ = attn_mlir.torch.attention(*tensors, mask=mask)
            found = torch.autograd.grad((o[:, :, 5:] ** 2).sum(), tensors)
            if wanted is None:
                exact = [x.detach().double().requires_grad_() for x in tensors]
                o, _ = reference.attention(*exact, score=lambda s, *_: s + mask.double())
                wanted = torch.autograd.grad((o[:, :, 5:] ** 2).sum(), exact)
            for one, other in zip(found, wanted):
                reference.check(self, one, other, float32, 1e-4)


if __name__ == "__main__":
    unittest.main()
