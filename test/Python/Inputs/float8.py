"""attention() of float8 on the CPU, and what a GPU is given."""

import unittest
import unittest.mock

import attn_mlir
import torch
from attn_mlir import _attention, _flash_attn_3, _float8, _targets, _widened_float8
from attn_mlir import flash_attn_3 as fa3

E4M3 = torch.float8_e4m3fn
# Of weights with 4 bits; one of 3 has twice that.
BOUND = 4e-2


def random(*shape, dtype=E4M3, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def wide(x, scale=None, group=1):
    x = x.float().double()
    return x if scale is None else x * scale.double().repeat_interleave(group, 1)[:, :, None, None]


def expected(q, k, v, causal=False, softcap=0.0):
    group = q.shape[1] // k.shape[1]
    k, v = (x.repeat_interleave(group, 1) for x in (k, v))
    scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    if softcap:
        scores = softcap * torch.tanh(scores / softcap)
    if causal:
        i, j = (torch.arange(n) for n in scores.shape[-2:])
        scores = scores.masked_fill(j[None] > i[:, None] + k.shape[2] - q.shape[2], float("-inf"))
    return torch.softmax(scores, -1) @ v, torch.logsumexp(scores, -1)


def error(o, r):
    return ((o.double() - r).norm() / r.norm()).item()


class Float8(unittest.TestCase):
    def test_scales(self):
        q, k, v = random(2, 4, 37, 64), random(2, 2, 50, 64, seed=1), random(2, 2, 50, 64, seed=2)
        scales = [torch.rand(2, 2, generator=torch.Generator().manual_seed(3 + i)) + 0.5 for i in range(3)]
        r, rl = expected(wide(q, scales[0], 2), wide(k, scales[1]), wide(v, scales[2]))
        o, lse = attn_mlir.attention(q, k, v, return_lse=True, q_scale=scales[0], k_scale=scales[1], v_scale=scales[2])
        self.assertEqual(o.dtype, torch.bfloat16)
        self.assertLess(error(o, r), BOUND)
        self.assertLess((lse.double() - rl).abs().max().item(), 1e-5)
        one = attn_mlir.attention(q, k, v, q_scale=0.5, k_scale=torch.tensor(2.0), v_scale=torch.full((1, 2), 3.0))
        r, _ = expected(wide(q), wide(k), wide(v) * 3)
        self.assertLess(error(one, r), BOUND)

    def test_scales_of_blocks(self):
        q, k, v = random(2, 4, 37, 64), random(2, 2, 150, 64, seed=1), random(2, 2, 150, 64, seed=2)
        drawn = [torch.rand(2, 2, 3, generator=torch.Generator().manual_seed(3 + i)) * 8 + 0.5 for i in range(2)]
        head = torch.rand(2, 2, generator=torch.Generator().manual_seed(7)) + 0.5

        def of_rows(x, scale):
            return wide(x) * scale.double().repeat_interleave(64, 2)[:, :, :150, None]

        for ks, vs in ((drawn[0], drawn[1]), (drawn[0], head), (head, drawn[1]), (drawn[0][:1], drawn[1][:, :1])):
            wk, wv = (of_rows(x, s) if s.dim() == 3 else wide(x, s) for x, s in ((k, ks), (v, vs)))
            r, rl = expected(wide(q, head, 2), wk, wv, causal=True)
            o, lse = attn_mlir.attention(
                q, k, v, causal=True, return_lse=True, q_scale=head, k_scale=ks, v_scale=vs, scale_block=64)
            self.assertLess(error(o, r), BOUND)
            self.assertLess((lse.double() - rl).abs().max().item(), 1e-4)
        # Another size of blocks is another kernel, and as many numbers.
        shifted = attn_mlir.attention(q, k, v, causal=True, q_scale=head, k_scale=drawn[0][:, :, :2], v_scale=head, scale_block=128)
        self.assertGreater(error(shifted, r), 2 * BOUND)

    def test_scales_of_blocks_are_refused(self):
        q, k, one = random(1, 2, 9, 32), random(1, 2, 150, 32), torch.ones(1, 2, 3)
        for wanted, call in (
                ("scale_block: expected a power of two from 32 on, but got 48", {"k_scale": one, "scale_block": 48}),
                ("scale_block: expected a power of two from 32 on, but got 16", {"k_scale": one, "scale_block": 16}),
                ("scale_block: expected a power of two from 32 on, but got 64.0", {"k_scale": one, "scale_block": 64.0}),
                ("scale_block: expected k_scale or v_scale of 3 dimensions", {"k_scale": one[:, :, 0], "scale_block": 64}),
                ("k_scale: expected shape (1, 2), of which either may be 1, or (1, 2, 5) for blocks of keys, but got (1, 2, 3)",
                 {"k_scale": one, "scale_block": 32}),
                ("k_scale: expected shape (1, 2), of which either may be 1, but got (1, 2, 3)", {"k_scale": one}),
                ("q_scale: expected shape (1, 2), of which either may be 1, but got (1, 2, 3)",
                 {"q_scale": one, "k_scale": one, "scale_block": 64}),
                ("scale_block: expected no blocks beside it", {"k_scale": one, "scale_block": 64, "blocks": ((16, 16), None, None)})):
            with self.subTest(wanted), self.assertRaises(attn_mlir.ArgumentError) as caught:
                attn_mlir.attention(q, k, k, **call)
            self.assertIn(wanted, str(caught.exception))

    def test_scales_at_their_limits(self):
        q, k, v = (random(1, 2, 40, 32, seed=i) for i in range(3))
        mean = wide(v).mean(2, keepdim=True).expand(-1, -1, 40, -1)
        self.assertLess(error(attn_mlir.attention(q, k, v, q_scale=0.0), mean), BOUND)
        causal = attn_mlir.attention(q, k, v, causal=True, k_scale=0.0)
        self.assertLess(error(causal[:, :, -1], mean[:, :, -1]), BOUND)
        self.assertTrue(attn_mlir.attention(q, k, v, k_scale=float("nan")).isnan().all())
        self.assertTrue(attn_mlir.attention(q, k, v, v_scale=float("nan")).isnan().all())
        self.assertEqual(attn_mlir.attention(q, k, v, v_scale=0.0).abs().max().item(), 0)

    def test_types_and_dims(self):
        for dtype, dim, bound in ((torch.float8_e5m2, 64, 2 * BOUND), (E4M3, 40, BOUND), (torch.float8_e4m3fnuz, 128, BOUND)):
            q, k, v = (random(1, 2, 21, dim, dtype=dtype, seed=i) for i in range(3))
            with self.subTest(dtype=dtype, dim=dim):
                self.assertLess(error(attn_mlir.attention(q, k, v), expected(wide(q), wide(k), wide(v))[0]), bound)

    def test_flash_attention_3(self):
        q, k, v = random(2, 33, 4, 64), random(2, 33, 2, 64, seed=1), random(2, 33, 2, 64, seed=2)
        scale = torch.rand(2, 2, generator=torch.Generator().manual_seed(9)) + 0.5
        for softcap in (0.0, 15.0):
            o, lse = fa3.flash_attn_func(q, k, v, causal=True, softcap=softcap, q_descale=scale, k_descale=scale,
                                         v_descale=scale, return_attn_probs=True)
            r, rl = expected(wide(q.transpose(1, 2), scale, 2), wide(k.transpose(1, 2), scale), wide(v.transpose(1, 2), scale),
                             causal=True, softcap=softcap)
            self.assertLess(error(o.transpose(1, 2), r), BOUND)
            self.assertLess((lse.double() - rl).abs().max().item(), 1e-4)
        # Packed sequences are widened in front of kernels.
        starts = torch.tensor([0, 10, 33], dtype=torch.int32)
        packed = fa3.flash_attn_varlen_func(q[0], k[0], v[0], starts, starts, 23, 23)
        for begin, end in ((0, 10), (10, 33)):
            alone = fa3.flash_attn_func(*(x[:1, begin:end] for x in (q, k, v)))
            self.assertLess(error(packed[begin:end], alone[0].double()), 2 * BOUND)
        with self.assertRaisesRegex(ValueError, "^q_descale: expected none"):
            fa3.flash_attn_func(*(x.to(torch.bfloat16) for x in (q, k, v)), q_descale=scale)

    def test_columns(self):
        v = random(2, 3, 37, 32)
        columns = _float8.interleaved(v, "bhsd")
        self.assertEqual(columns.shape, (2, 3, 32, 48))
        for place in range(48):
            key = place // 16 * 16 + place // 4 % 4 * 2 + place % 2 + place // 2 % 2 * 8
            wanted = v[:, :, key].float() if key < 37 else torch.zeros(2, 3, 32)
            self.assertTrue(torch.equal(columns[..., place].float(), wanted))
        other = _float8.interleaved(v.transpose(1, 2), "bshd")
        self.assertTrue(torch.equal(columns.view(torch.uint8), other.view(torch.uint8)))

    def test_columns_are_values(self):
        q, k, v = random(2, 4, 37, 64), random(2, 2, 50, 64, seed=1), random(2, 2, 50, 64, seed=2)
        columns = attn_mlir.interleaved_values(v)
        rows = attn_mlir.attention(q, k, v, causal=True)
        for _ in range(2):
            self.assertLess(error(attn_mlir.attention(q, k, columns, causal=True), rows.double()), BOUND)
        with self.assertRaisesRegex(attn_mlir.ArgumentError, "layout 'bshd'"):
            attn_mlir.attention(*(x.transpose(1, 2) for x in (q, k)), attn_mlir.interleaved_values(v.transpose(1, 2)), layout="bshd")
        with self.assertRaisesRegex(attn_mlir.ArgumentError, "as q has"):
            attn_mlir.attention(q.to(torch.bfloat16), k.to(torch.bfloat16), columns)
        with self.assertRaisesRegex(attn_mlir.ArgumentError, "expected float8"):
            attn_mlir.interleaved_values(v.to(torch.bfloat16))

    def test_on_an_amd_gpu(self):
        """V stays by rows; another order is of other registers."""
        shapes = _attention.shapes_of((2, 4, 37, 64), (2, 2, 50, 64), (2, 2, 50, 64), "bhsd")
        problem = _attention.problem_of(shapes, "f8E4M3FNUZ", "", None, "bhsd", True, "", "", None)
        text = _attention.text_of(_float8.checked(problem, "hip"))
        self.assertIn("%v: tensor<?x2x?x64xf8E4M3FNUZ>", text)
        self.assertNotIn("arrange_values", text)
        with self.assertRaisesRegex(NotImplementedError, "^v: expected rows on an AMD GPU"):
            _float8.checked(problem, "hip", has_columns=True)

    def test_on_a_gpu(self):
        """What the kernel of a GPU is compiled for."""
        shapes = _attention.shapes_of((2, 4, 37, 64), (2, 2, 50, 64), (2, 2, 50, 64), "bhsd")
        problem = _attention.problem_of(shapes, "f8E4M3FN", "", None, "bhsd", True, "", "", None)
        problem = problem._replace(scales=("?x2", "", "1x1"))
        text = _attention.text_of(_float8.checked(problem, "cuda"))
        self.assertIn("%rows: tensor<?x2x?x64xf8E4M3FN>", text)
        self.assertIn("%v = attn.arrange_values %rows : tensor<?x2x?x64xf8E4M3FN> -> tensor<?x2x64x?xf8E4M3FN>", text)
        text = _attention.text_of(_float8.checked(problem._replace(layout="bshd"), "cuda"))
        self.assertIn("attn.arrange_values %rows layout(bshd) : tensor<?x?x2x64xf8E4M3FN> -> tensor<?x2x64x?xf8E4M3FN>", text)
        text = _attention.text_of(_float8.checked(problem, "cuda", has_columns=True))
        self.assertIn("%v: tensor<?x2x64x?xf8E4M3FN>", text)
        self.assertNotIn("arrange_values", text)
        self.assertIn("values(interleaved) q_scale(%q_scale : tensor<?x2xf32>) v_scale(%v_scale : tensor<1x1xf32>)", text)
        problem = problem._replace(scales=("?x2", "?x2x?", "1x1"), scale_block=64)
        self.assertIn(
            "values(interleaved) scale_block(64) q_scale(%q_scale : tensor<?x2xf32>) k_scale(%k_scale : tensor<?x2x?xf32>)",
            _attention.text_of(_float8.checked(problem, "cuda", has_columns=True)))
        with self.assertRaisesRegex(NotImplementedError, "^lengths: "):
            _float8.checked(problem._replace(lengths="i32"), "cuda")
        # Hopper's kernels arrange V themselves.
        text = _attention.text_of(_float8.checked(problem._replace(lengths="i32"), "cuda", arranges=True))
        self.assertNotIn("interleaved", text)
        self.assertNotIn("arrange_values", text)
        self.assertIn("arrange_values", _attention.text_of(_float8.checked(problem, "cuda", arranges=True)))
        with self.assertRaisesRegex(NotImplementedError, "^lengths: "):
            _float8.checked(problem._replace(lengths="i32"), "cuda", has_columns=True, arranges=True)
        dense = problem._replace(scales=("?x2", "", "1x1"), scale_block=None)
        causal = dense._replace(mask="#attn.causal<bottom_right>")
        wide = dense._replace(value_dim=128)
        for given, keys, is_inside in (
                (causal, 4096, True), (causal, 4097, False), (causal._replace(value_dim=128), 50, True), (causal._replace(value_dim=256), 50, False),
                (dense, 4096, True), (dense, 4097, False), (wide, 50, False)):
            text = _attention.text_of(_float8.checked(given, "cuda", arranges=True, keys=keys))
            self.assertEqual("arrange_values" not in text, is_inside)

    def test_refused(self):
        q = random(1, 2, 9, 32)
        for scale, wanted in ((torch.ones(3, 3), r"q_scale: expected shape \(1, 2\)"), (torch.ones(1, 2).double(), "float32"),
                              ("1", "a number")):
            with self.assertRaisesRegex(attn_mlir.ArgumentError, wanted):
                attn_mlir.attention(q, q, q, q_scale=scale)
        with self.assertRaisesRegex(attn_mlir.ArgumentError, "as q has"):
            attn_mlir.attention(q, q, q.to(torch.float8_e5m2))


class Cached:
    """FlashAttention-3's functions of caches, as devices whose kernels read them have it: K and V are not widened."""

    QUERIES, KEYS, LENGTHS = 3, 64, (21, 64, 0)
    SEQUENCES = CACHES = False  # What the device's kernels read.

    def setUp(self):
        self.q = random(3, self.QUERIES, 4, 64)
        self.k, self.v = (random(3, self.KEYS, 2, 64, seed=1 + i) for i in range(2))
        self.scales = [torch.rand(3, 2, generator=torch.Generator().manual_seed(3 + i)) + 0.5 for i in range(3)]
        self.named = dict(zip(("q_descale", "k_descale", "v_descale"), self.scales))
        self.lengths = torch.tensor(self.LENGTHS, dtype=torch.int32)
        wide_queries = unittest.mock.Mock(side_effect=_widened_float8.with_wide_queries)
        self.wide_queries = wide_queries
        for place, name, function in (
                (_targets, "reads_float8_sequences", lambda target: self.SEQUENCES),
                (_targets, "reads_float8_caches", lambda target: self.CACHES),
                (_widened_float8, "widened", self.fail_widened), (_widened_float8, "with_wide_queries", wide_queries)):
            patch = unittest.mock.patch.object(place, name, function)
            patch.start()
            self.addCleanup(patch.stop)

    def fail_widened(self, *arguments):
        self.fail("expected no copies, but a call was widened")

    def check(self, found, rows=(0, 1, 2), first=(0, 0, 0), ends=LENGTHS, queries=(QUERIES,) * 3):
        """O [B, S, H, D] and LSE [B, H, S], of keys of rows of the cache; queries behind ``queries`` count nowhere."""
        o, lse = found
        self.assertEqual((o.dtype, lse.dtype), (torch.bfloat16, torch.float32))
        for b, (row, begin, end, count) in enumerate(zip(rows, first, ends, queries)):
            q, k, v = self.q[b : b + 1, :count], self.k[row : row + 1, begin:end], self.v[row : row + 1, begin:end]
            wide_q, wide_k, wide_v = (
                wide(x.transpose(1, 2), scale[b : b + 1], 2 if x is q else 1) for x, scale in zip((q, k, v), self.scales))
            if end <= begin:
                self.assertTrue((o[b] == 0).all() and (lse[b] == float("-inf")).all())
                continue
            r, rl = expected(wide_q, wide_k, wide_v, causal=True)
            self.assertLess(error(o[b : b + 1, :count].transpose(1, 2), r), BOUND)
            self.assertLess((lse[b, :, :count].double() - rl[0]).abs().max().item(), 1e-4)

    def test_cache(self):
        call = {"causal": True, "return_softmax_lse": True, **self.named}
        self.check(fa3.flash_attn_with_kvcache(self.q, self.k, self.v, cache_seqlens=self.lengths, **call))
        self.check(fa3.flash_attn_with_kvcache(self.q, self.k, self.v, **call, cache_leftpad=torch.tensor([3, 0, 9], dtype=torch.int32)),
                   first=(3, 0, 9), ends=(self.KEYS,) * 3)
        rows = torch.tensor([2, 0, 1])
        self.check(fa3.flash_attn_with_kvcache(self.q, self.k, self.v, cache_seqlens=self.lengths, cache_batch_idx=rows, **call), rows.tolist())
        o, lse = fa3.flash_attn_with_kvcache(
            self.q.flatten(0, 1), self.k, self.v, cache_seqlens=self.lengths, max_seqlen_q=self.QUERIES,
            cu_seqlens_q=torch.arange(4, dtype=torch.int32) * self.QUERIES, **call)
        self.check((o.unflatten(0, (3, -1)), lse.unflatten(1, (3, -1)).transpose(0, 1)))

    def test_pages(self):
        numbers = torch.randperm(12, generator=torch.Generator().manual_seed(5)).view(3, 4).int()
        pages = [torch.empty(12, 16, 2, 64, dtype=torch.uint8) for _ in range(2)]
        for cut, x in zip(pages, (self.k, self.v)):
            cut[numbers.long()] = x.view(torch.uint8).unflatten(1, (4, 16))
        pages = [x.view(E4M3) for x in pages]
        call = {"causal": True, "return_softmax_lse": True, **self.named}
        self.check(fa3.flash_attn_with_kvcache(self.q, *pages, cache_seqlens=self.lengths, page_table=numbers, **call))
        self.check(fa3.flash_attn_with_kvcache(self.q, *pages, page_table=numbers, **call), ends=(self.KEYS,) * 3)
        rows = torch.tensor([1, 2, 0])
        self.check(fa3.flash_attn_with_kvcache(
            self.q, *pages, cache_seqlens=self.lengths, page_table=numbers, cache_batch_idx=rows, **call), rows.tolist())

    def test_new_keys(self):
        k, v = ((x.view(torch.uint8) + 0).view(E4M3) for x in (self.k, self.v))
        new, before = [random(3, 2, 2, 64, seed=7 + i) for i in range(2)], torch.tensor([4, 62, 0], dtype=torch.int32)
        for cache, x in ((self.k, new[0]), (self.v, new[1])):
            for b, place in enumerate(before.tolist()):
                cache.view(torch.uint8)[b, place : place + 2] = x[b].view(torch.uint8)
        self.q = self.q[:, :2]
        self.check(fa3.flash_attn_with_kvcache(
            self.q, k, v, *new, cache_seqlens=before, causal=True, return_softmax_lse=True, **self.named), ends=(6, 64, 2), queries=(2,) * 3)


class WideQueries(Cached, unittest.TestCase):
    """Kernels read caches alone, so that queries become bfloat16; so they do where that is faster, if kernels read all."""

    CACHES = True

    def check(self, *arguments, **keywords):
        if not _targets.reads_float8_sequences(None):
            self.assertTrue(self.wide_queries.called)
        super().check(*arguments, **keywords)

    def test_many_sequences(self):
        """Where kernels read all, decoding of as many sequences as fill the device is by those of caches."""
        self.q = self.q[:, :1]
        call = {"cache_seqlens": self.lengths, "causal": True, "return_softmax_lse": True, **self.named}
        packed = {"cu_seqlens_q": torch.arange(4, dtype=torch.int32), "max_seqlen_q": 1}
        with unittest.mock.patch.object(_targets, "reads_float8_sequences", lambda target: True):
            for sms, count in ((4, 1), (5, 0)):
                with self.subTest(sms), unittest.mock.patch.object(_targets, "sms_of", lambda target, sms=sms: sms):
                    self.wide_queries.reset_mock()
                    self.check(fa3.flash_attn_with_kvcache(self.q, self.k, self.v, **call), queries=(1,) * 3)
                    self.assertEqual(self.wide_queries.call_count, count)
                    o, lse = fa3.flash_attn_with_kvcache(self.q.flatten(0, 1), self.k, self.v, **packed, **call)
                    self.check((o.unflatten(0, (3, 1)), lse.unflatten(1, (3, 1)).transpose(0, 1)), queries=(1,) * 3)
                    self.assertEqual(self.wide_queries.call_count, 2 * count)
                    fa3.flash_attn_with_kvcache(self.q.expand(-1, 2, -1, -1), self.k, self.v, **call)
                    self.assertEqual(self.wide_queries.call_count, 2 * count)

    def test_scales(self):
        """Any of them may be missing."""
        for left_out in range(3):
            for x in self.scales:
                x.fill_(0.75)
            self.scales[left_out].fill_(1)
            named = {name: scale for i, (name, scale) in enumerate(self.named.items()) if i != left_out}
            self.check(fa3.flash_attn_with_kvcache(
                self.q, self.k, self.v, cache_seqlens=self.lengths, causal=True, return_softmax_lse=True, **named))


class Sequences(Cached, unittest.TestCase):
    """Kernels read queries of float8, too, and packed sequences: weights are rounded to 8 bits."""

    SEQUENCES = True

    def tearDown(self):
        self.assertFalse(self.wide_queries.called)

    def test_packed(self):
        cu_q, cu_k = (torch.arange(4, dtype=torch.int32) * size for size in (self.QUERIES, self.KEYS))
        packed = [x.flatten(0, 1) for x in (self.q, self.k, self.v)]
        queries = (2, 3, 1)
        o, lse = fa3.flash_attn_varlen_func(
            *packed, cu_q, cu_k, self.QUERIES, self.KEYS, seqused_q=torch.tensor(queries, dtype=torch.int32), seqused_k=self.lengths, causal=True,
            return_attn_probs=True, **self.named)
        found = o.unflatten(0, (3, -1)), lse.unflatten(1, (3, -1)).transpose(0, 1)
        self.check(found, queries=queries)
        self.assertEqual(found[0][0, 2].abs().max().item(), 0)
        self.check(fa3.flash_attn_varlen_func(
            self.q, *packed[1:], None, cu_k, self.QUERIES, self.KEYS, causal=True, return_attn_probs=True, **self.named), ends=(self.KEYS,) * 3)
        with self.assertRaisesRegex(NotImplementedError, "^page_table"):
            _flash_attn_3.forward(self.q, *packed[1:], cu_seqlens_k=cu_k, page_table=torch.zeros(3, 4, dtype=torch.int32))


class Where(unittest.TestCase):
    def test_targets(self):
        for name, sequences, caches in (
                ("cpu", False, True), ("h100", True, True), ("mi355x", True, False), ("gb10", False, True), ("rtx4090", False, True),
                ("a100", False, False), ("mi300x", False, False)):
            with self.subTest(name):
                target = _targets.named(name)
                self.assertEqual(_targets.reads_float8_sequences(target), sequences)
                self.assertEqual(_targets.reads_float8_caches(target), caches)
        self.assertEqual(_targets.sms_of(_targets.named("gb10")), 48)
        self.assertEqual(_targets.sms_of(_targets.nearest("sm_90", {**dict.fromkeys(_targets._STATED, 0), "sms": 78})), 78)

    def test_others_are_widened(self):
        """Packed keys on the CPU, targets that read nothing of it, and calls that are traced."""
        q, k, v = random(2, 3, 4, 64), random(2, 16, 2, 64, seed=1), random(2, 16, 2, 64, seed=2)
        lengths = torch.tensor([9, 16], dtype=torch.int32)
        wanted = fa3.flash_attn_with_kvcache(q, k, v, cache_seqlens=lengths)
        cu_q, cu_k = (torch.arange(3, dtype=torch.int32) * size for size in (3, 16))

        def cached():
            return fa3.flash_attn_with_kvcache(q, k, v, cache_seqlens=lengths)

        def packed():
            o = fa3.flash_attn_varlen_func(*(x.flatten(0, 1) for x in (q, k, v)), cu_q, cu_k, 3, 16, seqused_k=lengths)
            return o.unflatten(0, (2, 3))

        for call, patch in (
                (packed, unittest.mock.patch.object(_targets, "reads_float8_sequences", lambda target: False)),
                (cached, unittest.mock.patch.object(_targets, "reads_float8_caches", lambda target: False)),
                (cached, unittest.mock.patch.object(torch.compiler, "is_compiling", lambda: True))):
            with patch, unittest.mock.patch.object(_widened_float8, "widened", side_effect=_widened_float8.widened) as widened:
                self.assertLess(error(call(), wanted.double()), 1e-2)
                widened.assert_called_once()


if __name__ == "__main__":
    unittest.main()
