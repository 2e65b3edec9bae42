"""The compiler of attn-mlir as a shared library, and its commands.

The library has its own LLVM inside and shows its C interface alone
(include/attn-mlir-c/Compiler.h); the package attn_mlir calls it.
"""

import os
import sys

_FOLDER = os.path.dirname(os.path.abspath(__file__))


def library_path():
    """The file of the compiler's library."""
    return os.path.join(_FOLDER, "libattn_compiler.so")


def _run(tool):
    path = os.path.join(_FOLDER, "bin", tool)
    if not os.path.exists("/proc/self/exe"):
        # In a chroot without /proc the loader does not know where the executable lies.
        places = [_FOLDER, os.environ.get("LD_LIBRARY_PATH")]
        os.environ["LD_LIBRARY_PATH"] = os.pathsep.join(filter(None, places))
    os.execv(path, [tool, *sys.argv[1:]])


def attn_opt():
    """The command attn-opt."""
    _run("attn-opt")


def attn_compile():
    """The command attn-compile."""
    _run("attn-compile")
