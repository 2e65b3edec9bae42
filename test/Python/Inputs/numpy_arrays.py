"""attention() of NumPy arrays, without torch; DLPack arrays of others."""

import sys
import unittest

import attn_mlir
import numpy as np


def make(dtype=np.float32, queries=21, keys=40, dim=16):
    generator = np.random.default_rng(0)
    return [generator.standard_normal((2, n, length, dim)).astype(dtype) for n, length in ((4, queries), (2, keys), (2, keys))]


def reference(q, k, v, keep=None, score=None):
    q, k, v = (x.astype(np.float64) for x in (q, k, v))
    k, v = (np.repeat(x, q.shape[1] // k.shape[1], axis=1) for x in (k, v))
    scores = q @ k.swapaxes(2, 3) * q.shape[-1] ** -0.5
    if score is not None:
        scores = score(scores, *np.ogrid[tuple(slice(0, n) for n in scores.shape)])
    if keep is not None:
        scores = np.where(keep, scores, -np.inf)
    weights = np.exp(scores - scores.max(-1, keepdims=True))
    return weights / weights.sum(-1, keepdims=True) @ v, np.log(weights.sum(-1)) + scores.max(-1)


class Exported:
    """An array of somebody, who offers DLPack alone."""

    def __init__(self, array):
        self.array, self.shape, self.dtype = array, array.shape, array.dtype

    def __dlpack__(self, **keywords):
        return self.array.__dlpack__()

    def __dlpack_device__(self):
        return self.array.__dlpack_device__()


class NumPy(unittest.TestCase):
    def check(self, got, wanted, tolerance=2e-5):
        self.assertIsInstance(got, np.ndarray)
        self.assertLess(np.abs(got - wanted).max(), tolerance)

    def test_types(self):
        for dtype, tolerance in ((np.float32, 2e-5), (np.float16, 3e-3)):
            o, lse = attn_mlir.attention(*make(dtype), return_lse=True)
            wanted, wanted_lse = reference(*make(dtype))
            self.assertEqual((o.dtype, lse.dtype), (dtype, np.float32))
            self.check(o, wanted, tolerance)
            self.check(lse, wanted_lse, tolerance)

    def test_masks(self):
        i, j = np.ogrid[:21, :40]
        allowed = np.random.default_rng(1).random((21, 40)) < 0.7
        for keywords, keep in (
            (dict(causal=True), j <= i + 19),
            (dict(mask=allowed), allowed),
            (dict(mask=lambda b, h, q, k: allowed[q, k] & (q <= k)), allowed & (i <= j)),
        ):
            self.check(attn_mlir.attention(*make(), **keywords), reference(*make(), keep=keep)[0])

    def test_scores(self):
        slopes, number = np.linspace(0, 1, 4, dtype=np.float32), np.float32(0.5)
        score = lambda s, b, h, q, k: attn_mlir.tanh(s * number) + slopes[h] * (k - q)
        self.check(attn_mlir.attention(*make(), score_mod=score), reference(*make(), score=score)[0])

    def test_padded_and_strided(self):
        q, k, v = make(dim=13)
        self.check(attn_mlir.attention(q, k, v), reference(q, k, v)[0])
        q, k, v = (x.swapaxes(2, 3).copy().swapaxes(2, 3) for x in make())
        self.check(attn_mlir.attention(q, k, v), reference(q, k, v)[0])
        out = np.zeros((2, 4, 16, 21), np.float32).swapaxes(2, 3)
        self.assertIs(attn_mlir.attention(q, k, v, out=out), out)
        self.check(out, reference(q, k, v)[0])

    def test_read_only(self):
        q, k, v = make()
        for array in (q, k, v):
            array.flags.writeable = False
        self.check(attn_mlir.attention(q, k, v), reference(q, k, v)[0])
        with self.assertRaisesRegex(attn_mlir.ArgumentError, "read-only"):
            attn_mlir.attention(q, k, v, out=q)

    def test_dlpack(self):
        arrays, out = make(), np.empty((2, 4, 21, 16), np.float32)
        exported = [Exported(array) for array in arrays]
        attn_mlir.attention(*exported, out=out)
        self.check(out, reference(*arrays)[0])
        with self.assertRaisesRegex(attn_mlir.ArgumentError, "^out: expected an array for the result: of Exported"):
            attn_mlir.attention(*exported)

    def test_no_torch(self):
        self.assertNotIn("torch", sys.modules)


if __name__ == "__main__":
    unittest.main()
