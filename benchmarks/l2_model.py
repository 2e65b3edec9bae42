#!/usr/bin/env python3
"""The cache simulator against counters of a GPU.

    l2_model.py compile                    bundles of all configurations; wants no GPU
    l2_model.py run --json FILE            profiles them with ncu, on a GPU
    l2_model.py compare FILE [FILE ...]    predicts, calibrates, compares; wants no GPU
    l2_model.py list                       the configurations

Configurations: K and V from 0.4 to 4 times the nominal 60 MiB of L2, cyclic and
sawtooth, one and several heads, full and causal. FILE may also be what
`l2_sawtooth.py run --json` wrote; l2_measured.json holds what docs/notebooks/performance.md
records.

Compared are, of the second of two launches, from a cold cache:

  sectors   that SMs receive (l1tex__m_xbar2l1tex_read_bytes / 32) with the load
            sectors of the simulator
  misses    lts__t_sectors_op_read_lookup_miss with misses of loads, in the
            partition of the SM that asks and in the one that is the data's home
  dram      dram__bytes_read with the bytes that homes miss
  (fabric   lts__t_sectors_srcunit_ltcfabric is shown, not judged)

Every other configuration calibrates, the rest tests. Calibrated is one number:
the share of the nominal capacity that LRU is given, of a short list. The lag of
CTAs is the simulator's default; --drift sets another.
"""

import json
import math
import re
import shutil
import sys
from pathlib import Path

import l2_sawtooth
import simulation
from common import attention_text, harness, markdown, median

DEFAULT_DIRECTORY = harness.ROOT / "build-gpu" / "l2-model"
RECORDED = Path(__file__).with_name("l2_measured.json")
MIB = 2**20
SECTOR = 32
SHARES = [0.80, 0.85, 0.90, 0.95, 1.0]
# Bounds of the comparison.
SECTORS_WITHIN = 0.02
MEDIAN_WITHIN = 0.25
LEAST_CONFIGURATIONS = 12

ROLES = "wgmma=all specialize overlap ping-pong resident-stages=2"
# name -> (schedule, lowering, CTAs of an SM)
KERNELS = {
    "roles": ("tiles=query=192,key=128 persistent resident=1", ROLES, 1),
    "roles128": ("tiles=query=128,key=128 persistent resident=1", ROLES, 1),
    "pairs": ("tiles=query=192,key=128 persistent resident=1 pair-tiles", ROLES, 1),
    "pairs128": ("tiles=query=128,key=128 persistent resident=1 pair-tiles", ROLES, 1),
    "mma": ("tiles=query=128,key=64 persistent resident=2", "", 2),
}
# kernel, heads, KV heads, D, causal, MiB of K and V of each KV head
FAMILIES = [
    ("roles", 1, 1, 64, False, [24, 32, 48, 64, 96, 144, 240]),
    ("roles128", 4, 4, 128, False, [28, 40, 72]),
    ("roles128", 8, 2, 128, False, [48]),
    ("pairs", 1, 1, 64, True, [32, 64, 128]),
    ("pairs128", 4, 4, 128, True, [40]),
    ("mma", 1, 1, 64, False, [24, 36]),
]


def configurations():
    """name -> parameters, in an order of which every other one calibrates."""
    result = {}
    for kernel, heads, kv_heads, dim, causal, sizes in FAMILIES:
        schedule, lower, resident = KERNELS[kernel]
        for i, mib in enumerate(sizes):
            # So that each order calibrates at every other size.
            orders = [("cyclic", "off"), ("sawtooth", "force")]
            for order, mode in orders if i % 2 else reversed(orders):
                name = f"{kernel}-{heads}-{kv_heads}-d{dim}-{'causal' if causal else 'full'}-{mib}-{order}"
                result[name] = {
                    "heads": heads, "kv_heads": kv_heads, "dim": dim, "causal": causal,
                    "element": "bf16", "batch": 1, "keys": mib * MIB // (4 * dim),
                    "schedule": f"{schedule} sawtooth={mode}", "lower": lower,
                    "resident": resident, "target": "h200",
                }
    return result


def job_of(parameters, out):
    """One bundle serves all sizes."""
    text = attention_text(
        parameters["heads"], parameters["kv_heads"], parameters["dim"], parameters["causal"],
        parameters["element"], "l2",
    )
    parts = [parameters["schedule"], parameters["heads"], parameters["kv_heads"], parameters["dim"],
             "causal" if parameters["causal"] else "full"]
    name = re.sub(r"[^A-Za-z0-9]+", "-", " ".join(map(str, parts)))
    return harness.Job(
        Path(out) / name, text, parameters["schedule"], parameters["lower"], parameters["target"]
    )


def compile_half(arguments):
    jobs = {}
    for parameters in configurations().values():
        job = job_of(parameters, arguments.out)
        jobs[job.directory] = job
    sys.exit(1 if harness.compile_jobs(list(jobs.values()), arguments) else 0)


# ---------------------------------------------------------------------------
# Run half


def run_worker(arguments):
    """Under ncu: the same launch twice; ncu skips the first."""
    torch, attn_mlir = harness.require_gpu(arguments.strict)
    parameters = configurations()[arguments.worker]
    kernel = attn_mlir.load(str(job_of(parameters, arguments.out).directory))
    generator = torch.Generator(device="cuda").manual_seed(7)
    heads, kv_heads, keys, dim = (parameters[k] for k in ("heads", "kv_heads", "keys", "dim"))
    q, k, v = (
        torch.randn(1, h, keys, dim, device="cuda", dtype=torch.bfloat16, generator=generator)
        for h in (heads, kv_heads, kv_heads)
    )
    o = torch.full_like(q, float("nan"))
    for _ in range(2):
        harness.launch(kernel, [q, k, v], [o])
        torch.cuda.synchronize()
    # Sample rows of the last head against float64: what is measured is attention.
    rows = torch.randint(keys, (16,), generator=generator, device="cuda")
    scores = q[0, -1, rows].double() @ k[0, -1].double().T * dim**-0.5
    if parameters["causal"]:
        later = torch.arange(keys, device="cuda")[None, :] > rows[:, None]
        scores.masked_fill_(later, -math.inf)
    want = torch.softmax(scores, -1) @ v[0, -1].double()
    error = ((o[0, -1, rows].double() - want).norm(dim=-1) / want.norm(dim=-1)).max()
    print(f"worker: error {float(error):.3g}", flush=True)
    sys.exit(0 if float(error) <= 1e-2 else 4)


def run_half(arguments):
    if arguments.worker:
        run_worker(arguments)
    if not shutil.which(arguments.ncu):
        harness.skip(f"there is no {arguments.ncu}", arguments.strict)
    torch, _ = harness.require_gpu(arguments.strict)
    device = harness.describe_device(torch)
    print(device, flush=True)
    results, failed = [], 0
    for name, parameters in configurations().items():
        if arguments.filter and arguments.filter not in name:
            continue
        bundle = job_of(parameters, arguments.out).directory
        if not (bundle / "manifest.json").is_file():
            harness.skip(f"no bundle {bundle}: l2_model.py compile", arguments.strict)
        worker = [__file__, "run", "--worker", name, "--out", arguments.out]
        result, problem = l2_sawtooth.profile(bundle, worker, arguments)
        if problem:
            failed += 1
            print(f"FAILED {name}: {problem}", flush=True)
            continue
        print(f"{name}: {result}", flush=True)
        results.append({"name": name, "parameters": parameters, **result})
        # What is there is kept if a later one does not end.
        harness.write_json(arguments.json, {"device": device, "results": results})
    sys.exit(1 if failed else 0)


# ---------------------------------------------------------------------------
# Compare half


def predict(parameters, share, arguments):
    """sectors, misses, fabric (in sectors), dram (bytes)."""
    facts = {}
    if share != 1.0:
        facts["l2_bytes"] = int(share * arguments.l2_bytes)
    total = simulation.attention(
        parameters["target"], parameters["schedule"].replace(" in-step", ""),
        heads=parameters["heads"], kv_heads=parameters["kv_heads"], dim=parameters["dim"],
        causal=parameters["causal"], element=parameters["element"], batch=parameters["batch"],
        queries=parameters["keys"], facts=facts, compiler=arguments.attn_compile,
        resident=parameters["resident"], drift=arguments.drift,
    ).total
    return {
        "sectors": total["load_sectors"],
        "misses": total["load_misses"] + total["fabric_misses"],
        "fabric": total["fabric_sectors"],
        "dram": total["dram_read_bytes"],
    }


def measured(result):
    return {
        "sectors": result["received"] / SECTOR if "received" in result else None,
        "misses": result["misses"],
        "fabric": result.get("fabric"),
        "dram": result["dram"],
    }


def off(predicted, counted):
    return predicted / counted - 1


def load(paths):
    results = []
    for path in paths:
        data = json.loads(Path(path).read_text())
        for i, result in enumerate(data["results"]):
            if "parameters" not in result:
                sys.exit(f"l2_model.py: {path}: result {i} does not say what was launched "
                         "(\"parameters\"): run again")
            results.append(result)
    return results


def calibrate(results, arguments):
    """The share of the capacity with the smallest mean |log(predicted / counted)|."""
    scores = {}
    for share in arguments.shares:
        errors = []
        for result in results:
            guess, counts = predict(result["parameters"], share, arguments), measured(result)
            errors += [abs(math.log(guess[k] / counts[k])) for k in ("misses", "dram")]
        scores[share] = sum(errors) / len(errors)
        print(f"capacity {share:.2f}: mean |log| {scores[share]:.3f}", flush=True)
    return min(scores, key=scores.get)


def compare_table(results, share, arguments, errors):
    rows = []
    for result in results:
        guess, counts = predict(result["parameters"], share, arguments), measured(result)
        row = [result.get("name") or f"{result['mib']} MiB {result['order']}"]
        for key, unit in (("sectors", 1e6), ("misses", 1e6), ("dram", 1e6)):
            if counts[key] is None:
                row += [f"{guess[key] / unit:.1f}", "", ""]
                continue
            error = off(guess[key], counts[key])
            errors[key].append(abs(error))
            row += [f"{guess[key] / unit:.2f}", f"{counts[key] / unit:.2f}", f"{100 * error:+.1f} %"]
        fabric = counts["fabric"]
        row += [f"{guess['fabric'] / 1e6:.1f}", "" if fabric is None else f"{fabric / 1e6:.1f}"]
        rows.append(row)
    return markdown(
        ["", "sectors, M", "counted", "off", "misses, M", "counted", "off", "DRAM, MB", "counted",
         "off", "fabric, M", "counted"], rows)


def compare_half(arguments):
    results = load(arguments.files)
    if not results:
        sys.exit("l2_model.py: no results to compare")
    halves = {"calibration": results[::2], "test": results[1::2]}
    share = arguments.share or calibrate(halves["calibration"], arguments)
    lines = [f"{len(results)} configurations; LRU has {share:.2f} of the nominal capacity "
             + ("(given)." if arguments.share else "(calibrated on the first half).")]
    ok = len(results) >= LEAST_CONFIGURATIONS
    if not ok:
        lines.append(f"Fewer than {LEAST_CONFIGURATIONS} configurations: not judged as a whole.")
    for title, half in halves.items():
        errors = {"sectors": [], "misses": [], "dram": []}
        lines += ["", f"### {title}", "", compare_table(half, share, arguments, errors), ""]
        for key, values in errors.items():
            if not values:
                continue
            worst, middle = max(values), median(values)
            lines.append(f"{key}: median {100 * middle:.1f} %, worst {100 * worst:.1f} %")
            if title == "test":
                ok &= (worst <= SECTORS_WITHIN) if key == "sectors" else (middle <= MEDIAN_WITHIN)
    lines += ["", "KEPT" if ok else "NOT KEPT"]
    print("\n".join(lines))
    if arguments.markdown:
        Path(arguments.markdown).write_text("\n".join(lines) + "\n")
    sys.exit(1 if arguments.check and not ok else 0)


def main():
    parser = harness.new_parser(__doc__)
    halves = parser.add_subparsers(dest="half", required=True)
    compile_parser = halves.add_parser("compile", help="make bundles; wants no GPU")
    harness.add_compile_arguments(compile_parser)
    run_parser = halves.add_parser("run", help="profile; wants a GPU, ncu, PyTorch")
    harness.add_run_arguments(run_parser)
    run_parser.add_argument("--ncu", default="ncu")
    run_parser.add_argument("--limit", type=float, default=180, help="seconds for one profile")
    run_parser.add_argument("--json", metavar="FILE", default=str(DEFAULT_DIRECTORY / "measured.json"))
    run_parser.add_argument("--filter", help="only configurations with this in their name")
    run_parser.add_argument("--worker", metavar="NAME")
    for half in (compile_parser, run_parser):
        half.add_argument("--out", default=str(DEFAULT_DIRECTORY), help="default: build-gpu/l2-model")
    compare_parser = halves.add_parser("compare", help="predict and compare; wants no GPU")
    compare_parser.add_argument("files", nargs="*", default=[str(RECORDED)], metavar="FILE",
                                help="default: benchmarks/l2_measured.json")
    compare_parser.add_argument("--attn-compile", default=simulation.ATTN_COMPILE)
    compare_parser.add_argument("--l2-bytes", type=int, default=60 * MIB, help="nominal L2")
    compare_parser.add_argument("--drift", type=int)
    compare_parser.add_argument("--share", type=float, help="of the capacity; default: calibrated")
    compare_parser.add_argument("--shares", type=float, nargs="+", default=SHARES)
    compare_parser.add_argument("--check", action="store_true", help="fail where a bound is not kept")
    compare_parser.add_argument("--markdown", metavar="FILE")
    halves.add_parser("list", help="the configurations")
    arguments = parser.parse_args()
    if arguments.half == "list":
        print("\n".join(configurations()))
        return
    {"compile": compile_half, "run": run_half, "compare": compare_half}[arguments.half](arguments)


if __name__ == "__main__":
    main()
