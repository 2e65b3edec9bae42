"""Threads, forks and processes: how often a kernel is compiled, and that results are right."""

import array
import os
import subprocess
import sys
import tempfile
import threading
import unittest
import warnings

import attn_mlir


class Floats:
    """An array of f32 in the memory of this process, by __array_interface__ alone."""

    def __init__(self, shape, numbers=None):
        count = 1
        for size in shape:
            count *= size
        # Kernels want addresses of a multiple of 16 bytes.
        self.memory = array.array("f", [0.0] * (count + 4))
        address = self.memory.buffer_info()[0]
        self.first = -address % 16 // 4
        if numbers is not None:
            self.memory[self.first : self.first + count] = array.array("f", numbers)
        self.shape, self.dtype, self.count = shape, "float32", count
        self.__array_interface__ = {
            "shape": shape, "typestr": "<f4", "data": (address + 4 * self.first, False), "version": 3}

    def numbers(self):
        return list(self.memory[self.first : self.first + self.count])


def call(dim=8, seed=1, **keywords):
    """Attention of one query to equal keys: the mean of the values."""
    q, k = Floats((1, 1, 1, dim), [0.0] * dim), Floats((1, 1, 4, dim))
    v = Floats((1, 1, 4, dim), [float(seed * row) for row in range(4) for _ in range(dim)])
    o = Floats((1, 1, 1, dim))
    attn_mlir.attention(q, k, v, out=o, **keywords)
    return o.numbers() == [seed * 1.5] * dim


def counts():
    info = attn_mlir.cache_info()
    return info.compiled, info.from_disk


CHILD = """
import os, sys
sys.path[:0] = {path!r}
import processes
processes.attn_mlir.cache_clear()
print("ready", flush=True)
sys.stdin.readline()
assert processes.call(scale={scale!r})
print(*processes.counts(), flush=True)
"""


class Processes(unittest.TestCase):
    def setUp(self):
        attn_mlir.cache_clear()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        os.environ["ATTN_MLIR_CACHE_DIR"] = folder.name
        self.addCleanup(os.environ.pop, "ATTN_MLIR_CACHE_DIR")

    def children(self, count, scale):
        code = CHILD.format(path=[os.path.dirname(os.path.abspath(__file__))] + sys.path, scale=scale)
        children = [
            subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
            for _ in range(count)
        ]
        for child in children:
            self.assertEqual(child.stdout.readline(), "ready\n")
        for child in children:
            child.stdin.write("\n")
            child.stdin.flush()
        said = [child.communicate(timeout=300)[0] for child in children]
        self.assertEqual([child.returncode for child in children], [0] * count)
        return [tuple(map(int, text.split())) for text in said]

    def test_two_processes_at_once(self):
        """One compiles, the others wait for it."""
        found = self.children(3, 0.25)
        self.assertEqual(sorted(found), [(0, 1), (0, 1), (1, 0)])

    def test_second_process(self):
        self.assertTrue(call(scale=0.5))
        self.assertEqual(counts(), (1, 0))
        self.assertEqual(self.children(1, 0.5), [(0, 1)])

    def test_damaged_entry(self):
        self.assertTrue(call(scale=0.6))
        # Beside it there is what says for which sizes there are kernels.
        paths = [os.path.join(self.folder, name) for name in os.listdir(self.folder) if name.endswith(".attn")]
        path = max(paths, key=os.path.getsize)
        with open(path, "r+b") as file:
            file.seek(-9, os.SEEK_END)
            file.write(b"\x55" * 9)
        self.assertEqual(self.children(1, 0.6), [(1, 0)])
        self.assertEqual(self.children(1, 0.6), [(0, 1)])

    def test_without_disk(self):
        os.environ["ATTN_MLIR_CACHE"] = "0"
        self.addCleanup(os.environ.pop, "ATTN_MLIR_CACHE")
        self.assertTrue(call(scale=0.7))
        self.assertTrue(call(scale=0.7))
        self.assertEqual(counts(), (1, 0))
        self.assertEqual(os.listdir(self.folder), [])
        self.assertIsNone(attn_mlir.cache_info().directory)

    def test_folder_that_is_none(self):
        file = os.path.join(self.folder, "file")
        with open(file, "w"):
            pass
        os.environ["ATTN_MLIR_CACHE_DIR"] = file
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            self.assertTrue(call(scale=0.8))
            self.assertTrue(call(scale=0.85))
        self.assertEqual(len(caught), 1, [str(warning.message) for warning in caught])
        self.assertIn("kept in memory alone", str(caught[0].message))

    def test_threads(self):
        """Many threads compile a kernel once, and each kernel."""
        wrong, barrier = [], threading.Barrier(12)

        def work(number):
            barrier.wait()
            for seed in range(1, 6):
                if not call(scale=1 + number % 3, seed=seed + number):
                    wrong.append(number)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])
        self.assertEqual(counts(), (3, 0))

    def in_child(self, work):
        """What ``work`` says in a fork of this process."""
        child = os.fork()
        if child == 0:
            os._exit(0 if work() else 1)
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 0)

    def test_fork(self):
        """A child has its parent's kernels, and compiles others."""
        self.assertTrue(call(scale=0.9))
        self.in_child(lambda: call(scale=0.9, seed=3) and counts() == (1, 0))
        self.in_child(lambda: call(scale=0.95, seed=2) and counts() == (2, 0))
        self.assertTrue(call(scale=0.95))
        self.assertEqual(counts(), (1, 1))

    def test_fork_while_locks_are_held(self):
        self.assertTrue(call(scale=0.9))
        from attn_mlir import _cache, _kernels, _targets, _trace

        entries = list(_kernels._entries.values())
        locks = [_kernels._lock, _cache._caches_lock, _targets._lock, _trace._lock] + [entry.lock for entry in entries]
        for lock in locks:
            lock.acquire()
        try:
            self.in_child(lambda: call(scale=0.9) and call(scale=0.99) and call(scale=0.9, mask=lambda b, h, q, k: k >= 0))
        finally:
            for lock in locks:
                lock.release()

    def test_bounded(self):
        """Kernels that were not called for long are dropped from memory, and come back from the disk."""
        os.environ["ATTN_MLIR_KERNELS"] = "2"
        self.addCleanup(os.environ.pop, "ATTN_MLIR_KERNELS")
        for scale in (2, 3, 4):
            self.assertTrue(call(scale=scale))
        info = attn_mlir.cache_info()
        self.assertEqual((info.compiled, info.in_memory, info.evicted), (3, 2, 1))
        self.assertTrue(call(scale=2))
        info = attn_mlir.cache_info()
        self.assertEqual((info.compiled, info.from_disk, info.in_memory, info.evicted), (3, 1, 2, 2))

    def test_compiler_that_is_missing(self):
        code = CHILD.format(path=[os.path.dirname(os.path.abspath(__file__))] + sys.path, scale=1)
        done = subprocess.run(
            [sys.executable, "-c", code], input="\n", capture_output=True, text=True,
            env={**os.environ, "ATTN_COMPILER": "/nowhere/libattn_compiler.so"})
        self.assertIn(
            "DriverError: cannot find libattn_compiler.so: expected one of /nowhere/libattn_compiler.so; install attn-mlir",
            done.stderr)


if __name__ == "__main__":
    unittest.main()
