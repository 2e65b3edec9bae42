"""Bundles for gfx942, launched on the emulator's stand-in for HIP's runtime."""

import ctypes
import os
import random
import shutil
import subprocess
import sys

import attn_mlir
import torch
from attn_mlir import ArgumentError, BundleError, DriverError, HipError
from devices import ROCM, Arrays, call, causal_bundle, compile_bundle, hip
from problems import Case
from support import BF16, F16, PROGRAM, DLArray, at, change, expect, main, step

CAUSAL = Case("causal-br", "f16", (4, 2), (64, 64), (1, 150, 200), layout="bshd")


def bundle(scratch):
    return causal_bundle(scratch, CAUSAL, " warps=2")


def rewrite(directory, function):
    """Changes the second variant's hsaco by ``function``; its path."""
    (path,) = [os.path.join(directory, name) for name in os.listdir(directory) if name.endswith(".1.hsaco")]
    with open(path, "rb") as file:
        contents = function(bytearray(file.read()))
    with open(path, "wb") as file:
        file.write(contents)
    return path


def test_sizes_and_variants(scratch, log):
    kernel = attn_mlir.load(bundle(scratch))
    assert (kernel.target, kernel.arch, len(kernel.variants)) == ("mi300x", "gfx942", 2)
    for sizes, variant in (((1, 150, 200), 1), ((2, 50, 70), 0), ((1, 64, 129), 1), ((1, 9, 3), 0), ((1, 64, 0), 0)):
        arrays = Arrays(CAUSAL._replace(sizes=sizes))
        prepared = kernel.prepare(*(given := arrays.dlpack())[:3], out=given[3], lse=given[4])
        assert prepared.variant == variant, sizes
        call(kernel, given)
        arrays.assert_right()
        prepared.launch()
        arrays.assert_right()
    kernel.close()


def test_wrong_results_are_seen(scratch, log):
    kernel = attn_mlir.load(bundle(scratch))
    arrays = Arrays(CAUSAL._replace(sizes=(1, 40, 50)))
    given = arrays.dlpack()
    given[1], given[2] = given[2], given[1]
    call(kernel, given)
    expect(AssertionError, "row 0 has error", arrays.assert_right)
    # What the next test would find there is gone.
    expect(AssertionError, "row 0 has error nan", arrays.assert_right)
    kernel.close()


def test_persistent(scratch, log):
    case = Case("full", "bf16", (2, 2), (64, 64), (1, 200, 128))
    kernel = attn_mlir.load(compile_bundle(
        scratch, case, "--target-fact=sms=2", "--schedule=tiles=query=64,key=64 persistent resident=1"))
    arrays = Arrays(case)
    *inputs, out, lse = arrays.dlpack()
    prepared = kernel.prepare(*inputs, out=out, lse=lse)
    assert prepared.grid == 2, prepared.grid  # For eight tiles.
    prepared.launch()
    arrays.assert_right()


def test_torch(scratch, log):
    kernel = attn_mlir.load(bundle(scratch))
    arrays = Arrays(CAUSAL._replace(sizes=(1, 40, 50)))
    given = arrays.torch()  # Of device type "cuda", as with ROCm.
    expect(ArgumentError, "view 'q': expected a ROCm tensor, but got one of torch for CUDA", call, kernel, given)
    torch.version.hip = "6.2"
    o, lse = call(kernel, given)
    assert o is given[3] and lse is given[4]
    arrays.assert_right()
    torch.version.hip = None
    kernel.close()


def test_dlpack(scratch, log):
    kernel = attn_mlir.load(bundle(scratch))
    arrays = Arrays(CAUSAL._replace(sizes=(1, 40, 50)))
    given = arrays.dlpack()
    for stream, told in ((None, 0), (0x50, 0x50)):
        call(kernel, given, stream=stream)
        assert all(array.streams[-1] == told for array in given), stream
        arrays.assert_right()
    expect(ArgumentError, "view 'q' (DLPack): expected device type 10 (ROCm), but got 2", call, kernel, arrays.dlpack(kind=2))
    kernel.close()


def test_arguments_that_do_not_fit(scratch, log):
    kernel = attn_mlir.load(bundle(scratch))
    arrays = Arrays(CAUSAL._replace(sizes=(1, 40, 50)))
    given = arrays.dlpack()
    wrong = list(given)
    wrong[1] = DLArray((1, 50, 3, 64), F16, arrays.addresses[1], kind=ROCM)
    expect(ArgumentError, "view 'k' (argument 1): dimension 1 (2 of the array): expected size 2, but got 3", call, kernel, wrong)
    wrong[1] = DLArray((1, 51, 2, 64), F16, arrays.addresses[1], kind=ROCM)
    expect(ArgumentError, ["view 'v'", "expected size 51, but got 50; axis 'key'"], call, kernel, wrong)
    wrong[1] = DLArray((1, 50, 2, 64), BF16, arrays.addresses[1], kind=ROCM)
    expect(ArgumentError, "view 'k' (argument 1): expected element type f16, but got bf16", call, kernel, wrong)
    kernel.close()


def test_device_that_is_not_there(scratch, log):
    kernel = attn_mlir.load(bundle(scratch))
    arrays = Arrays(CAUSAL._replace(sizes=(1, 40, 50)))
    error = expect(HipError, "hipSetDevice failed to device 7: hipErrorInvalidDevice (101)", call, kernel,
                   arrays.dlpack(number=7))
    assert error.code == 101
    # Frameworks ask for the last error of anyone.
    assert hip.hipGetLastError() == 0
    call(kernel, arrays.dlpack())
    arrays.assert_right()
    kernel.close()


def test_device_of_another_architecture(scratch, log):
    arrays = Arrays(CAUSAL._replace(sizes=(1, 40, 50)))
    kernel = attn_mlir.load(bundle(scratch))
    for arch in ("gfx90a:sramecc+:xnack-", "gfx94", "gfx9421", ""):
        os.environ["ATTN_EMULATE_ARCH"] = arch
        expect(BundleError, ["for mi300x: expected a device of architecture gfx942, but got " + arch + " (device 0, "], call,
               kernel, arrays.dlpack())
    for arch in ("gfx942", "gfx942:sramecc-:xnack+"):
        os.environ["ATTN_EMULATE_ARCH"] = arch
        again = attn_mlir.load(bundle(scratch))
        call(again, arrays.dlpack())
        arrays.assert_right()
        again.close()
    del os.environ["ATTN_EMULATE_ARCH"]


def in_process(scratch, environment, batch=1, first=""):
    """What a call in a fresh process says, which has opened nothing but what ``first`` does."""
    script = first + "\n" + (
        "import sys, attn_mlir, support\n"
        "kernel, batch = attn_mlir.load(sys.argv[1]), int(sys.argv[2])\n"
        "array = lambda shape, type: support.DLArray(shape, type, kind=10)\n"
        "q, kv = array((batch, 9, 4, 64), support.F16), array((batch, 9, 2, 64), support.F16)\n"
        "for _ in range(2):\n"
        "    try: kernel(q, kv, kv, out=q, lse=array((batch, 4, 9), support.F32)); print('launched')\n"
        "    except attn_mlir.Error as error: print(type(error).__name__, error)\n"
    )
    whole = {**os.environ, **environment}
    done = subprocess.run(
        [sys.executable, "-c", script, bundle(scratch), str(batch)], stdout=subprocess.PIPE, text=True, check=True,
        env={name: value for name, value in whole.items() if value is not None})
    lines = done.stdout
    half = lines[: len(lines) // 2]
    assert half + half == lines, lines  # The second call says the same.
    return half


def test_runtime_that_does_not_open(scratch, log):
    said = in_process(scratch, {"ATTN_HIP_RUNTIME": "/nowhere/libamdhip64.so"})
    for part in ("DriverError cannot open the HIP runtime, which '", "' for gfx942 needs", "ATTN_HIP_RUNTIME",
                 "/nowhere/libamdhip64.so: cannot open shared object file"):
        assert part in said, said
    said = in_process(scratch, {"ATTN_HIP_RUNTIME": os.environ["ATTN_LAUNCHER"]})
    assert "DriverError the HIP runtime '" in said and "has no hipInit: expected one of ROCm 5 or newer" in said, said
    # What fails to start says the same the next time.
    said = in_process(scratch, {"ATTN_HIP_RUNTIME": os.environ["FAKE_HIP"], "ATTN_FAKE_FAIL": "hipInit:719"})
    assert said.startswith("HipError hipInit failed: hipErrorLaunchFailure (719)"), said
    # Nothing to do, so nothing to open.
    assert in_process(scratch, {"ATTN_HIP_RUNTIME": "/nowhere/libamdhip64.so"}, batch=0) == "launched\n"


def opens(name):
    try:
        return bool(ctypes.CDLL(name))
    except OSError:
        return False


def test_names_that_are_tried(scratch, log):
    names = ["libamdhip64.so" + version for version in (".7", ".6", ".5", "")]
    folder, fixed = scratch + ".lib", "/opt/rocm/lib/libamdhip64.so"
    if any(map(opens, names + [fixed])):
        print("SKIPPED: ROCm is installed, and found first")
        return
    for name in names:
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        with open(os.path.join(folder, name), "w") as file:
            file.write("no library")
        said = in_process(scratch, {"ATTN_HIP_RUNTIME": None, "LD_LIBRARY_PATH": folder})
        assert said.startswith("DriverError cannot open the HIP runtime"), said
        assert all(f"\n  {each}: " in said for each in names + [fixed]), said
        assert f"\n  {name}: {folder}/{name}: " in said, said
        os.remove(os.path.join(folder, name))
        os.symlink(os.environ["ATTN_HIP_RUNTIME"], os.path.join(folder, name))
        # The emulator is opened, and refuses the addresses.
        said = in_process(scratch, {"ATTN_HIP_RUNTIME": None, "LD_LIBRARY_PATH": folder})
        assert said.startswith("HipError hipModuleLaunchKernel failed for "), said


def test_runtime_that_is_loaded_goes_first(scratch, log):
    folder, seven, five = scratch + ".lib", "libamdhip64.so.7", "libamdhip64.so.5"
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    os.symlink(os.environ["ATTN_CUDA_DRIVER"], os.path.join(folder, seven))
    os.symlink(os.environ["ATTN_HIP_RUNTIME"], os.path.join(folder, five))
    environment = {"ATTN_HIP_RUNTIME": None, "LD_LIBRARY_PATH": folder}
    said = in_process(scratch, environment)
    assert said.startswith(f"DriverError the HIP runtime '{seven}' has no hipInit"), said
    said = in_process(scratch, environment, first=f"import ctypes; ctypes.CDLL('{five}')")
    assert said.startswith("HipError hipModuleLaunchKernel failed for "), said


def refuse(directory, *parts):
    expect(BundleError, parts, attn_mlir.load, directory)


def test_code_that_is_damaged(scratch, log):
    def patched(old, new):
        def patch(contents):
            assert contents.count(old) == 1
            return contents.replace(old, new)

        return patch

    for function, said in (
        (lambda contents: contents[:-100], " bytes, as the manifest says, but got "),
        (lambda contents: b"", " bytes, as the manifest says, but got 0"),
        (lambda contents: contents + b"\0", " bytes, but got more"),
        (lambda contents: b"x" * len(contents), "expected SHA-256 "),
        (patched(b"amdhsa--gfx942", b"amdhsa--gfx90a"), "expected SHA-256 "),
        (patched(b"amdhsa.kernels", b"amdhsa.Kernels"), "expected SHA-256 "),
    ):
        directory = bundle(scratch)
        rewrite(directory, function)
        refuse(directory, ".1.hsaco': expected ", said)


def test_swapped_code(scratch, log):
    """Of two variants, which have parameters of the same sizes."""
    directory = bundle(scratch)
    zero, one = sorted(os.path.join(directory, name) for name in os.listdir(directory) if name.endswith(".hsaco"))
    os.rename(zero, zero + ".kept")
    os.rename(one, zero)
    os.rename(zero + ".kept", one)
    refuse(directory, ".0.hsaco': expected ")

    def swap(manifest):
        first, second = (at(manifest, step(i)) for i in range(2))
        first["binary"], second["binary"] = second["binary"], first["binary"]

    refuse(change(bundle(scratch), swap), "variants[0].steps[0].interface_sha256: expected ")


def test_code_for_another_chip(scratch, log):
    # The processor in the header's flags: EF_AMDGPU_MACH_AMDGCN_GFX90A, not GFX942.
    def patch(contents):
        assert contents[48] == 0x4C
        contents[48] = 0x3F
        return contents

    directory = bundle(scratch)
    rewrite(directory, patch)
    kernel = attn_mlir.load(change(directory, lambda manifest: None, seal=True))
    error = expect(HipError, ["hipModuleLoadData failed to load '", ".1.hsaco', which is built for gfx942",
                              "hipErrorNoBinaryForGpu"], call, kernel, Arrays(CAUSAL).dlpack())
    assert error.code == 209
    # The other variant is whole.
    arrays = Arrays(CAUSAL._replace(sizes=(1, 40, 50)))
    call(kernel, arrays.dlpack())
    arrays.assert_right()


def test_damage_anywhere(scratch, log):
    """Headers and metadata, a few bytes changed: all of it is refused."""
    whole = {}
    rewrite(bundle(scratch), lambda contents: whole.setdefault("contents", contents))
    contents, values = whole["contents"], random.Random(1)
    end = contents.index(b"amdhsa.version") + 32
    for _ in range(400):
        mutant = bytearray(contents)
        while mutant == contents:
            for _ in range(values.randint(1, 3)):
                mutant[values.randrange(end)] = values.choice((0, 1, 0x7F, 0x80, 0x91, 0xDD, 0xDF, 0xFF))
        path = rewrite(scratch, lambda _: mutant)
        refuse(scratch, path, "': expected SHA-256 ", ", as the manifest says, but got ")


def test_manifests_that_do_not_fit(scratch, log):
    def variant(**entries):
        return lambda manifest: at(manifest, step(1)).update(entries)

    def last(manifest):
        return at(manifest, step(1))["parameters"]

    def scalar(manifest):
        at(manifest, PROGRAM)["scalars"] = [{"name": "x", "type": "f32"}]
        last(manifest)[1] = {"kind": "scalar", "index": 0}

    sealed = "interface_sha256: expected "
    for function, said in (
        (variant(kernel="nobody"), sealed),
        (variant(block=1024), sealed),
        (variant(block=64), sealed),
        (variant(shared_bytes=1 << 20), sealed),
        (lambda manifest: last(manifest).pop(), sealed),
        (lambda manifest: last(manifest).append({"kind": "pointer", "view": 0}), sealed),
        (lambda manifest: manifest["target"].update(arch="gfx950"), sealed),
        (scalar, sealed),
        (lambda manifest: manifest["binaries"][1].update(format="cubin"),
         "binaries[1].format: expected 'hsaco', for gfx942, but got \"cubin\""),
        (lambda manifest: last(manifest).__setitem__(
            0, {"kind": "tensor_map", "view": 0, "box": [1, 1, 64, 64], "swizzle": 128}),
         "variants[1].steps[0].parameters[0]: expected no tensor map for gfx942"),
        (lambda manifest: manifest["target"].update(arch="sm_90a"),
         "binaries[0].format: expected 'cubin' or 'ptx', for sm_90a, but got \"hsaco\""),
    ):
        refuse(change(bundle(scratch), function), said)


def test_launch_that_fails(scratch, log):
    kernel = attn_mlir.load(change(bundle(scratch), lambda manifest: at(manifest, step(1)).update(shared_bytes=1 << 20),
                                   seal=True))
    expect(HipError, ["hipModuleLaunchKernel failed for 12 CTAs of ", "with 1048576 bytes of shared memory",
                      "hipErrorLaunchFailure (719)"], call, kernel, Arrays(CAUSAL).dlpack())


if __name__ == "__main__":
    main()
