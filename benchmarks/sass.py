#!/usr/bin/env python3
"""Where a kernel of NVIDIA spills: instructions that spill in each loop, and whose they are.

    sass.py FILE ...          cubins, or bundles (directories)

Disassembles code (nvdisasm or cuobjdump: --disassembler, CUDA_HOME, PATH, a Triton of this
Python), finds its loops by back edges and dominators, and prints a line a loop that has products or spills: the role
that runs it (those who have given registers away, "producer", or taken some, "consumer"), how deep it
is nested, products of warpgroups (HGMMA) or warps (HMMA), and loads and stores of spilled registers
(LDL, STL). Each instruction counts in the innermost loop with products around it, if there is one, and else in the
innermost loop: so what stands between two streams is that of the loop around both, which has no products of its own.
The slow path of a wait lies in the loop that waits. Ends with 1 where a loop with products of its own spills.
"""

import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple


class Instruction(NamedTuple):
    address: int
    opcode: str
    text: str
    target: int  # of a branch; -1: none
    meeting: int = -1  # of BSSY: where those who meet at its barrier go on


def parse(text):
    """The instructions of a listing, of nvdisasm (branches to labels) or cuobjdump
    (branches to addresses)."""
    found, labels, waiting = [], {}, []
    for line in text.splitlines():
        label = re.match(r"\s*(\.L\w+):", line)
        if label:
            waiting.append(label[1])
            continue
        match = re.match(r"\s*/\*([0-9a-f]{4,})\*/\s+(\S.*?)\s*;", line)
        if match:
            address = int(match[1], 16)
            labels.update((name, address) for name in waiting)
            waiting = []
            found.append((address, match[2]))
    result = []
    for address, body in found:
        opcode = re.sub(r"^@!?\w+\s+", "", body).split()[0]
        place = -1
        name = re.search(r"\((\.L\w+)\)|\b0x([0-9a-f]+)\b", body)
        if name and opcode.startswith(("BRA", "BSSY")):
            place = labels.get(name[1], -1) if name[1] else int(name[2], 16)
        is_branch = opcode.startswith("BRA")
        result.append(Instruction(address, opcode, body, place if is_branch else -1, -1 if is_branch else place))
    return result


def find_disassembler(path=None):
    """A command that lists the code of a cubin, or None."""
    home = os.environ.get("CUDA_HOME")
    places = ([str(Path(home) / "bin")] if home else []) + [os.environ.get("PATH", "")]
    # Triton brings both.
    pythons = [Path(os.environ[name]).parent.parent for name in ("ATTN_TORCH_PYTHON", "ATTN_TRITON_PYTHON")
               if os.environ.get(name)]
    for prefix in [Path(sys.prefix), *pythons]:
        places += map(str, prefix.glob("lib/python*/site-packages/triton/backends/nvidia/bin"))
    for name in [path] if path else ["nvdisasm", "cuobjdump"]:
        found = shutil.which(name, path=os.pathsep.join(places))
        if found:
            return [found, "-sass" if "cuobjdump" in Path(found).name else "-c"]
    return None


# ---------------------------------------------------------------------------


def ways_on(code):
    """The indices of instructions that may run after each one."""
    index = {i.address: n for n, i in enumerate(code)}
    # Where those who meet at a barrier of convergence go on.
    meetings = collections.defaultdict(set)
    for instruction in code:
        if instruction.meeting in index:
            barrier = re.search(r"\bB\d+", instruction.text)[0]
            meetings[barrier].add(index[instruction.meeting])
    result = []
    for n, instruction in enumerate(code):
        is_certain = not instruction.text.startswith("@")
        opcode = instruction.opcode.split(".")[0]
        to = set()
        if opcode == "BSYNC":
            places = meetings[re.search(r"\bB\d+", instruction.text)[0]]
            to |= {n + 1} if n + 1 in places or not places else places
        elif opcode == "BRA":
            to |= {index[instruction.target]} if instruction.target in index else set()
            # A branch may have its predicate behind its name: BRA.U !UP0, or BRA P0.
            operands = instruction.text.split("BRA", 1)[1]
            if not is_certain or re.search(r"\b!?U?P\d\b", operands):
                to.add(n + 1)
        elif opcode not in ("EXIT", "RET") or not is_certain:
            to.add(n + 1)
        result.append({other for other in to if other < len(code)})
    return result


def in_order(ways):
    """Those that can be reached, each behind what leads to it but for back edges."""
    seen, done, stack = {0}, [], [(0, iter(ways[0]))]
    while stack:
        node, rest = stack[-1]
        for other in rest:
            if other not in seen:
                seen.add(other)
                stack.append((other, iter(ways[other])))
                break
        else:
            done.append(node)
            stack.pop()
    return done[::-1]


def dominators(ways):
    """The nearest dominator of each that can be reached, and a number by which a dominator is less
    than what it dominates."""
    order = in_order(ways)
    number = {node: n for n, node in enumerate(order)}
    before = collections.defaultdict(list)
    for node in order:
        for other in ways[node]:
            before[other].append(node)
    nearest = {0: 0}

    def meet(a, b):
        while a != b:
            if number[a] > number[b]:
                a = nearest[a]
            else:
                b = nearest[b]
        return a

    changed = True
    while changed:
        changed = False
        for node in order[1:]:
            known = [other for other in before[node] if other in nearest]
            new = known[0]
            for other in known[1:]:
                new = meet(new, other)
            changed |= nearest.get(node) != new
            nearest[node] = new
    return nearest, before


def dominates(nearest, a, b):
    while b != a and b != nearest[b]:
        b = nearest[b]
    return a == b


def natural_loops(code):
    """The sets of instructions of each loop, by its head."""
    ways = ways_on(code)
    nearest, before = dominators(ways)
    loops = {}
    for node in nearest:
        for head in ways[node]:
            if not dominates(nearest, head, node):
                continue
            body, waiting = loops.setdefault(head, {head}), [node]
            while waiting:
                one = waiting.pop()
                if one not in body:
                    body.add(one)
                    waiting += before[one]
    return loops, nearest


class Loop(NamedTuple):
    role: str
    depth: int
    address: int  # of its head; -1: what lies in no loop
    products: int
    loads: int  # of spilled registers
    stores: int
    instructions: int

    def spills(self):
        return self.loads + self.stores


def role_of(code, nearest, node):
    """Whose an instruction is: by the nearest change of a warp's registers in front of it."""
    while True:
        opcode = code[node].opcode
        if opcode.startswith("USETMAXREG"):
            return "producer" if "DEALLOC" in opcode else "consumer"
        if node == nearest[node]:
            return "all"
        node = nearest[node]


def is_product(instruction):
    return instruction.opcode.split(".")[0] in ("HGMMA", "HMMA", "QGMMA", "QMMA", "IGMMA")


def loops_of(code):
    """What each loop with products or spills has, by address."""
    loops, nearest = natural_loops(code)
    with_products = {h for h, body in loops.items() if any(is_product(code[n]) for n in body)}
    tally = collections.defaultdict(collections.Counter)
    roles = {}
    for node in nearest:
        around = [h for h, body in loops.items() if node in body]
        inner = min([h for h in around if h in with_products] or around, key=lambda h: len(loops[h]), default=-1)
        opcode = code[node].opcode.split(".")[0]
        counts = tally[inner, role_of(code, nearest, node)]
        counts["all"] += 1
        counts["products"] += is_product(code[node])
        counts["loads"] += opcode == "LDL"
        counts["stores"] += opcode == "STL"
    result = []
    for (head, role), counts in tally.items():
        if counts["products"] or counts["loads"] or counts["stores"]:
            depth = sum(head in body for body in loops.values())
            address = code[head].address if head >= 0 else -1
            result.append(Loop(role, depth, address, counts["products"], counts["loads"], counts["stores"], counts["all"]))
    return sorted(result, key=lambda loop: (loop.role, loop.address))


def listing(path, disassembler):
    done = subprocess.run([*disassembler, str(path)], capture_output=True, text=True, errors="replace")
    if done.returncode:
        raise RuntimeError(f"{disassembler[0]} failed on {path}: {(done.stderr + done.stdout).strip()[:400]}")
    return parse(done.stdout)


def cubins(path):
    """(name, file) of the kernels of a bundle, each once, or of a cubin."""
    path = Path(path)
    if not path.is_dir():
        return [(path.name, path)]
    manifest = json.loads((path / "manifest.json").read_text())
    steps = [s for p in manifest["programs"] for v in p["variants"] for s in v["steps"]]
    files = {(path / s["binary"]).read_bytes(): path / s["binary"] for s in reversed(steps)
             if s["binary"].endswith(".cubin")}
    return sorted((file.name, file) for file in files.values())


def describe(loop):
    """A loop in words."""
    place = f"loop of depth {loop.depth} at {loop.address:#06x}" if loop.depth else "no loop"
    return (f"{loop.role}, {place}: {loop.instructions} instructions, {loop.products} products, "
            f"{loop.loads} loads and {loop.stores} stores of spilled registers")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="+", metavar="FILE", help="cubins, or bundles")
    parser.add_argument("--disassembler", metavar="FILE", help="nvdisasm or cuobjdump")
    arguments = parser.parse_args()
    disassembler = find_disassembler(arguments.disassembler)
    if not disassembler:
        sys.exit("expected nvdisasm or cuobjdump (--disassembler, CUDA_HOME, PATH, a Triton), but got none")
    failed = False
    for path in arguments.files:
        for name, file in cubins(path):
            for loop in loops_of(listing(file, disassembler)):
                print(f"{name}: {describe(loop)}")
                failed |= loop.products > 0 and loop.depth > 0 and loop.spills() > 0
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
