"""Runs level 3 of the merge of partial states on the CPU, against float64.

merge-on-cpu.py LIBRARY SPLITS BATCH QUERIES: the kernel as a shared library (attn-compile
--sequential --emit=llvm), in MLIR's C interface.
"""

import ctypes
import os
import random
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "Target", "ROCDL", "Inputs"))
from emulate import check  # noqa: E402
from buffers import encode  # noqa: E402
from written_kernels import Merge  # noqa: E402


def descriptor(view, memory):
    address = ctypes.addressof(memory)
    words = [address, address, 0, *view.sizes, *view.strides]
    return (ctypes.c_int64 * len(words))(*words)


def main():
    library = ctypes.CDLL(sys.argv[1])
    case = Merge(tuple(map(int, sys.argv[2:])))
    inputs, outputs = case.views()
    generator = random.Random(case.name())
    for view in inputs:
        view.fill(generator)
    case.adjust(*inputs)
    views = inputs + outputs
    memory = [ctypes.create_string_buffer(encode(view.values, view.element)) for view in views]
    pointers = [ctypes.byref(descriptor(*pair)) for pair in zip(views, memory)]
    library._mlir_ciface_merge_states_ctas.restype = ctypes.c_int64
    ctas = library._mlir_ciface_merge_states_ctas(*pointers)
    library._mlir_ciface_merge_states(ctypes.c_int64(0), ctypes.c_int64(ctas), *pointers)
    # create_string_buffer ends with a zero.
    results = {i: memory[i].raw[:-1] for i in range(len(inputs), len(views))}
    error = check(case, outputs, case.wanted(*inputs), results)
    print(error or f"{ctas} CTAs: right")
    sys.exit(1 if error else 0)


if __name__ == "__main__":
    main()
