"""The quick ways of attention() and of kernels: the extension _native, where it is built."""

import ctypes
import importlib.machinery
import importlib.util
import inspect
import os

from ._arrays import torch_module
from ._library import library


def _load():
    """The extension beside this file (installed) or in a build folder of the source tree; None where it is not built,
    or ATTN_MLIR_NATIVE=0 says that it shall not be used."""
    if os.environ.get("ATTN_MLIR_NATIVE") == "0":
        return None
    try:
        from . import _native

        return _native
    except ImportError:
        pass
    source = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    for build in ("build", "build-dev"):
        path = os.path.join(source, build, "python", "_native.abi3.so")
        if os.path.exists(path):
            loader = importlib.machinery.ExtensionFileLoader("attn_mlir._native", path)
            module = importlib.util.module_from_spec(importlib.util.spec_from_loader("attn_mlir._native", loader))
            loader.exec_module(module)
            return module
    return None


_native = _load()


def wrapped(function):
    """The function, which calls that were remembered do not reach."""
    if _native is None:
        return function
    signature = str(inspect.signature(function))
    return _native.wrap(function, f"{function.__name__}{signature}\n--\n\n{inspect.getdoc(function)}")


_SHIM = ("aoti_torch_empty_strided", "aoti_torch_get_data_ptr", "aoti_torch_delete_tensor_object")
# THPVariable_Wrap(const at::TensorBase &): its name says what it takes, so one that takes something else is not found.
_WRAP = "_Z16THPVariable_WrapRKN2at10TensorBaseE"
_NUMBERS = ("dtype_float16", "dtype_bfloat16", "dtype_float32", "device_type_cpu", "device_type_cuda")
_has_asked = False


def _shim_of(torch):
    """Arguments of the extension's use_shim(): addresses and numbers; None where this PyTorch does not have them."""
    folder = os.path.join(os.path.dirname(torch.__file__), "lib")
    try:
        core, python = (ctypes.CDLL(os.path.join(folder, name)) for name in ("libtorch_cpu.so", "libtorch_python.so"))
        functions = [getattr(core, name) for name in _SHIM] + [getattr(python, _WRAP)]
        numbers = [getattr(core, f"aoti_torch_{name}")() for name in _NUMBERS]
    except (OSError, AttributeError):
        return None
    return (*(ctypes.cast(function, ctypes.c_void_p).value for function in functions), *numbers)


def _use_shim(torch):
    """Results by PyTorch's C interface, where this PyTorch has it: by DLPack one costs twice as much."""
    global _has_asked
    if _has_asked:
        return
    _has_asked = True
    arguments = _shim_of(torch)
    if arguments is not None:
        _native.use_shim(*arguments)


_torch = None


def _reads_tensors():
    """Whether the extension reads tensors of PyTorch."""
    global _torch
    torch = torch_module()
    if torch is None or _native is None:
        return False
    if _torch is not torch:
        # Else it is half imported yet.
        if not hasattr(torch, "nn") or not _native.use_tensors(torch.Tensor, torch.nn.Parameter, torch.empty_like):
            return False
        _torch = torch
    return True


def launch_address():
    """Of attnBundleLaunch."""
    return ctypes.cast(library().attnBundleLaunch, ctypes.c_void_p).value


def launch(bundle, inputs, outputs, numbers, stream):
    """Launches with PyTorch's tensors; the launcher's status, or -1 where nothing was launched. ``bundle``: address of attnBundleLaunch, of the
    bundle, DLPack's type of its devices, number of its views."""
    if _torch is None and not _reads_tensors():
        return -1
    if numbers is None:
        return _native.launch(*bundle, inputs, outputs, 0, 0, stream)
    return _native.launch(*bundle, inputs, outputs, ctypes.addressof(numbers), len(numbers), stream)


def remember(tensors, keywords, plan):
    """Calls with such tensors and these keywords, which are all that a kernel without regions depends on, take the plan's
    kernel from now on."""
    if not plan.is_torch or plan.pads or plan.is_wide or plan.kernel is None or not _reads_tensors():
        return
    is_known = _native.remember(
        tensors, keywords, plan.layout == "bshd", plan.lse, plan.entry, launch_address(), plan.kernel.address)
    if is_known:
        _use_shim(torch_module())


def forget():
    """All calls are new again."""
    if _native is not None:
        _native.forget()


def tell_again():
    """Calls say once more which entries are used."""
    if _native is not None:
        _native.tell_again()
