#!/usr/bin/env python3
"""Instructions a tile: what the consumers' main loop of a kernel issues, beside the
least that the arithmetic wants.

    instruction_counts.py                       the defaults of forward.py
    instruction_counts.py --set exact           another set of forward_configs.py
    instruction_counts.py BUNDLE ...            bundles of attention by themselves

Makes the bundles that are not up to date (attn-compile), disassembles their code
(nvdisasm or cuobjdump: --disassembler, CUDA_HOME, PATH, a Triton) and finds the innermost
loops with warpgroup products of both kinds: Q K^T, whose operands lie in shared
memory, and P V, whose P lies in registers. Such a loop computes one tile of keys an
iteration. Counted is what stands in it, for one warp; not what lies outside, such as
the slow path of waits, nor the block behind the vote of attn-optimistic-max or, with
exact maxima, of attn.advance, which is counted apart (cold). Wants no GPU.
"""

import collections
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import forward
from common import attention_text, harness, markdown
from forward_configs import CONFIGS
from sass import find_disassembler, parse

# What a column counts: opcodes with a prefix. The first that fits takes an
# instruction; the rest is "other": descriptors and addresses, mostly on the uniform
# data path, barriers, branches.
COLUMNS = {
    "HGMMA": ("HGMMA",),
    "MUFU.EX2": ("MUFU.EX2",),
    "FFMA": ("FFMA",),
    "FADD": ("FADD",),
    "FMUL": ("FMUL",),
    "FMNMX": ("FMNMX",),
    "F2FP": ("F2FP",),
    "SHFL": ("SHFL",),
    "select, compare": ("FSEL", "SEL", "ISETP", "FSETP", "PLOP3"),
    "MOV": ("MOV", "IMAD.MOV", "UMOV", "R2UR", "S2R", "S2UR"),
    "STL, LDL": ("STL", "LDL"),
}


def products(body):
    """HGMMA whose A lies in shared memory, and in registers."""
    hgmma = [i for i in body if i.opcode.startswith("HGMMA")]
    scores = [i for i in hgmma if re.search(r"HGMMA\S* R\d+, gdesc", i.text)]
    values = [i for i in hgmma if re.search(r"HGMMA\S* R\d+, R\d+, gdesc", i.text)]
    return scores, values


def shape(product):
    """(M, N, K) of HGMMA.MxNxK."""
    return tuple(map(int, re.search(r"\.(\d+)x(\d+)x(\d+)", product.opcode).groups()))


class Loop(NamedTuple):
    body: list
    cold: list

    def tile(self):
        """(query rows of a warpgroup, keys, columns of K, columns of V) of an iteration,
        by the shapes; all of one product must agree."""
        scores, values = products(self.body)
        shapes = {shape(i) for i in scores}, {shape(i) for i in values}
        if any(len(s) != 1 for s in shapes):
            raise ValueError(f"products of several shapes: {shapes}")
        (rows, keys, step), (_, columns, _) = shapes[0].pop(), shapes[1].pop()
        groups, rest = divmod(len(values) * step, keys)
        if rest or groups < 1 or len(scores) % groups:
            raise ValueError(
                f"{len(scores)} and {len(values)} products are not those of {keys} keys"
            )
        return rows * groups, keys, len(scores) // groups * step, columns


def find_loops(code):
    """The loops over tiles, in the order of their addresses."""
    index = {i.address: n for n, i in enumerate(code)}
    ranges = []
    for n, instruction in enumerate(code):
        begin = index.get(instruction.target, n + 1)
        if begin <= n and all(products(code[begin : n + 1])):
            ranges.append((begin, n + 1))
    # The shortest are the innermost. One that overlaps with them is a loop around
    # them, or the way back from the slow path of a wait.
    taken = []
    for begin, end in sorted(ranges, key=lambda r: r[1] - r[0]):
        if all(end <= b or e <= begin for b, e in taken):
            taken.append((begin, end))
    return [split_cold(code[begin:end], index) for begin, end in sorted(taken)]


def split_cold(body, index):
    """Apart: what a branch right behind a vote jumps over."""
    first = index[body[0].address]
    for n, instruction in enumerate(body):
        if instruction.opcode != "VOTE.ANY":
            continue
        branches = (i for i in range(n + 1, len(body)) if body[i].target >= 0)
        branch = next(branches, None)
        end = index.get(body[branch].target, -1) - first if branch is not None else -1
        if branch is not None and branch < end <= len(body):
            return Loop(body[: branch + 1] + body[end:], body[branch + 1 : end])
    return Loop(body, [])


def count(body):
    result = collections.Counter()
    for instruction in body:
        for column, prefixes in COLUMNS.items():
            if instruction.opcode.split(".")[0] in prefixes or any(
                "." in p and instruction.opcode.startswith(p) for p in prefixes
            ):
                result[column] += 1
                break
        else:
            result["other"] += 1
    return result


def least(rows, keys, dim, columns, exact):
    """What the arithmetic of a tile wants, of one warp.

    A warpgroup has `rows` rows of scores in 128 threads: rows * keys / 128 each, and
    rows * columns / 128 elements of the accumulator; a thread has parts of two rows of
    every 64, four threads have one row.
    """
    scores = rows * keys // 128
    accumulator = rows * columns // 128
    row_parts = 2 * rows // 64
    wanted = {
        # Products of 64 x keys x 16 and 64 x columns x 16.
        "HGMMA": rows // 64 * (dim // 16 + -(-keys // 16)),
        # An exponential a score; with exact maxima that of each row's change.
        "MUFU.EX2": scores,
        # Scale and maximum: one multiplication and addition before each exponential.
        "FFMA": scores,
        # Row sums, summed over threads after the loop.
        "FADD": scores,
        "FMUL": 0,
        "FMNMX": 0,
        # Two exponentials are rounded at once.
        "F2FP": scores // 2,
        "SHFL": 0,
    }
    if exact:
        # The exponential of a maximum's change, and the difference that it is of; the
        # sum of a row takes it with an FFMA in place of one of its additions.
        wanted["MUFU.EX2"] += row_parts
        wanted["FFMA"] += row_parts
        # The accumulator times the change; a maximum times the scale.
        wanted["FMUL"] = accumulator + row_parts
        # Each score, and what comes from two exchanges.
        wanted["FMNMX"] = scores + 2 * row_parts
        # The maximum of a row: an exchange with two of four threads.
        wanted["SHFL"] = 2 * row_parts
    return wanted


def is_exact(loop):
    """Without attn-optimistic-max maxima are taken in the loop. A vote tells nothing:
    attn.advance has one, too."""
    return count(loop.body)["FMNMX"] > 0


def is_masked(loop):
    """Whether scores are selected by a mask: most of a thread's are."""
    rows, keys, _, _ = loop.tile()
    selects = sum(i.opcode.split(".")[0] in ("FSEL", "SEL") for i in loop.body)
    return selects >= rows * keys // 128 // 2


# ---------------------------------------------------------------------------


def guard_text(program, guard):
    """A variant's guard in words, such as "query <= 512"."""
    if not guard:
        return ""
    compare, what, *bound = guard
    signs = {"le": "<=", "ge": ">="}
    if compare not in signs or what[0] != "size":
        return json.dumps(guard)
    axis = program["views"][what[1]]["shape"][what[2]]
    return f"{axis} {signs[compare]} {bound[0]}"


def read_bundle(directory, disassembler):
    """(variant in words, loops) of each kernel of each variant."""
    manifest = json.loads((directory / "manifest.json").read_text())
    for program in manifest["programs"]:
        for variant in program["variants"]:
            for step in variant["steps"]:
                yield guard_text(program, variant.get("guard")), read_loops(directory / step["binary"], disassembler)


def read_loops(path, disassembler):
    done = subprocess.run(
        [*disassembler, str(path)],
        capture_output=True, text=True, errors="replace",
    )
    if done.returncode:
        message = harness.first_error(done.stderr + done.stdout)
        sys.exit(f"{disassembler[0]} failed: {message}")
    return find_loops(parse(done.stdout))


def row(name, guard, loop):
    rows, keys, dim, columns = loop.tile()
    counts = count(loop.body)
    wanted = least(rows, keys, dim, columns, is_exact(loop))
    title = f"{name}, {guard}" if guard else name
    cells = [title, f"{rows} x {keys}", "masked" if is_masked(loop) else "plain"]
    for column in [*COLUMNS, "other"]:
        both = f"{counts[column]} / {wanted[column]}" if column in wanted else counts[column]
        cells.append(both)
    least_all = sum(wanted.values())
    return cells + [f"{len(loop.body)} / {least_all}", len(loop.cold) or "–"]


def histogram(loop):
    opcodes = collections.Counter(i.opcode for i in loop.body)
    return ", ".join(f"{n} {opcode}" for opcode, n in opcodes.most_common())


def default_bundles(arguments):
    """(name, directory) of MHA kernels of forward.py, made where not up to date."""
    jobs = []
    for kernel in forward.kernels():
        if kernel.group > 1 or kernel.shapes or not re.search(arguments.filter, kernel.name):
            continue
        text = attention_text(kernel.heads, kernel.kv_heads, kernel.dim, kernel.causal)
        for config in CONFIGS[kernel.dim, kernel.causal]:
            if config[0] == arguments.set:
                directory = Path(arguments.out) / config[0] / kernel.name
                jobs.append(forward.make_job(directory, text, config, arguments.target))
    if harness.compile_jobs(jobs, arguments):
        sys.exit(1)
    return [(job.directory.name, job.directory) for job in jobs if not job.problem()]


def main():
    parser = harness.new_parser(__doc__)
    harness.add_compile_arguments(parser)
    harness.add_run_arguments(parser)
    parser.add_argument("bundles", nargs="*", metavar="BUNDLE", help="directories of bundles")
    parser.add_argument(
        "--set", default="default", help="of forward_configs.py (default: default)"
    )
    parser.add_argument("--filter", default="", metavar="REGEX", help="of kernels")
    parser.add_argument(
        "--out", default=str(forward.DEFAULT_DIRECTORY), help="default: build-gpu/forward"
    )
    parser.add_argument(
        "--disassembler", "--nvdisasm", metavar="FILE", help="nvdisasm or cuobjdump"
    )
    parser.add_argument(
        "--opcodes", action="store_true", help="also list all opcodes of each loop"
    )
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    disassembler = find_disassembler(arguments.disassembler)
    if not disassembler:
        harness.skip(
            "no nvdisasm or cuobjdump (--disassembler, CUDA_HOME, PATH)", arguments.strict
        )
    if arguments.bundles:
        bundles = [(Path(p).resolve().name, Path(p)) for p in arguments.bundles]
    else:
        bundles = default_bundles(arguments)
    if not bundles:
        harness.skip(f"no bundles of the set {arguments.set}", arguments.strict)
    table, details, problems = [], [], []
    for name, directory in bundles:
        for guard, loops in read_bundle(directory, disassembler):
            if not loops:
                problems.append(f"{name} {guard}: no loop with both kinds of wgmma")
            for loop in loops:
                table.append(row(name, guard, loop))
                details.append(f"{name} {guard}: {histogram(loop)}")
                if count(loop.body)["STL, LDL"]:
                    problems.append(f"{name} {guard}: spills in the loop")
    header = ["kernel", "tile", "loop", *COLUMNS, "other", "all", "cold"]
    print("Instructions of a warp for each tile of keys: issued / least\n")
    print(markdown(header, table))
    print("\n".join([""] + details * arguments.opcodes + [""]))
    print("\n".join(f"PROBLEM: {p}" for p in problems) or "No spills in the loops.")
    harness.write_json(arguments.json, {"header": header, "rows": table, "problems": problems})
    sys.exit(1 if problems else 0)


if __name__ == "__main__":
    main()
