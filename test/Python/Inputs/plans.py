"""Calls of a kind that was seen before plan nothing; others do, and what is not of the kind is still looked at."""

import contextlib
import gc
import types
import unittest
import unittest.mock
import weakref

import attn_mlir
import attn_mlir.torch
import torch
from attn_mlir import _attention, _gradients, _kernel, _quick, _trace
from attn_mlir.flash_attn import flash_attn_func, flash_attn_varlen_func, flash_attn_with_kvcache

HEADS, DIM = 2, 16


def dense(queries=3, keys=8, heads=HEADS, dim=DIM, dtype=torch.float32):
    return torch.randn(1, heads, queries, dim, dtype=dtype), *(torch.randn(1, heads, keys, dim, dtype=dtype) for _ in "kv")


def starts(*lengths):
    return torch.tensor([0, *lengths], dtype=torch.int32).cumsum(0, dtype=torch.int32)


def numbers(*values):
    return torch.tensor(values, dtype=torch.int32)


@contextlib.contextmanager
def counted():
    """How often what plans was called: checks of arguments, traces, kernels' texts, and those of gradients."""
    found = []
    with contextlib.ExitStack() as stack:
        for module, name in ((_attention, "_checked"), (_trace, "_trace"), (_attention, "text_of"), (_gradients, "_prepared")):
            inner = getattr(module, name)

            def called(*arguments, _inner=inner, _name=name, **keywords):
                found.append(_name)
                return _inner(*arguments, **keywords)

            stack.enter_context(unittest.mock.patch.object(module, name, called))
        yield found


class Plans(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)
        attn_mlir.cache_clear()

    def check(self, call, *others):
        """``call`` makes new arrays of one kind each time; ``others`` are calls of other kinds."""
        with counted() as found:
            call()
            self.assertIn("_checked", found)
            found.clear()
            torch.manual_seed(5)
            known = call()
            self.assertEqual(found, [], "a call of a known kind")
            for other in others:
                found.clear()
                other()
                self.assertIn("_checked", found, "a call of another kind")
        attn_mlir.cache_clear()
        torch.manual_seed(5)
        self.assertTrue(torch.equal(call(), known), "the same bits as of a new plan")

    def test_lengths(self):
        def call(queries=3, kind=torch.int32, **options):
            return attn_mlir.attention(*dense(queries), lengths=torch.tensor([5]).to(kind), **options)

        self.check(call, lambda: call(4), lambda: call(kind=torch.int64), lambda: call(causal=True), lambda: call(window=(2, 1)),
                   lambda: call(scale=0.5))

    def test_other_heads_and_types(self):
        def call(**options):
            return attn_mlir.attention(*dense(**options), lengths=numbers(5))

        self.check(call, lambda: call(heads=4), lambda: call(dim=24), lambda: call(dtype=torch.float16))

    def test_sequences(self):
        def packed(lengths=(3, 5), **options):
            q, k, v = (torch.randn(sum(lengths), HEADS, DIM) for _ in range(3))
            cu = starts(*lengths)
            return flash_attn_varlen_func(q, k, v, cu, cu, max(lengths), max(lengths), **options)

        # Where sequences begin is no kind, but how many there are.
        self.check(packed, lambda: packed((3, 4, 1)), lambda: packed(causal=True))
        with counted() as found:
            packed((6, 2))
        self.assertEqual(found, [])

    def test_pages(self):
        def cached(pages=4, **options):
            caches = [torch.randn(pages, 16, HEADS, DIM) for _ in "kv"]
            return flash_attn_with_kvcache(
                torch.randn(2, 1, HEADS, DIM), *caches, cache_seqlens=numbers(9, 20), block_table=numbers(0, 1, 2, 3).view(2, 2), **options)

        self.check(cached, lambda: cached(6), lambda: cached(softcap=3.0))

    def test_new_keys(self):
        def appended(new=1, turns=False):
            caches = [torch.randn(2, 32, HEADS, DIM) for _ in "kv"]
            angles = {name: torch.randn(32, DIM // 2) for name in ("rotary_cos", "rotary_sin")} if turns else {}
            q, k, v = (torch.randn(2, new, HEADS, DIM) for _ in range(3))
            return flash_attn_with_kvcache(q, *caches, k, v, cache_seqlens=numbers(9, 20), causal=True, **angles)

        self.check(appended, lambda: appended(2), lambda: appended(turns=True))

    def test_masks_and_functions(self):
        def masked(kind=torch.bool, **options):
            return attn_mlir.attention(*dense(), mask=(torch.randn(3, 8) > 0).to(kind), **options)

        def modified(shift=1.0):
            bias = torch.randn(8)
            return attn_mlir.attention(*dense(), score_mod=lambda s, b, h, q, k: attn_mlir.tanh(s) + bias[k] + shift)

        self.check(masked, lambda: masked(torch.float32), lambda: masked(sinks=torch.zeros(HEADS)))
        self.check(modified, lambda: modified(2.0))

    def test_softcap_and_slopes(self):
        """What functions of this package that a region calls look into does not change."""
        def call(softcap=3.0):
            q, k, v = (x.transpose(1, 2) for x in dense())
            return flash_attn_func(q, k, v, softcap=softcap, alibi_slopes=torch.rand(HEADS))

        self.check(call, lambda: call(4.0))

    def test_functions_that_are_traced_each_time(self):
        """A function that reads attributes is traced, but its text finds the plan."""
        class Config:
            cap = 2.0

        config = Config()

        def call():
            return attn_mlir.attention(*dense(), score_mod=lambda s, b, h, q, k: s * config.cap)

        call()
        with counted() as found:
            call()
            self.assertEqual(found, ["_trace"])
            found.clear()
            config.cap = 3.0
            call()
            self.assertIn("_checked", found)

    def test_scales(self):
        def call(k_scale=0.5, v_scale=None):
            q, k, v = dense(dtype=torch.float16)
            narrow = (x.to(torch.float8_e4m3fn) for x in (k, v))
            return attn_mlir.attention(q, *narrow, k_scale=k_scale, v_scale=torch.rand(1, HEADS) if v_scale is None else v_scale)

        self.check(call, lambda: call(v_scale=2.0), lambda: call(k_scale=torch.rand(1, 1)))
        with counted() as found:
            twice = [call(k_scale) for k_scale in (0.5, 4.0)]
        self.assertEqual(found, [])
        self.assertFalse(torch.equal(*twice), "a number is read in each call")

    def test_strides(self):
        """Strides are of a launch: rows that kernels do not take as they are are copied by the same plan."""
        q, k, v = dense()
        wanted = attn_mlir.attention(q, k, v, lengths=numbers(5))
        wide = [torch.randn(*x.shape[:3], DIM + 1) for x in (q, k, v)]
        for x, place in zip((q, k, v), wide):
            place[..., 1:] = x
        with counted() as found:
            apart = attn_mlir.attention(*(x[..., 1:] for x in wide), lengths=numbers(5))
            turned = attn_mlir.attention(*(x.transpose(1, 2).contiguous().transpose(1, 2) for x in (q, k, v)), lengths=numbers(5))
        self.assertEqual(found, [])
        self.assertTrue(torch.equal(wanted, apart) and torch.equal(wanted, turned))

    def test_scale_of_an_array(self):
        """Which is read in each call."""
        q, k, v = dense()
        scale, found = torch.tensor(0.5), []
        for number in (0.5, 2.0):
            scale.fill_(number)
            found.append(attn_mlir.attention(q, k, v, lengths=numbers(5), scale=scale))
            self.assertTrue(torch.equal(found[-1], attn_mlir.attention(q, k, v, lengths=numbers(5), scale=number)))
        self.assertFalse(torch.equal(*found))

    def test_values_in_keys(self):
        """Whether V is a view of K is no matter of shapes."""
        q, k, _ = dense(dim=32)
        alone = attn_mlir.attention(q, k, k[..., :16].clone(), lengths=numbers(5))
        with counted() as found:
            within = attn_mlir.attention(q, k, k[..., :16], lengths=numbers(5))
        self.assertIn("_checked", found)
        self.assertLess((alone - within).abs().max().item(), 1e-5)

    def test_plans_keep_no_arrays(self):
        q, k, v = dense()
        gc.collect()
        gc.disable()
        try:
            for make in (lambda: attn_mlir.capture(torch.randn(8)), lambda: torch.randn(8)):
                bias = make()
                array = weakref.ref(getattr(bias, "array", bias))
                # Known by its code, and, of what makes arrays, by its text.
                attn_mlir.attention(q, k, v, score_mod=lambda s, b, h, i, j: s + bias[j])
                attn_mlir.attention(q, k, v, score_mod=lambda s, b, h, i, j: s + types.SimpleNamespace(bias=bias).bias[j])
                del bias
                self.assertIsNone(array())
        finally:
            gc.enable()

    def test_what_is_still_looked_at(self):
        q, k, v = dense(8)
        cu = starts(3, 5)
        attn_mlir.attention(q, k, v, cu_seqlens_q=cu, cu_seqlens_k=cu)
        with self.assertRaisesRegex(attn_mlir.ArgumentError, "cu_seqlens_q: expected numbers from 0 to 8 that never fall"):
            attn_mlir.attention(q, k, v, cu_seqlens_q=starts(3, 6), cu_seqlens_k=cu)
        attn_mlir.attention(q, k, v, lengths=numbers(5))
        with self.assertRaisesRegex(attn_mlir.ArgumentError, "k: expected a tensor without requires_grad"):
            attn_mlir.attention(q, k.clone().requires_grad_(), v, lengths=numbers(5))
        with self.assertRaisesRegex(attn_mlir.ArgumentError, "lengths: expected int32 or int64"):
            attn_mlir.attention(q, k, v, lengths=torch.ones(1))
        # Of another device.
        with self.assertRaisesRegex(attn_mlir.ArgumentError, "q: expected a tensor on cpu or cuda"):
            attn_mlir.attention(*(x.to("meta") for x in (q, k, v)), lengths=numbers(5).to("meta"))

    def test_gradients(self):
        def call(queries=3, **options):
            given = [x.requires_grad_() for x in dense(queries)]
            o, _ = attn_mlir.torch.attention(*given, **options)
            return torch.autograd.grad(o.sum(), given)

        call()
        with counted() as found:
            call()
            self.assertEqual(found, [])
            for other in ({"queries": 4}, {"causal": True}, {"scale": 0.5}, {"softcap": 3.0}):
                found.clear()
                call(**other)
                self.assertIn("_prepared", found)

    def test_gradients_of_rows_that_lie_apart(self):
        """Rows of whole words are read where they are, unless they begin at no multiple of 16 bytes."""
        flat = torch.randn(3 * 8 * HEADS * DIM + 1)
        apart = flat[1:].view(3, 1, HEADS, 8, DIM)
        found = []
        for given in (apart, apart.clone()):
            given = [x.detach().requires_grad_() for x in given]
            found.append(torch.autograd.grad(attn_mlir.torch.attention(*given, causal=True)[0].square().sum(), given))
        for one, other in zip(*found):
            self.assertTrue(torch.equal(one, other))

    @unittest.skipIf(_quick._native is None, "the extension is not built")
    def test_kernels_read_tensors(self):
        """Whatever a kernel reads, Python packs nothing; what is no tensor it does."""
        packed = []
        inner = _kernel._Call.__init__

        def init(own, *arguments):
            packed.append(arguments)
            inner(own, *arguments)

        with unittest.mock.patch.object(_kernel._Call, "__init__", init):
            q, k, v = dense()
            for options in ({"lengths": numbers(5)}, {"mask": torch.ones(3, 8, dtype=torch.bool)}, {"sinks": torch.nn.Parameter(torch.zeros(HEADS))}):
                with torch.no_grad():
                    attn_mlir.attention(q, k, v, **options)
            self.assertEqual(packed, [])
            attn_mlir.attention(*(x.numpy() for x in (q, k, v)), lengths=numbers(5).numpy())
            self.assertNotEqual(packed, [])


if __name__ == "__main__":
    unittest.main()
