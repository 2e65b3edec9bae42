"""Counts the lines of 128 bytes that loads and stores of attention touch, each once an instruction, by the emulator, beside the
lines that there are.

lines.py COMPILER EMULATOR TARGET DIM... [OPTIONS]: with options of attn-to-target, such as whole-lines=stores; bf16, one head, 128 queries,
512 keys, default tiles, rows without gaps.
"""

import json
import sys
import tempfile

from emulate import check, prepare
from buffers import Buffer
from problems import Case


class Dense(Case):
    def views(self):
        _, queries, keys = self.sizes
        dim, _ = self.dims
        shape = lambda rows: (1, 1, rows, dim)
        buffer = lambda rows: Buffer(shape(rows), range(4), self.element, 0)
        return [buffer(queries), buffer(keys), buffer(keys)], [buffer(queries)]


def main():
    compiler, emulator, target, *dims = sys.argv[1:]
    lower = " ".join(text for text in dims if "=" in text)
    dims = [text for text in dims if "=" not in text]
    for dim in map(int, dims):
        case = Dense("full", "bf16", (1, 1), (dim, dim), (1, 128, 512), "", lower, lse=False)
        with tempfile.TemporaryDirectory() as directory:
            launch, inputs, outputs = prepare(case, compiler, directory, target=target)
            results = launch.run(emulator, "--counters")
        error = check(case, outputs, case.wanted(*inputs), results)
        counters = json.loads(launch.printed[launch.printed.index("{") :])
        rows = -(-dim * 2 // 128)
        keys, queries = 2 * 512 * rows, 128 * rows
        loaded, stored = counters["global_load_lines"], counters["global_store_lines"]
        print(
            f"{target} D {dim}: {loaded} lines of {queries} + {keys}, {stored} of {queries} stored"
            + (": " + error if error else "")
        )


if __name__ == "__main__":
    main()
