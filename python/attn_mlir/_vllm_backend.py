"""The back end of attention that `attn_mlir.vllm` gives to vLLM: packed queries, and keys and values in pages."""

import dataclasses

import torch
from vllm import _custom_ops
from vllm.v1.attention.backend import (AttentionBackend, AttentionCGSupport, AttentionImpl, AttentionMetadata, AttentionMetadataBuilder,
                                       AttentionType, MultipleOf)

from attn_mlir import _kv_cache
from attn_mlir._errors import ArgumentError
from attn_mlir._refusals import refuse
from attn_mlir._torch_ops import attention_paged

_FLOAT8 = ("fp8", "fp8_e4m3")
_CAPABILITY = (8, 0)
# From some version on vLLM writes new keys by a method of its own, unless a back end says that forward() does.
_WRITES_APART = hasattr(AttentionBackend, "forward_includes_kv_cache_update")


@dataclasses.dataclass
class Metadata(AttentionMetadata):
    """Of a batch: where its queries begin, how many keys each sequence has, and in which pages."""

    num_actual_tokens: int
    max_query_len: int
    query_start_loc: torch.Tensor
    seq_lens: torch.Tensor
    block_table: torch.Tensor
    slot_mapping: torch.Tensor
    causal: bool


class MetadataBuilder(AttentionMetadataBuilder):
    # Kernels for batches of one length know it; another batch needs another graph.
    _cudagraph_support = AttentionCGSupport.UNIFORM_BATCH
    supports_update_block_table = True

    def __init__(self, kv_cache_spec, layer_names, vllm_config, device):
        super().__init__(kv_cache_spec, layer_names, vllm_config, device)

    def build(self, common_prefix_len, common_attn_metadata, fast_build=False):
        its = common_attn_metadata
        return Metadata(its.num_actual_tokens, its.max_query_len, its.query_start_loc, its.seq_lens, its.block_table_tensor,
                        its.slot_mapping, its.causal)

    def update_block_table(self, metadata, blk_table, slot_mapping):
        return dataclasses.replace(metadata, block_table=blk_table, slot_mapping=slot_mapping)


class Implementation(AttentionImpl):
    def __init__(self, num_heads, head_size, scale, num_kv_heads=None, alibi_slopes=None, sliding_window=None,
                 kv_cache_dtype="auto", logits_soft_cap=None, attn_type=AttentionType.DECODER,
                 kv_sharing_target_layer_name=None, sinks=None):
        if attn_type != AttentionType.DECODER:
            raise ArgumentError(f"attn_type: expected {AttentionType.DECODER!r}, but got {attn_type!r}")
        self.num_heads, self.head_size, self.scale = num_heads, head_size, float(scale)
        self.num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        self.alibi_slopes = None if alibi_slopes is None else torch.tensor(alibi_slopes, dtype=torch.float32)
        self.window = (-1, -1) if sliding_window is None else (sliding_window - 1, 0)
        self.softcap = logits_soft_cap or 0.0
        self.kv_cache_dtype, self.sinks = kv_cache_dtype, sinks
        # Its keys are those of another layer, which writes them.
        self.shares_cache = kv_sharing_target_layer_name is not None

    def _caches(self, kv_cache):
        caches = kv_cache.unbind(0)
        return [x.view(torch.float8_e4m3fn) for x in caches] if self.kv_cache_dtype in _FLOAT8 else caches

    def _scales(self, layer):
        return (layer._k_scale, layer._v_scale) if self.kv_cache_dtype in _FLOAT8 else (None, None)

    def do_kv_cache_update(self, layer, key, value, kv_cache, slot_mapping):
        """Writes new keys and values to their slots; by vLLM's own kernel where ours does not take them."""
        if self.shares_cache or key is None or value is None:
            return
        if _kv_cache.append_to_slots(*self._caches(kv_cache), key, value, slot_mapping, self._scales(layer)):
            return
        _custom_ops.reshape_and_cache_flash(
            key, value, *kv_cache.unbind(0), slot_mapping, self.kv_cache_dtype, layer._k_scale, layer._v_scale)

    def forward(self, layer, query, key, value, kv_cache, attn_metadata, output=None, output_scale=None, output_block_scale=None):
        """query [tokens, H, D], kv_cache [2, pages, page size, Hkv, D]: the results, in ``output``."""
        refuse(output_scale=output_scale, output_block_scale=output_block_scale)
        if output is None:
            output = torch.empty_like(query)
        if attn_metadata is None:
            return output.fill_(0)  # A run for what memory is used.
        its = attn_metadata
        if not _WRITES_APART:
            self.do_kv_cache_update(layer, key, value, kv_cache, its.slot_mapping)
        scales = dict(zip(("k_scale", "v_scale"), self._scales(layer)))
        if self.alibi_slopes is not None and self.alibi_slopes.device != query.device:
            self.alibi_slopes = self.alibi_slopes.to(query.device)
        count = its.num_actual_tokens
        found = attention_paged(
            query[:count], *self._caches(kv_cache), its.block_table, its.seq_lens, cu_seqlens_q=its.query_start_loc,
            max_seqlen_q=its.max_query_len, alibi_slopes=self.alibi_slopes, scale=self.scale, causal=its.causal,
            window=self.window, softcap=self.softcap, scales=scales, sinks=self.sinks)
        if found is None:
            raise NotImplementedError("expected a call outside of torch.compile and autograd, and pages of a multiple of 16 keys")
        output[:count].view_as(found[0]).copy_(found[0])
        return output


class AttnMLIRBackend(AttentionBackend):
    accept_output_buffer = True
    forward_includes_kv_cache_update = False
    supported_dtypes = [torch.float16, torch.bfloat16]
    supported_kv_cache_dtypes = ["auto", "bfloat16", "float16", *_FLOAT8]

    @staticmethod
    def get_name():
        return "CUSTOM"

    @staticmethod
    def get_impl_cls():
        return Implementation

    @staticmethod
    def get_builder_cls():
        return MetadataBuilder

    @staticmethod
    def get_supported_kernel_block_sizes():
        return [MultipleOf(16)]

    @staticmethod
    def get_kv_cache_shape(num_blocks, block_size, num_kv_heads, head_size, cache_dtype_str="auto"):
        if block_size % 16 != 0:
            raise ArgumentError(f"block_size: expected a multiple of 16, but got {block_size}")
        return 2, num_blocks, block_size, num_kv_heads, head_size

    @classmethod
    def supports_head_size(cls, head_size):
        return head_size % 8 == 0 and 0 < head_size <= 256

    @classmethod
    def supports_sink(cls):
        return True

    @classmethod
    def supports_compute_capability(cls, capability):
        return tuple(capability) >= _CAPABILITY
