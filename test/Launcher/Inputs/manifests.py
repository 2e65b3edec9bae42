"""Manifests that are not valid: a clear message each, and no crash."""

import json
import os
import random

import attn_mlir
from attn_mlir import BundleError, Error
from support import BINARIES, PROGRAM, VARIANTS, arguments, at, changed, expect, main, prefill, step, write_bundle


def refuse(scratch, parts, manifest=None, binaries=BINARIES, seal=True):
    expect(BundleError, parts, attn_mlir.load, write_bundle(scratch, manifest, binaries, seal))


def test_example_is_valid(scratch, log):
    kernel = attn_mlir.load(write_bundle(scratch))
    assert kernel.describe().splitlines() == [
        "prefill for h200 (sm_90a)",
        "  read q: bf16 [batch, 32, query, 128], dimensions [0, 2, 1, 3] of the array",
        "  read k: bf16 [batch, 8, key, 128], dimensions [0, 2, 1, 3] of the array",
        "  write o: bf16 [batch, 32, query, 128], dimensions [0, 2, 1, 3] of the array",
        "  write lse: f32 [batch, 32, query]",
        "  scalar softcap: f32",
        "  variant 0: prefill_tma of prefill.0.cubin, 128 threads, 98304 bytes of shared memory, "
        "if le(size(q, 2), 4096)",
        "  variant 1: prefill_plain of prefill.1.ptx, 256 threads, 0 bytes of shared memory, "
        "if lt(size(q, 2), 65536)",
    ]


# Path, value, what is said. A value of ... removes the entry.
WRONG = [
    (["format"], "tar", "format: expected \"attn-mlir-bundle\", but got \"tar\""),
    (["format"], ..., "expected 'format', which is missing"),
    (["version"], 1, "version: expected version 2, which this launcher reads (compile anew), but got 1"),
    (["version"], 3, "version: expected version 2, which this launcher reads (compile anew), but got 3"),
    (["version"], 1.0, "version: expected a whole number"),
    (["version"], ..., "expected 'version'"),
    ([*PROGRAM, "name"], "", "name: expected a text without zero bytes, but got \"\""),
    ([*PROGRAM, "name"], "a\0b", "name: expected a text without zero bytes"),
    ([*PROGRAM, "name"], 3, "name: expected a text"),
    (["target"], "h200", "target: expected an object, but got \"h200\""),
    (["target", "arch"], ..., "target: expected 'arch', which is missing"),
    ([*PROGRAM, "views"], [], "views: expected a list of 1 to 32, but got a list of 0"),
    ([*PROGRAM, "views"], {}, "views: expected a list of 1 to 32, but got an object"),
    ([*PROGRAM, "views", 0], 1, "views[0]: expected an object, but got 1"),
    ([*PROGRAM, "views", 1, "name"], "q", "views[1]: there are two views 'q'"),
    ([*PROGRAM, "views", 0, "access"], "write", "views[1]: expected the views that are read first, but got 'k' behind 'q'"),
    ([*PROGRAM, "views", 0, "access"], "both", "views[0].access: expected 'read' or 'write', but got \"both\""),
    ([*PROGRAM, "views", 0, "element"], "f64", "views[0].element: expected one of f16, bf16, f32, i32, i64, i8, f8E4M3FN, f8E5M2, f8E4M3FNUZ, but got \"f64\""),
    ([*PROGRAM, "views", 0, "element"], None, "views[0].element: expected one of f16, bf16, f32, i32, i64, i8, f8E4M3FN, f8E5M2, f8E4M3FNUZ, but got null"),
    ([*PROGRAM, "views", 0, "element"], "i64", "expected a view of f16, bf16 or f32 for a tensor map, but got 'q' of i64"),
    ([*PROGRAM, "views", 0, "shape"], [], "views[0].shape: expected a list of 1 to 8"),
    ([*PROGRAM, "views", 0, "shape"], [1] * 9, "views[0].shape: expected a list of 1 to 8, but got a list of 9"),
    ([*PROGRAM, "views", 0, "shape", 1], -1, "views[0].shape[1]: expected a whole number from 0"),
    ([*PROGRAM, "views", 0, "shape", 1], 1.5, "views[0].shape[1]: expected a size or the name of an axis, but got 1.5"),
    ([*PROGRAM, "views", 0, "shape", 1], 1 << 63, "views[0].shape[1]: expected a whole number from 0"),
    ([*PROGRAM, "views", 0, "shape", 1], "", "views[0].shape[1]: expected a text"),
    ([*PROGRAM, "views", 0, "permutation"], [0, 1, 2], "views[0].permutation: expected a list of 4, but got a list of 3"),
    ([*PROGRAM, "views", 0, "permutation"], [0, 1, 2, 4], "views[0].permutation[3]: expected a whole number from 0 to 3, but got 4"),
    ([*PROGRAM, "views", 0, "permutation"], [0, 1, 2, 2], "views[0].permutation: expected a permutation, but got dimension 2 twice"),
    ([*PROGRAM, "views", 0, "permutation"], ..., "views[0]: expected 'permutation', which is missing"),
    ([*PROGRAM, "scalars"], ..., "expected 'scalars', which is missing"),
    ([*PROGRAM, "scalars", 0, "type"], "f8", "scalars[0].type: expected one of f16, bf16, f32, i32, i64, i8, f8E4M3FN, f8E5M2, f8E4M3FNUZ, f64, i1"),
    ([*PROGRAM, "scalars", 0, "name"], ..., "scalars[0]: expected 'name'"),
    ([*PROGRAM, "scalars"], [], "a parameter is a scalar, but there are no scalars"),
    (["binaries"], ..., "expected 'binaries', which is missing"),
    (["binaries"], [], "binaries: expected a list of 1 to 256, but got a list of 0"),
    (["binaries", 0], "prefill.0.cubin", "binaries[0]: expected an object, but got \"prefill.0.cubin\""),
    (["binaries", 0, "file"], "../x.cubin", "binaries[0].file: expected the name of a file in the bundle"),
    (["binaries", 0, "file"], "/etc/passwd", "expected the name of a file in the bundle, but got \"/etc/passwd\""),
    (["binaries", 0, "file"], "a/b", "expected the name of a file in the bundle"),
    (["binaries", 0, "file"], "a\\b", "expected the name of a file in the bundle"),
    (["binaries", 0, "file"], "..", "expected the name of a file in the bundle"),
    (["binaries", 0, "file"], ".", "expected the name of a file in the bundle"),
    (["binaries", 0, "file"], "prefill.1.ptx", "binaries[1]: there are two binaries 'prefill.1.ptx'"),
    (["binaries", 0, "file"], "other", "variants[0].steps[0].binary: expected the file of one of 'binaries', but got \"prefill"),
    (["binaries", 0, "format"], "fatbin", "binaries[0].format: expected 'cubin' or 'ptx', for sm_90a, but got \"fatbin\""),
    (["binaries", 0, "bytes"], 0, "binaries[0].bytes: expected a whole number from 1 to 1073741824, but got 0"),
    (["binaries", 0, "bytes"], (1 << 30) + 1, "binaries[0].bytes: expected a whole number from 1 to 1073741824"),
    (["binaries", 0, "bytes"], ..., "binaries[0]: expected 'bytes', which is missing"),
    (["binaries", 0, "sha256"], ..., "binaries[0]: expected 'sha256', which is missing"),
    (["binaries", 0, "sha256"], "0" * 63, "binaries[0].sha256: expected a SHA-256 of 64 digits (0 to 9, a to f)"),
    (["binaries", 0, "sha256"], "0" * 65, "binaries[0].sha256: expected a SHA-256 of 64 digits"),
    (["binaries", 0, "sha256"], "0" * 63 + "A", "binaries[0].sha256: expected a SHA-256 of 64 digits"),
    (["binaries", 0, "sha512"], "0" * 128, "binaries[0]: unknown key 'sha512'"),
    ([*VARIANTS], [], "variants: expected a list of 1 to 64"),
    ([*step(0), "clusters"], 2, "variants[0].steps[0]: unknown key 'clusters'"),
    ([*VARIANTS, 0, "guard"], None, "variants[0].guard: expected a whole number or a list"),
    ([*VARIANTS, 0, "guard"], [], "variants[0].guard: expected a list of 1 to 4, but got a list of 0"),
    ([*VARIANTS, 0, "guard"], [1], "variants[0].guard[0]: expected a text"),
    ([*VARIANTS, 0, "guard"], ["pow", 1, 2], "variants[0].guard[0]: expected an operator, but got \"pow\""),
    ([*VARIANTS, 0, "guard"], ["add", 1], "variants[0].guard: expected a list of 3, but got a list of 2"),
    ([*VARIANTS, 0, "guard"], ["select", 1, 2], "variants[0].guard: expected a list of 4, but got a list of 3"),
    ([*VARIANTS, 0, "guard"], ["size", 0], "variants[0].guard: expected a list of 3"),
    ([*VARIANTS, 0, "guard"], ["size", 4, 0], "variants[0].guard[1]: expected a whole number from 0 to 3, but got 4"),
    ([*VARIANTS, 0, "guard"], ["stride", 3, 3], "variants[0].guard[2]: expected a whole number from 0 to 2, but got 3"),
    ([*VARIANTS, 0, "guard"], ["size", "q", 0], "variants[0].guard[1]: expected a whole number from 0 to 3"),
    ([*VARIANTS, 0, "guard"], ["add", 1, 1 << 63], "variants[0].guard[2]: expected a whole number from"),
    ([*VARIANTS, 0, "guard"], ["add", 1, 1e300], "variants[0].guard[2]: expected a whole number or a list"),
    ([*step(0), "binary"], "absent", "variants[0].steps[0].binary: expected the file of one of 'binaries', but got \"absent\""),
    ([*step(0), "binary"], 0, "variants[0].steps[0].binary: expected the file of one of 'binaries', but got 0"),
    ([*step(0), "binary_format"], "cubin", "variants[0].steps[0]: unknown key 'binary_format'"),
    ([*step(0), "interface_sha256"], ..., "variants[0].steps[0]: expected 'interface_sha256', which is missing"),
    ([*step(0), "interface_sha256"], "0", "variants[0].steps[0].interface_sha256: expected a SHA-256 of 64 digits"),
    ([*step(0), "interface_sha256"], "0" * 64, "variants[0].steps[0].interface_sha256: expected " + "0" * 64 + ", but got "),
    ([*step(0), "kernel"], ..., "variants[0].steps[0]: expected 'kernel', which is missing"),
    ([*step(0), "grid"], ..., "variants[0].steps[0]: expected 'grid', which is missing"),
    ([*step(0), "block"], 0, "variants[0].steps[0].block: expected a whole number from 1 to 1024, but got 0"),
    ([*step(0), "block"], 1025, "variants[0].steps[0].block: expected a whole number from 1 to 1024, but got 1025"),
    ([*step(0), "block"], [128], "variants[0].steps[0].block: expected a whole number from 1 to 1024, but got a list of 1"),
    ([*step(0), "shared_bytes"], -1, "variants[0].steps[0].shared_bytes: expected a whole number from 0"),
    ([*step(0), "align", 0, "view"], 9, "variants[0].steps[0].align[0].view: expected a whole number from 0 to 3, but got 9"),
    ([*step(0), "align", 0, "bytes"], 0, "variants[0].steps[0].align[0].bytes: expected a whole number from 1 to 4096"),
    ([*step(0), "align", 0, "bytes"], 12, "variants[0].steps[0].align[0].bytes: expected a power of two, but got 12"),
    ([*step(0), "align", 0, "bits"], 1, "variants[0].steps[0].align[0]: unknown key 'bits'"),
    ([*step(0), "parameters"], ..., "variants[0].steps[0]: expected 'parameters', which is missing"),
    ([*step(0), "parameters", 0, "kind"], "x", "parameters[0].kind: expected tensor_map, pointer, size, stride or"),
    ([*step(0), "parameters", 0, "view"], -1, "parameters[0].view: expected a whole number from 0 to 3, but got -1"),
    ([*step(0), "parameters", 0, "box"], [1, 1, 1], "parameters[0].box: expected a list of 4, but got a list of 3"),
    ([*step(0), "parameters", 0, "box", 2], 257, "box[2]: expected a whole number from 1 to 256, but got 257"),
    ([*step(0), "parameters", 0, "box", 2], 0, "box[2]: expected a whole number from 1 to 256, but got 0"),
    ([*step(0), "parameters", 0, "box", 3], 4, "expected an innermost extent of a multiple of 16 bytes, but got 8"),
    ([*step(0), "parameters", 0, "box", 3], 128, "of at most the swizzle's 128 bytes, but got 256"),
    ([*step(0), "parameters", 0, "swizzle"], 16, "swizzle: expected 0, 32, 64 or 128, but got 16"),
    ([*step(0), "parameters", 0, "swizzle"], 256, "swizzle: expected a whole number from 0 to 128, but got 256"),
    ([*step(0), "parameters", 0, "fill"], 1, "parameters[0]: unknown key 'fill'"),
    ([*step(0), "parameters", 2, "dim"], 1, "parameters[2]: unknown key 'dim'"),
    ([*step(0), "parameters", 4, "dim"], 4, "parameters[4].dim: expected a whole number from 0 to 3, but got 4"),
    ([*step(0), "parameters", 5, "dim"], ..., "parameters[5]: expected 'dim', which is missing"),
    ([*step(0), "parameters", 6, "index"], 1, "parameters[6].index: expected a whole number from 0 to 0, but got 1"),
    ([*step(0), "parameters", 6, "view"], 1, "parameters[6]: unknown key 'view'"),
]


def test_wrong_entries(scratch, log):
    for path, value, said in WRONG:
        # What the helper would put right again is left as it is.
        seal = path[0] != "binaries" and path[-1] != "interface_sha256"
        refuse(scratch, said, changed(path, value), seal=seal)


def test_bounds(scratch, log):
    manifest = prefill()
    variant = at(manifest, PROGRAM)["variants"][0]
    refuse(scratch, "expected at most 16 tensor maps, but got 17",
           changed([*step(0), "parameters"], [variant["steps"][0]["parameters"][0]] * 17))
    refuse(scratch, "expected a list of 0 to 256, but got a list of 257",
           changed([*step(0), "parameters"], [{"kind": "pointer", "view": 0}] * 257))
    refuse(scratch, "expected a list of 1 to 64, but got a list of 65", changed([*VARIANTS], [variant] * 65))
    refuse(scratch, "expected a list of 0 to 32", changed([*PROGRAM, "scalars"], [at(manifest, PROGRAM)["scalars"][0]] * 33))
    deep = 1
    for _ in range(64):
        deep = ["add", 1, deep]
    refuse(scratch, "expected at most 64 levels of an expression", changed([*VARIANTS, 0, "guard"], deep))
    attn_mlir.load(write_bundle(scratch, changed([*VARIANTS, 0, "guard"], deep[2])))
    wide = 1
    for _ in range(10):
        wide = ["add", wide, wide]
    refuse(scratch, "expected at most 1024 nodes of an expression", changed([*VARIANTS, 0, "guard"], wide))
    rank6 = prefill()
    at(rank6, PROGRAM)["views"][0].update(shape=[1, 1, 1, 1, 1, 128], permutation=[0, 1, 2, 3, 4, 5])
    refuse(scratch, "expected a view of rank 1 to 5 for a tensor map, but got 'q' of rank 6", rank6)


def test_texts_that_are_no_manifest(scratch, log):
    for text in (b"", b"{", b"nonsense", b"\xff\xfe", b"[" * 200000, b"{\"a\":" * 100000, b"\"" + b"x" * 100000,
                 b"\x00", b"{\"format\": \"\xff\"}"):
        refuse(scratch, "manifest.json: is not JSON", text)
    for text in ("null", "[]", "1", "\"x\"", "[" * 100000 + "]" * 100000, "1e400"):
        expect(BundleError, "manifest.json", attn_mlir.load, write_bundle(scratch, text))
    refuse(scratch, "guard[1]: expected", changed([*VARIANTS, 0, "guard"], ["size", [[[1]]], 0]))
    refuse(scratch, "expected at most 16777216 bytes, but got more", " " * (16 << 20) + "{}")


def test_files(scratch, log):
    expect(BundleError, ["cannot open '", "test_files.none': No such file"], attn_mlir.load, scratch + ".none")
    os.makedirs(scratch + ".directory/manifest.json", exist_ok=True)
    expect(BundleError, ["cannot read '", "Is a directory"], attn_mlir.load, scratch + ".directory")
    refuse(scratch, ["cannot open '", "/absent': No such file"],
           changed(["binaries"], prefill()["binaries"] + [dict(prefill()["binaries"][0], file="absent")]), seal=False)


def survive(scratch, manifest):
    """Opens or refuses, and what opens can be called; nothing else."""
    try:
        kernel = attn_mlir.load(write_bundle(scratch, manifest))
    except Error:
        return 0
    q, k, o, lse = arguments()
    try:
        kernel(q, k, out=o, lse=lse, scalars=[1.0])
    except Error:
        pass
    kernel.close()
    return 1


def test_truncated_and_mutated(scratch, log):
    os.environ.pop("ATTN_FAKE_LOG")
    # The manifest on one line, and tables of numbers only, mutate best.
    text = json.dumps(prefill()).encode()
    for end in range(0, len(text), 3):
        assert survive(scratch, text[:end]) == 0, end
    values = random.Random(1)
    opened = 0
    for _ in range(1500):
        mutant = bytearray(text)
        for _ in range(values.randint(1, 3)):
            at = values.randrange(len(mutant))
            choice = values.randrange(3)
            if choice == 0:
                mutant[at] = values.choice(b"0123456789-[]{},\":aefl\x00\xff")
            elif choice == 1:
                del mutant[at]
            else:
                mutant.insert(at, values.choice(b"0123456789-[]{},\""))
        opened += survive(scratch, bytes(mutant))
    assert opened > 50, opened
    os.environ["ATTN_FAKE_LOG"] = log.path


def paths(value, path=()):
    yield list(path)
    if isinstance(value, dict):
        for key in value:
            yield from paths(value[key], path + (key,))
    elif isinstance(value, list):
        for index in range(len(value)):
            yield from paths(value[index], path + (index,))


def test_every_entry_replaced(scratch, log):
    os.environ.pop("ATTN_FAKE_LOG")
    for path in paths(prefill()):
        for value in (None, 0, -1, 1 << 62, 3.5, "x", [], {}, ["mul", 1 << 62, 4], True, ...):
            if not path:
                continue
            survive(scratch, json.dumps(changed(path, value)))
            # With digests that were made to fit, too: the stand-in reads what the code has.
            survive(scratch, changed(path, value))
    os.environ["ATTN_FAKE_LOG"] = log.path


main()
