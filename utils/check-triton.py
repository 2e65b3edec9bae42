#!/usr/bin/env python3
"""Triton and the compiler's library in one process: each has an LLVM of its own.

Both compile before and after the other is loaded, in both orders of loading, and what
they make must be the same bytes as alone. Wants Triton (3.6 was tried), no GPU.

usage: check-triton.py LIBRARY [--symbols=global]
"""

import argparse
import ctypes
import hashlib
import os
import subprocess
import sys

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ORDERS = {
    "alone": ["ours"],
    "triton alone": ["triton"],
    "ours first": ["ours", "triton", "ours", "triton"],
    "triton first": ["triton", "ours", "triton", "ours"],
}


class Option(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("value", ctypes.c_char_p)]


def open_library(path, mode):
    library = ctypes.CDLL(path, mode=mode)
    library.attnCompile.restype = ctypes.c_void_p
    library.attnCompile.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.POINTER(Option), ctypes.c_size_t]
    library.attnCompilationOutput.restype = ctypes.c_void_p
    library.attnCompilationOutput.argtypes = [ctypes.c_void_p, ctypes.POINTER(ctypes.c_size_t)]
    library.attnCompilationDiagnostics.restype = ctypes.c_char_p
    for name in ("attnCompilationSucceeded", "attnCompilationDiagnostics", "attnCompilationDestroy"):
        getattr(library, name).argtypes = [ctypes.c_void_p]
    return library


def ours(library, target, emit):
    """What our compiler makes of the example, as bytes."""
    with open(os.path.join(SOURCE, "examples", "llama3-8b-prefill.mlir"), "rb") as file:
        text = file.read()
    options = (Option * 2)(Option(b"target", target), Option(b"emit", emit))
    compilation = library.attnCompile(text, len(text), options, len(options))
    if not library.attnCompilationSucceeded(compilation):
        sys.exit(library.attnCompilationDiagnostics(compilation).decode())
    size = ctypes.c_size_t()
    data = library.attnCompilationOutput(compilation, ctypes.byref(size))
    output = ctypes.string_at(data, size.value)
    library.attnCompilationDestroy(compilation)
    return output


def triton_ptx():
    """What Triton makes of the benchmarks' kernel, past its cache."""
    sys.path.insert(0, os.path.join(SOURCE, "benchmarks"))
    import triton
    import triton_attention as kernel
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    triton.knobs.compilation.always_compile = True
    signature = {name: "*bf16" for name in kernel.POINTERS}
    signature["scale_log2"] = "fp32"
    signature.update({name: "i32" for name in kernel.STRIDES + kernel.SIZES})
    constants = {"D": 64, "M": 64, "N": 64, "CAUSAL": True}
    signature.update({name: "constexpr" for name in constants})
    made = triton.compile(
        ASTSource(fn=kernel.forward, signature=signature, constexprs=constants),
        target=GPUTarget("cuda", 90, 32),
    )
    return made.asm["ptx"].encode()


def child(path, mode, order):
    """Compiles in this order, and prints a digest for each time."""
    library = None
    for who in order:
        if who == "ours":
            library = library or open_library(path, mode)
            outputs = {f"ours {target}": ours(library, target.encode(), emit)
                       for target, emit in (("h200", b"ptx"), ("mi300x", b"isa"))}
        else:
            outputs = {"triton": triton_ptx()}
        for name, output in outputs.items():
            print(name, hashlib.sha256(output).hexdigest(), len(output))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("library")
    parser.add_argument("--symbols", choices=("local", "global"), default="local",
                        help="how the library is opened (RTLD_LOCAL, RTLD_GLOBAL)")
    parser.add_argument("--order", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.order:
        mode = {"local": os.RTLD_LOCAL, "global": os.RTLD_GLOBAL}[arguments.symbols]
        return child(arguments.library, mode | os.RTLD_NOW, ORDERS[arguments.order])

    digests, failures = {}, 0
    for order in ORDERS:
        run = subprocess.run(
            [sys.executable, __file__, arguments.library, f"--symbols={arguments.symbols}", f"--order={order}"],
            capture_output=True, text=True)
        if run.returncode:
            print(f"{order}: status {run.returncode}\n{run.stderr}")
            failures += 1
        for line in run.stdout.splitlines():
            name, digest, size = line.rsplit(" ", 2)
            same = digests.setdefault(name, digest) == digest
            failures += not same
            print(f"{order}: {name}: {size} bytes, {'the same' if same else 'others than alone'}")
    print("Triton and the compiler do not disturb each other" if not failures else f"{failures} failures")
    return bool(failures)


if __name__ == "__main__":
    sys.exit(main())
