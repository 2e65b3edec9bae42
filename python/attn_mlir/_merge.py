"""attn.merge_states, called as attention() is."""

import functools

import torch

from attn_mlir import _attention, _kernels
from attn_mlir._errors import ArgumentError
from attn_mlir._kernel import Kernel

_ELEMENTS = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32"}
_MOST_DIM = 256


@functools.lru_cache(maxsize=256)
def _kernel(heads, dim, source, result, layout, device):
    middle = f"?x{heads}" if layout == "bshd" else f"{heads}x?"
    os, o = f"tensor<?x?x{middle}x{dim}x{source}>", f"tensor<?x{middle}x{dim}x{result}>"
    lses, lse = f"tensor<?x?x{heads}x?xf32>", f"tensor<?x{heads}x?xf32>"
    order = " layout(bshd)" if layout == "bshd" else ""
    text = (
        f"func.func @merge(%os: {os}, %lses: {lses}) -> ({o}, {lse}) {{\n"
        f"  %o, %lse = attn.merge_states %os, %lses{order} : ({os}, {lses}) -> ({o}, {lse})\n"
        f"  return %o, %lse : {o}, {lse}\n}}\n"
    )
    target = _attention.target_of(device)
    return Kernel(_kernels.bundle(text, _kernels.options_of(target), target))


def _check(outputs, lses, dtype):
    if outputs.dim() != 5 or tuple(lses.shape) != tuple(outputs.shape[:-1]):
        raise ArgumentError(
            "merge: expected parts of O [parts, B, S, H, D] and of LSE [parts, B, S, H], but got "
            f"{tuple(outputs.shape)} and {tuple(lses.shape)}")
    if lses.dtype != torch.float32:
        raise ArgumentError(f"merge: expected LSE in float32, but got {lses.dtype}")
    for what, given in (("parts", outputs.dtype), ("a result", dtype)):
        if given not in _ELEMENTS:
            raise ArgumentError(f"merge: expected {what} in float16, bfloat16 or float32, but got {given}")


def merge(outputs, lses, dtype):
    """(O [B, S, H, D] in ``dtype``, LSE [B, H, S]) of parts [parts, B, S, H, D] and [parts, B, S, H]."""
    _check(outputs, lses, dtype)
    return merge_parts(outputs, lses.transpose(2, 3).contiguous(), dtype, "bshd")


def merge_parts(outputs, lses, dtype, layout):
    """The same where ``layout`` says how O lies, and LSE is [parts, B, H, S]."""
    device = _attention.device_of("merge", outputs)
    found = []
    for part in torch.split(outputs, _MOST_DIM, -1):
        rest = -part.shape[-1] % 8
        # A pad of nothing would be a copy.
        part = (torch.nn.functional.pad(part, (0, rest)) if rest else part).contiguous()
        heads = part.shape[3 if layout == "bshd" else 2]
        kernel = _kernel(heads, part.shape[4], _ELEMENTS[part.dtype], _ELEMENTS[dtype], layout, device)
        o, lse = kernel(part, lses)
        found.append(o[..., : o.shape[-1] - rest])
    return (found[0] if len(found) == 1 else torch.cat(found, -1)), lse
