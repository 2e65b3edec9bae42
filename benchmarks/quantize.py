#!/usr/bin/env python3
"""Numbers of FP8 and scales from bf16 (`attn.quantize`): right or not, rows less their mean, too, time beside a copy, and what rotation is
worth to attention.

    quantize.py make FOLDER   compiles the kernels to FOLDER (needs attn-compile on PATH)
    quantize.py run FOLDER    on a GPU: against float64, then GB/s, then errors of attention()

Bytes are those of X read twice and of the numbers written once, of what is centered, too, which reads X once more. "copy" is PyTorch's, which reads half as many bytes and writes half as many;
"PyTorch" computes the same scales and numbers without a rotation. Errors are root mean squares over O of outliers, N(0, 1) + N(0, 100)
Bernoulli(0.001), of Q, K and V that FlashAttention-3 quotes 2.4e-2 (one scale a tensor) and 9.1e-3 (scales a block, rotated) for.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from common import markdown, time_interleaved

HEADS = {64: 32, 96: 16, 128: 16, 256: 8}
LENGTH = 16384


def name_of(dim, is_rotated, centered=False):
    return f"quantize-{dim}{'-rotated' if is_rotated else ''}{'-centered' if centered else ''}.tar"


def text_of(dim, is_rotated, centered):
    """Of any batch and length, with a scale for each head."""
    heads = HEADS[dim]
    x, q = (f"tensor<?x{heads}x?x{dim}x{element}>" for element in ("bf16", "f8E4M3FN"))
    s, m = f"tensor<?x{heads}xf32>", f"tensor<{dim}x{dim}xbf16>"
    arguments, types, words, names, results = f"%x: {x}", x, "", "%q, %s", f"{q}, {s}"
    if centered:
        words, names, results = " centered", f"{names}, %means", f"{results}, tensor<?x{heads}x{dim}xf32>"
    if is_rotated:
        arguments, types, words = f"{arguments}, %m: {m}", f"{types}, {m}", f"{words} rotate(%m) factor({dim**-0.5:.9e})"
    return (f"func.func @quantize({arguments}) -> ({results}) {{\n  {names} = attn.quantize %x{words} : ({types}) -> ({results})\n"
            f"  return {names} : {results}\n}}\n")


def make(folder):
    folder.mkdir(parents=True, exist_ok=True)
    for dim in HEADS:
        for variant in ((False, False), (True, False), (False, True), (True, True)):
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


def check(torch, kernel, dim, m, generator):
    """Largest errors: of scales, relative, and of numbers, in halves of the distance of their neighbours; 1 is rounded right."""
    worst = [0.0, 0.0]
    for batch, length in ((1, 1), (2, 300), (1, 4097)):
        x = outliers(torch, (batch, HEADS[dim], length, dim), generator)
        x[:, 1] = 0
        q, s, *means = kernel(x, *([] if m is None else [m]))
        again = kernel(x, *([] if m is None else [m]))
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


def attention_error(torch, kernels, dim, m, generator):
    """Of attention to numbers with outliers, with Q and K not rotated and rotated."""
    import attn_mlir

    q, k, v = (outliers(torch, (1, HEADS[dim], 2048, dim), generator) for _ in range(3))
    r = torch.softmax(q.double() @ k.double().transpose(-1, -2) * dim**-0.5, -1) @ v.double()

    def rms(o):
        return f"{(o.double() - r).square().mean().sqrt().item():.2e}"

    nv, vs = kernels[False](v)
    row = [f"D {dim}", rms(attn_mlir.attention(q, k, v))]
    for is_rotated in (False, True):
        (nq, qs), (nk, ks) = (kernels[is_rotated](x, *([m] if is_rotated else [])) for x in (q, k))
        row.append(rms(attn_mlir.attention(nq, nk, nv, q_scale=qs, k_scale=ks, v_scale=vs)))
    # O of V that is rotated, too, is rotated: it goes back.
    nv, vs = kernels[True](v, m)
    o = attn_mlir.attention(nq, nk, nv, q_scale=qs, k_scale=ks, v_scale=vs)
    row.append(rms(o.float() @ m.float().T / dim**0.5))
    tensor = [(x / (x.abs().max() / 448)).to(torch.float8_e4m3fn) for x in (q, k, v)]
    scales = [(x.abs().max() / 448).float().item() for x in (q, k, v)]
    row.append(rms(attn_mlir.attention(*tensor, q_scale=scales[0], k_scale=scales[1], v_scale=scales[2])))
    return row


def run(folder, rounds):
    import attn_mlir
    import torch

    generator = torch.Generator("cuda").manual_seed(1)
    rows, found, failures = [], [], 0
    for dim, heads in HEADS.items():
        m = attn_mlir.rotation(dim, seed=1, device="cuda")
        kernels = {is_rotated: attn_mlir.load(str(folder / name_of(dim, is_rotated))) for is_rotated in (False, True)}
        centered = {is_rotated: attn_mlir.load(str(folder / name_of(dim, is_rotated, True))) for is_rotated in (False, True)}
        for words, kernel, own in (("", kernels[False], None), (" rotated", kernels[True], m), (" centered", centered[False], None)):
            scale, number = check(torch, kernel, dim, own, generator)
            failures += not (scale < 1e-5 and number < 1.01)
            print(f"D {dim}{words}: scales {scale:.1e}, numbers {number:.4f} of half a distance", flush=True)
        x = outliers(torch, (4, heads, LENGTH, dim), generator)
        total = 5 * x.numel()
        half = torch.empty(total // 2, dtype=torch.uint8, device="cuda")
        other = torch.empty_like(half)
        plain, rotated = kernels[False].prepare(x), kernels[True].prepare(x, m)
        less, both = centered[False].prepare(x), centered[True].prepare(x, m)
        calls = {"quantize": lambda turn: plain.launch(), "rotated": lambda turn: rotated.launch(), "centered": lambda turn: less.launch(),
                 "centered, rotated": lambda turn: both.launch(), "copy": lambda turn: other.copy_(half), "PyTorch": lambda turn: by_torch(torch, x)}
        for name, ms in time_interleaved(torch, calls, rounds).items():
            rows.append([f"D {dim}", name, f"{ms:.4f}", f"{total / ms / 1e6:.0f}" if name != "PyTorch" else ""])
            print(*rows[-1], flush=True)
        del x, half, other, plain, rotated, less, both, calls
        found.append(attention_error(torch, kernels, dim, m, generator))
        print(*found[-1], flush=True)
    print(torch.cuda.get_device_name())
    print(markdown(["", "", "ms", "GB/s"], rows))
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
