#!/usr/bin/env python3
"""Draws targets, modules and options at random and runs attn-compile on them: each run has to give code or a
diagnostic, and never the end of the process.

A run is told by its seed alone. It draws
  - a target: a known one, with capabilities left out or added, another architecture, facts at extremes;
  - a module: an example, or a small generated attention, product or score modification; at times one that
    attn-compile lowered for the known target before, so that the drawn one meets it on a later level;
  - options: --emit, --schedule, --lower and others of the tool.

Outcomes: right (exit 0), refused (exit 1 and a line that says why), and bad: a signal, a fatal error or a stack
dump, no line, another exit code, more than 60 s of a processor or 16 GiB. Prints the counts, and for each bad run
its seed, its command and the module, which is kept in the folder --keep. Exits with 1 if a run was bad.
"""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import resource
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile

# Of a processor, and by the clock: a busy machine makes any run long.
PROCESSOR_S, CLOCK_S = 60, 600
MEMORY_BYTES = 16 << 30
EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / "examples"
# What a process says that ends by itself, whatever its exit code.
FATAL = re.compile(r"LLVM ERROR|Cannot select|PLEASE submit|UNREACHABLE|Stack dump|Assertion|terminate called|"
                   r"runtime error:|Sanitizer")
# Of MLIR, of the tool, and of the parsers of its options and of those of pipelines.
SAYS_WHY = re.compile(r"\berror:|^attn-compile: |^<Pass-Options-Parser>: ", re.MULTILINE)

CAPABILITIES = {
    "cpu": ["cpu"],
    "gb10": ["nvvm", "mma.sync", "mma.sync.f8", "mma.sync.mx", "ldmatrix", "cp.async", "tma"],
    "h100": ["nvvm", "mma.sync", "mma.sync.f8", "ldmatrix", "cp.async", "tma", "wgmma", "cluster", "setmaxnreg"],
    "h200": ["nvvm", "mma.sync", "mma.sync.f8", "ldmatrix", "cp.async", "tma", "wgmma", "cluster", "setmaxnreg"],
    "mi300x": ["rocdl", "mfma", "buffer", "dpp", "resident-in-registers", "wave-priority"],
}
ALL_CAPABILITIES = sorted({name for names in CAPABILITIES.values() for name in names})
NVIDIA_ARCHES = ["sm_75", "sm_80", "sm_86", "sm_87", "sm_89", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_100f",
                 "sm_101a", "sm_103a", "sm_120", "sm_120a", "sm_120f", "sm_121", "sm_121a"]
AMD_ARCHES = ["gfx900", "gfx906", "gfx908", "gfx90a", "gfx940", "gfx942", "gfx950", "gfx1030", "gfx1100",
              "gfx1201", "gfx9-4-generic", "gfx942:xnack+", "gfx942:sramecc-"]
NONSENSE_ARCHES = ["", "sm_", "sm_30", "sm_70", "sm_90b", "sm_90aa", "sm_999", "sm_090a", "sm_-90", "SM_90A", "gfx",
                   "gfx9999", "host", "help", "generic", "-march=x", "sm_90a ", "x;y", "+ptx60", "%s", "é"]
FACTS = ["sms", "max_resident_ctas", "smem_per_sm", "smem_per_block", "registers_per_sm", "l2_bytes",
         "l2_effective_bytes", "l2_domains", "l2_partitions", "l2_sector_bytes", "dispatch_chunk", "dram_gbps",
         "tensor_gflops", "clock_mhz", "special_per_clock", "fma_per_clock", "l2_gbps"]
COUNTS = {"sms": 65536, "max_resident_ctas": 65536, "l2_domains": 1024, "l2_partitions": 64,
          "dispatch_chunk": 1 << 24}
CAPACITIES = ["smem_per_sm", "smem_per_block", "registers_per_sm"]
EXTREMES = [1, 1, 2, 3, 7, 31, 1000, 4095, 65537, 1 << 20, (1 << 30) - 1, 1 << 30, (1 << 31) - 1, 1 << 31, 1 << 32,
            (1 << 40) + 1, 1 << 62, (1 << 63) - 1]
BAD_EXTREMES = [0, -1, -(1 << 63), 1 << 63, 1 << 64]
EMITS = {
    # ptxas takes longer than all else, and is no back end of the compiler's.
    "nvvm": ["target", "llvm"] * 2 + ["ptx"] * 8 + ["cubin", "bundle"],
    "rocdl": ["target", "llvm", "isa", "isa", "hsaco", "bundle"],
    "cpu": ["attn", "stream", "trace", "loops", "llvm"],
}
ALL_EMITS = ["attn", "stream", "trace", "target", "loops", "llvm", "ptx", "cubin", "isa", "hsaco", "bundle"]
ORDERS = ["naive-block-first", "swizzled-block-first", "naive-head-first", "swizzled-head-first"]
WIDTHS = ["i1", "i8", "i16", "i32", "i64", "i128", "i7", "i65"]
FLOATS = ["f16", "bf16", "f32", "f64", "f80", "f128", "tf32", "f8E4M3FN", "f8E5M2"]
UNARY = ["math.exp", "math.exp2", "math.expm1", "math.log", "math.log2", "math.log10", "math.log1p", "math.sin",
         "math.cos", "math.tan", "math.tanh", "math.sinh", "math.cosh", "math.asin", "math.acos", "math.atan",
         "math.asinh", "math.acosh", "math.atanh", "math.erf", "math.erfc", "math.sqrt", "math.rsqrt", "math.cbrt",
         "math.absf", "math.floor", "math.ceil", "math.trunc", "math.round", "math.roundeven", "arith.negf"]
BINARY = ["math.powf", "math.atan2", "math.copysign", "arith.addf", "arith.mulf", "arith.divf", "arith.remf",
          "arith.maximumf", "arith.minimumf", "arith.maxnumf", "arith.minnumf"]
INTEGER = ["arith.addi", "arith.muli", "arith.divsi", "arith.divui", "arith.ceildivsi", "arith.floordivsi",
           "arith.remsi", "arith.remui", "arith.shli", "arith.shrsi", "arith.shrui", "arith.andi", "arith.xori",
           "arith.maxsi", "arith.minui", "math.ipowi"]
BITS = ["math.ctlz", "math.cttz", "math.ctpop", "math.absi"]


class Draw:
    """What the run of one seed is made of."""

    def __init__(self, seed):
        self.chance = random.Random(seed)
        self.base = self.pick(["h200", "h200", "h100", "gb10", "mi300x", "mi300x", "cpu"])
        self.target = self.draw_target()
        self.module, self.axes = self.draw_module()
        self.emit = self.draw_emit()
        # The level on which the drawn target meets a module that was lowered for the known one; none if empty.
        later = {"nvvm": ["stream", "target", "llvm"], "rocdl": ["stream", "target", "llvm"], "cpu": ["stream"]}
        self.level = self.pick(later[self.vendor()]) if self.one_in(6) else ""
        self.options = self.draw_options()

    def pick(self, values):
        return values[self.chance.randrange(len(values))]

    def one_in(self, n):
        return self.chance.randrange(n) == 0

    def vendor(self):
        return {"cpu": "cpu", "mi300x": "rocdl"}.get(self.base, "nvvm")

    # Targets.

    def draw_capabilities(self):
        names = list(CAPABILITIES[self.base])
        if self.one_in(2):
            # The first is the dialect: without it little is left to go wrong.
            for _ in range(self.pick([1, 1, 1, 2, 3])):
                if len(names) > 1:
                    names.pop(self.chance.randrange(0 if self.one_in(6) else 1, len(names)))
        if self.one_in(3):
            names += [self.pick(ALL_CAPABILITIES) for _ in range(self.pick([1, 1, 2, 4]))]
        if self.one_in(8):
            self.chance.shuffle(names)
        return names

    def draw_target(self):
        parts = [f'"{self.base}"']
        if self.one_in(2):
            parts.append("capabilities = [" + ", ".join(f'"{name}"' for name in self.draw_capabilities()) + "]")
        if self.one_in(2):
            own, other = (AMD_ARCHES, NVIDIA_ARCHES) if self.base == "mi300x" else (NVIDIA_ARCHES, AMD_ARCHES)
            arch = self.pick(self.pick([own, own, own, other, NONSENSE_ARCHES]))
            parts.append(f'arch = "{arch}"')
        if self.one_in(2):
            for name in self.chance.sample(FACTS, self.pick([1, 1, 2, 4, len(FACTS)])):
                parts.append(f"{name} = {self.draw_fact(name)}")
        return f"#attn.target<{', '.join(parts)}>"

    def draw_fact(self, name):
        if self.one_in(50):
            return self.pick(BAD_EXTREMES)
        if self.one_in(12):
            return self.pick(EXTREMES)
        # Where little fits, or a count is refused, nothing else is reached.
        least, most = (65537 if name in CAPACITIES else 1), COUNTS.get(name, EXTREMES[-1])
        return self.pick([value for value in EXTREMES if least <= value <= most] + [most])

    # Modules.

    def draw_module(self):
        kind = self.chance.randrange(10)
        if kind < 2:
            path = self.pick(sorted(EXAMPLES.glob("*.mlir")))
            axes = ["m", "n", "k"] if path.stem == "matmul" else ["query", "key"]
            return path.read_text(), axes
        return self.draw_product() if kind == 2 else self.draw_attention()

    def length(self):
        usual = ["?", "?", "?", 1, 2, 64, 100, 128, 1000, 4096, 131072]
        return self.pick(usual if not self.one_in(10) else [0, 17, 1 << 20, 1 << 29, (1 << 31) - 1, 1 << 40])

    def draw_element(self):
        """GPUs multiply elements of 16 bits only."""
        return self.pick(["f32", "f32", "f64"] if self.one_in(16) else ["bf16", "f16"])

    def draw_product(self):
        m, n, k = (self.length() for _ in range(3))
        element, result = self.draw_element(), self.pick(["f32", "bf16", "f16"])
        types = f"(tensor<{m}x{k}x{element}>, tensor<{k}x{n}x{element}>) -> tensor<{m}x{n}x{result}>"
        return (f"func.func @f(%a: tensor<{m}x{k}x{element}>, %b: tensor<{k}x{n}x{element}>) -> "
                f"tensor<{m}x{n}x{result}> {{\n  %c = attn.matmul %a, %b : {types}\n"
                f"  return %c : tensor<{m}x{n}x{result}>\n}}\n"), ["m", "n", "k"]

    def head_dim(self):
        if self.one_in(2):
            return self.pick([16, 32, 64, 64, 128, 128, 256])
        return self.chance.randint(1, 300) if self.one_in(16) else 8 * self.chance.randint(1, 32)

    def draw_mask(self):
        sides = [-1, 0, 1, 5, 127, 4095, 1 << 20, (1 << 30) - 1, 1 << 31, 1 << 40, 1 << 62 if self.one_in(10) else 0]
        align = self.pick(["top_left", "bottom_right"])
        window = f"left = {self.pick(sides)}, right = {self.pick(sides)}, align = {align}"
        return self.pick(["", "", f" mask(#attn.causal<{align}>)", f" mask(#attn.window<{window}>)"])

    def draw_score(self):
        """Region, captures and their arguments: operations that code generators may have no instructions for."""
        if not self.one_in(3):
            return "", "", ""
        lines, value = [], "%s"

        def add(text, kind):
            nonlocal value
            lines.append(f"    %x{len(lines)} = {text} : {kind}")
            value = f"%x{len(lines) - 1}"

        wide = self.pick(["f32"] * 6 + FLOATS)
        if wide in ("f64", "f80", "f128"):
            add(f"arith.extf {value}", f"f32 to {wide}")
        elif wide != "f32":
            add(f"arith.truncf {value}", f"f32 to {wide}")
        for _ in range(self.pick([1, 1, 2, 3])):
            form = self.pick(["unary", "unary", "binary", "integer", "bits", "fma", "fpowi"])
            if form == "unary":
                add(f"{self.pick(UNARY)} {value}", wide)
            elif form == "binary":
                add(f"{self.pick(BINARY)} {value}, {value}", wide)
            elif form == "fma":
                add(f"math.fma {value}, {value}, {value}", wide)
            elif form == "fpowi":
                add("arith.constant 3", "i32")
                power = value
                value = f"%x{len(lines) - 2}" if len(lines) > 1 else "%s"
                add(f"math.fpowi {value}, {power}", f"{wide}, i32")
            else:
                width, before = self.pick(WIDTHS), value
                add(f"arith.index_cast {self.pick(['%i', '%j', '%h', '%b'])}", f"index to {width}")
                if form == "bits":
                    add(f"{self.pick(BITS)} {value}", width)
                else:
                    add(f"{self.pick(INTEGER)} {value}, {value}", width)
                add(f"arith.{self.pick(['sitofp', 'uitofp'])} {value}", f"{width} to {wide}")
                add(f"arith.addf {before}, {value}", wide)
        if wide in ("f64", "f80", "f128"):
            add(f"arith.truncf {value}", f"{wide} to f32")
        elif wide != "f32":
            add(f"arith.extf {value}", f"{wide} to f32")
        capture = self.pick(["", "", "", "f32", "i32", "index", "f64", "i1", "i128" if self.one_in(4) else "i64"])
        arguments = "%s: f32, %b: index, %h: index, %i: index, %j: index" + (f", %c: {capture}" if capture else "")
        region = f" score({arguments}) {{\n" + "\n".join(lines) + f"\n    attn.yield {value} : f32\n  }}\n  "
        return region, f" captures(%cap : {capture})" if capture else "", f", %cap: {capture}" if capture else ""

    def draw_attention(self):
        element = self.draw_element()
        batch, query, key = self.pick(["?", 1, 2]), self.length(), self.length()
        kv = self.pick([1, 1, 2, 3, 8])
        heads = kv * self.pick([1, 1, 2, 4, 7])
        dim = self.head_dim()
        value = self.head_dim() if self.one_in(4) else dim
        bshd = self.one_in(4)

        def tensor(count, length, columns):
            return f"tensor<{batch}x{f'{length}x{count}' if bshd else f'{count}x{length}'}x{columns}x{element}>"

        q, k, v = tensor(heads, query, dim), tensor(kv, key, dim), tensor(kv, key, value)
        results = [tensor(heads, query, value)]
        if self.one_in(2):
            results.append(f"tensor<{batch}x{heads}x{query}xf32>")
        names = ["%o", "%lse"][:len(results)]
        region, captures, argument = self.draw_score()
        scale = self.pick(["0.125", "0.125", "0.0", "-1.0e30", "3.0e38"])
        results = ", ".join(results)
        text = (f"func.func @f(%q: {q}, %k: {k}, %v: {v}{argument}) -> ({results}) {{\n"
                f"  {', '.join(names)} = attn.attention %q, %k, %v{self.draw_mask()} scale({scale})"
                f"{' layout(bshd)' if bshd else ''}{captures}{region}\n      : ({q}, {k}, {v}) -> ({results})\n"
                f"  return {', '.join(names)} : {results}\n}}\n")
        return text, ["query", "key"]

    # Options.

    def draw_emit(self):
        return self.pick(ALL_EMITS if self.one_in(10) else EMITS[self.vendor()])

    def draw_tiles(self):
        unusual = [1, 8, 17, 48, 80, 96, 256, 1024, 1 << 20, 1 << 40]
        sizes = [16, 32, 64, 64, 128, 128] if not self.one_in(8) else unusual
        return "tiles=" + ",".join(f"{axis}={self.pick(sizes)}" for axis in self.axes)

    def count(self, least, most):
        """Nearly always in a range of use."""
        if self.one_in(20):
            return self.pick([0, -1, 100, 1 << 16, 1 << 31, 1 << 62])
        return self.chance.randint(least, most)

    def draw_schedule(self):
        words = [self.draw_tiles()] if not self.one_in(4) else []
        if self.one_in(3):
            words.append("grid-order=" + self.pick(ORDERS))
            words += [f"domains={self.count(1, 8)}"] if self.one_in(2) else []
            words += [f"chunk={self.count(1, 3)}"] if self.one_in(4) else []
            words += ["longest-first"] if self.one_in(4) else []
        if self.one_in(3):
            words.append("persistent")
            words += [f"sms={self.count(1, 200)}"] if self.one_in(4) else []
            words += [f"resident={self.count(1, 2)}"] if self.one_in(4) else []
            words += ["pair-tiles"] if self.one_in(3) else []
            words += ["in-step"] if self.one_in(4) else []
            words += ["dynamic"] if self.one_in(4) else []
        if self.one_in(4):
            words.append("sawtooth=" + self.pick(["force", "force", "auto", "off"]))
        words += [f"splits={self.count(2, 4)}"] if self.one_in(8) else []
        words += ["pack-group"] if self.one_in(10) else []
        words += [f"overrides={self.pick(FACTS)}={self.pick(EXTREMES)}"] if self.one_in(12) else []
        return " ".join(words)

    def draw_lower(self):
        words = []
        if self.vendor() == "nvvm" or self.one_in(10):
            words += ["wgmma=" + self.pick(["all", "all", "scores"])] if self.one_in(3) else []
            if self.one_in(4):
                words.append("copy=async")
                words += [f"chunk={self.pick([4, 8, 16, 16, 3])}"] if self.one_in(2) else []
            if self.one_in(3):
                words.append("specialize")
                words += ["overlap"] if self.one_in(2) else []
                words += ["ping-pong"] if self.one_in(2) else []
                words += [f"producer-registers={self.pick([24, 24, 32, 64, 20])}"] if self.one_in(5) else []
            words += ["store-tensors"] if self.one_in(5) else []
            words += ["exchange-columns"] if self.one_in(5) else []
        if self.vendor() == "rocdl" or self.one_in(10):
            words += ["priority=" + self.pick(["scores", "all"])] if self.one_in(4) else []
        words += [f"warps={self.pick([1, 1, 2, 2, 4, 4, 8, 3, 33])}"] if self.one_in(3) else []
        words += [f"stages={self.count(1, 4)}"] if self.one_in(3) else []
        words += [f"resident-stages={self.count(1, 2)}"] if self.one_in(6) else []
        words += ["optimistic-max"] if self.one_in(3) else []
        return " ".join(words)

    def draw_options(self):
        words = []
        # With neither of the two the tool chooses, from tables and facts.
        if not self.one_in(5):
            words.append("--schedule=" + self.draw_schedule())
            words += ["--lower=" + self.draw_lower()] if not self.one_in(4) else []
        elif self.one_in(3):
            words.append("--choose=" + self.pick(["measured", "model", "nobody"]))
            words += [f"--size={axis}={self.pick([1, 100, 4096, 1 << 31])}" for axis in ["batch"] + self.axes]
            # What is within the default takes about a minute.
            words.append("--max-work=100000000")
        if self.one_in(15):
            words.append(f"--target-fact={self.pick(FACTS)}={self.pick(EXTREMES + BAD_EXTREMES)}")
        words += ["--target=" + self.pick(sorted(CAPABILITIES))] if self.one_in(25) else []
        words += ["--line-info"] if self.one_in(20) else []
        words += ["--remarks"] if self.one_in(10) else []
        words += ["--also-lower=" + self.draw_lower()] if self.one_in(20) else []
        if self.emit == "bundle":
            words += ["--unaligned"] if self.one_in(6) else []
            if self.one_in(6):
                guard = f"{self.axes[0]}<={self.count(1, 64)}"
                words.append(f"--variant={guard}: {self.draw_schedule()}: {self.draw_lower()}")
        return words


def classify(code, text):
    """Outcome of a process that has ended, by its exit code and stderr, and why it is bad."""
    if code == -signal.SIGXCPU:
        return "bad", f"more than {PROCESSOR_S} s of a processor"
    # A shell or a wrapper may report a signal as 128 + its number.
    if code < 0 or code > 128:
        return "bad", f"exit code {code}"
    if fatal := FATAL.search(text):
        return "bad", fatal[0]
    if code == 0:
        return "right", ""
    if code == 1 and SAYS_WHY.search(text):
        return "refused", ""
    return "bad", f"exit code {code}" + ("" if SAYS_WHY.search(text) else " without a reason")


class Campaign:
    def __init__(self, tool, folder, keep):
        self.tool, self.folder, self.keep = tool, folder, keep

    def execute(self, command):
        """Outcome, why it is bad, and stderr."""
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE)
        resource.prlimit(process.pid, resource.RLIMIT_CPU, (PROCESSOR_S, PROCESSOR_S + 5))
        resource.prlimit(process.pid, resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
        try:
            text = process.communicate(timeout=CLOCK_S)[1].decode(errors="replace")
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            return "bad", f"more than {CLOCK_S} s", ""
        return *classify(process.returncode, text), text

    def lowered(self, draw, path, out):
        """The module as lowered for the known target to a level, in which the drawn one is then put."""
        path.write_text(f'module attributes {{attn.target = #attn.target<"{draw.base}">}} {{\n{draw.module}}}\n')
        command = [self.tool, str(path), f"--emit={draw.level}", "-o", str(out)]
        command += [word for word in draw.options if word.startswith(("--schedule=", "--lower="))]
        outcome, why, stderr = self.execute(command)
        if outcome != "right":
            return command, outcome, why, stderr
        text, replaced = re.subn(r"#attn\.target<[^>]*>", lambda _: draw.target, out.read_text(), count=1)
        assert replaced, "a lowered module states its target"
        path.write_text(text)
        return None

    def run(self, seed):
        draw = Draw(seed)
        path, out = self.folder / f"{seed}.mlir", self.folder / f"{seed}.out"
        result = None
        if draw.level:
            result = self.lowered(draw, path, out)
        else:
            path.write_text(f"module attributes {{attn.target = {draw.target}}} {{\n{draw.module}}}\n")
        if not result:
            out = self.folder / f"{seed}.code"
            command = [self.tool, str(path), f"--emit={draw.emit}", "-o", str(out), *draw.options]
            result = command, *self.execute(command)
        command, outcome, why, stderr = result
        if outcome == "bad":
            self.keep.mkdir(parents=True, exist_ok=True)
            kept = shutil.copy(path, self.keep)
            command = [kept if word == str(path) else "/dev/null" if word == str(out) else word for word in command]
            if draw.emit == "bundle" and not draw.level:
                command[command.index("-o") + 1] = f"{kept}.bundle"
        for place in (path, self.folder / f"{seed}.out", self.folder / f"{seed}.code"):
            if place.is_dir():
                shutil.rmtree(place)
            else:
                place.unlink(missing_ok=True)
        return seed, command, outcome, why, stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attn-compile", default="attn-compile", metavar="PATH")
    parser.add_argument("--seed", type=int, default=1, help="of the first run; each run has the next one")
    parser.add_argument("--count", type=int, default=40, help="how many runs")
    parser.add_argument("--jobs", type=int, default=2, help="how many at once")
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("target-campaign"), metavar="FOLDER",
                        help="where modules of bad runs are kept")
    parser.add_argument("--verbose", action="store_true", help="print a line for each run")
    options = parser.parse_args()
    tool = shutil.which(options.attn_compile)
    if not tool:
        sys.exit(f"error: expected a program, but got '{options.attn_compile}'")
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        campaign = Campaign(os.path.abspath(tool), pathlib.Path(folder), options.keep.resolve())
        with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
            for seed, command, outcome, why, stderr in pool.map(
                    campaign.run, range(options.seed, options.seed + options.count)):
                counts[outcome] += 1
                if options.verbose and outcome != "bad":
                    lines = [line for line in stderr.splitlines() if SAYS_WHY.search(line)] or [""]
                    print(f"{outcome}: seed {seed}: {lines[0]}\n  {shlex.join(command)}", flush=True)
                if outcome == "bad":
                    print(f"BAD: seed {seed}: {why}\n  {shlex.join(command)}\n{stderr[:2000]}", flush=True)
    print(f"{options.count} runs from seed {options.seed}: {counts['right']} right, {counts['refused']} refused, "
          f"{counts['bad']} bad")
    return 1 if counts["bad"] else 0


if __name__ == "__main__":
    sys.exit(main())
