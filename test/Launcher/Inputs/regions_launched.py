"""Mask regions, captured tensors and sinks on what devices.py says, against float64."""

import math
import os
import random
import struct
import subprocess
import sys

import attn_mlir
from devices import KIND, TARGET, allocate, read
from support import BF16, F32, HERE, DLArray, main

sys.path.insert(0, os.path.join(HERE, "..", "..", "gpu"))
import regions  # noqa: E402

I32, I8 = (0, 32), (0, 8)
HEADS, KV_HEADS, DIM = 2, 1, 64
# Batch, queries, keys: no whole tiles, keys beyond queries, one query, no keys.
SIZES = [(2, 70, 70), (1, 33, 150), (1, 1, 97), (1, 20, 0)]
BOUND, LSE_BOUND = 1e-2, 1e-5


def bf16(value):
    """The bits of a number that bf16 holds exactly."""
    return struct.unpack("<I", struct.pack("<f", value))[0] >> 16


class Table:
    """Numbers by indices, zero outside, in memory of the device."""

    CODES = {BF16: "H", F32: "f", I32: "i", I8: "b"}

    def __init__(self, shape, kind, values):
        self.shape, self.values = shape, values
        encoded = [bf16(v) if kind == BF16 else v for v in values]
        data = struct.pack(f"<{len(values)}{self.CODES[kind]}", *encoded)
        self.address = allocate(data)
        strides = [math.prod(shape[d + 1:]) for d in range(len(shape))]
        self.array = DLArray(list(shape), kind, self.address, strides, 0, KIND)

    def __getitem__(self, index):
        index = index if isinstance(index, tuple) else (index,)
        place = 0
        for i, size in zip(index, self.shape):
            if not 0 <= i < size:
                return 0
            place = place * size + i
        return self.values[place]


def drawn(generator, *shape, kind=BF16):
    return Table(shape, kind, [generator.randint(-16, 16) / 8 for _ in range(math.prod(shape))])


def documents(generator, batch, length):
    values = []
    for _ in range(batch):
        number = 0
        for _ in range(max(length, 1)):
            number += generator.random() < 0.05
            values.append(number)
    return Table((batch, max(length, 1)), I32, values)


def captured(name, generator, batch, queries, keys):
    """Tensors of a region, by its name."""
    if name.startswith("documents"):
        return [documents(generator, batch, max(queries, keys))]
    if name == "unsorted":
        size = max(queries, keys, 1)
        return [Table((batch, size), I32, [generator.randint(0, 3) for _ in range(batch * size)])]
    if name == "prefix":
        return [Table((batch,), I32, [generator.randint(0, keys + 1) for _ in range(batch)])]
    if name == "boolean":
        count = batch * queries * keys
        return [Table((batch, 1, queries, keys), I8, [generator.randint(0, 1) for _ in range(count)])]
    if name == "bias":
        return [drawn(generator, 1, HEADS, queries, keys)]
    return []


def attend(region, values, q, k, v, sinks, batch, head, query, keys):
    """O and LSE of one query."""
    scores = []
    row = [q[batch, head, query, d] for d in range(DIM)]
    for key in range(keys):
        if region.mask == "causal" and key > query:
            continue
        if region.keep and not region.keep(*values)(batch, head, query, key):
            continue
        s = sum(x * k[batch, 0, key, d] for d, x in enumerate(row)) * DIM**-0.5
        scores.append((region.score(*values)(s, batch, head, query, key) if region.score else s, key))
    logits = [s for s, _ in scores] + ([sinks[head]] if sinks else [])
    if not logits:
        return [0.0] * DIM, -math.inf
    largest = max(logits)
    total = sum(math.exp(s - largest) for s in logits)
    out = [sum(math.exp(s - largest) * v[batch, 0, key, d] for s, key in scores) / total for d in range(DIM)]
    return out, largest + math.log(total)


def differ(got, wanted):
    error = math.sqrt(sum((x - y) ** 2 for x, y in zip(got, wanted)))
    norm = math.sqrt(sum(y * y for y in wanted))
    return error if norm == 0 else error / norm


def check(kernel, region, sizes, seed):
    generator = random.Random(seed)
    batch, queries, keys = sizes
    q = drawn(generator, batch, HEADS, queries, DIM)
    k, v = (drawn(generator, batch, KV_HEADS, keys, DIM) for _ in range(2))
    values = captured(region.name, generator, batch, queries, keys)
    sinks = drawn(generator, HEADS, kind=F32) if region.sinks else None
    nan = float("nan")
    out = Table((batch, HEADS, queries, DIM), F32, [nan] * (batch * HEADS * queries * DIM))
    lse = Table((batch, HEADS, queries), F32, [nan] * (batch * HEADS * queries))
    inputs = [t.array for t in (q, k, v, *values, *([sinks] if sinks else []))]
    kernel(*inputs, out=out.array, lse=lse.array)
    got = struct.unpack(f"<{len(out.values)}f", read(out.address, 4 * len(out.values)))
    logs = struct.unpack(f"<{len(lse.values)}f", read(lse.address, 4 * len(lse.values)))
    for row in range(len(lse.values)):
        place = row // queries // HEADS, row // queries % HEADS, row % queries
        wanted, log = attend(region, values, q, k, v, sinks, *place, keys)
        error = differ(got[row * DIM:(row + 1) * DIM], wanted)
        assert error <= BOUND, (region.name, sizes, place, error)
        assert log == logs[row] or abs(log - logs[row]) <= LSE_BOUND * max(1, abs(log)), (region.name, sizes, place)


NAMES = ["documents", "documents-full", "unsorted", "prefix", "chunked", "dilated", "streaming", "boolean", "bias",
         "sinks", "sinks-full"]


def test_regions(scratch, log):
    os.makedirs(scratch, exist_ok=True)
    known = regions.regions()
    for name in NAMES:
        source, bundle = (os.path.join(scratch, name + end) for end in (".mlir", ""))
        with open(source, "w") as file:
            text = known[name].text(HEADS, KV_HEADS, DIM, lse=True)
            q = f"tensor<?x{HEADS}x?x{DIM}xbf16>"
            # O is as wide as it is accumulated.
            file.write(text.replace(f"-> ({q}", f"-> ({q.replace('bf16', 'f32')}").replace(
                f"%l : {q}", f"%l : {q.replace('bf16', 'f32')}"))
        subprocess.run(["attn-compile", source, f"--target={TARGET}", "--schedule=tiles=query=64,key=32",
                        "--emit=bundle", "-o", bundle], check=True)
        kernel = attn_mlir.load(bundle)
        for seed, sizes in enumerate(SIZES):
            check(kernel, known[name], sizes, seed)


if __name__ == "__main__":
    main()
