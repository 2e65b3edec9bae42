"""attn_mlir under jit, against jax.nn.dot_product_attention."""

import threading
import unittest

import jax
import jax.numpy as jnp
import numpy as np
from attn_mlir.jax import attention, dot_product_attention

# On a GPU kernels have f16 and bf16 alone, and 1e-5 of float32 is some roundings of f16.
ON_GPU = jax.default_backend() != "cpu"
TOLERANCE = {jnp.float16: 4e-3, jnp.bfloat16: 3e-2} if ON_GPU else {jnp.float32: 1e-5, jnp.float16: 4e-3, jnp.bfloat16: 3e-2}
DTYPE, CLOSE = (jnp.float16, 4e-3) if ON_GPU else (jnp.float32, 1e-5)
KEY = jax.random.PRNGKey(0)


def normal(number, *shape, dtype=DTYPE):
    return jax.random.normal(jax.random.fold_in(KEY, number), shape, dtype)


def make(dtype=DTYPE, keys=24):
    return normal(0, 2, 24, 4, 32, dtype=dtype), *(normal(i, 2, keys, 2, 32, dtype=dtype) for i in (1, 2))


class Jax(unittest.TestCase):
    def check(self, got, wanted, tolerance):
        self.assertEqual(got.shape, wanted.shape)
        self.assertLess(np.abs(np.asarray(got, np.float32) - np.asarray(wanted, np.float32)).max(), tolerance)

    def test_against_jax(self):
        mask, options = jax.random.bernoulli(KEY, 0.7, (2, 1, 24, 24)), []
        for dtype, tolerance in TOLERANCE.items():
            bias = normal(3, 1, 4, 24, 24, dtype=dtype)
            options = ({}, {"is_causal": True}, {"local_window_size": (3, 2)}, {"scale": 0.2}, {"mask": mask},
                       {"local_window_size": 5, "is_causal": True}, {"bias": bias}, {"bias": bias, "mask": mask})
            for more in options:
                with self.subTest(dtype=dtype.__name__, options=list(more)):
                    got = jax.jit(lambda *x, more=more: dot_product_attention(*x, **more))(*make(dtype))
                    self.check(got, jax.nn.dot_product_attention(*make(dtype), **more), tolerance)

    def test_other_lengths_and_residual(self):
        tensors = make(keys=40)
        for causal in (False, True):
            got, lse = jax.jit(lambda *x, c=causal: dot_product_attention(*x, is_causal=c, return_residual=True))(*tensors)
            wanted, residual = jax.nn.dot_product_attention(*tensors, is_causal=causal, return_residual=True)
            self.check(got, wanted, CLOSE)
            self.check(lse, residual, 10 * CLOSE)

    def test_within_programs(self):
        q, k, v = make()
        program = jax.jit(lambda q, k, v: (dot_product_attention(q * 2, k, v), dot_product_attention(q[0], k[0], v[0]) + 1))
        both = program(q, k, v)
        self.check(both[0], jax.nn.dot_product_attention(q * 2, k, v), CLOSE)
        self.check(both[1], jax.nn.dot_product_attention(q, k, v)[0] + 1, CLOSE)
        mapped = jax.vmap(dot_product_attention)(*(x[None] for x in (q, k, v)))
        self.check(mapped[0], jax.nn.dot_product_attention(q, k, v), CLOSE)

    def test_sinks_and_softcap(self):
        q, k, v = make()
        sinks = jnp.array([1.0, -1.0, 0.5, 2.0])
        got = jax.jit(lambda *x: attention(*x, softcap=3.0, sinks=sinks, layout="bshd"))(q, k, v)
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, jnp.repeat(k, 2, 2)) / 32**0.5
        scores = 3 * jnp.tanh(scores / 3)
        column = jnp.broadcast_to(sinks[None, :, None, None], (*scores.shape[:-1], 1))
        weights = jax.nn.softmax(jnp.concatenate([scores, column], -1), -1)[..., :-1]
        self.check(got, jnp.einsum("bhqk,bkhd->bqhd", weights, jnp.repeat(v, 2, 2)), CLOSE)

    def test_threads(self):
        program, wanted, errors = jax.jit(dot_product_attention), jax.nn.dot_product_attention(*make()), []

        def run():
            for _ in range(20):
                errors.append(float(jnp.abs(program(*make()) - wanted).max()))

        threads = [threading.Thread(target=run) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(errors), 80)
        self.assertLess(max(errors), CLOSE)

    def test_errors(self):
        q, k, v = make()
        with self.assertRaisesRegex(Exception, "attn_mlir: q: expected element type float16, bfloat16.* or float8.*, but got int32"):
            dot_product_attention(q.astype(jnp.int32), k, v).block_until_ready()
        with self.assertRaisesRegex(ValueError, "cannot be differentiated"):
            jax.grad(lambda q: dot_product_attention(q, k, v).sum())(q)
        with self.assertRaisesRegex(NotImplementedError, "key_value_seq_lengths"):
            dot_product_attention(q, k, v, key_value_seq_lengths=jnp.array([3, 4]))


if __name__ == "__main__":
    unittest.main()
