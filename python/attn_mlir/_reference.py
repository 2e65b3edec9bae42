"""Attention in PyTorch, of which gradients are known: see attn_mlir.torch.recompute_backward."""

import torch

from attn_mlir import _features


def _indices(q, keys, first):
    """(batch, head, query, key) as arrays that broadcast to the scores of queries from ``first`` on."""
    def along(size, dim, start=0):
        shape = [1, 1, 1, 1]
        shape[dim] = size
        return torch.arange(start, start + size, device=q.device).view(shape)

    return along(q.shape[0], 0), along(q.shape[1], 1), along(q.shape[2], 2, first), along(keys, 3)


def _seen(call, i, j, queries, keys):
    """Keys j that queries i see by ``causal`` and ``window``, or None for all."""
    causal, window, lengths = call.get("causal"), call.get("window"), call.get("lengths")
    keys = keys if lengths is None else lengths.view(-1, 1, 1, 1)
    offset = 0 if causal == "top_left" else keys - queries
    held = None if lengths is None else j < keys
    left, right = (-1, 0) if causal else (window or (-1, -1))
    parts = [held, j >= i + offset - left if left >= 0 else None, j <= i + offset + right if right >= 0 else None]
    seen = None
    for part in parts:
        if part is not None:
            seen = part if seen is None else seen & part
    return seen


def scores_of(q, k, call, first=0, queries=None):
    """Scores in float32 with their modification and -inf where a query sees no key, of queries from ``first`` on of
    ``queries``, and k [B, H, D, S]."""
    scores = (q.float() @ k) * call["scale"]
    indices = _indices(q, k.shape[-1], first)
    if call.get("score_mod") is not None:
        scores = call["score_mod"](scores, *indices)
    seen, mask = _seen(call, *indices[2:], q.shape[2] if queries is None else queries, k.shape[-1]), call.get("mask")
    if torch.is_tensor(mask) and mask.dtype != torch.bool:
        scores = scores + mask
    elif mask is not None:
        keep = mask if torch.is_tensor(mask) else mask(*indices)
        seen = keep if seen is None else seen & keep
    return scores if seen is None else scores.masked_fill(~seen, float("-inf"))


def attend(q, k, v, call, sinks=None):
    """(O, LSE) in float32 of q, k, v [B, H, S, D] and keywords of attn_mlir.attention."""
    group = q.shape[1] // k.shape[1]
    k, v = k.float().repeat_interleave(group, 1), v.float().repeat_interleave(group, 1)
    scores = scores_of(q, k.transpose(-1, -2), call)
    everything = scores
    if sinks is not None:
        everything = torch.cat([scores, sinks.float().view(1, -1, 1, 1).expand(*scores.shape[:-1], 1)], -1)
    # Rows without keys have no gradient, where that of a maximum of -inf would be NaN.
    lse = torch.logsumexp(everything.masked_fill((everything == float("-inf")).all(-1, keepdim=True), -1e30), -1)
    p = torch.exp(scores - lse[..., None])
    return p @ v, lse


def _with_autograd():
    """Autograd's part of the dispatcher, which an operator that calls this one may have left out (FlashAttention-3's own
    operators do)."""
    left_out = torch._C._dispatch_tls_local_exclude_set()
    for name in ("AutogradFunctionality", "AutogradOther", "AutogradNestedTensor"):
        left_out = left_out.remove(getattr(torch._C.DispatchKey, name))
    return torch._C._ForceDispatchKeyGuard(torch._C._dispatch_tls_local_include_set(), left_out)


def _gradients(q, k, v, call, sinks, dout, dlse):
    """Of q, k, v for those of O and LSE, all in [B, H, S, D]."""
    with _with_autograd(), torch.enable_grad():
        inputs = [x.detach().requires_grad_() for x in (q, k, v)]
        o, lse = attend(*inputs, call, sinks)
        return torch.autograd.grad((o, lse), inputs, (dout.float(), dlse.float()))


def dense_backward(dout, dlse, q, k, v, call, sinks, layout):
    """Gradients of q, k and v of a call of attn_mlir.attention."""
    def swap(x):
        return x.transpose(1, 2) if layout == "bshd" else x

    found = _gradients(swap(q), swap(k), swap(v), call, sinks, swap(dout), dlse)
    return tuple(swap(d).to(x.dtype).contiguous() for d, x in zip(found, (q, k, v)))


def packed_backward(dout, dlse, q, k, v, features, cu_q, cu_k, used_q, used_k, slopes):
    """The same of sequences one after the other, one sequence at a time."""
    found = [torch.zeros_like(x) for x in (q, k, v)]
    starts_q, starts_k = cu_q.tolist(), cu_k.tolist()
    held_q = (cu_q[1:] - cu_q[:-1] if used_q is None else used_q).tolist()
    held_k = (cu_k[1:] - cu_k[:-1] if used_k is None else used_k).tolist()
    for b, (i, j) in enumerate(zip(starts_q[:-1], starts_k[:-1])):
        rows, columns = slice(i, i + held_q[b]), slice(j, j + held_k[b])
        own = slopes[b] if slopes is not None and slopes.dim() == 2 else slopes
        call = _features.dense(features, 1, held_q[b], held_k[b], q.device, slopes=own)
        if held_q[b] == 0 or held_k[b] == 0:
            continue
        parts = [x[place][None].transpose(1, 2) for x, place in ((q, rows), (k, columns), (v, columns))]
        gradients = _gradients(*parts, call, None, dout[rows][None].transpose(1, 2), dlse[None, :, rows])
        for whole, place, gradient in zip(found, (rows, columns, columns), gradients):
            whole[place] = gradient[0].transpose(0, 1)
    return tuple(found)
