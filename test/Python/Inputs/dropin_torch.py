"""Operators of torch, scaled_dot_product_attention behind them, and operators of FlashAttention-3."""

import sys
import unittest
import unittest.mock
import warnings

import attn_mlir
import attn_mlir.torch
import reference
import torch
import torch.nn.functional as F
from attn_mlir import _quick
from attn_mlir.flash_attn import flash_attn_func, flash_attn_varlen_func


def make(queries=6, keys=9, heads=4, kv_heads=4):
    torch.manual_seed(0)
    return torch.randn(2, heads, queries, 16), *(torch.randn(2, kv_heads, keys, 16) for _ in "kv")


def starts(*lengths):
    return torch.tensor([0, *lengths], dtype=torch.int32).cumsum(0, dtype=torch.int32)


def counted(case):
    """Counts calls of attn_mlir.attention."""
    inner, calls = attn_mlir.attention, []

    def attention(*arguments, **keywords):
        calls.append(keywords)
        return inner(*arguments, **keywords)

    attn_mlir.attention = attention
    case.addCleanup(setattr, attn_mlir, "attention", inner)
    return calls


class Operators(unittest.TestCase):
    def test_check(self):
        q, k, v = (x.requires_grad_() for x in make())
        numbers = 0.25, 0.0, "bottom_right", -1, 0, 0
        slopes = torch.tensor([0.5, 0.25, 0.125, 0.0625]).requires_grad_()
        torch.library.opcheck(
            torch.ops.attn_mlir.attention_fwd, (q, k, v, None, None, slopes, None, None, *numbers, "bhsd"))
        packed = [x.detach()[0].transpose(0, 1) for x in (q, k, v)]
        torch.library.opcheck(
            torch.ops.attn_mlir.varlen_fwd, (*packed, starts(2, 4), starts(5, 4), None, None, None, None, *numbers))

    def test_compile(self):
        q, k, v = (x.transpose(1, 2) for x in make())
        function = torch.compile(
            lambda q, k, v: flash_attn_func(2 * q, k, v, causal=True, softcap=3.0).relu(), fullgraph=True,
            backend="aot_eager")
        wanted = flash_attn_func(2 * q, k, v, causal=True, softcap=3.0).relu()
        for needs_grad in (False, True):
            self.assertTrue(torch.equal(function(q.clone().requires_grad_(needs_grad), k, v), wanted))

    def test_compile_of_packed_sequences(self):
        packed = [x[0].transpose(0, 1) for x in make()]
        places = starts(2, 4), starts(5, 4)
        function = torch.compile(lambda *a: flash_attn_varlen_func(*a, 4, 5, causal=True), fullgraph=True,
                                 backend="aot_eager")
        self.assertTrue(torch.equal(function(*packed, *places), flash_attn_varlen_func(*packed, *places, 4, 5, causal=True)))

    def test_backward_is_refused(self):
        q, k, v = (x.requires_grad_() for x in make())
        o, lse = attn_mlir.torch.attention(q, k, torch.cat([v] * 20, -1))
        self.assertTrue(o.requires_grad)
        with self.assertRaisesRegex(NotImplementedError, "no backward kernels yet for head dimensions.*recompute_backward"):
            o.sum().backward()

    def test_gradients_of_what_regions_read(self):
        """Slopes, masks of tensors, lengths, chunks: by kernels, beside PyTorch's gradients of the same call."""
        slopes, lengths = torch.tensor([0.5, 0.25, 0.125, 0.0625]), torch.tensor([3, 9], dtype=torch.int32)
        for options in ({"alibi_slopes": slopes, "causal": True}, {"mask": torch.rand(2, 1, 6, 9) > 0.3},
                        {"mask": torch.randn(1, 4, 6, 9), "causal": True, "softcap": 3.0},
                        {"lengths": lengths, "first": torch.tensor([1, 0], dtype=torch.int32), "window": (3, 1)},
                        {"lengths": lengths, "chunk": 4}):
            with self.subTest(options=list(options)):
                leaves = [x.requires_grad_() for x in make(kv_heads=2)]
                o, _ = attn_mlir.torch.attention(*leaves, **options)
                self.agrees_with_recomputed(o, leaves)

    def test_causal_and_windows(self):
        """A window as attn_mlir.attention has it; a corner in `causal` is told to go to `align`."""
        q, k, v = make()
        for window in (None, 3, (3, 1), [-1, 2]):
            with self.subTest(window=window):
                o, _ = attn_mlir.torch.attention(q, k, v, window=window)
                self.assertTrue(torch.equal(o, attn_mlir.attention(q, k, v, window=window)))
        with self.assertRaisesRegex(ValueError, "causal: expected True or False .align says to which corner it belongs., but got 'top_left'"):
            attn_mlir.torch.attention(q, k, v, causal="top_left")
        with self.assertRaisesRegex(ValueError, r"window: expected a number or a pair \(left, right\), but got \(1, 2, 3\)"):
            attn_mlir.torch.attention(q, k, v, window=(1, 2, 3))

    def test_gradients_of_biases(self):
        """Of a bias, q, k and v, beside float64, broadcast or not, by kernels and without, in blocks of queries."""
        for sizes, options, blocks in (((2, 4, 6, 9), {}, 1), ((4, 1, 9), {"causal": True, "softcap": 2.0}, 0),
                                       ((1, 1, 6, 9), {"window": (4, 1), "layout": "bshd"}, 2), ((2, 1, 6, 1), {}, 0)):
            with self.subTest(sizes=sizes, options=options):
                torch.manual_seed(7)
                bias = torch.randn(sizes)
                tensors = [*make(kv_heads=2), bias]
                exact = [x.double().requires_grad_() for x in tensors]
                softcap, causal = options.get("softcap", 0.0), "causal" in options
                left, right = options.get("window", (-1, 0 if causal else -1))

                def score(s, b, h, i, j):
                    s = softcap * torch.tanh(s / softcap) if softcap else s
                    return s + exact[3]

                o, lse = reference.attention(*exact[:3], keep=reference.window(6, 9, left, right), score=score)
                weight, of_lse = torch.randn(o.shape), torch.randn(lse.shape)
                # What does not change with a key moves LSE alone.
                wanted = torch.autograd.grad((o * weight.double()).sum() + (lse * of_lse.double()).sum(), exact)
                is_swapped = options.get("layout") == "bshd"
                leaves = [x.transpose(1, 2).contiguous() if is_swapped and i < 3 else x for i, x in enumerate(tensors)]
                leaves = [x.clone().requires_grad_() for x in leaves]
                o, lse = attn_mlir.torch.attention(*leaves[:3], mask=leaves[3], **options)
                weight = weight.transpose(1, 2) if is_swapped else weight
                loss = (o * weight).sum() + (lse * of_lse).sum()
                results = [torch.autograd.grad(loss, leaves, retain_graph=True)]
                if blocks:
                    with attn_mlir.torch.recompute_backward(), unittest.mock.patch.object(
                            attn_mlir._gradients, "obstacle", lambda call: "a test"), unittest.mock.patch.object(
                                attn_mlir._bias_gradients, "_MOST", 2 * 4 * 9 * 6 // blocks):
                        results.append(torch.autograd.grad(loss, leaves))
                for found in results:
                    for i, (a, b) in enumerate(zip(found, wanted)):
                        a = a.transpose(1, 2) if is_swapped and i < 3 else a
                        self.assertEqual(a.shape, b.shape)
                        self.assertLessEqual(((a.double() - b).norm() / b.norm()).item(), 1e-5)

    def test_gradients_of_slopes(self):
        """Of slopes of heads, and of heads of each sequence, beside float64; also under torch.compile."""
        for sizes, options in (((4,), {"causal": True}), ((2, 4), {"causal": True, "softcap": 2.0})):
            with self.subTest(sizes=sizes):
                tensors = [*make(kv_heads=2), torch.rand(sizes)]
                exact, given = ([x.to(dtype).requires_grad_() for x in tensors] for dtype in (torch.double, torch.float32))

                def score(s, b, h, i, j):
                    s = 2.0 * torch.tanh(s / 2.0) if "softcap" in options else s
                    return s - exact[3].expand(2, 4)[..., None, None] * (i + 3 - j).abs()

                keep = reference.window(6, 9, right=0 if "causal" in options else -1)
                wanted = torch.autograd.grad(
                    sum(x.square().sum() for x in reference.attention(*exact[:3], keep=keep, score=score)), exact)

                def loss(q, k, v, slopes):
                    results = attn_mlir.torch.attention(q, k, v, alibi_slopes=slopes, **options)
                    return sum(x.square().sum() for x in results)

                for function in (loss, torch.compile(loss, fullgraph=True, backend="aot_eager")):
                    found = torch.autograd.grad(function(*given), given)
                    for a, b in zip(found, wanted):
                        reference.check(self, a, b, torch.float32, 1e-4)

    def test_gradients_by_lse(self):
        """Of q, k and v, where a loss takes LSE: with O and alone, of a batch and of packed sequences."""
        for names in (("o", "lse"), ("lse",)):
            tensors = make(kv_heads=2)
            exact, given = ([x.to(dtype).requires_grad_() for x in tensors] for dtype in (torch.double, torch.float32))

            def loss(o, lse):
                return sum({"o": o, "lse": lse}[name].square().sum() for name in names)

            keep = reference.window(6, 9, right=0)
            wanted = torch.autograd.grad(loss(*reference.attention(*exact, keep=keep)), exact, materialize_grads=True)
            found = torch.autograd.grad(loss(*attn_mlir.torch.attention(*given, causal=True)), given)
            packed = [x.transpose(1, 2).flatten(0, 1) for x in given]
            results = attn_mlir.torch.attention_varlen(*packed, starts(6, 6), starts(9, 9), causal=True)
            for gradients in (found, torch.autograd.grad(loss(*results), given)):
                for a, b in zip(gradients, wanted):
                    reference.check(self, a, b, torch.float32, 1e-4)

    def test_gradients_of_what_regions_read_of_packed_sequences(self):
        places, slopes = (starts(5, 0, 3), starts(7, 2, 4)), torch.tensor([0.5, 0.25, 0.125, 0.0625])
        used = {"seqused_q": torch.tensor([4, 0, 3]).int(), "seqused_k": torch.tensor([7, 1, 2]).int()}
        for options in ({"alibi_slopes": slopes, "causal": True}, {**used, "window": (3, 1)}, {**used, "chunk": 3}):
            with self.subTest(options=list(options)):
                torch.manual_seed(5)
                leaves = [torch.randn(n, h, 16).requires_grad_() for n, h in ((8, 4), (13, 2), (13, 2))]
                o, _ = attn_mlir.torch.attention_varlen(*leaves, *places, **options)
                # What is not used is not defined.
                o = o.index_select(0, torch.tensor([0, 1, 2, 3, 5, 6, 7]))
                self.agrees_with_recomputed(o, leaves)

    def test_gradients_of_slopes_of_packed_sequences(self):
        """Of heads, and of heads of each sequence, beside float64; one sequence has no queries, and a token is of none."""
        lengths = (5, 0, 3), (7, 2, 4)
        places = tuple(starts(*x) for x in lengths)
        for sizes in ((4,), (3, 4)):
            with self.subTest(sizes=sizes):
                torch.manual_seed(5)
                tensors = [torch.randn(n, h, 16) for n, h in ((9, 4), (13, 2), (13, 2))] + [torch.rand(sizes)]
                exact, given = ([x.to(dtype).requires_grad_() for x in tensors] for dtype in (torch.double, torch.float32))
                total, weight = 0, torch.randn(8, 4, 16)
                for n, (queries, keys) in enumerate(zip(*lengths)):
                    q, k, v = (x[at[n]:at[n + 1]].transpose(0, 1)[None] for x, at in zip(exact, (places[0], places[1], places[1])))
                    def score(s, b, h, i, j):
                        return s - exact[3].expand(3, 4)[n][None, :, None, None] * (i + keys - queries - j).abs()
                    o, lse = reference.attention(q, k, v, keep=reference.window(queries, keys, right=0), score=score)
                    own = weight[places[0][n]:places[0][n + 1]].double()
                    total = total + (o[0].transpose(0, 1) * own).sum() + lse.square().sum()
                wanted = torch.autograd.grad(total, exact)
                o, lse = attn_mlir.torch.attention_varlen(*given[:3], *places, causal=True, alibi_slopes=given[3])
                found = torch.autograd.grad((o[:8] * weight).sum() + lse[:, :8].square().sum(), given)
                for a, b in zip(found, wanted):
                    reference.check(self, a, b, torch.float32, 1e-4)

    def agrees_with_recomputed(self, o, leaves):
        weight = torch.randn_like(o)
        found = torch.autograd.grad((o * weight).sum(), leaves, retain_graph=True)
        with attn_mlir.torch.recompute_backward(), unittest.mock.patch.object(
                attn_mlir._gradients, "obstacle", lambda call: "a test"):
            wanted = torch.autograd.grad((o * weight).sum(), leaves)
        for a, b in zip(found, wanted):
            reference.check(self, a, b.double(), torch.float32, 1e-4)

    def gradients(self, tensors, weight, softcap=0.0, scale=None, **seen):
        """Of the sum of weight * O, in float64."""
        q, k, v = (x.detach().double().requires_grad_() for x in tensors)
        group = q.shape[1] // k.shape[1]
        scores = q @ k.repeat_interleave(group, 1).transpose(-1, -2) * (scale or q.shape[-1] ** -0.5)
        if softcap:
            scores = softcap * torch.tanh(scores / softcap)
        i = torch.arange(q.shape[2])[:, None] + (k.shape[2] - q.shape[2])
        j = torch.arange(k.shape[2])
        left, right = seen.get("window", (-1, -1))
        hidden = (j > i + right if right >= 0 else j < 0) | (j < i - left if left >= 0 else j < 0)
        o = scores.masked_fill(hidden, -1e30).softmax(-1).masked_fill(hidden, 0) @ v.repeat_interleave(group, 1)
        return torch.autograd.grad((o * weight.double()).sum(), (q, k, v))

    def test_gradients(self):
        cases = (({}, {}), ({"kv_heads": 2}, {"causal": True}), ({}, {"window": (3, 1), "scale": 0.5}),
                 ({"queries": 11, "keys": 7, "kv_heads": 1}, {"causal": True, "softcap": 2.0}))
        # Each case in both layouts, of which one is of each type: kernels take a second each to compile.
        for first, (dtype, bound) in enumerate(((torch.float32, 1e-5), (torch.bfloat16, 2e-2))):
            for number, (sizes, options) in enumerate(cases, first):
                layout = ("bhsd", "bshd")[number % 2]
                with self.subTest(dtype=dtype, sizes=sizes, options=options, layout=layout):
                    tensors = [x[..., :12].to(dtype) for x in make(**sizes)]
                    weight = torch.randn(tensors[0].shape).to(dtype)
                    window = options.get("window", (-1, 0) if "causal" in options else (-1, -1))
                    wanted = self.gradients(tensors, weight, **{**options, "window": window})
                    # As memory holds them there.
                    given = [x.transpose(1, 2).contiguous() if layout == "bshd" else x for x in (*tensors, weight)]
                    leaves = [x.clone().requires_grad_() for x in given[:3]]
                    o, _ = attn_mlir.torch.attention(*leaves, layout=layout, **options)
                    found = torch.autograd.grad((o * given[3]).sum(), leaves)
                    for a, b, x in zip(found, wanted, leaves):
                        self.assertEqual((a.dtype, a.shape), (x.dtype, x.shape))
                        a = a.transpose(1, 2) if layout == "bshd" else a
                        self.assertLessEqual(((a.double() - b).norm() / b.norm()).item(), bound)

    def test_gradients_of_sinks(self):
        """Of sinks, q, k and v, beside float64, where rows without keys are among them."""
        for dtype, bound in ((torch.float32, 1e-5), (torch.bfloat16, 2e-2)):
            for layout, kv_heads, seen in (("bhsd", 4, {}), ("bshd", 2, {"causal": True})):
                with self.subTest(dtype=dtype, layout=layout, seen=seen):
                    tensors = [x.to(dtype) for x in make(queries=11, keys=7, kv_heads=kv_heads)]
                    sinks, weight = torch.tensor([0.5, -1.0, 2.0, float("-inf")]), torch.randn(tensors[0].shape).to(dtype)
                    exact = [x.double().requires_grad_() for x in (*tensors, sinks[:3])]
                    # A sink of -inf is none: its head's weights are those of the others' keys alone.
                    o, _ = reference.attention(
                        *exact[:3], keep=reference.window(11, 7, right=0 if seen else -1),
                        sinks=torch.cat([exact[3], torch.full((1,), -1e30, dtype=torch.double)]))
                    wanted = torch.autograd.grad((o * weight.double()).sum(), exact)
                    given = [x.transpose(1, 2).contiguous() if layout == "bshd" else x for x in (*tensors, weight)]
                    leaves = [x.clone().requires_grad_() for x in (*given[:3], sinks)]
                    o, _ = attn_mlir.torch.attention(*leaves[:3], sinks=leaves[3], layout=layout, **seen)
                    found = torch.autograd.grad((o * given[3]).sum(), leaves)
                    self.assertEqual((found[3].dtype, found[3][3].item()), (sinks.dtype, 0.0))
                    for a, b in zip((*found[:3], found[3][:3]), wanted):
                        a = a.transpose(1, 2) if layout == "bshd" and a.dim() == 4 else a
                        self.assertLessEqual(((a.double() - b).norm() / b.norm()).item(), bound)

    def test_gradients_of_sinks_by_lse(self):
        """Kernels and the formula of sinks agree with float64."""
        tensors, sinks = make(), torch.tensor([0.5, -1.0, 2.0, 0.0])
        exact, given = ([x.to(dtype).requires_grad_() for x in (*tensors, sinks)] for dtype in (torch.double, torch.float32))
        wanted = torch.autograd.grad(sum(x.square().sum() for x in reference.attention(*exact[:3], sinks=exact[3])), exact)
        results = attn_mlir.torch.attention(*given[:3], sinks=given[3])
        found = torch.autograd.grad(sum(x.square().sum() for x in results), given)
        for a, b in zip(found, wanted):
            reference.check(self, a, b, torch.float32, 1e-4)

    def test_gradients_of_packed_sequences(self):
        """By kernels, beside float64, each sequence for itself: more queries than keys, none of either, unused tokens."""
        counts_q, counts_k = (5, 0, 3, 4), (7, 2, 0, 2)
        places = starts(*counts_q), starts(*counts_k)
        for dtype, bound in ((torch.float32, 1e-5), (torch.bfloat16, 2e-2)):
            for options in ({"causal": True, "softcap": 2.0}, {"window": (2, 1)}):
                with self.subTest(dtype=dtype, options=options):
                    torch.manual_seed(5)
                    leaves = [torch.randn(n, h, 16).to(dtype).requires_grad_() for n, h in ((12, 4), (11, 2), (11, 2))]
                    weight = torch.randn(12, 4, 16).to(dtype)
                    o, _ = attn_mlir.torch.attention_varlen(*leaves, *places, **options)
                    found = torch.autograd.grad((o * weight).sum(), leaves)
                    wanted = [torch.zeros(x.shape, dtype=torch.double) for x in leaves]
                    window = options.get("window", (-1, 0) if "causal" in options else (-1, -1))
                    for i, j, n, m in zip(*(p.tolist() for p in places), counts_q, counts_k):
                        rows, columns = slice(i, i + n), slice(j, j + m)
                        if n and m:
                            one = [x[p][None].transpose(1, 2) for x, p in zip((*leaves, weight), (rows, columns, columns, rows))]
                            exact = self.gradients(one[:3], one[3], **{**options, "window": window})
                            for whole, place, part in zip(wanted, (rows, columns, columns), exact):
                                whole[place] = part[0].transpose(0, 1)
                    for a, b, x in zip(found, wanted, leaves):
                        self.assertEqual((a.dtype, a.shape), (x.dtype, x.shape))
                        self.assertLessEqual(((a.double() - b).norm() / b.norm()).item(), bound)

    def test_gradients_of_compiled_functions(self):
        q, k, v = (x.requires_grad_() for x in make())
        function = torch.compile(
            lambda *x: attn_mlir.torch.attention(*x, causal=True)[0].square().sum(), fullgraph=True, backend="aot_eager")
        found = torch.autograd.grad(function(q, k, v), (q, k, v))
        wanted = torch.autograd.grad(attn_mlir.torch.attention(q, k, v, causal=True)[0].square().sum(), (q, k, v))
        self.assertTrue(all(map(torch.equal, found, wanted)))

    def test_training(self):
        """Two layers that learn to copy: the loss falls as with PyTorch's attention, step for step."""
        def ours(*x):
            return attn_mlir.torch.attention(*x, causal=True)[0]

        def theirs(*x):
            return F.scaled_dot_product_attention(*x, is_causal=True)

        losses = []
        for attend in (ours, theirs):
            torch.manual_seed(3)
            embed, head = torch.nn.Embedding(11, 32), torch.nn.Linear(32, 11)
            layers = torch.nn.ModuleList(torch.nn.Linear(32, 96) for _ in "12")
            optimizer = torch.optim.Adam([*embed.parameters(), *head.parameters(), *layers.parameters()], 1e-2)
            each = []
            for _ in range(60):
                first = torch.randint(11, (4, 8))
                tokens = torch.cat([first, first], 1)
                x = embed(tokens) + torch.sin(torch.arange(16)[:, None] * torch.arange(32) / 7)
                for layer in layers:
                    q, k, v = (y.view(4, 16, 2, 16).transpose(1, 2) for y in layer(x).chunk(3, -1))
                    x = x + attend(q, k, v).transpose(1, 2).reshape(4, 16, 32)
                loss = F.cross_entropy(head(x)[:, 7:-1].flatten(0, 1), tokens[:, 8:].flatten())
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                each.append(loss.item())
            losses.append(each)
        self.assertLess(losses[0][-1], 0.7 * losses[0][0])
        self.assertLess(max(abs(a - b) for a, b in zip(*losses)), 2e-3)

    def test_recomputed_gradients(self):
        q, k, v = (x.requires_grad_() for x in make(kv_heads=2))
        mask = torch.rand(2, 1, 6, 9) > 0.3
        wanted = torch.autograd.grad(
            F.scaled_dot_product_attention(q, k, v, attn_mask=mask, enable_gqa=True).square().sum(), (q, k, v))
        with attn_mlir.torch.recompute_backward():
            o, _ = attn_mlir.torch.attention(q, k, v, mask=mask)
            got = torch.autograd.grad(o.square().sum(), (q, k, v))
            places = starts(2, 4), starts(5, 4)
            packed = [x[0].transpose(0, 1) for x in (q, k, v)]
            found = torch.autograd.grad(
                flash_attn_varlen_func(*packed, *places, 4, 5, causal=True).square().sum(), (q, k, v))
        for a, b in zip(got, wanted):
            reference.check(self, a, b.double(), torch.float32, 1e-4)
        keep = (torch.tensor([0, 0, 1, 1, 1, 1])[:, None] == torch.tensor([0] * 5 + [1] * 4))
        keep &= torch.arange(9) <= torch.tensor([3, 4, 5, 6, 7, 8])[:, None]
        one = [x[:1] for x in (q, k, v)]
        wanted = torch.autograd.grad(
            F.scaled_dot_product_attention(*one, attn_mask=keep, enable_gqa=True).square().sum(), (q, k, v))
        for a, b in zip(found, wanted):
            reference.check(self, a, b.double(), torch.float32, 1e-4)


class Sdpa(unittest.TestCase):
    def setUp(self):
        self.calls = counted(self)
        self.addCleanup(attn_mlir.torch.deactivate)

    def test_serves(self):
        q, k, v = make()
        few = k[:, :2], v[:, :2]
        for options in ({}, {"is_causal": True}, {"attn_mask": torch.rand(2, 1, 6, 9) > 0.3},
                        {"attn_mask": torch.randn(6, 9)}, {"scale": 0.3}):
            for mode in (torch.no_grad, torch.enable_grad, torch.inference_mode):
                with self.subTest(options=list(options), mode=mode), mode():
                    wanted = F.scaled_dot_product_attention(q, k, v, **options)
                    grouped = F.scaled_dot_product_attention(q, *few, enable_gqa=True, **options)
                    self.calls.clear()
                    with attn_mlir.torch.activate():
                        self.assertTrue(attn_mlir.torch.is_active())
                        got = F.scaled_dot_product_attention(q, k, v, **options)
                        self.assertEqual(len(self.calls), 1)
                        other = F.scaled_dot_product_attention(q, *few, enable_gqa=True, **options)
                    reference.check(self, got, wanted.double(), torch.float32)
                    reference.check(self, other, grouped.double(), torch.float32)
                    self.assertFalse(attn_mlir.torch.is_active())
                    F.scaled_dot_product_attention(q, k, v, **options)
                    self.assertEqual(len(self.calls), 2)

    def test_leaves_the_rest(self):
        q, k, v = make()
        attn_mlir.torch.activate()
        leaf = q.clone().requires_grad_()
        F.scaled_dot_product_attention(leaf, k, v, attn_mask=torch.rand(2, 1, 6, 9) > 0.3).sum().backward()
        self.assertIsNotNone(leaf.grad)
        torch.func.grad(lambda x: F.scaled_dot_product_attention(x, k, v).sum())(q)
        F.scaled_dot_product_attention(q, k, v, dropout_p=0.5)
        F.scaled_dot_product_attention(*(x.double() for x in (q, k, v)))
        F.scaled_dot_product_attention(q[0], k[0], v[0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            torch.func.vmap(F.scaled_dot_product_attention)(*(x[None] for x in (q, k, v)))
        self.assertEqual(self.calls, [])

    def test_gradients(self):
        """In both orders in which memory holds heads and positions, a group of heads included."""
        for swapped in (False, True):
            for options in ({}, {"is_causal": True, "scale": 0.3}):
                def gradients():
                    leaves = [x.transpose(1, 2).contiguous().transpose(1, 2) if swapped else x for x in make(kv_heads=2)]
                    leaves = [x.requires_grad_() for x in leaves]
                    o = F.scaled_dot_product_attention(*leaves, enable_gqa=True, **options)
                    return o, *torch.autograd.grad(o.square().sum(), leaves)

                with self.subTest(swapped=swapped, options=options):
                    wanted = gradients()
                    self.calls.clear()
                    with attn_mlir.torch.activate():
                        found = gradients()
                    self.assertEqual(len(self.calls), 1)
                    for a, b in zip(found, wanted):
                        reference.check(self, a, b.double(), torch.float32, 1e-4)

    def test_compile(self):
        q, k, v = make()
        wanted = F.scaled_dot_product_attention(q, k, v, is_causal=True) + 1
        attn_mlir.torch.activate()
        function = torch.compile(
            lambda *x: F.scaled_dot_product_attention(*x, is_causal=True) + 1, fullgraph=True, backend="aot_eager")
        reference.check(self, function(q, k, v), wanted.double(), torch.float32)
        self.calls.clear()
        function(q, k, v)
        self.assertEqual(len(self.calls), 1)

    def test_other_back_ends(self):
        """Where a program names others, it gets those."""
        from torch.nn.attention import SDPBackend, sdpa_kernel

        q, k, v = make()
        with attn_mlir.torch.activate():
            with sdpa_kernel([SDPBackend.MATH]):
                F.scaled_dot_product_attention(q, k, v)
            self.assertEqual(len(self.calls), 0)
            with sdpa_kernel([SDPBackend.FLASH_ATTENTION]):
                F.scaled_dot_product_attention(q, k, v)
            self.assertEqual(len(self.calls), 1)

    @unittest.skipUnless(hasattr(torch.nn.attention, "activate_flash_attention_impl"), "this torch has no hook")
    def test_hook_of_torch(self):
        q, k, v = make()
        self.assertTrue(attn_mlir.torch.register_hook())
        self.assertIn("attn_mlir", torch.nn.attention.list_flash_attention_impls())
        torch.nn.attention.activate_flash_attention_impl("attn_mlir")
        F.scaled_dot_product_attention(q, k, v)
        self.assertEqual(len(self.calls), 1)
        torch.nn.attention.restore_flash_attention_impl()
        F.scaled_dot_product_attention(q, k, v)
        self.assertEqual(len(self.calls), 1)

    def test_stand_in_of_the_hook(self):
        class Attention:
            functions = {}

            @classmethod
            def register_flash_attention_impl(cls, impl, *, register_fn):
                cls.functions[impl] = register_fn

        self.assertTrue(attn_mlir.torch.register_hook(Attention))
        handle = Attention.functions["attn_mlir"]()
        self.assertTrue(attn_mlir.torch.is_active())
        handle.remove()
        self.assertFalse(attn_mlir.torch.is_active())
        self.assertFalse(attn_mlir.torch.register_hook(object()))


@unittest.skipIf(_quick._native is None, "the extension is not built")
class QuickResults(unittest.TestCase):
    """What calls that were seen before allocate: by PyTorch's C interface, and by DLPack where that is not as it shall be."""

    def setUp(self):
        attn_mlir.attention(*make())  # The extension learns of tensors.
        self.arguments = _quick._shim_of(torch)
        self.addCleanup(self.restore)

    def restore(self):
        if self.arguments is not None:
            _quick._native.use_shim(*self.arguments)

    def check(self):
        q, k, v = make()
        permuted, gaps = q.transpose(1, 2).contiguous().transpose(1, 2), torch.randn(2, 4, 6, 32)[..., :16]
        for given in (q, permuted, gaps, q[:0], q.expand(2, 4, 6, 16)):
            for keywords in ({}, {"causal": True, "return_lse": True}):
                keys, values = (k[: given.shape[0]], v[: given.shape[0]])
                found = [attn_mlir.attention(given, keys, values, **keywords) for _ in range(3)]
                first, *others = [x if isinstance(x, tuple) else (x,) for x in found]
                for x in others:
                    for one, other in zip(first, x):
                        self.assertTrue(torch.equal(one, other))
                        self.assertEqual((one.stride(), one.dtype, one.device), (other.stride(), other.dtype, other.device))
                        self.assertFalse(other.requires_grad)
                self.assertEqual(others[0][0].stride(), torch.empty_like(given).stride())
        narrow = v[..., :8].contiguous()
        for _ in range(2):
            self.assertEqual(attn_mlir.attention(permuted, k, narrow).shape, (2, 4, 6, 8))
        with torch.inference_mode():
            self.assertTrue(attn_mlir.attention(q, k, v).is_inference())

    def test_by_dlpack(self):
        if self.arguments is not None:
            # Types that are not what they are said to be are seen.
            self.assertFalse(_quick._native.use_shim(*self.arguments[:4], *self.arguments[5:6], *self.arguments[5:]))
        self.check()

    def test_by_c_interface(self):
        if self.arguments is None:
            self.skipTest("this torch has other functions")
        self.assertTrue(_quick._native.use_shim(*self.arguments))
        self.check()


class FlashAttention3(unittest.TestCase):
    def test_operators(self):
        attn_mlir.torch.install_flash_attn_3()
        attn_mlir.torch.install_flash_attn_3()
        import flash_attn_3._C

        self.assertIs(flash_attn_3._C, sys.modules["flash_attn_3._C"])
        q, k, v = (x.transpose(1, 2) for x in make())
        o, lse, *parts = torch.ops.flash_attn_3.fwd(q, k, v, is_causal=True, num_splits=3)
        self.assertTrue(torch.equal(o, flash_attn_func(q, k, v, causal=True)))
        self.assertEqual((lse.shape, [x.numel() for x in parts]), ((2, 4, 6), [0, 0]))
        out = torch.empty_like(q)
        torch.ops.flash_attn_3.fwd(q, k, v, out=out, is_causal=True)
        self.assertTrue(torch.equal(o, out))
        self.assertEqual(len(torch.ops.flash_attn_3.fwd.default._schema.arguments), 34)
        merged, _ = torch.ops.flash_attn_3.fwd_combine(torch.stack([o, o]), torch.stack([lse.transpose(1, 2)] * 2))
        reference.check(self, merged, o.double(), torch.float32)
        plan = torch.ops.flash_attn_3.get_scheduler_metadata(
            2, 6, 9, 4, 4, 16, 16, torch.float32, torch.full((2,), 9, dtype=torch.int32))
        self.assertEqual((plan.dtype, plan.numel()), (torch.int32, 0))

    def test_backward(self):
        """Gradients by the operator, as its own Python file calls it: those of autograd through attention()."""
        attn_mlir.torch.register_flash_attn_3()
        q, k, v = (x.transpose(1, 2).contiguous().requires_grad_() for x in make())
        o, lse = attn_mlir.torch.attention(q, k, v, causal=True, window=(3, -1), softcap=5.0, layout="bshd")
        dout = torch.randn_like(o)
        wanted = torch.autograd.grad(o, (q, k, v), dout)
        found = [torch.empty_like(x) for x in (q, k, v)]
        arguments = [x.detach() for x in (dout, q, k, v, o, lse)]
        numbers = {"is_causal": True, "window_size_left": 3, "softcap": 5.0}
        sums, *rest = torch.ops.flash_attn_3.bwd(*arguments, *found, **numbers)
        for mine, its in zip(found, wanted):
            self.assertTrue(torch.equal(mine, its))
        reference.check(self, sums, (dout.double() * o.detach().double()).sum(-1).transpose(1, 2), torch.float32)
        self.assertEqual([x.numel() for x in rest], [0] * 4)
        with self.assertRaisesRegex(NotImplementedError, "^dq: expected a tensor"):
            torch.ops.flash_attn_3.bwd(*arguments)
        with self.assertRaisesRegex(NotImplementedError, "^cu_seqlens_q"):
            torch.ops.flash_attn_3.bwd(*arguments, *found, seqused_k=torch.tensor([1, 2]))

    def test_packed_backward(self):
        """Of packed sequences: those of autograd, also with a gradient of LSE, and PyTorch's where it is asked for, also below
        an operator that leaves out autograd."""
        attn_mlir.torch.register_flash_attn_3()
        q, k, v = (x.transpose(1, 2).flatten(0, 1).contiguous().requires_grad_() for x in make())
        cu = [torch.tensor([0, count, 2 * count], dtype=torch.int32) for count in (q.shape[0] // 2, k.shape[0] // 2)]
        o, lse = attn_mlir.torch.attention_varlen(q, k, v, *cu, causal=True)
        dout = torch.randn_like(o)
        wanted = torch.autograd.grad(o, (q, k, v), dout)
        found = [torch.empty_like(x) for x in (q, k, v)]
        torch.ops.flash_attn_3.bwd(*(x.detach() for x in (dout, q, k, v, o, lse)), *found, *cu, is_causal=True)
        for mine, its in zip(found, wanted):
            self.assertTrue(torch.equal(mine, its))
        slopes = torch.tensor([0.5, 0.25, 0.125, 0.0625])
        o, lse = attn_mlir.torch.attention_varlen(q, k, v, *cu, causal=True, alibi_slopes=slopes)
        dlse = torch.randn_like(lse)
        kernels = torch.autograd.grad((o, lse), (q, k, v), (dout, dlse), retain_graph=True)
        with attn_mlir.torch.recompute_backward(), unittest.mock.patch.object(
                attn_mlir._gradients, "obstacle", lambda call: "a test"):
            wanted = torch.autograd.grad((o, lse), (q, k, v), (dout, dlse))
            with torch._C._AutoDispatchBelowAutograd():
                found = torch.ops.attn_mlir.varlen_bwd(
                    dout, dlse, *(x.detach() for x in (o, lse, q, k, v)), *cu, None, None, None, slopes, 0.25, 0.0,
                    "bottom_right", -1, 0, 0)
        self.assertTrue(all(map(torch.equal, found, wanted)))
        for a, b in zip(kernels, wanted):
            reference.check(self, a, b.double(), torch.float32, 1e-4)


if __name__ == "__main__":
    unittest.main()
