"""Caches of keys and values: appending to them, and what of them a call reads.

New keys and values go into rows and pages by a kernel, which turns keys, too, and queries are turned by another (`_append`); what these do
not take, or what is traced, PyTorch does in front of the kernel of attention.
"""

import torch

from attn_mlir import _append, _attention, _torch_ops
from attn_mlir._errors import ArgumentError

FLOAT8 = tuple(_append.FLOAT8)


_MOST_LENGTH = 2**31 - 1


def as_lengths(lengths, batch, device):
    """int32 [batch] of a number or an array; what 32 bits do not hold is longer than any cache, or negative, there, too."""
    if torch.is_tensor(lengths):
        return (lengths.clamp(-1, _MOST_LENGTH) if lengths.dtype == torch.int64 else lengths).to(torch.int32)
    return torch.full((batch,), min(max(int(lengths), -1), _MOST_LENGTH), dtype=torch.int32, device=device)


def places_of(cu, count):
    """Sequence and place in it of each of ``count`` packed tokens."""
    token = torch.arange(count, dtype=torch.int32, device=cu.device)
    last = max(cu.shape[0] - 2, 0)
    sequence = torch.searchsorted(cu[1:].contiguous(), token, right=True).clamp(max=last)
    return sequence, token - cu[:-1][sequence]


def check_new(cu, sequences, tokens):
    """Refuses offsets of new tokens that are not those of so many sequences; numbers are looked at where the host has them."""
    if tuple(cu.shape) != (sequences + 1,):
        raise ArgumentError(f"cu_seqlens_k_new: expected shape {(sequences + 1,)}, but got {tuple(cu.shape)}")
    if _torch_ops.is_direct((cu,)):
        _attention.check_offsets("cu_seqlens_k_new", cu, tokens)


def append(k_cache, v_cache, k, v, lengths, rows=None, cu_new=None, table=None, scales=(None, None)):
    """Writes new keys and values behind those that sequences have; returns the new lengths.

    ``rows`` are the sequences' rows of the cache, or of the table of pages. ``cu_new`` says that k and v are packed,
    and where. Into caches of FP8 they are written as multiples of ``scales``, of K and V, each float32 [sequences, Hkv] of which either may be 1.
    What has no place is left out by the kernel; PyTorch's indices, which traced calls take, raise an error there.
    """
    if k_cache.dtype not in FLOAT8:
        k, v = k.to(k_cache.dtype), v.to(v_cache.dtype)
    after = append_by_kernel(k_cache, v_cache, k, v, lengths, rows, cu_new, table, scales=scales)
    if after is not None:
        return after
    k, v = (_rounded(x, cache, scale, cu_new) for x, cache, scale in zip((k, v), (k_cache, v_cache), scales))
    if cu_new is None:
        batch, added = k.shape[:2]
        place = lengths[:, None] + torch.arange(added, dtype=torch.int32, device=k.device)
        row = (torch.arange(batch, device=k.device) if rows is None else rows.long())[:, None]
    else:
        added = cu_new[1:] - cu_new[:-1]
        sequence, inner = places_of(cu_new, k.shape[0])
        row, place = sequence if rows is None else rows.long()[sequence], lengths[sequence] + inner
    place = place.long()
    if table is not None:
        size = k_cache.shape[1]
        row, place = table[row, place // size].long(), place % size
    _bits(k_cache)[row, place] = _bits(k)
    _bits(v_cache)[row, place] = _bits(v)
    return lengths + added


def append_by_kernel(k_cache, v_cache, k, v, lengths, rows=None, cu_new=None, table=None, rotary=None, scales=(None, None)):
    """The new lengths, or None where no kernel takes these arrays; ``rotary`` (cos, sin, interleaved) turns k."""
    if not _torch_ops.is_direct((k_cache, v_cache, k, v, lengths, table, rows, cu_new, *(rotary or ())[:2], *scales)):
        return None
    if rows is not None:
        # Rows of a cache are pages of all of its places.
        table = rows.unsqueeze(1) if table is None else table.index_select(0, rows.long())
    return _append.append(k_cache, v_cache, k, v, lengths, table, cu_new, rotary, scales)


def append_to_slots(k_cache, v_cache, k, v, slots, scales=(None, None)):
    """Writes k and v [tokens, Hkv, D] to places of pages [pages, size, Hkv, D], which ``slots`` [tokens] counts through all pages; those of no place
    are left out. Whether a kernel took them: else nothing is written."""
    try:
        rows = [x.view(-1, 1, *x.shape[2:]) for x in (k_cache, v_cache)]
    except RuntimeError:
        return False  # Pages that lie apart.
    # Each token is a sequence, with a page of one row that is its slot.
    count = slots.shape[0]
    k, v = (x[:count, None] for x in (k, v))
    lengths = torch.zeros(count, dtype=torch.int32, device=slots.device)
    return append_by_kernel(*rows, k, v, lengths, table=slots[:, None], scales=scales) is not None


def _rounded(x, cache, scale, cu):
    """New keys or values as a cache of FP8 has them, by PyTorch, which makes NaN of what is too large."""
    if cache.dtype not in FLOAT8 or x.dtype == cache.dtype:
        return x
    x = x.float()
    if scale is not None:
        each = scale.expand(-1, x.shape[-2])
        if cu is not None:
            each = each.expand(cu.shape[0] - 1, -1)[places_of(cu, x.shape[0])[0]]
        x = x / (each[..., None] if cu is not None else each[:, None, :, None])
    most = torch.finfo(cache.dtype).max
    return x.clamp(-most, most).to(cache.dtype)


def _bits(cache):
    """Float8 as the bytes that it is: PyTorch has no indices of it on all devices."""
    return cache.view(torch.uint8) if cache.dtype in FLOAT8 else cache


def gather(cache, rows, table=None):
    """The rows of a cache that a call reads, [B, S, H, D]: a copy where it names rows or pages.

    Entries of the table behind a sequence's end may be anything.
    """
    if table is not None:
        table = (table if rows is None else table.index_select(0, rows.long())).long().clamp(0, cache.shape[0] - 1)
        return _bits(cache)[table].view(cache.dtype).flatten(1, 2)
    return cache if rows is None else _bits(cache).index_select(0, rows.long()).view(cache.dtype)


def packed(cache):
    """A cache [B, S, H, D] as sequences one after the other, and where they begin."""
    batch, size = cache.shape[:2]
    starts = torch.arange(batch + 1, dtype=torch.int32, device=cache.device) * size
    return cache.reshape(batch * size, *cache.shape[2:]), starts


def _rotated(x, places, cos, sin, interleaved):
    """x [..., H, D] turned by the angles of its places [...], in float32 and rounded once."""
    half = cos.shape[1]
    cos, sin = (_bits(table)[places.long()].view(table.dtype).float()[..., None, :] for table in (cos, sin))
    turned, rest = x[..., : 2 * half].float(), _bits(x)[..., 2 * half :]
    a, b = (turned[..., ::2], turned[..., 1::2]) if interleaved else (turned[..., :half], turned[..., half:])
    pair = a * cos - b * sin, b * cos + a * sin
    turned = torch.stack(pair, -1).flatten(-2) if interleaved else torch.cat(pair, -1)
    return torch.cat([_bits(turned.to(x.dtype)), rest], -1).view(x.dtype)


def rotate(x, cos, sin, lengths, *, interleaved, moves=True, cu=None):
    """Queries or new keys with rotary embedding from the places behind ``lengths`` on. Without ``moves`` all of a
    sequence are at its first new place."""
    if _torch_ops.is_direct((x, cos, sin, lengths, cu)):
        turned = _append.rotate(x, lengths, (cos, sin, interleaved), cu, not moves)
        if turned is not None:
            return turned
    if cu is not None:
        sequence, inner = places_of(cu, x.shape[0])
        places = lengths[sequence] + (inner if moves else 0)
    else:
        places = lengths[:, None] + torch.arange(x.shape[1], dtype=torch.int32, device=x.device) * int(moves)
    return _rotated(x, places, cos, sin, interleaved)
