"""Bundles for NVIDIA GPUs as attn-compile makes them: they fit, and no damage gets past the launcher."""

import glob
import json
import os
import random
import shutil
import sys

import attn_mlir
from attn_mlir import BundleError, Error
from support import BF16, F32, DLArray, at, change, expect, main, step, steps_of

MADE = sys.argv[1]


def bundle(name, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    return shutil.copytree(os.path.join(MADE, name), scratch)


def as_written_without_ptxas(manifest):
    at(manifest, step(0))["binary"] = "code.ptx"
    manifest["binaries"] = [{"file": "code.ptx", "format": "ptx"}]


change(os.path.join(MADE, "ptx"), as_written_without_ptxas, seal=True)


def refuse(directory, *parts):
    expect(BundleError, parts, attn_mlir.load, directory)


def test_bundles_fit(scratch, log):
    for name, ending in (("h200", "cubin"), ("gb10", "cubin"), ("ptx", "ptx")):
        assert glob.glob(os.path.join(MADE, name, "*." + ending)), name
        attn_mlir.load(os.path.join(MADE, name)).close()


def launch(directory):
    """Launches on the stand-in, which says, and reads, as many parameters as the code has."""
    kernel = attn_mlir.load(directory)
    (queries, keys), (heads, shared, size) = (200, 300), ((32, 8, 128) if kernel.name.startswith("prefill") else (2, 1, 64))
    q, o = (DLArray((1, heads, queries, size), BF16, data=base) for base in (0x1000000, 0x4000000))
    k, v = (DLArray((1, shared, keys, size), BF16, data=base) for base in (0x2000000, 0x3000000))
    if len(kernel.views) == 4:
        kernel(q, k, v, out=o)
    else:
        kernel(q, k, v, out=o, lse=DLArray((1, heads, queries), F32, data=0x5000000), scalars=[1.0])
    kernel.close()


def test_launch_reads_what_the_code_has(scratch, log):
    for name in ("h200", "gb10", "ptx"):
        log.clear()
        launch(os.path.join(MADE, name))
        (line,) = [line for line in log.lines() if line.startswith("cuLaunchKernelEx")]
        with open(os.path.join(MADE, name, "manifest.json")) as file:
            kinds = [[p["kind"] for p in step["parameters"]] for _, step in steps_of(json.load(file))]
        read = ["tensor_map" if word.startswith("map") else "word" for word in line.split(": ")[1].split()]
        assert read in [["tensor_map" if kind == "tensor_map" else "word" for kind in each] for each in kinds], line


def edits():
    """Of the last variant: each no longer fits its kernel."""
    def last(manifest):
        return at(manifest, step(-1))["parameters"]

    def swap(manifest):
        """A tensor map where the kernel has a number, or the other way round."""
        i = next(i for i in range(len(last(manifest)) - 1)
                  if (last(manifest)[i]["kind"] == "tensor_map") != (last(manifest)[i + 1]["kind"] == "tensor_map"))
        last(manifest)[i], last(manifest)[i + 1] = last(manifest)[i + 1], last(manifest)[i]

    return (
        (lambda manifest: last(manifest).append({"kind": "pointer", "view": 0}), "parameters, the kernel has "),
        (swap, " bytes in the manifest, "),
        (lambda manifest: at(manifest, step(-1)).update(kernel="nobody"), "to find 'nobody' in "),
        (lambda manifest: last(manifest).pop(), None),
        (lambda manifest: last(manifest).clear(), None),
        (lambda manifest: at(manifest, step(-1)).update(block=64), None),
    )


def test_manifests_that_do_not_fit(scratch, log):
    for name in ("h200", "gb10", "ptx"):
        for function, said in edits():
            refuse(change(bundle(name, scratch), function), "interface_sha256: expected ")
            if not said or name == "h200":
                continue
            # Even with digests that were made to fit: the driver says what its code has.
            expect(Error, said, launch, change(bundle(name, scratch), function, seal=True))


def first_binary(directory):
    return sorted(glob.glob(os.path.join(directory, "*.cubin")) or glob.glob(os.path.join(directory, "*.ptx")))[0]


def damage(contents, values, begin, end):
    """One to three bytes changed, and not all back to what they were."""
    mutant = bytearray(contents)
    while mutant == contents:
        for _ in range(values.randint(1, 3)):
            mutant[values.randrange(begin, end)] = values.choice((0, 1, 4, 0x17, 0x7F, 0x80, 0xFF, values.randrange(256)))
    return mutant


def test_damage_anywhere(scratch, log):
    """Headers, descriptions of kernels, the tables at the end: all of it is refused, before the driver sees it."""
    values = random.Random(1)
    for name in ("h200", "gb10"):
        path = first_binary(bundle(name, scratch))
        with open(path, "rb") as file:
            contents = file.read()
        assert len(contents) < 1 << 20
        table = int.from_bytes(contents[40:48], "little")
        for i in range(300):
            begin, end = ((0, 64), (64, 0x1000), (table, len(contents)))[i % 3]
            with open(path, "wb") as file:
                file.write(damage(contents, values, begin, end))
            refuse(scratch, path, "': expected SHA-256 ", ", as the manifest says, but got ")
        for size in [0, 1, 63, 64, 65, table, table + 63, len(contents) - 64, len(contents) - 1]:
            with open(path, "wb") as file:
                file.write(contents[:size])
            refuse(scratch, path, f"expected {len(contents)} bytes, as the manifest says, but got {size}")
    assert log.calls() == []


main()
