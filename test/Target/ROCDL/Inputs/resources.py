"""Compiles files to bundles for AMD GPUs and checks the resources of their code.

    resources.py [--target=mi300x] [--schedule=...] [--lower=...] FILE...

Prints a line a kernel. Fails where a kernel spills (scalar registers, which go to
lanes of vector registers: more than --most-scalar) or has scratch memory, asks for
more LDS than a CTA has, or for more registers than its waves can have: a SIMD has 512
for each lane, for one wave of four or two of eight. Fails where there are no variants.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

REGISTERS, LANES, SIMDS = 512, 64, 4
LDS = {"mi300x": 64 << 10, "mi355x": 160 << 10}


def check(variant, target, most_scalar):
    """What is wrong, in words."""
    resources, waves = variant["resources"], variant["block"] // LANES
    most = REGISTERS // max(1, waves // SIMDS)
    if not variant["binary"].endswith(".hsaco"):
        yield f"is {variant['binary']}"
    for name in ("spill_bytes", "stack_bytes"):
        if resources[name]:
            yield f"has {resources[name]} {name}"
    if resources["scalar_spills"] > most_scalar:
        yield f"has {resources['scalar_spills']} scalar spills"
    if not 0 < resources["registers"] <= most:
        yield f"has {resources['registers']} registers with {waves} waves"
    if not 0 < resources["lds_bytes"] <= LDS[target]:
        yield f"has {resources['lds_bytes']} bytes of LDS"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", default="mi300x", choices=LDS)
    parser.add_argument("--schedule", default="")
    parser.add_argument("--lower", default="")
    parser.add_argument("--most-scalar", type=int, default=0, help="spilled scalar registers")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    failed = False
    for path in arguments.files:
        command = ["attn-compile", path, "--target=" + arguments.target, "--emit=bundle"]
        for name in ("schedule", "lower"):
            if getattr(arguments, name):
                command.append(f"--{name}={getattr(arguments, name)}")
        with tempfile.TemporaryDirectory() as directory:
            subprocess.run(command + ["-o", directory], check=True)
            with open(os.path.join(directory, "manifest.json")) as file:
                manifest = json.load(file)
        steps = [
            step for program in manifest["programs"] for variant in program["variants"] for step in variant["steps"]
        ]
        if not steps:
            print(f"{path}: has no variants", file=sys.stderr)
            failed = True
        for step in steps:
            print(os.path.basename(path), arguments.schedule, arguments.lower, step["resources"])
            for problem in check(step, arguments.target, arguments.most_scalar):
                print(f"{path}: {problem}", file=sys.stderr)
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
