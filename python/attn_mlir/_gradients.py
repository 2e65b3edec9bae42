"""Gradients of q, k, v and of what regions read by kernels: attn.attention_backward, called with tensors of torch."""

import functools
import typing

import torch

from attn_mlir import _attention, _blocks, _captures, _kernels, _kinds, _spec
from attn_mlir._kernel import Kernel


def obstacle(call):
    """What of a call of attention() no kernel has gradients for, in words; None where there is nothing. LSE contains
    sinks, which are none: theirs is `of_sinks`."""
    return next((name for name in ("lengths", "block_table") if call.get(name) is not None), None)


@functools.lru_cache(maxsize=256)
def _kernel(text, device):
    target = _attention.target_of(device)
    return Kernel(_kernels.bundle(text, _kernels.options_of(target), target))


class Wanted(typing.NamedTuple):
    """The gradient of a captured tensor, number ``capture`` of those that regions read: its element type, and along
    batch, heads, queries and keys whether it is summed. A kernel sums over one of queries and keys, `sum_to` the rest."""

    capture: int
    element: str
    sums: tuple

    @property
    def has_keys(self):
        return not self.sums[3]

    def type(self, heads, is_packed):
        batch, head, query, key = ("1" if is_sum else size for is_sum, size in zip(self.sums, ("?", heads, "?", "?")))
        batch = "1" if is_packed else batch
        return f"tensor<{batch}x{head}x{f'{query}x{key}' if self.has_keys else '?'}x{self.element}>"

    def sum_to(self, found, like, lead):
        """What a kernel gave, as the gradient of ``like``, which has ``lead`` dimensions fewer than pairs in front, and
        may have fewer behind."""
        found = found if self.has_keys else found[..., None]
        found = found.sum(2, keepdim=True) if self.sums[2] else found
        sizes = [1] * lead + list(like.shape)
        sizes += [1] * (4 - len(sizes))
        # Of what lies behind the last query or key nothing is read.
        padding = [n for size, own in zip(reversed(sizes), reversed(found.shape)) for n in (0, size - own)]
        found = torch.nn.functional.pad(found, padding) if any(padding) else found
        return found.reshape(like.shape).to(like.dtype)

    def sum_packed(self, found, like, starts):
        """The same of a sum over keys of packed queries, which begin at ``starts``: of a number of each head, or of each
        head of each sequence."""
        rows = found[0].double()
        if not self.sums[0]:
            places = torch.arange(rows.shape[-1], device=rows.device)
            of_places = torch.searchsorted(starts[1:].contiguous().long(), places, right=True)
            numbers = torch.arange(starts.shape[0] - 1, device=rows.device)
            # Sums in one order, unlike those of index_add.
            rows = (of_places == numbers[:, None]).double() @ rows.T
        else:
            rows = rows.sum(-1)
        return rows.reshape(like.shape).to(like.dtype)


def wanted_of(captured, array, lead, element):
    """The Wanted of a tensor among those captured, which has no dimensions for the first ``lead`` of batch, heads,
    queries and keys, nor for those behind its own."""
    number = next(i for i, other in enumerate(captured) if _is_same(other, array))
    sizes = [1] * lead + list(array.shape)
    sums = tuple(size == 1 for size in sizes + [1] * (4 - len(sizes)))
    # What is summed once more is not rounded before.
    is_whole = not (sums[2] and sums[3]) and array.dtype != torch.float32
    return Wanted(number, element if is_whole else "f32", sums)


def _is_same(captured, array):
    return torch.is_tensor(captured) and captured.dtype == array.dtype and captured.data_ptr() == array.data_ptr()


def _text_of(problem, has_lse_gradient=False, wanted=(), key_types=()):
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
    results += "".join(f", {own.type(problem.heads, bool(given.cu_q))}" for own in wanted)
    names = ["%dq", "%dk", "%dv", *(f"%dc{i}" for i in range(len(wanted)))]
    lse = f"tensor<{'1' if given.cu_q else '?'}x{problem.heads}x?xf32>"
    operands = {"q": q, "k": k, "v": v, "o": o, "do": o, "lse": lse}
    packing = dict(_spec.sequence_tensors(problem))
    blocks = dict(_blocks.gradient_tensors_of(problem.blocks, key_types))
    captures = {} if regions is None else {f"c{i}": type for i, type in enumerate(regions.types)}
    of_lse = {"dlse": lse} if has_lse_gradient else {}
    types = operands | of_lse | packing | blocks | captures
    clauses = " lse_gradient(%dlse)" if has_lse_gradient else ""
    clauses += _spec.plain_clauses_of(problem) + "".join(f" {name}(%{name})" for name in packing)
    clauses += _blocks.gradient_clause_of(problem.blocks)
    if captures:
        clauses += f" captures({', '.join(f'%{name}' for name in captures)})"
    if wanted:
        clauses += f" of([{', '.join(str(own.capture) for own in wanted)}])"
    return (
        f"func.func @gradients({', '.join(f'%{name}: {type}' for name, type in types.items())}) -> ({results}) {{\n"
        f"  {', '.join(names)} = attn.attention_backward {', '.join(f'%{name}' for name in operands)}{clauses}"
        f"{'' if regions is None else regions.bodies}\n"
        f"    : ({', '.join(types.values())}) -> ({results})\n"
        f"  return {', '.join(names)} : {results}\n}}\n"
    )


def _up(x):
    """Rows of a multiple of 8 elements, one behind the other, which begin at a multiple of 16 bytes."""
    # A pad of nothing would be a copy.
    x = torch.nn.functional.pad(x, (0, -x.shape[-1] % 8)) if x.shape[-1] % 8 else x.contiguous()
    return x if x.data_ptr() % 16 == 0 else x.clone()


def prepared(q, k, v, call, layout, is_wide=False, has_lse_gradient=False, of=()):
    """The kernel, compiled, and what it reads behind LSE and its gradient, if it has one; with ``is_wide`` its results
    are f32. ``of``: tensors that regions read, and how many dimensions they lack in front, whose gradients are more
    results; a Wanted for each is what comes third."""
    heads = q.shape[1 if layout == "bhsd" else 2]
    # Numbers are constants of the kernel, however many there were.
    regions, captured = call.get("traced") or _attention.regions_of(
        call.get("mask"), call.get("score_mod"), heads, are_fixed=True)
    offsets = call.get("cu_seqlens_q"), call.get("cu_seqlens_k")
    causal, window = call.get("causal", False), call.get("window")
    key = None if of or call.get("blocks") is not None else _kinds.key_of(
        q, k, v, (*offsets, *captured), (), None, None, call.get("scale"),
        (type(causal), causal, window, layout, is_wide, has_lse_gradient, regions))
    found, key = _kinds.known(_known, key)
    if found is not None:
        kernel, axes = found
        return kernel, _read(offsets, [], regions, captured, axes), ()
    kernel, axes, lists, wanted = _prepared(q, k, v, call, layout, is_wide, has_lse_gradient, of, regions, captured, offsets)
    if key is not None:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[key] = kernel, axes
    return kernel, _read(offsets, lists, regions, captured, axes), wanted


_known, _MOST_KNOWN = {}, 1024


def _read(offsets, lists, regions, captured, axes):
    """What a kernel reads behind LSE and its gradient."""
    read = [x.contiguous() for x in offsets if x is not None] + lists
    if regions is not None:
        read += [_captures.for_launch(f"capture {number}", array, capture, axes)
                 for number, (array, capture) in enumerate(zip(captured, regions.captures))]
    return read


def _prepared(q, k, v, call, layout, is_wide, has_lse_gradient, of, regions, captured, offsets):
    """The kernel, sizes of its axes, lists of blocks and a Wanted for each of ``of``."""
    device = _attention.device_of("q", q)
    sequences, count = _attention.sequences_of(k, layout, *offsets, None, None)
    shapes = _spec.shapes_of(q.shape, k.shape, v.shape, layout, sequences, count)
    mask = _spec.mask_of(call.get("causal", False), call.get("window"))
    element = _spec.element_of("q", q, device.platform == "cpu")
    problem = _attention.problem_of(
        shapes, element, mask, call.get("scale"), layout, True, "", "", regions, sequences)
    blocks, lists, key_types = _blocks_of(call.get("blocks"), shapes)
    problem = problem._replace(result="f32" if is_wide and element != "f32" else "", blocks=blocks)
    axes = {"batch": shapes.batch if count is None else count, "head": shapes.heads, "query": shapes.queries,
            "key": shapes.keys}
    element = "f32" if is_wide else element
    wanted = tuple(wanted_of(captured, array, lead, element if array.dtype == q.dtype else "f32") for array, lead in of)
    return _kernel(_text_of(problem, has_lse_gradient, wanted, key_types), device), axes, lists, wanted


def _blocks_of(given, shapes):
    """(Blocks, their arrays, types of those by keys) of (sizes, lists by queries, lists by keys)."""
    if given is None:
        return None, [], ()
    sizes, lists, by_keys = given
    blocks, named = _blocks.checked((sizes, *lists), shapes)
    key_types, key_named = _blocks.checked_by_keys(sizes, by_keys, shapes)
    return blocks, [_blocks.tight(array) for _, array in named + key_named], key_types


def gradients(q, k, v, o, lse, dout, call, layout, is_wide=False, dlse=None, of=()):
    """(dQ, dK, dV) of a call for which there is no `obstacle`, from what it returned and the gradients of O and, where
    there is one, of LSE; and behind them those ``of`` tensors that regions read, as `prepared` takes them."""
    kernel, read, wanted = prepared(q, k, v, call, layout, is_wide, dlse is not None, of)
    rows = [lse.contiguous()] + ([] if dlse is None else [dlse.float().contiguous()])
    inputs = [*map(_up, (q, k, v, o, dout)), *rows, *read]
    out = None if wanted else tuple(torch.empty_like(x, dtype=torch.float32 if is_wide else None) for x in inputs[:3])
    if call.get("cu_seqlens_q") is not None or call.get("cu_seqlens_k") is not None:
        # What is of no sequence is not written.
        out = tuple(torch.zeros_like(x, dtype=torch.float32 if is_wide else None) for x in inputs[:3])
        out += tuple(torch.zeros((1, 1 if x.sums[1] else lse.shape[1], lse.shape[2]), device=q.device) for x in wanted)
    found = kernel(*inputs, out=out)
    own = tuple(dx if dx.shape == x.shape else dx[..., : x.shape[-1]].contiguous() for dx, x in zip(found, (q, k, v)))
    starts = call.get("cu_seqlens_q")
    return own + tuple(x.sum_to(dx, array, lead) if starts is None else x.sum_packed(dx, array, starts)
                       for x, dx, (array, lead) in zip(wanted, found[3:], of))


def packed_gradients(q, k, v, o, lse, dout, call, dlse=None, slopes=None):
    """The same of sequences one after the other, [tokens, H, D] and LSE [H, tokens], and behind them of ``slopes``, [H] or
    [sequences, H]. Tokens of no sequence have gradients of zero."""
    of = [] if slopes is None else [(slopes, 2 - slopes.dim())]
    found = gradients(*(x[None] for x in (q, k, v, o, lse, dout)), call, "bshd",
                      dlse=None if dlse is None else dlse[None], of=of)
    return tuple(dx[0] for dx in found[:3]) + found[3:]


def of_sinks(sinks, o, lse, dout, dlse, layout):
    """The gradient of sinks [H], from those of O and of LSE, which may be None. A sink takes the share exp(sink - LSE) of
    each row, and has no value: the share times (dLSE - O * dO), summed over rows."""
    change = -(o.float() * dout.float()).sum(-1)
    change = change.transpose(1, 2) if layout == "bshd" else change
    change = change if dlse is None else change + dlse
    # Rows of nothing but a sink of -inf.
    share = (sinks.float().view(1, -1, 1) - lse).exp().masked_fill(lse == float("-inf"), 0.0)
    return (share * change).sum((0, 2)).to(sinks.dtype)
