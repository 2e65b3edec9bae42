"""Gradients of attention of 32 query heads, in bf16, as level-1 MLIR.

gradients.py DIM KV_HEADS MASK
"""

import sys

dim, heads, mask = sys.argv[1:]
q, kv, lse = f"tensor<?x32x?x{dim}xbf16>", f"tensor<?x{heads}x?x{dim}xbf16>", "tensor<?x32x?xf32>"
print(
    f"func.func @gradients(%q: {q}, %k: {kv}, %v: {kv}, %o: {q}, %do: {q}, %lse: {lse})\n"
    f"    -> ({q}, {kv}, {kv}) {{\n"
    f"  %dq, %dk, %dv = attn.attention_backward %q, %k, %v, %o, %do, %lse {mask} scale(0.125)\n"
    f"      : ({q}, {kv}, {kv}, {q}, {q}, {lse}) -> ({q}, {kv}, {kv})\n"
    f"  return %dq, %dk, %dv : {q}, {kv}, {kv}\n}}"
)
