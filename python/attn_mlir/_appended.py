"""New keys and values that a program writes to caches in front of attention: what of them is part of its text."""

import collections

New = collections.namedtuple("New", "k v starts rotary together")
New.__doc__ = """Arrays: ``k`` and ``v`` in the layout of the call; ``starts``, where sequences begin in them, or None; ``rotary``, (cos, sin,
interleaved) or None, turns k and q, with ``together`` all queries of a sequence by the place of its first new key."""

Spec = collections.namedtuple("Spec", "element starts angles turns interleaved together")
Spec.__doc__ = """Of a New: element types of tokens, of starts ("" for none) and of angles, and how many of these there are."""


def spec_of(new, element_of):
    """``element_of`` says what a kernel calls the elements of an array."""
    if new is None:
        return None
    cos, _, interleaved = new.rotary or (None, None, False)
    return Spec(
        element_of(new.k), "" if new.starts is None else element_of(new.starts), 0 if cos is None else cos.shape[-1],
        "" if cos is None else element_of(cos), bool(interleaved), bool(new.together))


def arrays_of(new):
    """Names and arrays, in the order of tensors_of()."""
    if new is None:
        return []
    arrays = [("k_new", new.k), ("v_new", new.v)]
    arrays += [] if new.starts is None else [("cu_seqlens_k_new", new.starts)]
    return arrays + list(zip(("cos", "sin"), (new.rotary or ())[:2]))


def tensors_of(problem):
    """Arguments of the function: names and types."""
    new = problem.append
    if new is None:
        return []
    batch, layout = "1" if new.starts else "?", problem.layout
    middle = f"{problem.kv_heads}x?" if layout == "bhsd" else f"?x{problem.kv_heads}"
    tensors = [(name, f"tensor<{batch}x{middle}x{dim}x{new.element}>")
               for name, dim in (("k_new", problem.qk_dim), ("v_new", problem.value_dim))]
    if new.starts:
        tensors.append(("starts", f"tensor<?x{new.starts}>"))
    return tensors + [(name, f"tensor<?x{new.angles}x{new.turns}>") for name in ("cos", "sin") if new.angles]


def operands_of(problem):
    """Names of Q, K, V and the lengths that attention takes."""
    if problem.append is None:
        return "%q", "%k", "%v", "%lengths"
    return "%turned" if problem.append.angles else "%q", "%keys", "%values", "%after"


def text_of(problem, q, k, v, scales):
    """What stands in front of attention; ``q``, ``k``, ``v`` are types, ``scales`` names and types."""
    new = problem.append
    if new is None:
        return ""
    types, given = dict(tensors_of(problem)), problem.sequences
    lengths, layout = f"tensor<?x{problem.lengths}>", f" layout({problem.layout})"
    tables = [types["cos"], types["sin"]] if new.angles else []
    order = " interleaved" * new.interleaved
    text = ""
    if new.angles:
        packed = [f"tensor<?x{given.cu_q}>"] * bool(given.cu_q)
        words = order + " together" * new.together + " cu_seqlens(%cu_seqlens_q)" * bool(given.cu_q) + layout
        text = (f"  %turned = attn.rotate %q at %lengths by %cos, %sin{words}\n"
                f"    : ({', '.join([q, lengths, *tables, *packed])}) -> {q}\n")
    more = [("block_table", f"tensor<?x?x{given.table}>", " block_table(%block_table)")] if given.table else []
    more += [("starts", types["starts"], " cu_seqlens(%starts)")] if new.starts else []
    words = "".join(clause for *_, clause in more) + (" rotary(%cos, %sin)" + order if new.angles else "")
    scales = [(name, type) for name, type in scales if name != "q_scale"] if problem.cache else []
    words += "".join(f" {name}(%{name})" for name, _ in scales)
    operands = [types["k_new"], types["v_new"], k, v, lengths, *(type for _, type, _ in more), *tables, *(type for _, type in scales)]
    return text + (
        f"  %keys, %values, %after = attn.append_cache %k_new, %v_new to %k, %v at %lengths{words}{layout}\n"
        f"    : ({', '.join(operands)}) -> ({k}, {v}, {lengths})\n")


def lengths_after(new, lengths, layout):
    """How many keys sequences have then, where the host has the numbers; an array or a list."""
    if new is None or not hasattr(lengths, "tolist"):
        return lengths
    count = new.k.shape[1 if layout == "bshd" else 2]
    if new.starts is None:
        return lengths + count
    return lengths + (new.starts[1:] - new.starts[:-1])
