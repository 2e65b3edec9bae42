"""From a device to the target that kernels are compiled for.

A device is the listed target of its architecture whose facts it states; where it states others, the
nearest with these in place of its own, as `attn-compile --target=native` takes it.
"""

import collections
import ctypes
import os
import threading
from ctypes import byref, c_char, c_int64

from ._errors import ArgumentError, CudaError, DriverError, HipError
from ._library import check, library

# What a device states of itself, then what follows from that.
_STATED = (
    "sms", "max_resident_ctas", "smem_per_sm", "smem_per_block", "registers_per_sm", "l2_bytes", "dram_gbps",
)
_DERIVED = ("l2_effective_bytes", "l2_domains", "tensor_gflops", "l2_gbps")

Target = collections.namedtuple("Target", "name arch overrides")
Target.__doc__ = """A target by name, its architecture, and the facts in place of its own: pairs of name and number."""


def arranges_values(target):
    """Whether kernels of a target turn tiles of V of 8 bits round themselves (`attn-arrange-tiles`): those of Hopper, whose products are `wgmma`."""
    return target.arch == "sm_90a"


def reads_float8_sequences(target):
    """Whether kernels of a GPU read Q, K and V in float8_e4m3fn of sequences with lengths, packed or in pages: V by rows."""
    return arranges_values(target) or target.arch == "gfx950"


def reads_float8_caches(target):
    """Whether kernels read K and V in float8_e4m3fn where queries are of 16 bits: those of the CPU, and of NVIDIA GPUs that convert it."""
    return target.arch == "host" or (target.arch.startswith("sm_") and int(target.arch[3:].rstrip("a")) >= 89)


def sms_of(target):
    """Multiprocessors of a target that is no CPU."""
    stated = dict(target.overrides).get("sms")
    return stated if stated is not None else next(row[2]["sms"] for row in TABLE if row[0] == target.name)


def _row(name, arch, *facts):
    return name, arch, dict(zip(_STATED + _DERIVED, facts))


# Facts of `attn-opt --list-targets`; a test compares them.
TABLE = (
    _row("a100", "sm_80", 108, 32, 167936, 166912, 65536, 41943040, 2039, 20971520, 1, 312000, 7219),
    _row("rtx4090", "sm_89", 128, 24, 102400, 101376, 65536, 75497472, 1008, 62914560, 1, 165200, 20644),
    _row("rtx5090", "sm_120a", 170, 24, 102400, 101376, 65536, 100663296, 1792, 83886080, 1, 209500, 26188),
    _row("gb10", "sm_121a", 48, 24, 102400, 101376, 65536, 25165824, 301, 20971520, 1, 125000, 7400),
    _row("h100-pcie", "sm_90a", 114, 32, 233472, 232448, 65536, 52428800, 2000, 26214400, 1, 756000, 5440),
    _row("h100", "sm_90a", 132, 32, 233472, 232448, 65536, 52428800, 3350, 26214400, 1, 989000, 6300),
    _row("h200", "sm_90a", 132, 32, 233472, 232448, 65536, 62914560, 4800, 31457280, 1, 989000, 6300),
    _row("mi300x", "gfx942", 304, 16, 65536, 65536, 131072, 4194304, 5300, 4194304, 8, 1307400, 34400),
    _row("mi355x", "gfx950", 256, 16, 163840, 163840, 131072, 4194304, 8000, 4194304, 8, 2516600, 39300),
)
CPU = Target("cpu", "host", ())
_TOLERANCE = 0.05


class _Facts(ctypes.Structure):
    """AttnDeviceFacts."""

    _fields_ = [("name", c_char * 128), ("arch", c_char * 32)] + [(name, c_int64) for name in _STATED]


def _agrees(stated, known):
    return stated == 0 or abs(stated - known) <= _TOLERANCE * known


def _agreeing(known, stated):
    return sum(_agrees(stated[name], known[name]) for name in _STATED)


def _scaled(value, by, over):
    return max(1, (value * by + over // 2) // over)


def _overrides(known, stated):
    changed = {name: stated[name] for name in _STATED if not _agrees(stated[name], known[name])}
    sms, cache = changed.get("sms", known["sms"]), changed.get("l2_bytes", known["l2_bytes"])
    derived = {name: _scaled(known[name], sms, known["sms"]) for name in _DERIVED[1:]}
    derived["l2_effective_bytes"] = _scaled(known["l2_effective_bytes"], cache, known["l2_bytes"])
    changed.update((name, value) for name, value in derived.items() if value != known[name])
    return tuple(sorted(changed.items()))


def nearest(arch, stated, name=""):
    """The target of an architecture ("sm_90") and facts, a dict; 0 where a device does not say."""
    rows = [row for row in TABLE if row[1] in (arch, arch + "a")]
    if not rows:
        known = ", ".join(sorted({row[1] for row in TABLE}))
        raise ArgumentError(
            f"expected a device of an architecture that kernels can be compiled for ({known}), but got {arch} ({name})")
    best = max(rows, key=lambda row: _agreeing(row[2], stated))
    return Target(best[0], best[1], _overrides(best[2], stated))


def named(name):
    """The target of a name, without a device."""
    if name == "cpu":
        return CPU
    for row in TABLE:
        if row[0] == name:
            return Target(name, row[1], ())
    raise ArgumentError(f"target: expected one of cpu, {', '.join(row[0] for row in TABLE)}, but got {name!r}")


_known = {}
_lock = threading.Lock()


def of_device(platform, index):
    """The target of a device of "cuda", "hip" or "cpu"."""
    if platform == "cpu":
        return CPU
    with _lock:
        target = _known.get((platform, index))
        if target is None:
            target = _known[platform, index] = _ask(platform, index)
        return target


def _after_fork():
    """A lock that another thread held does not open in the child."""
    global _lock
    _lock = threading.Lock()


os.register_at_fork(after_in_child=_after_fork)


def native():
    """The first GPU of this machine, or its CPU."""
    for platform in ("cuda", "hip"):
        try:
            return of_device(platform, 0)
        except (DriverError, CudaError, HipError):
            continue
    return CPU


def _ask(platform, index):
    c = library()
    c.attnDeviceFacts.restype = ctypes.c_int32
    c.attnDeviceFacts.argtypes = [ctypes.c_char_p, ctypes.c_int32, ctypes.POINTER(_Facts)]
    facts = _Facts()
    check(c.attnDeviceFacts(platform.encode(), index, byref(facts)))
    stated = {name: getattr(facts, name) for name in _STATED}
    return nearest(facts.arch.decode(), stated, facts.name.decode())
