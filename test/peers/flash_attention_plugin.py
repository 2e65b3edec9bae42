"""A plugin of pytest for FlashAttention's own tests: puts attn_mlir in the place of its modules, and says which cases need
features that are missing (docs/python-frameworks.md lists them).

flash_attention_suites.py runs pytest with it. Settings are in the environment: SUITE_ROOT and SUITE (fa2 or fa3), SUITE_KIND
(forward or gradients; both where it is not set), and those of drawing.py and shards.py.
"""

import collections
import os
import sys
import time
import types

import shards
import torch
from drawing import Drawing

# What the GPU is, is asked in another process: this one is forked, and must not have started CUDA.
_CAPABILITY = tuple(map(int, os.environ.get("SUITE_CAPABILITY", "9.0").split(".")))
torch.cuda.get_device_capability = lambda device=None: _CAPABILITY

import attn_mlir.torch  # noqa: E402
from attn_mlir import _compiler, _features, _gradients, _reference  # noqa: E402

SUITE = os.environ["SUITE"]
ROOT = os.environ["SUITE_ROOT"]


def _missing(*arguments, **keywords):
    raise NotImplementedError("expected no call: cases that need this are deselected")


def _module(name, **contents):
    module = types.ModuleType(name)
    module.__path__ = []
    module.__dict__.update(contents)
    sys.modules[name] = module
    return module


def _install():
    """Stand-ins of modules."""
    from attn_mlir import flash_attn

    functions = {name: getattr(flash_attn, name) for name in flash_attn.__all__}
    package = _module("flash_attn", **functions)
    # Padding of sequences and rotary embedding of the references are the suite's own.
    package.__path__ = [os.path.join(ROOT, "flash_attn")]
    package.flash_attn_interface = _module(
        "flash_attn.flash_attn_interface", _get_block_size_n=_missing, USE_TRITON_ROCM=False, **functions)
    # Gradients for which there are no kernels are PyTorch's; notes() says of which cases.
    attn_mlir.torch.recompute_backward()
    if SUITE == "fa3":
        attn_mlir.torch.install_flash_attn_3()


_tally = collections.Counter()


def _counted(module, name, what):
    """Counts calls of a function, and the seconds in it."""
    function = getattr(module, name)

    def wrapped(*arguments, **keywords):
        begin = time.monotonic()
        try:
            return function(*arguments, **keywords)
        finally:
            _tally[what] += 1
            _tally[f"{what} s"] += time.monotonic() - begin

    setattr(module, name, wrapped)


def _notes():
    """What the case took, for its line of results."""
    found = {name: round(number, 3) for name, number in _tally.items()}
    _tally.clear()
    return found


_install()
# Each case has a window of its own: the first two of a process get their own kernels, the others share some.
_features._MOST_WINDOWS = 2
_counted(_compiler, "compile_bundle", "compiled")
_counted(_gradients, "gradients", "own gradients")
_counted(_reference, "dense_backward", "PyTorch's gradients")
_counted(_reference, "packed_backward", "PyTorch's gradients")
shards.notes = _notes

# Tests as a whole.
_TESTS = {
    "fa2": {
        "test_flash_attn_kvcache_paged_block_table_bounds": "lengths checked on the host",
        "test_flash_attn_varlen_paged_kv_num_splits": "FlashAttention-2's extension module",
        "test_flash_attn_generator_arg_must_be_none": "FlashAttention-2's extension module",
    },
    "fa3": {
        # It wants eight results of bwd, where the suite's own library registers five.
        "test_flash3_bw_compatibility": "a schema that the suite's library does not have",
    },
}
if os.environ.get("SUITE_JOBS", "1") != "1":
    # It takes 70 GiB for itself.
    _TESTS["fa3"]["test_flash_attn_race_condition"] = "a GPU for itself"
# Of gradients as such; the others ask for them beside the forward pass.
_GRADIENT_TESTS = (
    "test_flash_attn_race_condition", "test_flash_attn_bwd_overflow", "test_flash_attn_bwd_transpose",
    "test_flash_attn_bwd_varlen_overflow", "test_flash_attn_deterministic", "test_flash_attn_varlen_deterministic",
    "test_flash3_bw_compatibility")


def _name(value):
    return str(value).rsplit(".", 1)[-1]


def skips_itself(p):
    """What the suites skip on any GPU is no case."""
    if p.get("has_qv") and (p["d"] != 64 or _name(p["dtype"]) == "float8_e4m3fn"):
        return True
    if p.get("softcap", 0) > 0 and p.get("dropout_p", 0) > 0:
        return True
    if "new_kv" not in p:
        return False
    page = p.get("page_size", p.get("paged_kv_block_size"))
    if p["seqlen_q"] > p["seqlen_k"] and p["new_kv"] or not p["new_kv"] and p["rotary_fraction"] > 0:
        return True
    if SUITE == "fa3":
        return page is not None and p["seqlen_k"] % page != 0
    return page is not None and (p["has_leftpad"] or p["has_batch_idx"])


def _missing_feature(test, p):
    """The documented feature that a case needs and that is missing, or None."""
    if test in _TESTS[SUITE]:
        return _TESTS[SUITE][test]
    if p.get("dropout_p", 0) > 0:
        return "dropout"
    return "qv" if p.get("has_qv") else None


def classify(test, p):
    """Whether a case is run, and its kind."""
    if skips_itself(p):
        return False, "the suite skips"
    missing = _missing_feature(test, p)
    of = "gradients" if test in _GRADIENT_TESTS else "forward"
    is_wanted = os.environ.get("SUITE_KIND", of) == of
    return missing is None and is_wanted, f"{of}: eligible" if missing is None else f"{of}: missing: {missing}"


def pytest_configure(config):
    config.pluginmanager.register(Drawing(classify), "drawing")
    config.pluginmanager.register(shards, "shards")
