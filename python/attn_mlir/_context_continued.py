"""Attention over two devices, in parts of which the second one takes up the first: its kernel reads O and LSE of the first one's keys where it ends,
and writes the result. Nothing is merged by a kernel of its own.

A kernel that takes up another one waits for all of it. So what needs neither runs between, on a second stream, and at the end: rows that see own
keys alone, or, where there are none, some heads, of which the other keys' part comes first.
"""

import collections

import torch

from attn_mlir._context_parts import Part, Parts, RunOfParts, asks_positions, of_heads
from attn_mlir._exchange_model import FEW, TOGETHER
from attn_mlir._segments import Call, call_of, length_of

_Step = collections.namedtuple("_Step", "part heads kv_heads source is_state is_continued is_second")
_Step.__doc__ = """A kernel: its keys are those of ``source``; it writes a state, or the result; takes up a state; on the second stream."""


def _calls_of(held, rank, options):
    """Own and other call of a rank, and the other one's source."""
    calls = [(source, call_of(held[rank], share, options.left, options.right)) for source, share in enumerate(held)]
    own = next(call for source, call in calls if source == rank)
    others = [(source, call) for source, call in calls if source != rank and call is not None]
    return own, others


def continues(held, rank, shape, options):
    """Whether a part of a rank takes up one of its other parts, and there is no third."""
    if asks_positions(options) or shape.value_dim % 8 or shape.qk_dim % 8 or length_of(held[rank]) == 0:
        return False
    own, others = _calls_of(held, rank, options)
    if own is None or len(others) != 1 or own.kind == "positions" or others[0][1].kind != "full":
        return False
    rows = others[0][1].rows
    return rows.stop == length_of(held[rank]) and (rows.start == 0 or own.kind == "causal")


def _takes_fixed_turns(call, k_shape, v_shape, width):
    """Whether CTAs take tiles in fixed turns where another kernel is in front. Those that take the next one get out of step, and then have keys of two heads under way;
    where L2 has no room for these they share fewer of them. Tiles of one length in fixed turns stay in step. Under a causal mask the longest come first, and CTAs end each
    head together."""
    size = (call.columns.stop - call.columns.start) * (k_shape[3] + v_shape[3]) * width
    return call.kind == "full" and 2 * size > TOGETHER


class Continued(Parts):
    """What a rank computes: kernels in their order."""

    def _prepare(self, rank, q, k, calls, options, held, has_copies):
        own, ((source, other),) = _calls_of(held, rank, options)
        heads, few = k.shape[1], k.shape[1] // FEW
        most, rest, every = slice(0, heads - few), slice(heads - few, heads), slice(0, heads)
        self.count, first = 2, other.rows.start
        self._rank, self._q, self._options = rank, q, options
        if first > 0:
            both = Call(other.rows, own.columns, "last")
            alone = Call(slice(0, first), slice(0, first), "causal")
            steps = [
                (both, rank, every, "state", 0), *([(alone, rank, rest, "result", 1)] if few else []),
                (other, source, every, "continued", 0), (alone, rank, most, "result", 1)]
        elif few:
            steps = [
                (own, rank, most, "state", 0), (other, source, rest, "state", 1), (other, source, most, "continued", 0),
                (own, rank, rest, "continued", 1)]
        else:
            steps = [(own, rank, every, "state", 0), (other, source, every, "continued", 0)]
        self.steps = [self._step(number, *step) for number, step in enumerate(steps)]
        self._q = None

    def _step(self, number, call, source, kv_heads, role, is_second):
        k_shape, v_shape = self.shapes[source]
        group = self._q.shape[1] // k_shape[1]
        heads = slice(kv_heads.start * group, kv_heads.stop * group)
        is_fixed = _takes_fixed_turns(call, k_shape, v_shape, self._q.element_size())
        turns = None if number == 0 else "fixed" if is_fixed else "taken"
        shapes = ((shape[0], kv_heads.stop - kv_heads.start, *shape[2:]) for shape in (k_shape, v_shape))
        # Each query sees its own position's device, which counts the sinks.
        options = of_heads(self._options if source == self._rank else self._options._replace(sinks=None), heads)
        part = Part(
            self._q[:, heads], *shapes, call, options, None, is_wide=role == "state", turns=turns,
            is_continued=role == "continued")
        return _Step(part, heads, kv_heads, source, role == "state", role == "continued", bool(is_second))


class RunOfContinued(RunOfParts):
    """The kernels of a call."""

    def _make_outputs(self, q, o):
        self._lse = q.new_empty(q.shape[:3], dtype=torch.float32)
        self._state = o.new_empty(o.shape, dtype=torch.float32), q.new_empty(q.shape[:3], dtype=torch.float32)

    def _launch(self, step, k, v):
        o, lse = self._state if step.is_state else (self._o, self._lse)
        sinks = self._options.sinks if step.source == self._parallel.rank else None
        step.part.run(step.heads, step.kv_heads, self._q, k, v, o, lse, sinks, self._state if step.is_continued else ())

    def _own(self):
        self._delayed(self._launch, self._parts.steps[0], self._k, self._v)

    def finish(self):
        """(O, LSE)."""
        copies, rank = self._plan.copies, self._parallel.rank
        try:
            for step in self._parts.steps[1:]:
                with copies.beside(self._given, step.is_second):
                    k, v = self._k, self._v
                    if step.source != rank:
                        copies.receive(self._slot, step.source)
                        k, v = self._received(step.source)
                    self._delayed(self._launch, step, k, v)
        finally:
            copies.join()
            copies.finish(self._slot)
        self._delayed.finish()
        return self._o, self._lse
