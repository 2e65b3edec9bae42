"""The shapes that best_of_peers.py measures: a list that is written before anything is tuned by it.

A shape belongs to a class, whose geometric mean is what counts. Lengths are powers of two, primes and what lies between;
heads are MHA, GQA and MQA.
"""

import collections

Shape = collections.namedtuple("Shape", "kind batch heads kv_heads queries keys qk_dim value_dim mask softcap inputs")
Shape.__doc__ = """``mask``: "", "causal" (bottom right) or the left bound of a causal window. ``softcap``: 0 is none.
``inputs``: how Q, K and V are distributed, of INPUTS."""

# Normal numbers of which scores have such a standard deviation; a first key that all see; vectors that turn with the
# position; keys in the order of their score; scores that grow with the key.
INPUTS = ("std 1", "std 4", "std 6", "std 16", "std 64", "sinks", "rotary", "sorted", "growing")

# Geometric means over the best of the peers that are aimed at, by class; what no class has is 0.97 for each shape.
AIMS = {
    "d64 full": 1.18, "d64 causal": 1.10, "d128 full": 1.06, "d128 causal": 1.04, "d256 full": 1.03, "d256 causal": 1.02,
    "uneven": 1.03, "odd dims": 1.03, "few queries": 1.03, "windows": 1.08, "softcap": 1.0, "inputs": 0.97,
}
LEAST = 0.97


def _shape(kind, batch, heads, queries, dim, mask="", kv_heads=None, keys=None, value_dim=None, softcap=0.0, inputs="std 1"):
    return Shape(kind, batch, heads, kv_heads or heads, queries, keys or queries, dim, value_dim or dim, mask, softcap, inputs)


def _plain():
    """(batch, heads, KV heads, length)"""
    sizes = {
        64: ((64, 16, 16, 128), (32, 16, 16, 512), (4, 16, 4, 2048), (2, 32, 32, 4096), (1, 32, 8, 8192), (1, 16, 16, 16384),
             (1, 8, 1, 32768), (1, 2, 2, 131072)),
        128: ((64, 16, 16, 128), (16, 16, 4, 512), (8, 16, 16, 1024), (4, 16, 16, 2048), (2, 32, 8, 4096), (1, 32, 8, 8192),
              (1, 16, 16, 16384), (1, 8, 1, 32768), (1, 2, 2, 131072)),
        256: ((16, 8, 8, 256), (8, 8, 2, 1024), (4, 8, 8, 2048), (2, 16, 4, 4096), (1, 8, 8, 8192), (1, 8, 1, 16384)),
    }
    for dim, each in sizes.items():
        for batch, heads, kv_heads, length in each:
            for mask in ("", "causal"):
                yield _shape(f"d{dim} {mask or 'full'}", batch, heads, length, dim, mask, kv_heads)


def _uneven():
    for batch, heads, kv_heads, length, dim in (
            (8, 32, 8, 777, 128), (1, 16, 4, 3063, 128), (3, 12, 4, 1021, 64), (2, 16, 16, 2977, 128), (1, 16, 1, 5003, 64),
            (1, 8, 2, 6469, 256), (5, 24, 8, 331, 128), (1, 32, 4, 10007, 64)):
        for mask in ("", "causal"):
            yield _shape("uneven", batch, heads, length, dim, mask, kv_heads)


def _odd_dims():
    for number, dim in enumerate((40, 48, 56, 72, 80, 88, 96, 104, 112, 136, 144, 160, 176, 192, 208, 224, 240)):
        yield _shape("odd dims", 2, 16, 4096, dim, kv_heads=(16, 4)[number % 2])
        yield _shape("odd dims", 1, 16, (2988, 6465, 4096)[number % 3], dim, "causal", kv_heads=(4, 16)[number % 2])
    for length in (2977, 5000, 8192):
        yield _shape("odd dims", 1, 16, length, 192, "causal", value_dim=128)


def _few_queries():
    for queries, keys in ((64, 8192), (129, 4096), (512, 16896), (512, 4096), (1024, 32768), (300, 5000)):
        yield _shape("few queries", 1, 32, queries, 128, "causal", kv_heads=8, keys=keys)


def _windows():
    for dim in (64, 128):
        for length, left in ((16384, 1023), (8192, 4095), (32768, 511), (5003, 255)):
            yield _shape("windows", 1, 16, length, dim, left)


def _softcaps():
    for dim, heads in ((64, 16), (128, 16), (256, 8)):
        for mask in ("", "causal"):
            yield _shape("softcap", 1, heads, 8192, dim, mask, softcap=30.0, inputs="std 4")


def _inputs():
    for inputs in INPUTS[1:]:
        for dim in (64, 128):
            for mask in ("", "causal"):
                yield _shape("inputs", 1, 16, 8192, dim, mask, inputs=inputs)


SHAPES = [*_plain(), *_uneven(), *_odd_dims(), *_few_queries(), *_windows(), *_softcaps(), *_inputs()]


def name_of(shape):
    mask = f"window {shape.mask + 1}" if isinstance(shape.mask, int) else shape.mask or "full"
    dims = f"{shape.qk_dim}" if shape.qk_dim == shape.value_dim else f"{shape.qk_dim}/{shape.value_dim}"
    heads = f"{shape.heads}" if shape.heads == shape.kv_heads else f"{shape.heads}/{shape.kv_heads}"
    length = f"{shape.queries}" if shape.queries == shape.keys else f"{shape.queries} of {shape.keys}"
    text = f"{shape.kind}: B {shape.batch} H {heads} S {length} D {dims} {mask}"
    if shape.softcap:
        text += f" softcap {shape.softcap:g}"
    return text if shape.inputs == "std 1" else f"{text} {shape.inputs}"


def make(torch, shape, generator, device="cuda"):
    """Q, K and V in bf16, [B, H, S, D]."""
    def normal(heads, length, dim):
        return torch.randn((shape.batch, heads, length, dim), generator=generator, device=device)

    q, k = normal(shape.heads, shape.queries, shape.qk_dim), normal(shape.kv_heads, shape.keys, shape.qk_dim)
    v = normal(shape.kv_heads, shape.keys, shape.value_dim)
    position = torch.arange(shape.keys, device=device, dtype=torch.float32)
    if shape.inputs.startswith("std"):
        q *= float(shape.inputs.split()[1])
    elif shape.inputs == "sinks":
        # A direction that all queries share, and the first key has: it outweighs the others by far.
        q[..., 0] += 4.0
        k[:, :, 0, 0] += 3.0 * shape.qk_dim**0.5
    elif shape.inputs == "rotary":
        q, k = _turned(torch, q, position[shape.keys - shape.queries :]), _turned(torch, k, position)
    elif shape.inputs == "sorted":
        order = k[..., 0].argsort(-1)[..., None]
        q[..., 0] = q[..., 0].abs() * 4.0
        k = k.gather(2, order.expand_as(k))
    elif shape.inputs == "growing":
        q[..., 0] = 8.0
        k[..., 0] = 16.0 * position / shape.keys * shape.qk_dim**0.5 / 8.0
    return tuple(x.to(torch.bfloat16) for x in (q, k, v))


def _turned(torch, x, position):
    """Rotary embedding of a mean that all positions share beside noise."""
    half = x.shape[-1] // 2
    angle = position[:, None] * 10000.0 ** (-torch.arange(half, device=x.device) / half)
    one, other = x[..., :half] + 1.0, x[..., half : 2 * half] + 1.0
    rest = x[..., 2 * half :]
    return torch.cat([one * angle.cos() - other * angle.sin(), one * angle.sin() + other * angle.cos(), rest], -1)
