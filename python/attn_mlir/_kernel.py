"""Kernels: bundles that can be called."""

import collections
import ctypes
import struct
from ctypes import byref, c_void_p

from . import _library, _quick
from ._arrays import as_array, is_torch, numpy_empty, torch_fields, torch_module, torch_stream, torch_types
from ._dlpack import CPU, CUDA, ROCM
from ._errors import ArgumentError, Error
from ._library import MAX_RANK, TYPE_CODES, TYPES, check, library

View = collections.namedtuple("View", "name access dtype shape permutation")
View.__doc__ = """A view: ``shape`` has a size or the name of an axis for each dimension of the
view; ``permutation[i]`` is the dimension of the caller's array that is dimension i."""

Variant = collections.namedtuple("Variant", "guard steps workspace_count")
Variant.__doc__ = """A variant: its guard in words, or None; ``steps``, the kernels that it launches in order;
the number of arrays of its workspace."""

Step = collections.namedtuple("Step", "kernel binary block shared_bytes parameter_count")

PreparedStep = collections.namedtuple(
    "PreparedStep", "function grid block shared_bytes parameters parameter_count cluster")
PreparedStep.__doc__ = """What cuLaunchKernelEx or hipModuleLaunchKernel takes for a step: ``function`` (CUfunction or
hipFunction_t as a number; None where the grid is empty), ``grid`` (CTAs), ``cluster`` (CTAs of one; 0: none), ``block`` (threads), ``parameters``
(address of kernelParams)."""


def _format(rank):
    """AttnTensor: data, type, rank, device, reserved, sizes, strides."""
    unused = f"{8 * (MAX_RANK - rank)}x"
    return f"Qiiii{rank}q{unused}{rank}q{unused}"


_RECORDS = [struct.Struct("=" + _format(rank)) for rank in range(MAX_RANK + 1)]
_RECORD_BYTES = ctypes.sizeof(_library.Tensor)

_SCALAR_FORMATS = {
    "f16": "=e", "f32": "=f", "f64": "=d", "i1": "=?", "i8": "=b", "i16": "=h", "i32": "=i", "i64": "=q",
}


def _bf16_bits(number):
    """The upper half of the f32, rounded to nearest even."""
    (bits,) = struct.unpack("=I", struct.pack("=f", number))
    if number != number:
        return 0x7FC0
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16


def _stream_handle(stream):
    """The handle of an int, a torch stream or a cupy stream."""
    for attribute in ("cuda_stream", "ptr"):
        stream = getattr(stream, attribute, stream)
    if not isinstance(stream, int) or isinstance(stream, bool) or stream < 0:
        raise ArgumentError(f"stream: expected a stream as a number or a stream object, but got {stream!r}")
    return stream


def _device_kind(arch):
    """DLPack's type of the devices that an architecture's bundles are for."""
    if arch.startswith("gfx"):
        return ROCM
    return CPU if arch.startswith("x86_64") or arch == "aarch64" else CUDA


class Kernel:
    """A program of a bundle, opened. See :func:`load`.

    Attributes: ``name``, ``target``, ``arch``; ``views`` (inputs, then outputs),
    ``scalars`` (pairs of name and type), ``variants``.
    """

    def __init__(self, bundle, program=None):
        self._bundle = None
        bundle = _library.open_bundle(bundle, program)
        self._bundle = bundle
        c = library()
        self.name = c.attnBundleName(bundle).decode()
        self.target = c.attnBundleTarget(bundle).decode()
        self.arch = c.attnBundleArch(bundle).decode()
        self._device_kind = _device_kind(self.arch)
        self.views = tuple(self._view(i) for i in range(c.attnBundleViewCount(bundle)))
        self.scalars = tuple(self._scalar(i) for i in range(c.attnBundleScalarCount(bundle)))
        self.variants = tuple(self._variant(i) for i in range(c.attnBundleVariantCount(bundle)))
        self._inputs = tuple(view for view in self.views if view.access == "read")
        self._outputs = tuple(view for view in self.views if view.access == "write")
        self._record = struct.Struct("=" + "".join(_format(len(view.shape)) for view in self.views))
        self._quick = _quick.launch_address(), self.address, self._device_kind, len(self.views)

    @property
    def address(self):
        """Of the launcher's AttnBundle."""
        return self._bundle.value

    def _view(self, index):
        info = _library.ViewInfo()
        check(library().attnBundleView(self._bundle, index, byref(info)))
        shape = tuple(
            info.sizes[i] if info.axes[i] is None else info.axes[i].decode() for i in range(info.rank)
        )
        access = "write" if info.access else "read"
        permutation = tuple(info.permutation[: info.rank])
        return View(info.name.decode(), access, TYPES[info.dtype], shape, permutation)

    def _scalar(self, index):
        info = _library.ScalarInfo()
        check(library().attnBundleScalar(self._bundle, index, byref(info)))
        return info.name.decode(), TYPES[info.type]

    def _variant(self, index):
        info = _library.VariantInfo()
        check(library().attnBundleVariant(self._bundle, index, byref(info)))
        guard = info.guard.decode() if info.guard else None
        return Variant(guard, tuple(self._step(index, i) for i in range(info.step_count)), info.workspace_count)

    def _step(self, variant, index):
        info = _library.StepInfo()
        check(library().attnBundleStep(self._bundle, variant, index, byref(info)))
        return Step(
            info.kernel.decode(), info.binary.decode(), info.block, info.shared_bytes, info.parameter_count
        )

    def __repr__(self):
        return f"<attn_mlir.Kernel {self.name} for {self.arch}>"

    def describe(self):
        """Views, scalars and variants in words, a line each."""
        lines = [f"{self.name} for {self.target} ({self.arch})"]
        for view in self.views:
            shape = ", ".join(str(size) for size in view.shape)
            array = "" if view.permutation == tuple(range(len(view.shape))) else (
                f", dimensions {list(view.permutation)} of the array"
            )
            lines.append(f"  {view.access} {view.name}: {view.dtype} [{shape}]{array}")
        lines += [f"  scalar {name}: {type}" for name, type in self.scalars]
        for index, variant in enumerate(self.variants):
            guard = f", if {variant.guard}" if variant.guard else ""
            for step in variant.steps:
                lines.append(
                    f"  variant {index}: {step.kernel} of {step.binary}, {step.block} threads, "
                    f"{step.shared_bytes} bytes of shared memory{guard}"
                )
        return "\n".join(lines)

    def __call__(self, *inputs, out=None, lse=None, scalars=(), stream=None, workspace=None):
        """Launches the program and returns its outputs without waiting for them.

        inputs: arrays on the device, in the order of ``views``, of the shapes, element types and
            dimension order that ``describe()`` says.
        out, lse: arrays for the first and the second output. ``out`` may be a tuple with an
            entry for each output. An output that is None is allocated with torch, which takes
            a torch tensor among the inputs.
        scalars: numbers in the order of ``scalars``, or a dict by name.
        stream: a CUstream or hipStream_t as a number, or a torch or cupy stream. None: torch's current stream
            where an argument is a torch tensor; else the stream that the arrays'
            ``__cuda_array_interface__`` names; else the legacy default stream.
        workspace: device memory of at least ``workspace_bytes()``, as (address, bytes) or (address, bytes, device),
            for what the program's kernels hand to each other; None: the driver's, in the order of the stream.

        Returns the output, or a tuple where there are several (None where there is none).

        Raises ArgumentError (a ValueError) for arguments the kernel does not take, CudaError or
        HipError where a call of the driver fails. Arrays must live until the launched work is done.
        """
        if workspace is None and lse is None and self._launch_tensors(inputs, out, scalars, stream):
            return out[0] if isinstance(out, tuple) and len(out) == 1 else out
        call = self._bind(inputs, out, lse, scalars, stream)
        if workspace is None:
            check(library().attnBundleLaunch(*call.arguments, call.stream))
        else:
            check(library().attnBundleLaunchIn(*call.arguments, byref(_workspace(workspace)), call.stream))
        return call.result()

    def _launch_tensors(self, inputs, out, scalars, stream):
        """The quick way, of PyTorch's tensors: whether it was launched. What is wrong with arguments the other way says."""
        if self._bundle is None or len(inputs) != len(self._inputs):
            return False
        numbers = _pack_scalars(self.scalars, scalars)
        status = _quick.launch(self._quick, inputs, out, numbers, None if stream is None else _stream_handle(stream))
        if status in (-1, _library.ARGUMENT_ERROR):
            return False
        check(status)
        return True

    def prepare(self, *inputs, out=None, lse=None, scalars=(), stream=None, workspace=None):
        """All that a call does but the launch: a :class:`Prepared`. Same arguments; without a workspace it
        keeps one of its own."""
        return Prepared(self, self._bind(inputs, out, lse, scalars, stream), workspace)

    def workspace_bytes(self, *inputs, out=None, lse=None, scalars=(), stream=None):
        """Bytes of the workspace that a call with these arguments takes."""
        bytes = ctypes.c_uint64()
        call = self._bind(inputs, out, lse, scalars, stream)
        check(library().attnBundleWorkspaceBytes(*call.arguments, byref(bytes)))
        return bytes.value

    def close(self):
        """Unloads the device code. All work of the kernel must be done, and CUDA graphs
        captured from it are invalid afterwards; for their sake a kernel that is merely
        forgotten stays loaded."""
        bundle, self._bundle = self._bundle, None
        if bundle is not None:
            library().attnBundleClose(bundle)

    def _bind(self, inputs, out, lse, scalars, stream):
        if self._bundle is None:
            raise Error(f"kernel '{self.name}' is closed")
        if len(inputs) != len(self._inputs):
            names = ", ".join(view.name for view in self._inputs)
            raise ArgumentError(f"expected {len(self._inputs)} inputs ({names}), but got {len(inputs)}")
        values = list(inputs) + self._given_outputs(out, lse)
        return _Call(self, values, scalars, stream)

    def _given_outputs(self, out, lse):
        count = len(self._outputs)
        if isinstance(out, (tuple, list)):
            if lse is not None or len(out) != count:
                raise ArgumentError(f"expected out with {count} entries and no lse, but got {len(out)}")
            return list(out)
        given = [out, lse] + [None] * count
        if any(value is not None for value in given[count:]):
            raise ArgumentError(f"expected at most {count} outputs; kernel '{self.name}' writes no more")
        return given[:count]


class _Call:
    """The arguments of a call, as the C interface takes them."""

    def __init__(self, kernel, values, scalars, stream):
        self.kernel = kernel
        self.values = values
        self.count = len(kernel._inputs)
        records = (_library.Tensor * len(values))()
        if not self._pack_torch(records, stream):
            # Kept with what describes them, until the launch.
            self.arrays = self._arrays(stream)
            for index, (view, array) in enumerate(zip(kernel.views, self.arrays)):
                _pack(records, index, view, array)
        numbers = _pack_scalars(kernel.scalars, scalars)
        self.arguments = (kernel._bundle, records, len(values), numbers, len(kernel.scalars))

    def result(self):
        outputs = self.values[self.count :]
        return tuple(outputs) if len(outputs) != 1 else outputs[0]

    def _pack_torch(self, records, stream):
        """The quick way: all arguments are torch tensors. False where they are not, or where
        something is wrong with them, which the slow way says."""
        torch, values = torch_module(), self.values
        if torch is None or not all(isinstance(value, torch.Tensor) for value in values[: self.count]):
            return False
        for index in range(self.count, len(values)):
            if values[index] is None:
                values[index] = self._allocate(self.kernel.views[index], values)
        fields = torch_fields(torch, values, self.kernel._device_kind)
        if fields is None:
            return False
        try:
            self.kernel._record.pack_into(records, 0, *fields)
        except struct.error:
            return False
        if stream is not None:
            self.stream = _stream_handle(stream)
        else:
            self.stream = 0 if self.kernel._device_kind == CPU else torch_stream(torch, values[0].device)
        return True

    def _arrays(self, stream):
        """Converts the arguments and allocates what is missing; sets ``stream``."""
        views, values, kind = self.kernel.views, self.values, self.kernel._device_kind
        self.stream = self._stream(stream)
        arrays = []
        for view, value in zip(views, values):
            array = None if value is None and view.access == "write" else as_array(view.name, value, self.stream, kind)
            if array and array.readonly and view.access == "write":
                raise ArgumentError(f"view '{view.name}': expected an array that may be written, but got a read-only one")
            arrays.append(array)
        if stream is None:
            self._check_streams(arrays)
        for index, array in enumerate(arrays):
            if array is None:
                values[index] = self._allocate(views[index], arrays)
                arrays[index] = as_array(views[index].name, values[index], self.stream, kind)
        return arrays

    def _stream(self, stream):
        if stream is not None:
            return _stream_handle(stream)
        if self.kernel._device_kind == CPU:
            return 0
        for value in self.values:
            if is_torch(value) and value.device.type == "cuda":
                return torch_stream(torch_module(), value.device)
        for value in self.values:
            if not hasattr(value, "__dlpack__"):
                interface = getattr(value, "__cuda_array_interface__", None)
                if interface and interface.get("stream") is not None:
                    return _same(interface["stream"])
        return 0

    def _check_streams(self, arrays):
        """Nothing here waits: contents must be ready on the stream of the launch."""
        for view, array in zip(self.kernel.views, arrays):
            if array and array.stream is not None and _same(array.stream) != _same(self.stream):
                raise ArgumentError(
                    f"view '{view.name}': expected an array of stream {self.stream:#x}, where the kernel runs, but got one "
                    f"of stream {array.stream:#x}; synchronise them and pass stream="
                )

    def _allocate(self, view, arrays):
        first = next((value for value in self.values if is_torch(value)), None)
        shape = self._shape(view, arrays)
        if first is not None:
            torch = torch_module()
            dtype = next(dtype for dtype, name in torch_types(torch).items() if name == view.dtype)
            return torch.empty(shape, dtype=dtype, device=first.device)
        result = numpy_empty(shape, view.dtype, self.values) if self.kernel._device_kind == CPU else None
        if result is None:
            raise ArgumentError(
                f"expected an array for output '{view.name}': only where an input is a torch tensor, or a NumPy array "
                "for the CPU, are outputs allocated"
            )
        return result

    def _shape(self, view, arrays):
        """Of an output, in the caller's order of dimensions."""
        axes = self._axes(arrays)
        shape = [0] * len(view.shape)
        for dim, size in enumerate(view.shape):
            if size not in axes and isinstance(size, str):
                raise ArgumentError(f"cannot allocate output '{view.name}': no input has axis '{size}'")
            shape[view.permutation[dim]] = axes.get(size, size)
        return shape

    def _axes(self, arrays):
        """Sizes of the axes; whether inputs agree on them is checked by the launcher."""
        axes = {}
        for view, array in zip(self.kernel._inputs, arrays):  # Arrays or torch tensors.
            if len(array.shape) != len(view.shape):
                raise ArgumentError(f"view '{view.name}': expected rank {len(view.shape)}, but got {len(array.shape)}")
            for dim, axis in enumerate(view.shape):
                if isinstance(axis, str):
                    axes.setdefault(axis, array.shape[view.permutation[dim]])
        return axes


def _same(stream):
    """1 and 0 are the legacy default stream."""
    return 0 if stream == 1 else stream


def _pack(records, index, view, array):
    rank = len(array.shape)
    if rank > MAX_RANK or rank != len(array.strides):
        raise ArgumentError(
            f"view '{view.name}': expected rank {len(view.shape)}, but got {rank} with {len(array.strides)} strides"
        )
    try:
        _RECORDS[rank].pack_into(
            records, index * _RECORD_BYTES, array.data, TYPE_CODES[array.dtype], rank, array.device, 0,
            *array.shape, *array.strides,
        )
    except struct.error as error:
        raise ArgumentError(f"view '{view.name}': {error}") from None


def _pack_scalars(specs, scalars):
    if not specs and not scalars:
        return None
    if isinstance(scalars, dict):
        names = {name for name, _ in specs}
        if names != set(scalars):
            raise ArgumentError(f"expected scalars {sorted(names)}, but got {sorted(scalars)}")
        scalars = [scalars[name] for name, _ in specs]
    scalars = list(scalars)
    if len(scalars) != len(specs):
        raise ArgumentError(f"expected {len(specs)} scalars, but got {len(scalars)}")
    records = (_library.Scalar * len(specs))()
    for record, (name, type), number in zip(records, specs, scalars):
        record.type = TYPE_CODES[type]
        try:
            if type == "bf16":
                struct.pack_into("=H", record.value, 0, _bf16_bits(float(number)))
            else:
                struct.pack_into(_SCALAR_FORMATS[type], record.value, 0, number)
        except (struct.error, OverflowError, TypeError, ValueError) as error:
            raise ArgumentError(f"scalar '{name}': expected a number of type {type}, but got {number!r}: {error}") from None
    return records


def _workspace(given):
    """AttnWorkspace of (address, bytes) or (address, bytes, device)."""
    try:
        data, bytes, device = given if len(given) == 3 else (*given, _library.DEVICE_UNKNOWN)
        return _library.Workspace(data, bytes, device, 0)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"workspace: expected (address, bytes) or (address, bytes, device), but got {given!r}"
        ) from None


class Prepared:
    """A call whose variant, tensor maps and parameters are computed.

    Attributes: ``variant``; ``steps``, a :class:`PreparedStep` for each kernel; those of the first step, for
    programs of one kernel; ``outputs``, what a call returns.
    """

    def __init__(self, kernel, call, workspace=None):
        self._handle = None
        self._call = call  # Keeps the arrays alive.
        handle = c_void_p()
        if workspace is None:
            check(library().attnBundlePrepare(*call.arguments, byref(handle)))
        else:
            check(library().attnBundlePrepareIn(*call.arguments, byref(_workspace(workspace)), byref(handle)))
        self._handle = handle
        self.steps = tuple(self._step(i) for i in range(library().attnPreparedStepCount(handle)))
        (self.function, self.grid, self.block, self.shared_bytes, self.parameters,
         self.parameter_count, self.cluster) = self.steps[0]
        self.outputs = call.result()

    def _step(self, index):
        info = _library.LaunchInfo()
        check(library().attnPreparedInfo(self._handle, index, byref(info)))
        self.variant = info.variant
        parameters = ctypes.cast(info.parameters, c_void_p).value
        return PreparedStep(info.function, info.grid, info.block, info.shared_bytes, parameters, info.parameter_count,
                            info.cluster)

    def launch(self, stream=None):
        """Launches on ``stream``, or on the stream of prepare(); returns the outputs."""
        if self._call.kernel._bundle is None:
            raise Error(f"kernel '{self._call.kernel.name}' is closed")
        handle = self._call.stream if stream is None else _stream_handle(stream)
        check(library().attnPreparedLaunch(self._handle, handle))
        return self.outputs

    def __del__(self):
        if getattr(self, "_handle", None) is not None:
            library().attnPreparedDestroy(self._handle)
            self._handle = None


def load(bundle, program=None):
    """Opens a bundle: a :class:`Kernel`. ``bundle`` is the path of a directory or of an archive, or the contents
    of an archive as bytes; ``program`` names one of its programs where it has several.

    Opens no driver; that happens at the first launch. Raises BundleError where the
    bundle cannot be read or its manifest is not valid, DriverError where the launcher
    (libattn_launcher.so) is not found.
    """
    return Kernel(bundle, program)
