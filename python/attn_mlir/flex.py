"""FlexAttention's function, with its argument list, on kernels of attn_mlir.

>>> from attn_mlir.flex import flex_attention
>>> o = flex_attention(q, k, v, score_mod=lambda score, b, h, i, j: score + bias[h, i - j + 1023])

Functions are traced: what they may do is what kernels have, and no torch.compile is needed; under it a call is one
node of the graph. A block mask counts by its mask_mod; its blocks do not, since the compiler finds bounds itself. One
without a mask_mod counts by its blocks, which kernels read, but do not skip.
"""

import torch
from torch.nn.attention import flex_attention as _flex

import attn_mlir
from attn_mlir import _flex_compile
from attn_mlir._errors import ArgumentError
from attn_mlir._refusals import refuse

__all__ = ["flex_attention"]


def _has_all_blocks(block_mask):
    count = block_mask.kv_num_blocks
    if block_mask.full_kv_num_blocks is not None:
        count = count + block_mask.full_kv_num_blocks
    return bool((count == block_mask.kv_indices.shape[-1]).all())


def _listed(count, indices):
    """Which blocks of keys are among the first ``count`` [B, H, rows] of ``indices`` [B, H, rows, columns]."""
    columns = indices.shape[-1]
    place = torch.arange(columns, device=indices.device)
    # What is behind them goes to a column that is dropped.
    target = torch.where(place < count[..., None], indices, columns).long()
    found = torch.zeros((*indices.shape[:-1], columns + 1), dtype=torch.bool, device=indices.device)
    return found.scatter_(-1, target, True)[..., :columns].contiguous()


def _mask_of_blocks(block_mask):
    """A function that says which keys are in blocks that a mask lists."""
    seen = _listed(block_mask.kv_num_blocks, block_mask.kv_indices)
    if block_mask.full_kv_num_blocks is not None:
        seen = seen | _listed(block_mask.full_kv_num_blocks, block_mask.full_kv_indices)
    rows, columns = block_mask.BLOCK_SIZE

    def mask(b, h, q, k):
        return seen[b, h, q // rows, k // columns]

    return mask


def _mask_of(block_mask, queries, keys):
    """The function of a BlockMask, or None where it masks nothing."""
    if block_mask is None:
        return None
    function = getattr(block_mask, "mask_mod", None)
    if function is None or function is _flex.noop_mask:
        if not torch.compiler.is_compiling() and _has_all_blocks(block_mask):
            return None
        function = _mask_of_blocks(block_mask)
    lengths = tuple(getattr(block_mask, "seq_lengths", (queries, keys)))
    if lengths != (queries, keys):
        raise ArgumentError(f"block_mask: expected one for {queries} queries and {keys} keys, but got one for {lengths}")
    return function


def _aux(aux, lse):
    refuse(**{"return_aux.max_scores": getattr(aux, "max_scores", False)})
    return _flex.AuxOutput(lse=lse if aux.lse else None)


def flex_attention(query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False, return_lse=False,
                   kernel_options=None, *, return_aux=None):
    """Attention of query [B, H, Sq, D] to key and value [B, Hkv, Skv, D], its scores modified and masked.

    ``kernel_options`` are of FlexAttention's own kernels and change nothing here. Gradients are not there yet.
    """
    if query.shape[1] != key.shape[1] and not enable_gqa:
        raise ArgumentError(
            f"key: expected {query.shape[1]} heads, as query has, or enable_gqa=True, but got {key.shape[1]}")
    if torch.is_grad_enabled() and any(x.requires_grad for x in (query, key, value)):
        raise NotImplementedError("query, key, value: gradients are not there yet in attn_mlir; call under torch.no_grad()")
    mask = _mask_of(block_mask, query.shape[2], key.shape[2])
    if torch.compiler.is_compiling():
        _flex_compile.prepare()
        o, lse = _flex_compile.operator(query, key, value, score_mod, mask, scale)
    else:
        o, lse = attn_mlir.attention(query, key, value, score_mod=score_mod, mask=mask, scale=scale, return_lse=True)
    if return_aux is not None:
        return o, _aux(return_aux, lse)
    return (o, lse) if return_lse else o
