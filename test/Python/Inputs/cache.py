"""The folder of compiled kernels: damage, limits, folders that cannot be written, other processes."""

import errno
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import warnings
from unittest import mock

from attn_mlir import _cache


class Folder(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = os.path.join(self.folder.name, "a", "b")

    def entries(self):
        return sorted(name for name in os.listdir(self.path) if name != "locks")

    def file(self, key):
        return os.path.join(self.path, key + ".attn")

    def test_get_and_put(self):
        cache = _cache.DiskCache(self.path)
        key = _cache.digest("x")
        self.assertIsNone(cache.get(key))
        cache.put(key, b"bundle")
        self.assertEqual(cache.get(key), b"bundle")
        self.assertEqual(_cache.DiskCache(self.path).get(key), b"bundle")
        cache.put(key, b"another")
        self.assertEqual(cache.get(key), b"another")
        self.assertEqual(self.entries(), [key + ".attn"])
        self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o700)

    def test_keys(self):
        keys = {_cache.digest(*parts) for parts in (("a", "b"), ("ab",), ("a", "b", ""), ("", "ab"), ("b", "a"), ("2:ab",))}
        self.assertEqual(len(keys), 6)

    def test_damage(self):
        """Every byte that is changed, and every end that is cut off, is seen."""
        cache = _cache.DiskCache(self.path)
        key = _cache.digest("x")
        cache.put(key, b"a bundle of some bytes")
        with open(self.file(key), "rb") as file:
            whole = file.read()
        for at in range(len(whole)):
            for damaged in (whole[:at], whole[:at] + bytes([whole[at] ^ 4]) + whole[at + 1 :]):
                with open(self.file(key), "wb") as file:
                    file.write(damaged)
                self.assertIsNone(cache.get(key), at)
        cache.put(key, b"made anew")
        self.assertEqual(cache.get(key), b"made anew")

    def test_limit(self):
        """The entries that were read least lately go first."""
        cache = _cache.DiskCache(self.path, limit=3 * 1100)
        keys = [_cache.digest(str(number)) for number in range(5)]
        for number, key in enumerate(keys[:3]):
            cache.put(key, b"x" * 950)
            os.utime(self.file(key), ns=(number, number))
        cache.get(keys[0])
        cache.put(keys[3], b"x" * 950)
        self.assertEqual([cache.get(key) is not None for key in keys], [True, False, True, True, False])
        cache.put(keys[4], b"x" * 5000)
        self.assertIsNone(cache.get(keys[4]))

    def refuses(self, cache, said):
        """It works without entries, and says so once."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            for _ in range(2):
                key = _cache.digest("x")
                with cache.lock(key):
                    cache.put(key, b"bundle")
        self.assertEqual([str(warning.message) for warning in caught if said in str(warning.message)], [str(caught[0].message)])
        self.assertEqual(len(caught), 1)
        self.assertIsNone(cache.get(key))

    def test_full_disk(self):
        cache = _cache.DiskCache(self.path)
        with mock.patch("os.replace", side_effect=OSError(errno.ENOSPC, "No space left on device")):
            self.refuses(cache, "is full")
        self.assertEqual(self.entries(), [])

    def test_full_device(self):
        """A write that fails leaves nothing."""
        cache = _cache.DiskCache(self.path)
        write = mock.mock_open()
        write.return_value.write.side_effect = OSError(errno.ENOSPC, "No space left on device")
        with mock.patch("os.fdopen", write):
            self.refuses(cache, "is full")
        self.assertEqual(self.entries(), [])

    def test_read_only(self):
        with mock.patch("os.makedirs", side_effect=PermissionError(errno.EACCES, "Permission denied")):
            self.refuses(_cache.DiskCache(self.path), "Permission denied")

    def test_no_folder(self):
        file = os.path.join(self.folder.name, "file")
        with open(file, "w"):
            pass
        cache = _cache.DiskCache(os.path.join(file, "below"))
        with warnings.catch_warnings(record=True):
            warnings.simplefilter("always")
            self.assertIsNone(cache.get(_cache.digest("x")))
        self.refuses(_cache.DiskCache(os.path.join(file, "below")), "cannot be used")

    def test_environment(self):
        names = ("ATTN_MLIR_CACHE", "ATTN_MLIR_CACHE_DIR", "XDG_CACHE_HOME", "HOME", "ATTN_MLIR_CACHE_BYTES")
        for given, wanted in (
            (dict(HOME="/h"), "/h/.cache/attn-mlir"),
            (dict(HOME="/h", XDG_CACHE_HOME="/x"), "/x/attn-mlir"),
            (dict(HOME="/h", XDG_CACHE_HOME="/x", ATTN_MLIR_CACHE_DIR="/d"), "/d"),
            (dict(ATTN_MLIR_CACHE_DIR="/d", ATTN_MLIR_CACHE="0"), None),
        ):
            kept = {name: value for name, value in os.environ.items() if name not in names}
            with mock.patch.dict(os.environ, {**kept, **given}, clear=True):
                self.assertEqual(_cache.default_directory(), wanted)
        with mock.patch.dict(os.environ, ATTN_MLIR_CACHE_BYTES="12"):
            self.assertEqual(_cache.default_bytes(), 12)
        with mock.patch.dict(os.environ, ATTN_MLIR_CACHE_BYTES="much"), self.assertWarnsRegex(RuntimeWarning, "'much'"):
            self.assertEqual(_cache.default_bytes(), _cache.DEFAULT_BYTES)
        _cache.DiskCache(None).put("x", b"y")
        self.assertIsNone(_cache.DiskCache(None).get("x"))

    def test_lock(self):
        """One process at a time holds a key's lock; a process that ends lets go of it."""
        code = (
            "import sys, time\nfrom attn_mlir import _cache\n"
            f"with _cache.DiskCache({self.path!r}).lock('ab'):\n"
            "    print('held', flush=True)\n    time.sleep(60)\n")
        child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
        self.assertEqual(child.stdout.readline(), "held\n")
        entered = threading.Event()

        def enter():
            with _cache.DiskCache(self.path).lock("ab"):
                entered.set()

        with _cache.DiskCache(self.path).lock("cd"):
            pass
        thread = threading.Thread(target=enter)
        thread.start()
        self.assertFalse(entered.wait(0.3))
        child.kill()
        child.wait()
        child.stdout.close()
        self.assertTrue(entered.wait(30))
        thread.join()

    def test_readers_and_writers(self):
        """Whoever reads while others write sees all of an entry."""
        cache, key, stop = _cache.DiskCache(self.path), _cache.digest("x"), time.monotonic() + 1
        payloads = [bytes([n]) * 20000 for n in range(3)]
        cache.put(key, payloads[0])
        wrong = []

        def work(number):
            while time.monotonic() < stop:
                cache.put(key, payloads[number])
                if cache.get(key) not in payloads:
                    wrong.append(number)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


if __name__ == "__main__":
    unittest.main()
