"""flex_attention on attn_mlir, against PyTorch's own without a compiler."""

import unittest

import attn_mlir
import reference
import torch
from attn_mlir.flex import flex_attention
from torch._dynamo.testing import CompileCounterWithBackend
from torch.nn.attention import flex_attention as torch_flex


def make(kv_heads=4):
    torch.manual_seed(0)
    return torch.randn(2, 4, 128, 16), *(torch.randn(2, kv_heads, 256, 16) for _ in "kv")


class Flex(unittest.TestCase):
    def compare(self, *tensors, **options):
        wanted, lse = torch_flex.flex_attention(*tensors, return_lse=True, **options)
        o, own = flex_attention(*tensors, return_lse=True, **options)
        reference.check(self, o, wanted.double(), torch.float32)
        reference.check(self, own, lse.double(), torch.float32, 1e-4)

    def test_scores(self):
        bias, slopes = torch.randn(4, 512), torch.rand(4)
        for score_mod in (
                None, lambda s, b, h, i, j: s + bias[h, i - j + 255], lambda s, b, h, i, j: s - slopes[h] * (i - j).abs(),
                lambda s, b, h, i, j: 3.0 * torch.tanh(s / 3.0), lambda s, b, h, i, j: torch.where(i >= j, s, -float("inf"))):
            self.compare(*make(), score_mod=score_mod)

    def test_masks(self):
        documents = torch.arange(256) // 50
        for mask_mod in (lambda b, h, i, j: i + 128 >= j, lambda b, h, i, j: documents[i] == documents[j],
                         torch_flex.noop_mask):
            mask = torch_flex.create_block_mask(mask_mod, None, None, 128, 256, device="cpu")
            self.compare(*make(), block_mask=mask)
        self.compare(*make(2), block_mask=mask, scale=0.1, enable_gqa=True, score_mod=lambda s, b, h, i, j: s * 2)

    def test_blocks_alone(self):
        """Partial and full blocks without a mask_mod; a row that lists none sees nothing."""
        def number(rows):
            return torch.tensor(rows, dtype=torch.int32).expand(1, 4, *torch.tensor(rows).shape)

        listed = number([2, 0, 1, 1]), number([[7, 1, 0, 2, 3, 4, 5, 6]] * 4)
        full = number([1, 0, 1, 0]), number([[4, 1, 0, 2, 3, 7, 5, 6]] * 4)
        for more in ((), full):
            blocks = torch_flex.BlockMask.from_kv_blocks(*listed, *more, BLOCK_SIZE=32)
            q, k, v = make()
            o, lse = flex_attention(q, k, v, block_mask=blocks, return_lse=True)
            keep = blocks.to_dense().bool().repeat_interleave(32, -1).repeat_interleave(32, -2)
            wanted = reference.attention(q, k, v, keep=keep)
            reference.check(self, o, wanted[0], torch.float32)
            reference.check(self, lse, wanted[1], torch.float32)
            self.assertTrue((o[:, :, 32:64] == 0).all() and (o[:, :, :32] != 0).any())

    def test_narrow_lists(self):
        """Lists with room for fewer blocks than there are keys of, each of them used, are not lists of all blocks."""
        indices = lambda *rows: torch.tensor(rows, dtype=torch.int32)[:, None].expand(1, 1, len(rows), 1)
        count = torch.ones(1, 1, 2, dtype=torch.int32)
        for size in (64, 24):  # 24 is no multiple of 16: by a mask.
            queries, keys = 2 * size, 4 * size
            blocks = torch_flex.BlockMask.from_kv_blocks(
                count, indices(3, 1), BLOCK_SIZE=size, seq_lengths=(queries, keys), compute_q_blocks=False)
            torch.manual_seed(0)
            q, k, v = torch.randn(2, 4, queries, 16), *(torch.randn(2, 4, keys, 16) for _ in "kv")
            o, lse = flex_attention(q, k, v, block_mask=blocks, return_lse=True)
            keep = torch.zeros(queries, keys, dtype=torch.bool)
            keep[:size, 3 * size:] = keep[size:, size:2 * size] = True
            wanted = reference.attention(q, k, v, keep=keep)
            reference.check(self, o, wanted[0], torch.float32)
            reference.check(self, lse, wanted[1], torch.float32)

    def test_lists(self):
        """Odd lengths and sizes of blocks, a list for each head or one for all; what is listed decides, not what mask_mod says elsewhere."""
        torch.manual_seed(0)
        q, k, v = torch.randn(2, 4, 200, 16), *(torch.randn(2, 2, 333, 16) for _ in "kv")
        documents = torch.arange(333) // 70
        for number, (size, heads) in enumerate(((128, None), ((32, 64), 4), ((64, 16), None), ((24, 32), 4))):
            mask_mod = (lambda b, h, i, j: (i - j < 50) & (i >= j), lambda b, h, i, j: documents[i] == documents[j])[number % 2]
            mask = torch_flex.create_block_mask(mask_mod, None, heads, 200, 333, device="cpu", BLOCK_SIZE=size)
            self.compare(q, k, v, block_mask=mask, enable_gqa=True, score_mod=lambda s, b, h, i, j: s + 0.01 * (i - j))

        def number(rows):
            return torch.tensor(rows, dtype=torch.int32).expand(1, 1, *torch.tensor(rows).shape)

        # The full blocks fall, and one of them is the last, of 13 keys.
        mask = torch_flex.BlockMask.from_kv_blocks(
            number([1, 0, 2, 1]), number([[1] * 6, [0] * 6, [3, 0, 0, 0, 0, 0], [2] * 6]),
            number([2, 0, 1, 0]), number([[5, 0, 0, 0, 0, 0], [0] * 6, [4] * 6, [0] * 6]), BLOCK_SIZE=64,
            mask_mod=lambda b, h, i, j: i + 128 >= j, seq_lengths=(200, 333))
        o, lse = flex_attention(q, k, v, block_mask=mask, enable_gqa=True, return_lse=True)
        wide = lambda x: x.repeat_interleave(64, -1).repeat_interleave(64, -2)[..., :200, :333]
        full, partial = torch.zeros(4, 6, dtype=torch.bool), torch.zeros(4, 6, dtype=torch.bool)
        full[0, [5, 0]] = full[2, 4] = partial[0, 1] = partial[2, [3, 0]] = partial[3, 2] = True
        i, j = torch.arange(200)[:, None], torch.arange(333)
        inside = wide(full) & ((i + 128 >= j) | (j < 320))
        wanted = reference.attention(q, k, v, keep=inside | (wide(partial) & (i + 128 >= j)))
        reference.check(self, o, wanted[0], torch.float32)
        reference.check(self, lse, wanted[1], torch.float32)

    @unittest.skipUnless(hasattr(torch_flex, "AuxRequest"), "this torch has no AuxRequest")
    def test_aux(self):
        tensors = make()
        o, aux = flex_attention(*tensors, return_aux=torch_flex.AuxRequest(lse=True))
        self.assertTrue(torch.equal(aux.lse, flex_attention(*tensors, return_lse=True)[1]))
        with self.assertRaisesRegex(NotImplementedError, "return_aux.max_scores"):
            flex_attention(*tensors, return_aux=torch_flex.AuxRequest(max_scores=True))

    def test_refused(self):
        other = torch_flex.create_block_mask(lambda b, h, i, j: i >= j, None, None, 128, 128, device="cpu")
        with self.assertRaisesRegex(ValueError, "block_mask: expected one for 128 queries and 256 keys"):
            flex_attention(*make(), block_mask=other)
        lists = [torch.zeros(1, 1, 4, dtype=torch.int32), torch.zeros(1, 1, 4, 8, dtype=torch.int32)]
        for message, blocks in (
                ("multiple of 16 up to 65536, but got .32, 24.", ((32, 24), *lists)),
                ("expected .sizes, counts, numbers. and perhaps", ((32, 32), lists[0])),
                ("kv_num_blocks: expected shape .1 or 2, 1 or 4, 2., but got", ((64, 32), *lists)),
                ("kv_indices: expected shape .1 or 2, 1 or 4, 4, any number., but got", ((32, 32), lists[0], lists[1][:, :, 1:])),
                ("kv_num_blocks: expected int32 or int64, but got", ((32, 32), lists[0].half(), lists[1]))):
            with self.assertRaisesRegex(ValueError, message):
                attn_mlir.attention(*make(), blocks=blocks)
        # Whatever else is wrong: lists of each sequence are no shape that packed sequences have.
        for name, given in (("lengths", torch.tensor([1, 2])), ("cu_seqlens_q", torch.tensor([0, 1, 2], dtype=torch.int32))):
            with self.assertRaisesRegex(ValueError, f"blocks: expected no lengths, cu_seqlens_q, .* but got {name}"):
                q, k, v = make()
                attn_mlir.attention(q[: None if name == "lengths" else 1], k, v, blocks=((32, 32), *(x.expand(2, *x.shape[1:]) for x in lists)), **{name: given})
        with self.assertRaisesRegex(ValueError, "enable_gqa"):
            flex_attention(*make(2))
        q, k, v = make()
        slopes = torch.rand(4, requires_grad=True)
        with self.assertRaisesRegex(NotImplementedError, "gradients of captured tensors"):
            flex_attention(q.requires_grad_(), k, v, score_mod=lambda s, b, h, i, j: s * slopes[h])


def window(b, h, i, j):
    return (i - j < 50) & (i >= j)


def dense(q, k, v, score_mod=None, block_mask=None, scale=None, enable_gqa=False, return_lse=True):
    """The same with PyTorch's operations, functions called with all indices at once."""
    k, v = (x.repeat_interleave(q.shape[1] // x.shape[1], 1) for x in (k, v))
    indices = [torch.arange(size).view([-1 if at == dim else 1 for at in range(4)])
               for dim, size in enumerate((*q.shape[:3], k.shape[2]))]
    scores = q @ k.transpose(-1, -2) * (scale or q.shape[-1] ** -0.5)
    scores = scores if score_mod is None else score_mod(scores, *indices)
    keep = torch.ones_like(scores, dtype=torch.bool) if block_mask is None else block_mask.mask_mod(*indices).expand(scores.shape)
    scores = scores.masked_fill(~keep, -1e30)
    o = torch.where(keep.any(-1, keepdim=True), torch.softmax(scores, -1), 0) @ v
    return o, torch.where(keep.any(-1), torch.logsumexp(scores, -1), -float("inf"))


class Gradients(unittest.TestCase):
    """Of query, key and value, against those of PyTorch's operations in float64."""

    def compare(self, *tensors, use_lse=False, **options):
        found = []
        for function, dtype in ((flex_attention, torch.float32), (dense, torch.float64)):
            leaves = [x.detach().to(dtype).clone().requires_grad_() for x in tensors]
            o, lse = function(*leaves, return_lse=True, **options)
            loss = (o * torch.linspace(-1, 1, o.numel(), dtype=dtype).view_as(o)).sum()
            if use_lse:
                # Rows of no key have none.
                loss = loss + torch.where(lse.isfinite(), lse, 0).sin().sum()
            loss.backward()
            found.append([x.grad for x in leaves])
        for ours, wanted in zip(*found):
            self.assertLess(((ours.double() - wanted).norm() / wanted.norm()).item(), 1e-5)

    def test_blocks(self):
        """One list for all heads, and one for each of those that share keys; odd lengths."""
        torch.manual_seed(0)
        by_head = lambda b, h, i, j: (i - j < 20 * (h + 1)) & (i >= j)
        q, k, v = torch.randn(2, 4, 200, 16), *(torch.randn(2, 2, 333, 16) for _ in "kv")
        for size, heads, mask_mod in ((128, None, window), ((32, 64), 4, by_head)):
            mask = torch_flex.create_block_mask(mask_mod, None, heads, 200, 333, device="cpu", BLOCK_SIZE=size)
            self.compare(q, k, v, block_mask=mask, enable_gqa=True, use_lse=heads is None)

    def test_functions(self):
        self.compare(*make(2), enable_gqa=True, scale=0.3, use_lse=True, score_mod=lambda s, b, h, i, j: s * s + 0.01 * (i - j))

    def test_no_lists_by_keys(self):
        listed = torch.ones(1, 1, 4, dtype=torch.int32), torch.zeros(1, 1, 4, 8, dtype=torch.int32)
        blocks = torch_flex.BlockMask.from_kv_blocks(*listed, BLOCK_SIZE=32, seq_lengths=(128, 256), compute_q_blocks=False)
        q, k, v = make()
        o = flex_attention(q.requires_grad_(), k, v, block_mask=blocks)
        with self.assertRaisesRegex(NotImplementedError, "expected q_num_blocks"):
            o.sum().backward()


BIAS = torch.linspace(-1, 1, 4 * 512).view(4, 512)
DOCUMENTS = torch.arange(256) // 50


def by_global(score, b, h, i, j):
    return score + BIAS[h, i - j + 255]


class Compiled(unittest.TestCase):
    """Under torch.compile(fullgraph=True): one graph, with the same results."""

    def compare(self, function, *arguments, backend="aot_eager"):
        torch._dynamo.reset()
        counter = CompileCounterWithBackend(backend)
        with torch.no_grad():
            wanted, found = function(*arguments), torch.compile(function, fullgraph=True, backend=counter)(*arguments)
        for x, y in zip(*((x,) if torch.is_tensor(x) else x for x in (wanted, found))):
            self.assertTrue(torch.equal(x, y))
        self.assertEqual(counter.frame_count, 1)
        (graph,) = counter.graphs
        return [node.target for node in graph.graph.nodes if node.op == "call_function"].count(
            torch.ops.attn_mlir.flex_fwd.default)

    def test_functions(self):
        slopes = torch.rand(4)

        def made_inside(q, k, v, slopes):
            twice = slopes * 2

            def score_mod(score, b, h, i, j):
                return torch.where(i + 128 >= j, score - twice[h] * (i - j).abs(), -float("inf"))

            return flex_attention(q, k, v, score_mod=score_mod) + 1

        def two_calls(q, k, v):
            o = flex_attention(q, k, v, score_mod=by_global)
            return flex_attention(o, k, v, scale=0.5, return_lse=True)

        self.assertEqual(self.compare(made_inside, *make(), slopes), 1)
        self.assertEqual(self.compare(two_calls, *make()), 2)
        self.assertEqual(self.compare(
            lambda q, k, v: flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s * slopes[h], enable_gqa=True), *make(2)), 1)

    def test_masks(self):
        mask = torch_flex.create_block_mask(
            lambda b, h, i, j: DOCUMENTS[i] == DOCUMENTS[j], None, None, 128, 256, device="cpu")
        self.assertEqual(self.compare(
            lambda q, k, v: flex_attention(q, k, v, score_mod=by_global, block_mask=mask, return_lse=True), *make()), 1)

    def test_lists(self):
        """Lists are inputs of the node; a mask may be an argument, and made inside."""
        torch.manual_seed(0)
        q, k, v = torch.randn(2, 4, 200, 16), *(torch.randn(2, 2, 333, 16) for _ in "kv")
        mask = torch_flex.create_block_mask(window, None, 4, 200, 333, device="cpu", BLOCK_SIZE=(32, 64))
        call = lambda q, k, v, mask: flex_attention(q, k, v, block_mask=mask, enable_gqa=True, return_lse=True)
        self.assertEqual(self.compare(call, q, k, v, mask), 1)
        self.assertEqual(self.compare(lambda q, k, v: call(q, k, v, mask), q, k, v), 1)
        listed = torch.tensor([[[1, 0, 2, 1]]]), torch.tensor([[[[7, 1], [1, 0], [2, 3], [4, 5]]]])
        alone = torch_flex.BlockMask.from_kv_blocks(*listed, BLOCK_SIZE=32, seq_lengths=(128, 256), compute_q_blocks=False)
        self.assertEqual(self.compare(lambda q, k, v: flex_attention(q, k, v, block_mask=alone), *make()), 1)

    def test_gradients(self):
        """Those of the compiled call are those of the eager one."""
        torch._dynamo.reset()
        mask = torch_flex.create_block_mask(window, None, None, 128, 256, device="cpu")
        call = lambda q, k, v: flex_attention(q, k, v, block_mask=mask, enable_gqa=True)
        found = []
        for function in (call, torch.compile(call, fullgraph=True, backend="aot_eager")):
            leaves = [x.requires_grad_() for x in make(2)]
            function(*leaves).square().sum().backward()
            found.append([x.grad for x in leaves])
        for eager, compiled in zip(*found):
            self.assertTrue(torch.equal(eager, compiled))

    def test_sizes_and_numbers(self):
        """Numbers that change are inputs of a graph: after three calls nothing is compiled."""
        def function(q, k, v, width, bias):
            return flex_attention(
                q, k, v, score_mod=lambda s, b, h, i, j: torch.where(j <= i + width, s + bias[h, j], -float("inf")))

        torch._dynamo.reset()
        counter = CompileCounterWithBackend("aot_eager")
        compiled = torch.compile(function, fullgraph=True, backend=counter)
        for width, length in ((3, 64), (5, 64), (9, 96), (11, 100), (13, 133)):
            q, k, v = (torch.randn(2, 4, length, 16) for _ in "qkv")
            bias = torch.randn(4, length)
            with torch.no_grad():
                self.assertTrue(torch.equal(compiled(q, k, v, width, bias), function(q, k, v, width, bias)))
        self.assertLessEqual(counter.frame_count, 3)

    def test_what_is_computed_of_captures(self):
        """Refused inside of a graph, with what to do; outside of it such a call runs."""
        slopes = torch.rand(4)
        for score in (lambda s, b, h, i, j: s * slopes[0], lambda s, b, h, i, j: s * slopes.exp()[h]):
            torch._dynamo.reset()
            call = lambda q, k, v: flex_attention(q, k, v, score_mod=score)
            with torch.no_grad():
                with self.assertRaisesRegex(torch._dynamo.exc.Unsupported, "read by values of the kernel alone"):
                    torch.compile(call, fullgraph=True, backend="aot_eager")(*make())
                self.assertTrue(torch.equal(torch.compile(call, backend="aot_eager")(*make()), call(*make())))

    def test_gradients_are_refused(self):
        slopes = torch.rand(4, requires_grad=True)
        function = torch.compile(
            lambda q, k, v: flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s * slopes[h]), fullgraph=True,
            backend="aot_eager")
        with self.assertRaisesRegex(torch._dynamo.exc.Unsupported, "Gradients of what functions capture"):
            function(*make())

    def test_operator(self):
        """Fake and schema, on the node that Dynamo makes."""
        graphs = []
        torch._dynamo.reset()
        with torch.no_grad():
            torch.compile(
                lambda q, k, v: flex_attention(q, k, v, score_mod=by_global), fullgraph=True,
                backend=lambda module, inputs: graphs.append((module, inputs)) or module.forward)(*make())
        (module, inputs), = graphs
        self.assertTrue(any(x.shape == BIAS.shape for x in inputs if torch.is_tensor(x)))
        text = next(node.args[6] for node in module.graph.nodes if node.target == torch.ops.attn_mlir.flex_fwd.default)
        torch.library.opcheck(
            torch.ops.attn_mlir.flex_fwd.default, (*make(), [BIAS], [], [], text, None, []),
            test_utils=("test_schema", "test_faketensor"))


if __name__ == "__main__":
    unittest.main()
