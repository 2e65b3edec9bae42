"""What the tests of the launcher share: bundles, arrays, the fake driver's log."""

import copy
import ctypes
import hashlib
import json
import os
import shutil
import struct
import sys

HERE = os.path.dirname(os.path.abspath(__file__))


def kernel_info(sizes):
    """What a cubin says of a kernel with parameters of these sizes."""
    info, offset = b"", 0
    for number, size in enumerate(sizes):
        info += struct.pack("<BBHIHHI", 4, 0x17, 12, 0, number, offset, size << 18 | 0x1F000)
        offset += size
    info += struct.pack("<BBH", 3, 0x1B, 255)  # An entry that nobody reads.
    return info + struct.pack("<BBH", 3, 0x19, offset) + struct.pack("<BBHIHH", 4, 0x0A, 8, 3, 528, offset)


def cubin_of(sections):
    """An ELF file for CUDA with the sections of a dict."""
    names, contents, table = b"\0.shstrtab\0", b"", []
    for name, content in sections.items():
        table.append((len(names), 64 + len(contents), len(content)))
        names += name.encode() + b"\0"
        contents += content
    table = [(0, 0, 0), (1, 64 + len(contents), len(names))] + table
    contents += names
    header = b"\x7fELF\x02\x01\x41\x08" + bytes(8) + struct.pack(
        "<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 64 + len(contents), 0, 64, 56, 0, 64, len(table), 1)
    return header + contents + b"".join(
        struct.pack("<IIQQQQIIQQ", name, 1, 0, 0, offset, size, 0, 0, 1, 0) for name, offset, size in table)


def cubin(**kernels):
    """A cubin with kernels of these sizes of parameters, and no code."""
    return cubin_of({".nv.info." + name: kernel_info(sizes) for name, sizes in kernels.items()})


def ptx(kernel, sizes):
    """PTX that declares a kernel."""
    parameters = ",\n".join(f"\t.param .u{8 * size} {kernel}_param_{i}" for i, size in enumerate(sizes))
    return f".version 8.8\n.visible .entry {kernel}(\n{parameters}\n)\n{{\n\tret;\n}}\n".encode()


BINARIES = {
    "prefill.0.cubin": cubin(prefill_tma=[128, 128, 8, 8, 8, 8, 4]),
    "prefill.1.ptx": ptx("prefill_plain", [8, 4]),
}


def interface_digest(manifest, program, step):
    """Of what is handed over with the code, as docs/bundle.md defines it."""
    (digest,) = [binary["sha256"] for binary in manifest["binaries"] if binary["file"] == step["binary"]]
    interface = {key: step[key] for key in ("block", "kernel", "parameters", "shared_bytes")}
    interface.update({key: step[key] for key in ("cluster", "overlaps") if key in step})
    scalars = step.get("scalars", range(len(program["scalars"])))
    interface.update(arch=manifest["target"]["arch"], binary_sha256=digest,
                     scalars=[scalar["type"] if isinstance(scalar, dict) else program["scalars"][scalar]["type"]
                              for scalar in scalars])
    text = json.dumps(interface, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode()).hexdigest()


def steps_of(manifest):
    """(program, step) of what of a manifest is one."""
    def lists(value, key):
        entries = value.get(key) if isinstance(value, dict) else None
        return entries if isinstance(entries, list) else ()
    for program in lists(manifest, "programs"):
        for variant in lists(program, "variants"):
            for step in lists(variant, "steps"):
                yield program, step


def sealed(manifest, binaries):
    """The manifest with sizes and digests of these files, of which it has the rest left out.

    What is no manifest stays as it is.
    """
    manifest = copy.deepcopy(manifest)
    try:
        manifest["binaries"] = [binary for binary in manifest["binaries"] if binary["file"] in binaries]
        for binary in manifest["binaries"]:
            contents = binaries[binary["file"]]
            binary.update(bytes=len(contents), sha256=hashlib.sha256(contents).hexdigest())
    except (TypeError, KeyError):
        return manifest
    for program, step in steps_of(manifest):
        try:
            step["interface_sha256"] = interface_digest(manifest, program, step)
        except (TypeError, KeyError, IndexError, ValueError):
            pass
    return manifest


def change(directory, function, seal=False):
    """Changes the manifest of a bundle by ``function``; with ``seal`` as if it had been compiled so."""
    path = os.path.join(directory, "manifest.json")
    with open(path) as file:
        manifest = json.load(file)
    function(manifest)
    if seal:
        binaries = {}
        for binary in manifest["binaries"]:
            with open(os.path.join(directory, binary["file"]), "rb") as file:
                binaries[binary["file"]] = file.read()
        manifest = sealed(manifest, binaries)
    with open(path, "w") as file:
        json.dump(manifest, file)
    return directory


def prefill():
    """The manifest of prefill.json and BINARIES, to change."""
    with open(os.path.join(HERE, "prefill.json")) as file:
        return sealed(json.load(file), BINARIES)


PROGRAM = ("programs", 0)
VARIANTS = (*PROGRAM, "variants")


def step(variant, number=0):
    """The path of a step."""
    return (*VARIANTS, variant, "steps", number)


def at(manifest, path):
    """The entry of a manifest at a path."""
    for key in path:
        manifest = manifest[key]
    return manifest


def changed(path, value, manifest=None):
    """The manifest with the entry at ``path`` replaced; a value of ... removes it."""
    manifest = copy.deepcopy(manifest or prefill())
    table = at(manifest, path[:-1])
    if value is ...:
        del table[path[-1]]
    else:
        table[path[-1]] = value
    return manifest


def write_bundle(directory, manifest=None, binaries=BINARIES, seal=True):
    """Writes a bundle anew, with the digests of ``binaries`` unless ``seal`` is false or ``manifest`` a text."""
    shutil.rmtree(directory, ignore_errors=True)
    os.makedirs(directory)
    if manifest is None:
        manifest = prefill()
    if isinstance(manifest, dict):
        manifest = json.dumps(sealed(manifest, binaries) if seal else manifest)
    if isinstance(manifest, str):
        manifest = manifest.encode()
    with open(os.path.join(directory, "manifest.json"), "wb") as file:
        file.write(manifest)
    for name, contents in binaries.items():
        with open(os.path.join(directory, name), "wb") as file:
            file.write(contents)
    return directory


class Log:
    """The lines that the fake driver writes."""

    def __init__(self, path):
        self.path = path
        os.environ["ATTN_FAKE_LOG"] = path
        self.clear()

    def clear(self):
        open(self.path, "w").close()

    def lines(self):
        with open(self.path) as file:
            return file.read().splitlines()

    def calls(self):
        """Names of the calls since the last clear."""
        names = [line.split()[0] for line in self.lines()]
        self.clear()
        return names


def expect(kind, parts, function, *arguments, **keywords):
    """``function`` raises ``kind`` with a message that contains ``parts``."""
    parts = [parts] if isinstance(parts, str) else parts
    try:
        function(*arguments, **keywords)
    except kind as error:
        message = str(error)
        missing = [part for part in parts if part not in message]
        assert not missing, f"expected {missing} in: {message}"
        return error
    raise AssertionError(f"expected {kind.__name__} with {parts}")


def row_major(shape):
    strides, stride = [], 1
    for size in reversed(shape):
        strides.append(stride)
        stride *= max(size, 1)
    return tuple(reversed(strides))


class CudaArray:
    """A producer of ``__cuda_array_interface__``."""

    def __init__(self, shape, typestr="<f2", data=0x10000, strides=None, **more):
        self.__cuda_array_interface__ = {
            "shape": shape, "typestr": typestr, "data": (data, False), "version": 3, **more,
        }
        if strides:
            self.__cuda_array_interface__["strides"] = strides


class _DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p), ("device_type", ctypes.c_int), ("device_id", ctypes.c_int),
        ("ndim", ctypes.c_int), ("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_Destructor = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class _Managed(ctypes.Structure):
    _fields_ = [("tensor", _DLTensor), ("context", ctypes.c_void_p), ("deleter", ctypes.c_void_p)]


class _Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32), ("minor", ctypes.c_uint32), ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p), ("flags", ctypes.c_uint64), ("tensor", _DLTensor),
    ]


_new_capsule = ctypes.pythonapi.PyCapsule_New
_new_capsule.restype, _new_capsule.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, _Destructor]

BF16, F16, F32 = (4, 16), (2, 16), (2, 32)


class DLArray:
    """A producer of DLPack capsules; ``alive`` counts those not freed."""

    alive = 0

    def __init__(self, shape, dtype=BF16, data=0x10000, strides=None, device=0, kind=2, lanes=1, offset=0,
                 versioned=True, major=1, flags=0):
        self.shape = (ctypes.c_int64 * len(shape))(*shape)
        self.strides = (ctypes.c_int64 * len(shape))(*strides) if strides else None
        self.tensor = _DLTensor(data, kind, device, len(shape), *dtype, lanes, self.shape, self.strides, offset)
        self.versioned, self.major, self.flags = versioned, major, flags
        self.streams = []

    def __dlpack_device__(self):
        return self.tensor.device_type, self.tensor.device_id

    def __dlpack__(self, *, stream=None, **version):
        if version and not self.versioned:
            raise TypeError("unexpected keyword argument 'max_version'")
        self.streams.append(stream)
        DLArray.alive += 1
        if self.versioned:
            self.managed = _Versioned(self.major, 0, None, None, self.flags, self.tensor)
            return _new_capsule(ctypes.addressof(self.managed), b"dltensor_versioned", _freed)
        self.managed = _Managed(self.tensor, None, None)
        return _new_capsule(ctypes.addressof(self.managed), b"dltensor", _freed)


@_Destructor
def _freed(_):
    """Outlives the arrays: a capsule may be freed after its producer."""
    DLArray.alive -= 1


def arguments(batch=1, query=256, key=300, base=0x10000):
    """q, k, out and lse of prefill.json, BSHD."""
    return (
        DLArray((batch, query, 32, 128), data=base),
        DLArray((batch, key, 8, 128), data=base + 0x1000000),
        DLArray((batch, query, 32, 128), data=base + 0x2000000),
        DLArray((batch, 32, query), F32, data=base + 0x3000000),
    )


def main():
    """Runs the test_ functions of the script; its argument is a scratch directory."""
    import __main__

    scratch = sys.argv[1]
    os.makedirs(scratch, exist_ok=True)
    log = Log(os.path.join(scratch, "log"))
    tests = [(name, test) for name, test in vars(__main__).items() if name.startswith("test_")]
    assert tests
    for name, test in tests:
        for variable in ("ATTN_FAKE_FAIL", "ATTN_FAKE_PARAMETERS", "ATTN_FAKE_STATIC", "ATTN_FAKE_THREADS"):
            os.environ.pop(variable, None)
        log.clear()
        test(os.path.join(scratch, name), log)
        print(f"ok {name}")
