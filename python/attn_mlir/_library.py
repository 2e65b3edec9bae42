"""The C interface (include/attn-mlir-c/Launcher.h) by ctypes."""

import ctypes
import os
from ctypes import POINTER, byref, c_char_p, c_int32, c_int64, c_uint32, c_void_p

from ._errors import ArgumentError, BundleError, CudaError, DriverError, Error, HipError, NoVariantError

ABI_VERSION = 4
MAX_RANK = 8
DEVICE_UNKNOWN = -1
ARGUMENT_ERROR = 1
FILE_NAME = "libattn_launcher.so"

# AttnType
TYPES = ("f16", "bf16", "f32", "f64", "i1", "i8", "i16", "i32", "i64", "f8E4M3FN", "f8E5M2", "f8E4M3FNUZ")
TYPE_CODES = {name: code for code, name in enumerate(TYPES)}


class Tensor(ctypes.Structure):
    """AttnTensor; written by TENSOR_FORMAT, which is quicker."""

    _fields_ = [
        ("data", ctypes.c_uint64),
        ("dtype", c_int32),
        ("rank", c_int32),
        ("device", c_int32),
        ("reserved", c_int32),
        ("sizes", c_int64 * MAX_RANK),
        ("strides", c_int64 * MAX_RANK),
    ]


class Scalar(ctypes.Structure):
    _fields_ = [("type", c_int32), ("reserved", c_int32), ("value", ctypes.c_uint8 * 8)]


class ViewInfo(ctypes.Structure):
    _fields_ = [
        ("name", c_char_p),
        ("access", c_int32),
        ("dtype", c_int32),
        ("rank", c_int32),
        ("sizes", c_int64 * MAX_RANK),
        ("axes", c_char_p * MAX_RANK),
        ("permutation", c_int32 * MAX_RANK),
    ]


class ScalarInfo(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("type", c_int32)]


class Workspace(ctypes.Structure):
    _fields_ = [("data", ctypes.c_uint64), ("bytes", ctypes.c_uint64), ("device", c_int32), ("reserved", c_int32)]


class VariantInfo(ctypes.Structure):
    _fields_ = [("guard", c_char_p), ("step_count", c_int32), ("workspace_count", c_int32)]


class StepInfo(ctypes.Structure):
    _fields_ = [
        ("kernel", c_char_p),
        ("binary", c_char_p),
        ("block", c_int32),
        ("shared_bytes", c_int32),
        ("parameter_count", c_int32),
    ]


class LaunchInfo(ctypes.Structure):
    _fields_ = [
        ("function", c_void_p),
        ("context", c_void_p),
        ("variant", c_int32),
        ("grid", c_uint32),
        ("block", c_uint32),
        ("shared_bytes", c_uint32),
        ("parameters", POINTER(c_void_p)),
        ("parameter_count", c_int32),
        ("cluster", c_uint32),
    ]


_arguments = [c_void_p, c_void_p, c_int32, c_void_p, c_int32]

# Name: result, arguments.
_functions = {
    "attnVersion": (c_char_p, []),
    "attnAbiVersion": (c_int32, []),
    "attnLastError": (c_char_p, []),
    "attnLastCudaError": (c_int32, []),
    "attnLastHipError": (c_int32, []),
    "attnBundleOpen": (c_int32, [c_char_p, POINTER(c_void_p)]),
    "attnBundleOpenProgram": (c_int32, [c_char_p, c_char_p, POINTER(c_void_p)]),
    "attnBundleOpenMemory": (c_int32, [c_void_p, ctypes.c_uint64, c_char_p, POINTER(c_void_p)]),
    "attnBundleClose": (None, [c_void_p]),
    "attnBundleName": (c_char_p, [c_void_p]),
    "attnBundleTarget": (c_char_p, [c_void_p]),
    "attnBundleArch": (c_char_p, [c_void_p]),
    "attnBundleViewCount": (c_int32, [c_void_p]),
    "attnBundleScalarCount": (c_int32, [c_void_p]),
    "attnBundleVariantCount": (c_int32, [c_void_p]),
    "attnBundleView": (c_int32, [c_void_p, c_int32, POINTER(ViewInfo)]),
    "attnBundleScalar": (c_int32, [c_void_p, c_int32, POINTER(ScalarInfo)]),
    "attnBundleVariant": (c_int32, [c_void_p, c_int32, POINTER(VariantInfo)]),
    "attnBundleStep": (c_int32, [c_void_p, c_int32, c_int32, POINTER(StepInfo)]),
    "attnBundleWorkspaceBytes": (c_int32, _arguments + [POINTER(ctypes.c_uint64)]),
    "attnBundleLaunch": (c_int32, _arguments + [c_void_p]),
    "attnBundleLaunchIn": (c_int32, _arguments + [POINTER(Workspace), c_void_p]),
    "attnBundlePrepare": (c_int32, _arguments + [POINTER(c_void_p)]),
    "attnBundlePrepareIn": (c_int32, _arguments + [POINTER(Workspace), POINTER(c_void_p)]),
    "attnPreparedStepCount": (c_int32, [c_void_p]),
    "attnPreparedInfo": (c_int32, [c_void_p, c_int32, POINTER(LaunchInfo)]),
    "attnPreparedLaunch": (c_int32, [c_void_p, c_void_p]),
    "attnPreparedDestroy": (None, [c_void_p]),
}


def _candidates():
    """Files to try: $ATTN_LAUNCHER alone where it is set, else beside the package
    (an installed one), then the build folders of the source tree."""
    override = os.environ.get("ATTN_LAUNCHER")
    if override:
        return [override]
    package = os.path.dirname(os.path.abspath(__file__))
    source = os.path.dirname(os.path.dirname(package))
    return [os.path.join(package, FILE_NAME)] + [
        os.path.join(source, build, "lib", "Launcher", FILE_NAME)
        for build in ("build", "build-dev")
    ]


def open_library(path, kind, functions, abi_function, abi_version):
    """A library of the project by ctypes, with the types of its functions (name: result, arguments)."""
    try:
        opened = ctypes.CDLL(path)
    except OSError as error:
        raise DriverError(f"cannot open {path}: {error}") from None
    for name, (result, arguments) in functions.items():
        function = getattr(opened, name, None)
        if function is None:
            raise DriverError(f"{path} is no {kind}: it has no {name}")
        function.restype, function.argtypes = result, arguments
    version = getattr(opened, abi_function)()
    if version != abi_version:
        raise DriverError(f"{path}: expected ABI version {abi_version}, but got {version}")
    return opened


def find_library(candidates, name, advice):
    """The first of these files that exists."""
    found = next((path for path in candidates if os.path.exists(path)), None)
    if found is None:
        raise DriverError(f"cannot find {name}: expected one of {', '.join(candidates)}; {advice}")
    return found


def _open():
    path = find_library(_candidates(), FILE_NAME, "build the project, or set ATTN_LAUNCHER to the file")
    return open_library(path, "launcher", _functions, "attnAbiVersion", ABI_VERSION)


_library = None


def library():
    """The launcher, opened at the first use."""
    global _library
    if _library is None:
        _library = _open()
    return _library


def version():
    """Version of the launcher, as "0.1.0"."""
    return library().attnVersion().decode()


def check(status):
    """Raises what an AttnStatus other than 0 means."""
    if status == 0:
        return
    message = library().attnLastError().decode(errors="replace")
    if status == 5:
        raise CudaError(message, library().attnLastCudaError())
    if status == 7:
        raise HipError(message, library().attnLastHipError())
    kinds = {ARGUMENT_ERROR: ArgumentError, 2: BundleError, 3: NoVariantError, 4: DriverError}
    raise kinds.get(status, Error)(message)


def open_bundle(bundle, program=None):
    """AttnBundle of a path, or of the contents of an archive as bytes."""
    opened = c_void_p()
    name = None if program is None else program.encode()
    if isinstance(bundle, (bytes, bytearray, memoryview)):
        contents = bytes(bundle)
        check(library().attnBundleOpenMemory(contents, len(contents), name, byref(opened)))
    elif name is None:
        check(library().attnBundleOpen(os.fsencode(bundle), byref(opened)))
    else:
        check(library().attnBundleOpenProgram(os.fsencode(bundle), name, byref(opened)))
    return opened
