"""Runs the transformer block in a process in which another LLVM compiles and runs code, before the block and after it.

usage: second-llvm.py libLLVM.so BLOCK

BLOCK: main.c as a shared object, with the block, whose main is block_main."""

import ctypes
import sys

# RTLD_GLOBAL: whatever has no version of its own finds this LLVM's symbols.
llvm = ctypes.CDLL(sys.argv[1], mode=ctypes.RTLD_GLOBAL)
TEXT = b"define i32 @f(i32 %x) { %y = mul i32 %x, 3 ret i32 %y }"


def call(name, *arguments, result=ctypes.c_void_p):
    function = getattr(llvm, name)
    function.restype = result
    return function(*arguments)


def compiled():
    """f(14) of a function that LLVM has just compiled."""
    for part in ("TargetInfo", "Target", "TargetMC", "AsmPrinter"):
        for name in ("X86", "AArch64"):
            if hasattr(llvm, f"LLVMInitialize{name}{part}"):
                call(f"LLVMInitialize{name}{part}", result=None)
    context = call("LLVMContextCreate")
    text = call("LLVMCreateMemoryBufferWithMemoryRangeCopy", TEXT, len(TEXT), b"text")
    module, engine, error = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_char_p()
    ok = ctypes.c_void_p
    if call("LLVMParseIRInContext", ok(context), ok(text), ctypes.byref(module), ctypes.byref(error), result=ctypes.c_int):
        sys.exit(error.value)
    call("LLVMLinkInMCJIT", result=None)
    if call("LLVMCreateExecutionEngineForModule", ctypes.byref(engine), module, ctypes.byref(error), result=ctypes.c_int):
        sys.exit(error.value)
    address = call("LLVMGetFunctionAddress", engine, b"f", result=ctypes.c_uint64)
    return ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_int32)(address)(14)


print("another LLVM says", compiled(), flush=True)
block = ctypes.CDLL(sys.argv[2])
arguments = (ctypes.c_char_p * 4)(b"main", b"2", b"37", None)
status = block.block_main(3, arguments)
print("status", status, "and another LLVM says", compiled(), flush=True)
