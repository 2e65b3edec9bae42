"""A script as several processes, each a rank of torch.distributed: what failed first is shown first and whole, and ends all."""

import os
import pathlib
import subprocess
import sys
import tempfile
import time

_RANK, _SIZE, _STORE = "ATTN_RANK", "ATTN_RANKS", "ATTN_RANKS_STORE"
# What others may take to say what they think of a failed one.
_GRACE_S = 3


def rank():
    """Of this process; None where it is no rank."""
    return int(os.environ[_RANK]) if _RANK in os.environ else None


def size():
    """How many there are."""
    return int(os.environ[_SIZE])


def join(torch, device, timeout_s=60):
    """Makes this process a rank of all, and its device the current one."""
    import datetime

    how = {"device_id": torch.device("cuda", rank())} if device == "cuda" else {}
    if device == "cuda":
        torch.cuda.set_device(rank())
    torch.distributed.init_process_group(
        "cpu:gloo,cuda:nccl" if device == "cuda" else "gloo", init_method="file://" + os.environ[_STORE],
        world_size=int(os.environ[_SIZE]), rank=rank(), timeout=datetime.timedelta(seconds=timeout_s), **how)


def _wait(processes, limit_s):
    """The ranks that failed, in the order in which they did; all have ended."""
    failed, until = [], time.monotonic() + limit_s
    while any(process.poll() is None for process in processes):
        for number, process in enumerate(processes):
            if process.poll() not in (None, 0) and number not in failed:
                failed.append(number)
                until = min(until, time.monotonic() + _GRACE_S)
        if time.monotonic() > until:
            for process in processes:
                if process.poll() is None:
                    process.kill()
                    process.wait()
        time.sleep(0.05)
    return failed + [number for number, process in enumerate(processes) if process.returncode and number not in failed]


def start(command, size, limit_s=600, environment=None, out=sys.stdout):
    """Runs a script's command (a list behind the interpreter) once a rank. Prints what rank 0 says, and of a failure what
    each rank said, the first that failed first. Whether all ended well."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        processes = []
        for number in range(size):
            shared = {_RANK: str(number), _SIZE: str(size), _STORE: str(folder / "store"), "PYTHONFAULTHANDLER": "1"}
            with open(folder / f"{number}.txt", "w") as said:
                processes.append(subprocess.Popen(
                    [sys.executable, *command], stdout=said, stderr=subprocess.STDOUT,
                    env={**os.environ, **(environment or {}), **shared}))
        failed = _wait(processes, limit_s)
        said = [(folder / f"{number}.txt").read_text(errors="replace") for number in range(size)]
    if not failed:
        print(said[0], end="", file=out, flush=True)
        return True
    codes = [process.returncode for process in processes]
    for number in failed + [number for number in range(size) if number not in failed]:
        print(f"--- rank {number} of {size} ended with {codes[number]}:\n{said[number]}", file=out, flush=True)
    return False
