"""Attention over several devices, of keys that lie one behind the other: those of others by copies, own ones behind them.

A run of rows then sees the last of a run of keys, and is one kernel's: nothing is merged, and results are rounded as on one device.
Rows that see own keys alone come first, beside the copies of the others. Where these take longer, keys come in groups of heads, so
that the kernel of the first few waits for little.

Kernels need nothing of each other, so on a GPU they alternate between two streams: CTAs of one start where those of the one in front
have no tile left. The last one is that of the shortest streams, some heads of the rows that see least.
"""

import collections
import functools
import itertools

import torch

from attn_mlir._context_parts import Part, Run, asks_positions, cut, of_heads, room_for, shape_of
from attn_mlir._exchange_model import FEW, gathers, groups_of
from attn_mlir._peer_copies import Piece, places_of
from attn_mlir._segments import Call, gathered, length_of

_Launch = collections.namedtuple("_Launch", "part heads kv_heads")


def _is_own(held, rank, arrangement, call):
    return call.columns.start >= arrangement.length - length_of(held[rank])


def _strides(shape, swapped):
    """Of B, H and S where that is the array in memory, or [B, S, H, D]."""
    _, heads, length, dim = shape
    return (heads * length * dim, dim, heads * dim) if swapped else (heads * length * dim, length * dim, dim)


class Gathered:
    """What a rank computes, and what it sends: the same for calls of one plan."""

    @staticmethod
    def room_of(shape, held, options, links):
        """Bytes of a slot; None where keys do not lie so."""
        if asks_positions(options) or not gathers(held, shape, (options.left, options.right), links):
            return None
        found = [gathered(held, rank, options.left, options.right) for rank in range(len(held))]
        return room_for(shape, max(each.length for each in found))

    def __init__(self, rank, q, k, v, options, held, swapped, links):
        self.rank, self._swapped = rank, swapped
        self._of = [gathered(held, reader, options.left, options.right) for reader in range(len(held))]
        self._groups = [groups_of(held, reader, of, shape_of(q, k, v), links) for reader, of in enumerate(self._of)]
        self.readers = [
            reader for reader in ((rank + step) % len(held) for step in range(1, len(held)))
            if any(source == rank for source, *_ in self._of[reader].pieces)]
        self._shapes = [[(*x.shape[:2], of.length, x.shape[3]) for x in (k, v)] for of in self._of]
        self.sources = [source for source, *_ in self._of[rank].pieces if source != rank]
        self._prepare(q, k, v, options, held)

    def _prepare(self, q, k, v, options, held):
        """Kernels of rows that see own keys alone, and those of each group."""
        rank, of = self.rank, self._of[self.rank]
        self.first, self.others, self.last = [], [], []
        group = q.shape[1] // k.shape[1]
        calls = [call for call in of.calls if call.rows.stop > call.rows.start]
        before = of.length - length_of(held[rank])

        def launch(call, shapes, kv_heads, takes_tiles):
            heads = slice(kv_heads.start * group, kv_heads.stop * group)
            shapes = ((shape[0], kv_heads.stop - kv_heads.start, *shape[2:]) for shape in shapes)
            part = Part(q[:, heads], *shapes, call, of_heads(options, heads), None, False, takes_tiles)
            return _Launch(part, heads, kv_heads)

        for call in calls:
            if _is_own(held, rank, of, call):
                columns = slice(call.columns.start - before, call.columns.stop - before)
                few = k.shape[1] // FEW if len(calls) > 1 else 0
                own = functools.partial(launch, Call(call.rows, columns, call.kind), (k.shape, v.shape))
                self.first.append(own(slice(0, k.shape[1] - few), False))
                self.last += [own(slice(k.shape[1] - few, k.shape[1]), True)] if few else []
        others = [call for call in reversed(calls) if not _is_own(held, rank, of, call)]
        for number, kv_heads in enumerate(self._groups[rank]):
            is_first = number == 0 and not self.first
            self.others.append([
                launch(call, self._shapes[rank], kv_heads, not (is_first and call is others[0])) for call in others])
        # Own keys are needed beside the others, unless no row sees these.
        self.gathers = any(self.others)
        width = k.element_size()
        self._pieces_sent = self._sent(width)
        self._received = [
            (offset, shape, (*strides, 1))
            for offset, shape, strides in zip(self.offsets(rank, width), self._shapes[rank], self.strides(rank))]

    def _sent(self, width):
        """For each group of copies the pieces of each rank: K or V, heads and place, where they go, with which strides."""
        found = [{} for _ in range(max(len(groups) for groups in self._groups))]
        for reader in (*self.readers, *([self.rank] if self.gathers else [])):
            offsets = self.offsets(reader, width)
            for group, heads in enumerate(self._groups[reader]):
                found[group][reader] = [
                    piece for source, place, begin in self._of[reader].pieces if source == self.rank
                    for piece in self._pieces(reader, width, offsets, heads, place, begin)]
        return found

    def offsets(self, reader, width):
        return places_of([shape[0] * shape[1] * shape[2] * shape[3] * width for shape in self._shapes[reader]])

    def strides(self, reader):
        return [_strides(shape, swapped) for shape, swapped in zip(self._shapes[reader], self._swapped[reader])]

    def _pieces(self, reader, width, offsets, heads, place, begin):
        for which, (offset, strides) in enumerate(zip(offsets, self.strides(reader))):
            yield which, heads, place, offset + (heads.start * strides[1] + begin * strides[2]) * width, strides

    def sent(self, *tensors):
        """The same of a call's K and V."""
        return [{
            reader: [Piece(cut(tensors[which], heads, place), offset, strides) for which, heads, place, offset, strides in pieces]
            for reader, pieces in group.items()} for group in self._pieces_sent]

    def received(self, k, v, flat):
        """K and V of all that this rank sees."""
        return [
            flat[offset:].view(x.dtype).as_strided(shape, strides) for x, (offset, shape, strides) in zip((k, v), self._received)]


class RunOfGathered(Run):
    """Rows that see own keys alone, then the others."""

    def __init__(self, parallel, plan, parts, q, k, v, options, o):
        k, v = (x if x.stride(3) == 1 else x.contiguous() for x in (k, v))
        super().__init__(parallel, plan, parts, q, k, v, options, o)
        self._lse = q.new_empty(q.shape[:3], dtype=torch.float32)

    def _groups(self):
        return self._parts.sent(self._k, self._v)

    def _launch(self, launch, k, v):
        launch.part.run(launch.heads, launch.kv_heads, self._q, k, v, self._o, self._lse, self._options.sinks)

    def _own(self):
        for launch in self._parts.first:
            self._delayed(self._launch, launch, self._k, self._v)

    def finish(self):
        """(O, LSE)."""
        copies, parts = self._plan.copies, self._parts
        turns = itertools.cycle((True, False) if parts.first else (False, True))
        try:
            if parts.gathers:
                k, v = parts.received(self._k, self._v, copies.slot(self._slot))
            for group, launches in enumerate(parts.others):
                for launch in launches:
                    with copies.beside(self._given, next(turns)):
                        for source in (*parts.sources, parts.rank):
                            copies.receive(self._slot, source, group)
                        self._delayed(self._launch, launch, k, v)
            for launch in parts.last:
                with copies.beside(self._given, next(turns)):
                    self._delayed(self._launch, launch, self._k, self._v)
        finally:
            copies.join()
            copies.finish(self._slot)
        self._delayed.finish()
        return self._o, self._lse
