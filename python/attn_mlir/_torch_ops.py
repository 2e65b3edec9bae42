"""Custom operators of torch: `attn_mlir::attention_fwd`, `attn_mlir::varlen_fwd` and their backward.

Operators take numbers and tensors alone, so that torch.compile and CUDA graphs see one node for a call.
"""

import contextlib
import math

import torch

import attn_mlir
from attn_mlir import _bias_gradients, _features, _gradients, _reference
from attn_mlir._attention import attention_to_appended
from attn_mlir._features import Features
from attn_mlir._spec import granule_of

_MOST_VALUE_DIM = 256
_FEATURES = "float scale, float softcap, str align, int left, int right, int chunk"
_DENSE = (
    "Tensor q, Tensor k, Tensor v, Tensor? mask, Tensor? sinks, Tensor? slopes, Tensor? lengths, Tensor? first, "
    f"{_FEATURES}, str layout"
)
_PACKED = (
    "Tensor q, Tensor k, Tensor v, Tensor cu_q, Tensor cu_k, Tensor? used_q, Tensor? used_k, Tensor? first, "
    f"Tensor? slopes, {_FEATURES}"
)
_MASK, _SINKS, _SLOPES = 3, 4, 5  # Their places in _DENSE.
_PACKED_SLOPES = 8  # In _PACKED.
_DIFFERENTIABLE = {"attention": (_MASK, _SINKS, _SLOPES), "varlen": (_PACKED_SLOPES,)}  # Beside q, k and v.
_library = torch.library.Library("attn_mlir", "DEF")
_recompute = False


def _empty(q, v):
    """O, which lies in memory as Q does where it has Q's shape; of 8 bits in bfloat16."""
    dtype = torch.bfloat16 if q.element_size() == 1 else q.dtype
    if v.shape[-1] == q.shape[-1]:
        return torch.empty_like(q, dtype=dtype)
    return q.new_empty((*q.shape[:-1], v.shape[-1]), dtype=dtype)


def _empty_lse(q, layout):
    batch, heads, queries = q.shape[:3] if layout == "bhsd" else (q.shape[0], q.shape[2], q.shape[1])
    return q.new_empty((batch, heads, queries), dtype=torch.float32)


def launch(q, k, v, *, layout, call, sinks=None, new=None):
    """(O, LSE) by attn_mlir.attention; values of more than 256 in parts. What is ``new`` (a New) is written to k and v first."""
    is_one_query = layout == "bshd" and q.shape[1] == 1 and call.get("cu_seqlens_q") is None
    if is_one_query:
        # Heads of a group lie in a row then only where kernels know heads as the dimension in front.
        layout, (q, k, v) = "bhsd", (x.transpose(1, 2) for x in (q, k, v))
        new = None if new is None else new._replace(k=new.k.transpose(1, 2), v=new.v.transpose(1, 2))
    if new is None and _is_whole(q, k, v):
        o, lse = attn_mlir.attention(q, k, v, layout=layout, sinks=sinks, return_lse=True, **call)
    else:
        o, lse = _empty(q, v), _empty_lse(q, layout)
        _launch(q, k, v, o, lse, layout=layout, call=call, sinks=sinks, new=new)
    return (o.transpose(1, 2) if is_one_query else o), lse


def _is_whole(q, k, v):
    """Whether attention() makes O as it shall be: rows are not padded, and values not in parts."""
    granule = granule_of("f8E4M3FN" if q.element_size() == 1 else "", q.dtype != k.dtype)
    return v.shape[-1] <= _MOST_VALUE_DIM and q.shape[-1] % granule == 0 and v.shape[-1] % granule == 0


def _launch(q, k, v, o, lse, *, layout, call, sinks, new):
    if new is not None:
        attention_to_appended(q, k, v, new, layout=layout, sinks=sinks, out=(o, lse), **call)
        return
    if v.shape[-1] <= _MOST_VALUE_DIM:
        attn_mlir.attention(q, k, v, layout=layout, sinks=sinks, return_lse=True, out=(o, lse), **call)
        return
    for part, place in zip(torch.split(v, _MOST_VALUE_DIM, -1), torch.split(o, _MOST_VALUE_DIM, -1)):
        target = torch.empty_like(place, memory_format=torch.contiguous_format)
        attn_mlir.attention(q, k, part, layout=layout, sinks=sinks, return_lse=True, out=(target, lse), **call)
        place.copy_(target)


def _dense_call(q, k, mask, slopes, lengths, first, features, layout, has_own_kernels=False):
    queries, keys = (x.shape[1 if layout == "bshd" else 2] for x in (q, k))
    call = _features.dense(
        features, q.shape[0], queries, keys, q.device, lengths, first, slopes, has_mask=mask is not None,
        has_own_kernels=has_own_kernels)
    if mask is not None:
        if "mask" in call:
            raise NotImplementedError("mask: a tensor together with first or chunk is not there yet")
        call["mask"] = mask
    return call


def _dense(q, k, v, mask, sinks, slopes, lengths, first, scale, softcap, align, left, right, chunk, layout):
    features = Features(scale, softcap, align, left, right, chunk)
    call = _dense_call(q, k, mask, slopes, lengths, first, features, layout)
    return launch(q, k, v, layout=layout, call=call, sinks=sinks)


def _dense_shapes(q, k, v, *arguments):
    return _empty(q, v), _empty_lse(q, arguments[-1])


def _packed(q, k, v, cu_q, cu_k, used_q, used_k, first, slopes, scale, softcap, align, left, right, chunk, scales=None):
    features = Features(scale, softcap, align, left, right, chunk)
    call = _features.ragged(features, cu_q, cu_k, used_k, used_q=used_q, first=first, slopes=slopes)
    call.update(scales or {})
    o, lse = launch(q[None], k[None], v[None], layout="bshd", call=call)
    return o[0], lse[0]


def _packed_shapes(q, k, v, *arguments):
    return _empty(q, v), q.new_empty((q.shape[1], q.shape[0]), dtype=torch.float32)


def _backward_call(q, k, mask, slopes, lengths, first, features, layout):
    """Of gradients, which have kernels where lengths and a mask of a tensor do not meet."""
    has_own_kernels = mask is None or lengths is None
    return _dense_call(q, k, mask, slopes, lengths, first, features, layout, has_own_kernels)


def dense_backward(dout, dlse, o, lse, *arguments):
    return _dense_backward(dout, dlse, o, lse, *arguments, False, False)


def _dense_backward(dout, dlse, o, lse, q, k, v, mask, sinks, slopes, lengths, first, scale, softcap, align, left, right,
                    chunk, layout, of_mask, of_slopes):
    """Gradients of q, k and v, and behind them those of the mask and of slopes that are asked for."""
    features = Features(scale, softcap, align, left, right, chunk)
    call = _backward_call(q, k, mask, slopes, lengths, first, features, layout)
    obstacle = _obstacle(q, v, call)
    if obstacle is None:
        of = [(mask, 4 - mask.dim())] if of_mask else []
        of += [(slopes, 2 - slopes.dim())] if of_slopes else []
        return _gradients.gradients(q, k, v, o, lse, dout, call, layout, dlse=dlse, of=of)
    _check_recompute(obstacle)
    if of_slopes:
        raise NotImplementedError(f"alibi_slopes: slopes have no gradient with {obstacle}")
    filled = torch.zeros_like(lse) if dlse is None else dlse
    found = _reference.dense_backward(dout, filled, q, k, v, call, sinks, layout)
    if of_mask:
        found += (_bias_gradients.of_bias(mask, q, k, v, o, lse, dout, dlse, call, layout),)
    return found


def _capture_backward(*arguments):
    """The same with a tensor for each, empty where it is not asked for."""
    of_mask, of_slopes = arguments[-2:]
    own = _dense_backward(*arguments)
    nothing = own[0].new_empty(0)
    return (*own[:3], own[3] if of_mask else nothing, own[-1] if of_slopes else nothing)


def _capture_backward_shapes(*arguments):
    asked = (arguments[4 + place] if wanted else None for place, wanted in zip((_MASK, _SLOPES), arguments[-2:]))
    return (*_backward_shapes(*arguments),
            *(arguments[4].new_empty(0) if x is None else torch.empty(x.shape, dtype=x.dtype, device=x.device) for x in asked))


def _obstacle(q, v, call):
    """What no kernel has gradients for, or None."""
    if max(q.shape[-1], v.shape[-1]) > _MOST_VALUE_DIM:
        return f"head dimensions of more than {_MOST_VALUE_DIM}"
    return _gradients.obstacle(call)


def packed_backward(*arguments):
    return _packed_backward(*arguments, of_slopes=False)


def _packed_capture_backward(*arguments):
    return _packed_backward(*arguments, of_slopes=True)


def _packed_capture_backward_shapes(*arguments):
    return (*_backward_shapes(*arguments), torch.empty_like(arguments[4 + _PACKED_SLOPES]))


def _packed_backward(dout, dlse, o, lse, q, k, v, cu_q, cu_k, used_q, used_k, first, slopes, *numbers, of_slopes):
    """Gradients of q, k and v, and behind them those of slopes if they are asked for."""
    features = Features(*numbers)
    call = _features.ragged(
        features, cu_q, cu_k, used_k, used_q=used_q, first=first, slopes=slopes, has_own_kernels=True)
    obstacle = _obstacle(q, v, call)
    if obstacle is None:
        return _gradients.packed_gradients(q, k, v, o, lse, dout, call, dlse, slopes if of_slopes else None)
    if of_slopes:
        raise NotImplementedError(f"alibi_slopes: slopes have no gradient with {obstacle}")
    if first is not None:
        raise NotImplementedError(f"first: keys that begin later have no backward with {obstacle}")
    _check_recompute(f"{obstacle} of packed sequences")
    dlse = torch.zeros_like(lse) if dlse is None else dlse
    return _reference.packed_backward(
        dout, dlse, q, k, v, features, cu_q, cu_k, used_q, used_k, slopes)


def _check_recompute(obstacle):
    if not _recompute:
        raise NotImplementedError(
            f"attn_mlir has no backward kernels yet for {obstacle}: expected a call without, or under torch.no_grad(); "
            "attn_mlir.torch.recompute_backward() lets PyTorch compute gradients, in O(Sq * Skv) memory"
        )


def _backward_shapes(dout, dlse, o, lse, q, k, v, *arguments):
    return torch.empty_like(q), torch.empty_like(k), torch.empty_like(v)


def _define(name, arguments, forward, shapes, backward):
    """An operator, its fake, its backward and what autograd makes of them."""
    tags = (torch.Tag.pt2_compliant_tag,)
    _library.define(f"{name}_fwd({arguments}) -> (Tensor, Tensor)", tags=tags)
    _library.define(
        f"{name}_bwd(Tensor dout, Tensor? dlse, Tensor o, Tensor lse, {arguments}) -> (Tensor, Tensor, Tensor)", tags=tags)
    for kind, function, fake in (("fwd", forward, shapes), ("bwd", backward, _backward_shapes)):
        _library.impl(f"{name}_{kind}", function, "CompositeExplicitAutograd")
        torch.library.register_fake(f"attn_mlir::{name}_{kind}", fake, lib=_library)

    def setup_context(ctx, inputs, output):
        tensors = [torch.is_tensor(x) for x in inputs]
        # No gradient of LSE is None, as a kernel wants it.
        ctx.set_materialize_grads(False)
        ctx.save_for_backward(*output, *(x for x in inputs if torch.is_tensor(x)))
        ctx.others = [None if is_tensor else x for is_tensor, x in zip(tensors, inputs)]
        ctx.tensors = tensors

    def formula(ctx, dout, dlse):
        more = [i for i, wanted in enumerate(ctx.needs_input_grad[3:], 3) if wanted]
        if any(i not in _DIFFERENTIABLE[name] for i in more):
            raise NotImplementedError(
                "attn_mlir: expected gradients of q, k, v, slopes, and not of packed sequences a mask of numbers and sinks, "
                "but others were asked for")
        if dout is None and dlse is None:
            return (None,) * len(ctx.tensors)
        o, lse, *rest = ctx.saved_tensors
        dout, saved = torch.zeros_like(o) if dout is None else dout, iter(rest)
        inputs = [next(saved) if is_tensor else x for is_tensor, x in zip(ctx.tensors, ctx.others)]
        found = [None] * len(inputs)
        if name == "varlen" and more:
            *found[:3], found[_PACKED_SLOPES] = torch.ops.attn_mlir.varlen_capture_bwd(dout, dlse, o, lse, *inputs)
            return tuple(found)
        if _MASK in more or _SLOPES in more:
            asked = _MASK in more, _SLOPES in more
            *found[:3], of_mask, of_slopes = torch.ops.attn_mlir.attention_capture_bwd(
                dout, dlse, o, lse, *inputs, *asked)
            found[_MASK], found[_SLOPES] = (x if wanted else None for x, wanted in zip((of_mask, of_slopes), asked))
        else:
            found[:3] = getattr(torch.ops.attn_mlir, f"{name}_bwd")(dout, dlse, o, lse, *inputs)
        if _SINKS in more:
            found[_SINKS] = _gradients.of_sinks(inputs[_SINKS], o, lse, dout, dlse, inputs[-1])
        return tuple(found)

    torch.library.register_autograd(f"attn_mlir::{name}_fwd", formula, setup_context=setup_context, lib=_library)

    def run(ctx, *inputs):
        output = forward(*inputs)
        setup_context(ctx, inputs, output)
        return output

    # The same without the operator, which costs several times what it computes with on the host.
    return type(name, (torch.autograd.Function,), {"forward": staticmethod(run), "backward": staticmethod(formula)})


_library.define(
    f"attention_capture_bwd(Tensor dout, Tensor? dlse, Tensor o, Tensor lse, {_DENSE}, bool of_mask, bool of_slopes) -> "
    "(Tensor, Tensor, Tensor, Tensor, Tensor)", tags=(torch.Tag.pt2_compliant_tag,))
_library.impl("attention_capture_bwd", _capture_backward, "CompositeExplicitAutograd")
torch.library.register_fake("attn_mlir::attention_capture_bwd", _capture_backward_shapes, lib=_library)
_library.define(
    f"varlen_capture_bwd(Tensor dout, Tensor? dlse, Tensor o, Tensor lse, {_PACKED}) -> (Tensor, Tensor, Tensor, Tensor)",
    tags=(torch.Tag.pt2_compliant_tag,))
_library.impl("varlen_capture_bwd", _packed_capture_backward, "CompositeExplicitAutograd")
torch.library.register_fake("attn_mlir::varlen_capture_bwd", _packed_capture_backward_shapes, lib=_library)
_AttentionFunction = _define("attention", _DENSE, _dense, _dense_shapes, dense_backward)
_VarlenFunction = _define("varlen", _PACKED, _packed, _packed_shapes, packed_backward)


_PLAIN = frozenset((torch.Tensor, torch.nn.Parameter, type(None)))


def is_direct(tensors):
    """Whether a call needs no operator: it is neither traced nor differentiated."""
    are_recorded = torch.is_grad_enabled()
    for x in tensors:
        if type(x) not in _PLAIN or (are_recorded and x is not None and x.requires_grad):
            return False
    return not (torch.compiler.is_compiling() or torch._C._len_torch_dispatch_stack())


def _call(direct, function, operator, arguments, count):
    """Calls what is the quickest where the first ``count`` arguments are tensors: nothing between, autograd's function, or the operator, for what is traced
    or transformed."""
    if is_direct(arguments[:count]):
        return direct(*arguments)
    is_plain = all(type(x) in _PLAIN for x in arguments[:count]) and torch._C._functorch.peek_interpreter_stack() is None
    if is_plain and not torch.compiler.is_compiling() and not torch._C._len_torch_dispatch_stack():
        return function.apply(*arguments)
    return operator(*arguments)


def attention(q, k, v, *, mask=None, sinks=None, alibi_slopes=None, lengths=None, first=None, scale=None, causal=False,
              window=(-1, -1), chunk=0, softcap=0.0, align="bottom_right", layout="bhsd"):
    """(O, LSE) as an operator that torch.compile and autograd know.

    Keywords are those of :func:`attn_mlir.attention` without functions: ``mask`` is a tensor; ``lengths`` and
    ``first`` (int32 [B]) say where a sequence's keys end and begin; ``chunk`` lets queries see keys of their
    own chunk of positions; ``align`` is the alignment of ``causal`` and ``window``.
    """
    left, right = _features.window_of(causal, window)
    scale = 1.0 / math.sqrt(q.shape[-1]) if scale is None else float(scale)
    arguments = (q, k, v, mask, sinks, alibi_slopes, lengths, first, scale, float(softcap), align, left, right, chunk,
                 layout)
    return _call(_dense, _AttentionFunction, torch.ops.attn_mlir.attention_fwd, arguments, 8)


def attention_varlen(q, k, v, cu_seqlens_q, cu_seqlens_k, *, seqused_q=None, seqused_k=None, first=None,
                     alibi_slopes=None, scale=None, causal=False, window=(-1, -1), chunk=0, softcap=0.0, scales=None):
    """(O, LSE [H, tokens]) of sequences one after the other, [tokens, H, D]; nothing is read on the host. ``scales``, those of
    attn_mlir.attention, are for calls that are neither traced nor differentiated."""
    left, right = _features.window_of(causal, window)
    scale = 1.0 / math.sqrt(q.shape[-1]) if scale is None else float(scale)
    arguments = (q, k, v, cu_seqlens_q, cu_seqlens_k, seqused_q, seqused_k, first, alibi_slopes, scale, float(softcap),
                 "bottom_right", left, right, chunk)
    if scales is not None:
        return _packed(*arguments, scales=scales)
    return _call(_packed, _VarlenFunction, torch.ops.attn_mlir.varlen_fwd, arguments, 9)


def are_of_one_length(q, cu, longest, batch):
    """Whether packed queries [tokens, H, D] are so many that each sequence has ``longest``, at most which it has. Queries behind the last sequence would
    count as its: they are seen where the host has the offsets, and callers with offsets on a device have none, as FlashAttention's do."""
    if cu is None or not longest or q.shape[0] != batch * longest:
        return False
    return cu.device.type != "cpu" or not is_direct((cu,)) or int(cu[-1]) == q.shape[0]


def attention_paged(q, k, v, table, lengths, *, cu_seqlens_q=None, seqused_q=None, first=None, alibi_slopes=None,
                    scale=None, causal=False, window=(-1, -1), chunk=0, softcap=0.0, max_seqlen_q=None, scales=None, sinks=None):
    """(O, LSE) of q [B, S, H, D], or of packed sequences [tokens, H, D], to caches [pages, page size, Hkv, D] in
    place, or without ``table`` [B, S, Hkv, D]; ``scales`` are those of attn_mlir.attention. None where kernels do not take
    such a call: its caller then copies what it reads.

    Where sequences of at most ``max_seqlen_q`` queries fill q, all have as many, and kernels that know it are faster.
    """
    batch = lengths.shape[0]
    if are_of_one_length(q, cu_seqlens_q, max_seqlen_q, batch):
        found = attention_paged(
            q.unflatten(0, (batch, max_seqlen_q)), k, v, table, lengths, seqused_q=seqused_q, first=first,
            alibi_slopes=alibi_slopes, scale=scale, causal=causal, window=window, chunk=chunk, softcap=softcap,
            scales=scales, sinks=sinks)
        return None if found is None else (found[0].flatten(0, 1), found[1].transpose(0, 1).flatten(1))
    tensors = (q, k, v, table, lengths, cu_seqlens_q, seqused_q, first, alibi_slopes, sinks)
    if not is_direct(tensors) or (table is not None and (k.shape[1] < 16 or k.shape[1] % 8)):
        return None
    scale = 1.0 / math.sqrt(q.shape[-1]) if scale is None else float(scale)
    features = Features(scale, float(softcap), "bottom_right", *_features.window_of(causal, window), chunk)
    call = _features.ragged(
        features, cu_seqlens_q, None, lengths, table, q.shape[1], seqused_q, first, alibi_slopes)
    call.update(scales or {})
    if cu_seqlens_q is None:
        return launch(q, k, v, layout="bshd", call=call, sinks=sinks)
    o, lse = launch(q[None], k, v, layout="bshd", call=call, sinks=sinks)
    return o[0], lse[0]


class _Recompute(contextlib.AbstractContextManager):
    def __init__(self, before):
        self._before = before

    def __exit__(self, *exception):
        global _recompute
        _recompute = self._before


def recompute_backward(enabled=True):
    """Lets PyTorch compute gradients, from scores that it computes once more in float32.

    It takes memory and time in O(Sq * Skv), so it is for tests and short sequences until there are kernels.
    Holds from the call on; as a context manager, until its end.
    """
    global _recompute
    before, _recompute = _recompute, bool(enabled)
    return _Recompute(before)
