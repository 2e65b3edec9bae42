#!/usr/bin/env python3
"""How good the model's choice is: against every other candidate, measured.

    choice.py compile          bundles of all candidates; wants no GPU
    choice.py run              times them in turns, on a GPU

For each kernel and length the model (attn-compile --choose=model; the measured
table takes no part) ranks the candidates, the combinations of the options that the
pipelines have. The compile half makes a bundle of every candidate that fits, for all
lengths, and notes what the model chose. The run half checks each bundle against
PyTorch once, times all candidates of a shape in turns (medians), and says how far
the chosen one is from the fastest: the goal is within 5 % at each shape, 2 % on
average. Results, with what the model predicted, go to --json, from which fit_model.py
takes the constants of the model.
"""

import hashlib
import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from common import attention_text, forward_flops, harness, markdown, time_interleaved
from forward import LENGTHS, TOKENS, deviation, kernels, make_inputs

DEFAULT_DIRECTORY = harness.ROOT / "build-gpu" / "choice"


def shapes(arguments):
    """(kernel, batch, length) of what is measured: MHA, and what stands by itself."""
    result = []
    for kernel in kernels():
        if not re.search(arguments.filter, kernel.name):
            continue
        ordinary = [(max(1, TOKENS // length), length) for length in arguments.lengths]
        result += [(kernel, *shape) for shape in kernel.shapes or ordinary]
    return result


def page(compiler, source, target, batch, length):
    """What the compiler says of a shape, candidates included."""
    done = subprocess.run(
        [str(compiler), str(source), "--target=" + target, "--choose=model",
         "--explain=json", f"--size=batch={batch},query={length},key={length}"],
        capture_output=True, text=True, check=False,
    )
    if done.returncode:
        sys.exit(f"{source.name}: {harness.first_error(done.stderr)}")
    return json.loads(done.stdout)


# ---------------------------------------------------------------------------
# Compile half


def draw(name, keys, count):
    """`count` candidates of a kernel, the same ones whatever else is there."""
    order = lambda key: hashlib.sha256(f"{name} {key}".encode()).digest()
    return set(sorted(keys, key=order)[:count])


def compile_half(arguments):
    compiler = harness.find_compiler(arguments.attn_compile)
    if not compiler:
        harness.skip(f"compilation, as there is no {arguments.attn_compile}")
    out = Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    wanted = shapes(arguments)
    texts = {
        k.name: attention_text(k.heads, k.kv_heads, k.dim, k.causal) for k, _, _ in wanted
    }
    for name, text in texts.items():
        (out / (name + ".mlir")).write_text(text)
    with ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        pages = list(pool.map(
            lambda w: page(compiler, out / (w[0].name + ".mlir"), arguments.target, w[1], w[2]),
            wanted,
        ))
    # Candidates of a kernel, by the shapes for which they come into question.
    options, plan = {}, []
    for (kernel, batch, length), said in zip(wanted, pages):
        fits = [c for c in said["candidates"] if "rejected" not in c]
        if not fits:
            sys.exit(f"{kernel.name}: no candidate fits")
        best = fits[0]["prediction"]["seconds"]
        keys = [(c["schedule"], c["lower"]) for c in fits]
        drawn = draw(kernel.name, keys, arguments.sample)
        entries = []
        for key, candidate in zip(keys, fits):
            seconds = candidate["prediction"]["seconds"]
            far = arguments.within and seconds > arguments.within * best
            if far and key not in drawn:
                continue
            number = options.setdefault(kernel.name, {}).setdefault(
                key, len(options[kernel.name])
            )
            entries.append({"number": number, "prediction": candidate["prediction"]})
        chosen = options[kernel.name][(said["schedule"], said["lower"])]
        plan.append({
            "kernel": kernel.name, "batch": batch, "length": length,
            "chosen": chosen, "candidates": entries,
        })
    record = {
        "options": {
            name: [{"schedule": s, "lower": l} for s, l in known] for name, known in options.items()
        },
        "plan": plan,
    }
    harness.write_json(out / "plan.json", record)
    jobs = [
        harness.Job(out / name / f"{number:03}", texts[name], *key, arguments.target)
        for name, known in options.items()
        for key, number in known.items()
    ]
    for job in jobs:
        job.directory.parent.mkdir(parents=True, exist_ok=True)
    print(f"{len(plan)} shapes, {len(jobs)} bundles", flush=True)
    failed = harness.compile_jobs(jobs, arguments)
    unplanned = [p for p in plan if (out / p["kernel"] / f"{p['chosen']:03}.json").is_file()
                 and json.loads((out / p["kernel"] / f"{p['chosen']:03}.json").read_text())["error"]]
    for p in unplanned:
        print(f"the CHOICE for {p['kernel']} at {p['length']} does not compile")
    print(f"{failed} candidates do not compile" if failed else "all candidates compile")
    sys.exit(1 if unplanned or failed is None else 0)


# ---------------------------------------------------------------------------
# Run half


def load(attn_mlir, directory):
    """number -> kernel of the bundles of one kernel; of those that have a name, by it."""
    def number(name):
        return int(name) if name.isdigit() else name

    return {
        number(path.parent.name): attn_mlir.load(str(path.parent))
        for path in sorted(directory.glob("*/manifest.json"))
    }


def check(torch, kernel, loaded, arguments, generator):
    """Drops, and returns, the bundles whose results are wrong."""
    from torch.nn.functional import scaled_dot_product_attention

    q, k, v = make_inputs(
        torch, 2, kernel.heads, kernel.kv_heads, 640, kernel.dim, False, generator
    )
    group = kernel.group
    reference = scaled_dot_product_attention(
        q, *(t.repeat_interleave(group, dim=1) for t in (k, v)), is_causal=kernel.causal
    )
    wrong = []
    for number, function in list(loaded.items()):
        out = torch.full_like(q, float("nan"))
        try:
            harness.launch(function, (q, k, v), [out])
            torch.cuda.synchronize()
            error = deviation(out, reference)
        except Exception as problem:
            print(f"{kernel.name} {number!s:0>3}: {problem}", flush=True)
            torch.zeros(1, device="cuda").item()  # a broken device ends the run here
            error = float("inf")
        if not error <= arguments.bound:
            wrong.append(number)
            del loaded[number]
    return wrong


def measure(torch, kernel, shape, loaded, arguments, generator):
    """Milliseconds of every candidate of a shape."""
    one = 2 * shape["batch"] * shape["length"] * kernel.dim * (2 * kernel.heads + 2 * kernel.kv_heads)
    l2 = torch.cuda.get_device_properties(0).L2_cache_size
    count = min(8, max(2, -(-2 * l2 // one)))
    inputs = [
        make_inputs(torch, shape["batch"], kernel.heads, kernel.kv_heads, shape["length"],
                    kernel.dim, False, generator)
        for _ in range(count)
    ]
    out = torch.empty_like(inputs[0][0])
    calls = {
        c["number"]: lambda turn, f=loaded[c["number"]]: harness.launch(
            f, inputs[turn % count], [out]
        )
        for c in shape["candidates"]
        if c["number"] in loaded
    }
    return time_interleaved(torch, calls, arguments.rounds, arguments.warm_up)


def summarise(results, options):
    rows = []
    for r in results:
        known = options[r["kernel"]]
        name = lambda n: f"{known[n]['schedule']} \\| {known[n]['lower']}"
        rows.append([
            r["kernel"], r["batch"], r["length"], len(r["ms"]),
            f"{r['chosen_ms']:.4f}", f"{r['best_ms']:.4f}",
            f"{100 * (r['chosen_ms'] / r['best_ms'] - 1):.1f} %",
            f"{r['tflops']:.0f}", name(r["chosen"]),
            "the same" if r["chosen"] == r["best"] else name(r["best"]),
        ])
    ratios = [r["chosen_ms"] / r["best_ms"] for r in results]
    errors = [p / m - 1 for r in results for p, m in r["predicted"]]
    worst = max(results, key=lambda r: r["chosen_ms"] / r["best_ms"])
    rms = (sum(e * e for e in errors) / len(errors)) ** 0.5
    return [
        markdown(
            ["kernel", "B", "S", "candidates", "chosen, ms", "best, ms", "slower by",
             "TFLOP/s", "chosen", "best"],
            rows,
        ),
        "",
        f"chosen / best: mean {100 * (sum(ratios) / len(ratios) - 1):.2f} % (goal 2 %), worst "
        f"{100 * (max(ratios) - 1):.2f} % (goal 5 %: {worst['kernel']} at {worst['length']}), "
        f"{sum(r <= 1.05 for r in ratios)} of {len(ratios)} shapes within 5 %",
        f"predicted / measured: rms {100 * rms:.1f} % over {len(errors)} candidates, "
        f"mean {100 * sum(errors) / len(errors):+.1f} %",
    ]


def run_half(arguments):
    torch, attn_mlir = harness.require_gpu(arguments.strict)
    out = Path(arguments.out)
    if not (out / "plan.json").is_file():
        harness.skip(f"no plan in {out}: choice.py compile", arguments.strict)
    record = json.loads((out / "plan.json").read_text())
    options = record["options"]
    known = {k.name: k for k in kernels()}
    generator = torch.Generator(device="cuda")
    generator.manual_seed(arguments.seed)
    device = harness.describe_device(torch)
    print(f"{device}; medians of {arguments.rounds}", flush=True)
    results, wrong = [], {}
    loaded, of = {}, None
    for shape in record["plan"]:
        kernel = known[shape["kernel"]]
        if not re.search(arguments.filter, kernel.name) or (
            shape["length"] not in arguments.lengths and not kernel.shapes
        ):
            continue
        if of != kernel.name:
            loaded, of = load(attn_mlir, out / kernel.name), kernel.name
            wrong[of] = check(torch, kernel, loaded, arguments, generator)
        if shape["chosen"] not in loaded:
            print(f"{of} {shape['length']}: the CHOICE is wrong or missing", flush=True)
            wrong[of].append(shape["chosen"])
            continue
        ms = measure(torch, kernel, shape, loaded, arguments, generator)
        best = min(ms, key=ms.get)
        predictions = {c["number"]: c["prediction"] for c in shape["candidates"]}
        flops = forward_flops(
            shape["batch"], kernel.heads, shape["length"], kernel.dim, kernel.causal
        )
        results.append({
            "kernel": of, "batch": shape["batch"], "length": shape["length"],
            "chosen": shape["chosen"], "best": best, "chosen_ms": ms[shape["chosen"]],
            "best_ms": ms[best], "tflops": flops / ms[shape["chosen"]] * 1e-9, "ms": ms,
            "predicted": [(1e3 * predictions[n]["seconds"], t) for n, t in ms.items()],
            "features": {n: predictions[n] for n in ms},
        })
        r = results[-1]
        print(f"{of} S {r['length']}: chosen {r['chosen']:03} {r['chosen_ms']:.4f} ms, best "
              f"{best:03} {r['best_ms']:.4f} ms ({r['chosen_ms'] / r['best_ms']:.3f})", flush=True)
        torch.cuda.empty_cache()
    if not results:
        sys.exit("nothing was measured")
    text = [f"{device}, medians of {arguments.rounds}", ""] + summarise(results, options)
    for name, numbers in wrong.items():
        text += [f"WRONG: {name} {n:03} {options[name][n]}" for n in numbers]
    print("\n".join(text))
    harness.write_json(arguments.json, {"device": device, "options": options, "results": results})
    if arguments.markdown:
        Path(arguments.markdown).write_text("\n".join(text) + "\n")
    sys.exit(1 if any(wrong.values()) else 0)


def main():
    parser = harness.new_parser(__doc__)
    halves = parser.add_subparsers(dest="half", required=True)
    compile_parser = halves.add_parser("compile", help="make bundles; wants no GPU")
    harness.add_compile_arguments(compile_parser)
    compile_parser.add_argument(
        "--within", type=float, default=0, metavar="FACTOR",
        help="only candidates predicted within this factor of the best (default: all)",
    )
    compile_parser.add_argument(
        "--sample", type=int, default=0, metavar="COUNT",
        help="beside those within the factor, so many of all candidates of a kernel",
    )
    run_parser = halves.add_parser("run", help="measure; wants a GPU and PyTorch")
    harness.add_run_arguments(run_parser)
    run_parser.add_argument("--rounds", type=int, default=15, help="default: 15")
    run_parser.add_argument("--warm-up", type=int, default=2, help="default: 2")
    run_parser.add_argument("--seed", type=int, default=1)
    run_parser.add_argument(
        "--bound", type=float, default=2e-2,
        help="largest deviation of a row from SDPA, both rounded (default: 0.02)",
    )
    run_parser.add_argument("--json", metavar="FILE")
    run_parser.add_argument("--markdown", metavar="FILE")
    for half in (compile_parser, run_parser):
        half.add_argument("--out", default=str(DEFAULT_DIRECTORY), help="default: build-gpu/choice")
        half.add_argument(
            "--filter", default="mha", metavar="REGEX", help="of kernels (default: mha)"
        )
        half.add_argument("--lengths", type=int, nargs="+", default=LENGTHS)
    arguments = parser.parse_args()
    {"compile": compile_half, "run": run_half}[arguments.half](arguments)


if __name__ == "__main__":
    main()
