"""FP8: scales, and V by columns."""

from ._arrays import is_torch, torch_module
from ._errors import ArgumentError

_GROUP = 16  # Of keys, in which interleaved() exchanges places.
_LEAST_BLOCK = 32
# Under a causal mask, and without one (docs/fp8.md#measured).
_MOST_KEYS_INSIDE, _MOST_DIM_INSIDE, _MOST_DIM_INSIDE_FULL = 4096, 128, 64


def check_block(block):
    """Whether kernels take scales of blocks of so many keys."""
    if isinstance(block, bool) or not isinstance(block, int) or block < _LEAST_BLOCK or block & (block - 1):
        raise ArgumentError(f"scale_block: expected a power of two from {_LEAST_BLOCK} on, but got {block!r}")


def scales_of(scales, q, batch, kv_heads, keys=0, block=None):
    """The scales of Q, K and V as float32 of [batch or 1, KV heads or 1], None of those that are None; those of K and V may have one
    for each ``block`` of ``keys``, too."""
    blocks = None
    if block is not None:
        check_block(block)
        blocks = -(-keys // block)
    found = tuple(_scale_of(f"{name}_scale", scale, q, batch, kv_heads, None if name == "q" else blocks)
                  for name, scale in zip("qkv", scales))
    if block is not None and not any(scale is not None and len(scale.shape) == 3 for scale in found):
        raise ArgumentError("scale_block: expected k_scale or v_scale of 3 dimensions beside it, but got none")
    return found


def check_no_blocks(places, blocks):
    """What scales of blocks cannot be beside."""
    for name, array in (*places, ("blocks", blocks)):
        if name != "cu_seqlens_q" and array is not None:
            raise ArgumentError(f"scale_block: expected no {name} beside it, but got some")


def _scale_of(name, scale, q, batch, kv_heads, blocks):
    if scale is None or _is_number(scale):
        return array_of(scale, q)
    shape = getattr(scale, "shape", None)
    if shape is None or str(scale.dtype).rsplit(".", 1)[-1] != "float32":
        raise ArgumentError(f"{name}: expected a number or an array of float32, but got {getattr(scale, 'dtype', scale)!r}")
    if len(shape) < 2 and all(size == 1 for size in shape):
        scale = scale.reshape(1, 1)
        shape = scale.shape
    is_of_blocks = blocks is not None and len(shape) == 3 and shape[2] == blocks
    if not (is_of_blocks or len(shape) == 2) or shape[0] not in (1, batch) or shape[1] not in (1, kv_heads):
        other = "" if blocks is None else f", or ({batch}, {kv_heads}, {blocks}) for blocks of keys"
        raise ArgumentError(f"{name}: expected shape ({batch}, {kv_heads}), of which either may be 1{other}, but got {tuple(shape)}")
    if is_torch(scale) and scale.device != q.device:
        raise ArgumentError(f"{name}: expected a tensor on {q.device}, as q is, but got one on {scale.device}")
    return array_of(scale, q)


def _is_number(scale):
    return isinstance(scale, (int, float)) and not isinstance(scale, bool)


def array_of(scale, q):
    """A scale that was found to be right as a kernel reads it."""
    if scale is None:
        return None
    if _is_number(scale):
        return _filled(q, float(scale))
    if len(scale.shape) < 2:
        scale = scale.reshape(1, 1)
    # Broadcast tensors, as FlashAttention-3's tests have them.
    return scale.detach().contiguous() if is_torch(scale) else scale


def _filled(q, number):
    if is_torch(q):
        return q.new_full((1, 1), number, dtype=torch_module().float32)
    import numpy

    return numpy.full((1, 1), number, "float32")


def sizes_of(scale):
    """The sizes of a scale in its type: 1 of what is the same for all."""
    if scale is None:
        return ""
    return f"{'1' if scale.shape[0] == 1 else '?'}x{scale.shape[1]}{'x?' if len(scale.shape) == 3 else ''}"


class InterleavedValues:
    """V by columns, for several calls of attention(): of `interleaved`."""

    requires_grad = False

    def __init__(self, v, layout):
        self.tensor = interleaved(v, layout)
        self.layout, self.rows, self.device = layout, v.shape, v.device
        # Calls are told apart by shapes.
        self.shape = (*v.shape, "columns")


def tensor_of(v):
    return v.tensor if isinstance(v, InterleavedValues) else v


def checked(problem, platform, has_columns=False, arranges=False, keys=None):
    """The problem of FP8: results are of bfloat16, and NVIDIA GPUs take V by columns, which a kernel in front makes of rows. Where kernels can arrange
    tiles of V themselves (``arranges``), they do so of lengths, packed sequences and pages, and where it was measured to be faster."""
    problem = problem._replace(result="bf16")
    if platform != "cuda" and not has_columns:
        return problem
    if platform == "hip":
        raise NotImplementedError("v: expected rows on an AMD GPU, but got interleaved_values")
    given = problem.sequences
    for name, has in (("lengths", problem.lengths), ("cu_seqlens_q", given.cu_q), ("cu_seqlens_k", given.cu_k),
                      ("block_table", given.table)):
        if has and arranges and not has_columns:
            return problem
        if has:
            raise NotImplementedError(f"{name}: expected none with V by columns, as of float8 on a GPU, but got some")
    if arranges and not has_columns and _is_faster_inside(problem, keys):
        return problem
    return problem._replace(values="interleaved" if has_columns else "rows")


def _is_faster_inside(problem, keys):
    """Whether arranging V takes less time in the kernel than in one in front: few tiles of queries go past a tile of V."""
    most = _MOST_DIM_INSIDE if problem.mask.startswith("#attn.causal") else _MOST_DIM_INSIDE_FULL
    return keys is not None and keys <= _MOST_KEYS_INSIDE and problem.value_dim <= most and problem.scale_block is None


def interleaved(v, layout="bhsd"):
    """V [B, H, S, D] or [B, S, H, D] as [B, H, D, S], S rounded up to a multiple of 16 with zeros; of each 16 keys those at
    2 t, 2 t + 1, 8 + 2 t and 9 + 2 t are neighbours (`values(interleaved)` of attn.attention)."""
    torch = torch_module()
    if torch is None or not is_torch(v):
        raise ArgumentError(f"v: expected a torch tensor in float8, but got {type(v).__name__}")
    if v.element_size() != 1 or len(v.shape) != 4:
        raise ArgumentError(f"v: expected float8 of 4 dimensions, but got {v.dtype} of shape {tuple(v.shape)}")
    bytes_of = v.detach().view(torch.uint8)
    bytes_of = bytes_of if layout == "bhsd" else bytes_of.transpose(1, 2)
    batch, heads, keys, dim = bytes_of.shape
    groups = -(-keys // _GROUP)
    if keys % _GROUP:
        bytes_of = torch.nn.functional.pad(bytes_of, (0, 0, 0, groups * _GROUP - keys))
    split = bytes_of.reshape(batch, heads, groups, 2, 4, 2, dim)
    return split.permute(0, 1, 6, 2, 4, 3, 5).reshape(batch, heads, dim, groups * _GROUP).view(v.dtype)
