#!/usr/bin/env python3
"""Streams by lists of blocks on a GPU and their gradients, against float64, and a window by lists beside the attribute.

    check_blocks.py compile [--target cpu]       bundles of KERNELS
    check_blocks.py run [--device cpu]           launches them: GQA, odd lengths, rows that list nothing, numbers of no block
    check_blocks.py run --time                   and what the window takes, as graphs, in turns
"""

import statistics
import sys

import harness

DIRECTORY = harness.ROOT / "build-gpu" / "blocks"
BLOCK, WINDOW, LENGTH = 128, 1024, 8192
BOUND, LSE_BOUND = 1e-2, 1e-3
SIZES = ((131, 131), (1, 300), (1000, 777), (513, 2049), (256, 512))
NONE = (-7, 1 << 30)
REGION = """
    keep(%b: index, %h: index, %x: index, %y: index) {{{0}
    attn.yield %kept : i1
  }}"""
NEAR = REGION.format(f"""
    %c = arith.constant {WINDOW} : index
    %d = arith.subi %x, %y : index
    %near = arith.cmpi slt, %d, %c : index
    %behind = arith.cmpi sge, %x, %y : index
    %kept = arith.andi %near, %behind : i1""")
# Every third diagonal is left out, in partial blocks.
THIRD = REGION.format("""
    %c3 = arith.constant 3 : index
    %c1 = arith.constant 1 : index
    %s = arith.addi %x, %y : index
    %r = arith.remui %s, %c3 : index
    %kept = arith.cmpi ne, %r, %c1 : index""")


def text(dim, heads, kv_heads, region="", lists=0, mask="", lse=False, size="?"):
    """A function with lists for one or all heads, or with a mask."""
    batch = "?" if size == "?" else 1
    q, k = (f"tensor<{batch}x{h}x{size}x{dim}xbf16>" for h in (heads, kv_heads))
    types = [f"tensor<1x{lists}x{'?x' * rank}i32>" for rank in (1, 2, 1, 2)] if lists else []
    names = ["%n", "%i", "%fn", "%fi"][:len(types)]
    blocks = f" blocks<{BLOCK}, {BLOCK}>({', '.join(names)} : {', '.join(types)})" if lists else ""
    results = [q] + [f"tensor<?x{heads}x?xf32>"] * lse
    arguments = "".join(f", {n}: {t}" for n, t in zip(names, types))
    values = ", ".join(["%o", "%lse"][:len(results)])
    return (
        f"func.func @attention(%q: {q}, %k: {k}, %v: {k}{arguments}) -> ({', '.join(results)}) {{\n"
        f"  {values} = attn.attention %q, %k, %v{mask} scale({dim ** -0.5:.9e}){blocks}{region}\n"
        f"    : ({q}, {k}, {k}) -> {'(' + ', '.join(results) + ')' if lse else q}\n"
        f"  return {values} : {', '.join(results)}\n}}\n")


def gradients_text(dim, heads, kv_heads):
    """Gradients by one list for all heads, by rows of queries and by rows of keys."""
    q, k = (f"tensor<?x{h}x?x{dim}xbf16>" for h in (heads, kv_heads))
    operands = {"q": q, "k": k, "v": k, "o": q, "do": q, "lse": f"tensor<?x{heads}x?xf32>"}
    names = ("n", "i", "fn", "fi", "qn", "qi", "fqn", "fqi")
    lists = {name: f"tensor<1x1x{'?x' * (1 + place % 2)}i32>" for place, name in enumerate(names)}
    types = operands | lists
    by_queries, by_keys = (", ".join("%" + name for name in part) for part in (names[:4], names[4:]))
    return (
        f"func.func @gradients({', '.join(f'%{n}: {t}' for n, t in types.items())}) -> ({q}, {k}, {k}) {{\n"
        f"  %dq, %dk, %dv = attn.attention_backward {', '.join('%' + n for n in operands)} scale({dim ** -0.5:.9e})\n"
        f"    blocks<{BLOCK}, {BLOCK}>({by_queries}) by_keys({by_keys}){THIRD}\n"
        f"    : ({', '.join(types.values())}) -> ({q}, {k}, {k})\n"
        f"  return %dq, %dk, %dv : {q}, {k}, {k}\n}}\n")


GRADIENTS = {"gradients64": (64, 8, 2), "gradients128": (128, 4, 4)}
GRADIENT_SIZES = ((131, 131), (1, 300), (513, 777))
CHECKED = {"gqa64": (64, 8, 2), "d128": (128, 4, 4)}
KERNELS = {
    "window": text(128, 16, 16, mask=f" mask(#attn.window<left = {WINDOW - 1}, right = 0, align = bottom_right>)"),
    "listed": text(128, 16, 16, NEAR, 1),
    "listed-static": text(128, 16, 16, NEAR, 1, size=LENGTH),
} | {name: text(*sizes, THIRD, sizes[1], lse=True) for name, sizes in CHECKED.items()}
KERNELS |= {name: gradients_text(*sizes) for name, sizes in GRADIENTS.items()}


def named(torch, which):
    """Counts and numbers of the blocks of each row for which `which` [H, rows, columns] is true."""
    order = torch.sort((~which).to(torch.int8), dim=-1, stable=True).indices.int()
    return which.sum(-1).int()[None].contiguous(), order[None].contiguous()


def dense(torch, q, k, v, keep):
    """(O, LSE) in float64; rows that keep nothing are 0 and -inf."""
    k, v = (x.double().repeat_interleave(q.shape[1] // k.shape[1], 1) for x in (k, v))
    scores = ((q.double() @ k.transpose(-1, -2)) * q.shape[-1] ** -0.5).masked_fill(~keep, float("-inf"))
    some = keep.any(-1, keepdim=True)
    weights = torch.where(some, torch.softmax(torch.where(some, scores, 0.0), -1), 0.0)
    return weights @ v, torch.logsumexp(scores, -1)


def error(torch, ours, wanted):
    off, norm = (ours.double() - wanted).norm(dim=-1), wanted.norm(dim=-1)
    return (off / torch.maximum(norm, norm.pow(2).mean().sqrt().clamp(min=1e-30))).max().item()


def drawn_kinds(torch, heads, queries, keys, generator, device):
    """Blocks of [H, rows, columns] that are partial (1), full (2) or in no list."""
    rows, columns = -(-queries // BLOCK), -(-keys // BLOCK)
    kind = torch.randint(0, 4, (heads, rows, columns), device=device, generator=generator)
    kind[:, 1::3] = 0  # Rows that list nothing.
    if keys % BLOCK:  # A full one at the end counts as partial.
        kind[:, :, -1] = torch.where(kind[:, :, -1] == 2, 1, kind[:, :, -1])
    return kind


def lists_of(torch, kind):
    """The lists of drawn blocks; behind the counts stands what is no block."""
    place, lists = torch.arange(kind.shape[-1], device=kind.device), []
    for which, none in ((1, NONE[0]), (2, NONE[1])):
        n, numbers = named(torch, kind == which)
        lists += [n, torch.where(place < n[..., None], numbers, none)]
    return lists


def kept(torch, kind, queries, keys):
    """Which pairs drawn blocks keep, the partial ones with THIRD."""
    wide = lambda x: x.repeat_interleave(BLOCK, 1).repeat_interleave(BLOCK, 2)[:, :queries, :keys]
    diagonal = torch.arange(queries, device=kind.device)[:, None] + torch.arange(keys, device=kind.device)
    return (wide(kind == 2) | (wide(kind == 1) & (diagonal % 3 != 1)))[None]


def check_drawn(torch, package, name, device):
    dim, heads, kv_heads = CHECKED[name]
    kernel, problems = package.load(str(DIRECTORY / name)), []
    for seed, (queries, keys) in enumerate(SIZES):
        generator = torch.Generator(device=device).manual_seed(seed)
        make = lambda h, s: torch.randn(1, h, s, dim, device=device, generator=generator).bfloat16()
        q, k, v = make(heads, queries), make(kv_heads, keys), make(kv_heads, keys)
        kind = drawn_kinds(torch, heads, queries, keys, generator, device)
        lists, keep = lists_of(torch, kind), kept(torch, kind, queries, keys)
        if seed % 2:  # One more, which is no block: it has no key.
            lists[0] = torch.where(lists[0] < lists[1].shape[-1], lists[0] + 1, lists[0])
        o, lse = torch.full_like(q, float("nan")), torch.full(q.shape[:-1], float("nan"), device=device)
        kernel(q, k, v, *lists, out=(o, lse))
        wanted, sums = dense(torch, q, k, v, keep)
        some = keep.any(-1).expand(lse.shape)
        off = error(torch, o, wanted)
        of_lse = (lse[some] - sums[some]).abs().max().item() if some.any() else 0.0
        empty = bool((o[~some] == 0).all() and (lse[~some] == float("-inf")).all())
        if not (off < BOUND and of_lse < LSE_BOUND and empty):
            problems.append(f"{name} {queries} x {keys}: O {off:.1e}, LSE {of_lse:.1e}, rows without keys "
                            + ("right" if empty else "wrong"))
    return problems


def check_gradients(torch, package, name, device):
    """Those of dense attention in float64, by autograd."""
    dim, heads, kv_heads = GRADIENTS[name]
    kernel, problems = package.load(str(DIRECTORY / name)), []
    for seed, (queries, keys) in enumerate(GRADIENT_SIZES):
        generator = torch.Generator(device=device).manual_seed(seed)
        make = lambda h, s: torch.randn(1, h, s, dim, device=device, generator=generator).bfloat16()
        q, k, v, dout = make(heads, queries), make(kv_heads, keys), make(kv_heads, keys), make(heads, queries)
        kind = drawn_kinds(torch, 1, queries, keys, generator, device)
        if queries % BLOCK:  # As at the end of keys, which masks know.
            kind[:, -1] = torch.where(kind[:, -1] == 2, 1, kind[:, -1])
        leaves = [x.double().requires_grad_() for x in (q, k, v)]
        o, lse = dense(torch, *leaves, kept(torch, kind, queries, keys))
        wanted = torch.autograd.grad(o, leaves, dout.double())
        lists = lists_of(torch, kind) + lists_of(torch, kind.transpose(1, 2).contiguous())
        found = tuple(torch.full_like(x, float("nan")) for x in (q, k, v))
        kernel(q, k, v, o.detach().bfloat16(), dout, lse.detach().float(), *lists, out=found)
        # Rows that cancel are small beside their terms.
        offs = [((x.double() - y).norm() / y.norm().clamp(min=1e-30)).item() for x, y in zip(found, wanted)]
        if not max(offs) < BOUND:
            problems.append(f"{name} {queries} x {keys}: dQ, dK, dV " + ", ".join(f"{off:.1e}" for off in offs))
    return problems


def window_inputs(torch, size, device):
    generator = torch.Generator(device=device).manual_seed(3)
    q, k, v = (torch.randn(1, 16, size, 128, device=device, generator=generator).bfloat16() for _ in "qkv")
    place = torch.arange(size, device=device)
    distance = place[:, None] - place
    keep = ((distance < WINDOW) & (distance >= 0))[None]
    columns = -(-size // BLOCK)
    padded, inside = (torch.zeros(1, columns * BLOCK, columns * BLOCK, dtype=torch.bool, device=device) for _ in "ab")
    padded[:, :size, :size], inside[:, :size, :size] = keep, True
    blocks = lambda x: x.view(1, columns, BLOCK, columns, BLOCK).permute(0, 1, 3, 2, 4).flatten(3)
    some, every = blocks(padded).any(-1), (blocks(padded) | ~blocks(inside)).all(-1)
    return (q, k, v), (*named(torch, some & ~every), *named(torch, some & every)), keep


def check_windows(torch, package, sizes, device):
    problems = []
    for size in sizes:
        (q, k, v), lists, keep = window_inputs(torch, size, device)
        heads = slice(0, 2)
        wanted, _ = dense(torch, q[:, heads], k[:, heads], v[:, heads], keep)
        for name in ("window", "listed") + ("listed-static",) * (size == LENGTH):
            o = torch.full_like(q, float("nan"))
            package.load(str(DIRECTORY / name))(q, k, v, *(() if name == "window" else lists), out=(o,))
            off = error(torch, o[:, heads], wanted)
            if not off < BOUND:
                problems.append(f"{name} {size}: O {off:.1e}")
    return problems


def time_windows(torch, package, rounds=40):
    """Medians of graphs of ten calls, in turns."""
    (q, k, v), lists, _ = window_inputs(torch, LENGTH, "cuda")
    o, graphs = torch.empty_like(q), {}
    for name in ("window", "listed", "listed-static"):
        kernel, inputs = package.load(str(DIRECTORY / name)), (q, k, v, *(() if name == "window" else lists))
        call = lambda: kernel(*inputs, out=(o,), stream=torch.cuda.current_stream().cuda_stream)
        call()
        torch.cuda.synchronize()
        graphs[name] = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graphs[name]):
            for _ in range(10):
                call()
    times = {name: [] for name in graphs}
    for turn in range(rounds + 2):
        for name, graph in graphs.items():
            start, end = (torch.cuda.Event(enable_timing=True) for _ in "se")
            start.record()
            graph.replay()
            end.record()
            end.synchronize()
            if turn >= 2:
                times[name].append(100 * start.elapsed_time(end))
    medians = {name: statistics.median(t) for name, t in times.items()}
    for name, median in medians.items():
        print(f"window of {WINDOW}, S {LENGTH}, {name}: {median:.1f} us, {median / medians['window']:.3f} of the attribute's time")


def run_half(arguments):
    if arguments.device == "cuda":
        torch, package = harness.require_gpu(arguments.strict)
        print(harness.describe_device(torch))
    else:
        import torch
        package = harness.import_package()
    problems = [p for name in CHECKED for p in check_drawn(torch, package, name, arguments.device)]
    problems += [p for name in GRADIENTS for p in check_gradients(torch, package, name, arguments.device)]
    sizes = (1300, LENGTH) if arguments.device == "cuda" else (1300,)
    problems += check_windows(torch, package, sizes, arguments.device)
    print("\n".join("WRONG " + problem for problem in problems))
    count = len(CHECKED) * len(SIZES) + len(GRADIENTS) * len(GRADIENT_SIZES) + 2 * len(sizes) + (LENGTH in sizes)
    print(f"{count - len(problems)} of {count} combinations are right", flush=True)
    if arguments.time:
        time_windows(torch, package)
    return 1 if problems else 0


def main():
    parser = harness.new_parser(__doc__)
    halves = harness.add_halves(parser)
    halves[1].add_argument("--device", default="cuda", choices=("cuda", "cpu"))
    halves[1].add_argument("--time", action="store_true")
    arguments = parser.parse_args()
    if arguments.half == "run":
        return run_half(arguments)
    jobs = [harness.Job(DIRECTORY / name, source, target=arguments.target) for name, source in KERNELS.items()]
    return 1 if harness.compile_jobs(jobs, arguments) else 0


if __name__ == "__main__":
    sys.exit(main())
