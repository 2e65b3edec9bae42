"""attention(): from arrays to a kernel that is compiled at its first call."""

import collections
import functools

from . import _appended, _blocks, _compiler, _float8, _kernels, _kinds, _quick, _rows, _targets, _trace
from ._arrays import is_torch, torch_kind, torch_module
from ._captures import element_of as capture_element
from ._captures import for_launch
from ._dlpack import CUDA, ROCM
from ._errors import ArgumentError, CudaError, HipError, NoVariantError
from ._given import Given, are_values_in_keys, check_gradients, named
from ._spec import (
    MOST_DIM, MOST_WIDE_DIM, Problem, Sequences, cache_of, element_of, granule_of, is_float8, mask_of, scale_of, shapes_of, text_of)

_MOST_PLANS = 4096
_PLATFORMS = {1: "cpu", CUDA: "cuda", ROCM: "hip"}

Device = collections.namedtuple("Device", "platform index")


def device_of(name, array):
    """Where an array is."""
    if is_torch(array):
        return _torch_device(name, array)
    if hasattr(array, "__dlpack_device__"):
        kind, index = map(int, array.__dlpack_device__())
        if kind in _PLATFORMS:
            return Device(_PLATFORMS[kind], 0 if kind == 1 else index)
        raise ArgumentError(f"{name}: expected an array on a CPU, a CUDA or a ROCm device, but got DLPack's type {kind}")
    if hasattr(array, "__cuda_array_interface__"):
        return Device("cuda", 0)
    if hasattr(array, "__array_interface__"):
        return Device("cpu", 0)
    raise ArgumentError(
        f"{name}: expected a torch tensor, or an array with __dlpack__ or __cuda_array_interface__, but got "
        f"{type(array).__name__}")


def _torch_device(name, tensor):
    device = tensor.device
    if device.type == "cpu":
        return Device("cpu", 0)
    torch = torch_module()
    if device.type != "cuda":
        raise ArgumentError(f"{name}: expected a tensor on cpu or cuda, but got one on {device.type}")
    index = torch.cuda.current_device() if device.index is None else device.index
    return Device(_PLATFORMS[torch_kind(torch)], index)


def target_of(device):
    return _targets.of_device(device.platform, device.index)


def _describe(device):
    return "the CPU" if device.platform == "cpu" else f"{device.platform} device {device.index}"


def _check_devices(device, arrays):
    for name, array in arrays:
        other = device_of(name, array)
        if other != device:
            raise ArgumentError(f"{name}: expected an array on {_describe(device)}, as q is, but got one on {_describe(other)}")


def sinks_element(sinks, heads):
    """The element type of sinks, "" for None."""
    if sinks is None:
        return ""
    element = capture_element(sinks)
    if element not in ("f16", "bf16", "f32"):
        raise ArgumentError(f"sinks: expected float16, bfloat16 or float32, but got {sinks.dtype}")
    if tuple(sinks.shape) != (heads,):
        raise ArgumentError(f"sinks: expected shape ({heads},), one for each head of q, but got {tuple(sinks.shape)}")
    return element


def lengths_element(lengths, batch):
    """The element type of lengths, "" for None."""
    if lengths is None:
        return ""
    element = capture_element(lengths)
    if element not in ("i32", "i64"):
        raise ArgumentError(f"lengths: expected int32 or int64, but got {lengths.dtype}")
    if tuple(lengths.shape) != (batch,):
        raise ArgumentError(f"lengths: expected shape ({batch},), one for each batch of q, but got {tuple(lengths.shape)}")
    return element


def _up(dim, granule=8):
    return -(-dim // granule) * granule


def _index_element(name, array, rank, what):
    """The element type of an array of indices, "" for None."""
    if array is None:
        return ""
    element = capture_element(array)
    if element not in ("i32", "i64"):
        raise ArgumentError(f"{name}: expected int32 or int64, but got {array.dtype}")
    if len(array.shape) != rank:
        raise ArgumentError(f"{name}: expected {rank} dimension{'s' if rank > 1 else ''} ({what}), but got {tuple(array.shape)}")
    return element


def check_offsets(name, cu, total):
    """Where the host has the numbers, they are those of sequences within ``total`` elements."""
    if cu is None or device_of(name, cu).platform != "cpu" or not hasattr(cu, "tolist"):
        return
    numbers = cu.tolist()
    for before, after in zip([0, *numbers], [*numbers, total]):
        if after < before:
            raise ArgumentError(
                f"{name}: expected numbers from 0 to {total} that never fall, but got {after} behind {before}")


def _check_table(table, lengths, page, pages):
    """Where the host has the numbers, those of pages that sequences have keys in are numbers of pages."""
    if table is None or device_of("block_table", table).platform != "cpu" or not hasattr(table, "tolist"):
        return
    for sequence, (row, length) in enumerate(zip(table.tolist(), lengths.tolist())):
        used = row[: -(-max(length, 0) // page)]
        if used and not 0 <= min(used) <= max(used) < pages:
            column = next(i for i, number in enumerate(used) if not 0 <= number < pages)
            raise ArgumentError(
                f"block_table: expected numbers of pages from 0 to {pages - 1}, but got {used[column]} in column {column} of sequence {sequence}, "
                f"which has {length} keys")


def sequences_of(k, layout, cu_q, cu_k, table, lengths):
    """Where sequences lie, and how many there are, or None where that is as many as the batch of q."""
    sequences = Sequences(
        _index_element("cu_seqlens_q", cu_q, 1, "sequences + 1"), _index_element("cu_seqlens_k", cu_k, 1, "sequences + 1"),
        _index_element("block_table", table, 2, "sequences, pages of each"),
        0 if table is None else k.shape[1 if layout == "bshd" else 2])
    count = None
    for name, array in (("cu_seqlens_q", cu_q), ("cu_seqlens_k", cu_k)):
        if array is None:
            continue
        if array.shape[0] < 1 or (count is not None and array.shape[0] != count + 1):
            wanted = "a number more than there are sequences" if count is None else f"{count + 1} numbers, as cu_seqlens_q has"
            raise ArgumentError(f"{name}: expected {wanted}, but got {array.shape[0]}")
        count = array.shape[0] - 1
    if table is not None:
        if lengths is None:
            raise ArgumentError("block_table: expected lengths, which say how many keys of its pages there are, but got none")
        if cu_k is not None:
            raise ArgumentError("block_table: expected keys in pages, but got cu_seqlens_k as well, by which they are packed")
        if sequences.page < 16 or sequences.page % 8:
            raise ArgumentError(f"k: expected pages of a multiple of 8 keys from 16 on, but got {sequences.page}")
        if count is not None and table.shape[0] != count:
            raise ArgumentError(f"block_table: expected {count} rows, one for each sequence, but got {table.shape[0]}")
        count = table.shape[0]
    return sequences, count


def problem_of(shapes, element, mask, scale, layout, lse, lengths, sinks, regions, sequences=Sequences(),
               cache=""):
    """Head dimensions are those of the kernel: multiples of 8 (FP8: 32, caches: 16), of arrays that are padded with zeros."""
    granule = granule_of(element, cache)
    return Problem(
        element, shapes.heads, shapes.kv_heads, _up(shapes.qk_dim, granule), _up(shapes.value_dim, granule), mask,
        scale_of(scale, shapes.qk_dim), layout, bool(lse), lengths, sinks, regions, sequences, cache=cache)


def _sizes(shapes):
    batch = shapes.batch if shapes.sequences is None else shapes.sequences
    return f"batch={batch},query={shapes.queries},key={shapes.keys}"


class Plan:
    """How calls of one shape, element type and device are done."""

    __slots__ = ("entry", "shapes", "layout", "lse", "is_wide", "device", "is_torch", "takes_like_q", "pads", "kernel", "granule",
                 "result", "has_columns", "appends", "axes", "is_plain")

    def __init__(self, entry, shapes, problem, device, q):
        self.entry = entry
        self.shapes = shapes
        self.layout = problem.layout
        self.lse = problem.lse
        self.result = {"f32": "float32", "bf16": "bfloat16"}.get(problem.result)
        self.is_wide = problem.result not in ("", problem.element)
        self.granule = granule_of(problem.element, problem.cache)
        self.has_columns = problem.values == "interleaved"
        self.appends = problem.append is not None
        self.device = device
        self.is_torch = is_torch(q)
        self.takes_like_q = shapes.value_dim == shapes.qk_dim
        self.pads = shapes.qk_dim % self.granule != 0 or shapes.value_dim % self.granule != 0
        self.kernel = None
        batch = shapes.batch if shapes.sequences is None else shapes.sequences
        self.axes = {"batch": batch, "head": shapes.heads, "query": shapes.queries, "key": shapes.keys}
        # Whether it reads nothing but Q, K and V, each of its own.
        self.is_plain = problem.values != "keys" and problem == problem._replace(
            regions=None, lengths="", sinks="", sequences=Sequences(), scales=("",) * 3, cache="", blocks=None, append=None)

    def sizes(self):
        return _sizes(self.shapes)

    def output_shape(self, value_dim):
        z = self.shapes
        middle = (z.heads, z.queries) if self.layout == "bhsd" else (z.queries, z.heads)
        return (z.batch, *middle, value_dim)

    def allocate(self, q):
        """O as Q lies in memory, where it has Q's shape."""
        if self.is_torch:
            o = q.detach() if q.requires_grad else q
            dtype = getattr(torch_module(), self.result) if self.is_wide else q.dtype
            if self.takes_like_q and not self.pads:
                return torch_module().empty_like(o, dtype=dtype)
            return o.new_empty(self.output_shape(_up(self.shapes.value_dim, self.granule)), dtype=dtype)
        return _numpy_empty(q, self.output_shape(_up(self.shapes.value_dim, self.granule)), self.result if self.is_wide else q.dtype)

    def allocate_lse(self, q):
        z = self.shapes
        shape = (z.batch, z.heads, z.queries)
        if self.is_torch:
            return q.new_empty(shape, dtype=torch_module().float32, requires_grad=False)
        return _numpy_empty(q, shape, "float32")

    def run(self, inputs, out, stream, numbers=()):
        """Launches, and returns what the user gets. ``inputs`` are Q, K, V, captures and sinks."""
        o, lse = _given(out, self.lse)
        if self.pads:
            return self._run_padded(inputs, o, lse, stream, numbers)
        inputs = self._ordered(inputs)
        o = self.allocate(inputs[0]) if o is None else o
        # Caches that are appended to are written in place.
        caches = inputs[1:3] if self.appends else ()
        if not self.lse:
            self._launch(inputs, (o, *caches), stream, numbers)
            return o
        lse = self.allocate_lse(inputs[0]) if lse is None else lse
        self._launch(inputs, (o, lse, *caches), stream, numbers)
        return o, lse

    def _run_padded(self, inputs, o, lse, stream, numbers):
        padded = [
            array if isinstance(array, _float8.InterleavedValues) else _rows.padded(array, _up(array.shape[-1], self.granule))
            for array in inputs[:3]]
        wide = self.allocate(inputs[0])
        lse = self.allocate_lse(inputs[0]) if self.lse and lse is None else lse
        self._launch(self._ordered((*padded, *inputs[3:])), (wide, lse) if self.lse else (wide,), stream, numbers)
        narrow = wide[..., : self.shapes.value_dim]
        if o is not None:
            _rows.copy(o, narrow)
            narrow = o
        return (narrow, lse) if self.lse else narrow

    def _ordered(self, inputs):
        """With V in the order that the kernel takes."""
        return (*inputs[:2], inputs[2].tensor, *inputs[3:]) if self.has_columns else inputs

    def _launch(self, inputs, outputs, stream, numbers):
        entry = self.entry
        entry.is_used = True
        if self.kernel is not None:
            try:
                _launched(self.kernel, inputs, outputs, numbers, stream)
                return
            except NoVariantError:
                pass
        self.kernel = self._launch_any(inputs, outputs, stream, numbers)

    def _launch_any(self, inputs, outputs, stream, numbers):
        """Launches by the first kernel that takes these arguments, and returns it."""
        tight = [*map(_rows.aligned, inputs[:3]), *inputs[3:]]
        places = [_rows.aligned(array, is_output=True) for array in outputs]
        while True:
            kernels = list(self.entry.kernels)
            error = None
            for kernel in kernels:
                try:
                    _launched(kernel, tight, tuple(places), numbers, stream)
                except NoVariantError as refusal:
                    error = refusal
                    continue
                for place, output in zip(places, outputs):
                    if place is not output:
                        _rows.copy(output, place)
                return kernel
            if len(kernels) >= _kernels.MOST_VARIANTS:
                raise error
            self.entry.compile(self.sizes(), len(kernels))


_OUT_OF_MEMORY = 2  # CUDA's and HIP's.


def _launched(kernel, inputs, outputs, numbers, stream):
    """Launches. A workspace is the driver's: where that has no memory, what torch keeps for later is given back, and
    it is tried once more."""
    try:
        kernel(*inputs, out=outputs, scalars=numbers, stream=stream)
    except (CudaError, HipError) as error:
        torch = torch_module()
        if error.code != _OUT_OF_MEMORY or torch is None or not torch.cuda.is_initialized():
            raise
        torch.cuda.empty_cache()
        kernel(*inputs, out=outputs, scalars=numbers, stream=stream)


def _given(out, has_lse):
    """The arrays for O and for LSE, or None."""
    if isinstance(out, (tuple, list)):
        if len(out) != (2 if has_lse else 1):
            raise ArgumentError(f"out: expected {2 if has_lse else 1} arrays, but got {len(out)}")
        return (*out, None)[:2]
    return out, None


def _numpy_empty(q, shape, dtype):
    if type(q).__module__.partition(".")[0] != "numpy":
        raise ArgumentError(
            f"out: expected an array for the result: of {type(q).__name__} it is not allocated, only of torch and NumPy")
    import numpy

    return numpy.empty(shape, dtype)


_plans = {}
_kernels.on_eviction(lambda: (_plans.clear(), _quick.forget()))
_kernels.on_look(_quick.tell_again)


def attention(q, k, v, *, mask=None, causal=False, window=None, scale=None, score_mod=None, sinks=None,
              lengths=None, return_lse=False, layout="bhsd", schedule=None, lower=None, explain=False, out=None, stream=None,
              cu_seqlens_q=None, cu_seqlens_k=None, block_table=None, q_scale=None, k_scale=None, v_scale=None,
              blocks=None, scale_block=None):
    """Attention of ``q`` to ``k`` and ``v``, by a kernel that is compiled at the first call of its kind.

    Arrays are of float16 or bfloat16 (on the CPU also of float32): torch tensors on a CUDA or ROCm device or
    the CPU, NumPy arrays, or others with DLPack or ``__cuda_array_interface__``, of which the result is not
    allocated (``out``). Shapes are [batch, heads, length, dim]; ``layout="bshd"`` swaps heads and length. The
    heads of q are a multiple of those of k and v; the head dimension of v may differ. Where v is a view of k's first columns
    (``k[..., :512]``, latent attention), k is read once for both. Head dimensions are 1 to
    1024 (of float8 256); those that are no multiple of 8 cost padded copies, as do rows that are not contiguous or not at
    multiples of 16 bytes.

    Tensors of torch.float8_e4m3fn or float8_e5m2, too: the result is of bfloat16, and weights are rounded to the same type. Where
    k and v alone are of float8, a cache of queries in 16 bits, results and weights are of the type of q.
    On an NVIDIA GPU a kernel in front transposes v, which takes its memory once more (for several calls once:
    ``attn_mlir.interleaved_values``); Hopper's do so themselves where it is faster, and of lengths, cu_seqlens and block_table, which
    others do not have.

    mask: a function of (batch, head, q, k) that says whether the query attends to the key, or an array that
        broadcasts to [batch, heads, queries, keys]: booleans that say so, or numbers that are added to scores.
    causal: True or "bottom_right" (the last query attends to all keys), or "top_left".
    window: keys to the left of a query's own that it attends to, or (left, right); -1 or None: all.
    scale: of scores, 1 / sqrt(dim) by default.
    score_mod: a function of (score, batch, head, q, k), as FlexAttention has it. Functions are traced: they
        compute with scalars by operators and functions of torch or this package, and may read captured arrays.
    sinks: one more logit for each head of q, without a value.
    lengths: the keys that each batch has, int32 or int64 [batch] on the device; what k and v hold behind them is not
        used, and masks align to them. One below 0 or above the keys of k makes its batch NaN.
    cu_seqlens_q, cu_seqlens_k: int32 or int64 [sequences + 1] on the device, where each sequence begins and the last ends
        along the length of q, or of k and v, whose batch size is 1 then. Masks, functions and lengths see each sequence by
        itself. What is of no sequence is not written. Numbers that fall or exceed the array are an error on the CPU; on a
        device they make the results of these sequences NaN, or undefined where they are those of q.
    block_table: int32 or int64 [sequences, pages of each] on the device: k and v are caches of pages, [pages, heads, page size,
        dim] (or as layout says), and `lengths` is needed. A page that the cache does not have counts as zeros.
    blocks: ((queries, keys), counts, numbers) of blocks of so many queries and keys, multiples of 16, as FlexAttention's
        BlockMask lists them: int32 or int64 [batch or 1, heads or 1, rows] and [.., .., rows, any number]. Of blocks
        that a row lists, masks say which keys count; of those in two more lists, full blocks whose numbers rise, all do.
        Not with lengths, cu_seqlens and block_table.
    q_scale, k_scale, v_scale: what elements of q, k and v are multiples of: a number, or float32 [batch, heads of k] on the
        device, of which either size may be 1.
    scale_block: a power of two of keys, 32 or more: k_scale and v_scale may have a third dimension, one number for each block of so
        many keys. Not with cu_seqlens_k, block_table and blocks.
    return_lse: also return the logarithm of the sums of exponentials, float32 [batch, heads, queries].
    schedule, lower: options of the compiler, as `attn-compile --schedule` and `--lower` take them.
    explain: return a page about the kernel, and do not run it.
    out: where to write the result, or (result, lse).
    stream: as of a Kernel's call.
    """
    packing = cu_seqlens_q, cu_seqlens_k, block_table
    scales = q_scale, k_scale, v_scale
    if scales == (None,) * 3 and scale_block is None and mask is None and score_mod is None and sinks is None and lengths is None and not explain and blocks is None and packing == (None,) * 3:
        try:
            plan = None if k.shape[-1] != v.shape[-1] and _rows.are_in_keys(k, v) else _plans.get(
                (q.shape, k.shape, v.shape, q.dtype, k.dtype, q.device, causal, window, scale, return_lse, layout, schedule, lower))
        except (AttributeError, TypeError):
            plan = None
        if plan is not None:
            if plan.is_torch and (q.requires_grad or k.requires_grad or v.requires_grad):
                check_gradients(Given(q, k, v, *(None,) * 5, (), (), None, None))
            return plan.run((q, k, v), out, stream)
    return _attention(
        q, k, v, mask, causal, window, scale, score_mod, sinks, lengths, return_lse, layout, schedule, lower, explain, out,
        stream, packing, scales, blocks, scale_block)


attention = _quick.wrapped(attention)


def attention_to_appended(q, k, v, new, *, lengths, out, layout, scale=None, causal=False, window=None, score_mod=None, sinks=None,
                          cu_seqlens_q=None, cu_seqlens_k=None, block_table=None, k_scale=None, v_scale=None):
    """(result, lse) of attention to the caches ``k`` and ``v``, to which what is ``new`` (a New) is written behind ``lengths`` first, by one program. Rows of
    caches are ones that kernels take as they are."""
    return _attention(
        q, k, v, None, causal, window, scale, score_mod, sinks, lengths, True, layout, None, None, False, out, None,
        (cu_seqlens_q, cu_seqlens_k, block_table), (None, k_scale, v_scale), None, None, new)


def _attention(q, k, v, mask, causal, window, scale, score_mod, sinks, lengths, lse, layout, schedule, lower, explain, out,
               stream, packing, scales, blocks, scale_block, new=None):
    """The way of calls that are new, or that read more than Q, K and V."""
    regions, captured = (None, []) if mask is None and score_mod is None else regions_of(mask, score_mod, _heads_of(q, layout))
    given = Given(q, k, v, sinks, lengths, *packing, captured, scales, blocks, new)
    in_keys = are_values_in_keys(given)
    key = None if explain else _kinds.key_of(
        q, k, v, (sinks, lengths, *packing, *captured), scales, blocks, new, scale,
        # 1 and True are equal, and mean different things.
        (type(causal), causal, window, lse, layout, schedule, lower, scale_block, regions, in_keys))
    plan, key = _kinds.known(_plans, key)
    if plan is None:
        problem, device, shapes = _checked(given, regions, causal, window, scale, lse, layout, scale_block, in_keys)
        if explain:
            return _explain(problem, device, schedule, lower, shapes)
        plan = _plan(problem, device, schedule, lower, shapes, q)
        if key is not None:
            _remember(plan, key)
    check_gradients(given)
    if plan.device.platform == "cpu":
        _check_numbers(given, plan.shapes, layout)
    if not plan.is_plain:
        return plan.run(_inputs_of(given, plan, regions), out, stream, numbers_of(regions))
    _remember(plan, (q.shape, k.shape, v.shape, q.dtype, k.dtype, getattr(q, "device", None), causal, window, scale, lse, layout, schedule, lower))
    result = plan.run((q, k, v), out, stream)
    _quick.remember((q, k, v), {
        "causal": causal, "window": window, "scale": scale, "return_lse": lse, "layout": layout, "schedule": schedule,
        "lower": lower}, plan)
    return result


def _heads_of(q, layout):
    """Of what has as many dimensions as it shall; what has others is seen later."""
    shape = getattr(q, "shape", ())
    return shape[2 if layout == "bshd" else 1] if len(shape) == 4 else 0


def _checked(given, regions, causal, window, scale, lse, layout, scale_block, in_keys):
    """The problem, device and shapes of a call of a kind that was not seen before."""
    q, k, v, sinks, lengths, *packing, _, scales, blocks, new = given
    device = device_of("q", q)
    _check_devices(device, [("k", k), ("v", _float8.tensor_of(v))])
    has_columns = isinstance(v, _float8.InterleavedValues)
    sequences, count = sequences_of(k, layout, *packing, lengths)
    table = packing[2]
    element = element_of("q", q, device.platform == "cpu")
    shapes = shapes_of(
        q.shape, k.shape, v.rows if has_columns else v.shape, layout, sequences, count, None if table is None else table.shape,
        MOST_DIM if k.dtype != q.dtype or is_float8(element) else MOST_WIDE_DIM)
    cache = cache_of(element, q, k, _float8.tensor_of(v), device.platform == "cpu")
    places = list(zip(("cu_seqlens_q", "cu_seqlens_k", "block_table"), packing))
    for name, array in (("lengths", lengths), *places):
        if blocks is not None and array is not None:
            raise ArgumentError(f"blocks: expected no lengths, cu_seqlens_q, cu_seqlens_k and block_table, but got {name}")
    if scale_block is not None:
        _float8.check_no_blocks(places, blocks)
    listed, _ = _blocks.checked(blocks, shapes)
    _check_devices(device, named(given))
    batch = shapes.batch if count is None else count
    scales = _float8.scales_of(scales, q, batch, shapes.kv_heads, shapes.keys, scale_block)
    problem = problem_of(
        shapes, element, mask_of(causal, window), scale, layout, lse, lengths_element(lengths, batch), sinks_element(sinks, shapes.heads),
        regions, sequences, cache)
    problem = problem._replace(
        scales=tuple(map(_float8.sizes_of, scales)), blocks=listed, append=_appended.spec_of(new, capture_element),
        scale_block=scale_block, values="keys" if in_keys else "")
    if is_float8(element):
        arranges = device.platform == "cuda" and _targets.arranges_values(target_of(device))
        problem = _float8.checked(problem, device.platform, has_columns, arranges, shapes.keys)
        if has_columns and v.layout != layout:
            raise ArgumentError(f"v: expected values of layout {layout!r}, but got {v.layout!r}")
        if has_columns and shapes.value_dim % granule_of(element):
            raise ArgumentError(f"v: expected a head dimension of a multiple of 32 of values by columns, but got {shapes.value_dim}")
    return problem, device, shapes


def _check_numbers(given, shapes, layout):
    """What the host can see of where sequences lie."""
    check_offsets("cu_seqlens_q", given.cu_q, shapes.queries)
    check_offsets("cu_seqlens_k", given.cu_k, shapes.keys)
    if given.table is not None:
        page, pages = given.k.shape[1 if layout == "bshd" else 2], given.k.shape[0]
        _check_table(given.table, _appended.lengths_after(given.new, given.lengths, layout), page, pages)


def _inputs_of(given, plan, regions):
    """What a kernel reads, in its order."""
    q, k, v, sinks, *places, captured, scales, blocks, new = given
    tensors = [q, k, v, *(_tight(array) for array in places if array is not None)]
    tensors += [_blocks.tight(array) for _, array in _blocks.named(blocks)]
    inputs = captured_inputs(plan, tensors, None, regions, captured, sinks)
    inputs += tuple(_float8.array_of(scale, q) for scale in scales if scale is not None)
    return inputs + tuple(array for _, array in _appended.arrays_of(new))


def traced_call(q, k, v, traced, captured, scale, blocks=None):
    """(O, LSE) of torch tensors with regions that were traced before, or None, and the arrays that they read."""
    device = device_of("q", q)
    shapes = shapes_of(q.shape, k.shape, v.shape, "bhsd")
    listed, lists = _blocks.checked(blocks, shapes)
    arrays = [(f"capture {i}", array) for i, array in enumerate(captured)]
    _check_devices(device, [("k", k), ("v", v), *lists, *arrays])
    element = element_of("q", q, device.platform == "cpu")
    problem = problem_of(shapes, element, mask_of(False, None), scale, "bhsd", True, "", "", traced)
    plan = _plan(problem._replace(blocks=listed), device, None, None, shapes, q)
    tensors = (q, k, v, *(_blocks.tight(array) for _, array in lists))
    return plan.run(captured_inputs(plan, tensors, None, traced, captured, None), None, None)


def captured_inputs(plan, tensors, lengths, regions, captured, sinks):
    """What a kernel reads, in its order."""
    inputs = list(tensors) if lengths is None else [*tensors, _tight(lengths)]
    if regions is not None:
        for number, (array, capture) in enumerate(zip(captured, regions.captures)):
            inputs.append(for_launch(f"capture {number}", array, capture, plan.axes))
    if sinks is not None:
        inputs.append(_tight(sinks))
    return tuple(inputs)


def _tight(array):
    """A row whose stride is 1."""
    return array.contiguous() if is_torch(array) and not array.is_contiguous() else array


def numbers_of(regions):
    """The numbers that a kernel takes."""
    return [number for _, number in regions.numbers] if regions is not None else ()


def regions_of(mask, score_mod, heads, are_fixed=False):
    """The Traced of a call, or None, and the arrays that it reads."""
    if mask is None and score_mod is None:
        return None, []
    mask, score_mod = _trace.functions_of(mask, score_mod)
    return _trace.trace(score_mod, mask, heads, are_fixed)


@functools.lru_cache(maxsize=1024)
def _text(problem):
    return text_of(problem)


def _plan(problem, device, schedule, lower, shapes, q, also=None):
    """The plan of a call; of calls with regions it is found by their text."""
    key = problem, device, schedule, lower, shapes, type(q), also
    plan = _plans.get(key)
    if plan is None:
        entry = _kernels.entry_of(_text(problem), target_of(device), schedule, lower, also)
        plan = Plan(entry, shapes, problem, device, q)
        _remember(plan, key)
    return plan


def plan_of(problem, device, shapes, q, also=None):
    """The plan of a problem, with a kernel: what a call does later compiles nothing."""
    plan = _plan(problem, device, None, None, shapes, q, also)
    if not plan.entry.kernels:
        plan.entry.compile(plan.sizes(), 0)
    return plan


def _remember(plan, key):
    if len(_plans) >= _MOST_PLANS:
        _plans.clear()
    try:
        _plans[key] = plan
    except TypeError:  # A window in a list: such calls are not found the short way.
        pass


def _explain(problem, device, schedule, lower, shapes):
    options = _kernels.options_of(target_of(device), schedule, lower)
    options += [("emit", "explain"), ("size", _sizes(shapes))]
    return _compiler.compile_bundle(_text(problem), options).decode()
