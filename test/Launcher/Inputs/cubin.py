"""Bundles for NVIDIA GPUs as attn-compile makes them: they fit, and damage never crashes the launcher."""

import glob
import json
import os
import random
import shutil
import sys

import attn_mlir
from attn_mlir import BundleError, Error
from support import BF16, DLArray, expect, main

MADE = sys.argv[1]


def bundle(name, scratch):
    shutil.rmtree(scratch, ignore_errors=True)
    return shutil.copytree(os.path.join(MADE, name), scratch)


def change(directory, function):
    path = os.path.join(directory, "manifest.json")
    with open(path) as file:
        manifest = json.load(file)
    function(manifest)
    with open(path, "w") as file:
        json.dump(manifest, file)
    return directory


def as_written_without_ptxas(manifest):
    (variant,) = manifest["variants"]
    variant.update(binary="code.ptx", binary_format="ptx")


change(os.path.join(MADE, "ptx"), as_written_without_ptxas)


def refuse(directory, *parts):
    expect(BundleError, parts, attn_mlir.load, directory)


def test_bundles_fit(scratch, log):
    for name, ending in (("h200", "cubin"), ("gb10", "cubin"), ("ptx", "ptx")):
        assert glob.glob(os.path.join(MADE, name, "*." + ending)), name
        attn_mlir.load(os.path.join(MADE, name)).close()


def launch(directory):
    """Launches the example on the stand-in, which reads as many parameters as the code says; what it read."""
    kernel = attn_mlir.load(directory)
    q, o = (DLArray((1, 32, 200, 128), BF16, data=base) for base in (0x1000000, 0x4000000))
    k, v = (DLArray((1, 8, 300, 128), BF16, data=base) for base in (0x2000000, 0x3000000))
    kernel(q, k, v, out=o)
    kernel.close()


def test_launch_reads_what_the_code_has(scratch, log):
    launch(os.path.join(MADE, "h200"))
    (line,) = [line for line in log.lines() if line.startswith("cuLaunchKernelEx")]
    with open(os.path.join(MADE, "h200", "manifest.json")) as file:
        kinds = [[p["kind"] for p in variant["parameters"]] for variant in json.load(file)["variants"]]
    read = ["tensor_map" if word.startswith("map") else "word" for word in line.split(": ")[1].split()]
    assert read in [["tensor_map" if kind == "tensor_map" else "word" for kind in each] for each in kinds], line


def test_manifests_that_do_not_fit(scratch, log):
    for name in ("h200", "gb10", "ptx"):
        def last(manifest):
            return manifest["variants"][-1]["parameters"]

        def swap(manifest):
            """A tensor map where the kernel has a number, or the other way round."""
            at = next(i for i in range(len(last(manifest)) - 1)
                      if (last(manifest)[i]["kind"] == "tensor_map") != (last(manifest)[i + 1]["kind"] == "tensor_map"))
            last(manifest)[at], last(manifest)[at + 1] = last(manifest)[at + 1], last(manifest)[at]

        for function, said in (
            (lambda manifest: last(manifest).pop(), "parameters, the kernel has "),
            (lambda manifest: last(manifest).append({"kind": "pointer", "view": 0}), "parameters, the kernel has "),
            (lambda manifest: last(manifest).clear(), "the manifest has 0 parameters, the kernel has "),
            (swap, " bytes in the manifest, "),
            (lambda manifest: manifest["variants"][-1].update(kernel="nobody"), "expected kernel 'nobody', but got "),
        ):
            refuse(change(bundle(name, scratch), function), said)


def first_binary(directory):
    return sorted(glob.glob(os.path.join(directory, "*.cubin")) or glob.glob(os.path.join(directory, "*.ptx")))[0]


def damage(contents, values, begin, end):
    mutant = bytearray(contents)
    for _ in range(values.randint(1, 3)):
        mutant[values.randrange(begin, end)] = values.choice((0, 1, 4, 0x17, 0x7F, 0x80, 0xFF, values.randrange(256)))
    return mutant


def test_damage_anywhere(scratch, log):
    """Opens or refuses, and does not crash: headers, descriptions of kernels and the tables at the end."""
    os.environ.pop("ATTN_FAKE_LOG")
    values = random.Random(1)
    for name in ("h200", "gb10"):
        path = first_binary(bundle(name, scratch))
        with open(path, "rb") as file:
            contents = file.read()
        assert len(contents) < 1 << 20
        table = int.from_bytes(contents[40:48], "little")
        refused = 0
        for i in range(300):
            begin, end = ((0, 64), (64, 0x1000), (table, len(contents)))[i % 3]
            with open(path, "wb") as file:
                file.write(damage(contents, values, begin, end))
            try:
                attn_mlir.load(scratch).close()
            except BundleError:
                refused += 1
        assert 50 < refused < 300, (name, refused)
        for size in [0, 1, 63, 64, 65, table, table + 63, len(contents) - 64, len(contents) - 1]:
            with open(path, "wb") as file:
                file.write(contents[:size])
            refuse(scratch, path)
    os.environ["ATTN_FAKE_LOG"] = log.path


def test_damaged_descriptions_that_open_launch(scratch, log):
    """What opens has the manifest's parameters, whatever is damaged: the stand-in may read them all."""
    os.environ.pop("ATTN_FAKE_LOG")
    values = random.Random(2)
    directory = bundle("h200", scratch)
    paths = glob.glob(os.path.join(directory, "*.cubin"))
    launched = 0
    for _ in range(60):
        for path in paths:
            with open(os.path.join(MADE, "h200", os.path.basename(path)), "rb") as file:
                contents = file.read()
            begin = contents.index(b"\x04\x17\x0c\x00")
            end = contents.index(b"\x03\x19") + 16
            with open(path, "wb") as file:
                file.write(damage(contents, values, begin, end))
        try:
            launch(directory)
            launched += 1
        except Error:
            pass
    assert launched > 0
    os.environ["ATTN_FAKE_LOG"] = log.path


main()
