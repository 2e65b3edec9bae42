"""What a run measured, or the device stated, against the facts of the kit's target."""

import record as records

# Stated by the driver through the launcher, as `--target=native` asks: counts and sizes.
STATED = ("sms", "max_resident_ctas", "smem_per_sm", "smem_per_block", "registers_per_sm", "l2_bytes", "dram_gbps")
# A bandwidth that is stated follows from clocks, which differ a little between boards.
WITHIN = {"dram_gbps": 0.05, "l2_bytes": 0.05}
COPY_SHARE = 0.88  # of the peak that a copy reaches (docs/transfer-model.md)


def rates(record):
    """Rates that were measured, as the facts that they are lower bounds of."""
    device = record["device"]
    result = {}
    if records.number(device.get("copy_gbps")):
        result["dram_gbps"] = (device["copy_gbps"] / COPY_SHARE, f"a copy over {COPY_SHARE}")
    if records.number(device.get("matmul_gflops")):
        result["tensor_gflops"] = (device["matmul_gflops"], "torch.matmul, a lower bound")
    try:
        result["clock_mhz"] = (float(device.get("clock_mhz_under_load")), "nvidia-smi during products")
    except (TypeError, ValueError):
        pass
    return result


def stated(record):
    launcher = record["device"].get("launcher")
    if not isinstance(launcher, dict):
        return {}
    return {n: launcher[n] for n in STATED if records.number(launcher.get(n)) and launcher[n] > 0}


def corrected(record):
    """fact -> value, of those that differ: what the device states, and a rate that was
    measured above the fact, which it cannot be below."""
    known, result = record["kit"]["facts"]["facts"], {}
    for name, value in stated(record).items():
        if abs(value / known[name] - 1) > WITHIN.get(name, 0):
            result[name] = int(value)
    measured = rates(record).get("tensor_gflops")
    if measured and measured[0] > known["tensor_gflops"]:
        result["tensor_gflops"] = round(measured[0])
    # What a working set can use is in proportion to the whole, until counters say more.
    if "l2_bytes" in result:
        share = known["l2_effective_bytes"] / known["l2_bytes"]
        result["l2_effective_bytes"] = int(share * result["l2_bytes"])
    return result


def compare(record):
    """Rows: fact, known, measured with its deviation, by what."""
    known, rows = record["kit"]["facts"]["facts"], []

    def row(name, value, by):
        off = value / known[name] - 1
        rows.append([name, known[name], f"{value:.0f} ({100 * off:+.1f} %)", by])

    for name, value in stated(record).items():
        row(name, value, "the driver")
    for name, (value, by) in rates(record).items():
        row(name, value, by)
    return rows or [["none", "", "nothing was measured", ""]]
