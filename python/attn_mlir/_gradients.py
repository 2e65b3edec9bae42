"""Gradients of q, k and v by kernels: attn.attention_backward, called with tensors of torch."""

import functools

import torch

from attn_mlir import _attention, _captures, _features, _kernels, _spec
from attn_mlir._kernel import Kernel


def obstacle(call):
    """What of a call of attention() no kernel has gradients for, in words; None where there is nothing. LSE contains
    sinks, which are none: theirs is `of_sinks`."""
    return next((name for name in ("lengths", "block_table") if call.get(name) is not None), None)


@functools.lru_cache(maxsize=256)
def _kernel(text, device):
    target = _attention.target_of(device)
    return Kernel(_kernels.bundle(text, _kernels.options_of(target), target))


def _text_of(problem):
    """A function of attn.attention_backward, with dynamic batch size and lengths."""
    given, regions = problem.sequences, problem.regions

    def tensor(count, dim, is_packed):
        middle = f"{count}x?" if problem.layout == "bhsd" else f"?x{count}"
        return f"tensor<{'1' if is_packed else '?'}x{middle}x{dim}x{problem.element}>"

    q, o = (tensor(problem.heads, dim, given.cu_q) for dim in (problem.qk_dim, problem.value_dim))
    k, v = (tensor(problem.kv_heads, dim, given.cu_k) for dim in (problem.qk_dim, problem.value_dim))
    results = ", ".join((q, k, v))
    if problem.result:
        results = results.replace(f"x{problem.element}>", f"x{problem.result}>")
    lse = f"tensor<{'1' if given.cu_q else '?'}x{problem.heads}x?xf32>"
    operands = {"q": q, "k": k, "v": v, "o": o, "do": o, "lse": lse}
    packing = dict(_spec.sequence_tensors(problem))
    captures = {} if regions is None else {f"c{i}": type for i, type in enumerate(regions.types)}
    types = operands | packing | captures
    clauses = _spec.plain_clauses_of(problem) + "".join(f" {name}(%{name})" for name in packing)
    if captures:
        clauses += f" captures({', '.join(f'%{name}' for name in captures)})"
    return (
        f"func.func @gradients({', '.join(f'%{name}: {type}' for name, type in types.items())}) -> ({results}) {{\n"
        f"  %dq, %dk, %dv = attn.attention_backward {', '.join(f'%{name}' for name in operands)}{clauses}"
        f"{'' if regions is None else regions.bodies}\n"
        f"    : ({', '.join(types.values())}) -> ({results})\n"
        f"  return %dq, %dk, %dv : {results}\n}}\n"
    )


def _up(x):
    """Rows of a multiple of 8 elements, one behind the other."""
    return torch.nn.functional.pad(x, (0, -x.shape[-1] % 8)).contiguous()


def prepared(q, k, v, call, layout, is_wide=False):
    """The kernel, compiled, and what it reads behind LSE; with ``is_wide`` its results are f32."""
    device = _attention.device_of("q", q)
    offsets = call.get("cu_seqlens_q"), call.get("cu_seqlens_k")
    sequences, count = _attention.sequences_of(k, layout, *offsets, None, None)
    shapes = _spec.shapes_of(q.shape, k.shape, v.shape, layout, sequences, count)
    # Numbers are constants of the kernel, however many there were.
    regions, captured = _attention.regions_of(call.get("mask"), call.get("score_mod"), shapes.heads, are_fixed=True)
    mask = _spec.mask_of(call.get("causal", False), call.get("window"))
    element = _spec.element_of("q", q, device.platform == "cpu")
    problem = _attention.problem_of(
        shapes, element, mask, call.get("scale"), layout, True, "", "", regions, sequences)
    problem = problem._replace(result="f32" if is_wide and element != "f32" else "")
    axes = {"batch": shapes.batch if count is None else count, "head": shapes.heads, "query": shapes.queries,
            "key": shapes.keys}
    read = [x.contiguous() for x in offsets if x is not None]
    if regions is not None:
        read += [_captures.for_launch(f"capture {number}", array, capture, axes)
                 for number, (array, capture) in enumerate(zip(captured, regions.captures))]
    return _kernel(_text_of(problem), device), read


def gradients(q, k, v, o, lse, dout, call, layout, is_wide=False):
    """(dQ, dK, dV) of a call for which there is no `obstacle`, from what it returned and the gradient of O."""
    kernel, read = prepared(q, k, v, call, layout, is_wide)
    inputs = [*map(_up, (q, k, v, o, dout)), lse.contiguous(), *read]
    out = None
    if call.get("cu_seqlens_q") is not None or call.get("cu_seqlens_k") is not None:
        # What is of no sequence is not written.
        out = tuple(torch.zeros_like(x, dtype=torch.float32 if is_wide else None) for x in inputs[:3])
    found = kernel(*inputs, out=out)
    return tuple(dx[..., : x.shape[-1]].contiguous() for dx, x in zip(found, (q, k, v)))


def packed_gradients(q, k, v, o, lse, dout, call):
    """The same of sequences one after the other, [tokens, H, D] and LSE [H, tokens]. Tokens of no sequence have gradients
    of zero."""
    found = gradients(*(x[None] for x in (q, k, v, o, lse, dout)), call, "bshd")
    return tuple(dx[0] for dx in found)


def of_sinks(sinks, o, lse, dout, dlse, layout):
    """The gradient of sinks [H], from those of O and of LSE, which may be None. A sink takes the share exp(sink - LSE) of
    each row, and has no value: the share times (dLSE - O * dO), summed over rows."""
    change = -(o.float() * dout.float()).sum(-1)
    change = change.transpose(1, 2) if layout == "bshd" else change
    change = change if dlse is None else change + dlse
    # Rows of nothing but a sink of -inf.
    share = (sinks.float().view(1, -1, 1) - lse).exp().masked_fill(lse == float("-inf"), 0.0)
    return (share * change).sum((0, 2)).to(sinks.dtype)
