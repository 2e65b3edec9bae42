"""quantize() and rotation() against float64, and the error of attention to what they make."""

import math
import unittest

import attn_mlir
import torch
from attn_mlir import _quantize

E4M3, E5M2 = torch.float8_e4m3fn, torch.float8_e5m2
LARGEST = {E4M3: 448.0, E5M2: 57344.0}
# Half of the distance of neighbours, over a number: e4m3 has 3 bits behind the first, e5m2 2.
HALF = {E4M3: 2**-4, E5M2: 2**-3}
LEAST = {E4M3: 2**-10, E5M2: 2**-17}


def random(*shape, dtype=torch.bfloat16, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def outliers(*shape, seed=0):
    """FlashAttention-3's: N(0, 1) + N(0, 100) Bernoulli(0.001)."""
    generator = torch.Generator().manual_seed(seed)
    x, more = (torch.randn(*shape, generator=generator) for _ in range(2))
    return (x + 10 * more * (torch.rand(*shape, generator=generator) < 0.001)).to(torch.bfloat16)


def rotated(x, m):
    return x.double() if m is None else x.double() @ m.double() / math.sqrt(x.shape[-1])


def whole_of(blocks):
    """The matrix of blocks: Sylvester's has the signs."""
    signs = [[1 - 2 * ((i & j).bit_count() % 2) for j in range(len(blocks))] for i in range(len(blocks))]
    return torch.cat([torch.cat([sign * block for sign in row], 1) for row, block in zip(signs, blocks)])


def with_means(*shape, size=8, seed=0, dtype=torch.bfloat16):
    """Keys as models have them: columns have means that are larger than what differs."""
    return (random(*shape, seed=seed, dtype=torch.float32) + size * random(1, shape[1], 1, shape[3], seed=seed + 1, dtype=torch.float32)).to(dtype)


class Quantize(unittest.TestCase):
    def check(self, x, m=None, dtype=E4M3, heads=None, layout="bhsd", block=None):
        """The largest number of each group of heads, or of a block of their rows, gives the scale, and each number is the nearest."""
        q, s = attn_mlir.quantize(x, rotation=m, dtype=dtype, heads=heads, layout=layout, scale_block=block)
        self.assertEqual((q.shape, q.dtype, s.dtype), (x.shape, dtype, torch.float32))
        y, q = rotated(x, m), q.float().double()
        if layout == "bshd":
            y, q = y.transpose(1, 2), q.transpose(1, 2)
        groups, rows = s.shape[1], y.shape[2]
        each = rows if block is None else block
        blocks = -(-rows // each)
        padded = torch.nn.functional.pad(y, (0, 0, 0, blocks * each - rows))
        expected = padded.reshape(y.shape[0], groups, -1, blocks, each * y.shape[3]).abs().amax((2, 4)) / LARGEST[dtype]
        of_blocks = s.double() if block is not None else s.double()[:, :, None]
        self.assertEqual(of_blocks.shape, expected.shape)
        torch.testing.assert_close(of_blocks, expected, rtol=1e-5, atol=0)
        y = y / of_blocks.repeat_interleave(y.shape[1] // groups, 1).repeat_interleave(each, 2)[:, :, :rows, None]
        # Sums of f32 may round to the other neighbour.
        off = (q - y).abs() - y.abs() * HALF[dtype] * (1 + 1e-4) - LEAST[dtype]
        self.assertLessEqual(off.max().item(), 1e-4)
        return q, s

    def test_shapes(self):
        for dim in (16, 64, 96, 128, 256):
            for length in (1, 63, 130, 300):
                with self.subTest(dim=dim, length=length):
                    x = random(2, 3, length, dim, seed=dim + length)
                    self.check(x)
                    self.check(x, attn_mlir.rotation(dim, seed=length))

    def test_blocks(self):
        for dim in (64, 96, 256):
            for length in (1, 64, 130, 300):
                x = random(2, 3, length, dim, seed=dim + length)
                x[:, :, :40] *= 8
                m = attn_mlir.rotation(dim, seed=length)
                for block in (32, 64, 128, 512):
                    with self.subTest(dim=dim, length=length, block=block):
                        self.check(x, block=block)
                        self.check(x, m, block=block)
        x = random(2, 8, 150, 64)
        x[:, 3:, 70:] *= 5
        for m in (None, attn_mlir.rotation(64, 2)):
            for heads in (1, 2, 8):
                self.check(x, m, heads=heads, block=64)
                self.check(x.transpose(1, 2), m, heads=heads, layout="bshd", block=32)
        _, s = self.check(x, block=128)
        self.assertGreater(s[0, 7, 1].item(), 2 * s[0, 0, 1].item())
        q, s = attn_mlir.quantize(random(2, 2, 0, 64), scale_block=64)
        self.assertEqual((tuple(q.shape), tuple(s.shape)), ((2, 2, 0, 64), (2, 2, 0)))
        x[0, 0, 64:128] = 0
        x[0, 1, 130, 3] = math.nan
        _, s = attn_mlir.quantize(x, scale_block=64)
        self.assertEqual(s[0, 0, 1].item(), 1)
        self.assertEqual(s.isnan().nonzero().tolist(), [[0, 1, 2]])

    def test_types(self):
        for dtype in (torch.float16, torch.bfloat16, torch.float32):
            for number in (E4M3, E5M2):
                x = random(1, 4, 77, 64, dtype=dtype)
                self.check(x, dtype=number)
                self.check(x, attn_mlir.rotation(64, 1), dtype=number)

    def test_groups_and_layouts(self):
        x = random(2, 8, 150, 64)
        for heads in (1, 2, 8):
            self.check(x, heads=heads)
            self.check(x, attn_mlir.rotation(64, 2), heads=heads)
            self.check(x.transpose(1, 2), heads=heads, layout="bshd")
        # A part of larger rows, and every other head.
        self.check(random(2, 8, 150, 128)[..., 16:80])
        self.check(x[:, ::2])

    def test_groups_differ(self):
        x = random(1, 4, 40, 32)
        x[:, 2:] *= 8
        q, s = self.check(x, heads=2)
        self.assertGreater(s[0, 1].item(), 4 * s[0, 0].item())
        self.assertEqual(q.abs().amax().item(), 448)

    def test_exact_numbers(self):
        # Without a rotation it is what PyTorch makes by the same steps.
        x = random(2, 4, 200, 128)
        q, s = attn_mlir.quantize(x)
        inverse = 1 / s[:, :, None, None]
        self.assertTrue(torch.equal(q.view(torch.uint8), (x.float() * inverse).to(E4M3).view(torch.uint8)))

    def test_edges(self):
        x = random(1, 3, 70, 64)
        x[0, 1] = 0
        q, s = attn_mlir.quantize(x)
        self.assertEqual(s[0, 1].item(), 1)
        self.assertEqual(q[0, 1].float().abs().max().item(), 0)
        self.check(random(1, 2, 50, 64) * 1e30)
        tiny = torch.full((1, 1, 5, 16), 1e-39)
        q, s = attn_mlir.quantize(tiny)
        self.assertEqual(s.item(), 2.0**-126)
        self.assertTrue(((q.float() - tiny * 2.0**126).abs() <= 2**-5).all())
        x[0, 0, 3, 5], x[0, 2, 69, 63] = math.inf, math.nan
        _, s = attn_mlir.quantize(x)
        self.assertTrue(math.isinf(s[0, 0]) and s[0, 1] == 1 and math.isnan(s[0, 2]))
        q, s = attn_mlir.quantize(random(2, 2, 0, 64))
        self.assertEqual((tuple(q.shape), s.tolist()), ((2, 2, 0, 64), [[1, 1], [1, 1]]))

    def check_centered(self, x, m=None, heads=None, layout="bhsd", block=None, dtype=E4M3):
        """Means are those of float64, and numbers times scales are rows less means, as the type can tell them."""
        q, s, means = attn_mlir.quantize(x, rotation=m, dtype=dtype, heads=heads, layout=layout, scale_block=block, centered=True)
        wide, y = x.double(), q.float().double()
        if layout == "bshd":
            wide, y = wide.transpose(1, 2), y.transpose(1, 2)
        batch, count, rows, dim = wide.shape
        self.assertEqual((means.dtype, tuple(means.shape)), (torch.float32, (batch, count, dim)))
        # Sums of f32, and products, of numbers as large as the largest.
        off = 1e-6 * wide.abs().max().item()
        torch.testing.assert_close(means.double(), wide.mean(2), rtol=0, atol=off)
        wanted = rotated(wide - wide.mean(2, keepdim=True), m)
        off *= 1 if m is None else 4
        groups, each = s.shape[1], rows if block is None else block
        blocks = -(-rows // each)
        padded = torch.nn.functional.pad(wanted, (0, 0, 0, blocks * each - rows))
        largest = padded.reshape(batch, groups, -1, blocks, each * dim).abs().amax((2, 4)) / LARGEST[dtype]
        of_blocks = s.double() if block is not None else s.double()[:, :, None]
        torch.testing.assert_close(of_blocks, largest, rtol=1e-5, atol=off / LARGEST[dtype])
        of_rows = of_blocks.repeat_interleave(count // groups, 1).repeat_interleave(each, 2)[:, :, :rows, None]
        over = (y * of_rows - wanted).abs() - wanted.abs() * HALF[dtype] * (1 + 1e-4) - LEAST[dtype] * of_rows - off
        self.assertLessEqual(over.max().item(), 0)
        return q, s, means

    def test_centered(self):
        for dim in (16, 96, 256):
            for length in (3, 63, 130, 700):
                with self.subTest(dim=dim, length=length):
                    x = with_means(2, 3, length, dim, seed=dim + length)
                    self.check_centered(x)
                    self.check_centered(x, attn_mlir.rotation(dim, seed=length))
        # Rows behind the last one would be as large as the means.
        _, s, _ = self.check_centered(with_means(1, 2, 65, 64, size=1000))
        self.assertLess(s.max().item(), 20 / 448)
        for dtype in (torch.float16, torch.float32):
            self.check_centered(with_means(1, 4, 77, 64, dtype=dtype), dtype=E5M2)
            self.check_centered(with_means(1, 4, 77, 64, dtype=dtype), attn_mlir.rotation(64, 1))
        x = with_means(2, 8, 150, 64)
        for m in (None, attn_mlir.rotation(64, 2)):
            self.check_centered(x, m, heads=2)
            self.check_centered(x, m, heads=2, block=64)
            self.check_centered(x.transpose(1, 2), m, heads=1, layout="bshd", block=32)
        self.check_centered(x[:, ::2])

    def test_centered_exactly(self):
        """Where PyTorch subtracts the same means, numbers are the same bits; launches repeat them."""
        x = with_means(2, 4, 600, 128)
        q, s, means = attn_mlir.quantize(x, centered=True)
        y = x.float() - means[:, :, None]
        self.assertTrue(torch.equal(s, y.abs().amax((2, 3)) * torch.tensor(1 / 448, dtype=torch.float32)))
        self.assertTrue(torch.equal(q.view(torch.uint8), (y * (1 / s[:, :, None, None])).to(E4M3).view(torch.uint8)))
        for a, b in zip((q, s, means), attn_mlir.quantize(x, centered=True)):
            self.assertTrue(torch.equal(a.view(torch.uint8), b.view(torch.uint8)))

    def test_centered_edges(self):
        q, s, means = attn_mlir.quantize(random(2, 2, 0, 64), centered=True)
        self.assertEqual((tuple(q.shape), s.tolist(), means.abs().max().item()), ((2, 2, 0, 64), [[1, 1], [1, 1]], 0))
        x = random(2, 2, 1, 64)
        q, s, means = attn_mlir.quantize(x, centered=True)
        self.assertEqual((s.tolist(), q.float().abs().max().item()), ([[1, 1], [1, 1]], 0))
        self.assertTrue(torch.equal(means, x[:, :, 0].float()))
        # Of rows that are rotated what is left is rounding.
        q, s, _ = attn_mlir.quantize(x, rotation=attn_mlir.rotation(64), centered=True)
        self.assertLess((q.float() * s[:, :, None, None]).nan_to_num(1).abs().max().item(), 1e-5)
        x = random(1, 4, 300, 64)
        x[0, 0] = 0
        x[0, 1, 250, 3], x[0, 2, 100, 63] = math.nan, math.inf
        for m in (None, attn_mlir.rotation(64, 1)):
            for block in (None, 64):
                _, s, means = attn_mlir.quantize(x, rotation=m, scale_block=block, centered=True)
                s = s.reshape(4, -1)
                self.assertEqual(s.isfinite().any(1).tolist(), [True, False, False, True])
                self.assertEqual(s.isnan().any(1).tolist(), [False, True, True, False])
                self.assertTrue((s[0] == 1).all() and math.isnan(means[0, 1, 3]) and math.isinf(means[0, 2, 63]))

    def test_centered_attention(self):
        """Keys that have column means lose less, O and LSE are those of the keys: groups of heads, causal, rotated."""
        q, k, v = random(1, 4, 200, 64), with_means(1, 2, 500, 64, seed=1), random(1, 2, 500, 64, seed=4)
        wide = [q.double(), *(x.double().repeat_interleave(2, 1) for x in (k, v))]
        for causal in (False, True):
            scores = wide[0] @ wide[1].transpose(-1, -2) / 8
            if causal:
                scores = scores.masked_fill(torch.ones(200, 500).triu(301).bool(), -math.inf)
            r, lse = torch.softmax(scores, -1) @ wide[2], torch.logsumexp(scores, -1)
            for m in (None, attn_mlir.rotation(64, 3)):
                nq, qs = attn_mlir.quantize(q, rotation=m, heads=2)
                nv, vs = attn_mlir.quantize(v)
                found = []
                for centered in (False, True):
                    nk, ks, *means = attn_mlir.quantize(k, rotation=m, centered=centered)
                    o, own = attn_mlir.attention(nq, nk, nv, q_scale=qs, k_scale=ks, v_scale=vs, causal=causal, return_lse=True)
                    if centered:
                        own = own + (q.float() @ means[0].repeat_interleave(2, 1)[..., None])[..., 0] / 8
                    found.append((((o.double() - r).norm() / r.norm()).item(), (own.double() - lse).abs().max().item()))
                with self.subTest(causal=causal, rotated=m is not None, found=found):
                    self.assertLess(found[1][0], 0.5 * found[0][0])
                    self.assertLess(found[1][1], 0.5 * found[0][1])

    def test_rotation_of_blocks(self):
        """A rotation is multiplied by as blocks, which it knows of itself, and what is like it by the matrix: equal but for f32's rounding of sums."""
        for dim, shape in ((64, None), (96, None), (128, (2, 64, 64)), (160, None), (192, (2, 96, 96)), (256, (4, 64, 64))):
            m = attn_mlir.rotation(dim, seed=dim)
            blocks = _quantize._factors(m, dim)
            self.assertEqual(tuple(blocks.shape), shape or (dim, dim))
            x = random(2, 3, 130, dim, seed=dim)
            keywords = {128: {"scale_block": 64}, 256: {}}.get(dim)
            if keywords is None:
                continue
            found = [attn_mlir.quantize(x, rotation=y, **keywords) for y in (m, m.clone(), blocks)]
            torch.testing.assert_close(found[0][1], found[1][1], rtol=2**-20, atol=0)
            # Halves that sums round to the other side of are few.
            self.assertLess((found[0][0].float() != found[1][0].float()).float().mean().item(), 1e-3)
            self.assertTrue(torch.equal(found[0][0].view(torch.uint8), found[2][0].view(torch.uint8)))

    def test_rotation_that_changed(self):
        m = attn_mlir.rotation(128, seed=1)
        m[:, 0] *= -1
        self.assertIs(_quantize._factors(m, 128), m)
        self.check(random(1, 2, 70, 128), m)
        with torch.inference_mode():
            m = attn_mlir.rotation(128, seed=1)
            self.assertIs(_quantize._factors(m, 128), m)
            self.check(random(1, 2, 70, 128), m)

    def test_given_blocks(self):
        m = attn_mlir.rotation(96, seed=3)
        for count in (2, 4, 8):
            blocks = attn_mlir.rotation(96, seed=3, blocks=count)
            self.assertTrue(torch.equal(whole_of(blocks), m))
        self.check(random(1, 2, 70, 96), whole_of(attn_mlir.rotation(96, seed=3, blocks=2)))
        for count in (0, 1, 3, 16, 2.0, True):
            with self.assertRaisesRegex(attn_mlir.ArgumentError, "blocks: expected a power of two"):
                attn_mlir.rotation(96, seed=3, blocks=count)
        x = random(1, 2, 70, 64)
        blocks = random(4, 16, 16, seed=1)
        whole = whole_of(blocks)
        for a, b in zip(attn_mlir.quantize(x, rotation=blocks), attn_mlir.quantize(x, rotation=whole)):
            torch.testing.assert_close(a.float(), b.float(), rtol=2**-3, atol=0)
        self.check(x, whole)
        for shape in ((1, 64, 64), (2, 32, 16), (4, 8, 8), (4, 32, 32), (8, 8, 8), (64, 32)):
            with self.assertRaisesRegex(attn_mlir.ArgumentError, "rotation: expected"):
                attn_mlir.quantize(x, rotation=torch.ones(shape))
        with self.assertRaisesRegex(attn_mlir.ArgumentError, "rotation: expected"):
            attn_mlir.quantize(random(1, 2, 70, 96), rotation=torch.ones(3, 32, 32))

    def test_repeats(self):
        x, m = random(2, 4, 333, 64), attn_mlir.rotation(64, 5)
        (q, s), (p, r) = (attn_mlir.quantize(x, rotation=m) for _ in range(2))
        self.assertTrue(torch.equal(q.view(torch.uint8), p.view(torch.uint8)) and torch.equal(s, r))

    def test_attention(self):
        """Outliers cost less where Q and K are rotated, and scores are what they were."""
        q, k, v = outliers(1, 4, 256, 64), outliers(1, 2, 512, 64, seed=1), outliers(1, 2, 512, 64, seed=2)
        wide = [q.double(), *(x.double().repeat_interleave(2, 1) for x in (k, v))]
        r = torch.softmax(wide[0] @ wide[1].transpose(-1, -2) / 8, -1) @ wide[2]
        found = []
        for m in (None, attn_mlir.rotation(64, seed=3)):
            (nq, qs), (nk, ks) = attn_mlir.quantize(q, rotation=m, heads=2), attn_mlir.quantize(k, rotation=m)
            nv, vs = attn_mlir.quantize(v)
            o = attn_mlir.attention(nq, nk, nv, q_scale=qs, k_scale=ks, v_scale=vs)
            found.append(((o.double() - r).norm() / r.norm()).item())
        self.assertLess(found[1], 0.8 * found[0])

    def test_attention_by_blocks(self):
        """Keys and values some of which are large: those of other blocks keep what their type can tell."""
        q, k, v = random(1, 4, 200, 64), random(1, 2, 512, 64, seed=1), random(1, 2, 512, 64, seed=2)
        v[:, :, 200] *= 3e5
        k[:, :, 200] *= 1 / 64  # It has little weight.
        q[..., 0], k[..., 0], k[:, :, 200, 0] = 8, 0, -32
        wide = [q.double(), *(x.double().repeat_interleave(2, 1) for x in (k, v))]
        r = torch.softmax(wide[0] @ wide[1].transpose(-1, -2) / 8, -1) @ wide[2]
        nq, qs = attn_mlir.quantize(q, heads=2)
        found = []
        for block in (None, 128, 32):
            (nk, ks), (nv, vs) = (attn_mlir.quantize(x, scale_block=block) for x in (k, v))
            o = attn_mlir.attention(nq, nk, nv, q_scale=qs, k_scale=ks, v_scale=vs, scale_block=block)
            found.append(((o.double() - r).norm() / r.norm()).item())
        self.assertLess(found[1], 0.6 * found[0])
        self.assertLess(found[2], 0.6 * found[1])

    def test_diagnostics(self):
        x = random(1, 4, 20, 64)
        for words, call in (
                ("x: expected heads of a multiple of 16 columns up to 256", lambda: attn_mlir.quantize(x[..., :40])),
                ("x: expected a torch tensor of 4 dimensions", lambda: attn_mlir.quantize(x[0])),
                ("x: expected a torch tensor of 4 dimensions", lambda: attn_mlir.quantize(x.to(E4M3))),
                ("heads: expected a divisor of the 4 heads of x, but got 3", lambda: attn_mlir.quantize(x, heads=3)),
                ("layout: expected 'bhsd' or 'bshd', but got 'sbhd'", lambda: attn_mlir.quantize(x, layout="sbhd")),
                ("dtype: expected one of torch.float8_e4m3fn", lambda: attn_mlir.quantize(x, dtype=torch.float16)),
                ("rotation: expected attn_mlir.rotation(64, ...), of shape (64, 64), or blocks of it, [n, m, m] with n a power of two, but got (32, 32)",
                 lambda: attn_mlir.quantize(x, rotation=attn_mlir.rotation(32))),
                ("scale_block: expected a power of two from 32 on, but got 96", lambda: attn_mlir.quantize(x, scale_block=96)),
                ("scale_block: expected a power of two from 32 on, but got True", lambda: attn_mlir.quantize(x, scale_block=True)),
                ("centered: expected True or False, but got 1", lambda: attn_mlir.quantize(x, centered=1)),
                ("x: expected a tensor without requires_grad", lambda: attn_mlir.quantize(x.float().requires_grad_())),
                ("dim: expected 1, 2 or a multiple of 4 up to 256", lambda: attn_mlir.rotation(52)),
                ("dim: expected 1, 2 or a multiple of 4 up to 256", lambda: attn_mlir.rotation(30))):
            with self.subTest(words), self.assertRaises(attn_mlir.ArgumentError) as caught:
                call()
            self.assertIn(words, str(caught.exception))


class Rotation(unittest.TestCase):
    def test_orthogonal(self):
        for dim in (1, 2, 4, 12, 20, 28, 36, 44, 60, *range(16, 257, 16)):
            m = attn_mlir.rotation(dim, seed=dim)
            self.assertEqual((m.dtype, tuple(m.shape)), (torch.bfloat16, (dim, dim)))
            m = m.double()
            self.assertTrue(torch.equal(m.abs(), torch.ones_like(m)))
            self.assertTrue(torch.equal(m @ m.T, dim * torch.eye(dim, dtype=torch.float64)))

    def test_seeds(self):
        self.assertTrue(torch.equal(attn_mlir.rotation(64, 7), attn_mlir.rotation(64, 7)))
        self.assertFalse(torch.equal(attn_mlir.rotation(64, 7), attn_mlir.rotation(64, 8)))


if __name__ == "__main__":
    unittest.main()
