#!/usr/bin/env python3
"""Measures attn-mlir on the GPU of this machine, and writes one JSON file.

    run.py --out result.json

Wants the GPU's driver and PyTorch; no LLVM, no compiler, no CUDA toolkit. Without PyTorch
it checks a few small kernels, and times nothing. Facts of the device, correctness of each
kernel against float64, times beside PyTorch's back ends and, where ncu exists and is
allowed, counters. Takes about --minutes. Each part runs in a process of its own: one that
crashes or hangs is a line in the file. Without a GPU or a driver it says SKIPPED at once,
and exits with 0, or 77 with --strict. docs/hardware-kit.md describes the file.
"""

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from kernels import ROOT  # noqa: E402

import harness  # noqa: E402

VERSION = 1
FORMAT = "attn-mlir-kit-result"
LEAST_SECONDS = 20
COUNTING_MINUTES = 1.5  # beyond --minutes


def child(arguments, worker, limit):
    """Events of a child that runs `worker`, and why it ended early, or None."""
    command = [sys.executable, __file__, "--worker", worker, "--kit", str(arguments.kit),
               "--seed", str(arguments.seed), "--seconds", str(arguments.seconds),
               "--until", str(arguments.until)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                               text=True, errors="replace", env=harness.child_environment())
    lines, events, tail = queue.Queue(), [], []

    def read():
        for line in process.stdout:
            lines.put(line)
        lines.put(None)

    threading.Thread(target=read, daemon=True).start()
    end = time.time() + limit
    while True:
        try:
            line = lines.get(timeout=max(0.1, end - time.time()))
        except queue.Empty:
            process.kill()
            process.wait()
            return events, f"no end within {limit:.0f} s"
        if line is None:
            break
        if line.startswith("@"):
            events.append(json.loads(line[1:]))
        else:
            tail = (tail + [line.rstrip()])[-3:]
    code = process.wait()
    return events, f"ended with {code}: {' / '.join(tail)}"[:500] if code else None


def emit(event):
    print("@" + json.dumps(event), flush=True)


def run_worker(arguments, plan):
    kind, _, rest = arguments.worker.partition(":")
    folder = arguments.kit / "bundles" / "speed"
    if kind == "device":
        import device

        emit(device.describe(arguments, plan))
    elif kind == "speed":
        import speed

        speed.run_kernel(rest, plan, folder, arguments, emit)
    elif kind == "count":
        import counts

        name, number = rest.split(":")
        counts.launch_twice(plan, folder, name, int(number))
    elif kind == "plain":
        import plain

        emit({"wrong": plain.run_case(plain.CASES[int(rest)], arguments.kit / "bundles" / "plain" / rest, plan)})


def check(arguments, plan, limit):
    """Correctness of the kernels of test/gpu, by its check.py."""
    if not plan["checks"]:
        return {"error": "the kit has none"}
    out = arguments.out.with_name(arguments.out.name + ".checks")
    names = "|".join(plan["checks"])
    command = [
        sys.executable, str(ROOT / "test" / "gpu" / "check.py"), "--strict",
        "--bundles", str(arguments.kit / "bundles" / "check"), "--target", plan["target"],
        "--filter", f"^({names}) ", "--json", str(out), "--seed", str(arguments.seed), "--limit", "30",
        "--verbose",
    ]
    tail = run_for(command, limit, log := arguments.out.with_name(arguments.out.name + ".log"))
    said = log.read_text(errors="replace").splitlines()
    log.unlink()
    try:
        record = json.loads(out.read_text())
        out.unlink()
        return record
    except (OSError, ValueError):
        return cut_off(said, tail)


def run_for(command, limit, log):
    """Runs a command with all its children, for so long; what became of it."""
    with open(log, "w") as output:
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
                                   env=harness.child_environment())
        try:
            return f"ended with {process.wait(timeout=limit)}"
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return f"no end within {limit:.0f} s"


def cut_off(said, why):
    """What check.py had said of combinations when it ended early."""
    results = []
    for line in said:
        verdict, _, rest = line.partition(" ")
        if verdict in ("passed", "FAILED") and ": " in rest:
            combination, _, text = rest.rpartition(": ") if verdict == "passed" else rest.partition(": ")
            results.append({"combination": combination, "problems": [text] if verdict == "FAILED" else []})
    if not results:
        return {"error": f"check.py wrote no results: {why}: {' / '.join(said[-3:])}"[:500]}
    failed = sum(bool(r["problems"]) for r in results)
    return {"results": results, "cut_off": why,
            "summary": f"{len(results) - failed} passed, {failed} failed, the others not reached ({why})"}


def speed_of(arguments, plan):
    """Shapes that were timed, and what went wrong, kernel by kernel."""
    shapes, problems = [], []
    for entry in plan["speed"]:
        name, left = entry["kernel"], arguments.until - time.time()
        if left < LEAST_SECONDS:
            problems.append({"kernel": name, "why": "no time was left"})
            continue
        events, ended = child(arguments, "speed:" + name, left + 60)
        running = None
        for event in events:
            if "begin" in event:
                running = event["begin"]
            elif "shape" in event:
                shapes.append({**event["shape"], "options": entry["options"]})
                running = None
            elif "missing" in event:
                problems.append(event["missing"])
            elif "left_out" in event:
                problems.append({"kernel": name, "shape": event["left_out"], "why": "no time was left"})
            elif "failed" in event:
                problems.append({"kernel": name, "shape": event["failed"], "why": event["why"]})
                running = None
        if ended:
            problems.append({"kernel": name, "shape": running, "why": ended})
        done = [s for s in shapes if s["kernel"] == name]
        print(f"{name}: {len(done)} of {len(entry['shapes'])} shapes timed, "
              f"{sum(len(s['failed']) for s in done)} schedules failed", flush=True)
    return shapes, problems


def read_plan(kit):
    try:
        plan = json.loads((kit / "plan.json").read_text())
    except (OSError, ValueError) as error:
        sys.exit(f"run.py: expected the kit's plan.json, but got: {error}")
    if plan.get("format") != "attn-mlir-kit" or plan.get("version") != 1:
        sys.exit("run.py: expected a plan of version 1 of attn-mlir-kit, "
                 f"but got {plan.get('format')} {plan.get('version')}")
    return plan


def measure_all(arguments, plan):
    begin = time.time()
    arguments.until = begin + 60 * arguments.minutes
    record = {"format": FORMAT, "version": VERSION, "complete": False,
              "kit": {k: v for k, v in plan.items() if k != "speed"}, "seed": arguments.seed}

    def save():  # what is there is kept if the machine goes away
        harness.write_json(arguments.out, record)

    events, ended = child(arguments, "device", 120)
    record["device"] = events[0] if events else {"error": ended}
    print(f"device: {record['device'].get('properties', record['device'])}", flush=True)
    save()
    record["checks"] = check(arguments, plan, 0.4 * 60 * arguments.minutes)
    print(f"checks: {record['checks'].get('summary', record['checks'].get('error'))}", flush=True)
    save()
    record["speed"], record["problems"] = speed_of(arguments, plan)
    save()
    if arguments.counters:
        import counts

        script = str(Path(__file__).resolve())
        record["counters"] = counts.count(
            plan, arguments.kit / "bundles" / "speed", script, arguments.until + 60 * COUNTING_MINUTES)
    else:
        record["counters"] = {"error": "left out by --no-counters"}
    print(f"counters: {record['counters'].get('error') or len(record['counters']['results'])}", flush=True)
    record["complete"], record["seconds"] = True, round(time.time() - begin, 1)
    save()
    return record


def check_plain(arguments, plan):
    """Correctness without PyTorch, a process for each kernel."""
    import plain

    results = []
    for number in plan["plain"]:
        events, ended = child(arguments, f"plain:{number:02}", 120)
        problem = ended or (events[0]["wrong"] if events else "the child said nothing")
        results.append({"combination": plain.CASES[number].name(), "problems": [problem] if problem else []})
        print(f"{'FAILED' if problem else 'passed'} {results[-1]['combination']} {problem}".rstrip(), flush=True)
    failed = sum(bool(r["problems"]) for r in results)
    return {"results": results, "summary": f"{len(results) - failed} passed, {failed} failed, without PyTorch"}


def measure_plain(arguments, plan, facts, why):
    """What there is to measure without PyTorch: facts and correctness."""
    begin = time.time()
    record = {
        "format": FORMAT, "version": VERSION, "complete": True, "seed": arguments.seed,
        "kit": {k: v for k, v in plan.items() if k != "speed"},
        "device": {"date": time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime()), "torch": None, "cuda": None,
                   "hip": None, "launcher": facts},
        "checks": check_plain(arguments, plan), "speed": [],
        "problems": [{"why": f"{why}: nothing was timed, neither ours nor peers"}],
        "counters": {"error": why},
    }
    print(f"{why}: facts and small kernels were checked, and NOTHING was timed", flush=True)
    record["seconds"] = round(time.time() - begin, 1)
    harness.write_json(arguments.out, record)
    return record


def missing_torch():
    """Why there is no PyTorch, or None."""
    try:
        import torch  # noqa: F401
    except ImportError as error:
        return f"no PyTorch ({error})"
    return None


def measure(arguments, plan):
    """Everything, what goes without PyTorch, or the end with SKIPPED."""
    why = missing_torch()
    if not why:
        harness.require_gpu(arguments.strict)
        return measure_all(arguments, plan)
    import plain

    facts = plain.facts(plan)
    if "error" in facts:
        harness.skip(f"{why}, and no GPU for the launcher alone ({facts['error']})", arguments.strict)
    return measure_plain(arguments, plan, facts, why)


def new_parser():
    parser = harness.new_parser(__doc__)
    harness.add_run_arguments(parser)
    parser.add_argument("--out", type=Path, default=Path("result.json"), help="default: result.json")
    parser.add_argument("--kit", type=Path, default=ROOT, help="default: where this script is")
    parser.add_argument("--minutes", type=float, default=8, help="of checks and times (default: 8)")
    parser.add_argument("--seconds", type=float, default=4, help="of timing, a shape (default: 4)")
    parser.add_argument("--seed", type=int, default=int(time.time()) % 2**31)
    parser.add_argument("--no-counters", dest="counters", action="store_false")
    parser.add_argument("--until", type=float, default=0, help="for children")
    parser.add_argument("--worker", help="for children")
    return parser


def main():
    arguments = new_parser().parse_args()
    # The kit's own package goes before one that is installed, in children as well.
    sys.path.insert(0, str(ROOT / "python"))
    os.environ["PYTHONPATH"] = os.pathsep.join(
        filter(None, [str(ROOT / "python"), os.environ.get("PYTHONPATH")]))
    plan = read_plan(arguments.kit)
    if arguments.worker:
        run_worker(arguments, plan)
        return
    record = measure(arguments, plan)
    print(f"{arguments.out}: {record['seconds']} s; send this file back")


if __name__ == "__main__":
    main()
