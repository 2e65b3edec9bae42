#!/usr/bin/env python3
"""Numbers of FP8 and scales from bf16 (`attn.quantize`): right or not, rows less their mean, too, time beside a copy, and what rotation is
worth to attention.

    quantize.py make FOLDER   compiles the kernels to FOLDER (needs attn-compile on PATH)
    quantize.py run FOLDER    on a GPU: against float64, then GB/s, then errors of attention()

Bytes are those of X read twice and of the numbers written once, of what is centered, too, which reads X once more. "copy" is PyTorch's, which reads half as many bytes and writes half as many;
"PyTorch" computes the same scales and numbers without a rotation. Errors are root mean squares over O of outliers, N(0, 1) + N(0, 100)
Bernoulli(0.001), rotated by blocks where Python does so, of Q, K and V that FlashAttention-3 quotes 2.4e-2 (one scale a tensor) and 9.1e-3 (scales a block, rotated) for.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from common import markdown, time_interleaved

HEADS = {64: 32, 96: 16, 128: 16, 256: 8}
# Of a rotation, where quantize() multiplies by blocks.
BLOCKS = {128: 2, 256: 4}
LENGTH = 16384
# Names of what is compiled.
PLAIN, MATRIX, FACTORS = "", "-rotated", "-rotated-by-blocks"


def name_of(dim, rotation, centered=False):
    return f"quantize-{dim}{rotation}{'-centered' if centered else ''}.tar"


def fastest(dim):
    """How rows are rotated in Python."""
    return FACTORS if dim in BLOCKS else MATRIX


def text_of(dim, rotation, centered):
    """Of any batch and length, with a scale for each head."""
    count = BLOCKS[dim] if rotation == FACTORS else 1
    shape = f"{count}x{dim // count}x{dim // count}" if count > 1 else f"{dim}x{dim}"
    heads = HEADS[dim]
    x, q = (f"tensor<?x{heads}x?x{dim}x{element}>" for element in ("bf16", "f8E4M3FN"))
    s, m = f"tensor<?x{heads}xf32>", f"tensor<{shape}xbf16>"
    arguments, types, words, names, results = f"%x: {x}", x, "", "%q, %s", f"{q}, {s}"
    if centered:
        words, names, results = " centered", f"{names}, %means", f"{results}, tensor<?x{heads}x{dim}xf32>"
    if rotation:
        arguments, types, words = f"{arguments}, %m: {m}", f"{types}, {m}", f"{words} rotate(%m) factor({dim**-0.5:.9e})"
    return (f"func.func @quantize({arguments}) -> ({results}) {{\n  {names} = attn.quantize %x{words} : ({types}) -> ({results})\n"
            f"  return {names} : {results}\n}}\n")


def make(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for dim in HEADS:
        rotations = dict.fromkeys((PLAIN, MATRIX, fastest(dim)))
        for variant in ((rotation, centered) for rotation in rotations for centered in (False, True)):
            source = folder / "quantize.mlir"
            source.write_text(text_of(dim, *variant))
            subprocess.run(["attn-compile", source, "--target=h200", "--emit=archive", "-o", folder / name_of(dim, *variant)], check=True)
    (folder / "quantize.mlir").unlink()


def outliers(torch, shape, generator):
    x, more = (torch.randn(shape, device=generator.device, generator=generator) for _ in range(2))
    return (x + 10 * more * (torch.rand(shape, device=generator.device, generator=generator) < 0.001)).to(torch.bfloat16)


def by_torch(torch, x):
    scale = x.float().abs().amax((2, 3)) / 448
    return (x.float() / scale[:, :, None, None]).to(torch.float8_e4m3fn), scale


def check(torch, kernel, dim, m, generator, given=None):
    """Largest errors of rows rotated by a matrix, which a kernel takes as `given`: of scales, relative, and of numbers, in halves of the
    distance of their neighbours; 1 is rounded right."""
    worst = [0.0, 0.0]
    for batch, length in ((1, 1), (2, 300), (1, 4097)):
        x = outliers(torch, (batch, HEADS[dim], length, dim), generator)
        x[:, 1] = 0
        inputs = [x] if m is None else [x, m if given is None else given]
        q, s, *means = kernel(*inputs)
        again = kernel(*inputs)
        assert all(torch.equal(a.view(torch.uint8), b.view(torch.uint8)) for a, b in zip((q, s, *means), again)), "launches differ"
        y = x.double()
        if means:
            off = (means[0].double() - y.mean(2)).abs().max().item() / y.abs().max().item()
            assert off < 1e-6, f"means are off by {off:.1e} of the largest number"
            y = y - means[0].double()[:, :, None]
        y = y if m is None else y @ m.double() / dim**0.5
        expected = y.abs().amax((2, 3)) / 448
        expected[expected == 0] = 1
        y = y / s.double()[:, :, None, None]
        half = torch.exp2(y.abs().clamp(min=2.0**-6).log2().floor() - 4)
        worst[0] = max(worst[0], ((s.double() - expected).abs() / expected).max().item())
        worst[1] = max(worst[1], ((q.double() - y).abs() / half).max().item())
    return worst


def attention_error(torch, plain, rotated, dim, m, generator):
    """Of attention to numbers with outliers, with Q and K not rotated and rotated, by functions of X."""
    import attn_mlir

    q, k, v = (outliers(torch, (1, HEADS[dim], 2048, dim), generator) for _ in range(3))
    r = torch.softmax(q.double() @ k.double().transpose(-1, -2) * dim**-0.5, -1) @ v.double()

    def rms(o):
        return f"{(o.double() - r).square().mean().sqrt().item():.2e}"

    nv, vs = plain(v)
    row = [f"D {dim}", rms(attn_mlir.attention(q, k, v))]
    for quantize in (plain, rotated):
        (nq, qs), (nk, ks) = quantize(q), quantize(k)
        row.append(rms(attn_mlir.attention(nq, nk, nv, q_scale=qs, k_scale=ks, v_scale=vs)))
    # O of V that is rotated, too, is rotated: it goes back.
    nv, vs = rotated(v)
    o = attn_mlir.attention(nq, nk, nv, q_scale=qs, k_scale=ks, v_scale=vs)
    row.append(rms(o.float() @ m.float().T / dim**0.5))
    tensor = [(x / (x.abs().max() / 448)).to(torch.float8_e4m3fn) for x in (q, k, v)]
    scales = [(x.abs().max() / 448).float().item() for x in (q, k, v)]
    row.append(rms(attn_mlir.attention(*tensor, q_scale=scales[0], k_scale=scales[1], v_scale=scales[2])))
    return row


def compare(matrix, factors):
    """Says how far results of a rotation of blocks are from those of its matrix: sums have another order."""
    (numbers, scales), (others, other_scales) = matrix, factors
    differ = (numbers.float() != others.float()).sum().item()
    off = ((other_scales - scales) / scales).abs().max().item()
    return f"{differ} of {numbers.numel()} numbers differ from those by the matrix, scales by {off:.1e} at most"


def run_dim(torch, folder, dim, generator, rounds):
    """Rows of times, a row of errors, and how many checks failed."""
    import attn_mlir

    m, failures, kernels, calls = attn_mlir.rotation(dim, seed=1, device="cuda"), 0, {}, {}
    given = {PLAIN: (), MATRIX: (m,)}
    if dim in BLOCKS:
        given[FACTORS] = (attn_mlir.rotation(dim, seed=1, device="cuda", blocks=BLOCKS[dim]),)
    x = outliers(torch, (4, HEADS[dim], LENGTH, dim), generator)
    for rotation, centered in ((rotation, centered) for rotation in given for centered in (False, True)):
        kernel = attn_mlir.load(str(folder / name_of(dim, rotation, centered)))
        name = f"{rotation[1:].replace('-', ' ') or 'quantize'}{', centered' if centered else ''}"
        # Of what is rotated and centered sums are off by the rounding of what is subtracted.
        if not (rotation and centered):
            scale, number = check(torch, kernel, dim, m if rotation else None, generator, *given[rotation])
            failures += not (scale < 1e-5 and number < 1.01)
            print(f"D {dim} {name}: scales {scale:.1e}, numbers {number:.4f} of half a distance", flush=True)
        kernels[rotation, centered] = kernel
        calls[name] = lambda turn, prepared=kernel.prepare(x, *given[rotation]): prepared.launch()
    if FACTORS in given:
        print(f"D {dim} by blocks: {compare(*(kernels[rotation, False](x, *given[rotation]) for rotation in (MATRIX, FACTORS)))}", flush=True)
    total = 5 * x.numel()
    half = torch.empty(total // 2, dtype=torch.uint8, device="cuda")
    other = torch.empty_like(half)
    calls |= {"copy": lambda turn: other.copy_(half), "PyTorch": lambda turn: by_torch(torch, x)}
    times, rows = time_interleaved(torch, calls, rounds), []
    for name, ms in times.items():
        is_ours = name != "PyTorch"
        rows.append([f"D {dim}", name, f"{ms:.4f}", f"{total / ms / 1e6:.0f}" if is_ours else "", f"{times['copy'] / ms:.2f}" if is_ours else ""])
        print(*rows[-1], flush=True)
    by = fastest(dim)
    found = attention_error(torch, kernels[PLAIN, False], lambda x: kernels[by, False](x, *given[by]), dim, m, generator)
    print(*found, flush=True)
    return rows, found, failures


def run(folder, rounds):
    import torch

    generator = torch.Generator("cuda").manual_seed(1)
    rows, found, failures = [], [], 0
    for dim in HEADS:
        times, errors, failed = run_dim(torch, folder, dim, generator, rounds)
        rows, failures = rows + times, failures + failed
        found.append(errors)
    print(torch.cuda.get_device_name())
    print(markdown(["", "", "ms", "GB/s", "of the copy"], rows))
    print(markdown(["", "bf16", "FP8, a scale a head", "Q and K rotated", "V too", "FP8, a scale a tensor"], found))
    return failures > 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("make").add_argument("folder", type=Path)
    runner = commands.add_parser("run")
    runner.add_argument("folder", type=Path)
    runner.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    if arguments.command == "make":
        return make(arguments.folder)
    return run(arguments.folder, arguments.rounds)


if __name__ == "__main__":
    sys.exit(main())
