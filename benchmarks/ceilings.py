#!/usr/bin/env python3
"""What keeps attention from the rate of a matrix product: masked parts of tiles, the softmax, and the rest.

    ceilings.py compile    bundles: attention by its default schedule, and the same kernel without softmax
    ceilings.py run        on a GPU: times in drawn turns, beside a matrix product

bf16, 16 heads (D 256: 8), full and causal. The kernel without softmax has the schedule and the passes of the other one, as far
as they are not about the maximum, and P = S / 2: both products, and one operation a score, as products of scores as they are
would be serialized by ptxas. Its results are those of no attention. The matrix product is PyTorch's, of 8192 x 8192 x 8192.

A row says what of attention's time is what: "products", the ones that the mask leaves, at the matrix product's rate;
"masked", those of hidden parts of tiles at that rate, by count, although attention leaves some of them out; "softmax",
what the kernel without it takes less; "rest", what that one takes beside its products: the beginnings and ends of tiles,
slots that are idle at the end, waits for memory.
"""

import json
import re
import subprocess
import sys

from common import attention_text, forward_flops, harness, markdown, time_interleaved

DIRECTORY = harness.ROOT / "build-gpu" / "ceilings"
HEADS = {64: 16, 128: 16, 256: 8}
SIZES = [(8, 1024), (2, 4096), (1, 16384)]
SHAPES = [(dim, causal, *size) for dim in HEADS for causal in (False, True) for size in SIZES]
PRODUCT = 8192
# What is about the maximum of a softmax, or is of operations that a stream by hand is not split by.
ABOUT_SOFTMAX = re.compile(r"optimistic-max|lead=|exact-|stream-k|split-")


def attention(dim, causal, batch, length):
    text = attention_text(HEADS[dim], HEADS[dim], dim, causal)
    return text.replace(f"tensor<?x{HEADS[dim]}x?x", f"tensor<{batch}x{HEADS[dim]}x{length}x")


def products(dim, causal, queries, keys):
    """Level 2: the two products of each tile, and nothing between them; a program, so that counters are cleared."""
    heads = HEADS[dim]
    wide = f"<?x{heads}x?x{dim}xbf16>"
    view, whole_type = f"!attn.view{wide}", f"tensor{wide}"
    scores, sums = f"tensor<{queries}x{keys}xf32>", f"tensor<{queries}x{dim}xf32>"
    q, k, p = f"tensor<{queries}x{dim}xbf16>", f"tensor<{keys}x{dim}xbf16>", f"tensor<{queries}x{keys}xbf16>"
    names = ", ".join(f'["batch", "", "{axis}", ""]' for axis in ("query", "key", "key", "query"))
    seen = "arith.minsi %next, %size : index" if causal else "arith.addi %size, %c0 : index"
    whole = "%first" if causal else "%size"
    views = ", ".join(["affine_map<(a, b, c, d) -> (a, b, c, d)>"] * 4)
    return f"""func.func @program(%q: {whole_type}, %k: {whole_type}, %v: {whole_type}) -> {whole_type} {{
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %batches = tensor.dim %q, %c0 : {whole_type}
  %length = tensor.dim %q, %c2 : {whole_type}
  %o = tensor.empty(%batches, %length) : {whole_type}
  %r = attn.launch @products ins(%q, %k, %v : {whole_type}, {whole_type}, {whole_type}) outs(%o : {whole_type}) views [{views}] -> {whole_type}
  return %r : {whole_type}
}}
attn.kernel @products(%q: {view}, %k: {view}, %v: {view}, %o: {view}) attributes {{outputs = 1 : i64, dim_names = [{names}]}} {{
  %none = arith.constant dense<0.0> : {scores}
  %zero = arith.constant dense<0.0> : {sums}
  %half = arith.constant dense<0.5> : {scores}
  %c0 = arith.constant 0 : index
  %queries = arith.constant {queries} : index
  %keys = arith.constant {keys} : index
  %heads = arith.constant {heads} : index
  %batches = attn.dim %q, 0 : {wide}
  %length = attn.dim %q, 2 : {wide}
  %size = attn.dim %k, 2 : {wide}
  %tiles = arith.ceildivui %length, %queries : index
  attn.grid (%b, %h, %t) visit %visit in (batch = %batches, kv_head = %heads, query = %tiles) sharing [batch, kv_head] {{
    %first = arith.muli %t, %queries : index
    %next = arith.addi %first, %queries : index
    %seen = {seen}
    %up = arith.ceildivui %seen, %keys : index
    %end = arith.muli %up, %keys : index
    %down = arith.divui {whole}, %keys : index
    %full = arith.muli %down, %keys : index
    %qt = attn.load %q[%b, %h, %first, %c0] : {wide} -> {q}
    %r = attn.stream %pos step {keys} over [%c0 to %full, masked %full to %end] carry (%sum = %zero : {sums}) {{
      %kt = attn.load %k[%b, %h, %pos, %c0] : {wide} -> {k}
      %vt = attn.load %v[%b, %h, %pos, %c0] : {wide} -> {k}
      %s = attn.dot %qt, %kt, %none transpose_rhs : {q}, {k} into {scores}
      %halved = arith.mulf %s, %half : {scores}
      %p = arith.truncf %halved : {scores} to {p}
      %added = attn.dot %p, %vt, %sum : {p}, {k} into {sums}
      attn.yield %added : {sums}
    }}
    %n = arith.truncf %r : {sums} to {q}
    attn.store %n, %o[%b, %h, %first, %c0] : {q} -> {wide}
  }}
}}
"""


def name_of(dim, causal, batch, length):
    return f"d{dim}-{'causal' if causal else 'full'}-{batch}x{length}"


def options_of(compiler, source, target):
    """The schedule and the lowering that attention has by default."""
    page = subprocess.run([compiler, "-", f"--target={target}", "--explain"], input=source, capture_output=True, text=True, check=True)
    return re.search(r"^options: (.*) \| (.*)$", page.stdout, re.M).groups()


def without_softmax(options):
    return " ".join(option for option in options.split() if not ABOUT_SOFTMAX.match(option))


def compile_half(arguments):
    compiler, jobs = harness.find_compiler(arguments.attn_compile), []
    if not compiler:
        return 0 if harness.compile_jobs([], arguments) is None else 1
    for shape in SHAPES:
        source = attention(*shape)
        schedule, lower = options_of(compiler, source, arguments.target)
        queries, keys = map(int, re.search(r"tiles=query=(\d+),key=(\d+)", schedule).groups())
        jobs.append(harness.Job(DIRECTORY / name_of(*shape), source, "", "", arguments.target))
        jobs.append(harness.Job(DIRECTORY / (name_of(*shape) + "-products"), products(*shape[:2], queries, keys),
                                without_softmax(schedule), without_softmax(lower), arguments.target))
        harness.write_json(DIRECTORY / (name_of(*shape) + "-tiles.json"), {"queries": queries, "keys": keys})
    return 1 if harness.compile_jobs(jobs, arguments) else 0


def computed_share(causal, length, queries, keys):
    """Scores that tiles have, over those that the mask leaves."""
    ends = [min(first + queries, length) if causal else length for first in range(0, length, queries)]
    computed = sum(queries * -(-end // keys) * keys for end in ends)
    return computed / (length * length / (2 if causal else 1))


def measure(torch, package, shape, rounds):
    dim, causal, batch, length = shape
    tensors = [torch.randn(batch, HEADS[dim], length, dim, device="cuda").to(torch.bfloat16) for _ in range(3)]
    a, b = (torch.randn(PRODUCT, PRODUCT, device="cuda").to(torch.bfloat16) for _ in range(2))
    out, calls = torch.empty_like(tensors[0]), {"matmul": lambda turn: a @ b}
    for name in ("attention", "products"):
        kernel = package.load(str(DIRECTORY / (name_of(*shape) + ("-products" if name == "products" else ""))))
        calls[name] = lambda turn, kernel=kernel: kernel(*tensors, out=out)
    times = time_interleaved(torch, calls, rounds)
    flops = forward_flops(batch, HEADS[dim], length, dim, causal)
    rate = 2 * PRODUCT**3 / times["matmul"]
    tiles = json.loads((DIRECTORY / (name_of(*shape) + "-tiles.json")).read_text())
    needed = flops / rate
    masked = needed * (computed_share(causal, length, tiles["queries"], tiles["keys"]) - 1)
    shares = [needed, masked, times["attention"] - times["products"], times["products"] - needed - masked]
    speeds = [flops / times["attention"] / 1e9, flops / times["products"] / 1e9, rate / 1e9]
    return ([f"D {dim} {'causal' if causal else 'full'}, B {batch} S {length}", f"{tiles['queries']} x {tiles['keys']}"]
            + [f"{speed:.0f}" for speed in speeds] + [f"{100 * share / times['attention']:.1f}" for share in shares])


def run_half(arguments):
    torch, package = harness.require_gpu(arguments.strict)
    missing = [name_of(*shape) for shape in SHAPES if not (DIRECTORY / name_of(*shape) / "manifest.json").is_file()]
    if missing:
        print(f"expected bundles by 'ceilings.py compile', but got none of {', '.join(missing)}", file=sys.stderr)
        return 1
    rows = [measure(torch, package, shape, arguments.rounds) for shape in SHAPES]
    print(harness.describe_device(torch))
    print(markdown(["", "tiles", "TFLOP/s", "without softmax", "matmul", "products %", "masked", "softmax", "rest"], rows))
    return 0


def main():
    parser = harness.new_parser(__doc__)
    _, run_parser = harness.add_halves(parser)
    run_parser.add_argument("--rounds", type=int, default=12)
    arguments = parser.parse_args()
    return compile_half(arguments) if arguments.half == "compile" else run_half(arguments)


if __name__ == "__main__":
    sys.exit(main())
