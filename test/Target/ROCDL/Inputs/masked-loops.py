"""Compiles attention for an AMD GPU with masks and orders of the stream, and prints for each kernel its registers, and
the scalar registers that its loops with MFMA fetch from where they were spilled."""

import re
import subprocess
import sys

compiler, target = sys.argv[1:]
MASKS = {"full": "", "causal": "mask(#attn.causal<bottom_right>)",
         "window": "mask(#attn.window<left = 511, right = 0, align = bottom_right>)"}
SCHEDULES = {"ahead": [], "sawtooth": ["--schedule=persistent sawtooth=force"]}


def assembly(dim, mask, options):
    query, key = f"tensor<2x32x?x{dim}xbf16>", f"tensor<2x8x?x{dim}xbf16>"
    module = (f"func.func @f(%q: {query}, %k: {key}, %v: {key}) -> {query} {{\n"
              f"  %o = attn.attention %q, %k, %v {mask} scale(0.125) : ({query}, {key}, {key}) -> {query}\n"
              f"  return %o : {query}\n}}\n")
    return subprocess.run([compiler, "-", f"--target={target}", "--emit=isa", *options], input=module, text=True,
                          capture_output=True, check=True).stdout


def loops_with_spills(text):
    """Blocks with MFMA, and those among them that read what was spilled."""
    blocks, spilled = 0, 0
    for block in re.split(r"\n(?=\.LBB)", text):
        if "v_mfma" in block:
            blocks += 1
            spilled += "v_readlane" in block or "scratch_load" in block
    return blocks, spilled


for dim in (64, 128):
    for mask, attribute in MASKS.items():
        for order, options in SCHEDULES.items():
            text = assembly(dim, attribute, options)
            registers = int(re.search(r"\.vgpr_count: +(\d+)", text)[1])
            scratch = int(re.search(r"\.private_segment_fixed_size: +(\d+)", text)[1])
            blocks, spilled = loops_with_spills(text)
            print(f"D {dim} {mask} {order}: {'two waves' if registers <= 256 else 'one wave'} ({registers} registers), "
                  f"{scratch} bytes of scratch, {blocks} loops, {spilled} with spills")
