#!/usr/bin/env python3
"""The main loop of gfx942's machine code beside Triton's, without the hardware.

    static_mi300x.py triton --out DIR    wants Triton 3.6, no GPU, no LLVM, no network
    static_mi300x.py compare [DIR]       wants attn-compile and llvm-mca
    static_mi300x.py loops FILE.s        all loops with MFMA of one assembly file

`triton` compiles triton_attention.py for gfx942: D 64 and 128, full and causal, with
the blocks, warps and waves per EU of Triton's own tutorial for AMD and some beside
them. `compare` compiles the same attention with default tiles, finds in each kernel
the loop over tiles that no mask touches, and prints a table of one wave's instructions,
with those of Triton's kernels that have the fewest cycles and the fewest slots (--all:
every one). It exits with 1 where ours are more than the least of either.

  MFMA         in an iteration
  mca / MFMA   llvm-mca's cycles over the least that MFMA takes
  slots        all instructions of the loop, per pass of MFMA; the columns after it
               divide them; other: scalar, waits, barriers, branches
  LDS B        bytes that ds_read and ds_write move, all lanes, per pass
  registers    VGPR and AGPR of a lane; w, s, eu, k in a name of Triton's are num_warps,
               num_stages, waves_per_eu (0: LLVM's choice) and kpack

A pass is 4 cycles of a SIMD, 2048 FLOP of f16 or bf16: a 32x32x8 takes 8, a 16x16x16
takes 4. One wave starts at most one instruction a pass, and so does llvm-mca, whose
cycles are passes therefore. Its body has no waits, barriers and branches: they are
another wave's turn. It runs one wave in order, knows latencies of registers but neither
conflicts of LDS banks nor caches, and takes v_exp for a full-rate instruction: good
for a ratio of two programs, no prediction of time.
"""

import argparse
import importlib
import itertools
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

from common import attention_text, harness, markdown

FLOP_OF_PASS = 2048
LANES = 64
DIMS = (64, 128)
POINTER_TYPES = {"bf16": "*bf16", "f16": "*fp16"}  # names of Triton
BLOCKS = {64: ((128, 64), (128, 128)), 128: ((128, 64),)}

# ---------------------------------------------------------------------------
# Assembly

# The class of an instruction; the first pattern that fits takes it.
CLASSES = {
    "MFMA": r"v_mfma_",
    "exp": r"v_(exp|log|rcp|rsq|sqrt|sin|cos)_",
    "VALU": r"v_",
    "LDS": r"ds_",
    "VMEM": r"(buffer|global|flat|scratch)_",
    "barrier": r"s_barrier",
    "wait": r"s_(waitcnt|nop|sleep)",
    "branch": r"s_c?branch",
    "SMEM": r"s_(buffer_)?load_",
    "SALU": r"s_",
}
LABEL = re.compile(r"(\.L\w+):")
BRANCH = re.compile(r"s_c?branch\S*\s+(\.L\w+)")
SELECT = re.compile(r"v_cndmask_")
MFMA = re.compile(r"v_mfma_f32_(\d+)x(\d+)x(\d+)_?(?:bf16|f16)(?:_1k)?(?:_|$)")
# b32 and so on, with one or (read2, write2) two of them a lane.
LDS_ACCESS = re.compile(r"ds_(?:read|write)(2?)(?:st64)?(?:_addtid)?_[bui](\d+)")


class Loop(NamedTuple):
    label: str
    body: list  # instructions, without labels and comments


def instruction(line):
    """The instruction of a line of assembly, or None."""
    text = re.sub(r"(;|//).*", "", line).strip()
    return text if re.match(r"[a-z]+_\w+", text) else None


def classify(text):
    name = text.split()[0]
    for kind, pattern in CLASSES.items():
        if re.match(pattern, name):
            return kind
    raise ValueError(f"no class is known of the instruction '{text}'")


def find_loops(text):
    """The innermost loops with MFMA: from a label to the last branch back to it, with
    no other such loop inside."""
    lines = [line.strip() for line in text.splitlines()]
    labels, ends = {}, {}
    for number, line in enumerate(lines):
        label = LABEL.match(line)
        if label:
            labels[label[1]] = number
        branch = BRANCH.match(line)
        if branch and branch[1] in labels:
            ends[branch[1]] = number
    spans = [(labels[label], end, label) for label, end in ends.items()]
    loops = []
    for begin, end, label in sorted(spans):
        body = [text for text in map(instruction, lines[begin : end + 1]) if text]
        if any(classify(text) == "MFMA" for text in body):
            loops.append((begin, end, Loop(label, body)))

    def innermost(begin, end):
        inside = [loop for b, e, loop in loops if begin <= b and e <= end]
        return len(inside) == 1  # itself

    return [loop for begin, end, loop in loops if innermost(begin, end)]


def mfma_flop(text):
    """FLOP of one MFMA of f16 or bf16; of no other is the rate known here."""
    shape = MFMA.match(text.split()[0])
    if not shape:
        raise ValueError(f"expected MFMA of f16 or bf16, but got '{text}'")
    return 2 * int(shape[1]) * int(shape[2]) * int(shape[3])


def lds_bytes(text):
    """Bytes that a wave moves: none for ds_bpermute and ds_swizzle, which use the
    crossbar of LDS, not its memory."""
    access = LDS_ACCESS.match(text.split()[0])
    return LANES * int(access[2]) // 8 * (2 if access[1] else 1) if access else 0


def count(loop):
    """What stands in a loop, as a dictionary."""
    counts = {kind: 0 for kind in CLASSES}
    flop, moved = 0, 0
    for text in loop.body:
        kind = classify(text)
        counts[kind] += 1
        if kind == "MFMA":
            flop += mfma_flop(text)
        elif kind == "LDS":
            moved += lds_bytes(text)
    counts["slots"] = len(loop.body)
    counts["LDS bytes"] = moved
    counts["FLOP"] = flop
    counts["passes"] = flop / FLOP_OF_PASS
    return counts


def main_loop(text):
    """The loop of tiles that no mask touches: of those with MFMA the one with the
    fewest selects per FLOP (a mask takes one for each score)."""

    def selects(loop):
        found = sum(bool(SELECT.match(text)) for text in loop.body)
        return found / sum(mfma_flop(t) for t in loop.body if classify(t) == "MFMA")

    loops = find_loops(text)
    if not loops:
        raise ValueError("the assembly has no loop with MFMA")
    return min(loops, key=selects)


def mca_cycles(loop, mca, iterations=100):
    """llvm-mca's cycles of an iteration, when many follow each other."""
    left_out = ("wait", "barrier", "branch")
    body = [text for text in loop.body if classify(text) not in left_out]

    def total(turns):
        done = subprocess.run(
            [mca, "-mtriple=amdgcn", "-mcpu=gfx942", f"-iterations={turns}",
             "-instruction-info=0", "-resource-pressure=0"],
            input="\n".join(body) + "\n", capture_output=True, text=True,
        )
        found = re.search(r"^Total Cycles:\s+(\d+)", done.stdout, re.MULTILINE)
        if done.returncode or not found:
            raise RuntimeError("llvm-mca: " + harness.first_error(done.stderr))
        return int(found[1])

    # Without the way in and out of the loop.
    return (total(2 * iterations) - total(iterations)) / iterations


def resources(text):
    """Registers, spills and LDS by the kernel's metadata, as numbers."""
    names = {
        "registers": "vgpr_count", "spills": "vgpr_spill_count",
        "scratch": "private_segment_fixed_size", "LDS of block": "group_segment_fixed_size",
    }
    found = {k: re.search(rf"\.{v}:\s+(\d+)", text) for k, v in names.items()}
    return {k: int(v[1]) if v else 0 for k, v in found.items()}


def measure(text, mca):
    """All numbers of the main loop of a kernel in assembly."""
    loop = main_loop(text)
    counts = count(loop)
    counts.update(resources(text))
    counts["cycles"] = mca_cycles(loop, mca)
    counts["cycles over MFMA"] = counts["cycles"] / counts["passes"]
    counts["slots per pass"] = counts["slots"] / counts["passes"]
    counts["loop"] = loop.label
    return counts


# ---------------------------------------------------------------------------
# Triton


def triton_configs():
    """(name, dim, causal, block, options) of each kernel."""
    for dim, causal in itertools.product(DIMS, (False, True)):
        # Triton's tutorial: 3 waves per EU to D 64, 2 beyond. 0 leaves it to LLVM.
        waves = (0, 3 if dim <= 64 else 2)
        for block, warps, stages, wave, kpack in itertools.product(
                BLOCKS[dim], (4, 8), (1, 2), waves, (1, 2)):
            name = (f"triton-d{dim}-{'causal' if causal else 'full'}-{block[0]}x{block[1]}"
                    f"-w{warps}-s{stages}-eu{wave}-k{kpack}")
            options = {"num_warps": warps, "num_stages": stages, "waves_per_eu": wave,
                       "kpack": kpack, "allow_flush_denorm": True}
            yield name, dim, causal, block, options


def import_triton(kernels, strict):
    """The module of this folder that has Triton's kernels, or the end of the process."""
    try:
        importlib.import_module("triton.backends.compiler")
        return importlib.import_module(kernels)
    except ImportError as error:
        harness.skip(f"Triton 3.6 is wanted: {error}", strict)


def compile_triton(folder, record, function, signature, constants, pointers, multiples=()):
    """Writes a kernel's assembly and its record (`name`, `options`, and more) into a folder; whether Triton compiled it. `signature`: types of
    its arguments, of which `pointers` and `multiples` are found to be multiples of 16."""
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    signature = {**signature, **dict.fromkeys(constants, "constexpr")}
    # What Triton's JIT finds in tensors of less than 2 GiB: multiples of 16, and
    # offsets of 32 bits, so that loads are those of buffers.
    attrs = {}
    for place, argument in enumerate(signature):
        if argument in pointers or argument in multiples:
            attrs[(place,)] = [["tt.divisibility", 16]]
        if argument in pointers:
            attrs[(place,)] += [["tt.pointer_range", 32]]
    source = ASTSource(function, signature, constants, attrs)
    try:
        made = triton.compile(source, target=GPUTarget("hip", "gfx942", LANES), options=record["options"])
    except Exception as error:  # noqa: BLE001 (whatever Triton raises)
        print(f"FAILED {record['name']}: {harness.first_error(str(error))}", flush=True)
        return False
    record = {**record, "version": triton.__version__, "LDS of block": made.metadata.shared}
    path = Path(folder) / record["name"]
    path.with_name(f"{path.name}.s").write_text(made.asm["amdgcn"])
    path.with_name(f"{path.name}.json").write_text(json.dumps(record) + "\n")
    print(record["name"], flush=True)
    return True


def run_triton(arguments):
    kernel = import_triton("triton_attention", arguments.strict)
    Path(arguments.out).mkdir(parents=True, exist_ok=True)
    failed = False
    for name, dim, causal, block, options in triton_configs():
        signature = {n: POINTER_TYPES[arguments.element] for n in kernel.POINTERS}
        signature["scale_log2"] = "fp32"
        signature.update((n, "i32") for n in kernel.STRIDES + kernel.SIZES)
        record = {"name": name, "element": arguments.element, "dim": dim, "causal": causal, "block": block, "options": options}
        failed |= not compile_triton(
            arguments.out, record, kernel.forward, signature, {"D": dim, "M": block[0], "N": block[1], "CAUSAL": causal},
            kernel.POINTERS, kernel.STRIDES)
    sys.exit(1 if failed else 0)


# ---------------------------------------------------------------------------
# Comparison

PER_PASS = ("VALU", "exp", "LDS", "VMEM")
HEADER = ["kernel", "MFMA", "mca / MFMA", "slots", *PER_PASS, "other", "LDS B",
          "registers", "spills", "LDS KiB"]


def table_row(name, numbers):
    passes = numbers["passes"]
    shares = [f"{numbers[kind] / passes:.3f}" for kind in PER_PASS]
    listed = numbers["MFMA"] + sum(numbers[kind] for kind in PER_PASS)
    other = (numbers["slots"] - listed) / passes
    return [
        name, numbers["MFMA"], f"{numbers['cycles over MFMA']:.3f}",
        f"{numbers['slots per pass']:.3f}", *shares, f"{other:.3f}",
        f"{numbers['LDS bytes'] / passes:.1f}", numbers["registers"], numbers["spills"],
        f"{numbers['LDS of block'] / 1024:g}",
    ]


def assembly_of(compiler, text, schedule):
    """What attn-compile makes of level-1 MLIR."""
    with tempfile.TemporaryDirectory() as folder:
        source, output = Path(folder) / "ours.mlir", Path(folder) / "ours.s"
        source.write_text(text)
        command = [str(compiler), str(source), "--target=mi300x", "--emit=isa", "-o", str(output)]
        command += ["--schedule=" + schedule] * bool(schedule)
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError("attn-compile: " + harness.first_error(done.stderr))
        return output.read_text()


def read_triton(folder, is_wanted, mca):
    """Numbers of those kernels that `triton` left in a folder whose records are wanted."""
    found = []
    for path in sorted(Path(folder).glob("*.json")):
        record = json.loads(path.read_text())
        if not is_wanted(record):
            continue
        numbers = measure(path.with_suffix(".s").read_text(), mca)
        # Triton's LDS is given at the launch: the metadata has none of it.
        found.append({**record, **numbers, "LDS of block": record["LDS of block"]})
    return found


def reported(rivals):
    """Triton's kernels of one shape that the table has: the one with the fewest cycles
    and the one with the fewest slots, whether it spills or not."""
    best = []
    for key in ("cycles over MFMA", "slots per pass"):
        rival = min(rivals, key=lambda r: (r[key], r["cycles over MFMA"], r["name"]))
        if rival not in best:
            best.append(rival)
    return best


def run_compare(arguments):
    compiler = harness.find_compiler(arguments.attn_compile)
    if not compiler:
        harness.skip(f"there is no {arguments.attn_compile}", arguments.strict)
    mca = shutil.which("llvm-mca-22") or shutil.which("llvm-mca")
    if not mca:
        harness.skip("there is no llvm-mca", arguments.strict)
    rivals = []
    if arguments.folder:
        rivals = read_triton(arguments.folder, lambda r: r.get("element") == arguments.element, mca)
    if arguments.folder and not rivals:
        harness.skip(f"no kernel of Triton for {arguments.element} in {arguments.folder}", arguments.strict)
    rows, results, worse = [], list(rivals), False
    for dim, causal in itertools.product(DIMS, (False, True)):
        mask = "causal" if causal else "full"
        ours = measure(
            assembly_of(compiler, attention_text(16, 16, dim, causal, arguments.element), arguments.schedule), mca)
        name = f"attn-mlir D {dim} {mask}"
        results.append({"name": name, "dim": dim, "causal": causal, **ours})
        rows.append(table_row(name, ours))
        same = [r for r in rivals if (r["dim"], r["causal"]) == (dim, causal)]
        if not same:
            continue
        shown = sorted(same, key=lambda r: r["name"]) if arguments.all else reported(same)
        rows += [table_row(r["name"], r) for r in shown]
        for key in ("cycles over MFMA", "slots per pass"):
            least = min(r[key] for r in same)
            verdict = "no worse" if ours[key] <= least else "WORSE"
            worse = worse or ours[key] > least
            print(f"D {dim} {mask}, {key}: ours {ours[key]:.3f}, Triton's least "
                  f"{least:.3f}: {verdict}")
    print(markdown(HEADER, rows))
    harness.write_json(arguments.json, results)
    sys.exit(1 if worse else 0)


def run_loops(arguments):
    for loop in find_loops(Path(arguments.file).read_text()):
        counts = count(loop)
        text = ", ".join(f"{counts[key]:g} {key}" for key in counts if counts[key])
        print(f"{loop.label}: {text}")
    print("main loop:", main_loop(Path(arguments.file).read_text()).label)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    triton = commands.add_parser("triton", help="compile Triton's kernels")
    triton.add_argument("--out", required=True, metavar="DIR")
    triton.set_defaults(run=run_triton)
    compare = commands.add_parser("compare", help="print the table")
    compare.add_argument("folder", nargs="?", metavar="DIR",
                         help="what `triton` wrote; without it only ours")
    compare.add_argument(
        "--attn-compile",
        default=str(harness.ROOT / "build/tools/attn-compile/attn-compile"))
    compare.add_argument("--schedule", default="", help="of ours (default: the defaults)")
    compare.add_argument("--all", action="store_true",
                         help="all kernels of Triton, not the best only")
    compare.add_argument("--json", metavar="FILE")
    compare.set_defaults(run=run_compare)
    loops = commands.add_parser("loops", help="count the loops of one file")
    loops.add_argument("file", metavar="FILE.s")
    loops.set_defaults(run=run_loops)
    for command in (triton, compare):
        command.add_argument("--element", choices=sorted(POINTER_TYPES), default="bf16")
        command.add_argument("--strict", action="store_true",
                             help=f"exit with {harness.SKIPPED_EXIT_CODE} where skipped")
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    main()
