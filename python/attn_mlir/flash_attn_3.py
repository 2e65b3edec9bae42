"""FlashAttention-3's functions, with its argument lists, on kernels of attn_mlir.

>>> from attn_mlir.flash_attn_3 import flash_attn_with_kvcache
>>> o = flash_attn_with_kvcache(q, k_cache, v_cache, cache_seqlens=lengths, causal=True)

What is not there yet raises NotImplementedError, which names the argument.
"""

from attn_mlir import _kv_cache
from attn_mlir._flash_attn_3 import _metadata, flash_attn_combine, forward
from attn_mlir._refusals import refuse

__all__ = [
    "flash_attn_combine",
    "flash_attn_func",
    "flash_attn_qkvpacked_func",
    "flash_attn_varlen_func",
    "flash_attn_with_kvcache",
    "get_scheduler_metadata",
]


def _result(found, with_lse):
    return found if with_lse else found[0]


def flash_attn_func(q, k, v, softmax_scale=None, causal=False, qv=None, q_descale=None, k_descale=None, v_descale=None,
                    window_size=(-1, -1), attention_chunk=0, softcap=0.0, num_splits=1, pack_gqa=None,
                    deterministic=False, sm_margin=0, return_attn_probs=False):
    """Attention of q [B, Sq, H, D] to k and v [B, Skv, Hkv, D]: O, or (O, LSE) with ``return_attn_probs``."""
    refuse(qv=qv)
    found = forward(q, k, v, q_descale=q_descale, k_descale=k_descale, v_descale=v_descale,
                    softmax_scale=softmax_scale, is_causal=causal, window_size_left=window_size[0],
                    window_size_right=window_size[1], attention_chunk=attention_chunk, softcap=softcap)
    return _result(found, return_attn_probs)


def flash_attn_qkvpacked_func(qkv, softmax_scale=None, causal=False, q_descale=None, k_descale=None, v_descale=None,
                              window_size=(-1, -1), attention_chunk=0, softcap=0.0, deterministic=False,
                              num_heads_q=None, sm_margin=0, return_attn_probs=False):
    """As flash_attn_func, of qkv [B, S, 3, H, D], or with ``num_heads_q`` [B, S, H + 2 Hkv, D]."""
    if qkv.dim() == 5:
        q, k, v = qkv.unbind(2)
    else:
        rest = (qkv.shape[2] - num_heads_q) // 2
        q, k, v = qkv.split([num_heads_q, rest, rest], 2)
    return flash_attn_func(q, k, v, softmax_scale, causal, None, q_descale, k_descale, v_descale, window_size,
                           attention_chunk, softcap, return_attn_probs=return_attn_probs)


def flash_attn_varlen_func(q, k, v, cu_seqlens_q, cu_seqlens_k, max_seqlen_q, max_seqlen_k, seqused_q=None,
                           seqused_k=None, softmax_scale=None, causal=False, qv=None, q_descale=None, k_descale=None,
                           v_descale=None, window_size=(-1, -1), attention_chunk=0, softcap=0.0, num_splits=1,
                           pack_gqa=None, deterministic=False, sm_margin=0, return_attn_probs=False):
    """Attention of sequences one after the other, q [tokens, H, D]; those of q or k may be in a batch instead,
    where their cu_seqlens is None. Sequence b uses the first seqused[b] of its tokens."""
    refuse(qv=qv)
    found = forward(q, k, v, cu_seqlens_q=cu_seqlens_q, cu_seqlens_k=cu_seqlens_k, seqused_q=seqused_q,
                    seqused_k=seqused_k, q_descale=q_descale, k_descale=k_descale, v_descale=v_descale,
                    softmax_scale=softmax_scale, is_causal=causal, window_size_left=window_size[0],
                    window_size_right=window_size[1], attention_chunk=attention_chunk, softcap=softcap)
    return _result(found, return_attn_probs)


def flash_attn_with_kvcache(q, k_cache, v_cache, k=None, v=None, qv=None, rotary_cos=None, rotary_sin=None,
                            cache_seqlens=None, cache_batch_idx=None, cache_leftpad=None, page_table=None,
                            cu_seqlens_q=None, cu_seqlens_k_new=None, max_seqlen_q=None, rotary_seqlens=None,
                            q_descale=None, k_descale=None, v_descale=None, softmax_scale=None, causal=False,
                            window_size=(-1, -1), attention_chunk=0, softcap=0.0, rotary_interleaved=True,
                            scheduler_metadata=None, num_splits=0, pack_gqa=None, sm_margin=0,
                            return_softmax_lse=False):
    """Attention to a cache [B, S, Hkv, D], of which sequence b has cache_seqlens[b] keys; new ones, k and v,
    are written behind them first, turned by ``rotary_cos`` and ``rotary_sin``, as q is. With ``page_table``
    [B, pages] the cache is [pages, page size, Hkv, D]. O, or (O, LSE)."""
    refuse(qv=qv)
    if cache_seqlens is not None:
        batch = q.shape[0] if cu_seqlens_q is None else cu_seqlens_q.shape[0] - 1
        cache_seqlens = _kv_cache.as_lengths(cache_seqlens, batch, q.device)
    found = forward(q, k_cache, v_cache, k, v, None, None, cu_seqlens_q, None, cu_seqlens_k_new, None, cache_seqlens,
                    max_seqlen_q, None, page_table, cache_batch_idx, cache_leftpad, rotary_cos, rotary_sin,
                    rotary_seqlens, q_descale, k_descale, v_descale, softmax_scale,
                    causal, window_size[0], window_size[1], attention_chunk, softcap, rotary_interleaved)
    return _result(found, return_softmax_lse)


def get_scheduler_metadata(batch_size, max_seqlen_q, max_seqlen_k, num_heads_q, num_heads_kv, headdim, cache_seqlens,
                           qkv_dtype=None, headdim_v=None, cu_seqlens_q=None, cu_seqlens_k_new=None,
                           cache_leftpad=None, page_size=None, max_seqlen_k_new=0, causal=False,
                           window_size=(-1, -1), attention_chunk=0, has_softcap=False, num_splits=0, pack_gqa=None,
                           sm_margin=0):
    """An empty plan, which flash_attn_with_kvcache takes and does not need."""
    return _metadata(batch_size, max_seqlen_q, max_seqlen_k, num_heads_q, num_heads_kv, headdim, headdim_v, qkv_dtype,
                     cache_seqlens)
