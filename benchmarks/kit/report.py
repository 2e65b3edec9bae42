#!/usr/bin/env python3
"""A page about a file of run.py: is it right, how fast beside the peers, what of the
facts is confirmed.

    report.py result.json
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

import record as records  # noqa: E402
from kernels import ROOT  # noqa: E402,F401  (puts the other folders on the path)

from common import geometric_mean, markdown  # noqa: E402
from facts import compare  # noqa: E402


def correctness(record):
    checks = record["checks"]
    lines = [f"Checks: {checks.get('summary') or 'none: ' + str(checks.get('error'))}"]
    for result in checks.get("results", []):
        if result.get("problems"):
            lines.append(f"- WRONG: {result['combination']}: {'; '.join(result['problems'])}")
    for shape in record["speed"]:
        for n, problem in sorted(shape["failed"].items()):
            option = records.option_text(shape["options"][int(n)])
            lines.append(f"- WRONG: {shape['kernel']}, KV {shape['keys']}, [{option}]: {problem}")
    for name, why in record["kit"].get("not_compiled", {}).items():
        lines.append(f"- not in the kit: {name}: {why}")
    return lines


def speed_row(shape):
    ours, peers = records.right(shape), shape["peers_ms"]
    name = f"{shape['kernel']} B {shape['batch']} KV {shape['keys']}"
    if not ours:
        return [name, "none", "", "", "", "no schedule was right and timed"], None
    best = min(ours, key=ours.get)
    own = ours.get(0)
    peer = min(peers, key=peers.get) if peers else None
    ratio = peers[peer] / (own or ours[best]) if peer else None
    return [
        name, f"{own:.4f}" if own else "none", f"{ours[best]:.4f}",
        f"{peer} {peers[peer]:.4f}" if peer else "none",
        f"{ratio:.3f}" if ratio else "", records.option_text(shape["options"][best]),
    ], ratio


def speed(record):
    rows, ratios = [], []
    for shape in record["speed"]:
        row, ratio = speed_row(shape)
        rows.append(row)
        ratios += [ratio] if ratio else []
    if not rows:
        return ["No shape was timed."]
    lines = [markdown(["shape", "ours, ms", "our best, ms", "best peer, ms", "peer / ours", "our best schedule"], rows), ""]
    if ratios:
        lines.append(f"Best peer / ours: geometric mean {geometric_mean(ratios):.3f}, "
                     f"lowest {min(ratios):.3f}, {len(ratios)} of {len(rows)} shapes.")
    else:
        lines.append("No peer was timed: nothing is said of our speed beside others.")
    return lines


def page(record):
    device, kit = record["device"], record["kit"]
    lines = [
        f"# {records.device_name(record)}, kit for {kit['target']}", "",
        f"{device.get('date', 'no date')}; PyTorch {device.get('torch')}, CUDA {device.get('cuda')}, "
        f"HIP {device.get('hip')}" + ("; PTX that the driver compiled" if kit.get("ptx") else ""),
    ]
    if not record.get("complete"):
        lines.append("The run did NOT end: what is missing below was not measured.")
    lines += ["", "## Correctness", "", *correctness(record), "", "## Speed", "", *speed(record)]
    lines += ["", "## Facts", "", markdown(["fact", "known", "measured or stated", "by"], compare(record))]
    problems = record.get("problems", [])
    lines += ["", "## Problems", ""] + ([f"- {p}" for p in problems] or ["None."])
    counters = record.get("counters", {"error": "not reached"})
    lines += ["", "## Counters", "", str(counters.get("error") or f"{len(counters['results'])} launches under ncu.")]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", help="of run.py")
    print("\n".join(page(records.load(parser.parse_args().file))))


if __name__ == "__main__":
    main()
