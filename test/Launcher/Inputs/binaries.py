"""Code that is not what its manifest says, and a manifest that is not what was compiled: both are refused."""

import hashlib
import random

import attn_mlir
from attn_mlir import BundleError
from support import (
    BINARIES, PROGRAM, VARIANTS, arguments, at, changed, cubin, cubin_of, expect, kernel_info, main, prefill, ptx, step, write_bundle,
)

RIGHT = [128, 128, 8, 8, 8, 8, 4]


def with_ptx(contents):
    return {**BINARIES, "prefill.1.ptx": contents}


def test_sha256(scratch, log):
    """Examples of FIPS 180-4 (NIST, "Examples with Intermediate Values"): the launcher computes the same digest."""
    for message, digest in (
        (b"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"),
        (b"abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrst"
         b"nopqrstu", "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"),
        (b"a" * 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"),
    ):
        manifest = prefill()
        manifest["binaries"][1].update(bytes=len(message), sha256=digest)
        directory = write_bundle(scratch, manifest, with_ptx(message), seal=False)
        # The code fits; the interface was sealed with other code.
        expect(BundleError, "variants[1].steps[0].interface_sha256: expected ", attn_mlir.load, directory)
        at(manifest, PROGRAM)["variants"].pop()
        attn_mlir.load(write_bundle(scratch, manifest, with_ptx(message), seal=False))


def test_digests_of_all_lengths(scratch, log):
    """Around the ends of blocks of 64 bytes and of the parts that a file is read in, as Python computes them."""
    values = random.Random(1)
    for length in [*range(1, 260), (1 << 16) - 1, 1 << 16, (1 << 16) + 1, 200003]:
        attn_mlir.load(write_bundle(scratch, binaries=with_ptx(values.randbytes(length))))


def refuse_file(scratch, parts, **files):
    """The bundle as it was compiled, and files that changed since."""
    binaries = {**BINARIES, **{"prefill.0.cubin" if name == "cubin" else "prefill.1.ptx": contents
                               for name, contents in files.items()}}
    expect(BundleError, parts, attn_mlir.load, write_bundle(scratch, prefill(), binaries, seal=False))


def test_files_of_another_size(scratch, log):
    whole = BINARIES["prefill.0.cubin"]
    for contents, got in ((whole[:-1], len(whole) - 1), (whole[:64], 64), (b"", 0)):
        refuse_file(scratch, f"prefill.0.cubin': expected {len(whole)} bytes, as the manifest says, but got {got}",
                    cubin=contents)
    for more in (1, 1 << 20):
        refuse_file(scratch, f"prefill.0.cubin': expected at most {len(whole)} bytes, but got more",
                    cubin=whole + bytes(more))
    text = BINARIES["prefill.1.ptx"]
    refuse_file(scratch, f"prefill.1.ptx': expected {len(text)} bytes, as the manifest says, but got 0", ptx=b"")


def test_every_bit(scratch, log):
    """No bit of a file may be another."""
    for name in BINARIES:
        whole = BINARIES[name]
        for at in range(len(whole)):
            damaged = bytearray(whole)
            damaged[at] ^= 1 << at % 8
            said = (f"{name}': expected SHA-256 {hashlib.sha256(whole).hexdigest()}, as the manifest says, but got "
                    + hashlib.sha256(damaged).hexdigest())
            expect(BundleError, said, attn_mlir.load,
                   write_bundle(scratch, prefill(), {**BINARIES, name: bytes(damaged)}, seal=False))


def test_swapped_files(scratch, log):
    refuse_file(scratch, "prefill.0.cubin': expected ", cubin=BINARIES["prefill.1.ptx"])
    # Of the same size: only the digest tells.
    refuse_file(scratch, "prefill.0.cubin': expected SHA-256 ", cubin=cubin(prefill_tma=RIGHT[1:2] + RIGHT[:1] + RIGHT[3:] + [8]))
    # The manifest is changed with the file: the interface belongs to the other code.
    manifest = changed([*step(1), "binary"], "prefill.0.cubin")
    expect(BundleError, "variants[1].steps[0].interface_sha256: expected ", attn_mlir.load,
           write_bundle(scratch, manifest, seal=False))
    swapped = prefill()
    one, other = swapped["binaries"]
    one["file"], other["file"] = other["file"], one["file"]
    expect(BundleError, "variants[0].steps[0].interface_sha256: expected ", attn_mlir.load,
           write_bundle(scratch, swapped, seal=False))


# Edits of what is handed over with the code.
INTERFACE = [
    (["target", "arch"], "sm_100a"),
    ([*PROGRAM, "scalars", 0, "type"], "f64"),
    ([*PROGRAM, "scalars", 0, "type"], "i32"),
    ([*step(0), "binary"], "prefill.1.ptx"),
    ([*step(0), "kernel"], "prefill_plain"),
    ([*step(0), "block"], 127),
    ([*step(0), "block"], 1024),
    ([*step(0), "shared_bytes"], 0),
    ([*step(0), "shared_bytes"], 98305),
    ([*step(0), "parameters"], []),
    ([*step(0), "parameters"], at(prefill(), step(0))["parameters"][:-1]),
    ([*step(0), "parameters"], at(prefill(), step(0))["parameters"] + [{"kind": "pointer", "view": 0}]),
    ([*step(0), "parameters"], at(prefill(), step(0))["parameters"][::-1]),
    ([*step(0), "parameters", 0], {"kind": "pointer", "view": 0}),
    ([*step(0), "parameters", 0, "view"], 1),
    ([*step(0), "parameters", 0, "box", 2], 64),
    ([*step(0), "parameters", 0, "swizzle"], 0),
    ([*step(0), "parameters", 2, "view"], 3),
    ([*step(0), "parameters", 4, "kind"], "stride"),
    ([*step(0), "parameters", 4, "dim"], 1),
    ([*step(0), "parameters", 6], {"kind": "pointer", "view": 0}),
]

# Choices of whoever compiled, and what a launcher does not hand over.
FREE = [
    ([*PROGRAM, "name"], "other"),
    (["target", "name"], "other"),
    ([*PROGRAM, "views", 0, "name"], "other"),
    ([*PROGRAM, "scalars", 0, "name"], "other"),
    ([*VARIANTS, 0, "guard"], ...),
    ([*VARIANTS, 0, "guard"], ["lt", ["size", 0, 2], 7]),
    ([*step(0), "limits"], [["lt", ["size", 0, 2], 1 << 20]]),
    ([*step(0), "grid"], 1),
    ([*step(0), "align"], []),
    ([*step(0), "resources"], ...),
    ([*VARIANTS, 1], ...),
]


def test_edited_interface(scratch, log):
    for path, value in INTERFACE:
        error = expect(BundleError, "interface_sha256: expected ", attn_mlir.load,
                       write_bundle(scratch, changed(path, value), seal=False))
        assert "'parameters', 'shared_bytes' or the types of 'scalars' are not those of the kernel" in str(error), error
    for path, value in FREE:
        attn_mlir.load(write_bundle(scratch, changed(path, value), seal=False)).close()
    assert log.calls() == []  # No driver was asked.


def launch(scratch, manifest=None, binaries=BINARIES):
    kernel = attn_mlir.load(write_bundle(scratch, manifest, binaries))
    q, k, o, lse = arguments()
    try:
        kernel(q, k, out=o, lse=lse, scalars=[1.0])
    finally:
        kernel.close()


def test_what_the_driver_says(scratch, log):
    """Digests that were made to fit a wrong manifest: since CUDA 12.4 the driver says what its code has."""
    for sizes, said in (
        (RIGHT[:-1], "the manifest has 7 parameters, the kernel has 6"),
        ([], "the manifest has 7 parameters, the kernel has 0"),
        ([128, 128, 8, 8, 8, 8, 8], "parameter 6 has 4 bytes in the manifest, 8 in the kernel"),
        ([8] + RIGHT[1:], "parameter 0 has 128 bytes in the manifest, 8 in the kernel"),
    ):
        binaries = {**BINARIES, "prefill.0.cubin": cubin(prefill_tma=sizes)}
        expect(BundleError, "kernel 'prefill_tma': " + said, launch, scratch, None, binaries)
    plain = prefill()
    at(plain, PROGRAM)["variants"] = at(plain, PROGRAM)["variants"][1:]
    for sizes, said in (([8], "the kernel has 1"), ([], "the kernel has 0"),
                        ([8, 8], "parameter 1 has 4 bytes in the manifest, 8 in the kernel")):
        expect(BundleError, ["kernel 'prefill_plain'", said], launch, scratch, plain, with_ptx(ptx("prefill_plain", sizes)))


def test_kernel_with_more_parameters(scratch, log):
    """That is what the driver does not say: the kernel reads zeros behind the manifest's, not the process's memory."""
    binaries = {**BINARIES, "prefill.0.cubin": cubin(prefill_tma=RIGHT + [8, 128, 4])}
    launch(scratch, None, binaries)
    (line,) = [line for line in log.lines() if line.startswith("cuLaunchKernelEx")]
    assert line.endswith(" 0x3f800000:4 0x0:8 map0 0x0:4"), line
    few = prefill()
    at(few, step(0))["parameters"] = []
    launch(scratch, few, {**BINARIES, "prefill.0.cubin": cubin(prefill_tma=[8] * 256)})


def test_what_the_driver_reads(scratch, log):
    """As many parameters as the code has: the fake one reads them, too."""
    both = {".nv.info.prefill_tma": kernel_info(RIGHT), ".nv.merc.nv.info.prefill_tma": kernel_info(RIGHT)}
    for code in (cubin(prefill_tma=RIGHT), cubin(other=[8], prefill_tma=RIGHT), cubin_of(both)):
        launch(scratch, None, {**BINARIES, "prefill.0.cubin": code})
        (line,) = [line for line in log.lines() if line.startswith("cuLaunchKernelEx")]
        assert line.endswith("0x2010000:8 0x3010000:8 0x12c:8 0x1000:8 0x3f800000:4"), line
        log.clear()


main()
