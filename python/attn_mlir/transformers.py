"""attn_mlir in transformers.

>>> import attn_mlir.transformers
>>> attn_mlir.transformers.register()
>>> model = AutoModelForCausalLM.from_pretrained(name, attn_implementation="attn_mlir")
"""

import torch
from transformers import AttentionInterface, AttentionMaskInterface, masking_utils

from attn_mlir._refusals import refuse
from attn_mlir._torch_ops import attention

NAME = "attn_mlir"

__all__ = ["attention_forward", "attention_mask", "register"]


def attention_forward(module, query, key, value, attention_mask, dropout=0.0, scaling=None, sliding_window=None,
                      softcap=None, s_aux=None, is_causal=None, position_bias=None, cache=None, **kwargs):
    """transformers' attention function: query [B, H, Sq, D] to O [B, Sq, H, D], and None for weights.

    Without a mask the last query sees the last key, as `attention_mask` below promises; sliding windows are then
    the kernel's.
    """
    refuse(dropout=dropout, position_bias=position_bias, cache=cache)
    causal = getattr(module, "is_causal", True) if is_causal is None else is_causal
    causal = bool(causal) and attention_mask is None
    window = (sliding_window - 1, 0) if causal and sliding_window is not None else (-1, -1)
    if attention_mask is not None:
        attention_mask = attention_mask[..., : key.shape[2]]
    out, _ = attention(
        *(x.transpose(1, 2) for x in (query, key, value)), mask=attention_mask, sinks=s_aux, scale=scaling,
        causal=causal, window=window, softcap=softcap or 0.0, layout="bshd")
    return out, None


def _is_causal(function):
    return function is masking_utils.causal_mask_function


def _is_plain(function):
    """Whether a mask is causal, with a sliding window or without, and nothing else."""
    if _is_causal(function):
        return True
    cells = getattr(function, "__closure__", None) or ()
    parts = cells[0].cell_contents if len(cells) == 1 else None
    if getattr(function, "__qualname__", "") != "and_masks.<locals>.and_mask" or not isinstance(parts, tuple):
        return False
    return len(parts) == 2 and any(map(_is_causal, parts)) and any(
        part.__qualname__.startswith("sliding_window_overlay.") for part in parts)


def _needs_no_mask(q_length, kv_length, q_offset, kv_offset, mask_function, padding):
    if not isinstance(q_offset, int) or not isinstance(kv_offset, int) or not _is_plain(mask_function):
        return False
    if q_offset - kv_offset + q_length != kv_length:
        return False
    return padding is None or (not torch.compiler.is_compiling() and bool(padding.all()))


def attention_mask(batch_size, q_length, kv_length, q_offset=0, kv_offset=0,
                   mask_function=masking_utils.causal_mask_function, attention_mask=None, allow_is_causal_skip=True,
                   **kwargs):
    """transformers' mask function: None where the kernel's own causal mask and window are all, else booleans
    [B, 1, Sq, Skv]."""
    padding = masking_utils.prepare_padding_mask(attention_mask, kv_length, kv_offset)
    if allow_is_causal_skip and _needs_no_mask(q_length, kv_length, q_offset, kv_offset, mask_function, padding):
        return None
    return masking_utils.sdpa_mask(
        batch_size=batch_size, q_length=q_length, kv_length=kv_length, q_offset=q_offset, kv_offset=kv_offset,
        mask_function=mask_function, attention_mask=attention_mask, allow_is_causal_skip=False, **kwargs)


def register(name=NAME):
    """Makes ``attn_implementation="attn_mlir"`` known to transformers: attention and its masks."""
    AttentionInterface.register(name, attention_forward)
    AttentionMaskInterface.register(name, attention_mask)
