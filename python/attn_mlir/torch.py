"""attn_mlir in PyTorch: custom operators, and scaled_dot_product_attention served by them.

>>> import attn_mlir.torch
>>> with attn_mlir.torch.activate():
...     o = torch.nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
"""

from attn_mlir._context_parallel import ContextParallel, context_parallel
from attn_mlir._exchange_model import Links
from attn_mlir._flash_attn_3 import install_flash_attn_3, register_flash_attn_3
from attn_mlir._sdpa import activate, deactivate, is_active, register_hook
from attn_mlir._torch_ops import attention, attention_varlen, recompute_backward

__all__ = [
    "ContextParallel",
    "Links",
    "activate",
    "attention",
    "attention_varlen",
    "context_parallel",
    "deactivate",
    "install_flash_attn_3",
    "is_active",
    "recompute_backward",
    "register_flash_attn_3",
    "register_hook",
]
