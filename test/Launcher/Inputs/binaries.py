"""Code for NVIDIA GPUs that is damaged or does not fit its manifest: made up, so that each byte is known."""

import struct

import attn_mlir
from attn_mlir import BundleError
from support import BINARIES, arguments, cubin, cubin_of, expect, kernel_info, main, prefill, ptx, write_bundle

RIGHT = [128, 128, 8, 8, 8, 8, 4]


def refuse(scratch, parts, manifest=None, **files):
    binaries = {**BINARIES, **{"prefill.0.cubin" if name == "cubin" else "prefill.1.ptx": contents
                               for name, contents in files.items()}}
    expect(BundleError, parts, attn_mlir.load, write_bundle(scratch, manifest, binaries))


def test_number_and_sizes(scratch, log):
    """The manifest's number is what the driver would be given, the code's what it would read."""
    for sizes, said in (
        (RIGHT + [8], "the manifest has 7 parameters, the kernel has 8"),
        (RIGHT[:-1], "the manifest has 7 parameters, the kernel has 6"),
        ([], "the manifest has 7 parameters, the kernel has 0"),
        ([128, 128, 8, 8, 8, 8, 8], "parameter 6 has 4 bytes in the manifest, 8 in the kernel"),
        ([8] + RIGHT[1:], "parameter 0 has 128 bytes in the manifest, 8 in the kernel"),
    ):
        refuse(scratch, ["kernel 'prefill_tma': " + said], cubin=cubin(prefill_tma=sizes))
    for sizes, said in (([8, 4, 8], "the kernel has 3"), ([8], "the kernel has 1"), ([], "the kernel has 0"),
                        ([8, 8], "parameter 1 has 4 bytes in the manifest, 8 in the kernel")):
        refuse(scratch, ["kernel 'prefill_plain'", said], ptx=ptx("prefill_plain", sizes))
    for drop, said in ((0, "has 6 parameters"), (1, "has 1 parameters")):
        manifest = prefill()
        manifest["variants"][drop]["parameters"].pop()
        refuse(scratch, said, manifest)


def test_kernels_of_a_cubin(scratch, log):
    attn_mlir.load(write_bundle(scratch, binaries={**BINARIES, "prefill.0.cubin": cubin(other=[8], prefill_tma=RIGHT)}))
    refuse(scratch, "expected kernel 'prefill_tma', but got other, prefill", cubin=cubin(other=[8], prefill=RIGHT))
    refuse(scratch, "expected kernel 'prefill_tma', but got none", cubin=cubin_of({".text.prefill_tma": b""}))


def test_second_description(scratch, log):
    """Cubins from sm_100 on have two."""
    both = {".nv.info.prefill_tma": kernel_info(RIGHT), ".nv.merc.nv.info.prefill_tma": kernel_info(RIGHT)}
    attn_mlir.load(write_bundle(scratch, binaries={**BINARIES, "prefill.0.cubin": cubin_of(both)}))
    both[".nv.merc.nv.info.prefill_tma"] = kernel_info(RIGHT + [8])
    refuse(scratch, "the kernel has 8", cubin=cubin_of(both))


def test_headers_of_a_cubin(scratch, log):
    whole = cubin(prefill_tma=RIGHT)
    table = struct.unpack_from("<Q", whole, 40)[0]
    for offset, number, said in (
        (18, struct.pack("<H", 224), "is no cubin: expected ELF machine 190 (CUDA), but got 224"),
        (58, struct.pack("<H", 8), "is damaged: expected sections of 64 bytes, but got 8"),
        (62, struct.pack("<H", 9), "expected kernel 'prefill_tma', but got none"),
        (table + 2 * 64, struct.pack("<I", 1 << 30), "bytes more of the names of its sections, but got "),
        (table + 2 * 64 + 24, struct.pack("<Q", len(whole) + 1), "section 2 ends behind the file's "),
        (table + 2 * 64 + 32, struct.pack("<Q", 1 << 63), "section 2 ends behind the file's "),
        (table + 64 + 32, struct.pack("<Q", 10), "bytes more of the names of its sections, but got 0"),
    ):
        damaged = bytearray(whole)
        damaged[offset : offset + len(number)] = number
        refuse(scratch, ["prefill.0.cubin'", said], cubin=bytes(damaged))


def test_descriptions_that_contradict_themselves(scratch, log):
    def parameter(number, offset, size):
        return struct.pack("<BBHIHHI", 4, 0x17, 12, 0, number, offset, size << 18)

    for info, said in (
        (parameter(1, 0, 8), "parameter 0 of 2 is not described"),
        (parameter(0, 0, 8) * 2, "parameter 0 is described twice"),
        (parameter(0, 0, 8) + parameter(1, 4, 8), "parameter 1 overlaps the one before"),
        (parameter(256, 0, 8), "expected at most 256 parameters of a kernel, but got number 256"),
        (kernel_info(RIGHT) + struct.pack("<BBH", 3, 0x19, 300), "its parameters: expected 292 bytes in all, but got 300"),
        (kernel_info(RIGHT) + struct.pack("<BBHIHH", 4, 0x0A, 8, 3, 528, 8), "292 bytes in all, but got 8"),
        (b"\5\0\0\0", "an entry of unknown format 5"),
        (b"\4\x17\x0c\0" + bytes(11), "expected 12 bytes more of what describes a kernel, but got 11"),
        (b"\4\x17\4\0" + bytes(4), "expected 2 bytes more of what describes a kernel, but got 0"),
        (b"\4", "expected 1 bytes more of what describes a kernel, but got 0"),
    ):
        refuse(scratch, ["is damaged: ", said], cubin=cubin_of({".nv.info.prefill_tma": info}))


def test_ptx(scratch, log):
    for text in (
        ".visible .entry prefill_plain(.param .align 8 .b8 a[8],.param .f32 b)",
        ".entry prefill_plain ( .param .u64 .ptr .global .align 1 a ,\n// , .param .u8 c )\n .param .b32 b ) { }",
        "/* .entry prefill_plain() */ .file 1 \".entry prefill_plain(\" .entry prefill_plain(.param .b64 a, .param .b8 b[4])",
        ".entry other() { } .entry prefill_plain(.param .s64 a, .param .align 2 .b8 b[2][2])",
    ):
        attn_mlir.load(write_bundle(scratch, binaries={**BINARIES, "prefill.1.ptx": text.encode()}))
    for text, said in (
        ("", "is empty"),
        ("// .entry prefill_plain(.param .b64 a, .param .b32 b)", "expected kernel 'prefill_plain', but got none"),
        (".entry other()\0.entry prefill_plain(.param .b64 a, .param .b32 b)", "'prefill_plain', but got other"),
        (".entry prefill_plain", "the kernel has 0"),
        (".entry prefill_plain /*", "the kernel has 0"),
        (".entry prefill_plain(.param", "the kernel has 1"),
        (".entry prefill_plain(.param .b64 a, .param .b8 b[99999999999999999999])", "parameter 1 has 4 bytes"),
        (".entry prefill_plain(.param .b64 a, .param .texref b)", "parameter 1 has 4 bytes in the manifest, 0 in"),
        ("\"", "but got none"),
    ):
        refuse(scratch, said, ptx=text.encode())


def test_what_the_driver_reads(scratch, log):
    """As many parameters as the code has: the fake one reads them, too."""
    kernel = attn_mlir.load(write_bundle(scratch))
    q, k, o, lse = arguments()
    kernel(q, k, out=o, lse=lse, scalars=[1.0])
    assert log.lines()[-1].endswith(": map1 map2 0x2010000:8 0x3010000:8 0x12c:8 0x1000:8 0x3f800000:4")
    kernel.close()


main()
