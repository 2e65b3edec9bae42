"""Attention with lengths that are read on the device, on what devices.py says."""

import math
import os
import random
import struct
import subprocess

import attn_mlir
from attn_mlir import Error
from devices import KIND, TARGET, allocate, read, write
from emulate import check
from buffers import Buffer, decode, encode
from problems import Case
from support import F16, F32, DLArray, expect, main

I32, I64 = (0, 32), (0, 64)
PACK = {I32: "i", I64: "q"}
HEADS, DIMS, CAPACITY = (4, 2), (64, 64), 150
# 0, 1, primes, the capacity.
LENGTHS = (0, 1, 37, CAPACITY, 97)


def text_of(case, element):
    text = case.text().replace(") -> ", f", %n: tensor<?x{element}>) -> ", 1)
    return text.replace("scale(0.125)", f"scale(0.125) lengths(%n : tensor<?x{element}>)")


def load(directory, text, schedule):
    os.makedirs(directory, exist_ok=True)
    source = os.path.join(directory, "program.mlir")
    with open(source, "w") as file:
        file.write(text)
    bundle = os.path.join(directory, "bundle")
    subprocess.run(["attn-compile", source, f"--target={TARGET}", "--emit=bundle", "-o", bundle,
                    f"--schedule={schedule}"], check=True)
    return attn_mlir.load(bundle)


def part_of(view, batch, keys):
    """One sequence of a view, or its first keys."""
    _, heads, rows, columns = view.sizes
    part = Buffer((1, heads, rows if keys is None else keys, columns), range(4), "f16", 0)
    for head in range(heads):
        for row in range(part.sizes[2]):
            base, to = view.base(batch, head, row), part.base(0, head, row)
            part.values[to:to + columns] = view.values[base:base + columns]
    return part


class Run:
    """Caches with NaN behind the lengths, and what is computed of the rest."""

    def __init__(self, case, lengths, dtype=I32):
        self.case, self.lengths, self.dtype = case, lengths, dtype
        inputs, outputs = case.views()
        self.views = [Buffer(view.sizes, range(4), "f16", 0) for view in inputs + outputs]
        generator = random.Random(1)
        for view in self.views[:3]:
            view.fill(generator)
        for view in self.views[1:3]:
            for batch, length in enumerate(lengths):
                for head in range(view.sizes[1]):
                    for key in range(max(length, 0), view.sizes[2]):
                        base = view.base(batch, head, key)
                        view.values[base:base + view.sizes[3]] = [math.nan] * view.sizes[3]
        self.addresses = [allocate(encode(view.values, "f16")) for view in self.views]
        self.numbers = allocate(struct.pack(f"<{len(lengths)}{PACK[dtype]}", *lengths))

    def arrays(self):
        views = [DLArray(view.sizes, F16, address, view.strides, 0, KIND)
                 for view, address in zip(self.views, self.addresses)]
        return [*views[:3], DLArray((len(self.lengths),), self.dtype, self.numbers, (1,), 0, KIND)], views[3]

    def launch(self, kernel):
        inputs, out = self.arrays()
        size = kernel.workspace_bytes(*inputs, out=out)
        # What nobody wrote is NaN, and as a number -1.
        room = allocate(b"\xff" * size)
        kernel(*inputs, out=out, workspace=(room, size)) if size else kernel(*inputs, out=out)
        return read(self.addresses[3], len(encode(self.views[3].values, "f16")))

    def assert_right(self, data):
        view = self.views[3]
        got = Buffer(view.sizes, range(4), "f16", 0)
        got.values = list(decode(data, "f16"))
        for batch, length in enumerate(self.lengths):
            own = part_of(got, batch, None)
            if not 0 <= length <= self.case.sizes[2]:
                assert all(math.isnan(own.values[place]) for place in own.places()), (batch, length)
                continue
            case = self.case._replace(sizes=(1, self.case.sizes[1], length))
            wanted = case.wanted(*(part_of(self.views[i], batch, length if i else None) for i in range(3)))
            error = check(case, [own], wanted, {0: encode(own.values, "f16")})
            assert not error, (case.name(), batch, length, error)


def case_of(mask, lengths, queries=3):
    return Case(mask, "f16", HEADS, DIMS, (len(lengths), queries, CAPACITY), lse=False)


TILES = "tiles=query=64,key=32"


def run_all(scratch, schedule, steps, masks=("full", "causal-br", "window"), lengths=LENGTHS):
    for mask in masks:
        case = case_of(mask, lengths)
        kernel = load(os.path.join(scratch, mask), text_of(case, "i32"), f"{TILES} {schedule}")
        assert len(kernel.variants[-1].steps) == steps, kernel.variants
        run = Run(case, lengths)
        run.assert_right(run.launch(kernel))
        kernel.close()


def test_whole(scratch, log):
    run_all(scratch, "pack-group", 1)


def test_parts_of_a_cta(scratch, log):
    run_all(scratch, "splits=3", 1, ["causal-br"])


def test_persistent_sawtooth(scratch, log):
    run_all(scratch, "persistent sms=3 resident=1 sawtooth=force", 1, ["full", "causal-br"])


def test_parts_of_ctas(scratch, log):
    run_all(scratch, "pack-group split-ctas splits=3", 2, ["causal-br"])


def test_list(scratch, log):
    run_all(scratch, "pack-group split-ctas", 3)


def test_list_of_an_uneven_batch(scratch, log):
    # One sequence has half of all keys; several lists' worth of lengths that are read at once.
    lengths = (7,) * 5 + (CAPACITY,) + (11,) * 9 + (0, 5)
    run_all(scratch, "pack-group split-ctas", 3, ["full"], lengths)
    run_all(os.path.join(scratch, "persistent"), "pack-group split-ctas persistent sms=3 resident=1 sawtooth=force", 3,
            ["causal-br"], lengths)


def test_list_of_numbers_that_are_no_lengths(scratch, log):
    run_all(scratch, "pack-group split-ctas", 3, ["causal-br"], (-1, 5, CAPACITY + 1, 2**31 - 1, CAPACITY))


def test_parts_of_a_length(scratch, log):
    """A sequence's result is the same alone and among others."""
    lengths = (149, 3, CAPACITY, 64, 0)
    results = []
    for number, own in enumerate((lengths, lengths[:1])):
        case = case_of("causal-br", own)
        kernel = load(os.path.join(scratch, str(number)), text_of(case, "i32"), f"{TILES} pack-group split-length=64")
        assert len(kernel.variants[-1].steps) == 3, kernel.variants
        run = Run(case, own)
        if number:
            # The first sequence of the others, and its keys.
            for view, address, all_of in zip(run.views, run.addresses, first.views):
                view.values = all_of.values[:len(view.values)]
                data = encode(view.values, "f16")
                write(address, data)
        first = run
        results.append(run.launch(kernel))
        run.assert_right(results[-1])
        kernel.close()
    bytes = 2 * 4 * 3 * 64
    assert results[0][:bytes] == results[1][:bytes]


def test_numbers_that_are_no_lengths(scratch, log):
    lengths = (-1, 5, CAPACITY + 1, 2**31 - 1, -2**31)
    case = case_of("causal-br", lengths)
    kernel = load(scratch, text_of(case, "i32"), f"{TILES} pack-group")
    run = Run(case, lengths)
    run.assert_right(run.launch(kernel))
    # Of an i64 all bits count.
    kernel = load(os.path.join(scratch, "wide"), text_of(case, "i64"), f"{TILES} pack-group")
    run = Run(case, (2**32 + 5, 5, -2**32 + 7, 2**63 - 1, -2**63), I64)
    run.assert_right(run.launch(kernel))
    kernel.close()


def test_refused(scratch, log):
    case = case_of("full", LENGTHS)
    kernel = load(scratch, text_of(case, "i32"), f"{TILES} pack-group")
    run = Run(case, LENGTHS)
    inputs, out = run.arrays()
    wide = DLArray((len(LENGTHS),), I64, run.numbers, (1,), 0, KIND)
    few = DLArray((len(LENGTHS) - 1,), I32, run.numbers, (1,), 0, KIND)
    expect(Error, "view 'lengths' (argument 3): expected element type i32, but got i64", kernel, *inputs[:3], wide, out=out)
    expect(Error, "'batch'", kernel, *inputs[:3], few, out=out)
    floats = DLArray((len(LENGTHS),), F32, run.numbers, (1,), 0, KIND)
    expect(Error, "view 'lengths' (argument 3): expected element type i32, but got f32", kernel, *inputs[:3], floats, out=out)
    kernel.close()


if __name__ == "__main__":
    main()
