"""New keys and values into caches, and rotary embedding, by kernels: programs of `attn.append_cache` and `attn.rotate`.

A CTA takes some heads of one token, finds its place by numbers on the device, and writes them there. What has no place (a length or
a number of no page, a place behind the cache or the table's pages) is left out.
"""

import functools

import torch

from attn_mlir import _attention, _float8, _kernels, _spec
from attn_mlir._errors import ArgumentError, NoVariantError
from attn_mlir._kernel import Kernel

MOST_COLUMNS = 256
_INDICES = {torch.int32: "i32", torch.int64: "i64"}
_FLOATS = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32"}
FLOAT8 = {getattr(torch, name): element for name, element in _spec.FLOAT8.items() if hasattr(torch, name)}
_OCP = ("f8E4M3FN", "f8E5M2")


def _rows(count, heads, dim, element):
    return f"tensor<{count}x?x{heads}x{dim}x{element}>"


def _numbers(element, rank=1):
    return f"tensor<{'?x' * rank}{element}>"


def text_of_append(heads, dims, element, lengths, table="", starts="", angles=0, turns="", interleaved=False, cache="", scales=("", "")):
    """A function that appends to K and V of ``dims`` columns; ``lengths``, ``table`` and ``starts`` are their elements, the
    latter "" where there are none; ``angles`` and ``turns`` the number and element of those of rotary embedding; ``cache`` the type of
    FP8 that caches have, ``scales`` sizes of those of K and V."""
    new = [_rows("1" if starts else "?", heads, dim, element) for dim in dims]
    caches = [_rows("?", heads, dim, cache or element) for dim in dims]
    more = []
    if table:
        more.append(("table", _numbers(table, 2), " block_table(%table)"))
    if starts:
        more.append(("starts", _numbers(starts), " cu_seqlens(%starts)"))
    if angles:
        more.append(("cos", f"tensor<?x{angles}x{turns}>", " rotary(%cos, %sin)" + " interleaved" * interleaved))
        more.append(("sin", f"tensor<?x{angles}x{turns}>", ""))
    more += [(name, f"tensor<{sizes}xf32>", f" {name}(%{name})") for name, sizes in zip(("k_scale", "v_scale"), scales) if sizes]
    types = [*new, *caches, _numbers(lengths), *(type for _, type, _ in more)]
    names = ["k", "v", "k_cache", "v_cache", "lengths", *(name for name, _, _ in more)]
    results = ", ".join([*caches, _numbers(lengths)])
    return (
        f"func.func @append({', '.join(f'%{name}: {type}' for name, type in zip(names, types))}) -> ({results}) {{\n"
        f"  %kc, %vc, %n = attn.append_cache %k, %v to %k_cache, %v_cache at %lengths{''.join(clause for *_, clause in more)} layout(bshd)\n"
        f"    : ({', '.join(types)}) -> ({results})\n  return %kc, %vc, %n : {results}\n}}\n"
    )


def text_of_rotate(heads, dim, element, lengths, angles, turns, starts="", interleaved=False, together=False):
    """A function that turns rows of X."""
    x = _rows("1" if starts else "?", heads, dim, element)
    types = [x, _numbers(lengths), *[f"tensor<?x{angles}x{turns}>"] * 2, *[_numbers(starts)] * bool(starts)]
    names = ["x", "lengths", "cos", "sin", "starts"]
    words = " interleaved" * interleaved + " together" * together + " cu_seqlens(%starts)" * bool(starts)
    return (
        f"func.func @rotate({', '.join(f'%{name}: {type}' for name, type in zip(names, types))}) -> {x} {{\n"
        f"  %y = attn.rotate %x at %lengths by %cos, %sin{words} layout(bshd)\n"
        f"    : ({', '.join(types)}) -> {x}\n  return %y : {x}\n}}\n"
    )


@functools.lru_cache(maxsize=256)
def _kernel(text_of, device, arguments, keywords=()):
    target = _attention.target_of(device)
    return Kernel(_kernels.bundle(text_of(*arguments, **dict(keywords)), _kernels.options_of(target), target))


def _launched(kernel, inputs, out):
    """Whether a variant takes these arrays, and has been launched."""
    try:
        kernel(*inputs, out=out)
    except NoVariantError:
        return False  # Strides, or where they begin.
    return True


def _converts(target, element):
    """Whether a target has instructions that convert to a type of FP8."""
    if target.arch in ("host", "gfx942", "gfx950"):
        return target.arch == "host" or (element in _OCP) == (target.arch == "gfx950")
    return element in _OCP and int("".join(filter(str.isdigit, target.arch))) >= 89


def narrows(device, new, cache):
    """Whether the kernel rounds such tokens to what the cache has, which is FP8."""
    element = FLOAT8.get(cache.dtype)
    return element is not None and new.dtype in _FLOATS and _converts(_attention.target_of(device), element)


def _check(cache, new, what):
    if tuple(cache.shape[2:]) != tuple(new.shape[-2:]):
        raise ArgumentError(
            f"{what}: expected heads and head dimension {tuple(cache.shape[2:])}, as the cache has, but got {tuple(new.shape[-2:])}")


def _words(x):
    """An array that is only moved, as words of 32 bits, or None where rows are not whole ones."""
    if x.element_size() * x.shape[-1] % 4 or x.stride(-1) != 1:
        return None
    try:
        return x.view(torch.float32)
    except RuntimeError:
        return None  # Strides, or where it begins.


def _takes(*arrays):
    """Whether rows are whole words, one element behind the other."""
    return all(x.stride(-1) == 1 and x.element_size() * x.shape[-1] % 4 == 0 for x in arrays)


def _arrays(k, v, k_cache, v_cache, is_narrow, is_turned):
    """The arrays as the kernel takes them, or None: of what is neither turned nor rounded it may move words."""
    if k.dtype != v.dtype or k.shape[:3] != v.shape[:3] or k_cache.dtype != v_cache.dtype or k_cache.shape[:3] != v_cache.shape[:3]:
        return None
    arrays = (k, v, k_cache, v_cache)
    if not is_narrow:
        if k.dtype != k_cache.dtype:
            return None
        if not is_turned and k.dtype not in _FLOATS:
            arrays = tuple(_words(x) for x in arrays)
    if any(x is None for x in arrays) or arrays[0].dtype not in _FLOATS:
        return None
    moved = arrays[:2] if is_narrow else arrays
    fits = _takes(*moved) and all(x.stride(-1) == 1 and 1 <= x.shape[-1] <= MOST_COLUMNS for x in arrays)
    return arrays if fits else None


def _tables(rotary, dim):
    """Arrays, number of angles and their element; None where the kernel does not take them."""
    cos, sin = rotary[:2]
    fits = cos.dtype == sin.dtype and cos.shape == sin.shape and cos.dtype in _FLOATS and 1 <= cos.shape[-1] <= dim // 2
    return (cos.shape[-1], _FLOATS[cos.dtype]) if fits and cos.dim() == 2 else None


def fits(device, k, v, k_cache, v_cache, numbers, rotary):
    """Whether the kernel computes with such arrays, [B, new, Hkv, D] and caches."""
    if k.dtype not in _FLOATS or any(tuple(cache.shape[2:]) != tuple(x.shape[2:]) for x, cache in ((k, k_cache), (v, v_cache))):
        return False
    arrays = _arrays(k, v, k_cache, v_cache, narrows(device, k, k_cache), rotary is not None)
    return arrays is not None and all(x.dtype in _INDICES for x in numbers) and (rotary is None or _tables(rotary, k.shape[3]) is not None)


def turns(x, rotary):
    """Whether the kernel turns such queries."""
    return x.dtype in _FLOATS and _takes(x) and x.shape[-1] <= MOST_COLUMNS and _tables(rotary, x.shape[-1]) is not None


def append(k_cache, v_cache, k, v, lengths, table=None, starts=None, rotary=None, scales=(None, None)):
    """Writes k and v [B, new, Hkv, D] behind ``lengths`` [B] into caches [B, S, Hkv, D], or into pages [pages, size, Hkv, D] that ``table`` [B, pages
    of each] names; the new lengths. With ``starts`` k and v are [tokens, Hkv, D], one sequence behind the other; ``rotary`` (cos, sin, interleaved)
    turns k. Where caches are of FP8 and k and v are not, they are divided by ``scales``, of K and V as attn_mlir.attention takes them, and rounded; else
    scales have no part in it. None, and nothing is written, where the kernel cannot: elements that differ, rows of no whole words, of more than 256."""
    for what, cache, new in (("k", k_cache, k), ("v", v_cache, v)):
        _check(cache, new, what)
    if starts is not None:
        k, v = k[None], v[None]
    device, numbers = _attention.device_of("k", k), [x for x in (lengths, table, starts) if x is not None]
    is_narrow = narrows(device, k, k_cache)
    arrays = _arrays(k, v, k_cache, v_cache, is_narrow, rotary is not None)
    if arrays is None or any(x.dtype not in _INDICES for x in numbers):
        return None
    k, v, *caches = arrays
    dims = k.shape[3], v.shape[3]
    keywords, more = {}, ()
    if rotary is not None:
        found = _tables(rotary, dims[0])
        if found is None:
            return None
        keywords = {"angles": found[0], "turns": found[1], "interleaved": bool(rotary[2])}
        more = rotary[:2]
    if is_narrow:
        _, *scales = _float8.scales_of((None, *scales), k, lengths.shape[0], k.shape[2])
        keywords["cache"], keywords["scales"] = FLOAT8[caches[0].dtype], tuple(map(_float8.sizes_of, scales))
        more = (*more, *(scale for scale in scales if scale is not None))
    if table is not None:
        keywords["table"] = _INDICES[table.dtype]
    if starts is not None:
        keywords["starts"] = _INDICES[starts.dtype]
    kernel = _kernel(text_of_append, device, (k.shape[2], dims, _FLOATS[k.dtype], _INDICES[lengths.dtype]), tuple(sorted(keywords.items())))
    after = torch.empty_like(lengths)
    return after if _launched(kernel, (*arrays, *numbers, *more), (*caches, after)) else None


def rotate(x, lengths, rotary, starts=None, together=False):
    """x [B, new, H, D], turned by places from ``lengths`` on, or all by that of the first; None where the kernel cannot."""
    packed = x if starts is None else x[None]
    numbers = [lengths] if starts is None else [lengths, starts]
    if not turns(x, rotary) or any(n.dtype not in _INDICES for n in numbers):
        return None
    found = _tables(rotary, x.shape[-1])
    keywords = {"interleaved": bool(rotary[2]), "together": bool(together)}
    if starts is not None:
        keywords["starts"] = _INDICES[starts.dtype]
    kernel = _kernel(text_of_rotate, _attention.device_of("x", x), (*packed.shape[2:], _FLOATS[x.dtype], _INDICES[lengths.dtype], *found),
                     tuple(sorted(keywords.items())))
    y = torch.empty_like(x, memory_format=torch.contiguous_format)
    its = (packed, lengths, *rotary[:2], *numbers[1:])
    return y if _launched(kernel, its, y if starts is None else y[None]) else None
