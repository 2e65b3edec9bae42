"""Compiles files to bundles and checks what ptxas says of their kernels.

    resources.py --target=h200 [--schedule=...] [--lower=...] FILE...

Prints a line a variant of a kernel: registers, spilled bytes, stack, shared memory. Fails
where one spills (more than --most-spilled bytes), has a stack, or asks for more registers or
shared memory than a thread or a CTA of the target has, where no ptxas assembled it, where
attn-compile warned of anything (that ptxas serialises products, for one), and where a bundle
has no variants.

With --loops=DISASSEMBLER, of code that kernels multiply in: also where a loop with products loads or stores spilled registers
(benchmarks/sass.py); those of others are printed.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), *[os.pardir] * 4, "benchmarks"))
import sass

# Registers that one thread can address (PTX ISA, ".maxnreg").
MOST_REGISTERS = 255


def facts_of(target):
    """Facts of a target by name, as attn-compile lists them."""
    text = subprocess.run(
        ["attn-compile", "--list-targets"], check=True, capture_output=True, text=True
    ).stdout
    section = re.search(rf"^{target} \((\w+)\).*?(?=^\S|\Z)", text, re.M | re.S)
    facts = {name: int(value) for name, value in re.findall(r"^  (\w+) +(\d+)", section[0], re.M)}
    return dict(facts, arch=section[1])


def compile_bundle(path, options, directory):
    """The manifest, and what attn-compile said."""
    result = subprocess.run(
        ["attn-compile", path, "--emit=bundle", "-o", directory, *options],
        stderr=subprocess.PIPE,
        text=True,
    )
    sys.stderr.write(result.stderr)
    result.check_returncode()
    with open(os.path.join(directory, "manifest.json")) as file:
        return json.load(file), result.stderr


def check(name, target, facts, manifest, directory, most_spilled):
    """What is wrong with a bundle, in words."""
    if manifest["target"] != {"name": target, "arch": facts["arch"]}:
        yield f"is for {manifest['target']}"
    steps = [step for program in manifest["programs"] for variant in program["variants"] for step in variant["steps"]]
    if not steps:
        yield "has no variants"
    for step in steps:
        resources = step.get("resources")
        if not step["binary"].endswith(".cubin") or resources is None:
            yield "was not assembled: no ptxas"
            continue
        print(
            f"{name}, {step['binary']}: {resources['registers']} registers, "
            f"{resources['spill_bytes']} bytes spilled, {resources['stack_bytes']} bytes of stack, "
            f"{step['shared_bytes']} bytes of shared memory, {step['block']} threads"
        )
        with open(os.path.join(directory, step["binary"]), "rb") as file:
            if file.read(4) != b"\x7fELF":
                yield f"{step['binary']} is no ELF file"
        if resources["spill_bytes"] > most_spilled or (
            resources["stack_bytes"] != 0 and most_spilled == 0
        ):
            yield (
                f"{step['binary']} spills {resources['spill_bytes']} bytes, "
                f"more than {most_spilled}"
            )
        if not 0 < resources["registers"] <= MOST_REGISTERS:
            yield f"{step['binary']} has {resources['registers']} registers a thread"
        if resources["registers"] * step["block"] > facts["registers_per_sm"]:
            yield (
                f"{step['binary']} expects more registers than an SM has, "
                f"{facts['registers_per_sm']}"
            )
        # What merges states, or sums parts, has them in registers, as what quantises has that rotates nothing, and what makes lists and
        # clears counters has no tiles; anything else streams through rings.
        is_small = any(word in step["kernel"] for word in ("merge", "sum_parts", "order", "clear", "quantize"))
        least = 0 if step.get("overlaps") or is_small else 1
        if not least <= step["shared_bytes"] <= facts["smem_per_block"]:
            yield (
                f"{step['binary']} expects more shared memory than a CTA has, "
                f"{facts['smem_per_block']} bytes"
            )


def check_loops(directory, disassembler):
    """What is wrong with loops of a bundle, in words."""
    has_products = False
    for name, file in sass.cubins(directory):
        for loop in sass.loops_of(sass.listing(file, disassembler)):
            multiplies = loop.depth > 0 and loop.products > 0
            has_products |= multiplies
            if loop.spills():
                print(f"{name}: {sass.describe(loop)}")
            if multiplies and loop.spills():
                yield f"{name} spills in a loop with products: {sass.describe(loop)}"
    if not has_products:
        yield "has no loop with products"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--target", required=True)
    parser.add_argument("--schedule")
    parser.add_argument("--lower")
    parser.add_argument("--most-spilled", type=int, default=0)
    parser.add_argument("--loops", metavar="DISASSEMBLER")
    parser.add_argument("files", nargs="+")
    arguments = parser.parse_args()
    options = [f"--target={arguments.target}"]
    for name in ("schedule", "lower"):
        if getattr(arguments, name):
            options.append(f"--{name}={getattr(arguments, name)}")
    facts = facts_of(arguments.target)
    failed = False
    for path in arguments.files:
        name = f"{os.path.basename(path)} ({' '.join(options)})"
        with tempfile.TemporaryDirectory() as directory:
            manifest, said = compile_bundle(path, options, directory)
            if "warning" in said or "C75" in said:
                print(f"{name}: attn-compile warned", file=sys.stderr)
                failed = True
            problems = list(check(name, arguments.target, facts, manifest, directory, arguments.most_spilled))
            if arguments.loops:
                problems += check_loops(directory, sass.find_disassembler(arguments.loops))
            for problem in problems:
                print(f"{name}: {problem}", file=sys.stderr)
                failed = True
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
