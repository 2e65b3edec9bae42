#!/usr/bin/env python3
"""One sequence over several GPUs, beside PyTorch's context_parallel.

    context_parallel.py model                      bytes and times of the exchanges by the model alone; no GPU
    context_parallel.py run [--json FILE]          starts a process for each GPU
    context_parallel.py compare FILE               the model beside the times of such a file, in a row

run: bf16, 32 heads, by CUDA events around calls of all ranks, medians in drawn turns, the slowest rank's time: ours by copies
into the other ranks' memory, by kernels that read it, and by each exchange of collectives, PyTorch's over cuDNN, and our own
kernel on one device at the sequence's whole length. "alone": a call that all ranks begin at once, on GPUs that wait for it. "in a row": a call of several one
behind the other, as layers of a model make them.

GPUs of one host differ in speed, and by how warm they are. So "one device" runs on all of them at once, and for about as long as
the others: "of one device's share" is the slowest one's time over the number of devices by ours, "of all devices' rates" the time of all of them at
the rates that each had, by ours. "copies by speed" gives each a share in proportion to what it did of equal ones, just before. "kernels" are those of a rank where all keys are there already, "kernels of the next rank" another rank's on the
same device: which part of the time is theirs, and which that of words, transfers and waiting. "host" is what a call takes in a row
at so short a length that devices wait for their hosts.

A way that raises on a rank is left out, with its traceback. Where a rank fails, what it said is printed, the file keeps what was
measured until then, and new processes go on with the next shape. `--timeline` prints kernels and copies of calls.
`--device cpu --quick` shows on two processes of any machine that it runs; its times say nothing.
"""

import argparse
import contextlib
import functools
import itertools
import json
import math
import os
import pathlib
import random
import statistics
import sys
import time
import traceback

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "python"))  # where none is installed

import clocks
import common  # noqa: F401  (adds test/gpu to the path)
import exchange_fit
import near
import ranks
import timeline
from attn_mlir import _exchange_model as model
from attn_mlir._segments import shares

HEADS = 32
DIMS, LENGTHS, MASKS = (64, 128), (8192, 32768, 131072), ("causal", "full")
QUICK = [(64, 256, "causal")]
COLLECTIVES = {kind: {"exchange": kind, "transfers": "collectives"} for kind in model.EXCHANGES}
OURS = {**{how: {"exchange": "all_gather", "transfers": how} for how in ("copies", "reads")}, **COLLECTIVES}
# Of shares in proportion to what the devices have shown.
BY_SPEED = "copies by speed"
OURS[BY_SPEED] = OURS["copies"]
PYTORCH, ALONE = "PyTorch", "one device"
# Positions, and calls in a row, of which the host alone decides what they take; kernels of copies are as those of longer sequences.
HOST_LENGTH, HOST_CALLS, HOST_ROUNDS = 8192, 20, 9
_TURNS_OF_SPEEDS, _CALLS_OF_SPEEDS = 5, 4
# By how many ranks further on.
KERNELS = {"kernels": 0, "kernels of the next rank": 1}
EVERY = (*OURS, ALONE, PYTORCH, *KERNELS)


def predict():
    print(f"causal bf16, {HEADS} heads; links and rate of H200s: {model.H200}; by the model alone\n")
    for devices in (2, 4, 8):
        for dim, length in itertools.product(DIMS, LENGTHS):
            shape = model.Shape(1, HEADS, HEADS, dim, dim, 2)
            found = model.predictions(shares(length, devices), shape, (-1, 0), kinds=(model.COPIES, *model.EXCHANGES))
            print(f"{devices} devices, D {dim}, S {length}")
            print(model.page(found, found[0].exchange))


class Timer:
    """Milliseconds of a call of several on this rank; ``cycles`` are 10^6 of its multiprocessors."""

    def __init__(self, torch, device):
        self.torch, self.is_cuda, self.cycles = torch, device == "cuda", math.nan
        self._clocks = clocks.Clocks(torch) if self.is_cuda else None

    def __call__(self, call, count):
        if not self.is_cuda:
            before = time.perf_counter()
            for _ in range(count):
                call()
            return 1e3 * (time.perf_counter() - before) / count
        begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        first = self._clocks.record()
        begin.record()
        for _ in range(count):
            call()
        end.record()
        last = self._clocks.record()
        end.synchronize()
        self.cycles = self._clocks.between(first, last) / count / 1e6
        return begin.elapsed_time(end) / count


@contextlib.contextmanager
def rival(torch, mesh, is_causal, q, k, v):
    """PyTorch's own over cuDNN: within its context, a call with the shards that it made."""
    from torch.distributed.tensor.experimental import context_parallel
    from torch.nn.attention import SDPBackend, sdpa_kernel

    local = [x.clone() for x in (q, k, v)]
    with torch.no_grad(), sdpa_kernel(SDPBackend.CUDNN_ATTENTION), context_parallel(
            mesh, buffers=local, buffer_seq_dims=[2, 2, 2]):
        yield lambda: torch.nn.functional.scaled_dot_product_attention(*local, is_causal=is_causal)


class Ways:
    """What is measured of a shape: for each name a context that gives a call."""

    def __init__(self, options, dim, length, mask):
        import torch
        import torch.distributed as dist

        import attn_mlir
        import attn_mlir.torch

        self.torch, self.dist, self.device, self.is_causal = torch, dist, options.device, mask == "causal"
        torch.manual_seed(dim + length)
        heads = HEADS, options.kv_heads, options.kv_heads
        tensors = [torch.randn(1, count, length, dim, device=options.device).to(torch.bfloat16) for count in heads]
        self.calls = {}
        for name, make in self.makers(attn_mlir, options, tensors).items():
            if options.ways and name not in options.ways:
                continue
            call = self._tried(name, make)
            if call is not None:
                self.calls[name] = call

    def makers(self, package, options, tensors):
        """Functions that make a way."""
        rank, size = self.dist.get_rank(), self.dist.get_world_size()
        found = {name: functools.partial(self._ours, package.torch, how, tensors) for name, how in OURS.items()}
        alone = functools.partial(package.attention, *tensors, causal=self.is_causal)
        found[BY_SPEED] = lambda: self._ours(package.torch, {**OURS[BY_SPEED], "speeds": self._speeds(package.torch, tensors)}, tensors)
        found[ALONE] = lambda: functools.partial(contextlib.nullcontext, alone)
        for name, further in KERNELS.items():
            found[name] = functools.partial(self._kernels, (rank + further) % size, tensors)
        if options.device == "cuda" and options.kv_heads == HEADS:
            found[PYTORCH] = lambda: functools.partial(
                rival, self.torch, self.dist.device_mesh.init_device_mesh("cuda", (size,)), self.is_causal, *tensors)
        return found

    def _speeds(self, package, tensors):
        """What ranks of equal shares do in a millisecond, each with its own part and beside the others: the median of several turns, as clocks scatter."""
        timer, times = Timer(self.torch, self.device), []
        with self._ours(package, OURS["copies"], tensors)() as call:
            call()
            for _ in range(_TURNS_OF_SPEEDS):
                self.dist.barrier()
                times.append(self._all(timer(call, _CALLS_OF_SPEEDS)))
        return [1 / statistics.median(each) for each in zip(*times)]

    def _all(self, number):
        """A number of each rank."""
        own = self.torch.tensor([number])
        found = [self.torch.empty_like(own) for _ in range(self.dist.get_world_size())]
        self.dist.all_gather(found, own)
        return [each.item() for each in found]

    def _kernels(self, rank, tensors, gathers=None):
        call = near.kernels(self.torch, rank, self.dist.get_world_size(), tensors, self.is_causal, gathers)
        return functools.partial(contextlib.nullcontext, call)

    def _ours(self, package, how, tensors):
        parallel = package.context_parallel(**how)
        local = [parallel.shard(x, 2) for x in tensors]
        return functools.partial(contextlib.nullcontext, functools.partial(parallel.attention, *local, causal=self.is_causal))

    def _tried(self, name, make):
        """A way that a call of was done on all ranks; None where one of them raised."""
        found, failed = None, self.torch.zeros(1)
        try:
            found = make()
            with found() as call:
                call()
            if self.device == "cuda":
                self.torch.cuda.synchronize()
        except Exception:
            failed += 1
            print(f"rank {ranks.rank()}: {name} failed:\n{traceback.format_exc()}", flush=True)
        self.dist.all_reduce(failed)
        return found if failed.item() == 0 else None

    def times(self, timer, name, count):
        """Milliseconds of a call on each rank."""
        with self.calls[name]() as call:
            call()
            if self.device == "cuda":
                self.torch.cuda.synchronize()
            self.dist.barrier()
            took = timer(call, count)
        return self._all(took)

    def cycles(self, timer):
        """10^6 cycles of what was timed last, on each rank."""
        return self._all(timer.cycles)


def host_times(options, mask):
    """Milliseconds of a call of each of our ways, as fast as the hosts of all ranks make them: the median of several."""
    ways = Ways(options, options.dims[0], 256 if options.quick else HOST_LENGTH, mask)
    timer, names = Timer(ways.torch, options.device), [name for name in ways.calls if name in OURS and name != BY_SPEED]
    return {
        name: statistics.median(max(ways.times(timer, name, HOST_CALLS)) for _ in range(HOST_ROUNDS)) for name in names}


def measured(options, dim, length, mask):
    """Rows of a shape, each of one round more."""
    ways, size = Ways(options, dim, length, mask), ranks.size()
    timer, order = Timer(ways.torch, options.device), random.Random(length)
    times = {kind: {name: [] for name in ways.calls} for kind in ("alone", "in a row")}
    cycles = {name: [] for name in ways.calls}
    for turn in range(options.rounds):
        # The same on all ranks, drawn anew in each round.
        for name in order.sample(list(ways.calls), len(ways.calls)):
            # One device takes as long for one call as all of them for several, and is as warm behind these.
            count = max(1, round(options.calls / size)) if name == ALONE else options.calls
            times["alone"][name].append(ways.times(timer, name, 1))
            times["in a row"][name].append(ways.times(timer, name, count))
            cycles[name].append(ways.cycles(timer))
        row = row_of(dim, length, mask, size, turn + 1, times)
        if timer.is_cuda:
            row["in a row"]["10^6 cycles of ranks"] = medians_of_ranks(cycles)
        yield row
    for name in options.timeline:
        if name in ways.calls:
            with ways.calls[name]() as call:
                timeline.show(ways.torch, ways.dist, f"D {dim}, S {length}, {mask}: {name}", call)


def medians_of_ranks(found):
    """Of rounds of each way, of which each has a number of each rank."""
    return {name: [round(statistics.median(each), 4) for each in zip(*rounds)] for name, rounds in found.items()}


def row_of(dim, length, mask, size, rounds, times):
    row = {"dim": dim, "length": length, "mask": mask, "devices": size, "rounds": rounds}
    operations = 4 * HEADS * dim * length**2 / (2 if mask == "causal" else 1)
    for kind, found in times.items():
        ms = {name: statistics.median(map(max, each)) for name, each in found.items()}
        best = min((ms[name] for name in OURS if name in ms), default=None)
        own = medians_of_ranks(found)
        row[kind] = {"ms": {name: round(each, 4) for name, each in ms.items()}, "ms of ranks": own}
        if best is None:
            continue
        row[kind]["tflops a device"] = operations / size / best / 1e9
        if ALONE in ms:
            row[kind]["of one device's share"] = ms[ALONE] / size / best
            row[kind]["of all devices' rates"] = 1 / sum(1 / each for each in own[ALONE]) / best
        if PYTORCH in ms:
            row[kind]["PyTorch / best"] = ms[PYTORCH] / best
    return row


def run_rank(options):
    """A rank; the first writes the rows so far into the file of --json."""
    import torch

    ranks.join(torch, options.device)
    rows, hosts, is_first = [], {}, ranks.rank() == 0
    for number, shape in enumerate(shapes_of(options)):
        if number < options.skip:
            continue
        mask = shape[-1]
        if mask not in hosts:
            hosts[mask] = host_times(options, mask)
        rows.append(None)
        for row in measured(options, *shape):
            rows[-1] = {**row, "host": hosts[mask], "calls": options.calls}
            if is_first:
                pathlib.Path(options.json).write_text(json.dumps(rows))
        if is_first:
            print(json.dumps(rows[-1]), flush=True)
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()
    return 0


def devices(options):
    import torch

    return 2 if options.device == "cpu" else torch.cuda.device_count()


def shapes_of(options):
    return QUICK if options.quick else list(itertools.product(options.dims, options.lengths, options.masks))


def run(options):
    if devices(options) < 2:
        print("SKIPPED: two GPUs are wanted")
        return 77 if options.strict else 0
    rows, failed, skip = [], 0, 0
    part = pathlib.Path(f"{options.json or 'context_parallel'}.{os.getpid()}.part")
    # What a shape that fails leaves behind is no other's trouble: the rest has new processes.
    while skip < len(shapes_of(options)):
        is_well = ranks.start(
            [__file__, *sys.argv[1:], "--json", str(part), "--skip", str(skip)], options.ranks or devices(options), options.limit)
        found = json.loads(part.read_text()) if part.exists() else []
        part.unlink(missing_ok=True)
        rows += found
        failed += not is_well
        skip = len(shapes_of(options)) if is_well else skip + max(1, len(found))
        if options.json:
            pathlib.Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("model", "run", "compare"))
    parser.add_argument("file", nargs="?", help="of compare")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--quick", action="store_true", help="one small shape")
    parser.add_argument("--lengths", type=int, nargs="*", default=LENGTHS)
    parser.add_argument("--dims", type=int, nargs="*", default=DIMS)
    parser.add_argument("--masks", nargs="*", choices=MASKS, default=MASKS[:1])
    parser.add_argument("--kv-heads", type=int, default=HEADS, help="fewer than heads of Q: without PyTorch's")
    parser.add_argument("--ways", nargs="*", choices=EVERY, default=[], help="default: all")
    parser.add_argument("--ranks", type=int, help="processes; default: one for each GPU")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--calls", type=int, default=5, help="of those in a row")
    parser.add_argument("--limit", type=int, default=300, metavar="S", help="seconds until all ranks are ended")
    parser.add_argument("--timeline", nargs="*", choices=EVERY, default=[], help="what calls of these ways do, and when")
    parser.add_argument("--skip", type=int, default=0, help="of the shapes so many")
    parser.add_argument("--strict", action="store_true", help="exit with 77 where it is skipped")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    if options.what == "model":
        return predict()
    if options.what == "compare":
        exchange_fit.show(json.loads(pathlib.Path(options.file).read_text()), HEADS, ALONE, 128)
        return 0
    return run(options) if ranks.rank() is None else run_rank(options)


if __name__ == "__main__":
    sys.exit(main())
