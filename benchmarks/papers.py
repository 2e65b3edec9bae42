#!/usr/bin/env python3
"""Tables and figures of three papers, by the compiler's models beside the published.

    papers.py                        all of them, to standard output
    papers.py --markdown FILE        and to a file (docs/notebooks/papers.md)
    papers.py --figures DIRECTORY    and drawn, as SVG (wants python3-matplotlib)
    papers.py --check [--quick]      exit code 1 where a bound is not kept

Every number is made by attn-compile --simulate: the schedule is the compiler's
own IR, made by its own passes. Machines are the targets gb10 and mi300x as the
table of facts has them, with nominal L2 sizes, and one drift for everything.

  sawtooth  "Sawtooth Wavefront Reordering", GB10: 48 SMs, L2 of 24 MiB
  numa      "Optimizing Attention on GPUs by Exploiting GPU Architectural NUMA
            Effects", MI300X: 8 XCDs of 38 CUs and 4 MiB of L2
  napkin    "FlashAttention on a Napkin": configurations and exponents, by the
            transfer model (attn-paper-tables, which the build makes)
"""

import argparse
import os
import subprocess
import sys
from pathlib import Path

import simulation
from common import harness, markdown

KIB = 1024
MIB = KIB * KIB
# The four mappings of the NUMA paper, section 3.
MAPPINGS = [
    "naive-block-first", "swizzled-block-first", "naive-head-first", "swizzled-head-first",
]

SECTIONS = [
    "sawtooth_sectors", "sawtooth_formulas", "sawtooth_threshold", "sawtooth_active_sms",
    "sawtooth_cuda", "sawtooth_cutile", "numa_mha", "numa_gqa", "numa_deepseek", "numa_backward",
]
# Speed at 128K tokens beside swizzled head-first: section 4.6, figure 16.
BACKWARD_SPEEDS = {"naive-block-first": 0.91, "swizzled-block-first": 0.94, "naive-head-first": 0.91}
# The two kernels of gradients, and their tiles.
BACKWARD_TILES = {"key": "key=128,query=32", "query": "query=128,key=32"}


class Papers:
    def __init__(self, arguments):
        self.quick = arguments.quick
        self.only = arguments.only
        self.options = {"compiler": arguments.attn_compile, "drift": arguments.drift}
        self.lines = []
        self.checks = []
        self.series = {}

    # -- output ------------------------------------------------------------

    def say(self, *lines):
        for line in lines:
            print(line, flush=True)
            self.lines.append(line)

    def table(self, header, rows):
        self.say("", markdown(header, rows), "")

    def check(self, what, value, low, high, form="{:,}"):
        ok = low <= value <= high
        self.checks.append((what, form.format(value),
                            form.format(low) if low == high else
                            f"{form.format(low)} to {form.format(high)}", ok))

    # -- machines ----------------------------------------------------------

    def gb10(self, schedule, **rest):
        return simulation.attention("gb10", schedule, resident=1, **{**self.options, **rest})

    def mi300x(self, mapping, **rest):
        return simulation.attention(
            "mi300x", f"tiles=query=128,key=64 grid-order={mapping}", element="bf16",
            **{**self.options, **rest})

    # -- Sawtooth paper ----------------------------------------------------

    def sawtooth_sectors(self):
        self.say("## Sawtooth paper: L2 sectors (tables 1 and 2)", "",
                 "B 1, one head, D 64, f16, tiles of 80 x 80, full mask, 48 SMs; sectors of 32 bytes.")
        rows = []
        published = {32: (107_741_184, 107_478_656), 128: (1_719_664_640, 1_718_615_808)}
        for kilo, (table2, table1) in published.items():
            s = kilo * KIB
            run = self.gb10("tiles=query=80,key=80", queries=s)
            formula = 8 * s * (1 + -(-s // 80))
            whole = self.gb10("tiles=query=80,key=80 persistent resident=1",
                              queries=s // 80 * 80, keys=s)
            rows.append([f"{kilo}K", f"{run.total['sectors']:,}", f"{table2:,}", f"{formula:,}",
                         f"{whole.total['sectors']:,}", f"{table1:,}"])
            self.check(f"table 2, S {kilo}K: sectors", run.total["sectors"], table2, table2)
            self.check(f"table 1, S {kilo}K: sectors of whole query tiles",
                       whole.total["sectors"], table1, table1)
        self.table(["S", "simulated", "table 2 (from Tex)", "8S(1 + ceil(S/T))",
                    "simulated, whole query tiles", "table 1 (L1 total)"], rows)
        self.say(
            "Table 1 is the persistent kernel. Its counts are those of a kernel that leaves out the",
            "last, partial tile of queries: S rounded down to a multiple of 80 for Q and O, all S keys",
            "(32K: 409 tiles and 48 rows left over, 384 sectors of Q and O and 8S of K and V less).",
            "Simulated so, through the persistent schedule, they come out to the last sector. Its \"L2",
            "from Tex\" counts are these at 32K; at 128K they are 0.03 % more, which nothing here explains.",
            "")

    def sawtooth_formulas(self):
        lengths = [32, 128] if self.quick else range(8, 129, 8)
        self.say("## Sawtooth paper: formulas (figures 3 and 4, table 3)", "",
                 "The simulator's sectors against 8S(1 + S/T), causal 8S(S/2T + 1/2), T 80.")
        rows, errors = [], {False: [], True: []}
        for kilo in lengths:
            s = kilo * KIB
            row = [f"{kilo}K"]
            for causal in (False, True):
                got = self.gb10("tiles=query=80,key=80", queries=s, causal=causal).total["sectors"]
                want = 8 * s * (s / 160 + 0.5) if causal else 8 * s * (1 + s / 80)
                error = 100 * (got / want - 1)
                errors[causal].append(abs(error))
                row += [f"{got:,}", f"{want:,.0f}", f"{error:+.2f} %"]
            rows.append(row)
        self.table(["S", "full", "formula", "off by", "causal", "formula", "off by"], rows)
        full, causal = (sum(errors[c]) / len(errors[c]) for c in (False, True))
        self.say(f"Mean error: full {full:.2f} % (published, of the measured counts: 0.45 and 0.54 %), causal",
                 f"{causal:.2f} % (2.49 and 1.13 %). Causal is always above: the formula counts n(n - 1)/2 pairs",
                 "of tiles; a kernel also loads the tile on the diagonal, which makes n(n + 1)/2.", "")
        self.check("figure 3: mean error, full, %", full, 0, 1, "{:.2f}")
        self.check("figure 4: mean error, causal, %", causal, 0, 2.5, "{:.2f}")

    def sawtooth_threshold(self):
        lengths = ([64, 80, 94, 96, 104] if self.quick else
                   [8, 16, 32, 48, 64, 72, 80, 84, 88, 90, 92, 93, 94, 95, 96, 97, 98, 100, 104, 112,
                    120, 128])
        self.say("## Sawtooth paper: where misses leave the cold line (figure 5)", "",
                 "T 80, 48 SMs. Cold misses are 16S sectors. 20 MiB beside the nominal 24 MiB, from the same run.")
        rows, left = [], {}
        for kilo in lengths:
            s = kilo * KIB
            run = self.gb10("tiles=query=80,key=80 persistent resident=1", queries=s,
                            l2_curve=[24 * MIB, 20 * MIB])
            misses = {c["l2_bytes"] // MIB: c["misses"] for c in run.report["curve"]}
            for mib, missed in misses.items():
                if missed > 1.01 * 16 * s:
                    left.setdefault(mib, kilo)
            rows.append([f"{kilo}K", f"{16 * s / 1e6:.2f}", f"{misses[24] / 1e6:.2f}",
                         f"{misses[20] / 1e6:.2f}"])
            self.series.setdefault("threshold", []).append((kilo, 16 * s, misses[24], misses[20]))
        self.table(["S", "16S, M sectors", "missed, 24 MiB", "missed, 20 MiB"], rows)
        self.say(
            f"Misses leave 16S at {left.get(24, '-')}K with 24 MiB and at {left.get(20, '-')}K with 20 MiB"
            " (published: about 80K, read off a",
            "figure). K and V of S tokens are 256 S bytes: 24 MiB at 96K. LRU keeps all of them until they,",
            "with the Q and O that pass by, fill the nominal cache; the hardware begins to miss at 20 MiB.",
            "Nothing in the simulator is sized to that: what the fact `l2_effective_bytes` states for GB10",
            "is this measurement. The difference, 4 MiB, is what a real cache loses against exact LRU over",
            "its whole capacity (sets, replacement by other rules, lines of others); the paper has no figure",
            "that tells these apart.", "")
        self.check("figure 5: S where misses leave 16S, K", left.get(24, 0), 90, 97)

    def sawtooth_active_sms(self):
        counts = [1, 2, 8, 48] if self.quick else [1, 2, 3, 4, 6, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48]
        self.say("## Sawtooth paper: hit rate by active SMs (figure 6)", "",
                 "S 128K, T 80, persistent, one CTA on each of N SMs.")
        rows, worst = [], 0
        for n in counts:
            run = self.gb10(f"tiles=query=80,key=80 persistent resident=1 sms={n}", queries=128 * KIB)
            rate, want = 100 * run.total["hit_rate"], 100 * (1 - 1 / n)
            worst = max(worst, abs(rate - want))
            rows.append([n, f"{rate:.2f} %", f"{want:.2f} %", f"{rate - want:+.2f}",
                         f"{run.misses / 1e6:.1f}"])
            self.series.setdefault("active", []).append((n, rate, want))
        self.table(["N", "hit rate", "1 - 1/N", "points", "misses, M sectors"], rows)
        self.check("figure 6: hit rate from 1 - 1/N, points", worst, 0, 1, "{:.2f}")

    def sawtooth_cuda(self):
        self.say("## Sawtooth paper: CUDA, cyclic and sawtooth (figure 8)", "",
                 "S 128K, T 80, persistent. Misses beyond the cold ones, M sectors.")
        rows = []
        for batch in [1] if self.quick else [1, 2, 4, 8]:
            beyond = []
            for mode in ("off", "force"):
                run = self.gb10(f"tiles=query=80,key=80 persistent resident=1 sawtooth={mode}",
                                queries=128 * KIB, batch=batch)
                beyond.append(run.total["capacity_misses"])
            rows.append([batch, f"{beyond[0] / 1e6:.1f}", f"{beyond[1] / 1e6:.1f}",
                         f"{100 * (1 - beyond[1] / beyond[0]):.0f} %"])
        self.table(["B", "cyclic", "sawtooth", "fewer"], rows)
        self.say("Published: about 50 % fewer for all B (the text does not state S and T of the figure).",
                 "By LRU the share follows from sizes alone: all but 24 MiB less the Q and O in flight",
                 "of the 32 MiB of K and V are kept from one walk to the next. The published cut would be",
                 "that of a cache of about 17 MiB.", "")

    def sawtooth_cutile(self):
        self.say("## Sawtooth paper: CuTile configuration (figures 9 and 11)", "",
                 "B 8, one head, S 131072, D 64, tiles of 64 x 64. *static*: persistent CTAs, one an SM;",
                 "*tile*: a CTA for each tile, with sawtooth for each two. Misses in M sectors.")
        rows = []
        base = "tiles=query=64,key=64"
        variants = {
            "static": (f"{base} persistent resident=1 sawtooth=off",
                       f"{base} persistent resident=1 sawtooth=force"),
            "tile": (f"{base} sawtooth=off", f"{base} sawtooth=force"),
        }
        for causal in (False, True):
            for name, schedules in variants.items():
                runs = [self.gb10(s, queries=128 * KIB, batch=8, causal=causal) for s in schedules]
                cyclic, sawtooth = (run.misses / 1e6 for run in runs)
                rows.append([f"{name}, {'causal' if causal else 'full'}", f"{cyclic:.1f}",
                             f"{sawtooth:.1f}", f"{100 * (1 - sawtooth / cyclic):.0f} %",
                             *(["", ""] if causal else ["370", "120"])])
                self.series.setdefault("cutile", []).append(
                    (f"{name}, {'causal' if causal else 'full'}", cyclic, sawtooth))
                if name == "static" and not causal:
                    self.check("figure 9, cyclic, M sectors", cyclic, 370 * 0.97, 370 * 1.03, "{:.1f}")
                    self.check("figure 9, sawtooth, M sectors", sawtooth, 100, 130, "{:.1f}")
                    # Times of two threads, with room for a slow machine.
                    self.check("largest case: CPU seconds", runs[0].cpu_s, 0, 15, "{:.1f}")
                    self.check("largest case: peak memory, MB", runs[0].peak_mb, 0, 1000, "{:.0f}")
                if name == "static" and causal:
                    self.check("figure 11, sawtooth over cyclic", sawtooth / cyclic, 0, 1, "{:.2f}")
        self.table(["", "cyclic", "sawtooth", "fewer", "published cyclic", "sawtooth"], rows)
        self.say("The published misses of the causal mask are in a figure only; the text gives times (41 to",
                 "66 TFLOP/s, full 61 to 69). The ratios above are the model's. Under the causal mask the cyclic",
                 "order misses more than under the full one, with half the work: tiles of different lengths",
                 "drive the CTAs apart. That sawtooth gains less than published, or nothing where each CTA has",
                 "two tiles, is what the model cannot confirm: in it, a CTA that misses is no slower.", "")

    # -- NUMA paper --------------------------------------------------------

    def numa_row(self, label, **sizes):
        """Hit rates and DRAM bytes of the four mappings."""
        row, runs = [label], {}
        for mapping in MAPPINGS:
            runs[mapping] = run = self.mi300x(mapping, **sizes)
            row += [f"{100 * run.total['hit_rate']:.1f} %",
                    f"{run.total['dram_read_bytes'] / 1e9:.1f}"]
        return row, runs

    def numa_table(self, rows, first):
        short = {"naive-block-first": "naive BF", "swizzled-block-first": "swizzled BF",
                 "naive-head-first": "naive HF", "swizzled-head-first": "swizzled HF"}
        header = [first]
        for mapping in MAPPINGS:
            header += [short[mapping], "GB"]
        self.table(header, rows)

    def numa_mha(self):
        self.say("## NUMA paper: MHA (figure 13)", "",
                 "MI300X, D 128, bf16, tiles of 128 x 64, B 1. L2 hit rate over all XCDs, and GB read from",
                 "memory (by all L2s; the last-level cache between them and HBM is not modelled).")
        cases = ([(8, 128), (128, 128)] if self.quick else
                 [(h, kilo) for kilo in (8, 32, 128) for h in (8, 16, 32, 64, 128)])
        rows = []
        for heads, kilo in cases:
            row, runs = self.numa_row(f"{heads} heads, {kilo}K", heads=heads, dim=128,
                                      queries=kilo * KIB)
            rows.append(row)
            rates = {m: 100 * r.total["hit_rate"] for m, r in runs.items()}
            self.series.setdefault("numa", []).append((heads, kilo, rates))
            if heads == 8:
                for mapping in MAPPINGS:
                    # What no cache could hit: see below.
                    least = 84 if (mapping, kilo) == ("naive-head-first", 8) else 90
                    self.check(f"figure 13, H 8, S {kilo}K, {mapping}, %", rates[mapping], least, 100,
                               "{:.1f}")
            if (heads, kilo) == (128, 128):
                more = (runs["naive-head-first"].total["dram_read_bytes"]
                        / runs["swizzled-head-first"].total["dram_read_bytes"])
                self.check("figure 13, H 128, S 128K, swizzled head-first, %",
                           rates["swizzled-head-first"], 90, 97, "{:.1f}")
                for mapping in MAPPINGS[:2]:
                    self.check(f"figure 13, H 128, S 128K, {mapping}, %", rates[mapping], 0, 10,
                               "{:.1f}")
                worst = max(runs.values(), key=lambda run: run.cpu_s)
                self.check("MI300X, H 128, S 128K: CPU seconds", worst.cpu_s, 0, 60, "{:.1f}")
                self.check("MI300X, H 128, S 128K: peak memory, MB", worst.peak_mb, 0, 1000, "{:.0f}")
        self.numa_table(rows, "H, S")
        self.say(
            "Published at H 128, S 128K: swizzled head-first 90 to 96 %, naive head-first 40 to 60 %, both",
            "block-first about 1 %. Naive head-first is the one that the model does not reach. All XCDs then",
            "walk through the same heads, each with a copy of K and V in its own L2; within one XCD, 38 CTAs",
            "share one stream, as under swizzled head-first. What differs is how long a head lasts (128 tiles",
            f"of an XCD, not 1024), and the bytes read from memory, {more:.1f} times as many. Hit rates as low as",
            "those published want CTAs of one XCD more than a cache (128 pairs of tiles) apart. Eight XCDs that",
            "ask for the same lines at once, and wait for them, may cause that; the model has one drift for all",
            "mappings and no time, so it does not know.", "",
            "At 8K, naive head-first cannot do better than 87.5 %: a head has 64 tiles of queries, 8 for each",
            "XCD, and one of the 8 must fetch K and V.", "")

    def numa_gqa(self):
        self.say("## NUMA paper: GQA with 8 KV heads (figure 14)", "",
                 "As above; the figure shows times only.")
        cases = [(64, 8)] if self.quick else [(h, kilo) for kilo in (8, 32) for h in (32, 64, 128)] + [(32, 128)]
        rows = []
        for heads, kilo in cases:
            row, runs = self.numa_row(f"{heads}/8 heads, {kilo}K", heads=heads, kv_heads=8, dim=128,
                                      queries=kilo * KIB)
            rows.append(row)
            for mapping in ("swizzled-block-first", "swizzled-head-first"):
                self.check(f"figure 14, H {heads}/8, S {kilo}K, {mapping}, %",
                           100 * runs[mapping].total["hit_rate"], 90, 100, "{:.1f}")
        self.numa_table(rows, "H, S")

    def numa_deepseek(self):
        if self.quick:
            return
        self.say("## NUMA paper: DeepSeek-V3 prefill (figure 15)", "",
                 "128 heads, D 56; the figure shows times only.")
        rows = [self.numa_row(f"{kilo}K", heads=128, dim=56, queries=kilo * KIB)[0]
                for kilo in (2, 8, 32)]
        self.numa_table(rows, "S")

    def numa_backward(self):
        self.say("## NUMA paper: the backward pass (figure 16)", "",
                 "MHA, 128 heads, D 128, bf16, full. L2 hit rate over all XCDs, and GB read, of the kernel of dK and",
                 "dV (blocks of 128 keys, which walk through the queries by 32) and of that of dQ (the other way",
                 "round): `attn.attention_backward_key` and `attn.attention_backward_query`.")
        cases = [(1, 8)] if self.quick else [(1, 8), (2, 8), (1, 32), (2, 32), (1, 128)]
        rows, least = [], {}
        for batch, kilo in cases:
            for kernel, tiles in BACKWARD_TILES.items():
                row = [f"B {batch}, {kilo}K, {'dK, dV' if kernel == 'key' else 'dQ'}"]
                for mapping in MAPPINGS:
                    run = simulation.gradients(
                        "mi300x", f"tiles={tiles} grid-order={mapping}", kernel, heads=128, dim=128,
                        element="bf16", batch=batch, length=kilo * KIB, **self.options)
                    rate = 100 * run.total["hit_rate"]
                    row += [f"{rate:.1f} %", f"{run.total['dram_read_bytes'] / 1e9:.1f}"]
                    least[mapping] = min(rate, least.get(mapping, 100))
                    if mapping == "swizzled-head-first":
                        self.check(f"figure 16, {row[0]}, swizzled HF, %", rate, 85, 100, "{:.1f}")
                rows.append(row)
        self.numa_table(rows, "B, S, kernel")
        for mapping in MAPPINGS[:3]:
            self.check(f"figure 16, {mapping}, points below",
                       least["swizzled-head-first"] - least[mapping], 5, 100, "{:.1f}")
        speeds = ", ".join(f"{name} {speed:.2f}" for name, speed in BACKWARD_SPEEDS.items())
        self.say("The paper has no hit rates of this pass, only speeds of AITER's kernel, one for both parts, at 128K",
                 f"beside swizzled head-first: {speeds}.",
                 "The model ranks swizzled head-first first as well. Naive head-first, in the paper no faster than naive",
                 "block-first, is close to it here, as in figure 13. The model has no times, so it cannot say why misses",
                 "cost that kernel a tenth at most. Orders differ by as much as in the forward pass: a block of keys",
                 "walks through Q and dO as a block of queries does through K and V.", "")

    # -- all ---------------------------------------------------------------

    def run(self):
        self.say("# Papers, by the models of the compiler", "",
                 "Made by `benchmarks/papers.py --markdown docs/notebooks/papers.md`. One drift for all of it: "
                 + ("the default" if self.options["drift"] is None else str(self.options["drift"]))
                 + " (see [the simulator](../cache-simulator.md)).", "")
        for name in SECTIONS:
            if not self.only or name in self.only:
                getattr(self, name)()
        # Times are this machine's: they are checked, and not recorded.
        self.say("## What is checked")
        kept = [c for c in self.checks if "CPU" not in c[0] and "memory" not in c[0]]
        self.table(["", "got", "wanted", ""], [[*c[:3], "ok" if c[3] else "NOT"] for c in kept])
        for what, got, wanted, ok in self.checks:
            if not ok:
                print(f"FAILED {what}: got {got}, wanted {wanted}", flush=True)
        for what, got, wanted, _ in self.checks:
            if "CPU" in what or "memory" in what:
                print(f"{what}: {got} (bound {wanted})", flush=True)
        return all(c[3] for c in self.checks)


def threshold_figure(axes, points):
    for column, label in ((1, "16S"), (2, "24 MiB"), (3, "20 MiB")):
        axes.plot([p[0] for p in points], [p[column] / 1e6 for p in points], label=label,
                  linestyle="--" if column == 1 else "-")
    return "S (K)", "misses, M sectors"


def active_figure(axes, points):
    axes.plot([p[0] for p in points], [p[2] for p in points], "--", label="1 - 1/N")
    axes.plot([p[0] for p in points], [p[1] for p in points], "o", label="simulated")
    return "active SMs", "hit rate, %"


def cutile_figure(axes, points):
    for shift, column, label in ((-0.2, 1, "cyclic"), (0.2, 2, "sawtooth")):
        axes.bar([x + shift for x in range(len(points))], [p[column] for p in points], 0.4, label=label)
    axes.set_xticks(range(len(points)), [p[0] for p in points])
    return "", "misses, M sectors"


def numa_figure(axes, points):
    most = max(p[0] for p in points)
    for mapping in MAPPINGS:
        mine = [(kilo, rates[mapping]) for heads, kilo, rates in points if heads == most]
        axes.plot([p[0] for p in mine], [p[1] for p in mine], "o-", label=mapping)
    axes.set_ylim(0, 100)
    return f"S (K), {most} heads", "L2 hit rate, %"


# series -> (file, what draws it)
FIGURES = {
    "threshold": ("gb10-misses", threshold_figure),
    "active": ("gb10-active-sms", active_figure),
    "cutile": ("gb10-sawtooth", cutile_figure),
    "numa": ("mi300x-hit-rate", numa_figure),
}


def draw(series, directory):
    """SVG figures of what the tables hold; returns their files."""
    try:
        import matplotlib
    except ImportError:
        print("SKIPPED: figures want matplotlib (python3-matplotlib)", flush=True)
        return []
    matplotlib.use("svg")
    # The same bytes for the same numbers.
    matplotlib.rcParams["svg.hashsalt"] = "attn-mlir"
    from matplotlib import pyplot

    directory.mkdir(parents=True, exist_ok=True)
    files = []
    for key, (name, plot) in FIGURES.items():
        if key not in series:
            continue
        figure, axes = pyplot.subplots(figsize=(6, 3.5), layout="constrained")
        x, y = plot(axes, series[key])
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        axes.legend()
        files.append(directory / f"{name}.svg")
        figure.savefig(files[-1], metadata={"Date": None})
        pyplot.close(figure)
    return files


def napkin(tool):
    """What attn-paper-tables prints, as lines of a section."""
    if not Path(tool).is_file():
        sys.exit(f"papers.py: expected attn-paper-tables (the build makes it), but got no file {tool}")
    done = subprocess.run([tool], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"papers.py: {tool} failed: {done.stderr.strip()}")
    return ["## FlashAttention on a Napkin, by the transfer model", "", done.stdout.strip(), ""]


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attn-compile", default=simulation.ATTN_COMPILE)
    parser.add_argument(
        "--paper-tables", default=str(harness.ROOT / "build/test/lib/attn-paper-tables"),
        help="tool for the napkin paper (default: that of build/)")
    parser.add_argument("--drift", type=int, help="instead of the default")
    parser.add_argument("--markdown", metavar="FILE")
    parser.add_argument("--figures", metavar="DIRECTORY")
    parser.add_argument("--check", action="store_true", help="fail where a bound is not kept")
    parser.add_argument("--quick", action="store_true", help="fewer sizes; half a minute")
    parser.add_argument("--only", action="append", choices=SECTIONS, metavar="SECTION", help=", ".join(SECTIONS))
    arguments = parser.parse_args()
    papers = Papers(arguments)
    ok = papers.run()
    files = draw(papers.series, Path(arguments.figures)) if arguments.figures else []
    if files:
        papers.say("## Figures", "")
    for file in files:
        link = os.path.relpath(file, Path(arguments.markdown or ".").resolve().parent)
        papers.say(f"![{file.stem}]({link})", "")
    if not arguments.only and not arguments.quick:
        papers.say(*napkin(arguments.paper_tables))
    if arguments.markdown:
        Path(arguments.markdown).write_text("\n".join(papers.lines).rstrip() + "\n")
    sys.exit(1 if arguments.check and not ok else 0)


if __name__ == "__main__":
    main()
