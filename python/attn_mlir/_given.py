"""The arrays of a call of attention(), by name."""

import collections

from . import _appended, _blocks, _float8, _rows
from ._arrays import is_torch, torch_module
from ._errors import ArgumentError
from ._spec import FLOAT8

Given = collections.namedtuple("Given", "q k v sinks lengths cu_q cu_k table captured scales blocks new")
Given.__doc__ = """The arrays of a call, or None."""


def named(given):
    """All arrays, by name."""
    found = [("q", given.q), ("k", given.k), ("v", _float8.tensor_of(given.v))]
    found += [(f"capture {i}", array) for i, array in enumerate(given.captured)]
    found += zip(("sinks", "lengths", "cu_seqlens_q", "cu_seqlens_k", "block_table"), given[3:8])
    found += _blocks.named(given.blocks) + _appended.arrays_of(given.new)
    return [(name, array) for name, array in found if array is not None]


def are_values_in_keys(given):
    """Whether V is the first columns of K, and is read with them."""
    q, k, v = given[:3]
    if not all(hasattr(x, "shape") for x in (q, k, v)) or k.shape[-1:] == v.shape[-1:]:
        return False
    is_other = isinstance(v, _float8.InterleavedValues) or given.new or given.scales[2] is not None or k.dtype != q.dtype
    return not is_other and str(q.dtype).rsplit(".", 1)[-1] not in FLOAT8 and _rows.are_in_keys(k, v)


def check_gradients(given):
    """Refuses tensors whose gradients are recorded."""
    torch = torch_module()
    if torch is None or not torch.is_grad_enabled():
        return
    # Numbers of places have no gradients.
    arrays = (*given[:4], *given.captured, *given.scales, *(array for _, array in _appended.arrays_of(given.new)))
    if not any(array is not None and getattr(array, "requires_grad", False) for array in arrays):
        return
    for name, array in named(given) + [(f"{name}_scale", scale) for name, scale in zip("qkv", given.scales)]:
        if is_torch(array) and array.requires_grad:
            raise ArgumentError(
                f"{name}: expected a tensor without requires_grad: attn_mlir.torch.attention has gradients, this function is for calls under "
                "torch.no_grad(), or of q.detach()")
