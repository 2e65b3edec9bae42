"""A plain FlashAttention-2 forward in Triton, as a yardstick of generated code.

Written as Triton's own users write it: tiles of keys that no mask touches in a loop
of their own, pointers that advance, scores scaled within the exponent, P rounded to
the type of V. Triton reads this source from the file. Imported only where there is
Triton, which is no dependency of this project.
"""

import triton
import triton.language as tl

POINTERS = "q k v o".split()
STRIDES = "q_b q_h q_s k_b k_h k_s v_b v_h v_s o_b o_h o_s".split()
SIZES = "heads group queries keys".split()


@triton.jit
def tiles(acc, m, l, q_tile, k_ptrs, v_ptrs, k_s, v_s, rows, cols, begin, end, keys,
          scale_log2, N: tl.constexpr, MASKED: tl.constexpr, CAUSAL: tl.constexpr):
    """The recurrence over keys begin, begin + N, ... before `end`."""
    for start in range(begin, end, N):
        here = start + cols
        if MASKED:
            k_tile = tl.load(k_ptrs, mask=here[:, None] < keys, other=0.0)
        else:
            k_tile = tl.load(k_ptrs)
        s = tl.dot(q_tile, tl.trans(k_tile))
        if MASKED:
            keep = here[None, :] < keys
            if CAUSAL:
                keep = keep & (here[None, :] <= rows[:, None])
            s = tl.where(keep, s, float("-inf"))
        m_new = tl.maximum(m, tl.max(s, 1) * scale_log2)
        p = tl.exp2(s * scale_log2 - m_new[:, None])
        alpha = tl.exp2(m - m_new)
        l = l * alpha + tl.sum(p, 1)
        acc = acc * alpha[:, None]
        if MASKED:
            v_tile = tl.load(v_ptrs, mask=here[:, None] < keys, other=0.0)
        else:
            v_tile = tl.load(v_ptrs)
        acc = tl.dot(p.to(v_tile.dtype), v_tile, acc)
        m = m_new
        k_ptrs += N * k_s
        v_ptrs += N * v_s
    return acc, m, l, k_ptrs, v_ptrs


@triton.jit
def forward(q, k, v, o, scale_log2,
            q_b, q_h, q_s, k_b, k_h, k_s, v_b, v_h, v_s, o_b, o_h, o_s,
            heads, group, queries, keys,
            D: tl.constexpr, M: tl.constexpr, N: tl.constexpr, CAUSAL: tl.constexpr):
    # Strides are not negative: offsets may then be those of buffer instructions.
    tl.assume(q_s >= 0)
    tl.assume(k_s >= 0)
    tl.assume(v_s >= 0)
    tl.assume(o_s >= 0)
    block = tl.program_id(0)
    batch = tl.program_id(1) // heads
    head = tl.program_id(1) % heads
    kv_head = head // group
    rows = block * M + tl.arange(0, M)
    cols = tl.arange(0, N)
    dims = tl.arange(0, D)
    q_tile = tl.load(q + batch * q_b + head * q_h + rows[:, None] * q_s + dims[None, :],
                     mask=rows[:, None] < queries, other=0.0)
    k_ptrs = k + batch * k_b + kv_head * k_h + cols[:, None] * k_s + dims[None, :]
    v_ptrs = v + batch * v_b + kv_head * v_h + cols[:, None] * v_s + dims[None, :]
    m = tl.full([M], -1e30, tl.float32)
    l = tl.zeros([M], tl.float32)
    acc = tl.zeros([M, D], tl.float32)
    end = keys
    free = keys
    if CAUSAL:
        end = tl.minimum(keys, (block + 1) * M)
        free = tl.minimum(keys, block * M)
    free = free // N * N
    acc, m, l, k_ptrs, v_ptrs = tiles(
        acc, m, l, q_tile, k_ptrs, v_ptrs, k_s, v_s, rows, cols, 0, free, keys,
        scale_log2, N, False, CAUSAL)
    acc, m, l, k_ptrs, v_ptrs = tiles(
        acc, m, l, q_tile, k_ptrs, v_ptrs, k_s, v_s, rows, cols, free, end, keys,
        scale_log2, N, True, CAUSAL)
    acc = acc / l[:, None]
    tl.store(o + batch * o_b + head * o_h + rows[:, None] * o_s + dims[None, :],
             acc.to(o.dtype.element_ty), mask=rows[:, None] < queries)
