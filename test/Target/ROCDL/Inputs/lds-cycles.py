"""Counts the cycles that attention takes of the LDS, by the emulator, beside those without conflicts of banks.

lds-cycles.py COMPILER EMULATOR TARGET DIM... [OPTIONS]: with options of attn-to-target, such as copy=lds; bf16, one head, 64 queries, 160 keys, default tiles.
Exits with 1 where a head dimension takes more than 1.05 of the least.
"""

import json
import sys
import tempfile

from emulate import check, prepare
from problems import Case

MOST = 1.05


def main():
    compiler, emulator, target, *dims = sys.argv[1:]
    lower = " ".join(text for text in dims if "=" in text)
    dims = [text for text in dims if "=" not in text]
    worst = 0
    for dim in map(int, dims):
        case = Case("full", "bf16", (1, 1), (dim, dim), (1, 64, 160), "", lower, lse=False)
        with tempfile.TemporaryDirectory() as directory:
            launch, inputs, outputs = prepare(case, compiler, directory, target=target)
            results = launch.run(emulator, "--counters")
        error = check(case, outputs, case.wanted(*inputs), results)
        counters = json.loads(launch.printed[launch.printed.index("{") :])
        cycles, conflicts = counters["lds_cycles"], counters["lds_conflict_cycles"]
        ratio = cycles / (cycles - conflicts)
        worst = max(worst, ratio)
        print(f"D {dim}: {cycles} cycles of the LDS, {ratio:.3f} of the least{': ' + error if error else ''}")
        if error:
            return 1
    return 0 if worst <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
