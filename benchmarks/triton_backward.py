"""A plain FlashAttention-2 backward in Triton, as a yardstick of generated code: a kernel for dQ, and one for dK and dV.

Written as Triton's own users write it, like triton_attention.py: tiles that no mask touches in a loop of their own,
pointers that advance, P and dS rounded to the type of the tensors. Imported only where there is Triton.
"""

import triton
import triton.language as tl

POINTERS = "q k v do lse delta dq dk dv".split()
# Q, K, V, dO and the gradients are contiguous, [B, H, S, D]; LSE, in units of log 2, and delta are [B, H, S].
SIZES = "heads group queries keys".split()


@triton.jit
def query_tiles(dq, q_tile, do_tile, lse, delta, k_ptrs, v_ptrs, rows, cols, begin, end, keys, scale_log2,
                D: tl.constexpr, N: tl.constexpr, MASKED: tl.constexpr, CAUSAL: tl.constexpr):
    """dQ with the keys begin, begin + N, ... before `end`."""
    for start in range(begin, end, N):
        here = start + cols
        if MASKED:
            k_tile = tl.load(k_ptrs, mask=here[:, None] < keys, other=0.0)
            v_tile = tl.load(v_ptrs, mask=here[:, None] < keys, other=0.0)
        else:
            k_tile = tl.load(k_ptrs)
            v_tile = tl.load(v_ptrs)
        p = tl.exp2(tl.dot(q_tile, tl.trans(k_tile)) * scale_log2 - lse[:, None])
        if MASKED:
            keep = here[None, :] < keys
            if CAUSAL:
                keep = keep & (here[None, :] <= rows[:, None])
            p = tl.where(keep, p, 0.0)
        ds = p * (tl.dot(do_tile, tl.trans(v_tile)) - delta[:, None])
        dq = tl.dot(ds.to(k_tile.dtype), k_tile, dq)
        k_ptrs += N * D
        v_ptrs += N * D
    return dq, k_ptrs, v_ptrs


@triton.jit
def query(q, k, v, do, lse, delta, dq, dk, dv, scale, scale_log2, heads, group, queries, keys,
          D: tl.constexpr, M: tl.constexpr, N: tl.constexpr, CAUSAL: tl.constexpr):
    block = tl.program_id(0)
    at = tl.program_id(1) * queries
    kv_at = (tl.program_id(1) // heads * (heads // group) + tl.program_id(1) % heads // group) * keys
    rows = block * M + tl.arange(0, M)
    cols = tl.arange(0, N)
    dims = tl.arange(0, D)
    place = (at + rows[:, None]) * D + dims[None, :]
    q_tile = tl.load(q + place, mask=rows[:, None] < queries, other=0.0)
    do_tile = tl.load(do + place, mask=rows[:, None] < queries, other=0.0)
    own_lse = tl.load(lse + at + rows, mask=rows < queries, other=0.0)
    own_delta = tl.load(delta + at + rows, mask=rows < queries, other=0.0)
    k_ptrs = k + (kv_at + cols[:, None]) * D + dims[None, :]
    v_ptrs = v + (kv_at + cols[:, None]) * D + dims[None, :]
    total = tl.zeros([M, D], tl.float32)
    end = keys
    free = keys
    if CAUSAL:
        end = tl.minimum(keys, (block + 1) * M)
        free = tl.minimum(keys, block * M)
    free = free // N * N
    total, k_ptrs, v_ptrs = query_tiles(
        total, q_tile, do_tile, own_lse, own_delta, k_ptrs, v_ptrs, rows, cols, 0, free, keys, scale_log2,
        D, N, False, CAUSAL)
    total, k_ptrs, v_ptrs = query_tiles(
        total, q_tile, do_tile, own_lse, own_delta, k_ptrs, v_ptrs, rows, cols, free, end, keys, scale_log2,
        D, N, True, CAUSAL)
    tl.store(dq + place, (total * scale).to(dq.dtype.element_ty), mask=rows[:, None] < queries)


@triton.jit
def key_tiles(dk, dv, k_tile, v_tile, q_ptrs, do_ptrs, lse, delta, keys_here, cols, begin, end, queries, scale_log2,
              D: tl.constexpr, M: tl.constexpr, MASKED: tl.constexpr, CAUSAL: tl.constexpr):
    """dK and dV with the queries begin, begin + M, ... before `end`: all tiles of pairs transposed."""
    for start in range(begin, end, M):
        here = start + cols
        if MASKED:
            q_tile = tl.load(q_ptrs, mask=here[:, None] < queries, other=0.0)
            do_tile = tl.load(do_ptrs, mask=here[:, None] < queries, other=0.0)
            own_lse = tl.load(lse + here, mask=here < queries, other=0.0)
            own_delta = tl.load(delta + here, mask=here < queries, other=0.0)
        else:
            q_tile = tl.load(q_ptrs)
            do_tile = tl.load(do_ptrs)
            own_lse = tl.load(lse + here)
            own_delta = tl.load(delta + here)
        p = tl.exp2(tl.dot(k_tile, tl.trans(q_tile)) * scale_log2 - own_lse[None, :])
        if MASKED:
            keep = here[None, :] < queries
            if CAUSAL:
                keep = keep & (here[None, :] >= keys_here[:, None])
            p = tl.where(keep, p, 0.0)
        dv = tl.dot(p.to(do_tile.dtype), do_tile, dv)
        ds = p * (tl.dot(v_tile, tl.trans(do_tile)) - own_delta[None, :])
        dk = tl.dot(ds.to(q_tile.dtype), q_tile, dk)
        q_ptrs += M * D
        do_ptrs += M * D
    return dk, dv, q_ptrs, do_ptrs


@triton.jit
def key(q, k, v, do, lse, delta, dq, dk, dv, scale, scale_log2, heads, group, queries, keys,
        D: tl.constexpr, M: tl.constexpr, N: tl.constexpr, CAUSAL: tl.constexpr):
    block = tl.program_id(0)
    kv_head = tl.program_id(1)
    keys_here = block * N + tl.arange(0, N)
    cols = tl.arange(0, M)
    dims = tl.arange(0, D)
    place = (kv_head * keys + keys_here[:, None]) * D + dims[None, :]
    k_tile = tl.load(k + place, mask=keys_here[:, None] < keys, other=0.0)
    v_tile = tl.load(v + place, mask=keys_here[:, None] < keys, other=0.0)
    dk_sum = tl.zeros([N, D], tl.float32)
    dv_sum = tl.zeros([N, D], tl.float32)
    begin = 0
    free = 0
    if CAUSAL:
        begin = block * N // M * M
        free = tl.minimum((block + 1) * N, queries)
        free = (free + M - 1) // M * M
    whole = tl.maximum(queries // M * M, free)
    for member in range(group):
        at = (kv_head * group + member) * queries
        q_ptrs = q + (at + begin + cols[:, None]) * D + dims[None, :]
        do_ptrs = do + (at + begin + cols[:, None]) * D + dims[None, :]
        if CAUSAL:
            dk_sum, dv_sum, q_ptrs, do_ptrs = key_tiles(
                dk_sum, dv_sum, k_tile, v_tile, q_ptrs, do_ptrs, lse + at, delta + at, keys_here, cols, begin, free,
                queries, scale_log2, D, M, True, CAUSAL)
        dk_sum, dv_sum, q_ptrs, do_ptrs = key_tiles(
            dk_sum, dv_sum, k_tile, v_tile, q_ptrs, do_ptrs, lse + at, delta + at, keys_here, cols, free, whole,
            queries, scale_log2, D, M, False, CAUSAL)
        dk_sum, dv_sum, q_ptrs, do_ptrs = key_tiles(
            dk_sum, dv_sum, k_tile, v_tile, q_ptrs, do_ptrs, lse + at, delta + at, keys_here, cols, whole, queries,
            queries, scale_log2, D, M, True, CAUSAL)
    tl.store(dk + place, (dk_sum * scale).to(dk.dtype.element_ty), mask=keys_here[:, None] < keys)
    tl.store(dv + place, dv_sum.to(dv.dtype.element_ty), mask=keys_here[:, None] < keys)
