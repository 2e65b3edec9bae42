"""Runs a kernel of packed sequences (Runtime/Inputs/ragged.mlir) in the emulator twice: all numbers finite, and with NaN in every
sequence but the first. Says how many of the first one's results have other bits.

usage: neighbours.py HSACO DIRECTORY TILE
"""

import array
import pathlib
import random
import subprocess
import sys

HEADS, KV_HEADS, DIM = 4, 2, 64
QUERIES, KEYS = (40, 90), (300, 130)
NAN = 0x7FC0


def starts(lengths):
    return array.array("i", [0, *(sum(lengths[:i + 1]) for i in range(len(lengths)))])


def normal(heads, rows, others):
    """bf16 [heads, rows, DIM], NaN in the rows of ``others``."""
    generator, bits = random.Random(rows), array.array("H")
    for _ in range(heads):
        for row in range(rows):
            drawn = array.array("f", [generator.gauss(0, 2) for _ in range(DIM)])
            words = array.array("I", drawn.tobytes())
            bits.extend(NAN if row in others else word >> 16 for word in words)
    return bits


def run(hsaco, directory, tile, poisoned):
    rows, keys = sum(QUERIES), sum(KEYS)
    arrays = {"q": normal(HEADS, rows, range(QUERIES[0], rows) if poisoned else ())}
    for name in "kv":
        arrays[name] = normal(KV_HEADS, keys, range(KEYS[0], keys) if poisoned else ())
    arrays |= {"cq": starts(QUERIES), "ck": starts(KEYS)}
    for name, numbers in arrays.items():
        (directory / name).write_bytes(numbers.tobytes())
    given = lambda name, kind: f"--arg={kind}[{len(arrays[name])}]:@{directory / name}"
    sizes = lambda *numbers: [f"--arg=i64:{number}" for number in numbers]
    arguments = [given("q", "bf16"), *sizes(rows, rows * DIM, DIM)]
    for name in "kv":
        arguments += [given(name, "bf16"), *sizes(keys, keys * DIM, DIM)]
    for name in ("cq", "ck"):
        arguments += [given(name, "i32"), *sizes(len(arrays[name]))]
    arguments += [f"--arg=bf16[{HEADS * rows * DIM}]:zero", *sizes(rows, HEADS * rows * DIM, rows * DIM, DIM)]
    arguments += [f"--arg=f32[{HEADS * rows}]:zero", *sizes(rows, HEADS * rows, rows)]
    o, lse = directory / "o", directory / "lse"
    outputs = [i for i, argument in enumerate(arguments) if argument.endswith(":zero")]
    tiles = rows // tile + len(QUERIES)
    subprocess.run(["attn-emulate", hsaco, f"--grid={tiles * HEADS}", "--block=256", *arguments,
                    f"--dump={outputs[0]}:{o}", f"--dump={outputs[1]}:{lse}"], check=True)
    o, lse = array.array("H", o.read_bytes()), array.array("I", lse.read_bytes())
    own = range(QUERIES[0])
    return [o[(head * rows + row) * DIM + i] for head in range(HEADS) for row in own for i in range(DIM)], [
        lse[head * rows + row] for head in range(HEADS) for row in own]


def main():
    hsaco, directory, tile = sys.argv[1], pathlib.Path(sys.argv[2]), int(sys.argv[3])
    finite, poisoned = (run(hsaco, directory, tile, others) for others in (False, True))
    for name, one, other in zip(("O", "LSE"), finite, poisoned):
        print(f"{name}: {sum(a != b for a, b in zip(one, other))} of {len(one)} have other bits, {len(set(one))} are distinct")


if __name__ == "__main__":
    main()
