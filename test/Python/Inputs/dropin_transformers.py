"""Small random models of transformers: attn_implementation="attn_mlir" against eager, and the tokens that they generate.

On the CPU, or on what ATTN_TEST_DEVICE names.
"""

import os
import sys
import unittest

import attn_mlir.transformers
import torch
import transformers as hf

attn_mlir.transformers.register()
hf.logging.set_verbosity_error()

COMMON = {
    "vocab_size": 97, "hidden_size": 64, "intermediate_size": 96, "num_hidden_layers": 2, "num_attention_heads": 4,
    "num_key_value_heads": 2, "head_dim": 16, "max_position_embeddings": 256, "pad_token_id": 0, "bos_token_id": 1,
    "eos_token_id": None,
}
WINDOW = {"sliding_window": 6}
CONFIGS = {
    "Llama": {"num_hidden_layers": 4}, "Qwen2": {"use_sliding_window": True, "max_window_layers": 2, **WINDOW}, "Qwen3": {},
    "Gemma2": {"query_pre_attn_scalar": 16, "attn_logit_softcapping": 5.0, **WINDOW},
    "Gemma3Text": {"query_pre_attn_scalar": 16, **WINDOW}, "Mistral": WINDOW,
    "GptOss": {"num_local_experts": 4, "num_experts_per_tok": 2, **WINDOW},
}
DEVICE = os.environ.get("ATTN_TEST_DEVICE", "cpu")
# Kernels of GPUs have f16 and bf16 alone.
TOLERANCE = {torch.float32: 1e-5, torch.bfloat16: 2e-2} if DEVICE == "cpu" else {torch.float16: 4e-3, torch.bfloat16: 2e-2}
EXACT = next(iter(TOLERANCE))


def model_of(name, dtype):
    config = getattr(hf, f"{name}Config")(**{**COMMON, **CONFIGS[name]})
    torch.manual_seed(0)
    return hf.AutoModelForCausalLM.from_config(config).to(DEVICE, dtype).eval()


class Models(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(1)
        self.ids = torch.randint(3, 97, (2, 13)).to(DEVICE)
        self.padding = torch.ones_like(self.ids)
        self.padding[0, :4] = 0

    def logits(self, model, implementation, padding):
        model.set_attn_implementation(implementation)
        with torch.no_grad():
            found = model(self.ids, attention_mask=padding).logits.float()
        return found if padding is None else found[padding.bool()]

    def tokens(self, model, implementation, **options):
        model.set_attn_implementation(implementation)
        return model.generate(self.ids, attention_mask=self.padding, max_new_tokens=12, do_sample=False,
                              disable_compile=True, **options)

    def test_logits(self):
        for name in CONFIGS:
            for dtype, tolerance in TOLERANCE.items():
                model = model_of(name, dtype)
                for padding in (None, self.padding):
                    with self.subTest(name, dtype=dtype, padded=padding is not None):
                        eager, ours = (self.logits(model, i, padding) for i in ("eager", "attn_mlir"))
                        self.assertGreater(eager.std().item(), 0.01)
                        self.assertLess((eager - ours).abs().max().item(), tolerance)

    def test_tokens(self):
        for name in CONFIGS:
            model = model_of(name, EXACT)
            wanted = self.tokens(model, "sdpa" if name == "Llama" else "eager")
            self.assertGreater(len(wanted[:, 13:].unique()), 3)
            for cache in ({}, {"cache_implementation": "static"}):
                with self.subTest(name, **cache):
                    self.assertTrue(torch.equal(wanted, self.tokens(model, "attn_mlir", **cache)))

    def test_training(self):
        """Gradients of all weights, where no token is padding: the kernel's own masks, windows and sinks need no array."""
        model, found = model_of("GptOss", EXACT).train(), []
        for implementation in ("eager", "attn_mlir"):
            model.set_attn_implementation(implementation)
            model.zero_grad()
            model(self.ids, labels=self.ids).loss.backward()
            found.append(torch.cat([x.grad.float().flatten() for x in model.parameters() if x.grad is not None]))
        self.assertLess(((found[1] - found[0]).norm() / found[0].norm()).item(), TOLERANCE[EXACT])

    def test_refused(self):
        model = model_of("Llama", EXACT)
        model.config.attention_dropout = 0.5
        for layer in model.model.layers:
            layer.self_attn.attention_dropout = 0.5
        model.set_attn_implementation("attn_mlir")
        with self.assertRaisesRegex(NotImplementedError, "dropout"):
            model.train()(self.ids)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
