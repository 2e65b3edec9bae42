#!/usr/bin/env python3
"""Latent attention (DeepSeek-V2's, absorbed: 576 columns of K, of which the first 512 are V), beside a matmul.

    latent.py compile            the bundles: of a cache that all sequences fill, with lengths, in pages
    latent.py model              bytes, operations and the times that they take, by the facts of h200
    latent.py run [--only REGEX] the table, on a GPU: time, share of the rate of a matmul, TB/s, error
    latent.py check              correctness alone: lengths with NaN behind, pages, a sequence of one key, repetition

One query a sequence, 128 query heads on one KV head, bf16, no options: what the compiler chooses. Each call is captured
into a graph; a replay lies between two events, after a write and a read of 256 MB. The matmul is torch's, 8192 x 8192 x
8192 in bf16, in turns with it. Errors are of rows, against float64, of the first and the last sequence. A run fails where an error is more
than 1 %.
"""

import re
import subprocess
import sys

from common import harness, markdown
from decode import Flush, capture, same_bits, time_graphs

DIRECTORY = harness.ROOT / "build-gpu" / "latent"
HEADS, COLUMNS, VALUES, PAGE = 128, 576, 512, 64
SCALE = 0.1352337788  # 1 / sqrt(192) times DeepSeek's correction for long contexts.
SHAPES = ((1, 8192), (1, 65536), (4, 8192), (16, 8192), (64, 1024), (64, 8192), (64, 8191), (128, 4096), (128, 8192))
LARGEST_ERROR = 1e-2
KERNELS = ("whole", "lengths", "pages")
MATMUL = 8192


def text(kind):
    q, o = (f"tensor<?x{HEADS}x1x{columns}xbf16>" for columns in (COLUMNS, VALUES))
    rows = PAGE if kind == "pages" else "?"
    k, v = (f"tensor<?x1x{rows}x{columns}xbf16>" for columns in (COLUMNS, VALUES))
    arguments = {"whole": (), "lengths": (("lengths", "tensor<?xi32>"),),
                 "pages": (("lengths", "tensor<?xi32>"), ("block_table", "tensor<?x?xi32>"))}[kind]
    given = "".join(f", %{name}: {type}" for name, type in arguments)
    clauses = "".join(f" {name}(%{name} : {type})" for name, type in arguments)
    return (f"func.func @latent(%q: {q}, %k: {k}, %v: {v}{given}) -> {o} {{\n"
            f"  %o = attn.attention %q, %k, %v scale({SCALE}) values(keys){clauses}\n"
            f"      : ({q}, {k}, {v}) -> {o}\n  return %o : {o}\n}}\n")


def compile_half(arguments):
    compiler = harness.find_compiler(arguments.attn_compile)
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    for kind in KERNELS:
        source = DIRECTORY / f"{kind}.mlir"
        source.write_text(text(kind))
        subprocess.run([compiler, source, "--target=h200", "--emit=bundle", "-o", DIRECTORY / kind], check=True)
    print(f"{len(KERNELS)} bundles in {DIRECTORY}")
    return 0


def work(batch, keys):
    """(bytes of K, operations) of a call."""
    return 2 * batch * keys * COLUMNS, 2 * batch * HEADS * keys * (COLUMNS + VALUES)


def facts_of(compiler, target):
    """Numbers by name, as --list-targets has them."""
    listed = subprocess.run([compiler, "--list-targets"], capture_output=True, text=True, check=True).stdout
    own = listed.split(f"\n{target} (", 1)[1]
    return {name: int(number) for name, number in re.findall(r"^  (\w+) +(\d+)  \[", re.split(r"\n(?=\S)", own)[0], re.MULTILINE)}


def model_half(arguments):
    facts = facts_of(harness.find_compiler(arguments.attn_compile), "h200")
    sms, clock, special = facts["sms"], 1e6 * facts["clock_mhz"], facts["special_per_clock"]
    dram, tensor = 1e9 * facts["dram_gbps"], 1e9 * facts["tensor_gflops"]
    # Cycles of a product of a tile of 64 x 64 (PTX: 64 x N x 16 take N / 2 of the four tensor cores).
    table = []
    for batch, keys in SHAPES:
        size, operations = work(batch, keys)
        tiles = batch * (HEADS // 64) * -(-keys // 64)
        products = COLUMNS // 16 * 64 // 2 + 64 // 16 * VALUES // 2
        exponentials = 64 * 64 // special
        slots = max(-(-tiles // sms), 1)
        table.append([f"B {batch} KV {keys}", f"{size / 1e6:.0f}", f"{operations / 1e9:.1f}", f"{size / dram * 1e6:.1f}",
                      f"{operations / tensor * 1e6:.1f}", f"{products}", f"{exponentials}",
                      f"{slots * products / clock * 1e6:.1f}"])
    print(markdown(["shape", "MB of K", "GFLOP", "DRAM us", f"products us at {tensor / 1e12:.0f} TFLOP/s", "MMA cycles a tile",
                    "exponentials' cycles a tile", "products us by tiles of 132 SMs"], table))
    return 0


def paged(torch, k, lengths):
    """The same keys in pages that lie in any order, and the table."""
    batch, keys = k.shape[0], k.shape[2]
    pages = -(-keys // PAGE)
    order = torch.randperm(batch * pages, device="cuda")
    whole = torch.full((batch, pages * PAGE, COLUMNS), float("nan"), device="cuda", dtype=k.dtype)
    whole[:, :keys] = k[:, 0]
    cache = torch.empty(batch * pages, 1, PAGE, COLUMNS, device="cuda", dtype=k.dtype)
    cache[order] = whole.view(batch * pages, 1, PAGE, COLUMNS)
    return cache, order.view(batch, pages).int()


class Call:
    def __init__(self, torch, package, kind, batch, keys, lengths=None):
        self.torch = torch
        self.q = torch.randn(batch, HEADS, 1, COLUMNS, device="cuda").bfloat16()
        self.k = torch.randn(batch, 1, keys, COLUMNS, device="cuda").bfloat16()
        self.lengths = torch.tensor(lengths or [keys] * batch, dtype=torch.int32, device="cuda")
        for i, length in enumerate(lengths or []):
            self.k[i, :, length:] = float("nan")
        cache, more = self.k, () if kind == "whole" else (self.lengths,)
        if kind == "pages":
            cache, table = paged(torch, self.k, self.lengths)
            more += (table,)
        self.o = torch.full((batch, HEADS, 1, VALUES), float("nan"), device="cuda", dtype=torch.bfloat16)
        kernel = package.load(str(DIRECTORY / kind))
        self.prepared = kernel.prepare(self.q, cache, cache[..., :VALUES], *more, out=self.o)

    def launch(self):
        self.prepared.launch(self.torch.cuda.current_stream())

    def error(self, sequences=(0, -1)):
        worst = 0.0
        for i in sequences:
            keys = self.k[i, 0, : self.lengths[i]].double()
            weights = self.torch.softmax(self.q[i, :, 0].double() @ keys.T * SCALE, -1)
            wanted = weights @ keys[:, :VALUES]
            difference = (self.o[i, :, 0] - wanted).norm(dim=-1) / wanted.norm(dim=-1)
            worst = max(worst, difference.max().item()) if not difference.isnan().any() else float("inf")
        return worst


def run_half(arguments):
    torch, attn_mlir = harness.require_gpu()
    flush = Flush(torch)
    a, b = (torch.randn(MATMUL, MATMUL, device="cuda").bfloat16() for _ in range(2))
    matmul = capture(torch, lambda: a @ b)
    table, right = [], True
    for kind in KERNELS:
        for batch, keys in SHAPES:
            name = f"{kind} B {batch} KV {keys}"
            if not re.search(arguments.only, name):
                continue
            call = Call(torch, attn_mlir, kind, batch, keys)
            times = time_graphs(torch, {"ours": capture(torch, call.launch), "matmul": matmul}, 30, flush)
            size, operations = work(batch, keys)
            rate, peak = operations / times["ours"], 2 * MATMUL**3 / times["matmul"]
            error = call.error()
            right &= error <= LARGEST_ERROR
            table.append([name, f"{times['ours']:.1f}", f"{rate / 1e6:.0f}", f"{rate / peak:.3f}", f"{size / times['ours'] / 1e6:.2f}",
                          f"{error:.1e}"])
    print(markdown(["latent attention", "us", "TFLOP/s", "of the matmul's", "TB/s", "error"], table))
    return 0 if right else 1


def check_half(arguments):
    torch, attn_mlir = harness.require_gpu()
    torch.manual_seed(0)
    right = True
    cases = [("whole", 3, 1000, None), ("lengths", 5, 4096, [1, 63, 64, 65, 4096]), ("pages", 5, 4096, [1, 63, 64, 65, 4001]),
             ("lengths", 64, 2048, [17 * i % 2048 + 1 for i in range(64)])]
    for kind, batch, keys, lengths in cases:
        call = Call(torch, attn_mlir, kind, batch, keys, lengths)
        call.launch()
        torch.cuda.synchronize()
        error, first, others = call.error(range(batch)), call.o.clone(), 0
        for _ in range(200):
            call.o.fill_(float("nan"))
            call.launch()
            others += not same_bits(torch, call.o, first)
        right &= error <= LARGEST_ERROR and others == 0
        print(f"{kind} B {batch} KV {keys}{' with lengths' if lengths else ''}: error {error:.1e}, {others} of 200 launches with other bits")
    return 0 if right else 1


def main():
    parser = harness.new_parser(__doc__)
    parser.add_argument("half", choices=("compile", "model", "run", "check"))
    parser.add_argument("--attn-compile", default=str(harness.ROOT / "build/tools/attn-compile/attn-compile"))
    parser.add_argument("--only", default="", metavar="REGEX")
    arguments = parser.parse_args()
    halves = {"compile": compile_half, "model": model_half, "run": run_half, "check": check_half}
    return halves[arguments.half](arguments)


if __name__ == "__main__":
    sys.exit(main())
