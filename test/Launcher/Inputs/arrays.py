"""Arguments from torch (a stand-in for it), DLPack and __cuda_array_interface__."""

import attn_mlir
import torch
from attn_mlir import ArgumentError
from support import (
    BF16, F32, PROGRAM, CudaArray, DLArray, arguments, at, changed, expect, main, prefill, write_bundle,
)


def halves():
    """prefill.json in f16, which every interface has; its plain variant alone."""
    manifest = prefill()
    for view in at(manifest, PROGRAM)["views"][:3]:
        view["element"] = "f16"
    at(manifest, PROGRAM)["variants"] = at(manifest, PROGRAM)["variants"][1:]
    return manifest


def cuda_arrays(**more):
    return (CudaArray((1, 256, 32, 128), **more), CudaArray((1, 300, 8, 128)), CudaArray((1, 256, 32, 128)),
            CudaArray((1, 32, 256), "<f4"))


def tensors(device=torch.device("cuda", 0)):
    return torch.Tensor((1, 256, 32, 128), device=device), torch.Tensor((1, 300, 8, 128), device=device)


def last(log):
    return log.lines()[-1]


def test_torch(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    q, k = tensors()
    out, lse = kernel(q, k, scalars=[1.0])
    # Allocated as the kernel lays them out: BSHD, and LSE as BHS.
    assert (out.shape, out.dtype, out.device) == ((1, 256, 32, 128), torch.bfloat16, q.device)
    assert (lse.shape, lse.dtype) == ((1, 32, 256), torch.float32)
    assert f"stream=0x50 attributes=0: map1 map2 {out.data_ptr():#x}:8 {lse.data_ptr():#x}:8 " in last(log)
    given = torch.Tensor((1, 256, 32, 128))
    assert kernel(q, k, out=given, scalars=[1.0])[0] is given
    assert kernel(q, k, out=(None, lse), scalars=[1.0])[1] is lse
    kernel(q, k, scalars=[1.0], stream=torch._Stream(0x99))
    assert "stream=0x99 " in last(log)
    kernel(q, k, scalars=[1.0], stream=0)
    assert "stream=0x0 " in last(log)


def test_stream_number_of_torch(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    q, k = tensors()

    class Internals:
        _cuda_getCurrentRawStream = staticmethod(lambda index: 0x60 + index)

    torch._C = Internals
    try:
        kernel(q, k, scalars=[1.0])
        assert "stream=0x60 " in last(log)
        kernel(q, DLArray((1, 300, 8, 128)), scalars=[1.0])  # Not all are torch's.
        assert "stream=0x60 " in last(log)
    finally:
        del torch._C


def test_torch_on_another_device(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    q, k = tensors(torch.device("cuda", 1))
    out, _ = kernel(q, k, scalars=[1.0])
    assert out.device.index == 1
    assert "stream=0x51 " in log.lines()[-2] and last(log) == "cuCtxPopCurrent"
    q, k = tensors(torch.device("cuda"))
    kernel(q, k, scalars=[1.0])
    assert "stream=0x50 " in last(log)


def test_torch_that_is_refused(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    q, k = tensors()
    cpu = torch.Tensor((1, 256, 32, 128), device=torch.device("cpu"))
    expect(ArgumentError, "view 'q': expected a CUDA tensor, but got one on cpu", kernel, cpu, k, scalars=[1.0])
    double = torch.Tensor((1, 256, 32, 128), torch.float64)
    expect(ArgumentError, "view 'q': expected float16, bfloat16, float32, float8, int8, bool, int32 or int64, but got torch.float64", kernel, double, k,
           scalars=[1.0])
    half = torch.Tensor((1, 256, 32, 128), torch.float16)
    expect(ArgumentError, "expected element type bf16, but got f16", kernel, half, k, scalars=[1.0])
    flat = torch.Tensor((1, 256))
    expect(ArgumentError, "view 'q': expected rank 4, but got 2", kernel, flat, k, scalars=[1.0])
    expect(ArgumentError, "view 'k'", kernel, q, None, scalars=[1.0])
    expect(ArgumentError, "view 'q': expected a torch tensor, or an object with", kernel, [1, 2], k, scalars=[1.0])
    other = changed([*PROGRAM, "views", 2, "shape", 2], "value")
    kernel = attn_mlir.load(write_bundle(scratch, other))
    expect(ArgumentError, "cannot allocate output 'o': no input has axis 'value'", kernel, q, k, scalars=[1.0])


def test_dlpack(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    for versioned in (True, False):
        arrays = arguments()
        for array in arrays:
            array.versioned = versioned
        q, k, o, lse = arrays
        assert kernel(q, k, out=o, lse=lse, scalars=[1.0]) == (o, lse)
        assert "stream=0x0 " in last(log) and q.streams == [1]
        kernel(q, k, out=o, lse=lse, scalars=[1.0], stream=0x60)
        assert "stream=0x60 " in last(log) and q.streams == [1, 0x60]
        assert DLArray.alive == 0  # Capsules free their description.
    q.tensor.byte_offset = 0x100
    kernel(q, k, out=o, lse=lse, scalars=[1.0])
    assert "base=0x10100 " in [line for line in log.lines() if "Encode" in line][-1]


def test_dlpack_that_is_refused(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    _, k, o, lse = arguments()
    shape = (1, 256, 32, 128)
    for array, said in (
        (DLArray(shape, kind=1), "view 'q' (DLPack): expected device type 2 (CUDA), but got 1"),
        (DLArray(shape, kind=10), "view 'q' (DLPack): expected device type 2 (CUDA), but got 10"),
        (DLArray(shape, dtype=(2, 64)), "but got DLPack type code 2 of 64 bits and 1 lanes"),
        (DLArray(shape, lanes=2), "but got DLPack type code 4 of 16 bits and 2 lanes"),
        (DLArray(shape, major=2), "expected DLPack version 1, but got 2"),
    ):
        expect(ArgumentError, said, kernel, array, k, out=o, lse=lse, scalars=[1.0])
    q = DLArray(shape)
    expect(ArgumentError, "view 'o': expected an array that may be written, but got a read-only one", kernel, q, k,
           out=DLArray(shape, flags=1), lse=lse, scalars=[1.0])
    kernel(DLArray(shape, flags=1), k, out=o, lse=lse, scalars=[1.0])
    q.__dlpack__ = lambda **_: "no capsule"
    expect(ArgumentError, "expected a fresh DLPack capsule, but got 'no capsule'", kernel, q, k, out=o, lse=lse,
           scalars=[1.0])
    assert DLArray.alive == 0


def test_cuda_array_interface(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch, halves()))
    q, k, o, lse = cuda_arrays()
    assert kernel(q, k, out=o, lse=lse, scalars=[1.0]) == (o, lse)
    assert "stream=0x0 " in last(log) and " 0x10000:8 " in last(log)
    # The stream that the arrays are ready on.
    q.__cuda_array_interface__["stream"] = 0x70
    kernel(q, k, out=o, lse=lse, scalars=[1.0])
    assert "stream=0x70 " in last(log)
    k.__cuda_array_interface__["stream"] = 0x71
    expect(ArgumentError, ["view 'k': expected an array of stream 0x70", "but got one of stream 0x71"], kernel, q, k, out=o,
           lse=lse, scalars=[1.0])
    kernel(q, k, out=o, lse=lse, scalars=[1.0], stream=0x72)  # Says that they are synchronised.
    assert "stream=0x72 " in last(log)
    q.__cuda_array_interface__["stream"] = k.__cuda_array_interface__["stream"] = 1
    kernel(q, k, out=o, lse=lse, scalars=[1.0])
    assert "stream=0x0 " in last(log)
    q.__cuda_array_interface__["strides"] = (0, 8192, 256, 2)
    kernel(q, k, out=o, lse=lse, scalars=[1.0])


def test_cuda_array_interface_that_is_refused(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch, halves()))
    shape = (1, 256, 32, 128)
    _, k, o, lse = cuda_arrays()
    for array, said in (
        (CudaArray(shape, "|V2"), "but got '|V2'; the interface has no bf16: use DLPack for it"),
        (CudaArray(shape, ">f2"), "expected typestr '<f2', '<f4', '<i4' or '<i8', but got '>f2'"),
        (CudaArray(shape, strides=(0, 8192, 255, 2)), "expected strides of a multiple of 2 bytes"),
        (CudaArray(shape, mask=object()), "expected an array without a mask"),
        (CudaArray(shape, data=0x10001), "a multiple of 2 bytes, but got 0x10001"),
        (CudaArray(shape, strides=(8192, 256, 2)), "expected rank 4, but got 4 with 3 strides"),
    ):
        expect(ArgumentError, said, kernel, array, k, out=o, lse=lse, scalars=[1.0])
    broken = CudaArray(shape)
    del broken.__cuda_array_interface__["data"]
    expect(ArgumentError, "not of version 2 or 3", kernel, broken, k, out=o, lse=lse, scalars=[1.0])
    readonly = CudaArray(shape)
    readonly.__cuda_array_interface__["data"] = (0x10000, True)
    expect(ArgumentError, "view 'o': expected an array that may be written", kernel, *cuda_arrays()[:2], out=readonly,
           lse=lse, scalars=[1.0])
    q, k = tensors()
    mixed = CudaArray((1, 32, 256), "<f4", stream=0x70)
    bf16 = attn_mlir.load(write_bundle(scratch))
    expect(ArgumentError, ["view 'lse': expected an array of stream 0x50", "0x70"], bf16, q, k, lse=mixed, scalars=[1.0])


main()
