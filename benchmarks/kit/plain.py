"""Correctness where there is no PyTorch: the launcher and Python alone.

Small kernels against float64 in plain Python, which shares no line with the compiler
(test/Target/ROCDL/Inputs/problems.py); memory by the CUDA driver or the HIP runtime, the
one that the launcher opens.
"""

import ctypes
import os
import random
import sys

from kernels import ROOT

sys.path.insert(0, str(ROOT / "test" / "Target" / "ROCDL" / "Inputs"))

import harness  # noqa: E402
from buffers import encode  # noqa: E402
from device import ask_launcher  # noqa: E402
from emulate import check  # noqa: E402
from problems import Case  # noqa: E402

CASES = [
    Case("causal-br", "bf16", (4, 2), (64, 64), (1, 70, 120), ""),
    Case("full", "f16", (2, 2), (128, 128), (1, 70, 130), "", layout="bshd"),
    Case("window", "bf16", (2, 1), (64, 64), (2, 65, 100), ""),
    Case("causal", "f16", (1, 1), (96, 96), (1, 140, 90), "persistent"),
    Case("full", "bf16", (2, 1), (64, 64), (1, 65, 300), "sawtooth=force", growth=0.02),
]


class Failure(Exception):
    """A call of the driver failed."""


def succeed(code, what):
    if code != 0:
        raise Failure(f"{what} failed with {code}")


class Hip:
    """Memory of the first AMD GPU."""

    names = ("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so",
             "/opt/rocm/lib/libamdhip64.so")

    def __init__(self):
        self.library = open_first(os.environ.get("ATTN_HIP_RUNTIME"), self.names)

    def allocate(self, data):
        address, size = ctypes.c_void_p(), ctypes.c_size_t(len(data))
        succeed(self.library.hipMalloc(ctypes.byref(address), ctypes.c_size_t(max(len(data), 1))), "hipMalloc")
        succeed(self.library.hipMemcpy(address, data, size, 1), "hipMemcpy to the device")
        return address.value

    def read(self, address, count):
        data = ctypes.create_string_buffer(count)
        succeed(self.library.hipMemcpy(data, ctypes.c_void_p(address), ctypes.c_size_t(count), 2),
                "hipMemcpy from the device")
        return data.raw


class Cuda:
    """Memory of the first NVIDIA GPU, in its primary context, which is made current."""

    names = ("libcuda.so.1",)

    def __init__(self):
        self.library = open_first(os.environ.get("ATTN_CUDA_DRIVER"), self.names)
        succeed(self.library.cuInit(0), "cuInit")
        device, context = ctypes.c_int(), ctypes.c_void_p()
        succeed(self.library.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
        succeed(self.library.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "cuDevicePrimaryCtxRetain")
        succeed(self.library.cuCtxSetCurrent(context), "cuCtxSetCurrent")

    def allocate(self, data):
        address, size = ctypes.c_uint64(), ctypes.c_size_t(len(data))
        succeed(self.library.cuMemAlloc_v2(ctypes.byref(address), ctypes.c_size_t(max(len(data), 1))), "cuMemAlloc")
        succeed(self.library.cuMemcpyHtoD_v2(address, data, size), "cuMemcpyHtoD")
        return address.value

    def read(self, address, count):
        data = ctypes.create_string_buffer(count)
        succeed(self.library.cuMemcpyDtoH_v2(data, ctypes.c_uint64(address), ctypes.c_size_t(count)), "cuMemcpyDtoH")
        return data.raw


def open_first(given, names):
    for name in [given] if given else names:
        try:
            return ctypes.CDLL(name)
        except OSError as error:
            last = error
    raise Failure(f"cannot open {', '.join([given] if given else names)}: {last}")


def platform(plan):
    return "hip" if plan["facts"]["arch"].startswith("gfx") else "cuda"


def facts(plan):
    """What the driver states of the first GPU; {"error": ...} where there is none."""
    try:
        return ask_launcher(harness.import_package(), platform(plan))
    except Exception as error:
        return {"error": " ".join(f"{type(error).__name__}: {error}".split())[:300]}


def caller_order(case, view):
    order = (0, 2, 1, 3) if case.layout == "bshd" and len(view.sizes) == 4 else range(len(view.sizes))
    return [view.sizes[i] for i in order], [view.strides[i] for i in order]


def tensor_of(package, case, view, address):
    sizes, strides = caller_order(case, view)
    tensor = package._library.Tensor()
    tensor.data, tensor.rank, tensor.device = address, len(sizes), 0
    tensor.dtype = package._library.TYPE_CODES[view.element]
    tensor.sizes[: len(sizes)], tensor.strides[: len(strides)] = sizes, strides
    return tensor


def run_case(case, bundle, plan):
    """What is wrong with one kernel, or an empty text."""
    package = harness.import_package()
    memory = {"hip": Hip, "cuda": Cuda}[platform(plan)]()
    inputs, outputs = case.views()
    generator = random.Random(case.name())
    for view in inputs:
        view.fill(generator)
    case.adjust(*inputs)
    wanted = case.wanted(*inputs)
    views = inputs + outputs  # outputs are NaN
    addresses = [memory.allocate(encode(view.values, view.element)) for view in views]
    tensors = (package._library.Tensor * len(views))(
        *(tensor_of(package, case, view, address) for view, address in zip(views, addresses)))
    opened = package._library.open_bundle(str(bundle))
    package._library.check(package._library.library().attnBundleLaunch(opened, tensors, len(views), None, 0, None))
    results = {
        n: memory.read(addresses[n], len(encode(views[n].values, views[n].element)))
        for n in range(len(inputs), len(views))
    }
    return check(case, outputs, wanted, results)
