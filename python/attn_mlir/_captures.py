"""Arrays that a traced function reads."""

import threading

from ._arrays import is_torch, torch_module
from ._errors import ArgumentError
from ._values import Value, convert, wrap

_DTYPES = {
    "float16": "f16", "bfloat16": "bf16", "float32": "f32", "bool": "i8", "int8": "i8", "int32": "i32", "int64": "i64",
}
_ORDER = ("batch", "head", "query", "key")
_AXES = {"%b": "batch", "%h": "head", "%i": "query", "%j": "key"}
_tracing = threading.local()


class WatchedReads:
    """While a function is traced: ``found`` says whether it read numbers of arrays, which its text then has as constants
    (``x[0]``, ``x.max()``, ``x.item()``), so that another call may want another text."""

    def __enter__(self):
        self._before = getattr(_tracing, "watch", None)
        self.found = False
        _tracing.watch = self
        return self

    def __exit__(self, *exception):
        _tracing.watch = self._before


def note_read():
    """A number of an array was read, not by a kernel."""
    watch = getattr(_tracing, "watch", None)
    if watch is not None:
        watch.found = True


class Marked:
    """An array that a traced function may index; ``is_sorted`` promises that numbers never fall along
    its last dimension (attn_mlir.capture, attn_mlir.sorted), ``is_exact`` that dimensions are those of scores, or 1."""

    def __init__(self, array, is_sorted=False, is_exact=False):
        is_marked = isinstance(array, Marked)
        self.marked = array.marked if is_marked else array
        self.is_sorted = is_sorted or (is_marked and array.is_sorted)
        self.is_exact = is_exact

    @property
    def array(self):
        """What is marked, for others than the tracer."""
        note_read()
        return self.marked

    @property
    def shape(self):
        return self.marked.shape

    @property
    def dtype(self):
        return self.marked.dtype

    def __getitem__(self, indices):
        items = indices if isinstance(indices, tuple) else (indices,)
        region = next((item.region for item in items if isinstance(item, Value)), None)
        if region is None:
            note_read()
            return self.marked[indices]
        return region.captures.read(region, self, items)


def capture(array):
    """Marks an array other than a torch tensor as one that a mask or a score modification reads."""
    return Marked(array)


def sorted(array):
    """Marks an array of int32 or int64 whose numbers never fall along its last dimension, as numbers
    of documents do not: tiles of keys that no query sees are then left out. Where they do fall,
    results are undefined."""
    return Marked(array, True)


def element_of(array):
    """Element type of an array by its dtype, as MLIR writes it, or None."""
    return _DTYPES.get(str(array.dtype).rsplit(".", 1)[-1])


def is_array(value):
    return is_torch(value) or (hasattr(value, "__dlpack__") and hasattr(value, "shape")) or hasattr(
        value, "__cuda_array_interface__")


def strides_of(array):
    """Strides, where the array tells; only whether they are 0 matters."""
    if is_torch(array):
        return array.stride()
    strides = getattr(array, "strides", None)
    return strides if isinstance(strides, tuple) else (1,) * len(array.shape)


class Capture:
    """An array and how it is read."""

    def __init__(self, number, array, is_sorted):
        self.number = number
        self.array = array
        self.is_sorted = is_sorted
        self.is_exact = False  # Whether it is a mask, of which no element is left out.
        self.is_bool = str(array.dtype).rsplit(".", 1)[-1] == "bool"
        self.element = element_of(array)
        self.shape = tuple(array.shape)
        # Dimensions in which all elements are one are read at 0.
        self.repeated = tuple(
            size == 1 or (stride == 0 and size > 1) for size, stride in zip(self.shape, strides_of(array)))
        self.read_at = [set() for _ in self.shape]

    def axes(self):
        """For each dimension the axis that all reads take it at, or None."""
        return tuple(
            next(iter(places)) if len(places) == 1 and not repeated else None
            for places, repeated in zip(self.read_at, self.repeated))

    def type(self, heads):
        if not self.shape:
            return f"tensor<1x{self.element}>"
        sizes = []
        for repeated, axis in zip(self.repeated, self.axes()):
            sizes.append("1" if repeated else str(heads) if axis == "head" else "?")
        return f"tensor<{'x'.join(sizes)}x{self.element}>"


class Partial:
    """A captured array with its first indices."""

    def __init__(self, region, array, items):
        self.region, self.array, self.items = region, array, items

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        from ._functions import of_torch

        return of_torch(function, args, kwargs or {})

    def __getitem__(self, indices):
        more = indices if isinstance(indices, tuple) else (indices,)
        return self.region.captures.read(self.region, self.array, self.items + more)


class Captures:
    """Those of one call: an array is captured once, by both regions."""

    def __init__(self):
        self.list = []
        self.numbers = []  # Arrays that are constants.
        self._by_id = {}

    def scalar(self, region, value):
        """A number, or an array of one element, as a Value."""
        with WatchedReads():  # What is read here, a signature has.
            return self._scalar(region, value)

    def _scalar(self, region, value):
        if isinstance(value, Marked):
            value = value.marked
        if isinstance(value, Partial):
            raise region.error(f"expected {len(value.array.shape)} indices of a captured array, but got {len(value.items)}")
        if is_array(value) and not is_number(value):
            if len(value.shape) and any(size != 1 for size in value.shape):
                raise region.error(
                    f"expected a captured array of shape {tuple(value.shape)} to be indexed, as in bias[b, h, q, k]")
            return self._read(region, value, (0,) * len(value.shape))
        if hasattr(value, "item"):
            if is_array(value):
                self.numbers.append(value)
            if is_torch(value) and value.requires_grad and torch_module().is_grad_enabled():
                raise region.error(
                    "expected numbers that are captured to be without requires_grad while gradients are recorded, since "
                    "theirs is lost: detach() them, or index a tensor by a value of the kernel")
            return wrap(region, value.item())
        raise region.error(f"expected a number or an array, but got {type(value).__name__}")

    def read(self, region, array, items):
        """An element at ``items``, or what waits for more of them."""
        with WatchedReads():
            return self._read(region, array, items)

    def _read(self, region, array, items):
        capture = self._capture(region, array)
        if len(items) < len(capture.shape):
            return Partial(region, array, items)
        if len(items) > len(capture.shape):
            raise region.error(f"expected {len(capture.shape)} indices of a captured array, but got {len(items)}")
        names = [self._index(region, capture, dim, item) for dim, item in enumerate(items)] or [
            region.constant(0, "index").name]
        operands = ", ".join(f"{{{i}}}" for i in range(len(names)))
        text = f"attn.gather %t{capture.number}[{operands}] : $type{capture.number}$ -> {capture.element}"
        element = region.emit(text, tuple(names), capture.element)
        return _widened(region, element, capture)

    def _index(self, region, capture, dim, item):
        size = capture.shape[dim]
        if isinstance(item, int) and not isinstance(item, bool):
            if not -size <= item < size:
                raise region.error(f"expected an index from {-size} to {size - 1} of dimension {dim}, but got {item}")
            item = item % size
        elif item is None or item is Ellipsis or isinstance(item, slice):
            raise region.error(f"expected scalar indices of captured arrays, but got {item!r}")
        index = wrap(region, item)
        if index.type in ("i1", "f32"):
            raise region.error(f"expected integer indices of captured arrays, but got {index.type}")
        if capture.repeated[dim]:
            index = region.constant(0, "index")
        index = convert(index, "index")
        capture.read_at[dim].add(_AXES.get(index.name))
        return index.name

    def _capture(self, region, array):
        is_sorted, is_exact = isinstance(array, Marked) and array.is_sorted, isinstance(array, Marked) and array.is_exact
        array = array.marked if isinstance(array, Marked) else array
        known = self._by_id.get(id(array))
        if known is None:
            if element_of(array) is None:
                raise region.error(
                    "expected captured arrays of bool, int8, int32, int64, float16, bfloat16 or float32, but got "
                    f"{array.dtype}")
            if len(array.shape) > 8:
                raise region.error(f"expected captured arrays of at most 8 dimensions, but got {len(array.shape)}")
            known = self._by_id[id(array)] = Capture(len(self.list), array, is_sorted)
            self.list.append(known)
        known.is_sorted |= is_sorted
        known.is_exact |= is_exact
        return known


def is_number(value):
    """A 0-dimensional array on the host, whose value is a constant."""
    if len(value.shape):
        return False
    return value.device.type == "cpu" if is_torch(value) else hasattr(value, "item") and not hasattr(
        value, "__cuda_array_interface__")


def _widened(region, element, capture):
    """Booleans are i1, integers i32 or i64, the rest f32."""
    if capture.is_bool:
        zero = region.emit("arith.constant 0 : i8", (), "i8")
        return region.emit("arith.cmpi ne, {0}, {1} : i8", (element.name, zero.name), "i1")
    if capture.element == "i8":
        return region.emit("arith.extsi {0} : i8 to i32", (element.name,), "i32")
    if capture.element in ("f16", "bf16"):
        return region.emit(f"arith.extf {{0}} : {capture.element} to f32", (element.name,), "f32")
    return element


def _check_exact(where, array, sizes):
    """A mask broadcasts to the scores: its last dimensions are theirs, or 1."""
    for dim, (size, axis) in enumerate(zip(array.shape, _ORDER[4 - len(array.shape) :])):
        wanted = sizes.get(axis)
        if wanted is not None and size not in (1, wanted):
            raise ArgumentError(
                f"{where}: expected {'1 or ' if wanted != 1 else ''}{wanted} elements in dimension {dim} of a mask, which is that of "
                f"the {axis}, but got {size}")


def for_launch(where, array, capture, sizes):
    """The array as the kernel reads it: repeated dimensions once, dimensions along an axis as long as
    the axis, the last stride 1."""
    if not array.shape:
        return array.reshape(1)
    if capture.is_exact:
        _check_exact(where, array, sizes)
    for dim, (repeated, axis) in enumerate(zip(capture.repeated, capture.axes())):
        wanted = 1 if repeated else sizes.get(axis, array.shape[dim])
        if array.shape[dim] < wanted:
            raise ArgumentError(
                f"{where}: expected at least {wanted} elements in dimension {dim} of a captured array, which is read at "
                f"the {axis}, but got {array.shape[dim]}")
        if array.shape[dim] != wanted:
            array = array[(slice(None),) * dim + (slice(0, wanted),)]
    if is_torch(array):
        return array if array.stride(-1) == 1 or array.shape[-1] == 1 else array.contiguous()
    if type(array).__module__.partition(".")[0] == "numpy":
        import numpy

        return array if array.strides[-1] == array.itemsize else numpy.ascontiguousarray(array)
    return array
