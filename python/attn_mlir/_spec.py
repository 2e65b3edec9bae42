"""What is computed, as MLIR text: all that a kernel is compiled for, and nothing that varies by call."""

import collections
import math

from ._errors import ArgumentError

LAYOUTS = ("bhsd", "bshd")
_ELEMENTS = {"float16": "f16", "bfloat16": "bf16", "float32": "f32"}
MOST_DIM = 256

Shapes = collections.namedtuple("Shapes", "batch heads kv_heads queries keys qk_dim value_dim")

Problem = collections.namedtuple(
    "Problem", "element heads kv_heads qk_dim value_dim mask scale layout lse lengths sinks regions result", defaults=("",))
Problem.__doc__ = """``mask`` is an attribute as text, or ""; ``lengths`` and ``sinks`` their element types, or ""; ``regions`` a Traced
or None; ``result`` O's element type, or "" for Q's."""


def element_of(name, array, is_cpu):
    """The element type of Q, K or V."""
    dtype = str(array.dtype).rsplit(".", 1)[-1]
    element = _ELEMENTS.get(dtype)
    wanted = "float16, bfloat16 or float32" if is_cpu else "float16 or bfloat16 (float32 is for the CPU)"
    if element is None or (element == "f32" and not is_cpu):
        raise ArgumentError(f"{name}: expected element type {wanted}, but got {dtype}")
    return element


def shapes_of(q, k, v, layout):
    """Sizes of Q, K and V, which must fit each other. ``q``, ``k``, ``v`` are shapes."""
    if layout not in LAYOUTS:
        raise ArgumentError(f"layout: expected 'bhsd' or 'bshd', but got {layout!r}")
    for name, shape in (("q", q), ("k", k), ("v", v)):
        if len(shape) != 4:
            raise ArgumentError(f"{name}: expected 4 dimensions ({layout}), but got {len(shape)}: {tuple(shape)}")
    head, length = (1, 2) if layout == "bhsd" else (2, 1)
    for name, dim, what in (("k", 0, "batch size"), ("v", 0, "batch size")):
        other = k if name == "k" else v
        if other[dim] != q[dim]:
            raise ArgumentError(f"{name}: expected {what} {q[dim]}, as q has, but got {other[dim]}")
    if v[head] != k[head] or v[length] != k[length]:
        raise ArgumentError(
            f"v: expected {k[head]} heads and {k[length]} keys, as k has, but got {v[head]} and {v[length]}")
    if k[3] != q[3]:
        raise ArgumentError(f"k: expected head dimension {q[3]}, as q has, but got {k[3]}")
    if q[head] < 1 or k[head] < 1 or q[head] % k[head]:
        raise ArgumentError(
            f"q: expected a multiple of the {k[head]} heads of k, and 1 or more, but got {q[head]} heads")
    for name, dim in (("q", q[3]), ("v", v[3])):
        if not 1 <= dim <= MOST_DIM:
            raise ArgumentError(f"{name}: expected a head dimension from 1 to {MOST_DIM}, but got {dim}")
    return Shapes(q[0], q[head], k[head], q[length], k[length], q[3], v[3])


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


def _clauses(problem):
    text = f" mask({problem.mask})" if problem.mask else ""
    text += f" scale({problem.scale:.9e})"
    if problem.layout != "bhsd":
        text += f" layout({problem.layout})"
    if problem.lengths:
        text += f" lengths(%lengths : tensor<?x{problem.lengths}>)"
    if problem.sinks:
        text += f" sinks(%sinks : tensor<{problem.heads}x{problem.sinks}>)"
    if problem.regions is not None:
        text += problem.regions.clauses
        if problem.regions.sorted:
            text += f"\n    {{sorted = array<i64: {', '.join(map(str, problem.regions.sorted))}>}}"
    return text


def text_of(problem):
    """A function of attn.attention, with dynamic batch size and lengths."""
    heads, kv_heads = problem.heads, problem.kv_heads

    def tensor(count, dim, element=problem.element):
        middle = f"{count}x?" if problem.layout == "bhsd" else f"?x{count}"
        return f"tensor<?x{middle}x{dim}x{element}>"

    q, k = tensor(heads, problem.qk_dim), tensor(kv_heads, problem.qk_dim)
    v, o = tensor(kv_heads, problem.value_dim), tensor(heads, problem.value_dim, problem.result or problem.element)
    types = problem.regions.types if problem.regions is not None else []
    arguments = [f"%q: {q}", f"%k: {k}", f"%v: {v}"]
    if problem.lengths:
        arguments.append(f"%lengths: tensor<?x{problem.lengths}>")
    arguments += [f"%c{i}: {type}" for i, type in enumerate(types)]
    if problem.sinks:
        arguments.append(f"%sinks: tensor<{heads}x{problem.sinks}>")
    numbers = problem.regions.numbers if problem.regions is not None else []
    arguments += [f"%n{i}: {type}" for i, (type, _) in enumerate(numbers)]
    lse = f"tensor<?x{heads}x?xf32>"
    values, results = ("%o, %lse", f"{o}, {lse}") if problem.lse else ("%o", o)
    shown = f"({results})" if problem.lse else results
    return (
        f"func.func @attention({', '.join(arguments)}) -> {shown} {{\n"
        f"  {values} = attn.attention %q, %k, %v{_clauses(problem)}\n"
        f"    : ({q}, {k}, {v}) -> {shown}\n"
        f"  return {values} : {results}\n}}\n"
    )
