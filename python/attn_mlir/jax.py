"""attn_mlir in JAX: a custom call of XLA's foreign function interface, under jit.

>>> from attn_mlir.jax import dot_product_attention
>>> o = jax.jit(lambda q, k, v: dot_product_attention(q, k, v, is_causal=True))(q, k, v)  # [B, S, H, D]
"""

import itertools
import math
import threading

import jax
import jax.numpy as jnp
import numpy as np

import attn_mlir
from attn_mlir import _xla_ffi
from attn_mlir._errors import ArgumentError
from attn_mlir._refusals import refuse

__all__ = ["attention", "dot_product_attention"]

_TARGET = "attn_mlir_attention"
_calls = {}  # By number: keywords of attn_mlir.attention, what arguments are.
_numbers = {}
_count = itertools.count(1)
_lock = threading.Lock()
_handlers = []  # XLA keeps their addresses.


def _number(call):
    """The number that a call has in the program; equal ones share it."""
    with _lock:
        number = _numbers.get(call)
        if number is None:
            number = _numbers[call] = next(_count)
            _calls[number] = call
        return number


def _run(number, arguments, results, stream):
    """What XLA calls: `arguments` are Q, K, V, and a mask and sinks where the call has them."""
    layout, scale, causal, window, softcap, has_mask, has_sinks = _calls[number]
    more = iter(arguments[3:])
    mask = next(more) if has_mask else None
    sinks = next(more) if has_sinks else None
    score_mod = _softcapped(softcap) if softcap else None
    attn_mlir.attention(
        *arguments[:3], mask=mask, sinks=sinks, scale=scale, causal=causal, window=window, score_mod=score_mod,
        return_lse=True, layout=layout, out=tuple(results), stream=stream)


def _softcapped(softcap):
    def score_mod(score, b, h, q, k):
        return attn_mlir.softcap(score, softcap)

    return score_mod


def _register():
    """Once, before the first call of each platform."""
    with _lock:
        if _handlers:
            return
        for platform, has_stream, kind in (("cpu", False, 1), ("CUDA", True, 2), ("ROCM", True, 10)):
            function = _xla_ffi.handler(_run, has_stream, kind)
            _handlers.append(function)
            jax.ffi.register_ffi_target(_TARGET, _xla_ffi.capsule(function), platform=platform)


def attention(q, k, v, *, mask=None, causal=False, window=None, scale=None, softcap=0.0, sinks=None, return_lse=False,
              layout="bhsd"):
    """attn_mlir.attention of JAX's arrays, in jit or not: O, or (O, LSE [B, H, Sq]).

    ``mask`` is an array of booleans or of numbers that are added, which broadcasts to [B, H, Sq, Skv]. Functions, and
    gradients, are not there yet. Under vmap calls run one after the other.
    """
    _register()
    extra = [array for array in (mask, sinks) if array is not None]
    scale = 1.0 / math.sqrt(q.shape[-1]) if scale is None else float(scale)
    window = tuple(window) if isinstance(window, (list, tuple)) else window
    if q.ndim != 4 or layout not in ("bhsd", "bshd"):
        raise ArgumentError(f"q: expected 4 dimensions of layout 'bhsd' or 'bshd', but got {q.shape} of {layout!r}")
    number = _number((layout, scale, causal, window, float(softcap), mask is not None, sinks is not None))
    heads, queries = (q.shape[1], q.shape[2]) if layout == "bhsd" else (q.shape[2], q.shape[1])
    shapes = (jax.ShapeDtypeStruct((*q.shape[:-1], v.shape[-1]), q.dtype),
              jax.ShapeDtypeStruct((q.shape[0], heads, queries), jnp.float32))
    call = jax.ffi.ffi_call(_TARGET, shapes, vmap_method="sequential")
    o, lse = call(q, k, v, *extra, number=np.int64(number))
    return (o, lse) if return_lse else o


def _both_masks(bias, mask):
    """One mask of both of jax.nn.dot_product_attention's."""
    if bias is None or mask is None:
        return bias if mask is None else mask
    return jnp.where(mask, bias, -jnp.inf)


def dot_product_attention(query, key, value, bias=None, mask=None, *, scale=None, is_causal=False,
                          query_seq_lengths=None, key_value_seq_lengths=None, local_window_size=None,
                          implementation=None, return_residual=False):
    """jax.nn.dot_product_attention's arguments: query [B, S, H, D] to O [B, S, H, D].

    ``implementation`` is ignored. Lengths of sequences are not there yet.
    """
    refuse(query_seq_lengths=query_seq_lengths, key_value_seq_lengths=key_value_seq_lengths)
    if query.ndim == 3:
        found = dot_product_attention(query[None], key[None], value[None], bias, mask, scale=scale, is_causal=is_causal,
                                      local_window_size=local_window_size, return_residual=return_residual)
        return tuple(array[0] for array in found) if return_residual else found[0]
    left, right = local_window_size if isinstance(local_window_size, tuple) else (local_window_size, local_window_size)
    if local_window_size is not None and query.shape[1] != key.shape[1]:
        raise NotImplementedError("local_window_size: with other numbers of queries than of keys it is not there yet")
    causal, window = ("top_left", None) if is_causal else (False, None)
    if local_window_size is not None:
        causal, window = False, (left, 0 if is_causal else right)
    o, lse = attention(query, key, value, mask=_both_masks(bias, mask), causal=causal, window=window, scale=scale,
                       return_lse=True, layout="bshd")
    return (o, lse.transpose(0, 2, 1)) if return_residual else o
