"""Attention and matrix products in float64, from their definition
(docs/reference/attn-dialect.md), in plain PyTorch. Nothing here is taken from
the compiler: no tiles, no running maximum, no bounds of loops.
"""

import math

import extremes


def visible(torch, mask, queries, keys, device):
    """[queries, keys]: whether query i attends to key j."""
    i = torch.arange(queries, device=device)[:, None]
    j = torch.arange(keys, device=device)[None, :]
    o = keys - queries if mask.align == "bottom_right" else 0
    keep = torch.ones(queries, keys, dtype=torch.bool, device=device)
    if mask.kind == "causal":
        keep &= j <= i + o
    elif mask.kind == "window":
        if mask.left >= 0:
            keep &= j >= i + o - mask.left
        if mask.right >= 0:
            keep &= j <= i + o + mask.right
    return keep


def modify(torch, modification, scores, scalars):
    """The score modifications of cases.py on scores [batch, head, i, j]."""
    if modification == "none":
        return scores
    if modification == "softcap":
        (cap,) = scalars
        return cap * torch.tanh(scores / cap)
    index = [torch.arange(n, device=scores.device) for n in scores.shape]
    b, h, i, j = torch.meshgrid(*index, indexing="ij")
    if modification == "alibi":
        return scores + torch.exp2(-2.0 * h.double()) * (j - i)
    if modification == "drop":
        return scores.masked_fill((i + b + j) % 3 == 0, -math.inf)
    if modification in extremes.MODIFICATIONS:
        return extremes.modify(torch, modification, scores)
    raise ValueError(modification)


def attention(torch, q, k, v, scale, mask, modification="none", scalars=()):
    """(O, LSE) of q [B, Hq, Sq, D], k [B, Hkv, Skv, D] and v [B, Hkv, Skv, Dv]
    in float64. Rows that attend to nothing are 0 and -inf."""
    q, k, v = q.double(), k.double(), v.double()
    group = q.shape[1] // k.shape[1]
    k = k.repeat_interleave(group, dim=1)
    v = v.repeat_interleave(group, dim=1)
    scores = scale * (q @ k.transpose(-1, -2))
    scores = modify(torch, modification, scores, scalars)
    keep = visible(torch, mask, q.shape[2], k.shape[2], q.device)
    scores = scores.masked_fill(~keep, -math.inf)
    if scores.shape[-1] == 0:
        most = scores.new_full(scores.shape[:-1], -math.inf)
    else:
        most = scores.amax(dim=-1)
    # exp(-inf - 0) = 0 in rows that attend to nothing.
    base = most.masked_fill(most == -math.inf, 0.0)
    # NaN where a score is +inf or NaN.
    p = torch.exp(scores - base[..., None])
    total = p.sum(dim=-1)
    divisor = total.masked_fill(total == 0, 1.0)
    return p @ v / divisor[..., None], total.log() + base


def matmul(torch, a, b):
    return a.double() @ b.double()
