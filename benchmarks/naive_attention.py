#!/usr/bin/env python3
"""Attention in three kernels, with scores and probabilities in global memory: the
ladder's first rung, level-2 IR written by hand.

    naive_attention.py      checks the kernels on the CPU against float64;
                            wants mlir-translate and clang

S = scale Q K^T is written, masked, in units of log2; P = softmax(S) is written by
rows; O = P V. S and P are bf16, as in a framework without a fused kernel; products
are summed in f32. All tiles are computed, the masked ones too. Batch and length are
dynamic.
"""

import ctypes
import math
import os
import random
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

NAMES = ("scores", "softmax", "values")

# Q K^T: a tile of 128 x 128 by each CTA, features in steps of 64. The mask is a
# select, as every tile is masked.
SCORES = """\
attn.kernel @scores(%q: {qv}, %k: {kv}, %s: {sv})
    attributes {{dim_names = [["batch", "", "query", ""], ["batch", "", "key", ""], ["batch", "", "query", "key"]],
                outputs = 1 : i64, permutations = [#id, #id, #id]}} {{
  %c0 = arith.constant 0 : index
  %heads = arith.constant {heads} : index
  %group = arith.constant {group} : index
  %c128 = arith.constant 128 : index
  %dim = arith.constant {dim} : index
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %scale = arith.constant dense<{scale}> : tensor<128x128xf32>
  %batches = attn.dim %q, 0 : {qv}
  %queries = attn.dim %q, 2 : {qv}
  %keys = attn.dim %k, 2 : {kv}
  %rows = arith.ceildivui %queries, %c128 : index
  %columns = arith.ceildivui %keys, %c128 : index
  attn.grid (%b, %h, %i, %j) visit %n in (batch = %batches, head = %heads, query = %rows, key = %columns) {{
    %g = arith.divui %h, %group : index
    %row = arith.muli %i, %c128 : index
    %column = arith.muli %j, %c128 : index
    %d = attn.stream %f step 64 over [%c0 to %dim] carry (%c = %zero : tensor<128x128xf32>) {{
      %qt = attn.load %q[%b, %h, %row, %f] : {qv} -> tensor<128x64xbf16>
      %kt = attn.load %k[%b, %g, %column, %f] : {kv} -> tensor<128x64xbf16>
      %dot = attn.dot %qt, %kt, %c transpose_rhs
          : tensor<128x64xbf16>, tensor<128x64xbf16> into tensor<128x128xf32>
      attn.yield %dot : tensor<128x128xf32>
    }}
    %x = arith.mulf %d, %scale : tensor<128x128xf32>
{mask}    %out = arith.truncf {masked} : tensor<128x128xf32> to tensor<128x128xbf16>
    attn.store %out, %s[%b, %h, %row, %column] : tensor<128x128xbf16> -> {sv}
  }}
}}
"""

CAUSAL = """\
    %infinite = arith.constant dense<0xFF800000> : tensor<128x128xf32>
    %is = attn.iota 0 from %row : tensor<128x128xindex>
    %js = attn.iota 1 from %column : tensor<128x128xindex>
    %keep = arith.cmpi sle, %js, %is : tensor<128x128xindex>
    %masked = arith.select %keep, %x, %infinite : tensor<128x128xi1>, tensor<128x128xf32>
"""

# 64 rows by each CTA, read twice: maximum and sum; then P, normalised.
SOFTMAX = """\
attn.kernel @softmax(%s: {sv}, %p: {sv})
    attributes {{dim_names = [["batch", "", "query", "key"], ["batch", "", "query", "key"]],
                outputs = 1 : i64, permutations = [#id, #id]}} {{
  %c0 = arith.constant 0 : index
  %heads = arith.constant {heads} : index
  %c64 = arith.constant 64 : index
  %c128 = arith.constant 128 : index
  %lowest = arith.constant dense<-3.40282347E+38> : tensor<64xf32>
  %none = arith.constant dense<0.0> : tensor<64xf32>
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %batches = attn.dim %s, 0 : {sv}
  %queries = attn.dim %s, 2 : {sv}
  %keys = attn.dim %s, 3 : {sv}
  %rows = arith.ceildivui %queries, %c64 : index
  %tiles = arith.divui %keys, %c128 : index
  %whole = arith.muli %tiles, %c128 : index
  attn.grid (%b, %h, %i) visit %n in (batch = %batches, head = %heads, query = %rows) {{
    %row = arith.muli %i, %c64 : index
    %m, %l = attn.stream %j step 128 over [%c0 to %whole, masked %whole to %keys]
        carry (%mc = %lowest, %lc = %none : tensor<64xf32>, tensor<64xf32>) {{
      %t = attn.load %s[%b, %h, %row, %j] : {sv} -> tensor<64x128xbf16>
      %x = arith.extf %t : tensor<64x128xbf16> to tensor<64x128xf32>
      %js = attn.iota 1 from %j : tensor<64x128xindex>
      %end = tensor.splat %keys : tensor<64x128xindex>
      %exists = arith.cmpi slt, %js, %end : tensor<64x128xindex>
      %xm = attn.mask %x keep %exists : tensor<64x128xf32>
      %max = attn.reduce max %xm : tensor<64x128xf32>
      %mn = arith.maximumf %mc, %max : tensor<64xf32>
      %mb = attn.broadcast %mn : tensor<64xf32> to tensor<64x128xf32>
      %d = arith.subf %xm, %mb : tensor<64x128xf32>
      %e = math.exp2 %d : tensor<64x128xf32>
      %dm = arith.subf %mc, %mn : tensor<64xf32>
      %alpha = math.exp2 %dm : tensor<64xf32>
      %la = arith.mulf %lc, %alpha : tensor<64xf32>
      %sum = attn.reduce sum %e : tensor<64x128xf32>
      %ln = arith.addf %la, %sum : tensor<64xf32>
      attn.yield %mn, %ln : tensor<64xf32>, tensor<64xf32>
    }}
    %inverse = arith.divf %one, %l : tensor<64xf32>
    attn.stream %j step 128 over [%c0 to %keys] {{
      %t = attn.load %s[%b, %h, %row, %j] : {sv} -> tensor<64x128xbf16>
      %x = arith.extf %t : tensor<64x128xbf16> to tensor<64x128xf32>
      %mb = attn.broadcast %m : tensor<64xf32> to tensor<64x128xf32>
      %d = arith.subf %x, %mb : tensor<64x128xf32>
      %e = math.exp2 %d : tensor<64x128xf32>
      %ib = attn.broadcast %inverse : tensor<64xf32> to tensor<64x128xf32>
      %y = arith.mulf %e, %ib : tensor<64x128xf32>
      %out = arith.truncf %y : tensor<64x128xf32> to tensor<64x128xbf16>
      attn.store %out, %p[%b, %h, %row, %j] : tensor<64x128xbf16> -> {sv}
      attn.yield
    }}
  }}
}}
"""

# P V: 128 rows by each CTA, keys in steps of 64.
VALUES = """\
attn.kernel @values(%p: {sv}, %v: {kv}, %o: {qv})
    attributes {{dim_names = [["batch", "", "query", "key"], ["batch", "", "key", ""], ["batch", "", "query", ""]],
                outputs = 1 : i64, permutations = [#id, #id, #id]}} {{
  %c0 = arith.constant 0 : index
  %heads = arith.constant {heads} : index
  %group = arith.constant {group} : index
  %c128 = arith.constant 128 : index
  %zero = arith.constant dense<0.0> : tensor<128x{dim}xf32>
  %batches = attn.dim %p, 0 : {sv}
  %queries = attn.dim %p, 2 : {sv}
  %keys = attn.dim %v, 2 : {kv}
  %rows = arith.ceildivui %queries, %c128 : index
  attn.grid (%b, %h, %i) visit %n in (batch = %batches, head = %heads, query = %rows) {{
    %g = arith.divui %h, %group : index
    %row = arith.muli %i, %c128 : index
    %a = attn.stream %j step 64 over [%c0 to %keys] carry (%c = %zero : tensor<128x{dim}xf32>) {{
      %pt = attn.load %p[%b, %h, %row, %j] : {sv} -> tensor<128x64xbf16>
      %vt = attn.load %v[%b, %g, %j, %c0] : {kv} -> tensor<64x{dim}xbf16>
      %dot = attn.dot %pt, %vt, %c
          : tensor<128x64xbf16>, tensor<64x{dim}xbf16> into tensor<128x{dim}xf32>
      attn.yield %dot : tensor<128x{dim}xf32>
    }}
    %out = arith.truncf %a : tensor<128x{dim}xf32> to tensor<128x{dim}xbf16>
    attn.store %out, %o[%b, %h, %row, %c0] : tensor<128x{dim}xbf16> -> {qv}
  }}
}}
"""


def sources(heads, kv_heads, dim, causal):
    """name -> level-2 MLIR of a kernel, in the order of their launches. `dim`: a
    multiple of 64, that features are whole tiles of the scores."""
    if dim % 64 or heads % kv_heads:
        raise ValueError(
            f"expected D a multiple of 64 and H of Hkv, but got D {dim}, H {heads}/{kv_heads}"
        )
    fields = {
        "heads": heads,
        "group": heads // kv_heads,
        "dim": dim,
        "scale": f"{math.log2(math.e) / math.sqrt(dim):.9e}",
        "qv": f"!attn.view<?x{heads}x?x{dim}xbf16>",
        "kv": f"!attn.view<?x{kv_heads}x?x{dim}xbf16>",
        "sv": f"!attn.view<?x{heads}x?x?xbf16>",
        "mask": CAUSAL if causal else "",
        "masked": "%masked" if causal else "%x",
    }
    identity = "#id = affine_map<(a, b, c, d) -> (a, b, c, d)>\n"
    return {
        name: identity + text.format(**fields)
        for name, text in zip(NAMES, (SCORES, SOFTMAX, VALUES))
    }


def is_naive(directory):
    return all((directory / name / "manifest.json").is_file() for name in NAMES)


class Naive:
    """The bundles of the three kernels in `directory`, called as one kernel is. S and
    P (2 B H Sq Skv bytes each) are kept from call to call of one shape, so that their
    allocation is not measured."""

    def __init__(self, directory, attn_mlir):
        self.scores, self.softmax, self.values = (
            attn_mlir.load(str(directory / name)) for name in NAMES
        )
        self.buffers = {}

    def __call__(self, q, k, v, out=None):
        shape = (*q.shape[:3], k.shape[2])
        if shape not in self.buffers:
            self.buffers = {shape: [q.new_empty(shape) for _ in range(2)]}
        s, p = self.buffers[shape]
        self.scores(q, k, out=s)
        self.softmax(s, out=p)
        return self.values(p, v, out=out)


# ---------------------------------------------------------------------------
# On the CPU


def to_bits(number):
    """bf16, rounded to nearest even."""
    (bits,) = struct.unpack("=I", struct.pack("=f", number))
    return (bits + 0x7FFF + (bits >> 16 & 1)) >> 16 & 0xFFFF


def to_float(bits):
    return struct.unpack("=f", struct.pack("=I", bits << 16))[0]


class Memref(ctypes.Structure):
    """A contiguous tensor of rank 4, as MLIR's C interface takes it."""

    _fields_ = [
        ("base", ctypes.c_void_p), ("data", ctypes.c_void_p), ("offset", ctypes.c_int64),
        ("sizes", ctypes.c_int64 * 4), ("strides", ctypes.c_int64 * 4),
    ]  # fmt: skip

    def __init__(self, shape, number=lambda: math.nan):
        self.bits = (ctypes.c_uint16 * math.prod(shape))(
            *(to_bits(number()) for _ in range(math.prod(shape)))
        )
        strides = [math.prod(shape[i + 1 :]) for i in range(4)]
        address = ctypes.addressof(self.bits)
        super().__init__(
            address, address, 0, (ctypes.c_int64 * 4)(*shape), (ctypes.c_int64 * 4)(*strides)
        )

    def row(self, *index):
        start = sum(i * s for i, s in zip(index, self.strides))
        return [to_float(b) for b in self.bits[start : start + self.sizes[3]]]


def build(name, source, directory, compiler, tools):
    """The kernel as machine code of this CPU."""

    def run(*command):
        subprocess.run([str(part) for part in command], check=True)

    mlir, lowered, ir, code = (
        directory / f"{name}{suffix}" for suffix in (".mlir", ".llvm.mlir", ".ll", ".so")
    )
    mlir.write_text(source)
    run(compiler, mlir, "--emit=llvm", "-o", lowered)
    # mlir-translate does not know the dialect.
    lowered.write_text(re.sub(r"attn\.\w+ = \[.*?\](, )?", "", lowered.read_text()))
    run(tools["mlir-translate"], "--mlir-to-llvmir", lowered, "-o", ir)
    flags = ("-O2", "-march=native", "-Wno-override-module", "-shared", "-fPIC")
    run(tools["clang"], *flags, ir, "-lm", "-o", code)
    return ctypes.CDLL(str(code))


def run_kernel(code, name, *views):
    """All CTAs, one after the other."""
    arguments = [ctypes.byref(view) for view in views]
    count = getattr(code, f"_mlir_ciface_{name}_ctas")
    count.restype = ctypes.c_int64
    getattr(code, f"_mlir_ciface_{name}")(
        ctypes.c_int64(0), ctypes.c_int64(count(*arguments)), *arguments
    )


def reference_row(q, keys, values, visible):
    """A row of O in float64."""
    scale = 1 / math.sqrt(len(q))
    scores = [scale * sum(map(float.__mul__, q, k)) for k in keys[:visible]]
    top = max(scores)
    weights = [math.exp(s - top) for s in scores]
    total = sum(weights)
    columns = zip(*values[:visible])
    return [sum(map(float.__mul__, weights, column)) / total for column in columns]


def row_error(q, k, v, o, causal):
    """The largest over rows of |o - r| / |r|."""
    batch, heads, length, _ = q.sizes
    group = heads // k.sizes[1]
    worst = 0.0
    for b in range(batch):
        for h in range(heads):
            keys, values = (
                [t.row(b, h // group, j) for j in range(t.sizes[2])] for t in (k, v)
            )
            for i in range(length):
                want = reference_row(q.row(b, h, i), keys, values, i + 1 if causal else None)
                error = math.dist(o.row(b, h, i), want) / math.hypot(*want)
                worst = max(worst, math.inf if math.isnan(error) else error)
    return worst


def check(causal, compiler, tools, directory, generator):
    batch, heads, kv_heads, length, dim = 2, 2, 1, 161, 64
    code = {
        name: build(f"{name}-{causal}", source, directory, compiler, tools)
        for name, source in sources(heads, kv_heads, dim, causal).items()
    }
    normal = lambda: generator.gauss(0, 1)
    q = Memref((batch, heads, length, dim), normal)
    k, v = (Memref((batch, kv_heads, length, dim), normal) for _ in range(2))
    s, p = (Memref((batch, heads, length, length)) for _ in range(2))
    o = Memref((batch, heads, length, dim))
    for name, views in zip(NAMES, ((q, k, s), (s, p), (p, v, o))):
        run_kernel(code[name], name, *views)
    return row_error(q, k, v, o, causal)


def main():
    sys.path.insert(0, str(Path(__file__).resolve().parent))
    from common import harness

    parser = harness.new_parser(__doc__)
    harness.add_compile_arguments(parser)
    harness.add_run_arguments(parser)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 30))
    parser.add_argument(
        "--bound", type=float, default=2e-2, help="largest error of a row of O (default: 0.02)"
    )
    arguments = parser.parse_args()
    compiler = harness.find_compiler(arguments.attn_compile)
    if not compiler:
        harness.skip(f"no {arguments.attn_compile}", arguments.strict)
    places = os.pathsep.join(["/usr/lib/llvm-22/bin", os.environ.get("PATH", "")])
    tools = {name: shutil.which(name, path=places) for name in ("mlir-translate", "clang")}
    for name, path in tools.items():
        if not path:
            harness.skip(f"no {name} in PATH", arguments.strict)
    print(f"seed {arguments.seed}", flush=True)
    generator = random.Random(arguments.seed)
    worst = 0.0
    with tempfile.TemporaryDirectory() as directory:
        for causal in (False, True):
            error = check(causal, compiler, tools, Path(directory), generator)
            worst = max(worst, error)
            print(
                f"{'causal' if causal else 'full'}: row-wise relative error against float64: "
                f"{error:.3g} (bound {arguments.bound:g}): "
                f"{'PASS' if error <= arguments.bound else 'FAIL'}",
                flush=True,
            )
    sys.exit(0 if worst <= arguments.bound else 1)


if __name__ == "__main__":
    main()
