"""Compiled kernels on disk.

An entry is a file: a line with the format, a line with the digest of what follows, then the bundle.
Writers make a file of another name and rename it, so that readers see all of an entry or none.
"""

import contextlib
import errno
import hashlib
import os
import tempfile
import threading
import warnings

try:
    import fcntl
except ImportError:  # Two processes may then compile one kernel; either's entry is whole.
    fcntl = None

_MAGIC = b"attn-mlir-cache 1\n"
_SUFFIX = ".attn"
DEFAULT_BYTES = 1 << 30


def digest(*parts):
    """SHA-256 over texts or bytes, each with its length: no two lists of parts read the same."""
    state = hashlib.sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        state.update(b"%d:" % len(data))
        state.update(data)
    return state.hexdigest()


def default_directory():
    """Where entries are, or None where the environment turns them off."""
    if os.environ.get("ATTN_MLIR_CACHE") == "0":
        return None
    given = os.environ.get("ATTN_MLIR_CACHE_DIR")
    if given:
        return given
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "attn-mlir")


def default_bytes():
    given = os.environ.get("ATTN_MLIR_CACHE_BYTES")
    if not given:
        return DEFAULT_BYTES
    try:
        return int(given)
    except ValueError:
        warnings.warn(
            f"ATTN_MLIR_CACHE_BYTES: expected a number of bytes, but got {given!r}; using {DEFAULT_BYTES}",
            RuntimeWarning, stacklevel=2)
        return DEFAULT_BYTES


class DiskCache:
    """Bundles in a folder, by key. No method raises: what the disk cannot do is left out, with one
    warning a folder."""

    def __init__(self, directory, limit=None):
        self.directory = directory
        self.limit = default_bytes() if limit is None else limit
        self._warned = False

    def get(self, key):
        """The entry, or None. A damaged one is as one that is not there."""
        if self.directory is None:
            return None
        path = self._path(key)
        try:
            with open(path, "rb") as file:
                contents = file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._warn(error)
            return None
        entry = _payload(contents)
        if entry is not None:
            with contextlib.suppress(OSError):
                os.utime(path)  # The order in which entries are dropped.
        return entry

    def put(self, key, payload):
        """Writes an entry, and drops the oldest ones beyond the limit."""
        if self.directory is None or len(payload) > self.limit:
            return
        temporary = None
        try:
            self._make()
            handle, temporary = tempfile.mkstemp(prefix=".writing-", dir=self.directory)
            with os.fdopen(handle, "wb") as file:
                file.write(_MAGIC + hashlib.sha256(payload).hexdigest().encode() + b"\n")
                file.write(payload)
            os.replace(temporary, self._path(key))
        except OSError as error:
            if temporary is not None:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
            self._warn(error)
            return
        self._shrink()

    @contextlib.contextmanager
    def lock(self, key):
        """Held by one process at a time. Keys share 256 files, which stay."""
        file = self._lock_file(key)
        if file is None:
            yield
            return
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX)
            except OSError as error:  # Some network file systems have no locks.
                self._warn(error)
            yield

    def _lock_file(self, key):
        if self.directory is None or fcntl is None:
            return None
        try:
            self._make()
            folder = os.path.join(self.directory, "locks")
            os.makedirs(folder, mode=0o700, exist_ok=True)
            return open(os.path.join(folder, key[:2]), "ab")
        except OSError as error:
            self._warn(error)
            return None

    def _make(self):
        os.makedirs(self.directory, mode=0o700, exist_ok=True)

    def _path(self, key):
        return os.path.join(self.directory, key + _SUFFIX)

    def _shrink(self):
        entries = []
        with contextlib.suppress(OSError), os.scandir(self.directory) as found:
            for entry in found:
                with contextlib.suppress(OSError):
                    facts = entry.stat()
                    if entry.name.endswith(_SUFFIX):
                        entries.append((facts.st_mtime_ns, facts.st_size, entry.path))
        total = sum(size for _, size, _ in entries)
        for _, size, path in sorted(entries):
            if total <= self.limit:
                return
            with contextlib.suppress(OSError):
                os.unlink(path)
            total -= size

    def _warn(self, error):
        if self._warned:
            return
        self._warned = True
        what = "is full" if error.errno in (errno.ENOSPC, errno.EDQUOT) else f"cannot be used: {error}"
        warnings.warn(
            f"the kernel cache '{self.directory}' {what}; kernels are kept in memory alone. Set ATTN_MLIR_CACHE_DIR "
            "to another folder, or ATTN_MLIR_CACHE=0", RuntimeWarning, stacklevel=3)


def _payload(contents):
    """What an entry holds, or None where its digest is not that of its contents."""
    end = len(_MAGIC) + 64
    if not contents.startswith(_MAGIC) or contents[end : end + 1] != b"\n":
        return None
    payload = contents[end + 1 :]
    if hashlib.sha256(payload).hexdigest().encode() != contents[len(_MAGIC) : end]:
        return None
    return payload


_caches = {}
_caches_lock = threading.Lock()


def disk_cache():
    """The cache that the environment names now."""
    directory = default_directory()
    with _caches_lock:
        cache = _caches.get(directory)
        if cache is None:
            cache = _caches[directory] = DiskCache(directory)
        return cache


def _after_fork():
    """A lock that another thread held does not open in the child."""
    global _caches_lock
    _caches_lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
