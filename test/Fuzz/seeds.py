#!/usr/bin/env python3
"""Makes what the fuzz targets start from, of the examples and the tests' inputs.

usage: seeds.py --attn-compile=PATH --llvm-tools=DIR OUT TARGET...

Writes OUT/TARGET, the inputs, and OUT/TARGET.bundle, the files that lie beside
an input (ATTN_FUZZ_BUNDLE).
"""

import argparse
import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
LAUNCHER = SOURCE / "test" / "Launcher" / "Inputs"
sys.path.insert(0, str(LAUNCHER))
import support  # noqa: E402

TILES = "tiles=query=64,key=64"
SCHEDULES = (
    TILES,
    TILES + " persistent sawtooth=force",
    TILES + " grid-order=swizzled-head-first longest-first splits=2",
    "",
)
# For each kind of GPU: target, options of attn-to-target, the last pipeline.
CHAINS = (
    ("h200", "", "attn-lower-to-nvvm"),
    ("h200", "stages=2 wgmma=all specialize optimistic-max store-tensors stream-reads overlap", "attn-lower-to-nvvm"),
    ("gb10", "stages=2 copy=async", "attn-lower-to-nvvm"),
    ("mi300x", "", "attn-lower-to-rocdl"),
    ("mi300x", "stages=1 priority=all", "attn-lower-sequential"),
)


def run(*command):
    subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)


class Corpus:
    def __init__(self, out, target):
        self.inputs, self.bundle = out / target, out / (target + ".bundle")
        for directory in (self.inputs, self.bundle):
            shutil.rmtree(directory, ignore_errors=True)
            directory.mkdir(parents=True)
        self.count = 0

    def add(self, contents):
        if isinstance(contents, str):
            contents = contents.encode()
        (self.inputs / f"{self.count:04}").write_bytes(contents)
        self.count += 1


def bundle_for(options, scratch, target, *arguments):
    """Compiles the launcher's kernel to a bundle; its manifest."""
    directory = scratch / target
    run(options.attn_compile, LAUNCHER / "hip.mlir", "--target=" + target, "--emit=bundle", "-o", directory,
        "--schedule=" + TILES, *arguments)
    return directory, json.loads((directory / "manifest.json").read_text())


#
# Manifests
#


def manifests(options, scratch, corpus):
    for name, contents in support.BINARIES.items():
        (corpus.bundle / name).write_bytes(contents)

    def add(manifest):
        """With digests of the files beside it, so that it is launched."""
        corpus.add(json.dumps(support.sealed(manifest, support.BINARIES), indent=1))

    add(support.prefill())
    for i in range(2):
        one = support.prefill()
        one["programs"][0]["variants"] = [one["programs"][0]["variants"][i]]
        one["binaries"] = [one["binaries"][i]]
        add(one)
    directory, manifest = bundle_for(options, scratch, "mi300x")
    for binary in manifest["binaries"]:
        shutil.copy(directory / binary["file"], corpus.bundle)
    corpus.add(json.dumps(manifest, indent=1))
    every = support.prefill()
    one = ["size", 0, 2]
    for name in "add sub mul floordiv ceildiv rem min max and or eq ne lt le gt ge".split():
        one = [name, one, ["stride", 0, 1]]
    every["programs"][0]["variants"][0]["guard"] = ["select", one, 1, ["lt", -5, 7]]
    add(every)
    # What parameters are is sealed, so that no mutation of it is launched.
    for swizzle, box in ((0, [1, 1, 1, 8]), (32, [1, 2, 256, 16]), (64, [256, 1, 1, 32])):
        other = support.prefill()
        step = support.at(other, support.step(0))
        for parameter in step["parameters"][:2]:
            parameter.update(swizzle=swizzle, box=box)
        step["parameters"][4:6] = [{"kind": "stride", "view": 3, "dim": 0}, {"kind": "size", "view": 0, "dim": 0}]
        add(other)


#
# Code objects
#


def code_objects(options, scratch, corpus):
    for target in ("mi300x", "mi355x"):
        directory, manifest = bundle_for(options, scratch, target)
        for binary in manifest["binaries"]:
            corpus.add((directory / binary["file"]).read_bytes())
    if (options.llvm_tools / "ld.lld").exists():
        run(options.llvm_tools / "llc", "-mtriple=amdgcn-amd-amdhsa", "-mcpu=gfx942", "-filetype=obj",
            SOURCE / "test/Emulator/Inputs/launch.ll", "-o", scratch / "launch.o")
        run(options.llvm_tools / "ld.lld", "-shared", scratch / "launch.o", "-o", scratch / "launch.hsaco")
        corpus.add((scratch / "launch.hsaco").read_bytes())


#
# IR
#


def with_passes(passes, text, code=False):
    return f"// passes: {','.join(passes)}\n" + ("// code\n" if code else "") + text


def uncommented(text):
    return "".join(line for line in text.splitlines(True) if not line.lstrip().startswith("//"))


def examples(corpus):
    for path in sorted((SOURCE / "examples").glob("*.mlir")) + [SOURCE / "test/Tools/Inputs/growing.mlir"]:
        text = uncommented(path.read_text())
        corpus.add(text)
        for i, (target, lower, last) in enumerate(CHAINS):
            schedule = SCHEDULES[(corpus.count + i) % len(SCHEDULES)]
            passes = [f"attn-schedule{{target={target} {schedule}}}"]
            corpus.add(with_passes(passes + ["attn-describe"], text))
            corpus.add(with_passes(passes + ["attn-lower-to-llvm"], text))
            corpus.add(with_passes(passes + ["attn-lower-to-trace"], text))
            passes.append(f"attn-to-target{{{lower}}}")
            corpus.add(with_passes(passes, text))
            corpus.add(with_passes(passes + [last], text))
            corpus.add(with_passes(passes + [last], text, code=True))


def passes_of(command):
    """The passes of a line that runs attn-opt, as a pipeline's text."""
    passes = []
    for word in shlex.split(command.split(" | ")[0]):
        match = re.fullmatch(r"--?((?:convert-)?attn-[\w-]+|cse|canonicalize)(?:=(.*))?", word)
        if match:
            passes.append(match[1] + (f"{{{match[2]}}}" if match[2] else ""))
    return passes


def test_inputs(corpus):
    for path in sorted((SOURCE / "test").glob("*/**/*.mlir")):
        text = path.read_text()
        if path.parent.name == "Fuzz" or "Regressions" in path.parts:
            continue
        commands = re.sub(r"\\\n//\s*(RUN:)?", "", text)
        runs = re.findall(r"RUN:\s*(?:not\s+)?attn-opt (.*)", commands)
        for part in text.split("// -----"):
            for passes in {tuple(passes_of(command)) for command in runs} or {()}:
                body = uncommented(part)
                corpus.add(with_passes(passes, body) if passes else body)


def ir(options, scratch, corpus):
    examples(corpus)
    test_inputs(corpus)


def parsed(options, scratch, corpus):
    """Every input once, without what to do with it."""
    seen = set()
    for path in sorted((SOURCE / "test").glob("*/**/*.mlir")) + sorted((SOURCE / "examples").glob("*.mlir")):
        seen.update(uncommented(part) for part in path.read_text().split("// -----"))
    for text in sorted(seen):
        corpus.add(text)


MAKERS = {"manifest": manifests, "code-object": code_objects, "parse": parsed, "ir": ir}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--attn-compile", required=True)
    parser.add_argument("--llvm-tools", type=pathlib.Path, required=True)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("targets", nargs="+", choices=MAKERS)
    options = parser.parse_args()
    for target in options.targets:
        scratch = options.out / "scratch"
        shutil.rmtree(scratch, ignore_errors=True)
        scratch.mkdir(parents=True)
        corpus = Corpus(options.out, target)
        MAKERS[target](options, scratch, corpus)
        print(f"{target}: {corpus.count} inputs to start from")
        shutil.rmtree(scratch)


main()
