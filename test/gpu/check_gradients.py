#!/usr/bin/env python3
"""Gradients of attention on a GPU, against float64.

    check_gradients.py compile    bundles of CASES
    check_gradients.py run        launches them: sizes, errors, poisoned outputs
    check_gradients.py run --determinism N    N launches of each: all bits agree

A row's error is relative to the larger of its own norm and the root of the sum of
squares of its terms (docs/backward.md). O and LSE, which kernels are given, are those
of float64, rounded. The largest error of each gradient is held to BOUND, and to twice
that of PyTorch's own gradients in the same precision, plus their rounding
(peer_gradients.py).
"""

import sys
from typing import NamedTuple

import harness
import peer_gradients
import reference
from cases import Mask

DIRECTORY = harness.ROOT / "build-gpu" / "gradients"
# Once for O, which kernels are given, and once for themselves (docs/numerics.md).
BOUND = 2e-2
CAP = 3.0


class Case(NamedTuple):
    dim: int
    heads: int
    kv_heads: int
    mask: Mask = Mask()
    modification: str = "none"
    value_dim: int = 0
    schedule: str = ""
    lower: str = ""
    element: str = "bf16"
    layout: str = "bhsd"

    @property
    def value(self):
        return self.value_dim or self.dim

    @property
    def name(self):
        words = [f"d{self.dim}", f"{self.heads}_{self.kv_heads}", self.mask.label(), self.modification,
                 self.value_dim, self.schedule, self.lower,
                 self.element.replace("bf16", ""), self.layout.replace("bhsd", "")]
        text = "-".join(str(word) for word in words if word not in ("", "none", 0))
        for character in " =,<>":
            text = text.replace(character, "_")
        return text

    @property
    def scale(self):
        return round(self.dim**-0.5, 9)

    def text(self):
        """Gradients with dynamic batch and lengths, as level-1 MLIR."""
        def tensor(heads, dim):
            middle = f"{heads}x?" if self.layout == "bhsd" else f"?x{heads}"
            return f"tensor<?x{middle}x{dim}x{self.element}>"

        q, k = tensor(self.heads, self.dim), tensor(self.kv_heads, self.dim)
        v, o = tensor(self.kv_heads, self.value), tensor(self.heads, self.value)
        lse = f"tensor<?x{self.heads}x?xf32>"
        region = ""
        if self.modification == "softcap":
            region = f""" score(%s: f32, %b: index, %h: index, %i: index, %j: index) {{
    %cap = arith.constant {CAP!r} : f32
    %part = arith.divf %s, %cap : f32
    %tanh = math.tanh %part : f32
    %new = arith.mulf %tanh, %cap : f32
    attn.yield %new : f32
  }}"""
        return (
            f"func.func @gradients(%q: {q}, %k: {k}, %v: {v}, %o: {o}, %do: {o}, %lse: {lse})\n"
            f"    -> ({q}, {k}, {v}) {{\n"
            f"  %dq, %dk, %dv = attn.attention_backward %q, %k, %v, %o, %do, %lse{self.mask.text()}\n"
            f"      scale({self.scale!r}) layout({self.layout}){region}\n"
            f"      : ({q}, {k}, {v}, {o}, {o}, {lse}) -> ({q}, {k}, {v})\n"
            f"  return %dq, %dk, %dv : {q}, {k}, {v}\n}}\n"
        )


FULL, CAUSAL, TOP = Mask(), Mask("causal", align="bottom_right"), Mask("causal")
WINDOW = Mask("window", left=100, right=0, align="bottom_right")
AROUND = Mask("window", left=60, right=90)
LATE = "wgmma=all specialize delay-waits stage-columns"
CASES = [
    Case(dim, *heads, mask)
    for dim in (64, 128, 256)
    for heads, mask in (((2, 2), FULL), ((4, 2), CAUSAL), ((4, 1), WINDOW), ((2, 2), TOP))
] + [
    Case(64, 2, 2, CAUSAL, "softcap"),
    Case(128, 4, 2, FULL, "softcap"),
    Case(56, 2, 1, CAUSAL),
    Case(80, 2, 2),
    Case(96, 4, 2, CAUSAL),
    Case(192, 2, 2, CAUSAL, value_dim=128),
    Case(128, 2, 1, CAUSAL, schedule="grid-order=swizzled-head-first longest-first"),
    Case(64, 2, 2, CAUSAL, schedule="sawtooth=force persistent sms=7 resident=1"),
] + [
    Case(72, 8, 1, CAUSAL, element="f16"),
    Case(104, 2, 2, AROUND, layout="bshd"),
    Case(112, 6, 2, FULL, element="f16", layout="bshd"),
    Case(160, 2, 1, CAUSAL),
    Case(224, 2, 2, TOP, layout="bshd"),
    Case(192, 4, 1, FULL, value_dim=128, element="f16"),
    Case(256, 4, 2, CAUSAL, "softcap"),
    Case(96, 3, 1, WINDOW, "softcap"),
    Case(128, 4, 2, AROUND, element="f16"),
    Case(64, 4, 2, CAUSAL, schedule="grid-order=swizzled-block-first sawtooth=force"),
    Case(128, 2, 2, WINDOW, schedule="grid-order=naive-head-first splits=2"),
] + [
    Case(64, 4, 2, CAUSAL, schedule="tiles=query=128,key=64", lower=LATE),
    Case(64, 2, 2, WINDOW, schedule="tiles=query=64,key=64", lower=LATE),
    Case(128, 4, 1, CAUSAL, schedule="tiles=query=64,key=64", lower=LATE),
    Case(128, 2, 2, FULL, schedule="tiles=query=64,key=64", lower="wgmma=all specialize"),
    Case(128, 2, 2, CAUSAL, "softcap", schedule="tiles=query=64,key=64", lower=LATE),
    Case(192, 2, 2, CAUSAL, value_dim=128, schedule="tiles=query=64,key=32", lower=LATE),
    Case(64, 4, 2, CAUSAL, schedule="tiles=query=64,key=128", lower=LATE + " hold-lhs"),
    Case(64, 2, 2, FULL, schedule="tiles=query=128,key=64 persistent sms=5 resident=1 pair-tiles",
         lower=LATE + " hold-lhs ping-pong resident-stages=2"),
]
FUSED = "form=fused tiles=query=64,key=128"
CASES += [
    Case(64, 2, 2, CAUSAL, schedule="form=fused", lower="wgmma=none"),
    Case(128, 4, 2, FULL, schedule="form=fused", lower="wgmma=none"),
    Case(64, 4, 2, CAUSAL, schedule=FUSED, lower=LATE),
    Case(64, 2, 2, FULL, schedule=FUSED + " persistent sms=5 resident=1", lower=LATE),
    Case(64, 2, 1, WINDOW, schedule="form=fused tiles=query=128,key=128", lower=LATE),
    Case(128, 4, 2, CAUSAL, schedule=FUSED, lower="wgmma=all specialize stage-columns"),
    Case(128, 2, 2, TOP, schedule=FUSED, lower=LATE),
    Case(128, 2, 2, CAUSAL, "softcap", schedule=FUSED, lower="wgmma=all specialize"),
]
ORDERED = FUSED.replace("fused", "ordered")
CASES += [
    # Tiles of dQ that reach behind the columns of the view.
    Case(56, 2, 1, FULL, schedule=FUSED, lower=LATE),
    # Halves of 96 and of 160 columns begin in the middle of a panel.
    Case(96, 2, 2, CAUSAL, schedule=FUSED, lower=LATE),
    Case(160, 2, 2, FULL, schedule="form=fused tiles=query=64,key=64", lower=LATE),
    Case(64, 2, 2, FULL, schedule=FUSED, lower=LATE + " additions=registers"),
    Case(64, 4, 2, CAUSAL, schedule=ORDERED, lower=LATE + " additions=registers"),
    Case(64, 4, 2, CAUSAL, schedule=ORDERED.replace("query=64", "query=128"), lower=LATE),
    Case(64, 2, 2, FULL, schedule=ORDERED, lower=LATE),
    Case(64, 4, 2, CAUSAL, schedule=ORDERED, lower=LATE),
    Case(128, 4, 2, CAUSAL, schedule=ORDERED, lower=LATE),
    Case(64, 2, 1, WINDOW, schedule="form=ordered", lower="wgmma=none"),
    Case(64, 2, 1, WINDOW, schedule=ORDERED, lower=LATE),
    Case(64, 4, 2, AROUND, schedule=ORDERED, lower=LATE),
    Case(128, 4, 2, FULL, schedule=ORDERED, lower=LATE),
    Case(128, 2, 1, WINDOW, schedule=ORDERED, lower=LATE),
    Case(128, 2, 2, TOP, "softcap", schedule=ORDERED, lower="wgmma=all specialize"),
    Case(64, 4, 2, CAUSAL, schedule=ORDERED + " grid-order=naive-block-first", lower=LATE),
    # CTAs that take their tiles from a counter: by a warp of the producer, and by a thread.
    Case(64, 2, 2, FULL, schedule=ORDERED + " persistent dynamic", lower=LATE),
    Case(128, 4, 2, CAUSAL, schedule=ORDERED + " persistent dynamic sms=7 resident=1", lower=LATE),
    Case(64, 2, 2, CAUSAL, schedule=ORDERED + " persistent dynamic", lower="wgmma=all specialize"),
    Case(64, 4, 2, CAUSAL, schedule="tiles=query=64,key=64 persistent dynamic", lower=LATE),
    Case(64, 2, 2, FULL, schedule=FUSED + " persistent dynamic sms=5 resident=1", lower=LATE),
]
SIZES = [(2, 131, 131), (1, 1000, 1000), (1, 300, 1025), (2, 513, 300), (1, 1, 97)]


def compile_half(arguments):
    jobs = [harness.Job(DIRECTORY / c.name, c.text(), c.schedule, c.lower, arguments.target)
            for c in CASES if arguments.filter in c.name]
    return 1 if harness.compile_jobs(jobs, arguments) else 0


def expected(torch, case, q, k, v, dout):
    """O, LSE, the gradients and what their rows' errors are relative to, in float64."""
    q, k, v, dout = (x.double() for x in (q, k, v, dout))
    group = case.heads // case.kv_heads
    wide_k, wide_v = (x.repeat_interleave(group, dim=1) for x in (k, v))
    scores = case.scale * (q @ wide_k.transpose(-1, -2))
    slope = torch.ones_like(scores)
    if case.modification == "softcap":
        bent = torch.tanh(scores / CAP)
        scores, slope = CAP * bent, 1 - bent * bent
    keep = reference.visible(torch, case.mask, q.shape[2], k.shape[2], q.device)
    scores = scores.masked_fill(~keep, -torch.inf)
    most = scores.amax(dim=-1, keepdim=True)
    base = most.masked_fill(most == -torch.inf, 0.0)
    weights = torch.exp(scores - base)
    total = weights.sum(dim=-1, keepdim=True)
    lse = (total.log() + base).squeeze(-1)
    weights = weights / total.masked_fill(total == 0, 1.0)
    out = weights @ wide_v
    delta = (out * dout).sum(dim=-1, keepdim=True)
    both = dout @ wide_v.transpose(-1, -2)
    change = weights * (both - delta) * slope * case.scale
    # The two parts of a pair may cancel, exactly where a query sees one key, and the
    # terms of delta, whose O is rounded, as well.
    terms_of_delta = ((out * dout)**2).sum(dim=-1, keepdim=True)
    parts = (weights * slope * case.scale)**2 * (both**2 + delta**2 + terms_of_delta)

    def narrow(x):
        return x.unflatten(1, (case.kv_heads, group)).sum(2)

    def squares(x):
        return (x * x).sum(dim=-1, keepdim=True)

    turned, pairs = change.transpose(-1, -2), weights.transpose(-1, -2)
    sums = [change @ wide_k, narrow(turned @ q), narrow(pairs @ dout)]
    terms = [parts @ squares(wide_k), narrow(parts.transpose(-1, -2) @ squares(q)),
             narrow(pairs**2 @ squares(dout))]
    sizes = [torch.maximum(s.norm(dim=-1), t.squeeze(-1).sqrt()) for s, t in zip(sums, terms)]
    return out, lse, sums, sizes


def largest_error(torch, got, wanted, size):
    difference = (got.double() - wanted).norm(dim=-1)
    error = torch.where(size > 0, difference / size.clamp(min=1e-300),
                        torch.where(difference == 0, 0.0, torch.inf))
    return error.nan_to_num(nan=float("inf")).max().item() if error.numel() else 0.0


def prepare(torch, case, sizes, generator):
    batch, queries, keys = sizes
    element = torch.bfloat16 if case.element == "bf16" else torch.float16

    def normal(heads, length, dim):
        return torch.randn(batch, heads, length, dim, device="cuda", generator=generator, dtype=element)

    q, dout = normal(case.heads, queries, case.dim), normal(case.heads, queries, case.value)
    k, v = normal(case.kv_heads, keys, case.dim), normal(case.kv_heads, keys, case.value)
    out, lse, sums, relative = expected(torch, case, q, k, v, dout)
    tensors = [laid_out(case, x) for x in (q, k, v, out.to(q.dtype), dout)]
    results = tuple(torch.full_like(x, float("nan")) for x in tensors[:3])
    return (*tensors, lse.float()), results, sums, relative


def laid_out(case, x):
    """Between B H S D and the order of the case, which are the same exchange."""
    return x if case.layout == "bhsd" else x.transpose(1, 2).contiguous()


def check(torch, kernel, case, sizes, generator):
    """The largest errors of dQ, dK and dV, and what each may be by those of PyTorch."""
    inputs, results, sums, relative = prepare(torch, case, sizes, generator)
    kernel(*inputs, out=results)
    torch.cuda.synchronize()
    errors = [largest_error(torch, laid_out(case, got), *x) for got, *x in zip(results, sums, relative)]
    q, k, v, _, dout = (laid_out(case, x) for x in inputs[:5])
    theirs, rows = peer_gradients.gradients(
        torch, q, k, v, dout, case.scale, case.mask, CAP if case.modification == "softcap" else None)
    sums, relative = [sums[0][:, :, rows], *sums[1:]], [relative[0][:, :, rows], *relative[1:]]
    # Results are rounded once, by half of the last place.
    rounding = torch.finfo(q.dtype).eps / 2
    return errors, [2 * largest_error(torch, *x) + rounding for x in zip(theirs, sums, relative)]


def differing(torch, kernel, case, sizes, generator, launches):
    """Launches whose results differ from those of the first."""
    inputs, results, _, _ = prepare(torch, case, sizes, generator)
    kernel(*inputs, out=results)
    first = [x.clone() for x in results]
    different = torch.zeros((), dtype=torch.int64, device="cuda")
    for _ in range(launches):
        for x in results:
            x.fill_(float("nan"))
        kernel(*inputs, out=results)
        same = [(a.view(torch.int16) == b.view(torch.int16)).all() for a, b in zip(results, first)]
        different += ~torch.stack(same).all()
    return int(different)


def run_half(arguments):
    torch, attn_mlir = harness.require_gpu(arguments.strict)
    generator = torch.Generator(device="cuda").manual_seed(arguments.seed)
    good, wrong, worst, shares = 0, [], [0.0] * 3, []
    for case in CASES:
        if arguments.filter not in case.name:
            continue
        try:
            kernel = attn_mlir.load(str(DIRECTORY / case.name))
            # In the form `fused` CTAs add in any order.
            if arguments.determinism and "form=fused" not in case.schedule:
                count = differing(torch, kernel, case, SIZES[1], generator, arguments.determinism)
                wrong += [f"{case.name}: {count} launches differ"] * bool(count)
        except Exception as error:
            wrong.append(f"{case.name}: {error}")
            continue
        for sizes in SIZES:
            try:
                errors, bounds = check(torch, kernel, case, sizes, generator)
            except Exception as error:
                wrong.append(f"{case.name} {sizes}: {str(error)[:200]}")
                continue
            if all(error <= min(bound, BOUND) for error, bound in zip(errors, bounds)):
                good += 1
                worst = list(map(max, worst, errors))
                shares.append(max(error / bound for error, bound in zip(errors, bounds)))
            else:
                wrong.append(f"{case.name} {sizes}: " + ", ".join(
                    f"{n} {e:.3g} of {b:.3g}" for n, e, b in zip(("dQ", "dK", "dV"), errors, bounds)))
    print(f"{harness.describe_device(torch)}; seed {arguments.seed}")
    print("\n".join("WRONG " + text for text in wrong))
    print(f"{good} of {good + len(wrong)} combinations are right; the largest errors "
          + ", ".join(f"{n} {e:.2g}" for n, e in zip(("dQ", "dK", "dV"), worst))
          + f"; of what PyTorch's allow at most {100 * max(shares, default=0):.0f} %")
    return 1 if wrong or not good else 0


def main():
    parser = harness.new_parser(__doc__)
    halves = harness.add_halves(parser)
    for half in halves:
        half.add_argument("--filter", default="", help="part of a name")
    halves[1].add_argument("--seed", type=int, default=1)
    halves[1].add_argument("--determinism", type=int, default=0, metavar="N")
    arguments = parser.parse_args()
    return compile_half(arguments) if arguments.half == "compile" else run_half(arguments)


if __name__ == "__main__":
    sys.exit(main())
