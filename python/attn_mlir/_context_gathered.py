"""Attention over several devices, of keys that lie one behind the other: those of others by copies, own ones behind them.

A run of rows then sees the last of a run of keys, and is one kernel's: nothing is merged, and results are rounded as on one device.
Own keys go to another rank and come back, since copy engines do that beside kernels, unless they are so few that multiprocessors take less for
it. Meanwhile come rows that see own keys alone, or, where there are none, some heads of the own part, which the others' part takes up at the
end. Where copies take longer, keys come in groups of heads, so that the kernel of the first few waits for little.

Kernels need nothing of each other, so on a GPU they alternate between two streams: CTAs of one start where those of the one in front
have no tile left. The last one is that of the shortest streams, some heads of the rows that see least.
"""

import collections
import functools
import itertools
import math

import torch

from attn_mlir._context_parts import Part, Run, asks_positions, cut, of_heads, room_for, shape_of
from attn_mlir._exchange_model import FEW, gathers, goes_by_way, groups_of, led
from attn_mlir._peer_copies import Back, Kept, Piece, places_of
from attn_mlir._segments import Call, gathered, length_of

_Launch = collections.namedtuple("_Launch", "part heads kv_heads keys role")
_Launch.__doc__ = """A kernel: its ``keys`` are "own" ones where they are, or those of the slot; it writes the "result", a "state", or, "continued", the
result from that state."""

_Sent = collections.namedtuple("_Sent", "which heads place offset strides")
_Sent.__doc__ = """Heads and place of K (0) or V (1), where they go in a slot, and with which strides."""


def _is_own(held, rank, arrangement, call):
    return call.columns.start >= arrangement.length - length_of(held[rank])


def _strides(shape, swapped):
    """Of B, H and S where that is the array in memory, or [B, S, H, D]."""
    _, heads, length, dim = shape
    return (heads * length * dim, dim, heads * dim) if swapped else (heads * length * dim, length * dim, dim)


def _split(place, sent):
    """A place of an own share in pieces: (slice, where it begins in the array of the rank that it is ``sent`` to, None where it is not)."""
    at = place.start
    for there, begin in sorted(sent, key=lambda each: each[0].start):
        first, last = max(at, there.start), min(place.stop, there.stop)
        if first < last:
            if at < first:
                yield slice(at, first), None
            yield slice(first, last), begin + first - there.start
            at = last
    if at < place.stop:
        yield slice(at, place.stop), None


class _Way:
    """How own keys of a rank come into its slot: by way of the next one's, where it needs them itself, or behind all that it needs; or not
    ``by_way``, but at once."""

    def __init__(self, held, of, rank, by_way):
        self.rank = (rank + 1) % len(held) if by_way else rank
        sent = [(place, begin) for source, place, begin in of[self.rank].pieces if source == rank and by_way]
        self.parts, self.spare = [], 0
        for source, place, begin in of[rank].pieces if len(of[rank].pieces) > 1 else ():
            for part, there in _split(place, sent) if source == rank else ():
                self.parts.append((part, there, self.spare, begin + part.start - place.start))
                self.spare += part.stop - part.start if there is None and by_way else 0


class Gathered:
    """What a rank computes, and what it sends: the same for calls of one plan."""

    @staticmethod
    def room_of(shape, held, options, links):
        """Bytes of a slot; None where keys do not lie so."""
        if asks_positions(options) or not gathers(held, shape, (options.left, options.right), links):
            return None
        of = [gathered(held, rank, options.left, options.right) for rank in range(len(held))]
        by_way = goes_by_way(held, shape, (options.left, options.right), links)
        ways = [_Way(held, of, rank, by_way) for rank in range(len(held))]
        return max(room_for(shape, of[way.rank].length) + room_for(shape, way.spare) for way in ways)

    def __init__(self, rank, q, k, v, options, held, swapped, links):
        self.rank, self._swapped = rank, swapped
        self._of = [gathered(held, reader, options.left, options.right) for reader in range(len(held))]
        shape = shape_of(q, k, v)
        self._by_way = goes_by_way(held, shape, (options.left, options.right), links)
        self._groups = [groups_of(held, reader, of, shape, links, self._by_way) for reader, of in enumerate(self._of)]
        self.readers = [
            reader for reader in ((rank + step) % len(held) for step in range(1, len(held)))
            if any(source == rank for source, *_ in self._of[reader].pieces)]
        self._shapes = [[(*x.shape[:2], of.length, x.shape[3]) for x in (k, v)] for of in self._of]
        self.sources = [source for source, *_ in self._of[rank].pieces if source != rank]
        self._before = self._of[rank].length - length_of(held[rank])
        self._prepare(q, k, v, options, held)

    def _prepare(self, q, k, v, options, held):
        """Kernels: what needs own keys alone, those of each group, and what fills the end."""
        rank, of, heads = self.rank, self._of[self.rank], k.shape[1]
        self._q, self._options, self._own_shapes = q, options, (k.shape, v.shape)
        calls = [call for call in of.calls if call.rows.stop > call.rows.start]
        few = led(held, rank, of, shape_of(q, k, v)) if self._by_way else 0
        self.led, ends = slice(heads - few, heads), heads - few
        self.first, self.others, self.last = [], [], []
        if few:
            self._lead(calls[0])
        for call in calls:
            if _is_own(held, rank, of, call):
                columns = slice(call.columns.start - self._before, call.columns.stop - self._before)
                few = heads // FEW if len(calls) > 1 else 0
                own = functools.partial(self._launch, Call(call.rows, columns, call.kind), "own")
                self.first.append(own(slice(0, heads - few), False))
                self.last += [own(slice(heads - few, heads), True)] if few else []
        others = [call for call in reversed(calls) if not _is_own(held, rank, of, call)]
        for number, group in enumerate(self._groups[rank]):
            kv_heads = slice(min(group.start, ends), min(group.stop, ends))
            is_first = number == 0 and not self.first
            self.others.append([
                self._launch(call, "slot", kv_heads, not (is_first and call is others[0])) for call in others
                if kv_heads.stop > kv_heads.start])
        # Own keys are needed beside the others, unless no row sees these.
        self.gathers = any(self.others)
        self._plan_copies(held, ends, k.element_size())
        self._q = self._options = None

    def _lead(self, call):
        """Of some heads the own part comes first, and the others', which takes it up, last."""
        every = slice(call.rows.start, call.rows.stop)
        kind = "causal" if call.kind == "last" else "full"
        self.first.append(self._launch(Call(every, every, kind), "own", self.led, False, "state"))
        self.last.append(self._launch(Call(every, slice(0, self._before), "full"), "slot", self.led, True, "continued"))

    def _launch(self, call, keys, kv_heads, is_behind, role="result"):
        group = self._q.shape[1] // self._own_shapes[0][1]
        heads = slice(kv_heads.start * group, kv_heads.stop * group)
        shapes = self._own_shapes if keys == "own" else self._shapes[self.rank]
        shapes = ((shape[0], kv_heads.stop - kv_heads.start, *shape[2:]) for shape in shapes)
        # Each query sees its own position's device, which counts the sinks.
        options = self._options._replace(sinks=None) if role == "continued" else self._options
        part = Part(
            self._q[:, heads], *shapes, call, of_heads(options, heads), None, role == "state", "taken" if is_behind else None,
            is_continued=role == "continued")
        return _Launch(part, heads, kv_heads, keys, role)

    def _plan_copies(self, held, ends, width):
        """For each group of copies the pieces of each rank, and of what is kept; ``ends``: own keys of heads from there on stay where they are."""
        self._way = _Way(held, self._of, self.rank, self._by_way) if self.gathers else None
        self._pieces_sent = [{} for _ in range(max(len(groups) for groups in self._groups))]
        for reader in self.readers:
            offsets = self.offsets(reader, width)
            for group, heads in enumerate(self._groups[reader]):
                self._pieces_sent[group][reader] = [
                    piece for source, place, begin in self._of[reader].pieces if source == self.rank
                    for piece in _pieces(width, offsets, self.strides(reader), heads, place, begin)]
        self._kept = [
            self._kept_of(width, slice(min(heads.start, ends), min(heads.stop, ends)))
            for heads in (self._groups[self.rank] if self.gathers else ())]
        self._received = [
            (offset, shape, (*strides, 1))
            for offset, shape, strides in zip(self.offsets(self.rank, width), self._shapes[self.rank], self.strides(self.rank))]

    def _kept_of(self, width, heads):
        """What of own keys goes to the rank by whose way they come, besides what that needs, and from where all comes back: (pieces, [(there, here)])."""
        way, there = self._way, self.offsets(self._way.rank, width)
        spares = [(batch, count, way.spare, dim) for batch, count, _, dim in self._own_shapes]
        spare = [there[-1] + place for place in places_of([math.prod(shape) * width for shape in spares])]
        pieces, backs = [], []
        for place, begin, begin_spare, target in way.parts if heads.stop > heads.start else ():
            here = list(_pieces(width, self.offsets(self.rank, width), self.strides(self.rank), heads, place, target))
            if way.rank == self.rank:
                pieces += here
            elif begin is None:
                found = list(_pieces(width, spare, [_strides(shape, False) for shape in spares], heads, place, begin_spare))
                pieces += found
                backs += zip(found, here)
            else:
                backs += zip(_pieces(width, there, self.strides(way.rank), heads, place, begin), here)
        return pieces, backs

    def offsets(self, reader, width):
        """Where K and V begin in a rank's slot, and the end."""
        return places_of([math.prod(shape) * width for shape in self._shapes[reader]])

    def strides(self, reader):
        return [_strides(shape, swapped) for shape, swapped in zip(self._shapes[reader], self._swapped[reader])]

    def sent(self, *tensors):
        """What others get of a call's K and V, for each group."""
        return [{reader: [_piece(tensors, sent) for sent in pieces] for reader, pieces in group.items()} for group in self._pieces_sent]

    def kept(self, *tensors):
        """What of these comes into the own slot, for each group."""
        return [
            Kept(self._way.rank, [_piece(tensors, sent) for sent in pieces], [
                Back(tensors[here.which], _shape_of(tensors, here), there.offset, there.strides, here.offset, here.strides)
                for there, here in backs])
            for pieces, backs in self._kept]

    def received(self, k, v, flat):
        """K and V of all that this rank sees."""
        return [
            flat[offset:].view(x.dtype).as_strided(shape, strides) for x, (offset, shape, strides) in zip((k, v), self._received)]


def _pieces(width, offsets, strides_of, heads, place, begin):
    """Of K and V, which go to ``begin`` of arrays in a slot."""
    for which, (offset, strides) in enumerate(zip(offsets, strides_of)):
        yield _Sent(which, heads, place, offset + (heads.start * strides[1] + begin * strides[2]) * width, strides)


def _piece(tensors, sent):
    return Piece(cut(tensors[sent.which], sent.heads, sent.place), sent.offset, sent.strides)


def _shape_of(tensors, sent):
    batch, _, _, dim = tensors[sent.which].shape
    return batch, sent.heads.stop - sent.heads.start, sent.place.stop - sent.place.start, dim


class RunOfGathered(Run):
    """What needs own keys alone, then the others."""

    def __init__(self, parallel, plan, parts, q, k, v, options, o):
        k, v = (x if x.stride(3) == 1 else x.contiguous() for x in (k, v))
        super().__init__(parallel, plan, parts, q, k, v, options, o)
        self._lse, self._state = q.new_empty(q.shape[:3], dtype=torch.float32), ()
        if any(launch.role == "state" for launch in parts.first):
            heads = parts.first[0].heads
            shape = (q.shape[0], heads.stop - heads.start, q.shape[2])
            self._state = q.new_empty((*shape, v.shape[3]), dtype=torch.float32), q.new_empty(shape, dtype=torch.float32)

    def _groups(self):
        return self._parts.sent(self._k, self._v)

    def _kept(self):
        return self._parts.kept(self._k, self._v)

    def _launch(self, launch, k, v):
        part, heads, kv_heads, _, role = launch
        o, lse = self._state if role == "state" else (self._o, self._lse)
        sinks = None if role == "continued" else self._options.sinks
        part.run(heads, kv_heads, self._q, k, v, o, lse, sinks, self._state if role == "continued" else ())

    def _own(self):
        for launch in self._parts.first:
            self._delayed(self._launch, launch, self._k, self._v)
        self._led = self._plan.copies.mark() if self._state else self._given

    def finish(self):
        """(O, LSE)."""
        copies, parts = self._plan.copies, self._parts
        turns = itertools.cycle((True, False) if parts.first else (False, True))
        try:
            k, v = parts.received(self._k, self._v, copies.slot(self._slot)) if parts.gathers else (self._k, self._v)
            for group, launches in enumerate(parts.others):
                for launch in launches:
                    with copies.beside(self._given, next(turns)):
                        self._receive(group, (*parts.sources, parts.rank))
                        self._delayed(self._launch, launch, k, v)
            for launch in parts.last:
                with copies.beside(self._led, next(turns)):
                    if launch.keys == "slot":
                        self._receive(len(parts.others) - 1, parts.sources)
                    self._delayed(self._launch, launch, *((k, v) if launch.keys == "slot" else (self._k, self._v)))
        finally:
            copies.join()
            copies.finish(self._slot)
        self._delayed.finish()
        return self._o, self._lse

    def _receive(self, group, sources):
        for source in sources:
            self._plan.copies.receive(self._slot, source, group)
