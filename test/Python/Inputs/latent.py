"""Latent attention on the CPU against float64: V that is a view of K's first columns, and V that lies elsewhere."""

import numpy
import torch

import attn_mlir
from attn_mlir import _kernels


def wanted(q, k, v, scale, lengths=None, causal=False):
    q, k, v = (x.double() for x in (q, k, v))
    group = q.shape[1] // k.shape[1]
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    scores = q @ k.transpose(-1, -2) * scale
    queries, keys = scores.shape[-2:]
    count = torch.full((q.shape[0],), keys) if lengths is None else lengths
    places = torch.arange(keys)
    seen = (places < count.view(-1, 1, 1, 1)).expand_as(scores)
    if causal:
        ends = count.view(-1, 1, 1, 1) - queries + torch.arange(queries).view(-1, 1)
        seen = seen & (places <= ends)
    weights = torch.softmax(scores.masked_fill(~seen, -torch.inf), -1).nan_to_num(0)
    return weights @ v.masked_fill(~(places < count.view(-1, 1, 1)).unsqueeze(-1), 0)


def error(o, reference):
    return ((o.double() - reference).norm(dim=-1) / reference.norm(dim=-1)).max().item()


def texts():
    """What was compiled, by whether it promises that V is in K."""
    return ["values(keys)" in key for key in seen_texts]


seen_texts = []
entry_of = _kernels.entry_of
_kernels.entry_of = lambda text, *rest: (seen_texts.append(text), entry_of(text, *rest))[1]

torch.manual_seed(0)
scale = 192**-0.5
q = torch.randn(2, 16, 1, 576).bfloat16()
k = torch.randn(2, 1, 70, 576).bfloat16()

# DeepSeek's sizes, one query a sequence.
o = attn_mlir.attention(q, k, k[..., :512], scale=scale)
assert o.shape == (2, 16, 1, 512), o.shape
assert error(o, wanted(q, k, k[..., :512], scale)) < 1e-2
assert texts() == [True], texts()

# The same values in memory of their own: another kernel, the same result but for rounding.
apart = attn_mlir.attention(q, k, k[..., :512].clone(), scale=scale)
assert error(apart, o.double()) < 1e-2
assert texts() == [True, False], texts()
# In turns, each has its own.
assert torch.equal(attn_mlir.attention(q, k, k[..., :512], scale=scale), o)
assert torch.equal(attn_mlir.attention(q, k, k[..., :512].clone(), scale=scale), apart)

# A view that begins elsewhere is no view of the first columns.
shifted = attn_mlir.attention(q, k, k[..., 64:], scale=scale)
assert error(shifted, wanted(q, k, k[..., 64:], scale)) < 1e-2
assert texts() == [True, False], texts()

# Lengths, behind which there is NaN; several queries, causal from the bottom right.
lengths = torch.tensor([33, 70], dtype=torch.int32)
cache = k.clone()
cache[0, :, 33:] = float("nan")
rows = torch.randn(2, 16, 3, 576).bfloat16()
o = attn_mlir.attention(rows, cache, cache[..., :512], scale=scale, lengths=lengths, causal=True)
assert error(o, wanted(rows, cache.nan_to_num(0), cache[..., :512].nan_to_num(0), scale, lengths, causal=True)) < 1e-2

# Pages in any order.
order = torch.randperm(2 * 5)
pages = torch.full((10, 1, 16, 576), float("nan")).bfloat16()
whole = torch.full((2, 80, 576), float("nan")).bfloat16()
whole[:, :70] = cache[:, 0]
pages[order] = whole.view(10, 1, 16, 576)
o = attn_mlir.attention(q, pages, pages[..., :512], scale=scale, lengths=lengths, block_table=order.view(2, 5).int())
assert error(o, wanted(q, cache.nan_to_num(0), cache[..., :512].nan_to_num(0), scale, lengths)) < 1e-2

# Smaller sizes, of f32, in NumPy's arrays and the other layout.
q, k = (torch.randn(2, s, h, 48) for s, h in ((5, 4), (40, 2)))
o = attn_mlir.attention(q.numpy(), k.numpy(), k.numpy()[..., :32], layout="bshd")
reference = wanted(q.transpose(1, 2), k.transpose(1, 2), k[..., :32].transpose(1, 2), 48**-0.5).transpose(1, 2)
assert isinstance(o, numpy.ndarray) and error(torch.from_numpy(o), reference) < 1e-5
assert texts()[-1]

# More columns than kernels take.
try:
    attn_mlir.attention(torch.zeros(1, 1, 1, 1032), torch.zeros(1, 1, 8, 1032), torch.zeros(1, 1, 8, 64))
except attn_mlir.ArgumentError as refusal:
    assert "expected a head dimension from 1 to 1024, but got 1032" in str(refusal), refusal
else:
    raise AssertionError("expected a refusal")
print("ok")
