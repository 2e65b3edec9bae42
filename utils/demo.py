#!/usr/bin/env python3
"""What utils/demo.sh shows after the build: one op of attention, its schedule, what
the order of work does to caches, the error of a run, in two screens."""

import argparse
import re
import subprocess
import sys
import textwrap
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "benchmarks"))
import simulation

EXAMPLE = "examples/llama3-8b-prefill.mlir"
SCHEDULE = "tiles=query=128,key=64 grid-order=swizzled-head-first persistent sawtooth=force"
ORDERS = ("naive-block-first", "swizzled-block-first", "naive-head-first", "swizzled-head-first")
WIDTH = 98


def heading(text):
    print(f"\n\033[1m{text}\033[0m" if sys.stdout.isatty() else f"\n== {text}")


def compile_example(tool, *options):
    command = [tool, EXAMPLE, "--target=cpu", f"--schedule={SCHEDULE}", *options]
    return subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout


def operation():
    """The function of the example."""
    lines = (ROOT / EXAMPLE).read_text().splitlines()
    return [line for line in lines if line and not line.lstrip().startswith("//")]


def streamed_loop(text):
    """The first attn.stream of a kernel, without types, at the left margin."""
    lines = iter(text.splitlines())
    loop = [next(line for line in lines if "attn.stream" in line)]
    indent = re.match(" *", loop[0])[0]
    for line in lines:
        loop.append(line)
        if line == indent + "}":
            break
    head = re.sub(r" : .*\) \{$", ") {", loop[0].strip())
    body = [re.sub(r" : .*$", "", line[len(indent):]) for line in loop[1:]]
    return textwrap.wrap(head, WIDTH, subsequent_indent="    ") + body


def bar(share, width=40):
    filled = round(share * width)
    return "#" * filled + "." * (width - filled)


def sawtooth(tool):
    print("GB10, one L2 of 24 MiB; one head of 131072 tokens, D 64: K and V are 32 MiB. Sectors that miss:")
    runs = {
        name: simulation.attention("gb10", f"tiles=query=80,key=80 persistent resident=1{option}", resident=1,
                                   queries=131072, compiler=tool).misses
        for name, option in (("every walk forward", ""), ("sawtooth", " sawtooth=force"))
    }
    for name, misses in runs.items():
        print(f"  {name:<21} {misses / 1e6:6.1f} M  {bar(misses / max(runs.values()))}")


def grid_orders(tool):
    print("MI300X, eight L2s of 4 MiB; 64 heads of 8192 tokens, D 128. Accesses that hit in L2:")
    for order in ORDERS:
        rate = simulation.attention("mi300x", f"tiles=query=128,key=64 grid-order={order}", heads=64,
                                    dim=128, element="bf16", queries=8192,
                                    compiler=tool).total["hit_rate"]
        print(f"  {order:<21} {100 * rate:6.1f} %  {bar(rate)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--attn-compile", default=simulation.ATTN_COMPILE)
    tool = parser.parse_args().attn_compile

    heading(f"1. Attention is one op ({EXAMPLE})")
    print("\n".join(operation()))

    heading("2. Its schedule is IR: the loop over keys of one tile of queries (types left out)")
    print("\n".join(streamed_loop(compile_example(tool, "--emit=stream"))))

    heading("3. The same schedule in words")
    described = compile_example(tool, "--describe", "--run", "--size=batch=1,query=256,key=256")
    *words, _, error = described.strip().splitlines()
    for line in words[1:]:
        print("\n".join(textwrap.wrap(line, WIDTH, subsequent_indent="      ")))

    heading("4. What the order of work does to caches, simulated from the schedule itself")
    sawtooth(tool)
    grid_orders(tool)

    heading("5. It runs: 256 queries, 256 keys on this CPU")
    print(error)

    heading("Where to go next")
    print(textwrap.dedent("""\
        utils/demo.sh --show    every level of IR, down to LLVM's
        README.md               code for GPUs, from Python too; what works; performance
        docs/dialect.md         how to read the loop above, add a mask or an op
        docs/cache-simulator.md what was simulated in 4, and how far to trust it"""))


if __name__ == "__main__":
    main()
