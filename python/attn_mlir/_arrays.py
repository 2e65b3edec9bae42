"""What is known of an argument, from whichever interface it offers."""

import sys

from ._dlpack import CPU, CUDA, DEVICE_NAMES, ROCM, check_device, read_dlpack
from ._errors import ArgumentError
from ._library import DEVICE_UNKNOWN, TYPE_CODES

_TYPESTR = {"<f2": "f16", "<f4": "f32", "|i1": "i8", "|b1": "i8", "<i4": "i32", "<i8": "i64"}
_torch_types = {}


class Array:
    """A strided array in the memory of a device, or of the CPU; strides in elements.

    ``owner`` keeps the memory's description alive; ``stream`` is the stream that
    the producer says the contents are ready on, or None.
    """

    __slots__ = ("data", "dtype", "shape", "strides", "device", "readonly", "stream", "owner")

    def __init__(self, data, dtype, shape, strides, device, readonly=False, stream=None, owner=None):
        self.data = data
        self.dtype = dtype
        self.shape = shape
        self.strides = strides
        self.device = device
        self.readonly = readonly
        self.stream = stream
        self.owner = owner


def contiguous_strides(shape):
    """Strides in elements of a row-major array."""
    strides, stride = [], 1
    for size in reversed(shape):
        strides.append(stride)
        stride *= size
    return tuple(reversed(strides))


def torch_module():
    """torch if it is imported; importing it is not ours to do."""
    return sys.modules.get("torch")


def is_torch(value):
    torch = torch_module()
    return torch is not None and isinstance(value, torch.Tensor)


def torch_types(torch):
    if not _torch_types:
        _torch_types.update({
            torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32", torch.int8: "i8", torch.bool: "i8", torch.int32: "i32", torch.int64: "i64",
        })
        # Older ones have none.
        float8 = {"float8_e4m3fn": "f8E4M3FN", "float8_e5m2": "f8E5M2", "float8_e4m3fnuz": "f8E4M3FNUZ"}
        _torch_types.update({getattr(torch, name): code for name, code in float8.items() if hasattr(torch, name)})
    return _torch_types


def numpy_empty(shape, dtype, values):
    """A NumPy array, where one of ``values`` is one; else None. bf16 is the type of one that has it."""
    numpy = sys.modules.get("numpy")
    arrays = [value for value in values if numpy is not None and isinstance(value, numpy.ndarray)]
    if not arrays:
        return None
    types = {_element_type(value, value.__array_interface__["typestr"]): value.dtype for value in arrays}
    types.update(f16="<f2", f32="<f4", i8="|i1", i32="<i4", i64="<i8")
    return numpy.empty(shape, types[dtype]) if dtype in types else None


def torch_kind(torch):
    """DLPack's type of the GPUs that this torch is built for; it calls both "cuda"."""
    return ROCM if torch.version.hip else CUDA


def torch_stream(torch, device):
    """torch's current stream on a device, as a number."""
    # What Triton uses, too: it makes no stream object.
    raw = getattr(getattr(torch, "_C", None), "_cuda_getCurrentRawStream", None)
    if raw is not None and device.index is not None:
        return raw(device.index)
    return torch.cuda.current_stream(device).cuda_stream


def torch_device(kind):
    """torch's name of a device of DLPack's type ``kind``."""
    return "cpu" if kind == CPU else "cuda"


def torch_fields(torch, values, kind):
    """The fields of all AttnTensors in a row, or None where a value is not a torch
    tensor on a device of DLPack's type ``kind``, and of a type that kernels take."""
    if kind != CPU and torch_kind(torch) != kind:
        return None
    types, wanted = torch_types(torch), torch_device(kind)
    fields = []
    for value in values:
        if not isinstance(value, torch.Tensor):
            return None
        device, shape = value.device, value.shape
        dtype = types.get(value.dtype)
        if device.type != wanted or dtype is None:
            return None
        fields += (value.data_ptr(), TYPE_CODES[dtype], len(shape), 0 if kind == CPU else device.index, 0)
        fields += shape
        fields += value.stride()
    return fields


def _from_torch(name, value, kind):
    device, torch = value.device, torch_module()
    if device.type != torch_device(kind):
        raise ArgumentError(f"view '{name}': expected a {DEVICE_NAMES[kind]} tensor, but got one on {device.type}")
    if kind != CPU and torch_kind(torch) != kind:
        raise ArgumentError(
            f"view '{name}': expected a {DEVICE_NAMES[kind]} tensor, but got one of torch for {DEVICE_NAMES[torch_kind(torch)]}"
        )
    dtype = torch_types(torch).get(value.dtype)
    if dtype is None:
        raise ArgumentError(
            f"view '{name}': expected float16, bfloat16, float32, float8, int8, bool, int32 or int64, but got {value.dtype}"
        )
    index = 0 if kind == CPU else device.index
    if index is None:
        index = torch.cuda.current_device()
    return Array(value.data_ptr(), dtype, tuple(value.shape), value.stride(), index)


def _element_type(value, typestr):
    """bf16 is a type of ml_dtypes, which the interface says no more of than that it has two bytes."""
    if typestr in ("<V2", "|V2") and getattr(getattr(value, "dtype", None), "name", None) == "bfloat16":
        return "bf16"
    return _TYPESTR.get(typestr)


def _from_interface(name, value, attribute):
    """``__cuda_array_interface__``, version 2 or 3, or NumPy's ``__array_interface__``, which is the same for the CPU.
    They have no bf16 and no device."""
    interface = getattr(value, attribute)
    where = f"view '{name}' ({attribute})"
    try:
        shape = tuple(int(size) for size in interface["shape"])
        typestr = interface["typestr"]
        data, readonly = interface["data"]
        strides = interface.get("strides")
    except (KeyError, TypeError, ValueError) as error:
        raise ArgumentError(f"{where}: not of version 2 or 3: {error!r}") from None
    if interface.get("offset"):
        raise ArgumentError(f"{where}: expected an address without an offset")
    if interface.get("mask") is not None:
        raise ArgumentError(f"{where}: expected an array without a mask")
    dtype = _element_type(value, typestr)
    if dtype is None:
        raise ArgumentError(
            f"{where}: expected typestr '<f2', '<f4', '<i4' or '<i8', but got {typestr!r}; the interface has no "
            "bf16: use DLPack for it"
        )
    if strides is None:
        strides = contiguous_strides(shape)
    else:
        strides = _in_elements(where, strides, int(typestr[2:]))
    stream = interface.get("stream")
    return Array(int(data or 0), dtype, shape, strides, DEVICE_UNKNOWN, bool(readonly), stream, value)


def _in_elements(where, strides, size):
    for stride in strides:
        if stride % size:
            raise ArgumentError(
                f"{where}: expected strides of a multiple of {size} bytes, but got {tuple(strides)}"
            )
    return tuple(int(stride) // size for stride in strides)


def _from_dlpack(name, value, stream, kind):
    where = f"view '{name}' (DLPack)"
    check_device(where, kind, int(value.__dlpack_device__()[0]))
    # The CPU has no streams. The default stream is 0 for ROCm. For CUDA that is not allowed: 1 is.
    keywords = {} if kind == CPU else {"stream": stream or 1 if kind == CUDA else stream}
    try:
        capsule = value.__dlpack__(max_version=(1, 0), **keywords)
    except TypeError:
        capsule = value.__dlpack__(**keywords)
    data, dtype, shape, strides, device, readonly = read_dlpack(where, capsule, kind)
    if strides is None:
        strides = contiguous_strides(shape)
    # The capsule is not consumed: it frees its description when it goes.
    return Array(data, dtype, shape, strides, device, readonly, None, (value, capsule))


def as_array(name, value, stream, kind):
    """The array that ``value`` is; ``stream`` is where the kernel will run, ``kind`` DLPack's
    type of the device.

    Raises ArgumentError where it is none, is on another device or is of an element type
    that no kernel takes.
    """
    if is_torch(value):
        return _from_torch(name, value, kind)
    # NumPy's arrays have both, and DLPack neither for those that may not be written nor for bf16.
    if kind == CPU and hasattr(value, "__array_interface__"):
        return _from_interface(name, value, "__array_interface__")
    if hasattr(value, "__dlpack__") and hasattr(value, "__dlpack_device__"):
        return _from_dlpack(name, value, stream, kind)
    if kind != CPU and hasattr(value, "__cuda_array_interface__"):
        return _from_interface(name, value, "__cuda_array_interface__")
    raise ArgumentError(
        f"view '{name}': expected a torch tensor, or an object with __dlpack__ or "
        f"{'__array_interface__' if kind == CPU else '__cuda_array_interface__'}, but got {type(value).__name__}"
    )
