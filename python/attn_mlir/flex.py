"""FlexAttention's function, with its argument list, on kernels of attn_mlir.

>>> from attn_mlir.flex import flex_attention
>>> o = flex_attention(q, k, v, score_mod=lambda score, b, h, i, j: score + bias[h, i - j + 1023])

Functions are traced: what they may do is what kernels have, and no torch.compile is needed; under it a call is one
node of the graph. Kernels visit the blocks that a block mask lists, and ask its mask_mod in those that are not full. Under
torch.compile, and of blocks whose sizes are no multiples of 16, a block mask counts by its mask_mod, of which the compiler
finds bounds itself; without one, by its blocks, which kernels read, but do not skip.
"""

import torch
from torch.nn.attention import flex_attention as _flex

import attn_mlir
from attn_mlir import _blocks, _flex_compile
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


def _in_order(count, indices):
    """``indices``, of which the first ``count`` of each row rise."""
    place = torch.arange(indices.shape[-1], device=indices.device)
    listed = torch.where(place < count[..., None], indices, torch.iinfo(indices.dtype).max)
    return listed.sort(-1).values


def _lists_of(block_mask, keys):
    """What attention() takes as blocks."""
    lists = [block_mask.kv_num_blocks, block_mask.kv_indices]
    count, indices = block_mask.full_kv_num_blocks, block_mask.full_kv_indices
    if count is not None:
        # Only the last full block may reach behind the last key.
        lists += [count, _in_order(count, indices) if keys % block_mask.BLOCK_SIZE[1] else indices]
    return (tuple(block_mask.BLOCK_SIZE), *lists)


def _mask_of(block_mask, queries, keys):
    """(function, blocks) of a BlockMask; None for what there is not."""
    if block_mask is None:
        return None, None
    lengths = tuple(getattr(block_mask, "seq_lengths", (queries, keys)))
    if lengths != (queries, keys):
        raise ArgumentError(f"block_mask: expected one for {queries} queries and {keys} keys, but got one for {lengths}")
    is_compiling = torch.compiler.is_compiling()
    function = getattr(block_mask, "mask_mod", None)
    if function is _flex.noop_mask:
        function = None
    if function is None and not is_compiling and _has_all_blocks(block_mask):
        return None, None
    if not is_compiling and _blocks.takes(block_mask.BLOCK_SIZE):
        return function, _lists_of(block_mask, keys)
    return (function or _mask_of_blocks(block_mask)), None


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
    mask, blocks = _mask_of(block_mask, query.shape[2], key.shape[2])
    if torch.compiler.is_compiling():
        _flex_compile.prepare()
        o, lse = _flex_compile.operator(query, key, value, score_mod, mask, scale)
    else:
        o, lse = attn_mlir.attention(
            query, key, value, score_mod=score_mod, mask=mask, scale=scale, return_lse=True, blocks=blocks)
    if return_aux is not None:
        return o, _aux(return_aux, lse)
    return (o, lse) if return_lse else o
