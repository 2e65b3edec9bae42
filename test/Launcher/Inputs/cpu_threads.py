"""Threads of launches on this machine's CPU: how many, when, and that each call has its own."""

import ctypes
import os
import sys
import threading
import time
import traceback

import attn_mlir
from attn_mlir import ArgumentError
from cpu import CAUSAL, bundle, small
from devices import Arrays, call, compile_bundle
from problems import Case
from support import F32, DLArray, expect, main

# What several threads are for.
LONG = Case("full", "f32", (8, 8), (64, 64), (1, 100, 90), lse=False)


class Threads:
    """Counts those of this process. It allocates little: a sanitizer's allocator may take longer than a launch once it gives
    back what was freed long ago."""

    def __init__(self):
        self.stat = os.open("/proc/self/stat", os.O_RDONLY)

    def __enter__(self):
        return self

    def __exit__(self, *raised):
        os.close(self.stat)

    def count(self):
        # proc(5): the 20th word; the second is a name in parentheses.
        return int(os.pread(self.stat, 400, 0).rpartition(b")")[2].split()[17])


def counted_while(function):
    """Counts of this process's threads while ``function`` runs, beyond those that it had and the one that counts."""
    with Threads() as own:
        before, counts, done = own.count(), [], threading.Event()

        def watch():
            while not done.is_set():
                counts.append(own.count() - before - 1)

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            function()
        finally:
            done.set()
            watcher.join()
        # The system forgets a thread some time after it was joined.
        deadline = time.monotonic() + 10
        while own.count() != before:
            assert time.monotonic() < deadline, "threads outlive the call"
    return counts


def threads_while(function):
    return max(counted_while(function))


def long_kernel(scratch, heads=8, tile=32):
    case = LONG._replace(heads=(heads, heads))
    return attn_mlir.load(compile_bundle(scratch, case, f"--schedule=tiles=query={tile},key=32"))


def launch_of(kernel, heads=8, rows=256, keys=2048):
    """A launch of some tenths of a second: many keys, of which all rows are the same."""
    memory = [(ctypes.c_float * (heads * length * 64))(*([value] * (heads * length * 64)))
              for length, value in ((rows, 0.5), (keys, 0.25), (keys, 3.0), (rows, 0.0))]
    arrays = [DLArray((1, heads, len(each) // heads // 64, 64), F32, ctypes.addressof(each), kind=1) for each in memory]

    def launch():
        ctypes.memset(memory[3], 0xFF, ctypes.sizeof(memory[3]))
        kernel(*arrays[:3], out=arrays[3])
        assert all(abs(value - 3) < 1e-5 for value in memory[3][::61])
        assert abs(sum(memory[3]) / len(memory[3]) - 3) < 1e-5

    return launch


def long_launch(scratch, heads=8, rows=256, keys=2048, tile=32):
    return launch_of(long_kernel(scratch, heads, tile), heads, rows, keys)


def with_threads(number):
    os.environ["ATTN_CPU_THREADS"] = str(number)


def test_threads(scratch, log):
    launch = long_launch(scratch)
    for number in (1, 2, 4):
        with_threads(number)
        assert threads_while(launch) == number - 1, number
    # As many as cores that this thread may use.
    for variable in (None, ""):
        os.environ.pop("ATTN_CPU_THREADS") if variable is None else with_threads(variable)
        cores = os.sched_getaffinity(0)
        # Of very many some are done before the last is there.
        assert min(len(cores), 4) <= threads_while(launch) + 1 <= len(cores)
        os.sched_setaffinity(0, {min(cores)})
        try:
            assert threads_while(launch) == 0
        finally:
            os.sched_setaffinity(0, cores)
    os.environ.pop("ATTN_CPU_THREADS", None)


def test_few_ctas(scratch, log):
    """Of two CTAs none waits for the other: a launch that was not seen before takes all threads at once."""
    launch = long_launch(scratch, heads=2, rows=128, keys=8192, tile=128)
    with_threads(8)
    assert threads_while(launch) == 1
    assert threads_while(launch) == 1
    del os.environ["ATTN_CPU_THREADS"]


def test_longer_streams(scratch, log):
    """What is known of short streams starts some threads; as many CTAs of long ones take all."""
    kernel = long_kernel(scratch, tile=8)
    short, long = launch_of(kernel, rows=64, keys=1), launch_of(kernel, rows=64, keys=8192)
    with_threads(16)
    # On a machine that has other work, nothing may be left before the last is there.
    threads = []
    while 15 not in threads and len(threads) < 8:
        short()
        threads.append(threads_while(long))
    assert max(threads) == 15, threads
    del os.environ["ATTN_CPU_THREADS"]
    kernel.close()


def test_small_launches(scratch, log):
    """Once one was seen to be short, those like it start no threads."""
    # Some microseconds, far below what threads take to start, also on a core that others slow down.
    case = Case("full", "f32", (4, 4), (8, 8), (1, 2, 2), lse=False)
    kernel = attn_mlir.load(compile_bundle(scratch, case, "--schedule=tiles=query=8,key=8"))
    arrays = Arrays(case)
    *inputs, out = arrays.dlpack()
    with_threads(4)
    prepared = kernel.prepare(*inputs, out=out)
    assert prepared.grid == 4

    def launch():
        for _ in range(3000):
            prepared.launch()

    # Others may take the core from one of them, and it is a long one then, as all are with a sanitizer.
    shares = []
    while not any(share < 1 / 3 for share in shares) and len(shares) < 8:
        counts = counted_while(launch)
        shares.append(sum(count > 0 for count in counts) / max(len(counts), 1))
    assert min(shares) < 1 / 3 or "asan" in os.environ.get("LD_PRELOAD", ""), shares
    arrays.assert_right()
    del os.environ["ATTN_CPU_THREADS"], prepared
    kernel.close()


def test_numbers_of_threads(scratch, log):
    kernel = attn_mlir.load(bundle(scratch))
    for number in (1, 2, 3, 7, 4096):
        with_threads(number)
        for sizes in ((1, 150, 200), (2, 65, 9), (1, 1, 1)):
            arrays = Arrays(CAUSAL._replace(sizes=sizes))
            call(kernel, arrays.dlpack())
            arrays.assert_right()
    arrays = Arrays(small())
    for text in ("0", "-1", "4097", "two", "2x", "1.5", " ", "99999999999999999999"):
        with_threads(text)
        expect(ArgumentError, f"ATTN_CPU_THREADS: expected a number from 1 to 4096, but got '{text}'", call, kernel,
               arrays.dlpack())
    del os.environ["ATTN_CPU_THREADS"]
    kernel.close()


def test_several_callers(scratch, log):
    """On one bundle, whose code the first of them loads, with a workspace for each."""
    case = small(lse=False)
    split = attn_mlir.load(compile_bundle(scratch, case, "--schedule=tiles=query=32,key=16 split-ctas splits=3"))
    assert len(split.variants[0].steps) == 2
    every = [Arrays(case._replace(sizes=(1, 20 + number, 30 + 7 * number))) for number in range(6)]
    barrier, errors = threading.Barrier(len(every)), []

    def work(arrays):
        try:
            barrier.wait()
            for _ in range(5):
                *inputs, out = arrays.dlpack()
                split(*inputs, out=out)
                arrays.assert_right()
        except BaseException as error:
            errors.append(error)

    with_threads(2)
    callers = [threading.Thread(target=work, args=(arrays,)) for arrays in every]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not errors, errors
    del os.environ["ATTN_CPU_THREADS"]
    split.close()


def test_fork(scratch, log):
    """A child launches on as many threads as its parent did."""
    launch = long_launch(scratch)
    with_threads(3)
    launch()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        try:
            threads = threads_while(launch)
            assert threads == 2, threads
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    assert os.waitpid(child, 0)[1] == 0
    launch()
    del os.environ["ATTN_CPU_THREADS"]


if __name__ == "__main__":
    main()
