"""Attention whose stream is split over CTAs, on what devices.py says."""

import os
import random
import subprocess

import attn_mlir
from attn_mlir import Error
from devices import KIND, TARGET, allocate, read, write
from emulate import check
from buffers import Buffer, encode
from problems import Case
from support import F16, DLArray, expect, main

# Rows that are no whole tile, keys that are not, and fewer than there are parts.
CASES = [
    Case("full", "f16", (4, 2), (64, 64), (2, 1, 300), lse=False),
    Case("causal-br", "f16", (4, 2), (64, 64), (1, 5, 130), lse=False),
    Case("window", "f16", (2, 2), (64, 64), (1, 70, 200), lse=False),
    Case("full", "f16", (4, 2), (64, 64), (1, 3, 20), lse=False),
]


def load(directory, case, schedule):
    """Without a schedule, what the compiler takes by itself, for a number of queries that it knows."""
    os.makedirs(directory, exist_ok=True)
    source = os.path.join(directory, "program.mlir")
    with open(source, "w") as file:
        text = case.text()
        if schedule is None:
            text = text.replace("tensor<?x%dx?x" % case.heads[0], "tensor<?x%dx%dx" % (case.heads[0], case.sizes[1]))
        file.write(text)
    bundle = os.path.join(directory, "bundle")
    options = [] if schedule is None else [f"--schedule=tiles=query=64,key=32 {schedule}"]
    subprocess.run(["attn-compile", source, f"--target={TARGET}", "--emit=bundle", "-o", bundle] + options, check=True)
    return attn_mlir.load(bundle)


class Run:
    """Inputs without gaps, and what is computed of them."""

    def __init__(self, case):
        self.case = case
        self.views, self.addresses = [], []
        inputs, outputs = case.views()
        for view in inputs + outputs:
            plain = Buffer(view.sizes, (0, 1, 2, 3), "f16", 0)
            if len(self.views) < 3:
                plain.fill(random.Random(len(self.views)))
            self.views.append(plain)
            self.addresses.append(allocate(encode(plain.values, "f16")))
        self.wanted = case.wanted(*self.views[:3])

    def arrays(self):
        return [DLArray(view.sizes, F16, address, view.strides, 0, KIND)
                for view, address in zip(self.views, self.addresses)]

    def assert_right(self):
        view, address = self.views[3], self.addresses[3]
        size = len(encode(view.values, "f16"))
        error = check(self.case, [view], self.wanted, {0: read(address, size)})
        assert not error, (self.case.name(), error)
        write(address, b"\xff" * size)


def run_all(scratch, schedule, steps, cases=CASES):
    for number, case in enumerate(cases):
        kernel = load(os.path.join(scratch, str(number)), case, schedule)
        assert len(kernel.variants[-1].steps) == steps, kernel.variants
        run = Run(case)
        *inputs, out = run.arrays()
        # States that nobody wrote would be NaN.
        size = kernel.workspace_bytes(*inputs, out=out)
        room = allocate(b"\xff" * size)
        kernel(*inputs, out=out, workspace=(room, size)) if size else kernel(*inputs, out=out)
        run.assert_right()
        kernel.close()


def test_stated(scratch, log):
    run_all(scratch, "split-ctas splits=3", 2)


def test_chosen(scratch, log):
    run_all(scratch, "split-ctas", 2)


def test_policy(scratch, log):
    run_all(scratch, None, 2, CASES[:2])


def test_length(scratch, log):
    run_all(scratch, "split-length=96", 2)


def test_packed(scratch, log):
    run_all(scratch, "pack-group split-ctas splits=5", 2)


def test_no_queries(scratch, log):
    """A size that the types say is 0: nothing is launched, and nothing is wrong."""
    case = Case("full", "f16", (4, 2), (64, 64), (2, 0, 30), lse=False)
    kernel = load(scratch, case, None)
    *inputs, out = Run(case).arrays()
    kernel(*inputs, out=out)
    kernel.close()


def test_rows_with_gaps(scratch, log):
    """Heads that do not follow each other are no rows of one tile: refused, in words."""
    case = CASES[1]
    kernel = load(scratch, case, "pack-group split-ctas splits=2")
    run = Run(case)
    query, *others, out = run.arrays()
    batch, heads, queries, dim = case.sizes[0], 4, case.sizes[1], 64
    gaps = DLArray((batch, heads, queries, dim), F16, run.addresses[0],
                   (heads * (queries + 1) * dim, (queries + 1) * dim, dim, 1), 0, KIND)
    expect(Error, "no variant of 'f' applies", kernel, gaps, *others, out=out)
    kernel.close()


if __name__ == "__main__":
    main()
