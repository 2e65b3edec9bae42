#!/usr/bin/env python3
"""What the compiler predicts, as a page of figures: no GPU.

    report.py [--out build-gpu/report]      writes report.html and the figures

Hit rate of L2 against sequence length and misses of cyclic against sawtooth streams, as
`attn-compile --explain=json` simulates them, for a target with one L2 domain; and which
domain works on which tile of a target with several, for the grid orders. Figures want
matplotlib; without it the page has tables and the maps alone.
"""

import html
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from common import attention_text, harness

ORDERS = ("naive-block-first", "swizzled-block-first", "naive-head-first", "swizzled-head-first")
TRAVERSALS = {"cyclic": "", "sawtooth": "sawtooth=force"}


def explain(arguments, source, target, schedule, batch, length, form="json", facts=()):
    """A page of the compiler, for one schedule."""
    command = [
        arguments.attn_compile, str(source), "--target=" + target, "--schedule=" + schedule,
        f"--size=batch={batch},query={length},key={length}", "--explain=" + form,
        *("--target-fact=" + fact for fact in facts),
    ]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{' '.join(command)}: {harness.first_error(done.stderr)}")
    return json.loads(done.stdout) if form == "json" else done.stdout


def sweep(arguments, source):
    """traversal -> one entry for each length."""
    base = f"tiles=query={arguments.tile},key={arguments.tile} persistent resident=1"

    def point(name, length):
        page = explain(
            arguments, source, arguments.target, f"{base} {TRAVERSALS[name]}".strip(), 1, length
        )
        kernel = page["kernels"][0]
        if "simulated" not in kernel:
            sys.exit(f"S {length} is too long to simulate here (--lengths)")
        total = kernel["simulated"]["total"]
        return {
            "length": length,
            "hit_rate": total["hit_rate"],
            "load_misses": total["load_misses"],
            "dram_mb": total["dram_read_bytes"] * 1e-6,
            "closed_misses": sum(d["missed"] for d in kernel["prediction"]["l2"]),
        }

    with ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        return {
            name: list(pool.map(lambda s, name=name: point(name, s), arguments.lengths))
            for name in TRAVERSALS
        }


def plot(arguments, curves, out):
    """Names of the figures that were written."""
    try:
        import matplotlib
    except ImportError:
        print("no matplotlib: tables alone")
        return []
    matplotlib.use("svg")
    from matplotlib import pyplot

    figures = []
    for name, key, label, scale in (
        ("hit_rate", "hit_rate", "L2 hit rate, %", 100),
        ("misses", "load_misses", "L2 read misses, millions of sectors", 1e-6),
    ):
        figure, axes = pyplot.subplots(figsize=(6, 3.6))
        for traversal, points in curves.items():
            axes.plot(
                [p["length"] / 1024 for p in points], [p[key] * scale for p in points],
                marker="o", label=traversal,
            )
        axes.set_xlabel("sequence length, Ki")
        axes.set_ylabel(label)
        axes.set_title(f"{arguments.target}, one head, D 64, tile {arguments.tile}")
        axes.grid(alpha=0.3)
        axes.legend()
        figure.tight_layout()
        figure.savefig(out / f"{name}.svg")
        pyplot.close(figure)
        figures.append(f"{name}.svg")
    return figures


def maps(arguments, out):
    """Which domain works on which tile: the NUMA paper's example, for each order."""
    source = out / "heads.mlir"
    source.write_text(attention_text(8, 8, 128, False))
    names = []
    for order in ORDERS:
        svg = explain(
            arguments, source, "mi300x", f"tiles=query=128,key=64 grid-order={order}", 1,
            128 * 128, form="svg", facts=["l2_domains=4"],
        )
        (out / f"{order}.svg").write_text(svg)
        names.append(f"{order}.svg")
    return names


def table(curves):
    rows = "".join(
        f"<tr><td>{c['length']}</td>"
        + "".join(
            f"<td>{100 * p['hit_rate']:.1f}</td><td>{p['load_misses'] * 1e-6:.2f}</td>"
            f"<td>{p['closed_misses'] * 1e-6:.2f}</td><td>{p['dram_mb']:.0f}</td>"
            for p in (c, s)
        )
        + "</tr>\n"
        for c, s in zip(curves["cyclic"], curves["sawtooth"])
    )
    parts = "".join(
        f"<th>{name}: hits, %</th><th>misses, M</th><th>in lock-step, M</th><th>DRAM, MB</th>"
        for name in TRAVERSALS
    )
    return f"<table border=1 cellpadding=4><tr><th>S</th>{parts}</tr>\n{rows}</table>"


def main():
    parser = harness.new_parser(__doc__)
    harness.add_compile_arguments(parser)
    parser.set_defaults(target="gb10")
    parser.add_argument("--out", default=str(harness.ROOT / "build-gpu" / "report"))
    parser.add_argument("--tile", type=int, default=64, help="default: 64")
    parser.add_argument(
        "--lengths", type=int, nargs="+",
        default=[16384, 32768, 49152, 65536, 81920, 98304, 114688, 131072],
    )
    parser.add_argument("--json", metavar="FILE")
    arguments = parser.parse_args()
    if not harness.find_compiler(arguments.attn_compile):
        harness.skip(f"the report, as there is no {arguments.attn_compile}")
    out = Path(arguments.out)
    out.mkdir(parents=True, exist_ok=True)
    source = out / "head.mlir"
    source.write_text(attention_text(1, 1, 64, False))
    curves = sweep(arguments, source)
    figures = plot(arguments, curves, out)
    grids = maps(arguments, out)
    title = f"L2 of {html.escape(arguments.target)}, as attn-compile predicts it"
    pictures = "".join(f'<p><img src="{name}"></p>\n' for name in figures)
    orders = "".join(
        f'<h3>{name.removesuffix(".svg")}</h3><p><img src="{name}"></p>\n' for name in grids
    )
    (out / "report.html").write_text(
        f"<!doctype html><meta charset=utf-8><title>{title}</title><h1>{title}</h1>\n"
        f"<p>One head, D 64, {arguments.tile} x {arguments.tile} tiles, persistent CTAs, one an "
        f"SM.</p>\n{pictures}{table(curves)}\n"
        f"<h2>Which of 4 L2 domains works on which tile: 8 heads, 128 blocks</h2>\n{orders}"
    )
    harness.write_json(arguments.json, curves)
    print(f"{out / 'report.html'}: {len(figures) + len(grids)} figures")


if __name__ == "__main__":
    main()
