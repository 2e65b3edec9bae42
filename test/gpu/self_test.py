#!/usr/bin/env python3
"""Tests of check.py itself, on a CPU (wants PyTorch, no GPU).

The float64 reference is compared with loops over single numbers, and kernels
with planted defects must be seen.
"""

import math
import struct
import sys

import cases
import check
import extremes
import harness
import reference


def visible(mask, i, j, queries, keys):
    o = keys - queries if mask.align == "bottom_right" else 0
    if mask.kind == "none":
        return True
    if mask.kind == "causal":
        return j <= i + o
    low = mask.left < 0 or i + o - mask.left <= j
    return low and (mask.right < 0 or j <= i + o + mask.right)


def score(case, s, b, h, i, j, scalars):
    if case.modification == "softcap":
        return scalars[0] * math.tanh(s / scalars[0])
    if case.modification == "alibi":
        return s + 2.0 ** (-2 * h) * (j - i)
    if case.modification == "drop" and (i + b + j) % 3 == 0:
        return -math.inf
    if case.modification in extremes.MODIFICATIONS:
        kept, added = extremes.change(case.modification, j)
        # Rounded to f32, each.
        (added,) = struct.unpack("f", struct.pack("f", added))
        if math.isfinite(s):
            return struct.unpack("f", struct.pack("f", kept * s + added))[0]
        return s + added if kept else added
    return s


def weigh(scores):
    """exp of scores by key, relative to the largest, and that."""
    most = max(scores.values(), default=-math.inf)
    if any(math.isnan(s) or s == math.inf for s in scores.values()):
        return dict.fromkeys(scores, math.nan), math.nan
    if most == -math.inf:
        return {}, most
    return {j: math.exp(s - most) for j, s in scores.items()}, most


def by_hand(torch, case, q, k, v, scalars):
    """Attention of [B, H, S, D], number by number."""
    batch, heads, queries, _ = q.shape
    kv_heads, keys = k.shape[1], k.shape[2]
    o = torch.zeros(batch, heads, queries, v.shape[3], dtype=torch.float64)
    lse = torch.full((batch, heads, queries), -math.inf, dtype=torch.float64)
    q, k, v = q.double(), k.double(), v.double()
    for b in range(batch):
        for h in range(heads):
            g = h // (heads // kv_heads)
            for i in range(queries):
                scores = {}
                for j in range(keys):
                    if not visible(case.mask, i, j, queries, keys):
                        continue
                    s = case.scale * float(q[b, h, i] @ k[b, g, j])
                    scores[j] = score(case, s, b, h, i, j, scalars)
                weights, most = weigh(scores)
                total = sum(weights.values())
                if total == 0:
                    continue
                lse[b, h, i] = most + math.log(total)
                for j, w in weights.items():
                    o[b, h, i] += w / total * v[b, g, j]
    return o, lse


def fake_kernel(torch, case, defect=None):
    """What attn_mlir.load would return, on the CPU and perhaps wrong."""

    def kernel(*inputs, out, lse=None, scalars=()):
        if case.kind == "matmul":
            return out.copy_(inputs[0].double() @ inputs[1].double())
        turn = (lambda t: t.transpose(1, 2)) if case.bshd else (lambda t: t)
        q, k, v = map(turn, inputs)
        if defect == "one key less":
            k, v = k[:, :, :-1], v[:, :, :-1]
        if defect == "wrong KV head":
            k, v = k.flip(1), v.flip(1)
        o, l = by_hand(torch, case, q, k, v, scalars)
        if defect == "log2":
            l = l / math.log(2)
        if defect == "empty row":
            o[l == -math.inf] = 1e-30
        if defect == "rows shifted":
            o = o.roll(1, dims=2)
        rows = slice(0, -1) if defect == "last row unwritten" else slice(None)
        turn(out)[:, :, rows] = o[:, :, rows].to(out.dtype)
        if lse is not None:
            lse.copy_(l)
        if defect == "NaN":
            turn(out)[0, 0, 0, 0] = math.nan
        if defect == "no NaN":
            out.nan_to_num_(nan=0.5)
        if defect == "a quarter off":
            out.mul_(1.25)
        if defect == "beyond the end":
            size = out.untyped_storage().nbytes() // out.element_size()
            end = out.storage_offset() + sum(
                (n - 1) * s for n, s in zip(out.shape, out.stride())
            )
            out.as_strided((size,), (1,), 0)[end + 1] = 0.0
        if defect == "before the start":
            out.as_strided((out.storage_offset(),), (1,), 0)[-1] = math.nan
        if defect == "input":
            inputs[1].as_strided((1,), (1,), 0)[0] = 1.0

    return kernel


def main():
    try:
        import torch
    except ImportError as error:
        harness.skip(f"no PyTorch ({error})")
    torch.manual_seed(1)
    passed = failed = 0

    def expect(ok, what):
        nonlocal passed, failed
        passed, failed = passed + bool(ok), failed + (not ok)
        if not ok:
            print("FAILED", what)

    # A case whose numbers are known: equal scores make a mean.
    q, k = torch.zeros(1, 1, 3, 8), torch.zeros(1, 1, 3, 8)
    v = torch.tensor([[[[1.0], [2.0], [6.0]]]])
    o, lse = reference.attention(torch, q, k, v, 1.0, cases.MASKS[1])
    expect(o.flatten().tolist() == [1.0, 1.5, 3.0], "causal mean")
    logs = torch.tensor([0.0, math.log(2), math.log(3)], dtype=torch.float64)
    expect(torch.allclose(lse.flatten(), logs, rtol=1e-12), "causal LSE")

    # Every kernel against loops, also through the checks.
    small = [cases.Sizes(2, 5, 9), cases.Sizes(1, 9, 4), cases.Sizes(1, 3, 0)]
    for case in cases.attention_kernels():
        for index, sizes in enumerate(small):
            case = case._replace(static=None)
            shapes = [
                (sizes.batch, case.heads, sizes.queries, case.qk),
                (sizes.batch, case.kv_heads, sizes.keys, case.qk),
                (sizes.batch, case.kv_heads, sizes.keys, case.value),
            ]
            inputs = [torch.randn(shape) for shape in shapes]
            scalars = case.scalars(sizes)
            want = by_hand(torch, case, *inputs, scalars)
            got = reference.attention(
                torch, *inputs, case.scale, case.mask, case.modification, scalars
            )
            expect(
                check.row_error(got[0], want[0]) < 1e-9
                and check.lse_error(got[1], want[1]) < 1e-12,
                f"reference of {case.describe()} {sizes.label()}",
            )
            if case.number % 6 == 0:
                kernel = fake_kernel(torch, case)
                report = check.check(
                    torch, kernel, case, sizes, index, index % 2 == 1, "cpu"
                )
                expect(not report["problems"], f"{case.describe()}: {report}")

    for case in cases.MATMULS:
        for sizes in (cases.MatmulSizes(9, case.n or 8, case.k or 16),):
            report = check.check(
                torch, fake_kernel(torch, case), case, sizes, 1, True, "cpu"
            )
            expect(not report["problems"], f"{case.describe()}: {report}")

    # Large scores, infinities and NaN: keys on both sides, a few rows.
    for number, case in enumerate(cases.extreme_kernels(0)):
        mask = case.mask._replace(align="bottom_right")
        case = case._replace(heads=1, kv_heads=1, qk=32, value=8, bshd=False, mask=mask)
        for like in case.inputs:
            sizes = cases.Sizes(1, 6 if like == "NaN in Q" else 2, 640 + number % 3)
            seen = ["a quarter off"] * (like not in ("NaN in K", "inf in K"))
            seen += ["no NaN"] * like.startswith(("NaN", "inf"))
            for defect in [None, *seen]:
                kernel = fake_kernel(torch, case, defect)
                report = check.check(torch, kernel, case, sizes, 5, True, "cpu", like)
                expect(
                    bool(report["problems"]) == bool(defect),
                    f"defect '{defect}', {case.describe()} {like}: {report}",
                )

    # Planted defects.
    case = cases.attention_kernels()[0]._replace(
        element="bf16", qk=64, value=64, heads=4, kv_heads=2, lse=True, static=None,
        mask=cases.Mask("causal", -1, 0, "bottom_right"), modification="none",
    )
    for defect in (
        None, "one key less", "wrong KV head", "log2", "empty row", "rows shifted",
        "last row unwritten", "NaN", "beyond the end", "before the start", "input",
    ):
        for padded in (False, True):
            for bshd in (False, True):
                now = case._replace(bshd=bshd)
                kernel = fake_kernel(torch, now, defect)
                report = check.check(
                    torch, kernel, now, cases.Sizes(2, 9, 7), 3, padded, "cpu"
                )
                expect(
                    bool(report["problems"]) == bool(defect),
                    f"defect '{defect}', padded {padded}, bshd {bshd}: {report}",
                )
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
