"""What a call does on the GPUs of several ranks, and when, by PyTorch's profiler: a line for each kernel and copy."""

import json
import os
import tempfile

_KINDS = ("kernel", "gpu_memcpy", "gpu_memset")
_CALLS = 3


def _events(torch, call):
    """(begin, end, kind, stream, name) of calls in a row, in us."""
    from torch.profiler import ProfilerActivity, profile

    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        with profile(activities=[ProfilerActivity.CUDA, ProfilerActivity.CPU]) as trace:
            for _ in range(_CALLS):
                call()
            torch.cuda.synchronize()
        trace.export_chrome_trace(path)
        with open(path) as file:
            found = json.load(file)["traceEvents"]
    return sorted(
        (event["ts"], event["ts"] + event["dur"], event["cat"], event["args"].get("stream"), event["name"])
        for event in found if event.get("cat") in _KINDS)


def _covered(begin, end, spans):
    """How much of a span others cover; these ascend."""
    total, at = 0.0, begin
    for first, last in spans:
        first, last = max(first, at), min(last, end)
        if last > first:
            total, at = total + last - first, last
    return total


def _lines(events):
    first = events[0][0]
    kernels = [event[:2] for event in events if event[2] == "kernel" and "nccl" not in event[4].lower()]
    moves = [event for event in events if event[2] == "gpu_memcpy" or "nccl" in event[4].lower()]
    for begin, end, kind, stream, name in events:
        yield f"  {begin - first:10.1f} us {end - begin:9.1f} us  stream {stream}  {kind}  {name[:90]}"
    busy = _covered(first, events[-1][1], kernels)
    moved = sum(end - begin for begin, end, *_ in moves)
    hidden = sum(_covered(begin, end, kernels) for begin, end, *_ in moves)
    yield (f"  {_CALLS} calls: {(events[-1][1] - first) / _CALLS:.1f} us each, kernels that compute {busy / _CALLS:.1f}; transfers "
           f"{moved / _CALLS:.1f}, of which {hidden / moved if moved else 1:.1%} beside these kernels")


def show(torch, dist, title, call):
    """Prints it for the ranks in turn, on rank 0; all ranks call it."""
    lines = []
    call()
    dist.barrier()
    if torch.cuda.is_available():
        events = _events(torch, call)
        lines = list(_lines(events)) if events else []
    found = [None] * dist.get_world_size()
    dist.all_gather_object(found, lines)
    if dist.get_rank() == 0:
        print(title)
        for rank, lines in enumerate(found):
            print(f" rank {rank}", *lines, sep="\n", flush=True)
