"""One sequence over the devices of a process group: attention of the queries that a device holds to the keys of all.

Under a causal mask, and without one, keys of others come to lie in front of the own ones, and a kernel computes rows from all that
they see. Where masks ask for positions, and where collectives move keys, a device computes a part of its result from the keys of each
other one, and a kernel merges the parts by their LSE (attn.merge_states). Parts are f32, so that the result is rounded once, as on one
device, and they are merged in a fixed order, so that it is the same in every run.

A call of a kind that all ranks had before takes one round of words: each does what it can by the plan of that time (it
copies its keys to the others, and starts with them itself) while the round tells whether all have the same plan. Else
they agree on a new one, in two rounds.
"""

import collections
import contextvars
import functools
import math
import operator
import zlib

import torch
import torch.distributed as dist

from attn_mlir import _attention, _exchange, _exchange_model, _spec
from attn_mlir._context_continued import Continued, RunOfContinued, continues
from attn_mlir._context_gathered import Gathered, RunOfGathered
from attn_mlir._context_gradients import Gradients
from attn_mlir._context_parts import (
    Options, PartOfHeads, Parts, RunOfHeads, RunOfParts, asks_positions, filled, is_swapped, shape_of)
from attn_mlir._errors import ArgumentError, CollectiveError
from attn_mlir._exchange_model import COPIES, EXCHANGES, H200, Links
from attn_mlir._peer_copies import Copies
from attn_mlir._segments import length_of, shares

_ELEMENTS = (torch.float16, torch.bfloat16, torch.float32)
_TRANSFERS = ("auto", "copies", "collectives", "reads")
_AGREED = (
    "batch size", "heads", "heads of k", "head dimension", "head dimension of v", "element type", "left bound of the window",
    "right bound of the window", "whether there is a mask", "whether there is a score modification", "whether there are sinks",
    "exchange", "order", "links", "transfers", "speeds", "cu_seqlens")
# Besides, a rank says how its K and V lie, and how many positions it has.
_SAID = len(_AGREED) + 4
_MOST_PLANS = 64

_active = contextvars.ContextVar("attn_mlir_context_parallel", default=None)

RUNS = {Gathered: RunOfGathered, Continued: RunOfContinued, Parts: RunOfParts, PartOfHeads: RunOfHeads}

_WINDOWS_OF_GRADIENTS = ((-1, -1), (-1, 0))

Plan = collections.namedtuple("Plan", "digest held kind swapped copies is_read gathers parts")
Plan.__doc__ = """How calls of a kind are done. ``digest``: of what all ranks said of it; ``held``: their shares; ``kind``: the
exchange, or copies; ``swapped``: whether K and V of each rank lie as [B, S, H, D]; ``copies``: None where collectives move them;
``is_read``: whether keys are read where they are instead; ``gathers``: whether keys lie one behind the other; ``parts``: what is
computed, None where functions are traced for each call."""

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

    def __init__(self, mesh=None, *, exchange="auto", order="balanced", links=H200, timeout=60.0, transfers="auto", speeds=None):
        if not dist.is_initialized():
            raise ArgumentError("mesh: expected torch.distributed to be initialized (torch.distributed.init_process_group)")
        if exchange not in (*EXCHANGES, "auto"):
            raise ArgumentError(f"exchange: expected 'auto', 'ring', 'all_gather' or 'heads', but got {exchange!r}")
        if transfers not in _TRANSFERS:
            raise ArgumentError(f"transfers: expected 'auto', 'copies', 'reads' or 'collectives', but got {transfers!r}")
        shares(0, 1, order)
        self.group = _group_of(mesh)
        self._speeds = _checked_speeds(speeds, dist.get_world_size(self.group))
        self._exchange, self._order, self._links = exchange, order, Links(*links)
        # In a number of each, what all ranks must have alike.
        self._said = [zlib.crc32(repr(each and tuple(each)).encode()) for each in (self._links, self._speeds)]
        self.rank, self.size = dist.get_rank(self.group), dist.get_world_size(self.group)
        self._agree = _exchange.Agreement(self.group, timeout)
        self._transfers, self._copies = transfers, None
        self._plans = collections.OrderedDict()
        self._tokens = []

    @property
    def rounds(self):
        """Rounds of words so far, the same on all ranks."""
        return self._agree.rounds

    def shares(self, total):
        """The chunks of positions of each rank; ``begin`` and ``end`` of each, ascending."""
        return shares(total, self.size, self._order, self._speeds)

    def shard(self, tensor, dim):
        """This rank's part of a tensor that all ranks have whole: its chunks along ``dim``, one behind the other."""
        parts = [tensor.narrow(dim, chunk.begin, chunk.end - chunk.begin) for chunk in self.shares(tensor.shape[dim])[self.rank]]
        return torch.cat(parts, dim)

    def unshard(self, tensor, dim):
        """The whole tensor of what each rank holds, on all ranks."""
        lengths = [said[0] for said in self._agree("unshard", [tensor.shape[dim]])]
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

        _exchange.exchange("all_gather", self.group, filled(moved.reshape(-1)), [max(1, n * row) for n in lengths], visit)
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
                  cu_seqlens=None, return_lse=False, layout="bhsd"):
        """Attention of the positions that this rank holds to those of all ranks; all ranks call it alike.

        Arguments are those of :func:`attn_mlir.attention`, of which each rank has its share of positions (``shard``).
        ``mask`` and ``score_mod`` are functions; their ``q`` and ``k`` are positions in the whole sequence. ``cu_seqlens``: where each of
        several sequences, one behind the other, begins in the whole, and the last ends; numbers, or a tensor, which is read
        by the host.
        """
        try:
            q, k, v = self._checked(q, k, v, layout)
            offsets = _offsets_of(cu_seqlens)
            options = self._options(q, k, causal, window, scale, mask, score_mod, sinks)
            options = options._replace(sequences=_sequences_of(offsets, q.device))
            self._check_gradients((q, k, v), options)
            numbers = self._numbers(q, k, v, options, offsets)
        except Exception as failure:
            self._agree("attention", [0] * _SAID, failure)  # Raises it, here and in words elsewhere.
        # Streams and events are those of the tensors' device.
        with torch.cuda.device_of(q):
            if self._differentiates(q, k, v):
                o, lse = _Attend.apply(q, k, v, self, options, numbers, layout)
            else:
                o, lse, _ = self._attend(q, k, v, options, numbers, layout)
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
        return Options(left, right, _spec.scale_of(scale, q.shape[3]), mask, score_mod, sinks, None)

    def _check_gradients(self, tensors, options):
        reads = asks_positions(options) or options.sinks is not None
        if self._differentiates(*tensors) and (reads or (options.left, options.right) not in _WINDOWS_OF_GRADIENTS):
            raise NotImplementedError(
                "q, k, v: gradients over several devices are there of full and causal attention, without window, mask, score_mod, "
                "sinks and cu_seqlens; call under torch.no_grad()")

    @staticmethod
    def _differentiates(*tensors):
        return torch.is_grad_enabled() and any(x.requires_grad for x in tensors)

    def _numbers(self, q, k, v, options, offsets):
        kind = EXCHANGES.index(self._exchange) if self._exchange in EXCHANGES else -1
        links, speeds = self._said
        flags = (options.mask, options.score_mod, options.sinks)
        if self._exchange == "heads" and not _exchange_model.can_swap_heads(shape_of(q, k, v), self.size):
            raise ArgumentError(
                f"exchange: 'heads' expects multiples of {self.size} heads, one for each rank, but got {q.shape[1]} of q "
                f"and {k.shape[1]} of k")
        return [
            q.shape[0], q.shape[1], k.shape[1], q.shape[3], v.shape[3], _ELEMENTS.index(q.dtype) if q.dtype in _ELEMENTS else -1,
            options.left, options.right, *(x is not None for x in flags), kind, self._order == "balanced", links,
            _TRANSFERS.index(self._transfers), speeds, _said_of(offsets), *map(is_swapped, (k, v)), q.shape[2], k.shape[2]]

    def choose(self, held, shape, window=(-1, -1)):
        """The exchange of collectives: what was asked for, or what the model finds best."""
        if self._exchange != "auto":
            return self._exchange
        return _best_of(EXCHANGES, tuple(map(tuple, held)), shape, tuple(window), self._links)

    def _prefers_copies(self, held, shape, window):
        """Whether keys go by copies, or are read, where devices can."""
        if self._transfers == "collectives" or self._exchange == "heads":
            return False
        if self._transfers != "auto" or self._exchange != "auto":
            return True
        return _best_of((COPIES, *EXCHANGES), tuple(map(tuple, held)), shape, tuple(window), self._links) == COPIES

    def explain(self, q, k, v, *, causal=False, window=(-1, -1), layout="bhsd"):
        """A page about the exchanges for such tensors of a rank, by a model; nothing is computed or sent."""
        q, k, v = (x.transpose(1, 2) if layout == "bshd" else x for x in (q, k, v))
        left, right = window
        total = q.shape[2] * self.size if self._speeds is None else round(q.shape[2] * sum(self._speeds) / self._speeds[self.rank])
        held, shape, window = self.shares(total), shape_of(q, k, v), (left, 0 if causal else right)
        has_copies = self._prefers_copies(held, shape, window)
        kinds = EXCHANGES if self._transfers == "collectives" else (COPIES, *EXCHANGES)
        return _exchange_model.page(
            _exchange_model.predictions(held, shape, window, self._links, kinds),
            COPIES if has_copies else self.choose(held, shape, window))

    def _attend(self, q, k, v, options, numbers, layout):
        """(O, LSE, shares of ranks), of K and V without holes."""
        tensors, key = (q, k, v), (*numbers, options.scale, getattr(options.sinks, "dtype", None), q.device, layout)
        plan, run = self._plans.get(key), None
        if plan is not None:
            try:
                run = self._begin(plan, tensors, options, layout)
            except Exception:
                plan = None  # That all ranks hear of below, if it still is so.
        try:
            pending = self._agree.begin("attention", numbers, digest=plan.digest if plan is not None else 0)
            if run is not None:
                run.early()
            said = pending.finish()
        except Exception:
            if run is not None:
                run.abandon()
            raise
        if not said.is_known:
            if run is not None:
                run.abandon()
            plan = self._planned(said.numbers, tensors, options)
            run = self.ready(lambda: self._prepared(plan, tensors, options, layout, key))
            plan = self._plans[key]
            run.early()
        o, lse = run.finish()
        return (o.transpose(1, 2) if layout == "bshd" else o), lse, plan.held

    def _planned(self, said, tensors, options):
        """A plan of what all ranks said, without parts; all of them make it."""
        _exchange.agree_on(_AGREED, said)
        lengths = [words[-2] for words in said]
        if lengths != [words[-1] for words in said]:
            raise CollectiveError(
                f"expected as many keys as queries on each rank, but got {lengths} and {[words[-1] for words in said]}")
        total = said[0][_AGREED.index("cu_seqlens")] >> 32
        if total and total - 1 != sum(lengths):
            raise CollectiveError(
                f"cu_seqlens: expected the last to be {sum(lengths)}, as many positions as all ranks have, but got {total - 1}")
        held = self._held(lengths)
        shape = shape_of(*tensors)
        window = options.left, options.right
        copies, is_read = None, self._transfers == "reads"
        gathers = False
        if self._prefers_copies(held, shape, window):
            room = None if is_read else Gathered.room_of(shape, held, options, self._links)
            gathers = room is not None
            if not gathers:
                room = Parts.room_of(shape, held) * (1 if is_read else self.size - 1)
            copies = self._copies_of(tensors[0].device, room)
        kind = COPIES if copies is not None else self.choose(held, shape, window)
        swapped = [tuple(map(bool, words[-4:-2])) for words in said]
        return Plan(_exchange.digest_of(said), held, kind, swapped, copies, is_read, gathers and copies is not None, None)

    def _copies_of(self, device, room):
        """Slots of so many bytes, or None where not all have them."""
        if self.size == 1:
            return None
        if self._copies is None or self._copies.device != device:
            self._copies = Copies(self._agree, device, self._transfers == "reads")
            self._plans.clear()
        if self._copies.grow(room):
            return self._copies
        if self._transfers != "auto":
            raise CollectiveError(
                f"transfers: {self._transfers!r} expects ranks of one host that can reach each other's memory")
        self._transfers = "collectives"
        self._plans.clear()
        return None

    def _prepared(self, plan, tensors, options, layout, key):
        """A run of a new plan, which is remembered."""
        if options.mask is None and options.score_mod is None:
            plan = plan._replace(parts=self._parts_of(plan, tensors, options))
        run = self._begin(plan, tensors, options, layout)
        self._plans[key] = plan
        while len(self._plans) > _MOST_PLANS:
            self._plans.popitem(last=False)
        return run

    def _parts_of(self, plan, tensors, options):
        if plan.kind == "heads":
            return PartOfHeads(self, *tensors, options, plan.held)
        if plan.gathers:
            return Gathered(self.rank, *tensors, options, plan.held, plan.swapped, self._links)
        return parts_of(plan.held, self.rank, tensors, options, plan.copies is not None)

    def _begin(self, plan, tensors, options, layout):
        q, _, v = tensors
        if layout == "bshd":
            o = q.new_empty((q.shape[0], q.shape[2], q.shape[1], v.shape[3])).transpose(1, 2)
        else:
            o = q.new_empty((*q.shape[:3], v.shape[3]))
        parts = self._parts_of(plan, tensors, options) if plan.parts is None else plan.parts
        runs = RUNS[type(parts)]
        run = runs(self, plan, parts, *tensors, options, o)
        run.start()
        return run

    def ready(self, prepare):
        """What is needed for an exchange, once all ranks have it."""
        result = error = None
        try:
            result = prepare()
        except Exception as failure:
            error = failure
        self._agree("a step of attention", [], error)
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


def parts_of(held, rank, tensors, options, has_copies=True):
    """What a rank computes of keys that do not lie one behind the other."""
    kind = Continued if has_copies and continues(held, rank, shape_of(*tensors), options) else Parts
    return kind(rank, *tensors, options, held, has_copies)


@functools.lru_cache(maxsize=64)
def _best_of(kinds, held, shape, window, links):
    return _exchange_model.predictions(held, shape, window, links, kinds)[0].exchange


def _checked_speeds(speeds, size):
    """A number for each rank, or None."""
    if speeds is None:
        return None
    found = [float(speed) for speed in speeds]
    if len(found) != size or not all(0.0 < speed < math.inf for speed in found):
        raise ArgumentError(f"speeds: expected {size} numbers above 0, one for each rank, but got {speeds!r}")
    return found


def _offsets_of(cu_seqlens):
    """Numbers, or None."""
    if cu_seqlens is None:
        return None
    try:
        offsets = [operator.index(offset) for offset in (cu_seqlens.tolist() if torch.is_tensor(cu_seqlens) else cu_seqlens)]
    except TypeError:
        raise ArgumentError(f"cu_seqlens: expected whole numbers or a tensor of them, but got {cu_seqlens!r}") from None
    if not offsets or offsets[0] != 0 or any(end < begin for begin, end in zip(offsets, offsets[1:])):
        raise ArgumentError(f"cu_seqlens: expected numbers that rise from 0 on, but got {offsets}")
    return offsets


def _said_of(offsets):
    """One number of them for all ranks, with that of positions above it; 0 of none."""
    return 0 if offsets is None else (offsets[-1] + 1 << 32) + zlib.crc32(repr(offsets).encode())


def _sequences_of(offsets, device):
    """Where the sequence of each position begins, and where it ends."""
    if offsets is None:
        return None
    bounds = torch.tensor(offsets, dtype=torch.int32, device=device)
    return tuple(torch.repeat_interleave(bound, bounds.diff()) for bound in (bounds[:-1], bounds[1:]))


def _described(x):
    return f"a tensor of {x.dim()}" if torch.is_tensor(x) else type(x).__name__


class _Attend(torch.autograd.Function):
    """Attention whose gradients of q, k and v are computed in parts, too."""

    @staticmethod
    def forward(ctx, q, k, v, parallel, options, numbers, layout):
        o, lse, held = parallel._attend(q, k, v, options, numbers, layout)
        ctx.save_for_backward(q, k, v, o.transpose(1, 2) if layout == "bshd" else o, lse)
        ctx.given = parallel, options, held, layout
        # No gradient of LSE is None, as a kernel wants it.
        ctx.set_materialize_grads(False)
        return o, lse

    @staticmethod
    def backward(ctx, dout, dlse):
        parallel, options, held, layout = ctx.given
        if dout is None:
            dout = torch.zeros_like(ctx.saved_tensors[3])
        elif layout == "bshd":
            dout = dout.transpose(1, 2)
        return (*Gradients(parallel, *ctx.saved_tensors, dout, options, held, dlse).run(), None, None, None, None)


def serve(q, k, v, mask, dropout_p, is_causal, scale):
    """scaled_dot_product_attention under a ContextParallel; None where there is none."""
    parallel = _active.get()
    if parallel is None:
        return None
    if mask is not None or dropout_p > 0.0:
        raise NotImplementedError("attn_mask, dropout_p: not there over several devices; a mask as a function is (attention)")
    return parallel.attention(q, k, v, causal=is_causal, scale=scale)


def context_parallel(mesh=None, *, exchange="auto", order="balanced", links=H200, timeout=60.0, transfers="auto", speeds=None):
    """Attention over sequences that the devices of ``mesh`` hold in parts: a :class:`ContextParallel`.

    >>> parallel = attn_mlir.torch.context_parallel(mesh)
    >>> q, k, v = (parallel.shard(x, 2) for x in (q, k, v))
    >>> o = parallel.attention(q, k, v, causal=True)     # or, under `with parallel:`, scaled_dot_product_attention

    mesh: a DeviceMesh of one dimension, a process group, or None for all ranks. All of them make it, and call it alike:
        where one cannot, all raise (:class:`attn_mlir.CollectiveError`).
    exchange: how keys and values come: "ring" passes them on while those before are computed with, "all_gather" fetches
        all at once, "heads" gives each rank all positions of some heads; "auto" is what a model says (``explain``).
    order: "balanced" gives each rank an early and a late chunk of positions, as causal masks want; "contiguous" one.
    speeds: a number for each rank, to which its share of the positions is in proportion; None: all are alike. GPUs of one host differ.
    links: figures of the model, :class:`attn_mlir.torch.Links`.
    timeout: seconds to wait for other ranks to make a call.
    transfers: "copies" of a rank into memory of the others, by copy engines, where all are on one host and can; else
        "collectives" of the process group; "auto" tries copies. With copies "ring" and "all_gather" are the same: keys go
        from each rank to each other one that needs them. "reads": kernels read keys where they are, in memory of the others.
    """
    return ContextParallel(mesh, exchange=exchange, order=order, links=links, timeout=timeout, transfers=transfers, speeds=speeds)
