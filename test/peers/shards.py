"""A part of pytest: runs the cases that were collected in processes that share one GPU.

Processes are forked once pytest has collected, before CUDA is started (where the suite starts it, pytest's own process runs
them alone), take one case after the other, and write a line for each to SUITE_RESULTS. One that crashes, that takes too long for a case, or whose device does not recover from an
error is replaced, and what it was at counts as failed. At the end of the time no process begins another case; what
is then not run stays for the next call.

Settings are in the environment: SUITE_JOBS, SUITE_SECONDS (0: no limit), SUITE_CASE_SECONDS, SUITE_RESULTS and SUITE_LOG,
a file for what cases print and how they failed.
"""

import gc
import json
import multiprocessing
import os
import signal
import sys
import time
import traceback

import torch

# What a case says of itself beside its outcome; a plugin may replace it.
notes = dict

_REPLACE = 3  # Exit status of a process whose device does not recover.
_TRIES = 4  # Of a case for which the GPU had no memory, since others used it.
_GRACE = 15  # Seconds behind the end, in which cases that have begun may end.


class _Slot:
    """A process, and what it is at."""

    def __init__(self, context):
        self.case = context.Value("q", -1)
        self.began = context.Value("d", 0.0)
        self.pid = None


def _outcome(reports):
    """The outcome of a case, and the first line of why it failed."""
    failed = next((report for report in reports if report.failed), None)
    if failed is not None:
        crash = getattr(failed.longrepr, "reprcrash", None)
        reason = crash.message if crash else str(failed.longrepr)
        print(failed.longreprtext, file=sys.stderr, flush=True)
        return "failed", (reason.splitlines() or [""])[0][:300]
    return ("skipped" if any(report.skipped for report in reports) else "passed"), ""


def _is_without_memory(reason):
    return "OutOfMemoryError" in reason or "out of memory" in reason


def _run_case(item):
    from _pytest.runner import runtestprotocol

    for attempt in range(_TRIES):
        outcome, reason = _outcome(runtestprotocol(item, nextitem=None, log=False))
        gc.collect()
        if torch.cuda.is_initialized():
            torch.cuda.empty_cache()
        if outcome != "failed" or not _is_without_memory(reason):
            break
        time.sleep(2 * (attempt + 1))
    return outcome, reason


def _device_is_lost():
    if not torch.cuda.is_initialized():
        return False
    try:
        torch.cuda.synchronize()
    except RuntimeError:
        return True
    return False


class Pool:
    """Processes that run ``items``."""

    def __init__(self, items):
        self.items = items
        self.jobs = max(1, int(os.environ.get("SUITE_JOBS", "1")))
        self.case_seconds = float(os.environ.get("SUITE_CASE_SECONDS", "120"))
        seconds = float(os.environ.get("SUITE_SECONDS", "0"))
        self.end = time.monotonic() + seconds if seconds > 0 else float("inf")
        context = multiprocessing.get_context("fork")
        self.next = context.Value("q", 0)
        self.slots = [_Slot(context) for _ in range(self.jobs)]
        self.results = os.open(os.environ["SUITE_RESULTS"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)

    def _write(self, index, outcome, reason, seconds, **more):
        """A line in one write: processes share the file."""
        line = {"index": index, "id": self.items[index].nodeid, "outcome": outcome, "reason": reason,
                "seconds": round(seconds, 3), **more}
        os.write(self.results, (json.dumps(line) + "\n").encode())

    def _take(self):
        """The index of the next case, or None at the end."""
        with self.next.get_lock():
            index = self.next.value
            if index >= len(self.items) or time.monotonic() >= self.end:
                return None
            self.next.value = index + 1
            return index

    def _work(self, slot):
        while (index := self._take()) is not None:
            begin = time.monotonic()
            slot.began.value = begin
            slot.case.value = index
            outcome, reason = _run_case(self.items[index])
            self._write(index, outcome, reason, time.monotonic() - begin, **notes())
            slot.case.value = -1
            if outcome == "failed" and _device_is_lost():
                return _REPLACE
        return 0

    def _start(self, slot):
        slot.case.value = -1
        slot.pid = os.fork()
        if slot.pid != 0:
            return
        status = 1
        try:
            log = os.open(os.environ["SUITE_LOG"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 1)
            os.dup2(log, 2)
            sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
            status = self._work(slot)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(status)

    def _reap(self, slot):
        """Whether the process has ended; what it was at is noted."""
        pid, status = os.waitpid(slot.pid, os.WNOHANG)
        if pid == 0:
            return False
        slot.pid = None
        index = slot.case.value
        if index >= 0:
            code = os.waitstatus_to_exitcode(status)
            how = f"signal {signal.Signals(-code).name}" if code < 0 else f"exit status {code}"
            self._write(index, "crashed", f"the process ended: {how}", time.monotonic() - slot.began.value)
        return True

    def _stop(self, slot, index, outcome, reason):
        # What it was at is noted here, once.
        slot.case.value = -1
        os.kill(slot.pid, signal.SIGKILL)
        os.waitpid(slot.pid, 0)
        slot.pid = None
        if outcome is not None:
            self._write(index, outcome, reason, time.monotonic() - slot.began.value)

    def _look_after(self, slot):
        if slot.pid is not None and self._reap(slot) and self._is_more():
            self._start(slot)
            return
        index, now = slot.case.value, time.monotonic()
        if slot.pid is None or index < 0:
            return
        if now > slot.began.value + self.case_seconds:
            self._stop(slot, index, "too long", f"more than {self.case_seconds:g} s")
            if self._is_more():
                self._start(slot)
        elif now > self.end + _GRACE:
            self._stop(slot, index, None, "")

    def _is_more(self):
        return self.next.value < len(self.items) and time.monotonic() < self.end

    def run_here(self):
        self._work(self.slots[0])

    def run(self):
        for slot in self.slots[: max(1, len(self.items))]:
            self._start(slot)
        while any(slot.pid is not None for slot in self.slots):
            for slot in self.slots:
                self._look_after(slot)
            time.sleep(0.02)


def pytest_runtestloop(session):
    """In place of pytest's own loop."""
    if session.config.option.collectonly or "SUITE_RESULTS" not in os.environ:
        return None
    pool = Pool(session.items)
    if torch.cuda.is_initialized() or pool.jobs == 1:
        pool.run_here()
    else:
        pool.run()
    return True
