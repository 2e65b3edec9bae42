#!/usr/bin/env python3
"""FP8 (e4m3) forward attention: error, and time beside FlashAttention-3.

    fp8.py make FOLDER           compiles the kernels to FOLDER (needs attn-compile on PATH)
    fp8.py run FOLDER [--fa3 F]  on a GPU: errors against float64, then TFLOP/s; F: the wheel of fa3-fwd, or its folder
    fp8.py errors FOLDER [--fa3 F]  errors on inputs of several kinds, up to 131072 keys

Kernels take V by columns (`values(interleaved)`); "with V" is the time with PyTorch transposing it in front of every call.
"""

import argparse
import itertools
import json
import subprocess
import sys
from pathlib import Path

from common import forward_flops, markdown, time_interleaved

ROLES = "wgmma=all specialize overlap ping-pong"
PAIRS = "pair-tiles"
DYNAMIC = "dynamic longest-first grid-order=naive-head-first"
# Head dimension, mask: tiles, how tiles under a mask are dealt, and options beside ROLES: those of tuning/h200.mlir.
TILES = {
    64: {False: [("query=192,key=160", "", "resident-stages=2 store-tensors")],
         True: [("query=192,key=160", PAIRS, "resident-stages=2 store-tensors")]},
    128: {False: [("query=128,key=224", "", "store-tensors")], True: [("query=128,key=192", PAIRS, "")]},
    256: {False: [("query=128,key=96", "", "resident-stages=2")], True: [("query=128,key=96", DYNAMIC, "resident-stages=2")]},
}
HEADS = {64: 32, 128: 16, 256: 8}
LENGTH = 16384


def text_of(heads, kv_heads, dim, causal, element="f8E4M3FN"):
    """Attention with dynamic batch and lengths, scales per KV head, and V by columns."""
    q, k = (f"tensor<?x{h}x?x{dim}x{element}>" for h in (heads, kv_heads))
    v, scale = f"tensor<?x{kv_heads}x{dim}x?x{element}>", f"tensor<?x{kv_heads}xf32>"
    o, lse = f"tensor<?x{heads}x?x{dim}xbf16>", f"tensor<?x{heads}x?xf32>"
    mask = " mask(#attn.causal<bottom_right>)" if causal else ""
    return (
        f"func.func @attention(%q: {q}, %k: {k}, %v: {v}, %qs: {scale}, %ks: {scale}, %vs: {scale}) -> ({o}, {lse}) {{\n"
        f"  %o, %lse = attn.attention %q, %k, %v{mask} scale({dim**-0.5:.9e}) values(interleaved)\n"
        f"    q_scale(%qs : {scale}) k_scale(%ks : {scale}) v_scale(%vs : {scale})\n"
        f"    : ({q}, {k}, {v}) -> ({o}, {lse})\n  return %o, %lse : {o}, {lse}\n}}\n")


def tiles_of(tried):
    """Those of `--try DIM:TILES:OPTIONS`, for both masks, or the ones above. `dynamic` among options deals tiles so."""
    if not tried:
        return TILES
    found = {}
    for text in tried:
        dim, tiles, options = (text.split(":") + [""])[:3]
        words = options.split()
        dealt = DYNAMIC if "dynamic" in words else PAIRS
        rest = " ".join(word for word in words if word != "dynamic")
        for causal in (False, True):
            found.setdefault(int(dim), {}).setdefault(causal, []).append((tiles, dealt if causal else "", rest))
    return found


def make(folder, tried):
    """One bundle for each head dimension, mask and tile."""
    folder.mkdir(parents=True, exist_ok=True)
    cases = []
    for dim, by_mask in tiles_of(tried).items():
        for causal, number in ((causal, number) for causal, tiles in by_mask.items() for number in range(len(tiles))):
            tiles, dealt, more = by_mask[causal][number]
            name = f"d{dim}-{'causal' if causal else 'full'}-{number}"
            source = folder / f"{name}.mlir"
            source.write_text(text_of(HEADS[dim], HEADS[dim], dim, causal))
            options = [f"--schedule=tiles={tiles} persistent resident=1 {dealt}".strip(), f"--lower={ROLES} {more}".strip(), "--target=h200"]
            subprocess.run(["attn-compile", source, *options, "--emit=archive", "-o", folder / f"{name}.tar"], check=True)
            cases.append({"name": name, "dim": dim, "causal": causal, "tiles": " ".join((tiles, *dealt.split()[:1], more)).strip()})
    (folder / "cases.json").write_text(json.dumps(cases))


def quantised(torch, shape, generator, kind="normal"):
    """Numbers in e4m3, with one scale a head, and what they stand for in float32."""
    x = inputs_of(torch, kind, shape, generator)
    scale = x.abs().amax(dim=(2, 3)) / 448
    narrow = (x / scale[:, :, None, None]).to(torch.float8_e4m3fn)
    return narrow, scale, narrow.float() * scale[:, :, None, None]


def reference(torch, q, k, v, causal):
    q, k, v = (x.double() for x in (q, k, v))
    scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    if causal:
        queries, keys = scores.shape[-2:]
        i, j = (torch.arange(n, device=q.device) for n in (queries, keys))
        scores = scores.masked_fill(j[None] > i[:, None] + keys - queries, float("-inf"))
    return torch.softmax(scores, -1) @ v, torch.logsumexp(scores, -1)


def error(o, r):
    """The largest of rows: |o - r| / |r|, and that of all together."""
    difference = (o.double() - r).norm(dim=-1)
    return (difference / r.norm(dim=-1)).nan_to_num(float("inf")).max().item(), ((o.double() - r).norm() / r.norm()).item()


def check(torch, kernel, case, interleaved, fa3, generator):
    """Largest errors: of a row, of all rows together, of LSE; and FlashAttention-3's of all rows."""
    heads, dim = HEADS[case["dim"]], case["dim"]
    worst = []
    for batch, queries, keys in ((2, 300, 1000), (1, 77, 79)):
        (q, qs, wq), (k, ks, wk), (v, vs, wv) = (
            quantised(torch, (batch, heads, n, dim), generator) for n in (queries, keys, keys))
        o, lse = kernel(q, k, interleaved(v, "bhsd"), qs, ks, vs)
        r, rl = reference(torch, wq, wk, wv, case["causal"])
        row, whole = error(o, r)
        worst.append([row, whole, (lse.double() - rl).abs().max().item()])
        if fa3 is not None:
            its = by_fa3(fa3, q, k, v, qs, ks, vs, case["causal"])
            worst[-1].append(error(its.transpose(1, 2), r)[1])
    return [max(values) for values in zip(*worst)]


def by_fa3(fa3, q, k, v, qs, ks, vs, causal):
    q, k, v = (x.transpose(1, 2) for x in (q, k, v))
    result = fa3.flash_attn_func(q, k, v, causal=causal, q_descale=qs, k_descale=ks, v_descale=vs)
    return result[0] if isinstance(result, tuple) else result


def load(folder, only):
    """(case, kernel) of a folder."""
    import attn_mlir

    cases = [case for case in json.loads((folder / "cases.json").read_text()) if only in case["name"]]
    return [(case, attn_mlir.load(str(folder / f"{case['name']}.tar"))) for case in cases]


def run(folder, wheel, rounds, only, lengths):
    import torch

    from attn_mlir._float8 import interleaved
    from decode import import_fa3

    fa3 = import_fa3(wheel) if wheel else None
    generator = torch.Generator("cuda").manual_seed(1)
    rows = []
    for (dim, causal), group in itertools.groupby(load(folder, only), lambda pair: (pair[0]["dim"], pair[0]["causal"])):
        group = list(group)
        errors = {case["tiles"]: check(torch, kernel, case, interleaved, fa3, generator) for case, kernel in group}
        for tiles, found in errors.items():
            print(f"D {dim}", tiles, "row, whole, LSE, FA3:", *(f"{x:.2e}" for x in found), flush=True)
        for length in lengths:
            batch = max(1, LENGTH // length)
            times = time_interleaved(
                torch, calls_of(torch, group, (batch, HEADS[dim], length, dim), interleaved, fa3, causal, generator), rounds)
            flops = forward_flops(batch, HEADS[dim], length, dim, causal)
            best = min(ms for name, ms in times.items() if name in errors)
            for name, ms in times.items():
                rows.append([f"D {dim} {'causal' if causal else 'full'} S {length}", name, f"{ms:.3f}", f"{flops / ms / 1e9:.0f}",
                             f"{times['FA3'] / best:.3f}" if name == "FA3" else ""])
                print(*rows[-1], flush=True)
    print(torch.cuda.get_device_name())
    print(markdown(["", "", "ms", "TFLOP/s", "ours of FA3"], rows))


def calls_of(torch, group, shape, interleaved, fa3, causal, generator):
    """What is timed, by name."""
    (q, qs, _), (k, ks, _), (v, vs, _) = (quantised(torch, shape, generator) for _ in range(3))
    columns = interleaved(v, "bhsd")
    calls = {}
    for case, kernel in group:
        prepared = kernel.prepare(q, k, columns, qs, ks, vs)
        calls[case["tiles"]] = lambda turn, prepared=prepared: prepared.launch()
    calls["V transposed by PyTorch"] = lambda turn: interleaved(v, "bhsd")
    if fa3 is not None:
        qb, kb, vb = (x.transpose(1, 2).contiguous().transpose(1, 2) for x in (q, k, v))
        calls["FA3"] = lambda turn: by_fa3(fa3, qb, kb, vb, qs, ks, vs, causal)
    return calls


def inputs_of(torch, kind, shape, generator):
    """Numbers before they are quantised."""
    x = torch.randn(shape, device="cuda", generator=generator)
    if kind == "outliers":  # FlashAttention-3's: N(0, 1) + N(0, 100) Bernoulli(0.001).
        more = torch.randn(shape, device="cuda", generator=generator) * 10
        x += more * (torch.rand(shape, device="cuda", generator=generator) < 0.001)
    if kind == "large":
        x *= 4
    if kind == "sink":  # Queries and keys have a part in common, of which the first key has most.
        x[:, :, :, 0] = 3
        x[:, :, 0, 0] = 20
    return x


def errors(folder, wheel, only):
    import torch

    from attn_mlir._float8 import interleaved
    from decode import import_fa3

    fa3 = import_fa3(wheel) if wheel else None
    rows = []
    kernels = [(case, kernel) for case, kernel in load(folder, only) if not case["causal"]]
    for dim in sorted({case["dim"] for case, _ in kernels}):
        for kind, keys in (("normal", 2048), ("outliers", 2048), ("large", 2048), ("sink", 2048), ("normal", 16384), ("normal", 131072)):
            generator = torch.Generator("cuda").manual_seed(3)
            (q, qs, wq), (k, ks, wk), (v, vs, wv) = (
                quantised(torch, (1, HEADS[dim], n, dim), generator, kind) for n in (128, keys, keys))
            r, _ = reference(torch, wq, wk, wv, False)
            columns = interleaved(v, "bhsd")
            row = [f"D {dim}, {kind}, {keys} keys"]
            for case, kernel in kernels:
                if case["dim"] == dim:
                    o, _ = kernel(q, k, columns, qs, ks, vs)
                    row.append(f"{case['tiles']}: {error(o, r)[1]:.2e}")
            if fa3 is not None:
                row.append(f"FA3: {error(by_fa3(fa3, q, k, v, qs, ks, vs, False).transpose(1, 2), r)[1]:.2e}")
            print(" | ".join(row), flush=True)
            del r, wq, wk, wv


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    maker = commands.add_parser("make")
    maker.add_argument("folder", type=Path)
    maker.add_argument("--try", dest="tried", action="append", metavar="DIM:TILES:OPTIONS",
                       help="in place of the tiles that are known, such as '128:query=128,key=96:two-level'")
    runner = commands.add_parser("run")
    runner.add_argument("--rounds", type=int, default=15)
    runner.add_argument("--lengths", default=str(LENGTH), help="with commas; shorter ones in batches of 16384 queries together")
    for parser_of in (runner, commands.add_parser("errors")):
        parser_of.add_argument("folder", type=Path)
        parser_of.add_argument("--fa3")
        parser_of.add_argument("--only", default="", help="of kernels whose name has this in it")
    arguments = parser.parse_args()
    if arguments.command == "make":
        make(arguments.folder, arguments.tried)
    elif arguments.command == "run":
        run(arguments.folder, arguments.fa3, arguments.rounds, arguments.only, [int(n) for n in arguments.lengths.split(",")])
    else:
        errors(arguments.folder, arguments.fa3, arguments.only)


if __name__ == "__main__":
    sys.exit(main())
