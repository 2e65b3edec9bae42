#!/usr/bin/env python3
"""Gradients where a loss depends on LSE, and of biases, on a GPU, against float64.

    check_capture_gradients.py compile    bundles of CASES
    check_capture_gradients.py run        launches them, twice: errors, poisoned outputs, equal bits
    check_capture_gradients.py run --time    and what the gradient of a bias takes, by kernels and by PyTorch

Errors are those of check_gradients.py: of rows, relative to the larger of their norm and that of their terms, held to
BOUND and to twice that of PyTorch's gradients in the same precision, operation by operation, plus their rounding.
"""

import math
import sys
from typing import NamedTuple

import harness
import reference
from cases import Mask
from check_gradients import BOUND, largest_error

DIRECTORY = harness.ROOT / "build-gpu" / "capture_gradients"
CAP = 3.0


class Case(NamedTuple):
    dim: int
    heads: int
    kv_heads: int
    mask: Mask
    sums: str = ""  # What the bias is broadcast over, of "bhqk"; "-": there is none
    cap: bool = False
    of_lse: bool = False
    schedule: str = ""
    lower: str = ""

    @property
    def name(self):
        words = [f"d{self.dim}", f"{self.heads}_{self.kv_heads}", self.mask.label(), "over_" + self.sums, "cap" * self.cap,
                 "lse" * self.of_lse, self.schedule, self.lower]
        return "".join(c if c.isalnum() else "_" for c in "-".join(filter(None, words)))

    @property
    def has_bias(self):
        return self.sums != "-"

    @property
    def scale(self):
        return round(self.dim**-0.5, 9)

    def bias_sizes(self, batch, queries, keys):
        sizes = (batch, self.heads, queries, keys)
        return [1 if name in self.sums else size for name, size in zip("bhqk", sizes)]

    def text(self):
        q, k = (f"tensor<?x{heads}x?x{self.dim}xbf16>" for heads in (self.heads, self.kv_heads))
        lse = f"tensor<?x{self.heads}x?xf32>"
        operands = {"q": q, "k": k, "v": k, "o": q, "do": q, "lse": lse}
        operands |= {"dlse": lse} if self.of_lse else {}
        sizes = self.bias_sizes("?", "?", "?")
        bias = f"tensor<{'x'.join(map(str, sizes))}xbf16>"
        results, clauses, region, added = [q, k, k], " lse_gradient(%dlse)" * self.of_lse, "", ""
        clauses += f"{self.mask.text()} scale({self.scale!r})"
        if self.has_bias:
            operands["bias"] = bias
            results.append(f"tensor<{'x'.join(map(str, sizes[:3] if 'k' in self.sums else sizes))}xbf16>")
            clauses += " captures(%bias) of([0])"
            at = ", ".join("%zero" if name in self.sums else f"%{name}" for name in "bhqk")
            added = f"""    %zero = arith.constant 0 : index
    %narrow = attn.gather %t[{at}] : {bias} -> bf16
    %x = arith.extf %narrow : bf16 to f32
    %y = arith.addf %capped, %x : f32
    attn.yield %y : f32
"""
            capped = """    %cap = arith.constant 3.0 : f32
    %part = arith.divf %s, %cap : f32
    %tanh = math.tanh %part : f32
    %capped = arith.mulf %tanh, %cap : f32
"""
            region = f" score(%s: f32, %b: index, %h: index, %q: index, %k: index, %t: {bias}) {{\n"
            region += (capped + added if self.cap else added.replace("%capped", "%s")) + "  }"
        names = [f"%r#{i}" for i in range(len(results))]
        shown = ", ".join(results)
        return (
            f"func.func @gradients({', '.join(f'%{name}: {type}' for name, type in operands.items())}) -> ({shown}) {{\n"
            f"  %r:{len(results)} = attn.attention_backward %q, %k, %v, %o, %do, %lse{clauses}{region}\n"
            f"      : ({', '.join(operands.values())}) -> ({shown})\n"
            f"  return {', '.join(names)} : {shown}\n}}\n"
        )


FULL, CAUSAL, TOP = Mask(), Mask("causal", align="bottom_right"), Mask("causal")
LATE = "wgmma=all specialize delay-waits stage-columns"
CASES = [
    Case(64, 4, 2, CAUSAL, "-", of_lse=True),
    Case(128, 2, 2, TOP, "-", of_lse=True, schedule="form=fused tiles=query=64,key=128", lower=LATE),
    Case(64, 4, 2, FULL, "", of_lse=True),
    Case(128, 2, 2, CAUSAL, "b", cap=True),
    Case(64, 4, 1, TOP, "h", of_lse=True),
    Case(128, 4, 4, FULL, "bh"),
    Case(64, 4, 2, CAUSAL, "q"),
    Case(64, 2, 2, FULL, "bhq", of_lse=True),
    Case(128, 4, 2, FULL, "k", of_lse=True),
    Case(64, 2, 2, FULL, "b", schedule="tiles=query=64,key=64", lower="wgmma=all specialize"),
]
SIZES = [(2, 131, 131), (1, 300, 1025), (3, 512, 640)]


def inputs_of(torch, case, sizes, generator):
    batch, queries, keys = sizes

    def normal(*shape, dtype=torch.bfloat16):
        return torch.randn(shape, device="cuda", generator=generator, dtype=dtype)

    tensors = [normal(batch, case.heads, queries, case.dim)]
    tensors += [normal(batch, case.kv_heads, keys, case.dim) for _ in "kv"]
    bias = normal(*case.bias_sizes(*sizes)) if case.has_bias else None
    dout = normal(*tensors[0].shape)
    dlse = normal(batch, case.heads, queries, dtype=torch.float32) if case.of_lse else None
    return tensors, bias, dout, dlse


def scores_of(torch, case, q, k, bias):
    scores = case.scale * (q @ k.repeat_interleave(case.heads // case.kv_heads, 1).transpose(-1, -2))
    scores = CAP * torch.tanh(scores / CAP) if case.cap else scores
    scores = scores if bias is None else scores + bias
    keep = reference.visible(torch, case.mask, q.shape[2], k.shape[2], q.device)
    return scores.masked_fill(~keep, -torch.inf)


def by_autograd(torch, case, tensors, bias, dout, dlse):
    """Gradients operation by operation, in the precision of the tensors; O and LSE."""
    leaves = [x.detach().requires_grad_() for x in (*tensors, *([] if bias is None else [bias]))]
    scores = scores_of(torch, case, *leaves[:2], None if bias is None else leaves[3])
    out = torch.softmax(scores, -1) @ leaves[2].repeat_interleave(case.heads // case.kv_heads, 1)
    lse = torch.logsumexp(scores, -1)
    results, changes = ([out], [dout]) if dlse is None else ([out, lse], [dout, dlse.to(lse.dtype)])
    return torch.autograd.grad(results, leaves, changes), out.detach(), lse.detach()


def terms_of(torch, case, tensors, bias, dout, dlse, out, lse):
    """What the rows of gradients are sums of: roots of the sums of squares of their terms, in float64."""
    q, k, v = tensors
    group = case.heads // case.kv_heads
    wide_k, wide_v = (x.repeat_interleave(group, 1) for x in (k, v))
    weights = torch.exp(scores_of(torch, case, q, k, bias) - lse[..., None])
    both = dout @ wide_v.transpose(-1, -2)
    delta = (out * dout).sum(-1, keepdim=True) - (0 if dlse is None else dlse[..., None])
    parts = weights**2 * (both**2 + delta**2 + ((out * dout)**2).sum(-1, keepdim=True))
    slope = 1.0
    if case.cap:
        slope = 1 - torch.tanh(case.scale * (q @ wide_k.transpose(-1, -2)) / CAP)**2
    of_scores = parts * (slope * case.scale)**2

    def narrow(x):
        return x.unflatten(1, (case.kv_heads, group)).sum(2)

    def squares(x):
        return (x * x).sum(-1, keepdim=True)

    terms = [of_scores @ squares(wide_k), narrow(of_scores.transpose(-1, -2) @ squares(q)),
             narrow((weights**2).transpose(-1, -2) @ squares(dout))]
    if bias is not None:
        terms.append(parts.sum_to_size(bias.shape).sum(-1, keepdim=True))
    return [t.squeeze(-1).sqrt() for t in terms]


def check(torch, kernel, case, sizes, generator):
    """The largest errors of the gradients, what each may be, and whether two launches gave the same bits."""
    tensors, bias, dout, dlse = inputs_of(torch, case, sizes, generator)
    wide = [None if x is None else x.double() for x in (bias, dout, dlse)]
    exact = [x.double() for x in tensors]
    wanted, out, lse = by_autograd(torch, case, exact, *wide)
    given = [*tensors, out.bfloat16(), dout, lse.float(), *(x for x in (dlse, bias) if x is not None)]
    launches = []
    for _ in range(2):
        results = [torch.full_like(x, float("nan")) for x in tensors]
        if bias is not None:
            results.append(torch.full(bias.shape[:3] if "k" in case.sums else bias.shape, float("nan"), device="cuda",
                                      dtype=bias.dtype))
        kernel(*given, out=tuple(results))
        torch.cuda.synchronize()
        launches.append(results)
    # CTAs add to dQ of the fused form in any order.
    fixed = slice(1, None) if "fused" in case.schedule else slice(None)
    same = all(torch.equal(a, b) for a, b in zip(launches[0][fixed], launches[1][fixed]))
    found = launches[0]
    if "k" in case.sums:
        found[3] = found[3][..., None]
    theirs, _, _ = by_autograd(torch, case, tensors, bias, dout, dlse)
    norms = terms_of(torch, case, exact, *wide, out, lse)
    relative = [torch.maximum(w.norm(dim=-1), t) for w, t in zip(wanted, norms)]
    rounding = torch.finfo(torch.bfloat16).eps / 2
    errors = [largest_error(torch, *x) for x in zip(found, wanted, relative)]
    return errors, [2 * largest_error(torch, *x) + rounding for x in zip(theirs, wanted, relative)], same


def measure(torch, attn_mlir, call, repeats=20):
    for _ in range(3):
        call()
    start, end = (torch.cuda.Event(enable_timing=True) for _ in "se")
    start.record()
    for _ in range(repeats):
        call()
    end.record()
    torch.cuda.synchronize()
    return start.elapsed_time(end) / repeats


def time_half(torch, attn_mlir, generator):
    """All gradients, of a bias that the batch shares among them, and by the back ends of PyTorch that take one."""
    case = Case(128, 4, 4, FULL, "bh")
    kernel = attn_mlir.load(str(DIRECTORY / case.name))
    for sizes in ((8, 2048, 2048), (4, 4096, 4096)):
        tensors, bias, dout, _ = inputs_of(torch, case, sizes, generator)
        leaves = [x.requires_grad_() for x in (*tensors, bias)]
        out = torch.nn.functional.scaled_dot_product_attention(*leaves[:3], attn_mask=leaves[3], scale=case.scale)
        lse = torch.logsumexp(scores_of(torch, case, *(x.detach() for x in tensors[:2]), bias.detach()).float(), -1)
        given = [x.detach() for x in (*tensors, out, dout, lse, bias)]
        results = tuple(torch.empty_like(x) for x in (*given[:3], bias.detach()))
        ours = measure(torch, attn_mlir, lambda: kernel(*given, out=results))
        theirs = measure(torch, attn_mlir, lambda: torch.autograd.grad(out, leaves, dout, retain_graph=True), 5)
        print(f"B, S {sizes}, {case.heads} heads of 128, bias over batch and heads: {ours:.3f} ms, PyTorch {theirs:.3f} ms", flush=True)


def run_half(arguments):
    torch, attn_mlir = harness.require_gpu(arguments.strict)
    generator = torch.Generator(device="cuda").manual_seed(arguments.seed)
    good, wrong, shares, worst = 0, [], [], 0.0
    for case in CASES:
        if arguments.filter not in case.name:
            continue
        for sizes in SIZES:
            try:
                kernel = attn_mlir.load(str(DIRECTORY / case.name))
                errors, bounds, same = check(torch, kernel, case, sizes, generator)
            except Exception as error:
                wrong.append(f"{case.name} {sizes}: {str(error)[:300]}")
                continue
            shares.append(max(e / b for e, b in zip(errors, bounds)))
            worst = max(worst, *errors)
            if same and all(e <= min(b, BOUND) and math.isfinite(e) for e, b in zip(errors, bounds)):
                good += 1
            else:
                wrong.append(f"{case.name} {sizes}: " + ("" if same else "two launches differ; ") + ", ".join(
                    f"{n} {e:.3g} of {b:.3g}" for n, e, b in zip(("dQ", "dK", "dV", "dbias"), errors, bounds)))
    print(f"{harness.describe_device(torch)}; seed {arguments.seed}")
    print("\n".join("WRONG " + text for text in wrong))
    print(f"{good} of {good + len(wrong)} combinations are right; the largest error {worst:.2g}; of what PyTorch's allow at "
          f"most {100 * max(shares, default=0):.0f} %", flush=True)
    if arguments.time:
        time_half(torch, attn_mlir, generator)
    return 1 if wrong or not good else 0


def main():
    parser = harness.new_parser(__doc__)
    halves = harness.add_halves(parser)
    for half in halves:
        half.add_argument("--filter", default="", help="part of a name")
    halves[1].add_argument("--seed", type=int, default=1)
    halves[1].add_argument("--time", action="store_true")
    arguments = parser.parse_args()
    if arguments.half == "run":
        return run_half(arguments)
    jobs = [harness.Job(DIRECTORY / c.name, c.text(), c.schedule, c.lower, arguments.target)
            for c in CASES if arguments.filter in c.name]
    return 1 if harness.compile_jobs(jobs, arguments) else 0


if __name__ == "__main__":
    sys.exit(main())
