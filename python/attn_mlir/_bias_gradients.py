"""The gradient of a bias, an array of numbers that is added to scores: by PyTorch, beside the kernels of q, k and v."""

import torch

from attn_mlir import _reference

# Elements of the largest array of scores.
_MOST = 1 << 26


def of_bias(bias, q, k, v, o, lse, dout, dlse, call, layout):
    """The gradient of ``bias``, which broadcasts to [batch, heads, queries, keys]: P (dP - delta + dLSE), of a block of
    queries after the other, in float32, summed where the bias is broadcast. ``call``: keywords of attn_mlir.attention."""
    if layout == "bshd":
        q, k, v, o, dout = (x.transpose(1, 2) for x in (q, k, v, o, dout))
    change = dlse if dlse is not None else 0
    delta = (o.float() * dout.float()).sum(-1) - change
    wide = bias[(None,) * (4 - bias.dim())]
    found = torch.zeros(wide.shape, dtype=torch.float32, device=q.device)
    group = q.shape[1] // k.shape[1]
    k, v = (x.float().repeat_interleave(group, 1).transpose(-1, -2) for x in (k, v))
    rows = max(1, _MOST // max(1, q.shape[0] * q.shape[1] * k.shape[-1]))
    for first in range(0, q.shape[2], rows):
        block = slice(first, first + rows)
        place = block if wide.shape[2] > 1 else slice(None)
        scores = _reference.scores_of(q[:, :, block], k, {**call, "mask": wide[:, :, place]}, first, q.shape[2])
        weights = (scores - lse[:, :, block, None]).exp().masked_fill(scores == float("-inf"), 0.0)
        products = dout[:, :, block].float() @ v
        terms = weights * (products - delta[:, :, block, None])
        found[:, :, place] += terms.sum_to_size(found[:, :, place].shape)
    return found.view(bias.shape).to(bias.dtype)
