"""attention() on a GPU that a fake driver plays: targets, kernels for sizes, what is refused. No numbers."""

import os
import tempfile
import unittest
from unittest import mock

import attn_mlir
from attn_mlir import _kernels


class OnDevice:
    """An array on a device, of which only the address matters."""

    def __init__(self, shape, typestr="<f2", address=0x10000000):
        self.shape = shape
        self.dtype = {"<f2": "float16", "<f4": "float32", "|b1": "bool", "<i4": "int32"}[typestr]
        self.__cuda_array_interface__ = {"shape": shape, "typestr": typestr, "data": (address, False), "version": 3}


def call(queries, keys, batch=2, heads=32, kv_heads=8, dim=128, typestr="<f2", address=0x10000000, **keywords):
    shapes = (heads, queries), (kv_heads, keys), (kv_heads, keys), (heads, queries)
    q, k, v, o = (OnDevice((batch, n, length, dim), typestr, address) for n, length in shapes)
    return attn_mlir.attention(q, k, v, out=keywords.pop("out", o), causal=True, **keywords)


def log():
    with open(os.environ["ATTN_FAKE_LOG"]) as file:
        return file.read().splitlines()


class Device(unittest.TestCase):
    def setUp(self):
        attn_mlir.cache_clear()
        open(os.environ["ATTN_FAKE_LOG"], "w").close()

    def launches(self):
        return sum(line.startswith("cuLaunchKernelEx") for line in log())

    def test_target(self):
        call(1024, 1024)
        (entry,) = _kernels._entries.values()
        self.assertEqual(self.launches(), 1)
        self.assertEqual(entry.target.arch, "sm_90a")
        self.assertEqual(entry.options[0], ("target", "h200"))
        facts = [text for name, text in entry.options if name == "target-fact"]
        few = "ATTN_FAKE_ATTRIBUTES" in os.environ
        self.assertEqual(facts, ["l2_gbps=3150", "sms=66", "tensor_gflops=494500"] if few else [])

    def test_kernels_for_sizes(self):
        """The first call compiles for its sizes; sizes of another kind compile once more, and the third for all."""
        with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, ATTN_MLIR_CACHE_DIR=folder):
            self.check_kernels_for_sizes()
            # What is on disk is for other sizes, too: nothing is compiled for the same kinds of them.
            attn_mlir.cache_clear()
            for queries, keys in ((4000, 4500), (1, 50000), (700, 90000)):
                call(queries, keys)
            self.assertEqual(attn_mlir.cache_info().compiled, 0)

    def check_kernels_for_sizes(self):
        call(4096, 4096)
        self.assertEqual(attn_mlir.cache_info().in_memory, 1)
        call(4096, 4096, batch=1)
        call(4096, 5000)
        few = attn_mlir.cache_info().in_memory
        for queries, keys in ((1, 60000), (1, 300), (16, 16), (2048, 2048), (1, 1), (777, 100000), (1, 8192), (4, 8192)):
            for batch in (1, 64):
                call(queries, keys, batch=batch)
        info = attn_mlir.cache_info()
        self.assertGreater(info.in_memory, few)
        self.assertLessEqual(info.in_memory, 3)
        self.assertEqual(info.compiled + info.from_disk, info.in_memory)
        entry, = _kernels._entries.values()
        variants = [len(kernel.variants) for kernel in entry.kernels]
        self.assertLess(variants[0], variants[-1])
        # None of these calls compiles again.
        for queries, keys in ((4096, 4096), (1, 60000), (2048, 2048)):
            call(queries, keys)
        self.assertEqual(attn_mlir.cache_info(), info)
        self.assertGreaterEqual(self.launches(), 22)

    def test_plans_that_are_known(self):
        """Arrays of the sizes of a call before are checked all the same: other alignments, no address, other strides."""
        def arrays(address, length=512):
            return [OnDevice((1, heads, length, 128), address=address) for heads in (32, 8, 8, 32)]

        call(512, 512, batch=1)
        entry, = _kernels._entries.values()
        kernel = entry.kernels[0]
        for _ in range(2):
            for address in (0x10000000, 0x20000000, 0x10000010):
                *inputs, o = arrays(address)
                kernel(*inputs, out=o)
            *inputs, o = arrays(0x10000008)
            with self.assertRaises(attn_mlir.NoVariantError):
                kernel(*inputs, out=o)
            *inputs, o = arrays(0)
            with self.assertRaisesRegex(attn_mlir.Error, "got null"):
                kernel(*inputs, out=o)
            *inputs, o = arrays(0x10000000)
            inputs[1] = OnDevice((1, 8, 500, 128))
            with self.assertRaisesRegex(attn_mlir.Error, "size 500"):
                kernel(*inputs, out=o)
        self.assertEqual(self.launches(), 7)

    def test_one_kernel_on_two_devices(self):
        """It is compiled once: what a driver loads it for is the launcher's to know."""
        from attn_mlir import _targets

        self.assertEqual(_targets.of_device("cuda", 0), _targets.of_device("cuda", 1))

    def test_captures(self):
        ids = OnDevice((2, 512), "<i4")
        allowed = OnDevice((512, 512), "|b1")
        call(512, 512, mask=lambda b, h, q, k: attn_mlir.sorted(ids)[b, q] == attn_mlir.sorted(ids)[b, k])
        call(512, 512, mask=allowed)
        self.assertEqual(attn_mlir.cache_info().in_memory, 2)
        offset = OnDevice((1,), "<i4")
        call(512, 512, mask=lambda b, h, q, k: q + offset >= k)

    def refuses(self, message, error=attn_mlir.ArgumentError, **keywords):
        with self.assertRaises(error) as raised:
            call(**{"queries": 256, "keys": 256, **keywords})
        self.assertIn(message, str(raised.exception))

    def test_refused(self):
        self.refuses("q: expected element type float16, bfloat16 or float8 (float32 is for the CPU), but got float32", typestr="<f4")
        self.refuses("expected a base address of a multiple of 16 bytes", attn_mlir.NoVariantError, address=0x10000002)
        self.refuses("out: expected an array for the result: of OnDevice", out=None)
        self.refuses("only arrays of torch and NumPy are padded", dim=100)

    def test_another_device(self):
        from processes import Floats

        q = OnDevice((1, 1, 16, 16), "<f4")
        with self.assertRaises(attn_mlir.ArgumentError) as raised:
            attn_mlir.attention(Floats((1, 1, 16, 16)), q, q)
        self.assertIn("k: expected an array on the CPU, as q is, but got one on cuda device 0", str(raised.exception))

    def test_ahead(self):
        made = attn_mlir.compile(((1, 32, 1, 128), "float16"), ((1, 8, 1, 128), "float16"), causal=True)
        self.assertEqual(made.arch, "sm_90a")
        shapes = (1, 32, 7), (1, 8, 9), (1, 8, 9), (1, 32, 7)
        q, k, v, o = (OnDevice((*shape, 128)) for shape in shapes)
        made(q, k, v, out=o)
        self.assertGreaterEqual(self.launches(), 1)
        for name in ("a100", "rtx5090", "mi300x"):
            other = attn_mlir.compile(((1, 4, 1, 64), "bfloat16"), target=name)
            self.assertEqual(other.target, name)


if __name__ == "__main__":
    unittest.main()
