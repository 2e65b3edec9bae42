"""Float8 of FlashAttention's functions, where no kernel reads it: the call is done in bfloat16, which has every value of
float8_e4m3fn. PyTorch makes the copies in front of the kernel, and applies the scales."""

import torch

from attn_mlir import _kv_cache
from attn_mlir._errors import ArgumentError

TYPE = torch.float8_e4m3fn


def check(q, k, v, **scales):
    """Whether a call is of float8; scales are for such calls alone."""
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
    """(q, k, v) in bfloat16. Scores take the scales of q and of k as factors: here both are q's."""
    wide = q.to(torch.bfloat16)
    for scale in (q_descale, k_descale):
        if scale is not None:
            wide = wide.float() * _of_rows(scale, q.shape[-2], cu_q, q.shape[0])
    return wide.to(torch.bfloat16), k.to(torch.bfloat16), v.to(torch.bfloat16)


def scaled(o, v_descale, cu_q):
    """O, times the scales of v."""
    if v_descale is None:
        return o
    return (o.float() * _of_rows(v_descale, o.shape[-2], cu_q, o.shape[0])).to(o.dtype)
