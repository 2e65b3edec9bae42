#!/usr/bin/env python3
"""One query a sequence (decoding) with grouped heads, against PyTorch's SDPA.

    decode.py compile     bundles; wants no GPU
    decode.py run         the table, on a GPU

Llama 3 8B's heads (32 query heads on 8 KV heads, D 128), bf16, with the group's
heads packed into one tile (attn-pack-group) and without, by default and as the model
chooses for an unknown batch. Speed is bytes of K and V over time. Checked against SDPA in float64.
"""

import argparse
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OUT = ROOT / "build-gpu" / "decode"
SOURCE = """\
func.func @decode(%q: tensor<?x32x1x128xbf16>, %k: tensor<?x8x?x128xbf16>,
                  %v: tensor<?x8x?x128xbf16>) -> (tensor<?x32x1x128xbf16>, tensor<?x32x1xf32>) {
  %o:2 = attn.attention %q, %k, %v mask(#attn.causal<bottom_right>) scale(0.0883883461)
      : (tensor<?x32x1x128xbf16>, tensor<?x8x?x128xbf16>, tensor<?x8x?x128xbf16>)
      -> (tensor<?x32x1x128xbf16>, tensor<?x32x1xf32>)
  return %o#0, %o#1 : tensor<?x32x1x128xbf16>, tensor<?x32x1xf32>
}
"""
VARIANTS = {
    "packed": ("--schedule=pack-group tiles=key=64", "--lower=warps=1 stages=4"),
    "plain16": ("--schedule=tiles=query=16,key=64", "--lower=warps=1 stages=4"),
    "default": (),
    "model": ("--choose=model",),
}
SIZES = ((16, 8192), (64, 8192), (128, 2048), (16, 32768), (1, 131072))


def compile_half(arguments):
    OUT.mkdir(parents=True, exist_ok=True)
    source = OUT / "decode.mlir"
    source.write_text(SOURCE)
    for name, options in VARIANTS.items():
        subprocess.run(
            [arguments.attn_compile, source, "--target=h200", *options, "--emit=bundle",
             "-o", OUT / name], check=True)
    print(f"{len(VARIANTS)} bundles in {OUT}")


def measure(torch, launch, rounds=20):
    for _ in range(3):
        launch()
    times = []
    for _ in range(rounds):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        launch()
        end.record()
        torch.cuda.synchronize()
        times.append(begin.elapsed_time(end) / 1e3)
    return statistics.median(times)


def run_half(arguments):
    try:
        import torch
        if not torch.cuda.is_available():
            raise ImportError("no GPU")
    except ImportError as error:
        print(f"SKIPPED: {error}")
        return 0
    sys.path.insert(0, str(ROOT / "python"))
    import attn_mlir
    from torch.nn.attention import SDPBackend, sdpa_kernel
    from torch.nn.functional import scaled_dot_product_attention as sdpa

    kernels = {name: attn_mlir.load(str(OUT / name)) for name in VARIANTS}
    print("| B | keys | " + " | ".join([*kernels, "FA2", "packed / FA2"]) + " | error |")
    for batch, keys in SIZES:
        q = torch.randn(batch, 32, 1, 128, device="cuda").bfloat16()
        k, v = (torch.randn(batch, 8, keys, 128, device="cuda").bfloat16() for _ in range(2))
        wanted = sdpa(q[:1].double(), k[:1].double().repeat_interleave(4, 1),
                      v[:1].double().repeat_interleave(4, 1))
        moved, error, speeds = 2 * k.numel() * 2, 0.0, []
        for kernel in kernels.values():
            o, _ = kernel(q, k, v)
            difference = (o[:1].double() - wanted).norm(dim=-1) / wanted.norm(dim=-1)
            error = max(error, difference.max().item())
            speeds.append(moved / measure(torch, lambda: kernel(q, k, v)) / 1e12)
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            speeds.append(
                moved / measure(torch, lambda: sdpa(q, k, v, enable_gqa=True)) / 1e12)
        cells = " | ".join(f"{speed:.2f} TB/s" for speed in speeds)
        print(f"| {batch} | {keys} | {cells} | {speeds[0] / speeds[-1]:.2f} | {error:.1e} |",
              flush=True)
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("half", choices=("compile", "run"))
    parser.add_argument(
        "--attn-compile", default=ROOT / "build" / "tools" / "attn-compile" / "attn-compile")
    arguments = parser.parse_args()
    return (compile_half if arguments.half == "compile" else run_half)(arguments)


if __name__ == "__main__":
    sys.exit(main())
