"""Appending to caches of keys and values, and which rows of them a call reads."""

import torch


def as_lengths(lengths, batch, device):
    """int32 [batch] of a number or an array."""
    if torch.is_tensor(lengths):
        return lengths.to(torch.int32)
    return torch.full((batch,), int(lengths), dtype=torch.int32, device=device)


def append(k_cache, v_cache, k, v, lengths, rows=None, cu_new=None):
    """Writes new keys and values behind those that sequences have; returns the new lengths.

    ``rows`` are the sequences' rows of the cache. ``cu_new`` says that k and v are packed, and where.
    """
    if cu_new is None:
        batch, count = k.shape[:2]
        places = lengths[:, None] + torch.arange(count, dtype=torch.int32, device=k.device)
        of_cache = torch.arange(batch, device=k.device) if rows is None else rows.long()
        index, added = (of_cache[:, None], places.long()), count
    else:
        added = cu_new[1:] - cu_new[:-1]
        token = torch.arange(k.shape[0], dtype=torch.int32, device=k.device)
        sequence = torch.searchsorted(cu_new[1:].contiguous(), token, right=True)
        of_cache = sequence if rows is None else rows.long()[sequence]
        index = of_cache, (lengths[sequence] + token - cu_new[:-1][sequence]).long()
    k_cache[index] = k.to(k_cache.dtype)
    v_cache[index] = v.to(v_cache.dtype)
    return lengths + added


def gather(cache, rows):
    """The rows of a cache that a call reads: a copy, since kernels take rows in their order."""
    return cache if rows is None else cache.index_select(0, rows.long())


def packed(cache):
    """A cache [B, S, H, D] as sequences one after the other, and where they begin."""
    batch, size = cache.shape[:2]
    starts = torch.arange(batch + 1, dtype=torch.int32, device=cache.device) * size
    return cache.reshape(batch * size, *cache.shape[2:]), starts
