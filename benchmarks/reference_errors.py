#!/usr/bin/env python3
"""Errors of a row by what its exponentials are relative to, simulated on the CPU with PyTorch.

    reference_errors.py [--dim 64] [--keys 4096] [--rows 1024] [--causal]

P is rounded to bf16, sums and O are f32, O is rounded to bf16; 16 rows of a warp decide together. For each kind of inputs
of shapes.py: mean and worst relative error of the rows against float64, by the exact maximum (1e-3; cuDNN and
FlashAttention-3 round so), and the others' over those; for how many tiles of a warp behind the first the reference rises.

    optimistic    attn-optimistic-max with lead=80, l of weights before rounding
    rounded       the same, l of rounded weights (attn-round-sums)
    pairs         the same, rounded weights added in bf16, two by two, before f32
    lazy          of that maximum, which rises only where a key has a large part of its row
    last          optimistic, and the exact maximum in the last tile, of a causal row in the last two (exact-last; nobody asks for peaks)
"""

import argparse
import math

import torch
from common import markdown
from shapes import INPUTS, Shape, make

WARP_ROWS, TILE, LANES, LEAD, BOUND, PART = 16, 128, 4, 80, 65536.0, 0.25
# Where the last tiles take their maximum: binades that division leaves, and the largest sum that is divided.
KEPT, MOST = 10, 2.0**100


def rounded(x):
    return x.to(torch.bfloat16).float()


def parts(p):
    """What each of the four threads of a row sums: two columns of each eight."""
    return p.view(p.shape[0], -1, LANES, 2).sum((1, 3))


def pairs(p):
    """Rounded weights by threads, of which two at a time are added in bf16."""
    words = p.view(p.shape[0], -1, LANES, 2).permute(0, 2, 3, 1)
    half = words.shape[-1] // 2
    return rounded(words[..., :half] + words[..., half:]).sum((1, 2, 3))


def of_warp(rows):
    """Whether any row of the warp is true, for each row."""
    return rows.view(-1, WARP_ROWS).any(-1).repeat_interleave(WARP_ROWS)


def references(kind, s, m, sums, ends):
    """What a tile's exponentials are relative to, and in which rows that rose. `s`: scores times log2(e); `ends`: of which rows it is a last one."""
    maximum = s.max(-1)[0]
    raised = torch.maximum(m, maximum)
    if kind == "exact":
        return raised, of_warp(raised > m)
    if kind == "lazy":
        weight = torch.where(maximum == -math.inf, 0.0, torch.exp2(maximum - m))
        rises = of_warp((~(weight[:, None] <= torch.clamp(PART * sums, 1.0, BOUND))).any(-1))
        return torch.where(rises, raised, m), rises
    first = m == -math.inf
    sum_of = parts(torch.exp2(s - torch.where(first, 0.0, m)[:, None]))
    missed = of_warp(first | ~(sum_of <= BOUND).all(-1))
    if kind == "last":
        total = (sums + sum_of).sum(-1)
        divided = torch.maximum(m, m + torch.floor(torch.log2(total)) - KEPT)
        lost = of_warp(first | ~(total <= MOST))
        return torch.where(ends | lost, raised, torch.where(missed, divided, m)), missed
    known = torch.where(first, maximum, torch.maximum(maximum, m + torch.log2(sums.sum(-1))) + LEAD)
    return torch.where(missed, torch.maximum(known, m), m), missed


def attend(kind, scores, v, ends):
    """O by each sum, of rows whose last tiles begin at `ends`, and the share of tiles behind the first in which a warp's reference rose."""
    rows, keys = scores.shape
    m, sums = torch.full((rows,), -math.inf), torch.zeros(rows, LANES)
    by_rounded, by_pairs, o, rose = torch.zeros(rows), torch.zeros(rows), torch.zeros(rows, v.shape[1]), 0
    for begin in range(0, keys, TILE):
        s = scores[:, begin : begin + TILE]
        now, rises = references(kind, s, m, sums, begin >= ends)
        rose += int(rises.sum()) if begin else 0
        scale = torch.where(now == m, 1.0, torch.exp2(m - now))
        p = torch.exp2(s - torch.where(now == -math.inf, 0.0, now)[:, None])
        taken = rounded(p)
        sums = sums * scale[:, None] + parts(p)
        by_rounded, by_pairs = by_rounded * scale + taken.sum(-1), by_pairs * scale + pairs(taken)
        o, m = o * scale[:, None] + taken @ v[begin : begin + TILE], now
    divisors = {"": sums.sum(-1), "rounded": by_rounded, "pairs": by_pairs}
    return {name: rounded(o / l[:, None]) for name, l in divisors.items()}, rose / rows / (keys // TILE - 1)


def measure(shape, inputs, rows, generator):
    q, k, v = (x[0, 0].float() for x in make(torch, shape._replace(inputs=inputs), generator, "cpu"))
    groups = torch.randperm(shape.keys // 64, generator=generator)[: rows // 64].sort()[0]
    index = (groups[:, None] * 64 + torch.arange(64)).reshape(-1)
    scale = shape.qk_dim**-0.5
    exact = q[index].double() @ k.double().T * scale
    scores = q[index] @ k.T * (scale / math.log(2))
    if shape.mask:
        hidden = torch.arange(shape.keys)[None] > index[:, None]
        exact, scores = exact.masked_fill(hidden, -math.inf), scores.masked_fill(hidden, -math.inf)
    want = exact.softmax(-1) @ v.double()

    def error(o):
        rows = (o.double() - want).norm(dim=-1) / want.norm(dim=-1)
        return rows.mean().item(), rows.max().item()

    ends = index // TILE * TILE - TILE if shape.mask else torch.full_like(index, shape.keys - TILE)
    reference, rises = attend("exact", scores, v, ends)
    optimistic, _ = attend("optimistic", scores, v, ends)
    lazy, rises_lazily = attend("lazy", scores, v, ends)
    last, _ = attend("last", scores, v, ends)
    base = error(reference[""])
    others = [optimistic[""], optimistic["rounded"], optimistic["pairs"], lazy[""], last[""]]
    cells = ["{:.2f}, {:.2f}".format(*(e / b for e, b in zip(error(o), base))) for o in others]
    return [inputs, f"{1e3 * base[0]:.2f}, {1e3 * base[1]:.2f}", *cells, f"{rises:.2f}", f"{rises_lazily:.2f}"]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dim", type=int, default=64)
    parser.add_argument("--keys", type=int, default=4096)
    parser.add_argument("--rows", type=int, default=1024)
    parser.add_argument("--causal", action="store_true")
    parser.add_argument("--seed", type=int, default=6)
    arguments = parser.parse_args()
    if arguments.keys % TILE or arguments.rows % 64 or arguments.rows > arguments.keys:
        parser.error(f"expected keys that are a multiple of {TILE} and at most as many rows, a multiple of 64, "
                     f"but got {arguments.keys} and {arguments.rows}")
    shape = Shape("inputs", 1, 1, 1, arguments.keys, arguments.keys, arguments.dim, arguments.dim,
                  "causal" if arguments.causal else "", 0.0, "std 1")
    generator = torch.Generator()
    generator.manual_seed(arguments.seed)
    rows = [measure(shape, inputs, arguments.rows, generator) for inputs in ("std 1", "std 2", *INPUTS[1:])]
    print(markdown(["inputs", "exact, 1e-3", "optimistic", "rounded", "pairs", "lazy", "last", "rises: exact", "lazy"], rows))


if __name__ == "__main__":
    main()
