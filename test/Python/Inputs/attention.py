"""attn_mlir.attention() of torch tensors on the CPU against float64, and what it says of wrong arguments."""

import unittest

import attn_mlir
import reference
import torch

bf16, f16, f32 = torch.bfloat16, torch.float16, torch.float32


def make(batch=2, heads=4, kv_heads=2, queries=37, keys=61, dim=32, value_dim=None, dtype=f32, seed=0):
    torch.manual_seed(seed)
    value_dim = dim if value_dim is None else value_dim
    shapes = (heads, queries, dim), (kv_heads, keys, dim), (kv_heads, keys, value_dim)
    return [torch.randn(batch, *shape).to(dtype) for shape in shapes]


def swapped(tensors):
    """The same numbers as [batch, length, heads, dim]."""
    return [tensor.transpose(1, 2).contiguous() for tensor in tensors]


class Memory(unittest.TestCase):
    """A driver without memory for a workspace, while torch keeps some for later."""

    def launched(self, codes, is_initialized=True):
        from unittest import mock

        from attn_mlir import _attention

        kernel = mock.Mock(side_effect=[attn_mlir.CudaError("no memory", code) if code else None for code in codes])
        with mock.patch.object(torch.cuda, "is_initialized", lambda: is_initialized), mock.patch.object(
                torch.cuda, "empty_cache") as emptied:
            try:
                _attention._launched(kernel, (), (), (), None)
            except attn_mlir.CudaError as error:
                return error.code, kernel.call_count, emptied.call_count
            return 0, kernel.call_count, emptied.call_count

    def test_given_back_once(self):
        self.assertEqual(self.launched([0]), (0, 1, 0))
        self.assertEqual(self.launched([2, 0]), (0, 2, 1))
        self.assertEqual(self.launched([2, 2]), (2, 2, 1))

    def test_other_errors(self):
        self.assertEqual(self.launched([700, 0]), (700, 1, 0))
        self.assertEqual(self.launched([2, 0], is_initialized=False), (2, 1, 0))


class Attention(unittest.TestCase):
    def compare(self, tensors, keep=None, **keywords):
        o, lse = attn_mlir.attention(*tensors, return_lse=True, **keywords)
        sinks = keywords.get("sinks")
        wanted = reference.attention(*tensors, keep=keep, scale=keywords.get("scale"), sinks=sinks)
        self.assertEqual((o.dtype, lse.dtype), (tensors[0].dtype, f32))
        reference.check(self, o, wanted[0], o.dtype)
        reference.check(self, lse, wanted[1], o.dtype, 1e-4)
        return o

    def test_types(self):
        for dtype in (bf16, f16, f32):
            with self.subTest(dtype):
                self.compare(make(dtype=dtype))

    def test_heads_and_dims(self):
        for heads, kv_heads, dim, value_dim in ((1, 1, 8, 8), (6, 3, 64, 16), (8, 1, 24, 40), (2, 2, 128, 256)):
            with self.subTest(heads=heads, dim=dim):
                self.compare(make(1, heads, kv_heads, 20, 33, dim, value_dim))

    def test_dims_that_are_padded(self):
        for dim, value_dim in ((7, 7), (33, 8), (16, 21)):
            with self.subTest(dim=dim, value_dim=value_dim):
                tensors = make(dim=dim, value_dim=value_dim)
                o = self.compare(tensors, keep=reference.window(37, 61, right=0), causal=True)
                out = torch.empty_like(o)
                self.assertIs(attn_mlir.attention(*tensors, causal=True, out=out), out)
                self.assertTrue(torch.equal(out, o))

    def test_masks(self):
        window = reference.window
        for keywords, keep in (
            (dict(causal=True), window(37, 61, right=0)),
            (dict(causal="bottom_right"), window(37, 61, right=0)),
            (dict(causal="top_left"), window(37, 61, right=0, top_left=True)),
            (dict(window=9), window(37, 61, left=9)),
            (dict(window=(9, None)), window(37, 61, left=9)),
            (dict(window=(-1, 3)), window(37, 61, right=3)),
            (dict(window=[5, 4]), window(37, 61, left=5, right=4)),
            (dict(window=(0, 0)), window(37, 61, left=0, right=0)),
            (dict(window=9, causal=True), window(37, 61, left=9, right=0)),
            (dict(window=(9, 5), causal="top_left"), window(37, 61, left=9, right=0, top_left=True)),
            (dict(window=(-1, -1)), None),
        ):
            with self.subTest(keywords):
                self.compare(make(), keep=keep, **keywords)
        self.compare(make(queries=61, keys=37), keep=window(61, 37, right=0), causal=True)

    def test_scale(self):
        for scale in (0.3, 1, torch.tensor(0.5)):
            with self.subTest(scale):
                self.compare(make(), scale=scale)

    def test_sinks(self):
        torch.manual_seed(1)
        for dtype in (f32, bf16):
            self.compare(make(), sinks=torch.randn(4).to(dtype))

    def test_lengths(self):
        """Sequences have fewer keys than the caches hold, whose rest is NaN."""
        q, k, v = make(3, queries=4)
        counts = [61, 5, 0]
        for dtype in (torch.int32, torch.int64):
            keys, values = k.clone(), v.clone()
            for batch, count in enumerate(counts):
                keys[batch, :, count:] = values[batch, :, count:] = float("nan")
            lengths = torch.tensor(counts, dtype=dtype)
            o, lse = attn_mlir.attention(q, keys, values, causal=True, lengths=lengths, return_lse=True)
            strided = torch.stack([lengths, lengths], 1)[:, 0]
            self.assertTrue(torch.equal(attn_mlir.attention(q, keys, values, causal=True, lengths=strided), o))
            for batch, count in enumerate(counts):
                one = slice(batch, batch + 1)
                keep = reference.window(4, count, right=0)
                wanted = reference.attention(q[one], k[one, :, :count], v[one, :, :count], keep=keep)
                reference.check(self, o[one], wanted[0], f32)
                reference.check(self, lse[one], wanted[1], f32)
        made = attn_mlir.compile(q, k, v, causal=True, lengths=((None,), "int64"))
        self.assertTrue(torch.equal(made(q, keys, values, lengths=lengths), o))

    def test_packed_sequences(self):
        """Sequences one behind the other; NaN in a neighbour, and in what is of none, changes nothing."""
        counts, keys_of = (5, 0, 1, 17), (40, 3, 0, 31)
        starts = [torch.tensor([sum(c[:i]) for i in range(5)], dtype=t) + 1 for c, t in ((counts, torch.int32), (keys_of, torch.int64))]
        q, k, v = (tensor[:1] for tensor in make(1, queries=25, keys=77))
        k[:, :, 41:44] = v[:, :, 41:44] = k[:, :, 75:] = v[:, :, 75:] = float("nan")
        o, lse = attn_mlir.attention(
            q, k, v, causal=True, cu_seqlens_q=starts[0], cu_seqlens_k=starts[1], return_lse=True,
            score_mod=lambda s, b, h, i, j: s + 0.25 * b - 0.01 * i)
        for batch, (m, n) in enumerate(zip(counts, keys_of)):
            rows, cols = (slice(int(c[batch]), int(c[batch + 1])) for c in starts)
            wanted = reference.attention(
                q[:, :, rows], k[:, :, cols], v[:, :, cols], keep=reference.window(m, n, right=0),
                score=lambda s, b, h, i, j, own=batch: s + 0.25 * own - 0.01 * i)
            reference.check(self, o[:, :, rows], wanted[0], f32)
            reference.check(self, lse[:, :, rows], wanted[1], f32)

    def test_pages(self):
        """A cache of shuffled pages is what it is in a row."""
        q, k, v = make(3, queries=4, keys=64)
        lengths = torch.tensor([61, 5, 0], dtype=torch.int32)
        wanted = attn_mlir.attention(q, k, v, causal=True, lengths=lengths)
        for page in (16, 64):
            table = torch.randperm(3 * 64 // page + 1)[: 3 * 64 // page].view(3, -1)
            pages = [torch.full((3 * 64 // page + 1, x.shape[1], page, x.shape[3]), float("nan")) for x in (k, v)]
            for x, cache in zip((k, v), pages):
                cache[table] = x.unflatten(2, (-1, page)).transpose(1, 2)
            table[1, 1:], table[2] = -7, 1 << 40
            got = attn_mlir.attention(q, *pages, causal=True, lengths=lengths, block_table=table)
            reference.check(self, got, wanted.double(), f32)

    def test_layout(self):
        tensors = make(dtype=bf16)
        o, lse = attn_mlir.attention(*tensors, causal=True, return_lse=True)
        o2, lse2 = attn_mlir.attention(*swapped(tensors), causal=True, return_lse=True, layout="bshd")
        self.assertEqual(tuple(o2.shape), (2, 37, 4, 32))
        self.assertTrue(torch.equal(o2.transpose(1, 2), o))
        self.assertTrue(torch.equal(lse, lse2))

    def test_edges(self):
        for sizes in ((0, 5, 5), (2, 0, 7), (2, 7, 0), (1, 1, 1), (1, 1, 300)):
            with self.subTest(sizes):
                batch, queries, keys = sizes
                self.compare(make(batch, queries=queries, keys=keys), keep=reference.window(queries, keys, right=0), causal=True)

    def test_out(self):
        tensors = make()
        wanted, wanted_lse = attn_mlir.attention(*tensors, return_lse=True)
        out, lse = torch.empty(2, 4, 37, 32), torch.empty(2, 4, 37)
        got = attn_mlir.attention(*tensors, return_lse=True, out=(out, lse))
        self.assertIs(got[0], out)
        self.assertIs(got[1], lse)
        self.assertTrue(torch.equal(out, wanted) and torch.equal(lse, wanted_lse))
        out.zero_()
        self.assertIs(attn_mlir.attention(*tensors, return_lse=True, out=out)[0], out)
        self.assertTrue(torch.equal(out, wanted))

    def test_strides_and_alignment(self):
        """What a kernel takes as it is, and what it takes as a copy."""
        tensors = make()
        wanted = attn_mlir.attention(*tensors)
        shifted = [torch.empty(tensor.numel() + 1)[1:].view(tensor.shape).copy_(tensor) for tensor in tensors]
        columns = [tensor.transpose(2, 3).contiguous().transpose(2, 3) for tensor in tensors]
        spread = [torch.stack([tensor, tensor], -1)[..., 0] for tensor in tensors]
        odd = [torch.nn.functional.pad(tensor, (0, 1))[..., :-1] for tensor in tensors]
        lengths = [tensor.transpose(1, 2).contiguous().transpose(1, 2) for tensor in tensors]
        for name, made in dict(shifted=shifted, columns=columns, spread=spread, odd=odd, lengths=lengths).items():
            with self.subTest(name):
                for place in range(3):
                    mixed = list(tensors)
                    mixed[place] = made[place]
                    self.assertTrue(torch.equal(attn_mlir.attention(*mixed), wanted))
                out = torch.full((2, 4, 37, 64), 5.0)[..., 1:33] if name == "shifted" else torch.full((2, 4, 32, 37), 5.0).transpose(2, 3)
                attn_mlir.attention(*made, out=out)
                self.assertTrue(torch.equal(out, wanted))

    def test_one_batch_for_all(self):
        q, k, v = make(3)
        k, v = k[:1].expand(3, -1, -1, -1), v[:1].expand(3, -1, -1, -1)
        self.compare([q, k, v])

    def test_packed(self):
        """Q, K and V are parts of one tensor."""
        torch.manual_seed(2)
        packed = torch.randn(2, 30, 3, 4, 16)
        q, k, v = packed.unbind(2)
        o = attn_mlir.attention(q, k, v, layout="bshd")
        wanted, _ = reference.attention(*(x.transpose(1, 2) for x in (q, k, v)))
        reference.check(self, o.transpose(1, 2), wanted, f32)

    def test_schedule(self):
        tensors = make()
        wanted, _ = reference.attention(*tensors)
        o = attn_mlir.attention(*tensors, schedule="tiles=query=16,key=16 sawtooth=force persistent sms=2")
        reference.check(self, o, wanted, f32)
        with self.assertRaises(attn_mlir.CompileError) as raised:
            attn_mlir.attention(*tensors, schedule="tyles=1")
        self.assertIn("tyles", str(raised.exception))

    def test_explain(self):
        page = attn_mlir.attention(*make(dtype=bf16), explain=True)
        self.assertIn("attention", page)
        self.assertIn("cpu", page)

    def test_gradients(self):
        tensors = make()
        attn_mlir.attention(*tensors)
        for place, name in enumerate("qkv"):
            mixed = list(tensors)
            mixed[place] = tensors[place].clone().requires_grad_()
            with self.assertRaisesRegex(attn_mlir.ArgumentError, f"^{name}: .*torch.no_grad"):
                attn_mlir.attention(*mixed)
            with torch.no_grad():
                o = attn_mlir.attention(*mixed)
            self.assertFalse(o.requires_grad)
        bias = torch.zeros(4, requires_grad=True)
        with self.assertRaisesRegex(attn_mlir.ArgumentError, "torch.no_grad"):
            attn_mlir.attention(*tensors, score_mod=lambda s, b, h, q, k: s + bias[h])
        with self.assertRaisesRegex(attn_mlir.ArgumentError, "^sinks: .*torch.no_grad"):
            attn_mlir.attention(*tensors, sinks=bias)


def refused():
    q, k, v = make(queries=35)
    return {
        "rank": ((q[0], k, v), {}, "q: expected 4 dimensions (bhsd), but got 3"),
        "batch": ((q, k[:1], v), {}, "k: expected batch size 2"),
        "heads": ((q[:, :3], k, v), {}, "q: expected a multiple of the 2 heads of k"),
        "value-heads": ((q, k, v[:, :1]), {}, "v: expected 2 heads and 61 keys"),
        "keys": ((q, k, v[:, :, 1:]), {}, "v: expected 2 heads and 61 keys"),
        "dim": ((q, k[..., :8], v), {}, "k: expected head dimension 32"),
        "large": (make(dim=1032), {}, "q: expected a head dimension from 1 to 1024, but got 1032"),
        "double": ((q.double(), k.double(), v.double()), {}, "q: expected element type float16, bfloat16, float32 or float8, but got float64"),
        "mixed": ((q, k.half(), v), {}, "k: expected element type torch.float32, as q has, but got torch.float16"),
        "causal": ((q, k, v), dict(causal="left"), "causal: expected False, True, 'top_left' or 'bottom_right', but got 'left'"),
        "window": ((q, k, v), dict(window=-2), "window: expected left as a number of keys"),
        "window-type": ((q, k, v), dict(window=(1.5, 0)), "but got 1.5"),
        "window-length": ((q, k, v), dict(window=(1, 2, 3)), "window: expected a number or a pair"),
        "scale": ((q, k, v), dict(scale=float("inf")), "scale: expected a finite number, but got inf"),
        "scale-type": ((q, k, v), dict(scale="a"), "scale: expected a finite number, but got 'a'"),
        "layout": ((q, k, v), dict(layout="sbhd"), "layout: expected 'bhsd' or 'bshd', but got 'sbhd'"),
        "sinks": ((q, k, v), dict(sinks=torch.zeros(2)), "sinks: expected shape (4,), one for each head of q, but got (2,)"),
        "sinks-type": ((q, k, v), dict(sinks=torch.zeros(4).long()), "sinks: expected float16, bfloat16 or float32"),
        "lengths": ((q, k, v), dict(lengths=torch.zeros(3).int()), "lengths: expected shape (2,), one for each batch of q, but got (3,)"),
        "cu-falls": ((q[:1], k[:1], v[:1]), dict(cu_seqlens_q=torch.tensor([0, 9, 5]), cu_seqlens_k=torch.tensor([0, 1, 2])),
                     "cu_seqlens_q: expected numbers from 0 to 35 that never fall, but got 5 behind 9"),
        "cu-exceeds": ((q[:1], k[:1], v[:1]), dict(cu_seqlens_q=torch.tensor([0, 5]), cu_seqlens_k=torch.tensor([0, 1000])),
                       "that never fall, but got"),
        "cu-type": ((q[:1], k[:1], v[:1]), dict(cu_seqlens_k=torch.zeros(2)), "cu_seqlens_k: expected int32 or int64"),
        "cu-count": ((q[:1], k[:1], v[:1]), dict(cu_seqlens_q=torch.tensor([0, 5]), cu_seqlens_k=torch.tensor([0, 1, 2])),
                     "cu_seqlens_k: expected 2 numbers, as cu_seqlens_q has, but got 3"),
        "cu-batch": ((q, k, v), dict(cu_seqlens_q=torch.tensor([0, 5, 6])),
                     "q: expected batch size 1, since cu_seqlens_q packs its sequences, but got 2"),
        "table-lengths": ((q, k, v), dict(block_table=torch.zeros(2, 3).int()),
                          "block_table: expected lengths, which say how many keys of its pages there are, but got none"),
        "table-page": ((q, k, v), dict(block_table=torch.zeros(2, 3).int(), lengths=torch.zeros(2).int()),
                       "k: expected pages of a multiple of 8 keys from 16 on, but got"),
        "lengths-type": ((q, k, v), dict(lengths=torch.zeros(2)), "lengths: expected int32 or int64, but got torch.float32"),
        "meta": ((q.to("meta"), k, v), {}, "q: expected a tensor on cpu or cuda, but got one on meta"),
        "other-meta": ((q, k.to("meta"), v), {}, "k: expected a tensor on cpu or cuda, but got one on meta"),
        "list": (([1], k, v), {}, "q: expected a torch tensor"),
        "out-shape": ((q, k, v), dict(out=torch.empty(2, 4, 35, 31)), "expected size 32, but got 31"),
        "out-type": ((q, k, v), dict(out=torch.empty(2, 4, 35, 32).half()), "expected element type f32, but got f16"),
        "outs": ((q, k, v), dict(out=(torch.empty(2, 4, 35, 32), torch.empty(2, 4, 35))), "out: expected 1 arrays, but got 2"),
        "stream": ((q, k, v), dict(stream="a"), "stream: expected a stream"),
    }


class Refused(unittest.TestCase):
    def test_refused(self):
        for name, (tensors, keywords, message) in refused().items():
            with self.subTest(name):
                with self.assertRaises(attn_mlir.ArgumentError) as raised:
                    attn_mlir.attention(*tensors, **keywords)
                self.assertIn(message, str(raised.exception))

    def test_refused_after_a_call(self):
        """The short way says the same."""
        q, k, v = make()
        attn_mlir.attention(q, k, v)
        for tensors, message in (((q, k.half(), v), "float16"), ((q, k.to("meta"), v), "meta")):
            with self.assertRaises(attn_mlir.ArgumentError) as raised:
                attn_mlir.attention(*tensors)
            self.assertIn(message, str(raised.exception))


class Ahead(unittest.TestCase):
    def test_compile(self):
        import os
        import tempfile

        tensors = make(dtype=bf16)
        made = attn_mlir.compile(
            attn_mlir.Spec((None, 4, None, 32), "bfloat16"), ((None, 2, None, 32), "bfloat16"), causal=True, return_lse=True,
            target="cpu")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kernel.attn")
            made.save(path)
            self.assertEqual(os.listdir(folder), ["kernel.attn"])
            kernel = attn_mlir.load(path)
            results = [made(*tensors), kernel(*tensors), attn_mlir.attention(*tensors, causal=True, return_lse=True)]
        keep = reference.window(37, 61, right=0)
        for o, lse in results:
            wanted = reference.attention(*tensors, keep=keep)
            reference.check(self, o, wanted[0], bf16)
            reference.check(self, lse, wanted[1], bf16, 1e-4)

    def test_captures(self):
        tensors, slopes, other = make(), torch.rand(4), torch.rand(4)

        def alibi(slopes):
            return lambda s, b, h, q, k: s + slopes[h] * (k - q)

        made = attn_mlir.compile(*tensors, score_mod=alibi(slopes))
        wanted, _ = reference.attention(*tensors, score=alibi(other))
        reference.check(self, made(*tensors, score_mod=alibi(other)), wanted, f32)
        with self.assertRaisesRegex(attn_mlir.ArgumentError, "expected what was compiled"):
            made(*tensors)

    def test_meta(self):
        tensors = make()
        made = attn_mlir.compile(*(tensor.to("meta") for tensor in tensors), target="cpu")
        reference.check(self, made(*tensors), reference.attention(*tensors)[0], f32)

    def test_refused(self):
        for arguments, keywords, message in (
            ((5,), {}, "q: expected an array, a Spec or a pair"),
            ((((1, 2, 3, 8), "float16"),), dict(target="h999"), "target: expected one of cpu, a100"),
            ((((1, 2, 3, 8), "float32"),), dict(target="h100"), "(float32 is for the CPU)"),
        ):
            with self.assertRaises(attn_mlir.ArgumentError) as raised:
                attn_mlir.compile(*arguments, **keywords)
            self.assertIn(message, str(raised.exception))


if __name__ == "__main__":
    unittest.main()
