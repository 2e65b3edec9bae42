#!/usr/bin/env python3
"""What a call costs the host, by every door of the Python package.

    doors.py single [--device cuda]     doors of one device: microseconds of a call, in turns of which the order is drawn
    doors.py ranks [--device cuda]      context_parallel over two processes, beside a round of words of the same size
    doors.py single --profile NAME      where the calls of one door spend it, by cProfile

On the CPU a launch returns at once, without running a kernel: code for few numbers is not optimised, and takes longer than all else. On a GPU tensors are so
small that no call waits for another one's kernels. Times are medians, or another --quantile.
"""

import argparse
import cProfile
import ctypes
import functools
import json
import pathlib
import pstats
import random
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "python"))  # where none is installed

import common  # noqa: F401  (adds test/gpu to the path)
import ranks

HEADS, KV_HEADS, DIM, QUERIES, KEYS, PAGE = 4, 2, 16, 16, 32, 16
BATCH = 2


def _dense(torch, package, random_of):
    """Doors of whole tensors."""
    q, k, v = (random_of(1, heads, length, DIM) for heads, length in ((HEADS, QUERIES), (KV_HEADS, KEYS), (KV_HEADS, KEYS)))
    mask = torch.ones(QUERIES, KEYS, dtype=torch.bool, device=q.device)
    bias = random_of(HEADS, KEYS)
    wide = [x.transpose(1, 2) for x in (q, k, v)]
    out = torch.empty_like(q)
    attention, functional = package.attention, torch.nn.functional
    return {
        "attention": lambda: attention(q, k, v),
        "attention, out": lambda: attention(q, k, v, out=out),
        "attention, causal and LSE": lambda: attention(q, k, v, causal=True, return_lse=True),
        "attention, strides": lambda: attention(*wide, layout="bshd"),
        "attention, score_mod": lambda: attention(q, k, v, score_mod=lambda s, b, h, i, j: s * 2 + bias[h, j]),
        "attention, mask of a tensor": lambda: attention(q, k, v, mask=mask),
        "scaled_dot_product_attention": lambda: functional.scaled_dot_product_attention(q, k, v, enable_gqa=True),
        "scaled_dot_product_attention, mask": lambda: functional.scaled_dot_product_attention(
            q, k, v, attn_mask=mask, enable_gqa=True),
    }


def _flash(torch, package, random_of):
    """FlashAttention's functions, of whole tensors and of packed ones."""
    from attn_mlir import flash_attn, flash_attn_3, varlen

    q, k, v = (random_of(1, length, heads, DIM) for heads, length in ((HEADS, QUERIES), (KV_HEADS, KEYS), (KV_HEADS, KEYS)))
    slopes = torch.rand(HEADS, device=q.device)
    starts_q, starts_k = (torch.tensor([0, n // 2, n], dtype=torch.int32, device=q.device) for n in (QUERIES, KEYS))
    packed = q[0], k[0], v[0], starts_q, starts_k, QUERIES, KEYS
    return {
        "flash_attn_func": lambda: flash_attn.flash_attn_func(q, k, v, causal=True),
        "flash_attn_func, softcap and slopes": lambda: flash_attn.flash_attn_func(q, k, v, softcap=30.0, alibi_slopes=slopes),
        "flash_attn_3.flash_attn_func": lambda: flash_attn_3.flash_attn_func(q, k, v, causal=True),
        "flash_attn_varlen_func": lambda: flash_attn.flash_attn_varlen_func(*packed, causal=True),
        "varlen_attn": lambda: varlen.varlen_attn(*packed, window_size=(-1, 0), enable_gqa=True),
    }


def _caches(torch, package, random_of):
    """Decoding: caches, pages, new keys."""
    from attn_mlir import flash_attn, flash_attn_3

    q, new = random_of(BATCH, 1, HEADS, DIM), random_of(BATCH, 1, KV_HEADS, DIM)
    caches = [random_of(BATCH, KEYS, KV_HEADS, DIM) for _ in range(2)]
    pages = [random_of(2 * BATCH, PAGE, KV_HEADS, DIM) for _ in range(2)]
    lengths = torch.full((BATCH,), 10, dtype=torch.int32, device=q.device)
    table = torch.arange(2 * BATCH, dtype=torch.int32, device=q.device).view(BATCH, 2)
    angles = [random_of(KEYS, DIM // 2) for _ in range(2)]
    decode = functools.partial(flash_attn.flash_attn_with_kvcache, q, causal=True, cache_seqlens=lengths)
    turned = {"rotary_cos": angles[0], "rotary_sin": angles[1]}
    return {
        "flash_attn_with_kvcache": lambda: decode(*caches),
        "flash_attn_with_kvcache, pages": lambda: decode(*pages, block_table=table),
        "flash_attn_with_kvcache, new keys": lambda: decode(*caches, new, new),
        "flash_attn_with_kvcache, pages, new keys, rotary": lambda: decode(*pages, new, new, block_table=table, **turned),
        "flash_attn_3.flash_attn_with_kvcache, pages": lambda: flash_attn_3.flash_attn_with_kvcache(
            q, *pages, cache_seqlens=lengths, page_table=table, causal=True),
    }


def _others(torch, package, random_of):
    """What is rounded, and what has gradients."""
    q, k, v = (random_of(1, heads, QUERIES, 32) for heads in (HEADS, KV_HEADS, KV_HEADS))
    narrow, scales = zip(*(package.quantize(x) for x in (q, k, v)))
    given = [x.clone().requires_grad_() for x in (q, k, v)]
    dout = torch.ones_like(q)
    scales = dict(zip(("k_scale", "v_scale"), scales[1:]))

    def both():
        o = package.torch.attention(*given, causal=True)[0]
        return torch.autograd.grad(o, given, dout)

    def forward():
        with torch.no_grad():
            return package.torch.attention(*given, causal=True)

    return {
        "quantize": lambda: package.quantize(q),
        "attention, float8": lambda: package.attention(*narrow, **scales),
        "torch.attention, no_grad": forward,
        "torch.attention, forwards": lambda: package.torch.attention(*given, causal=True),
        "torch.attention, forwards and backwards": both,
    }


def leave_out_launches():
    """Makes launches a function of the launcher that says that all is well, and does nothing else."""
    from attn_mlir._library import library

    own = library().attnBundleLaunch
    nothing = ctypes.cast(library().attnLastCudaError, ctypes.c_void_p).value
    library().attnBundleLaunch = ctypes.CFUNCTYPE(own.restype, *own.argtypes)(nothing)


def times_of(calls, count, rest, quantile, clock=time.perf_counter_ns):
    """Microseconds of each of the calls, in turns of which the order is drawn."""
    found = {name: [] for name in calls}
    draw = random.Random(count)
    for turn in range(-count // 8 - 3, count):
        for name in draw.sample(list(calls), len(calls)):
            begin = clock()
            calls[name]()
            end = clock()
            if turn >= 0:
                found[name].append((end - begin) / 1e3)
        if turn % 16 == 0:
            rest()
    rest()
    return {name: sorted(values)[int(quantile * (len(values) - 1))] for name, values in found.items()}


def _profiled(call, count):
    call()
    profile = cProfile.Profile()
    profile.enable()
    for _ in range(count):
        call()
    profile.disable()
    pstats.Stats(profile).sort_stats("tottime").print_stats(40)


def single(options):
    import torch

    import attn_mlir
    import attn_mlir.torch
    from attn_mlir import _sdpa

    torch.set_num_threads(1)
    torch.manual_seed(1)
    if options.device == "cpu":
        leave_out_launches()

    def random_of(*shape):
        return torch.randn(shape, device=options.device).to(torch.bfloat16)

    calls = {}
    for make in (_dense, _flash, _caches, _others):
        calls.update(make(torch, attn_mlir, random_of))
    with _sdpa.activate():
        if options.profile:
            _profiled(calls[options.profile], options.calls)
            return None
        return times_of(calls, options.calls, torch.cuda.synchronize if options.device == "cuda" else lambda: None, options.quantile)


def _ways(torch, dist, package, options):
    """context_parallel's calls, and rounds of words alone."""
    size = dist.get_world_size()
    q, k, v = (torch.randn(1, heads, 64, DIM, device=options.device).to(torch.bfloat16) for heads in (HEADS, HEADS, HEADS))
    few = [x[:, :KV_HEADS].contiguous() for x in (k, v)]
    calls = {}
    for transfers, exchange in (("copies", "ring"), ("collectives", "ring"), ("collectives", "all_gather"), ("collectives", "heads")):
        parallel = package.torch.context_parallel(exchange=exchange, transfers=transfers)
        name = transfers if transfers == "copies" else exchange
        calls[f"{name}, causal"] = functools.partial(parallel.attention, q, k, v, causal=True)
        if transfers == "copies":
            calls["copies, causal, grouped heads"] = functools.partial(parallel.attention, q, *few, causal=True)
            calls["copies, window"] = functools.partial(parallel.attention, q, k, v, window=(16, 0))
    words = [torch.empty(608, dtype=torch.uint8) for _ in range(size)]
    gloo = dist.new_group(backend="gloo")
    calls["round of words"] = lambda: dist.all_gather(words, words[dist.get_rank()], group=gloo)
    return calls


def of_rank(options):
    """On each rank: wall time, and what of it the thread ran itself."""
    import torch
    import torch.distributed as dist

    import attn_mlir
    import attn_mlir.torch

    torch.set_num_threads(1)
    torch.manual_seed(dist.get_rank())
    if options.device == "cpu":
        leave_out_launches()
    rest = torch.cuda.synchronize if options.device == "cuda" else lambda: None
    with torch.no_grad():
        calls = _ways(torch, dist, attn_mlir, options)
        if options.profile:
            for _ in range(3):
                calls[options.profile]()
            dist.barrier()
            if dist.get_rank():
                for _ in range(options.calls + 1):
                    calls[options.profile]()
            else:
                _profiled(calls[options.profile], options.calls)
            return None
        wall = times_of(calls, options.calls, rest, options.quantile)
        own = times_of(calls, options.calls, rest, options.quantile, time.thread_time_ns)
    return {name: (wall[name], own[name]) for name in calls}


def run_rank(options):
    import torch

    ranks.join(torch, options.device)
    found = of_rank(options)
    if found and ranks.rank() == 0:
        _write(found, options)
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()
    return 0


def _write(found, options):
    for name, microseconds in found.items():
        print(f"| {name} | {' | '.join(f'{each:.1f}' for each in microseconds)} |", flush=True)
    if options.json:
        pathlib.Path(options.json).write_text(json.dumps(found, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("single", "ranks"))
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--calls", type=int, default=1000, help="of each door")
    parser.add_argument("--quantile", type=float, default=0.5, help="of the times of a door; 0.1 where the machine does other things, too")
    parser.add_argument("--profile", metavar="NAME", help="of a door, in place of times")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--limit", type=int, default=300, metavar="S", help="seconds until all ranks are ended")
    parser.add_argument("--json", metavar="FILE")
    options = parser.parse_args()
    if options.what == "single":
        found = single(options)
        if found:
            _write({name: (each,) for name, each in found.items()}, options)
        return 0
    if ranks.rank() is not None:
        return run_rank(options)
    return 0 if ranks.start([__file__, *sys.argv[1:]], options.ranks, options.limit) else 1


if __name__ == "__main__":
    sys.exit(main())
