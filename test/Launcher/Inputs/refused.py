"""Arguments that a kernel does not take, and what is said of them."""

import ctypes

import attn_mlir
from attn_mlir import ArgumentError
from attn_mlir import _library
from support import (
    BF16, F16, F32, PROGRAM, VARIANTS, DLArray, arguments, at, changed, cubin, expect, main, prefill, step, write_bundle,
)


def refuse(kernel, parts, at=None, array=None, scalars=(1.0,), error=ArgumentError, **sizes):
    """The call with argument ``at`` replaced is refused."""
    arrays = list(arguments(**sizes))
    if at is not None:
        arrays[at] = array
    q, k, o, lse = arrays
    return expect(error, parts, kernel, q, k, out=o, lse=lse, scalars=list(scalars))


def with_parts(scratch, **parts):
    """A kernel whose first variant has these parts, and whose second is gone."""
    manifest = prefill()
    at(manifest, PROGRAM)["variants"] = at(manifest, PROGRAM)["variants"][:1]
    for key, value in parts.items():
        table = at(manifest, (*VARIANTS, 0) if key == "guard" else step(0))
        table[key] = value
        if value is None:
            del table[key]
    return attn_mlir.load(write_bundle(scratch, manifest))


def test_shapes(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    error = refuse(kernel, ["view 'q' (argument 0): dimension 1 (2 of the array): expected size 32, but got 31"], 0,
                   DLArray((1, 256, 31, 128)))
    assert isinstance(error, ValueError)
    refuse(kernel, ["'k' (argument 1)", "dimension 3: expected size 128, but got 64"], 1, DLArray((1, 300, 8, 64)))
    refuse(kernel, ["'o' (argument 2)", "dimension 2 (1 of the array): expected size 256, but got 255",
                    "axis 'query' has that size in dimension 2 of 'q'"], 2, DLArray((1, 255, 32, 128)))
    refuse(kernel, ["'lse' (argument 3)", "axis 'batch'"], 3, DLArray((2, 32, 256), F32))
    refuse(kernel, ["'lse' (argument 3)", "expected rank 3, but got 4"], 3, DLArray((1, 32, 256, 1), F32))
    refuse(kernel, ["'q'", "expected rank 4, but got 9"], 0, DLArray((1,) * 9))
    refuse(kernel, ["expected a size of at least 0, but got -1"], 0, DLArray((-1, 256, 32, 128), strides=(1, 1, 1, 1)))
    refuse(kernel, ["'q'", "expected element type bf16, but got f16"], 0, DLArray((1, 256, 32, 128), F16))
    refuse(kernel, ["'lse'", "expected element type f32, but got bf16"], 3, DLArray((1, 32, 256), BF16))
    assert log.calls() == []  # All before the driver is opened.


def test_strides_and_addresses(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    shape = (1, 256, 32, 128)
    refuse(kernel, ["'o'", "dimension 2 (1 of the array): expected a stride other than 0 in a view that is written"], 2,
           DLArray(shape, strides=(0, 0, 128, 1)))
    refuse(kernel, ["'q'", "size 256 and stride 4611686018427387904 leave the address space"], 0,
           DLArray(shape, strides=(0, 1 << 62, 128, 1)))
    refuse(kernel, ["leave the address space"], 0, DLArray(shape, strides=(0, -(1 << 63), 128, 1)))
    refuse(kernel, ["leave the address space"], 0, DLArray(shape, strides=(0, 1 << 54, 1 << 57, 1)))
    refuse(kernel, ["'q'", "expected the address of device memory, but got null"], 0, DLArray(shape, data=0))
    assert log.calls() == []


def test_devices(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    refuse(kernel, ["'k' (argument 1)", "expected device 0, but got 1; 'q' is on device 0"], 1,
           DLArray((1, 300, 8, 128), device=1))
    refuse(kernel, ["expected a device ordinal or -1, but got -2"], 0, DLArray((1, 256, 32, 128), device=-2))
    assert log.calls() == []


def test_counts(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    q, k, o, lse = arguments()
    expect(ArgumentError, "expected 2 inputs (q, k), but got 1", kernel, q)
    expect(ArgumentError, "expected 1 scalars, but got 0", kernel, q, k, out=o, lse=lse)
    expect(ArgumentError, "expected scalars ['softcap'], but got ['cap']", kernel, q, k, out=o, lse=lse, scalars={"cap": 1})
    expect(ArgumentError, ["scalar 'softcap'", "f32", "'x'"], kernel, q, k, out=o, lse=lse, scalars=["x"])
    expect(ArgumentError, ["scalar 'softcap'", "1e+39"], kernel, q, k, out=o, lse=lse, scalars=[1e39])
    expect(ArgumentError, "out with 2 entries", kernel, q, k, out=(o,), scalars=[1])
    expect(ArgumentError, "output 'lse'", kernel, q, k, out=o, scalars=[1])
    expect(ArgumentError, "stream: expected", kernel, q, k, out=o, lse=lse, scalars=[1], stream="x")
    manifest = changed([*PROGRAM, "views"], at(prefill(), PROGRAM)["views"][:3])
    at(manifest, PROGRAM)["variants"] = at(manifest, PROGRAM)["variants"][1:]
    narrow = attn_mlir.load(write_bundle(scratch + ".narrow", manifest))
    expect(ArgumentError, "expected at most 1 outputs", narrow, q, k, out=o, lse=lse, scalars=[1])
    assert narrow(q, k, out=o, scalars=[1]) is o  # One output is not a tuple.


def test_no_variant(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    refuse(kernel, ["no variant of 'prefill' applies:",
                    "variant 0 (prefill_tma): expected le(size(q, 2)=65536, 4096)",
                    "variant 1 (prefill_plain): expected lt(size(q, 2)=65536, 65536)"], query=65536)
    shape = (1, 256, 32, 128)
    refuse(kernel, ["variant 0 (prefill_tma): view 'q': expected a base address of a multiple of 16 bytes, but got 0x10001",
                    "variant 1 (prefill_plain): view 'q': expected a base address of a multiple of 2 bytes"], 0,
           DLArray(shape, data=0x10001))
    refuse(kernel, ["variant 0 (prefill_tma): view 'q': expected stride 1 of the last dimension, but got 2"], 0,
           DLArray(shape, strides=(0, 32 * 256, 256, 2)))
    kernel = with_parts(scratch, guard=None)
    refuse(kernel, ["variant 0 (prefill_tma): view 'k': expected the stride of dimension 2 to be a multiple of 16 bytes, "
                    "but got 2056"], 1, DLArray((1, 300, 8, 128), strides=(0, 1028, 128, 1)))
    assert log.calls() == []


def test_expressions(scratch, log):
    query = ["size", 0, 2]
    big = ["mul", ["mul", query, 1 << 40], 1 << 40]
    for guard, said in (
        (["gt", big, 0], "the guard of variant 0 leaves 64 bits"),
        (["add", 9223372036854775807, query], "leaves 64 bits"),
        (["sub", -9223372036854775808, query], "leaves 64 bits"),
        (["floordiv", -9223372036854775808, ["sub", 255, query]], "leaves 64 bits"),
        (["rem", 1, ["sub", query, 256]], "the guard of variant 0 divides by 0"),
        (["ceildiv", 1, ["sub", query, 256]], "divides by 0"),
    ):
        refuse(with_parts(scratch, guard=guard), said)
    for grid, said in (
        (-1, "the grid of variant 0: expected 0 to 2147483647 CTAs, but got -1"),
        (2147483648, "the grid of variant 0: expected 0 to 2147483647 CTAs, but got 2147483648"),
        (["floordiv", 1, 0], "the grid of variant 0 divides by 0"),
    ):
        refuse(with_parts(scratch, grid=grid), said)
    assert log.calls() == []


def test_limits(scratch, log):
    """All of them hold, or the variant is passed over."""
    query = ["size", 0, 2]  # 256
    holds, broken = ["le", query, 256], ["lt", ["mul", query, 2], 512]
    kernel = with_parts(scratch, limits=[holds, broken])
    refuse(kernel, "variant 0 (prefill_tma): its code is for lt(mul(size(q, 2)=256, 2), 512)")
    refuse(with_parts(scratch, limits=[["ge", ["stride", 1, 2], 4096]]),
           "its code is for ge(stride(k, 2)=1024, 4096)")
    big = ["mul", ["mul", query, 1 << 40], 1 << 40]
    refuse(with_parts(scratch, limits=[["le", big, 1]]), "a limit of variant 0 leaves 64 bits for these sizes")
    assert log.calls() == []
    # The guard comes first; a limit that holds says nothing.
    refuse(with_parts(scratch, guard=["lt", query, 256], limits=[broken]), "expected lt(size(q, 2)=256, 256)")
    q, k, o, lse = arguments()
    with_parts(scratch, limits=[holds])(q, k, out=o, lse=lse, scalars=[1.0])
    assert "cuLaunchKernelEx" in log.calls()
    # Another variant is taken.
    manifest = changed([*step(0), "limits"], [broken])
    attn_mlir.load(write_bundle(scratch, manifest))(q, k, out=o, lse=lse, scalars=[1.0])
    assert "cuLaunchKernelEx prefill_plain" in " ".join(log.lines())


def test_index_scalars(scratch, log):
    """Indices have 32 bits on the device."""
    manifest = changed([*PROGRAM, "scalars"], [{"name": "offset", "type": "index"}])
    at(manifest, PROGRAM)["variants"] = at(manifest, PROGRAM)["variants"][:1]
    binaries = {"prefill.0.cubin": cubin(prefill_tma=[128, 128, 8, 8, 8, 8, 8])}
    kernel = attn_mlir.load(write_bundle(scratch, manifest, binaries))
    q, k, o, lse = arguments()
    most = 1 << 29
    for value in (most + 1, -most - 1, 1 << 32, -(1 << 63)):
        said = f"scalar 'offset': expected an index from {-most} to {most}, as the device has 32 bits for it, but got {value}"
        expect(ArgumentError, said, kernel, q, k, out=o, lse=lse, scalars=[value])
    assert log.calls() == []
    for value in (most, -most):
        kernel.prepare(q, k, out=o, lse=lse, scalars=[value])


def test_values_of_expressions(scratch, log):
    q = ["size", 0, 2]  # 256
    for expression, value in (
        (["floordiv", 7, 2], 3), (["add", ["floordiv", -7, 2], 10], 6), (["add", ["floordiv", 7, -2], 10], 6),
        (["floordiv", -7, -2], 3), (["ceildiv", 7, 2], 4), (["add", ["ceildiv", -7, 2], 10], 7),
        (["ceildiv", -7, -2], 4), (["ceildiv", 8, 2], 4), (["floordiv", 8, 2], 4), (["rem", 7, 4], 3),
        (["add", ["rem", -9223372036854775808, -1], 1], 1),
        (["add", ["rem", -7, 4], 10], 7), (["min", 3, q], 3), (["max", 3, q], 256), (["sub", q, 6], 250),
        (["add", 1, ["eq", q, 256]], 2), (["add", 1, ["ne", q, 256]], 1), (["add", 1, ["lt", q, 256]], 1),
        (["add", 1, ["le", q, 256]], 2), (["add", 1, ["gt", q, 256]], 1), (["add", 1, ["ge", q, 256]], 2),
        (["add", 1, ["and", 1, 0]], 1), (["add", 1, ["or", 0, 1]], 2), (["select", ["eq", q, 1], 5, 6], 6),
        (["select", 1, 5, ["rem", 1, 0]], 5), (["add", 1, ["and", 0, ["rem", 1, 0]]], 1),
        (["add", 1, ["or", 1, ["rem", 1, 0]]], 2), (["stride", 0, 2], 4096), (["size", 1, 2], 300),
    ):
        a, b, o, lse = arguments()
        kernel = with_parts(scratch, grid=expression)
        assert kernel.prepare(a, b, out=o, lse=lse, scalars=[1]).grid == value, expression
        kernel.close()


def test_tensor_maps(scratch, log):
    kernel = with_parts(scratch, align=[])
    shape = (1, 256, 32, 128)
    refuse(kernel, ["view 'q', for its tensor map: expected a base address of a multiple of 16 bytes",
                    "2 bytes behind"], 0, DLArray(shape, data=0x10002))
    refuse(kernel, ["'q'", "tensor map", "stride of dimension 2", "but got 8194 bytes"], 0,
           DLArray(shape, strides=(0, 4097, 128, 1)))
    refuse(kernel, ["'q'", "but got -8192 bytes"], 0, DLArray(shape, strides=(0, -4096, 128, 1)))
    refuse(kernel, ["'q'", "from 0 to 2^40 - 16", "but got 1099511627776 bytes"], 0,
           DLArray(shape, strides=(0, 1 << 39, 128, 1)))
    refuse(kernel, ["'q'", "expected stride 1 of the last dimension, but got 2"], 0,
           DLArray(shape, strides=(0, 8192, 256, 2)))
    refuse(kernel, ["'k'", "dimension 2 to be at most 2^32, but got 4294967297"], key=(1 << 32) + 1)
    assert "cuLaunchKernelEx" not in log.calls()


def test_c_interface(scratch, log):
    c = _library.library()
    bundle = _library.open_bundle(write_bundle(scratch))
    views, scalars = (_library.Tensor * 4)(), (_library.Scalar * 1)()
    launch = c.attnBundleLaunch

    def refused(said, status):
        assert status == 1 and said in c.attnLastError().decode(), (status, c.attnLastError())
        assert c.attnLastCudaError() == 0

    refused("bundle: expected a pointer, but got null", launch(None, views, 4, scalars, 1, None))
    refused("expected 4 views, but got 3", launch(bundle, views, 3, scalars, 1, None))
    refused("expected 4 views, but got null", launch(bundle, None, 4, scalars, 1, None))
    refused("expected element type bf16, but got f16", launch(bundle, views, 4, scalars, 1, None))
    views[0].dtype = 77
    refused("expected element type bf16, but got an unknown type", launch(bundle, views, 4, scalars, 1, None))
    arrays = [((0, 8, 32, 128), 1), ((0, 8, 8, 128), 1), ((0, 8, 32, 128), 1), ((0, 32, 8), 2)]
    for view, (sizes, dtype) in zip(views, arrays):
        view.dtype, view.rank = dtype, len(sizes)
        view.sizes[: len(sizes)] = sizes
        view.strides[len(sizes) - 1] = 1
    refused("expected 1 scalars, but got 2", launch(bundle, views, 4, scalars, 2, None))
    refused("expected 1 scalars, but got null", launch(bundle, views, 4, None, 1, None))
    refused("scalar 'softcap': expected type f32, but got f16", launch(bundle, views, 4, scalars, 1, None))
    scalars[0].type = 2
    assert launch(bundle, views, 4, scalars, 1, None) == 0
    refused("prepared: expected", c.attnBundlePrepare(bundle, views, 4, scalars, 1, None))
    refused("prepared: expected", c.attnPreparedLaunch(None, None))
    refused("prepared: expected", c.attnPreparedInfo(None, 0, None))
    refused("bundle: expected", c.attnBundleOpen(b"x", None))
    handle = ctypes.c_void_p()
    refused("path: expected", c.attnBundleOpen(None, ctypes.byref(handle)))
    for query, info, count in ((c.attnBundleView, _library.ViewInfo, 4), (c.attnBundleScalar, _library.ScalarInfo, 1),
                               (c.attnBundleVariant, _library.VariantInfo, 2)):
        for index in (-1, count):
            refused(f"expected 0 to {count} (exclusive), but got {index}", query(bundle, index, ctypes.byref(info())))
        refused("info: expected", query(bundle, 0, None))
        refused("bundle: expected", query(None, 0, ctypes.byref(info())))
    assert c.attnBundleViewCount(None) == c.attnBundleScalarCount(None) == c.attnBundleVariantCount(None) == 0
    assert c.attnBundleName(None) == b""
    c.attnBundleClose(None)
    c.attnPreparedDestroy(None)
    c.attnBundleClose(bundle)


main()
