"""Buffers of an XLA call as arrays that offer DLPack."""

import ctypes
from ctypes import c_char_p, c_int64, c_void_p

from attn_mlir._dlpack import _DLTensor

# XLA_FFI_DataType: name, and DLPack's code and bits.
_TYPES = {
    1: ("bool", 6, 8), 2: ("int8", 0, 8), 4: ("int32", 0, 32), 5: ("int64", 0, 64), 10: ("float16", 2, 16),
    11: ("float32", 2, 32), 16: ("bfloat16", 4, 16),
}
_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]


class _Managed(ctypes.Structure):
    """DLManagedTensor. Its memory is XLA's, so nothing is to be deleted."""

    _fields_ = [("tensor", _DLTensor), ("context", c_void_p), ("deleter", c_void_p)]


class XlaArray:
    """An array of a call, row-major, as custom calls have them by default. It is valid until the call returns."""

    def __init__(self, buffer, kind, index):
        if buffer.dtype not in _TYPES:
            raise TypeError(
                f"expected float16, bfloat16, float32, bool, int8, int32 or int64, but got XLA's type {buffer.dtype}")
        self.dtype, code, bits = _TYPES[buffer.dtype]
        self.shape = tuple(buffer.dims[i] for i in range(buffer.rank))
        self.device = kind, index
        self._dims = (c_int64 * max(len(self.shape), 1))(*self.shape)
        tensor = _DLTensor(buffer.data, kind, index, len(self.shape), code, bits, 1, self._dims, None, 0)
        self._managed = _Managed(tensor, None, None)

    def __dlpack_device__(self):
        return self.device

    def __dlpack__(self, *, stream=None, **keywords):
        return _new_capsule(ctypes.addressof(self._managed), b"dltensor", None)
