#!/usr/bin/env python3
"""Forward attention against PyTorch's SDPA: FlashAttention-2 and cuDNN.

    forward.py compile [--only default,exact]
                                             bundles of forward_configs.py
    forward.py run                           the table, on a GPU
    forward.py run --variants DIR DIR ...    sets of bundles side by side
    forward.py run --rivals DIR              beside other kernels, see Rivals
    forward.py compile --ladder; forward.py run --ladder
                                             D 128, S 8192: a rung for each pass,
                                             from naive_attention.py up

bf16, D 64 with 32 heads, D 128 with 16 and D 256 with 8, B * S = 16384, full and
causal, MHA and GQA with 4 query heads a KV head; and some shapes by themselves. A
set of bundles is a directory with one bundle for each kernel, such as d64-causal-mha.
The set "default" is what the compiler takes by itself, with optimistic row maxima
where that is its default; "exact" is the same with exact ones. All peers are timed in
the same run, in turns, with CUDA events; the number is the median. TFLOP/s count
4 B H S S D operations, half of that under a causal mask, for all peers.
"""

import re
import sys
from pathlib import Path
from typing import NamedTuple

import naive_attention
from common import (
    attention_text,
    forward_flops,
    geometric_mean,
    harness,
    markdown,
    time_interleaved,
)
from forward_configs import CONFIGS, DEFAULT, LADDER, NAIVE

DEFAULT_DIRECTORY = harness.ROOT / "build-gpu" / "forward"
HEADS = {64: 32, 128: 16, 256: 8}
LENGTHS = [512, 1024, 2048, 4096, 8192, 16384]
TOKENS = 16384
GROUP = 4


class Kernel(NamedTuple):
    """A kernel, and the (batch, length) that it is measured at (empty: B * S = TOKENS)."""

    name: str
    dim: int
    causal: bool
    heads: int
    kv_heads: int
    shapes: tuple = ()

    @property
    def group(self):
        return self.heads // self.kv_heads


def plain_kernels():
    """Full and causal, MHA and GQA, of each head dimension."""
    return [
        Kernel(
            f"d{dim}-{'causal' if causal else 'full'}-{'gqa' if group > 1 else 'mha'}",
            dim, causal, heads, heads // group,
        )
        for dim, heads in HEADS.items()
        for causal in (False, True)
        for group in (1, GROUP)
    ]


def kernels():
    return plain_kernels() + [
        Kernel("d128-causal-32-8", 128, True, 32, 8, ((1, 8192),)),
        Kernel("d128-causal-64-8", 128, True, 64, 8, ((1, 32768),)),
        Kernel("d64-full-1-1", 64, False, 1, 1, ((8, 131072),)),
        Kernel("d56-full-128-128", 56, False, 128, 128, ((1, 8192),)),
    ]


# ---------------------------------------------------------------------------
# Compile half


def make_job(directory, text, config, target):
    """The bundle of an entry of forward_configs.py."""
    _, schedule, lower, *also_lower = config
    return harness.Job(directory, text, schedule, lower, target, *also_lower)


def naive_jobs(kernel, arguments):
    """The three bundles of naive_attention.py."""
    directory = Path(arguments.out) / NAIVE / kernel.name
    texts = naive_attention.sources(
        kernel.heads, kernel.kv_heads, kernel.dim, kernel.causal
    )
    return [
        harness.Job(directory / name, text, target=arguments.target)
        for name, text in texts.items()
    ]


def compile_half(arguments):
    only = set(filter(None, arguments.only.split(",")))
    jobs = []
    configs = LADDER if arguments.ladder else CONFIGS
    for kernel in kernels():
        chosen = configs.get((kernel.dim, kernel.causal), [] if arguments.ladder else DEFAULT)
        if not re.search(arguments.filter, kernel.name):
            continue
        text = attention_text(kernel.heads, kernel.kv_heads, kernel.dim, kernel.causal)
        for config in chosen:
            if not only or config[0] in only:
                directory = Path(arguments.out) / config[0] / kernel.name
                jobs.append(make_job(directory, text, config, arguments.target))
        if arguments.ladder and chosen and (not only or NAIVE in only):
            jobs += naive_jobs(kernel, arguments)
    sys.exit(1 if harness.compile_jobs(jobs, arguments) else 0)


# ---------------------------------------------------------------------------
# Run half


def has_bundle(directory):
    return (directory / "manifest.json").is_file() or naive_attention.is_naive(directory)


def load_kernel(attn_mlir, directory):
    """What `directory` holds, to be called as one kernel is."""
    if naive_attention.is_naive(directory):
        return naive_attention.Naive(directory, attn_mlir)
    return attn_mlir.load(str(directory))


class Rivals:
    """Kernels by hand in a directory with a module `rivals`: load(directory) gives
    name -> kernel with `c["D"]`, `c["causal"]`, and prepare(q, k, v, out), of BSHD
    views, gives the launch. MHA only; a suffix `exact` or `optimistic` says how the
    row maximum is taken."""

    def __init__(self, directory):
        self.kernels = {}
        if directory:
            sys.path.insert(0, directory)
            import rivals

            self.kernels = rivals.load(directory)

    def calls(self, kernel, inputs, outs):
        result = {}
        for name, rival in self.kernels.items():
            fits = rival.c["D"] == kernel.dim and bool(rival.c["causal"]) == kernel.causal
            if fits and kernel.group == 1:
                launches = [
                    rival.prepare(*(t.transpose(1, 2) for t in (*qkv, out)))
                    for qkv, out in zip(inputs, outs)
                ]
                label = "rival " + name.split("_")[-1]
                result[label] = lambda turn, launches=launches: launches[turn % len(launches)]()
        return result


def peers(torch, kernel):
    """name -> function (q, k, v) -> o, and remarks. Where a back end takes no
    grouped heads, K and V are expanded before the clock starts."""
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention

    causal, group = kernel.causal, kernel.group
    grouped = group > 1

    def make(backend, gqa):
        def call(q, k, v):
            with sdpa_kernel(backend):
                extra = {"enable_gqa": True} if gqa else {}
                return scaled_dot_product_attention(q, k, v, is_causal=causal, **extra)

        return call

    result, remarks = {}, []
    small = [
        torch.randn(1, heads, 256, 64, dtype=torch.bfloat16, device="cuda")
        for heads in (group, 1, 1)
    ]
    for name, backend in (
        ("FA2", SDPBackend.FLASH_ATTENTION),
        ("cuDNN", SDPBackend.CUDNN_ATTENTION),
    ):
        try:
            call, expand = make(backend, grouped), False
            try:
                call(*small)
            except RuntimeError:
                if not grouped:
                    raise
                call, expand = make(backend, False), True
                call(small[0], *(t.expand(-1, group, -1, -1).contiguous() for t in small[1:]))
                remarks.append(f"{name}: GQA with K and V expanded before the timing")
            result[name] = (call, expand)
        except (RuntimeError, TypeError) as error:
            remarks.append(f"{name} does not run: {str(error).splitlines()[0]}")
    return result, remarks


def make_inputs(torch, batch, heads, kv_heads, length, dim, bshd, generator):
    def tensor(count):
        shape = (batch, length, count, dim) if bshd else (batch, count, length, dim)
        t = torch.randn(shape, device="cuda", dtype=torch.bfloat16, generator=generator)
        return t.transpose(1, 2) if bshd else t

    return tensor(heads), tensor(kv_heads), tensor(kv_heads)


def deviation(ours, theirs):
    """The largest over rows of |a - b| / |b|; NaN counts as infinite."""
    worst = 0.0
    for a, b in zip(ours, theirs):  # by batch, to save memory
        a, b = a.float(), b.float()
        error = (a - b).norm(dim=-1) / b.norm(dim=-1)
        worst = max(worst, error.nan_to_num(nan=float("inf")).max().item())
    return worst


def measure(torch, ours, rivals, kernel, batch, length, arguments, generator):
    """One shape: times and deviations of all peers."""
    dim, heads, kv_heads = kernel.dim, kernel.heads, kernel.kv_heads
    one = 2 * batch * length * dim * (2 * heads + 2 * kv_heads)
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    count = min(8, max(2, -(-2 * l2 // one)))
    inputs = [
        make_inputs(torch, batch, heads, kv_heads, length, dim, arguments.bshd, generator)
        for _ in range(count)
    ]
    sdpa, remarks = peers(torch, kernel)
    expanded = [
        (q, *(t.repeat_interleave(kernel.group, dim=1) for t in (k, v))) for q, k, v in inputs
    ] if any(expand for _, expand in sdpa.values()) else inputs
    outs = [torch.empty_like(q) for q, _, _ in inputs]

    calls, checked = {}, {}
    for name, (call, expand) in sdpa.items():
        data = expanded if expand else inputs
        calls[name] = lambda turn, call=call, data=data: call(*data[turn % count])
    reference = calls[next(iter(calls))](0) if calls else None
    for name, function in ours.items():
        outs[0].fill_(float("nan"))
        try:
            harness.launch(function, inputs[0], [outs[0]])
            torch.cuda.synchronize()
        except Exception as error:
            remarks.append(f"{name}: {error}")
            torch.zeros(1, device="cuda").item()  # a broken device ends the run here
            continue
        if reference is not None:
            checked[name] = deviation(outs[0], reference)
            # Scores in memory are rounded, too.
            bound = arguments.bound * (2 if name == NAIVE else 1)
            if not checked[name] <= bound:
                remarks.append(
                    f"{name} is WRONG: deviates from {next(iter(sdpa))} by "
                    f"{checked[name]:.3g} > {bound:g}; not timed"
                )
                continue
        calls[name] = lambda turn, function=function: harness.launch(
            function, inputs[turn % count], [outs[turn % count]]
        )
    calls.update(rivals.calls(kernel, inputs, outs))
    times = time_interleaved(torch, calls, arguments.rounds, arguments.warm_up)
    flops = forward_flops(batch, heads, length, dim, kernel.causal)
    return {
        "kernel": kernel.name,
        "B": batch, "H": heads, "Hkv": kv_heads, "S": length, "D": dim,
        "causal": kernel.causal,
        "ms": times,
        "tflops": {name: flops / ms * 1e-9 for name, ms in times.items()},
        "deviation": checked,
        "input_sets": count,
        "remarks": remarks,
    }


def ratios(results, ours, peer):
    return [
        r["tflops"][ours] / r["tflops"][peer]
        for r in results
        if ours in r["tflops"] and peer in r["tflops"]
    ]


def summary(results, ours, peer):
    values = ratios(results, ours, peer)
    if not values:
        return f"{ours} / {peer}: nothing to compare"
    return (
        f"{ours} / {peer}: geometric mean {geometric_mean(values):.3f}, "
        f"minimum {min(values):.3f}, {len(values)} of {len(results)} shapes"
    )


PEERS = ("FA2", "cuDNN", "rival exact", "rival optimistic")
PARTS = {
    "D 64 and 128, S from 2048": lambda r: r["D"] in (64, 128) and r["S"] >= 2048,
    "D 256": lambda r: r["D"] == 256,
    "S 512 and 1024": lambda r: r["S"] <= 1024,
    "MHA": lambda r: r["H"] == r["Hkv"],
    "GQA": lambda r: r["H"] != r["Hkv"],
}


def run_half(arguments):
    torch, attn_mlir = harness.require_gpu(arguments.strict)
    if arguments.variants:
        sets = [Path(p) for p in arguments.variants]
    else:
        sets = sorted(p for p in Path(arguments.out).glob("*") if p.is_dir())
        sets.sort(key=lambda p: p.name != "default")
    sets = [p for p in sets if any(map(has_bundle, p.glob("*")))]
    if not sets:
        harness.skip(f"no bundles in {arguments.out}: forward.py compile", arguments.strict)
    names = [p.name for p in sets]
    if len(set(names)) < len(names):
        names = [str(p) for p in sets]
    main_set = arguments.ours or names[-1 if arguments.ladder else 0]
    if main_set not in names:
        sys.exit(f"no set of bundles is named {main_set}; there are {', '.join(names)}")
    generator = torch.Generator(device="cuda")
    generator.manual_seed(arguments.seed if arguments.seed is not None else generator.seed())
    device = harness.describe_device(torch)
    print(f"{device}; seed {generator.initial_seed()}; "
          f"{'BSHD' if arguments.bshd else 'BHSD'} in memory; "
          f"medians of {arguments.rounds}", flush=True)

    results = []
    rivals = Rivals(arguments.rivals)
    for kernel in kernels():
        name = kernel.name
        if not re.search(arguments.filter, name):
            continue
        ours = {}
        for label, directory in zip(names, sets):
            if has_bundle(directory / name):
                ours[label] = load_kernel(attn_mlir, directory / name)
        if not ours:
            print(f"{name}: no bundle in any set", flush=True)
            continue
        ordinary = [(max(1, TOKENS // length), length) for length in arguments.lengths]
        for batch, length in kernel.shapes or ordinary:
            result = measure(
                torch, ours, rivals, kernel, batch, length, arguments, generator
            )
            results.append(result)
            rates = ", ".join(f"{n} {t:.0f}" for n, t in result["tflops"].items())
            print(f"{name} S {length}: {rates}", flush=True)
            torch.cuda.empty_cache()

    columns = [main_set, *PEERS] + [n for n in names if n != main_set]
    columns = [c for c in columns if any(c in r["tflops"] for r in results)]
    header = ["kernel", "B", "H/Hkv", "S"] + columns + ["/ FA2", "/ cuDNN", "deviation"]
    rows = []
    for r in results:
        rate = lambda n: f"{r['tflops'][n]:.0f}" if n in r["tflops"] else "–"
        ratio = lambda p: (
            f"{r['tflops'][main_set] / r['tflops'][p]:.2f}"
            if main_set in r["tflops"] and p in r["tflops"]
            else "–"
        )
        deviations = r["deviation"].get(main_set)
        rows.append(
            [r["kernel"], r["B"], f"{r['H']}/{r['Hkv']}", r["S"]]
            + [rate(n) for n in columns]
            + [ratio("FA2"), ratio("cuDNN"), "–" if deviations is None else f"{deviations:.1e}"]
        )
    text = [f"TFLOP/s on {device}", "", markdown(header, rows), ""]
    present = [p for p in PEERS if any(p in r["tflops"] for r in results)]
    for ours in dict.fromkeys([main_set] + [n for n in names if n == "exact"]):
        for peer in present:
            text.append(summary(results, ours, peer))
            for what, keep in PARTS.items():
                part = [r for r in results if keep(r)]
                if part:
                    text.append(f"  {what}: " + summary(part, ours, peer))
    if len(names) > 1:
        text += ["", "Best set of each kernel, by geometric mean of TFLOP/s:"]
        for kernel in dict.fromkeys(r["kernel"] for r in results):
            mine = [r for r in results if r["kernel"] == kernel]
            means = {
                n: geometric_mean([r["tflops"][n] for r in mine])
                for n in names
                if all(n in r["tflops"] for r in mine)
            }
            best = sorted(means, key=means.get, reverse=True)
            text.append(f"  {kernel}: " + ", ".join(f"{n} {means[n]:.0f}" for n in best))
    remarks = dict.fromkeys(m for r in results for m in r["remarks"])
    text += [""] + [f"Remark: {m}" for m in remarks] if remarks else []
    print("\n".join(text))
    harness.write_json(arguments.json, {"device": device, "ours": main_set, "results": results})
    if arguments.markdown:
        Path(arguments.markdown).write_text("\n".join(text) + "\n")
    wrong = [m for m in remarks if "WRONG" in m]
    sys.exit(1 if wrong or not results or not ratios(results, main_set, "FA2") else 0)


def main():
    parser = harness.new_parser(__doc__)
    halves = parser.add_subparsers(dest="half", required=True)
    compile_parser = halves.add_parser("compile", help="make bundles; wants no GPU")
    harness.add_compile_arguments(compile_parser)
    compile_parser.add_argument(
        "--only", default="", metavar="NAME,...", help="only these variants"
    )
    run_parser = halves.add_parser("run", help="measure; wants a GPU and PyTorch")
    harness.add_run_arguments(run_parser)
    run_parser.add_argument(
        "--variants", nargs="+", metavar="DIR",
        help="sets of bundles (default: all of --out)",
    )
    run_parser.add_argument(
        "--ours", metavar="NAME",
        help="the set to report as ours (default: the first, of a ladder the last)",
    )
    run_parser.add_argument("--rivals", metavar="DIR", help="kernels to measure beside ours")
    run_parser.add_argument("--bshd", action="store_true", help="tensors are BSHD in memory")
    run_parser.add_argument("--lengths", type=int, nargs="+", default=LENGTHS)
    run_parser.add_argument("--rounds", type=int, default=30, help="default: 30")
    run_parser.add_argument("--warm-up", type=int, default=3, help="default: 3")
    run_parser.add_argument("--seed", type=int)
    run_parser.add_argument(
        "--bound", type=float, default=2e-2,
        help="largest deviation of a row from SDPA, both rounded (default: 0.02)",
    )
    run_parser.add_argument("--json", metavar="FILE")
    run_parser.add_argument("--markdown", metavar="FILE")
    for half in (compile_parser, run_parser):
        half.add_argument(
            "--out", default=str(DEFAULT_DIRECTORY), help="default: build-gpu/forward"
        )
        half.add_argument("--filter", default="", metavar="REGEX", help="of kernels")
        half.add_argument(
            "--ladder", action="store_true", help="one set of bundles for each pass, MHA"
        )
    arguments = parser.parse_args()
    if arguments.ladder:
        arguments.filter = arguments.filter or "mha"
        arguments.lengths = [8192]
        if arguments.out == str(DEFAULT_DIRECTORY):
            arguments.out = str(DEFAULT_DIRECTORY.parent / "ladder")
    compile_half(arguments) if arguments.half == "compile" else run_half(arguments)


if __name__ == "__main__":
    main()
