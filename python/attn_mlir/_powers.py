"""`**` of values that a Python function computes with while it is traced."""

import math

from ._values import (
    Value,
    absolute,
    bitwise,
    common_type,
    compare,
    convert,
    divide,
    multiply,
    negate,
    select,
    unary,
    wrap,
)


def repeated(a, count):
    """a to a count of 1 or more, by squares."""
    result = None
    while count:
        if count & 1:
            result = a if result is None else multiply(result, a)
        count >>= 1
        a = multiply(a, a) if count else a
    return result


def power(a, b):
    """By products for whole constants up to 64 and of integers, else by logarithms: GPUs have no math.powf."""
    if not isinstance(a, Value):
        a = wrap(b.region, a)
    b = wrap(a.region, b)
    count = b.constant
    if count == 0:
        return convert(a.region.constant(1, "i32"), "f32" if isinstance(count, float) else common_type(a, a))
    if count is None and "f32" not in (a.type, b.type):
        return _whole_power(a, b)
    if count is not None and math.isfinite(count) and count == int(count) and abs(count) <= 64:
        whole = a if isinstance(count, int) and count > 0 else convert(a, "f32")
        result = repeated(whole, int(abs(count)))
        return result if count > 0 else divide(a.region.constant(1.0, "f32"), result)
    if count == 0.5:
        return unary("math.sqrt", a)
    return _real_power(convert(a, "f32"), convert(b, "f32"))


def _whole_power(a, b):
    """An integer to an integer of 0 or more, by squares; beyond 32 bits it wraps, as torch's does."""
    region, b = a.region, convert(b, "i32")
    if a.constant in (1, -1):
        is_odd = compare("ne", bitwise("andi", b, 1), 0)
        return select(is_odd, region.constant(a.constant, "i32"), region.constant(1, "i32"))
    if not b.natural:
        raise region.error(
            "expected integers to the power of what is 0 or more, or a float, as in 2.0 ** y, but got an exponent that may be less")
    a = convert(a, "i64" if a.type == "i64" else "i32")
    result, bits = region.constant(1, a.type), b.span[1].bit_length()
    for bit in range(bits):
        is_set = compare("ne", bitwise("andi", b, 1 << bit), 0)
        result = select(is_set, multiply(result, a), result)
        if bit + 1 < bits:
            a = multiply(a, a)
    return result


def _real_power(a, b):
    """By logarithms of the magnitude: GPUs have no math.powf."""
    region, one, zero = a.region, a.region.constant(1.0, "f32"), a.region.constant(0.0, "f32")
    result = unary("math.exp2", multiply(b, unary("math.log2", absolute(a))))
    if a.constant is not None and a.constant > 0:
        return result
    half = multiply(b, 0.5)
    is_odd = compare("ne", unary("math.floor", half), half)
    is_whole = compare("eq", unary("math.floor", b), b)
    negative = select(is_whole, select(is_odd, negate(result), result), region.constant(math.nan, "f32"))
    result = select(compare("lt", a, zero), negative, result)
    return select(compare("eq", b, zero), one, result)
