"""Kernels that this process has compiled or loaded, by what they compute."""

import collections
import os
import threading

from . import _compiler, _ptxas
from ._cache import digest, disk_cache
from ._kernel import Kernel

# Of one text: for the first sizes, for others once more, then for all.
MOST_VARIANTS = 3
DEFAULT_KERNELS = 256

CacheInfo = collections.namedtuple("CacheInfo", "compiled from_disk in_memory evicted limit directory")
CacheInfo.__doc__ = """Kernels that were compiled by this process; that were loaded from the folder on disk; that are in
memory now; that were dropped from memory; that memory keeps at most; the folder, or None."""


class Entry:
    """The kernels of one text, target and options."""

    def __init__(self, text, options, target):
        self.text, self.options, self.target = text, options, target
        self.kernels = []
        self._sizes = set()
        self.is_used = True  # Since the last time that someone looked for what to drop.
        self.lock = threading.Lock()

    def compile(self, sizes, tried):
        """One more kernel: for these sizes, or in the end for all. Where another thread has made one since
        ``tried``, the kernels that the caller knows, that is it."""
        with self.lock:
            if len(self.kernels) > tried:
                return
            options = list(self.options)
            # Where a kernel for these sizes did not take the arrays, one of the others may.
            if len(self.kernels) < MOST_VARIANTS - 1 and sizes not in self._sizes:
                options.append(("for-sizes", sizes))
            self._sizes.add(sizes)
            self.kernels.append(Kernel(_bundle(self.text, options, self.target)))


def options_of(target, schedule=None, lower=None):
    """Options of the compiler, without sizes."""
    options = [("target", target.name)]
    options += [("target-fact", f"{name}={number}") for name, number in target.overrides]
    options += [(name, text) for name, text in (("schedule", schedule), ("lower", lower)) if text is not None]
    return options


def _bundle(text, options, target):
    """The bundle, from the disk or from the compiler."""
    assembler = ""
    if target.arch.startswith("sm_"):
        path = _ptxas.find(target.arch)
        options = options + [("ptxas", path)]
        assembler = _ptxas.identity(path)
    cache = disk_cache()
    stated = [f"{name}={value}" for name, value in options if name != "ptxas"]
    key = digest("bundle", text, *stated, _compiler.identity(), assembler, _host(target))
    found = cache.get(key)
    if found is None:
        with cache.lock(key):
            found = cache.get(key)  # Another process may have made it.
            if found is None:
                bundle = _compiler.compile_bundle(text, options)
                cache.put(key, bundle)
                _count("compiled")
                return bundle
    _count("from_disk")
    return found


def _host(target):
    """Code for the CPU is for this kind of one."""
    return os.uname().machine if target.arch == "host" else ""


def bundle(text, options, target):
    """A bundle for all sizes."""
    return _bundle(text, options, target)


_counts = collections.Counter()
_entries = collections.OrderedDict()
_lock = threading.Lock()
_on_eviction = []


def _count(what):
    with _lock:
        _counts[what] += 1


def _limit():
    return max(1, int(os.environ.get("ATTN_MLIR_KERNELS") or DEFAULT_KERNELS))


def entry_of(text, target, schedule=None, lower=None):
    """The Entry of a text, new where there is none."""
    options = options_of(target, schedule, lower)
    key = (text, *options)
    with _lock:
        entry = _entries.get(key)
        if entry is None:
            _evict(_limit() - 1)
            entry = _entries[key] = Entry(text, options, target)
        entry.is_used = True
        _entries.move_to_end(key)
    return entry


def _evict(limit):
    """Drops entries that were not used lately. Their code stays loaded, as CUDA graphs may hold it; what
    is dropped is loaded or compiled anew when it is called again."""
    while len(_entries) > limit:
        key, entry = next(iter(_entries.items()))
        if entry.is_used:
            entry.is_used = False
            _entries.move_to_end(key)
            continue
        del _entries[key]
        _counts["evicted"] += len(entry.kernels)
        for callback in _on_eviction:
            callback()


def on_eviction(callback):
    _on_eviction.append(callback)


def cache_info():
    """How many kernels were compiled, loaded and kept: a :class:`CacheInfo`."""
    with _lock:
        kept = sum(len(entry.kernels) for entry in _entries.values())
        return CacheInfo(
            _counts["compiled"], _counts["from_disk"], kept, _counts["evicted"], _limit() * MOST_VARIANTS,
            disk_cache().directory)


def cache_clear():
    """Forgets the kernels in memory, and the counts. Code that the driver has loaded stays loaded, as CUDA
    graphs may hold it; the folder on disk stays as it is."""
    with _lock:
        _entries.clear()
        _counts.clear()
        for callback in _on_eviction:
            callback()


def _after_fork():
    """A lock that another thread held does not open in the child."""
    global _lock
    _lock = threading.Lock()
    for entry in _entries.values():
        entry.lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)
