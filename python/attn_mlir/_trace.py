"""From Python functions to the regions of attn.attention.

A function is called once, with Values in place of numbers. What it makes of them is a text, and a
list of the arrays that it reads; kernels are keyed by the text. A function that is known from an
earlier call is not called: it is known by its code and by what it captures, arrays by their kind,
numbers by their value. Where it reads what this cannot see (attributes of objects and classes, numbers of arrays
that are not read by the kernel, arrays that it makes), it is called again each time.
"""

import collections
import dis
import functools
import math
import os
import threading
import types

from ._arrays import is_torch, torch_module
from ._captures import Captures, Marked, is_array, is_number, note_read, strides_of, WatchedReads
from ._errors import TraceError
from ._values import MOST_INDEX, Region, Value, convert, wrap

MOST_TRACES = 1024
_lock = threading.Lock()
_INDEX = ("%b", "%h", "%i", "%j")
# Modules of which functions are used, and nothing that changes.
_PURE_MODULES = {
    "torch", "math", "numpy", "attn_mlir", "operator", "_operator", "functools", "_functools", "itertools", "builtins"}
# Functions of these, and of Python, that do not depend on their arguments alone.
_IMPURE_NAMES = frozenset((
    "globals", "locals", "vars", "eval", "exec", "__import__", "is_grad_enabled", "get_default_dtype", "random", "rand", "randn",
    "randint", "randperm", "rand_like", "randn_like"))
# What a tensor says of itself that a signature has.
_OF_THE_KIND = frozenset(("shape", "dtype", "ndim", "size", "dim", "ndimension", "numel", "is_floating_point", "element_size", "__len__"))
# What is defined there depends on its arguments alone, which the tables that it looks into do not show.
_OWN_FUNCTIONS = "attn_mlir._functions"


class Traced:
    """Regions as text (``clauses``, of which ``bodies`` are the end), and the captures in the order of their arguments: arrays,
    then numbers.

    ``sources`` has for each array its place among the objects of a signature, or the array itself; ``constants`` are
    arrays that are numbers of the text, ``numbers`` pairs of type and value. Two of one text are equal: kernels are found by them.
    """

    def __init__(self, regions, captures, heads, are_fixed):
        self.captures = captures.list
        self.types = [capture.type(heads) for capture in self.captures]
        self.sorted = [capture.number for capture in self.captures if capture.is_sorted]
        self.sources = [capture.array for capture in self.captures]
        self.constants = captures.numbers
        self.numbers = []
        chosen = [{} for _ in regions] if are_fixed else self._choose(regions)
        self.bodies = self._bodies(regions, chosen)
        self.clauses = self._captured() + self.bodies

    def __eq__(self, other):
        return isinstance(other, Traced) and (self.clauses, self.sorted) == (other.clauses, other.sorted)

    def __hash__(self):
        return hash(self.clauses)

    def _choose(self, regions):
        """Names of the constants that are arguments, for each region."""
        found = [(place, *number) for place, one in enumerate(regions) for number in one.region.numbers()]
        hidden = [{name: "?" for at, name, _, _ in found if at == place} for place in range(len(regions))]
        skeleton = self._captured() + self._bodies(regions, hidden)
        chosen = [{} for _ in regions]
        for which in _changing(skeleton, [number for _, _, _, number in found]):
            place, name, type, number = found[which]
            if not _can_be_argument(type, number):
                continue
            chosen[place][name] = f"%u{len(self.numbers)}"
            self.numbers.append((type, number))
        return chosen

    def _types(self):
        return self.types + [type for type, _ in self.numbers]

    def _captured(self):
        names = [f"%c{i}" for i in range(len(self.types))] + [f"%n{i}" for i in range(len(self.numbers))]
        return f"\n    captures({', '.join(names)} : {', '.join(self._types())})" if names else ""

    def _bodies(self, regions, chosen):
        """The regions, without the clause of what they capture."""
        types, text = self._types(), ""
        inner = [f"%t{i}" for i in range(len(self.types))] + [f"%u{i}" for i in range(len(self.numbers))]
        arguments = [f"{name}: index" for name in _INDEX] + [f"{name}: {type}" for name, type in zip(inner, types)]
        for one, named in zip(regions, chosen):
            body = one.region.text(one.result, one.type, named)
            for number, type in enumerate(self.types):
                body = body.replace(f"$type{number}$", type)
            text += f"\n    {one.kind}({', '.join(one.first + arguments)}) {{\n{body}    }}"
        return text


# A region that was traced: "score" or "keep", its arguments before the index, and what it yields.
_Part = collections.namedtuple("_Part", "kind first region result type")

# Of each text with its constants left out: which numbers each of them was; None for those that change.
_seen = collections.OrderedDict()
_MOST_NUMBERS = 2
_PLAIN = (bool, int, float, str)
_LARGEST_FLOAT = (2 - 2**-23) * 2.0**127


def _changing(skeleton, numbers):
    """Places of the constants that were more than two numbers in calls: these are arguments, so that what counts up
    from call to call is not compiled each time."""
    with _lock:
        seen = _seen.setdefault(skeleton, [set() for _ in numbers])
        _seen.move_to_end(skeleton)
        while len(_seen) > MOST_TRACES:
            _seen.popitem(last=False)
        for place, number in enumerate(numbers):
            if seen[place] is not None:
                seen[place].add(number)
                if len(seen[place]) > _MOST_NUMBERS:
                    seen[place] = None
        return [place for place, known in enumerate(seen) if known is None]


def _can_be_argument(type, number):
    """Whether launches take the number: of an index those that GPUs have bits for, of an f32 those that are one."""
    if type == "f32":
        return math.isnan(number) or math.isinf(number) or abs(number) <= _LARGEST_FLOAT
    return type != "index" or abs(number) <= 2**29


class _Unseen(Exception):
    """A function depends on what a signature cannot see."""


class Signature:
    """What functions depend on: ``key`` is hashable, ``objects`` are the arrays."""

    def __init__(self):
        self.objects = []
        self._places = {}
        self._functions = []

    def of_traced(self, function):
        """Of the function that is traced, whose own arrays _with_marked() marks."""
        return self._function(function, is_marked=True) if isinstance(function, types.FunctionType) else self.of(function)

    def of(self, value, is_marked=False):
        if value is None or type(value) in _PLAIN:
            return type(value), value
        if isinstance(value, type):
            return self._builtin(value)
        if isinstance(value, Marked):
            return "marked", value.is_sorted, value.is_exact, self.of(value.marked, is_marked=True)
        if is_array(value):
            # A read of an array that is neither a tensor nor marked is not noticed.
            if not is_torch(value) and not is_marked and value.shape:
                raise _Unseen
            return self._array(value)
        if isinstance(value, types.FunctionType):
            return self._function(value)
        if isinstance(value, functools.partial):
            keywords = tuple((name, self.of(given)) for name, given in value.keywords.items())
            return "partial", self.of(value.func), tuple(map(self.of, value.args)), keywords
        if isinstance(value, tuple) and not hasattr(value, "__dict__"):
            return "tuple", type(value), tuple(map(self.of, value))
        if type(value).__module__ == "numpy" and getattr(value, "shape", None) == () and hasattr(value, "item"):
            return type(value), value.item()
        if isinstance(value, types.ModuleType):
            if value.__name__.partition(".")[0] in _PURE_MODULES:
                return "module", value.__name__
        elif _is_pure(value):
            return "builtin", value
        else:
            return self._builtin(value)
        raise _Unseen

    @staticmethod
    def _builtin(value):
        if not _is_builtin(value):
            raise _Unseen
        return "builtin", value

    def _array(self, value):
        place = self._places.get(id(value))
        if place is None:
            place = self._places[id(value)] = len(self.objects)
            self.objects.append(value)
        shape = tuple(value.shape)
        if not shape:
            number = value.item() if is_number(value) else None
            has_gradient = is_torch(value) and value.requires_grad and torch_module().is_grad_enabled()
            return "array", place, str(value.dtype), number, has_gradient
        return "array", place, value.dtype, shape, tuple(stride == 0 for stride in strides_of(value))

    def _function(self, function, is_marked=False):
        if function.__globals__.get("__name__") == _OWN_FUNCTIONS:
            return "builtin", function
        if function in self._functions:
            return "again", self._functions.index(function)
        self._functions.append(function)
        if _looks_elsewhere(function.__code__):
            raise _Unseen
        try:
            cells = tuple(self.of(cell.cell_contents, is_marked) for cell in function.__closure__ or ())
        except ValueError:  # A cell that is empty yet.
            raise _Unseen from None
        names = _global_names(function.__code__)
        known = function.__globals__
        read = tuple((name, self.of(known[name], is_marked)) for name in names if name in known)
        defaults = tuple(map(self.of, function.__defaults__ or ()))
        named = tuple((name, self.of(value)) for group in (function.__kwdefaults__ or {}, function.__dict__)
                      for name, value in group.items())
        return "function", function.__code__, cells, read, defaults, named


def _is_builtin(value):
    """A class or a function of C of a module that changes nothing; not one that is bound to an object, as `{}.get` is."""
    if not isinstance(value, (types.BuiltinFunctionType, type)):
        return False
    owner = getattr(value, "__self__", None)
    if owner is not None and not isinstance(owner, (type, types.ModuleType)):
        return False
    home = getattr(value, "__module__", None) or getattr(owner, "__module__", None) or getattr(owner, "__name__", "")
    return home.partition(".")[0] in _PURE_MODULES


@functools.lru_cache(maxsize=4096)
def _looks_elsewhere(code):
    """Whether a code, or one in it, imports what may change, or calls what does not depend on its arguments alone."""
    imports = any(
        instruction.opname == "IMPORT_NAME" and instruction.argval.partition(".")[0] not in _PURE_MODULES
        for instruction in dis.get_instructions(code))
    return imports or not _IMPURE_NAMES.isdisjoint(code.co_names) or any(
        _looks_elsewhere(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))


def _is_pure(value):
    """torch.float32 and the like."""
    return type(value).__module__.partition(".")[0] in ("torch", "numpy") and type(value).__name__ in ("dtype", "ufunc")


@functools.lru_cache(maxsize=4096)
def _global_names(code):
    """Names that a code, and those in it, may look up among globals."""
    names = dict.fromkeys(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            names.update(dict.fromkeys(_global_names(constant)))
    return tuple(names)


def _with_marked(function):
    """The function with arrays that cannot be indexed by Values replaced by what can."""
    if not isinstance(function, types.FunctionType):
        return function

    def needs(value):
        return not isinstance(value, type) and is_array(value) and not is_torch(value) and len(value.shape) > 0

    cells = [cell.cell_contents for cell in function.__closure__ or ()]
    names = [name for name in _global_names(function.__code__) if needs(function.__globals__.get(name))]
    if not names and not any(map(needs, cells)):
        return function
    known = dict(function.__globals__)
    known.update((name, Marked(known[name])) for name in names)
    closure = tuple(types.CellType(Marked(value) if needs(value) else value) for value in cells)
    return types.FunctionType(
        function.__code__, known, function.__name__, function.__defaults__, closure if function.__closure__ else None)


_mode_class = None


def _name_of(function):
    """Of an attribute its name."""
    name = getattr(function, "__name__", "")
    return getattr(function.__self__, "__name__", "") if name == "__get__" else name


def _torch_mode(torch):
    """Indexing of tensors by Values, which a tensor itself would refuse."""
    global _mode_class
    if _mode_class is None:
        from ._functions import find_region, of_torch

        class Mode(torch.overrides.TorchFunctionMode):
            def __torch_function__(self, function, types, args=(), kwargs=None):
                if find_region((*args, *(kwargs or {}).values())) is None:
                    if _name_of(function) not in _OF_THE_KIND:
                        note_read()
                    return function(*args, **(kwargs or {}))
                return of_torch(function, args, kwargs or {})

        _mode_class = Mode
    return _mode_class()


def _call(function, region, arguments):
    function, torch = _with_marked(function), torch_module()
    try:
        if torch is None:
            result = function(*arguments)
        else:
            with _torch_mode(torch):
                result = function(*arguments)
    except IndexError as error:
        # What NumPy says where it is indexed by what it does not know.
        raise region.error(f"{error}; captured arrays other than torch tensors want attn_mlir.capture(array)") from None
    if result is None:
        raise region.error("expected a value to be returned, but got None")
    return wrap(region, result)


def _part(name, function, captures, takes_score):
    region = Region(name, captures)
    arguments = [Value(region, index, "index", span=(0, MOST_INDEX)) for index in _INDEX]
    if takes_score:
        arguments.insert(0, Value(region, "%s", "f32"))
    result = _call(function, region, arguments)
    if not takes_score and result.type == "f32":
        raise region.error("expected a boolean to be returned, but got f32")
    type = "f32" if takes_score else "i1"
    result = convert(result, type)
    result.name  # A constant becomes an operation before others are counted.
    return _Part("score" if takes_score else "keep", ["%s: f32"] if takes_score else [], region, result, type)


def _trace(score_mod, mask, heads, are_fixed):
    captures, parts = Captures(), []
    if score_mod is not None:
        parts.append(_part("score_mod", score_mod, captures, True))
    if mask is not None:
        parts.append(_part("mask", mask, captures, False))
    return Traced(parts, captures, heads, are_fixed)


_traces = collections.OrderedDict()


def _after_fork():
    """A lock that another thread held does not open in the child."""
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


def trace(score_mod, mask, heads, are_fixed=False):
    """The Traced of two functions, either of which may be None, and the arrays of its captures. ``are_fixed``: no
    number becomes an argument."""
    signature = Signature()
    try:
        key = signature.of_traced(score_mod), signature.of_traced(mask), heads, are_fixed
    except _Unseen:
        key = None
    with _lock:
        traced = _traces.get(key) if key is not None else None
        if traced is not None:
            _traces.move_to_end(key)
    if traced is None:
        with WatchedReads() as reads:
            traced = _trace(score_mod, mask, heads, are_fixed)
        if reads.found or _places(traced.constants, signature) is None:
            key = None
        arrays, traced.sources = traced.sources, _places(traced.sources, signature)
        traced.constants = ()
        # Who keeps a trace keeps no arrays.
        for capture in traced.captures:
            capture.array = None
        if key is None or traced.sources is None:
            return traced, arrays
        with _lock:
            _traces[key] = traced
            while len(_traces) > MOST_TRACES:
                _traces.popitem(last=False)
    return traced, [signature.objects[place] for place in traced.sources]


def _places(arrays, signature):
    """Where a signature has arrays, or None where it does not know one."""
    known = {id(array): place for place, array in enumerate(signature.objects)}
    return [known[id(array)] for array in arrays] if all(id(array) in known for array in arrays) else None


def functions_of(mask, score_mod):
    """mask and score_mod as two functions: a tensor is a mask where it is boolean, else it is added."""
    if mask is None or not (is_array(mask) or isinstance(mask, Marked)):
        for name, function in (("mask", mask), ("score_mod", score_mod)):
            if function is not None and not callable(function):
                raise TraceError(f"{name}: expected a function or an array, but got {type(function).__name__}")
        return mask, score_mod
    rank = len(mask.shape)
    if not 1 <= rank <= 4:
        raise TraceError(f"mask: expected an array of 1 to 4 dimensions, but got {rank}")
    dtype = str(mask.dtype).rsplit(".", 1)[-1]
    is_bool = dtype == "bool"
    if not is_bool and dtype not in ("float16", "bfloat16", "float32"):
        raise TraceError(f"mask: expected booleans, float16, bfloat16 or float32, but got {mask.dtype}")
    table = Marked(mask, is_exact=True)
    if is_bool:
        return _reads(table, rank), score_mod
    return None, _adds(table, rank, score_mod)


def _reads(table, rank):
    return lambda b, h, q, k: table[(b, h, q, k)[4 - rank :]]


def _adds(table, rank, score_mod):
    if score_mod is None:
        return lambda score, b, h, q, k: score + table[(b, h, q, k)[4 - rank :]]
    return lambda score, b, h, q, k: score_mod(score, b, h, q, k) + table[(b, h, q, k)[4 - rank :]]
