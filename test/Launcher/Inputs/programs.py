"""Programs of several kernels: steps, workspaces, views that are reshapes, and what is refused."""

import copy
import ctypes
import os
import re
import subprocess
import sys

import attn_mlir
from attn_mlir import ArgumentError, BundleError, CudaError, _library
from support import (
    BF16, PROGRAM, VARIANTS, DLArray, Log, at, changed, cubin, expect, main, ptx, sealed, step, write_bundle,
)

BINARIES = {
    "split.0.cubin": cubin(split=[8, 128, 8, 8, 8, 8]),
    "merge.0.ptx": ptx("merge", [8, 8, 8, 4, 4]),
}


def pointer(view):
    return {"kind": "pointer", "view": view}


def number(kind, view, dim):
    return {"kind": kind, "view": view, "dim": dim}


# At least one split, and one for 128 keys.
SPLITS = ["max", ["ceildiv", ["size", 1, 1], 128], 1]

# q (batch, 8 * 4, 16) as (batch, 8, 4, 16); k (batch, key, 16); o (batch, 8, 4, 16), of which the merge writes (batch, 32, 16).
PACKED = {"base": 0, "shape": [["size", 0, 0], 8, 4, 16],
          "strides": [["stride", 0, 0], ["mul", ["stride", 0, 1], 4], ["stride", 0, 1], ["stride", 0, 2]]}
FLAT = {"base": 2, "shape": [["size", 2, 0], 32, 16], "strides": [["stride", 2, 0], ["stride", 2, 2], ["stride", 2, 3]]}

STEPS = [
    {
        "binary": "split.0.cubin", "kernel": "split", "grid": ["mul", ["size", 2, 0], ["size", 2, 1]], "block": 64,
        "shared_bytes": 0, "align": [{"view": 0, "bytes": 16}, {"view": 2, "bytes": 16}],
        "limits": [["le", ["size", 1, 1], 4096]],
        "views": [PACKED, {"base": 1}, {"base": 3}, {"base": 4}], "scalars": [],
        "parameters": [pointer(0), {"kind": "tensor_map", "view": 1, "box": [1, 64, 16], "swizzle": 32}, pointer(2),
                       pointer(3), number("stride", 0, 1), number("size", 2, 0)],
    },
    {
        "binary": "merge.0.ptx", "kernel": "merge", "grid": ["size", 2, 0], "block": 32, "shared_bytes": 0,
        "align": [{"view": 2, "bytes": 8}],
        "views": [{"base": 3}, {"base": 4, "offset": 2}, FLAT], "scalars": [1, {"constant": 0x40490FDB, "type": "f32"}],
        "parameters": [pointer(0), pointer(1), number("stride", 2, 1), {"kind": "scalar", "index": 1},
                       {"kind": "scalar", "index": 0}],
    },
]


def split_merge():
    view = {"access": "read", "element": "bf16", "permutation": [0, 1, 2]}
    program = {
        "name": "decode",
        "views": [
            {"name": "q", **view, "shape": ["batch", 32, 16]},
            {"name": "k", **view, "shape": ["batch", "key", 16]},
            {"name": "o", "access": "write", "element": "bf16", "shape": ["batch", 8, 4, 16], "permutation": [0, 1, 2, 3]},
        ],
        "scalars": [{"name": "scale", "type": "f32"}, {"name": "cap", "type": "f32"}],
        "variants": [{
            "limits": [["or", ["le", ["size", 2, 1], 1], ["eq", ["stride", 2, 1], ["mul", ["stride", 2, 2], 4]]]],
            "workspace": [
                {"name": "parts", "element": "f32", "shape": [SPLITS, ["size", 0, 0], 32, 16]},
                {"name": "sums", "element": "f32", "shape": [SPLITS, ["size", 0, 0], 32]},
            ],
            "steps": copy.deepcopy(STEPS),
        }],
    }
    return {
        "format": "attn-mlir-bundle", "version": 2, "target": {"name": "h200", "arch": "sm_90a"},
        "binaries": [{"file": "split.0.cubin", "format": "cubin"}, {"file": "merge.0.ptx", "format": "ptx"}],
        "programs": [program],
    }


def load(scratch, manifest=None):
    return attn_mlir.load(write_bundle(scratch, manifest or split_merge(), BINARIES))


def arguments(batch=2, key=300, strides=None, device=0, q=0x10000):
    return (DLArray((batch, 32, 16), data=q, device=device), DLArray((batch, key, 16), data=0x20000, device=device),
            DLArray((batch, 8, 4, 16), data=0x30000, strides=strides, device=device))


def run(kernel, stream=0x70, workspace=None, **more):
    q, k, o = arguments(**more)
    return kernel(q, k, out=o, scalars=[1.0, 2.0], stream=stream, workspace=workspace)


def need(kernel, **more):
    q, k, o = arguments(**more)
    return kernel.workspace_bytes(q, k, out=o, scalars=[1.0, 2.0])


# 3 splits x 2 x 32 x 16 and 3 x 2 x 32 f32.
PARTS, SUMS = 3 * 2 * 32 * 16 * 4, 3 * 2 * 32 * 4


def launches(log):
    """Without the numbers of tensor maps, which count on."""
    return [re.sub(r" map\d+", " map", line) for line in log.lines() if line.startswith("cuLaunchKernelEx ")]


def expected(base):
    split = (f"cuLaunchKernelEx split grid=6,1,1 block=64,1,1 shared=0 stream=0x70 attributes=0: 0x10000:8 map {base:#x}:8 "
             f"{base + PARTS:#x}:8 0x40:8 0x3:8")
    # The sums from element 2 on; the constant pi, then cap.
    merge = (f"cuLaunchKernelEx merge grid=2,1,1 block=32,1,1 shared=0 stream=0x70 attributes=0: {base:#x}:8 "
             f"{base + PARTS + 8:#x}:8 0x10:8 0x40490fdb:4 0x40000000:4")
    return [split, merge]


def test_facts(scratch, log):
    kernel = load(scratch)
    assert kernel.name == "decode"
    (variant,) = kernel.variants
    assert [s.kernel for s in variant.steps] == ["split", "merge"] and variant.workspace_count == 2
    assert "variant 0: merge of merge.0.ptx, 32 threads" in kernel.describe()
    assert log.calls() == []
    kernel.close()


def test_workspace_of_the_driver(scratch, log):
    kernel = load(scratch)
    assert need(kernel) == PARTS + SUMS
    assert log.calls() == []  # No driver is needed to say so.
    run(kernel)
    lines = log.lines()
    (allocated,) = [line for line in lines if line.startswith("cuMemAllocAsync")]
    assert allocated.startswith(f"cuMemAllocAsync {PARTS + SUMS} stream=0x70 -> "), allocated
    base = int(allocated.split()[-1], 16)
    assert launches(log) == expected(base), launches(log)
    assert lines[-1] == f"cuMemFreeAsync {base:#x} stream=0x70", lines[-1]
    log.clear()
    # Neither tensor maps nor modules again.
    run(kernel)
    assert log.calls()[-4:] == ["cuMemAllocAsync", "cuLaunchKernelEx", "cuLaunchKernelEx", "cuMemFreeAsync"]
    # Arrays begin at multiples of 256 bytes.
    assert need(kernel, batch=1, key=1) == 32 * 16 * 4 + 256
    assert need(kernel, batch=1, key=0) == 32 * 16 * 4 + 256
    assert need(kernel, batch=0) == 0
    run(kernel, batch=0)
    assert log.calls() == []
    kernel.close()


def test_workspace_of_the_caller(scratch, log):
    kernel = load(scratch)
    for workspace in ((0x900000, PARTS + SUMS), (0x900000, 1 << 40, 0)):
        run(kernel, workspace=workspace)
        assert launches(log) == expected(0x900000), launches(log)
        assert not [line for line in log.lines() if "Mem" in line]
        log.clear()
    run(kernel, batch=0, workspace=(0, 0))
    for workspace, said in (
        ((0x900000, PARTS + SUMS - 1), f"workspace: expected at least {PARTS + SUMS} bytes, but got {PARTS + SUMS - 1}"),
        ((0, PARTS + SUMS), "workspace: expected the address of device memory, but got null"),
        ((0x900080, 1 << 30), "workspace: expected a base address of a multiple of 256 bytes, but got one that is 128 bytes"),
        ((0x900000, 1 << 30, 1), "workspace: expected device 0, as the views', but got 1"),
        ((0x900000, 1 << 30, -2), "workspace: expected a device ordinal or -1, but got -2"),
        ((0x900000,), "workspace: expected (address, bytes) or (address, bytes, device), but got"),
    ):
        expect(ArgumentError, said, run, kernel, workspace=workspace)
        q, k, o = arguments()
        expect(ArgumentError, said, kernel.prepare, q, k, out=o, scalars=[1.0, 2.0], workspace=workspace)
    assert launches(log) == []
    kernel.close()


def test_overlap(scratch, log):
    """What waits by itself is launched by programmatic serialization, behind another launch of its call alone."""
    step = ("programs", 0, "variants", 0, "steps", 1, "overlaps")
    kernel = load(scratch, changed(step, True, split_merge()))
    run(kernel, workspace=(0x900000, PARTS + SUMS))
    split, merge = launches(log)
    assert "attributes=0:" in split and "attributes=1:" in merge, (split, merge)
    log.clear()
    empty = changed(("programs", 0, "variants", 0, "steps", 0, "grid"), 0, changed(step, True, split_merge()))
    first = load(scratch + "/first", empty)
    run(first, workspace=(0x900000, PARTS + SUMS))
    (alone,) = launches(log)
    assert alone.startswith("cuLaunchKernelEx merge") and "attributes=0:" in alone, alone
    for value in (False, 1, "yes"):
        expect(BundleError, "overlaps: expected true, or no entry, but got", load, scratch + "/wrong",
               changed(step, value, split_merge()))
    first.close()
    kernel.close()


def test_clusters(scratch, log):
    """CTAs of a cluster, which are spread over SMs; they divide the grid."""
    step = ("programs", 0, "variants", 0, "steps", 0, "cluster")
    kernel = load(scratch, changed(step, ["size", 0, 0], split_merge()))
    run(kernel, workspace=(0x900000, PARTS + SUMS))
    split, merge = launches(log)
    assert "attributes=2:" in split and " cluster=2" in split and "cluster" not in merge, (split, merge)
    q, k, o = arguments()
    prepared = kernel.prepare(q, k, out=o, scalars=[1.0, 2.0], workspace=(0x900000, PARTS + SUMS))
    assert [s.cluster for s in prepared.steps] == [2, 0]
    log.clear()
    for value, got in ((4, 4), (0, 0), (["sub", 0, 1], -1)):
        wrong = load(scratch + "/wrong", changed(step, value, split_merge()))
        expect(ArgumentError, "expected 1 to 1024 CTAs, which divide the grid of 6, but got " + str(got),
               run, wrong, workspace=(0x900000, PARTS + SUMS))
        wrong.close()
    assert launches(log) == []
    # Sealed as what else is handed over with the code.
    path = os.path.join(write_bundle(scratch + "/sealed", changed(step, 2, split_merge()), BINARIES), "manifest.json")
    with open(path) as file:
        text = file.read()
    with open(path, "w") as file:
        file.write(text.replace('"cluster": 2', '"cluster": 3'))
    expect(BundleError, "'cluster', 'kernel'", attn_mlir.load, scratch + "/sealed")
    kernel.close()


def test_prepared(scratch, log):
    kernel = load(scratch)
    q, k, o = arguments()
    prepared = kernel.prepare(q, k, out=o, scalars=[1.0, 2.0], stream=0x70)
    (allocated,) = [line for line in log.lines() if line.startswith("cuMemAlloc")]
    assert allocated.startswith(f"cuMemAlloc {PARTS + SUMS} -> ")
    base = int(allocated.split()[-1], 16)
    assert [(s.grid, s.block, s.parameter_count) for s in prepared.steps] == [(6, 64, 6), (2, 32, 5)]
    log.clear()
    for _ in range(2):
        prepared.launch()
        assert launches(log) == expected(base)
        log.clear()
    del prepared
    assert f"cuMemFree {base:#x}" in log.lines()
    log.clear()
    prepared = kernel.prepare(q, k, out=o, scalars=[1.0, 2.0], stream=0x70, workspace=(0x900000, PARTS + SUMS, 0))
    prepared.launch()
    assert launches(log) == expected(0x900000)
    del prepared
    assert not [line for line in log.lines() if "Mem" in line]
    kernel.close()


def test_steps_with_nothing_to_do(scratch, log):
    kernel = load(scratch, changed([*step(0), "grid"], 0, split_merge()))
    run(kernel)
    (line,) = launches(log)
    assert " merge " in line
    q, k, o = arguments()
    prepared = kernel.prepare(q, k, out=o, scalars=[1.0, 2.0])
    assert prepared.steps[0].function is None and prepared.steps[1].function
    log.clear()
    prepared.launch()
    assert len(launches(log)) == 1
    kernel.close()


def test_calls_that_fail(scratch, log):
    kernel = load(scratch)
    for call, freed in (("cuMemAllocAsync", 0), ("cuModuleLoadDataEx", 1), ("cuLaunchKernelEx", 1), ("cuMemFreeAsync", 0)):
        os.environ["ATTN_FAKE_FAIL"] = call + ":2"
        log.clear()
        expect(CudaError, call + " failed", run, kernel)
        assert len([line for line in log.lines() if line.startswith("cuMemFreeAsync 0x")]) == freed, call
        assert call == "cuLaunchKernelEx" or call == "cuMemFreeAsync" or launches(log) == []
    del os.environ["ATTN_FAKE_FAIL"]
    q, k, o = arguments()
    for call in ("cuMemAlloc", "cuTensorMapEncodeTiled"):
        os.environ["ATTN_FAKE_FAIL"] = call + ":2"
        log.clear()
        expect(CudaError, call + " failed", kernel.prepare, q, DLArray((2, 301, 16), data=0x20000), out=o, scalars=[1.0, 2.0])
        freed = [line for line in log.lines() if line.startswith("cuMemFree 0x")]
        assert len(freed) == (call != "cuMemAlloc"), call
    del os.environ["ATTN_FAKE_FAIL"]
    kernel.close()


def test_why_no_variant_applies(scratch, log):
    kernel = load(scratch)
    said = "no variant of 'decode' applies:\n  variant 0 (split, merge): "
    expect(ArgumentError, said + "kernel 'split': its code is for le(size(k, 1)=4097, 4096)", run, kernel, key=4097)
    expect(ArgumentError, said + "kernel 'split': view 'q': expected a base address of a multiple of 16 bytes, but got 0x10008",
           run, kernel, q=0x10008)
    # The collapsed dimensions of the result.
    wide = (32 * 16, 80, 16, 1)
    expect(ArgumentError, said + "its code is for or(le(size(o, 1)=8, 1), eq(stride(o, 1)=80, mul(stride(o, 2)=16, 4)))",
           run, kernel, strides=wide)
    run(kernel, strides=(40 * 16, 64, 16, 1))
    assert " 0x10:8 " in launches(log)[-1]
    kernel.close()


def test_sizes_that_cannot_be(scratch, log):
    for path, value, said in (
        (["workspace", 0, "shape", 0], -1, "workspace 'parts' of variant 0: expected a size of at least 0, but got -1"),
        (["workspace", 1, "shape", 0], 1 << 60, "workspace 'sums' of variant 0: expected fewer than 2^62 bytes, but got more"),
        (["workspace", 1, "shape", 0], (1 << 54) - 1, "workspace 'sums' of variant 0: expected fewer than 2^62 bytes in all"),
        (["workspace", 1, "shape", 0], 1 << 53, None),
        (["workspace", 0, "shape", 0], ["floordiv", 1, ["sub", ["size", 1, 1], 300]],
         "the workspace of variant 0 divides by 0 for these sizes"),
        (["steps", 0, "grid"], -1, "the grid of variant 0, kernel 'split': expected 0 to 2147483647 CTAs, but got -1"),
        (["steps", 1, "grid"], ["floordiv", 1, 0], "the grid of variant 0, kernel 'merge' divides by 0 for these sizes"),
        (["steps", 0, "limits", 0], ["mul", ["size", 1, 1], 1 << 62], "a limit of variant 0, kernel 'split' leaves 64 bits"),
        (["steps", 0, "views", 0, "shape", 0], -1, "view 0 of kernel 'split', of 'q': its sizes are negative or leave"),
        (["steps", 0, "views", 0, "strides", 0], 1 << 61, "view 0 of kernel 'split', of 'q': its sizes are negative or leave"),
        (["steps", 0, "views", 0, "strides", 0], ["floordiv", 1, 0], "a view of variant 0, kernel 'split' divides by 0"),
    ):
        kernel = load(scratch, changed([*VARIANTS, 0, *path], value, split_merge()))
        if said:
            expect(ArgumentError, said, run, kernel)
            expect(ArgumentError, said, need, kernel)
        else:
            assert need(kernel) == PARTS + (1 << 61)
        assert launches(log) == []
        kernel.close()


WRONG = [
    ([*VARIANTS, 0, "steps"], [], "programs[0].variants[0].steps: expected a list of 1 to 64, but got a list of 0"),
    ([*VARIANTS, 0, "steps"], STEPS * 33, "steps: expected a list of 1 to 64, but got a list of 66"),
    ([*VARIANTS, 0, "steps"], ..., "variants[0]: expected 'steps', which is missing"),
    ([*VARIANTS, 0, "step"], [], "variants[0]: unknown key 'step'"),
    ([*VARIANTS, 0, "workspace"], [{"name": str(i), "element": "f32", "shape": [1]} for i in range(33)],
     "workspace: expected a list of 0 to 32, but got a list of 33"),
    ([*VARIANTS, 0, "workspace", 0, "name"], "q", "workspace[0]: there are two views or arrays 'q'"),
    ([*VARIANTS, 0, "workspace", 1, "name"], "parts", "workspace[1]: there are two views or arrays 'parts'"),
    ([*VARIANTS, 0, "workspace", 0, "element"], "i16", "workspace[0].element: expected one of f16, bf16, f32, i32, i64, i8, f8E4M3FN, f8E5M2, f8E4M3FNUZ, but got \"i16\""),
    ([*VARIANTS, 0, "workspace", 0, "shape"], [], "workspace[0].shape: expected a list of 1 to 8, but got a list of 0"),
    ([*VARIANTS, 0, "workspace", 0, "shape", 0], ["size", 3, 0], "shape[0][1]: expected a whole number from 0 to 2, but got 3"),
    ([*VARIANTS, 0, "workspace", 0, "bytes"], 1, "workspace[0]: unknown key 'bytes'"),
    ([*VARIANTS, 0, "limits", 0], ["size", 3, 0], "limits[0][1]: expected a whole number from 0 to 2, but got 3"),
    ([*step(0), "views"], [], "steps[0].views: expected a list of 1 to 32, but got a list of 0"),
    ([*step(0), "views"], [{"base": 0}] * 33, "steps[0].views: expected a list of 1 to 32, but got a list of 33"),
    ([*step(0), "views", 0, "base"], 5, "views[0].base: expected a whole number from 0 to 4, but got 5"),
    ([*step(0), "views", 0, "strides"], ..., "views[0]: expected 'strides', which is missing"),
    ([*step(0), "views", 0, "strides"], [1], "views[0].strides: expected a list of 4, but got a list of 1"),
    ([*step(0), "views", 0, "shape"], ..., "views[0]: expected 'shape' with 'strides', which is missing"),
    ([*step(0), "views", 0, "shape"], [1] * 9, "views[0].shape: expected a list of 1 to 8, but got a list of 9"),
    ([*step(0), "views", 0, "size"], 1, "views[0]: unknown key 'size'"),
    ([*step(0), "views", 1], {"base": 0, "shape": [1] * 6, "strides": [1] * 6},
     "expected a view of rank 1 to 5 for a tensor map, but got 'q' of rank 6"),
    ([*step(0), "parameters", 0, "view"], 4, "parameters[0].view: expected a whole number from 0 to 3, but got 4"),
    ([*step(0), "parameters", 4, "dim"], 4, "parameters[4].dim: expected a whole number from 0 to 3, but got 4"),
    ([*step(0, 1), "scalars", 0], 2, "scalars[0]: expected a whole number from 0 to 1, but got 2"),
    ([*step(0, 1), "scalars"], [0] * 33, "scalars: expected a list of 0 to 32, but got a list of 33"),
    ([*step(0, 1), "scalars", 1, "type"], "f8", "scalars[1].type: expected one of f16, "),
    ([*step(0, 1), "scalars", 1, "constant"], 1.5, "scalars[1].constant: expected a whole number from"),
    ([*step(0, 1), "scalars", 1], {"constant": 1 << 30, "type": "index"}, "constant: expected a whole number from -536870912"),
    ([*step(0, 1), "scalars", 1, "value"], 1, "scalars[1]: unknown key 'value'"),
    (["programs"], ..., "manifest.json: expected 'programs', which is missing: an earlier compiler wrote it (compile anew)"),
    (["programs"], [], "programs: expected a list of 1 to 64, but got a list of 0"),
    ([*PROGRAM, "name"], ..., "programs[0]: expected 'name', which is missing"),
    ([*PROGRAM, "binaries"], [], "programs[0]: unknown key 'binaries'"),
]


def test_wrong_entries(scratch, log):
    for path, value, said in WRONG:
        directory = write_bundle(scratch, changed(path, value, split_merge()), BINARIES)
        expect(BundleError, said, attn_mlir.load, directory)
    for path, value in (([*step(0, 1), "scalars", 1, "type"], "i32"), ([*step(0, 1), "scalars"], [0, 0, 1]), ([*step(0), "scalars"], ...)):
        manifest = changed(path, value, sealed(split_merge(), BINARIES))
        said = "steps[{}].interface_sha256: expected ".format(path[5])
        expect(BundleError, said, attn_mlir.load, write_bundle(scratch, manifest, BINARIES, seal=False))


def test_several_programs(scratch, log):
    manifest = split_merge()
    other = copy.deepcopy(at(manifest, PROGRAM))
    other["name"] = "prefill"
    other["views"][0]["name"] = "queries"
    manifest["programs"].append(other)
    directory = write_bundle(scratch, manifest, BINARIES)
    expect(BundleError, "expected the name of one of the programs 'decode', 'prefill', but got none", attn_mlir.load, directory)
    expect(BundleError, "expected one of the programs 'decode', 'prefill', but got 'x'", attn_mlir.load, directory, "x")
    kernel = attn_mlir.load(directory, "prefill")
    assert (kernel.name, kernel.views[0].name) == ("prefill", "queries")
    run(kernel)
    assert len(launches(log)) == 2
    attn_mlir.load(directory, program="decode").close()
    other["name"] = "decode"
    expect(BundleError, "programs[1]: there are two programs 'decode'", attn_mlir.load, write_bundle(scratch, manifest, BINARIES))
    attn_mlir.load(write_bundle(scratch, split_merge(), BINARIES), "decode").close()
    kernel.close()


def test_c_interface(scratch, log):
    c = _library.library()
    kernel = load(scratch)

    def refused(said, status):
        assert status == 1 and said in c.attnLastError().decode(), c.attnLastError()
    handle, info, size = ctypes.c_void_p(), _library.StepInfo(), ctypes.c_uint64()
    refused("program: expected a pointer", c.attnBundleOpenProgram(b"x", None, ctypes.byref(handle)))
    refused("index: expected 0 to 2 (exclusive), but got 2", c.attnBundleStep(kernel._bundle, 0, 2, ctypes.byref(info)))
    refused("index: expected 0 to 1 (exclusive), but got 1", c.attnBundleStep(kernel._bundle, 1, 0, ctypes.byref(info)))
    refused("bundle: expected", c.attnBundleWorkspaceBytes(None, None, 0, None, 0, ctypes.byref(size)))
    refused("bytes: expected", c.attnBundleWorkspaceBytes(kernel._bundle, None, 0, None, 0, None))
    q, k, o = arguments()
    call = kernel._bind((q, k), o, None, [1.0, 2.0], 0)
    refused("workspace: expected a pointer, but got null", c.attnBundleLaunchIn(*call.arguments, None, None))
    refused("workspace: expected a pointer, but got null", c.attnBundlePrepareIn(*call.arguments, None, ctypes.byref(handle)))
    prepared = kernel.prepare(q, k, out=o, scalars=[1.0, 2.0])
    launch = _library.LaunchInfo()
    for index in (-1, 2):
        refused(f"step: expected 0 to 2 (exclusive), but got {index}",
                c.attnPreparedInfo(prepared._handle, index, ctypes.byref(launch)))
    assert c.attnPreparedStepCount(None) == 0
    del prepared
    kernel.close()


def on_hip(scratch):
    """The same for AMD GPUs, in a process of its own: the runtime is opened once."""
    log = Log(os.path.join(scratch, "hip.log"))
    manifest = split_merge()
    manifest["target"] = {"name": "mi300x", "arch": "gfx942"}
    manifest["binaries"] = [{"file": "code.hsaco", "format": "hsaco"}]
    for i in range(2):
        at(manifest, step(0, i))["binary"] = "code.hsaco"
    del at(manifest, step(0))["parameters"][1]
    kernel = attn_mlir.load(write_bundle(scratch + "/hip", manifest, {"code.hsaco": b"\x7fELF\2\1" + bytes(64)}))
    arrays = [DLArray(shape, BF16, data, None, 0, 10)
              for shape, data in (((2, 32, 16), 0x10000), ((2, 300, 16), 0x20000), ((2, 8, 4, 16), 0x30000))]
    q, k, o = arrays
    keywords = dict(out=o, scalars=[1.0, 2.0], stream=0x70)
    kernel(q, k, **keywords)
    calls = [line for line in log.lines() if "Launch" in line or "Malloc" in line or "Free" in line]
    assert [line.split()[0] for line in calls] == (
        ["hipMallocAsync", "hipModuleLaunchKernel", "hipModuleLaunchKernel", "hipFreeAsync"]), calls
    assert calls[0] == f"hipMallocAsync {PARTS + SUMS} stream=0x70 on 0", calls
    assert "first=0x10000" in calls[1] and "first=0x700000000" in calls[2], calls
    log.clear()
    prepared = kernel.prepare(q, k, **keywords)
    assert f"hipMalloc {PARTS + SUMS} on 0" in log.lines()
    prepared.launch()
    del prepared
    assert "hipFree 0x700000000 on 0" in log.lines()
    kernel.close()


def test_hip(scratch, log):
    os.makedirs(scratch, exist_ok=True)
    environment = dict(os.environ, ATTN_HIP_RUNTIME=os.environ["FAKE_HIP"])
    subprocess.run([sys.executable, __file__, scratch, "hip"], env=environment, check=True)


if sys.argv[2:] == ["hip"]:
    on_hip(sys.argv[1])
else:
    main()
