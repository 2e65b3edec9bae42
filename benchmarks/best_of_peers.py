#!/usr/bin/env python3
"""attention() as it is by default beside the best of cuDNN, FlashAttention-2 and -3, for each shape of a fixed list.

    best_of_peers.py list                    the shapes (shapes.py); no GPU
    best_of_peers.py run [--fa3 WHEEL]       on a GPU, with the compiler installed or built
    best_of_peers.py run --only REGEX        shapes whose name matches

bf16. A row is a shape: each kernel's time over ours, medians of CUDA events in turns that are drawn anew in each round, three
times, of which the middle ratio counts; errors of some rows of each head against float64, of all in the mean and of each head's worst in the
mean, beside cuDNN's (FlashAttention's where it has none). Then the geometric mean of each class over the best peer of each shape, beside what is aimed at, and what lies
below the least.
"""

import collections
import json
import re
import sys
from pathlib import Path

from common import geometric_mean, harness, markdown, median, time_interleaved
from decode import import_fa3
from shapes import AIMS, LEAST, SHAPES, make, name_of

# Rows of a head whose error is looked at: float64 takes all keys of each. The worst of one head's is chance: kernels of one arithmetic differ by a tenth.
ROWS, HEADS = 64, 16
REPEATS = 3


def peers_of(torch, fa3, shape, q, k, v):
    """Name and call of each peer that has the shape; they return O as [B, H, S, D]."""
    window = shape.mask if isinstance(shape.mask, int) else -1
    causal = shape.mask != ""
    square = shape.queries == shape.keys
    scale = shape.qk_dim**-0.5
    bshd = [x.transpose(1, 2).contiguous() for x in (q, k, v)]
    peers = {}
    if window < 0 and not shape.softcap and (square or not causal):
        peers["cuDNN"] = lambda: _sdpa(torch, "CUDNN_ATTENTION", q, k, v, causal)
    if not shape.softcap and shape.qk_dim == shape.value_dim:
        peers["FA2"] = lambda: torch.ops.aten._flash_attention_forward(
            *bshd, None, None, shape.queries, shape.keys, 0.0, causal, False, scale=scale, window_size_left=window,
            window_size_right=0 if causal else -1)[0].transpose(1, 2)
    if fa3:
        def call():
            result = fa3.flash_attn_func(
                *bshd, softmax_scale=scale, causal=causal, window_size=(window, 0 if causal else -1), softcap=shape.softcap)
            return (result[0] if isinstance(result, tuple) else result).transpose(1, 2)

        peers["FA3"] = call
    return {name: call for name, call in peers.items() if _works(torch, name, call, shape)}


def _sdpa(torch, backend, q, k, v, causal):
    from torch.nn.attention import SDPBackend, sdpa_kernel

    with sdpa_kernel(getattr(SDPBackend, backend)):
        return torch.nn.functional.scaled_dot_product_attention(
            q, k, v, is_causal=causal, enable_gqa=q.shape[1] != k.shape[1])


def _works(torch, name, call, shape):
    try:
        call()
        torch.cuda.synchronize()
        return True
    except (RuntimeError, NotImplementedError) as error:
        print(f"{name} does not have {name_of(shape)}: {str(error).splitlines()[0]}")
        return False


def ours(package, shape, q, k, v):
    options = {}
    if isinstance(shape.mask, int):
        options["window"] = (shape.mask, 0)
    elif shape.mask:
        options["causal"] = True
    if shape.softcap:
        cap = shape.softcap
        options["score_mod"] = lambda score, b, h, i, j: package.softcap(score, cap)
    return lambda: package.attention(q, k, v, **options)


def exact(torch, shape, q, k, v, head, rows):
    """Some rows of a head in float64."""
    kv_head = head // (shape.heads // shape.kv_heads)
    scores = q[0, head, rows].double() @ k[0, kv_head].double().T * shape.qk_dim**-0.5
    if shape.softcap:
        scores = shape.softcap * torch.tanh(scores / shape.softcap)
    if shape.mask != "":
        diagonal = rows[:, None] + (shape.keys - shape.queries)
        key = torch.arange(shape.keys, device=q.device)
        seen = key <= diagonal
        if isinstance(shape.mask, int):
            seen &= key >= diagonal - shape.mask
        scores = scores.masked_fill(~seen, -torch.inf)
    return scores.softmax(-1) @ v[0, kv_head].double()


def errors_of(torch, shape, q, k, v, outs, generator):
    """(mean, worst) of the relative errors of rows of each output; the worst one of each head, in the mean of heads."""
    found = {name: [] for name in outs}
    for head in range(shape.heads)[-HEADS:]:
        rows = torch.randperm(shape.queries, generator=generator, device=q.device)[:ROWS].sort().values
        wanted = exact(torch, shape, q, k, v, head, rows)
        for name, out in outs.items():
            errors = (out[0, head, rows].double() - wanted).norm(dim=-1) / wanted.norm(dim=-1)
            found[name].append(torch.stack([errors.mean(), errors.max()]))
    return {name: torch.stack(each).mean(0).tolist() for name, each in found.items()}


def measure(torch, package, fa3, shape, arguments, generator):
    """A row of the table, as a dictionary."""
    q, k, v = make(torch, shape, generator)
    calls = {"ours": ours(package, shape, q, k, v), **peers_of(torch, fa3, shape, q, k, v)}
    outs = {name: call() for name, call in calls.items()}
    errors = errors_of(torch, shape, q, k, v, outs, generator)
    timed = {name: (lambda turn, call=call: call()) for name, call in calls.items()}
    times = [time_interleaved(torch, timed, arguments.rounds) for _ in range(REPEATS)]
    ratios = {name: median([each[name] / each["ours"] for each in times]) for name in calls if name != "ours"}
    return {"name": name_of(shape), "kind": shape.kind, "ms": median([each["ours"] for each in times]), "ratios": ratios,
            "best": min(ratios.values(), default=None), "errors": errors}


def page(rows):
    kinds = collections.defaultdict(list)
    for row in rows:
        if row["best"] is not None:
            kinds[row["kind"]].append(row)
    table = [
        [kind, len(each), f"{geometric_mean([row['best'] for row in each]):.3f}", f"{AIMS[kind]:.2f}",
         f"{min(row['best'] for row in each):.3f}"]
        for kind, each in kinds.items()]
    return markdown(["class", "shapes", "over the best peer", "aim", "least"], table)


def _described(row):
    peers = ", ".join(f"{name} {ratio:.3f}" for name, ratio in row["ratios"].items())
    name = next((name for name in ("cuDNN", "FA2", "FA3") if name in row["errors"]), "ours")
    (mean, worst), (their_mean, their_worst) = row["errors"]["ours"], row["errors"][name]
    return (f"{row['name']}: {row['ms']:.3f} ms; {peers}; error {mean:.2e}, worst {worst:.2e}, of {name}'s {mean / their_mean:.3f} and "
            f"{worst / their_worst:.3f}")


def run(arguments):
    torch, package = harness.require_gpu(arguments.strict)
    fa3 = import_fa3(arguments.fa3)
    generator = torch.Generator(device="cuda")
    generator.manual_seed(arguments.seed)
    print(harness.describe_device(torch))
    rows = []
    for shape in SHAPES:
        if re.search(arguments.only, name_of(shape)):
            rows.append(measure(torch, package, fa3, shape, arguments, generator))
            print(_described(rows[-1]), flush=True)
            torch.cuda.empty_cache()
    if not rows:
        print(f"no shape matches {arguments.only!r}")
        return 1
    print(page(rows))
    for row in rows:
        if row["best"] is not None and row["best"] < LEAST:
            print(f"below {LEAST}: {row['name']}: {row['best']:.3f}")
    if arguments.json:
        Path(arguments.json).write_text(json.dumps(rows, indent=1) + "\n")
    wrong = [row["name"] for row in rows if not row["errors"]["ours"][1] <= arguments.bound]
    for name in wrong:
        print("WRONG", name)
    return 1 if wrong else 0


def main():
    parser = harness.new_parser(__doc__)
    halves = parser.add_subparsers(dest="half", required=True)
    halves.add_parser("list")
    run_parser = halves.add_parser("run")
    harness.add_run_arguments(run_parser)
    run_parser.add_argument("--fa3", metavar="WHEEL", help="of fa3-fwd, or a folder where it is installed")
    run_parser.add_argument("--only", default="", metavar="REGEX")
    run_parser.add_argument("--json", metavar="FILE")
    run_parser.add_argument("--seed", type=int, default=1)
    run_parser.add_argument("--rounds", type=int, default=20)
    run_parser.add_argument("--bound", type=float, default=2e-2)
    arguments = parser.parse_args()
    if arguments.half == "list":
        print("\n".join(map(name_of, SHAPES)))
        return 0
    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())
