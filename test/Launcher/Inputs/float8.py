"""Numbers of FP8, by what the types are: OCP OFP8 1.0, and of one zero and one NaN AMD's CDNA 3 ISA."""

import bisect
import math
import struct

# Bits of the mantissa and the bias.
TYPES = {"f8E4M3FN": (3, 7), "f8E5M2": (2, 15), "f8E4M3FNUZ": (3, 8)}


def _number(byte, element):
    mantissa, bias = TYPES[element]
    magnitude, is_negative = byte & 0x7F, byte >> 7
    exponent, rest = magnitude >> mantissa, magnitude & ((1 << mantissa) - 1)
    if element == "f8E4M3FNUZ" and byte == 0x80 or element == "f8E4M3FN" and magnitude == 0x7F:
        return math.nan
    if element == "f8E5M2" and exponent == 31:
        return math.nan if rest else math.copysign(math.inf, 0.5 - is_negative)
    value = math.ldexp(rest + (1 << mantissa if exponent else 0), max(exponent, 1) - bias - mantissa)
    return -value if is_negative else value


NUMBERS = {element: [_number(byte, element) for byte in range(256)] for element in TYPES}
# Finite ones that are not negative: byte n is the n-th.
POSITIVE = {element: [x for x in numbers[:128] if math.isfinite(x)] for element, numbers in NUMBERS.items()}


def decode(data, element):
    return [NUMBERS[element][byte] for byte in data]


def narrow(x, element):
    """The byte of a number: to the nearest, of two as near the even one; the largest for what is beyond it."""
    is_zero_unsigned = element == "f8E4M3FNUZ"
    if math.isnan(x):
        return 0x80 if is_zero_unsigned else 0x7F
    sign = 0x80 if math.copysign(1, x) < 0 else 0
    numbers, size = POSITIVE[element], abs(x)
    if size >= numbers[-1]:
        return sign | (len(numbers) - 1)
    above = bisect.bisect_left(numbers, size)
    byte = above
    if above > 0:
        down, up = size - numbers[above - 1], numbers[above] - size
        byte = above - 1 if down < up or (down == up and above % 2) else above
    return 0 if byte == 0 and is_zero_unsigned else sign | byte


def encode(values, element):
    return bytes(narrow(x, element) for x in values)


def quotient(x, scale):
    """x / scale in f32: of two f32 a quotient in float64 rounds to it as the exact one does."""
    if scale == 0 or math.isinf(x) or math.isnan(x) or math.isnan(scale):
        return math.nan if x == 0 or math.isnan(x) or math.isnan(scale) else math.copysign(math.inf, x) * math.copysign(1, scale)
    try:
        return struct.unpack("<f", struct.pack("<f", x / scale))[0]
    except OverflowError:
        return math.copysign(math.inf, x / scale)
