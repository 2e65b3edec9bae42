"""What plans of calls depend on: the kinds of arrays, not what is in them, nor where they lie.

A call of which the key was seen before is of a plan that was checked then, so it looks at nothing but numbers that are on the host, and at gradients.
"""

from . import _float8
from ._arrays import torch_module


class _NoKind(Exception):
    """An array that is none of PyTorch: two of one shape may be on different devices."""


def _kind(array, tensor):
    if array is None:
        return None
    if not isinstance(array, tensor):
        raise _NoKind
    return array.shape, array.dtype, array.device


def _kind_of_values(v, tensor):
    if isinstance(v, _float8.InterleavedValues):
        return v.layout, v.rows, _kind(v.tensor, tensor)
    return _kind(v, tensor)


def _kind_of_scale(scale, tensor):
    return "number" if type(scale) in (int, float) else _kind(scale, tensor)


def _kind_of_new(new, tensor):
    if new is None:
        return None
    cos, sin, interleaved = new.rotary or (None, None, False)
    return *(_kind(x, tensor) for x in (new.k, new.v, new.starts, cos, sin)), interleaved, new.together


def _kind_of_blocks(blocks, tensor):
    return None if blocks is None else (tuple(blocks[0]), *(_kind(x, tensor) for x in blocks[1:]))


def key_of(q, k, v, arrays, scales, blocks, new, scale, others):
    """A key, or None where there is none. ``arrays``: sinks and others that are taken as they are, or None; ``others``: what is hashable."""
    torch = torch_module()
    # A number that an array holds may be another one the next time.
    if torch is None or not (scale is None or isinstance(scale, (int, float))):
        return None
    tensor = torch.Tensor
    try:
        return (
            _kind(q, tensor), _kind(k, tensor), _kind_of_values(v, tensor), *[_kind(x, tensor) for x in arrays],
            *[_kind_of_scale(x, tensor) for x in scales], _kind_of_blocks(blocks, tensor), _kind_of_new(new, tensor), scale, others)
    except (_NoKind, TypeError):
        return None


def known(store, key):
    """What is stored of a key, (None, None) of one that cannot be looked up: a window may be a list. Else with the key."""
    try:
        return store.get(key), key
    except TypeError:
        return None, None
