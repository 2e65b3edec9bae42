"""PyTorch's varlen_attn (torch.nn.attention.varlen), on kernels of attn_mlir.

>>> from attn_mlir.varlen import varlen_attn
>>> o = varlen_attn(query, key, value, cu_seq, cu_seq, longest, longest, window_size=(-1, 0))
"""

import collections

from attn_mlir._errors import ArgumentError
from attn_mlir._torch_ops import attention_paged, attention_varlen

__all__ = ["AuxRequest", "varlen_attn"]

AuxRequest = collections.namedtuple("AuxRequest", "lse", defaults=(False,))
AuxRequest.__doc__ = """What is returned beside the result: ``lse``, the logarithms of sums of exponentials."""


def varlen_attn(query, key, value, cu_seq_q, cu_seq_k, max_q, max_k, *, return_aux=None, scale=None, window_size=(-1, -1),
                enable_gqa=False, seqused_k=None, block_table=None):
    """Attention of sequences one after the other: query [tokens, H, D], key and value [tokens of keys, Hkv, D].

    Sequence b has the tokens from cu_seq[b] to cu_seq[b + 1] (int32, on the device, where they stay). ``window_size`` is
    (left, right), (-1, 0) a causal mask, which ends at the last key. With ``return_aux`` whose ``lse`` is true (O, LSE
    [H, tokens]). ``max_q`` and ``max_k`` change no result. ``seqused_k`` [B] are the keys that count of each sequence. With ``block_table``
    [B, pages] key and value are [pages, page size, Hkv, D], and ``seqused_k`` is needed in place of ``cu_seq_k``.
    ``enable_gqa`` says that there may be fewer heads of keys.
    """
    if not enable_gqa and query.shape[-2] != key.shape[-2]:
        raise ArgumentError(
            f"key: expected {query.shape[-2]} heads, as query has, or enable_gqa, but got {key.shape[-2]}")
    call = {"scale": scale, "window": tuple(window_size)}
    if block_table is None:
        found = attention_varlen(query, key, value, cu_seq_q, cu_seq_k, seqused_k=seqused_k, **call)
    elif seqused_k is None or cu_seq_k is not None:
        raise ArgumentError("block_table: expected seqused_k, and None for cu_seq_k, but got "
                            + ("no seqused_k" if seqused_k is None else "both"))
    else:
        found = attention_paged(query, key, value, block_table, seqused_k, cu_seqlens_q=cu_seq_q, max_seqlen_q=max_q, **call)
        if found is None:
            raise NotImplementedError("block_table: expected pages of a multiple of 8 keys from 16 on, in a call that is neither "
                                      "traced nor differentiated")
    return found if return_aux is not None and return_aux.lse else found[0]
