#!/usr/bin/env python3
"""Packed prefill and paged decoding beside FlashAttention-3, PyTorch's varlen_attn and our own dense kernels.

    serving.py prefill [--fa3 WHEEL]   sequences one behind the other
    serving.py decode [--fa3 WHEEL]    one query a sequence, keys and values in pages
    serving.py prefill decode --schedules     by some schedules, too (of caches those of FP8)

bf16, 32 query heads on 8 KV heads, D 64 and 128, memory [tokens, heads, D], normally distributed. Prefill: causal, 32768
tokens, of lengths that are log-normal (two draws), and of equal ones, which the dense kernel takes, too. TFLOP/s count what the
mask keeps. Decoding: 64 sequences of 8192 keys, pages of 16, 64 and 256 in a drawn order, against the same keys in a row;
TB/s count K and V once, of a copy what it reads and writes;
with a token that is appended in front, turned or not. Kernels are those that attn_mlir.attention compiles by itself. Calls are captured into
graphs; a replay lies between two events (decoding: after a write and a read of 256 MB). Medians, in turns that are
drawn. The deviation is from the first peer, or from the keys in a row.
"""

import math
import sys

from common import harness, markdown, time_interleaved
from decode import Flush, capture, import_fa3, time_graphs

HEADS, KV_HEADS, DIMS = 32, 8, (64, 128)
TOKENS, LONGEST = 32768, 8192
BATCH, KEYS, PAGES = 64, 8192, (16, 64, 256)
SCHEDULES = {
    "in order": "tiles=query=128,key=128 persistent resident=1",
    "pairs": "tiles=query=128,key=128 persistent resident=1 pair-tiles",
    "dynamic": "tiles=query=128,key=128 persistent resident=1 dynamic",
    "longest first": "tiles=query=128,key=128 persistent resident=1 longest-first",
    "dynamic, longest first": "tiles=query=128,key=128 persistent resident=1 dynamic longest-first",
}
CACHE_SCHEDULES = {
    f"{keys} keys, {stages} stages": (f"pack-group split-ctas tiles=query=16,key={keys}", f"warps=1 stages={stages}")
    for keys, stages in ((64, 2), (64, 3), (128, 2), (128, 3))
} | {"64 rows": ("pack-group split-ctas tiles=query=64,key=64", "warps=4 stages=3")}
ROLES = "wgmma=all specialize overlap ping-pong optimistic-max resident-stages=2"


def drawn_lengths(torch, seed):
    """Log-normal lengths, together TOKENS."""
    generator = torch.Generator().manual_seed(seed)
    lengths = []
    while sum(lengths) < TOKENS:
        drawn = math.exp(6.5 + torch.randn((), generator=generator).item())
        lengths.append(max(1, min(int(drawn), LONGEST, TOKENS - sum(lengths))))
    return lengths


def normal(torch, *shape):
    return torch.randn(shape, device="cuda", dtype=torch.bfloat16)


def starts_of(torch, lengths):
    return torch.tensor([0, *torch.tensor(lengths).cumsum(0).tolist()], dtype=torch.int32, device="cuda")


def deviation(a, b):
    """The largest over rows of |a - b| / |b|; NaN counts as infinite."""
    worst = 0.0
    for x, y in zip(a.split(4096), b.split(4096)):
        x, y = x.float(), y.float()
        error = (x - y).norm(dim=-1) / y.norm(dim=-1)
        worst = max(worst, error.nan_to_num(nan=float("inf")).max().item())
    return worst


class Calls:
    """Calls that are captured; what fails is said once and left out."""

    def __init__(self, torch):
        self.torch, self.graphs, self.results = torch, {}, {}

    def add(self, name, call):
        try:
            self.results[name] = call()
            self.torch.cuda.synchronize()
            self.graphs[name] = capture(self.torch, call)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {' '.join(str(error).split())[:300]}", flush=True)
            self.torch.zeros(1, device="cuda").item()  # A broken device ends the run here.


def packed_peers(torch, fa3, q, k, v, starts, longest):
    """name -> a call of packed sequences."""
    peers = {}
    if fa3:
        peers["FA3"] = lambda: fa3.flash_attn_varlen_func(q, k, v, starts, starts, longest, longest, causal=True)
    try:
        from torch.nn.attention.varlen import varlen_attn
    except ImportError:
        return peers

    # It takes no grouped heads everywhere, so that it gets a copy for each; that is not timed.
    wide = [x.repeat_interleave(HEADS // KV_HEADS, 1) for x in (k, v)]
    def fa2(*kv):
        try:
            return varlen_attn(q, *kv, starts, starts, longest, longest, window_size=(-1, 0))
        except TypeError:
            return varlen_attn(q, *kv, starts, starts, longest, longest, is_causal=True)

    peers["FA2"] = lambda: fa2(k, v)
    peers["FA2, copies"] = lambda: fa2(*wide)
    return peers


def prefill_calls(torch, package, fa3, dim, lengths, schedules):
    q, k, v = (normal(torch, TOKENS, heads, dim) for heads in (HEADS, KV_HEADS, KV_HEADS))
    starts, longest = starts_of(torch, lengths), max(lengths)
    out = torch.empty_like(q)
    calls = Calls(torch)

    def ours(**options):
        package.attention(q[None], k[None], v[None], causal=True, layout="bshd", cu_seqlens_q=starts, cu_seqlens_k=starts,
                          out=out[None], **options)
        return out

    calls.add("ours", ours)
    if "ours" in calls.results:
        calls.results["ours"] = out.clone()
    for name, call in packed_peers(torch, fa3, q, k, v, starts, longest).items():
        calls.add(name, call)
    for name, schedule in SCHEDULES.items() if schedules else ():
        calls.add(name, lambda schedule=schedule: ours(schedule=schedule, lower=ROLES))
    if len(set(lengths)) == 1:
        shape = (len(lengths), lengths[0])
        dense, place = [x.unflatten(0, shape) for x in (q, k, v)], torch.empty_like(q)

        def by_dense():
            package.attention(*dense, causal=True, layout="bshd", out=place.unflatten(0, shape))
            return place

        calls.add("ours, dense", by_dense)
    return calls


def prefill(arguments, torch, package, fa3):
    batches = {"equal 1024": [1024] * (TOKENS // 1024), "equal 4096": [4096] * (TOKENS // 4096),
               **{f"drawn {seed}": drawn_lengths(torch, seed) for seed in arguments.seeds}}
    table, names = [], []
    for dim in arguments.dims:
        for name, lengths in batches.items():
            calls = prefill_calls(torch, package, fa3, dim, lengths, arguments.schedules)
            times = time_interleaved(
                torch, {n: lambda turn, g=g: g.replay() for n, g in calls.graphs.items()}, arguments.rounds)
            flops = sum(4 * HEADS * dim * n * (n + 1) / 2 for n in lengths)
            peer = next((n for n in calls.results if n != "ours"), None)
            off = f"{deviation(calls.results['ours'], calls.results[peer]):.1e}" if peer and "ours" in calls.results else "–"
            table.append((f"D {dim} {name}: {len(lengths)} to {max(lengths)}",
                          {n: f"{t * 1e3:.0f} ({flops / t * 1e-9:.0f})" for n, t in times.items()}, off))
            names += [n for n in times if n not in names]
            del calls
            torch.cuda.empty_cache()
    print(markdown(["us (TFLOP/s)", *names, "deviation"],
                   [[name, *(row.get(n, "–") for n in names), off] for name, row, off in table]))


def decode_calls(torch, package, fa3, dim, page, has_schedules):
    from attn_mlir.flash_attn import flash_attn_with_kvcache

    count = KEYS // page
    q, k, v = normal(torch, BATCH, 1, HEADS, dim), *(normal(torch, BATCH, KEYS, KV_HEADS, dim) for _ in range(2))
    table = torch.randperm(BATCH * count, device="cuda").view(BATCH, count).int()
    pages = []
    for x in (k, v):
        cache = torch.empty(BATCH * count, page, KV_HEADS, dim, device="cuda", dtype=x.dtype)
        cache[table.long()] = x.unflatten(1, (count, page))
        pages.append(cache)
    lengths = torch.full((BATCH,), KEYS, dtype=torch.int32, device="cuda")
    heads_first = lambda *tensors: [x.transpose(1, 2) for x in tensors]
    calls = Calls(torch)

    def ours(*tensors, **options):
        return package.attention(*heads_first(*tensors), causal=True, lengths=lengths, **options).transpose(1, 2)

    calls.add("row", lambda: ours(q, k, v))
    calls.add("pages", lambda: ours(q, *pages, block_table=table))
    calls.add("row, function", lambda: flash_attn_with_kvcache(q, k, v, cache_seqlens=lengths, causal=True))
    calls.add("pages, function",
              lambda: flash_attn_with_kvcache(q, *pages, cache_seqlens=lengths, block_table=table, causal=True))
    new = [normal(torch, BATCH, 1, KV_HEADS, dim) for _ in range(2)]
    angles = torch.rand(KEYS, dim // 2, device="cuda")
    turns = {"rotary_cos": angles.cos().bfloat16(), "rotary_sin": angles.sin().bfloat16()}
    for name, turned in (("appending", {}), ("appending, rotary", turns)):
        calls.add(f"pages, {name}", lambda turned=turned: flash_attn_with_kvcache(
            q, *pages, *new, **turned, cache_seqlens=lengths - 1, block_table=table, causal=True))
    narrow, scale = [x.to(torch.float8_e4m3fn) for x in pages], torch.ones(BATCH, KV_HEADS, device="cuda")
    schedules = {"pages, e4m3": (None, None)}
    if has_schedules:
        schedules |= {f"e4m3, {name}": options for name, options in CACHE_SCHEDULES.items()}
    for name, (schedule, lower) in schedules.items():
        calls.add(name, lambda schedule=schedule, lower=lower: ours(
            q, *narrow, block_table=table, k_scale=scale, v_scale=scale, schedule=schedule, lower=lower))
    source = torch.empty(4 * BATCH * KV_HEADS * KEYS * dim // 2, device="cuda", dtype=torch.uint8)
    calls.add("copy", lambda place=torch.empty_like(source): place.copy_(source))
    if fa3:
        calls.add("FA3 row", lambda: fa3.flash_attn_with_kvcache(q, k, v, cache_seqlens=lengths, causal=True))
        calls.add("FA3 pages", lambda: fa3.flash_attn_with_kvcache(
            q, *pages, cache_seqlens=lengths, page_table=table, causal=True))
    return calls


def decode(arguments, torch, package, fa3):
    flush, table, names = Flush(torch), [], []
    for dim in arguments.dims:
        size = 4 * BATCH * KV_HEADS * KEYS * dim
        for page in PAGES:
            calls = decode_calls(torch, package, fa3, dim, page, arguments.schedules)
            times = time_graphs(torch, calls.graphs, arguments.rounds, flush)
            row = {n: f"{t:.0f} ({size / (2 if 'e4m3' in n else 1) / t * 1e-6:.2f})" for n, t in times.items()}
            ratio = f"{times['pages'] / times['row']:.3f}" if {"pages", "row"} <= set(times) else "–"
            off = (f"{deviation(calls.results['pages'].flatten(0, 1), calls.results['row'].flatten(0, 1)):.1e}"
                   if ratio != "–" else "–")
            table.append((f"D {dim} page {page}", row, ratio, off))
            names += [n for n in times if n not in names]
            del calls
            torch.cuda.empty_cache()
    print(markdown(["us (TB/s)", *names, "pages / row", "deviation"],
                   [[name, *(row.get(n, "–") for n in names), *rest] for name, row, *rest in table]))


def main():
    parser = harness.new_parser(__doc__)
    parser.add_argument("halves", nargs="+", choices=("prefill", "decode"))
    parser.add_argument("--fa3", metavar="WHEEL", help="of fa3-fwd, or a folder where it is installed")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seeds", type=int, nargs="*", default=[0, 1], help="of drawn lengths (default: 0 1)")
    parser.add_argument("--dims", type=int, nargs="*", default=DIMS)
    parser.add_argument("--schedules", action="store_true")
    arguments = parser.parse_args()
    torch, package = harness.require_gpu()
    torch.manual_seed(0)
    print(harness.describe_device(torch), flush=True)
    fa3 = import_fa3(arguments.fa3)
    for half in arguments.halves:
        {"prefill": prefill, "decode": decode}[half](arguments, torch, package, fa3)
    return 0


if __name__ == "__main__":
    sys.exit(main())
