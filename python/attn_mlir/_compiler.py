"""The compiler's C interface (include/attn-mlir-c/Compiler.h) by ctypes."""

import ctypes
import glob
import os
from ctypes import POINTER, byref, c_char_p, c_int32, c_size_t, c_void_p

from ._errors import CompileError
from ._library import find_library, open_library

ABI_VERSION = 1
FILE_NAME = "libattn_compiler.so"


class _Option(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("value", c_char_p)]


# Name: result, arguments.
_functions = {
    "attnCompilerVersion": (c_char_p, []),
    "attnCompilerAbiVersion": (c_int32, []),
    "attnCompilerBuildId": (c_char_p, []),
    "attnCompile": (c_void_p, [c_char_p, c_size_t, POINTER(_Option), c_size_t]),
    "attnCompilationSucceeded": (c_int32, [c_void_p]),
    "attnCompilationDiagnostics": (c_char_p, [c_void_p]),
    "attnCompilationOutput": (c_void_p, [c_void_p, POINTER(c_size_t)]),
    "attnCompilationDestroy": (None, [c_void_p]),
    "attnFindPtxas": (c_char_p, [c_char_p]),
}


def _of_wheel():
    """The library of the package attn_mlir_compiler, where that is installed."""
    try:
        import attn_mlir_compiler
    except ImportError:
        return []
    return [os.fspath(attn_mlir_compiler.library_path())]


def _candidates():
    """Files to try: $ATTN_COMPILER alone where it is set, else the compiler's wheel, then the build
    folders of the source tree."""
    override = os.environ.get("ATTN_COMPILER")
    if override:
        return [override]
    package = os.path.dirname(os.path.abspath(__file__))
    source = os.path.dirname(os.path.dirname(package))
    built = [os.path.join(source, build, "lib", "*", FILE_NAME) for build in ("build", "build-dev")]
    return _of_wheel() + [path for pattern in built for path in glob.glob(pattern) or [pattern]]


_path = None


def path():
    """The compiler's file. It is not opened: kernels that are on disk do not need it."""
    global _path
    if _path is None:
        _path = find_library(
            _candidates(), FILE_NAME,
            "install attn-mlir, build the project, or set ATTN_COMPILER to the file")
    return _path


def _open():
    return open_library(path(), "compiler", _functions, "attnCompilerAbiVersion", ABI_VERSION)


_library = None


def library():
    """The compiler, opened at the first use."""
    global _library
    if _library is None:
        _library = _open()
    return _library


def identity():
    """A text that differs where generated code may differ, without opening the library."""
    facts = os.stat(path())
    return f"{os.path.realpath(path())} {facts.st_size} {facts.st_mtime_ns}"


def find_ptxas(given=None):
    """The ptxas that the library finds, or ""."""
    return library().attnFindPtxas(None if given is None else os.fsencode(given)).decode()


def compile_bundle(text, options):
    """What ``options`` (pairs of name and value) ask to be made of MLIR text: bytes.

    Raises CompileError with the compiler's diagnostics.
    """
    contents = text.encode() if isinstance(text, str) else bytes(text)
    pairs = (_Option * max(1, len(options)))()
    for pair, (name, value) in zip(pairs, options):
        pair.name, pair.value = name.encode(), os.fsencode(value)
    c = library()
    compilation = c.attnCompile(contents, len(contents), pairs, len(options))
    if not compilation:
        raise CompileError("the compiler is out of memory")
    try:
        if not c.attnCompilationSucceeded(compilation):
            raise CompileError(c.attnCompilationDiagnostics(compilation).decode(errors="replace").strip())
        size = c_size_t()
        data = c.attnCompilationOutput(compilation, byref(size))
        return ctypes.string_at(data, size.value) if size.value else b""
    finally:
        c.attnCompilationDestroy(compilation)
