"""New keys and values into pages, by a kernel: a program of the dialect at level 2.

A CTA copies one token's heads of K and of V to the page that the block table names, by words of 32 bits, whatever the
elements are. What has no place (a length or a number of no page, a place behind the table's pages) is left out.
"""

import functools

import torch

from attn_mlir import _attention, _kernels
from attn_mlir._errors import ArgumentError
from attn_mlir._kernel import Kernel

_MOST = 256
_INDICES = {torch.int32: "i32", torch.int64: "i64"}
_LOAD = "    %new_{name} = attn.load %{name}[%batch, %token, %c0, %c0] : {new} -> {tile}\n"
_STORE = "    attn.store %new_{name}, %{name}_pages[%page, %row, %c0, %c0] : {tile} -> {pages}\n"
_TEXT = """attn.kernel @append(%k: {new}, %v: {new}, %lengths: {lengths}, %table: {table}, %k_pages: {pages}, %v_pages: {pages})
    attributes {{outputs = 2 : i64}} {{
  %c0 = arith.constant 0 : index
  %size = arith.constant {size} : index
  %sequences = attn.dim %lengths, 0 : {lengths}
  %tokens = attn.dim %k, 1 : {new}
  %columns = attn.dim %table, 1 : {table}
  %none = attn.dim %k_pages, 0 : {pages}
  %places = arith.muli %columns, %size : index
  attn.grid (%batch, %token) visit %visit in (batch = %sequences, token = %tokens) sharing [batch, token] {{
    %length = attn.read %lengths[%batch] : {lengths}
    %place = arith.addi %length, %token : index
    %valid = arith.cmpi ule, %length, %places : index
    %inside = arith.cmpi ult, %place, %places : index
    %exists = arith.andi %valid, %inside : i1
    %column = arith.divui %place, %size : index
    %row = arith.remui %place, %size : index
    %number = attn.read %table[%batch, %column] : {table}
    %known = arith.minui %number, %none : index
    %page = arith.select %exists, %known, %none : index
{copies}  }}
  attn.return
}}
"""


def _up(size):
    return -(-size // 16) * 16


def text_of(size, heads, words, lengths, table):
    """The kernel for pages of ``size`` tokens, of so many words a head; ``lengths`` and ``table`` are their elements."""
    types = {
        "new": f"!attn.view<?x?x{heads}x{words}xf32>", "pages": f"!attn.view<?x{size}x{heads}x{words}xf32>",
        "tile": f"tensor<{_up(heads)}x{_up(words)}xf32>",
    }
    copies = "".join(part.format(name=name, **types) for part in (_LOAD, _STORE) for name in "kv")
    return _TEXT.format(size=size, lengths=f"!attn.view<?x{lengths}>", table=f"!attn.view<?x?x{table}>", copies=copies, **types)


@functools.lru_cache(maxsize=256)
def _kernel(size, heads, words, lengths, table, device):
    target = _attention.target_of(device)
    return Kernel(_kernels.bundle(text_of(size, heads, words, lengths, table), _kernels.options_of(target), target))


def _words(x):
    """An array as words of 32 bits, or None where rows are not whole ones."""
    if x.element_size() * x.shape[-1] % 4 or x.stride(-1) != 1:
        return None
    try:
        return x.view(torch.float32)
    except RuntimeError:
        return None  # Strides, or where it begins.


def _check(cache, new, what):
    if tuple(cache.shape[2:]) != tuple(new.shape[2:]):
        raise ArgumentError(
            f"{what}: expected heads and head dimension {tuple(cache.shape[2:])}, as the cache has, but got {tuple(new.shape[2:])}")


def append(k_pages, v_pages, k, v, lengths, table):
    """Writes k and v [B, new, Hkv, D] behind ``lengths`` [B] into pages [pages, size, Hkv, D] that ``table`` [B, pages of
    each] names. False, and nothing is written, where the kernel cannot: K and V of several dimensions, rows of no whole
    words, of more than 256."""
    for what, cache, new in (("k", k_pages, k), ("v", v_pages, v)):
        _check(cache, new, what)
    arrays = [_words(x) for x in (k, v, k_pages, v_pages)]
    if any(x is None for x in arrays) or k.shape != v.shape or k_pages.shape != v_pages.shape:
        return False
    heads, words = arrays[0].shape[2:]
    if max(heads, words) > _MOST or lengths.dtype not in _INDICES or table.dtype not in _INDICES:
        return False
    kernel = _kernel(k_pages.shape[1], heads, words, _INDICES[lengths.dtype], _INDICES[table.dtype],
                     _attention.device_of("k", k))
    kernel(*arrays[:2], lengths, table, out=tuple(arrays[2:]))
    return True
