"""A plugin of pytest for FlashAttention's own tests: puts attn_mlir in the place of its modules, deselects cases of
features that are missing (docs/python-frameworks.md lists them), and draws some of the rest.

flash_attention_suites.py runs pytest with it. Settings are in the environment: SUITE_ROOT, SUITE (fa2 or fa3),
SUITE_CASES, SUITE_SEED, SUITE_SHARD ("i/n") and SUITE_REPORT, a file for what was counted.
"""

import collections
import json
import os
import random
import sys
import types

import attn_mlir.torch
import torch

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
    if SUITE == "fa2":
        # Its tests of the forward pass ask for gradients, too.
        attn_mlir.torch.recompute_backward()
    else:
        os.environ["FLASH_ATTENTION_DISABLE_BACKWARD"] = "TRUE"
        attn_mlir.torch.install_flash_attn_3()


if not torch.cuda.is_available():
    # Cases can be counted without a GPU; those of a Hopper GPU are.
    torch.cuda.get_device_capability = lambda device=None: (9, 0)
_install()

BACKWARD = "backward"
# Tests as a whole.
_TESTS = {
    "fa2": {
        "test_flash_attn_race_condition": BACKWARD, "test_flash_attn_bwd_overflow": BACKWARD,
        "test_flash_attn_bwd_transpose": BACKWARD, "test_flash_attn_bwd_varlen_overflow": BACKWARD,
        "test_flash_attn_deterministic": BACKWARD, "test_flash_attn_varlen_deterministic": BACKWARD,
        "test_flash_attn_kvcache_paged_block_table_bounds": "lengths checked on the host",
        "test_flash_attn_varlen_paged_kv_num_splits": "FlashAttention-2's extension module",
        "test_flash_attn_generator_arg_must_be_none": "FlashAttention-2's extension module",
    },
    "fa3": {
        "test_flash_attn_race_condition": BACKWARD,
        # It wants eight results of bwd, where the suite's own library registers five.
        "test_flash3_bw_compatibility": BACKWARD,
    },
}


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


def missing_feature(test, p):
    """The documented feature that a case needs and that is missing, or None."""
    if test in _TESTS[SUITE]:
        return _TESTS[SUITE][test]
    if p.get("dropout_p", 0) > 0:
        return "dropout"
    if _name(p.get("dtype")) == "float8_e4m3fn" and test != "test_flash_attn_output":
        return "fp8 of packed sequences and caches"
    if p.get("has_qv"):
        return "qv"
    return None


def _sort(items):
    """Eligible items, and how many there are of each kind."""
    eligible, counts = [], collections.Counter()
    for item in items:
        test, callspec = item.originalname, getattr(item, "callspec", None)
        parameters = {} if callspec is None else callspec.params
        if skips_itself(parameters):
            counts["the suite skips"] += 1
            continue
        reason = missing_feature(test, parameters)
        if reason is None:
            eligible.append(item)
        counts["eligible" if reason is None else f"missing: {reason}"] += 1
    return eligible, counts


def pytest_collection_modifyitems(config, items):
    eligible, counts = _sort(items)
    cases = int(os.environ["SUITE_CASES"])
    drawn = eligible
    if 0 < cases < len(eligible):
        chosen = set(random.Random(int(os.environ["SUITE_SEED"])).sample(range(len(eligible)), cases))
        drawn = [item for number, item in enumerate(eligible) if number in chosen]
    shard, shards = map(int, os.environ["SUITE_SHARD"].split("/"))
    mine = drawn[shard::shards]
    with open(os.environ["SUITE_REPORT"], "w") as file:
        json.dump({"collected": len(items), "counts": counts, "drawn": len(drawn)}, file)
    kept = set(map(id, mine))
    config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
    items[:] = mine


_outcomes, _reasons = collections.Counter(), collections.Counter()


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        _outcomes[report.outcome] += 1
    if report.outcome == "failed":
        crash = getattr(report.longrepr, "reprcrash", None)
        _reasons[crash.message.splitlines()[0].partition(":")[0] if crash else str(report.when)] += 1


def pytest_runtest_teardown(item):
    """Processes share the memory of the GPU."""
    if torch.cuda.is_available():
        torch.cuda.empty_cache()


def pytest_sessionfinish(session):
    path = os.environ["SUITE_REPORT"]
    if not os.path.exists(path):
        return
    with open(path) as file:
        found = json.load(file)
    found["outcomes"], found["reasons"] = _outcomes, _reasons
    with open(path, "w") as file:
        json.dump(found, file)
