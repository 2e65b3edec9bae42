"""Appending from Python, on the CPU: numbers of FP8, and one launch for what were several, with the same bits."""

import itertools
import unittest
import unittest.mock

import torch

import attn_mlir.flash_attn as fa2
import attn_mlir.flash_attn_3 as fa3
from attn_mlir import _append, _append_attention, _kv_cache
from attn_mlir._kernel import Kernel

HEADS, KV_HEADS, DIM, PAGE = 4, 2, 32, 16
FLOAT8 = torch.float8_e4m3fn


def bits(x):
    """Bytes; NaN of FP8 has either sign."""
    found = x.contiguous().view(torch.uint8)
    return torch.where(found % 128 == 127, 127, found) if x.dtype == FLOAT8 else found


def same(xs, ys):
    return all(torch.equal(bits(x), bits(y)) for x, y in zip(xs, ys, strict=True))


def rounded(x, scale):
    """Tokens [B, new, Hkv, D] as a cache of e4m3 has them; PyTorch's conversion makes NaN of what is too large."""
    quotient = (x.double() / scale.double()[:, None, :, None]).float()
    return quotient.clamp(-448, 448).to(FLOAT8)


class Cache:
    """Queries, new tokens and a cache that holds random keys, in rows or in pages that are drawn."""

    def __init__(self, lengths, new, queries, is_paged, dtype=torch.bfloat16, cache_dtype=None):
        torch.manual_seed(len(lengths) + new + queries)
        batch, columns = len(lengths), 3
        self.lengths = torch.tensor(lengths, dtype=torch.int32)
        self.q = torch.randn(batch, queries, HEADS, DIM).to(dtype)
        self.k, self.v = (torch.randn(batch, new, KV_HEADS, DIM).to(dtype) for _ in range(2))
        shape = (batch * columns + 1, PAGE) if is_paged else (batch, columns * PAGE)
        self.caches = [torch.randn(*shape, KV_HEADS, DIM).to(cache_dtype or dtype) for _ in range(2)]
        self.table = torch.randperm(shape[0])[: batch * columns].view(batch, columns).int() if is_paged else None
        angles = torch.rand(columns * PAGE, 8) * 6
        self.tables = {"rotary_cos": angles.cos().to(dtype), "rotary_sin": angles.sin().to(dtype)}
        self.scales = [torch.tensor([[0.25, 0.3]] * batch) * torch.arange(1, batch + 1)[:, None], torch.full((batch, KV_HEADS), 0.007)]

    def rows_of(self, cache, b, count):
        """The keys of a sequence, [count, Hkv, D]."""
        own = cache[b] if self.table is None else cache[self.table[b].long()].flatten(0, 1)
        return own[:count]

    def call(self, module=fa3, **options):
        """(Results, caches), of copies."""
        caches = [x.clone() for x in self.caches]
        if self.table is not None:
            options["page_table" if module is fa3 else "block_table"] = self.table
        found = module.flash_attn_with_kvcache(
            self.q, *caches, self.k, self.v, cache_seqlens=self.lengths, return_softmax_lse=True, **options)
        return [*found[:2], *caches]


class OneLaunch(unittest.TestCase):
    def both(self, cache, module=fa3, launches=1, **options):
        """One launch does what several do, bit for bit, results and caches."""
        calls = []

        def counted(kernel, *arguments, **keywords):
            calls.append(kernel)
            return called(kernel, *arguments, **keywords)

        called = Kernel.__call__
        cache.call(module, **options)  # Compiles.
        with unittest.mock.patch.object(Kernel, "__call__", counted):
            one = cache.call(module, **options)
        self.assertEqual(len(calls), launches)
        with unittest.mock.patch.object(_append_attention, "attention", return_value=None):
            several = cache.call(module, **options)
        self.assertTrue(same(one, several))
        self.assertFalse(same(one[2:], cache.caches))

    def test_rows_and_pages(self):
        for is_paged, queries in itertools.product((False, True), (1, 3)):
            with self.subTest(paged=is_paged, queries=queries):
                self.both(Cache((0, 17, 31), queries, queries, is_paged), fa2 if queries == 1 else fa3, causal=True)

    def test_rotary(self):
        for causal, interleaved in ((True, False), (False, True)):
            with self.subTest(causal=causal, interleaved=interleaved):
                cache = Cache((0, 17, 31), 2, 2, True)
                self.both(cache, causal=causal, rotary_interleaved=interleaved, **cache.tables)

    def test_float8(self):
        cache = Cache((0, 17, 31), 1, 1, True, cache_dtype=FLOAT8)
        self.both(cache, causal=True, k_descale=cache.scales[0], v_descale=cache.scales[1], **cache.tables)

    def test_packed(self):
        """Queries and new keys one behind the other, of different numbers."""
        cache = Cache((0, 17, 31), 2, 2, True)
        starts = torch.tensor([0, 1, 4, 6], dtype=torch.int32)
        cache.q, cache.k, cache.v = (x.flatten(0, 1) for x in (cache.q, cache.k, cache.v))
        self.both(cache, causal=True, cu_seqlens_q=starts, cu_seqlens_k_new=starts, max_seqlen_q=3)

    def test_more_launches(self):
        """What one program does not do."""
        cache = Cache((0, 17, 31), 2, 2, False)
        first = torch.tensor([0, 1, 4], dtype=torch.int32)
        self.both(cache, launches=2, causal=True, cache_leftpad=first)
        self.both(cache, launches=2, causal=True, cache_batch_idx=torch.tensor([2, 0, 1], dtype=torch.int32))

    def test_lengths_beyond_32_bits(self):
        """They are those of no cache, not their low bits."""
        cache = Cache((3, 5), 1, 1, False)
        for length in (2**32 + 5, -(2**32) + 5):
            cache.lengths = torch.tensor([3, length])
            o, lse, *caches = cache.call()
            self.assertTrue(o[1].isnan().all() and lse[1].isnan().all())
            self.assertFalse(o[0].isnan().any())
            self.assertTrue(same([x[1] for x in caches], [x[1] for x in cache.caches]))
        self.assertTrue(fa2.flash_attn_with_kvcache(cache.q, *cache.caches, cache_seqlens=2**32 + 5).isnan().all())

    def test_bad_numbers(self):
        """Nothing is written where the host knows that numbers are wrong."""
        cache = Cache((0, 17, 31), 2, 2, True)
        cache.table[2, 2] = 99
        caches = [x.clone() for x in cache.caches]
        with self.assertRaisesRegex(ValueError, "block_table: expected numbers of pages from 0 to 9, but got 99 in column 2 of sequence 2, which has 33 keys"):
            fa3.flash_attn_with_kvcache(cache.q, *cache.caches, cache.k, cache.v, cache_seqlens=cache.lengths, page_table=cache.table)
        self.assertTrue(same(cache.caches, caches))


class Float8(unittest.TestCase):
    def test_numbers(self):
        """Rows and pages hold quotients, rounded once: ties, what is too large, NaN; and no index of PyTorch's wrote them."""
        for is_paged, dtype in ((True, torch.bfloat16), (False, torch.float16)):
            with self.subTest(paged=is_paged, dtype=dtype):
                cache = Cache((0, 17, 31), 3, 3, is_paged, dtype, FLOAT8)
                special = torch.tensor([448.0, 464.0, 480.0, 1e4, -1e4, float("inf"), float("-inf"), float("nan"), 0.0, -0.0, 2.0**-10, 1.5 * 2.0**-9])
                cache.k[0, 0, 0, : len(special)] = special.to(dtype)
                cache.scales[0][0, 0] = 1.0
                scales = dict(zip(("k_descale", "v_descale"), cache.scales))
                with unittest.mock.patch.object(_kv_cache, "_rounded", side_effect=AssertionError):
                    _, _, *got = cache.call(causal=True, **scales)
                for before, after, new, scale in zip(cache.caches, got, (cache.k, cache.v), cache.scales):
                    wanted = rounded(new, scale)
                    for b, length in enumerate(cache.lengths.tolist()):
                        own = cache.rows_of(after, b, length + 3)
                        self.assertTrue(same([own[length:]], [wanted[b]]))
                        self.assertTrue(same([own[:length]], [cache.rows_of(before, b, length)]))
                # PyTorch, which does what no kernel takes, has the same numbers.
                with unittest.mock.patch.object(_append_attention, "attention", return_value=None), \
                        unittest.mock.patch.object(_append, "append", return_value=None):
                    self.assertTrue(same(cache.call(causal=True, **scales)[2:], got))

    def test_attention(self):
        """What was written is read as it was written: attention of bf16 to quotients times scales."""
        cache = Cache((5, 17, 31), 1, 1, True, cache_dtype=FLOAT8)
        o, _, *caches = cache.call(causal=True, k_descale=cache.scales[0], v_descale=cache.scales[1])
        for b, length in enumerate(cache.lengths.tolist()):
            k, v = (cache.rows_of(x, b, length + 1).double() * scale[b].double()[:, None] for x, scale in zip(caches, cache.scales))
            k, v = (x.repeat_interleave(HEADS // KV_HEADS, 1) for x in (k, v))
            weights = (torch.einsum("hd,khd->hk", cache.q[b, 0].double(), k) * DIM ** -0.5).softmax(-1)
            wanted = torch.einsum("hk,khd->hd", weights, v)
            self.assertLess(((o[b, 0].double() - wanted).norm() / wanted.norm()).item(), 1e-2)

    def test_other_types(self):
        """Tokens of float32, caches of e5m2 without scales."""
        k = torch.randn(2, 3, KV_HEADS, DIM) * 1e5
        caches = [torch.zeros(2, 20, KV_HEADS, DIM).to(torch.float8_e5m2) for _ in range(2)]
        with unittest.mock.patch.object(_kv_cache, "_rounded", side_effect=AssertionError):
            _kv_cache.append(*caches, k, -k, torch.tensor([0, 4]).int())
        wanted = k.clamp(-57344, 57344).to(torch.float8_e5m2)
        self.assertTrue(same([caches[0][0, :3], caches[0][1, 4:7]], wanted))
        self.assertTrue(torch.equal(caches[1][1, 4:7].float(), -wanted[1].float()))

    def test_wrong_scales(self):
        cache = Cache((0, 17), 1, 1, True, cache_dtype=FLOAT8)
        with self.assertRaisesRegex(ValueError, r"k_scale: expected shape \(2, 2\), of which either may be 1, but got \(3, 2\)"):
            cache.call(k_descale=torch.ones(3, 2))
        with self.assertRaisesRegex(ValueError, "v_scale: expected a number or an array of float32, but got torch.float64"):
            cache.call(v_descale=torch.ones(2, 2, dtype=torch.float64))


if __name__ == "__main__":
    unittest.main()
