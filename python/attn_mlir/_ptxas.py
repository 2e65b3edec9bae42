"""Which ptxas assembles: what the user names, CUDA's, NVIDIA's wheel's, Triton's, or none."""

import contextlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import warnings

from ._cache import digest, disk_cache

# The first release that knows an architecture.
_FIRST_RELEASE = {
    "sm_80": (11, 0), "sm_89": (11, 8), "sm_90a": (12, 0), "sm_100a": (12, 8), "sm_103a": (12, 9), "sm_120a": (12, 8),
    "sm_121a": (12, 9),
}
_USUAL_PLACE = "/usr/local/cuda/bin/ptxas"
# In a folder of the namespace package "nvidia".
_IN_WHEEL = ("cu13/bin/ptxas", "cu12/bin/ptxas", "cuda_nvcc/bin/ptxas")


def _executable(path):
    return os.path.isfile(path) and os.access(path, os.X_OK)


def _of_toolkit():
    """Those of an installed CUDA: the library's order."""
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        folder = os.environ.get(variable)
        if folder:
            yield os.path.join(folder, "bin", "ptxas")
    found = shutil.which("ptxas")
    if found:
        yield found
    yield _USUAL_PLACE


def _folders(package):
    """Where a package is, without importing it."""
    try:
        spec = importlib.util.find_spec(package)
    except (ImportError, ValueError):
        return []
    return list(spec.submodule_search_locations or []) if spec else []


def _of_wheel():
    """The one of NVIDIA's wheel nvidia-cuda-nvcc, whose folder differs by release."""
    folders = _folders("nvidia")
    for folder in folders:
        for name in _IN_WHEEL:
            yield os.path.join(folder, name)
    if folders:
        yield from _of_metadata()


def _of_metadata():
    from importlib import metadata

    for name in ("nvidia-cuda-nvcc", "nvidia-cuda-nvcc-cu12", "nvidia-cuda-nvcc-cu13"):
        with contextlib.suppress(metadata.PackageNotFoundError):
            for file in metadata.files(name) or ():
                if file.name == "ptxas":
                    yield os.fspath(file.locate())


def _of_triton():
    """Those of Triton's wheel."""
    for folder in _folders("triton"):
        for name in ("ptxas", "ptxas-blackwell"):
            yield os.path.join(folder, "backends", "nvidia", "bin", name)


SOURCES = (("CUDA toolkit", _of_toolkit), ("nvidia-cuda-nvcc", _of_wheel), ("Triton", _of_triton))


def identity(path):
    """A text that differs where the assembler may differ."""
    if path == "none":
        return path
    facts = os.stat(path)
    return f"{os.path.realpath(path)} {facts.st_size} {facts.st_mtime_ns}"


def release(path):
    """(major, minor) of what ``path --version`` says, or None. Remembered on disk: a second process
    starts nothing."""
    key = digest("ptxas", identity(path))
    known = disk_cache().get(key)
    if known is not None:
        found = json.loads(known)
        return tuple(found) if found else None
    try:
        text = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=60, check=True).stdout
        found = re.search(r"release (\d+)\.(\d+)", text)
    except (OSError, subprocess.SubprocessError):
        found = None
    numbers = [int(number) for number in found.groups()] if found else None
    disk_cache().put(key, json.dumps(numbers).encode())
    return tuple(numbers) if numbers else None


def knows(path, arch):
    """Whether a ptxas assembles for an architecture."""
    numbers = release(path)
    return numbers is not None and numbers >= _FIRST_RELEASE.get(arch, (0, 0))


def _search(arch):
    for _, places in SOURCES:
        for path in places():
            if _executable(path) and knows(path, arch):
                return path
    return "none"


_found = {}
_has_warned = False


def find(arch, given=None):
    """The assembler for an architecture, or "none": the bundle then holds PTX, which the driver
    compiles. ``given`` and ATTN_MLIR_PTXAS are taken as they are."""
    named = given or os.environ.get("ATTN_MLIR_PTXAS")
    if named:
        return named
    places = tuple(os.environ.get(name) for name in ("CUDA_HOME", "CUDA_PATH", "PATH"))
    key = (arch, places)
    if key not in _found:
        _found[key] = _search(arch)
    if _found[key] == "none":
        _warn(arch)
    return _found[key]


def _warn(arch):
    global _has_warned
    if _has_warned:
        return
    _has_warned = True
    warnings.warn(
        f"no ptxas for {arch} was found (ATTN_MLIR_PTXAS, CUDA_HOME, PATH, the wheels nvidia-cuda-nvcc and triton): the "
        "driver compiles the kernels at their first launch, and they may be slower. `pip install nvidia-cuda-nvcc` "
        "brings one", RuntimeWarning, stacklevel=4)
