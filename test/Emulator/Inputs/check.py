"""Compares what attn-emulate dumped with a computation in Python.

usage: check.py softmax IN OUT ROWS N
       check.py matmul TYPE A B C M N K
"""

import math
import struct
import sys


def read(path, kind):
    with open(path, "rb") as file:
        data = file.read()
    if kind == "bf16":
        bits = struct.unpack(f"<{len(data) // 2}H", data)
        return struct.unpack(f"<{len(bits)}f", struct.pack(f"<{len(bits)}I", *[b << 16 for b in bits]))
    code, size = {"f32": ("f", 4), "f16": ("e", 2)}[kind]
    return struct.unpack(f"<{len(data) // size}{code}", data)


def compare(got, want, bound):
    worst = max(abs(g - w) if math.isfinite(g) else math.inf for g, w in zip(got, want))
    if len(got) != len(want) or not worst <= bound:
        sys.exit(f"error {worst}, bound {bound}")
    print(f"{len(got)} results within {bound}")


def softmax(source, result, rows, n):
    values, want = read(source, "f32"), []
    for row in range(int(rows)):
        line = values[row * int(n) : (row + 1) * int(n)]
        top = max(line)
        weights = [math.exp(x - top) for x in line]
        want += [w / sum(weights) for w in weights]
    compare(read(result, "f32"), want, 1e-6)


def matmul(kind, a, b, c, m, n, k):
    m, n, k = int(m), int(n), int(k)
    a, b = read(a, kind), read(b, kind)
    want = [
        sum(x * y for x, y in zip(a[i * k : i * k + k], b[j * k : j * k + k]))
        for i in range(m)
        for j in range(n)
    ]
    compare(read(c, "f32"), want, 1e-5 * k)


{"softmax": softmax, "matmul": matmul}[sys.argv[1]](*sys.argv[2:])
