"""Float8 of FlashAttention's functions, where no kernel reads it: the call, or its queries, are in bfloat16 or float16, which have every value
of float8_e4m3fn. PyTorch makes the copies in front of the kernel, and applies the scales that the kernel does not."""

import torch

from attn_mlir import _kv_cache
from attn_mlir._errors import ArgumentError

TYPE = torch.float8_e4m3fn


def is_cache(q, k):
    """Whether keys are of float8, and queries of 16 bits."""
    return k.dtype == TYPE and q.dtype in (torch.bfloat16, torch.float16)


def check(q, k, v, **scales):
    """Whether a call is of float8; scales are for such calls alone, and for caches of float8."""
    if is_cache(q, k):
        if v.dtype != TYPE:
            raise ArgumentError(f"v: expected {TYPE}, as k has, but got {v.dtype}")
        if scales["q_descale"] is not None:
            raise ArgumentError(f"q_descale: expected none where q is of {q.dtype}: it is a factor of {TYPE}")
        return False
    if q.dtype == TYPE:
        for name, x in (("k", k), ("v", v)):
            if x.dtype != TYPE:
                raise ArgumentError(f"{name}: expected {TYPE}, as q has, but got {x.dtype}")
        return True
    for name, scale in scales.items():
        if scale is not None:
            raise ArgumentError(f"{name}: expected none where q is of {q.dtype}: it is a factor of {TYPE}")
    return False


def _of_rows(scale, heads, cu, tokens):
    """A factor [sequences, Hkv] for rows of an array: [B, 1, H, 1], or of packed sequences [tokens, H, 1]."""
    each = scale.float().repeat_interleave(heads // scale.shape[1], 1)
    if cu is None:
        return each[:, None, :, None]
    return each[_kv_cache.places_of(cu, tokens)[0]][..., None]


def widened(q, k, v, q_descale, k_descale, cu_q):
    """(q, k, v) in bfloat16, or in the type of queries of 16 bits. Scores take the scales of q and of k as factors: here both are q's."""
    dtype = torch.bfloat16 if q.dtype == TYPE else q.dtype
    wide = q.to(dtype)
    for scale in (q_descale, k_descale):
        if scale is not None:
            wide = wide.float() * _of_rows(scale, q.shape[-2], cu_q, q.shape[0])
    return wide.to(dtype), k.to(dtype), v.to(dtype)


def with_wide_queries(q, q_descale, k_descale, v_descale):
    """Queries in bfloat16, which has their values, and scales of a call that reads a cache of float8: scores take those of q and of k as factors."""
    factors = [scale.float() for scale in (q_descale, k_descale) if scale is not None]
    both = factors[0] * factors[1] if len(factors) == 2 else next(iter(factors), None)
    return q.to(torch.bfloat16), (None, both, v_descale)


def scaled(o, v_descale, cu_q):
    """O, times the scales of v."""
    if v_descale is None:
        return o
    return (o.float() * _of_rows(v_descale, o.shape[-2], cu_q, o.shape[0])).to(o.dtype)
