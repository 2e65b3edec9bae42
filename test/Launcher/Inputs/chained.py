"""Programs of two kernels that hand each other what they compute, on what devices.py says."""

import os
import random
import subprocess

import attn_mlir
from attn_mlir import ArgumentError
from devices import KIND, TARGET, allocate, read, write
from emulate import check
from buffers import Buffer, decode, encode
from problems import Case
from support import F16, DLArray, expect, main

FIRST = Case("full", "f16", (2, 2), (64, 64), (1, 70, 90))
SECOND = Case("causal", "f16", (2, 2), (64, 64), (1, 70, 40))

CHAIN = """!t = tensor<?x2x?x64xf16>
func.func @chain(%q: !t, %k: !t, %v: !t, %k2: !t, %v2: !t) -> RESULTS {
  %x = attn.attention %q, %k, %v scale(0.125) : (!t, !t, !t) -> !t
  %y = attn.attention %x, %k2, %v2 mask(#attn.causal<top_left>) scale(0.125) : (!t, !t, !t) -> !t
  return RETURNED
}
"""
# Heads as parts of the rows of a matrix: (batch, query, 2 * 64), split and moved as views.
FLAT = """!t = tensor<?x?x2x64xf16>
!flat = tensor<?x?x128xf16>
func.func @flat(%q: !flat, %k: !t, %v: !t, %k2: !t, %v2: !t) -> !flat {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %b = tensor.dim %q, %c0 : !flat
  %n = tensor.dim %q, %c1 : !flat
  %h = tensor.expand_shape %q [[0], [1], [2, 3]] output_shape [%b, %n, 2, 64] : !flat into !t
  %x = attn.attention %h, %k, %v scale(0.125) layout(bshd) : (!t, !t, !t) -> !t
  %y = attn.attention %x, %k2, %v2 mask(#attn.causal<top_left>) scale(0.125) layout(bshd) : (!t, !t, !t) -> !t
  %f = tensor.collapse_shape %y [[0], [1], [2, 3]] : !t into !flat
  return %f : !flat
}
"""


def compile_bundle(directory, text):
    os.makedirs(directory)
    source = os.path.join(directory, "program.mlir")
    with open(source, "w") as file:
        file.write(text)
    bundle = os.path.join(directory, "bundle")
    subprocess.run(["attn-compile", source, f"--target={TARGET}", "--emit=bundle", "-o", bundle,
                    "--schedule=tiles=query=64,key=64"], check=True)
    return attn_mlir.load(bundle)


class Chain:
    """Inputs, NaN for outputs, and what both attentions compute."""

    def __init__(self, layout="bhsd"):
        self.first, self.second = FIRST._replace(layout=layout), SECOND._replace(layout=layout)
        (q, k, v), (x,) = self.first.views()[0], self.first.views()[1][:1]
        (_, k2, v2), (y,) = self.second.views()[0], self.second.views()[1][:1]
        if layout == "bshd":
            # The heads of a row lie behind each other.
            q, y = (Buffer(q.sizes, (0, 2, 1, 3), "f16", 0) for _ in range(2))
        generator = random.Random(layout)
        for view in (q, k, v, k2, v2):
            view.fill(generator)
        rows, _ = self.wanted_first = self.first.wanted(q, k, v)
        between = Buffer(x.sizes, (0, 1, 2, 3), "f16", 0)
        for place, value in zip(between.places(), (value for row in rows for value in row)):
            between.values[place] = value
        between.values = list(decode(encode(between.values, "f16"), "f16"))
        self.wanted_second = self.second.wanted(between, k2, v2)
        self.inputs, self.outputs = [q, k, v, k2, v2], [x, y]
        self.addresses = [allocate(encode(view.values, "f16")) for view in self.inputs + self.outputs]

    def array(self, index, flat=False):
        view = (self.inputs + self.outputs)[index]
        order = (0, 1, 2, 3) if self.first.layout == "bhsd" else (0, 2, 1, 3)
        sizes, strides = [view.sizes[i] for i in order], [view.strides[i] for i in order]
        if flat:
            sizes, strides = [*sizes[:2], sizes[2] * sizes[3]], [*strides[:2], 1]
        return DLArray(sizes, F16, self.addresses[index], strides, 0, KIND)

    def assert_right(self, number):
        """One of the outputs, which is NaN again afterwards."""
        view, address = self.outputs[number], self.addresses[5 + number]
        size = len(encode(view.values, "f16"))
        case, wanted = ((self.first, self.wanted_first), (self.second, self.wanted_second))[number]
        error = check(case._replace(lse=False), [view], wanted, {0: read(address, size)})
        assert not error, error
        write(address, b"\xff" * size)


def test_workspace(scratch, log):
    kernel = compile_bundle(scratch, CHAIN.replace("RESULTS", "!t").replace("RETURNED", "%y : !t"))
    assert [view.name for view in kernel.views] == ["q", "k", "v", "arg3", "arg4", "o"], kernel.views
    assert [view.shape[2] for view in kernel.views] == ["query", "key", "key", "key_1", "key_1", "query"], kernel.views
    (variant,) = kernel.variants
    assert [step.kernel for step in variant.steps] == ["chain_attention", "chain_attention_0"]
    chain = Chain()
    inputs, out = [chain.array(i) for i in range(5)], chain.array(6)
    bytes = kernel.workspace_bytes(*inputs, out=out)
    assert bytes == (2 * 70 * 64 * 2 + 255) // 256 * 256, bytes
    kernel(*inputs, out=out)
    chain.assert_right(1)
    prepared = kernel.prepare(*inputs, out=out)
    prepared.launch()
    chain.assert_right(1)
    room = allocate(b"\xff" * bytes)
    assert room % 256 == 0
    kernel(*inputs, out=out, workspace=(room, bytes))
    chain.assert_right(1)
    # Keys of the first are none of the second's; queries are the same.
    other = DLArray((1, 2, 41, 64), F16, chain.addresses[4], None, 0, KIND)
    expect(ArgumentError, "expected size 40, but got 41; axis 'key_1' has that size in dimension 2 of 'arg3'", kernel,
           *inputs[:4], other, out=out)
    del prepared
    kernel.close()


def test_both_returned(scratch, log):
    kernel = compile_bundle(scratch, CHAIN.replace("RESULTS", "(!t, !t)").replace("RETURNED", "%x, %y : !t, !t"))
    assert kernel.variants[0].workspace_count == 0
    chain = Chain()
    kernel(*[chain.array(i) for i in range(5)], out=(chain.array(5), chain.array(6)))
    chain.assert_right(0)
    chain.assert_right(1)
    kernel.close()


def test_reshapes(scratch, log):
    kernel = compile_bundle(scratch, FLAT)
    chain = Chain("bshd")
    inputs = [chain.array(0, flat=True), *(chain.array(i) for i in range(1, 5))]
    kernel(*inputs, out=chain.array(6, flat=True))
    chain.assert_right(1)
    kernel.close()


if __name__ == "__main__":
    main()
