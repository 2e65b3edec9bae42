"""Runs arithmetic.cl in the emulator and on the host; every bit must agree.

usage: arithmetic.py attn-emulate HSACO HOST_LIBRARY DIRECTORY
"""

import ctypes
import os
import random
import struct
import subprocess
import sys

# Name, bytes of a result, format and numbers of input for an item.
KERNELS = [
    ("f32", 4, "f", 2), ("f32_packed", 8, "f", 4), ("f64", 8, "d", 2), ("f16", 2, "e", 2),
    ("f16_packed", 8, "e", 8), ("f32_to_f16", 8, "f", 4), ("f32_to_bf16", 8, "f", 4),
    ("bf16_to_f32", 16, "H", 4), ("u64", 8, "Q", 2), ("i64", 8, "i", 2), ("u32", 4, "I", 2),
    ("i32", 4, "i", 2), ("i16", 2, "h", 2), ("i8", 1, "B", 2), ("control", 4, "I", 1),
]  # fmt: skip
ITEMS = 256
FACTOR = 13
BITS = {"Q": 64, "I": 32, "i": 32, "H": 16, "h": 16, "B": 8}


def number(kind):
    """Floats of many magnitudes, integers of many lengths."""
    if kind in "fd":
        return random.choice((-1, 1)) * random.uniform(1, 2) * 2.0 ** random.randint(-18, 18)
    if kind == "e":
        return random.uniform(-8, 8)
    if kind == "H":  # a bf16
        value = random.uniform(-8, 8)
        return struct.unpack("<I", struct.pack("<f", value))[0] >> 16
    value = random.getrandbits(random.randint(1, BITS[kind]))
    return value - (1 << BITS[kind]) if kind in "ih" and value >> (BITS[kind] - 1) else value


def main(tool, code, library, directory):
    host = ctypes.CDLL(library)
    random.seed(1)
    for name, size, kind, count in KERNELS:
        data = struct.pack(f"<{ITEMS * count}{kind}", *[number(kind) for _ in range(ITEMS * count)])
        source, result = os.path.join(directory, "in"), os.path.join(directory, "out")
        with open(source, "wb") as file:
            file.write(data)
        subprocess.run(
            [tool, code, "--kernel=" + name, f"--grid={ITEMS // 64}", "--block=64"]
            + [f"--arg=i8[{ITEMS * size}]:poison", f"--arg=i8[{len(data)}]:@{source}"]
            + [f"--arg=i32:{FACTOR}", f"--dump=0:{result}"],
            check=True,
        )
        out = ctypes.create_string_buffer(ITEMS * size)
        for item in range(ITEMS):
            ctypes.c_int.in_dll(host, "item").value = item
            getattr(host, name)(out, ctypes.create_string_buffer(data), FACTOR)
        with open(result, "rb") as file:
            got = file.read()
        differ = [i for i in range(ITEMS) if got[i * size : (i + 1) * size] != out.raw[i * size : (i + 1) * size]]
        for i in differ[:3]:
            print(f"{name} item {i}: but got {got[i * size:(i + 1) * size].hex()}, host {out.raw[i * size:(i + 1) * size].hex()}")
        print(f"{name}: {ITEMS - len(differ)} of {ITEMS} agree")


main(*sys.argv[1:])
