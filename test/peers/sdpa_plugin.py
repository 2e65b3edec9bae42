"""A plugin of pytest for PyTorch's tests of scaled_dot_product_attention: those of the flash back end, with attn_mlir activated.

sdpa_suite.py runs pytest with it. SUITE_SHARD ("i/n") is this process's part of the drawn cases; the rest is as of drawing.py
and shards.py.
"""

import collections
import os
import re

import attn_mlir.torch
import pytest
import shards
from attn_mlir import _sdpa
from drawing import Drawing

# Names that torch's parametrize makes: lists of back ends begin with the flash one, but for those that begin with math.
_FLASH = re.compile(r"^test_flash_attention_|^test_fused_.*_fused_kernel0_|^test_fused_.*_kernel0_|^test_flash_autocast|^test_flash_fail")
_MISSING = (
    (re.compile(r"_dropout_p_0_[1-9]"), "dropout"),
    (re.compile(r"nested"), "nested tensors"),
    (re.compile(r"^test_flash_fail|_failure|fail_with"), "errors of PyTorch's own kernels"),
)
_tally = collections.Counter()


def classify(test, parameters):
    """Whether a case is run, and its kind."""
    if not _FLASH.search(test):
        return False, "not of the flash back end"
    for name, why in _MISSING:
        if name.search(test):
            return False, f"forward: missing: {why}"
    return True, "forward: eligible"


def _counted(function):
    def attention(*arguments, **keywords):
        _tally["calls"] += 1
        return function(*arguments, **keywords)

    return attention


def _notes():
    found = dict(_tally)
    _tally.clear()
    return found


class _Shard:
    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        shard, count = map(int, os.environ["SUITE_SHARD"].split("/"))
        items[:] = items[shard::count]


def pytest_configure(config):
    _sdpa.attention = _counted(_sdpa.attention)
    shards.notes = _notes
    attn_mlir.torch.activate()
    config.pluginmanager.register(Drawing(classify), "drawing")
    config.pluginmanager.register(_Shard(), "shard")  # Behind it.
    config.pluginmanager.register(shards, "shards")
