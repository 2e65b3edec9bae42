"""A part of pytest: draws cases by a seed, among those that a plugin says can be run, without making the others.

A case's place in the order is a hash of the seed and its name, so a suite has one order for each seed, and a call goes
on where another stopped: SUITE_SKIP cases are left out, and SUITE_CASES follow (0: all). SUITE_REPORT is a file for
what was counted.
"""

import collections
import hashlib
import heapq
import json
import os

import pytest

_counts = collections.Counter()
_emptied = set()


def _key(name):
    return hashlib.blake2b(f"{os.environ['SUITE_SEED']} {name}".encode(), digest_size=8).digest()


def _wanted():
    cases = int(os.environ["SUITE_CASES"])
    return cases + int(os.environ["SUITE_SKIP"]) if cases > 0 else None


class Drawing:
    """``classify(test, parameters)`` is whether a case is run, and the name of its kind."""

    def __init__(self, classify):
        self._classify = classify

    def _is_eligible(self, test, parameters):
        is_eligible, kind = self._classify(test, parameters)
        _counts[kind] += 1
        return is_eligible

    @pytest.hookimpl(hookwrapper=True, trylast=True)
    def pytest_generate_tests(self, metafunc):
        """Drops cases before pytest makes items of them: that is most of its time for hundreds of thousands."""
        yield
        calls = metafunc._calls
        if not calls:
            return
        test = metafunc.function.__name__
        kept = [call for call in calls if self._is_eligible(test, call.params)]
        if _wanted() is not None and len(kept) > _wanted():
            kept = heapq.nsmallest(_wanted(), kept, key=lambda call: _key(f"{test}[{call.id}]"))
        metafunc._calls[:] = kept
        if not kept:
            _emptied.add(test)

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, config, items):
        eligible = []
        for item in items:
            has_parameters = getattr(item, "callspec", None) is not None
            if has_parameters or item.originalname not in _emptied and self._is_eligible(item.originalname, {}):
                eligible.append(item)
        eligible.sort(key=lambda item: _key(item.name))
        skip = int(os.environ["SUITE_SKIP"])
        drawn = eligible[skip : _wanted()]
        with open(os.environ["SUITE_REPORT"], "w") as file:
            json.dump({"counts": _counts, "drawn": len(drawn)}, file)
        kept = set(map(id, drawn))
        config.hook.pytest_deselected(items=[item for item in items if id(item) not in kept])
        items[:] = drawn
