#!/usr/bin/env python3
"""attn_mlir.attention() of float8 tensors on a GPU, against float64.

    check_float8_calls.py               all cases; needs PyTorch, and the compiler installed or built
    check_float8_calls.py --only REGEX  cases whose name matches

V is [batch, heads, keys, D], as users have it, and once given by columns. Lengths of caches are read on the device; where FP8 does not
have them yet, the case says so and counts as left out. What lies behind a length is NaN.
"""

import argparse
import functools
import itertools
import re
import sys

# Of weights with 4 bits (e4m3) and 3 (e5m2); errors are of all rows together.
BOUNDS = {"e4m3fn": 4e-2, "e5m2": 8e-2}
# A score is a sum whose terms the unit keeps to 13 bits behind the largest of an instruction's, that of the sum before included
# (docs/fp8.md).
SCORE_BITS, TERMS = 2.0**-13, 32
SHAPES = ((2, 300, 1000), (1, 77, 79), (3, 1, 513), (1, 128, 128), (1, 33, 16))


def wide(x, scale, torch):
    return x.to(torch.float32).double() * scale.double().repeat_interleave(x.shape[1] // scale.shape[1], 1)[:, :, None, None]


def score_bound(torch, q, k):
    """The most by which a score may be off: in each instruction, of each of its terms as much as the largest allows."""
    bound = total = torch.zeros((), dtype=q.dtype, device=q.device)
    for first in range(0, q.shape[-1], TERMS):
        terms = [q[..., d, None] * k[..., None, :, d] for d in range(first, min(first + TERMS, q.shape[-1]))]
        bound = bound + (len(terms) + 1) * SCORE_BITS * torch.stack([total.abs().expand_as(terms[0]), *(x.abs() for x in terms)]).amax(0)
        total = total + sum(terms)
    return bound.max().item() * q.shape[-1] ** -0.5 if bound.numel() else 1.0


def reference(torch, q, k, v, causal):
    k, v = (x.repeat_interleave(q.shape[1] // k.shape[1], 1) for x in (k, v))
    scores = q @ k.transpose(-1, -2) * q.shape[-1] ** -0.5
    bound = score_bound(torch, q, k)
    if causal:
        queries, keys = scores.shape[-2:]
        i, j = (torch.arange(n, device=q.device) for n in (queries, keys))
        scores = scores.masked_fill(j[None] > i[:, None] + keys - queries, float("-inf"))
    # Rows that see no key are 0, and their LSE is -inf.
    return torch.softmax(scores, -1).nan_to_num(0) @ v, (torch.logsumexp(scores, -1), bound)


def error(o, r):
    return ((o.double() - r).norm() / r.norm().clamp_min(1e-30)).nan_to_num(float("inf")).item()


def lse_error(lse, wanted):
    """Of what may be, at most 1."""
    r, bound = wanted
    same = lse.double() == r  # Infinities.
    return (lse.double() - r).masked_fill(same, 0).abs().nan_to_num(float("inf")).max().item() / bound


def made(torch, element, dim, group, sizes, seed):
    """Q, K and V with scales of each KV head."""
    batch, queries, keys = sizes
    generator = torch.Generator("cuda").manual_seed(seed)
    dtype = getattr(torch, f"float8_{element}")
    tensors = [torch.randn(batch, heads, length, dim, device="cuda", generator=generator).to(dtype)
               for heads, length in ((4 * group, queries), (4, keys), (4, keys))]
    return tensors, [torch.rand(batch, 4, device="cuda", generator=generator) + 0.5 for _ in range(3)]


def check_dense(torch, attn_mlir, element, dim, group, causal, layout="bhsd", columns=False):
    """The largest errors of O and of LSE."""
    found = []
    for number, sizes in enumerate(SHAPES):
        (q, k, v), scales = made(torch, element, dim, group, sizes, number)
        r, rl = reference(torch, *(wide(x, scale, torch) for x, scale in zip((q, k, v), scales)), causal)
        given = [x.transpose(1, 2).contiguous() if layout == "bshd" else x for x in (q, k, v)]
        if columns:
            given[2] = attn_mlir.interleaved_values(given[2], layout)
        o, lse = attn_mlir.attention(*given, causal=causal, layout=layout, return_lse=True, **named(scales))
        found.append((error(o.transpose(1, 2) if layout == "bshd" else o, r), lse_error(lse, rl)))
    return [max(x) for x in zip(*found)]


def check_signs(torch, attn_mlir, dim, causal):
    """Scores below zero, of which maxima as integers would be the least (attn-integer-maxima): of all keys of a head, of those before or behind
    the middle, of all but one."""
    found = []
    for number, sizes in enumerate(((1, 300, 1500), (2, 64, 5000))):
        (q, k, v), scales = made(torch, "e4m3fn", dim, 1, sizes, number)
        middle = sizes[2] // 2
        q[..., 0], k[..., 0] = (torch.tensor(x, device="cuda").to(q.dtype) for x in (8.0, -8.0))
        for head, places in ((1, slice(middle, None)), (2, slice(0, middle)), (3, slice(middle, middle + 1))):
            k[:, head, places, 0] = torch.tensor(1.0, device="cuda").to(k.dtype)
        r, rl = reference(torch, *(wide(x, scale, torch) for x, scale in zip((q, k, v), scales)), causal)
        for given in (v, attn_mlir.interleaved_values(v, "bhsd")):
            o, lse = attn_mlir.attention(q, k, given, causal=causal, return_lse=True, **named(scales))
            found.append((error(o, r), lse_error(lse, rl)))
    return [max(x) for x in zip(*found)]


def check_lengths(torch, attn_mlir, element, dim, group, causal):
    """Each sequence of a batch ends at a length of its own."""
    found = []
    for queries, capacity, lengths in ((1, 513, (513, 1, 100)), (5, 320, (5, 319, 64)), (1, 64, (0, 64, 17))):
        (q, k, v), scales = made(torch, element, dim, group, (len(lengths), queries, capacity), capacity)
        for number, length in enumerate(lengths):
            for x in (k, v):
                x.view(torch.uint8)[number, :, length:] = 0x7F  # NaN in both types.
        o, lse = attn_mlir.attention(q, k, v, causal=causal, return_lse=True, **named(scales),
                                     lengths=torch.tensor(lengths, dtype=torch.int32, device="cuda"))
        for b, n in enumerate(lengths):
            r, rl = reference(torch, wide(q[b:b + 1], scales[0][b:b + 1], torch),
                              *(wide(x[b:b + 1, :, :n], s[b:b + 1], torch) for x, s in zip((k, v), scales[1:])), causal)
            found.append((error(o[b:b + 1], r), lse_error(lse[b:b + 1], rl)))
    return [max(x) for x in zip(*found)]


def named(scales):
    return dict(zip(("q_scale", "k_scale", "v_scale"), scales))


def cases():
    """Name, element, check and its arguments."""
    for element, dim, group, causal in itertools.product(BOUNDS, (64, 128, 256), (1, 4), (False, True)):
        name = f"{element} D {dim} group {group} {'causal' if causal else 'full'}"
        arguments = (element, dim, group, causal)
        yield name, element, check_dense, arguments
        if element == "e4m3fn":
            yield f"{name} lengths", element, check_lengths, arguments
    for dim, causal in itertools.product((64, 128, 256), (False, True)):
        yield f"e4m3fn D {dim} signs {'causal' if causal else 'full'}", "e4m3fn", check_signs, (dim, causal)
    yield "e4m3fn D 40 padded", "e4m3fn", check_dense, ("e4m3fn", 40, 2, True)
    yield "e4m3fn D 128 bshd", "e4m3fn", check_dense, ("e4m3fn", 128, 2, True, "bshd")
    yield "e4m3fn D 128 columns", "e4m3fn", check_dense, ("e4m3fn", 128, 2, False, "bhsd", True)


def run(cases, only):
    """Runs those of (name, bound of O, check) whose name matches, and counts and prints what comes out of them; the exit code. A check
    gives the errors of O and of LSE, of its bound, or raises NotImplementedError where a device has no such thing."""
    passed, failed, left_out = 0, 0, 0
    for name, bound, check in cases:
        if not re.search(only, name):
            continue
        try:
            o, lse = check()
        except NotImplementedError as error:
            left_out += 1
            print(f"{name}: left out, {error}", flush=True)
            continue
        except (RuntimeError, ValueError) as error:
            failed += 1
            print(f"{name}: FAIL {type(error).__name__}: {str(error).splitlines()[0]}", flush=True)
            continue
        good = o < bound and lse <= 1
        passed, failed = passed + good, failed + (not good)
        print(f"{name}: O {o:.2e}, LSE {lse:.2f} of its bound {'PASS' if good else 'FAIL'}", flush=True)
    print(f"{passed} passed, {failed} failed, {left_out} left out")
    return 1 if failed or not passed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="REGEX")
    only = parser.parse_args().only
    import attn_mlir
    import torch

    return run(((name, BOUNDS[element], functools.partial(check, torch, attn_mlir, *arguments))
                for name, element, check, arguments in cases()), only)


if __name__ == "__main__":
    sys.exit(main())
