"""What peers' arguments mean, as the mask and the score modification of a call.

The functions made here are traced, and read torch tensors as PyTorch does too: `_reference`
evaluates them with tensors of indices.
"""

import collections

import torch

from attn_mlir._captures import sorted as rising
from attn_mlir._functions import softcap as capped

Features = collections.namedtuple("Features", "scale softcap align left right chunk")
Features.__doc__ = """Numbers of a call: ``softcap`` 0 is none; ``left`` and ``right`` are bounds of the window of
keys around the diagonal, -1 none; ``chunk`` 0 is none; ``align`` is where the diagonal ends."""

# Windows are part of a kernel, which is quick; beside as many of them there is one that reads its window.
_MOST_WINDOWS = 8
_windows = set()

# Numbers of sequences are multiples of it, so that there are numbers beside them that match none.
_STEP = 4


def window_of(causal, window_size):
    """(left, right) of FlashAttention's two arguments; -1 where there is no bound."""
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


def dense(features, batch, queries, keys, device, lengths=None, first=None, slopes=None, has_mask=False):
    """Keywords of attn_mlir.attention for sequences in a batch. ``lengths`` and ``first`` are int32 [B],
    ``slopes`` f32 [H] or [B, H]. With ``has_mask`` there will be a mask of a tensor, too."""
    call = {"scale": features.scale}
    window = features.left, features.right
    is_window = features.left >= 0 or features.right > 0
    reads = first is not None or features.chunk > 0
    if not reads and is_window and features.align == "bottom_right" and not has_mask:
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


def ragged(features, cu_q, cu_k, used_k=None, table=None):
    """Keywords of attn_mlir.attention for packed sequences (``cu_q``, ``cu_k``, or None) and for caches of pages
    (``table``), whose kernels look for where they lie; None where they would depend on what such kernels do not
    read: chunks, or one window too many."""
    window = features.left, features.right
    is_window = features.left >= 0 or features.right > 0
    if features.chunk or (is_window and not _is_own_kernel(window)):
        return None
    call = {"scale": features.scale, "score_mod": _modification(features.softcap, None, None)}
    call.update(cu_seqlens_q=cu_q, cu_seqlens_k=cu_k, block_table=table, lengths=used_k)
    if is_window:
        call["window"] = window
    elif features.right == 0:
        call["causal"] = features.align
    return call


class Packed:
    """Sequences one after the other: what each query's sequence, key on the diagonal and bounds are.

    All of it is computed on the device: nothing waits for it.
    """

    def __init__(self, features, queries, keys, cu_q, cu_k, used_q=None, used_k=None, first=None):
        self.features = features
        device, count = cu_q.device, cu_q.shape[0] - 1
        token = torch.arange(queries, dtype=torch.int32, device=device)
        self.sequence, inner = _places(token, cu_q, count)
        held_q = cu_q[1:] - cu_q[:-1] if used_q is None else used_q
        held_k = cu_k[1:] - cu_k[:-1] if used_k is None else used_k
        sequence = self.sequence.long()
        begin = cu_k[:-1][sequence]
        shift = begin if first is None else begin + first[sequence]
        self.diagonal = (begin + inner + held_k[sequence] - held_q[sequence]).to(torch.int32)
        self.low, self.high = self._bounds(shift, keys)
        inside = (token < cu_q[-1]) & (inner < held_q[sequence])
        numbers = self.sequence * _STEP + torch.where(inside, 0, 2)
        self.query_numbers = torch.where(token < cu_q[-1], numbers, count * _STEP + 2).to(torch.int32)
        self.key_numbers = _key_numbers(keys, cu_k, held_k, first, count)

    def _bounds(self, shift, keys):
        left, right, chunk = self.features[-3:]
        low = high = None
        if left >= 0:
            low = self.diagonal - left
        if right >= 0:
            high = self.diagonal + right
        if chunk:
            start = _low_of_chunk(self.diagonal - shift, chunk) + shift
            low = start if low is None else torch.maximum(low, start)
            end = start + (chunk - 1)
            high = end if high is None else torch.minimum(high, end)
        return low, high

    def mask(self):
        of_queries, of_keys = rising(self.query_numbers), rising(self.key_numbers)
        low, high = self.low, self.high

        def mask(b, h, q, k):
            parts = [of_keys[k] == of_queries[q]]
            if high is not None:
                parts.append(k <= high[q])
            if low is not None:
                parts.append(k >= low[q])
            return _all(parts)

        return mask

    def arguments(self, slopes=None):
        """Keywords of attn_mlir.attention, as `dense` has them."""
        slope = distance = None
        if slopes is not None:
            table = slopes[self.sequence.long()] if slopes.dim() == 2 else slopes[None]
            row, diagonal = slopes.dim() == 2, self.diagonal

            def slope(b, h, q):
                return table[q, h] if row else table[b, h]

            def distance(b, q, k):
                return diagonal[q] - k

        return {
            "scale": self.features.scale, "mask": self.mask(),
            "score_mod": _modification(self.features.softcap, slope, distance),
        }


def _places(token, cu, count):
    """The sequence of each token, and its place there; tokens behind the last one are counted to it."""
    sequence = torch.searchsorted(cu[1:].contiguous(), token, right=True, out_int32=True).clamp(max=max(count - 1, 0))
    return sequence, token - cu[:-1][sequence.long()]


def _key_numbers(keys, cu, held, first, count):
    """A sequence's own number for keys that it uses, others in front of and behind them."""
    token = torch.arange(keys, dtype=torch.int32, device=cu.device)
    sequence, inner = _places(token, cu, count)
    index = sequence.long()
    number = sequence * _STEP + torch.where(inner < held[index], 0, 1)
    if first is not None:
        number = torch.where(inner < torch.minimum(first, held)[index], sequence * _STEP - 1, number)
    return torch.where(token < cu[-1], number, count * _STEP + 1).to(torch.int32)
