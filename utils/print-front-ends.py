#!/usr/bin/env python3
"""Writes attention as front ends print it, for raise-report.py: functions and layers, in linalg and tosa.

usage: print-front-ends.py torch FOLDER    with torch_mlir: functions of PyTorch, in linalg and tosa
       print-front-ends.py layers FOLDER   with torch_mlir and transformers: a layer of each model
       print-front-ends.py jax FOLDER      with jax and iree-compile on the PATH: functions of JAX, in linalg

What a front end cannot lower is said, and left out."""

import importlib
import math
import re
import subprocess
import sys
from pathlib import Path

B, H, S, D = 2, 4, 24, 16


def torch_functions(torch):
    """name: (function, arguments)."""
    F = torch.nn.functional
    sdpa, inf = F.scaled_dot_product_attention, float("inf")

    def arguments(dtype=torch.float32, heads=H, keys=S, shared=H):
        return (torch.randn(B, heads, S, D, dtype=dtype), *(torch.randn(B, shared, keys, D, dtype=dtype) for _ in "kv"))

    def scores(q, k):
        return q @ k.transpose(-2, -1) / math.sqrt(D)

    def plain(q, k, v):
        return scores(q, k).softmax(-1) @ v

    def repeated(q, k, v):
        k, v = (t[:, :, None].expand(B, 2, 4, S, D).reshape(B, 8, S, D) for t in (k, v))
        return plain(q, k, v)

    def masked(condition, low=-inf):
        def function(q, k, v):
            i, j = torch.arange(S)[:, None], torch.arange(S)[None, :]
            return scores(q, k).masked_fill(condition(i, j), low).softmax(-1) @ v
        return function

    def einsum(q, k, v):
        return torch.einsum("bhij,bjhd->bihd", torch.softmax(torch.einsum("bihd,bjhd->bhij", q, k) / 4, -1), v)

    def slopes(q, k, v):
        i, j, slope = torch.arange(S)[:, None], torch.arange(S)[None, :], 2.0 ** -(torch.arange(1, H + 1) * 2.0)
        return (scores(q, k) + slope[:, None, None] * (j - i)).softmax(-1) @ v

    def padded(low):
        return lambda q, k, v, m: (scores(q, k) + (1.0 - m[:, None, None, :]) * low).softmax(-1) @ v

    half, bf16 = torch.float16, torch.bfloat16
    added, ones = torch.randn(B, 1, S, S), torch.ones(B, S)
    rows = tuple(torch.randn(B, S, H, D) for _ in "qkv")
    flat = tuple(torch.randn(B * H, S, D) for _ in "qkv")
    return {
        "sdpa": (sdpa, arguments()),
        "sdpa_f16": (sdpa, arguments(half)),
        "sdpa_scale": (lambda q, k, v: sdpa(q, k, v, scale=0.3), arguments()),
        "sdpa_cross": (sdpa, arguments(keys=40)),
        "sdpa_causal": (lambda q, k, v: sdpa(q, k, v, is_causal=True), arguments()),
        "plain": (plain, arguments()),
        "causal": (masked(lambda i, j: j > i), arguments()),
        "causal_finite": (masked(lambda i, j: j > i, -3.4e38), arguments()),
        "window": (masked(lambda i, j: (j > i) | (j <= i - 7)), arguments()),
        "slopes": (slopes, arguments()),
        "softcap": (lambda q, k, v: torch.softmax(torch.tanh(scores(q, k) / 30) * 30, -1) @ v, arguments()),
        "added": (lambda q, k, v, m: (scores(q, k) + m).softmax(-1) @ v, (*arguments(), added)),
        "booleans": (lambda q, k, v, m: scores(q, k).masked_fill(m, -inf).softmax(-1) @ v, (*arguments(), added > 1)),
        "padded": (padded(-10000.0), (*arguments(), ones)),
        "padded_lowest": (padded(torch.finfo(torch.float32).min), (*arguments(), ones)),
        "f16_in_f32": (lambda q, k, v: torch.softmax(scores(q, k), -1, dtype=torch.float32).to(half) @ v, arguments(half)),
        "bf16_in_f32": (lambda q, k, v: torch.softmax(scores(q, k), -1, dtype=torch.float32).to(bf16) @ v, arguments(bf16)),
        "einsum": (einsum, rows),
        "baddbmm": (lambda q, k, v: torch.bmm(torch.softmax(torch.baddbmm(torch.zeros(B * H, S, S), q, k.transpose(1, 2), beta=0,
                                                                          alpha=0.25), -1), v), flat),
        "expanded": (repeated, arguments(heads=8, shared=2)),
        "interleaved": (lambda q, k, v: plain(q, k.repeat_interleave(4, 1), v.repeat_interleave(4, 1)), arguments(heads=8, shared=2)),
        "log_softmax": (lambda q, k, v: torch.log_softmax(scores(q, k), -1).exp() @ v, arguments()),
        "scaled_operands": (lambda q, k, v: torch.softmax((q * 0.25) @ (k * 0.5).transpose(-2, -1), -1) @ v, arguments()),
        "decode": (plain, (torch.randn(B, H, 1, D), *arguments()[1:])),
        "encoder": (torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, dropout=0), (torch.randn(B, S, 64),)),
    }


def layers(torch):
    """name: (layer, arguments), of small models with attention in the open."""
    import transformers

    class Layer(torch.nn.Module):
        def __init__(self, layer, rotary):
            super().__init__()
            self.layer, self.rotary = layer, rotary

        def forward(self, x, mask):
            more = {}
            if self.rotary:
                angle = torch.arange(S).float()[:, None] * 10000.0 ** (-torch.arange(0, self.rotary, 2).float() / self.rotary)
                angle = torch.cat([angle, angle], -1)[None].to(x.dtype)
                more["position_embeddings"] = angle.cos(), angle.sin()
            out = self.layer(x, attention_mask=mask, **more)
            return out[0] if isinstance(out, tuple) else out

    sizes = dict(hidden_size=64, intermediate_size=128, num_attention_heads=4, attn_implementation="eager")
    grouped = dict(sizes, num_key_value_heads=2, head_dim=16)
    other = dict(attn_implementation="eager")
    models = {  # model: layer, prefix of the configuration, its values, width of rotary embedding, whether it has a number
        "bert": ("BertLayer", "Bert", sizes, 0, False),
        "roberta": ("RobertaLayer", "Roberta", sizes, 0, False),
        "llama": ("LlamaDecoderLayer", "Llama", grouped, 16, True),
        "mistral": ("MistralDecoderLayer", "Mistral", grouped, 16, True),
        "qwen3": ("Qwen3DecoderLayer", "Qwen3", grouped, 16, True),
        "gemma2": ("Gemma2DecoderLayer", "Gemma2", grouped, 16, True),
        "gpt_neox": ("GPTNeoXLayer", "GPTNeoX", sizes, 4, True),
        "phi": ("PhiDecoderLayer", "Phi", dict(sizes, partial_rotary_factor=1.0), 16, True),
        "gpt2": ("GPT2Block", "GPT2", dict(n_embd=64, n_head=4, **other), 0, True),
        "t5": ("T5Block", "T5", dict(d_model=64, d_kv=16, num_heads=4, d_ff=128), 0, False),
        "opt": ("OPTDecoderLayer", "OPT", dict(hidden_size=64, ffn_dim=128, num_attention_heads=4, **other), 0, True),
        "bart": ("BartEncoderLayer", "Bart", dict(d_model=64, encoder_attention_heads=4, encoder_ffn_dim=128, **other), 0, True),
        "distilbert": ("TransformerBlock", "DistilBert", dict(dim=64, n_heads=4, hidden_dim=128, **other), 0, False),
        "whisper": ("WhisperDecoderLayer", "Whisper", dict(d_model=64, decoder_attention_heads=4, decoder_ffn_dim=128, **other), 0, True),
    }
    found = {}
    for model, (layer, prefix, values, rotary, numbered) in models.items():
        module = importlib.import_module(f"transformers.models.{model}.modeling_{model}")
        config = getattr(transformers, f"{prefix}Config")(**values)
        for dtype in (torch.float32, torch.float16, torch.bfloat16):
            made = getattr(module, layer)(config, 0) if numbered else getattr(module, layer)(config)
            mask = torch.full((S, S), torch.finfo(dtype).min, dtype=dtype).triu(1).expand(B, 1, S, S).contiguous()
            name = f"{model}_{str(dtype).removeprefix('torch.')}"
            found[name] = Layer(made, rotary).eval().to(dtype), (torch.randn(B, S, 64, dtype=dtype), mask)
    return found


def write_torch(folder, find):
    import torch
    from torch_mlir import fx

    class Module(torch.nn.Module):
        def __init__(self, function):
            super().__init__()
            self.function = function

        def forward(self, *arguments):
            return self.function(*arguments)

    for name, (function, arguments) in find(torch).items():
        module = function if isinstance(function, torch.nn.Module) else Module(function)
        for form, output in (("linalg", fx.OutputType.LINALG_ON_TENSORS), ("tosa", fx.OutputType.TOSA)):
            try:
                with torch.no_grad():
                    text = str(fx.export_and_import(module.eval(), *arguments, output_type=output, func_name="f"))
            except Exception as error:  # whatever a front end raises
                print(f"{name}.{form}: {str(error).splitlines()[0]}")
                continue
            (folder / f"{name}.{form}.mlir").write_text(re.sub(r" loc\(.*\)$", "", text, flags=re.MULTILINE))


def write_jax(folder):
    import jax
    from jax import numpy as jnp

    attention, softmax = jax.nn.dot_product_attention, jax.nn.softmax

    def array(*shape, dtype=jnp.float32):
        return jax.ShapeDtypeStruct(shape, dtype)

    def scores(q, k):
        return q @ k.swapaxes(-1, -2) * 0.25

    rows, columns = (array(B, S, H, D),) * 3, (array(B, H, S, D),) * 3
    i, j = jnp.arange(S)[:, None], jnp.arange(S)[None, :]

    def late(q, k, v):
        s = scores(q, k)
        e = jnp.exp(s - s.max(-1, keepdims=True))
        return (e @ v) / e.sum(-1, keepdims=True)

    cases = {
        "attention": (attention, rows),
        "causal": (lambda q, k, v: attention(q, k, v, is_causal=True), rows),
        "window": (lambda q, k, v: attention(q, k, v, local_window_size=(6, 0)), rows),
        "grouped": (attention, (array(B, S, 8, D), array(B, S, 2, D), array(B, S, 2, D))),
        "bias": (lambda q, k, v, b: attention(q, k, v, bias=b), (*rows, array(1, H, S, S))),
        "mask": (lambda q, k, v, m: attention(q, k, v, mask=m), (*rows, array(B, 1, S, S, dtype=jnp.bool_))),
        "lengths": (lambda q, k, v, n: attention(q, k, v, key_value_seq_lengths=n), (*rows, array(B, dtype=jnp.int32))),
        "plain": (lambda q, k, v: softmax(scores(q, k), -1) @ v, columns),
        "where": (lambda q, k, v: softmax(jnp.where(j <= i, scores(q, k), -1e10), -1) @ v, columns),
        "late_division": (late, columns),
        "softcap": (lambda q, k, v: softmax(50 * jnp.tanh(scores(q, k) / 50), -1) @ v, columns),
        "vmap": (jax.vmap(jax.vmap(lambda q, k, v: softmax(q @ k.T * 0.25, -1) @ v)), columns),
        "one_key_head": (lambda q, k, v: softmax(jnp.einsum("bhid,bjd->bhij", q, k), -1) @ v[:, None], (columns[0], *(array(B, S, D),) * 2)),
    }
    for name, (function, arguments) in cases.items():
        done = subprocess.run(
            ["iree-compile", "--iree-input-type=stablehlo", "--compile-to=input", "--iree-hal-target-backends=llvm-cpu", "-",
             "-o", folder / f"{name}.mlir"], input=jax.jit(function).lower(*arguments).as_text(), capture_output=True, text=True)
        if done.returncode:
            print(f"{name}: {done.stderr.splitlines()[0]}")


def main():
    ways = {"torch": lambda f: write_torch(f, torch_functions), "layers": lambda f: write_torch(f, layers), "jax": write_jax}
    if len(sys.argv) != 3 or sys.argv[1] not in ways:
        sys.exit(__doc__)
    folder = Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    ways[sys.argv[1]](folder)


if __name__ == "__main__":
    main()
