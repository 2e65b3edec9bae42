"""Rows that kernels take: contiguous ones at multiples of 16 bytes, of a length that they know."""

from ._arrays import is_torch, torch_module
from ._errors import ArgumentError


def padded(array, dim):
    """The array with zeros behind its last dimension."""
    more = dim - array.shape[-1]
    if more == 0:
        return array
    if is_torch(array):
        torch = torch_module()
        if array.element_size() == 1:
            return torch.nn.functional.pad(array.detach().view(torch.uint8), (0, more)).view(array.dtype)
        return torch.nn.functional.pad(array.detach(), (0, more))
    if type(array).__module__.partition(".")[0] != "numpy":
        raise ArgumentError(
            f"expected head dimensions of a multiple of 8, but got {array.shape[-1]}: only arrays of torch and NumPy are padded")
    import numpy

    return numpy.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, more)])


def copy(target, source):
    if is_torch(target):
        target.copy_(source)
    else:
        target[...] = source


def _layout_in_bytes(array):
    """(address, strides, item size), or None where the array does not say without being exported."""
    if is_torch(array):
        size = array.element_size()
        return array.data_ptr(), [stride * size for stride in array.stride()], size
    interface = getattr(array, "__array_interface__", None)
    if interface is None or not hasattr(array, "strides"):
        return None
    return interface["data"][0], array.strides, array.itemsize


def are_in_keys(k, v):
    """Whether V is a view of the first columns of K, fewer than all: latent attention, as absorbed into its projections."""
    if len(v.shape) != 4 or len(k.shape) != 4 or not v.shape[-1] < k.shape[-1] or v.shape[:-1] != k.shape[:-1]:
        return False
    keys, values = _layout_in_bytes(k), _layout_in_bytes(v)
    return keys is not None and values is not None and keys[0] == values[0] and (tuple(keys[1]), keys[2]) == (tuple(values[1]), values[2])


def is_aligned(array):
    layout = _layout_in_bytes(array)
    if layout is None or 0 in array.shape:
        return True
    address, strides, size = layout
    if array.shape[-1] > 1 and strides[-1] != size:
        return False
    # LSE has no rows of 16 bytes.
    if len(array.shape) != 4:
        return True
    rows = [stride for stride, length in zip(strides[:-1], array.shape) if length > 1]
    return address % 16 == 0 and all(stride % 16 == 0 for stride in rows)


def aligned(array, is_output=False):
    """An array that kernels take: rows that are contiguous, at multiples of 16 bytes. Others are copied
    (outputs afterwards)."""
    if is_aligned(array):
        return array
    if is_torch(array):
        torch = torch_module()
        make = torch.empty_like if is_output else torch.clone
        return make(array.detach(), memory_format=torch.contiguous_format)
    import numpy

    return numpy.empty(array.shape, array.dtype) if is_output else numpy.array(array, order="C")
