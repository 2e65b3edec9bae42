"""Gradients of attention over several devices."""

import torch

from attn_mlir import _exchange, _gradients
from attn_mlir._context_parts import filled, shape_of
from attn_mlir._segments import call_of, length_of


class Gradients:
    """Gradients of what this rank holds: those of its queries it sums itself, those of keys and values of other ranks go
    back to them, where they are summed in the order of ranks. Sums are f32."""

    def __init__(self, parallel, q, k, v, o, lse, dout, options, held, dlse=None):
        self.parallel, self.held = parallel, held
        self.q, self.k, self.v, self.o, self.lse, self.dout = q, k, v, o, lse, dout
        self.options, self.dlse = options, dlse
        self.lengths = [length_of(share) for share in held]
        rank = parallel.rank
        self.calls = [call_of(held[rank], share, options.left, options.right) for share in held]

    def _call(self, call):
        return {"causal": "top_left" if call.kind == "causal" else False, "scale": self.options.scale}

    def _prepare(self):
        for call in filter(None, self.calls):
            _gradients.prepared(
                self.q, self.k, self.v, self._call(call), "bhsd", is_wide=True, has_lse_gradient=self.dlse is not None)
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
            self.q[:, :, rows], k[:, :, columns], v[:, :, columns], *of_rows, self._call(call), "bhsd", is_wide=True,
            dlse=None if self.dlse is None else self.dlse[:, :, rows])
        self.dq[:, :, rows] += dq
        self.dk[source][:, :, columns] = dk
        self.dv[source][:, :, columns] = dv

    def run(self):
        """(dQ, dK, dV) of this rank."""
        parallel, k, v = self.parallel, self.k, self.v
        parallel.ready(self._prepare)
        counts = [max(1, dk.numel() + dv.numel()) for dk, dv in zip(self.dk, self.dv)]
        kind = parallel.choose(self.held, shape_of(self.q, k, v), self.options[:2])
        _exchange.exchange(
            "all_gather" if kind == "heads" else kind, parallel.group, filled(torch.cat([k.reshape(-1), v.reshape(-1)])), counts,
            self._visit)
        parts = _exchange.swap(
            parallel.group, [filled(torch.cat([dk.reshape(-1), dv.reshape(-1)])) for dk, dv in zip(self.dk, self.dv)],
            [counts[parallel.rank]] * parallel.size)
        total = parts[0].clone()
        for part in parts[1:]:
            total += part
        dk, dv = total[: k.numel()].view(k.shape), total[k.numel() : k.numel() + v.numel()].view(v.shape)
        return self.dq.to(self.q.dtype), dk.to(k.dtype), dv.to(v.dtype)
