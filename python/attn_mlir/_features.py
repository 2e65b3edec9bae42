"""What peers' arguments mean, as the mask and the score modification of a call.

The functions made here are traced, and read torch tensors as PyTorch does too: `_reference`
evaluates them with tensors of indices.
"""

import collections

import torch

from attn_mlir._errors import ArgumentError
from attn_mlir._functions import softcap as capped

Features = collections.namedtuple("Features", "scale softcap align left right chunk")
Features.__doc__ = """Numbers of a call: ``softcap`` 0 is none; ``left`` and ``right`` are bounds of the window of
keys around the diagonal, -1 none; ``chunk`` 0 is none; ``align`` is where the diagonal ends."""

# Windows are part of a kernel, which is quick; beside as many of them there is one that reads its window.
_MOST_WINDOWS = 8
_windows = set()


def window_of(causal, window_size):
    """(left, right) of FlashAttention's two arguments; -1 where there is no bound. A number is the left one, as attn_mlir.attention has it."""
    if isinstance(causal, str):
        raise ArgumentError(f"causal: expected True or False (align says to which corner it belongs), but got {causal!r}")
    if not isinstance(window_size, (tuple, list)):
        window_size = (window_size, -1)
    if len(window_size) != 2:
        raise ArgumentError(f"window: expected a number or a pair (left, right), but got {window_size!r}")
    left, right = (-1 if bound is None or int(bound) < 0 else int(bound) for bound in window_size)
    return left, 0 if causal else right


def _offset(batch, queries, keys, device):
    """The key on the diagonal at query 0, in an array that kernels read: a number would be part of the kernel."""
    return torch.full((1,), keys - queries, dtype=torch.int32, device=device).expand(batch)


def _all(parts):
    result = parts[0]
    for part in parts[1:]:
        result = result & part
    return result


def _modification(softcap, slope, distance):
    """A score modification, or None. ``slope`` and ``distance`` are functions of the indices."""
    if softcap <= 0 and slope is None:
        return None

    def modified(score, b, h, q, k):
        if softcap > 0:
            score = softcap * torch.tanh(score / softcap) if torch.is_tensor(score) else capped(score, softcap)
        if slope is not None:
            score = score - slope(b, h, q) * abs(distance(b, q, k))
        return score

    return modified


def _low_of_chunk(diagonal, chunk):
    return (diagonal - diagonal % chunk).to(torch.int32)


def _lengths_mask(n, first, queries, features):
    """Which keys a query sees where sequence b has the keys from first[b] to n[b]."""
    last = n - queries + features.right
    start = n - queries - features.left
    low = high = None
    if features.chunk:
        diagonal = torch.arange(queries, dtype=torch.int32, device=n.device) + (n - queries)[:, None]
        shift = 0 if first is None else first[:, None]
        low = _low_of_chunk(diagonal - shift, features.chunk) + shift
        high = low + (features.chunk - 1)

    def mask(b, h, q, k):
        parts = [k < n[b]]
        if first is not None:
            parts.append(k >= first[b])
        if features.right >= 0:
            parts.append(k <= q + last[b])
        if features.left >= 0:
            parts.append(k >= q + start[b])
        if low is not None:
            parts += [k >= low[b, q], k <= high[b, q]]
        return _all(parts)

    return mask


def _top_left_mask(features):
    def mask(b, h, q, k):
        parts = []
        if features.right >= 0:
            parts.append(k <= q + features.right)
        if features.left >= 0:
            parts.append(k >= q - features.left)
        return _all(parts)

    return mask


def _is_own_kernel(window):
    if window not in _windows and len(_windows) < _MOST_WINDOWS:
        _windows.add(window)
    return window in _windows


def dense(features, batch, queries, keys, device, lengths=None, first=None, slopes=None, has_mask=False,
          has_own_kernels=False):
    """Keywords of attn_mlir.attention for sequences in a batch. ``lengths`` and ``first`` are int32 [B],
    ``slopes`` f32 [H] or [B, H]. With ``has_mask`` there will be a mask of a tensor, too; with ``has_own_kernels``, as
    gradients have, each window is part of a kernel, however many there are, and lengths are of masks alone."""
    call = {"scale": features.scale}
    window = features.left, features.right
    is_window = features.left >= 0 or features.right > 0
    reads = first is not None or features.chunk > 0 or (has_own_kernels and lengths is not None)
    if not reads and is_window and features.align == "bottom_right" and not has_mask and not has_own_kernels:
        reads = not _is_own_kernel(window)
    if reads:
        # K and V are read to their end: sequences begin at other keys than 0, or see other ranges than the kernel knows.
        n = _offset(batch, 0, keys, device) if lengths is None else lengths
        call["mask"] = _lengths_mask(n, first, queries, features)
    elif is_window:
        if features.align == "top_left" and (queries != keys or lengths is not None):
            call["mask"] = _top_left_mask(features)
        else:
            call["window"] = window
    elif features.right == 0:
        call["causal"] = features.align
    if lengths is not None and not reads:
        call["lengths"] = lengths
    slope = distance = None
    if slopes is not None:
        table = slopes if slopes.dim() == 2 else slopes.expand(batch, -1)
        offset = _offset(batch, queries, keys, device) if lengths is None else lengths - queries

        def slope(b, h, q):
            return table[b, h]

        def distance(b, q, k):
            return q + offset[b] - k

    call["score_mod"] = _modification(features.softcap, slope, distance)
    return call


def ragged(features, cu_q, cu_k, used_k=None, table=None, queries=None, used_q=None, first=None, slopes=None,
           has_own_kernels=False):
    """Keywords of attn_mlir.attention for packed sequences (``cu_q``, ``cu_k``, or None) and for caches of pages
    (``table``), whose kernels look for where they lie, and see each sequence by itself.

    ``queries`` are those of each where ``cu_q`` is None. int32 [B]: ``used_q`` queries and ``used_k`` keys of each count,
    keys from ``first`` on; ``slopes`` are f32 [H] or [B, H]. ``has_own_kernels``: as of dense().
    """
    window = features.left, features.right
    is_window = features.left >= 0 or features.right > 0
    reads = used_q is not None or first is not None or features.chunk > 0
    reads = reads or (used_k is not None if has_own_kernels else is_window and not _is_own_kernel(window))
    offset = None
    if reads or slopes is not None:
        offset = _held(cu_k, used_k) - (queries if cu_q is None and used_q is None else _held(cu_q, used_q))
        offset = offset.to(torch.int32)
    slope = distance = None
    if slopes is not None:
        row = slopes if slopes.dim() == 2 else slopes[None]

        def slope(b, h, q):
            return row[b, h]

        def distance(b, q, k):
            return q + offset[b] - k

    call = {"scale": features.scale, "score_mod": _modification(features.softcap, slope, distance)}
    call.update(cu_seqlens_q=cu_q, cu_seqlens_k=cu_k, block_table=table, lengths=None if has_own_kernels else used_k)
    if reads:
        call["mask"] = _sequence_mask(features, offset, used_q, used_k if has_own_kernels else None, first)
    elif is_window:
        call["window"] = window
    elif features.right == 0:
        call["causal"] = features.align
    return call


def _held(cu, used):
    """How many elements each sequence has."""
    return cu[1:] - cu[:-1] if used is None else used


def _sequence_mask(features, offset, used_q, used_k, first):
    """Which keys a query sees in its own sequence, whose diagonal is ``offset`` behind it."""
    last, start = offset + features.right, offset - features.left

    def mask(b, h, q, k):
        parts = []
        if used_q is not None:
            parts.append(q < used_q[b])
        if used_k is not None:
            parts.append(k < used_k[b])
        if first is not None:
            parts.append(k >= first[b])
        if features.right >= 0:
            parts.append(k <= q + last[b])
        if features.left >= 0:
            parts.append(k >= q + start[b])
        if features.chunk:
            shift = 0 if first is None else first[b]
            diagonal = q + offset[b] - shift
            low = diagonal - diagonal % features.chunk
            parts += [k - shift >= low, k - shift < low + features.chunk]
        return _all(parts)

    return mask
