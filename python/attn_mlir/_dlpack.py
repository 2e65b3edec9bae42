"""DLPack capsules by ctypes.

Layout: dlpack.h of DLPack 1.0 (DLManagedTensor, DLManagedTensorVersioned).
"""

import ctypes
from ctypes import POINTER, c_char_p, c_int32, c_int64, c_uint8, c_uint16, c_uint32, c_uint64, c_void_p

from ._errors import ArgumentError

CPU = 1  # kDLCPU
CUDA = 2  # kDLCUDA
ROCM = 10  # kDLROCM
DEVICE_NAMES = {CPU: "CPU", CUDA: "CUDA", ROCM: "ROCm"}
_FLAG_READ_ONLY = 1
# (code, bits) of DLDataType; 0 is kDLInt, 2 is kDLFloat, 4 is kDLBfloat, from 10 on are types of float8.
_TYPES = {(2, 16): "f16", (2, 32): "f32", (4, 16): "bf16", (0, 8): "i8", (6, 8): "i8", (0, 32): "i32", (0, 64): "i64", (10, 8): "f8E4M3FN", (11, 8): "f8E4M3FNUZ", (12, 8): "f8E5M2"}


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", c_void_p),
        ("device_type", c_int32),
        ("device_id", c_int32),
        ("ndim", c_int32),
        ("code", c_uint8),
        ("bits", c_uint8),
        ("lanes", c_uint16),
        ("shape", POINTER(c_int64)),
        ("strides", POINTER(c_int64)),
        ("byte_offset", c_uint64),
    ]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", c_uint32),
        ("minor", c_uint32),
        ("manager_ctx", c_void_p),
        ("deleter", c_void_p),
        ("flags", c_uint64),
        ("tensor", _DLTensor),
    ]


_is_valid = ctypes.pythonapi.PyCapsule_IsValid
_is_valid.restype, _is_valid.argtypes = ctypes.c_int, [ctypes.py_object, c_char_p]
_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype, _get_pointer.argtypes = c_void_p, [ctypes.py_object, c_char_p]


def _tensor_of(where, capsule):
    """The DLTensor of a capsule of either kind, and whether it is read-only."""
    if _is_valid(capsule, b"dltensor_versioned"):
        versioned = _Versioned.from_address(_get_pointer(capsule, b"dltensor_versioned"))
        if versioned.major != 1:
            raise ArgumentError(f"{where}: expected DLPack version 1, but got {versioned.major}")
        return versioned.tensor, bool(versioned.flags & _FLAG_READ_ONLY)
    if _is_valid(capsule, b"dltensor"):
        return _DLTensor.from_address(_get_pointer(capsule, b"dltensor")), False
    raise ArgumentError(f"{where}: expected a fresh DLPack capsule, but got {capsule!r}")


def check_device(where, wanted, kind):
    """Raises ArgumentError unless a device type is the expected one."""
    if kind != wanted:
        raise ArgumentError(f"{where}: expected device type {wanted} ({DEVICE_NAMES[wanted]}), but got {kind}")


def read_dlpack(where, capsule, kind):
    """(data, dtype, shape, strides or None, device, readonly) of an array on a device of
    type ``kind``; does not consume the capsule, which must outlive the use."""
    tensor, readonly = _tensor_of(where, capsule)
    check_device(where, kind, tensor.device_type)
    dtype = _TYPES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    if dtype is None:
        raise ArgumentError(
            f"{where}: expected float16, bfloat16, float32, float8, int8, bool, int32 or int64, but got DLPack type code {tensor.code} of "
            f"{tensor.bits} bits and {tensor.lanes} lanes"
        )
    rank = tensor.ndim
    shape = tuple(tensor.shape[i] for i in range(rank))
    strides = tuple(tensor.strides[i] for i in range(rank)) if tensor.strides else None
    data = (tensor.data or 0) + tensor.byte_offset
    return data, dtype, shape, strides, tensor.device_id, readonly
