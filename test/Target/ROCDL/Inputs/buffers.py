"""Arrays that kernels read and write, in memory as they are given to them, and their numbers."""

import array
import bisect
import functools
import itertools
import math
import struct

# Bits of mantissa, bias, largest number, of types of 8 bits; with one zero and one NaN, or not.
_FLOAT8 = {"f8E4M3FNUZ": (3, 8, 240, True), "f8E4M3FN": (3, 7, 448, False), "f8E5M2": (2, 15, 57344, False)}


@functools.lru_cache
def _float8(element):
    """What each byte of a type of 8 bits stands for, its magnitudes in their order, and its NaN."""
    bits, bias, largest, one_zero = _FLOAT8[element]
    magnitudes = []
    for code in range(128):
        exponent, mantissa = code >> bits, code & (1 << bits) - 1
        scale = 2.0 ** (max(exponent, 1) - bias - bits)
        magnitudes.append(((exponent > 0) << bits | mantissa) * scale)
    numbers = [x if x <= largest else math.nan for x in magnitudes]
    return numbers + [-x for x in numbers[:1]] * (not one_zero) + [math.nan] * one_zero + [-x for x in numbers[1:]], [
        x for x in magnitudes if x <= largest
    ], 0x80 if one_zero else 0x7F


def _encode_float8(x, element):
    """To the nearest, ties to even codes."""
    _, magnitudes, nan = _float8(element)
    if math.isnan(x):
        return nan
    at = bisect.bisect_left(magnitudes, abs(x))
    if at == len(magnitudes):
        at -= 1
    elif at > 0:
        below, above = abs(x) - magnitudes[at - 1], magnitudes[at] - abs(x)
        at -= below < above or (below == above and at % 2 == 1)
    return at | 0x80 if x < 0 and (at > 0 or nan != 0x80) else at


def encode(values, element):
    if element in _FLOAT8:
        return bytes(_encode_float8(x, element) for x in values)
    if element == "i32":
        return struct.pack("<%di" % len(values), *values)
    if element == "f16":
        return struct.pack("<%de" % len(values), *values)
    if element == "f32":
        return struct.pack("<%df" % len(values), *values)
    words = array.array("I", struct.pack("<%df" % len(values), *values))
    rounded = array.array("H")
    for word in words:
        if word & 0x7FFFFFFF > 0x7F800000:
            rounded.append(0x7FC0)
        else:
            rounded.append((word + 0x7FFF + (word >> 16 & 1)) >> 16)
    return rounded.tobytes()


def decode(data, element):
    if element in _FLOAT8:
        return tuple(_float8(element)[0][byte] for byte in data)
    if element == "f16":
        return struct.unpack("<%de" % (len(data) // 2), data)
    if element == "f32":
        return struct.unpack("<%df" % (len(data) // 4), data)
    words = array.array("I", (half << 16 for half in array.array("H", data)))
    return struct.unpack("<%df" % len(words), words.tobytes())


def conditions(limits):
    """Those of single quantities, also where a dimension of size 1 is excepted."""
    return [limit[2] if limit[0] == "or" else limit for limit in limits]


class Buffer:
    """A strided array of (batch, head, sequence, feature) with NaN in its gaps."""

    def __init__(self, sizes, order, element, gap):
        self.sizes, self.element = sizes, element
        stride, self.strides = 1, [0] * len(sizes)
        for place in reversed(order):
            self.strides[place] = stride
            stride *= sizes[place]
            if place == order[-1]:
                stride += gap
        self.values = [math.nan] * max(stride + 64, 1)

    def passed(self):
        """Strides that the kernel is told."""
        return self.strides

    def argument(self):
        """Type and size for attn-emulate."""
        return "%s[%d]" % ("i8" if self.element in _FLOAT8 else self.element, len(self.values))

    def rows(self):
        """Places of the numbers along the last dimension, for each of the others."""
        if 0 in self.sizes:
            return
        *outer, last = (range(0, size * stride, stride) for size, stride in zip(self.sizes, self.strides))
        for offsets in itertools.product(*outer):
            base = sum(offsets)
            yield range(base, base + last.stop, last.step)

    def places(self):
        return itertools.chain.from_iterable(self.rows())

    def fill(self, generator):
        for row in self.rows():
            self.values[row.start : row.stop : row.step] = [generator.gauss(0, 1) for _ in row]
        self.values = list(decode(encode(self.values, self.element), self.element))

    def move_apart(self, limits, number):
        """Takes the largest stride of rows that the limits of view `number` allow; the caller's
        arrays hold rows only."""
        row = len(self.sizes) - 2
        most = min(limit[2] for limit in conditions(limits) if limit[:2] == ["le", ["stride", number, row]])
        self.far = [1] * len(self.sizes)
        self.far[row] = most - most % 8
        for dim in reversed(range(row)):
            self.far[dim] = self.far[dim + 1] * max(self.sizes[dim + 1], 1)
        stride = 1
        for dim in reversed(range(len(self.sizes))):
            self.strides[dim] = stride
            stride *= self.sizes[dim]
        self.values = [math.nan] * stride
        self.passed = lambda: self.far
        sizes, strides = "x".join(map(str, self.sizes)), ",".join(map(str, self.far[:-1]))
        self.argument = lambda: "%s[%s@%s]" % (self.element, sizes, strides)

    def base(self, *index):
        return sum(i * s for i, s in zip(index, self.strides))

    def row(self, *index):
        base = self.base(*index)
        return self.values[base : base + self.sizes[-1]]

    def scale(self, factor, *index):
        base, scaled = self.base(*index), [factor * x for x in self.row(*index)]
        self.values[base : base + len(scaled)] = decode(encode(scaled, self.element), self.element)


class Scales(Buffer):
    """Positive numbers."""

    def fill(self, generator):
        self.values = [2.0 ** generator.uniform(-2, 1) for _ in self.values]
        self.values = list(decode(encode(self.values, self.element), self.element))


class Numbers(Buffer):
    """Integers that are given, with large ones where nothing is to be read."""

    def __init__(self, sizes, numbers):
        super().__init__(sizes, range(len(sizes)), "i32", 0)
        self.values = [*numbers, *[1 << 20] * (len(self.values) - len(numbers))]

    def fill(self, _generator):
        pass
