"""FlexAttention's function, with its argument list, on kernels of attn_mlir.

>>> from attn_mlir.flex import flex_attention
>>> o = flex_attention(q, k, v, score_mod=lambda score, b, h, i, j: score + bias[h, i - j + 1023])

Functions are traced: what they may do is what kernels have, and no torch.compile is needed; under it a call is one
node of the graph. Kernels visit the blocks that a block mask lists, and ask its mask_mod in those that are not full; those of
gradients, which go by keys, its lists by keys. Of blocks whose sizes are no multiples of 16 a block mask counts by its
mask_mod, of which the compiler finds bounds itself; without one, by its blocks, which kernels read, but do not skip.
"""

import torch
from torch.nn.attention import flex_attention as _flex

import attn_mlir
from attn_mlir import _blocks, _flex_compile
from attn_mlir._errors import ArgumentError
from attn_mlir._refusals import refuse

__all__ = ["flex_attention"]


def _has_all_blocks(block_mask, blocks):
    """Whether each row of blocks lists all ``blocks`` of keys. Lists may have room for fewer, or for more."""
    count = block_mask.kv_num_blocks
    if block_mask.full_kv_num_blocks is not None:
        count = count + block_mask.full_kv_num_blocks
    return bool((count == blocks).all())


def _listed(count, indices, blocks):
    """Which of so many blocks of keys are among the first ``count`` [B, H, rows] of ``indices`` [B, H, rows, any number]."""
    place = torch.arange(indices.shape[-1], device=indices.device)
    # What is behind them, and what is the number of no block, goes to a column that is dropped.
    is_block = (place < count[..., None]) & (indices >= 0) & (indices < blocks)
    target = torch.where(is_block, indices, blocks).long()
    found = torch.zeros((*indices.shape[:-1], blocks + 1), dtype=torch.bool, device=indices.device)
    return found.scatter_(-1, target, True)[..., :blocks].contiguous()


def _mask_of_blocks(block_mask, blocks):
    """A function that says which keys are in blocks that a mask lists."""
    seen = _listed(block_mask.kv_num_blocks, block_mask.kv_indices, blocks)
    if block_mask.full_kv_num_blocks is not None:
        seen = seen | _listed(block_mask.full_kv_num_blocks, block_mask.full_kv_indices, blocks)
    rows, columns = block_mask.BLOCK_SIZE

    def mask(b, h, q, k):
        return seen[b, h, q // rows, k // columns]

    return mask


def _in_order(count, indices):
    """``indices``, of which the first ``count`` of each row rise."""
    place = torch.arange(indices.shape[-1], device=indices.device)
    listed = torch.where(place < count[..., None], indices, torch.iinfo(indices.dtype).max)
    return listed.sort(-1).values


def _lists(count, indices, full_count, full_indices, length, size):
    """Counts and numbers as kernels take them, of blocks of ``size`` of so many elements."""
    if count is None or indices is None:
        return []
    lists = [count, indices]
    if full_count is not None:
        # Only the last full block may reach behind the end.
        lists += [full_count, _in_order(full_count, full_indices) if length % size else full_indices]
    return lists


def _blocks_of(mask, queries, keys):
    """(sizes, lists by rows of queries, lists by rows of keys) of a BlockMask; of the last perhaps none."""
    rows, columns = mask.BLOCK_SIZE
    return ((rows, columns),
            _lists(mask.kv_num_blocks, mask.kv_indices, mask.full_kv_num_blocks, mask.full_kv_indices, keys, columns),
            _lists(mask.q_num_blocks, mask.q_indices, mask.full_q_num_blocks, mask.full_q_indices, queries, rows))


_NO_BLOCKS = (), [], []


def _mask_of(block_mask, queries, keys):
    """(function, blocks) of a BlockMask; None for what there is not."""
    if block_mask is None:
        return None, None
    lengths = tuple(getattr(block_mask, "seq_lengths", (queries, keys)))
    if lengths != (queries, keys):
        raise ArgumentError(f"block_mask: expected one for {queries} queries and {keys} keys, but got one for {lengths}")
    function = getattr(block_mask, "mask_mod", None)
    if function is _flex.noop_mask:
        function = None
    of_keys = -(-keys // block_mask.BLOCK_SIZE[1])
    if function is None and not torch.compiler.is_compiling() and _has_all_blocks(block_mask, of_keys):
        return None, None
    if _blocks.takes(block_mask.BLOCK_SIZE):
        return function, _blocks_of(block_mask, queries, keys)
    return (function or _mask_of_blocks(block_mask, of_keys)), None


def _aux(aux, lse):
    refuse(**{"return_aux.max_scores": getattr(aux, "max_scores", False)})
    return _flex.AuxOutput(lse=lse if aux.lse else None)


def flex_attention(query, key, value, score_mod=None, block_mask=None, scale=None, enable_gqa=False, return_lse=False,
                   kernel_options=None, *, return_aux=None):
    """Attention of query [B, H, Sq, D] to key and value [B, Hkv, Skv, D], its scores modified and masked.

    ``kernel_options`` are of FlexAttention's own kernels and change nothing here. There are gradients of query, key and value,
    not of what functions capture.
    """
    if query.shape[1] != key.shape[1] and not enable_gqa:
        raise ArgumentError(
            f"key: expected {query.shape[1]} heads, as query has, or enable_gqa=True, but got {key.shape[1]}")
    mask, blocks = _mask_of(block_mask, query.shape[2], key.shape[2])
    sizes, lists, by_keys = blocks or _NO_BLOCKS
    call = _flex_compile.eager
    if torch.compiler.is_compiling():
        _flex_compile.prepare()
        call = _flex_compile.operator
    o, lse = call(query, key, value, score_mod, mask, scale, lists, by_keys, sizes)
    if return_aux is not None:
        return o, _aux(return_aux, lse)
    return (o, lse) if return_lse else o
