#!/usr/bin/env python3
"""Sawtooth against cyclic streams: L2 sectors, L2 misses and DRAM bytes.

    l2_sawtooth.py compile     two bundles, with the cyclic and the sawtooth order
    l2_sawtooth.py run         profiles them with ncu, on a GPU
    l2_sawtooth.py predict     the predictions alone, anywhere

One head, D 64, bf16, full mask, B 1, S queries and S keys such that K and V
together take the given MiB; persistent CTAs. Each launch is profiled in a
process of its own under ncu, from a cold cache.

Sectors: with C-byte sectors, T query rows of a tile, E bytes an element and head
dimension D, all CTAs together ask L2 for

    2 (S D E / C + S^2 D E / (T C))

sectors: Q and O once, and K and V once for each of the S / T tiles. ("Sawtooth
Wavefront Reordering", section 3; O is written, so op_read leaves it out: one
part in 2 + 2 S / T.) That is what the SMs receive (xbar2l1tex). L2 itself counts
fewer: on Hopper, requests of neighbouring SMs for one line that meet on the way
become one, and CTAs that stream the same keys in step meet often. Sectors that
one partition of L2 asks of the other (ltcfabric) count for L2 too.

Misses, by reuse distance: W CTAs run at once and advance through K and V
together, so that one of them fetches a tile of keys and the others hit. A *wave*
is one walk of all W CTAs through K and V (M bytes), and there are
n = ceil(S / (T W)) of them. An LRU cache of L bytes has a line if fewer than L
distinct bytes were touched since its last use.

  cyclic     between two uses of any line lie all M bytes, and the O that the W
             CTAs write and the Q that they read in between, t = W T (D + Dv) E.
             With M + t <= L the first wave alone misses, otherwise every wave
             misses M bytes.
  sawtooth   a line that is x bytes from where the direction turns is used again
             after these x bytes and t. So the first wave misses M bytes, each
             other max(0, M - (L - t)).

Q adds S D E bytes once, in both. L is the *effective* cache, 30 MB on H200: its
two partitions keep copies of what both read.
"""

import argparse
import csv
import io
import re
import shutil
import subprocess
import sys
from pathlib import Path

from common import attention_text, harness, markdown

DEFAULT_DIRECTORY = harness.ROOT / "build-gpu" / "l2-sawtooth"
SIZES = [24, 32, 40, 64, 96, 192]  # MiB of K and V
D, ELEMENT_BYTES, SECTOR = 64, 2, 32
ORDERS = {
    "cyclic": "sawtooth=off",
    "sawtooth": "sawtooth=force",
    "cyclic, in step": "sawtooth=off in-step",
    "sawtooth, in step": "sawtooth=force in-step",
}
METRICS = {
    "sectors": "lts__t_sectors_op_read.sum",
    "misses": "lts__t_sectors_op_read_lookup_miss.sum",
    "fabric": "lts__t_sectors_srcunit_ltcfabric.sum",
    "received": "l1tex__m_xbar2l1tex_read_bytes.sum",
    "dram": "dram__bytes_read.sum",
    "cycles": "gpc__cycles_elapsed.max",
    "ns": "gpu__time_duration.sum",
    # More than 1: not all CTAs of the persistent grid run at once.
    "waves": "launch__waves_per_multiprocessor",
}


def keys_of(mib):
    """S, where K and V take `mib` MiB."""
    return mib * 2**20 // (2 * D * ELEMENT_BYTES)


def expected_sectors(keys, tile):
    once = keys * D * ELEMENT_BYTES / SECTOR
    return 2 * (once + once * keys / tile)


def predicted_bytes(keys, tile, ctas, cache):
    """DRAM bytes read, cyclic and sawtooth, by reuse distance (see above)."""
    kv = 2 * keys * D * ELEMENT_BYTES
    q = keys * D * ELEMENT_BYTES
    ctas = min(ctas, -(-keys // tile))
    waves = -(-keys // (tile * ctas))
    turn = ctas * tile * 2 * D * ELEMENT_BYTES
    cyclic = kv if kv + turn <= cache else waves * kv
    kept = max(0, min(kv, cache - turn))
    sawtooth = kv + (waves - 1) * (kv - kept)
    return {"cyclic": q + cyclic, "sawtooth": q + sawtooth, "waves": waves}


# ---------------------------------------------------------------------------
# Compile half


def schedule_of(order, arguments):
    return (
        f"tiles=query={arguments.tile},key={arguments.key} persistent "
        f"sms={arguments.sms} resident={arguments.resident} {ORDERS[order]}"
    )


def parameters(mib, order, arguments):
    """What was launched, as l2_model.py compares it with predictions."""
    return {
        "heads": 1, "kv_heads": 1, "dim": D, "causal": False, "element": "bf16", "batch": 1,
        "keys": keys_of(mib), "schedule": schedule_of(order, arguments),
        "resident": arguments.resident, "target": "h200",
    }


def compile_half(arguments):
    text = attention_text(1, 1, D, causal=False, name="l2")
    jobs = [
        harness.Job(
            Path(arguments.out) / order, text, schedule_of(order, arguments), arguments.lower,
            arguments.target,
        )
        for order in ORDERS
        if order in arguments.orders
    ]
    sys.exit(1 if harness.compile_jobs(jobs, arguments) else 0)


# ---------------------------------------------------------------------------
# Run half


def run_worker(arguments):
    """Under ncu: the same launch twice; ncu skips the first."""
    torch, attn_mlir = harness.require_gpu(arguments.strict)
    kernel = attn_mlir.load(arguments.worker)
    keys = keys_of(arguments.sizes[0])
    generator = torch.Generator(device="cuda").manual_seed(7)
    q, k, v = (
        torch.randn(1, 1, keys, D, device="cuda", dtype=torch.bfloat16, generator=generator)
        for _ in range(3)
    )
    o = torch.full_like(q, float("nan"))
    for _ in range(2):
        harness.launch(kernel, [q, k, v], [o])
        torch.cuda.synchronize()
    # Sample rows against float64: what is measured is attention.
    rows = torch.randint(keys, (16,), generator=generator, device="cuda")
    weights = torch.softmax(q[0, 0, rows].double() @ k[0, 0].double().T * D**-0.5, -1)
    want = weights @ v[0, 0].double()
    error = ((o[0, 0, rows].double() - want).norm(dim=-1) / want.norm(dim=-1)).max()
    print(f"worker: error {float(error):.3g}", flush=True)
    sys.exit(0 if float(error) <= 1e-2 else 4)


def parse_csv(text):
    """metric -> value, of ncu's CSV (one row a metric) within other output."""
    lines = text.splitlines()
    start = next((i for i, l in enumerate(lines) if l.startswith('"ID"')), None)
    if start is None:
        return {}
    values = {}
    for row in csv.DictReader(io.StringIO("\n".join(lines[start:]))):
        try:
            values[row["Metric Name"]] = float(row["Metric Value"].replace(",", ""))
        except (KeyError, ValueError, AttributeError, TypeError):
            continue
    return values


def profile(bundle, worker, arguments):
    """The metrics of the second launch of a bundle by `worker`, a command of
    Python, or what went wrong."""
    command = [
        arguments.ncu, "--clock-control", "none", "--cache-control", "all",
        "--metrics", ",".join(METRICS.values()), "--csv", "--print-units", "base",
        "--kernel-name", f"regex:^{re.escape(kernel_of(bundle))}$",
        "--launch-skip", "1", "--launch-count", "1",
        sys.executable, *worker,
    ]
    try:
        done = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            errors="replace", timeout=arguments.limit, env=harness.child_environment(),
        )
    except subprocess.TimeoutExpired:
        return None, f"no end within {arguments.limit:g} s"
    values = parse_csv(done.stdout)
    result = {key: values[name] for key, name in METRICS.items() if name in values}
    missing = [METRICS[key] for key in METRICS if key not in result and key != "waves"]
    if missing or done.returncode:
        tail = " / ".join(done.stdout.splitlines()[-4:])
        return None, f"exit code {done.returncode}, no {', '.join(missing) or 'problem'}: {tail}"
    return result, None


def kernel_of(bundle):
    import json

    manifest = json.loads((Path(bundle) / "manifest.json").read_text())
    return manifest["programs"][0]["variants"][0]["steps"][0]["kernel"]


def reduction(pair):
    cyclic, sawtooth = pair
    return 100 * (1 - sawtooth / cyclic) if cyclic else 0.0


def tables(results, arguments):
    ctas = arguments.sms * arguments.resident
    sectors, misses = [], []
    for mib in sorted({r["mib"] for r in results}):
        mine = {r["order"]: r for r in results if r["mib"] == mib}
        keys = keys_of(mib)
        formula = expected_sectors(keys, arguments.tile)
        for order, r in mine.items():
            received = r["received"] / SECTOR
            sectors.append([
                mib, order, f"{formula / 1e6:.1f}", f"{received / 1e6:.1f}",
                f"{100 * (received / formula - 1):+.2f} %",
                f"{r['sectors'] / 1e6:.1f}", f"{100 * (r['sectors'] / received - 1):+.1f} %",
                f"{r['fabric'] / 1e6:.1f}",
                f"{r['cycles'] / 1e6:.2f}", f"{r['ns'] / 1e6:.3f}",
            ])
        model = predicted_bytes(keys, arguments.tile, ctas, arguments.l2_mb * 1e6)
        for suffix in ("", ", in step"):
            names = ["cyclic" + suffix, "sawtooth" + suffix]
            if not all(name in mine for name in names):
                continue
            pair = lambda key: [mine[name][key] for name in names]
            model_pair = [model["cyclic"], model["sawtooth"]]
            misses.append([
                f"{mib}{suffix}", model["waves"],
                *(f"{n / 1e6:.2f}" for n in pair("misses")), f"{reduction(pair('misses')):.1f} %",
                *(f"{n / 1e6:.0f}" for n in pair("dram")), f"{reduction(pair('dram')):.1f} %",
                *(f"{n / 1e6:.0f}" for n in model_pair), f"{reduction(model_pair):.1f} %",
                f"{reduction(pair('cycles')):+.1f} %",
            ])
    return "\n".join([
        "Sectors (millions) against 2 (SDE/C + S²DE/(TC)), "
        f"T = {arguments.tile}, C = {SECTOR}, {ctas} CTAs:", "",
        markdown(
            ["KV MiB", "order", "formula", "SMs received", "off by", "L2 op_read",
             "merged on the way", "between partitions", "Mcycles", "ms"], sectors),
        "",
        f"Cyclic (c) and sawtooth (s); LRU: reuse distance with {arguments.l2_mb:g} MB:", "",
        markdown(
            ["KV MiB", "waves", "misses c, M", "s", "fewer", "DRAM c, MB", "s", "fewer",
             "LRU c, MB", "s", "fewer", "cycles saved"], misses),
    ])


def run_half(arguments):
    if arguments.worker:
        run_worker(arguments)
    if not shutil.which(arguments.ncu):
        harness.skip(f"there is no {arguments.ncu}", arguments.strict)
    torch, _ = harness.require_gpu(arguments.strict)
    bundles = {order: Path(arguments.out) / order for order in arguments.orders}
    for order, bundle in bundles.items():
        if not (bundle / "manifest.json").is_file():
            harness.skip(f"no bundle {bundle}: l2_sawtooth.py compile", arguments.strict)
    device = harness.describe_device(torch)
    print(device, flush=True)
    results, problems = [], []
    for mib in arguments.sizes:
        for order, bundle in bundles.items():
            worker = [__file__, "run", "--worker", str(bundle), "--sizes", str(mib)]
            result, problem = profile(bundle, worker, arguments)
            if problem:
                problems.append(f"FAILED {mib} MiB {order}: {problem}")
                print(problems[-1], flush=True)
                continue
            results.append({
                "mib": mib, "order": order, "parameters": parameters(mib, order, arguments),
                **result,
            })
            print(f"{mib} MiB {order}: {result}", flush=True)
            if result.get("waves", 0) > 1:
                problems.append(
                    f"WARNING {mib} MiB {order}: {result['waves']:.2f} waves of CTAs: not "
                    "all of the persistent grid run at once; lower --resident"
                )
    text = "\n".join([f"{device}", "", tables(results, arguments), ""] + problems)
    print(text)
    if arguments.markdown:
        Path(arguments.markdown).write_text(text + "\n")
    harness.write_json(arguments.json, {"device": device, "results": results})
    sys.exit(1 if any(p.startswith("FAILED") for p in problems) else 0)


def predict_half(arguments):
    ctas = arguments.sms * arguments.resident
    rows = []
    for mib in arguments.sizes:
        keys = keys_of(mib)
        model = predicted_bytes(keys, arguments.tile, ctas, arguments.l2_mb * 1e6)
        pair = [model["cyclic"], model["sawtooth"]]
        rows.append([
            mib, keys, model["waves"],
            f"{expected_sectors(keys, arguments.tile) / 1e6:.1f}",
            *(f"{n / 1e6:.0f}" for n in pair), f"{reduction(pair):.1f} %",
        ])
    print(markdown(
        ["KV MiB", "S", "waves", "sectors, M", "LRU c, MB", "LRU s, MB", "fewer"], rows))


def main():
    parser = harness.new_parser(__doc__)
    halves = parser.add_subparsers(dest="half", required=True)
    compile_parser = halves.add_parser("compile", help="make bundles; wants no GPU")
    harness.add_compile_arguments(compile_parser)
    compile_parser.add_argument("--lower", default="", help="options of the lowering")
    run_parser = halves.add_parser("run", help="profile; wants a GPU, ncu, PyTorch")
    harness.add_run_arguments(run_parser)
    run_parser.add_argument("--ncu", default="ncu")
    run_parser.add_argument(
        "--limit", type=float, default=180, help="seconds for one profile (default: 180)"
    )
    run_parser.add_argument("--json", metavar="FILE")
    run_parser.add_argument("--markdown", metavar="FILE")
    run_parser.add_argument("--worker", metavar="BUNDLE", help=argparse.SUPPRESS)
    predict_parser = halves.add_parser("predict", help="the predictions alone")
    for half in (compile_parser, run_parser, predict_parser):
        half.add_argument("--tile", type=int, default=128, help="query rows of a tile")
        half.add_argument("--key", type=int, default=64, help="keys of a tile")
        half.add_argument("--sms", type=int, default=132)
        half.add_argument(
            "--orders", nargs="+", default=list(ORDERS), choices=list(ORDERS), metavar="ORDER",
            help="default: " + "; ".join(ORDERS),
        )
        half.add_argument("--resident", type=int, default=2, help="CTAs of an SM")
        half.add_argument(
            "--out", default=str(DEFAULT_DIRECTORY), help="default: build-gpu/l2-sawtooth"
        )
    for half in (run_parser, predict_parser):
        half.add_argument(
            "--sizes", type=int, nargs="+", default=SIZES, help="MiB of K and V"
        )
        half.add_argument(
            "--l2-mb", type=float, default=30, help="effective L2 in MB (default: 30)"
        )
    arguments = parser.parse_args()
    {"compile": compile_half, "run": run_half, "predict": predict_half}[arguments.half](
        arguments
    )


if __name__ == "__main__":
    main()
