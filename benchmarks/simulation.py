"""attn-compile --simulate for scripts: one schedule, one set of sizes, counts."""

import json
import os
import subprocess
import tempfile
import time
from typing import NamedTuple

from common import attention_text, harness

ATTN_COMPILE = str(harness.ROOT / "build/tools/attn-compile/attn-compile")


class Run(NamedTuple):
    """What attn-compile said of the first kernel, and what that took."""

    report: dict
    wall_s: float
    cpu_s: float
    peak_mb: float

    @property
    def total(self):
        return self.report["total"]

    @property
    def misses(self):
        return self.total["cold_misses"] + self.total["capacity_misses"]


def simulate(text, target, schedule, sizes=None, facts=None, compiler=None, **options):
    """Simulates level-1 or level-2 `text`; `options` are those of attn-compile
    (drift=0, resident=1, l2_curve=[...], jobs=2)."""
    command = [compiler or ATTN_COMPILE, "-", f"--target={target}", "--simulate=json"]
    if schedule is not None:
        command.append(f"--schedule={schedule}")
    if sizes:
        command.append("--size=" + ",".join(f"{k}={v}" for k, v in sizes.items()))
    if facts:
        command.append("--target-fact=" + ",".join(f"{k}={v}" for k, v in facts.items()))
    for name, value in options.items():
        if value is None:
            continue
        if isinstance(value, (list, tuple)):
            value = ",".join(map(str, value))
        command.append(f"--{name.replace('_', '-')}={value}")
    # Files, since a child is waited for by wait4, which alone says what it took.
    with tempfile.TemporaryFile("w+") as source, tempfile.TemporaryFile("w+") as out, \
            tempfile.TemporaryFile("w+") as err:
        source.write(text)
        source.seek(0)
        begin = time.monotonic()
        child = subprocess.Popen(command, stdin=source, stdout=out, stderr=err)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        wall = time.monotonic() - begin
        for file in (out, err):
            file.seek(0)
        if child.returncode:
            raise RuntimeError(f"{' '.join(command)}\n{err.read()}")
        report = json.load(out)[0]
    return Run(report, wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024)


def attention(target, schedule, *, heads=1, kv_heads=None, dim=64, causal=False, element="f16",
              batch=1, queries, keys=None, **rest):
    """The same for attention of these sizes."""
    text = attention_text(heads, kv_heads or heads, dim, causal, element, "attention")
    sizes = {"batch": batch, "query": queries, "key": queries if keys is None else keys}
    return simulate(text, target, schedule, sizes, **rest)


def gradients(target, schedule, kernel, *, heads, dim, element, batch, length, **rest):
    """The same for one kernel of the gradients of attention over all keys: of dK and dV ("key") or of dQ ("query")."""
    tensor, row = f"tensor<?x{heads}x?x{dim}x{element}>", f"tensor<?x{heads}x?xf32>"
    results = "%dk, %dv" if kernel == "key" else "%dq"
    types = f"{tensor}, {tensor}" if kernel == "key" else tensor
    shown = f"({types})" if kernel == "key" else types
    text = (
        f"func.func @gradients(%q: {tensor}, %k: {tensor}, %v: {tensor}, %do: {tensor}, %lse: {row}, %delta: {row})\n"
        f"    -> {shown} {{\n"
        f"  {results} = attn.attention_backward_{kernel} %q, %k, %v, %do, %lse, %delta scale({dim**-0.5:.9f})\n"
        f"      : ({tensor}, {tensor}, {tensor}, {tensor}, {row}, {row}) -> {shown}\n"
        f"  return {results} : {types}\n}}\n"
    )
    return simulate(text, target, schedule, {"batch": batch, "query": length, "key": length}, **rest)
