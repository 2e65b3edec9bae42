"""What a hardware kit holds: kernels that are checked, kernels that are timed."""

import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "test" / "gpu")]

import cases  # noqa: E402  (of test/gpu)

TOKENS = 16384
CAUSAL = cases.Mask("causal", -1, 0, "bottom_right")
WINDOW = cases.Mask("window", 1023, 0, "bottom_right")


FLOAT8 = "f8E4M3FN"


class Kernel(NamedTuple):
    """Attention that is timed, bf16 or FP8 with V by columns, BHSD; `queries` where their number is static."""

    name: str
    dim: int
    mask: cases.Mask
    heads: int
    kv_heads: int
    shapes: tuple  # (batch, keys)
    queries: int = 0
    element: str = "bf16"

    @property
    def is_float8(self):
        return self.element == FLOAT8

    @property
    def group(self):
        return self.heads // self.kv_heads

    @property
    def causal(self):
        return self.mask.kind == "causal"

    def sizes(self, shape):
        batch, keys = shape
        return cases.Sizes(batch, self.queries or keys, keys)

    def text(self):
        """The kernel as level-1 MLIR."""
        rows = f"tensor<?x{self.heads}x{self.queries or '?'}x{self.dim}x"
        q, o = f"{rows}{self.element}>", f"{rows}bf16>"
        k = f"tensor<?x{self.kv_heads}x?x{self.dim}x{self.element}>"
        v = f"tensor<?x{self.kv_heads}x{self.dim}x?x{self.element}>" if self.is_float8 else k
        return (
            f"func.func @kit(%q: {q}, %k: {k}, %v: {v}) -> {o} {{\n"
            f"  %o = attn.attention %q, %k, %v{self.mask.text()} "
            f"scale({round(self.dim ** -0.5, 9)!r}){' values(interleaved)' if self.is_float8 else ''}\n"
            f"      : ({q}, {k}, {v}) -> {o}\n"
            f"  return %o : {o}\n}}\n"
        )

    def flops(self, shape):
        """Of the two products, for the pairs of a query and a key that the mask leaves."""
        batch, queries, keys = self.sizes(shape)
        pairs = queries * keys
        if self.causal and queries == keys:
            pairs /= 2  # as is customary
        elif self.mask.kind == "window":
            pairs = sum(min(i + 1, self.mask.left + 1) for i in range(queries))
        return 4 * batch * self.heads * pairs * self.dim

    def bytes(self, shape):
        """Of Q, K, V and O, once."""
        batch, queries, keys = self.sizes(shape)
        width = 1 if self.is_float8 else 2
        return batch * self.dim * ((width + 2) * self.heads * queries + 2 * width * self.kv_heads * keys)


def by_length(*lengths):
    return tuple((max(1, TOKENS // length), length) for length in lengths)


def timed_kernels():
    lengths = by_length(512, 2048, 8192, 16384)
    # The first ones are timed where there is no time for all.
    return [
        Kernel("d128-causal", 128, CAUSAL, 16, 16, (*lengths, (1, 32768))),
        Kernel("d128-full", 128, cases.Mask(), 16, 16, lengths),
        Kernel("d64-causal", 64, CAUSAL, 32, 32, lengths),
        Kernel("d64-full", 64, cases.Mask(), 32, 32, lengths),
        Kernel("d128-decode", 128, cases.Mask(), 32, 8, ((1, 4096), (1, 65536), (16, 8192)), 1),
        Kernel("d256-causal", 256, CAUSAL, 8, 8, by_length(2048, 8192)),
        Kernel("d128-causal-gqa", 128, CAUSAL, 32, 8, by_length(2048, 8192)),
        Kernel("d128-window", 128, WINDOW, 16, 16, by_length(4096, 16384)),
        Kernel("d128-full-fp8", 128, cases.Mask(), 16, 16, by_length(2048, 16384), element=FLOAT8),
        Kernel("d128-causal-fp8", 128, CAUSAL, 16, 16, by_length(2048, 16384), element=FLOAT8),
    ]


def small_timed_kernels():
    return [
        Kernel("d64-causal", 64, CAUSAL, 2, 2, ((1, 256),)),
        Kernel("d64-causal-fp8", 64, CAUSAL, 2, 2, ((1, 256),), element=FLOAT8),
    ]


def takes_float8(arch):
    """Whether V by columns is for it: NVIDIA GPUs from sm_89 on."""
    number = re.fullmatch(r"sm_(\d+)a?", arch)
    return number is not None and int(number[1]) >= 89


def possible_kernels(known, arch):
    return [kernel for kernel in known if takes_float8(arch) or not kernel.is_float8]


def with_mx(options, kernel, capabilities):
    """Options of level 3 behind which products of FP8 have scales of blocks, too, where a chip has them (docs/fp8.md, "Units")."""
    if not kernel.is_float8 or "mma.sync.mx" not in capabilities:
        return options
    return [pair for schedule, lower in options for pair in ((schedule, lower), (schedule, f"{lower} mx-products".strip()))]


# Options of level 3 that chips without warpgroups do not take.
WARPGROUPS = re.compile(r"wgmma=(all|scores)|specialize|overlap|ping-pong|resident-stages|store-tensors|stream-reads")
# Those that only NVIDIA's lowering has.
NVIDIA = re.compile(r"copy=|chunk=4|store-tensors|stream-reads|optimistic-max")


def checked_kernels(arch, count):
    """At most `count` of the kernels of test/gpu that `arch` can have, spread over its
    list, whose neighbours differ in everything."""
    def possible(kernel):
        if arch != "sm_90a" and WARPGROUPS.search(kernel.lower):
            return False
        return not (arch.startswith("gfx") and NVIDIA.search(kernel.lower))

    known = [kernel for kernel in cases.kernels() if possible(kernel)]
    step = max(1, len(known) / count)
    return [known[int(i * step)] for i in range(min(count, len(known)))]


def orders(tiles, lower, domains):
    """Every order and traversal that the policy could take, for these tiles."""
    swizzled = "grid-order=swizzled-head-first" + ("" if domains > 1 else " domains=2")
    schedules = [
        "", "sawtooth=force", "grid-order=naive-head-first longest-first",
        "grid-order=naive-block-first", swizzled, swizzled + " longest-first",
        swizzled + " sawtooth=force", "persistent", "persistent sawtooth=force",
        "persistent pair-tiles", "persistent pair-tiles sawtooth=force",
    ]
    # Persistent CTAs of 128 rows want eight warps where no pipeline says otherwise
    # (docs/targets.md, "Schedules that follow from facts").
    def warps(order):
        wide = "query=128" in tiles and not lower and domains == 1
        return "warps=8" if wide and "persistent" in order else lower

    return [(f"tiles={tiles} {order}".strip(), warps(order)) for order in schedules]
