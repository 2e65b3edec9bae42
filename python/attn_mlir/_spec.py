"""What is computed, as MLIR text: all that a kernel is compiled for, and nothing that varies by call."""

import collections
import math

from . import _appended, _blocks
from ._errors import ArgumentError

LAYOUTS = ("bhsd", "bshd")
_ELEMENTS = {"float16": "f16", "bfloat16": "bf16", "float32": "f32"}
FLOAT8 = {"float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2", "float8_e4m3fnuz": "f8E4M3FNUZ"}
MOST_DIM = 256
MOST_WIDE_DIM = 1024  # Without gradients, and not of FP8.

Shapes = collections.namedtuple("Shapes", "batch heads kv_heads queries keys qk_dim value_dim sequences", defaults=(None,))
Shapes.__doc__ = """``batch`` is the first dimension of q, ``sequences`` how many are packed in it, or None: as many."""

# Element types of what says where sequences lie, "" where nothing does, and the keys of a page, or 0.
Sequences = collections.namedtuple("Sequences", "cu_q cu_k table page", defaults=("", "", "", 0))

Problem = collections.namedtuple(
    "Problem",
    "element heads kv_heads qk_dim value_dim mask scale layout lse lengths sinks regions sequences result scales values cache "
    "blocks append scale_block earlier",
    defaults=(Sequences(), "", ("", "", ""), "", "", None, None, None, False))
Problem.__doc__ = """``mask`` is an attribute as text, or ""; ``lengths`` and ``sinks`` their element types, or ""; ``regions`` a Traced
or None; ``result`` O's element type, or "" for Q's; ``scales`` sizes of those of Q, K and V ("?x8"), or "", ``scale_block`` the keys that share one, or None; ``values``
"interleaved" for V by columns, "rows" for rows that the program arranges so, "keys" for V that is the first columns of K, ""
where the kernel takes rows; ``cache`` the element type of K and V, or "" for Q's; ``blocks`` a Blocks or None; ``append`` a
Spec of what is written to K and V first, or None; ``earlier`` whether O and LSE of other keys are merged into the results."""


def element_of(name, array, is_cpu):
    """The element type of Q, K or V."""
    dtype = str(array.dtype).rsplit(".", 1)[-1]
    element = _ELEMENTS.get(dtype) or FLOAT8.get(dtype)
    wanted = "float16, bfloat16, float32 or float8" if is_cpu else "float16, bfloat16 or float8 (float32 is for the CPU)"
    if element is None or (element == "f32" and not is_cpu):
        raise ArgumentError(f"{name}: expected element type {wanted}, but got {dtype}")
    return element


def shapes_of(q, k, v, layout, sequences=Sequences(), count=None, table=None, most=MOST_DIM):
    """Sizes of Q, K and V, which must fit each other. ``q``, ``k``, ``v`` are shapes; ``count`` is how many
    sequences there are, where ``sequences`` say where they lie; ``table`` is the shape of the table of pages."""
    if layout not in LAYOUTS:
        raise ArgumentError(f"layout: expected 'bhsd' or 'bshd', but got {layout!r}")
    for name, shape in (("q", q), ("k", k), ("v", v)):
        if len(shape) != 4:
            raise ArgumentError(f"{name}: expected 4 dimensions ({layout}), but got {len(shape)}: {tuple(shape)}")
    head, length = (1, 2) if layout == "bhsd" else (2, 1)
    _check_batches(q, k, v, sequences, q[0] if count is None else count)
    if v[head] != k[head] or v[length] != k[length]:
        raise ArgumentError(
            f"v: expected {k[head]} heads and {k[length]} keys, as k has, but got {v[head]} and {v[length]}")
    if k[3] != q[3]:
        raise ArgumentError(f"k: expected head dimension {q[3]}, as q has, but got {k[3]}")
    if q[head] < 1 or k[head] < 1 or q[head] % k[head]:
        raise ArgumentError(
            f"q: expected a multiple of the {k[head]} heads of k, and 1 or more, but got {q[head]} heads")
    for name, dim in (("q", q[3]), ("v", v[3])):
        if not 1 <= dim <= most:
            raise ArgumentError(f"{name}: expected a head dimension from 1 to {most}, but got {dim}")
    keys = k[length] if table is None else table[1] * k[length]
    return Shapes(q[0], q[head], k[head], q[length], keys, q[3], v[3], count)


def _check_batches(q, k, v, sequences, count):
    """First dimensions: one of packed sequences, any number of pages, or one for each sequence."""
    if sequences.cu_q and q[0] != 1:
        raise ArgumentError(f"q: expected batch size 1, since cu_seqlens_q packs its sequences, but got {q[0]}")
    if not sequences.cu_q and q[0] != count:
        raise ArgumentError(f"q: expected batch size {count}, one for each sequence, but got {q[0]}")
    for name, shape in (("k", k), ("v", v)):
        if sequences.table:
            wanted, why = k[0], "as k has pages"
        elif sequences.cu_k:
            wanted, why = 1, "since cu_seqlens_k packs its sequences"
        else:
            wanted, why = count, "as q has" if not sequences.cu_q else "one for each sequence"
        if shape[0] != wanted:
            raise ArgumentError(f"{name}: expected batch size {wanted}, {why}, but got {shape[0]}")


def scale_of(scale, qk_dim):
    if scale is None:
        return qk_dim**-0.5
    try:
        number = float(scale)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise ArgumentError(f"scale: expected a finite number, but got {scale!r}")
    return number


def _bound(name, value):
    if value is None:
        return -1
    if isinstance(value, bool) or not isinstance(value, int) or value < -1:
        raise ArgumentError(f"window: expected {name} as a number of keys, 0 or more, or -1 or None for all, but got {value!r}")
    return value


def mask_of(causal, window):
    """The mask attribute of ``causal`` and ``window`` as text, or ""."""
    if causal not in (False, True, None, "top_left", "bottom_right"):
        raise ArgumentError(f"causal: expected False, True, 'top_left' or 'bottom_right', but got {causal!r}")
    align = "top_left" if causal == "top_left" else "bottom_right"
    if isinstance(window, (tuple, list)):
        if len(window) != 2:
            raise ArgumentError(f"window: expected a number or a pair (left, right), but got {window!r}")
        left, right = _bound("left", window[0]), _bound("right", window[1])
    else:
        left, right = _bound("left", window), -1
    if causal:
        right = 0
    if left < 0 and right < 0:
        return ""
    if left < 0 and right == 0:
        return f"#attn.causal<{align}>"
    return f"#attn.window<left = {left}, right = {right}, align = {align}>"


def is_float8(element):
    return element in FLOAT8.values()


def cache_of(element, q, k, v, is_cpu):
    """The element type of K and V where it is not that of Q: FP8, with queries of 16 bits; else ""."""
    of_keys, of_values = element_of("k", k, is_cpu), element_of("v", v, is_cpu)
    is_narrow = is_float8(of_keys) and element in ("f16", "bf16")
    if of_keys != element and not is_narrow:
        raise ArgumentError(f"k: expected element type {q.dtype}, as q has, but got {k.dtype}")
    if of_values != of_keys:
        raise ArgumentError(f"v: expected element type {k.dtype}, as {'k' if is_narrow else 'q'} has, but got {v.dtype}")
    return of_keys if is_narrow else ""


def granule_of(element, cache=""):
    """What head dimensions are padded to a multiple of."""
    return 32 if is_float8(element) else 16 if cache else 8


def plain_clauses_of(problem):
    """What follows from the problem alone."""
    text = f" mask({problem.mask})" if problem.mask else ""
    text += f" scale({problem.scale:.9e})"
    return text if problem.layout == "bhsd" else f"{text} layout({problem.layout})"


def clauses_of(problem):
    text = plain_clauses_of(problem)
    if problem.values:
        text += f" values({'keys' if problem.values == 'keys' else 'interleaved'})"
    if problem.scale_block is not None:
        text += f" scale_block({problem.scale_block})"
    if problem.lengths:
        text += f" lengths({_appended.operands_of(problem)[3]} : tensor<?x{problem.lengths}>)"
    text += "".join(f" {name}(%{name} : {type})" for name, type in sequence_tensors(problem))
    text += _blocks.clause_of(problem.blocks)
    if problem.sinks:
        text += f" sinks(%sinks : tensor<{problem.heads}x{problem.sinks}>)"
    text += "".join(f" {name}(%{name} : {type})" for name, type in _scale_tensors(problem) + _earlier_tensors(problem))
    if problem.regions is not None:
        text += problem.regions.clauses
        if problem.regions.sorted:
            text += f"\n    {{sorted = array<i64: {', '.join(map(str, problem.regions.sorted))}>}}"
    return text


def sequence_tensors(problem):
    """What says where sequences lie: names and types."""
    given = problem.sequences
    tensors = (("cu_seqlens_q", "?", given.cu_q), ("cu_seqlens_k", "?", given.cu_k), ("block_table", "?x?", given.table))
    return [(name, f"tensor<{sizes}x{element}>") for name, sizes, element in tensors if element]


def _scale_tensors(problem):
    """Scales of Q, K and V: names and types."""
    names = ("q_scale", "k_scale", "v_scale")
    return [(name, f"tensor<{sizes}xf32>") for name, sizes in zip(names, problem.scales) if sizes]


def _earlier_tensors(problem):
    """O and LSE of other keys: names and types."""
    if not problem.earlier:
        return []
    middle = f"{problem.heads}x?" if problem.layout == "bhsd" else f"?x{problem.heads}"
    return [("earlier_o", f"tensor<?x{middle}x{problem.value_dim}xf32>"), ("earlier_lse", f"tensor<?x{problem.heads}x?xf32>")]


def text_of(problem):
    """A function of attn.attention, with dynamic batch size and lengths."""
    heads, kv_heads = problem.heads, problem.kv_heads

    given = problem.sequences

    def tensor(count, dim, is_packed, rows="?", element=problem.element):
        middle = f"{count}x{rows}" if problem.layout == "bhsd" else f"{rows}x{count}"
        return f"tensor<{'1' if is_packed else '?'}x{middle}x{dim}x{element}>"

    q = tensor(heads, problem.qk_dim, given.cu_q)
    o = tensor(heads, problem.value_dim, given.cu_q, element=problem.result or problem.element)
    k, v = (tensor(kv_heads, dim, given.cu_k, given.page or "?", problem.cache or problem.element)
            for dim in (problem.qk_dim, problem.value_dim))
    rows, columns = v, f"tensor<?x{kv_heads}x{problem.value_dim}x?x{problem.element}>"
    v = columns if problem.values in ("rows", "interleaved") else rows
    arranged = ""
    if problem.values == "rows":
        order = " layout(bshd)" if problem.layout == "bshd" else ""
        arranged = f"  %v = attn.arrange_values %rows{order} : {rows} -> {columns}\n"
    types = problem.regions.types if problem.regions is not None else []
    arguments = [f"%q: {q}", f"%k: {k}", f"%rows: {rows}" if arranged else f"%v: {v}"]
    if problem.lengths:
        arguments.append(f"%lengths: tensor<?x{problem.lengths}>")
    arguments += [f"%{name}: {type}" for name, type in sequence_tensors(problem) + _blocks.tensors_of(problem.blocks)]
    arguments += [f"%c{i}: {type}" for i, type in enumerate(types)]
    if problem.sinks:
        arguments.append(f"%sinks: tensor<{heads}x{problem.sinks}>")
    arguments += [f"%{name}: {type}" for name, type in _scale_tensors(problem) + _appended.tensors_of(problem) + _earlier_tensors(problem)]
    numbers = problem.regions.numbers if problem.regions is not None else []
    arguments += [f"%n{i}: {type}" for i, (type, _) in enumerate(numbers)]
    lse = f"tensor<{'1' if given.cu_q else '?'}x{heads}x?xf32>"
    values, results = ("%o, %lse", f"{o}, {lse}") if problem.lse else ("%o", o)
    shown = f"({results})" if problem.lse else results
    operands = _appended.operands_of(problem)
    text = (
        f"{arranged}{_appended.text_of(problem, q, k, v, _scale_tensors(problem))}"
        f"  {values} = attn.attention {', '.join(operands[:3])}{clauses_of(problem)}\n"
        f"    : ({q}, {k}, {v}) -> {shown}\n"
    )
    if problem.append is not None:
        values, results = f"{values}, {', '.join(operands[1:3])}", f"{results}, {k}, {v}"
        shown = f"({results})"
    return f"func.func @attention({', '.join(arguments)}) -> {shown} {{\n{text}  return {values} : {results}\n}}\n"
