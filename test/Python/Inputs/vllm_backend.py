"""The attention back end for vLLM on the CPU, with vLLM's modules faked: what a plugin sees of their interface, and no more."""

import enum
import pathlib
import re
import sys
import types
import unittest
import unittest.mock
import warnings

import torch

PAGE, HEADS, KV_HEADS, DIM = 16, 4, 2, 64
TOLERANCE = {torch.bfloat16: 1e-2, torch.float16: 2e-3}


def module(name, **contents):
    made = types.ModuleType(name)
    made.__path__ = []
    made.__dict__.update(contents)
    sys.modules[name] = made
    return made


class Backends(enum.Enum):
    CUSTOM = None

    def is_overridden(self):
        return self in overrides

    def get_path(self):
        return overrides[self]


class Backend:
    accept_output_buffer = False
    forward_includes_kv_cache_update = True


class Builder:
    def __init__(self, kv_cache_spec, layer_names, vllm_config, device):
        self.device = device


class MultipleOf:
    def __init__(self, base):
        self.base = base


def reshape_and_cache_flash(key, value, key_cache, value_cache, slot_mapping, kv_cache_dtype, k_scale, v_scale):
    """What vLLM's kernel does: rows without a slot are left out, numbers of FP8 are divided by their scale."""
    for x, cache, scale in ((key, key_cache, k_scale), (value, value_cache, v_scale)):
        for row, slot in zip(x, slot_mapping.tolist()):
            if slot < 0:
                continue
            if kv_cache_dtype.startswith("fp8"):
                row = (row.float() / scale).clamp(-448, 448).to(torch.float8_e4m3fn).view(torch.uint8)
            cache[slot // PAGE, slot % PAGE] = row


overrides = {}
module("vllm", _custom_ops=module("vllm._custom_ops", reshape_and_cache_flash=reshape_and_cache_flash))
module("vllm.v1")
module("vllm.v1.attention")
module("vllm.v1.attention.backends")
module("vllm.v1.attention.backends.registry", AttentionBackendEnum=Backends, register_backend=overrides.__setitem__)
module("vllm.v1.attention.backend", AttentionBackend=Backend, AttentionImpl=object, AttentionMetadata=object,
       AttentionMetadataBuilder=Builder, AttentionType=types.SimpleNamespace(DECODER="decoder", ENCODER="encoder"), MultipleOf=MultipleOf,
       AttentionCGSupport=enum.Enum("AttentionCGSupport", "NEVER UNIFORM_BATCH ALWAYS"))

import attn_mlir.vllm  # noqa: E402
from attn_mlir._vllm_backend import AttnMLIRBackend  # noqa: E402


def entry_point():
    """What the wheel names for vLLM, of the file that it is built by."""
    text = (pathlib.Path(attn_mlir.__file__).parents[1] / "pyproject.toml").read_text()
    return re.search(r'entry-points\."vllm.general_plugins"\]\nattn_mlir = "([\w.]+):(\w+)"', text).groups()


class Batch:
    """Sequences of (keys before, new tokens), their pages in a drawn order, and caches that hold what came before."""

    def __init__(self, sequences, dtype=torch.bfloat16, cache_dtype="auto", padding=0):
        torch.manual_seed(len(sequences))
        self.sequences, self.cache_dtype = sequences, cache_dtype
        self.layer = types.SimpleNamespace(_k_scale=torch.tensor(1.0), _v_scale=torch.tensor(1.0))
        if cache_dtype != "auto":
            self.layer = types.SimpleNamespace(_k_scale=torch.tensor(0.5), _v_scale=torch.tensor(0.25))
        before, new = zip(*sequences)
        lengths = [a + b for a, b in sequences]
        counts = [-(-n // PAGE) for n in lengths]
        shape = AttnMLIRBackend.get_kv_cache_shape(sum(counts) + 2, PAGE, KV_HEADS, DIM)
        # What is in no sequence is NaN, also in FP8.
        self.cache = torch.full(shape, 255, dtype=torch.uint8) if cache_dtype != "auto" else torch.full(shape, float("nan"), dtype=dtype)
        order = iter(torch.randperm(sum(counts) + 2).tolist())
        self.table = torch.full((len(sequences), max(counts) + 1), -1, dtype=torch.int32)
        for i, count in enumerate(counts):
            self.table[i, :count] = torch.tensor([next(order) for _ in range(count)])
        self.keys, self.values = ([torch.randn(n, KV_HEADS, DIM).to(dtype) for n in lengths] for _ in range(2))
        self.queries = [torch.randn(n, HEADS, DIM).to(dtype) for n in new]
        slots = [[int(self.table[i, j // PAGE]) * PAGE + j % PAGE for j in range(n)] for i, n in enumerate(lengths)]
        self.write([k[:n] for k, n in zip(self.keys, before)], [v[:n] for v, n in zip(self.values, before)],
                   sum((s[:n] for s, n in zip(slots, before)), []))
        self.tokens = sum(new)
        more = [torch.full((padding, HEADS, DIM), float("nan"), dtype=dtype)]
        self.query = torch.cat([*self.queries, *more])
        self.new = [torch.cat([*(x[n:] for x, n in zip(parts, before)), more[0][:, :KV_HEADS]]) for parts in (self.keys, self.values)]
        self.slots = torch.tensor(sum((s[n:] for s, n in zip(slots, before)), []) + [-1] * padding)
        starts = torch.tensor([0, *new]).cumsum(0).int()
        self.common = types.SimpleNamespace(
            num_actual_tokens=self.tokens, max_query_len=max(new), query_start_loc=starts, seq_lens=torch.tensor(lengths, dtype=torch.int32),
            block_table_tensor=self.table, slot_mapping=self.slots, causal=True)

    def write(self, keys, values, slots):
        reshape_and_cache_flash(torch.cat(keys), torch.cat(values), *self.cache.unbind(0), torch.tensor(slots, dtype=torch.int64),
                                self.cache_dtype, self.layer._k_scale, self.layer._v_scale)

    def seen(self, x, scale):
        """A number as the cache has it."""
        if self.cache_dtype == "auto":
            return x.float()
        return (x.float() / scale).to(torch.float8_e4m3fn).float() * scale

    def wanted(self, window=None, softcap=0.0, slopes=None, sinks=None):
        results = []
        for q, k, v in zip(self.queries, self.keys, self.values):
            k, v = (self.seen(x, s).repeat_interleave(HEADS // KV_HEADS, 1)
                    for x, s in ((k, self.layer._k_scale), (v, self.layer._v_scale)))
            scores = torch.einsum("qhd,khd->hqk", q.float(), k) * DIM ** -0.5
            if softcap:
                scores = softcap * torch.tanh(scores / softcap)
            distance = torch.arange(len(q))[:, None] + len(k) - len(q) - torch.arange(len(k))
            if slopes is not None:
                scores = scores - torch.tensor(slopes)[:, None, None] * distance
            hidden = (distance < 0) | (distance >= (window or len(k) + 1))
            scores = scores.masked_fill(hidden, float("-inf"))
            if sinks is not None:
                scores = torch.cat([scores, sinks[:, None, None].expand(-1, len(q), 1)], -1)
            results.append(torch.einsum("hqk,khd->qhd", scores.softmax(-1)[..., :len(k)], v))
        return torch.cat(results)


BATCHES = {
    "prefill and decode": ((0, 33), (70, 1), (5, 7), (16, 1)),
    "decode": ((31, 1), (16, 1), (100, 1)),
    "prefill": ((0, 48), (0, 1)),
}


class VLLM(unittest.TestCase):
    def run_batch(self, batch, **options):
        implementation = AttnMLIRBackend.get_impl_cls()(
            HEADS, DIM, DIM ** -0.5, KV_HEADS, options.pop("alibi_slopes", None), options.pop("sliding_window", None),
            batch.cache_dtype, **options)
        builder = AttnMLIRBackend.get_builder_cls()(None, ["layer"], None, torch.device("cpu"))
        metadata = builder.build(0, batch.common)
        before = batch.cache.clone()
        # Our own kernel writes them, and what vLLM's writes, whatever is behind the last token.
        with unittest.mock.patch.object(sys.modules["vllm._custom_ops"], "reshape_and_cache_flash", side_effect=AssertionError):
            implementation.do_kv_cache_update(batch.layer, *batch.new, batch.cache, batch.slots)
        reshape_and_cache_flash(*batch.new, *before.unbind(0), batch.slots, batch.cache_dtype, batch.layer._k_scale, batch.layer._v_scale)
        self.assertTrue(torch.equal(before.view(torch.uint8), batch.cache.view(torch.uint8)))
        output = torch.full_like(batch.query, 7)
        found = implementation.forward(batch.layer, batch.query, *batch.new, batch.cache, metadata, output)
        self.assertIs(found, output)
        self.assertTrue((output[batch.tokens:] == 7).all())
        return output[:batch.tokens]

    def check(self, got, wanted, tolerance):
        error = (got.float() - wanted).norm(dim=-1) / wanted.norm(dim=-1)
        self.assertLess(error.max().item(), tolerance)

    def test_entry_point(self):
        """What the wheel names registers a class that can be imported."""
        name, function = entry_point()
        getattr(sys.modules[name], function)()
        path, _, cls = Backends.CUSTOM.get_path().rpartition(".")
        self.assertIs(getattr(sys.modules[path], cls), AttnMLIRBackend)
        attn_mlir.vllm.register()
        overrides[Backends.CUSTOM] = "another.Backend"
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            attn_mlir.vllm.register()
        self.assertIn("another.Backend, which stays", str(said[0].message))
        self.assertEqual(Backends.CUSTOM.get_path(), "another.Backend")
        overrides.clear()

    def test_batches(self):
        for name, sequences in BATCHES.items():
            for dtype, tolerance in TOLERANCE.items():
                with self.subTest(name, dtype=dtype):
                    batch = Batch(sequences, dtype, padding=3)
                    self.check(self.run_batch(batch), batch.wanted(), tolerance)

    def test_features(self):
        slopes, sinks = [0.5, 0.25, 0.125, 0.0625], torch.randn(HEADS)
        for name, options, wanted in (("window", {"sliding_window": 20}, {"window": 20}), ("softcap", {"logits_soft_cap": 5.0}, {"softcap": 5.0}),
                                      ("alibi", {"alibi_slopes": slopes}, {"slopes": slopes}), ("sinks", {"sinks": sinks}, {"sinks": sinks})):
            with self.subTest(name):
                batch = Batch(BATCHES["prefill and decode"])
                self.check(self.run_batch(batch, **options), batch.wanted(**wanted), TOLERANCE[torch.bfloat16])

    def test_float8(self):
        for name, sequences in BATCHES.items():
            with self.subTest(name):
                batch = Batch(sequences, cache_dtype="fp8")
                self.check(self.run_batch(batch), batch.wanted(), TOLERANCE[torch.bfloat16])
        # What is too large for the cache is the largest number there.
        batch = Batch(BATCHES["decode"], cache_dtype="fp8")
        batch.new[0][:, 0] *= 1e3
        self.run_batch(batch)
        # What was written with one scale is not read with another.
        batch = Batch(BATCHES["decode"], cache_dtype="fp8")
        wanted = batch.wanted()
        batch.layer._v_scale = torch.tensor(1.0)
        with self.assertRaises(AssertionError):
            self.check(self.run_batch(batch), wanted, TOLERANCE[torch.bfloat16])

    def test_pages_that_lie_apart(self):
        """Where our kernel does not take the cache vLLM's writes it."""
        batch = Batch(BATCHES["decode"])
        apart = batch.cache.new_zeros(2, batch.cache.shape[1], KV_HEADS, PAGE, DIM).transpose(2, 3)
        implementation = AttnMLIRBackend.get_impl_cls()(HEADS, DIM, 0.125, KV_HEADS)
        implementation.do_kv_cache_update(batch.layer, *batch.new, apart, batch.slots)
        for slot, row in zip(batch.slots.tolist(), batch.new[0]):
            self.assertTrue(torch.equal(apart[0, slot // PAGE, slot % PAGE], row))

    def test_memory_run(self):
        """Without metadata vLLM looks for what memory a step takes."""
        implementation = AttnMLIRBackend.get_impl_cls()(HEADS, DIM, 0.125, KV_HEADS)
        output = torch.ones(3, HEADS, DIM)
        self.assertEqual(implementation.forward(None, output, None, None, None, None, output).count_nonzero(), 0)

    def test_other_table(self):
        builder = AttnMLIRBackend.get_builder_cls()(None, ["layer"], None, torch.device("cpu"))
        batch = Batch(BATCHES["decode"])
        metadata, table = builder.build(0, batch.common), batch.table + 1
        other = builder.update_block_table(metadata, table, batch.slots)
        self.assertIs(other.block_table, table)
        self.assertIs(metadata.block_table, batch.table)

    def test_limits(self):
        self.assertEqual([AttnMLIRBackend.supports_head_size(size) for size in (8, 60, 72, 256, 264)], [True, False, True, True, False])
        self.assertEqual([AttnMLIRBackend.supports_compute_capability(x) for x in ((7, 5), (8, 0), (12, 1))], [False, True, True])
        with self.assertRaisesRegex(ValueError, "^block_size: expected a multiple of 16, but got 24"):
            AttnMLIRBackend.get_kv_cache_shape(4, 24, KV_HEADS, DIM)
        with self.assertRaisesRegex(ValueError, "^attn_type: expected 'decoder', but got 'encoder'"):
            AttnMLIRBackend.get_impl_cls()(HEADS, DIM, 1.0, attn_type="encoder")
        implementation = AttnMLIRBackend.get_impl_cls()(HEADS, DIM, 0.125, KV_HEADS)
        with self.assertRaisesRegex(NotImplementedError, "^output_scale"):
            implementation.forward(None, torch.ones(1), None, None, None, None, None, torch.ones(1))


if __name__ == "__main__":
    unittest.main()
