"""One sequence over the devices of a process group: attention of the queries that a device holds to the keys of all.

Each device computes a part of its result from the keys of each other one, and a kernel merges the parts by their LSE
(attn.merge_states). Parts are f32, so that the result is rounded once, as on one device, and they are merged in a fixed
order, so that it is the same in every run.
"""

import collections
import contextvars
import functools
import math

import torch
import torch.distributed as dist

from attn_mlir import _attention, _exchange, _exchange_model, _gradients, _spec
from attn_mlir._captures import sorted as rising
from attn_mlir._errors import ArgumentError, CollectiveError
from attn_mlir._exchange_model import EXCHANGES, H200, Links, Shape
from attn_mlir._merge import merge_parts
from attn_mlir._segments import call_of, length_of, shares

_MOST_VALUE_DIM = _spec.MOST_DIM
_ELEMENTS = (torch.float16, torch.bfloat16, torch.float32)
_AGREED = (
    "batch size", "heads", "heads of k", "head dimension", "head dimension of v", "element type", "left bound of the window",
    "right bound of the window", "whether there is a mask", "whether there is a score modification", "whether there are sinks",
    "exchange", "order")

_active = contextvars.ContextVar("attn_mlir_context_parallel", default=None)

_WINDOWS_OF_GRADIENTS = ((-1, -1), (-1, 0))

Options = collections.namedtuple("Options", "left right scale mask score_mod sinks")


class _Part:
    """Attention of some rows of this device to the keys of another: its kernel is compiled when it is made."""

    def __init__(self, q, k_shape, v_shape, call, options, positions, is_wide):
        self.call = call
        mask, modification = _on_positions(options, call, positions) if call.kind == "positions" else (None, None)
        self.regions, self.captured = _attention.regions_of(mask, modification, q.shape[1])
        self.sinks = options.sinks
        rows, columns = (place.stop - place.start for place in call[:2])
        shapes = _spec.shapes_of(
            (*q.shape[:2], rows, q.shape[3]), (*k_shape[:2], columns, k_shape[3]), (*v_shape[:2], columns, v_shape[3]), "bhsd")
        device = _attention.device_of("q", q)
        element = _spec.element_of("q", q, device.platform == "cpu")
        problem = _attention.problem_of(
            shapes, element, _spec.mask_of("top_left" if call.kind == "causal" else False, None), options.scale, "bhsd", True, "",
            _attention.sinks_element(self.sinks, q.shape[1]), self.regions)
        problem = problem._replace(result="f32" if is_wide and element != "f32" else "")
        self.plan = _attention.plan_of(problem, device, shapes, q)

    def run(self, q, k, v, o, lse):
        """Writes O and LSE of its rows."""
        rows, columns = self.call.rows, self.call.columns
        tensors = q[:, :, rows], k[:, :, columns], v[:, :, columns]
        inputs = _attention.captured_inputs(self.plan, tensors, None, self.regions, self.captured, self.sinks)
        self.plan.run(inputs, (o[:, :, rows], lse[:, :, rows]), None, _attention.numbers_of(self.regions))


def _on_positions(options, call, positions):
    """The mask and the score modification of a call, of functions and a window that speak of positions."""
    of_queries, of_keys = (rising(array[place].contiguous()) for array, place in zip(positions, call[:2]))
    left, right, mask = options.left, options.right, options.mask

    def keep(b, h, q, k):
        i, j = of_queries[q], of_keys[k]
        parts = []
        if right >= 0:
            parts.append(j <= i + right)
        if left >= 0:
            parts.append(j >= i - left)
        if mask is not None:
            parts.append(mask(b, h, i, j))
        kept = parts[0]
        for part in parts[1:]:
            kept = kept & part
        return kept

    def modified(score, b, h, q, k):
        return options.score_mod(score, b, h, of_queries[q], of_keys[k])

    restricts = left >= 0 or right >= 0 or mask is not None
    return keep if restricts else None, modified if options.score_mod is not None else None


def _of_heads(options, first, count):
    """Options of heads from ``first`` on."""
    mask, modification = options.mask, options.score_mod
    return options._replace(
        mask=mask and (lambda b, h, q, k: mask(b, h + first, q, k)),
        score_mod=modification and (lambda score, b, h, q, k: modification(score, b, h + first, q, k)),
        sinks=None if options.sinks is None else options.sinks[first : first + count])


def _slots(calls):
    """For each call the lowest slot in which no call in front of it has written its rows, and how many there are."""
    used, found = [], []
    for call in calls:
        slot = next((i for i, places in enumerate(used) if all(
            call.rows.start >= place.stop or place.start >= call.rows.stop for place in places)), len(used))
        if slot == len(used):
            used.append([])
        used[slot].append(call.rows)
        found.append(slot)
    return found, len(used)


def _group_of(mesh):
    if mesh is None:
        return dist.group.WORLD
    if isinstance(mesh, dist.ProcessGroup):
        return mesh
    if getattr(mesh, "ndim", None) != 1:
        raise ArgumentError(f"mesh: expected a DeviceMesh of one dimension or a process group, but got {mesh!r}")
    return mesh.get_group()


class ContextParallel:
    """Attention over the devices of ``mesh``: see :func:`attn_mlir.torch.context_parallel`."""

    def __init__(self, mesh=None, *, exchange="auto", order="balanced", links=H200, timeout=60.0):
        if not dist.is_initialized():
            raise ArgumentError("mesh: expected torch.distributed to be initialized (torch.distributed.init_process_group)")
        if exchange not in (*EXCHANGES, "auto"):
            raise ArgumentError(f"exchange: expected 'auto', 'ring', 'all_gather' or 'heads', but got {exchange!r}")
        shares(0, 1, order)
        self._group = _group_of(mesh)
        self._exchange, self._order, self._links = exchange, order, Links(*links)
        self.rank, self.size = dist.get_rank(self._group), dist.get_world_size(self._group)
        self._agree = _exchange.Agreement(self._group, timeout)
        self._tokens = []

    def shares(self, total):
        """The chunks of positions of each rank; ``begin`` and ``end`` of each, ascending."""
        return shares(total, self.size, self._order)

    def shard(self, tensor, dim):
        """This rank's part of a tensor that all ranks have whole: its chunks along ``dim``, one behind the other."""
        parts = [tensor.narrow(dim, chunk.begin, chunk.end - chunk.begin) for chunk in self.shares(tensor.shape[dim])[self.rank]]
        return torch.cat(parts, dim)

    def unshard(self, tensor, dim):
        """The whole tensor of what each rank holds, on all ranks."""
        lengths = [said[0] for said in self._agree([tensor.shape[dim]])]
        held = self._held(lengths)
        # Ranks lead, so that what each sends is one piece.
        moved = tensor.movedim(dim, 0).contiguous()
        row = math.prod(moved.shape[1:])
        whole = moved.new_empty((sum(lengths), *moved.shape[1:]))

        def visit(source, flat):
            at = 0
            part = flat[: lengths[source] * row].view(lengths[source], *moved.shape[1:])
            for chunk in held[source]:
                whole[chunk.begin : chunk.end] = part[at : at + chunk.end - chunk.begin]
                at += chunk.end - chunk.begin

        _exchange.exchange("all_gather", self._group, _filled(moved.reshape(-1)), [max(1, n * row) for n in lengths], visit)
        return whole.movedim(0, dim).contiguous()

    def _held(self, lengths):
        """The shares of ranks that hold so many positions."""
        held = self.shares(sum(lengths))
        wanted = [length_of(share) for share in held]
        if wanted != list(lengths):
            raise CollectiveError(
                f"expected {wanted} positions on the ranks, as shard() gives them in {self._order} order, but got {list(lengths)}")
        return held

    def attention(self, q, k, v, *, causal=False, window=None, scale=None, mask=None, score_mod=None, sinks=None,
                  return_lse=False, layout="bhsd"):
        """Attention of the positions that this rank holds to those of all ranks; all ranks call it alike.

        Arguments are those of :func:`attn_mlir.attention`, of which each rank has its share of positions (``shard``).
        ``mask`` and ``score_mod`` are functions; their ``q`` and ``k`` are positions in the whole sequence.
        """
        error = options = None
        numbers = [0] * (len(_AGREED) + 2)
        try:
            q, k, v = self._checked(q, k, v, layout)
            options = self._options(q, k, causal, window, scale, mask, score_mod, sinks)
            self._check_gradients((q, k, v), options)
            numbers = self._numbers(q, k, v, options)
        except Exception as failure:
            error = failure
        said = self._agree(numbers, error)
        _exchange.agree_on(_AGREED, said)
        lengths = [words[-2] for words in said]
        if lengths != [words[-1] for words in said]:
            raise CollectiveError(
                f"expected as many keys as queries on each rank, but got {lengths} and {[words[-1] for words in said]}")
        held = self._held(lengths)
        if self._differentiates(q, k, v):
            o, lse = _Attend.apply(q, k, v, self, options, held, layout)
        else:
            o, lse = self._attend(q, k, v, options, held, layout)
        return (o, lse) if return_lse else o

    def _checked(self, q, k, v, layout):
        if layout not in _spec.LAYOUTS:
            raise ArgumentError(f"layout: expected 'bhsd' or 'bshd', but got {layout!r}")
        for name, x in (("q", q), ("k", k), ("v", v)):
            if not torch.is_tensor(x) or x.dim() != 4:
                raise ArgumentError(f"{name}: expected a torch tensor of 4 dimensions ({layout}), but got {_described(x)}")
            if x.dtype != q.dtype or x.device != q.device:
                raise ArgumentError(f"{name}: expected {q.dtype} on {q.device}, as q is, but got {x.dtype} on {x.device}")
        q, k, v = (x.transpose(1, 2) if layout == "bshd" else x for x in (q, k, v))
        _spec.shapes_of(q.shape, k.shape, v.shape, "bhsd")
        return q, k, v

    def _options(self, q, k, causal, window, scale, mask, score_mod, sinks):
        for name, function in (("mask", mask), ("score_mod", score_mod)):
            if function is not None and not callable(function):
                raise NotImplementedError(f"{name}: expected a function of positions; an array is not there yet over several devices")
        if causal == "top_left":
            causal = True  # As many queries as keys.
        left, right = (-1, -1)
        if window is not None:
            left, right = window if isinstance(window, (tuple, list)) else (window, -1)
        _spec.mask_of(causal, window)
        left, right = (-1 if bound is None else bound for bound in (left, right))
        right = 0 if causal else right
        _attention.sinks_element(sinks, q.shape[1])
        return Options(left, right, _spec.scale_of(scale, q.shape[3]), mask, score_mod, sinks)

    def _check_gradients(self, tensors, options):
        reads = any(x is not None for x in (options.mask, options.score_mod, options.sinks))
        if self._differentiates(*tensors) and (reads or (options.left, options.right) not in _WINDOWS_OF_GRADIENTS):
            raise NotImplementedError(
                "q, k, v: gradients over several devices are there of full and causal attention, without window, mask, score_mod "
                "and sinks; call under torch.no_grad()")

    @staticmethod
    def _differentiates(*tensors):
        return torch.is_grad_enabled() and any(x.requires_grad for x in tensors)

    def _numbers(self, q, k, v, options):
        kind = EXCHANGES.index(self._exchange) if self._exchange in EXCHANGES else -1
        flags = (options.mask, options.score_mod, options.sinks)
        if self._exchange == "heads" and not _exchange_model.can_swap_heads(_shape(q, k, v), self.size):
            raise ArgumentError(
                f"exchange: 'heads' expects multiples of {self.size} heads, one for each rank, but got {q.shape[1]} of q "
                f"and {k.shape[1]} of k")
        return [
            q.shape[0], q.shape[1], k.shape[1], q.shape[3], v.shape[3], _ELEMENTS.index(q.dtype) if q.dtype in _ELEMENTS else -1,
            options.left, options.right, *(x is not None for x in flags), kind, self._order == "balanced", q.shape[2], k.shape[2]]

    def choose(self, held, shape, window=(-1, -1)):
        """The exchange: what was asked for, or what the model finds best."""
        if self._exchange != "auto":
            return self._exchange
        return _best_exchange(tuple(map(tuple, held)), shape, tuple(window), self._links)

    def explain(self, q, k, v, *, causal=False, window=(-1, -1), layout="bhsd"):
        """A page about the exchanges for such tensors of a rank, by a model; nothing is computed or sent."""
        q, k, v = (x.transpose(1, 2) if layout == "bshd" else x for x in (q, k, v))
        left, right = window
        held, shape, window = self.shares(q.shape[2] * self.size), _shape(q, k, v), (left, 0 if causal else right)
        return _exchange_model.page(
            _exchange_model.predictions(held, shape, window, self._links), self.choose(held, shape, window))

    def _attend(self, q, k, v, options, held, layout):
        kind = self.choose(held, _shape(q, k, v), (options.left, options.right))
        o = q.new_empty((q.shape[0], q.shape[2], q.shape[1], v.shape[3])).transpose(1, 2) if layout == "bshd" else q.new_empty(
            (*q.shape[:3], v.shape[3]))
        run = _by_heads if kind == "heads" else _by_parts
        o, lse = run(self, q, k, v, options, held, o, kind)
        return (o.transpose(1, 2) if layout == "bshd" else o), lse

    def _ready(self, prepare):
        """What is needed for an exchange, once all ranks have it."""
        result = error = None
        try:
            result = prepare()
        except Exception as failure:
            error = failure
        self._agree([], error)
        return result

    def __enter__(self):
        """scaled_dot_product_attention of this thread is that of all ranks' positions, until the end."""
        from attn_mlir import _sdpa

        self._tokens.append((_active.set(self), _sdpa.activate() if not _sdpa.is_active() else None))
        return self

    def __exit__(self, *exception):
        token, handle = self._tokens.pop()
        _active.reset(token)
        if handle is not None:
            handle.remove()


@functools.lru_cache(maxsize=64)
def _best_exchange(held, shape, window, links):
    return _exchange_model.predictions(held, shape, window, links)[0].exchange


def _described(x):
    return f"a tensor of {x.dim()}" if torch.is_tensor(x) else type(x).__name__


def _shape(q, k, v):
    return Shape(q.shape[0], q.shape[1], k.shape[1], q.shape[3], v.shape[3], q.element_size())


def _filled(flat):
    """A flat tensor of at least one element, which all exchanges can send."""
    return flat if flat.numel() else flat.new_zeros(1)


def _positions(share, device):
    return torch.cat([torch.arange(chunk.begin, chunk.end, dtype=torch.int32, device=device) for chunk in share])


class _Parts:
    """What a rank computes with the keys of each other one, and where it goes."""

    def __init__(self, parallel, q, k, v, options, held, o):
        self.kv_shape, self.value_dim, self.lengths = k.shape, v.shape[3], [length_of(share) for share in held]
        rank, size = parallel.rank, parallel.size
        by_positions = options.mask is not None or options.score_mod is not None
        calls = {}
        for step in range(size):
            source = (rank - step) % size
            call = call_of(held[rank], held[source], options.left, options.right, by_positions)
            if call is not None:
                calls[source] = call
        slots, self.count = _slots(list(calls.values()))
        self.slots = dict(zip(calls, slots))
        self.lse = q.new_full((max(self.count, 1), *q.shape[:3]), float("-inf"), dtype=torch.float32)
        self.outputs = o[None] if self.count <= 1 else o.new_empty((self.count, *o.shape), dtype=torch.float32)
        if self.count == 0:
            o.zero_()
        moves = any(call.kind == "positions" for call in calls.values())
        positions = [_positions(share, q.device) if moves else None for share in held]
        self.parts = {}
        for source, call in calls.items():
            # Each query sees its own position's device, which counts the sinks.
            own = options if source == rank else options._replace(sinks=None)
            shapes = ((*x.shape[:2], self.lengths[source], x.shape[3]) for x in (k, v))
            self.parts[source] = _Part(q, *shapes, call, own, (positions[rank], positions[source]), self.count > 1)

    def elements(self, source):
        """Of a rank's K and V."""
        batch, heads, _, qk_dim = self.kv_shape
        return [batch * heads * self.lengths[source] * dim for dim in (qk_dim, self.value_dim)]

    def visit(self, q, source, flat):
        part = self.parts.get(source)
        if part is None:
            return
        of_k, of_v = self.elements(source)
        k, v = (x.view(*self.kv_shape[:2], self.lengths[source], -1) for x in (flat[:of_k], flat[of_k : of_k + of_v]))
        slot = self.slots[source]
        part.run(q, k, v, self.outputs[slot], self.lse[slot])


def _by_parts(parallel, q, k, v, options, held, o, kind):
    """Own keys, then those of others as they arrive. Returns (O, LSE); ``o`` is where O goes if it is not merged."""
    parts = parallel._ready(lambda: _Parts(parallel, q, k, v, options, held, o))
    own = _filled(torch.cat([k.reshape(-1), v.reshape(-1)]))
    counts = [max(1, sum(parts.elements(source))) for source in range(parallel.size)]
    _exchange.exchange(kind, parallel._group, own, counts, lambda source, flat: parts.visit(q, source, flat))
    if parts.count <= 1:
        return o, parts.lse[0]
    merged, lse = merge_parts(parts.outputs, parts.lse, q.dtype, "bhsd")
    return (merged if o.is_contiguous() else o.copy_(merged)), lse


def _by_heads(parallel, q, k, v, options, held, o, _):
    """All positions of some heads on each rank, and back. Returns (O, LSE), and writes O."""
    rank, size, group = parallel.rank, parallel.size, parallel._group
    lengths = [length_of(share) for share in held]
    total = sum(lengths)
    heads = q.shape[1] // size
    own = _of_heads(options, rank * heads, heads)

    def gathered(x):
        count = x.shape[1] // size
        parts = _exchange.swap(
            group, [x[:, r * count : (r + 1) * count] for r in range(size)],
            [x.shape[0] * count * length * x.shape[3] for length in lengths])
        whole = x.new_empty((x.shape[0], count, total, x.shape[3]))
        for part, share, length in zip(parts, held, lengths):
            _place(whole, part.view(x.shape[0], count, length, x.shape[3]), share)
        return whole

    everything = shares(total, 1, "contiguous")[0]
    call = call_of(everything, everything, options.left, options.right, options.mask is not None or options.score_mod is not None)
    if call is None:
        parallel._ready(lambda: o.zero_())
        return o, q.new_full(q.shape[:3], float("-inf"), dtype=torch.float32)
    shapes = ((x.shape[0], x.shape[1] // size, total, x.shape[3]) for x in (k, v))
    positions = (_positions(everything, q.device),) * 2
    part = parallel._ready(
        lambda: _Part(q.new_empty((q.shape[0], heads, total, q.shape[3])), *shapes, call, own, positions, is_wide=False))
    whole_q, whole_k, whole_v = (gathered(x) for x in (q, k, v))
    whole_o = q.new_empty((q.shape[0], heads, total, v.shape[3]))
    whole_lse = q.new_empty((q.shape[0], heads, total), dtype=torch.float32)
    part.run(whole_q, whole_k, whole_v, whole_o, whole_lse)

    def returned(x, target):
        width = math.prod(x.shape[3:])
        parts = _exchange.swap(
            group, [_taken(x, share) for share in held], [x.shape[0] * heads * lengths[rank] * width] * size)
        for r, piece in enumerate(parts):
            target[:, r * heads : (r + 1) * heads] = piece.view(x.shape[0], heads, lengths[rank], *x.shape[3:])

    returned(whole_o, o)
    lse = q.new_empty(q.shape[:3], dtype=torch.float32)
    returned(whole_lse, lse)
    return o, lse


class _Attend(torch.autograd.Function):
    """Attention whose gradients of q, k and v are computed in parts, too."""

    @staticmethod
    def forward(ctx, q, k, v, parallel, options, held, layout):
        o, lse = parallel._attend(q, k, v, options, held, layout)
        ctx.save_for_backward(q, k, v, o.transpose(1, 2) if layout == "bshd" else o, lse)
        ctx.given = parallel, options, held, layout
        ctx.mark_non_differentiable(lse)
        return o, lse

    @staticmethod
    def backward(ctx, dout, _):
        parallel, options, held, layout = ctx.given
        dout = dout.transpose(1, 2) if layout == "bshd" else dout
        return (*_Gradients(parallel, *ctx.saved_tensors, dout, options, held).run(), None, None, None, None)


class _Gradients:
    """Gradients of what this rank holds: those of its queries it sums itself, those of keys and values of other ranks go
    back to them, where they are summed in the order of ranks. Sums are f32."""

    def __init__(self, parallel, q, k, v, o, lse, dout, options, held):
        self.parallel, self.held = parallel, held
        self.q, self.k, self.v, self.o, self.lse, self.dout = q, k, v, o, lse, dout
        self.options = options
        self.lengths = [length_of(share) for share in held]
        rank = parallel.rank
        self.calls = [call_of(held[rank], share, options.left, options.right) for share in held]

    def _call(self, call):
        return {"causal": "top_left" if call.kind == "causal" else False, "scale": self.options.scale}

    def _prepare(self):
        for call in filter(None, self.calls):
            _gradients.kernel_of(self.q, self.k, self.v, self._call(call), "bhsd", is_wide=True)
        f32 = {"dtype": torch.float32, "device": self.q.device}
        self.dq = torch.zeros(self.q.shape, **f32)
        self.dk = [torch.zeros((*self.k.shape[:2], length, self.k.shape[3]), **f32) for length in self.lengths]
        self.dv = [torch.zeros((*self.v.shape[:2], length, self.v.shape[3]), **f32) for length in self.lengths]

    def _visit(self, source, flat):
        call = self.calls[source]
        if call is None:
            return
        k, v = (x.view(like.shape) for x, like in zip(
            torch.split(flat[: self.dk[source].numel() + self.dv[source].numel()],
                        [self.dk[source].numel(), self.dv[source].numel()]),
            (self.dk[source], self.dv[source])))
        rows, columns = call.rows, call.columns
        of_rows = (x[:, :, rows] for x in (self.o, self.lse, self.dout))
        dq, dk, dv = _gradients.gradients(
            self.q[:, :, rows], k[:, :, columns], v[:, :, columns], *of_rows, self._call(call), "bhsd", is_wide=True)
        self.dq[:, :, rows] += dq
        self.dk[source][:, :, columns] = dk
        self.dv[source][:, :, columns] = dv

    def run(self):
        """(dQ, dK, dV) of this rank."""
        parallel, k, v = self.parallel, self.k, self.v
        parallel._ready(self._prepare)
        counts = [max(1, dk.numel() + dv.numel()) for dk, dv in zip(self.dk, self.dv)]
        kind = parallel.choose(self.held, _shape(self.q, k, v), self.options[:2])
        _exchange.exchange(
            "all_gather" if kind == "heads" else kind, parallel._group, _filled(torch.cat([k.reshape(-1), v.reshape(-1)])), counts,
            self._visit)
        parts = _exchange.swap(
            parallel._group, [_filled(torch.cat([dk.reshape(-1), dv.reshape(-1)])) for dk, dv in zip(self.dk, self.dv)],
            [counts[parallel.rank]] * parallel.size)
        total = parts[0].clone()
        for part in parts[1:]:
            total += part
        dk, dv = total[: k.numel()].view(k.shape), total[k.numel() : k.numel() + v.numel()].view(v.shape)
        return self.dq.to(self.q.dtype), dk.to(k.dtype), dv.to(v.dtype)


def _place(whole, part, share):
    at = 0
    for chunk in share:
        whole[:, :, chunk.begin : chunk.end] = part[:, :, at : at + chunk.end - chunk.begin]
        at += chunk.end - chunk.begin


def _taken(whole, share):
    return torch.cat([whole[:, :, chunk.begin : chunk.end] for chunk in share], 2)


def serve(q, k, v, mask, dropout_p, is_causal, scale):
    """scaled_dot_product_attention under a ContextParallel; None where there is none."""
    parallel = _active.get()
    if parallel is None:
        return None
    if mask is not None or dropout_p > 0.0:
        raise NotImplementedError("attn_mask, dropout_p: not there over several devices; a mask as a function is (attention)")
    return parallel.attention(q, k, v, causal=is_causal, scale=scale)


def context_parallel(mesh=None, *, exchange="auto", order="balanced", links=H200, timeout=60.0):
    """Attention over sequences that the devices of ``mesh`` hold in parts: a :class:`ContextParallel`.

    >>> parallel = attn_mlir.torch.context_parallel(mesh)
    >>> q, k, v = (parallel.shard(x, 2) for x in (q, k, v))
    >>> o = parallel.attention(q, k, v, causal=True)     # or, under `with parallel:`, scaled_dot_product_attention

    mesh: a DeviceMesh of one dimension, a process group, or None for all ranks. All of them make it, and call it alike:
        where one cannot, all raise (:class:`attn_mlir.CollectiveError`).
    exchange: how keys and values come: "ring" passes them on while those before are computed with, "all_gather" fetches
        all at once, "heads" gives each rank all positions of some heads; "auto" is what a model says (``explain``).
    order: "balanced" gives each rank an early and a late chunk of positions, as causal masks want; "contiguous" one.
    links: figures of the model, :class:`attn_mlir.torch.Links`.
    timeout: seconds to wait for other ranks to make a call.
    """
    return ContextParallel(mesh, exchange=exchange, order=order, links=links, timeout=timeout)
