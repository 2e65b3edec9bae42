"""`torch.ops.flash_attn_3`, on kernels of attn_mlir, and stand-ins for its extension module.

The schemas are those that FlashAttention-3 registers, so that its own Python file,
hopper/flash_attn_interface.py, and what calls the operators run on these kernels.
"""

import importlib.machinery
import sys
import types

import torch

import attn_mlir
from attn_mlir import _append_attention, _attention, _features, _kv_cache, _merge, _targets, _torch_ops, _widened_float8
from attn_mlir._errors import ArgumentError
from attn_mlir._refusals import refuse
from attn_mlir._torch_ops import attention, attention_paged, attention_varlen

_FWD = (
    "fwd(Tensor q, Tensor k, Tensor v, Tensor(k_new!)? k_new=None, Tensor(v_new!)? v_new=None, Tensor? q_v=None, "
    "Tensor(out!)? out=None, Tensor? cu_seqlens_q=None, Tensor? cu_seqlens_k=None, Tensor? cu_seqlens_k_new=None, "
    "Tensor? seqused_q=None, Tensor? seqused_k=None, int? max_seqlen_q=None, int? max_seqlen_k=None, "
    "Tensor? page_table=None, Tensor? kv_batch_idx=None, Tensor? leftpad_k=None, Tensor? rotary_cos=None, "
    "Tensor? rotary_sin=None, Tensor? seqlens_rotary=None, Tensor? q_descale=None, Tensor? k_descale=None, "
    "Tensor? v_descale=None, float? softmax_scale=None, bool is_causal=False, int window_size_left=-1, "
    "int window_size_right=-1, int attention_chunk=0, float softcap=0.0, bool is_rotary_interleaved=False, "
    "Tensor? scheduler_metadata=None, int num_splits=0, bool? pack_gqa=None, int sm_margin=0) "
    "-> (Tensor(out!), Tensor, Tensor, Tensor)"
)
_BWD = (
    "bwd(Tensor dout, Tensor q, Tensor k, Tensor v, Tensor out, Tensor softmax_lse, Tensor(dq!)? dq=None, "
    "Tensor(dk!)? dk=None, Tensor(dv!)? dv=None, Tensor? cu_seqlens_q=None, Tensor? cu_seqlens_k=None, "
    "Tensor? seqused_q=None, Tensor? seqused_k=None, int? max_seqlen_q=None, int? max_seqlen_k=None, "
    "float? softmax_scale=None, bool is_causal=False, int window_size_left=-1, int window_size_right=-1, "
    "float softcap=0.0, bool deterministic=False, int sm_margin=0) -> (Tensor, Tensor, Tensor, Tensor, Tensor)"
)
_COMBINE = (
    "fwd_combine(Tensor out_partial, Tensor lse_partial, Tensor(out!)? out=None, ScalarType? out_dtype=None) "
    "-> (Tensor(out!), Tensor)"
)
_METADATA = (
    "get_scheduler_metadata(int batch_size, int max_seqlen_q, int max_seqlen_k, int num_heads, int num_heads_k, "
    "int headdim, int headdim_v, ScalarType qkv_dtype, Tensor seqused_k, Tensor? cu_seqlens_q=None, "
    "Tensor? cu_seqlens_k=None, Tensor? cu_seqlens_k_new=None, Tensor? seqused_q=None, Tensor? leftpad_k=None, "
    "int? page_size=None, int max_seqlen_k_new=0, bool is_causal=False, int window_size_left=-1, "
    "int window_size_right=-1, int attention_chunk=0, bool has_softcap=False, int num_splits=0, "
    "bool? pack_gqa=None, int sm_margin=0) -> Tensor"
)
_MOST_FLOAT8_DIM = 256
_libraries = []


def _starts(batch, length, device):
    return torch.arange(batch + 1, dtype=torch.int32, device=device) * length


def prepare_cache(q, k_cache, v_cache, k, v, lengths, *, rows, table, cos, sin, first_place, interleaved, moves, cu_q=None,
                  cu_new=None, scales=(None, None)):
    """What is done in front of attention to a cache: rotary embedding, and appending. (Q, lengths)."""
    if k is None:
        refuse(**{"rotary_cos without new keys": cos})
        return q, lengths
    batch = k.shape[0] if cu_new is None else cu_new.shape[0] - 1
    before = _kv_cache.as_lengths(0 if lengths is None else lengths, batch, q.device)
    if cos is not None:
        start = before if first_place is None else first_place
        q = _kv_cache.rotate(q, cos, sin, start, interleaved=interleaved, moves=moves, cu=cu_q)
        if first_place is None and (k.dtype == k_cache.dtype or k_cache.dtype in _kv_cache.FLOAT8):
            turns = cos, sin, interleaved
            after = _kv_cache.append_by_kernel(k_cache, v_cache, k, v, before, rows, cu_new, table, turns, scales)
            if after is not None:
                return q, after
        k = _kv_cache.rotate(k, cos, sin, start, interleaved=interleaved, cu=cu_new)
    return q, _kv_cache.append(k_cache, v_cache, k, v, before, rows, cu_new, table, scales)


def append_and_attend(q, k_cache, v_cache, k, v, lengths, *, cos, sin, interleaved, cu_new=None, **keywords):
    """(O, LSE) by one launch, where that computes all; else None."""
    batch = k.shape[0] if cu_new is None else cu_new.shape[0] - 1
    before = _kv_cache.as_lengths(0 if lengths is None else lengths, batch, q.device)
    rotary = None if cos is None else (cos, sin, interleaved)
    return _append_attention.attention(q, k_cache, v_cache, k, v, before, cu_new=cu_new, rotary=rotary, **keywords)


def forward(q, k, v, k_new=None, v_new=None, q_v=None, out=None, cu_seqlens_q=None, cu_seqlens_k=None,
            cu_seqlens_k_new=None, seqused_q=None, seqused_k=None, max_seqlen_q=None, max_seqlen_k=None,
            page_table=None, kv_batch_idx=None, leftpad_k=None, rotary_cos=None, rotary_sin=None, seqlens_rotary=None,
            q_descale=None, k_descale=None, v_descale=None, softmax_scale=None, is_causal=False, window_size_left=-1,
            window_size_right=-1, attention_chunk=0, softcap=0.0, is_rotary_interleaved=False, scheduler_metadata=None,
            num_splits=0, pack_gqa=None, sm_margin=0):
    """(O, LSE) of flash_attn_3::fwd's arguments. The last four change how FlashAttention works, not what it
    computes: the compiler chooses that here."""
    refuse(q_v=q_v)
    if cu_seqlens_k_new is not None and k_new is not None:
        _kv_cache.check_new(cu_seqlens_k_new, q.shape[0] if cu_seqlens_q is None else cu_seqlens_q.shape[0] - 1, k_new.shape[0])
    is_float8 = _widened_float8.check(q, k, v, q_descale=q_descale, k_descale=k_descale, v_descale=v_descale)
    if is_float8 and all(x is None for x in (
            k_new, cu_seqlens_q, cu_seqlens_k, seqused_q, seqused_k, page_table, kv_batch_idx, leftpad_k, rotary_cos)):
        return _into(out, *_forward_float8(
            q, k, v, (q_descale, k_descale, v_descale), scale=softmax_scale, causal=is_causal,
            window=(window_size_left, window_size_right), chunk=attention_chunk, softcap=softcap))
    options = {
        "scale": softmax_scale, "causal": is_causal, "window": (window_size_left, window_size_right),
        "chunk": attention_chunk, "softcap": softcap,
    }
    moves = is_causal or window_size_left >= 0 or window_size_right >= 0
    if k_new is not None and not is_float8 and cu_seqlens_k is None and not attention_chunk and all(
            x is None for x in (seqused_q, leftpad_k, seqlens_rotary)):
        found = append_and_attend(
            q, k, v, k_new, v_new, seqused_k, rows=kv_batch_idx, table=page_table, cu_q=cu_seqlens_q, cu_new=cu_seqlens_k_new,
            longest=max_seqlen_q, cos=rotary_cos, sin=rotary_sin, interleaved=is_rotary_interleaved, moves=moves, scale=softmax_scale,
            causal=is_causal, window=(window_size_left, window_size_right), softcap=softcap, scales=(k_descale, v_descale))
        if found is not None:
            return _into(out, *found)
    q, seqused_k = prepare_cache(
        q, k, v, k_new, v_new, seqused_k, scales=(k_descale, v_descale), rows=kv_batch_idx, table=page_table, cos=rotary_cos, sin=rotary_sin,
        first_place=seqlens_rotary, interleaved=is_rotary_interleaved, cu_q=cu_seqlens_q, cu_new=cu_seqlens_k_new,
        moves=moves)
    found = None
    is_cache = _widened_float8.is_cache(q, k)
    if is_float8:
        found = _forward_float8_sequences(
            q, k, v, (q_descale, k_descale, v_descale), page_table, seqused_k, kv_batch_idx, cu_seqlens_q, cu_seqlens_k, seqused_q, leftpad_k,
            max_seqlen_q, options)
    elif cu_seqlens_k is None and (page_table is not None or (is_cache and kv_batch_idx is None)):
        scales = {"k_scale": k_descale, "v_scale": v_descale} if is_cache else {}
        found = _forward_cache(
            q, k, v, page_table, seqused_k, kv_batch_idx, cu_seqlens_q, seqused_q, leftpad_k, max_seqlen_q,
            {**options, "scales": scales})
    if found is not None:
        return _into(out, *found)
    if cu_seqlens_k is None:
        k, v = (_kv_cache.gather(x, kv_batch_idx, page_table) for x in (k, v))
    else:
        refuse(kv_batch_idx=kv_batch_idx, page_table=page_table)
    if is_float8 or is_cache:
        q, k, v = _widened_float8.widened(q, k, v, q_descale, k_descale, cu_seqlens_q)
    if cu_seqlens_q is None and cu_seqlens_k is None and seqused_q is None:
        o, lse = attention(q, k, v, lengths=seqused_k, first=leftpad_k, layout="bshd", **options)
    else:
        o, lse = _forward_packed(q, k, v, cu_seqlens_q, cu_seqlens_k, seqused_q, seqused_k, leftpad_k, options)
    return _into(out, _widened_float8.scaled(o, v_descale, cu_seqlens_q), lse)


def _forward_float8(q, k, v, scales, *, scale, causal, window, chunk, softcap):
    """Of dense tensors, [B, S, H, D]."""
    left, right = _features.window_of(causal, window)
    features = _features.Features(
        q.shape[-1] ** -0.5 if scale is None else float(scale), float(softcap), "bottom_right", left, right, chunk)
    call = _features.dense(features, q.shape[0], q.shape[1], k.shape[1], q.device, None, None, None, has_mask=False)
    q_scale, k_scale, v_scale = scales
    return attn_mlir.attention(
        q, k, v, layout="bshd", return_lse=True, q_scale=q_scale, k_scale=k_scale, v_scale=v_scale, **call)


def _named_scales(*scales):
    """As attn_mlir.attention has them."""
    return {f"{name}_scale": scale if scale is None else scale.float() for name, scale in zip("qkv", scales)}


def _forward_float8_sequences(q, k, v, scales, table, lengths, rows, cu_q, cu_k, used_q, first, longest, options):
    """By a kernel that reads K and V where they are, or None. Rows of a cache that are named are copied, as they are."""
    if max(q.shape[-1], v.shape[-1]) > _MOST_FLOAT8_DIM or not _torch_ops.is_direct((q, k, v, *scales, cu_q, cu_k)):
        return None
    target = _attention.target_of(_attention.device_of("q", q))
    reads_all = _targets.reads_float8_sequences(target)
    if cu_k is not None:
        refuse(kv_batch_idx=rows, page_table=table)
        options = {**options, "scales": _named_scales(*scales)}
        return _forward_packed(q, k, v, cu_q, cu_k, used_q, lengths, first, options) if reads_all else None
    if _targets.reads_float8_caches(target) and (not reads_all or _decodes_many(q, k, cu_q, longest, target)):
        q, scales = _widened_float8.with_wide_queries(q, *scales)
    elif not reads_all:
        return None
    if table is None:
        k, v = (_kv_cache.gather(x, rows) for x in (k, v))
    elif rows is not None:
        table = table.index_select(0, rows.long())
    if lengths is None:
        batch, size = k.shape[:2] if table is None else (table.shape[0], table.shape[1] * k.shape[1])
        lengths = _kv_cache.as_lengths(size, batch, q.device)
    return _forward_cache(
        q, k, v, table, lengths, None, cu_q, used_q, first, longest, {**options, "scales": _named_scales(*scales)})


def _decodes_many(q, k, cu_q, longest, target):
    """Whether each sequence has one query, and tiles of the kernel of caches, one for each KV head, fill the device: then it is faster than that of
    FP8, in which a tile of 64 rows has a row to compute (docs/fp8.md, "Caches")."""
    sequences, queries = (q.shape[0], q.shape[1]) if cu_q is None else (cu_q.shape[0] - 1, longest)
    return queries == 1 and 2 * sequences * k.shape[-2] >= 3 * _targets.sms_of(target)


def _into(out, o, lse):
    if out is None:
        return o, lse
    out.copy_(o)
    return out, lse


def _forward_cache(q, k, v, table, lengths, rows, cu_q, used_q, first, longest, options):
    """By a kernel that reads the cache where it is, or None."""
    if lengths is None:
        return None
    if rows is not None:
        table = table.index_select(0, rows.long())
    return attention_paged(q, k, v, table, lengths, cu_seqlens_q=cu_q, seqused_q=used_q, first=first, max_seqlen_q=longest,
                           **options)


def _forward_packed(q, k, v, cu_q, cu_k, used_q, used_k, first, options):
    """What is not packed is seen as sequences of one length, one after the other."""
    shape = q.shape
    if cu_q is None:
        q, cu_q = q.reshape(-1, *shape[2:]), _starts(shape[0], shape[1], q.device)
    if cu_k is None:
        k, cu_k = _kv_cache.packed(k)
        v, _ = _kv_cache.packed(v)
    o, lse = attention_varlen(q, k, v, cu_q, cu_k, seqused_q=used_q, seqused_k=used_k, first=first, **options)
    if len(shape) == 4:
        o = o.view(*shape[:3], o.shape[-1])
        lse = lse.view(shape[2], shape[0], shape[1]).transpose(0, 1).contiguous()
    return o, lse


def _fwd(*arguments, **keywords):
    o, lse = forward(*arguments, **keywords)
    return o, lse, o.new_empty(0, dtype=torch.float32), o.new_empty(0, dtype=torch.float32)


def _bwd(dout, q, k, v, out, softmax_lse, dq=None, dk=None, dv=None, cu_seqlens_q=None, cu_seqlens_k=None, seqused_q=None,
         seqused_k=None, max_seqlen_q=None, max_seqlen_k=None, softmax_scale=None, is_causal=False, window_size_left=-1,
         window_size_right=-1, softcap=0.0, deterministic=False, sm_margin=0):
    """flash_attn_3::bwd: writes dq, dk and dv, and returns the sums of dO * O. Gradients are deterministic in any case."""
    places = {"dq": dq, "dk": dk, "dv": dv}
    for name, place in places.items():
        if place is None:
            raise NotImplementedError(f"{name}: expected a tensor for the gradient: it is not among the results")
    window = _features.window_of(is_causal, (window_size_left, window_size_right))
    scale = q.shape[-1] ** -0.5 if softmax_scale is None else float(softmax_scale)
    numbers = (scale, float(softcap), "bottom_right", *window, 0)
    packing = (cu_seqlens_q, cu_seqlens_k, seqused_q, seqused_k)
    if packing == (None,) * 4:
        found = _torch_ops.dense_backward(dout, None, out, softmax_lse, q, k, v, *(None,) * 5, *numbers, "bshd")
    elif cu_seqlens_q is None or cu_seqlens_k is None:
        raise NotImplementedError("cu_seqlens_q, cu_seqlens_k: expected both or none, and seqused with both, in backward")
    else:
        found = _torch_ops.packed_backward(dout, None, out, softmax_lse, q, k, v, *packing, None, None, *numbers)
    for place, gradient in zip(places.values(), found):
        place.copy_(gradient)
    sums = (dout.float() * out.float()).sum(-1).transpose(-1, -2).contiguous()
    return (sums, *(out.new_empty(0, dtype=torch.float32) for _ in range(4)))


def flash_attn_combine(out_partial, lse_partial, out=None, out_dtype=None):
    """(O, LSE [B, H, S]) of parts: out_partial [parts, B, S, H, D], lse_partial [parts, B, S, H], in float32."""
    dtype = out_dtype if out_dtype is not None else out_partial.dtype
    if out is not None and out.dtype != dtype:
        raise ArgumentError(f"out: expected {dtype}, but got {out.dtype}")
    o, lse = _merge.merge(out_partial, lse_partial, dtype)
    if out is not None:
        out.copy_(o)
        o = out
    # FlashAttention's LSE is [B, S, H], which lies in memory as [B, H, S].
    return o, lse.transpose(1, 2)


def _metadata(batch_size, max_seqlen_q, max_seqlen_k, num_heads, num_heads_k, headdim, headdim_v, qkv_dtype, seqused_k,
              *arguments, **keywords):
    """An empty plan: kernels of attn_mlir deal their work themselves."""
    return torch.empty(0, dtype=torch.int32, device=seqused_k.device)


def register_flash_attn_3():
    """Registers torch.ops.flash_attn_3 (fwd, bwd, fwd_combine, get_scheduler_metadata), once.

    Raises RuntimeError where FlashAttention-3's own extension is loaded.
    """
    if _libraries:
        return
    if torch._C._dispatch_has_kernel("flash_attn_3::fwd"):
        raise RuntimeError("flash_attn_3: expected no other library of operators, but FlashAttention-3's is loaded")
    library = torch.library.Library("flash_attn_3", "FRAGMENT")
    functions = (("fwd", _FWD, _fwd), ("bwd", _BWD, _bwd), ("fwd_combine", _COMBINE, flash_attn_combine),
                 ("get_scheduler_metadata", _METADATA, _metadata))
    for name, schema, function in functions:
        library.define(schema)
        library.impl(name, function, "CompositeExplicitAutograd")
    _libraries.append(library)


def _module(name, **contents):
    module = types.ModuleType(name)
    module.__spec__ = importlib.machinery.ModuleSpec(name, None, is_package=name == "flash_attn_3")
    if name == "flash_attn_3":
        module.__path__ = []
    module.__dict__.update(contents)
    return module


def install_flash_attn_3():
    """Registers the operators, and puts stand-ins for `flash_attn_3` and `flash_attn_3._C` into sys.modules,
    which FlashAttention-3's Python file imports. Modules that are there stay."""
    register_flash_attn_3()
    extension = _module("flash_attn_3._C")
    package = sys.modules.setdefault("flash_attn_3", _module("flash_attn_3"))
    package._C = sys.modules.setdefault("flash_attn_3._C", extension)
