#!/usr/bin/env python3
"""Mask regions, score modifications and sinks beside FlexAttention.

    flex.py compile [--tune]   bundles of test/gpu/regions.py; --tune: some schedules of bias and ALiBi more
    flex.py run                   on a GPU: times, and the error against FlexAttention

bf16, 16 heads (bias: 4), one sequence of 8192 and of 16384 tokens (documents: of 65536, 32 of them),
D 64 and 128. FlexAttention is compiled by torch.compile, its BlockMask made before the
clock starts. Sinks are compared with the same kernel without them, in turns too. Medians of CUDA events
in drawn turns of a second in all (`--seconds`), and the ratio of the first 20 (`--rounds`) behind a pause, when clocks are higher.
"""

import sys

from common import geometric_mean, harness, markdown, time_steadily
import regions as cases
from regions import Sizes

DIRECTORY = harness.ROOT / "build-gpu" / "regions-bench"
HEADS = 16
# Fewer where 16 heads of 16384 x 16384 are beyond 32 bits of an index of FlexAttention.
BIAS_HEADS = 4
LENGTHS = (8192, 16384)
TOKENS, DOCUMENTS = 65536, 32
DIMS = (64, 128)
NAMES = ("documents", "bias", "alibi", "t5", "sinks")
PLAIN = "plain"
PEER = "peer"
ROLES = "wgmma=all specialize overlap ping-pong"
LARGE = "tiles=query=128,key=128 persistent resident=1"
TUNE = [
    ("gathered", LARGE, ROLES),
    ("streamed", LARGE, ROLES + " stream-reads"),
    ("streamed-optimistic", LARGE, ROLES + " stream-reads optimistic-max"),
    ("streamed-128x64", "tiles=query=128,key=64 persistent resident=1",
     ROLES + " stream-reads optimistic-max"),
]
ALIBI_ROLES = ROLES + " resident-stages=2 store-tensors"
TUNE_ALIBI = [
    (f"{query}x{key}", f"tiles=query={query},key={key} persistent resident=1 pair-tiles", ALIBI_ROLES)
    for query, key in ((192, 64), (192, 96), (192, 112), (128, 128))
] + [
    ("three-stages", "tiles=query=192,key=128 persistent resident=1 pair-tiles", ALIBI_ROLES + " stages=3"),
    ("no-turns", "tiles=query=192,key=128 persistent resident=1 pair-tiles", ALIBI_ROLES.replace(" ping-pong", "")),
]


def plain():
    return cases.Region(PLAIN, (), lambda t, g, z: [], mask="causal")


def chosen():
    known = cases.regions()
    return [known[name] for name in NAMES] + [plain()]


def heads_of(region):
    return BIAS_HEADS if region.name == "bias" else HEADS


def variants(region, dim, tune):
    """The default, and what was measured against it."""
    more = {"bias": TUNE, "alibi": TUNE_ALIBI if dim == 64 else []}
    return [("default", "", "")] + (more.get(region.name, []) if tune else [])


def directory(region, dim, variant):
    return DIRECTORY / f"{region.name}-d{dim}-{variant}"


def compile_half(arguments):
    jobs = [
        harness.Job(directory(region, dim, name), region.text(heads_of(region), heads_of(region), dim), schedule,
                    lower, arguments.target)
        for region in chosen() for dim in DIMS
        for name, schedule, lower in variants(region, dim, arguments.tune)
    ]
    return 1 if harness.compile_jobs(jobs, arguments) else 0


def flex(torch, region, values, sizes):
    """FlexAttention with this region, compiled; a function of Q, K, V."""
    from torch.nn.attention import flex_attention as module

    # Beyond eight kinds of inputs it would not compile, but run operation by operation.
    torch._dynamo.reset()
    call = torch.compile(module.flex_attention, dynamic=False)
    captured = values[: len(region.captures)]
    score = region.score(*captured) if region.score else None
    keep = region.keep(*captured) if region.keep else None
    causal = lambda b, h, i, j: j <= i
    masks = [m for m in (keep, causal if region.mask else None) if m]
    mask = None
    if masks:
        make = torch.compile(module.create_block_mask)
        mask = make(module.and_masks(*masks), None, None, sizes.queries, sizes.keys,
                    device="cuda")
    return lambda q, k, v: call(q, k, v, score_mod=score, block_mask=mask)


def measure(torch, region, kernels, plain_kernel, dim, length, generator, arguments):
    """Times in turns with the peer's, those of the first turns, and how far results are from the peer's."""
    heads = heads_of(region)
    sizes = Sizes(1, heads, length, length)
    q, k, v = (cases.normal(torch, generator, 1, heads, length, dim, dtype=torch.bfloat16)
               for _ in range(3))
    values = region.make(torch, generator, sizes)
    if region.name == "documents":
        values = [cases.documents(torch, generator, sizes, DOCUMENTS)]
    calls, outs = {}, {}
    for name, kernel in kernels.items():
        outs[name] = torch.full_like(q, torch.nan)
        own = values if region.sinks or region.captures else []
        harness.launch(kernel, [q, k, v, *own], [outs[name]])
        calls[name] = (lambda turn, kernel=kernel, out=outs[name], own=own:
                       harness.launch(kernel, [q, k, v, *own], [out]))
    deviation = {}
    if region.sinks:
        without = torch.full_like(q, torch.nan)
        calls[PEER] = lambda turn: harness.launch(plain_kernel, [q, k, v], [without])
    else:
        peer = flex(torch, region, values, sizes)
        wanted = peer(q, k, v)
        calls[PEER] = lambda turn: peer(q, k, v)
        for name, out in outs.items():
            worst = (out - wanted).float().norm(dim=-1) / wanted.float().norm(dim=-1)
            deviation[name] = worst.nan_to_num(nan=float("inf")).max().item()
    return *time_steadily(torch, calls, arguments.rounds, arguments.seconds), deviation


def loaded(attn_mlir, region, dim):
    """Kernels by the name of their schedule."""
    found = {}
    for name, _, _ in variants(region, dim, tune=True):
        bundle = directory(region, dim, name)
        if (bundle / "manifest.json").is_file():
            found[name] = attn_mlir.load(str(bundle))
    return found


def run_half(arguments):
    torch, attn_mlir = harness.require_gpu(arguments.strict)
    generator = torch.Generator(device="cuda")
    generator.manual_seed(arguments.seed)
    names = set(filter(None, arguments.only.split(",")))
    rows, ratios = [], {}
    for dim in (dim for dim in DIMS if dim in arguments.dims):
        plain_kernel = loaded(attn_mlir, plain(), dim).get("default")
        for region in chosen()[:-1]:
            if names and region.name not in names:
                continue
            kernels = loaded(attn_mlir, region, dim)
            if not kernels:
                continue
            if region.sinks and not plain_kernel:
                print(f"{region.name} D {dim}: no kernel without sinks to compare with", file=sys.stderr)
                continue
            for length in (TOKENS,) if region.name == "documents" else arguments.lengths:
                times, first, deviation = measure(torch, region, kernels, plain_kernel, dim, length, generator, arguments)
                torch.cuda.empty_cache()
                print(f"{region.name} D {dim} S {length}: {times}", file=sys.stderr)
                for name in kernels:
                    ratio, at_first = (of[PEER] / of[name] for of in (times, first))
                    ratios.setdefault((region.name, name), []).append(ratio)
                    rows.append([f"{region.name} D {dim} S {length}", name, f"{times[name]:.3f}", f"{times[PEER]:.3f}",
                                 f"{ratio:.2f}", f"{at_first:.2f}", f"{deviation[name]:.1e}" if name in deviation else "-"])
    print(harness.describe_device(torch))
    print(markdown(["", "schedule", "ms", "peer, ms", "ratio", "at first", "deviation"], rows))
    for (region, name), values in ratios.items():
        print(f"{region}, {name}: geometric mean {geometric_mean(values):.3f}, "
              f"least {min(values):.3f}")
    wrong = [row for row in rows if row[-1] != "-" and not float(row[-1]) <= arguments.bound]
    for row in wrong:
        print("WRONG", *row)
    return 1 if wrong else 0


def main():
    parser = harness.new_parser(__doc__)
    compile_parser, run_parser = harness.add_halves(parser)
    compile_parser.add_argument("--tune", action="store_true")
    run_parser.add_argument("--seed", type=int, default=1)
    run_parser.add_argument("--only", default="", help="regions, by a comma")
    run_parser.add_argument("--dims", type=int, nargs="+", default=DIMS)
    run_parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS)
    run_parser.add_argument("--rounds", type=int, default=20, help="at least")
    run_parser.add_argument("--seconds", type=float, default=1, help="that turns of one shape take in all")
    run_parser.add_argument("--bound", type=float, default=2e-2)
    arguments = parser.parse_args()
    return compile_half(arguments) if arguments.half == "compile" else run_half(arguments)


if __name__ == "__main__":
    sys.exit(main())
