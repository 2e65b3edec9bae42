"""What a rank computes of attention over several devices, and with whose keys; a run of it for one call."""

import collections
import itertools
import math

import torch

from attn_mlir import _attention, _exchange, _spec
from attn_mlir._captures import sorted as rising
from attn_mlir._exchange_model import FEW, TOGETHER, Shape
from attn_mlir._merge import merge_parts
from attn_mlir._peer_copies import Piece, places_of, slot_of
from attn_mlir._segments import call_of, length_of, shares

_CAUSAL = {"causal": "top_left", "last": "bottom_right"}

_SETS = {16: "sixteen-sets", 8: "eight-sets", 4: "four-sets", 2: "two-sets", 1: "one-set"}

# A schedule's options: who is done takes the next tile, or all take tiles in fixed turns. In neither do CTAs share the tiles of a last round: what comes behind fills it.
TURNS = {"taken": "dynamic stream-k=false", "fixed": "stream-k=false"}

Options = collections.namedtuple("Options", "left right scale mask score_mod sinks sequences")
Options.__doc__ = """``sequences``: where that of each position begins and ends, two tensors; None where all are one."""


def asks_positions(options):
    """Whether more than bounds of a window asks where queries and keys are."""
    return any(x is not None for x in (options.mask, options.score_mod, options.sequences))


class Part:
    """Attention of some rows of this device to the keys of another: its kernel is compiled when it is made. ``turns``: those of TURNS, where its
    CTAs begin at different times, behind those of another one or beside a collective's; else None."""

    def __init__(self, q, k_shape, v_shape, call, options, positions, is_wide, turns, is_continued=False):
        self.call = call
        mask, modification = _on_positions(options, call, positions) if call.kind == "positions" else (None, None)
        self.regions, self.captured = _attention.regions_of(mask, modification, q.shape[1])
        rows, columns = (place.stop - place.start for place in call[:2])
        shapes = _spec.shapes_of(
            (*q.shape[:2], rows, q.shape[3]), (*k_shape[:2], columns, k_shape[3]), (*v_shape[:2], columns, v_shape[3]), "bhsd")
        device = _attention.device_of("q", q)
        element = _spec.element_of("q", q, device.platform == "cpu")
        problem = _attention.problem_of(
            shapes, element, _spec.mask_of(_CAUSAL.get(call.kind, False), None), options.scale, "bhsd", True, "",
            _attention.sinks_element(options.sinks, q.shape[1]), self.regions)
        problem = problem._replace(result="f32" if is_wide and element != "f32" else "", earlier=is_continued)
        # Under a causal mask streams differ in length: that is as good for kernels that begin alone.
        also = None
        if device.platform == "cuda" and call.kind in _CAUSAL:
            also = _order_of(columns * (k_shape[3] + v_shape[3]) * q.element_size())
        elif device.platform == "cuda" and turns is not None:
            also = TURNS[turns]
        self.plan = _attention.plan_of(problem, device, shapes, q, also)

    def run(self, heads, kv_heads, q, k, v, o, lse, sinks, earlier=()):
        """Writes O and LSE of its rows of these heads; of a continued part with what is ``earlier``, (O, LSE) in f32."""
        rows, columns = self.call.rows, self.call.columns
        tensors = cut(q, heads, rows), cut(k, kv_heads, columns), cut(v, kv_heads, columns)
        sinks = None if sinks is None else sinks[heads]
        inputs = _attention.captured_inputs(self.plan, tensors, None, self.regions, self.captured, sinks)
        inputs += tuple(cut(x, heads, rows) for x in earlier)
        self.plan.run(inputs, (cut(o, heads, rows), cut(lse, heads, rows)), None, _attention.numbers_of(self.regions))


def _order_of(size):
    """A schedule's options: who is done takes the next tile, the longest first, of few heads at a time; ``size`` are the bytes of K and V of one."""
    sets = next((sets for sets in _SETS if sets * size <= TOGETHER), 1)
    return f"dynamic grid-order={_SETS[sets]} longest-first pair-tiles=false"


def cut(x, heads, places):
    """Some heads and places of a tensor [B, H, S, ...], itself where these are all: a view takes a microsecond of the host."""
    if heads.stop - heads.start == x.shape[1]:
        return x if places.stop - places.start == x.shape[2] else x[:, :, places]
    return x[:, heads, places]


def _on_positions(options, call, positions):
    """The mask and the score modification of a call, of functions and a window that speak of positions."""
    of_queries, of_keys = (rising(array[place].contiguous()) for array, place in zip(positions, call[:2]))
    left, right, mask = options.left, options.right, options.mask
    of_sequences, begins, ends = options.sequences, None, None
    if of_sequences is not None:
        rows = positions[0][call.rows].long()
        begins, ends = (rising(bound[rows].contiguous()) for bound in of_sequences)

    def keep(b, h, q, k):
        i, j = of_queries[q], of_keys[k]
        parts = []
        if right >= 0:
            parts.append(j <= i + right)
        if left >= 0:
            parts.append(j >= i - left)
        if of_sequences is not None:
            parts += [j >= begins[q], j < ends[q]]
        if mask is not None:
            parts.append(mask(b, h, i, j))
        kept = parts[0]
        for part in parts[1:]:
            kept = kept & part
        return kept

    def modified(score, b, h, q, k):
        return options.score_mod(score, b, h, of_queries[q], of_keys[k])

    restricts = left >= 0 or right >= 0 or mask is not None or of_sequences is not None
    return keep if restricts else None, modified if options.score_mod is not None else None


def of_heads(options, heads):
    """Options of a slice of heads."""
    mask, modification, first = options.mask, options.score_mod, heads.start
    return options._replace(
        mask=mask and (lambda b, h, q, k: mask(b, h + first, q, k)),
        score_mod=modification and (lambda score, b, h, q, k: modification(score, b, h + first, q, k)),
        sinks=None if options.sinks is None else options.sinks[heads])


def room_for(shape, length):
    """Bytes of the K and V of so many positions."""
    return places_of([shape.batch * shape.kv_heads * length * dim * shape.bytes for dim in (shape.qk_dim, shape.value_dim)])[-1]


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


def shape_of(q, k, v):
    return Shape(q.shape[0], q.shape[1], k.shape[1], q.shape[3], v.shape[3], q.element_size())


def filled(flat):
    """A flat tensor of at least one element, which all exchanges can send."""
    return flat if flat.numel() else flat.new_zeros(1)


def _positions(share, device):
    return torch.cat([torch.arange(chunk.begin, chunk.end, dtype=torch.int32, device=device) for chunk in share])


def _put(whole, part, share):
    at = 0
    for chunk in share:
        whole[:, :, chunk.begin : chunk.end] = part[:, :, at : at + chunk.end - chunk.begin]
        at += chunk.end - chunk.begin


def _taken(whole, share):
    return torch.cat([whole[:, :, chunk.begin : chunk.end] for chunk in share], 2)


class Parts:
    """What a rank computes with the keys of each other one, and where it goes: the same for calls of one plan."""

    def __init__(self, rank, q, k, v, options, held, has_copies):
        self.lengths = [length_of(share) for share in held]
        self.shapes = [[(*x.shape[:2], length, x.shape[3]) for x in (k, v)] for length in self.lengths]
        by_positions = asks_positions(options)
        calls = {}
        for step in range(len(held)):
            source = (rank - step) % len(held)
            call = call_of(held[rank], held[source], options.left, options.right, by_positions)
            if call is not None:
                calls[source] = call
        # Who computes with the keys of this rank, the next one first, and with which of them.
        wanted = {
            reader: call_of(held[reader], held[rank], options.left, options.right, by_positions)
            for reader in ((rank + step) % len(held) for step in range(1, len(held)))}
        self.wanted = {reader: call.columns for reader, call in wanted.items() if call is not None}
        self.readers = list(self.wanted)
        self._has_functions = options.mask is not None or options.score_mod is not None
        self.room = Parts.room_of(shape_of(q, k, v), held)
        self._prepare(rank, q, k, calls, options, held, has_copies)

    def _prepare(self, rank, q, k, calls, options, held, has_copies):
        """Kernels, and the slots that they write."""
        slots, self.count = _slots(list(calls.values()))
        self.slots = dict(zip(calls, slots))
        rows = [sum(c.rows.stop - c.rows.start for c, own in zip(calls.values(), slots) if own == slot) for slot in range(self.count)]
        self.writes_all = self.count > 0 and set(rows) == {self.lengths[rank]}
        moves = any(call.kind == "positions" for call in calls.values())
        positions = [_positions(share, q.device) if moves else None for share in held]
        self.parts = {}
        for source, call in calls.items():
            # Each query sees its own position's device, which counts the sinks.
            own = options if source == rank else options._replace(sinks=None)
            self.parts[source] = [
                self._part(q, source, call, own, (positions[rank], positions[source]), heads,
                           "taken" if source != rank or number > 0 or not has_copies else None)
                for number, heads in enumerate(self._heads(source, rank, k))]

    def _heads(self, source, rank, k):
        """Heads of K that a kernel has: the last one fills the end of what comes in front of it."""
        heads = k.shape[1]
        few = heads // FEW if source == rank and self.count > 1 and not self._has_functions else 0
        return [slice(0, heads - few), *([slice(heads - few, heads)] if few else [])]

    def _part(self, q, source, call, options, positions, kv_heads, turns):
        """(Part, heads, heads of K)."""
        k_shape, v_shape = self.shapes[source]
        group = q.shape[1] // k_shape[1]
        heads = slice(kv_heads.start * group, kv_heads.stop * group)
        shapes = ((shape[0], kv_heads.stop - kv_heads.start, *shape[2:]) for shape in (k_shape, v_shape))
        options = options if self._has_functions else of_heads(options, heads)
        part = Part(q[:, heads], *shapes, call, options, positions, self.count > 1, turns)
        return part, heads, kv_heads

    @staticmethod
    def room_of(shape, held):
        """Bytes of the K and V of any rank."""
        return room_for(shape, max(map(length_of, held)))

    def elements(self, source):
        """Of a rank's K and V."""
        return [math.prod(shape) for shape in self.shapes[source]]


def is_swapped(x):
    """Whether a tensor [B, H, S, D] lies in memory as [B, S, H, D]."""
    return not x.is_contiguous() and x.transpose(1, 2).is_contiguous()


def _dense(x):
    """A tensor [B, H, S, D]; a copy where that has holes."""
    return x if is_swapped(x) else x.contiguous()


def _as_dense(flat, dtype, shape, swapped):
    """[B, H, S, D] of bytes."""
    x = flat.view(dtype)
    return x.view(shape[0], shape[2], shape[1], shape[3]).transpose(1, 2) if swapped else x.view(shape)


class Run:
    """A call by copies, or by collectives where the plan has none."""

    def __init__(self, parallel, plan, parts, q, k, v, options, o):
        self._parallel, self._plan, self._parts = parallel, plan, parts
        self._q, self._k, self._v, self._o, self._options = q, k, v, o, options
        self._delayed = _exchange.Delayed()
        self._slot, self._has_own = None, False
        if plan.copies is not None:
            self._slot = slot_of(parallel.rounds)

    def start(self):
        """In front of a round, behind all that was made for the run: keys are sent, on a GPU behind the launch of what needs the own ones alone, beside which they go.
        Where collectives move keys they come first, as their kernels would wait for that."""
        if self._slot is None:
            return
        self._given = self._plan.copies.mark()
        if self._q.device.type != "cpu":
            self.early()
        self._plan.copies.send(self._slot, self._given, self._parts.readers, self._groups(), self._kept())

    def _kept(self):
        """What of own keys comes into the own slot."""
        return ()

    def early(self):
        """What needs nothing of other ranks, while they agree."""
        if self._slot is not None and not self._has_own:
            self._has_own = True
            self._own()

    def abandon(self):
        """The call ends otherwise."""
        if self._slot is not None:
            self._plan.copies.finish(self._slot)


class RunOfParts(Run):
    """Own keys, then those of others as they arrive. Parts are merged in the order of slots."""

    def __init__(self, parallel, plan, parts, q, k, v, options, o):
        super().__init__(parallel, plan, parts, q, k, v, options, o)
        self._make_outputs(q, o)

    def _make_outputs(self, q, o):
        parts, count = self._parts, self._parts.count
        shape = (max(count, 1), *q.shape[:3])
        # Rows that a slot has nothing of count as empty.
        self._lse = (
            q.new_empty(shape, dtype=torch.float32) if parts.writes_all
            else q.new_full(shape, float("-inf"), dtype=torch.float32))
        self._outputs = o[None] if count <= 1 else o.new_empty((count, *o.shape), dtype=torch.float32)
        if count == 0:
            o.zero_()

    def _groups(self):
        # Kept until the copies are waited for: they read it on a stream of their own.
        self._sent = _dense(self._k), _dense(self._v)
        rank, parts = self._parallel.rank, self._parts
        wanted = {rank: slice(0, parts.lengths[rank])} if self._plan.is_read else parts.wanted
        return [{reader: [
            self._piece(x, columns, self._place(reader, rank) + offset) for x, offset in zip(self._sent, self._places(rank))]
            for reader, columns in wanted.items()}] if self._parallel.size > 1 else []

    def _piece(self, x, columns, place):
        """What a rank needs of an array, where it lies in all of that, of which the rest of the slot stays as it is."""
        return Piece(cut(x, slice(0, x.shape[1]), columns), place + columns.start * x.stride(2) * x.element_size(), x.stride()[:3])

    def _place(self, reader, writer):
        """Where a rank's keys lie in the slot of one that reads them."""
        return 0 if self._plan.is_read else (writer - (writer > reader)) * self._parts.room

    def _places(self, source):
        return places_of([elements * self._k.element_size() for elements in self._parts.elements(source)])

    def _compute(self, source, k, v, which=slice(None)):
        for part, heads, kv_heads in self._parts.parts.get(source, ())[which]:
            slot = self._parts.slots[source]
            sinks = self._options.sinks if source == self._parallel.rank else None
            part.run(heads, kv_heads, self._q, k, v, self._outputs[slot], self._lse[slot], sinks)

    def _own(self):
        self._delayed(self._compute, self._parallel.rank, self._k, self._v, slice(0, 1))

    def finish(self):
        """(O, LSE)."""
        if self._slot is not None:
            self._receive()
        else:
            self._exchange()
        self._delayed.finish()
        o, q = self._o, self._q
        if self._parts.count <= 1:
            return o, self._lse[0]
        merged, lse = merge_parts(self._outputs, self._lse, q.dtype, "bhsd")
        return (merged if o.is_contiguous() else o.copy_(merged)), lse

    def _receive(self):
        """The others' parts, and what is left of the own one: by turns on two streams, where one begins as the other ends."""
        rank, copies = self._parallel.rank, self._plan.copies
        turns = itertools.cycle((True, False))
        try:
            for source in self._parts.parts:
                if source != rank:
                    with copies.beside(self._given, next(turns)):
                        copies.receive(self._slot, source)
                        self._delayed(self._compute, source, *self._received(source))
            self._delayed(self._compute, rank, self._k, self._v, slice(1, None))
        finally:
            copies.join()
            copies.finish(self._slot)

    def _received(self, source):
        flat = self._plan.copies.slot(self._slot, source)[self._place(self._parallel.rank, source) :]
        width = self._k.element_size()
        return [
            _as_dense(flat[begin : begin + elements * width], self._k.dtype, shape, swapped)
            for begin, elements, shape, swapped in zip(
                self._places(source), self._parts.elements(source), self._parts.shapes[source], self._plan.swapped[source])]

    def _exchange(self):
        parts = self._parts
        own = filled(torch.cat([self._k.reshape(-1), self._v.reshape(-1)]))
        counts = [max(1, sum(parts.elements(source))) for source in range(self._parallel.size)]

        def visit(source, flat):
            of_k, of_v = parts.elements(source)
            pieces = flat[:of_k], flat[of_k : of_k + of_v]
            self._compute(source, *(x.view(shape) for x, shape in zip(pieces, parts.shapes[source])))

        _exchange.exchange(self._plan.kind, self._parallel.group, own, counts, visit)


class PartOfHeads:
    """What a rank computes of all positions of its heads; None of ``part`` where queries see nothing."""

    def __init__(self, parallel, q, k, v, options, held):
        self.lengths = [length_of(share) for share in held]
        total, heads = sum(self.lengths), q.shape[1] // parallel.size
        everything = shares(total, 1, "contiguous")[0]
        by_positions = asks_positions(options)
        call = call_of(everything, everything, options.left, options.right, by_positions)
        self.part = None
        if call is None:
            return
        shapes = ((x.shape[0], x.shape[1] // parallel.size, total, x.shape[3]) for x in (k, v))
        positions = (_positions(everything, q.device) if call.kind == "positions" else None,) * 2
        own = of_heads(options, slice(parallel.rank * heads, (parallel.rank + 1) * heads))
        whole = q.new_empty(1).expand(q.shape[0], heads, total, q.shape[3])
        self.part = Part(whole, *shapes, call, own, positions, is_wide=False, turns=None)


class RunOfHeads:
    """A call: all positions of some heads on each rank, and back."""

    def __init__(self, parallel, plan, parts, q, k, v, options, o):
        self._parallel, self._held, self._parts = parallel, plan.held, parts
        self._given, self._o, self._options = (q, k, v), o, options

    def start(self):
        """Nothing: queries go, too, which others wait for by a collective."""

    def early(self):
        """Nothing: the own positions are not kept apart."""

    def abandon(self):
        """The call ends otherwise."""

    def finish(self):
        """(O, LSE)."""
        (q, k, v), o = self._given, self._o
        if self._parts.part is None:
            return o.zero_(), q.new_full(q.shape[:3], float("-inf"), dtype=torch.float32)
        heads, total = q.shape[1] // self._parallel.size, sum(self._parts.lengths)
        whole = [self._gathered(x) for x in (q, k, v)]
        whole_o = q.new_empty((q.shape[0], heads, total, v.shape[3]))
        whole_lse = q.new_empty((q.shape[0], heads, total), dtype=torch.float32)
        sinks = self._options.sinks
        sinks = None if sinks is None else sinks[self._parallel.rank * heads : (self._parallel.rank + 1) * heads]
        self._parts.part.run(slice(0, heads), slice(0, whole[1].shape[1]), *whole, whole_o, whole_lse, sinks)
        lse = q.new_empty(q.shape[:3], dtype=torch.float32)
        self._return(whole_o, o)
        self._return(whole_lse, lse)
        return o, lse

    def _gathered(self, x):
        size, lengths = self._parallel.size, self._parts.lengths
        count = x.shape[1] // size
        parts = _exchange.swap(
            self._parallel.group, [x[:, r * count : (r + 1) * count] for r in range(size)],
            [x.shape[0] * count * length * x.shape[3] for length in lengths])
        whole = x.new_empty((x.shape[0], count, sum(lengths), x.shape[3]))
        for part, share, length in zip(parts, self._held, lengths):
            _put(whole, part.view(x.shape[0], count, length, x.shape[3]), share)
        return whole

    def _return(self, x, target):
        own, heads = self._parts.lengths[self._parallel.rank], x.shape[1]
        width = math.prod(x.shape[3:])
        parts = _exchange.swap(
            self._parallel.group, [_taken(x, share) for share in self._held],
            [x.shape[0] * heads * own * width] * self._parallel.size)
        for r, piece in enumerate(parts):
            target[:, r * heads : (r + 1) * heads] = piece.view(x.shape[0], heads, own, *x.shape[3:])
