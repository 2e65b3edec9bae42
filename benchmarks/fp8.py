#!/usr/bin/env python3
"""FP8 (e4m3) forward attention: error, and time beside FlashAttention-3.

    fp8.py make FOLDER           compiles the kernels to FOLDER (needs attn-compile on PATH)
    fp8.py run FOLDER [--fa3 F] [--cudnn]  on a GPU: errors against float64, then TFLOP/s; F: the wheel of fa3-fwd, or its folder
    fp8.py errors FOLDER [--fa3 F]  errors on inputs of several kinds, up to 131072 keys

Kernels take V by columns (`values(interleaved)`); programs whose names begin with "rows" arrange it first (`attn.arrange_values`), kernels whose names begin with "inside" arrange its tiles themselves (`attn.ring.arrange`). "attention(), V by rows" is what a user calls, from Python;
"bf16" is attention() of the same shape in bf16. The last lines are geometric means of ratios of times.
"""

import argparse
import itertools
import json
import subprocess
import sys
from pathlib import Path

import cudnn_float8
from common import forward_flops, geometric_mean, markdown, time_interleaved

ROLES = "wgmma=all specialize overlap ping-pong"
PAIRS = "pair-tiles"
BACKWARD = "traversal=backward"
# Words of a schedule that tell kernels apart.
SHOWN = ("dynamic", "pair-tiles", BACKWARD)
DYNAMIC = "dynamic longest-first grid-order=naive-head-first"
# What nobody says how to schedule: the measured schedules of the target.
DEFAULT = "default"
HEADS = {64: 32, 128: 16, 256: 8}
LENGTH = 16384
ROWS, BF16 = "attention(), V by rows", "bf16"
PEERS = ("FA3", "cuDNN")
# Inputs of `errors`, and keys.
ERRORS = (*((kind, 2048) for kind in ("normal", "outliers", "large", "sink")), ("normal", 16384), *((kind, 131072) for kind in ("normal", "outliers", "sink")))
# Who arranges V by rows: a kernel in front, or the kernel itself.
BEFORE, INSIDE = "rows", "inside"


def text_of(heads, kv_heads, dim, causal, rows="", element="f8E4M3FN"):
    """Attention with dynamic batch and lengths, scales per KV head, and V by columns, or by rows, which the program arranges ("rows"), or the kernel ("inside")."""
    q, k = (f"tensor<?x{h}x?x{dim}x{element}>" for h in (heads, kv_heads))
    v, scale = k if rows == INSIDE else f"tensor<?x{kv_heads}x{dim}x?x{element}>", f"tensor<?x{kv_heads}xf32>"
    arranged = f"  %v = attn.arrange_values %rows : {k} -> {v}\n" if rows == BEFORE else ""
    argument = f"%rows: {k}" if rows == BEFORE else f"%v: {v}"
    order = "" if rows == INSIDE else " values(interleaved)"
    o, lse = f"tensor<?x{heads}x?x{dim}xbf16>", f"tensor<?x{heads}x?xf32>"
    mask = " mask(#attn.causal<bottom_right>)" if causal else ""
    return (
        f"func.func @attention(%q: {q}, %k: {k}, {argument}, %qs: {scale}, %ks: {scale}, %vs: {scale}) -> ({o}, {lse}) {{\n"
        f"{arranged}  %o, %lse = attn.attention %q, %k, %v{mask} scale({dim**-0.5:.9e}){order}\n"
        f"    q_scale(%qs : {scale}) k_scale(%ks : {scale}) v_scale(%vs : {scale})\n"
        f"    : ({q}, {k}, {v}) -> ({o}, {lse})\n  return %o, %lse : {o}, {lse}\n}}\n")


def tiles_of(tried):
    """Those of `--try DIM:TILES:OPTIONS`, for both masks, or the default ones, which `DIM:default` names, too. Among options `dynamic` deals tiles so, and
    `backward` turns streams round."""
    if not tried:
        return {dim: {causal: [(DEFAULT, "", "")] for causal in (False, True)} for dim in HEADS}
    found = {}
    for text in tried:
        dim, tiles, options = (text.split(":") + [""])[:3]
        words = options.split()
        if tiles == DEFAULT:
            if words:
                sys.exit(f"expected nothing behind '{DEFAULT}', which is a schedule as it is, but got '{options}'")
            for causal in (False, True):
                found.setdefault(int(dim), {}).setdefault(causal, []).append((DEFAULT, "", ""))
            continue
        turned = BACKWARD if "backward" in words else ""
        dealt = DYNAMIC if "dynamic" in words else PAIRS
        rest = " ".join(word for word in words if word not in ("dynamic", "backward"))
        for causal in (False, True):
            schedule = f"{dealt if causal else ''} {turned}".strip()
            found.setdefault(int(dim), {}).setdefault(causal, []).append((tiles, schedule, rest))
    return found


def make(folder, tried, group):
    """One bundle for each head dimension, mask and tile, with `group` query heads a KV head."""
    folder.mkdir(parents=True, exist_ok=True)
    cases = []
    for dim, by_mask in tiles_of(tried).items():
        all_of = ((causal, number) for causal, tiles in by_mask.items() for number in range(len(tiles)))
        for (causal, number), rows in itertools.product(all_of, ("", BEFORE, INSIDE)):
            tiles, dealt, more = by_mask[causal][number]
            name = f"d{dim}-{'causal' if causal else 'full'}-{number}{f'-{rows}' if rows else ''}"
            source = folder / f"{name}.mlir"
            source.write_text(text_of(HEADS[dim], HEADS[dim] // group, dim, causal, rows))
            stated = [f"--schedule=tiles={tiles} persistent resident=1 {dealt}".strip(), f"--lower={ROLES} {more}".strip()]
            options = ["--target=h200", *(stated if tiles != DEFAULT else ())]
            subprocess.run(["attn-compile", source, *options, "--emit=archive", "-o", folder / f"{name}.tar"], check=True)
            cases.append({"name": name, "dim": dim, "causal": causal, "group": group, "rows": rows,
                          "tiles": " ".join((rows, tiles, *(word for word in dealt.split() if word in SHOWN), more)).strip()})
    (folder / "cases.json").write_text(json.dumps(cases))


def quantised(torch, shape, generator, kind="normal", group=1):
    """Numbers in e4m3, with one scale for each `group` heads, and what they stand for in float32."""
    x = inputs_of(torch, kind, shape, generator)
    scale = x.view(shape[0], shape[1] // group, -1).abs().amax(dim=2) / 448
    of_heads = scale.repeat_interleave(group, 1)[:, :, None, None]
    narrow = (x / of_heads).to(torch.float8_e4m3fn)
    return narrow, scale, narrow.float() * of_heads


def quantised_inputs(torch, case, batch, queries, keys, generator, kind="normal"):
    """Those of Q, K and V."""
    heads, group, dim = HEADS[case["dim"]], case["group"], case["dim"]
    return (quantised(torch, (batch, heads, queries, dim), generator, kind, group),
            *(quantised(torch, (batch, heads // group, keys, dim), generator, kind) for _ in range(2)))


def reference(torch, q, k, v, causal):
    group = q.shape[1] // k.shape[1]
    q, k, v = q.double(), *(x.double().repeat_interleave(group, 1) for x in (k, v))
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
    worst = []
    for batch, queries, keys in ((2, 300, 1000), (1, 77, 79)):
        (q, qs, wq), (k, ks, wk), (v, vs, wv) = quantised_inputs(torch, case, batch, queries, keys, generator)
        o, lse = kernel(q, k, v if case["rows"] else interleaved(v, "bhsd"), qs, ks, vs)
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


def run(folder, wheel, rounds, only, lengths, with_cudnn, brief):
    import torch

    from attn_mlir._float8 import interleaved
    from decode import import_fa3

    fa3 = import_fa3(wheel) if wheel else None
    generator = torch.Generator("cuda").manual_seed(1)
    rows, found = [], []
    for (dim, causal), group in itertools.groupby(load(folder, only), lambda pair: (pair[0]["dim"], pair[0]["causal"])):
        group = list(group)
        names = [case["tiles"] for case, _ in group if not case["rows"]]
        for case, kernel in group:
            errors = check(torch, kernel, case, interleaved, fa3, generator)
            print(f"D {dim}", case["tiles"], "row, whole, LSE, FA3:", *(f"{x:.2e}" for x in errors), flush=True)
        for length in lengths:
            batch = max(1, LENGTH // length)
            calls = calls_of(torch, group, batch, length, interleaved, fa3, causal, generator, with_cudnn, brief)
            times = time_interleaved(torch, calls, rounds)
            flops = forward_flops(batch, HEADS[dim], length, dim, causal)
            best = min(times[name] for name in names)
            found.append((dim, length, times, best))
            for name, ms in times.items():
                rows.append([f"D {dim} {'causal' if causal else 'full'} S {length}", name, f"{ms:.3f}", f"{flops / ms / 1e9:.0f}",
                             "" if name in names else f"{ms / best:.3f}"])
                print(*rows[-1], flush=True)
            del calls
    print(torch.cuda.get_device_name())
    print(markdown(["", "", "ms", "TFLOP/s", "its time / ours"], rows))
    summarise(found)


def summarise(found):
    """Geometric means of ratios: to the best peer of each shape, and to bf16 from 16384 keys on."""
    ratios = [min(times[name] for name in PEERS if name in times) / best for _, _, times, best in found if any(name in times for name in PEERS)]
    if ratios:
        print(f"all, V by columns: best peer's time / ours {geometric_mean(ratios):.3f} (least {min(ratios):.3f})")
    for dim in sorted({dim for dim, *_ in found}):
        mine = [(length, times, best) for d, length, times, best in found if d == dim]
        # Beginnings of the names of what is compared, of which the fastest counts; of V by columns it is known.
        titles = (("V by columns", None), (ROWS, ROWS), ("V by rows, arranged by the program", BEFORE), ("V by rows, arranged in the kernel", INSIDE))
        for title, prefix in titles:
            if prefix and not any(name.startswith(prefix) for name in mine[0][1]):
                continue

            def time_of(times, best, prefix=prefix):
                return min(ms for name, ms in times.items() if name.startswith(prefix)) if prefix else best

            line = [f"D {dim}, {title}:"]
            peers = [min(times[name] for name in PEERS if name in times) / time_of(times, best)
                     for _, times, best in mine if any(name in times for name in PEERS)]
            long = [times[BF16] / time_of(times, best) for length, times, best in mine if length >= LENGTH and BF16 in times]
            line += [f"best peer's time / ours {geometric_mean(peers):.3f} (least {min(peers):.3f})"] if peers else []
            line += [f"bf16's from {LENGTH} keys on {geometric_mean(long):.3f} (least {min(long):.3f})"] if long else []
            print(*line)


def calls_of(torch, group, batch, length, interleaved, fa3, causal, generator, with_cudnn, brief):
    """What is timed, by name."""
    import attn_mlir

    (q, qs, _), (k, ks, _), (v, vs, _) = quantised_inputs(torch, group[0][0], batch, length, length, generator)
    columns = interleaved(v, "bhsd")
    calls = {}
    for case, kernel in group:
        prepared = kernel.prepare(q, k, v if case["rows"] else columns, qs, ks, vs)
        calls[case["tiles"]] = lambda turn, prepared=prepared: prepared.launch()
    if not brief:
        calls["PyTorch's arrangement of V"] = lambda turn: interleaved(v, "bhsd")
        calls[ROWS] = lambda turn: attn_mlir.attention(q, k, v, causal=causal, q_scale=qs, k_scale=ks, v_scale=vs)
        wide = [x.to(torch.bfloat16) for x in (q, k, v)]
        calls[BF16] = lambda turn: attn_mlir.attention(*wide, causal=causal)
    if fa3 is not None:
        qb, kb, vb = (x.transpose(1, 2).contiguous().transpose(1, 2) for x in (q, k, v))
        calls["FA3"] = lambda turn: by_fa3(fa3, qb, kb, vb, qs, ks, vs, causal)
    if with_cudnn and (its := cudnn_float8.prepare(torch, q, k, v, (qs, ks, vs), causal)):
        calls["cuDNN"] = lambda turn: its()
    return calls


def inputs_of(torch, kind, shape, generator):
    """Numbers before they are quantised."""
    device = generator.device
    x = torch.randn(shape, device=device, generator=generator)
    if kind == "outliers":  # FlashAttention-3's: N(0, 1) + N(0, 100) Bernoulli(0.001).
        more = torch.randn(shape, device=device, generator=generator) * 10
        x += more * (torch.rand(shape, device=device, generator=generator) < 0.001)
    if kind == "large":
        x *= 4
    if kind == "sink":  # Queries and keys have a part in common, of which the first key has most.
        x[:, :, :, 0] = 3
        x[:, :, 0, 0] = 20
    return x


def errors_of(torch, fa3, kernels, kind, keys, seed):
    """One draw: of each of `kernels`, which are of one head dimension, and of FlashAttention-3, the error of all of O."""
    from attn_mlir._float8 import interleaved

    generator = torch.Generator("cuda").manual_seed(seed)
    (q, qs, wq), (k, ks, wk), (v, vs, wv) = quantised_inputs(torch, kernels[0][0], 1, 128, keys, generator, kind)
    r, _ = reference(torch, wq, wk, wv, False)
    columns = interleaved(v, "bhsd")
    found = {case["tiles"]: error(kernel(q, k, v if case["rows"] else columns, qs, ks, vs)[0], r)[1] for case, kernel in kernels}
    if fa3 is not None:
        found["FA3"] = error(by_fa3(fa3, q, k, v, qs, ks, vs, False).transpose(1, 2), r)[1]
    return found


def errors(folder, wheel, only, draws):
    import torch

    from decode import import_fa3

    fa3 = import_fa3(wheel) if wheel else None
    kernels = [(case, kernel) for case, kernel in load(folder, only) if not case["causal"]]
    for dim in sorted({case["dim"] for case, _ in kernels}):
        of_dim = [(case, kernel) for case, kernel in kernels if case["dim"] == dim]
        for kind, keys in ERRORS:
            drawn = [errors_of(torch, fa3, of_dim, kind, keys, 3 + draw) for draw in range(draws)]
            means = {name: sum(found[name] for found in drawn) / draws for name in drawn[0]}
            print(" | ".join([f"D {dim}, {kind}, {keys} keys", *(f"{name}: {mean:.3e}" for name, mean in means.items())]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    maker = commands.add_parser("make")
    maker.add_argument("folder", type=Path)
    maker.add_argument("--try", dest="tried", action="append", metavar="DIM:TILES:OPTIONS",
                       help="in place of the default schedules, such as '128:query=128,key=96:two-level'; also dynamic, backward; '128:default' is the default one beside them")
    maker.add_argument("--group", type=int, default=1, help="query heads of a KV head: 1, or 4, as of many models")
    runner = commands.add_parser("run")
    runner.add_argument("--cudnn", action="store_true", help="cuDNN's FP8 beside it (needs nvidia-cudnn-frontend)")
    runner.add_argument("--brief", action="store_true", help="kernels and peers alone, nothing that is compiled first")
    runner.add_argument("--rounds", type=int, default=15)
    runner.add_argument("--lengths", default=str(LENGTH), help="with commas; shorter ones in batches of 16384 queries together")
    drawer = commands.add_parser("errors")
    drawer.add_argument("--draws", type=int, default=1, help="of inputs, of whose errors the mean is told")
    for parser_of in (runner, drawer):
        parser_of.add_argument("folder", type=Path)
        parser_of.add_argument("--fa3")
        parser_of.add_argument("--only", default="", help="of kernels whose name has this in it")
    arguments = parser.parse_args()
    if arguments.command == "make":
        make(arguments.folder, arguments.tried, arguments.group)
    elif arguments.command == "run":
        run(arguments.folder, arguments.fa3, arguments.rounds, arguments.only, [int(n) for n in arguments.lengths.split(",")],
            arguments.cudnn, arguments.brief)
    else:
        errors(arguments.folder, arguments.fa3, arguments.only, arguments.draws)


if __name__ == "__main__":
    sys.exit(main())
