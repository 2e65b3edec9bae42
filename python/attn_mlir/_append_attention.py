"""New keys and values into caches, and attention to these, as one program and one launch."""

from attn_mlir import _append, _features, _rows, _torch_ops
from attn_mlir._appended import New
from attn_mlir._attention import device_of
from attn_mlir._errors import NoVariantError
from attn_mlir._spec import granule_of


def _reads_pages(k_cache, table):
    """Whether kernels of attention read such a cache where it is."""
    return table is None or (k_cache.shape[1] >= 16 and k_cache.shape[1] % 8 == 0)


def _takes(q, k_cache, v_cache, k, v, numbers, rotary):
    """Whether one program takes these arrays as they are: caches are written in place, and not padded."""
    granule = granule_of("", q.dtype != k_cache.dtype)
    if q.dtype != k.dtype or q.shape[-1] % granule or v_cache.shape[-1] % granule:
        return False
    if not all(map(_rows.is_aligned, (k_cache, v_cache))):
        return False
    if rotary is not None and not _append.turns(q, rotary):
        return False
    return _append.fits(device_of("q", q), k, v, k_cache, v_cache, numbers, rotary)


def attention(q, k_cache, v_cache, k, v, lengths, *, rows=None, table=None, cu_q=None, cu_new=None, longest=None, rotary=None, moves=True,
              scale=None, causal=False, window=(-1, -1), softcap=0.0, scales=(None, None)):
    """(O, LSE), of caches to which k and v have been written behind ``lengths``; arguments are those of `_kv_cache.append` and
    `_torch_ops.attention_paged`, ``longest`` its max_seqlen_q. ``rotary`` (cos, sin, interleaved) turns k, and q: unless it ``moves``, by the place of the
    first new key. None, and nothing is written, where this takes several launches."""
    tensors = (q, k_cache, v_cache, k, v, lengths, rows, table, cu_q, cu_new, *(rotary or ())[:2], *scales)
    if not _torch_ops.is_direct(tensors) or (rows is not None and table is None) or not _reads_pages(k_cache, table):
        return None
    batch, is_packed = lengths.shape[0], cu_q is not None
    fills = _torch_ops.are_of_one_length(q, cu_q, longest, batch)
    if is_packed and table is None and k_cache.dtype == k.dtype:
        return None  # Whose keys are packed sequences, too.
    numbers = [x for x in (lengths, table, cu_new) if x is not None]
    new = [k, v] if cu_new is None else [k[None], v[None]]
    new = [_rows.aligned(x) for x in new]
    if not _takes(q, k_cache, v_cache, *new, numbers, rotary):
        return None
    if rows is not None:
        table = table.index_select(0, rows.long())
    if fills:
        q, cu_q = q.unflatten(0, (batch, longest)), None
    features = _features.Features(
        q.shape[-1] ** -0.5 if scale is None else float(scale), float(softcap), "bottom_right", *_features.window_of(causal, window), 0)
    call = _features.ragged(features, cu_q, None, lengths, table, q.shape[1])
    if "mask" in call:
        return None  # Which reads lengths that are not there yet.
    call.update(zip(("k_scale", "v_scale"), scales))
    try:
        o, lse = _torch_ops.launch(
            q if cu_q is None else q[None], k_cache, v_cache, layout="bshd", call=call, new=New(*new, cu_new, rotary, rotary is not None and not moves))
    except NoVariantError:
        return None  # Strides, or where something begins.
    if not is_packed:
        return o, lse
    return (o.flatten(0, 1), lse.transpose(0, 1).flatten(1)) if fills else (o[0], lse[0])
