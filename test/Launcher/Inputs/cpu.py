"""Bundles for this machine's CPU: what they compute, of which arrays, and what is refused."""

import os
import random
import subprocess
import sys
import types

import attn_mlir
import torch
from attn_mlir import ArgumentError, BundleError
from devices import Arrays, call, causal_bundle, compile_bundle
from problems import Case
from support import BF16, F16, F32, PROGRAM, DLArray, at, change, expect, main, prefill, step

CAUSAL = Case("causal-br", "f16", (4, 2), (64, 64), (1, 150, 200), layout="bshd")
MACHINE = {"x86_64": "x86_64-v3", "aarch64": "aarch64"}[os.uname().machine]


def bundle(scratch):
    return causal_bundle(scratch, CAUSAL)


def small(**changes):
    return CAUSAL._replace(sizes=(1, 40, 50), **changes)


CASES = [
    Case(mask, element, heads, dims, sizes, layout=layout)
    for mask, element, heads, dims, sizes, layout in (
        ("full", "f32", (2, 2), (64, 64), (2, 70, 90), "bhsd"),
        ("causal", "f32", (4, 2), (64, 64), (1, 100, 100), "bshd"),
        ("causal-br", "f32", (4, 1), (40, 72), (1, 37, 75), "bshd"),
        ("full", "bf16", (4, 2), (128, 128), (1, 1, 300), "bhsd"),
        ("causal-br", "bf16", (4, 2), (64, 64), (2, 50, 90), "bshd"),
        ("window", "bf16", (2, 2), (56, 56), (1, 70, 140), "bhsd"),
        ("causal", "f16", (4, 1), (64, 64), (1, 65, 65), "bhsd"),
        ("window", "f16", (4, 2), (64, 48), (1, 70, 90), "bshd"),
        # Rows that no key is for, and no keys at all.
        ("causal-br", "f16", (2, 2), (64, 64), (1, 90, 20), "bhsd"),
        ("full", "f16", (2, 2), (64, 64), (2, 33, 0), "bhsd"),
        ("full", "f32", (2, 2), (64, 64), (1, 1, 1), "bhsd"),
    )
]


def test_cases(scratch, log):
    for number, case in enumerate(CASES):
        kernel = attn_mlir.load(compile_bundle(f"{scratch}.{number}", case, "--schedule=tiles=query=64,key=64"))
        arrays = Arrays(case)
        call(kernel, arrays.dlpack())
        arrays.assert_right()
        kernel.close()


def test_default_schedule(scratch, log):
    for number, case in enumerate((CASES[2], CASES[4])):
        kernel = attn_mlir.load(compile_bundle(f"{scratch}.{number}", case))
        arrays = Arrays(case)
        call(kernel, arrays.dlpack())
        arrays.assert_right()
        kernel.close()


def test_sizes_and_variants(scratch, log):
    kernel = attn_mlir.load(bundle(scratch))
    assert (kernel.target, kernel.arch, len(kernel.variants)) == ("cpu", MACHINE, 2)
    for sizes, variant in (((1, 150, 200), 1), ((2, 50, 70), 0), ((1, 64, 129), 1), ((1, 9, 3), 0), ((1, 64, 0), 0)):
        arrays = Arrays(CAUSAL._replace(sizes=sizes))
        given = arrays.dlpack()
        prepared = kernel.prepare(*given[:3], out=given[3], lse=given[4])
        assert prepared.variant == variant and prepared.function, sizes
        call(kernel, given, stream=7)  # There are none: it says nothing.
        arrays.assert_right()
        for _ in range(2):
            prepared.launch()
            arrays.assert_right()
    # Nothing to do.
    for sizes in ((0, 5, 5), (1, 0, 5)):
        call(kernel, Arrays(CAUSAL._replace(sizes=sizes)).dlpack())
    kernel.close()


def test_wrong_results_are_seen(scratch, log):
    kernel = attn_mlir.load(bundle(scratch))
    arrays = Arrays(small())
    given = arrays.dlpack()
    given[1], given[2] = given[2], given[1]
    call(kernel, given)
    expect(AssertionError, "row 0 has error", arrays.assert_right)
    # What the next test would find there is gone.
    expect(AssertionError, "row 0 has error nan", arrays.assert_right)
    kernel.close()


def test_scalars(scratch, log):
    """Scores that scalars of each size change, against the same kernel without."""
    text = CAUSAL.text()
    types_of = ("f32", "f16", "bf16", "i32", "i64", "i1", "index")
    names = [f"x{number}" for number in range(len(types_of))]
    extra = ", ".join(f"%{name}: {type}" for name, type in zip(names, types_of))
    inner = ", ".join(f"%{name}_: {type}" for name, type in zip(names, types_of))
    body = """
      %a = arith.extf %x1_ : f16 to f32
      %b = arith.extf %x2_ : bf16 to f32
      %c = arith.sitofp %x3_ : i32 to f32
      %d = arith.sitofp %x4_ : i64 to f32
      %i = arith.index_cast %x6_ : index to i64
      %e = arith.sitofp %i : i64 to f32
      %0 = arith.addf %a, %b : f32
      %1 = arith.addf %0, %c : f32
      %2 = arith.addf %1, %d : f32
      %3 = arith.addf %2, %e : f32
      %4 = arith.mulf %s, %x0_ : f32
      %5 = arith.addf %4, %3 : f32
      %6 = arith.select %x5_, %5, %s : f32
      attn.yield %6 : f32
    """
    clauses = (f"scale(0.125) captures({', '.join('%' + name for name in names)} : {', '.join(types_of)})\n"
               f"    score(%s: f32, %b_: index, %h_: index, %q_: index, %k_: index, {inner}) {{{body}}}\n   ")
    text = text.replace(") -> ", f", {extra}) -> ", 1).replace("scale(0.125)", clauses).replace("layout(bshd)", "")
    text = text.replace(clauses, clauses + "layout(bshd)")

    class Scaled(Case):
        def text(self):
            return text

    kernel = attn_mlir.load(compile_bundle(scratch, Scaled(*small()), "--schedule=tiles=query=64,key=64"))
    assert [type for _, type in kernel.scalars] == ["f32", "f16", "bf16", "i32", "i64", "i1", "i64"], kernel.scalars
    # What is added to all scores changes LSE alone; a factor of the scores is one of Q.
    for scalars in ((1.0, 0.5, -0.25, 3, -7, True, 2), (1.0, 9.0, 9.0, 9, 9, False, 9), (2.0, 0.0, 0.0, 0, 0, True, 0)):
        arrays = Arrays(small())
        inputs = arrays.views[:3]
        factor, shift = (scalars[0], sum(scalars[1:5]) + scalars[6]) if scalars[5] else (1.0, 0.0)
        inputs[0].values = [factor * value for value in inputs[0].values]
        rows, sums = arrays.case.wanted(*inputs)
        arrays.wanted = rows, [total + shift for total in sums]
        call(kernel, arrays.dlpack(), scalars=scalars)
        arrays.assert_right()
    kernel.close()


def test_two_that_are_loaded(scratch, log):
    """Each has its own code, in whatever order they are loaded and closed."""
    cases = [small(mask=mask) for mask in ("full", "causal", "window")]
    bundles = [compile_bundle(f"{scratch}.{i}", case, "--schedule=tiles=query=64,key=64") for i, case in enumerate(cases)]
    arrays = [Arrays(case) for case in cases]
    open_kernels = [attn_mlir.load(each) for each in bundles]
    for _ in range(20):
        for index in (0, 2, 1):
            call(open_kernels[index], arrays[index].dlpack())
            arrays[index].assert_right()
            fresh = attn_mlir.load(bundles[index])
            call(fresh, arrays[index].dlpack())
            arrays[index].assert_right()
            open_kernels[index].close()
            open_kernels[index] = fresh
    before = len(os.listdir("/proc/self/fd"))
    kept = [attn_mlir.load(bundles[0]) for _ in range(50)]
    for kernel in kept:
        call(kernel, arrays[0].dlpack())
    arrays[0].assert_right()
    assert len(os.listdir("/proc/self/fd")) == before  # Code that is loaded holds no file.
    for kernel in kept + open_kernels:
        kernel.close()


# ------------------------------------------------------------------------------
# Arrays


def test_torch(scratch, log):
    kernel = attn_mlir.load(bundle(scratch))
    arrays = Arrays(small())
    expect(ArgumentError, "view 'q': expected a CPU tensor, but got one on cuda", call, kernel, arrays.torch())
    given = arrays.torch(torch.device("cpu"))
    o, lse = call(kernel, given)
    assert o is given[3] and lse is given[4]
    arrays.assert_right()
    mixed = given[:2] + arrays.dlpack()[2:]
    call(kernel, mixed)
    arrays.assert_right()
    kernel.close()


def test_outputs_of_torch(scratch, log):
    kernel = attn_mlir.load(bundle(scratch))
    arrays = Arrays(small())
    given, empty, asked = arrays.torch(torch.device("cpu")), torch.empty, []

    def allocated(shape, dtype, device):
        asked.append((tuple(shape), dtype, device.type))
        return given[2 + len(asked)]

    torch.empty = allocated
    try:
        o, lse = kernel(*given[:3])
    finally:
        torch.empty = empty
    assert asked == [((1, 40, 4, 64), torch.float16, "cpu"), ((1, 4, 40), torch.float32, "cpu")], asked
    assert o is given[3] and lse is given[4]
    arrays.assert_right()
    kernel.close()


def test_dlpack(scratch, log):
    kernel = attn_mlir.load(bundle(scratch))
    arrays = Arrays(small())
    given = arrays.dlpack()
    call(kernel, given, stream=5)
    assert all(array.streams == [None] for array in given)
    arrays.assert_right()
    assert DLArray.alive == 0
    expect(ArgumentError, "view 'q' (DLPack): expected device type 1 (CPU), but got 2", call, kernel, arrays.dlpack(kind=2))
    expect(ArgumentError, "expected arrays on the CPU, which is device 0, but got arrays on device 1", call, kernel,
           arrays.dlpack(number=1))
    kernel.close()


class HostArray:
    """A producer of ``__array_interface__``; as NumPy's it offers DLPack, too, which here is wrong."""

    def __init__(self, shape, typestr, data, strides=None, readonly=False, dtype=None, **more):
        self.__array_interface__ = {
            "shape": tuple(shape), "typestr": typestr, "data": (data, readonly), "version": 3, "strides": strides, **more,
        }
        self.dtype = types.SimpleNamespace(name=dtype)

    def __dlpack_device__(self):
        raise AssertionError("not asked for")

    __dlpack__ = __dlpack_device__


def host_arrays(arrays, readonly=(True, True, True, False, False), bf16="<V2"):
    typestrs = {"f16": ("<f2", 2), "bf16": (bf16, 2), "f32": ("<f4", 4)}
    result = []
    for view, address, fixed in zip(arrays.views, arrays.addresses, readonly):
        typestr, bytes = typestrs[view.element]
        sizes, strides = arrays.callers(view)
        result.append(HostArray(sizes, typestr, address, tuple(bytes * stride for stride in strides), fixed,
                                {"bf16": "bfloat16"}.get(view.element)))
    return result


def test_array_interface(scratch, log):
    kernel = attn_mlir.load(bundle(scratch))
    arrays = Arrays(small())
    call(kernel, host_arrays(arrays))
    arrays.assert_right()
    expect(ArgumentError, "view 'o': expected an array that may be written, but got a read-only one", call, kernel,
           host_arrays(arrays, [False] * 3 + [True, False]))
    wrong = host_arrays(arrays)
    wrong[1] = HostArray((1, 50, 2, 64), "<f8", arrays.addresses[1])
    expect(ArgumentError, ["view 'k' (__array_interface__): expected typestr", "but got '<f8'"], call, kernel, wrong)
    wrong[1] = HostArray((1, 50, 2, 64), "<V2", arrays.addresses[1])
    expect(ArgumentError, ["view 'k' (__array_interface__)", "but got '<V2'"], call, kernel, wrong)
    wrong[1] = HostArray((1, 50, 2, 64), "<f2", arrays.addresses[1], offset=8)
    expect(ArgumentError, "view 'k' (__array_interface__): expected an address without an offset", call, kernel, wrong)
    expect(ArgumentError, "expected an array for output 'o': only where an input is a torch tensor, or a NumPy array",
           kernel, *host_arrays(arrays)[:3])
    expect(ArgumentError, ["view 'q'", "__dlpack__ or __array_interface__, but got int"], call, kernel, [1] * 5)
    kernel.close()


def test_numpy_with_bf16(scratch, log):
    """As ml_dtypes has it; outputs are allocated where an argument is NumPy's."""
    case = small(element="bf16")
    kernel = attn_mlir.load(compile_bundle(scratch, case, "--schedule=tiles=query=64,key=64"))
    arrays = Arrays(case)
    given, asked = host_arrays(arrays), []

    def empty(shape, dtype):
        asked.append((tuple(shape), dtype))
        return given[2 + len(asked)]

    sys.modules["numpy"] = types.SimpleNamespace(ndarray=HostArray, empty=empty)
    try:
        o, lse = kernel(*given[:3])
    finally:
        del sys.modules["numpy"]
    assert asked == [((1, 40, 4, 64), given[0].dtype), ((1, 4, 40), "<f4")], asked
    assert o is given[3] and lse is given[4]
    arrays.assert_right()
    kernel.close()


def test_arguments_that_do_not_fit(scratch, log):
    kernel = attn_mlir.load(bundle(scratch))
    arrays = Arrays(small())
    for index, wrong, said in (
        (1, DLArray((1, 50, 3, 64), F16, arrays.addresses[1], kind=1), "dimension 1 (2 of the array): expected size 2, but got 3"),
        (1, DLArray((1, 50, 2, 64), BF16, arrays.addresses[1], kind=1), "view 'k' (argument 1): expected element type f16, but got bf16"),
        (1, DLArray((1, 50, 2, 64), F16, 0, kind=1), "view 'k' (argument 1): expected the address of memory, but got null"),
        # Code is for rows without gaps, and for whole elements.
        (1, DLArray((1, 50, 2, 64), F16, arrays.addresses[1], (12800, 256, 128, 2), kind=1),
         "view 'k': expected stride 1 of the last dimension, but got 2"),
        (1, DLArray((1, 50, 2, 64), F16, arrays.addresses[1] + 1, kind=1), "view 'k': expected a base address of a multiple of 2 bytes"),
        (4, DLArray((1, 4, 40), F32, arrays.addresses[4] + 2, kind=1), "view 'lse': expected a base address of a multiple of 4 bytes"),
    ):
        given = arrays.dlpack()
        given[index] = wrong
        expect(ArgumentError, said, call, kernel, given)
    kernel.close()


# ------------------------------------------------------------------------------
# What is refused


def refuse(directory, *parts):
    expect(BundleError, parts, attn_mlir.load, directory)


def code_of(directory):
    """The second variant's."""
    (path,) = [os.path.join(directory, name) for name in os.listdir(directory) if name.endswith(".1.so")]
    return path


def rewrite(directory, function):
    with open(code_of(directory), "rb") as file:
        contents = function(bytearray(file.read()))
    with open(code_of(directory), "wb") as file:
        file.write(contents)
    return directory


def test_code_that_is_damaged(scratch, log):
    for function, said in (
        (lambda contents: contents[:-100], " bytes, as the manifest says, but got "),
        (lambda contents: contents + b"\0", " bytes, but got more"),
        (lambda contents: b"x" * len(contents), "expected SHA-256 "),
    ):
        refuse(rewrite(bundle(scratch), function), ".1.so': expected ", said)
    # A bit anywhere.
    values = random.Random(1)
    for _ in range(50):
        def flip(contents):
            contents[values.randrange(len(contents))] ^= 1 << values.randrange(8)
            return contents

        refuse(rewrite(bundle(scratch), flip), ".1.so': expected SHA-256 ", ", as the manifest says, but got ")


def test_code_that_cannot_be_loaded(scratch, log):
    """What digests hold for, and the loader refuses."""
    for function, said in (
        (lambda contents: b"x" * len(contents), "invalid ELF header"),
        (lambda contents: contents[:20], "file too short"),
        (lambda contents: contents.replace(b"libm.so.6", b"libm.so.x"), "libm.so.x: cannot open shared object file"),
    ):
        directory = change(rewrite(bundle(scratch), function), lambda manifest: None, seal=True)
        kernel = attn_mlir.load(directory)
        for _ in range(2):
            expect(BundleError, ["cannot load 'f_attention.1.so'; tried:\n  in memory: ", said], call, kernel,
                   Arrays(CAUSAL).dlpack())
        # The other variant is whole.
        arrays = Arrays(small())
        call(kernel, arrays.dlpack())
        arrays.assert_right()
        kernel.close()


def test_kernel_that_is_missing(scratch, log):
    kernel = attn_mlir.load(change(bundle(scratch), lambda manifest: at(manifest, step(1)).update(kernel="nobody"), seal=True))
    expect(BundleError, "'f_attention.1.so': expected kernel 'nobody', which is missing", call, kernel, Arrays(CAUSAL).dlpack())
    kernel.close()


def test_another_machine(scratch, log):
    other = "aarch64" if MACHINE != "aarch64" else "x86_64-v3"
    for arch in (other, "x86_64-v9"):
        kernel = attn_mlir.load(change(bundle(scratch), lambda manifest: manifest["target"].update(arch=arch), seal=True))
        assert kernel.arch == arch
        expect(BundleError, f"bundle 'f' for cpu: expected a machine of architecture {arch}, but got {MACHINE}", call, kernel,
               Arrays(small()).dlpack())
        # Nothing to do, so nothing to load.
        call(kernel, Arrays(CAUSAL._replace(sizes=(0, 5, 5))).dlpack())
        kernel.close()


def test_manifests_that_do_not_fit(scratch, log):
    def last(manifest):
        return at(manifest, step(1))

    sealed = "interface_sha256: expected "
    for function, said in (
        (lambda manifest: last(manifest).update(kernel="nobody"), sealed),
        (lambda manifest: last(manifest)["parameters"].pop(), sealed),
        (lambda manifest: manifest["target"].update(arch="x86_64-v2"), sealed),
        (lambda manifest: manifest["binaries"][1].update(format="cubin"),
         f"binaries[1].format: expected 'so', for {MACHINE}, but got \"cubin\""),
        (lambda manifest: manifest["target"].update(arch="gfx942"), "binaries[0].format: expected 'hsaco', for gfx942, but got \"so\""),
        (lambda manifest: last(manifest)["parameters"].__setitem__(
            0, {"kind": "tensor_map", "view": 0, "box": [1, 1, 64, 64], "swizzle": 128}),
         f"variants[1].steps[0].parameters[0]: expected no tensor map for {MACHINE}"),
        (lambda manifest: last(manifest).update(cluster=2), f"steps[0].cluster: expected no clusters of CTAs for {MACHINE}"),
        (lambda manifest: last(manifest).update(overlaps=True), f"steps[0].overlaps: expected no steps that overlap for {MACHINE}"),
    ):
        refuse(change(bundle(scratch), function), said)
    # A GPU's bundle stays one.
    assert prefill()["target"]["arch"] == "sm_90a" and PROGRAM


# ------------------------------------------------------------------------------
# Memory that is no file


def in_process(scratch, first="", **environment):
    """What a call in a fresh process says."""
    script = first + "\n" + (
        "import sys, attn_mlir, cpu\n"
        "kernel, arrays = attn_mlir.load(sys.argv[1]), cpu.Arrays(cpu.small())\n"
        "try: cpu.call(kernel, arrays.dlpack()); arrays.assert_right(); print('right')\n"
        "except attn_mlir.Error as error: print(type(error).__name__, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", script, bundle(scratch)], stdout=subprocess.PIPE, text=True, check=True,
                          env={**os.environ, **environment})
    return done.stdout


def test_no_files_in_memory(scratch, log):
    """Where the system refuses them, a file of a folder is loaded, and removed."""
    folder = scratch + ".tmp"
    os.makedirs(folder, exist_ok=True)
    preload = ":".join(filter(None, (os.environ.get("LD_PRELOAD"), os.environ["ATTN_NO_MEMFD"])))
    assert in_process(scratch, LD_PRELOAD=preload, TMPDIR=folder) == "right\n"
    assert os.listdir(folder) == []
    said = in_process(scratch, LD_PRELOAD=preload, TMPDIR=folder + ".none")
    assert said.startswith("BundleError cannot load 'f_attention.0.so'; tried:\n  in memory: Operation not permitted\n"), said
    assert f"\n  in '{folder}.none': No such file or directory" in said, said
    # With them the folder is not needed.
    assert in_process(scratch, TMPDIR=folder + ".none") == "right\n"


if __name__ == "__main__":
    main()
