#!/usr/bin/env python3
"""The main loops of the gradients' kernels for gfx942 beside Triton's, without the hardware.

    static_mi300x_backward.py triton --out DIR    wants Triton 3.6
    static_mi300x_backward.py compare [DIR]       wants attn-compile and llvm-mca

As static_mi300x.py, whose columns these are, for dQ (`query`, three products a tile) and for dK with dV (`key`, four):
bf16, D 64 and 128, full and causal, triton_backward.py with several blocks, warps, stages and waves per EU.
Exits with 1 where ours take more cycles over MFMA than the least of Triton's.
"""

import argparse
import itertools
import re
import shutil
import sys
from pathlib import Path

import static_mi300x as static
from common import harness, markdown

PARTS = ("query", "key")
# Of the kernel's own rows, and of what it streams.
BLOCKS = ((128, 64), (128, 32), (64, 64), (64, 32))


def shapes():
    return itertools.product(PARTS, static.DIMS, (False, True))


def name_of(part, dim, causal):
    return f"{part} D {dim} {'causal' if causal else 'full'}"


def triton_configs():
    """(part, D, causal, (own rows, streamed rows), options) of each kernel."""
    for part, dim, causal in shapes():
        for block, warps, stages, waves in itertools.product(BLOCKS, (4, 8), (1, 2), (0, 2)):
            yield part, dim, causal, block, {
                "num_warps": warps, "num_stages": stages, "waves_per_eu": waves, "allow_flush_denorm": True}


def run_triton(arguments):
    kernels = static.import_triton("triton_backward", arguments.strict)
    folder = Path(arguments.out)
    folder.mkdir(parents=True, exist_ok=True)
    failed = 0
    for part, dim, causal, block, options in triton_configs():
        name = (f"triton {name_of(part, dim, causal)} {block[0]}x{block[1]} w{options['num_warps']} "
                f"s{options['num_stages']} eu{options['waves_per_eu']}").replace(" ", "-").lower()
        signature = {n: "*fp32" if n in ("lse", "delta") else "*bf16" for n in kernels.POINTERS}
        signature.update(scale="fp32", scale_log2="fp32", **dict.fromkeys(kernels.SIZES, "i32"))
        rows, streamed = block
        constants = {"D": dim, "M": rows if part == "query" else streamed,
                     "N": streamed if part == "query" else rows, "CAUSAL": causal}
        record = {"name": name, "part": part, "dim": dim, "causal": causal, "options": options}
        failed += not static.compile_triton(
            folder, record, getattr(kernels, part), signature, constants, kernels.POINTERS)
    print(f"{len(list(folder.glob('*.s')))} kernels of Triton in {folder}, {failed} failed")
    sys.exit(1 if failed else 0)


def text_of(part, dim, causal):
    """One of the two operations, as level-1 MLIR."""
    wide, rows = f"tensor<?x16x?x{dim}xbf16>", "tensor<?x16x?xf32>"
    results = wide if part == "query" else f"({wide}, {wide})"
    names, returned = ("%r", "%r") if part == "query" else ("%r:2", "%r#0, %r#1")
    types = wide if part == "query" else f"{wide}, {wide}"
    mask = " mask(#attn.causal<top_left>)" if causal else ""
    return (
        f"func.func @gradient(%q: {wide}, %k: {wide}, %v: {wide}, %do: {wide}, %lse: {rows}, %delta: {rows}) -> {results} {{\n"
        f"  {names} = attn.attention_backward_{part} %q, %k, %v, %do, %lse, %delta{mask} scale({round(dim**-0.5, 9)!r})\n"
        f"    : ({wide}, {wide}, {wide}, {wide}, {rows}, {rows}) -> {results}\n"
        f"  return {returned} : {types}\n}}\n"
    )


def run_compare(arguments):
    compiler = harness.find_compiler(arguments.attn_compile)
    mca = shutil.which("llvm-mca-22") or shutil.which("llvm-mca")
    if not compiler or not mca:
        harness.skip(f"{arguments.attn_compile} and llvm-mca are wanted", arguments.strict)
    wanted = [shape for shape in shapes() if re.search(arguments.filter, name_of(*shape))]
    rivals, rows, worse = [], [], False
    if arguments.folder:
        rivals = static.read_triton(arguments.folder, lambda r: (r.get("part"), r["dim"], r["causal"]) in wanted, mca)
    for shape in wanted:
        ours = static.measure(static.assembly_of(compiler, text_of(*shape), arguments.schedule), mca)
        rows.append(static.table_row(f"attn-mlir {name_of(*shape)}", ours))
        same = [r for r in rivals if (r["part"], r["dim"], r["causal"]) == shape]
        if not same:
            continue
        rows += [static.table_row(r["name"], r) for r in static.reported(same)]
        least = min(r["cycles over MFMA"] for r in same)
        is_worse = ours["cycles over MFMA"] > least
        worse |= is_worse
        print(f"{name_of(*shape)}, cycles over MFMA: ours {ours['cycles over MFMA']:.3f}, Triton's least of {len(same)} "
              f"{least:.3f}: {'WORSE' if is_worse else 'no worse'}", flush=True)
    print(markdown(static.HEADER, rows))
    sys.exit(1 if worse else 0)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    triton = commands.add_parser("triton", help="compile Triton's kernels")
    triton.add_argument("--out", required=True, metavar="DIR")
    triton.set_defaults(run=run_triton)
    compare = commands.add_parser("compare", help="print the table")
    compare.add_argument("folder", nargs="?", metavar="DIR", help="what `triton` wrote; without it only ours")
    compare.add_argument("--attn-compile", default=str(harness.ROOT / "build/tools/attn-compile/attn-compile"))
    compare.add_argument("--filter", default="", metavar="REGEX", help="only these, such as 'key D 64'")
    compare.add_argument("--schedule", default="", help="of ours (default: the defaults)")
    compare.set_defaults(run=run_compare)
    for command in (triton, compare):
        command.add_argument("--strict", action="store_true", help=f"exit with {harness.SKIPPED_EXIT_CODE} where skipped")
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
