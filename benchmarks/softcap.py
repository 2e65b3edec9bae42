#!/usr/bin/env python3
"""A softcap of the scores, 30 tanh(s / 30), beside FlashAttention-3's.

    softcap.py compile [--tune]    bundles; --tune: the schedules that the default was chosen from
    softcap.py run --fa3 WHEEL     on a GPU: times, and the error of both against float64

bf16, one sequence of 8192, 16 heads (D 256: 8), full and causal. "as-written" has no flags: each score is divided, and tanh
is exact; "argument" has the cap as an argument. Medians of CUDA events in drawn turns.
"""

import sys

from common import harness, markdown, time_interleaved
from decode import import_fa3

DIRECTORY = harness.ROOT / "build-gpu" / "softcap"
LENGTH, CAP = 8192, 30.0
HEADS = {64: 16, 128: 16, 256: 8}
SHAPES = [(dim, causal) for dim in HEADS for causal in (False, True)]
# Rows whose error is looked at: float64 takes all keys of each.
ROWS = 256
FLAGS = (" fastmath<reassoc,contract,arcp>", " fastmath<afn>")
ROLES = "wgmma=all specialize overlap ping-pong optimistic-max resident-stages=2"
TUNE = {64: ((192, 128), (192, 96), (128, 128)), 128: ((128, 128), (128, 160), (192, 80), (192, 64)), 256: ()}


def text(dim, causal, flags, is_argument=False):
    q = f"tensor<?x{HEADS[dim]}x?x{dim}xbf16>"
    mask = " mask(#attn.causal<bottom_right>)" if causal else ""
    captures, argument, last = (" captures(%cap : f32)", ", %cap: f32", ", %c: f32") if is_argument else ("", "", "")
    constant = "" if is_argument else f"      %c = arith.constant {CAP:e} : f32\n"
    return (
        f"func.func @softcap(%q: {q}, %k: {q}, %v: {q}{argument}) -> {q} {{\n"
        f"  %o = attn.attention %q, %k, %v{mask} scale({round(dim ** -0.5, 9)!r}){captures}\n"
        f"    score(%s: f32, %b: index, %h: index, %i: index, %j: index{last}) {{\n{constant}"
        f"      %x = arith.divf %s, %c{flags[0]} : f32\n"
        f"      %t = math.tanh %x{flags[1]} : f32\n"
        f"      %y = arith.mulf %t, %c : f32\n"
        f"      attn.yield %y : f32\n"
        f"    }} : ({q}, {q}, {q}) -> {q}\n"
        f"  return %o : {q}\n}}\n"
    )


def variants(dim, causal):
    """Name, text, schedule, lowering."""
    made = [("default", text(dim, causal, FLAGS), "", ""),
            ("as-written", text(dim, causal, ("", "")), "", ""),
            ("argument", text(dim, causal, FLAGS, is_argument=True), "", "")]
    pairs = " pair-tiles" if causal else ""
    for query, key in TUNE[dim]:
        schedule = f"tiles=query={query},key={key} persistent resident=1{pairs}"
        for name, lower in (("", ROLES), ("-no-turns", ROLES.replace(" ping-pong", ""))):
            lower += " store-tensors" if dim == 64 else ""
            made.append((f"{query}x{key}{name}", text(dim, causal, FLAGS), schedule, lower))
    return made


def directory(dim, causal, name):
    return DIRECTORY / f"d{dim}-{'causal' if causal else 'full'}-{name}"


def compile_half(arguments):
    jobs = [
        harness.Job(directory(dim, causal, name), its, schedule, lower, arguments.target)
        for dim, causal in SHAPES for name, its, schedule, lower in variants(dim, causal)
        if arguments.tune or not schedule
    ]
    return 1 if harness.compile_jobs(jobs, arguments) else 0


def reference(torch, q, k, v, causal):
    """The first rows, in float64."""
    scores = q[:, :, :ROWS].double() @ k.double().transpose(-1, -2) * q.shape[-1] ** -0.5
    scores = CAP * torch.tanh(scores / CAP)
    if causal:
        row, key = torch.arange(ROWS, device=q.device)[:, None], torch.arange(LENGTH, device=q.device)
        scores = scores.masked_fill(key > row, -torch.inf)
    return scores.softmax(-1) @ v.double()


def calls_of(torch, package, fa3, dim, causal, q, k, v):
    """What is timed, and its results."""
    calls, outs = {}, {}
    for name, _, _, _ in variants(dim, causal):
        if not (directory(dim, causal, name) / "manifest.json").is_file():
            continue
        kernel, out = package.load(str(directory(dim, causal, name))), torch.full_like(q, torch.nan)
        scalars = [CAP] if name == "argument" else ()
        calls[name] = lambda turn, kernel=kernel, out=out, scalars=scalars: kernel(q, k, v, out=out, scalars=scalars)
        calls[name](0)
        outs[name] = out
    if fa3:
        swapped = [tensor.transpose(1, 2).contiguous() for tensor in (q, k, v)]
        calls["FA3"] = lambda turn: fa3.flash_attn_func(*swapped, softcap=CAP, causal=causal)
        result = calls["FA3"](0)
        outs["FA3"] = (result[0] if isinstance(result, tuple) else result).transpose(1, 2)
    return calls, outs


def run_half(arguments):
    torch, package = harness.require_gpu(arguments.strict)
    fa3 = import_fa3(arguments.fa3)
    generator = torch.Generator(device="cuda")
    generator.manual_seed(arguments.seed)
    rows, wrong = [], []
    for dim, causal in SHAPES:
        shape = (1, HEADS[dim], LENGTH, dim)
        q, k, v = (torch.randn(shape, generator=generator, device="cuda").to(torch.bfloat16) for _ in range(3))
        # Scores of standard deviation 4.
        q = q * 4
        calls, outs = calls_of(torch, package, fa3, dim, causal, q, k, v)
        wanted = reference(torch, q, k, v, causal)
        times = time_interleaved(torch, calls, arguments.rounds)
        for name, milliseconds in times.items():
            error = ((outs[name][:, :, :ROWS].double() - wanted).norm(dim=-1) / wanted.norm(dim=-1)).max().item()
            ratio = f"{times['FA3'] / milliseconds:.3f}" if fa3 else "-"
            rows.append([f"D {dim} {'causal' if causal else 'full'}", name, f"{milliseconds:.3f}", ratio, f"{error:.1e}"])
            if not error <= arguments.bound:
                wrong.append(rows[-1])
    print(harness.describe_device(torch))
    print(markdown(["", "kernel", "ms", "FA3's time over it", "error"], rows))
    for row in wrong:
        print("WRONG", *row)
    return 1 if wrong else 0


def main():
    parser = harness.new_parser(__doc__)
    compile_parser, run_parser = harness.add_halves(parser)
    compile_parser.add_argument("--tune", action="store_true")
    run_parser.add_argument("--fa3", metavar="WHEEL", help="of fa3-fwd, or a folder where it is installed")
    run_parser.add_argument("--seed", type=int, default=1)
    run_parser.add_argument("--rounds", type=int, default=20)
    run_parser.add_argument("--bound", type=float, default=1e-2)
    arguments = parser.parse_args()
    return compile_half(arguments) if arguments.half == "compile" else run_half(arguments)


if __name__ == "__main__":
    sys.exit(main())
