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
        self._on_disk = None  # Keys of bundles that were not looked at.
        self.is_used = True  # Since the last time that someone looked for what to drop.
        self.lock = threading.Lock()

    def compile(self, sizes, tried):
        """One more kernel: for these sizes, or in the end for all. Where another thread has made one since
        ``tried``, the kernels that the caller knows, that is it."""
        with self.lock:
            if len(self.kernels) > tried:
                return
            if self._take_from_disk(sizes):
                return
            options = list(self.options)
            # Where a kernel for these sizes did not take the arrays, one of the others may.
            if len(self.kernels) < MOST_VARIANTS - 1 and sizes not in self._sizes:
                options.append(("for-sizes", sizes))
            self._sizes.add(sizes)
            self.kernels.append(Kernel(_bundle(self.text, options, self.target)))


    def _take_from_disk(self, sizes):
        """One more kernel that a process has left on disk, whatever sizes it was compiled for; False at their end."""
        if self._on_disk is None:
            self._on_disk = _keys_on_disk(self.text, self.options, self.target, sizes)
        while self._on_disk:
            bundle = disk_cache().get(self._on_disk.pop(0))
            if bundle is not None:
                _count("from_disk")
                self.kernels.append(Kernel(bundle))
                return True
        return False


def options_of(target, schedule=None, lower=None, also=None):
    """Options of the compiler, without sizes. ``also``: what the schedule has in any case."""
    options = [("target", target.name)]
    options += [("target-fact", f"{name}={number}") for name, number in target.overrides]
    options += [(name, text) for name, text in (("schedule", schedule), ("lower", lower), ("also-schedule", also)) if text is not None]
    return options


def _keyed(text, options, target):
    """The key of a bundle, and options of the compiler with its assembler."""
    assembler = ""
    if target.arch.startswith("sm_"):
        path = _ptxas.find(target.arch)
        options = options + [("ptxas", path)]
        assembler = _ptxas.identity(path)
    stated = [f"{name}={value}" for name, value in options if name != "ptxas"]
    return digest("bundle", text, *stated, _compiler.identity(), assembler, _host(target)), options


def _key_of_all(text, options, target):
    """The key of the bundle for all sizes."""
    return _keyed(text, [option for option in options if option[0] != "for-sizes"], target)[0]


def _note(cache, of_all, key):
    """Says on disk that there is a bundle for some sizes of a text."""
    group = digest("sizes", of_all)
    with cache.lock(group):
        keys = (cache.get(group) or b"").decode().split()
        if key not in keys:
            cache.put(group, "\n".join([*keys, key][-(MOST_VARIANTS - 1):]).encode())


def _keys_on_disk(text, options, target, sizes):
    """Keys of a text's bundles, which may be on disk: that for these sizes, for others, and at last for all."""
    of_all = _key_of_all(text, options, target)
    own, _ = _keyed(text, [*options, ("for-sizes", sizes)], target)
    noted = (disk_cache().get(digest("sizes", of_all)) or b"").decode().split()
    return [own, *(key for key in noted if key != own)][: MOST_VARIANTS - 1] + [of_all]


def _bundle(text, options, target):
    """The bundle, from the disk or from the compiler."""
    cache = disk_cache()
    key, with_assembler = _keyed(text, options, target)
    found = cache.get(key)
    if found is None:
        with cache.lock(key):
            found = cache.get(key)  # Another process may have made it.
            if found is None:
                bundle = _compiler.compile_bundle(text, with_assembler)
                cache.put(key, bundle)
                _count("compiled")
        of_all = _key_of_all(text, options, target)
        if key != of_all:
            _note(cache, of_all, key)
        if found is None:
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
_on_look = []


def _count(what):
    with _lock:
        _counts[what] += 1


def _limit():
    return max(1, int(os.environ.get("ATTN_MLIR_KERNELS") or DEFAULT_KERNELS))


def entry_of(text, target, schedule=None, lower=None, also=None):
    """The Entry of a text, new where there is none."""
    options = options_of(target, schedule, lower, also)
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
            for callback in _on_look:
                callback()
            _entries.move_to_end(key)
            continue
        del _entries[key]
        _counts["evicted"] += len(entry.kernels)
        for callback in _on_eviction:
            callback()


def on_eviction(callback):
    _on_eviction.append(callback)


def on_look(callback):
    """Called where is_used is asked anew."""
    _on_look.append(callback)


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
