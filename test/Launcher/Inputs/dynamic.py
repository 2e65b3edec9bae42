"""Grids whose CTAs take tiles from a counter in workspace, on the emulator's stand-in for HIP's runtime."""

import json
import os
import re
import shutil
import subprocess

import attn_mlir
from devices import TARGET, Arrays, allocate, compile_bundle
from lengths import CAPACITY, LENGTHS, TILES, Run, case_of, load, text_of
from problems import Case
from support import expect, main

DYNAMIC = "persistent sms=3 resident=1 dynamic"


def run(kernel, arrays, garbage=b"\xff"):
    *inputs, out, lse = arrays.dlpack()
    size = kernel.workspace_bytes(*inputs, out=out, lse=lse)
    assert size > 0
    # Whatever it holds, also what the launch before has left there.
    room = allocate(garbage * size)
    for _ in range(2):
        kernel(*inputs, out=out, lse=lse, workspace=(room, size))
        arrays.assert_right()
    # Memory of the runtime's own.
    kernel(*inputs, out=out, lse=lse)
    arrays.assert_right()


def steps_of(kernel):
    return [step.kernel for step in kernel.variants[-1].steps]


def run_case(scratch, case, *options, garbage=b"\xff"):
    os.makedirs(os.path.dirname(scratch), exist_ok=True)
    kernel = attn_mlir.load(compile_bundle(scratch, case, *options))
    assert len(steps_of(kernel)) == 2, steps_of(kernel)
    run(kernel, Arrays(case), garbage)
    kernel.close()


def test_causal(scratch, log):
    """Tiles that differ in length, from the longest on; several waves share what is taken."""
    case = Case("causal-br", "f16", (4, 2), (64, 64), (1, 150, 200), layout="bshd")
    for number, lower in enumerate(("warps=1", "warps=2", "warps=4 stages=1")):
        run_case(os.path.join(scratch, str(number)), case,
                 f"--schedule=tiles=query=64,key=64 {DYNAMIC} longest-first", f"--lower={lower}")


def test_window_pairs_sawtooth(scratch, log):
    case = Case("window", "bf16", (2, 2), (64, 64), (2, 150, 130))
    for number, words in enumerate(("pair-tiles", "sawtooth=force", "splits=2")):
        run_case(os.path.join(scratch, str(number)), case, f"--schedule=tiles=query=32,key=32 {DYNAMIC} {words}")


def test_more_tiles_than_one_cta_may_hold(scratch, log):
    """One CTA takes all; many CTAs, of which most take none."""
    case = Case("full", "f16", (2, 2), (64, 64), (1, 100, 70))
    for number, words in enumerate(("persistent sms=1 resident=1 dynamic", "persistent sms=40 resident=2 dynamic")):
        run_case(os.path.join(scratch, str(number)), case, f"--schedule=tiles=query=32,key=32 {words}", garbage=b"\x01")


def test_in_step(scratch, log):
    """On this target a wait is nothing, and its counter is no parameter."""
    case = Case("full", "f16", (2, 2), (64, 64), (1, 100, 70))
    run_case(scratch, case, "--schedule=tiles=query=32,key=32 persistent sms=2 resident=1 in-step")


def test_a_counter_that_nobody_clears(scratch, log):
    """Without the step that clears it, tiles are missing: the memory is garbage, as the other tests say."""
    case = Case("full", "f16", (2, 2), (64, 64), (1, 100, 70))
    os.makedirs(scratch)
    bundle = compile_bundle(os.path.join(scratch, "bundle"), case, f"--schedule=tiles=query=32,key=32 {DYNAMIC}")
    path = os.path.join(bundle, "manifest.json")
    with open(path) as file:
        manifest = json.load(file)
    (variant,) = manifest["programs"][0]["variants"]
    assert variant["steps"].pop(0)["kernel"].endswith("_clear")
    with open(path, "w") as file:
        json.dump(manifest, file)
    kernel = attn_mlir.load(bundle)
    expect(AssertionError, "row 0 has error nan", run, kernel, Arrays(case))
    kernel.close()


def test_a_kernel_alone(scratch, log):
    """Text of level 2 without a function, and without the kernel that cleared the counter for it: callers pass what they would to a function."""
    case = Case("full", "f16", (2, 2), (64, 64), (1, 100, 70))
    os.makedirs(scratch)
    options = [f"--target={TARGET}", f"--schedule=tiles=query=32,key=32 {DYNAMIC}", "--emit=stream"]
    module = subprocess.run(["attn-compile", "-", *options], input=case.text(), text=True, check=True, capture_output=True).stdout
    head, function, cleared, kernel = re.split(r"^ *(?=func\.func|attn\.kernel)", module, flags=re.M)
    assert "_clear" in cleared and "cleared_by" not in kernel
    source, bundle = os.path.join(scratch, "kernel.mlir"), os.path.join(scratch, "bundle")
    for text in (head + kernel, None):
        if text is None:  # As it is printed once more, with what clears.
            text = subprocess.run(["attn-compile", source, f"--target={TARGET}", "--emit=stream"], text=True, check=True, capture_output=True).stdout
            assert "cleared_by" in text
        with open(source, "w") as file:
            file.write(text)
        subprocess.run(["attn-compile", source, f"--target={TARGET}", "--emit=bundle", "-o", bundle], check=True)
        loaded = attn_mlir.load(bundle)
        assert len(steps_of(loaded)) == 2, steps_of(loaded)
        run(loaded, Arrays(case))
        loaded.close()
        shutil.rmtree(bundle)


def run_lengths(scratch, schedule, kernels, lengths, mask="causal-br"):
    case = case_of(mask, lengths)
    kernel = load(scratch, text_of(case, "i32"), f"{TILES} {schedule} {DYNAMIC}")
    assert len(steps_of(kernel)) == kernels, steps_of(kernel)
    inputs = Run(case, lengths)
    for _ in range(2):
        inputs.assert_right(inputs.launch(kernel))
    kernel.close()


def test_lengths(scratch, log):
    run_lengths(scratch, "pack-group", 2, LENGTHS)


def test_parts(scratch, log):
    run_lengths(scratch, "pack-group split-ctas splits=3", 3, LENGTHS)


def test_list(scratch, log):
    """What deals the parts, what clears the counter, parts, and their merge."""
    run_lengths(os.path.join(scratch, "even"), "pack-group split-ctas", 4, (7,) * 5 + (CAPACITY,) + (11,) * 9 + (0, 5))
    run_lengths(os.path.join(scratch, "length"), "pack-group split-length=64", 4, (149, 3, CAPACITY, 64, 0))


if __name__ == "__main__":
    main()
