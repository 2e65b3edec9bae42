"""attn_mlir in vLLM: an attention back end, as a plugin.

>>> import attn_mlir.vllm
>>> attn_mlir.vllm.register()                # what vLLM does by the entry point "attn_mlir" of vllm.general_plugins
>>> LLM(model, attention_backend="CUSTOM")
"""

import warnings

BACKEND = "attn_mlir._vllm_backend.AttnMLIRBackend"

__all__ = ["register"]


def register():
    """Makes the back end vLLM's CUSTOM one, unless another plugin's is that already."""
    from vllm.v1.attention.backends.registry import AttentionBackendEnum, register_backend

    custom = AttentionBackendEnum.CUSTOM
    if custom.is_overridden():
        if custom.get_path() != BACKEND:
            warnings.warn(
                f"attn_mlir.vllm: expected no other CUSTOM back end of attention, but got {custom.get_path()}, which stays", stacklevel=2)
        return
    register_backend(custom, BACKEND)
