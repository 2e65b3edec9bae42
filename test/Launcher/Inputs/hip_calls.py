"""What HIP's runtime is called with: devices, caches, failing calls. On a stand-in for that of ROCm 5."""

import ctypes
import os
import threading

import attn_mlir
from attn_mlir import ArgumentError, HipError
from support import BF16, F32, DLArray, expect, main

FIRST = ["hipGetDeviceProperties", "hipModuleLoadData", "hipModuleGetFunction"]
ROCM = 10


def fake():
    return ctypes.CDLL(os.environ["ATTN_HIP_RUNTIME"])


def load():
    return attn_mlir.load(os.environ["ATTN_TEST_BUNDLE"])


def arguments(device=0, queries=150, keys=200, batch=1, strides=None):
    """Those of hip.mlir; `strides` are K's."""
    q, kv = (batch, 2, queries, 64), (batch, 1, keys, 64)
    shapes = ((q, BF16), (kv, BF16), (kv, BF16), (q, BF16), (q[:3], F32))
    return [
        DLArray(shape, type, 0x10000 * i, strides if i == 2 else None, device, ROCM)
        for i, (shape, type) in enumerate(shapes, 1)
    ]


def run(kernel, stream=0, **more):
    *inputs, out, lse = arguments(**more)
    return kernel(*inputs, out=out, lse=lse, scalars=[1.0], stream=stream)


def names(calls):
    return [name for name in calls if name != "hipGetDevice"]


def test_first_and_second_call(scratch, log):
    kernel = load()
    assert log.calls() == []
    run(kernel, stream=0x77)
    lines = log.lines()
    launch = "hipModuleLaunchKernel on 0 grid=6,1,1 block=256,1,1 shared=0 stream=0x77 first=0x10000 extra=(nil)"
    assert lines[-1] == launch, lines[-1]
    assert lines[0] == "hipInit" and "hipModuleGetFunction causal_attention" in lines
    assert names(log.calls()) == ["hipInit"] + FIRST + ["hipModuleLaunchKernel"]
    # Nothing but the launch: a graph can be captured.
    run(kernel, queries=64)
    assert "grid=2,1,1" in log.lines()[-1]
    assert log.calls() == ["hipGetDevice", "hipModuleLaunchKernel"]
    run(kernel, queries=0)
    assert log.calls() == []
    kernel.close()
    assert names(log.calls()) == ["hipModuleUnload"]


def test_device_of_the_tensors(scratch, log):
    kernel = load()
    for loaded in (FIRST, []):
        run(kernel, device=1)
        assert [line for line in log.lines() if line.startswith("hipSetDevice")] == ["hipSetDevice 1", "hipSetDevice 0"]
        assert "hipModuleLaunchKernel on 1 " in log.lines()[-2]
        assert names(log.calls()) == ["hipSetDevice"] + loaded + ["hipModuleLaunchKernel", "hipSetDevice"]
    run(kernel)  # The code is on another device.
    assert names(log.calls()) == FIRST + ["hipModuleLaunchKernel"]
    run(kernel, device=1)
    assert "hipModuleLoadData" not in log.calls()
    kernel.close()
    lines = [line for line in log.lines() if line != "hipGetDevice"]
    assert lines == ["hipSetDevice 1", "hipModuleUnload on 1", "hipSetDevice 0", "hipModuleUnload on 0"], lines


def test_device_of_the_thread(scratch, log):
    kernel = load()

    def launch():
        fake().hipSetDevice(1)
        run(kernel, device=-1)

    thread = threading.Thread(target=launch)
    thread.start()
    thread.join()
    assert log.lines()[-1].startswith("hipModuleLaunchKernel on 1 ")
    assert names(log.calls()) == ["hipSetDevice"] + FIRST + ["hipModuleLaunchKernel"]
    kernel.close()


def test_prepared(scratch, log):
    kernel = load()
    *inputs, out, lse = arguments(device=1)
    prepared = kernel.prepare(*inputs, out=out, lse=lse, scalars=[1.0])
    assert (prepared.grid, prepared.block, prepared.shared_bytes) == (6, 256, 0) and prepared.function
    assert "hipModuleLaunchKernel" not in log.calls()
    prepared.launch(stream=0x9)
    assert names(log.calls()) == ["hipSetDevice", "hipModuleLaunchKernel", "hipSetDevice"]
    kernel.close()


CALLS = {
    "hipGetDevice": None,
    "hipSetDevice": "to device 1",
    "hipGetDeviceProperties": "for device 1",
    "hipModuleLoadData": "to load 'causal_attention.0.hsaco', which is built for gfx942",
    "hipModuleGetFunction": "to find 'causal_attention' in 'causal_attention.0.hsaco'",
    "hipModuleLaunchKernel": "for 6 CTAs of 256 threads with 0 bytes of shared memory",
}


def test_every_call_that_fails(scratch, log):
    for call, doing in CALLS.items():
        kernel = load()
        os.environ["ATTN_FAKE_FAIL"] = f"{call}:719"
        parts = [f"{call} failed", "hipErrorLaunchFailure (719): text of the fake runtime", doing or ""]
        for _ in range(2):  # No half-loaded state is left behind.
            log.clear()
            error = expect(HipError, parts, run, kernel, device=1)
            assert error.code == 719
            # Frameworks ask for the last error of anyone; and the device is the one before.
            assert fake().hipGetLastError() == 0
            changes = [line for line in log.lines() if line.startswith("hipSetDevice ") and "->" not in line]
            assert changes in ([], ["hipSetDevice 1", "hipSetDevice 0"]), (call, changes)
        del os.environ["ATTN_FAKE_FAIL"]
        run(kernel, device=1)
        kernel.close()


def test_limits(scratch, log):
    """32 bits of the device: what is one beyond is refused in words, the last before it is launched."""
    kernel = load()
    # Rows of 64 keys x 64 columns end at 2^31 - 16 bytes.
    most = (0x7FFFFFF0 - 128) // 126
    most -= most % 2
    assert 2 * (63 * most + 64) <= 0x7FFFFFF0 < 2 * (63 * (most + 2) + 64)
    run(kernel, strides=(0, 0, most, 1))
    run(kernel, strides=(0, 0, 64, 1))
    run(kernel, strides=(-(1 << 33), 1 << 40, 64, 1))  # Of other dimensions: all 64 bits.
    for stride, condition in (
        (most + 2, f"le(stride(k, 2)={most + 2}, {(0x7FFFFFF0 - 128) // 126})"),
        (1 << 31, f"le(stride(k, 2)={1 << 31}, "),
        (1 << 32, f"le(stride(k, 2)={1 << 32}, "),
        (62, "ge(stride(k, 2)=62, 64)"),
        (0, "ge(stride(k, 2)=0, 64)"),
        (-64, "ge(stride(k, 2)=-64, 64)"),
    ):
        parts = ["no variant of 'causal' applies", "its code is for or(le(size(k, 2)=200, 1), " + condition]
        expect(ArgumentError, parts, run, kernel, strides=(0, 0, stride, 1))
    # The stride of a dimension of size 1 is not looked at.
    run(kernel, keys=1, strides=(0, 0, 1 << 40, 1))
    # Sizes: of a CTA's 64 queries and of two heads.
    most = 1 << 29
    run(kernel, keys=most)
    expect(ArgumentError, f"its code is for le(size(k, 2)={most + 1}, {most})", run, kernel, keys=most + 1)
    expect(ArgumentError, f"its code is for le(size(q, 2)={1 << 32}, {most})", run, kernel, queries=1 << 32)
    # Threads of a grid: a dispatch counts them in 32 bits.
    last = ((1 << 32) - 1) // 256 // 2
    run(kernel, queries=1, batch=last)
    assert f"grid={2 * last},1,1 block=256,1,1" in log.lines()[-1]
    log.clear()
    said = f"the grid of variant 0: expected 0 to {((1 << 32) - 1) // 256} CTAs of 256 threads, fewer than 2^32 threads in all, but got "
    expect(ArgumentError, said + str(1 << 24), run, kernel, queries=1, batch=1 << 23)
    expect(ArgumentError, said + str(1 << 28), run, kernel, queries=1, batch=1 << 27)
    assert log.calls() == []
    kernel.close()


def test_unknown_code(scratch, log):
    kernel = load()
    os.environ["ATTN_FAKE_FAIL"] = "hipModuleLaunchKernel:98"
    message = str(expect(HipError, "unknown HIP error (98)", run, kernel))
    assert message.endswith("(98)"), message
    del os.environ["ATTN_FAKE_FAIL"]
    kernel.close()


main()
