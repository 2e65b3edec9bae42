#!/usr/bin/env python3
"""One sequence over several GPUs, beside PyTorch's context_parallel.

    context_parallel.py model                      bytes and times of the exchanges by the model alone; no GPU
    torchrun --nproc-per-node 2 benchmarks/context_parallel.py run [--json FILE]

run: causal bf16, 32 heads, by CUDA events around calls of all ranks, medians in drawn turns: ours by copies into the other
ranks' memory and by each exchange of collectives, PyTorch's over cuDNN, and our own kernel on one device at the sequence's
whole length. The time is that of the slowest rank.
`--device cpu --quick` shows on two processes of any machine that it runs; its times say nothing.
"""

import argparse
import contextlib
import functools
import json
import pathlib
import random
import statistics
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "python"))

from attn_mlir import _exchange_model as model
from attn_mlir._segments import shares

HEADS = 32
SHAPES = [(dim, length) for dim in (64, 128) for length in (8192, 32768, 131072)]
QUICK = [(64, 256)]
ROUNDS = 7


def predict():
    print(f"causal bf16, {HEADS} heads; links and rate of H200s: {model.H200}; by the model alone\n")
    for devices in (2, 4, 8):
        for dim, length in SHAPES:
            shape = model.Shape(1, HEADS, HEADS, dim, dim, 2)
            found = model.predictions(shares(length, devices), shape, (-1, 0))
            print(f"{devices} devices, D {dim}, S {length}")
            print(model.page(found, found[0].exchange))


class Timer:
    """Milliseconds of a call on this rank."""

    def __init__(self, torch, device):
        self.torch, self.is_cuda = torch, device == "cuda"

    def __call__(self, call):
        if not self.is_cuda:
            before = time.perf_counter()
            call()
            return 1e3 * (time.perf_counter() - before)
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        end.synchronize()
        return begin.elapsed_time(end)


@contextlib.contextmanager
def rival(torch, mesh, q, k, v):
    """PyTorch's own over cuDNN: within its context, a call with the shards that it made."""
    from torch.distributed.tensor.experimental import context_parallel
    from torch.nn.attention import SDPBackend, sdpa_kernel

    local = [x.clone() for x in (q, k, v)]
    with sdpa_kernel(SDPBackend.CUDNN_ATTENTION), context_parallel(mesh, buffers=local, buffer_seq_dims=[2, 2, 2]):
        yield lambda: torch.nn.functional.scaled_dot_product_attention(*local, is_causal=True)


def ways(exchanges):
    """What is measured: names, and arguments of context_parallel()."""
    collectives = {exchange: {"exchange": exchange, "transfers": "collectives"} for exchange in exchanges}
    return {"copies": {"exchange": "all_gather", "transfers": "copies"}, **collectives}


def measure(torch, dist, device, dim, length, has_rival):
    import attn_mlir
    import attn_mlir.torch

    torch.manual_seed(dim + length)
    q, k, v = (torch.randn(1, HEADS, length, dim, device=device).to(torch.bfloat16) for _ in range(3))
    calls = {}
    for name, how in ways(model.EXCHANGES).items():
        parallel = attn_mlir.torch.context_parallel(**how)
        local = [parallel.shard(x, 2) for x in (q, k, v)]
        calls[name] = functools.partial(
            contextlib.nullcontext, functools.partial(parallel.attention, *local, causal=True))
    calls["one device"] = functools.partial(
        contextlib.nullcontext, functools.partial(attn_mlir.attention, q, k, v, causal=True))
    if has_rival:
        mesh = torch.distributed.device_mesh.init_device_mesh(device, (dist.get_world_size(),))
        calls["PyTorch"] = functools.partial(rival, torch, mesh, q, k, v)
    timer, times = Timer(torch, device), {name: [] for name in calls}
    order = random.Random(length)
    for _ in range(ROUNDS):
        # The same on all ranks, drawn anew in each round.
        for name in order.sample(list(calls), len(calls)):
            with calls[name]() as call:
                call()
                dist.barrier()
                took = torch.tensor([timer(call)], device=device)
            dist.all_reduce(took, dist.ReduceOp.MAX)
            times[name].append(took.item())
    return {name: statistics.median(each) for name, each in times.items()}


def run(options):
    import torch
    import torch.distributed as dist

    if options.device == "cuda" and torch.cuda.device_count() < 2:
        print("SKIPPED: two GPUs are wanted")
        return 77 if options.strict else 0
    dist.init_process_group("gloo" if options.device == "cpu" else "nccl")
    rank, size = dist.get_rank(), dist.get_world_size()
    if options.device == "cuda":
        torch.cuda.set_device(rank)
    rows = []
    for dim, length in QUICK if options.quick else SHAPES:
        if options.lengths and length not in options.lengths:
            continue
        found = measure(torch, dist, options.device, dim, length, options.device == "cuda")
        best = min(found[name] for name in ways(model.EXCHANGES))
        operations = 4 * HEADS * dim * length**2 / 2
        rows.append({"dim": dim, "length": length, "ms": found, "best": best, "devices": size,
                     "of ideal": found["one device"] / size / best, "tflops a device": operations / size / best / 1e9})
        if rank == 0:
            print(json.dumps(rows[-1]))
    if rank == 0 and options.json:
        pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    dist.destroy_process_group()
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("model", "run"))
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--quick", action="store_true", help="one small shape")
    parser.add_argument("--lengths", type=int, nargs="*", default=[], help="of the shapes those of such lengths; default: all")
    parser.add_argument("--strict", action="store_true", help="exit with 77 where it is skipped")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    return predict() if options.what == "model" else run(options)


if __name__ == "__main__":
    sys.exit(main())
