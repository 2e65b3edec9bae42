"""FlashAttention's functions on attn_mlir, against attention in float64 of each sequence by itself."""

import importlib
import inspect
import itertools
import unittest
import unittest.mock

import attn_mlir
import attn_mlir.flash_attn as fa2
import attn_mlir.flash_attn_3 as fa3
import attn_mlir.varlen as varlen
import reference
import torch
from attn_mlir import _append, _flash_attn_3, _kv_cache

HEADS, KV_HEADS, DIM = 4, 2, 16
NONE = (-1, -1)


def make(*sizes, seed=0):
    torch.manual_seed(seed)
    return [torch.randn(*size) for size in sizes]


def batch_of(batch, queries, keys, dim=DIM, value_dim=None):
    return make((batch, queries, HEADS, dim), (batch, keys, KV_HEADS, dim), (batch, keys, KV_HEADS, value_dim or dim))


def starts(lengths):
    return torch.tensor([0, *itertools.accumulate(lengths)], dtype=torch.int32)


def keep_of(queries, keys, causal, window, chunk=0):
    left, right = window
    keep = reference.window(queries, keys, left, 0 if causal else right)
    if chunk:
        at, key = torch.arange(queries)[:, None] + keys - queries, torch.arange(keys)
        keep &= (key >= at - at % chunk) & (key < at - at % chunk + chunk)
    return keep


def expected(q, k, v, causal=False, window=NONE, chunk=0, softcap=0.0, slopes=None):
    """(O, LSE) of one batch as FlashAttention has it: [B, S, H, D]."""
    queries, keys = q.shape[1], k.shape[1]

    def score(s, b, h, i, j):
        s = softcap * torch.tanh(s / softcap) if softcap else s
        if slopes is not None:
            s = s - slopes.expand(q.shape[0], -1)[b, h] * (i + keys - queries - j).abs()
        return s

    tensors = (x.transpose(1, 2) for x in (q, k, v))
    o, lse = reference.attention(*tensors, keep=keep_of(queries, keys, causal, window, chunk), score=score)
    return o.transpose(1, 2), lse


class Dense(unittest.TestCase):
    def check(self, got, wanted):
        reference.check(self, got, wanted, torch.float32)

    def test_masks(self):
        for (queries, keys), causal, window in itertools.product(
                ((7, 7), (5, 19), (19, 5)), (False, True), (NONE, (3, 2), (0, 0), (4, -1), (-1, 3))):
            with self.subTest(queries=queries, keys=keys, causal=causal, window=window):
                q, k, v = batch_of(2, queries, keys)
                o, lse, probabilities = fa2.flash_attn_func(
                    q, k, v, causal=causal, window_size=window, return_attn_probs=True)
                wanted = expected(q, k, v, causal, window)
                self.check(o, wanted[0])
                self.check(lse, wanted[1])
                self.assertIsNone(probabilities)

    def test_softcap_and_alibi(self):
        q, k, v = batch_of(3, 9, 13)
        for softcap, slopes in itertools.product((0.0, 2.5), (None, torch.rand(HEADS), torch.rand(3, HEADS))):
            with self.subTest(softcap=softcap, slopes=None if slopes is None else slopes.shape):
                got = fa2.flash_attn_func(q, k, v, softcap=softcap, alibi_slopes=slopes, causal=True)
                self.check(got, expected(q, k, v, True, softcap=softcap, slopes=slopes)[0])

    def test_dims(self):
        for dim, value_dim in ((59, 59), (16, 300), (24, 512)):
            with self.subTest(dim=dim, value_dim=value_dim):
                q, k, v = batch_of(1, 5, 6, dim, value_dim)
                self.check(fa3.flash_attn_func(q, k, v), expected(q, k, v)[0])

    def test_packed_arguments(self):
        (qkv,) = make((2, 9, 3, HEADS, DIM))
        q, k, v = qkv.unbind(2)
        wanted = expected(q, k, v, True)[0]
        self.check(fa2.flash_attn_qkvpacked_func(qkv, causal=True), wanted)
        self.check(fa3.flash_attn_qkvpacked_func(qkv, causal=True), wanted)
        self.check(fa2.flash_attn_kvpacked_func(q, qkv[:, :, 1:], causal=True), wanted)
        joined = torch.cat([q, k[:, :, :2], v[:, :, :2]], 2)
        wanted = expected(q, k[:, :, :2], v[:, :, :2])[0]
        self.check(fa3.flash_attn_qkvpacked_func(joined, num_heads_q=HEADS), wanted)

    def test_chunks(self):
        for (queries, keys), chunk, causal in itertools.product(((7, 7), (5, 19), (9, 4)), (2, 6), (False, True)):
            with self.subTest(queries=queries, keys=keys, chunk=chunk, causal=causal):
                q, k, v = batch_of(2, queries, keys)
                got = fa3.flash_attn_func(q, k, v, causal=causal, attention_chunk=chunk)
                self.check(got, expected(q, k, v, causal, chunk=chunk)[0])


class Varlen(unittest.TestCase):
    lengths = (5, 1, 9), (7, 12, 0)

    def test_sequences(self):
        (of_q, of_k), used = self.lengths, ((4, 0, 9), (7, 5, 0))
        for causal, window, chunk, is_used in itertools.product((False, True), (NONE, (3, 2)), (0, 3), (False, True)):
            with self.subTest(causal=causal, window=window, chunk=chunk, used=is_used):
                q, k, v = make((sum(of_q), HEADS, DIM), (sum(of_k), KV_HEADS, DIM), (sum(of_k), KV_HEADS, DIM))
                held_q, held_k = used if is_used else self.lengths
                more = {"seqused_q": torch.tensor(used[0]), "seqused_k": torch.tensor(used[1])} if is_used else {}
                o, lse = fa3.flash_attn_varlen_func(
                    q, k, v, starts(of_q), starts(of_k), 9, 12, causal=causal, window_size=window,
                    attention_chunk=chunk, return_attn_probs=True,
                    **{name: numbers.int() for name, numbers in more.items()})
                for i, j, m, n in zip(starts(of_q), starts(of_k), held_q, held_k):
                    one = [x[None] for x in (q[i : i + m], k[j : j + n], v[j : j + n])]
                    wanted = expected(*one, causal, window, chunk)
                    reference.check(self, o[None, i : i + m], wanted[0], torch.float32)
                    reference.check(self, lse[None, :, i : i + m], wanted[1], torch.float32)

    def test_packed_arguments_and_alibi(self):
        (of_q, _), slopes = self.lengths, torch.rand(3, HEADS)
        (qkv,) = make((sum(of_q), 3, HEADS, DIM))
        places = starts(of_q)
        got = fa2.flash_attn_varlen_qkvpacked_func(qkv, places, 9, causal=True, alibi_slopes=slopes)
        same = fa2.flash_attn_varlen_kvpacked_func(qkv[:, 0], qkv[:, 1:], places, places, 9, 9, causal=True,
                                                   alibi_slopes=slopes)
        self.assertTrue(torch.equal(got, same))
        for b, (i, n) in enumerate(zip(places, of_q)):
            q, k, v = qkv[None, i : i + n].unbind(2)
            reference.check(self, got[None, i : i + n], expected(q, k, v, True, slopes=slopes[b])[0], torch.float32)

    def test_varlen_attn(self):
        """PyTorch's function, and that it takes what PyTorch's takes."""
        (of_q, of_k) = self.lengths
        q, k, v = make((sum(of_q), HEADS, DIM), (sum(of_k), KV_HEADS, DIM), (sum(of_k), KV_HEADS, DIM))
        places = starts(of_q), starts(of_k)
        for window in (NONE, (-1, 0), (3, 2)):
            o, lse = varlen.varlen_attn(q, k, v, *places, 9, 12, window_size=window, scale=0.3, enable_gqa=True,
                                        return_aux=varlen.AuxRequest(lse=True))
            wanted = fa2.flash_attn_varlen_func(q, k, v, *places, 9, 12, softmax_scale=0.3, window_size=window,
                                                return_attn_probs=True)
            self.assertTrue(torch.equal(o, wanted[0]) and torch.equal(lse, wanted[1]))
        pages = [torch.full((4, 16, *x.shape[1:]), float("nan")) for x in (k, v)]
        for x, cache in zip((k, v), pages):
            cache[2, :7], cache[0, :12], table = x[:7], x[7:], torch.tensor([[2], [0], [-3]], dtype=torch.int32)
        paged = varlen.varlen_attn(q, *pages, places[0], None, 9, 12, window_size=(-1, 0), enable_gqa=True,
                                   seqused_k=torch.tensor(of_k).int(), block_table=table)
        wanted = varlen.varlen_attn(q, k, v, *places, 9, 12, window_size=(-1, 0), enable_gqa=True)
        reference.check(self, paged, wanted.double(), torch.float32)
        with self.assertRaisesRegex(ValueError, "key: expected 4 heads, as query has, or enable_gqa, but got 2"):
            varlen.varlen_attn(q, k, v, *places, 9, 12)
        with self.assertRaisesRegex(ValueError, "block_table: expected seqused_k, and None for cu_seq_k, but got both"):
            varlen.varlen_attn(q, *pages, *places, 9, 12, enable_gqa=True, block_table=table, seqused_k=table)
        theirs = getattr(importlib.import_module("torch.nn.attention.varlen"), "varlen_attn", None)
        self.assertLessEqual(set(inspect.signature(theirs).parameters) - {"is_causal"},
                             set(inspect.signature(varlen.varlen_attn).parameters))


class Cache(unittest.TestCase):
    queries = (2, 4, 1)

    def one(self, is_packed, **options):
        lengths = torch.tensor([6, 18, 9], dtype=torch.int32)
        rows, left = options.get("cache_batch_idx"), options.get("cache_leftpad")
        count, new = 5 if rows is not None else 3, 2 if options.pop("new") else 0
        k_cache, v_cache, k, v = make((count, 20, KV_HEADS, DIM), (count, 20, KV_HEADS, DIM),
                                      (3, 2, KV_HEADS, DIM), (3, 2, KV_HEADS, DIM))
        order = torch.arange(3) if rows is None else rows.long()
        before = k_cache[order].clone(), v_cache[order].clone()
        for b in range(3 if new else 0):
            before[0][b, lengths[b] : lengths[b] + 2], before[1][b, lengths[b] : lengths[b] + 2] = k[b], v[b]
        (q,) = make((7, HEADS, DIM) if is_packed else (3, 3, HEADS, DIM), seed=1)
        places = starts(self.queries)
        more = {"cu_seqlens_q": places, "max_seqlen_q": 4} if is_packed else {}
        o = fa3.flash_attn_with_kvcache(q, k_cache, v_cache, *((k, v) if new else ()), cache_seqlens=lengths,
                                        **more, **options)
        self.assertTrue(torch.equal(k_cache[order], before[0]) and torch.equal(v_cache[order], before[1]))
        if not is_packed:
            again = fa2.flash_attn_with_kvcache(q, k_cache, v_cache, cache_seqlens=lengths + new, **options)
            self.assertTrue(torch.equal(o, again))
        for b in range(3):
            place = slice(places[b], places[b + 1])
            own_q, own_o = (q[None, place], o[None, place]) if is_packed else (q[b : b + 1], o[b : b + 1])
            begin = 0 if left is None else left[b]
            keys, values = (x[b : b + 1, begin : lengths[b] + new] for x in before)
            wanted = expected(own_q, keys, values, options["causal"], options["window_size"])[0]
            reference.check(self, own_o, wanted, torch.float32)

    def test_caches(self):
        rows, left = torch.tensor([4, 0, 2], dtype=torch.int32), torch.tensor([1, 0, 4], dtype=torch.int32)
        for causal, row, pad, new, is_packed, window in itertools.product(
                (False, True), (None, rows), (None, left), (False, True), (False, True), (NONE, (3, 1))):
            with self.subTest(causal=causal, rows=row, left=pad, new=new, packed=is_packed, window=window):
                self.one(is_packed, causal=causal, window_size=window, cache_batch_idx=row, cache_leftpad=pad, new=new)

    def test_new_keys_one_after_the_other(self):
        lengths, new = torch.tensor([3, 0, 5], dtype=torch.int32), (2, 0, 3)
        q, k_cache, v_cache, k, v = make((3, 1, HEADS, DIM), (3, 9, KV_HEADS, DIM), (3, 9, KV_HEADS, DIM),
                                         (5, KV_HEADS, DIM), (5, KV_HEADS, DIM))
        fa3.flash_attn_with_kvcache(q, k_cache, v_cache, k, v, cache_seqlens=lengths, cu_seqlens_k_new=starts(new))
        self.assertTrue(torch.equal(k_cache[0, 3:5], k[:2]) and torch.equal(v_cache[2, 5:8], v[2:]))
        before = k_cache.clone()
        for message, numbers in (
                (r"expected shape \(4,\), but got \(3,\)", [0, 2, 5]), ("from 0 to 5 that never fall, but got 1 behind 2", [0, 2, 1, 5]),
                ("from 0 to 5 that never fall, but got 5 behind 6", [0, 2, 4, 6])):
            with self.assertRaisesRegex(ValueError, f"cu_seqlens_k_new: expected .*{message}|cu_seqlens_k_new: {message}"):
                fa3.flash_attn_with_kvcache(
                    q, k_cache, v_cache, k, v, cache_seqlens=lengths, cu_seqlens_k_new=torch.tensor(numbers, dtype=torch.int32))
        self.assertTrue(torch.equal(k_cache, before))

    def paged(self, *caches, size=4):
        """The same caches in pages, in an order that is drawn, and the table of them."""
        batch, length = caches[0].shape[:2]
        order = torch.randperm(2 * batch * length // size)[: batch * length // size]
        found = []
        for cache in caches:
            pages = torch.full((2 * batch * length // size, size, *cache.shape[2:]), 7.0)
            pages[order] = cache.reshape(-1, size, *cache.shape[2:])
            found.append(pages)
        return *found, order.view(batch, -1).int()

    def test_pages(self):
        lengths = torch.tensor([6, 17, 9], dtype=torch.int32)
        q, k_cache, v_cache, k, v = make((3, 3, HEADS, DIM), *[(3, 20, KV_HEADS, DIM)] * 2, *[(3, 3, KV_HEADS, DIM)] * 2)
        k_pages, v_pages, table = self.paged(k_cache, v_cache)
        options = {"cache_seqlens": lengths, "causal": True}
        wanted = fa3.flash_attn_with_kvcache(q, k_cache, v_cache, k, v, **options)
        got = fa3.flash_attn_with_kvcache(q, k_pages, v_pages, k, v, page_table=table, **options)
        self.assertTrue(torch.equal(got, wanted))
        self.assertTrue(torch.equal(k_pages[table.long()].flatten(1, 2), k_cache))
        options["cache_seqlens"] = lengths + 3
        self.assertTrue(torch.equal(fa2.flash_attn_with_kvcache(q, k_pages, v_pages, block_table=table, **options), wanted))
        few = torch.tensor([2, 0], dtype=torch.int32)
        options["cache_seqlens"] = options["cache_seqlens"][few.long()]
        some = fa3.flash_attn_with_kvcache(q[:2], k_pages, v_pages, page_table=table, cache_batch_idx=few, **options)
        same = fa3.flash_attn_with_kvcache(q[:2], k_cache, v_cache, cache_batch_idx=few, **options)
        self.assertTrue(torch.equal(some, same))

    def test_rows_behind_packed_queries(self):
        """As many rows as two sequences of three queries have, of which the second has two."""
        for new in (False, True):
            q, k_cache, v_cache, k, v = make((6, HEADS, DIM), *[(2, 20, KV_HEADS, DIM)] * 2, *[(2, 2, KV_HEADS, DIM)] * 2)
            k_pages, v_pages, table = self.paged(k_cache.repeat(1, 4, 1, 1), v_cache.repeat(1, 4, 1, 1), size=16)
            options = {"cache_seqlens": torch.tensor([6, 17], dtype=torch.int32), "cu_seqlens_q": starts((3, 2)), "max_seqlen_q": 3,
                       "page_table": table, "causal": True, **({"k": k, "v": v} if new else {})}
            got = fa3.flash_attn_with_kvcache(q, k_pages, v_pages, **options)
            wanted = fa3.flash_attn_with_kvcache(q[:5], k_pages, v_pages, **options)
            self.assertTrue(torch.equal(got[:5], wanted))

    def test_append_to_pages(self):
        """The kernel writes what PyTorch's indices write, nothing else, and nothing where there is no page."""
        page, none = 16, -7.0
        for dtype, heads, dim, new in ((torch.bfloat16, 2, 64, 1), (torch.float16, 5, 72, 37), (torch.float32, 17, 40, 16),
                                       (torch.float8_e4m3fn, 1, 128, 3)):
            with self.subTest(dtype=dtype):
                k, v = (torch.randn(4, heads, new, dim).transpose(1, 2).to(dtype) for _ in range(2))
                lengths = torch.tensor([0, 15, 33, 16], dtype=torch.int32)
                table = torch.randperm(24).view(4, 6).int()
                wanted = [torch.full((25, page, heads, dim), none).to(dtype) for _ in range(2)]
                got = [x.clone() for x in wanted]
                with unittest.mock.patch.object(_append, "append", return_value=None):
                    after = _kv_cache.append(*wanted, k, v, lengths, table=table)
                with unittest.mock.patch.object(_kv_cache, "_bits", side_effect=AssertionError):
                    self.assertTrue(torch.equal(_kv_cache.append(*got, k, v, lengths, table=table), after))
                for x, y in zip(got, wanted):
                    self.assertTrue(torch.equal(x.view(torch.uint8), y.view(torch.uint8)))

    def misfits_are_left_out(self):
        """Of numbers of no page, lengths of no place, and places behind the last page nothing is written."""
        page, none = 16, -7.0
        k = torch.rand(6, 3, 2, 64)
        lengths = torch.tensor([15, 14, -1, 31, 2**31 - 2, 33], dtype=torch.int32)
        table = torch.tensor([[0, -1], [2**31 - 1, 1], [2, 3], [4, 5], [6, 7], [8, 9]], dtype=torch.int32)
        pages = [torch.full((10, page, 2, 64), none) for _ in range(2)]
        _kv_cache.append(*pages, k, k + 1, lengths, table=table)
        wanted = torch.full((10, page, 2, 64), none)
        wanted[0, 15], wanted[1, 0], wanted[5, 15] = k[0, 0], k[1, 2], k[3, 0]
        return torch.equal(pages[0], wanted) and torch.equal(pages[1], torch.where(wanted == none, none, wanted + 1))

    def test_append_without_a_page(self):
        self.assertTrue(self.misfits_are_left_out())

    def test_append_to_rows(self):
        """Rows of a cache that are named, tokens one behind the other, and keys that are turned: all by the kernel."""
        lengths, rows, cu = torch.tensor([3, 0, 15]).int(), torch.tensor([4, 0, 2]).int(), torch.tensor([0, 2, 2, 5]).int()
        k, v, *caches = make((5, KV_HEADS, 16), (5, KV_HEADS, 16), *[(5, 20, KV_HEADS, 16)] * 2)
        angles = torch.rand(20, 4) * 6
        rotary = angles.cos(), angles.sin(), True
        wanted = [x.clone() for x in caches]
        with unittest.mock.patch.object(_append, "rotate", return_value=None):
            turned = _kv_cache.rotate(k, *rotary[:2], lengths, interleaved=True, cu=cu)
        for row, begin, end, at in ((4, 0, 2, 3), (2, 2, 5, 15)):
            wanted[0][row, at : at + end - begin], wanted[1][row, at : at + end - begin] = turned[begin:end], v[begin:end]
        after = _kv_cache.append_by_kernel(*caches, k, v, lengths, rows, cu, rotary=rotary)
        self.assertEqual(after.tolist(), [5, 0, 18])
        self.assertTrue(torch.allclose(caches[0], wanted[0], atol=1e-6) and torch.equal(caches[1], wanted[1]))
        # Of queries, too, and all of a sequence by its first place.
        for together in (False, True):
            with unittest.mock.patch.object(_append, "rotate", return_value=None):
                wanted = _kv_cache.rotate(k, *rotary[:2], lengths, interleaved=False, cu=cu, moves=not together)
            self.assertTrue(torch.allclose(_append.rotate(k, lengths, (*rotary[:2], False), cu, together), wanted, atol=1e-6))

    def test_tables_that_the_host_knows(self):
        q, k = torch.rand(2, 1, 2, 16), torch.rand(3, 16, 2, 16)
        table = torch.tensor([[0, -7], [2, 3]]).int()
        options = {"layout": "bshd", "lengths": torch.tensor([16, 32]).int()}
        with self.assertRaisesRegex(ValueError, r"block_table: expected numbers of pages from 0 to 2, but got 3 in column 1 of sequence 1, "
                                                "which has 32 keys"):
            attn_mlir.attention(q, k, k, block_table=table, **options)
        options["lengths"] = torch.tensor([16, 16]).int()
        self.assertTrue(attn_mlir.attention(q, k, k, block_table=table, **options).isfinite().all())

    def test_append_of_other_shapes(self):
        k, lengths, table = torch.rand(2, 1, 2, 64), torch.tensor([0, 3]).int(), torch.tensor([[0], [1]]).int()
        pages = [torch.zeros(2, 16, 2, 64) for _ in range(2)]
        with self.assertRaisesRegex(ValueError, r"v: expected heads and head dimension \(2, 64\), as the cache has, but got \(2, 32\)"):
            _append.append(*pages, k, k[..., :32], lengths, table)
        # Rows of 258 are PyTorch's.
        wide, new = [torch.zeros(2, 16, 2, 258) for _ in range(2)], torch.ones(2, 1, 2, 258)
        self.assertIsNone(_append.append(*wide, new, new, lengths, table))
        _kv_cache.append(*wide, new, new, lengths, table=table)
        self.assertTrue((wide[0][1, 3] == 1).all() and wide[0].sum() == 2 * 2 * 258)

    def test_pages_in_place(self):
        """Whatever else is asked, kernels read pages where they are: nothing gathers them."""
        lengths = torch.tensor([6, 37, 9], dtype=torch.int32)
        q, k_cache, v_cache = make((3, 3, HEADS, DIM), *[(3, 48, KV_HEADS, DIM)] * 2)
        slopes, left, used = torch.rand(3, HEADS), torch.tensor([2, 20, 0]).int(), torch.tensor([3, 0, 2]).int()
        k_pages, v_pages, table = self.paged(k_cache, v_cache, size=24)
        cases = [(fa2, "block_table", {"cache_leftpad": left}), (fa2, "block_table", {"alibi_slopes": slopes}),
                 (fa3, "page_table", {"attention_chunk": 5}), (fa3, "page_table", {"cache_leftpad": left, "attention_chunk": 7})]
        for (module, name, options), causal in itertools.product(cases, (False, True)):
            with self.subTest(name=name, options=list(options), causal=causal):
                options = {"cache_seqlens": lengths, "causal": causal, **options}
                wanted = module.flash_attn_with_kvcache(q, k_cache, v_cache, **options)
                with unittest.mock.patch.object(_kv_cache, "gather", side_effect=AssertionError):
                    got = module.flash_attn_with_kvcache(q, k_pages, v_pages, **{name: table}, **options)
                reference.check(self, got, wanted.double(), torch.float32)
        with unittest.mock.patch.object(_kv_cache, "gather", side_effect=AssertionError):
            o = _flash_attn_3.forward(q.flatten(0, 1), k_pages, v_pages, page_table=table, seqused_k=lengths, seqused_q=used,
                                      cu_seqlens_q=starts((3, 3, 3)), is_causal=True)[0].view(q.shape)
        for b, n in enumerate(used):
            one = q[b : b + 1, :n], k_cache[b : b + 1, : lengths[b]], v_cache[b : b + 1, : lengths[b]]
            reference.check(self, o[b : b + 1, :n], expected(*one, causal=True)[0], torch.float32)

    def test_pages_of_packed_sequences(self):
        k_cache, v_cache, q = make((3, 20, KV_HEADS, DIM), (3, 20, KV_HEADS, DIM), (7, HEADS, DIM))
        k_pages, v_pages, table = self.paged(k_cache, v_cache)
        lengths = (6, 20, 9)
        joined = [torch.cat([x[b, :n] for b, n in enumerate(lengths)]) for x in (k_cache, v_cache)]
        places = starts(self.queries), starts(lengths)
        wanted = fa2.flash_attn_varlen_func(q, *joined, *places, 4, 20, causal=True)
        got = fa2.flash_attn_varlen_func(q, k_pages, v_pages, *places, 4, 20, causal=True, block_table=table)
        reference.check(self, got, wanted.double(), torch.float32)

    def test_packed_of_equal_lengths(self):
        """One query of each sequence, packed or not, is one call."""
        k_cache, v_cache, q = make((3, 32, KV_HEADS, DIM), (3, 32, KV_HEADS, DIM), (6, HEADS, DIM))
        k_pages, v_pages, table = self.paged(k_cache, v_cache, size=16)
        lengths = (6, 32, 9)
        for count in (1, 2):
            own = q[: 3 * count]
            o, lse, _ = fa2.flash_attn_varlen_func(
                own, k_pages, v_pages, starts((count,) * 3), starts(lengths), count, 32, causal=True, block_table=table,
                return_attn_probs=True)
            for b, n in enumerate(lengths):
                rows = slice(b * count, (b + 1) * count)
                wanted = expected(own[None, rows], k_cache[b : b + 1, :n], v_cache[b : b + 1, :n], causal=True)
                reference.check(self, o[None, rows], wanted[0], torch.float32)
                reference.check(self, lse[None, :, rows], wanted[1], torch.float32)

    def test_rotary(self):
        lengths, angles = torch.tensor([6, 15, 0], dtype=torch.int32), torch.rand(20, 4) * 6
        turns = torch.polar(torch.ones_like(angles), angles)

        def turned(x, places, interleaved):
            head, tail = x[..., :8], x[..., 8:]
            pairs = head.unflatten(-1, (4, 2)) if interleaved else torch.stack([head[..., :4], head[..., 4:]], -1)
            pairs = torch.view_as_real(torch.view_as_complex(pairs.contiguous()) * turns[places][..., None, :])
            return torch.cat([pairs.flatten(-2) if interleaved else pairs.transpose(-1, -2).flatten(-2), tail], -1)

        for interleaved, causal in itertools.product((False, True), (False, True)):
            with self.subTest(interleaved=interleaved, causal=causal):
                q, k_cache, v_cache, k, v = make((3, 3, HEADS, DIM), *[(3, 20, KV_HEADS, DIM)] * 2,
                                                 *[(3, 3, KV_HEADS, DIM)] * 2)
                places = lengths[:, None] + torch.arange(3)
                own = turned(q, places if causal else lengths[:, None].expand(3, 3), interleaved)
                other = k_cache.clone(), v_cache.clone()
                wanted = fa3.flash_attn_with_kvcache(own, *other, turned(k, places, interleaved), v,
                                                     cache_seqlens=lengths, causal=causal)
                for function in (fa2, fa3):
                    caches = k_cache.clone(), v_cache.clone()
                    got = function.flash_attn_with_kvcache(
                        q, *caches, k, v, rotary_cos=angles.cos(), rotary_sin=angles.sin(), cache_seqlens=lengths,
                        causal=causal, rotary_interleaved=interleaved)
                    reference.check(self, got, wanted.double(), torch.float32)
                    reference.check(self, caches[0], other[0].double(), torch.float32)

    def test_many_windows(self):
        q, k, v = batch_of(2, 9, 13)
        for left in range(12):
            got = fa2.flash_attn_func(q, k, v, window_size=(left, 1))
            reference.check(self, got, expected(q, k, v, window=(left, 1))[0], torch.float32)

    def test_one_length_for_all(self):
        q, k, v = batch_of(2, 1, 12)
        got = fa2.flash_attn_with_kvcache(q, k, v, cache_seqlens=7)
        reference.check(self, got, expected(q, k[:, :7], v[:, :7])[0], torch.float32)


class Combine(unittest.TestCase):
    def test_parts(self):
        o, lse = make((7, 2, 5, 3, 24), (7, 2, 5, 3))
        lse[3:, :1] = float("-inf")
        scale = (lse - lse.logsumexp(0)).exp()
        wanted = (scale[..., None] * o).sum(0)
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            got, total = fa3.flash_attn_combine(o, lse, out_dtype=dtype)
            self.assertEqual(got.dtype, dtype)
            reference.check(self, got, wanted.double(), dtype)
            reference.check(self, total, lse.logsumexp(0).double(), torch.float32)

    def test_wide_parts_and_out(self):
        o, lse = make((2, 1, 3, 2, 320), (2, 1, 3, 2))
        out = torch.empty(1, 3, 2, 320)
        got, _ = fa3.flash_attn_combine(o, lse, out)
        self.assertIs(got, out)
        reference.check(self, out, (lse.softmax(0)[..., None] * o).sum(0).double(), torch.float32)


class Float8(unittest.TestCase):
    """Values of float8_e4m3fn, with scales for each sequence and head of keys; results are in bfloat16."""

    def setUp(self):
        self.narrow = [x.to(torch.float8_e4m3fn) for x in batch_of(2, 9, 21)]
        torch.manual_seed(1)
        self.scales = [torch.rand(2, KV_HEADS) * 2 for _ in range(3)]
        group = HEADS // KV_HEADS
        factors = [x[:, None, :, None] for x in (self.scales[0].repeat_interleave(group, 1), *self.scales[1:])]
        self.wide = [x.float() * factor for x, factor in zip(self.narrow, factors)]
        self.named = dict(zip(("q_descale", "k_descale", "v_descale"), self.scales))

    # Weights of 8 bits have three of a fraction: kernels round them, which dense calls take.
    ROUNDED = 8e-2

    def check(self, got, wanted, tolerance=None):
        reference.check(self, got, wanted, torch.bfloat16, tolerance)

    def test_dense(self):
        for causal, window in ((False, NONE), (True, NONE), (False, (3, 2))):
            o = fa3.flash_attn_func(*self.narrow, causal=causal, window_size=window, **self.named)
            self.assertEqual(o.dtype, torch.bfloat16)
            self.check(o, expected(*self.wide, causal, window)[0], self.ROUNDED)
        self.check(fa3.flash_attn_func(*self.narrow), expected(*(x.float() for x in self.narrow))[0], self.ROUNDED)

    def test_packed(self):
        cu_q, cu_k = starts((9, 9)), starts((21, 21))
        o = fa3.flash_attn_varlen_func(
            *(x.view(torch.uint8).flatten(0, 1).view(x.dtype) for x in self.narrow), cu_q, cu_k, 9, 21, causal=True, **self.named)
        self.check(o.unflatten(0, (2, 9)), expected(*self.wide, causal=True)[0])

    def test_cache(self):
        """New keys are written in float8; rows of the cache and pages are read by their numbers."""
        q, k, v = self.narrow
        new = [x[:, :2].clone() for x in (k, v)]
        caches = [torch.cat([x.view(torch.uint8)] * 2).view(x.dtype) for x in (k, v)]
        lengths, rows = torch.tensor([7, 11], dtype=torch.int32), torch.tensor([2, 1], dtype=torch.int32)
        o = fa3.flash_attn_with_kvcache(q, *caches, *new, cache_seqlens=lengths, cache_batch_idx=rows, causal=True)
        for b, (row, length) in enumerate(zip(rows.tolist(), lengths.tolist())):
            for cache, x in zip(caches, new):
                self.assertTrue(torch.equal(cache[row, length : length + 2].float(), x[b].float()))
            part = [q[b : b + 1].float(), *(cache[row : row + 1, : length + 2].float() for cache in caches)]
            self.check(o[b : b + 1], expected(*part, causal=True)[0])

    def pages_of(self, x, size, numbers):
        """x [B, S, Hkv, D] in pages of ``size`` keys by their numbers [B, pages]."""
        whole = torch.nn.functional.pad(x.float(), (0, 0, 0, 0, 0, numbers.shape[1] * size - x.shape[1]))
        pages = torch.zeros(numbers.numel(), size, *x.shape[2:])
        pages[numbers.long()] = whole.unflatten(1, (numbers.shape[1], size))
        return pages.to(x.dtype)

    def test_cache_of_wide_queries(self):
        """Queries of 16 bits: kernels read caches of float8 where they are, and results have the type of the queries."""
        _, k, v = self.narrow
        _, wide_k, wide_v = self.wide
        named = {name: self.named[name] for name in ("k_descale", "v_descale")}
        lengths, numbers = torch.tensor([21, 13], dtype=torch.int32), torch.randperm(4).view(2, 2).int()
        for dtype, queries in itertools.product((torch.bfloat16, torch.float16), (1, 9)):
            q = batch_of(2, queries, 21)[0].to(dtype)
            caches = {"rows": ((k, v), {}), "named": ((k, v), {"cache_batch_idx": torch.arange(2, dtype=torch.int32)}),
                      "pages": ([self.pages_of(x, 16, numbers) for x in (k, v)], {"page_table": numbers})}
            for name, (cache, keywords) in caches.items():
                with self.subTest(name, dtype=dtype, queries=queries):
                    o = fa3.flash_attn_with_kvcache(q, *cache, cache_seqlens=lengths, causal=True, **named, **keywords)
                    self.assertEqual(o.dtype, dtype)
                    for b, length in enumerate(lengths.tolist()):
                        part = [q[b : b + 1].float(), *(x[b : b + 1, :length] for x in (wide_k, wide_v))]
                        reference.check(self, o[b : b + 1], expected(*part, causal=True)[0], dtype)

    def test_refused_caches(self):
        q, (_, k, v) = batch_of(2, 1, 21)[0].to(torch.bfloat16), self.narrow
        with self.assertRaisesRegex(ValueError, "^q_descale: expected none"):
            fa3.flash_attn_with_kvcache(q, k, v, cache_seqlens=21, q_descale=self.scales[0])
        with self.assertRaisesRegex(ValueError, "^v: expected torch.float8_e4m3fn, as k has"):
            fa3.flash_attn_with_kvcache(q, k, v.to(q.dtype), cache_seqlens=21)
        with self.assertRaisesRegex(ValueError, "^v: expected element type torch.float8_e4m3fn, as k has"):
            attn_mlir.attention(*(x.transpose(1, 2) for x in (q, k, v.to(q.dtype))))
        with self.assertRaisesRegex(ValueError, "^k: expected element type torch.float32, as q has"):
            attn_mlir.attention(*(x.transpose(1, 2) for x in (q.float(), k, v)))


class Refused(unittest.TestCase):
    def test_by_name(self):
        q, k, v = batch_of(1, 4, 4)
        angles = torch.zeros(8, 8)
        for function, name, value in (
                (fa2.flash_attn_func, "dropout_p", 0.1), (fa3.flash_attn_func, "qv", q),
                (fa3.flash_attn_with_kvcache, "qv", q),
                (fa3.flash_attn_with_kvcache, "rotary_cos", angles)):
            with self.subTest(name), self.assertRaisesRegex(NotImplementedError, f"^{name}[ :]"):
                function(q, k, v, **{name: value})
        with self.assertRaisesRegex(ValueError, "^q_descale: expected none"):
            fa3.flash_attn_func(q, k, v, q_descale=torch.ones(1, 2))
        with self.assertRaisesRegex(ValueError, "^v: expected torch.float8_e4m3fn"):
            fa3.flash_attn_func(q.to(torch.float8_e4m3fn), k.to(torch.float8_e4m3fn), v)

    def test_names_and_order(self):
        self.assertEqual(list(inspect.signature(fa2.flash_attn_func).parameters)[:6],
                         ["q", "k", "v", "dropout_p", "softmax_scale", "causal"])
        self.assertEqual(list(inspect.signature(fa3.flash_attn_func).parameters)[:6],
                         ["q", "k", "v", "softmax_scale", "causal", "qv"])


if __name__ == "__main__":
    unittest.main()
