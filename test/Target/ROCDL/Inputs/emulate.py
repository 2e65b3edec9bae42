#!/usr/bin/env python3
"""Runs kernels for gfx942 or gfx950 in the emulator, against a float64 reference.

Compiles small cases to bundles with attn-test-compile, passes what the manifest
says to attn-emulate, and compares the result with attention written out in problems.py.
Between rows and behind the last one buffers hold NaN; outputs are poisoned.

    emulate.py --compile attn-test-compile --emulate attn-emulate
        [--target mi300x] [--filter TEXT] [--part I/N] [--lower OPTIONS]
        [--far] [--large] [--float8 TYPES] [--same-with OPTIONS] [--drop-barriers] [--list]
"""

import argparse
import json
import math
import os
import random
import subprocess
import sys
import tempfile

from buffers import decode, encode
from problems import BOUNDS, Case, cases, far_cases, float8_cases, large_cases
from written_kernels import Chain, Merge

INTERLEAVINGS = ("forward", "reverse", "random")

# ------------------------------------------------------------------------------
# Bundles


def evaluate(expression, views):
    if isinstance(expression, int):
        return expression
    name, *operands = expression
    if name in ("size", "stride"):
        view = views[operands[0]]
        return (view.sizes if name == "size" else view.passed())[operands[1]]
    x = [evaluate(operand, views) for operand in operands]
    operators = {
        "add": lambda: x[0] + x[1],
        "sub": lambda: x[0] - x[1],
        "mul": lambda: x[0] * x[1],
        "floordiv": lambda: x[0] // x[1],
        "ceildiv": lambda: -(-x[0] // x[1]),
        "rem": lambda: x[0] % x[1],
        "min": lambda: min(x),
        "max": lambda: max(x),
        "and": lambda: int(bool(x[0] and x[1])),
        "or": lambda: int(bool(x[0] or x[1])),
        "select": lambda: x[1] if x[0] else x[2],
        "eq": lambda: int(x[0] == x[1]),
        "ne": lambda: int(x[0] != x[1]),
        "lt": lambda: int(x[0] < x[1]),
        "le": lambda: int(x[0] <= x[1]),
        "gt": lambda: int(x[0] > x[1]),
        "ge": lambda: int(x[0] >= x[1]),
    }
    return operators[name]()


def compile_case(tool, case, directory, target):
    source = os.path.join(directory, "case.mlir")
    with open(source, "w") as file:
        file.write(case.text())
    bundle = os.path.join(directory, "bundle")
    command = [tool, source, "--target=" + target, "--emit=bundle", "-o", bundle, "--schedule=" + case.schedule]
    if case.lower:
        command.append("--lower=" + case.lower)
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError("does not compile:\n" + done.stderr)
    with open(os.path.join(bundle, "manifest.json")) as file:
        manifest = json.load(file)
    (program,) = manifest["programs"]
    (variant,) = program["variants"]
    (step,) = variant["steps"]
    assert "views" not in step
    return os.path.join(bundle, step["binary"]), step


class Launch:
    """What the emulator is to run, and where the results go."""

    def __init__(self, code, variant, views, outputs, directory):
        self.outputs, self.dumps = outputs, {}
        self.arguments = [code, "--block", str(variant["block"])]
        self.arguments += ["--grid", str(evaluate(variant["grid"], views))]
        for number, parameter in enumerate(variant["parameters"]):
            view = views[parameter["view"]]
            kind = parameter["kind"]
            if kind == "size":
                text = "i64:%d" % view.sizes[parameter["dim"]]
            elif kind == "stride":
                text = "i64:%d" % view.passed()[parameter["dim"]]
            else:
                text = self.buffer(number, parameter["view"], view, directory)
            self.arguments += ["--arg", text]

    def buffer(self, number, index, view, directory):
        what = "poison"
        if index not in self.outputs:
            path = os.path.join(directory, "view%d.bin" % index)
            with open(path, "wb") as file:
                file.write(encode(view.values, view.element))
            what = "@" + path
        else:
            path = os.path.join(directory, "result%d.bin" % index)
            self.arguments += ["--dump", "%d:%s" % (number, path)]
            self.dumps[index] = path
        return view.argument() + ":" + what

    def run(self, tool, *options):
        done = subprocess.run([tool] + self.arguments + list(options), capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError("emulator: " + done.stdout[-500:] + done.stderr[-1500:])
        self.printed = done.stdout
        results = {}
        for index, path in self.dumps.items():
            with open(path, "rb") as file:
                results[index] = file.read()
        return results


def prepare(case, tool, directory, far=False, target="mi300x", seed=None):
    code, variant = compile_case(tool, case, directory, target)
    inputs, outputs = case.views()
    generator = random.Random(seed or case.name())
    limits = variant.get("limits", [])
    for number, view in enumerate(inputs if far else []):
        view.move_apart(limits, number)
    for limit in limits:
        if not evaluate(limit, inputs + outputs):
            raise RuntimeError("sizes and strides are not within the limit %s" % limit)
    for view in inputs:
        view.fill(generator)
    if isinstance(case, Merge) or (isinstance(case, Case) and (case.growth or case.flat)):
        case.adjust(*inputs)
    written = range(len(inputs), len(inputs) + len(outputs))
    return Launch(code, variant, inputs + outputs, set(written), directory), inputs, outputs


def check(case, outputs, wanted, results):
    """What is wrong, or an empty text."""
    rows, sums = wanted
    for view, data in zip(outputs, (results[number] for number in sorted(results))):
        view.values = list(decode(data, view.element))
    o = outputs[0]
    columns = o.sizes[-1] if len(o.sizes) > 1 else 1
    bases = list(o.places())[::columns] if columns else []
    for number, (base, row) in enumerate(zip(bases, rows)):
        got = o.values[base : base + columns]
        norm = math.sqrt(sum(x * x for x in row))
        error = math.sqrt(sum((x - y) ** 2 for x, y in zip(got, row)))
        error = error / norm if norm else error
        if not error <= (case.bound() if isinstance(case, Case) else BOUNDS[case.element]):
            return "row %d has error %g" % (number, error)
    written = set(o.places())
    for place, value in enumerate(o.values):
        if place not in written and not math.isnan(value):
            return "element %d outside of the result was written" % place
    if case.lse:
        for place, total in zip(outputs[1].places(), sums):
            got = outputs[1].values[place]
            if not (got == total or abs(got - total) <= 1e-4):
                return "LSE at %d is %g, expected %g" % (place, got, total)
    return ""


def run_case(case, arguments):
    with tempfile.TemporaryDirectory() as directory:
        launch, inputs, outputs = prepare(case, arguments.compile, directory, arguments.far, arguments.target)
        wanted = case.wanted(*inputs)
        for interleaving in INTERLEAVINGS:
            results = launch.run(arguments.emulate, "--interleave", interleaving, "--seed", "7")
            error = check(case, outputs, wanted, results)
            if error:
                return interleaving + ": " + error
    return ""


def compare_options(case, arguments):
    """Options that say how tiles are moved change no bit of the results, whatever the interleaving."""
    other = case._replace(lower=f"{case.lower} {arguments.same_with}".strip())
    with tempfile.TemporaryDirectory() as directory:
        launch, _, _ = prepare(case, arguments.compile, directory, target=arguments.target)
        wanted = launch.run(arguments.emulate)
        launch, _, _ = prepare(other, arguments.compile, directory, target=arguments.target, seed=case.name())
        for interleaving in INTERLEAVINGS:
            if launch.run(arguments.emulate, "--interleave", interleaving, "--seed", "7") != wanted:
                return interleaving + ": other results than without " + arguments.same_with
    return ""


def needs_barriers(case):
    """Whether waves exchange tiles: of one wave, or where there are no keys, none do. Other
    operations have sizes for which not every barrier matters."""
    return isinstance(case, (Case, Chain)) and case.sizes[-1] > 0 and case.lower != "warps=1"


def drop_barriers(case, arguments):
    """Each barrier that a kernel executes is needed: without it a run fails."""
    needless = []
    with tempfile.TemporaryDirectory() as directory:
        launch, inputs, outputs = prepare(case, arguments.compile, directory, target=arguments.target)
        wanted = case.wanted(*inputs)
        launch.run(arguments.emulate, "--counters")
        counters = json.loads(launch.printed[launch.printed.index("{") :])
        executed = [n for n, times in enumerate(counters["barrier_executions"]) if times]
        for number in executed:
            failed = False
            for interleaving in INTERLEAVINGS:
                try:
                    results = launch.run(
                        arguments.emulate, "--interleave", interleaving, "--drop-barrier", str(number)
                    )
                    failed |= bool(check(case, outputs, wanted, results))
                except RuntimeError:
                    failed = True
                if failed:
                    break
            if not failed:
                needless.append(number)
    if not executed:
        return "executes no barrier"
    count = len(executed)
    return f"runs without barriers {needless} of {count}" if needless else ""


def report(chosen, run):
    """Runs cases; `run` says what is wrong with one, or nothing. The exit status."""
    failures = 0
    for case in chosen:
        try:
            error = run(case)
        except RuntimeError as problem:
            error = str(problem)
        failures += bool(error)
        print(("FAIL " if error else "pass ") + case.name() + ("\n  " + error if error else ""), flush=True)
    print("%d of %d cases pass" % (len(chosen) - failures, len(chosen)))
    return 1 if failures or not chosen else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--compile", default="attn-test-compile")
    parser.add_argument("--emulate", default="attn-emulate")
    parser.add_argument("--target", default="mi300x")
    parser.add_argument("--filter", default="")
    parser.add_argument("--part", default="0/1", help="the cases I, I + N, ...")
    parser.add_argument("--drop-barriers", action="store_true")
    parser.add_argument("--same-with", default="", help="options of attn-to-target with which results are bit for bit the same")
    parser.add_argument("--lower", default="", help="further options of attn-to-target, for all cases of attention")
    parser.add_argument("--far", action="store_true", help="the cases with rows far apart")
    parser.add_argument("--large", action="store_true", help="the cases for more than 64 KiB of LDS")
    parser.add_argument("--float8", default="", help="the cases of types of 8 bits, separated by commas")
    parser.add_argument("--list", action="store_true")
    arguments = parser.parse_args()
    first, step = map(int, arguments.part.split("/"))
    types = arguments.float8.split(",")
    listed = (
        float8_cases(types[0], types[1:])
        if arguments.float8
        else far_cases()
        if arguments.far
        else large_cases()
        if arguments.large
        else cases()
    )
    kept = [case for case in listed if needs_barriers(case) or not arguments.drop_barriers]
    chosen = [case for case in kept[first::step] if arguments.filter in case.name()]
    if arguments.same_with:
        chosen = [case for case in chosen if isinstance(case, Case)]
    if arguments.lower:
        chosen = [
            case._replace(lower=f"{case.lower} {arguments.lower}".strip()) for case in chosen if isinstance(case, Case)
        ]
    if arguments.list:
        print("\n".join(case.name() for case in chosen))
        return
    run = drop_barriers if arguments.drop_barriers else compare_options if arguments.same_with else run_case
    sys.exit(report(chosen, lambda case: run(case, arguments)))


if __name__ == "__main__":
    main()
