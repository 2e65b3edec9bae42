#!/usr/bin/env python3
"""The backward pass of attention against PyTorch's SDPA: FlashAttention-2 and cuDNN.

    backward.py compile [--only default]     bundles of CONFIGS
    backward.py run                          the table, on a GPU
    backward.py run --quick                  S 2048 and 8192 alone
    backward.py compile --forms && backward.py run --forms
                                             the forms beside each other: by the tables
                                             `ordered` against the fastest, and its errors

bf16, D 64 with 32 heads, D 128 with 16 and D 256 with 8, B * S = 16384, full and
causal, MHA and GQA with 4 query heads a KV head. The set "default" is what the
compiler takes by itself. The backward pass alone is timed, all its kernels together,
from O and LSE that are there: in turns, with CUDA events; the number is the median.
TFLOP/s count 10 B H S S D operations, five products, half of that under a causal mask,
for all peers: what is computed twice counts once. PyTorch's FA2 is timed as it is by
default and with deterministic algorithms.
"""

import re
import sys
from pathlib import Path

from common import forward_flops, geometric_mean, harness, markdown, time_interleaved
from forward import LENGTHS, TOKENS, plain_kernels

DEFAULT_DIRECTORY = harness.ROOT / "build-gpu" / "backward"
QUICK = [2048, 8192]
ROLES = "wgmma = all, specialize"


def ladder_step(more="", of_key=""):
    """Schedules of attention_backward_key and attention_backward_query."""
    return (f"tiles = [key = 128, query = 64], {ROLES}{more}{of_key}",
            f"tiles = [query = 128, key = 128], {ROLES}{more}")


# Sets of bundles: the compiler's own choice and, for up to 128 columns, what each pass
# adds to the one before (docs/notebooks/performance.md, "Gradients").
CONFIGS = {
    "default": None,
    "waiting": ladder_step(),
    "delayed": ladder_step(", delay_waits"),
    "columns": ladder_step(", delay_waits", ", stage_columns"),
    "turns": ladder_step(", delay_waits, ping_pong", ", stage_columns"),
}
LADDER_COLUMNS = 128

# Forms of one kernel for all gradients, for up to 128 columns: a schedule, and options of
# the lowering. Beside "default", two kernels, these are measured with --forms. With up to
# 64 columns there is room for tiles of twice as many queries (tiles_of).
FUSED = "form=fused tiles=query=64,key=128"
ORDERED = FUSED.replace("fused", "ordered")
LATE = "wgmma=all specialize delay-waits stage-columns"
FORMS = {
    "fused": (FUSED, LATE),
    "fused persistent": (FUSED + " persistent", LATE),
    "ordered": (ORDERED, LATE),
    "ordered dynamic": (ORDERED + " persistent dynamic", LATE),
    "ordered by blocks": (ORDERED + " grid-order=naive-block-first", LATE),
}


def tiles_of(kernel, schedule):
    return schedule.replace("query=64", "query=128") if kernel.dim <= 64 else schedule


def is_ordered(name):
    return name.startswith("ordered")


def gradients_text(kernel, schedules=None, element="bf16"):
    """Gradients with dynamic batch and lengths, B H S D, as level-1 MLIR; with schedules
    the operations that attn.attention_backward is made of."""
    dim = kernel.dim
    q = f"tensor<?x{kernel.heads}x?x{dim}x{element}>"
    kv = f"tensor<?x{kernel.kv_heads}x?x{dim}x{element}>"
    lse = f"tensor<?x{kernel.heads}x?xf32>"
    rest = " mask(#attn.causal<top_left>)" if kernel.causal else ""
    rest += f" scale({round(dim ** -0.5, 9)!r})"
    if schedules:
        of_key, of_query = (f" {{attn.schedule = #attn.schedule<{text}>}}" for text in schedules)
        taken = f"({q}, {kv}, {kv}, {q}, {lse}, {lse})"
        body = (
            f"  %delta = attn.row_dot %o, %do : ({q}, {q}) -> {lse}\n"
            f"  %dq = attn.attention_backward_query %q, %k, %v, %do, %lse, %delta{rest}{of_query}\n"
            f"      : {taken} -> {q}\n"
            f"  %dk, %dv = attn.attention_backward_key %q, %k, %v, %do, %lse, %delta{rest}{of_key}\n"
            f"      : {taken} -> ({kv}, {kv})\n"
        )
    else:
        body = (
            f"  %dq, %dk, %dv = attn.attention_backward %q, %k, %v, %o, %do, %lse{rest}\n"
            f"      : ({q}, {kv}, {kv}, {q}, {q}, {lse}) -> ({q}, {kv}, {kv})\n"
        )
    return (
        f"func.func @backward(%q: {q}, %k: {kv}, %v: {kv}, %o: {q}, %do: {q}, %lse: {lse})\n"
        f"    -> ({q}, {kv}, {kv}) {{\n{body}  return %dq, %dk, %dv : {q}, {kv}, {kv}\n}}\n"
    )


# ---------------------------------------------------------------------------
# Compile half


def compile_half(arguments):
    only = set(filter(None, arguments.only.split(",")))
    if arguments.forms:
        only = only or {"default", *FORMS}
    jobs = [
        harness.Job(
            Path(arguments.out) / name / kernel.name,
            gradients_text(kernel),
            tiles_of(kernel, schedule), lower,
            target=arguments.target,
        )
        for kernel in plain_kernels()
        if re.search(arguments.filter, kernel.name) and kernel.dim <= LADDER_COLUMNS
        for name, (schedule, lower) in FORMS.items()
        if name in only
    ]
    jobs += [
        harness.Job(
            Path(arguments.out) / name / kernel.name,
            gradients_text(kernel, schedules),
            target=arguments.target,
        )
        for kernel in plain_kernels()
        if re.search(arguments.filter, kernel.name)
        for name, schedules in CONFIGS.items()
        if (name in only or not only) and (not schedules or kernel.dim <= LADDER_COLUMNS)
    ]
    return 1 if harness.compile_jobs(jobs, arguments) else 0


# ---------------------------------------------------------------------------
# Run half


class Problem:
    """Inputs of one shape, and the forward pass's O and LSE."""

    def __init__(self, torch, kernel, batch, length, generator):
        def normal(heads):
            return torch.randn(batch, heads, length, kernel.dim, device="cuda",
                               dtype=torch.bfloat16, generator=generator)

        self.q, self.dout = normal(kernel.heads), normal(kernel.heads)
        self.k, self.v = normal(kernel.kv_heads), normal(kernel.kv_heads)
        wide = [x.repeat_interleave(kernel.group, dim=1) for x in (self.k, self.v)]
        self.o, self.lse = torch.ops.aten._scaled_dot_product_flash_attention(
            self.q, *wide, 0.0, kernel.causal, scale=kernel.dim**-0.5)[:2]
        self.out = tuple(torch.empty_like(x) for x in (self.q, self.k, self.v))


def peer_call(torch, backend, kernel, problem, deterministic=False):
    """The backward pass of SDPA by a back end, from a forward pass of its own."""
    from torch.nn.attention import sdpa_kernel

    inputs = [x.detach().requires_grad_() for x in (problem.q, problem.k, problem.v)]
    extra = {"enable_gqa": True} if kernel.group > 1 else {}
    with sdpa_kernel(backend):
        out = torch.nn.functional.scaled_dot_product_attention(
            *inputs, is_causal=kernel.causal, **extra)

    def call(_):
        torch.use_deterministic_algorithms(deterministic)
        try:
            return torch.autograd.grad(out, inputs, problem.dout, retain_graph=True)
        finally:
            torch.use_deterministic_algorithms(False)

    return call


def deviation(ours, theirs):
    """The largest over dQ, dK, dV of ||a - b|| / ||b||."""
    return max(((a.float() - b.float()).norm() / b.float().norm()).item()
               for a, b in zip(ours, theirs))


def measure(torch, sets, kernel, batch, length, arguments, generator):
    from torch.nn.attention import SDPBackend

    problem = Problem(torch, kernel, batch, length, generator)
    calls, remarks = {}, []
    candidates = {
        "FA2": (SDPBackend.FLASH_ATTENTION, False),
        "FA2 deterministic": (SDPBackend.FLASH_ATTENTION, True),
        "cuDNN": (SDPBackend.CUDNN_ATTENTION, False),
    }
    wanted = None
    for name, (backend, deterministic) in candidates.items():
        try:
            call = peer_call(torch, backend, kernel, problem, deterministic)
            found = call(0)
            wanted = wanted or found
            calls[name] = call
        except RuntimeError as error:
            remarks.append(f"{name} does not run: {str(error).splitlines()[0][:120]}")
    checked = {}
    inputs = (problem.q, problem.k, problem.v, problem.o, problem.dout, problem.lse)
    for name, function in sets.items():
        for x in problem.out:
            x.fill_(float("nan"))
        call = lambda _, function=function: function(*inputs, out=problem.out)
        try:
            call(0)
            torch.cuda.synchronize()
        except Exception as error:
            remarks.append(f"{name}: {str(error)[:200]}")
            torch.zeros(1, device="cuda").item()
            continue
        checked[name] = deviation(problem.out, wanted)
        if not checked[name] <= arguments.bound:
            remarks.append(f"{name} is WRONG: deviates by {checked[name]:.3g}; not timed")
            continue
        calls[name] = call
    times = time_interleaved(torch, calls, arguments.rounds)
    if arguments.parts:
        for name, call in calls.items():
            if name in sets:
                print(f"{kernel.name} S {length} {name}: ms of {kernel_times(torch, call)}", flush=True)
    flops = 2.5 * forward_flops(batch, kernel.heads, length, kernel.dim, kernel.causal)
    return {
        "kernel": kernel.name, "B": batch, "S": length,
        "tflops": {name: flops / ms * 1e-9 for name, ms in times.items()},
        "deviation": checked, "remarks": remarks,
    }


def kernel_times(torch, call, rounds=5):
    """Milliseconds of each kernel that a call launches, by the profiler, as text."""
    from torch.profiler import ProfilerActivity, profile

    call(0)
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA], acc_events=True) as found:
        for turn in range(rounds):
            call(turn)
        torch.cuda.synchronize()
    times = {event.key.removeprefix("backward_"): event.device_time_total / rounds / 1e3
             for event in found.key_averages() if event.device_time_total > 0}
    return ", ".join(f"{name} {times[name]:.3f}" for name in sorted(times))


PEERS = ("cuDNN", "FA2", "FA2 deterministic")


def ratio(result, ours, peers):
    rates = [result["tflops"][p] for p in peers if p in result["tflops"]]
    if ours not in result["tflops"] or not rates:
        return None
    return result["tflops"][ours] / max(rates)


def compare_forms(results):
    """Tables of the time of each ordered form by that of the fastest of all forms, and of
    deviations, and their bound: at most 20 % more."""
    names = [name for name in ("default", *FORMS) if any(name in r["tflops"] for r in results)]
    shares = {name: [] for name in names}
    for r in results:
        best = max((r["tflops"][name] for name in names if name in r["tflops"]), default=None)
        for name in names:
            if name in r["tflops"]:
                shares[name].append(best / r["tflops"][name])
    print("\n" + markdown(
        ["form", "time / fastest form: geometric mean", "largest", "shapes", "largest deviation"],
        [[name, f"{geometric_mean(values):.3f}", f"{max(values):.3f}", len(values),
          format(max(r["deviation"][name] for r in results if name in r["deviation"]), ".1e")]
         for name, values in shares.items() if values]))
    ordered = [min(values) for values in zip(*(shares[n] for n in names if is_ordered(n)))]
    if ordered:
        print(f"the better of the ordered forms / the fastest form: geometric mean "
              f"{geometric_mean(ordered):.3f} (at most 1.2 is asked)")


def run_half(arguments):
    torch, attn_mlir = harness.require_gpu(arguments.strict)
    out = Path(arguments.out)
    names = sorted((p.name for p in out.glob("*") if p.is_dir()), key=lambda n: n != "default")
    if not names:
        harness.skip(f"no bundles in {out}: backward.py compile", arguments.strict)
    generator = torch.Generator(device="cuda").manual_seed(arguments.seed)
    print(f"{harness.describe_device(torch)}; medians of {arguments.rounds}", flush=True)
    results = []
    lengths = arguments.lengths or (QUICK if arguments.quick else LENGTHS)
    for kernel in plain_kernels():
        sets = {
            name: attn_mlir.load(str(out / name / kernel.name))
            for name in names
            if (out / name / kernel.name / "manifest.json").is_file()
        }
        if not sets or not re.search(arguments.filter, kernel.name):
            continue
        for length in lengths:
            batch = max(1, arguments.tokens // length)
            result = measure(torch, sets, kernel, batch, length, arguments, generator)
            results.append(result)
            for remark in result["remarks"]:
                print(f"{kernel.name} S {length}: {remark}", flush=True)
            torch.cuda.empty_cache()
    columns = [c for c in (*names, *PEERS) if any(c in r["tflops"] for r in results)]
    header = ["kernel", "B", "S", *columns, "/ best", "/ deterministic", "deviation"]
    show = lambda value, form: "–" if value is None else format(value, form)
    rows = [
        [r["kernel"], r["B"], r["S"]]
        + [show(r["tflops"].get(c), ".0f") for c in columns]
        + [show(ratio(r, names[0], PEERS[:2]), ".2f"), show(ratio(r, names[0], PEERS[2:]), ".2f"),
           show(r["deviation"].get(names[0]), ".1e")]
        for r in results
    ]
    print("\n" + markdown(header, rows) + "\n")
    for name in names:
        for label, peers in (("best peer", PEERS[:2]), ("FA2 deterministic", PEERS[2:])):
            values = [v for r in results if (v := ratio(r, name, peers))]
            if values:
                print(f"{name} / {label}: geometric mean {geometric_mean(values):.3f}, "
                      f"minimum {min(values):.3f}, {len(values)} of {len(results)} shapes")
    if arguments.forms:
        compare_forms(results)
    harness.write_json(arguments.json, results)
    return 1 if any("WRONG" in w for r in results for w in r["remarks"]) else 0


def main():
    parser = harness.new_parser(__doc__)
    halves = harness.add_halves(parser)
    for half in halves:
        half.add_argument("--out", default=str(DEFAULT_DIRECTORY),
                          help="where the sets of bundles are (default: build-gpu/backward)")
        half.add_argument("--filter", default="", metavar="REGEX", help="only these kernels")
        half.add_argument("--forms", action="store_true",
                          help="the forms: two kernels, fused, ordered")
    halves[0].add_argument("--only", default="", help="these sets, joined by ','")
    run_parser = halves[1]
    run_parser.add_argument("--quick", action="store_true", help="two lengths")
    run_parser.add_argument("--parts", action="store_true", help="also the time of each kernel")
    run_parser.add_argument("--lengths", type=lambda text: list(map(int, text.split(","))),
                            default=None, help="instead of 512 to 16384")
    run_parser.add_argument("--tokens", type=int, default=TOKENS, help="B * S (default: 16384)")
    run_parser.add_argument("--rounds", type=int, default=20, help="default: 20")
    run_parser.add_argument("--seed", type=int, default=1)
    run_parser.add_argument("--bound", type=float, default=2e-2,
                            help="deviation from the first peer (default: 0.02)")
    run_parser.add_argument("--json", default="", metavar="FILE", help="also the results")
    arguments = parser.parse_args()
    return compile_half(arguments) if arguments.half == "compile" else run_half(arguments)


if __name__ == "__main__":
    sys.exit(main())
