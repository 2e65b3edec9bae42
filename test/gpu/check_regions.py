#!/usr/bin/env python3
"""Score modifications, mask regions and sinks on a GPU, against float64.

    check_regions.py compile    bundles of regions.py
    check_regions.py run        launches them: sizes, errors, poisoned outputs

Each region is compiled three times: for a head dimension with the compiler's own
schedule, and for two others with schedules that are dealt like cards.
"""

import sys

import harness
import regions
from regions import Sizes

DIRECTORY = harness.ROOT / "build-gpu" / "regions"
ROLES = "wgmma=all specialize overlap ping-pong"
DIMS = [(64, 8, 2), (128, 4, 4), (256, 4, 1), (72, 6, 2), (128, 8, 2), (64, 4, 4), (96, 3, 1)]
SCHEDULES = [
    ("tiles=query=64,key=64", ""),
    ("tiles=query=128,key=64 sawtooth=force", ""),
    ("tiles=query=128,key=128 persistent sms=5 resident=1", ROLES + " resident-stages=2"),
    ("tiles=query=64,key=64 splits=2", ""),
    ("tiles=query=64,key=64 split-ctas splits=3", ""),
    ("tiles=query=128,key=64 persistent sms=7 resident=1 pair-tiles", ROLES + " optimistic-max"),
    ("tiles=query=64,key=32 grid-order=swizzled-head-first domains=3 longest-first", ""),
    ("tiles=query=64,key=64", "copy=async"),
]
SIZES = [
    (2, 131, 131), (1, 1000, 1000), (3, 1, 97), (1, 300, 1025), (2, 513, 300), (1, 64, 0),
]
BOUND, LSE_BOUND = 1e-2, 2e-5


def jobs():
    """A name, the region, its heads and dimension, and how it is compiled."""
    made = []
    for number, region in enumerate(regions.regions().values()):
        for variant in range(3):
            index = 3 * number + variant
            dim, heads, kv_heads = DIMS[index % len(DIMS)]
            schedule, lower = SCHEDULES[index % len(SCHEDULES)] if variant else ("", "")
            if dim == 256 and variant:
                schedule, lower = "tiles=query=64,key=32", ""
            made.append((f"{region.name}-{variant}-d{dim}-h{heads}_{kv_heads}", region,
                         (heads, kv_heads, dim), schedule, lower))
    return made


def compile_half(arguments):
    bundles = [
        harness.Job(DIRECTORY / name, region.text(*shape, lse=True), schedule, lower,
                    arguments.target)
        for name, region, shape, schedule, lower in jobs()
    ]
    return 1 if harness.compile_jobs(bundles, arguments) else 0


def errors(torch, got, wanted):
    """Of the worst row; what is not finite has to be the same."""
    got, wanted = got.double(), wanted.double()
    same = (got == wanted) | (got.isnan() & wanted.isnan())
    difference = torch.where(same, torch.zeros_like(got), got - wanted)
    return difference


def check(torch, kernel, region, shape, sizes, generator):
    heads, kv_heads, dim = shape
    batch, queries, keys = sizes
    own = Sizes(batch, heads, queries, keys)
    q, k, v = (
        regions.normal(torch, generator, batch, n, length, dim, dtype=torch.bfloat16)
        for n, length in ((heads, queries), (kv_heads, keys), (kv_heads, keys))
    )
    values = region.make(torch, generator, own)
    if region.sinks and len(values) == len(region.captures):
        values = [*values, regions.normal(torch, generator, heads)]
    out = torch.full_like(q, torch.nan)
    lse = torch.full((batch, heads, queries), torch.nan, device="cuda")
    harness.launch(kernel, [q, k, v, *values], [out, lse])
    wanted, wanted_lse = regions.reference(torch, region, values, q, k, v,
                                           round(dim**-0.5, 9))
    torch.cuda.synchronize()
    difference = errors(torch, out, wanted)
    norm = wanted.norm(dim=-1)
    error = (difference.norm(dim=-1) / norm.where(norm > 0, torch.ones_like(norm)))
    lse_error = errors(torch, lse, wanted_lse).abs() / wanted_lse.abs().clamp(min=1)
    most = lambda x: x.nan_to_num(nan=float("inf")).max().item() if x.numel() else 0.0
    return most(error), most(lse_error)


def run_half(arguments):
    torch, attn_mlir = harness.require_gpu(arguments.strict)
    generator = torch.Generator(device="cuda")
    generator.manual_seed(arguments.seed)
    good, wrong, worst = 0, [], 0.0
    for name, region, shape, schedule, lower in jobs():
        if arguments.filter not in name:
            continue
        try:
            kernel = attn_mlir.load(str(DIRECTORY / name))
        except Exception as error:
            wrong.append(f"{name}: {error}")
            continue
        for sizes in SIZES:
            try:
                error, lse_error = check(torch, kernel, region, shape, sizes, generator)
            except Exception as error:
                wrong.append(f"{name} {sizes}: {error}")
                continue
            worst = max(worst, error)
            if error <= BOUND and lse_error <= LSE_BOUND:
                good += 1
            else:
                wrong.append(f"{name} {sizes}: {error:.3g}, of the LSE {lse_error:.3g}")
    print(f"{harness.describe_device(torch)}; seed {arguments.seed}")
    print("\n".join(["WRONG " + text for text in wrong]))
    print(f"{good} of {good + len(wrong)} combinations are right; the largest error {worst:.3g}")
    return 1 if wrong or not good else 0


def main():
    parser = harness.new_parser(__doc__)
    halves = parser.add_subparsers(dest="half", required=True)
    harness.add_compile_arguments(halves.add_parser("compile"))
    run_parser = halves.add_parser("run")
    harness.add_run_arguments(run_parser)
    run_parser.add_argument("--seed", type=int, default=1)
    run_parser.add_argument("--filter", default="", help="part of a name")
    arguments = parser.parse_args()
    return compile_half(arguments) if arguments.half == "compile" else run_half(arguments)


if __name__ == "__main__":
    sys.exit(main())
