"""What a rank's kernels of attention over several devices take where all keys are there already: no words, no transfers, no waiting for these."""

import contextlib
import functools

from attn_mlir import _context_gathered, _context_parts, _exchange_model
from attn_mlir._context_parallel import COPIES, RUNS, Plan, parts_of
from attn_mlir._exchange_model import H200
from attn_mlir._segments import shares


class _Here:
    """Stands in for copies: a slot that somebody has filled."""

    def __init__(self, torch, room, like):
        self._torch, self._second, self._is_beside = torch, None, False
        if like.device.type == "cuda":
            self._second = torch.cuda.Stream(like.device)
        # Numbers as keys have them: what a matrix unit draws depends on them.
        self._bytes = torch.randn(room // like.element_size() + 1, device=like.device).to(like.dtype).view(torch.uint8)

    def mark(self):
        if self._second is None:
            return None
        event = self._torch.cuda.Event()
        event.record()
        return event

    def send(self, slot, mark, readers, groups, kept=()):
        """They are there."""

    def receive(self, slot, rank, group=0):
        """They are there."""

    def slot(self, slot, rank=None):
        return self._bytes

    @contextlib.contextmanager
    def _behind(self, mark):
        self._is_beside = True
        self._second.wait_event(mark)
        with self._torch.cuda.stream(self._second):
            yield

    def beside(self, mark, is_second):
        return self._behind(mark) if is_second and self._second is not None else contextlib.nullcontext()

    def join(self):
        if self._is_beside:
            self._torch.cuda.current_stream().wait_stream(self._second)
            self._is_beside = False

    def finish(self, slot):
        """Nobody waits for it."""


class _Alone:
    """Stands in for a ContextParallel."""

    def __init__(self, rank, size):
        self.rank, self.size, self.rounds = rank, size, 0


def kernels(torch, rank, size, tensors, is_causal, gathers):
    """A call of the kernels of a rank; ``tensors`` are whole. ``gathers``: keys lie one behind the other, or
    parts are merged; None: as calls do it."""
    length = tensors[0].shape[2]
    held = shares(length, size)
    local = [torch.cat([x[:, :, chunk.begin : chunk.end] for chunk in held[rank]], 2) for x in tensors]
    q, k, v = local
    shape = _context_parts.shape_of(q, k, v)
    options = _context_parts.Options(-1, 0 if is_causal else -1, q.shape[3] ** -0.5, None, None, None, None)
    swapped = [(False, False)] * size
    if gathers is None:
        gathers = _exchange_model.gathers(held, shape, (options.left, options.right), H200)
    if gathers:
        room = _context_parts.room_for(shape, length)
        parts = _context_gathered.Gathered(rank, q, k, v, options, held, swapped, H200)
    else:
        room = _context_parts.Parts.room_of(shape, held) * (size - 1)
        parts = parts_of(held, rank, (q, k, v), options)
    plan = Plan(1, held, COPIES, swapped, _Here(torch, room, q), False, gathers, parts)
    return functools.partial(_run, RUNS[type(parts)], _Alone(rank, size), plan, local, options)


def _run(runs, parallel, plan, local, options):
    q, _, v = local
    run = runs(parallel, plan, plan.parts, *local, options, q.new_empty((*q.shape[:3], v.shape[3])))
    run.start()
    run.early()
    return run.finish()
