#!/usr/bin/env python3
"""Errors of FP8 attention beside FlashAttention-3's, with each part on and off: scales a tensor, a head or a block of keys; rotated or not;
keys centered or not; one level of sums or two; forwards or backwards.

    fp8_errors.py make FOLDER               compiles the kernels to FOLDER (needs attn-compile on PATH)
    fp8_errors.py run FOLDER [--fa3 F]      on a GPU: F is the wheel of fa3-fwd, or its folder
    fp8_errors.py cpu                       what centering is worth, by kernels of the CPU, which add in f32

Q, K and V of float32 are quantised here, Q with scales a head where K and V have them a block. In `cpu` `attn.quantize` does. Errors are of all of O, against float64 of what was *not* quantised:
relative, and root mean squares.
"""

import argparse
import itertools
import json
import math
import subprocess
import sys
from pathlib import Path

from fp8 import BACKWARD, ROLES, by_fa3, inputs_of, text_of

HEADS = 4
# Head dimension: the tile and options of one level, the tile of two, and those of blocks of so many keys.
TILES = {
    64: ("query=192,key=128", "resident-stages=2 store-tensors", "query=192,key=96", {64: "query=192,key=64", 128: "query=128,key=128"}),
    128: ("query=128,key=192", "producer-registers=24 resident-stages=2 store-tensors", "query=128,key=128",
          {64: "query=128,key=64", 128: "query=128,key=128"}),
    256: ("query=128,key=128", "producer-registers=24 resident-stages=2", "query=128,key=64", {64: "query=128,key=64"}),
}
INPUTS = (("normal", 2048), ("outliers", 2048), ("sink", 2048), ("means", 2048), ("normal", 131072), ("outliers", 131072), ("sink", 131072),
          ("means", 131072))
# Standard deviation of the means of columns of keys, whose rows differ from them by N(0, 1).
MEAN = 4


def text_of_blocks(dim, block):
    """That of fp8.py, with scales of K and V for each block of keys."""
    text, scale = text_of(HEADS, HEADS, dim, False), f"tensor<?x{HEADS}xf32>"
    if not block:
        return text
    for name in ("%ks", "%vs"):
        for between in (": ", " : "):
            text = text.replace(f"{name}{between}{scale}", f"{name}{between}tensor<?x{HEADS}x?xf32>")
    return text.replace("values(interleaved)", f"values(interleaved) scale_block({block})")


def kernels_of(dim):
    """(name, block, tile, options) of a head dimension."""
    tile, options, two, blocks = TILES[dim]
    roomy = "" if "producer-registers" in options else "producer-registers=24 "
    yield "one level", 0, tile, options
    yield "two levels", 0, two, f"{options} two-level"
    for block, of_block in blocks.items():
        yield f"block {block}", block, of_block, (roomy if of_block.startswith("query=128") else "") + options


def make(folder):
    folder.mkdir(parents=True, exist_ok=True)
    cases = []
    for dim in TILES:
        for title, block, tile, options in kernels_of(dim):
            for turned in ("", BACKWARD):
                name = f"d{dim}-{title.replace(' ', '-')}{'-backward' if turned else ''}"
                source = folder / f"{name}.mlir"
                source.write_text(text_of_blocks(dim, block))
                given = [f"--schedule=tiles={tile} persistent resident=1 {turned}".strip(), f"--lower={ROLES} {options}", "--target=h200"]
                subprocess.run(["attn-compile", source, *given, "--emit=archive", "-o", folder / f"{name}.tar"], check=True)
                cases.append({"name": name, "dim": dim, "block": block, "title": f"{title}{', backwards' if turned else ''}"})
    (folder / "cases.json").write_text(json.dumps(cases))


def scaled(torch, x, kind, block=0):
    """Numbers in e4m3, and their scales."""
    if kind == "block":
        blocks = -(-x.shape[2] // block)
        padded = torch.nn.functional.pad(x, (0, 0, 0, blocks * block - x.shape[2]))
        scale = padded.reshape(*x.shape[:2], blocks, -1).abs().amax(3) / 448
        return (x / scale.repeat_interleave(block, 2)[:, :, :x.shape[2], None]).to(torch.float8_e4m3fn), scale
    scale = x.abs().amax((2, 3)) / 448
    if kind == "tensor":
        scale = scale.amax().expand(x.shape[:2]).contiguous()
    return (x / scale[:, :, None, None]).to(torch.float8_e4m3fn), scale


def draw_inputs(torch, kind, dim, queries, keys, generator):
    """Q, K and V; of "means" columns of K have means, as keys of models do."""
    q, k, v = (inputs_of(torch, kind, (1, HEADS, n, dim), generator) for n in (queries, keys, keys))
    if kind == "means":
        k += MEAN * torch.randn((1, HEADS, 1, dim), device=generator.device, generator=generator)
    return q, k, v


def reference(torch, q, k, v):
    """In float64, a head at a time."""
    heads = ([x[:, i].double() for x in (q, k, v)] for i in range(q.shape[1]))
    return torch.stack([torch.softmax(a @ b.transpose(-1, -2) * q.shape[3] ** -0.5, -1) @ c for a, b, c in heads], 1)


def measure(torch, kernels, fa3, inputs, scales):
    """(title, O) of each kernel that takes such scales."""
    from attn_mlir._float8 import interleaved

    q, k, v = inputs
    nq, qs = scaled(torch, q, "head" if scales == "block" else scales)
    for block in sorted({case["block"] for case, _ in kernels if bool(case["block"]) == (scales == "block")}):
        (nk, ks), (nv, vs) = (scaled(torch, x, scales, block) for x in (k, v))
        columns = interleaved(nv, "bhsd")
        for case, kernel in kernels:
            if case["block"] == block:
                yield case["title"], kernel(nq, nk, columns, qs, ks, vs)[0]
    if fa3 is not None and scales != "block":
        yield "FA3", by_fa3(fa3, nq, nk, nv, qs, ks, vs, False).transpose(1, 2)


def run(folder, wheel):
    import attn_mlir
    import torch

    from decode import import_fa3

    fa3 = import_fa3(wheel)
    cases = json.loads((folder / "cases.json").read_text())
    print(torch.cuda.get_device_name())
    for dim in TILES:
        kernels = [(case, attn_mlir.load(str(folder / f"{case['name']}.tar"))) for case in cases if case["dim"] == dim]
        m = attn_mlir.rotation(dim, 0, device="cuda").float() / math.sqrt(dim)
        for kind, keys in INPUTS:
            generator = torch.Generator("cuda").manual_seed(5)
            q, k, v = draw_inputs(torch, kind, dim, 2048 if keys == 2048 else 128, keys, generator)
            r = reference(torch, q, k, v)
            size = r.pow(2).mean().sqrt().item()
            for centered, rotated, scales in itertools.product((False, True), (False, True), ("tensor", "head", "block")):
                if centered and kind != "means":
                    continue
                own = k - k.mean(2, keepdim=True) if centered else k
                changed = (q @ m, own @ m, v) if rotated else (q, own, v)
                row = [f"D {dim}, {kind}, {keys} keys, a scale a {scales}{', rotated' if rotated else ''}{', centered' if centered else ''}"]
                for title, o in measure(torch, kernels, fa3, changed, scales):
                    off = (o.double() - r).pow(2).mean().sqrt().item()
                    row.append(f"{title}: {off / size:.2e} ({off:.1e})")
                print(" | ".join(row), flush=True)


def on_cpu():
    """A row an input: errors of O with each of a rotation, centered keys and scales of blocks, and of both, by the kernels that servers would run."""
    import attn_mlir
    import torch

    for dim, kind in itertools.product((64, 128), ("normal", "means")):
        q, k, v = draw_inputs(torch, kind, dim, 512, 2048, torch.Generator().manual_seed(5))
        r = reference(torch, q, k, v)
        row = [f"D {dim}, {kind}, 2048 keys"]
        for block, rotated, centered in itertools.product((None, 64), (False, True), (False, True)):
            m = attn_mlir.rotation(dim, 0, dtype=torch.float32) if rotated else None
            (nq, qs), (nv, vs) = attn_mlir.quantize(q, rotation=m), attn_mlir.quantize(v, scale_block=block)
            nk, ks, *_ = attn_mlir.quantize(k, rotation=m, scale_block=block, centered=centered)
            o = attn_mlir.attention(nq, nk, nv, q_scale=qs, k_scale=ks, v_scale=vs, scale_block=block)
            title = " ".join(["blocks" if block else "head", *["rotated"] * rotated, *["centered"] * centered])
            row.append(f"{title}: {((o.double() - r).norm() / r.norm()).item():.2e}")
        print(" | ".join(row), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("make", "run"):
        commands.add_parser(name).add_argument("folder", type=Path)
    commands.choices["run"].add_argument("--fa3")
    commands.add_parser("cpu")
    arguments = parser.parse_args()
    if arguments.command == "make":
        make(arguments.folder)
    elif arguments.command == "cpu":
        on_cpu()
    else:
        run(arguments.folder, arguments.fa3)


if __name__ == "__main__":
    sys.exit(main())
