#!/usr/bin/env python3
"""Compares the schedules that attn-compile takes by itself on MI300X and GB10 with the
other ones that it has, by the cache simulator: bytes to and from memory.

Configurations are those of the two papers (at lengths that take a second), the
examples, and some drawn by the seed. Tiles are the default's. Fails where another
schedule moves less by more than 2 %. --full: also schedules that have never been the
best, and more that are drawn."""

import argparse
import random
import re
import sys
from concurrent.futures import ThreadPoolExecutor

from common import harness
from simulation import ATTN_COMPILE, simulate

CAUSAL = "#attn.causal<bottom_right>"
TOLERANCE = 1.02


def attention(batch, heads, kv_heads, queries, keys, dim, mask="", value_dim=None, element="bf16"):
    value_dim = value_dim or dim
    tensor = lambda h, n, d: f"tensor<{batch}x{h}x{n}x{d}x{element}>"
    q, k = tensor(heads, queries, dim), tensor(kv_heads, keys, dim)
    v, o = tensor(kv_heads, keys, value_dim), tensor(heads, queries, value_dim)
    masked = f" mask({mask})" if mask else ""
    return (
        f"func.func @f(%q: {q}, %k: {k}, %v: {v}) -> {o} {{\n"
        f"  %o = attn.attention %q, %k, %v{masked} scale(0.125) : ({q}, {k}, {v}) -> {o}\n"
        f"  return %o : {o}\n}}\n"
    )


def name_of(target, batch, heads, kv_heads, queries, keys, dim, mask="", value_dim=None):
    kind = mask.split(".")[1].split("<")[0] if mask else "full"
    return f"{target} {batch}x{heads}/{kv_heads} {queries}x{keys} D{dim} {kind}"


class Configuration:
    def __init__(self, name, target, text, sizes=None):
        self.name, self.target, self.text, self.sizes = name, target, text, sizes


def drawn(target, generator):
    """One of random shape whose K and V are near the size of the target's L2."""
    r = generator
    if target == "mi300x":
        kv_heads, batch = r.choice([1, 2, 4, 8, 16]), r.choice([1, 1, 2, 4])
        keys = r.choice([1024, 2048, 4096, 8192])
    else:
        kv_heads, batch = r.choice([1, 1, 2, 4]), r.choice([1, 1, 2])
        keys = r.choice([16384, 32768, 65536])
    group = r.choice([1, 1, 2, 4, 8])
    queries = r.choice([keys, keys, keys // 2, 512])
    dim = r.choice([56, 64, 80, 128, 128, 192, 256])
    left = r.choice([511, 1023, 4095])
    window = f"#attn.window<left = {left}, right = 0, align = bottom_right>"
    mask = r.choice(["", CAUSAL, CAUSAL, window])
    shape = (batch, kv_heads * group, kv_heads, queries, keys, dim, mask, 128 if dim == 192 else None)
    return Configuration(name_of(target, *shape), target, attention(*shape))


def configurations(seed, count):
    examples = harness.ROOT / "examples"
    # "Optimizing Attention on GPUs by Exploiting GPU Architectural NUMA Effects"
    numa = [(1, 8, 8, 8192, 8192, 128), (1, 32, 32, 4096, 4096, 128), (1, 64, 64, 4096, 4096, 128),
            (1, 128, 128, 2048, 2048, 128), (2, 32, 32, 4096, 4096, 128), (1, 128, 128, 4096, 4096, 56),
            (1, 32, 8, 8192, 8192, 128), (1, 64, 8, 8192, 8192, 128), (1, 128, 8, 4096, 4096, 128),
            (4, 64, 8, 2048, 2048, 128), (1, 64, 8, 4096, 4096, 128, CAUSAL)]
    # "Sawtooth Wavefront Reordering"
    sawtooth = [(batch, 1, 1, length, length, 64, mask) for batch in (1, 2)
                for length in (32768, 65536, 98304) for mask in ("", CAUSAL)]
    result = [Configuration(name_of(target, *shape), target, attention(*shape))
              for target, shapes in (("mi300x", numa), ("gb10", sawtooth)) for shape in shapes]
    square = lambda length: {"batch": 1, "query": length, "key": length}
    sizes = {"llama3-8b-prefill": square(4096), "deepseek-v3-prefill": square(8192),
             "alibi": square(4096), "softcap": square(4096), "sawtooth-gb10": None}
    for target in ("mi300x", "gb10"):
        for example, given in sizes.items():
            if example != "sawtooth-gb10" or target == "gb10":
                result.append(Configuration(f"{target} {example}", target,
                                            (examples / f"{example}.mlir").read_text(), given))
    generator = random.Random(seed)
    for i in range(count):
        result.append(drawn(("mi300x", "gb10")[i % 2], generator))
    return result


def schedules(configuration, full):
    """What the grid, the traversal and the order can be, and has been the best."""
    masked = "mask(" in configuration.text
    orders = ["", "grid-order=naive-head-first", "grid-order=naive-block-first"]
    if configuration.target == "mi300x":
        orders += ["grid-order=swizzled-head-first", "grid-order=swizzled-block-first"]
    walks = ["", "persistent sawtooth=force"]
    if full:
        walks += ["persistent", "persistent in-step", "persistent in-step sawtooth=force"]
    result = set()
    for order in orders:
        for longest in ["", "longest-first"] if order and masked else [""]:
            for walk in walks:
                result.add(" ".join(filter(None, (order, longest, walk))))
        if masked and (full or not order):
            result.add(f"{order} persistent pair-tiles sawtooth=force".strip())
    return sorted(result)


def moved(compiler, configuration, schedule=None):
    """Bytes to and from memory, and the hit rate."""
    total = simulate(configuration.text, configuration.target, schedule, configuration.sizes,
                     compiler=compiler, jobs=1).total
    return total["dram_read_bytes"] + total["dram_write_bytes"], total["hit_rate"]


def compare(compiler, configuration, full):
    own, rate = moved(compiler, configuration)
    best = min((moved(compiler, configuration, s)[0], len(s), s) for s in schedules(configuration, full))
    return own, rate, best


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attn-compile", default=ATTN_COMPILE)
    parser.add_argument("--full", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    given = parser.parse_args()
    chosen = [c for c in configurations(given.seed, 60 if given.full else 16)
              if re.search(given.only, c.name)]
    worse = 0
    with ThreadPoolExecutor(2) as pool:
        tasks = [pool.submit(compare, given.attn_compile, c, given.full) for c in chosen]
        for configuration, task in zip(chosen, tasks):
            own, rate, (best, _, schedule) = task.result()
            bad = own > best * TOLERANCE
            worse += bad
            print(f"{configuration.name}: {own / 1e6:.1f} MB, {100 * rate:.1f} % hits, "
                  f"{own / best:.3f} of '{schedule}'{': WORSE' if bad else ''}", flush=True)
    print(f"{len(chosen)} configurations, {worse} beyond {100 * (TOLERANCE - 1):.0f} %")
    sys.exit(worse > 0)


if __name__ == "__main__":
    main()
