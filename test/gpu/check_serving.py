#!/usr/bin/env python3
"""Packed sequences and caches of pages on a GPU, against float64.

    check_serving.py compile          bundles of all kinds of kernels
    check_serving.py run              launches them, each kind in a process of its own
    check_serving.py run --only REGEX kinds whose name matches
    check_serving.py list             what there is

Without a bundle kernels are those that attn_mlir.attention compiles at its first call. Lengths are 0, 1, primes, and multiples of tiles. Of packed
sequences, what belongs to none is NaN, and the rows behind the last one keep what they held; then all keys, values and
queries of the others are NaN, and no bit of one sequence's results is another. Of caches, pages are shuffled, unused pages and what lies behind
the last key are NaN, entries of the table behind them are those of no page, and some in front of them, too, whose keys and values are zeros then.
"""

import argparse
import itertools
import json
import re
import subprocess
import sys
from typing import NamedTuple

import harness

BOUND, LSE_BOUND = 1e-2, 1e-4
LIMIT = 75
KEPT = 7.0
CAUSAL, FULL = ("causal", None, 0), ("full", None, None)
WINDOW = ("window", 40, 3)
# Lengths of queries and of keys.
BATCHES = (
    ((17, 0, 1, 97, 211), (40, 3, 1, 97, 300)),
    ((64, 128, 256), (64, 128, 256)),
    ((1,), (1,)),
    ((5, 600, 0, 2, 1031), (0, 600, 77, 1999, 1031)),
    ((1, 1, 1, 3, 1, 1), (1000, 1, 513, 3, 0, 64)),
    ((0, 0, 0), (5, 0, 9)),
    ((191, 193, 192, 1), (127, 129, 128, 1)),
    ((2500,), (2500,)),
    (tuple(range(40)), tuple(3 * i % 41 for i in range(40))),
)
CACHES = (
    (1, (1000, 1, 0, 513, 64, 2047, 16)),
    (5, (5, 700, 0, 130, 3)),
    (70, (70, 301)),
    (1, (15, 17, 31, 33, 63, 65)),
    (2, (4099,)),
    (1, (128,) * 40),
    (3, (255, 257, 256)),
)
# Of no page, as far as there are fewer.
BAD = (-1, 2**31 - 1, 10**6, -(2**31))
E4M3 = "float8_e4m3fn"
FLOAT8 = {E4M3: "f8E4M3FN", "float8_e5m2": "f8E5M2"}
DIRECTORY = harness.ROOT / "build-gpu" / "serving"


class Kind(NamedTuple):
    """A kernel: ``packed`` says which of q and k are; ``page`` is its size, or 0; ``mask`` (name, left, right); ``cache``
    the type of K and V where it is FP8, which have scales then."""

    name: str
    dim: int
    heads: int
    kv_heads: int
    mask: tuple
    packed: str = ""
    page: int = 0
    layout: str = "bshd"
    element: str = "bfloat16"
    value_dim: int = 0
    options: tuple = ()
    cache: str = ""


def kinds():
    return [
        Kind("packed-d64-full", 64, 4, 4, FULL, "qk"),
        Kind("packed-d128-causal", 128, 8, 2, CAUSAL, "qk"),
        Kind("packed-d64-window", 64, 8, 2, WINDOW, "qk", layout="bhsd"),
        Kind("packed-d128-causal-f16", 128, 4, 4, CAUSAL, "qk", element="float16"),
        Kind("packed-d256-causal", 256, 4, 1, CAUSAL, "qk"),
        Kind("packed-q-d128-causal", 128, 8, 2, CAUSAL, "q"),
        Kind("packed-k-d64-full", 64, 4, 2, FULL, "k"),
        Kind("packed-d72-v128-window", 72, 6, 2, WINDOW, "qk", value_dim=128),
        Kind("pages-16-d64", 64, 8, 2, CAUSAL, page=16),
        Kind("pages-16-d128-bhsd", 128, 32, 8, CAUSAL, page=16, layout="bhsd"),
        Kind("pages-32-d128", 128, 8, 2, CAUSAL, page=32),
        Kind("pages-64-d128", 128, 8, 2, CAUSAL, page=64),
        Kind("pages-64-d128-bhsd", 128, 32, 8, CAUSAL, page=64, layout="bhsd"),
        Kind("pages-128-d64-window", 64, 8, 2, WINDOW, page=128),
        Kind("pages-256-d128-full", 128, 4, 4, FULL, page=256, element="float16"),
        Kind("pages-48-d256", 256, 4, 1, CAUSAL, page=48),
        Kind("pages-24-d128", 128, 8, 2, CAUSAL, page=24, layout="bhsd"),
        Kind("pages-40-d64-window", 64, 4, 4, WINDOW, page=40),
        Kind("pages-16-wide", 64, 8, 2, FULL, page=16, element="float16",
             options=(("schedule", "tiles=query=128,key=128 persistent resident=1"),)),
        Kind("pages-16-async", 128, 8, 2, CAUSAL, page=16,
             options=(("schedule", "tiles=query=64,key=64"), ("lower", "copy=async"))),
        Kind("pages-16-packed-q", 128, 8, 2, CAUSAL, "q", page=16),
        Kind("pages-64-packed-q-window", 64, 8, 2, WINDOW, "q", page=64),
        Kind("pages-16-split", 128, 32, 8, CAUSAL, page=16, layout="bhsd",
             options=(("schedule", "pack-group split-ctas"),)),
        Kind("cache-e4m3-pages-64-d128", 128, 32, 8, CAUSAL, page=64, cache=E4M3),
        Kind("cache-e4m3-pages-16-d64", 64, 8, 2, CAUSAL, page=16, cache=E4M3),
        Kind("cache-e4m3-pages-16-split", 128, 32, 8, CAUSAL, page=16, layout="bhsd", cache=E4M3,
             options=(("schedule", "pack-group split-ctas tiles=query=16"), ("lower", "warps=1"))),
        Kind("cache-e4m3-row-d96", 96, 4, 4, FULL, "q", cache=E4M3),
        Kind("cache-e5m2-row-d128-window", 128, 8, 2, WINDOW, "q", cache="float8_e5m2"),
        Kind("cache-e4m3-pages-32-f16", 256, 4, 1, CAUSAL, page=32, element="float16", cache=E4M3),
        Kind("cache-e4m3-packed-qk", 64, 8, 2, CAUSAL, "qk", cache=E4M3),
    ]


def text_of(kind):
    """A function of attention with LSE, as level-1 MLIR."""
    element = {"bfloat16": "bf16", "float16": "f16"}[kind.element]

    def tensor(heads, dim, is_packed, rows="?", element=element):
        middle = f"{rows}x{heads}" if kind.layout == "bshd" else f"{heads}x{rows}"
        return f"tensor<{'1' if is_packed else '?'}x{middle}x{dim}x{element}>"

    value_dim = kind.value_dim or kind.dim
    q, o = (tensor(kind.heads, dim, "q" in kind.packed) for dim in (kind.dim, value_dim))
    k, v = (tensor(kind.kv_heads, dim, "k" in kind.packed, kind.page or "?", FLOAT8.get(kind.cache, element))
            for dim in (kind.dim, value_dim))
    lse = f"tensor<{'1' if 'q' in kind.packed else '?'}x{kind.heads}x?xf32>"
    extra = [("lengths", "?")] if kind.page or "k" not in kind.packed else []
    extra += [(f"cu_seqlens_{x}", "?") for x in "qk" if x in kind.packed] + [("block_table", "?x?")] * (kind.page > 0)
    extra = [(name, f"{sizes}xi32") for name, sizes in extra]
    extra += [(f"{x}_scale", f"?x{kind.kv_heads}xf32") for x in "kv" if kind.cache]
    _, left, right = kind.mask
    mask = {(None, None): "", (None, 0): " mask(#attn.causal<bottom_right>)"}.get(
        (left, right), f" mask(#attn.window<left = {left}, right = {right}, align = bottom_right>)")
    clauses = "".join(f" {name}(%{name} : tensor<{type}>)" for name, type in extra)
    arguments = "".join(f", %{name}: tensor<{type}>" for name, type in extra)
    layout = f" layout({kind.layout})" if kind.layout != "bhsd" else ""
    return (
        f"func.func @serving(%q: {q}, %k: {k}, %v: {v}{arguments}) -> ({o}, {lse}) {{\n"
        f"  %o, %l = attn.attention %q, %k, %v{mask} scale({kind.dim ** -0.5:.9e}){layout}{clauses}\n"
        f"    : ({q}, {k}, {v}) -> ({o}, {lse})\n  return %o, %l : {o}, {lse}\n}}\n"
    )


def compile_half(arguments, chosen):
    jobs = [harness.Job(DIRECTORY / kind.name, text_of(kind), target=arguments.target, **dict(kind.options)) for kind in chosen]
    return 1 if harness.compile_jobs(jobs, arguments) else 0


def mask_of(kind):
    _, left, right = kind.mask
    if left is None:
        return {"causal": True} if right == 0 else {}
    return {"window": (left, right)}


def wanted_of(torch, kind, q, k, v):
    """(O, LSE) in float64 of one sequence [H, S, D]."""
    _, left, right = kind.mask
    queries, keys = q.shape[-2], k.shape[-2]
    group = kind.heads // kind.kv_heads
    k, v = (x.double().repeat_interleave(group, 0) for x in (k, v))
    scores = q.double() @ k.transpose(-1, -2) * kind.dim ** -0.5
    distance = (torch.arange(keys, device=q.device) - torch.arange(queries, device=q.device)[:, None] - (keys - queries))
    hidden = torch.zeros_like(distance, dtype=torch.bool)
    if right is not None:
        hidden |= distance > right
    if left is not None:
        hidden |= distance < -left
    scores = scores.masked_fill(hidden, float("-inf"))
    lse = torch.logsumexp(scores, -1) if keys else scores.new_full(scores.shape[:-1], float("-inf"))
    weights = torch.exp(scores - lse.nan_to_num(neginf=0.0)[..., None])
    return weights @ v, lse


def errors(torch, got, wanted):
    """The largest error of rows of O, and of LSE; infinite where one is not finite and the other is."""
    (o, lse), (o2, lse2) = got, wanted
    norm = o2.norm(dim=-1)
    error = (o.double() - o2).norm(dim=-1) / norm.where(norm > 0, torch.ones_like(norm))
    same = lse.double() == lse2
    other = torch.where(same, torch.zeros_like(lse2), (lse.double() - lse2).abs() / lse2.abs().clamp(min=1))
    most = lambda x: x.nan_to_num(nan=float("inf")).max().item() if x.numel() else 0.0
    return most(error), most(other)


def ordered(x, kind):
    """[rows, heads, dim] or [batch, rows, heads, dim] as the kind's layout has it, with a batch in front."""
    x = x if x.dim() == 4 else x[None]
    return x if kind.layout == "bshd" else x.transpose(1, 2).contiguous()


def spans(numbers):
    """Rising numbers as text: "3-17 40"."""
    text, begin = [], None
    for i, number in enumerate(numbers):
        begin = number if begin is None else begin
        if i + 1 == len(numbers) or numbers[i + 1] != number + 1:
            text.append(f"{begin}-{number}" if number > begin else str(begin))
            begin = None
    return " ".join(text)


class Case:
    """Sequences in memory, as a kind has them."""

    kernels = {}

    def __init__(self, torch, device, kind, queries, keys, bad, seed):
        self.torch, self.device, self.kind = torch, device, kind
        self.generator = torch.Generator(device=self.device).manual_seed(seed)
        self.queries, self.keys = queries, keys
        value_dim = kind.value_dim or kind.dim
        self.q = [self.normal(n, kind.heads, kind.dim) for n in queries]
        self.k = [self.normal(n, kind.kv_heads, kind.dim) for n in keys]
        self.v = [self.normal(n, kind.kv_heads, value_dim) for n in keys]
        if kind.cache:
            self.k, self.v = ([self.narrowed(x).to(x.dtype) for x in parts] for parts in (self.k, self.v))
        uniform = lambda: torch.rand(len(keys), kind.kv_heads, device=device, generator=self.generator) + 0.5
        self.scales = (uniform(), uniform()) if kind.cache else ()
        self.bad = {}
        for i, n in enumerate(keys if bad else ()):
            for j in range(-(-n // kind.page)):
                if (i + j) % 3 == 1:
                    self.bad[i, j] = BAD[(i + j) % len(BAD)]
                    for x in (self.k, self.v):
                        x[i][j * kind.page:(j + 1) * kind.page] = 0

    def normal(self, *shape):
        x = self.torch.randn(shape, device=self.device, generator=self.generator)
        return x.to(getattr(self.torch, self.kind.element))

    def narrowed(self, x):
        return x.to(getattr(self.torch, self.kind.cache))

    def like(self, x, *shape):
        return self.torch.full(shape, float("nan"), device=self.device, dtype=x.dtype)

    def starts(self, lengths, first):
        numbers = [first]
        for n in lengths:
            numbers.append(numbers[-1] + n)
        return numbers

    def row(self, parts, starts, behind, only):
        """Sequences one behind the other; NaN before, behind, and (``only`` one) in the others."""
        x = self.like(parts[0], starts[-1] + behind, *parts[0].shape[1:])
        for i, part in enumerate(parts):
            if only is None or only == i:
                x[starts[i]:starts[i + 1]] = part
        return x

    def padded(self, parts, only):
        x = self.like(parts[0], len(parts), max(map(len, parts)), *parts[0].shape[1:])
        for i, part in enumerate(parts):
            if only is None or only == i:
                x[i, :len(part)] = part
        return x

    def pages(self, only):
        """(K, V, table): pages in a drawn order; the last of them are of nobody."""
        torch, page = self.torch, self.kind.page
        counts = [-(-n // page) for n in self.keys]
        total = sum(counts) + 3
        order = torch.randperm(total, generator=torch.Generator().manual_seed(total)).tolist()
        table = torch.full((len(counts), max(counts) + 2), -5, dtype=torch.int32)
        table[1::2] = 2**31 - 1
        k, v = (self.like(x[0], total, page, *x[0].shape[1:]) for x in (self.k, self.v))
        for i, count in enumerate(counts):
            for j in range(count):
                table[i, j] = place = self.bad.get((i, j), order[-1])
                if (i, j) in self.bad:
                    continue
                order.pop()
                rows = slice(j * page, min((j + 1) * page, self.keys[i]))
                if only is None or only == i:
                    k[place, :rows.stop - rows.start] = self.k[i][rows]
                    v[place, :rows.stop - rows.start] = self.v[i][rows]
        return k, v, table.to(self.device)

    def launch(self, package, only=None):
        """(O, LSE) of each sequence; NaN is all that other sequences than ``only`` have."""
        torch, kind = self.torch, self.kind
        extra = {}
        number = lambda x: torch.tensor(x, dtype=torch.int32, device=self.device)
        q_starts, k_starts = self.starts(self.queries, 3), self.starts(self.keys, 2)
        if "q" in kind.packed:
            q = self.row(self.q, q_starts, 5, only)
            extra["cu_seqlens_q"] = number(q_starts)
        else:
            q = self.padded(self.q, only)
        if kind.page:
            k, v, extra["block_table"] = self.pages(only)
            extra["lengths"] = number(self.keys)
        elif "k" in kind.packed:
            k, v = (self.row(x, k_starts, 7, only) for x in (self.k, self.v))
            extra["cu_seqlens_k"] = number(k_starts)
        else:
            k, v = (self.padded(x, only) for x in (self.k, self.v))
            extra["lengths"] = number(self.keys)
        q, k, v = (ordered(x, kind) for x in (q, k, v))
        if kind.cache:
            k, v = map(self.narrowed, (k, v))
            extra["k_scale"], extra["v_scale"] = self.scales
        o = torch.full((*q.shape[:-1], v.shape[-1]), KEPT, device=self.device, dtype=q.dtype)
        rows, heads = (2, 1) if kind.layout == "bhsd" else (1, 2)
        lse = torch.full((q.shape[0], q.shape[heads], q.shape[rows]), KEPT, device=self.device)
        bundle = DIRECTORY / kind.name
        if self.device == "cuda" and (bundle / "manifest.json").is_file():
            if kind not in self.kernels:
                self.kernels[kind] = package.load(str(bundle))
            names = ("lengths", "cu_seqlens_q", "cu_seqlens_k", "block_table", "k_scale", "v_scale")
            harness.launch(self.kernels[kind], [q, k, v, *(extra[name] for name in names if name in extra)], [o, lse])
        else:
            package.attention(q, k, v, layout=kind.layout, return_lse=True, out=(o, lse), **mask_of(kind), **extra,
                              **(dict(kind.options) if self.device == "cuda" else {}))
        if self.device == "cuda":
            torch.cuda.synchronize()
        o = o if kind.layout == "bhsd" else o.transpose(1, 2)
        if "q" not in kind.packed:
            return [(o[i, :, :n], lse[i, :, :n]) for i, n in enumerate(self.queries)], True
        kept = all((x[:, :q_starts[0]] == KEPT).all() and (x[:, q_starts[-1]:] == KEPT).all() for x in (o[0], lse[0]))
        return [(o[0, :, a:b], lse[0, :, a:b]) for a, b in zip(q_starts, q_starts[1:])], kept

    def check(self, package):
        torch, turned = self.torch, lambda x: x.transpose(0, 1)
        got, kept = self.launch(package)
        wanted = [wanted_of(torch, self.kind, turned(q), *(turned(x) for x in self.scaled(i))) for i, q in enumerate(self.q)]
        worst = (0.0, 0.0)
        for pair, right in zip(got, wanted):
            worst = tuple(map(max, worst, errors(torch, pair, right)))
        problems = [] if kept else ["wrote rows of no sequence"]
        if not (worst[0] <= BOUND and worst[1] <= LSE_BOUND):
            problems.append("WRONG")
        own = max(range(len(got)), key=lambda i: (self.queries[i] > 0) * self.keys[i])
        alone, _ = self.launch(package, own)
        error, lse_error = errors(torch, alone[own], wanted[own])
        if not (error <= BOUND and lse_error <= LSE_BOUND):
            problems.append("WRONG where other sequences are NaN")
        different = self.difference(got[own], alone[own], own)
        return worst, problems + [different] * bool(different)

    def scaled(self, sequence):
        """Its keys and values, as the kernel sees them."""
        parts = self.k[sequence], self.v[sequence]
        if not self.scales:
            return parts
        return [x.double() * scale[sequence][:, None] for x, scale in zip(parts, self.scales)]

    def difference(self, pair, pair2, own):
        """In words which bits of a sequence's results two launches do not share, or nothing."""
        different = pair[0] != pair2[0]
        if not different.any() and (pair[1] == pair2[1]).all():
            return ""
        heads, rows = (sorted({int(x) for x in places}) for places in different.any(-1).nonzero(as_tuple=True))
        most = (pair[0].double() - pair2[0].double()).abs().max().item() if different.numel() else 0.0
        return (f"sequence {own} ({self.queries[own]} x {self.keys[own]}): {int(different.sum())} of {different.numel()} elements of O "
                f"by {most:.1e} at most, and {int((pair[1] != pair2[1]).sum())} of LSE, differ where others are NaN; heads {heads}, "
                f"rows {spans(rows)}")


def cases_of(kind):
    """(queries, keys) of each sequence, and whether its table has numbers of no page."""
    if not kind.page:
        for queries, keys in BATCHES:
            yield ((queries, keys) if "q" in kind.packed else ((13,) * len(keys), keys)) + (False,)
        return
    for (queries, keys), bad in itertools.product(CACHES, (False, True)):
        counts = tuple((queries + 3 * i) % 90 for i in range(len(keys)))
        yield (counts if "q" in kind.packed else (queries,) * len(keys)), keys, bad


def run_kind(kind, device):
    """The child's part: a line of JSON for each case."""
    if device == "cuda":
        torch, package = harness.require_gpu()
    else:
        import torch
        package = harness.import_package()
    for number, (queries, keys, bad) in enumerate(cases_of(kind)):
        if bad and device == "cpu":
            continue  # The package refuses tables that the host knows: test/Python has that.
        try:
            worst, problems = Case(torch, device, kind, queries, keys, bad, number).check(package)
        except Exception as error:
            problem = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            worst, problems = (float("nan"), float("nan")), [problem]
        name = f"{queries} x {keys}{' with pages that are none' if bad else ''}"
        print("@" + json.dumps([name, *worst, problems]), flush=True)


def run_half(arguments, chosen):
    children = [(kind, subprocess.Popen(
        [sys.executable, __file__, "kind", "--only", f"^{kind.name}$", "--device", arguments.device], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, env=harness.child_environment())) for kind in chosen]
    count = failed = 0
    for kind, child in children:
        try:
            text, _ = child.communicate(timeout=arguments.limit)
        except subprocess.TimeoutExpired:
            child.kill()
            text = child.communicate()[0] + "\nno end"
        reports = [json.loads(line[1:]) for line in text.splitlines() if line.startswith("@")]
        wrong = [report for report in reports if report[3]]
        missing = len(list(cases_of(kind))) - len(reports)
        count, failed = count + len(reports) + missing, failed + len(wrong) + missing
        worst = [max((report[i] for report in reports), default=0.0) for i in (1, 2)]
        print(f"{kind.name}: {len(reports) - len(wrong)} passed, {len(wrong) + missing} failed, error {worst[0]:.1e}, "
              f"LSE {worst[1]:.1e}", flush=True)
        for report in wrong:
            print(f"  {report[0]}: error {report[1]:.2e}, LSE {report[2]:.2e}: {'; '.join(report[3])}"[:600])
        if missing:
            print("  " + "\n  ".join(text.splitlines()[-6:])[:1500])
    print(f"{count} combinations, {len(chosen)} kernels: {count - failed} passed, {failed} failed")
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("half", choices=("compile", "run", "list", "kind"))
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--limit", type=float, default=LIMIT, help="seconds for a kind (default: %(default)s)")
    parser.add_argument("--device", default="cuda", choices=("cuda", "cpu"), help="default: %(default)s")
    harness.add_compile_arguments(parser)
    arguments = parser.parse_args()
    chosen = [kind for kind in kinds() if re.search(arguments.only, kind.name)]
    if arguments.half == "kind":
        return run_kind(chosen[0], arguments.device)
    if arguments.half == "list":
        print("\n".join(f"{kind.name}: {len(list(cases_of(kind)))}" for kind in chosen))
        return 0
    return compile_half(arguments, chosen) if arguments.half == "compile" else run_half(arguments, chosen)


if __name__ == "__main__":
    sys.exit(main())
