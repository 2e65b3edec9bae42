#!/usr/bin/env python3
"""attn_mlir behind PyTorch, transformers and JAX on a GPU: check_frameworks.py [TEST...].

Kernels are compiled as calls come. What a framework's own attention gives is what ours must give: graphs of
torch.compile and CUDA graphs bit for bit, scaled_dot_product_attention, flex_attention and jax.nn's within rounding, and a
Llama of four layers token for token. Packages that are not installed are named as skipped.
"""

import importlib.util
import os
import subprocess
import sys
import unittest
import unittest.mock

import harness

INPUTS = harness.ROOT / "test" / "Python" / "Inputs"
torch = attn_mlir = None  # Imported once a GPU is known to be there.


def needs(package):
    return unittest.skipUnless(importlib.util.find_spec(package), f"{package} is not installed")


def make(queries=192, keys=320, heads=8, kv_heads=8, dim=64, batch=2):
    torch.manual_seed(0)
    sizes = (heads, queries), (kv_heads, keys), (kv_heads, keys)
    return [torch.randn(batch, n, length, dim, device="cuda", dtype=torch.bfloat16) for n, length in sizes]


class PyTorch(unittest.TestCase):
    def close(self, got, wanted, most=2e-2):
        self.assertEqual(got.shape, wanted.shape)
        self.assertLess((got.float() - wanted.float()).abs().max().item(), most)

    def test_scaled_dot_product_attention(self):
        import torch.nn.functional as F
        from attn_mlir import _sdpa

        keep = torch.rand(2, 1, 192, 320, device="cuda") > 0.3
        for options in ({}, {"is_causal": True}, {"attn_mask": keep}, {"scale": 0.3}):
            q, k, v = make()
            wanted = F.scaled_dot_product_attention(q, k, v, **options)
            with unittest.mock.patch.object(_sdpa, "attention", wraps=_sdpa.attention) as ours:
                with attn_mlir.torch.activate():
                    got = F.scaled_dot_product_attention(q, k, v, **options)
                self.assertEqual(ours.call_count, 1)
                self.assertTrue(torch.equal(F.scaled_dot_product_attention(q, k, v, **options), wanted))
                self.assertEqual(ours.call_count, 1)  # Not active any more.
            self.close(got, wanted)

    def test_gradients_under_activate(self):
        import torch.nn.functional as F

        def gradients():
            leaves = [x.requires_grad_() for x in make(320)]
            o = F.scaled_dot_product_attention(*leaves, is_causal=True)
            return o, *torch.autograd.grad(o.float().square().sum(), leaves)

        wanted = gradients()
        with attn_mlir.torch.activate():
            got = gradients()
        for a, b in zip(got, wanted):
            self.assertLess(((a - b).float().norm() / b.float().norm()).item(), 1e-2)

    def test_compiled(self):
        from attn_mlir.flash_attn import flash_attn_func
        from attn_mlir.flex import flex_attention

        slopes = torch.rand(8, device="cuda")
        functions = (
            lambda q, k, v: 2 * attn_mlir.torch.attention(q * 2, k, v, causal=True)[0],
            lambda q, k, v: flex_attention(q, k, v, score_mod=lambda s, b, h, i, j: s - slopes[h] * (i - j).abs()).relu(),
            lambda q, k, v: flash_attn_func(*(x.transpose(1, 2) for x in (q, k, v)), window_size=(100, 0)))
        for function in functions:
            torch._dynamo.reset()
            tensors = make()
            with torch.no_grad():
                self.assertTrue(torch.equal(torch.compile(function, fullgraph=True)(*tensors), function(*tensors)))

    def test_compiled_gradients(self):
        torch._dynamo.reset()

        def loss(q, k, v):
            return attn_mlir.torch.attention(q, k, v, causal=True)[0].float().square().sum()

        def gradients(function):
            leaves = [x.requires_grad_() for x in make()]
            return torch.autograd.grad(function(*leaves), leaves)

        for a, b in zip(gradients(torch.compile(loss, fullgraph=True)), gradients(loss)):
            self.assertTrue(torch.equal(a, b))

    def test_cuda_graph(self):
        """One graph of decoding, replayed with other lengths of the cache."""
        from attn_mlir.flash_attn import flash_attn_with_kvcache

        q, k, v = (x.transpose(1, 2).contiguous() for x in make(1, 4096, 32, 8, 128))
        lengths = torch.tensor([4096, 100], device="cuda", dtype=torch.int32)

        def step():
            return flash_attn_with_kvcache(q, k, v, cache_seqlens=lengths, causal=True)

        step()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            o = step()
        for pair in ((1, 4000), (777, 2048), (4096, 100)):
            lengths.copy_(torch.tensor(pair))
            graph.replay()
            self.assertTrue(torch.equal(o, step()))


class Transformers(unittest.TestCase):
    @needs("transformers")
    def test_llama(self):
        """Four layers of random weights: prompts of several lengths, 64 tokens each, as those of PyTorch's attention up to
        where two logits are as near to each other as the type's rounding; most prompts have no such place."""
        import transformers as hf
        from attn_mlir.transformers import register

        register()
        hf.logging.set_verbosity_error()
        torch.manual_seed(0)
        model = hf.LlamaForCausalLM(hf.LlamaConfig(
            vocab_size=1024, hidden_size=1024, intermediate_size=2048, num_hidden_layers=4, num_attention_heads=16,
            num_key_value_heads=4, head_dim=64, max_position_embeddings=2048, pad_token_id=0, bos_token_id=1,
            eos_token_id=None, initializer_range=0.05)).to("cuda", torch.float16).eval()
        ties = 0
        for length in (17, 64, 128, 257, 509, 1000):
            ids = torch.randint(3, 1024, (1, length), device="cuda")
            theirs, ours = (self.generated(model, name, ids) for name in ("sdpa", "attn_mlir"))
            different = (theirs.sequences != ours.sequences)[0].nonzero()
            if len(different):
                ties += 1
                place = different[0].item()
                logits = theirs.logits[place - length][0].float()
                gap = logits[theirs.sequences[0, place]] - logits[ours.sequences[0, place]]
                self.assertLessEqual(gap.item(), 4 * torch.finfo(torch.float16).eps * logits.abs().max().item())
        print(f"Llama: {ties} of 6 prompts have a tie")
        self.assertLess(ties, 3)

    def generated(self, model, implementation, ids):
        model.set_attn_implementation(implementation)
        return model.generate(ids, attention_mask=torch.ones_like(ids), max_new_tokens=64, do_sample=False, disable_compile=True,
                              output_logits=True, return_dict_in_generate=True)

    @needs("transformers")
    def test_models(self):
        run("dropin_transformers.py", self)


class Jax(unittest.TestCase):
    @needs("jax")
    def test_jax(self):
        code = "import jax, sys; sys.exit(jax.default_backend() == 'cpu')"
        if subprocess.run([sys.executable, "-c", code], stderr=subprocess.DEVNULL).returncode:
            self.skipTest("JAX sees no GPU")
        run("dropin_jax.py", self)


def run(name, case):
    """A test of the CPU in a process of its own, on the GPU."""
    places = [str(INPUTS), *filter(None, [os.environ.get("PYTHONPATH", "")]), str(harness.ROOT / "python")]
    environment = dict(os.environ, ATTN_TEST_DEVICE="cuda", PYTHONPATH=os.pathsep.join(places),
                       XLA_PYTHON_CLIENT_PREALLOCATE="false")
    done = subprocess.run([sys.executable, str(INPUTS / name)], env=environment, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)
    print(f"{name}:\n{done.stdout[-6000:]}")
    case.assertEqual(done.returncode, 0)


if __name__ == "__main__":
    torch, attn_mlir = harness.require_gpu(strict="--strict" in sys.argv)
    import attn_mlir.torch

    unittest.main(argv=[x for x in sys.argv if x != "--strict"], verbosity=2)
