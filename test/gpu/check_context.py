#!/usr/bin/env python3
"""One sequence over the GPUs of this machine, a process for each: against float64 of the whole sequence, and the same bits in each run.

    check_context.py [--runs N]        exits with 1 where something is wrong, 77 where there are no two GPUs

Cases: uneven lengths, long ones, grouped heads, windows, packed sequences, head dimensions, memory [B, S, H, D]; keys by copies, read by kernels in
memory of the others, and by the collectives of each exchange; gradients. PyTorch's own context_parallel, unmodified, on kernels of
attn_mlir.torch.activate(), forward and backward. `--device cpu` runs all but the last on two processes without a GPU.
"""

import argparse
import pathlib
import sys
import traceback

sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "python"))  # where none is installed

import ranks

# Positions, heads, heads of k, D, D of v, options.
CASES = [
    (4096, 8, 8, 128, 128, {"causal": True}),
    (4096, 8, 8, 64, 64, {"causal": True}),
    (3001, 8, 2, 128, 128, {"causal": True}),
    (1537, 4, 4, 64, 128, {"causal": True, "layout": "bshd"}),
    (2048, 4, 4, 128, 128, {}),
    (1999, 8, 4, 64, 64, {"layout": "bshd"}),
    (2500, 4, 2, 128, 128, {"window": (300, 0)}),
    (2500, 4, 2, 64, 64, {"window": (100, 700)}),
    (3001, 8, 2, 128, 128, {"causal": True, "cu_seqlens": [0, 700, 700, 2201, 3001]}),
]
# So long that parts have the schedules of long streams: of GPUs.
LONG = [(20480, 2, 1, 128, 128, {"causal": True}), (16384, 2, 2, 64, 64, {"causal": True}), (28672, 2, 1, 128, 128, {})]
WAYS = [
    {"transfers": "copies"}, {"transfers": "reads"}, *(
        {"exchange": kind, "transfers": "collectives"} for kind in ("ring", "all_gather", "heads"))]
# Row-wise, of bf16 and of its gradients as a whole.
BOUND, BOUND_OF_GRADIENTS = 1e-2, 2e-2


def exact(torch, q, k, v, causal=False, window=None, cu_seqlens=None):
    """O in float64 of tensors [B, H, S, D] of doubles."""
    group = q.shape[1] // k.shape[1]
    k, v = (x.repeat_interleave(group, 1) for x in (k, v))
    i, j = (torch.arange(q.shape[2], device=q.device).view(shape) for shape in ((-1, 1), (1, -1)))
    left, right = window or (q.shape[2], 0 if causal else q.shape[2])
    scores = (q @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5
    hidden = (j < i - left) | (j > i + right)
    if cu_seqlens is not None:
        bounds = torch.tensor(cu_seqlens, device=q.device)
        sequence = torch.repeat_interleave(torch.arange(len(bounds) - 1, device=q.device), bounds.diff())
        hidden |= sequence[:, None] != sequence
    return torch.softmax(scores.masked_fill(hidden, float("-inf")), -1) @ v


def error_of(found, wanted):
    return ((found.double() - wanted).norm(dim=-1) / wanted.norm(dim=-1)).max().item()


class Check:
    def __init__(self, torch, options):
        import attn_mlir.torch

        self.torch, self.package, self.options = torch, attn_mlir.torch, options
        self.failed = 0

    def tensors(self, length, heads, kv_heads, dim, value_dim):
        torch = self.torch
        torch.manual_seed(length + dim)
        shapes = ((1, heads, length, dim), (1, kv_heads, length, dim), (1, kv_heads, length, value_dim))
        return [torch.randn(shape, device=self.options.device).to(torch.bfloat16) for shape in shapes]

    def note(self, what, is_right, figures):
        """A line of a case that is right where all ranks find it so."""
        wrong = self.torch.tensor([0.0 if is_right else 1.0])
        self.torch.distributed.all_reduce(wrong)
        self.failed += int(wrong.item() > 0)
        if ranks.rank() == 0:
            print(f"{'ok' if wrong.item() == 0 else 'WRONG'}: {what}: {figures}", flush=True)

    def tried(self, what, check):
        try:
            check()
        except Exception:
            print(f"rank {ranks.rank()}: {what}:\n{traceback.format_exc()}", flush=True)
            self.note(what, False, "an error")

    def forward(self, case, how):
        torch, (*sizes, options) = self.torch, case
        dim = 1 if options.get("layout") == "bshd" else 2
        q, k, v = self.tensors(*sizes)
        masks = {name: option for name, option in options.items() if name != "layout"}
        wanted = exact(torch, *(x.double() for x in (q, k, v)), **masks)
        parallel = self.package.context_parallel(**how)
        local = [parallel.shard(x if dim == 2 else x.transpose(1, 2).contiguous(), dim) for x in (q, k, v)]
        o = parallel.attention(*local, **options)
        found = parallel.unshard(o, dim)
        error = error_of(found if dim == 2 else found.transpose(1, 2), wanted)
        same = sum(torch.equal(parallel.attention(*local, **options), o) for _ in range(self.options.runs))
        self.note(f"{case}, {how}", error <= BOUND and same == self.options.runs, f"error {error:.2e}, the same in {same} runs")

    def gradients(self, how):
        torch = self.torch
        q, k, v = self.tensors(2048, 4, 2, 128, 128)
        leaves = [x.double().requires_grad_() for x in (q, k, v)]
        factor = torch.randn(q.shape, device=q.device).to(q.dtype)
        torch.distributed.broadcast(factor, 0)
        wanted = torch.autograd.grad((exact(torch, *leaves, causal=True) * factor.double()).sum(), leaves)
        parallel = self.package.context_parallel(**how)
        local = [parallel.shard(x, 2).requires_grad_() for x in (q, k, v)]
        found = torch.autograd.grad((parallel.attention(*local, causal=True) * parallel.shard(factor, 2)).sum(), local)
        errors = [
            ((parallel.unshard(dx, 2).double() - exactly).norm() / exactly.norm()).item() for dx, exactly in zip(found, wanted)]
        self.note(f"gradients, {how}", max(errors) <= BOUND_OF_GRADIENTS, [f"{error:.2e}" for error in errors])

    def pytorch(self):
        """Its context_parallel on its flash back end, which is ours while it is active."""
        torch = self.torch
        from torch.distributed.tensor.experimental import context_parallel
        from torch.distributed.tensor.experimental._attention import context_parallel_unshard
        from torch.nn.attention import SDPBackend, sdpa_kernel

        from attn_mlir import _sdpa

        mesh = torch.distributed.device_mesh.init_device_mesh("cuda", (torch.distributed.get_world_size(),))
        q, k, v = self.tensors(4096, 8, 8, 128, 128)
        leaves = [x.double().requires_grad_() for x in (q, k, v)]
        wanted = exact(torch, *leaves, causal=True)
        gradients = torch.autograd.grad(wanted.sum(), leaves)
        calls, inner = [], _sdpa.attention

        def counted(*arguments, **keywords):
            calls.append(keywords)
            return inner(*arguments, **keywords)

        buffers = [x.clone() for x in (q, k, v)]
        _sdpa.attention = counted
        try:
            with self.package.activate(), sdpa_kernel(SDPBackend.FLASH_ATTENTION), context_parallel(
                    mesh, buffers=buffers, buffer_seq_dims=[2, 2, 2]):
                local = [x.detach().clone().requires_grad_() for x in buffers]
                o = torch.nn.functional.scaled_dot_product_attention(*local, is_causal=True)
                found = torch.autograd.grad(o.float().sum(), local)
                (whole,) = context_parallel_unshard(mesh, [o.detach()], [2])
                errors = [
                    ((context_parallel_unshard(mesh, [dx.detach()], [2])[0].double() - exactly).norm() / exactly.norm()).item()
                    for dx, exactly in zip(found, gradients)]
        finally:
            _sdpa.attention = inner
        error = error_of(whole, wanted.detach())
        self.note("PyTorch's context_parallel on ours", error <= BOUND and calls and max(errors) <= BOUND_OF_GRADIENTS,
                  f"error {error:.2e}, of gradients {[f'{each:.2e}' for each in errors]}, {len(calls)} calls of ours")

    def run(self):
        for how in WAYS:
            is_long = self.options.device == "cuda" and how == WAYS[0]
            for case in CASES + (LONG if is_long else []):
                self.tried(f"{case}, {how}", lambda: self.forward(case, how))
            self.tried(f"gradients, {how}", lambda: self.gradients(how))
        if self.options.device == "cuda":
            self.tried("PyTorch's context_parallel on ours", self.pytorch)
        return 1 if self.failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--limit", type=int, default=600, metavar="S", help="seconds until all ranks are ended, and say how far they came")
    options = parser.parse_args()
    import torch

    if ranks.rank() is not None:
        ranks.join(torch, options.device)
        return Check(torch, options).run()
    count = 2 if options.device == "cpu" else torch.cuda.device_count()
    if count < 2:
        print("SKIPPED: two GPUs are wanted")
        return 77
    return 0 if ranks.start([__file__, *sys.argv[1:]], count, options.limit) else 1


if __name__ == "__main__":
    sys.exit(main())
