"""Values that a Python function computes with while it is traced, and the text of its region.

A :class:`Value` is one scalar of a region of ``attn.attention``: an f32, an i1, or an integer (index,
i32 or i64). Operators and functions on it append operations to its region. Semantics are those of
0-dimensional torch tensors, as FlexAttention has them: `//` and `%` round down, `/` gives f32.
"""

import math
import operator
import struct

from ._errors import TraceError

_RANK = {"i1": 0, "i32": 1, "index": 2, "i64": 3, "f32": 4}
_CONTRACT = " fastmath<contract>"
# A scale and a factor may be one factor; a distance's product with a slope be rounded once more.
_REASSOCIATE = " fastmath<reassoc,contract>"
# A division of a score by what is the same for all may be a product with its reciprocal.
_RECIPROCAL = " fastmath<reassoc,contract,arcp>"
# Indices are taken to be at most this, where the question is whether 32 bits hold what is computed of them.
MOST_INDEX = 2**24
_MOST = 2**31 - 1


def _f32(number):
    """A number as MLIR writes an f32."""
    try:
        rounded = struct.unpack("=f", struct.pack("=f", number))[0]
    except OverflowError:
        rounded = math.copysign(math.inf, number)
    if math.isfinite(rounded):
        return f"{rounded:.9e}"
    return f"0x{struct.unpack('=I', struct.pack('=f', rounded))[0]:08X}"


class Region:
    """Operations of a region, each once. ``name`` says in messages which function is traced."""

    def __init__(self, name, captures):
        self.name = name
        self.captures = captures
        self._operations = []  # (text with {0}, {1}, ... for operands, operands)
        self._numbers = {}
        self._constants = {}  # Number of the operation: type and Python number.
        self._fixed = set()
        self._of_score = {"%s"}  # Operands that depend on the score.

    def error(self, message):
        return TraceError(f"{self.name}: {message}")

    def emit(self, text, operands, type, **facts):
        """The value of an operation. Arguments of the region are operands by name."""
        return Value(self, self._add(text, operands), type, **facts)

    def _add(self, text, operands):
        key = text, operands
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._operations)
            self._operations.append(key)
            if not self._of_score.isdisjoint(operands):
                self._of_score.add(number)
        return number

    def is_of_score(self, value):
        return value.constant is None and value.name in self._of_score

    def constant(self, number, type):
        """A number of Python, which becomes an operation where one uses it."""
        most = 2 ** (63 if type == "i64" else 31)
        if type not in ("f32", "i1") and not -most <= number < most:
            raise self.error(f"expected integers of {'64' if type == 'i64' else '32'} bits, but got {number}")
        span = None if type in ("f32", "i1") else (number, number)
        return Value(self, None, type, constant=bool(number) if type == "i1" else number, span=span)

    def add_constant(self, number, type):
        if type == "i1":
            return self._add(f"arith.constant {'true' if number else 'false'}", ())
        text = _f32(number) if type == "f32" else str(number)
        name = self._add(f"arith.constant {text} : {type}", ())
        self._constants[name] = type, number
        return name

    def fix(self, value):
        """A constant that must be one: it is no number that calls may change."""
        self._fixed.add(value.name)

    def numbers(self):
        """Constants that could be arguments: (name, type, number)."""
        return [(name, *self._constants[name]) for name in sorted(self._constants) if name not in self._fixed]

    def text(self, result, type, arguments=None):
        """All operations, and the yield of ``result``. ``arguments`` has names for constants that are none."""
        arguments = arguments or {}

        def name(operand):
            return arguments.get(operand, f"%{operand}") if isinstance(operand, int) else operand

        lines = [
            f"      %{number} = {text.format(*map(name, operands))}\n"
            for number, (text, operands) in enumerate(self._operations) if number not in arguments
        ]
        return "".join(lines) + f"      attn.yield {name(result.name)} : {type}\n"


class Value:
    """A scalar of a region. Its truth is not known while a function is traced."""

    # NumPy's numbers leave operators to this class.
    __array_ufunc__ = None
    __slots__ = ("region", "_name", "type", "constant", "span", "magnitude")

    def __init__(self, region, name, type, constant=None, span=None, magnitude=None):
        self.region = region
        self._name = name
        self.type = type
        self.constant = constant  # The Python number that it is.
        self.span = span  # The least and the most that an integer can be, where that is known to be within 32 bits.
        self.magnitude = magnitude  # Of what it is the absolute value.

    @property
    def natural(self):
        """Whether it is an integer that is 0 or more."""
        return self.span is not None and self.span[0] >= 0

    @property
    def name(self):
        """The operation or the argument that it is."""
        if self._name is None:
            self._name = self.region.add_constant(self.constant, self.type)
        return self._name

    def __repr__(self):
        return f"<{self.type} of {self.region.name}>"

    def __bool__(self):
        raise self.region.error(
            "expected no decision on a value that each score has: `if`, `and`, `or`, `not` and chained comparisons "
            "ask for it; use attn_mlir.where (or torch.where), `&`, `|` and `~`")

    def __index__(self):
        raise self.region.error(
            "expected no number of Python, as int(), float(), range() and math ask for, of a value that each score has; a captured "
            "array that is indexed by such values is to be a torch tensor, or attn_mlir.capture(array)")

    def __iter__(self):
        raise self.region.error("expected scalars, but got an iteration over one")

    __hash__ = object.__hash__

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        from ._functions import of_torch

        return of_torch(function, args, kwargs or {})

    def __add__(self, other):
        return add(self, other)

    __radd__ = __add__

    def __sub__(self, other):
        return subtract(self, other)

    def __rsub__(self, other):
        return subtract(wrap(self.region, other), self)

    def __mul__(self, other):
        return multiply(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other):
        return divide(self, other)

    def __rtruediv__(self, other):
        return divide(wrap(self.region, other), self)

    def __floordiv__(self, other):
        return floor_divide(self, other)

    def __rfloordiv__(self, other):
        return floor_divide(wrap(self.region, other), self)

    def __mod__(self, other):
        return remainder(self, other)

    def __rmod__(self, other):
        return remainder(wrap(self.region, other), self)

    def __pow__(self, other):
        from ._powers import power

        return power(self, other)

    def __rpow__(self, other):
        from ._powers import power

        return power(wrap(self.region, other), self)

    def __neg__(self):
        return negate(self)

    def __pos__(self):
        return self

    def __abs__(self):
        return absolute(self)

    def __invert__(self):
        return invert(self)

    def __and__(self, other):
        return bitwise("andi", self, other)

    __rand__ = __and__

    def __or__(self, other):
        return bitwise("ori", self, other)

    __ror__ = __or__

    def __xor__(self, other):
        return bitwise("xori", self, other)

    __rxor__ = __xor__

    def __lshift__(self, other):
        return shift("shli", self, other)

    def __rshift__(self, other):
        return shift("shrsi", self, other)

    def __rlshift__(self, other):
        return shift("shli", wrap(self.region, other), self)

    def __rrshift__(self, other):
        return shift("shrsi", wrap(self.region, other), self)

    def __eq__(self, other):
        return compare("eq", self, other)

    def __ne__(self, other):
        return compare("ne", self, other)

    def __lt__(self, other):
        return compare("lt", self, other)

    def __le__(self, other):
        return compare("le", self, other)

    def __gt__(self, other):
        return compare("gt", self, other)

    def __ge__(self, other):
        return compare("ge", self, other)

    def __getattr__(self, name):
        from ._functions import method

        return method(self, name)


def wrap(region, value):
    """``value`` as a Value of ``region``: one already, a number, or an array of one element."""
    if isinstance(value, Value):
        if value.region is not region:
            raise region.error("expected values of this function, but got one of another")
        return value
    if isinstance(value, bool):
        return region.constant(value, "i1")
    if isinstance(value, int):
        return region.constant(value, "index" if -(2**31) <= value < 2**31 else "i64")
    if isinstance(value, float):
        return region.constant(value, "f32")
    return region.captures.scalar(region, value)


def convert(value, type):
    """``value`` in another type."""
    region, source = value.region, value.type
    if source == type:
        return value
    if value.constant is not None:
        number = value.constant
        if type == "f32":
            return region.constant(float(number), type)
        if type == "i1":
            return region.constant(bool(number), type)
        return region.constant(int(number), type)
    if type == "i1":
        return compare("ne", value, 0)
    if type == "f32":
        return _to_float(value)
    if source == "f32":
        whole = "i64" if type == "i64" else "i32"
        return convert(region.emit(f"arith.fptosi {{0}} : f32 to {whole}", (value.name,), whole), type)
    return _to_integer(value, type)


def _to_float(value):
    region, source = value.region, value.type
    if source == "i1":
        return select(value, region.constant(1.0, "f32"), region.constant(0.0, "f32"))
    if source == "index":
        value, source = _to_integer(value, "i32"), "i32"
    return region.emit(f"arith.sitofp {{0}} : {source} to f32", (value.name,), "f32")


def _to_integer(value, type):
    source = value.type
    if source == "i1" and type == "index":
        return _to_integer(_to_integer(value, "i32"), type)
    if source == "i1":
        text = "extui"
    elif "index" in (source, type):
        text = "index_cast"
    else:
        text = "extsi" if _RANK[type] > _RANK[source] else "trunci"
    span = (0, 1) if source == "i1" else value.span
    return value.region.emit(f"arith.{text} {{0}} : {source} to {type}", (value.name,), type, span=span)


def unify(a, b, floating=False):
    """Two operands in one type; numbers of Python take that of the other."""
    if not isinstance(a, Value):
        a = wrap(b.region, a)
    b = wrap(a.region, b)
    type = common_type(a, b)
    if floating:
        type = "f32"
    return convert(a, type), convert(b, type)


def common_type(a, b):
    for one, other in ((a, b), (b, a)):
        # A number of Python is as wide as what it meets.
        if one.constant is not None and one.type == "index" and other.type in ("i32", "i64"):
            return other.type
    return max(a.type, b.type, key=_RANK.get)


def _numbers(a, b):
    """As unify; booleans are integers."""
    a, b = unify(a, b)
    return (convert(a, "i32"), convert(b, "i32")) if a.type == "i1" else (a, b)


def _within(*numbers):
    """The span of what is one of these, or lies between them; None beyond 32 bits."""
    return (min(numbers), max(numbers)) if -_MOST <= min(numbers) and max(numbers) <= _MOST else None


def _spans(operation, a, b):
    """The span of a sum, a difference or a product."""
    if a.span is None or b.span is None:
        return None
    return _within(*(operation(x, y) for x in a.span for y in b.span))


def _of_32_bits(a, b, span):
    """Operands whose result may be beyond 32 bits: an index has as many, as torch's have, whatever the machine's have."""
    return (convert(a, "i32"), convert(b, "i32")) if span is None and a.type == "index" else (a, b)


def _sum(operation, function, a, b):
    span = _spans(function, a, b)
    # Sums with what is not known are not taken to be that large.
    if a.span is not None and b.span is not None:
        a, b = _of_32_bits(a, b, span)
    return _pair(operation, a, b, span=span)


def _pair(operation, a, b, flags="", **facts):
    return a.region.emit(f"arith.{operation} {{0}}, {{1}}{flags} : {a.type}", (a.name, b.name), a.type, **facts)


def add(a, b):
    a, b = unify(a, b)
    if a.type == "i1":
        return _pair("ori", a, b)  # As torch has it.
    if a.type == "f32":
        return _pair("addf", a, b, _CONTRACT)
    return _sum("addi", operator.add, a, b)


def subtract(a, b):
    a, b = _numbers(a, b)
    return _pair("subf", a, b, _CONTRACT) if a.type == "f32" else _sum("subi", operator.sub, a, b)


def multiply(a, b):
    a, b = unify(a, b)
    if a.type == "i1":
        return _pair("andi", a, b)
    if a.type == "f32":
        return _pair("mulf", a, b, _REASSOCIATE)
    span = _spans(operator.mul, a, b)
    return _pair("muli", *_of_32_bits(a, b, span), span=span)


def divide(a, b):
    a, b = unify(a, b, floating=True)
    # Quotients of indices are exact where they are whole: floor(k / 49) counts on it.
    is_exact = b.constant is not None and math.isfinite(b.constant) and abs(math.frexp(b.constant)[0]) == 0.5
    return _pair("divf", a, b, _RECIPROCAL if is_exact or a.region.is_of_score(a) else "")


def _divisor(region, value):
    """A constant other than 0: regions are evaluated for padding, too, where others might be zero."""
    if value.constant is None or value.constant == 0:
        what = "0" if value.constant == 0 else "a value that may be zero"
        raise region.error(f"expected integer // and % by a constant other than 0, but got {what}")
    return value.constant


def floor_divide(a, b):
    a, b = _numbers(a, b)
    region = a.region
    if a.type == "f32":
        return unary("math.floor", _pair("divf", a, b))
    number = _divisor(region, b)
    if abs(number) == 1:
        return a if number == 1 else negate(a)
    region.fix(b)
    span = None if a.span is None else _within(*(x // number for x in a.span))
    return _pair("divui" if a.natural and number > 0 else "floordivsi", a, b, span=span)


def remainder(a, b):
    a, b = _numbers(a, b)
    if a.type != "f32" and _divisor(a.region, b) > 0 and a.natural:
        a.region.fix(b)
        return _pair("remui", a, b, span=_within(0, b.constant - 1))
    if a.type != "f32" and b.constant > 0:
        whole = floor_divide(a, b)
        # Within 32 bits, or the difference wraps back.
        rest = subtract(a, _pair("muli", whole, b))
        return Value(rest.region, rest.name, rest.type, span=_within(0, b.constant - 1))
    return subtract(a, multiply(floor_divide(a, b), b))


def negate(a):
    if a.type == "f32":
        return a.region.emit("arith.negf {0} : f32", (a.name,), "f32")
    return subtract(a.region.constant(0, "i32" if a.type == "i1" else a.type), a)


def absolute(a):
    if a.type == "f32":
        return unary("math.absf", a)
    opposite = negate(a)
    a = convert(a, opposite.type)
    span = None if a.span is None else _within(0, *map(abs, a.span))
    return _pair("maxsi", a, opposite, span=span, magnitude=(a, opposite))


def invert(a):
    if a.type == "f32":
        raise a.region.error("expected ~ of booleans or integers, but got f32")
    ones = a.region.constant(True, "i1") if a.type == "i1" else a.region.constant(-1, a.type)
    return _pair("xori", a, ones)


def bitwise(operation, a, b):
    a, b = unify(a, b)
    if a.type == "f32":
        raise a.region.error("expected &, | and ^ of booleans or integers, but got f32")
    for one, other in ((a, b), (b, a)):
        if one.type == "i1" and one.constant is (operation == "andi"):
            return other
    span = None
    if a.natural and b.natural:
        most = (1 << max(a.span[1], b.span[1]).bit_length()) - 1
        span = 0, min(a.span[1], b.span[1]) if operation == "andi" else most
    return _pair(operation, a, b, span=span)


def shift(operation, a, b):
    a, b = _numbers(a, b)
    bits = 64 if a.type == "i64" else 32
    if a.type == "f32" or b.constant is None or not 0 <= b.constant < bits:
        raise a.region.error(f"expected an integer to be shifted by a constant from 0 to {bits - 1}")
    span = None if a.span is None else tuple(x >> b.constant for x in a.span)
    if operation == "shli":
        span = None if a.span is None else _within(*(x << b.constant for x in a.span))
        a, b = _of_32_bits(a, b, span)
    a.region.fix(b)
    return _pair(operation, a, b, span=span)


_SIGNED = {"eq": "eq", "ne": "ne", "lt": "slt", "le": "sle", "gt": "sgt", "ge": "sge"}
_ORDERED = {"eq": "oeq", "ne": "une", "lt": "olt", "le": "ole", "gt": "ogt", "ge": "oge"}
_SWAPPED = {"eq": "eq", "ne": "ne", "lt": "gt", "le": "ge", "gt": "lt", "ge": "le"}


def compare(predicate, a, b):
    a, b = unify(a, b)
    if a.type == "i1" and predicate not in ("eq", "ne"):
        a, b = convert(a, "i32"), convert(b, "i32")
    if a.magnitude is None and b.magnitude is not None:
        a, b, predicate = b, a, _SWAPPED[predicate]
    if a.magnitude is not None and predicate not in ("eq", "ne"):
        # Two comparisons, from which the compiler knows bounds of keys.
        one, other = (compare(predicate, part, b) for part in a.magnitude)
        return bitwise("andi" if predicate in ("lt", "le") else "ori", one, other)
    operation = f"cmpf {_ORDERED[predicate]}" if a.type == "f32" else f"cmpi {_SIGNED[predicate]}"
    return a.region.emit(f"arith.{operation}, {{0}}, {{1}} : {a.type}", (a.name, b.name), "i1")


def extremum(which, a, b, skips_nan=False):
    """"max" or "min"; of a NaN and a number NaN, or the number where it ``skips_nan``."""
    a, b = _numbers(a, b)
    if a.type == "f32":
        return _pair(which + ("numf" if skips_nan else "imumf"), a, b)
    span, one = None, max if which == "max" else min
    if a.span is not None and b.span is not None:
        span = one(a.span[0], b.span[0]), one(a.span[1], b.span[1])
    elif which == "max" and (a.natural or b.natural) and a.type == "i32":
        span = 0, _MOST
    return _pair(which + "si", a, b, span=span)


def select(condition, a, b):
    region = next(value for value in (condition, a, b) if isinstance(value, Value)).region
    condition = convert(wrap(region, condition), "i1")
    a, b = unify(wrap(region, a), wrap(region, b))
    span = None if a.span is None or b.span is None else _within(*a.span, *b.span)
    return region.emit(
        f"arith.select {{0}}, {{1}}, {{2}} : {a.type}", (condition.name, a.name, b.name), a.type, span=span)


def unary(operation, a, flags=""):
    """An operation of f32."""
    a = convert(a, "f32")
    return a.region.emit(f"{operation} {{0}}{flags} : f32", (a.name,), "f32")


def softcap(score, cap):
    """cap * tanh(score / cap), by the chip's approximation of tanh where it has one."""
    cap = convert(wrap(score.region, cap), "f32")
    return multiply(unary("math.tanh", divide(score, cap), " fastmath<afn>"), cap)
