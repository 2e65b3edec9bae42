"""Numbers of FP8 and their scales, by kernels: programs of `attn.quantize`; and matrices that rotate rows first.

An outlier makes the scale of its head large, and what is rounded for it small. A rotation spreads it over its row. Scores of Q and K that one
orthogonal matrix rotated are those of Q and K.
"""

import functools
import random

import torch

from attn_mlir import _append, _attention, _float8, _kernels, _spec
from attn_mlir._errors import ArgumentError, NoVariantError
from attn_mlir._kernel import Kernel

_ELEMENTS = {torch.float16: "f16", torch.bfloat16: "bf16", torch.float32: "f32"}
_GRANULE, _MOST_DIM = 16, 256
# Columns of a block of a rotation at least, and what they are a multiple of: lanes store 16 bytes of a row then, or 8.
_LEAST_BLOCK, _BLOCK_GRANULE = 64, 32
# Where a matrix of rotation() remembers its blocks, and which version of it they are.
_FACTORS = "_attn_mlir_factors"


def text_of(heads, dim, element, number, groups, layout="bhsd", rotation=None, block=None, centered=False):
    """A function that makes numbers of the type ``number``, and ``groups`` scales a batch, or so many for each ``block`` of rows; and means.
    ``rotation`` is the shape of a matrix, or of its blocks."""
    rows = f"{heads}x?" if layout == "bhsd" else f"?x{heads}"
    x, q = (f"tensor<?x{rows}x{dim}x{type}>" for type in (element, number))
    s, m = f"tensor<?x{groups}x{'' if block is None else '?x'}f32>", f"tensor<{'x'.join(map(str, rotation or ()))}x{element}>"
    arguments, types, words = f"%x: {x}", x, " centered" if centered else ""
    names, results = "%q, %s", f"{q}, {s}"
    if centered:
        names, results = f"{names}, %means", f"{results}, tensor<?x{heads}x{dim}xf32>"
    if rotation is not None:
        arguments, types, words = f"{arguments}, %m: {m}", f"{types}, {m}", f"{words} rotate(%m) factor({dim**-0.5:.9e})"
    if block is not None:
        words += f" scale_block({block})"
    if layout == "bshd":
        words += " layout(bshd)"
    return (
        f"func.func @quantize({arguments}) -> ({results}) {{\n"
        f"  {names} = attn.quantize %x{words} : ({types}) -> ({results})\n"
        f"  return {names} : {results}\n}}\n")


@functools.lru_cache(maxsize=256)
def _kernel(device, *arguments):
    target = _attention.target_of(device)
    return Kernel(_kernels.bundle(text_of(*arguments), _kernels.options_of(target), target))


def _number_of(device, dtype):
    """The element type of results."""
    number = _append.FLOAT8.get(dtype)
    target = _attention.target_of(device)
    if number is None:
        raise ArgumentError(f"dtype: expected one of {', '.join(map(str, _append.FLOAT8))}, but got {dtype}")
    if not _append._converts(target, number):
        raise ArgumentError(f"dtype: expected a type that {target.name} converts to, but got {dtype}")
    return number


def _check(x, layout, groups):
    """Heads and scales of a batch."""
    if layout not in _spec.LAYOUTS:
        raise ArgumentError(f"layout: expected 'bhsd' or 'bshd', but got {layout!r}")
    if not isinstance(x, torch.Tensor) or x.dtype not in _ELEMENTS or x.dim() != 4:
        given = f"{x.dtype} of shape {tuple(x.shape)}" if isinstance(x, torch.Tensor) else type(x).__name__
        raise ArgumentError(f"x: expected a torch tensor of 4 dimensions in float16, bfloat16 or float32, but got {given}")
    if x.requires_grad and torch.is_grad_enabled():
        raise ArgumentError("x: expected a tensor without requires_grad, since rounding has no gradient: x.detach()")
    heads, dim = x.shape[1 if layout == "bhsd" else 2], x.shape[3]
    if not heads or not 0 < dim <= _MOST_DIM or dim % _GRANULE:
        raise ArgumentError(f"x: expected heads of a multiple of {_GRANULE} columns up to {_MOST_DIM}, but got shape {tuple(x.shape)}")
    groups = heads if groups is None else groups
    if not isinstance(groups, int) or groups < 1 or heads % groups:
        raise ArgumentError(f"heads: expected a divisor of the {heads} heads of x, but got {groups!r}")
    return heads, groups


def _factors(rotation, dim):
    """A matrix, or the blocks that attn.quantize multiplies by in its place: they are given, or known of a matrix of rotation()."""
    shape = tuple(rotation.shape) if isinstance(rotation, torch.Tensor) else ()
    if len(shape) == 3:
        count, size, columns = shape
        if count > 1 and count & (count - 1) == 0 and size == columns and size % _GRANULE == 0 and count * size == dim:
            return rotation
    if shape != (dim, dim):
        raise ArgumentError(f"rotation: expected attn_mlir.rotation({dim}, ...), of shape ({dim}, {dim}), or blocks of it, [n, m, m] with n a "
                            f"power of two, but got {shape or type(rotation).__name__}")
    blocks, version = getattr(rotation, _FACTORS, (None, None))
    # What was written to since is another matrix.
    return rotation if blocks is None or rotation._version != version else blocks


def quantize(x, rotation=None, dtype=torch.float8_e4m3fn, heads=None, layout="bhsd", scale_block=None, centered=False):
    heads, groups = _check(x, layout, heads)
    if scale_block is not None:
        _float8.check_block(scale_block)
    if not isinstance(centered, bool):
        raise ArgumentError(f"centered: expected True or False, but got {centered!r}")
    device, dim = _attention.device_of("x", x), x.shape[3]
    number = _number_of(device, dtype)
    inputs = [x.detach()]
    if rotation is not None:
        inputs.append(_factors(rotation, dim).to(device=x.device, dtype=x.dtype).contiguous())
    shape = None if rotation is None else tuple(inputs[1].shape)
    kernel = _kernel(device, heads, dim, _ELEMENTS[x.dtype], number, groups, layout, shape, scale_block, centered)
    blocks = () if scale_block is None else (-(-x.shape[2 if layout == "bhsd" else 1] // scale_block),)
    scales = torch.empty((x.shape[0], groups, *blocks), dtype=torch.float32, device=x.device)
    out = torch.empty(x.shape, dtype=dtype, device=x.device), scales
    if centered:
        out += (torch.empty((x.shape[0], heads, dim), dtype=torch.float32, device=x.device),)
    try:
        kernel(*inputs, out=out)
    except NoVariantError:
        kernel(x.detach().contiguous(), *inputs[1:], out=out)  # Strides, or where it begins.
    return out


def _is_prime(n):
    return n > 1 and all(n % i for i in range(2, int(n**0.5) + 1))


def _residues(q):
    """For a prime q: 1 or -1 where i - j is a square of integers modulo q or none, 0 for i = j."""
    squares = {i * i % q for i in range(1, q)}
    return [[0 if i == j else 1 if (i - j) % q in squares else -1 for j in range(q)] for i in range(q)]


def _bordered(q, corner):
    """The residues with a first row of 1 and a first column of ``corner``."""
    return [[0] + [1] * q] + [[corner] + row for row in _residues(q)]


def _product(x, y):
    """Kronecker's."""
    return [[a * b for a in one for b in other] for one in x for other in y]


@functools.lru_cache(maxsize=None)
def _hadamard(n):
    """A matrix of 1 and -1 with orthogonal rows, as lists; None where neither Sylvester's doubling nor Paley's primes make one."""
    if n == 1:
        return [[1]]
    if n == 2:
        return [[1, 1], [1, -1]]
    if n % 4:
        return None
    half = _hadamard(n // 2)
    if half:
        return _product(_hadamard(2), half)
    if _is_prime(n - 1):
        # A skew matrix plus the identity.
        return [[value or 1 for value in row] for row in _bordered(n - 1, -1)]
    q = n // 2 - 1
    if not _is_prime(q) or q % 4 != 1:
        return None
    # A symmetric matrix: its zeros and its signs become blocks of 2 x 2.
    blocks = {0: [[1, -1], [-1, -1]], 1: [[1, 1], [1, -1]], -1: [[-1, -1], [-1, 1]]}
    return [[v for value in row for v in blocks[value][i]] for row in _bordered(q, 1) for i in range(2)]


def rotation(dim, seed=0, device=None, dtype=torch.bfloat16, blocks=None):
    matrix = _hadamard(dim) if isinstance(dim, int) and 1 <= dim <= _MOST_DIM else None
    if matrix is None:
        raise ArgumentError(
            f"dim: expected 1, 2 or a multiple of 4 up to {_MOST_DIM} of which a Hadamard matrix is known here (a power of two, or one times 12, 20, 28, 36, "
            f"44, 60 or another that Paley's primes make), but got {dim!r}")
    draw = random.Random(seed)
    signs = [[draw.choice((-1, 1))] for _ in range(dim)]
    result = torch.tensor(matrix, dtype=dtype, device=device) * torch.tensor(signs, dtype=dtype, device=device)
    if blocks is not None:
        return _blocks_of(result, blocks)
    count = _number_of_blocks(dim)
    if count > 1 and not result.is_inference():
        setattr(result, _FACTORS, (_blocks_of(result, count), result._version))
    return result


def _blocks_of(matrix, count):
    """What Sylvester's matrix, which begins with a column of 1, makes the matrix of."""
    dim = len(matrix)
    if not isinstance(count, int) or count < 2 or count & (count - 1) or dim % count or not _hadamard(dim // count):
        raise ArgumentError(f"blocks: expected a power of two from 2 on that Sylvester's doubling leaves of {dim} columns, but got {count!r}")
    return matrix[:, :dim // count].reshape(count, dim // count, -1).contiguous()


def _number_of_blocks(dim):
    """Of which a rotation consists: as many as Sylvester's doubling leaves, of not too few columns."""
    count = 1
    while dim % (2 * count * _BLOCK_GRANULE) == 0 and dim >= 2 * count * _LEAST_BLOCK and _hadamard(dim // (2 * count)):
        count *= 2
    return count
