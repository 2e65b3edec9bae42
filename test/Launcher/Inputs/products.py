"""Three products a tile, on what devices.py says, against integers."""

import os
import random
import struct
import subprocess

import attn_mlir
from devices import KIND, TARGET, allocate, read
from support import F16, F32, HERE, DLArray, main

COLUMNS = 64
# Rows that are no whole tile, keys that are not, a tile of each, and no keys at all.
SIZES = [(130, 90), (128, 64), (5, 200), (3, 0)]


def matrix(generator, rows):
    """Small enough that 16 bits hold each score, and the product of two of them."""
    return [[generator.choice((-1, 0, 0, 1)) for _ in range(COLUMNS)] for _ in range(rows)]


def times_transposed(a, b):
    return [[sum(x * y for x, y in zip(row, other)) for other in b] for row in a]


def times(a, b):
    columns = list(zip(*b)) if b else [()] * COLUMNS
    return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


def wanted_sums(q, k, v, w):
    scores = times_transposed(q, k)
    return [times(scores, v), times(scores, w)]


def wanted_scores(q, k, l, v):
    both = [[x * y for x, y in zip(*rows)] for rows in zip(times_transposed(q, k), times_transposed(q, l))]
    return [times(both, v)]


def array(values, rows, kind, code):
    data = struct.pack(f"<{rows * COLUMNS}{code}", *(x for row in values for x in row))
    address = allocate(data)
    return address, DLArray([rows, COLUMNS], kind, address, [COLUMNS, 1], 0, KIND)


def run(kernel, wanted, queries, keys, seed):
    generator = random.Random(seed)
    inputs = [matrix(generator, rows) for rows in (queries, keys, keys, keys)]
    expected = wanted(*inputs)
    arrays = [array(values, len(values), F16, "e")[1] for values in inputs]
    outputs = [array([[float("nan")] * COLUMNS] * queries, queries, F32, "f") for _ in expected]
    results = tuple(output for _, output in outputs)
    kernel(*arrays, out=results if len(results) > 1 else results[0])
    for (address, _), values in zip(outputs, expected):
        got = struct.unpack(f"<{queries * COLUMNS}f", read(address, 4 * queries * COLUMNS))
        assert list(got) == [float(x) for row in values for x in row], (queries, keys)


def test_products(scratch, log):
    os.makedirs(scratch, exist_ok=True)
    bundle = os.path.join(scratch, "bundle")
    subprocess.run(["attn-compile", os.path.join(HERE, "products.mlir"), f"--target={TARGET}", "--emit=bundle",
                    "-o", bundle], check=True)
    for name, wanted in (("two_sums", wanted_sums), ("two_scores", wanted_scores)):
        kernel = attn_mlir.load(bundle, program=name)
        for seed, (queries, keys) in enumerate(SIZES):
            run(kernel, wanted, queries, keys, seed)


if __name__ == "__main__":
    main()
