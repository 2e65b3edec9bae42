#!/usr/bin/env python3
"""FlashAttention-3's functions of float8 on a GPU, of sequences that are packed, cached and in pages, against float64.

    check_float8_sequences.py               all cases; needs PyTorch, and the compiler installed or built
    check_float8_sequences.py --only REGEX  cases whose name matches
    check_float8_sequences.py --time        and how long calls take beside those that are widened, and those in bfloat16

What lies behind a length is NaN. A call whose K and V are widened by PyTorch in front of the kernel is a failure, and left out on devices
whose kernels do not read what it has.
"""

import argparse
import functools
import itertools
import sys
from pathlib import Path

import check_float8_calls as calls

HEADS, KV_HEADS = 16, 4
LENGTHS, ROOM = (1000, 333, 257, 400, 700, 0), 1024
PACKED = ((1, 700), (300, 300), (64, 65), (200, 1000), (129, 200), (0, 5))  # Queries and keys of sequences.
BOUND = calls.BOUNDS["e4m3fn"]


class Widened(Exception):
    """K and V became bfloat16 in front of the kernel."""


def draw(torch, seed, *shape):
    generator = torch.Generator("cuda").manual_seed(seed)
    return torch.randn(*shape, device="cuda", generator=generator).to(torch.float8_e4m3fn)


def scales_of(torch, batch):
    generator = torch.Generator("cuda").manual_seed(batch)
    return [torch.rand(batch, KV_HEADS, device="cuda", generator=generator) + 0.5 for _ in range(3)]


def named(scales):
    return dict(zip(("q_descale", "k_descale", "v_descale"), scales))


def errors(torch, parts, scales, causal):
    """The largest errors of O and LSE of sequences: q, k, v [S, H, D], O [S, H, D], LSE [H, S] of each."""
    found = []
    for b, (q, k, v, o, lse) in enumerate(parts):
        if len(q) == 0:
            continue
        if len(k) == 0:
            found.append((o.abs().max().item(), 0.0 if (lse == float("-inf")).all() else float("inf")))
            continue
        wide = [calls.wide(x.transpose(0, 1)[None], scale[b : b + 1], torch) for x, scale in zip((q, k, v), scales)]
        r, rl = calls.reference(torch, *wide, causal)
        found.append((calls.error(o.transpose(0, 1)[None], r), calls.lse_error(lse[None], rl)))
    return [max(x) for x in zip(*found)]


def cut(x, size, table):
    """A cache [B, S, Hkv, D] in pages by the numbers of a table."""
    pages = x.new_empty(table.numel(), size, *x.shape[2:], dtype=torch_of(x).uint8)
    pages[table.long().flatten()] = x.view(torch_of(x).uint8).reshape(-1, size, *x.shape[2:])
    return pages.view(x.dtype)


def torch_of(x):
    return sys.modules[type(x).__module__.partition(".")[0]]


def check_cache(torch, fa3, dim, queries, causal, page=0, named_rows=False):
    batch = len(LENGTHS)
    q = draw(torch, 0, batch, queries, HEADS, dim)
    k, v = (draw(torch, 1 + i, batch, ROOM, KV_HEADS, dim) for i in range(2))
    for b, length in enumerate(LENGTHS):
        for x in (k, v):
            x.view(torch.uint8)[b, length:] = 0x7F
    scales, rows = scales_of(torch, batch), list(range(batch))
    lengths, caches, keywords = torch.tensor(LENGTHS, dtype=torch.int32, device="cuda"), (k, v), {}
    if page:
        table = torch.randperm(batch * ROOM // page, device="cuda").int().view(batch, -1)
        caches, keywords = [cut(x, page, table) for x in (k, v)], {"page_table": table}
    if named_rows:
        rows = rows[1:] + rows[:1]
        keywords["cache_batch_idx"] = torch.tensor(rows, dtype=torch.int32, device="cuda")
        lengths = lengths[keywords["cache_batch_idx"].long()]
    o, lse = fa3.flash_attn_with_kvcache(
        q, *caches, cache_seqlens=lengths, causal=causal, return_softmax_lse=True, **keywords, **named(scales))
    return errors(torch, [(q[b], k[row, : LENGTHS[row]], v[row, : LENGTHS[row]], o[b], lse[b]) for b, row in enumerate(rows)], scales, causal)


def check_packed(torch, fa3, dim, causal):
    starts = [list(itertools.accumulate((0, *each))) for each in zip(*PACKED)]
    q, k, v = (draw(torch, i, starts[min(i, 1)][-1], HEADS if i == 0 else KV_HEADS, dim) for i in range(3))
    cu_q, cu_k = (torch.tensor(each, dtype=torch.int32, device="cuda") for each in starts)
    scales = scales_of(torch, len(PACKED))
    o, lse = fa3.flash_attn_varlen_func(
        q, k, v, cu_q, cu_k, max(m for m, _ in PACKED), max(n for _, n in PACKED), causal=causal, return_attn_probs=True, **named(scales))
    of_q, of_k = ([slice(*pair) for pair in zip(each, each[1:])] for each in starts)
    return errors(torch, [(q[i], k[j], v[j], o[i], lse[:, i]) for i, j in zip(of_q, of_k)], scales, causal)


def cases():
    """Name, check and its arguments."""
    for dim, causal in itertools.product((64, 128, 256), (False, True)):
        name = f"D {dim} {'causal' if causal else 'full'}"
        yield f"{name} packed", check_packed, (dim, causal)
        for queries, page in itertools.product((1, 5, 100), (0, 64, 16)):
            kind = f"pages of {page}" if page else "cache"
            yield f"{name} {kind} M {queries}", check_cache, (dim, queries, causal, page)
    yield "D 128 causal rows M 100", check_cache, (128, 100, True, 0, True)
    yield "D 128 causal rows of pages M 1", check_cache, (128, 1, True, 64, True)


def timed_calls(torch, fa3, widen):
    """Name -> call: of float8, of float8 that is widened, and of bfloat16."""
    dim, heads, kv_heads, page = 128, 32, 8, 64
    length, count = 2048, 8
    cu = torch.arange(count + 1, dtype=torch.int32, device="cuda") * length
    packed = [draw(torch, i, length * count, heads if i == 0 else kv_heads, dim) for i in range(3)]
    batch, keys = 64, 8192
    table = torch.randperm(batch * keys // page, device="cuda").int().view(batch, -1)
    lengths = torch.full((batch,), keys, dtype=torch.int32, device="cuda")
    q = draw(torch, 0, batch, 1, heads, dim)
    k, v = (torch.cat([draw(torch, i, keys // page, page, kv_heads, dim).view(torch.uint8)] * batch).view(q.dtype) for i in (1, 2))
    functions = {
        f"packed, {count} x {length}, causal": (lambda *x: fa3.flash_attn_varlen_func(*x, cu, cu, length, length, causal=True), packed),
        f"decoding, {batch} x {keys} in pages of {page}": (
            lambda *x: fa3.flash_attn_with_kvcache(*x, cache_seqlens=lengths, page_table=table, causal=True), (q, k, v)),
    }
    found = {}
    for name, (function, narrow) in functions.items():
        wide = [x.to(torch.bfloat16) for x in narrow]
        found[f"{name}: float8"] = lambda turn, f=function, x=narrow: f(*x)
        found[f"{name}: widened"] = lambda turn, f=function, x=narrow: widen(f, *x)
        found[f"{name}: bfloat16"] = lambda turn, f=function, x=wide: f(*x)
    return found


def print_times(torch, fa3):
    from attn_mlir import _flash_attn_3

    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
    from common import time_interleaved

    reads = _flash_attn_3._forward_float8_sequences

    def widen(function, *arguments):
        _flash_attn_3._forward_float8_sequences = lambda *_: None
        try:
            return function(*arguments)
        finally:
            _flash_attn_3._forward_float8_sequences = reads

    for name, ms in time_interleaved(torch, timed_calls(torch, fa3, widen), 15).items():
        print(f"{name}: {1e3 * ms:.0f} us", flush=True)


def refuse_widening(widened_float8):
    """Calls that are widened raise Widened; returns the function that does it."""
    before = widened_float8.widened

    def refuse(*arguments):
        raise Widened

    widened_float8.widened = refuse
    return before


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="REGEX")
    parser.add_argument("--time", action="store_true")
    arguments = parser.parse_args()
    import torch
    from attn_mlir import _targets, _widened_float8
    from attn_mlir import flash_attn_3 as fa3

    before = refuse_widening(_widened_float8)
    target = _targets.of_device("hip" if torch.version.hip else "cuda", 0)

    def attempt(name, check, given):
        try:
            return check(torch, fa3, *given)
        except Widened as error:
            if _targets.reads_float8_sequences(target) or ("packed" not in name and _targets.reads_float8_caches(target)):
                raise RuntimeError("it was widened") from error
            raise NotImplementedError(f"it is widened on {target.name}") from error

    code = calls.run(((name, BOUND, functools.partial(attempt, name, check, given)) for name, check, given in cases()), arguments.only)
    if arguments.time:
        _widened_float8.widened = before
        print_times(torch, fa3)
    return code


if __name__ == "__main__":
    sys.exit(main())
