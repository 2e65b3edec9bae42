"""flex_attention on attn_mlir, against PyTorch's own without a compiler."""

import unittest

import reference
import torch
from attn_mlir.flex import flex_attention
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
        with self.assertRaisesRegex(ValueError, "enable_gqa"):
            flex_attention(*make(2))
        q, k, v = make()
        with self.assertRaisesRegex(NotImplementedError, "gradients"):
            flex_attention(q.requires_grad_(), k, v)


if __name__ == "__main__":
    unittest.main()
