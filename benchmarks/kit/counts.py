"""Bytes that DRAM and L2 counted, where a profiler exists and is allowed (ncu), in the
form that benchmarks/l2_model.py reads."""

import shutil
import time
from types import SimpleNamespace

import kernels

import harness
from l2_sawtooth import profile

LIMIT_SECONDS, LEAST_SECONDS = 60, 15


def chosen(plan, folder):
    """(entry, kernel, shape, number) of persistent kernels without a mask at their longest
    shape, which alternate the direction of their streams or do not."""
    known = {k.name: k for k in kernels.timed_kernels()}
    for entry in plan["speed"]:
        kernel = known.get(entry["kernel"])
        if kernel is None or kernel.name not in ("d64-full", "d128-full"):
            continue
        shape = entry["shapes"][-1]
        for number in map(int, shape["predictions"]):
            option = entry["options"][number]
            rest = [w for w in option["schedule"].split() if not w.startswith("tiles=")]
            if rest in (["persistent"], ["persistent", "sawtooth=force"]):
                path = folder / kernel.name / f"{number:03}"
                if (path / "manifest.json").is_file() and resident(entry, shape, number):
                    yield entry, kernel, shape, number


def resident(entry, shape, number):
    """CTAs of an SM, as predicted for these tiles; None where no candidate has them."""
    tiles = lambda n: [w for w in entry["options"][n]["schedule"].split() if w.startswith("tiles=")]
    for other, prediction in shape["predictions"].items():
        if prediction and tiles(int(other)) == tiles(number):
            return prediction["resident"]
    return None


def parameters(plan, entry, kernel, shape, number):
    option = entry["options"][number]
    return {
        "heads": kernel.heads, "kv_heads": kernel.kv_heads, "dim": kernel.dim,
        "causal": kernel.causal, "element": "bf16", "batch": shape["batch"],
        "keys": shape["keys"], "schedule": option["schedule"], "lower": option["lower"],
        "resident": resident(entry, shape, number), "target": plan["target"],
    }


def count(plan, folder, script, end):
    """A list of counters until the time `end`, or why there are none."""
    if shutil.which("rocprofv3") and not shutil.which("ncu"):
        return {"error": "this kit reads ncu's counters only, not rocprofv3's"}
    if not shutil.which("ncu"):
        return {"error": "there is no ncu"}
    results = []
    for entry, kernel, shape, number in chosen(plan, folder):
        left = end - time.time()
        if left < LEAST_SECONDS:
            return {"error": "no time was left for all", "results": results}
        name = f"{kernel.name}-{shape['keys']}-{number:03}"
        worker = [script, "--worker", f"count:{kernel.name}:{number}"]
        values, problem = profile(
            folder / kernel.name / f"{number:03}", worker,
            SimpleNamespace(ncu="ncu", limit=min(LIMIT_SECONDS, left)))
        if problem:
            # One that is not allowed is allowed for none.
            return {"error": problem[:500], "results": results}
        results.append({"name": name, "parameters": parameters(plan, entry, kernel, shape, number), **values})
    return {"results": results}


def launch_twice(plan, folder, name, number):
    """Under ncu, which skips the first."""
    torch, package = harness.require_gpu(strict=True)
    kernel = next(k for k in kernels.timed_kernels() if k.name == name)
    shape = next(e for e in plan["speed"] if e["kernel"] == name)["shapes"][-1]
    from speed import make_inputs

    generator = torch.Generator(device="cuda").manual_seed(7)
    inputs = make_inputs(torch, kernel, kernel.sizes((shape["batch"], shape["keys"])), generator)
    out = torch.empty_like(inputs[0])
    loaded = package.load(str(folder / name / f"{number:03}"))
    for _ in range(2):
        harness.launch(loaded, inputs, [out])
        torch.cuda.synchronize()
