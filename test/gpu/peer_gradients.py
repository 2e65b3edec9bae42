"""Gradients of attention as PyTorch computes them in the precision of their inputs."""

import reference


def _eager(torch, q, k, v, scale, keep, cap):
    """Operation by operation, each rounded; of a softcap there is no other way without a compiler."""
    scores = scale * (q @ k.transpose(-1, -2))
    scores = cap * torch.tanh(scores / cap)
    if keep is not None:
        scores = scores.masked_fill(~keep, float("-inf"))
    return torch.softmax(scores, dim=-1) @ v


def gradients(torch, q, k, v, dout, scale, mask, cap=None):
    """(dQ, dK, dV) of tensors [B, H, S, D], and of which queries they are: those that see a key, since PyTorch's are NaN
    where some see none. By scaled_dot_product_attention, whichever of its back ends it takes."""
    keep = reference.visible(torch, mask, q.shape[2], k.shape[2], q.device)
    rows = keep.any(dim=1)
    keep = keep[rows]
    keep = None if bool(keep.all()) else keep
    q, k, v = (x.detach().requires_grad_() for x in (q[:, :, rows], k, v))
    is_square = mask.kind == "causal" and keep is not None and keep.shape[0] == keep.shape[1] and bool(
        (keep == torch.ones_like(keep).tril()).all())
    attend, grouped = torch.nn.functional.scaled_dot_product_attention, q.shape[1] != k.shape[1]
    group = q.shape[1] // k.shape[1]
    wide_k, wide_v = (x.repeat_interleave(group, dim=1) if group > 1 else x for x in (k, v))
    if cap is not None:
        out = _eager(torch, q, wide_k, wide_v, scale, keep, cap)
    elif keep is None or is_square:
        out = attend(q, k, v, is_causal=is_square, scale=scale, enable_gqa=grouped)
    else:
        out = attend(q, wide_k, wide_v, attn_mask=keep, scale=scale)
    return torch.autograd.grad(out, (q, k, v), dout[:, :, rows]), rows
