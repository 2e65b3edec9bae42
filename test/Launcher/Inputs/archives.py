"""Bundles of one file: what a POSIX ustar archive may be, and how others are refused."""

import ctypes
import io
import os
import random
import tarfile

import attn_mlir
from attn_mlir import ArgumentError, BundleError, Error
from attn_mlir import _library
from support import arguments, expect, main, prefill, write_bundle

BLOCK = 512


def files_of(directory):
    """Contents by name, the manifest first."""
    names = sorted(os.listdir(directory), key=lambda name: (name != "manifest.json", name))
    files = {}
    for name in names:
        with open(os.path.join(directory, name), "rb") as file:
            files[name] = file.read()
    return files


def pack(entries, format=tarfile.USTAR_FORMAT):
    """An archive of pairs of name (or TarInfo) and contents."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w", format=format) as archive:
        for name, contents in entries:
            info = name if isinstance(name, tarfile.TarInfo) else tarfile.TarInfo(name)
            info.size = len(contents)
            archive.addfile(info, io.BytesIO(contents))
    return stream.getvalue()


def entries_of(scratch):
    return list(files_of(write_bundle(scratch)).items())


def write(scratch, contents):
    path = scratch + ".attn"
    with open(path, "wb") as file:
        file.write(contents)
    return path


def refuse(scratch, contents, *parts):
    """In memory and as a file, with the same words."""
    path = write(scratch, contents)
    expect(BundleError, ["the archive: ", *parts], attn_mlir.load, contents)
    expect(BundleError, [f"'{path}': ", *parts], attn_mlir.load, path)


def resum(header):
    """The header with the checksum that it should have."""
    header = bytearray(header)
    header[148:156] = b" " * 8
    header[148:156] = b"%06o\0 " % sum(header)
    return bytes(header)


def patched(archive, offset, field, entry=0):
    """With a field of the header at ``entry`` replaced, whose checksum is right."""
    header = bytearray(archive[entry : entry + BLOCK])
    header[offset : offset + len(field)] = field
    return archive[:entry] + resum(header) + archive[entry + BLOCK :]


def test_same_as_directory(scratch, log):
    directory = write_bundle(scratch)
    contents = pack(entries_of(scratch))
    path = write(scratch, contents)
    wanted = attn_mlir.load(directory)
    calls = []
    for bundle in (directory, path, contents, bytearray(contents), memoryview(contents)):
        kernel = attn_mlir.load(bundle)
        assert kernel.describe() == wanted.describe()
        q, k, out, lse = arguments()
        log.clear()
        kernel(q, k, out=out, lse=lse, scalars=(30.0,))
        calls.append([line for line in log.lines() if "cuLaunchKernelEx" in line or "cuModuleLoad" in line])
        kernel.close()
    assert len(calls[0]) == 2, calls[0]
    # Of the image of a module the address is in the log.
    assert all([line.split()[0] for line in each] == [line.split()[0] for line in calls[0]] for each in calls)


def test_contents_are_copied(scratch, log):
    """What is loaded at the launch is not the caller's memory."""
    contents = pack(entries_of(scratch))
    memory = ctypes.create_string_buffer(contents, len(contents))
    bundle = ctypes.c_void_p()
    open_memory = attn_mlir._library.library().attnBundleOpenMemory
    assert open_memory(memory, len(contents), None, ctypes.byref(bundle)) == 0
    ctypes.memset(memory, 0xFF, len(contents))
    kernel = attn_mlir.load(contents)
    kernel.close()
    kernel._bundle = bundle
    q, k, out, lse = arguments()
    kernel(q, k, out=out, lse=lse, scalars=(30.0,))
    kernel.close()


def test_arguments(scratch, log):
    open_memory, bundle = _library.library().attnBundleOpenMemory, ctypes.c_void_p(7)
    expect(ArgumentError, "data: expected a pointer, but got null", _library.check,
           open_memory(None, 0, None, ctypes.byref(bundle)))
    assert bundle.value is None
    expect(ArgumentError, "bundle: expected a pointer, but got null", _library.check, open_memory(b"", 0, None, None))


def test_programs(scratch, log):
    manifest = prefill()
    second = dict(manifest["programs"][0], name="second")
    manifest["programs"].append(second)
    contents = pack(files_of(write_bundle(scratch, manifest)).items())
    path = write(scratch, contents)
    for bundle in (contents, path):
        assert attn_mlir.load(bundle, "second").name == "second"
        assert attn_mlir.load(bundle, program="prefill").name == "prefill"
        expect(BundleError, "the name of one of the programs 'prefill', 'second', but got none", attn_mlir.load, bundle)
        expect(BundleError, "one of the programs 'prefill', 'second', but got 'third'", attn_mlir.load, bundle, "third")


def test_what_is_allowed(scratch, log):
    """Any order of files, more files, an end of one block, and of many."""
    entries = entries_of(scratch)
    for contents in (
        pack(entries[::-1]),
        pack(entries + [("README", b"read me"), ("empty", b"")]),
        pack(entries).rstrip(b"\0") + bytes(-len(pack(entries).rstrip(b"\0")) % BLOCK + BLOCK),
        pack(entries) + bytes(100 * BLOCK + 7),
    ):
        attn_mlir.load(contents).close()


def test_cut_off(scratch, log):
    contents = pack(entries_of(scratch))
    whole = len(contents.rstrip(b"\0"))
    refuse(scratch, b"", "expected a POSIX ustar archive that ends with zeros, but its 0 bytes end in a header")
    refuse(scratch, contents[:511], "but its 511 bytes end in a header")
    refuse(scratch, contents[:512], "the entry at byte 0: expected ", " bytes of contents, but the archive ends")
    refuse(scratch, contents[:whole - 1])
    for length in range(0, len(contents) - BLOCK, 64):
        if length < whole + BLOCK:
            refuse(scratch, contents[:length])


def test_empty(scratch, log):
    refuse(scratch, bytes(1024), "expected a file 'manifest.json', which is missing")


def test_files_that_are_missing(scratch, log):
    entries = entries_of(scratch)
    refuse(scratch, pack(entries[1:]), "expected a file 'manifest.json', which is missing")
    refuse(scratch, pack(entries[:-1]), f"expected a file '{entries[-1][0]}', which is missing")


def test_files_that_changed(scratch, log):
    entries = entries_of(scratch)
    name, code = entries[1]
    for changed, said in (
        (code[:-1], f"'{name}': expected {len(code)} bytes, as the manifest says, but got {len(code) - 1}"),
        (code + b"\0", f"'{name}': expected at most {len(code)} bytes, but got more"),
        (b"x" * len(code), f"'{name}': expected SHA-256 "),
    ):
        refuse(scratch, pack([entries[0], (name, changed), *entries[2:]]), said)


def test_two_of_one_name(scratch, log):
    entries = entries_of(scratch)
    refuse(scratch, pack(entries + entries[:1]), "there are two files 'manifest.json'")


def test_names(scratch, log):
    entries = entries_of(scratch)
    for name in ("a/b", "/a", "..", ".", "./a", "a\\b", "../manifest.json"):
        refuse(scratch, pack(entries + [(name, b"")]), "expected the name of a file in no directory")
    # A long path is in two fields.
    refuse(scratch, pack(entries + [("d" * 90 + "/" + "f" * 90, b"")]), "expected the name of a file in no directory")
    refuse(scratch, patched(pack(entries), 0, bytes(100)), "the entry at byte 0: expected the name of a file in no directory")


def test_types(scratch, log):
    entries = entries_of(scratch)
    for type in (tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE, tarfile.FIFOTYPE, b"x", b"g", b"L"):
        info = tarfile.TarInfo("other")
        info.type, info.linkname = type, "manifest.json"
        refuse(scratch, pack([(info, b"")] + entries), f"expected a plain file, but got one of type '{type.decode()}'")
    # The type of a plain file in older archives.
    attn_mlir.load(patched(pack(entries), 156, b"\0")).close()


def test_formats(scratch, log):
    entries = entries_of(scratch)
    refuse(scratch, pack(entries, tarfile.GNU_FORMAT), "expected a header of a POSIX ustar archive")
    refuse(scratch, b"PK\3\4" + bytes(2000), "expected a header of a POSIX ustar archive")
    refuse(scratch, patched(pack(entries), 257, b"ustar\00001"), "expected a header of a POSIX ustar archive")


def test_checksums(scratch, log):
    contents = pack(entries_of(scratch))
    wrong = bytearray(contents)
    wrong[0] ^= 1
    refuse(scratch, bytes(wrong), "the entry at byte 0: its header is damaged: expected checksum ")
    wrong = bytearray(contents)
    wrong[148:156] = b"zzzzzz\0 "
    refuse(scratch, bytes(wrong), "expected octal digits for its checksum")
    # Spaces in front and behind are some writers'.
    header = resum(contents[:BLOCK])
    digits = header[148:154].lstrip(b"0")
    for field in (digits.rjust(7) + b"\0", digits.ljust(8)):
        attn_mlir.load(contents[:148] + field + contents[156:]).close()


def test_every_byte_of_a_header(scratch, log):
    """A bit of it flipped: refused, if it is not one that says nothing."""
    contents = pack(entries_of(scratch))
    wanted = attn_mlir.load(contents).describe()
    silent = set(range(154, 156))  # Behind the digits of the checksum.
    for position in range(BLOCK):
        wrong = bytearray(contents)
        wrong[position] ^= 1
        if position in silent:
            try:
                assert attn_mlir.load(bytes(wrong)).describe() == wanted
            except BundleError:
                pass
        else:
            expect(BundleError, "the archive: the entry at byte 0: ", attn_mlir.load, bytes(wrong))


def test_sizes(scratch, log):
    contents = pack(entries_of(scratch))
    for field, said in (
        (b"\x80" + bytes(7) + b"\0\0\1\0", "expected octal digits for its size"),
        (b" " * 12, "expected octal digits for its size"),
        (bytes(12), "expected octal digits for its size"),
        (b"-0000000001\0", "expected octal digits for its size"),
        (b"777777777777", "expected at most 1073741824 bytes, but got 68719476735"),
        (b"10000000001\0", "expected at most 1073741824 bytes, but got 1073741825"),
        (b"10000000000\0", "expected 1073741824 bytes of contents, but the archive ends"),
    ):
        refuse(scratch, patched(contents, 124, field), "the entry at byte 0: ", said)
    # Into the next entry, which is no header then.
    refuse(scratch, patched(contents, 124, b"00000000001\0"))


def test_behind_the_end(scratch, log):
    contents = pack(entries_of(scratch))
    refuse(scratch, contents + b"x", "expected zeros behind the last entry, from byte ")
    refuse(scratch, contents + contents, "expected zeros behind the last entry, from byte ")


def test_most_files(scratch, log):
    entries = entries_of(scratch)
    more = [(f"file{i}", b"") for i in range(257 - len(entries))]
    attn_mlir.load(pack(entries + more)).close()
    refuse(scratch, pack(entries + more + [("last", b"")]), "expected at most 257 files")


def test_mutants(scratch, log):
    """Nothing but errors in words, or the same bundle."""
    contents = pack(entries_of(scratch))
    whole, values = len(contents.rstrip(b"\0")), random.Random(1)
    for _ in range(2000):
        mutant = bytearray(contents[: values.choice((len(contents), values.randrange(len(contents))))])
        for _ in range(values.randint(1, 4)):
            if mutant:
                mutant[values.randrange(min(len(mutant), whole))] = values.choice((0, 0x20, 0x30, 0x37, 0x7F, 0x80, 0xFF))
        try:
            attn_mlir.load(bytes(mutant)).close()
        except Error:
            pass


def test_neither_directory_nor_archive(scratch, log):
    expect(BundleError, [f"cannot open '{scratch}.none': No such file or directory"], attn_mlir.load, scratch + ".none")
    os.makedirs(scratch, exist_ok=True)
    expect(BundleError, [f"cannot open '{scratch}/manifest.json': No such file"], attn_mlir.load, scratch)


if __name__ == "__main__":
    main()
