#!/usr/bin/env python3
"""Decoding, and few queries of a long cache, against cuDNN, FlashAttention-2 and -3.

    decode.py compile             a bundle for each of the heads and head dimensions
                                  (--target: of the chip that is measured, h200 or h100)
    decode.py run [--fa3 WHEEL]   the table, on a GPU; --fa3: the wheel of fa3-fwd
    decode.py run --only REGEX    shapes whose name matches: d128-32-8 B 1 KV 4096
    decode.py check               that results do not change: a sequence alone and among
                                  others, with parts of a stated length; launches over
                                  workspaces full of NaN
    decode.py lengths             64 sequences of a cache, whose lengths the device reads:
                                  even ones, and one that has half of all keys

bf16, no options: what the compiler chooses. B 1 to 128, 1024 to 131072 keys, as far as
K and V take at most 32 GiB; query heads on KV heads 32/8, 64/8 and 32/32, D 64 and 128;
normally distributed inputs. Few queries: 16 to 512 of 4096 to 32768 keys, B 1, 32/8, D 128,
causal from the bottom right, which of the peers FlashAttention-3 alone has. Each kernel is
captured into a graph; a replay lies between two events, after a write and a read of 256 MB,
which leave nothing of K and V in L2 and nothing there that memory still has to take: behind
a write alone 50 MB go back to memory while a kernel is timed. Medians, in turns that are drawn. TB/s count K and V once. FlashAttention-3 gets K and V in its own
order (B S H D), with its own number of splits. The error is against float64, of two
sequences.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from common import geometric_mean, harness, markdown, median

DIRECTORY = harness.ROOT / "build-gpu" / "decode"
HEADS = ((32, 8), (64, 8), (32, 32))
DIMS = (64, 128)
BATCHES = (1, 4, 16, 64, 128)
LENGTHS = (1024, 4096, 16384, 65536, 131072)
MOST_BYTES = 32 << 30
LARGE_BYTES = 256 * 10**6
PEERS = ("cuDNN", "FA2", "FA3")
FEW = "few"
# Parts that do not depend on the batch.
INVARIANT = ("invariant", "--schedule=pack-group split-length=1024 tiles=query=64,key=64",
             "--lower=wgmma=all specialize stages=2")
# Lengths that are read on the device, of a cache of so many keys: as many in all.
LISTED, CAPACITY = "lengths", 131072
BATCHES_OF_LENGTHS = {"even": [4096] * 64, "one of 64 has half": [CAPACITY] + [2080] * 63}
FEW_QUERIES = (16, 64, 128, 256, 512)
FEW_LENGTHS = (4096, 16896, 32768)


def text(heads, kv_heads, dim, queries="1", lengths=False):
    argument = ", %n: tensor<?xi32>" if lengths else ""
    clause = " lengths(%n : tensor<?xi32>)" if lengths else ""
    q = f"tensor<?x{heads}x{queries}x{dim}xbf16>"
    kv = f"tensor<?x{kv_heads}x?x{dim}xbf16>"
    return (
        f"func.func @decode(%q: {q}, %k: {kv}, %v: {kv}{argument}) -> {q} {{\n"
        f"  %o = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>)"
        f" scale({round(dim ** -0.5, 9)!r}){clause}\n"
        f"      : ({q}, {kv}, {kv}) -> {q}\n"
        f"  return %o : {q}\n}}\n"
    )


def name_of(heads, kv_heads, dim):
    return f"d{dim}-{heads}-{kv_heads}"


def kernels():
    return [(name_of(h, kv, d), h, kv, d) for d in DIMS for h, kv in HEADS] + [(FEW, 32, 8, 128)]


def shapes(kernel):
    """(batch, queries, keys) that a kernel is measured at."""
    if kernel[0] == FEW:
        return [(1, queries, keys) for queries in FEW_QUERIES for keys in FEW_LENGTHS]
    return [(batch, 1, keys) for batch in BATCHES for keys in LENGTHS
            if 4 * batch * kernel[2] * keys * kernel[3] <= MOST_BYTES]


def compile_half(arguments):
    compiler = harness.find_compiler(arguments.attn_compile)
    target = f"--target={arguments.target}"
    DIRECTORY.mkdir(parents=True, exist_ok=True)
    for name, heads, kv_heads, dim in kernels():
        source = DIRECTORY / f"{name}.mlir"
        source.write_text(text(heads, kv_heads, dim, "?" if name == FEW else "1"))
        subprocess.run([compiler, source, target, "--emit=bundle", "-o", DIRECTORY / name],
                       check=True)
    name, *options = INVARIANT
    subprocess.run([compiler, DIRECTORY / "d128-32-8.mlir", target, *options,
                    "--emit=bundle", "-o", DIRECTORY / name], check=True)
    source = DIRECTORY / f"{LISTED}.mlir"
    source.write_text(text(32, 8, 128, lengths=True))
    subprocess.run([compiler, source, target, "--emit=bundle", "-o", DIRECTORY / LISTED],
                   check=True)
    print(f"{len(kernels()) + 2} bundles in {DIRECTORY}")
    return 0


def import_fa3(wheel):
    """The interface of fa3-fwd, of its wheel or a folder where that is installed; null without one."""
    if not wheel:
        return None
    place = wheel
    if not Path(wheel).is_dir():
        place = tempfile.mkdtemp()
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index",
                        "--target", place, wheel], check=True)
    sys.path.insert(0, place)
    import fa3_fwd_config
    sys.modules["flash_attn_config"] = fa3_fwd_config
    import fa3_fwd_interface
    return fa3_fwd_interface


def capture(torch, call):
    """A graph of a call."""
    with torch.cuda.stream(torch.cuda.Stream()):
        for _ in range(2):
            call()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return graph


class Shape:
    """Inputs, and a call for each kernel, captured into graphs."""

    def __init__(self, torch, package, fa3, kernel, batch, queries, keys):
        self.torch, self.fa3 = torch, fa3
        name, self.heads, self.kv_heads, self.dim = kernel
        self.bytes = 2 * batch * self.kv_heads * keys * self.dim * 2

        def normal(*shape):
            return torch.randn(shape, device="cuda", dtype=torch.bfloat16)

        self.q = normal(batch, self.heads, queries, self.dim)
        self.k, self.v = (normal(batch, self.kv_heads, keys, self.dim) for _ in range(2))
        bundle = package.load(str(DIRECTORY / name))
        self.o = torch.full_like(self.q, float("nan"))
        self.prepared = bundle.prepare(self.q, self.k, self.v, out=self.o)
        self.graphs = {"ours": self.capture(
            lambda: self.prepared.launch(torch.cuda.current_stream()))}
        self.add_peers()

    def capture(self, call):
        return capture(self.torch, call)

    def add_peers(self):
        from torch.nn.attention import SDPBackend, sdpa_kernel
        from torch.nn.functional import scaled_dot_product_attention as sdpa

        def by(backend):
            with sdpa_kernel(backend):
                return sdpa(self.q, self.k, self.v, enable_gqa=True)

        # Of several queries, `is_causal` means another mask.
        if self.q.shape[2] == 1:
            self.graphs["cuDNN"] = self.capture(lambda: by(SDPBackend.CUDNN_ATTENTION))
            self.graphs["FA2"] = self.capture(lambda: by(SDPBackend.FLASH_ATTENTION))
        if self.fa3:
            q, self.k3, self.v3 = (
                x.transpose(1, 2).contiguous() for x in (self.q, self.k, self.v))
            self.graphs["FA3"] = self.capture(
                lambda: self.fa3.flash_attn_with_kvcache(q, self.k3, self.v3, causal=True))

    def error(self):
        torch = self.torch
        q, k, v, o = (x[-2:].double() for x in (self.q, self.k, self.v, self.o))
        group = self.heads // self.kv_heads
        worst = 0.0
        for head in range(self.kv_heads):
            rows = slice(head * group, (head + 1) * group)
            scores = q[:, rows] @ k[:, head, None].transpose(-1, -2) * round(self.dim ** -0.5, 9)
            queries, keys = scores.shape[-2:]
            hidden = torch.ones(queries, keys, device="cuda").triu(keys - queries + 1).bool()
            wanted = torch.softmax(scores.masked_fill(hidden, -torch.inf), -1) @ v[:, head, None]
            difference = (o[:, rows] - wanted).norm(dim=-1) / wanted.norm(dim=-1)
            worst = max(worst, difference.max().item())
        return worst


class Flush:
    """Leaves nothing of other tensors in L2, and nothing that is yet to be written."""

    def __init__(self, torch):
        self.written, self.read = (torch.zeros(64 * 10**6, device="cuda") for _ in range(2))

    def __call__(self):
        self.written.zero_()
        self.read.sum()


def time_graphs(torch, graphs, rounds, flush):
    import random

    draw, events = random.Random(rounds), {name: [] for name in graphs}
    for _ in range(rounds):
        for name in draw.sample(list(graphs), len(graphs)):
            flush()
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            graphs[name].replay()
            end.record()
            events[name].append((begin, end))
    torch.cuda.synchronize()
    return {name: median([b.elapsed_time(e) * 1e3 for b, e in pairs])
            for name, pairs in events.items()}


def summarise(rows):
    """Of (bytes, ratio): how the shapes stand to the best peer."""
    for name, some in (
        ("K and V beyond 256 MB", [r for size, r in rows if size > LARGE_BYTES]),
        ("smaller", [r for size, r in rows if size <= LARGE_BYTES]),
    ):
        if some:
            print(f"{name}: {len(some)} shapes, geometric mean {geometric_mean(some):.3f} of the "
                  f"best peer, least {min(some):.3f}, below 0.98: {sum(r < 0.98 for r in some)}, "
                  f"below 0.95: {sum(r < 0.95 for r in some)}")


def measure(torch, package, fa3, flush, kernel, shape, only, table, ratios):
    """Adds a row of the table, and (bytes, the best peer's time over ours)."""
    batch, queries, keys = shape
    name = f"{kernel[0]} B {batch} {f'Sq {queries} ' if queries > 1 else ''}KV {keys}"
    if not re.search(only, name) or (queries > 1 and not fa3):
        return
    size = 4 * batch * kernel[2] * keys * kernel[3]
    # FlashAttention-3 has a copy of K and V, and float64 takes two sequences of them.
    needed = size * (2 if fa3 else 1) + 4 * size * min(batch, 2) // batch + (1 << 30)
    if needed > torch.cuda.get_device_properties(0).total_memory:
        print(f"SKIPPED: {name} takes {needed >> 30} GiB, more than this GPU has")
        return
    calls = Shape(torch, package, fa3, kernel, *shape)
    times = time_graphs(torch, calls.graphs, 30 if size < 2 << 30 else 10, flush)
    ours = times.pop("ours")
    best = min(times, key=times.get)
    ratios.append((size, times[best] / ours))
    table.append([name, f"{ours:.1f}", f"{size / ours / 1e6:.2f}", *(f"{t:.1f}" for t in times.values()),
                  best, f"{times[best] / ours:.3f}", f"{calls.error():.1e}"])
    del calls
    torch.cuda.empty_cache()


def inputs(torch, batch, keys):
    shapes = ((batch, 32, 1, 128), (batch, 8, keys, 128), (batch, 8, keys, 128))
    return [torch.randn(shape, device="cuda").bfloat16() for shape in shapes]


def same_bits(torch, x, y):
    return torch.equal(x.view(torch.int16), y.view(torch.int16))


def check_invariance(torch, kernel):
    """Whether each of 64 sequences has the bits that it has by itself."""
    right = True
    for keys in (130, 1024, 5000, 8192):
        q, k, v = inputs(torch, 64, keys)
        alone = torch.cat([kernel(q[i:i + 1], k[i:i + 1], v[i:i + 1]) for i in range(64)])
        same = same_bits(torch, kernel(q, k, v), alone)
        print(f"64 sequences of {keys} keys, alone and among the others: "
              f"{'the same bits' if same else 'OTHER bits'}")
        right &= same
    return right


def check_repetition(torch, kernel, launches=1000):
    """Whether all launches have one result, whatever the workspace held."""
    q, k, v = inputs(torch, 2, 20000)
    o = torch.empty_like(q)
    size = kernel.workspace_bytes(q, k, v, out=o)
    room = torch.empty(size + 256, dtype=torch.uint8, device="cuda")
    base = (room.data_ptr() + 255) // 256 * 256
    first, others = None, 0
    for _ in range(launches):
        room.fill_(0xFF)
        o.fill_(float("nan"))
        kernel(q, k, v, out=o, workspace=(base, size))
        first = o.clone() if first is None else first
        others += not same_bits(torch, o, first)
    finite = not torch.isnan(first).any().item()
    print(f"{launches} launches over {size} bytes of NaN: {others} with other bits than the first"
          f"{'' if finite else ', which has NaN'}")
    return others == 0 and finite


def check_half(arguments):
    torch, attn_mlir = harness.require_gpu()
    right = [check_invariance(torch, attn_mlir.load(str(DIRECTORY / INVARIANT[0]))),
             check_repetition(torch, attn_mlir.load(str(DIRECTORY / "d128-32-8")))]
    return 0 if all(right) else 1


def lengths_error(torch, q, k, v, o, lengths, sequences):
    """The largest error of these sequences against float64, which is NaN where they have NaN."""
    worst = 0.0
    for i in sequences:
        keys, values = (x[i, :, :lengths[i]].double() for x in (k, v))
        rows = q[i, :, 0].double().view(8, 4, 128)
        weights = torch.softmax(rows @ keys.transpose(-1, -2) * round(128 ** -0.5, 9), -1)
        wanted = (weights @ values).view(32, 128)
        difference = (o[i, :, 0] - wanted).norm(dim=-1) / wanted.norm(dim=-1)
        worst = max(worst, difference.max().item()) if not difference.isnan().any() else float("nan")
    return worst


def lengths_half(arguments):
    """One graph, replayed with other lengths; what lies behind these is NaN."""
    torch, attn_mlir = harness.require_gpu()
    flush = Flush(torch)
    kernel = attn_mlir.load(str(DIRECTORY / LISTED))
    q = torch.randn(64, 32, 1, 128, device="cuda").bfloat16()
    k, v = (torch.empty(64, 8, CAPACITY, 128, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    n = torch.zeros(64, dtype=torch.int32, device="cuda")
    o = torch.full_like(q, float("nan"))
    prepared = kernel.prepare(q, k, v, n, out=o)
    graph = capture(torch, lambda: prepared.launch(torch.cuda.current_stream()))
    table, first = [], None
    for name, lengths in BATCHES_OF_LENGTHS.items():
        n.copy_(torch.tensor(lengths, dtype=torch.int32))
        for cache in (k, v):
            for i, length in enumerate(lengths):
                cache[i, :, :length].normal_()
                cache[i, :, length:] = float("nan")
        o.fill_(float("nan"))
        time = time_graphs(torch, {"ours": graph}, 30, flush)["ours"]
        first = first or time
        size = 2 * sum(lengths) * 8 * 128 * 2
        table.append([name, f"{time:.1f}", f"{size / time / 1e6:.2f}", f"{time / first:.3f}",
                      f"{lengths_error(torch, q, k, v, o, lengths, (0, 1, 63)):.1e}"])
    print(markdown(["64 sequences", "us", "TB/s", "to the even case", "error"], table))
    return 0


def run_half(arguments):
    torch, attn_mlir = harness.require_gpu()
    fa3 = import_fa3(arguments.fa3)
    flush = Flush(torch)
    for few in (False, True):
        table, ratios = [], []
        for kernel in kernels():
            for shape in shapes(kernel) if (kernel[0] == FEW) == few else []:
                measure(torch, attn_mlir, fa3, flush, kernel, shape, arguments.only, table, ratios)
        if table:
            peers = PEERS[-1:] if few else PEERS[: 3 if fa3 else 2]
            print(markdown(["shape", "us", "TB/s", *(f"{p} us" for p in peers), "best peer",
                            "its time / ours", "error"], table))
            summarise(ratios)
    return 0


def main():
    parser = harness.new_parser(__doc__)
    parser.add_argument("half", choices=("compile", "run", "check", "lengths"))
    parser.add_argument("--attn-compile", default=str(
        harness.ROOT / "build/tools/attn-compile/attn-compile"))
    parser.add_argument("--target", default="h200")
    parser.add_argument("--fa3", metavar="WHEEL")
    parser.add_argument("--only", default="", metavar="REGEX")
    arguments = parser.parse_args()
    halves = {"compile": compile_half, "run": run_half, "check": check_half,
              "lengths": lengths_half}
    return halves[arguments.half](arguments)


if __name__ == "__main__":
    sys.exit(main())
