"""Attention kernels that attn-mlir compiles.

>>> import attn_mlir
>>> o = attn_mlir.attention(q, k, v, causal=True)

compiles a kernel for the arrays' device at the first call of its kind, and keeps it in memory and on disk.

>>> kernel = attn_mlir.load("prefill.bundle")
>>> o = kernel(q, k, v)

launches what ``attn-compile --emit=bundle -o DIR`` or ``attn_mlir.compile(...).save(path)`` wrote. Arrays are torch
tensors, NumPy arrays, or any object with ``__dlpack__`` or ``__cuda_array_interface__``. Nothing but the standard
library, the launcher (``libattn_launcher.so``) and, to compile, the compiler (``libattn_compiler.so``) is needed;
torch is used where the arguments are its.
"""

from ._ahead import CompiledAttention, Spec, compile
from ._attention import attention
from ._captures import capture, sorted
from ._errors import (
    ArgumentError,
    BundleError,
    CollectiveError,
    CompileError,
    CudaError,
    DriverError,
    Error,
    HipError,
    NoVariantError,
    TraceError,
)
from ._float8 import InterleavedValues as _InterleavedValues
from ._functions import (
    ceil,
    cos,
    erf,
    exp,
    exp2,
    floor,
    log,
    log2,
    maximum,
    minimum,
    rsqrt,
    sigmoid,
    sin,
    softcap,
    sqrt,
    tanh,
    where,
)
from ._kernel import Kernel, Prepared, load
from ._kernels import CacheInfo, cache_clear, cache_info
from ._library import version

__all__ = [
    "ArgumentError",
    "BundleError",
    "CollectiveError",
    "CacheInfo",
    "CompileError",
    "CompiledAttention",
    "CudaError",
    "DriverError",
    "Error",
    "HipError",
    "Kernel",
    "NoVariantError",
    "Prepared",
    "Spec",
    "TraceError",
    "attention",
    "cache_clear",
    "cache_info",
    "capture",
    "ceil",
    "compile",
    "cos",
    "erf",
    "exp",
    "exp2",
    "floor",
    "interleaved_values",
    "load",
    "log",
    "log2",
    "maximum",
    "minimum",
    "quantize",
    "rotation",
    "rsqrt",
    "sigmoid",
    "sin",
    "softcap",
    "sorted",
    "sqrt",
    "tanh",
    "version",
    "where",
]


def interleaved_values(v, layout="bhsd"):
    """V of float8, [batch, heads, length, dim] or as ``layout`` says, transposed as kernels of GPUs take it: a ``v`` of
    attention() for several calls."""
    return _InterleavedValues(v, layout)


def quantize(x, *, rotation=None, dtype=None, heads=None, layout="bhsd", scale_block=None, centered=False):
    """x [batch, heads, length, dim], or as ``layout`` says, in float8: (numbers, scales), as attention() takes them.

    x is a torch tensor in float16, bfloat16 or float32, on a CPU or a GPU; numbers have its shape and type ``dtype`` (torch.float8_e4m3fn),
    scales are float32 [batch, heads], the largest magnitude of each head over the largest number of the type, or 1 of zeros alone.
    heads: how many scales a batch has, a divisor of x's heads, which share them in turn: for q the heads of k.
    scale_block: a power of two, 32 or more: each block of so many rows has a scale of its own, [batch, heads, blocks], as attention() takes those
        of k and v beside its ``scale_block``.
    rotation: a matrix of ``rotation(dim, seed)``, or its blocks: rows are multiplied by it, and divided by sqrt(dim), first. q and k rotated alike have the
        scores that they had; of v, what attention() gives is rotated, and ``o @ (rotation.T / sqrt(dim))`` is O.
    centered: for k: rows are less their mean over the length before all else, and there is a third result, these means, float32
        [batch, heads, dim]. Softmax does not change, nor does O, but the log-sum-exp that attention(..., return_lse=True) gives is that of the
        centered k: add ``scale * (q @ means[..., None])[..., 0]``, q as it was before it was quantised or rotated, for that of k. Score
        modifications see scores of the centered k.
    """
    import torch

    from . import _quantize

    return _quantize.quantize(x, rotation, torch.float8_e4m3fn if dtype is None else dtype, heads, layout, scale_block, centered)


def rotation(dim, seed=0, *, device=None, dtype=None, blocks=None):
    """A Hadamard matrix of ``dim`` rows with random signs, entries 1 and -1 in ``dtype`` (torch.bfloat16): sqrt(dim) times an orthogonal matrix.

    It spreads an outlier over its row, which quantize() then rounds with a smaller scale. The same ``seed`` is the same matrix.
    blocks: a power of two n: the matrix as [n, dim / n, dim / n], which are blocks along a diagonal times Sylvester's matrix of order n between them.
        quantize() takes either, and multiplies by blocks where that is faster.
    """
    import torch

    from . import _quantize

    return _quantize.rotation(dim, seed, device, torch.bfloat16 if dtype is None else dtype, blocks)
