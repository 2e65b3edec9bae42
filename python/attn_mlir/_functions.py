"""Functions that regions have: ours, and torch's by name."""

import math
import sys

from . import _values as v
from ._captures import Partial
from ._errors import TraceError
from ._powers import power, repeated
from ._values import Value

_UNARY = {
    "exp": "math.exp", "exp2": "math.exp2", "log": "math.log", "log2": "math.log2", "sqrt": "math.sqrt",
    "expm1": "math.expm1", "log1p": "math.log1p",
    "tanh": "math.tanh", "sin": "math.sin", "cos": "math.cos", "atan": "math.atan", "erf": "math.erf", "erfc": "math.erfc",
    "floor": "math.floor", "ceil": "math.ceil",
}
_COMPARISONS = {
    "eq": "eq", "ne": "ne", "not_equal": "ne", "lt": "lt", "less": "lt", "le": "le", "less_equal": "le", "gt": "gt",
    "greater": "gt", "ge": "ge", "greater_equal": "ge",
}


def _first(*values):
    """The region of the first Value."""
    return next(value for value in values if isinstance(value, Value)).region


def _unary(operation):
    return lambda a: v.unary(operation, a)


def _rounding(operation):
    return lambda a: a if a.type != "f32" else v.unary(operation, a)


def _with_region(function):
    """A function of two operands, the first of which may be no Value."""
    return lambda a, b: function(v.wrap(_first(a, b), a), b)


def _swapped(function):
    return lambda a, b: _with_region(function)(b, a)


def _comparison(predicate):
    return _with_region(lambda a, b: v.compare(predicate, a, b))


def _bitwise(operation):
    return _with_region(lambda a, b: v.bitwise(operation, a, b))


def _logical(operation):
    return _with_region(lambda a, b: v.bitwise(
        operation, v.convert(a, "i1"), v.convert(v.wrap(a.region, b), "i1")))


def _sigmoid(a):
    return v.divide(v.wrap(a.region, 1.0), v.add(v.unary("math.exp", v.negate(v.convert(a, "f32"))), 1.0))


def _gelu(a, approximate="none"):
    a = v.convert(a, "f32")
    if approximate == "tanh":
        inner = v.multiply(v.add(a, v.multiply(repeated(a, 3), 0.044715)), math.sqrt(2 / math.pi))
        return v.multiply(v.multiply(a, 0.5), v.add(v.unary("math.tanh", inner), 1.0))
    return v.multiply(v.multiply(a, 0.5), v.add(v.unary("math.erf", v.multiply(a, math.sqrt(0.5))), 1.0))


def _softplus(a, beta=1, threshold=20):
    inner = v.multiply(v.convert(a, "f32"), float(beta))
    soft = v.divide(v.unary("math.log1p", v.unary("math.exp", v.extremum("min", inner, float(threshold)))), float(beta))
    return v.select(v.compare("gt", inner, float(threshold)), a, soft)


def _leaky_relu(a, negative_slope=0.01):
    return v.select(v.compare("gt", a, 0), a, v.multiply(a, float(negative_slope)))


def _sign(a):
    one = 1.0 if a.type == "f32" else 1
    return v.select(v.compare("gt", a, 0), one, v.select(v.compare("lt", a, 0), -one, v.multiply(a, 0)))


def _truncated(a):
    """Rounded towards 0."""
    return v.select(v.compare("lt", a, 0), v.unary("math.ceil", a), v.unary("math.floor", a)) if a.type == "f32" else a


def _rsqrt(a):
    # GPUs have no math.rsqrt.
    return v.divide(v.wrap(a.region, 1.0), v.unary("math.sqrt", a))


def _clamp(a, min=None, max=None):
    a = a if min is None else v.extremum("max", a, min)
    return a if max is None else v.extremum("min", a, max)


def _where(condition, a, b):
    return v.select(condition, a, b)


def _sum(a, b, alpha=1):
    return v.add(a, b if alpha == 1 else v.multiply(v.wrap(a.region, b), alpha))


def _difference(a, b, alpha=1):
    return v.subtract(a, b if alpha == 1 else v.multiply(v.wrap(a.region, b), alpha))


def _quotient(a, b, rounding_mode=None):
    if rounding_mode == "floor":
        return v.floor_divide(a, b)
    if rounding_mode is not None:
        raise a.region.error(f"expected rounding_mode None or 'floor', but got {rounding_mode!r}")
    return v.divide(a, b)


def _extremum(which, skips_nan=False):
    return _with_region(lambda a, b: v.extremum(which, a, b, skips_nan))


def _type_of(region, dtype):
    # A type of Python, or one of torch, which has names of its own for them.
    name = dtype.__name__ if isinstance(dtype, type) else str(dtype).rsplit(".", 1)[-1]
    types = {
        "float32": "f32", "float": "f32", "int32": "i32", "int": "i64", "int64": "i64", "bool": "i1",
        "float16": "f16", "half": "f16", "bfloat16": "bf16",
    }
    if name not in types:
        raise region.error(f"expected a conversion to float32, float16, bfloat16, int32, int64 or bool, but got {dtype}")
    return types[name]


def _cast(a, dtype):
    type = _type_of(a.region, dtype)
    if type not in ("f16", "bf16"):
        return v.convert(a, type)
    narrow = a.region.emit(f"arith.truncf {{0}} : f32 to {type}", (v.convert(a, "f32").name,), type)
    return a.region.emit(f"arith.extf {{0}} : {type} to f32", (narrow.name,), "f32")


def _to(a, *arguments, dtype=None, **_):
    """Tensor.to of a type, another value's type, or a device, which is none here."""
    given = dtype
    for argument in arguments:
        if isinstance(argument, Value):
            given = argument.type
            return v.convert(a, given)
        if type(argument).__name__ == "dtype" or isinstance(argument, type):
            given = argument
    return a if given is None else _cast(a, given)


def _filled(a, size, number, dtype=None, **_):
    """A number in the type of a value, as and_masks of torch begins with one."""
    if tuple(size) != ():
        raise a.region.error(f"expected scalars, but got a tensor of shape {tuple(size)}")
    number = v.wrap(a.region, number)
    return v.convert(number, a.type) if dtype is None else _cast(number, dtype)


def _getitem(array, indices):
    """An element of a captured array."""
    items = indices if isinstance(indices, tuple) else (indices,)
    region = next((item.region for item in items if isinstance(item, Value)), None)
    if region is None:
        region = array.region
    return region.captures.read(region, array, items)


def _named(function, *names):
    return {name: function for name in names}


_TABLE = {
    **{name: _unary(operation) for name, operation in _UNARY.items()},
    **_named(_rounding("math.floor"), "floor"),
    **_named(_rounding("math.ceil"), "ceil"),
    **{name: _comparison(predicate) for name, predicate in _COMPARISONS.items()},
    **{f"__{name}__": _comparison(name) for name in ("eq", "ne", "lt", "le", "gt", "ge")},
    **_named(_with_region(_sum), "__add__", "__radd__"),
    **_named(_with_region(_difference), "__sub__"),
    **_named(_swapped(v.subtract), "__rsub__", "rsub"),
    **_named(_with_region(v.multiply), "mul", "multiply", "__mul__", "__rmul__"),
    **_named(_with_region(v.divide), "true_divide", "__truediv__", "__div__"),
    **_named(_swapped(v.divide), "__rtruediv__", "__rdiv__"),
    **_named(_with_region(v.floor_divide), "floor_divide", "__floordiv__"),
    **_named(_swapped(v.floor_divide), "__rfloordiv__"),
    **_named(_with_region(v.remainder), "remainder", "__mod__"),
    **_named(_swapped(v.remainder), "__rmod__"),
    **_named(_with_region(power), "pow", "__pow__"),
    **_named(_swapped(power), "__rpow__"),
    **_named(v.negate, "neg", "negative", "__neg__"),
    **_named(v.absolute, "abs", "absolute", "__abs__"),
    **_named(v.invert, "bitwise_not", "__invert__"),
    **_named(lambda a: v.invert(v.convert(a, "i1")), "logical_not"),
    **_named(_bitwise("andi"), "bitwise_and", "__and__", "__rand__"),
    **_named(_bitwise("ori"), "bitwise_or", "__or__", "__ror__"),
    **_named(_bitwise("xori"), "bitwise_xor", "__xor__", "__rxor__"),
    **_named(_logical("andi"), "logical_and"),
    **_named(_logical("ori"), "logical_or"),
    **_named(_logical("xori"), "logical_xor"),
    **_named(_extremum("max"), "maximum", "max"),
    **_named(_extremum("min"), "minimum", "min"),
    "fmax": _extremum("max", skips_nan=True), "fmin": _extremum("min", skips_nan=True),
    **_named(_clamp, "clamp", "clip"),
    "clamp_min": lambda a, min: _clamp(a, min), "clamp_max": lambda a, max: _clamp(a, None, max),
    "relu": lambda a: v.extremum("max", a, 0.0 if a.type == "f32" else 0),
    "square": lambda a: v.multiply(a, a), "reciprocal": lambda a: v.divide(v.wrap(a.region, 1.0), a),
    "gelu": _gelu, "silu": lambda a: v.multiply(a, _sigmoid(a)), "softplus": _softplus, "leaky_relu": _leaky_relu,
    # GPUs have no math.tan.
    "tan": lambda a: v.divide(v.unary("math.sin", a), v.unary("math.cos", a)),
    "sign": _sign, "trunc": _truncated, "fix": _truncated, "isnan": lambda a: v.compare("ne", a, a),
    "sigmoid": _sigmoid, "softcap": v.softcap, "rsqrt": _rsqrt, "where": _where, "to": _to, "type": _to, "__getitem__": _getitem,
    "index": lambda array, indices: _getitem(array, tuple(indices)),
    "float": lambda a: v.convert(a, "f32"), "int": lambda a: v.convert(a, "i32"),
    "long": lambda a: v.convert(a, "i64"), "bool": lambda a: v.convert(a, "i1"),
    "half": lambda a: _cast(a, "float16"), "bfloat16": lambda a: _cast(a, "bfloat16"),
    "new_ones": lambda a, size, **more: _filled(a, size, 1, **more),
    "new_zeros": lambda a, size, **more: _filled(a, size, 0, **more), "new_full": _filled,
    "ones_like": lambda a, **more: _filled(a, (), 1, **more), "zeros_like": lambda a, **more: _filled(a, (), 0, **more),
    "full_like": lambda a, number, **more: _filled(a, (), number, **more),
    "clone": lambda a: a, "detach": lambda a: a, "contiguous": lambda a: a,
}
_WITH_KEYWORDS = {
    **_named(lambda a, other, alpha=1: _sum(v.wrap(_first(a, other), a), other, alpha), "add"),
    **_named(lambda a, other, alpha=1: _difference(v.wrap(_first(a, other), a), other, alpha), "sub", "subtract"),
    **_named(lambda a, other, rounding_mode=None: _quotient(v.wrap(_first(a, other), a), other, rounding_mode),
             "div", "divide"),
}
_TABLE.update(_WITH_KEYWORDS)
# Names of parameters that are no others of the functions above.
_PARAMETERS = {"where": (("condition",), ("input", "self"), ("other",)), "pow": (("input", "self"), ("exponent",))}
_USUAL_PARAMETERS = (("input", "self"), ("other",))


def _call(region, name, arguments, keywords):
    function = _TABLE.get(name)
    if function is None:
        known = ", ".join(sorted(name for name in _TABLE if not name.startswith("_")))
        raise region.error(f"expected functions that kernels have ({known}), but got '{name}'")
    arguments, count = list(arguments), len(arguments) + len(keywords)
    for argument in arguments:
        if isinstance(argument, Partial) and name not in ("__getitem__", "index"):
            v.wrap(region, argument)  # Says how many indices are missing.
    for names in _PARAMETERS.get(name, _USUAL_PARAMETERS)[len(arguments):]:
        arguments += [keywords.pop(given) for given in names if given in keywords]
    try:
        return function(*arguments, **keywords)
    except TypeError as error:
        raise region.error(
            f"'{name}': expected the arguments that it has of scalars, but got {count}"
            f"{''.join(f', {given}=' for given in keywords)}") from error


def find_region(arguments):
    """The region of a Value, or of what waits for more indices, among arguments, one level deep, or None."""
    for argument in arguments:
        if isinstance(argument, (Value, Partial)):
            return argument.region
        if isinstance(argument, (tuple, list)):
            for item in argument:
                if isinstance(item, Value):
                    return item.region
    return None


def of_torch(function, arguments, keywords):
    """What a function of torch is of Values."""
    region = find_region((*arguments, *keywords.values()))
    keywords = {name: given for name, given in keywords.items() if (name, given) not in (("out", None), ("inplace", False))}
    return _call(region, getattr(function, "__name__", str(function)), arguments, keywords)


def method(value, name):
    """An attribute of a Value, as that of a 0-dimensional tensor."""
    if name == "shape":
        return ()
    if name == "ndim":
        return 0
    if name == "dtype":
        return _dtype(value)
    if name == "device" and "torch" in sys.modules:
        # For what is made there, which is a number of the kernel.
        return sys.modules["torch"].device("cpu")
    if name.startswith("__") or name not in _TABLE:
        raise AttributeError(f"{value.region.name}: a value of a kernel has no attribute '{name}'")
    return lambda *arguments, **keywords: _call(value.region, name, (value, *arguments), keywords)


def _dtype(value):
    torch = sys.modules.get("torch")
    names = {"f32": "float32", "i1": "bool", "index": "int32", "i32": "int32", "i64": "int64"}
    return names[value.type] if torch is None else getattr(torch, names[value.type])


def _public(name, fallback):
    """A function of Values, which takes arrays and numbers as well."""

    def function(*arguments):
        region = find_region(arguments)
        if region is not None:
            return _call(region, name, arguments, {})
        torch = sys.modules.get("torch")
        if torch is not None and any(isinstance(argument, torch.Tensor) for argument in arguments):
            return getattr(torch, name)(*arguments)
        numpy = sys.modules.get("numpy")
        if numpy is not None and hasattr(numpy, name):
            return getattr(numpy, name)(*arguments)
        if fallback is None:
            raise TraceError(f"attn_mlir.{name}: expected a value of a kernel or an array, but got {arguments!r}")
        return fallback(*arguments)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"`{name}`, in functions that are traced (mask, score_mod); of arrays as torch or NumPy has it."
    return function


exp, log, log2, sqrt = (_public(name, getattr(math, name)) for name in ("exp", "log", "log2", "sqrt"))
tanh, sin, cos, erf = (_public(name, getattr(math, name)) for name in ("tanh", "sin", "cos", "erf"))
floor, ceil = _public("floor", math.floor), _public("ceil", math.ceil)
exp2 = _public("exp2", lambda x: 2.0**x)
rsqrt = _public("rsqrt", lambda x: 1 / math.sqrt(x))
sigmoid = _public("sigmoid", lambda x: 1 / (1 + math.exp(-x)))


def softcap(score, cap):
    """``cap * tanh(score / cap)``, as in Gemma 2. In a traced score_mod tanh is one instruction on NVIDIA GPUs then, off by
    2^-11 of the result; `tanh` itself is exact to an f32's last place of 1."""
    region = find_region((score, cap))
    if region is not None:
        return _call(region, "softcap", (score, cap), {})
    return cap * tanh(score / cap)


maximum, minimum = _public("maximum", max), _public("minimum", min)
where = _public("where", lambda condition, a, b: a if condition else b)
