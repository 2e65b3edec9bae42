"""What the driver is called with: variants, parameters, caches, contexts."""

import ctypes
import os
import threading

import attn_mlir
from support import PROGRAM, DLArray, arguments, at, changed, cubin, expect, main, prefill, ptx, step, write_bundle

CONTEXT = ["cuCtxGetCurrent", "cuCtxGetDevice", "cuCtxGetId"]


def fake():
    return ctypes.CDLL(os.environ["ATTN_CUDA_DRIVER"])


def run(kernel, stream=0, softcap=1.0, **sizes):
    q, k, o, lse = arguments(**sizes)
    return kernel(q, k, out=o, lse=lse, scalars=[softcap], stream=stream)


def find(log, name):
    return [line for line in log.lines() if line.startswith(name + " ")]


def test_first_and_second_call(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    assert log.calls() == []
    run(kernel, stream=0x77)
    lines = log.lines()
    assert [line.split()[0] for line in lines] == (
        ["cuInit"] + CONTEXT + ["cuCtxGetDevice"]
        + ["cuModuleLoadDataEx", "cuModuleGetFunction", "cuFuncGetAttribute", "cuFuncGetAttribute",
           "cuFuncSetAttribute", "cuFuncLoad", "cuTensorMapEncodeTiled", "cuTensorMapEncodeTiled", "cuLaunchKernelEx"]
    ), lines
    assert "cuModuleLoadDataEx cubin" in lines
    assert "cuFuncSetAttribute 8 98304" in lines
    # bf16, sizes and strides of BSHD in the view's order, innermost first.
    assert find(log, "cuTensorMapEncodeTiled") == [
        "cuTensorMapEncodeTiled map1 type=9 base=0x10000 sizes=[128,256,32,1] strides=[8192,256,16] "
        "box=[64,128,1,1] steps=[1,1,1,1] interleave=0 swizzle=3 promotion=2 fill=0",
        "cuTensorMapEncodeTiled map2 type=9 base=0x1010000 sizes=[128,300,8,1] strides=[2048,256,16] "
        "box=[64,64,1,1] steps=[1,1,1,1] interleave=0 swizzle=3 promotion=2 fill=0",
    ]
    assert lines[-1] == (
        "cuLaunchKernelEx prefill_tma grid=64,1,1 block=128,1,1 shared=98304 stream=0x77 attributes=0: "
        "map1 map2 0x2010000:8 0x3010000:8 0x12c:8 0x1000:8 0x3f800000:4"
    )
    log.clear()
    # Nothing but the launch: a graph can be captured.
    run(kernel, stream=0x78, softcap=2.0)
    assert "map1 map2" in log.lines()[-1] and "0x40000000:4" in log.lines()[-1]
    assert log.calls() == CONTEXT + ["cuLaunchKernelEx"]
    kernel.close()


def test_maps_are_kept_by_all_they_depend_on(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    run(kernel)
    log.clear()
    for sizes, encoded in (
        ({"base": 0x40000}, 2), ({"key": 301}, 1), ({"query": 257}, 1), ({"batch": 2}, 2), ({}, 0), ({"batch": 2}, 0),
    ):
        run(kernel, **sizes)
        assert log.calls().count("cuTensorMapEncodeTiled") == encoded, sizes
    q, k, o, lse = arguments()
    padded = DLArray((1, 256, 32, 128), data=0x10000, strides=(0, 32 * 136, 136, 1))
    kernel(padded, k, out=o, lse=lse, scalars=[1.0])
    assert "strides=[8704,272,16]" in find(log, "cuTensorMapEncodeTiled")[0]
    kernel.close()


def test_kept_maps_are_bounded(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    for i in range(2100):
        run(kernel, base=0x10000 + 0x10000000 * i)
    log.clear()
    run(kernel, base=0x10000)  # Dropped meanwhile.
    assert log.calls().count("cuTensorMapEncodeTiled") == 2
    run(kernel, base=0x10000)
    assert log.calls().count("cuTensorMapEncodeTiled") == 0
    kernel.close()


def test_sizes_of_one_and_zero(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    q, k, o, lse = arguments(query=1, key=0)
    odd = DLArray((1, 1, 32, 128), data=0x10000, strides=(3, 5, 128, 1))
    none = DLArray((1, 0, 8, 128), data=0, strides=(7, 1024, 128, 1))
    kernel(odd, none, out=o, lse=lse, scalars=[1.0])
    one, zero = find(log, "cuTensorMapEncodeTiled")
    assert "base=0x10000 sizes=[128,1,32,1] strides=[16,256,16]" in one, one
    # No keys: a map of one element, whose bytes are those of another argument. A kernel may fetch it.
    assert "base=0x10000 sizes=[1,1,1,1] strides=[16,16,16]" in zero, zero
    assert "0x0:8" in log.lines()[-1]
    kernel.close()


def test_empty_grid_needs_no_driver(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    for sizes in ({"batch": 0}, {"query": 0}):
        run(kernel, **sizes)
        assert log.calls() == []
    kernel.close()


def test_second_variant(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    run(kernel, query=4097)  # The guard of the first does not hold.
    assert "cuModuleLoadDataEx ptx" in log.lines()
    assert "cuFuncSetAttribute" not in [line.split()[0] for line in log.lines()]
    assert log.lines()[-1] == (
        "cuLaunchKernelEx prefill_plain grid=32,1,1 block=256,1,1 shared=0 stream=0x0 attributes=0: "
        "0x10000:8 0x3f800000:4"
    )
    log.clear()
    q, k, o, lse = arguments(base=0x10008)  # Nor does its alignment.
    kernel(q, k, out=o, lse=lse, scalars=[1.0])
    assert " prefill_plain " in log.lines()[-1]
    kernel.close()
    assert [line for line in log.lines() if "Unload" in line] == ["cuModuleUnload"]


def test_one_module_for_variants_of_one_binary(scratch, log):
    manifest = changed([*step(1), "binary"], "prefill.0.cubin")
    at(manifest, step(1)).update(kernel="other")
    binaries = {"prefill.0.cubin": cubin(prefill_tma=[128, 128, 8, 8, 8, 8, 4], other=[8, 4])}
    kernel = attn_mlir.load(write_bundle(scratch, manifest, binaries))
    run(kernel)
    run(kernel, query=5000)
    calls = log.calls()
    assert calls.count("cuModuleLoadDataEx") == 1 and calls.count("cuModuleGetFunction") == 2
    kernel.close()


def test_context_of_the_device(scratch, log):
    # The current context is device 0's (ATTN_FAKE_CURRENT).
    kernel = attn_mlir.load(write_bundle(scratch))
    arrays = arguments()
    for array in arrays:
        array.tensor.device_id = 1
    for loaded in (1, 0):
        kernel(*arrays[:2], out=arrays[2], lse=arrays[3], scalars=[1.0])
        calls = log.calls()
        assert calls[-2:] == ["cuLaunchKernelEx", "cuCtxPopCurrent"] and "cuCtxPushCurrent" in calls
        assert calls.count("cuModuleLoadDataEx") == loaded
    run(kernel)
    calls = log.calls()
    assert "cuCtxPushCurrent" not in calls and calls.count("cuModuleLoadDataEx") == 1
    run(kernel)
    assert log.calls().count("cuModuleLoadDataEx") == 0
    kernel.close()
    assert log.calls().count("cuModuleUnload") == 2


def test_thread_without_a_context(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    del os.environ["ATTN_FAKE_CURRENT"]
    thread = threading.Thread(target=run, args=(kernel,))
    thread.start()
    thread.join()
    os.environ["ATTN_FAKE_CURRENT"] = "0"
    calls = log.calls()
    assert calls[-2:] == ["cuLaunchKernelEx", "cuCtxPopCurrent"] and "cuCtxPushCurrent" in calls, calls
    kernel.close()


def test_context_that_was_reset(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    run(kernel)
    fake().attnFakeReset(0)
    log.clear()
    run(kernel)
    assert log.calls().count("cuModuleLoadDataEx") == 1
    fake().attnFakeReset(0)
    kernel.close()
    assert "cuModuleUnload" not in log.calls()  # Its context is gone.


def test_context_that_was_destroyed(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    for alive in (True, False):
        fake().attnFakeOwnContext(0)
        run(kernel)
        run(kernel, query=5000)
        calls = log.calls()
        assert calls.count("cuModuleLoadDataEx") == 2 and "cuCtxPushCurrent" not in calls
        if alive:
            kernel.close()
            assert log.calls().count("cuModuleUnload") == 2
            kernel = attn_mlir.load(write_bundle(scratch))
        fake().attnFakeOwnContext(-1)
    kernel.close()  # Does not touch it.
    assert "cuModuleUnload" not in log.calls()


def test_prepared(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    q, k, o, lse = arguments()
    prepared = kernel.prepare(q, k, out=o, lse=lse, scalars=[1.0], stream=0x30)
    calls = log.calls()
    assert "cuTensorMapEncodeTiled" in calls and "cuLaunchKernelEx" not in calls
    assert (prepared.variant, prepared.grid, prepared.block, prepared.shared_bytes) == (0, 64, 128, 98304)
    assert prepared.function and prepared.parameter_count == 7 and prepared.outputs == (o, lse)
    parameters = (ctypes.c_void_p * 7).from_address(prepared.parameters)
    assert ctypes.c_uint64.from_address(parameters[2]).value == 0x2010000
    assert prepared.launch() == (o, lse)
    prepared.launch(stream=0x31)
    launches = find(log, "cuLaunchKernelEx")
    assert "stream=0x30 " in launches[0] and "stream=0x31 " in launches[1]
    assert log.calls() == ["cuCtxGetCurrent", "cuLaunchKernelEx"] * 2
    empty = kernel.prepare(*arguments(batch=0)[:2], out=arguments(batch=0)[2], lse=arguments(batch=0)[3], scalars=[1])
    assert empty.grid == 0 and empty.function is None
    empty.launch()
    assert log.calls() == []
    kernel.close()
    expect(attn_mlir.Error, "is closed", prepared.launch)
    expect(attn_mlir.Error, "is closed", run, kernel)
    kernel.close()


def test_threads(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    failures = []

    def work(seed):
        try:
            for i in range(60):
                run(kernel, base=0x10000 * (1 + (seed + i) % 5), query=256 + (i % 3), key=300 if i % 2 else 301)
                run(kernel, query=5000)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    calls = log.calls()
    assert not failures, failures
    assert calls.count("cuLaunchKernelEx") == 8 * 120
    assert calls.count("cuModuleLoadDataEx") == 2
    assert calls.count("cuTensorMapEncodeTiled") == 5 * 3 + 5 * 2
    kernel.close()


def test_scalars(scratch, log):
    types = {"f16": ("0x3e00:2", 1.5), "bf16": ("0x3fc0:2", 1.5), "f32": ("0x3fc00000:4", 1.5),
             "f64": ("0x3ff8000000000000:8", 1.5), "i1": ("0x1:1", True), "i8": ("0xff:1", -1),
             "i16": ("0xfffe:2", -2), "i32": ("0xfffffffd:4", -3), "i64": ("0xfffffffffffffffc:8", -4),
             "index": ("0x5:8", 5)}
    manifest = prefill()
    at(manifest, PROGRAM)["scalars"] = [{"name": type, "type": type} for type in types]
    at(manifest, PROGRAM)["variants"] = at(manifest, PROGRAM)["variants"][1:]
    at(manifest, step(0))["parameters"] = [{"kind": "scalar", "index": i} for i in range(len(types))]
    sizes = [int(text.split(":")[1]) for text, _ in types.values()]
    binaries = {"prefill.1.ptx": ptx("prefill_plain", sizes)}
    kernel = attn_mlir.load(write_bundle(scratch, manifest, binaries))
    q, k, o, lse = arguments()
    wanted = " ".join(text for text, _ in types.values())
    for scalars in ([number for _, number in types.values()], {name: number for name, (_, number) in types.items()}):
        kernel(q, k, out=o, lse=lse, scalars=scalars)
        assert log.lines()[-1].endswith(wanted), log.lines()[-1]
    for number, bits in ((float("inf"), "0x7f80:2"), (1.00390625, "0x3f80:2"), (1.01171875, "0x3f82:2")):
        kernel(q, k, out=o, lse=lse, scalars=[1, number, 1, 1, 1, 1, 1, 1, 1, 1])
        assert f" {bits} " in log.lines()[-1], log.lines()[-1]
    kernel.close()


main()
