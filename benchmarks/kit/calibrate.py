#!/usr/bin/env python3
"""From a file of run.py: corrected facts, the model's constants, rows of a tuning file.

    calibrate.py result.json [--tuning tuning/gb10.mlir]

Prints what lib/Target/Facts.cpp should say and the same as overrides of the target,
fits the transfer model's constants where the kit timed kernels with roles
(benchmarks/fit_model.py), takes the L2's effective share from counters where there are
any (benchmarks/l2_model.py), and writes the fastest schedule of each class of attention,
none of which was ever wrong.
"""

import argparse
import contextlib
import io
import sys
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parent))

import record as records  # noqa: E402
from facts import corrected  # noqa: E402
from kernels import ROOT, timed_kernels, small_timed_kernels  # noqa: E402

import fit_model  # noqa: E402
from common import geometric_mean  # noqa: E402

# A variant for some lengths is worth its code from here on.
WORTH = 1.02
WITHIN = 1.3


# ---------------------------------------------------------------------------
# Facts, model and L2


def facts_lines(record):
    known, changed = record["kit"]["facts"]["facts"], corrected(record)
    target = record["kit"]["target"]
    if not changed:
        return [f"Facts of {target}: nothing that was stated or measured speaks against them."]
    lines = [f"Facts of {target} that differ from lib/Target/Facts.cpp:"]
    lines += [f"  {name}: {known[name]} -> {value}" for name, value in changed.items()]
    pairs = [f"{name}={value}" for name, value in changed.items()]
    lines.append("as options: " + " ".join("--target-fact=" + p for p in pairs))
    lines.append(f"as an attribute: {target_text(record)}")
    return lines


def target_text(record):
    parts = [f'"{record["kit"]["target"]}"'] + [f"{n} = {v}" for n, v in corrected(record).items()]
    return f"#attn.target<{', '.join(parts)}>"


def choice_record(record):
    """The shapes in the form of choice.py's."""
    results, options = [], {}
    for shape in record["speed"]:
        ms = records.right(shape)
        features = {str(n): shape["predictions"].get(str(n)) for n in ms}
        known = {n: t for n, t in ms.items() if features[str(n)]}
        if not known:
            continue
        options[shape["kernel"]] = shape["options"]
        results.append({"kernel": shape["kernel"], "ms": {str(n): t for n, t in known.items()},
                        "best_ms": min(known.values()), "features": features})
    return {"results": results, "options": options}


def model_lines(record):
    chosen = choice_record(record)
    pairs = [(1e3 * r["features"][n]["seconds"], t) for r in chosen["results"] for n, t in r["ms"].items()]
    if not pairs:
        return ["The model: no time of a candidate that it ranked."]
    ratios = [p / t for p, t in pairs]
    lines = [f"The model: predicted / measured has the geometric mean {geometric_mean(ratios):.2f} "
             f"({min(ratios):.2f} to {max(ratios):.2f}) over {len(pairs)} times."]
    facts = {**record["kit"]["facts"]["facts"], **corrected(record)}
    roles = [o for options in chosen["options"].values() for o in options if "overlap" in o["lower"]]
    if not roles:
        return lines + ["Its constants that benchmarks/fit_model.py fits are those of kernels with roles, "
                        "of which this chip has none: they stay."]
    if fit_model.numpy is None:
        return lines + ["Its constants were not fitted: there is no NumPy here."]
    halves = fit_model.load([chosen], WITHIN, fit_model.Chip(**facts))
    if min(map(len, halves)) < 8:
        return lines + ["Its constants were not fitted: expected at least 16 times of kernels with roles, "
                        f"but got {sum(map(len, halves))}."]
    return lines + fit_model.fit(halves)


def l2_lines(record, attn_compile):
    results = record.get("counters", {}).get("results", [])
    if len(results) < 2:
        why = record.get("counters", {}).get("error", "the run did not get there")
        return [f"Effective L2: not refitted, as there are no counters ({why})."]
    import l2_model

    size = {**record["kit"]["facts"]["facts"], **corrected(record)}["l2_bytes"]
    arguments = SimpleNamespace(shares=l2_model.SHARES, l2_bytes=size, attn_compile=attn_compile, drift=None)
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        share = l2_model.calibrate(results, arguments)
    lines = ["Effective L2, by the cache simulator against ncu's counters:"]
    lines += ["  " + line for line in said.getvalue().splitlines()]
    return lines + [f"  smallest error with {share:.2f} of {size} bytes (l2_bytes={int(share * size)})"]


# ---------------------------------------------------------------------------
# Rows of a tuning file


def field(word, level):
    """A word of --schedule (level 2) or --lower (level 3) as a field of #attn.schedule."""
    name, has_value, value = word.partition("=")
    name = name.replace("-", "_")
    if name == "tiles":
        return "tiles = [" + ", ".join(p.replace("=", " = ") for p in value.split(",")) + "]"
    if name == "chunk" and level == 3:
        name = "copy_chunk"
    return f"{name} = {value.replace('-', '_')}" if has_value else name


def schedule_text(option):
    words = [field(w, 2) for w in option[0].split()] + [field(w, 3) for w in option[1].split()]
    return "<" + ", ".join(words) + ">"


def classes(record):
    """(columns, causal, rows, element) -> shapes, in the order in which rows are tried: those of one
    query are for all that no other is for. A window has no rows of its own."""
    known = {k.name: k for k in timed_kernels() + small_timed_kernels()}
    result = {}
    for shape in record["speed"]:
        kernel = known.get(shape["kernel"])
        if kernel is None:
            sys.exit(f"calibrate.py: expected a kernel of kernels.py, but got '{shape['kernel']}'")
        if kernel.mask.kind == "window":
            continue
        key = (2 * kernel.dim, kernel.causal, 1 if kernel.queries else 64, kernel.element)
        result.setdefault(key, []).append(shape)
    return dict(sorted(result.items(), key=lambda item: (-item[0][2], item[0])))


def never_wrong(shapes):
    """Times by schedule for each length: {keys: {option: [ratio to the shape's best]}}.
    What failed anywhere in the class is not among them."""
    failed = {key_of(s, n) for s in shapes for n in s["failed"]}
    result = {}
    for shape in shapes:
        times = {key_of(shape, n): t for n, t in records.right(shape).items()}
        times = {key: t for key, t in times.items() if key not in failed}
        for key, t in times.items():
            result.setdefault(shape["keys"], {}).setdefault(key, []).append(t / min(times.values()))
    return result


def key_of(shape, number):
    option = shape["options"][int(number)]
    return (option["schedule"], option["lower"])


def mean_times(by_length):
    """{keys: {option: mean ratio}}, of those that all shapes of a length have."""
    result = {}
    for keys, times in by_length.items():
        most = max(map(len, times.values()))
        result[keys] = {o: geometric_mean(r) for o, r in times.items() if len(r) == most}
    return result


def overall(by_length):
    """The schedule with the least mean over the most lengths."""
    seen = {}
    for times in by_length.values():
        for option, ratio in times.items():
            seen.setdefault(option, []).append(ratio)
    most = max(map(len, seen.values()))
    means = {o: geometric_mean(r) for o, r in seen.items() if len(r) == most}
    return min(means, key=means.get)


BY_ITSELF = ("", "")


def pick(by_length, one_row):
    """(schedule, [(least, most, schedule)]): that of the longest, and of lengths for which
    another is faster by WORTH. None where what the compiler takes by itself, which no row
    can say, is faster than all others by that much."""
    written = {n: {o: t for o, t in times.items() if o != BY_ITSELF} for n, times in by_length.items()}
    for n, times in written.items():
        if not times or min(times.values()) > WORTH * by_length[n].get(BY_ITSELF, float("inf")):
            return None, []
    if one_row:
        return overall(written), []
    lengths = sorted(written)
    best = {n: min(written[n], key=written[n].get) for n in lengths}
    main, variants, before = best[lengths[-1]], [], 0
    for length in lengths[:-1]:
        if written[length].get(main, float("inf")) > WORTH * written[length][best[length]]:
            if variants and variants[-1][1:] == (before, best[length]):
                variants[-1] = (variants[-1][0], length, best[length])
            else:
                variants.append((before + 1, length, best[length]))
        before = length
    return main, variants


def row(key, shapes):
    """The text of a class, or why it has none."""
    columns, causal, rows, element = key
    elements = "f16, bf16" if element == "bf16" else element
    head = f"columns {columns} rows {rows}{' causal' if causal else ''}"
    by_length = mean_times(never_wrong(shapes))
    if not by_length:
        return f"  // {head}: no schedule was right at all sizes and timed."
    main, variants = pick(by_length, rows == 1)
    if main is None:
        return f"  // {head}: what the compiler takes by itself was the fastest."
    text = f'  attn.tuned "attn.attention" of [{elements}] {head}\n    {schedule_text(main)}'
    if variants:
        guard = lambda least, most: ("" if least == 1 else f"query>={least} & ") + f"query<={most}"
        text += "\n    variants [" + ",\n              ".join(
            f'#attn.variant<"{guard(a, b)}", {schedule_text(o)}>' for a, b, o in variants) + "]"
    return text


def tuning_text(record):
    device = record["device"]
    lines = [
        f"// Attention on {records.device_name(record)}: the fastest of a hardware kit's schedules, by columns",
        f"// of K and V together and by mask, {device.get('date', 'no date')}. Written by",
        "// benchmarks/kit/calibrate.py.",
        f"module attributes {{attn.target = {target_text(record)}}} {{",
    ]
    lines += [row(key, shapes) for key, shapes in classes(record).items()]
    return "\n".join(lines + ["}"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", metavar="FILE", help="of run.py")
    parser.add_argument("--tuning", type=Path, metavar="FILE", help="write rows of a tuning file")
    parser.add_argument("--attn-compile", default=str(ROOT / "build/tools/attn-compile/attn-compile"))
    arguments = parser.parse_args()
    record = records.load(arguments.file)
    for lines in (facts_lines(record), model_lines(record), l2_lines(record, arguments.attn_compile)):
        print("\n".join(lines))
    if arguments.tuning:
        if not record["speed"]:
            sys.exit("calibrate.py: no shape was timed: there is nothing to write")
        arguments.tuning.write_text(tuning_text(record))
        print(f"wrote {arguments.tuning}")


if __name__ == "__main__":
    main()
