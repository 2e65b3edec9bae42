"""Launch attention kernels that attn-mlir compiled.

>>> import attn_mlir
>>> kernel = attn_mlir.load("prefill.bundle")
>>> o = kernel(q, k, v)

A bundle is what ``attn-compile --emit=bundle -o DIR`` writes, for CUDA or for HIP
(AMD GPUs). Arguments are arrays on such a device: torch tensors, or any object with
``__dlpack__`` or ``__cuda_array_interface__``. Nothing but the standard library and the launcher
(``libattn_launcher.so``) is needed; torch is used where the arguments are its.
"""

from ._errors import ArgumentError, BundleError, CudaError, DriverError, Error, HipError
from ._kernel import Kernel, Prepared, load
from ._library import version

__all__ = [
    "ArgumentError",
    "BundleError",
    "CudaError",
    "DriverError",
    "Error",
    "HipError",
    "Kernel",
    "Prepared",
    "load",
    "version",
]
