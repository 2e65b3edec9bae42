"""FlashAttention-2's functions, with its argument lists, on kernels of attn_mlir.

>>> from attn_mlir.flash_attn import flash_attn_func
>>> o = flash_attn_func(q, k, v, causal=True)  # [B, S, H, D]

What is not there yet raises NotImplementedError, which names the argument. FlashAttention-3's argument lists
are in `attn_mlir.flash_attn_3`.
"""

from attn_mlir import _kv_cache
from attn_mlir._features import window_of
from attn_mlir._flash_attn_3 import append_and_attend, flash_attn_combine, prepare_cache
from attn_mlir._refusals import refuse
from attn_mlir._torch_ops import attention, attention_paged, attention_varlen

__all__ = [
    "flash_attn_combine",
    "flash_attn_func",
    "flash_attn_kvpacked_func",
    "flash_attn_qkvpacked_func",
    "flash_attn_varlen_func",
    "flash_attn_varlen_kvpacked_func",
    "flash_attn_varlen_qkvpacked_func",
    "flash_attn_with_kvcache",
]


def _result(found, return_attn_probs):
    """FlashAttention returns probabilities where there is dropout only, so here None."""
    out, lse = found
    return (out, lse, None) if return_attn_probs else out


def flash_attn_func(q, k, v, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0,
                    alibi_slopes=None, deterministic=False, return_attn_probs=False):
    """Attention of q [B, Sq, H, D] to k and v [B, Skv, Hkv, D]: O [B, Sq, H, D].

    With ``return_attn_probs`` (O, LSE [B, H, Sq], None). ``deterministic`` changes nothing: kernels always are.
    """
    refuse(dropout_p=dropout_p)
    found = attention(q, k, v, scale=softmax_scale, causal=causal, window=window_size, softcap=softcap,
                      alibi_slopes=alibi_slopes, layout="bshd")
    return _result(found, return_attn_probs)


def flash_attn_kvpacked_func(q, kv, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0,
                             alibi_slopes=None, deterministic=False, return_attn_probs=False):
    """As flash_attn_func, of kv [B, Skv, 2, Hkv, D]."""
    k, v = kv.unbind(2)
    return flash_attn_func(q, k, v, dropout_p, softmax_scale, causal, window_size, softcap, alibi_slopes,
                           deterministic, return_attn_probs)


def flash_attn_qkvpacked_func(qkv, dropout_p=0.0, softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0,
                              alibi_slopes=None, deterministic=False, return_attn_probs=False):
    """As flash_attn_func, of qkv [B, S, 3, H, D]."""
    q, k, v = qkv.unbind(2)
    return flash_attn_func(q, k, v, dropout_p, softmax_scale, causal, window_size, softcap, alibi_slopes,
                           deterministic, return_attn_probs)


def flash_attn_varlen_func(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, dropout_p=0.0,
                           softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0, alibi_slopes=None,
                           deterministic=False, return_attn_probs=False, block_table=None):
    """Attention of sequences one after the other: q [tokens, H, D], k and v [tokens of keys, Hkv, D].

    Sequence b has the tokens from cu_seqlens[b] to cu_seqlens[b + 1] (int32, on the device, where they stay).
    With ``block_table`` [B, pages] k and v are [pages, page size, Hkv, D]. With ``return_attn_probs`` (O, LSE [H, tokens], None).
    """
    refuse(dropout_p=dropout_p)
    used = None
    if block_table is not None:
        used = cu_seqlens_k[1:] - cu_seqlens_k[:-1]
        found = attention_paged(q, k, v, block_table, used, cu_seqlens_q=cu_seqlens_q, alibi_slopes=alibi_slopes,
                                scale=softmax_scale, causal=causal, window=window_size, softcap=softcap,
                                max_seqlen_q=max_seqlen_q)
        if found is not None:
            return _result(found, return_attn_probs)
        (k, cu_seqlens_k), (v, _) = (_kv_cache.packed(_kv_cache.gather(x, None, block_table)) for x in (k, v))
    found = attention_varlen(q, k, v, cu_seqlens_q, cu_seqlens_k, seqused_k=used, scale=softmax_scale, causal=causal,
                             window=window_size, softcap=softcap, alibi_slopes=alibi_slopes)
    return _result(found, return_attn_probs)


def flash_attn_varlen_kvpacked_func(q, kv, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, dropout_p=0.0,
                                    softmax_scale=None, causal=False, window_size=(-1, -1), softcap=0.0,
                                    alibi_slopes=None, deterministic=False, return_attn_probs=False):
    """As flash_attn_varlen_func, of kv [tokens of keys, 2, Hkv, D]."""
    k, v = kv.unbind(1)
    return flash_attn_varlen_func(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, dropout_p,
                                  softmax_scale, causal, window_size, softcap, alibi_slopes, deterministic,
                                  return_attn_probs)


def flash_attn_varlen_qkvpacked_func(qkv, cu_seqlens, max_seqlen, dropout_p=0.0, softmax_scale=None, causal=False,
                                     window_size=(-1, -1), softcap=0.0, alibi_slopes=None, deterministic=False,
                                     return_attn_probs=False):
    """As flash_attn_varlen_func, of qkv [tokens, 3, H, D]."""
    q, k, v = qkv.unbind(1)
    return flash_attn_varlen_func(q, k, v, cu_seqlens, cu_seqlens, max_seqlen, max_seqlen, dropout_p, softmax_scale,
                                  causal, window_size, softcap, alibi_slopes, deterministic, return_attn_probs)


def flash_attn_with_kvcache(q, k_cache, v_cache, k=None, v=None, rotary_cos=None, rotary_sin=None, cache_seqlens=None,
                            cache_batch_idx=None, cache_leftpad=None, block_table=None, softmax_scale=None,
                            causal=False, window_size=(-1, -1), softcap=0.0, rotary_interleaved=True,
                            alibi_slopes=None, num_splits=0, return_softmax_lse=False):
    """Attention of q [B, Sq, H, D] to a cache [B, S, Hkv, D] of which sequence b has cache_seqlens[b] keys.

    New keys k and v [B, new, Hkv, D] are written into the cache behind them first, turned by ``rotary_cos`` and
    ``rotary_sin``, as q is. With ``block_table`` [B, pages] the cache is [pages, page size, Hkv, D]. ``num_splits``
    changes nothing: the compiler chooses.
    """
    lengths = None if cache_seqlens is None else _kv_cache.as_lengths(cache_seqlens, q.shape[0], q.device)
    left, right = window_of(causal, window_size)
    moves = left >= 0 or right >= 0
    if k is not None and cache_leftpad is None and alibi_slopes is None:
        found = append_and_attend(
            q, k_cache, v_cache, k, v, lengths, rows=cache_batch_idx, table=block_table, cos=rotary_cos, sin=rotary_sin,
            interleaved=rotary_interleaved, moves=moves, scale=softmax_scale, causal=causal, window=window_size, softcap=softcap)
        if found is not None:
            return found if return_softmax_lse else found[0]
    q, lengths = prepare_cache(
        q, k_cache, v_cache, k, v, lengths, rows=cache_batch_idx, table=block_table, cos=rotary_cos, sin=rotary_sin,
        first_place=None, interleaved=rotary_interleaved, moves=moves)
    if block_table is not None and lengths is not None:
        table = block_table if cache_batch_idx is None else block_table.index_select(0, cache_batch_idx.long())
        found = attention_paged(q, k_cache, v_cache, table, lengths, first=cache_leftpad, alibi_slopes=alibi_slopes,
                                scale=softmax_scale, causal=causal, window=window_size, softcap=softcap)
        if found is not None:
            return found if return_softmax_lse else found[0]
    keys, values = (_kv_cache.gather(x, cache_batch_idx, block_table) for x in (k_cache, v_cache))
    out, lse = attention(q, keys, values, scale=softmax_scale, causal=causal, window=window_size, softcap=softcap,
                         alibi_slopes=alibi_slopes, lengths=lengths, first=cache_leftpad, layout="bshd")
    return (out, lse) if return_softmax_lse else out
