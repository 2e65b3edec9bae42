"""A driver that fails, is missing or does not fit the bundle."""

import os
import subprocess
import sys

import attn_mlir
from attn_mlir import BundleError, CudaError, DriverError
from support import BINARIES, arguments, changed, expect, main, step, write_bundle

CALLS = {
    "cuCtxGetCurrent": None, "cuCtxGetDevice": None, "cuCtxGetId": None,
    "cuModuleLoadDataEx": "to load 'prefill.0.cubin', which is built for sm_90a",
    "cuModuleGetFunction": "to find 'prefill_tma' in 'prefill.0.cubin'",
    "cuFuncGetAttribute": "for 'prefill_tma'",
    "cuFuncGetParamInfo": "for prefill_tma",
    "cuFuncSetAttribute": "to give 'prefill_tma' 98304 bytes of dynamic shared memory",
    "cuFuncLoad": "for 'prefill_tma'",
    "cuTensorMapEncodeTiled": "for view 'q'",
    "cuLaunchKernelEx": "for 64 CTAs of 128 threads with 98304 bytes of shared memory",
}


def run(kernel, **sizes):
    q, k, o, lse = arguments(**sizes)
    kernel(q, k, out=o, lse=lse, scalars=[1.0])


def test_every_call_that_fails(scratch, log):
    for call, doing in CALLS.items():
        kernel = attn_mlir.load(write_bundle(scratch))
        os.environ["ATTN_FAKE_FAIL"] = f"{call}:700"
        parts = [f"{call} failed", "CUDA_ERROR_ILLEGAL_ADDRESS (700): text of the fake driver", doing or ""]
        for _ in range(2):  # No half-loaded state is left behind.
            error = expect(CudaError, parts, run, kernel)
            assert error.code == 700
        del os.environ["ATTN_FAKE_FAIL"]
        run(kernel)
        kernel.close()


def test_unknown_code(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    os.environ["ATTN_FAKE_FAIL"] = "cuLaunchKernelEx:999"
    message = str(expect(CudaError, "(999)", run, kernel))
    assert message.endswith("(999)"), message


def test_prepared_launch_that_fails(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    q, k, o, lse = arguments()
    prepared = kernel.prepare(q, k, out=o, lse=lse, scalars=[1.0])
    os.environ["ATTN_FAKE_FAIL"] = "cuLaunchKernelEx:1"
    expect(CudaError, "CUDA_ERROR_INVALID_VALUE (1)", prepared.launch)


def test_context_is_restored_after_a_failure(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    arrays = arguments()
    for array in arrays:
        array.tensor.device_id = 1
    os.environ["ATTN_FAKE_FAIL"] = "cuLaunchKernelEx:700"
    expect(CudaError, "700", kernel, *arrays[:2], out=arrays[2], lse=arrays[3], scalars=[1.0])
    assert log.calls()[-1] == "cuCtxPopCurrent"


def test_context_that_cannot_be_current(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    arrays = arguments()
    for array in arrays:
        array.tensor.device_id = 1
    os.environ["ATTN_FAKE_FAIL"] = "cuCtxPushCurrent:201"
    expect(CudaError, ["cuCtxPushCurrent failed", "(201)"], kernel, *arrays[:2], out=arrays[2], lse=arrays[3],
           scalars=[1.0])
    assert "cuCtxPopCurrent" not in log.calls()


def test_device_that_is_not_there(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    arrays = arguments()
    for array in arrays:
        array.tensor.device_id = 7
    expect(CudaError, ["cuDevicePrimaryCtxRetain failed for device 7", "(101)"], kernel, *arrays[:2], out=arrays[2],
           lse=arrays[3], scalars=[1.0])


def test_code_that_does_not_load(scratch, log):
    binaries = dict(BINARIES)
    binaries["prefill.1.ptx"] += b"// broken"
    kernel = attn_mlir.load(write_bundle(scratch, binaries=binaries))
    expect(CudaError, ["to compile 'prefill.1.ptx'", "its log: ptxas: line 1: broken", "CUDA_ERROR_INVALID_PTX"], run,
           kernel, query=5000)


def test_kernel_that_is_not_there(scratch, log):
    for index, file in enumerate(BINARIES):
        kernel = attn_mlir.load(write_bundle(scratch, changed([*step(index), "kernel"], "nobody")))
        expect(CudaError, f"cuModuleGetFunction failed to find 'nobody' in '{file}'", run, kernel,
               query=(256, 5000)[index])


def test_driver_that_reads_other_parameters(scratch, log):
    for sizes, said in (
        ("128 128 8 8 8 8", "the manifest has 7 parameters, the kernel has 6"),
        ("128 128 8 8 8 8 8", "parameter 6 has 4 bytes in the manifest, 8 in the kernel"),
        ("8 128 8 8 8 8 4", "parameter 0 has 128 bytes in the manifest, 8 in the kernel"),
    ):
        os.environ["ATTN_FAKE_PARAMETERS"] = sizes
        kernel = attn_mlir.load(write_bundle(scratch))
        expect(BundleError, ["kernel 'prefill_tma'", said], run, kernel)


def test_what_the_device_cannot_give(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    os.environ["ATTN_FAKE_THREADS"] = "96"
    expect(BundleError, "expects 128 threads a CTA, this device can run it with at most 96", run, kernel)
    del os.environ["ATTN_FAKE_THREADS"]
    kernel = attn_mlir.load(write_bundle(scratch, changed([*step(0), "shared_bytes"], 300000)))
    expect(CudaError, ["cuFuncSetAttribute", "300000 bytes of dynamic shared memory"], run, kernel)


def test_shared_memory_is_asked_for_above_48_kib(scratch, log):
    for wanted, fixed, asks in ((49152, 0, False), (49153, 0, True), (49152, 1, True), (0, 0, False)):
        os.environ["ATTN_FAKE_STATIC"] = str(fixed)
        kernel = attn_mlir.load(write_bundle(scratch, changed([*step(0), "shared_bytes"], wanted)))
        log.clear()
        run(kernel)
        assert ("cuFuncSetAttribute" in log.calls()) == asks, (wanted, fixed)


def in_process(scratch, environment, *parts):
    """A call in a fresh process, where no driver is open yet, fails with ``parts``."""
    script = (
        "import sys, attn_mlir, support\n"
        "kernel = attn_mlir.load(sys.argv[1])\n"
        "q, k, o, lse = support.arguments()\n"
        "for _ in range(2):\n"
        "    try: kernel(q, k, out=o, lse=lse, scalars=[1.0])\n"
        "    except attn_mlir.Error as error: print(type(error).__name__, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, write_bundle(scratch)], env={**os.environ, **environment},
                          stdout=subprocess.PIPE, text=True, check=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 2 and all(part in line for part in parts for line in lines), lines


def test_driver_that_does_not_open(scratch, log):
    in_process(scratch, {"ATTN_CUDA_DRIVER": "/nowhere/libcuda.so"}, "DriverError",
               "cannot open the CUDA driver '/nowhere/libcuda.so'", "ATTN_CUDA_DRIVER")
    in_process(scratch, {"ATTN_CUDA_DRIVER": os.environ["ATTN_LAUNCHER"]}, "DriverError",
               "has no cuInit: expected one of CUDA 12.0 or newer")
    in_process(scratch, {"ATTN_FAKE_FAIL": "cuInit:100"}, "CudaError", "cuInit failed", "(100)")


def test_launcher_that_does_not_open(scratch, log):
    script = "import attn_mlir\ntry: attn_mlir.version()\nexcept attn_mlir.DriverError as error: print(error)\n"
    for file, part in (("/nowhere/l.so", "cannot find libattn_launcher.so: expected one of /nowhere/l.so"),
                       (os.environ["ATTN_CUDA_DRIVER"], "is no launcher: it has no attnVersion"),
                       (__file__, "cannot open ")):
        done = subprocess.run([sys.executable, "-c", script], env={**os.environ, "ATTN_LAUNCHER": file},
                              stdout=subprocess.PIPE, text=True, check=True)
        assert part in done.stdout, done.stdout
    assert attn_mlir.version().count(".") == 2


main()
