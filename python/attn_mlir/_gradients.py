"""Gradients of q, k and v by kernels: attn.attention_backward, called with tensors of torch."""

import functools

import torch

from attn_mlir import _attention, _features, _kernels, _spec
from attn_mlir._kernel import Kernel


def obstacle(call):
    """What of a call of attention() no kernel has gradients for, in words; None where there is nothing. LSE contains
    sinks, which are none: theirs is `of_sinks`."""
    for name in ("mask", "lengths", "cu_seqlens_q", "cu_seqlens_k", "block_table"):
        if call.get(name) is not None:
            return name
    if call.get("score_mod") is not None:
        _, captured = _attention.regions_of(None, call["score_mod"], 1, are_fixed=True)
        if captured:
            return "a score_mod that reads arrays"
    return None


@functools.lru_cache(maxsize=256)
def _kernel(problem, device):
    target = _attention.target_of(device)
    return Kernel(_kernels.bundle(_text_of(problem), _kernels.options_of(target), target))


def _text_of(problem):
    """A function of attn.attention_backward, with dynamic batch size and lengths."""
    def tensor(count, dim):
        middle = f"{count}x?" if problem.layout == "bhsd" else f"?x{count}"
        return f"tensor<?x{middle}x{dim}x{problem.element}>"

    q, o = (tensor(problem.heads, dim) for dim in (problem.qk_dim, problem.value_dim))
    k, v = (tensor(problem.kv_heads, dim) for dim in (problem.qk_dim, problem.value_dim))
    results = ", ".join((q, k, v))
    if problem.result:
        results = results.replace(f"x{problem.element}>", f"x{problem.result}>")
    lse = f"tensor<?x{problem.heads}x?xf32>"
    names = ("q", "k", "v", "o", "do", "lse")
    types = (q, k, v, o, o, lse)
    arguments = ", ".join(f"%{name}: {type}" for name, type in zip(names, types))
    operands = ", ".join(f"%{name}" for name in names)
    return (
        f"func.func @gradients({arguments}) -> ({results}) {{\n"
        f"  %dq, %dk, %dv = attn.attention_backward {operands}{_spec.clauses_of(problem)}\n"
        f"    : ({', '.join(types)}) -> ({results})\n"
        f"  return %dq, %dk, %dv : {results}\n}}\n"
    )


def _up(x):
    """Rows of a multiple of 8 elements, one behind the other."""
    return torch.nn.functional.pad(x, (0, -x.shape[-1] % 8)).contiguous()


def kernel_of(q, k, v, call, layout, is_wide=False):
    """The kernel, compiled; with ``is_wide`` its results are f32."""
    device = _attention.device_of("q", q)
    shapes = _spec.shapes_of(q.shape, k.shape, v.shape, layout)
    # Numbers are constants of the kernel, however many there were.
    regions, _ = _attention.regions_of(None, call.get("score_mod"), shapes.heads, are_fixed=True)
    mask = _spec.mask_of(call.get("causal", False), call.get("window"))
    element = _spec.element_of("q", q, device.platform == "cpu")
    problem = _attention.problem_of(shapes, element, mask, call.get("scale"), layout, True, "", "", regions)
    return _kernel(problem._replace(result="f32" if is_wide and element != "f32" else ""), device)


def gradients(q, k, v, o, lse, dout, call, layout, is_wide=False):
    """(dQ, dK, dV) of a call for which there is no `obstacle`, from what it returned and the gradient of O."""
    kernel = kernel_of(q, k, v, call, layout, is_wide)
    found = kernel(*map(_up, (q, k, v, o, dout)), lse.contiguous())
    return tuple(dx[..., : x.shape[-1]].contiguous() for dx, x in zip(found, (q, k, v)))


def packed_gradients(q, k, v, o, lse, dout, features, cu_q, cu_k, used_q, used_k):
    """The same of sequences one after the other, [tokens, H, D] and LSE [H, tokens]: a launch for each sequence, whose
    places the host reads. Tokens of no sequence have gradients of zero."""
    found = [torch.zeros_like(x, memory_format=torch.contiguous_format) for x in (q, k, v)]
    starts_q, starts_k = cu_q.tolist(), cu_k.tolist()
    held_q = (cu_q[1:] - cu_q[:-1] if used_q is None else used_q).tolist()
    held_k = (cu_k[1:] - cu_k[:-1] if used_k is None else used_k).tolist()
    for i, j, queries, keys in zip(starts_q, starts_k, held_q, held_k):
        if queries == 0 or keys == 0:
            continue
        rows, columns = slice(i, i + queries), slice(j, j + keys)
        call = _features.dense(features, 1, queries, keys, q.device, has_own_kernels=True)
        parts = [x[place][None] for x, place in ((q, rows), (k, columns), (v, columns), (o, rows))]
        sums = gradients(*parts, lse[None, :, rows], dout[rows][None], call, "bshd")
        for whole, place, part in zip(found, (rows, columns, columns), sums):
            whole[place] = part[0]
    return tuple(found)


def of_sinks(sinks, o, lse, dout, dlse, layout):
    """The gradient of sinks [H], from those of O and of LSE, which may be None. A sink takes the share exp(sink - LSE) of
    each row, and has no value: the share times (dLSE - O * dO), summed over rows."""
    change = -(o.float() * dout.float()).sum(-1)
    change = change.transpose(1, 2) if layout == "bshd" else change
    change = change if dlse is None else change + dlse
    # Rows of nothing but a sink of -inf.
    share = (sinks.float().view(1, -1, 1) - lse).exp().masked_fill(lse == float("-inf"), 0.0)
    return (share * change).sum((0, 2)).to(sinks.dtype)
