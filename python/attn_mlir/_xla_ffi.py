"""A handler of XLA's foreign function interface, by ctypes.

XLA calls a handler with a call frame, whose layout (xla/ffi/api/c_api.h, version 0.x) is described here. Every
structure tells its own size, and XLA its version, so that another layout is an error and not a wrong read.
"""

import ctypes
from ctypes import CFUNCTYPE, POINTER, c_char_p, c_int, c_int32, c_int64, c_size_t, c_uint32, c_void_p

from attn_mlir._xla_arrays import XlaArray

MAJOR = 0
MINOR = 1  # What is used here is there since this one.
_EXECUTE = 3
_METADATA = 1
_INVALID_ARGUMENT, _INTERNAL = 3, 13


def _structure(name, *fields):
    return type(name, (ctypes.Structure,), {"_fields_": list(fields)})


_HEAD = (("struct_size", c_size_t), ("extensions", c_void_p))
Version = _structure("Version", *_HEAD, ("major", c_int), ("minor", c_int))
Buffer = _structure("Buffer", *_HEAD, ("dtype", c_int), ("data", c_void_p), ("rank", c_int64), ("dims", POINTER(c_int64)))
_Many = _structure("_Many", *_HEAD, ("size", c_int64), ("types", c_void_p), ("items", POINTER(c_void_p)))
_Span = _structure("_Span", ("pointer", c_void_p), ("length", c_size_t))
_Scalar = _structure("_Scalar", ("dtype", c_int), ("value", c_void_p))
_Attributes = _structure(
    "_Attributes", *_HEAD, ("size", c_int64), ("types", POINTER(c_int)), ("names", POINTER(POINTER(_Span))),
    ("items", POINTER(c_void_p)))
_Api = _structure(
    "_Api", *_HEAD, ("version", Version), ("internal", c_void_p), ("error_create", c_void_p),
    ("error_get_message", c_void_p), ("error_destroy", c_void_p), ("handler_register", c_void_p),
    ("stream_get", c_void_p), ("others", c_void_p * 12), ("device_ordinal_get", c_void_p))
_Frame = _structure(
    "_Frame", *_HEAD, ("api", POINTER(_Api)), ("context", c_void_p), ("stage", c_int), ("arguments", _Many),
    ("results", _Many), ("attributes", _Attributes))
_Extension = _structure("_Extension", ("struct_size", c_size_t), ("type", c_int), ("next", c_void_p))
_Metadata = _structure("_Metadata", ("struct_size", c_size_t), ("version", Version), ("traits", c_uint32))
_MetadataExtension = _structure("_MetadataExtension", ("base", _Extension), ("metadata", POINTER(_Metadata)))
_ErrorArguments = _structure("_ErrorArguments", *_HEAD, ("message", c_char_p), ("code", c_int))
_StreamArguments = _structure("_StreamArguments", *_HEAD, ("context", c_void_p), ("stream", c_void_p))
_OrdinalArguments = _structure("_OrdinalArguments", *_HEAD, ("context", c_void_p), ("ordinal", c_int32))

_Handler = CFUNCTYPE(c_void_p, POINTER(_Frame))
_Function = CFUNCTYPE(c_void_p, c_void_p)


def _error(frame, message, code):
    arguments = _ErrorArguments(ctypes.sizeof(_ErrorArguments), None, message.encode(), code)
    return _Function(frame.api.contents.error_create)(ctypes.byref(arguments))


def _answer_metadata(frame):
    """Whether XLA asks which version a handler is for, which is answered."""
    extension = frame.extensions
    while extension:
        base = _Extension.from_address(extension)
        if base.type == _METADATA:
            metadata = _MetadataExtension.from_address(extension).metadata.contents
            metadata.version.struct_size = ctypes.sizeof(Version)
            metadata.version.major, metadata.version.minor = MAJOR, MINOR
            metadata.traits = 0
            return True
        extension = base.next
    return False


def _stream(frame):
    arguments = _StreamArguments(ctypes.sizeof(_StreamArguments), None, frame.context, None)
    error = _Function(frame.api.contents.stream_get)(ctypes.byref(arguments))
    if error:
        raise RuntimeError("XLA has no stream for this call")
    return arguments.stream or 0


def _ordinal(frame):
    """Number of the device of a call; 0 where this XLA does not tell."""
    api = frame.api.contents
    if api.struct_size < ctypes.sizeof(_Api) or not api.device_ordinal_get:
        return 0
    arguments = _OrdinalArguments(ctypes.sizeof(_OrdinalArguments), None, frame.context, 0)
    error = _Function(api.device_ordinal_get)(ctypes.byref(arguments))
    if error:
        raise RuntimeError("XLA does not know the device of this call")
    return arguments.ordinal


def _buffers(many, kind, index):
    return [XlaArray(Buffer.from_address(many.items[i]), kind, index) for i in range(many.size)]


def _integer(attributes, name):
    """An attribute that is an integer of 64 bits."""
    for i in range(attributes.size):
        span = attributes.names[i].contents
        if ctypes.string_at(span.pointer, span.length).decode() == name:
            return c_int64.from_address(_Scalar.from_address(attributes.items[i]).value).value
    raise KeyError(name)


def handler(function, has_stream, device_kind):
    """A ctypes function for XLA. It calls function(number, arguments, results, stream), where ``number`` is the
    attribute of this name. It must live as long as XLA may call it."""

    def run(pointer):
        frame = pointer.contents
        if _answer_metadata(frame) or frame.stage != _EXECUTE:
            return None
        try:
            stream = _stream(frame) if has_stream else None
            index = _ordinal(frame) if has_stream else 0
            arguments = _buffers(frame.arguments, device_kind, index)
            results = _buffers(frame.results, device_kind, index)
            function(_integer(frame.attributes, "number"), arguments, results, stream)
        except (TypeError, ValueError, KeyError) as error:
            return _error(frame, f"attn_mlir: {error}", _INVALID_ARGUMENT)
        except BaseException as error:  # XLA's thread has no Python above it that could take it.
            return _error(frame, f"attn_mlir: {type(error).__name__}: {error}", _INTERNAL)
        return None

    return _Handler(run)


def capsule(function):
    """A handler as jax.ffi.register_ffi_target takes it."""
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [c_void_p, c_char_p, c_void_p]
    return make(ctypes.cast(function, c_void_p), None, None)
