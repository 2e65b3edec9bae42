"""What the tests launch on: the emulator's stand-in for HIP's runtime or, where ATTN_TEST_TARGET says so, the CPU, or a GPU by its driver
(h200)."""

import ctypes
import os
import random
import shutil
import subprocess
import sys

import torch
from support import BF16, F16, F32, HERE, DLArray

sys.path.insert(0, os.path.join(HERE, "..", "..", "Target", "ROCDL", "Inputs"))
from emulate import check  # noqa: E402
from buffers import encode  # noqa: E402

TARGET = os.environ.get("ATTN_TEST_TARGET", "mi300x")
ON_CPU, ON_CUDA = TARGET == "cpu", TARGET == "h200"
CPU, CUDA, ROCM = 1, 2, 10
KIND = CPU if ON_CPU else CUDA if ON_CUDA else ROCM  # DLPack's type of the device.
DL_TYPES = {"f16": F16, "bf16": BF16, "f32": F32}
ALIGN = 256

hip = None if ON_CPU or ON_CUDA else ctypes.CDLL(os.environ["ATTN_HIP_RUNTIME"])
_cuda = None
_kept = []


def cuda(function, *arguments):
    """A call of CUDA's driver, with the context of device 0."""
    global _cuda
    if _cuda is None:
        _cuda, context = ctypes.CDLL("libcuda.so.1"), ctypes.c_void_p()
        cuda("cuInit", 0)
        cuda("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        cuda("cuCtxSetCurrent", context)
    status = getattr(_cuda, function)(*arguments)
    assert status == 0, (function, status)


def allocate(data):
    """The address of a copy, as long as the process lives."""
    if ON_CPU:
        memory = ctypes.create_string_buffer(len(data) + ALIGN)
        _kept.append(memory)
        address = ctypes.addressof(memory) + -ctypes.addressof(memory) % ALIGN
        write(address, data)
        return address
    address = ctypes.c_void_p()
    if ON_CUDA:
        cuda("cuMemAlloc_v2", ctypes.byref(address), ctypes.c_size_t(max(len(data), 1)))
        write(address.value, data)
        return address.value
    assert hip.hipMalloc(ctypes.byref(address), ctypes.c_size_t(max(len(data), 1))) == 0
    write(address.value, data)
    return address.value


def write(address, data):
    if ON_CPU:
        ctypes.memmove(address, data, len(data))
    elif ON_CUDA:
        cuda("cuMemcpyHtoD_v2", ctypes.c_void_p(address), data, ctypes.c_size_t(len(data)))
    else:
        assert hip.hipMemcpy(ctypes.c_void_p(address), data, ctypes.c_size_t(len(data)), 1) == 0


def read(address, bytes):
    if ON_CPU:
        return ctypes.string_at(address, bytes)
    data = ctypes.create_string_buffer(bytes)
    if ON_CUDA:
        cuda("cuCtxSynchronize")
        cuda("cuMemcpyDtoH_v2", data, ctypes.c_void_p(address), ctypes.c_size_t(bytes))
        return data.raw
    assert hip.hipMemcpy(data, ctypes.c_void_p(address), ctypes.c_size_t(bytes), 2) == 0
    return data.raw


_causal = None


def causal_bundle(scratch, case, lower=""):
    """A copy, to change, of a bundle with two variants, compiled once by a process."""
    global _causal
    if not _causal:
        _causal = compile_bundle(
            os.path.join(os.path.dirname(scratch), "causal"), case, "--schedule=tiles=query=64,key=64",
            f"--variant=query<=64&key<=128: tiles=query=32,key=32:{lower}",
        )
    shutil.rmtree(scratch, ignore_errors=True)
    return shutil.copytree(_causal, scratch)


def compile_bundle(directory, case, *options):
    shutil.rmtree(directory, ignore_errors=True)
    source = directory + ".mlir"
    with open(source, "w") as file:
        file.write(case.text())
    subprocess.run(["attn-compile", source, f"--target={TARGET}", "--emit=bundle", "-o", directory, *options], check=True)
    return directory


class Arrays:
    """Inputs and outputs of a case, with NaN in their gaps, on the device."""

    def __init__(self, case):
        self.case = case
        inputs, self.outputs = case.views()
        generator = random.Random(case.name())
        for view in inputs:
            view.fill(generator)
        self.wanted = case.wanted(*inputs)
        self.views = inputs + self.outputs
        self.addresses = [allocate(encode(view.values, view.element)) for view in self.views]

    def callers(self, view):
        """Sizes and strides in the caller's order of dimensions."""
        bshd = self.case.layout == "bshd" and len(view.sizes) == 4
        order = (0, 2, 1, 3) if bshd else range(len(view.sizes))
        return [view.sizes[i] for i in order], [view.strides[i] for i in order]

    def dlpack(self, kind=KIND, number=0):
        result = []
        for view, address in zip(self.views, self.addresses):
            sizes, strides = self.callers(view)
            result.append(DLArray(sizes, DL_TYPES[view.element], address, strides, number, kind))
        return result

    def torch(self, device=torch.device("cuda", 0)):
        types = {"f16": torch.float16, "bf16": torch.bfloat16, "f32": torch.float32}
        return [
            torch.Tensor(sizes, types[view.element], device, strides, address)
            for view, address, (sizes, strides) in zip(self.views, self.addresses, map(self.callers, self.views))
        ]

    def assert_right(self):
        """The outputs; they are NaN again afterwards."""
        results, first = {}, len(self.views) - len(self.outputs)
        for index in range(first, len(self.views)):
            view, address = self.views[index], self.addresses[index]
            size = len(encode(view.values, view.element))
            results[index] = read(address, size)
            write(address, b"\xff" * size)
        error = check(self.case, self.outputs, self.wanted, results)
        assert not error, error


def call(kernel, arrays, **keywords):
    *inputs, out, lse = arrays
    return kernel(*inputs, out=out, lse=lse, **keywords)
