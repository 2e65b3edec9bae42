"""Lists of blocks of keys that rows of blocks of queries attend to, as FlexAttention's BlockMask has them."""

import collections

from ._arrays import is_torch
from ._captures import element_of
from ._errors import ArgumentError

_NAMES = ("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices")
_KEY_NAMES = ("q_num_blocks", "q_indices", "full_q_num_blocks", "full_q_indices")
GRANULE, MOST = 16, 1 << 16

Blocks = collections.namedtuple("Blocks", "sizes types")
Blocks.__doc__ = "What a kernel is compiled for: queries and keys of a block, and the types of the lists as text."


def takes(sizes):
    """Whether kernels have blocks of so many queries and keys."""
    return all(isinstance(size, int) and size % GRANULE == 0 and GRANULE <= size <= MOST for size in sizes)


def _type(name, array, shapes, rows):
    """The type of a list; ``shapes`` says of how many batches and heads."""
    element = element_of(array)
    if element not in ("i32", "i64"):
        raise ArgumentError(f"{name}: expected int32 or int64, but got {array.dtype}")
    shape = tuple(array.shape)
    is_count = "num" in name
    wanted = f"[1 or {shapes.batch}, 1 or {shapes.heads}, {rows}{'' if is_count else ', any number'}]"
    if (len(shape) != (3 if is_count else 4) or shape[0] not in (1, shapes.batch) or shape[1] not in (1, shapes.heads)
            or shape[2] != rows):
        raise ArgumentError(f"{name}: expected shape {wanted}, but got {shape}")
    batch = "1" if shape[0] == 1 else "?"
    return f"tensor<{batch}x{shape[1]}x?x{'' if is_count else '?x'}{element}>"


def named(given):
    """Lists of blocks by name."""
    return [] if given is None else list(zip(_NAMES, given[1:]))


def checked(given, shapes):
    """(Blocks, their arrays by name) of what attention() was given, or (None, [])."""
    if given is None:
        return None, []
    sizes, *lists = given
    if len(lists) not in (2, 4):
        raise ArgumentError(
            f"blocks: expected (sizes, counts, numbers) and perhaps counts and numbers of full blocks, but got {len(given)} values")
    if len(sizes) != 2 or not takes(sizes):
        raise ArgumentError(
            f"blocks: expected queries and keys of a block, each a multiple of {GRANULE} up to {MOST}, but got {tuple(sizes)}")
    rows = -(-shapes.queries // sizes[0])
    found = named(given)
    return Blocks(tuple(sizes), tuple(_type(name, array, shapes, rows) for name, array in found)), found


def checked_by_keys(sizes, lists, shapes):
    """The types of lists by rows of keys, and their arrays by name."""
    named = list(zip(_KEY_NAMES, lists))
    rows = -(-shapes.keys // sizes[1])
    of_keys = shapes._replace(heads=shapes.kv_heads)
    return tuple(_type(name, array, of_keys, rows) for name, array in named), named


def heads_of(lists):
    """For how many heads there are lists."""
    return max(array.shape[1] for array in lists)


def tight(array):
    """The list, with the numbers of a row one behind the other."""
    if is_torch(array) and array.shape[-1] > 1 and array.stride(-1) != 1:
        return array.contiguous()
    return array


def tensors_of(blocks):
    """Names and types of the lists."""
    return [] if blocks is None else list(zip(_NAMES, blocks.types))


def gradient_tensors_of(blocks, key_types):
    """The same of gradients, whose lists by keys are of these types."""
    return tensors_of(blocks) + list(zip(_KEY_NAMES, key_types))


def gradient_clause_of(blocks):
    """The clause of gradients, which has no types."""
    if blocks is None:
        return ""
    (rows, columns), number = blocks.sizes, len(blocks.types)
    by_queries, by_keys = (", ".join("%" + name for name in names[:number]) for names in (_NAMES, _KEY_NAMES))
    return f" blocks<{rows}, {columns}>({by_queries}) by_keys({by_keys})"


def clause_of(blocks):
    if blocks is None:
        return ""
    named = tensors_of(blocks)
    rows, columns = blocks.sizes
    return f" blocks<{rows}, {columns}>({', '.join('%' + name for name, _ in named)} : {', '.join(type for _, type in named)})"
