"""flex_attention under torch.compile: one node of the graph, `attn_mlir::flex_fwd`, and one of its backward.

Dynamo traces the two functions as it does for FlexAttention, with the tensors that they capture as inputs of the graph;
what it found is traced once more, into regions of a kernel. They are a text, which is an argument of the node: a graph that
is kept on disk says all of it.
"""

import functools
import json

import torch
from torch._ops import HigherOrderOperator

from attn_mlir import _attention, _blocks, _gradients
from attn_mlir._errors import TraceError
from attn_mlir._trace import trace

_library = torch.library.Library("attn_mlir", "FRAGMENT")
# Lists are those of a block mask by rows of queries; behind them are the same by rows of keys, for gradients.
_ARGUMENTS = (
    "Tensor query, Tensor key, Tensor value, Tensor[] captured, Tensor[] lists, Tensor[] key_lists, str regions, "
    "float? scale, int[] block_size")
_library.define(f"flex_fwd({_ARGUMENTS}) -> (Tensor, Tensor)", tags=(torch.Tag.pt2_compliant_tag,))
_library.define(
    f"flex_bwd(Tensor dout, Tensor? dlse, Tensor o, Tensor lse, {_ARGUMENTS}) -> (Tensor, Tensor, Tensor)",
    tags=(torch.Tag.pt2_compliant_tag,))


def _packed(traced):
    """A Traced without its arrays, as text; of none ""."""
    if traced is None:
        return ""
    captures = [(capture.repeated, capture.axes()) for capture in traced.captures]
    return json.dumps({"clauses": traced.clauses, "bodies": traced.bodies, "types": traced.types, "sorted": traced.sorted, "captures": captures})


class _Capture:
    """How an array is read, as a Capture says it."""

    is_exact = False  # Masks are functions here.

    def __init__(self, repeated, axes):
        self.repeated, self._axes = tuple(repeated), tuple(axes)

    def axes(self):
        return self._axes


class _Regions:
    """What _packed() was given: as good as a Traced, and equal where the text is."""

    def __init__(self, text):
        said = json.loads(text)
        self._text = text
        self.clauses, self.bodies, self.types = said["clauses"], said["bodies"], said["types"]
        self.sorted, self.numbers = said["sorted"], []
        self.captures = [_Capture(*capture) for capture in said["captures"]]

    def __eq__(self, other):
        return isinstance(other, _Regions) and self._text == other._text

    def __hash__(self):
        return hash(self._text)


_unpacked = functools.lru_cache(maxsize=1024)(_Regions)


def _flex(query, key, value, captured, lists, key_lists, regions, scale, block_size):
    traced = _unpacked(regions) if regions else None
    blocks = (tuple(block_size), *lists) if lists else None
    return _attention.traced_call(query, key, value, traced, captured, scale, blocks)


def _shapes(query, key, value, *arguments):
    o = query.new_empty((*query.shape[:-1], value.shape[-1]))
    if value.shape[-1] == query.shape[-1]:
        o = torch.empty_like(query)
    return o, query.new_empty(query.shape[:-1], dtype=torch.float32)


def _flex_backward(dout, dlse, o, lse, query, key, value, captured, lists, key_lists, regions, scale, block_size):
    if lists and not key_lists:
        raise NotImplementedError(
            "block_mask: expected q_num_blocks and q_indices, which gradients of key and value go by, but got a mask without; "
            "BlockMask.from_kv_blocks makes them")
    call = {"scale": scale, "traced": (_unpacked(regions) if regions else None, captured)}
    if lists:
        call["blocks"] = tuple(block_size), lists, key_lists
    heads, shared = query.shape[1], key.shape[1]
    if not key_lists or _blocks.heads_of(key_lists) in (1, shared):
        return _gradients.gradients(query, key, value, o, lse, dout, call, "bhsd", dlse=dlse)
    # Each head has blocks of its own: keys are those of one head, and their gradients are added here.
    wide = [x.repeat_interleave(heads // shared, 1) for x in (key, value)]
    dq, *others = _gradients.gradients(query, *wide, o, lse, dout, call, "bhsd", is_wide=True, dlse=dlse)
    return (dq.to(query.dtype), *(
        dx.unflatten(1, (shared, heads // shared)).sum(2).to(x.dtype) for dx, x in zip(others, (key, value))))


def _backward_shapes(dout, dlse, o, lse, query, key, value, *arguments):
    return tuple(torch.empty_like(x, memory_format=torch.contiguous_format) for x in (query, key, value))


def _setup_context(ctx, inputs, output):
    query, key, value, captured, lists, key_lists, *numbers = inputs
    # No gradient of LSE is None, as a kernel wants it.
    ctx.set_materialize_grads(False)
    ctx.counts = len(captured), len(lists), len(key_lists)
    ctx.numbers = numbers
    ctx.save_for_backward(*output, query, key, value, *captured, *lists, *key_lists)


def _formula(ctx, dout, dlse):
    # In a list those of it that want gradients have True.
    if any(any(wanted) if isinstance(wanted, (list, tuple)) else wanted for wanted in ctx.needs_input_grad[3:]):
        raise NotImplementedError("attn_mlir: expected gradients of query, key and value, but those of captured tensors were asked for")
    captured, *listed = ctx.counts
    # An empty list of numbers is one of tensors to autograd.
    nothing = [None] * captured, *([None] * count for count in listed), None, None, None if ctx.numbers[-1] else []
    if dout is None and dlse is None:
        return (None, None, None, *nothing)
    o, lse, query, key, value, *rest = ctx.saved_tensors
    dout = torch.zeros_like(o) if dout is None else dout
    split = captured, captured + listed[0]
    found = torch.ops.attn_mlir.flex_bwd(
        dout, dlse, o, lse, query, key, value, rest[: split[0]], rest[split[0] : split[1]], rest[split[1] :], *ctx.numbers)
    return (*found, *nothing)


for _name, _function, _fake in (("flex_fwd", _flex, _shapes), ("flex_bwd", _flex_backward, _backward_shapes)):
    _library.impl(_name, _function, "CompositeExplicitAutograd")
    torch.library.register_fake(f"attn_mlir::{_name}", _fake, lib=_library)
torch.library.register_autograd("attn_mlir::flex_fwd", _formula, setup_context=_setup_context, lib=_library)


def differentiable(query, key, value, score_mod, mask, scale, lists, key_lists, block_size):
    """(O, LSE), of which autograd has the gradients of query, key and value."""
    traced, captured = _attention.regions_of(mask, score_mod, query.shape[1], are_fixed=True)
    check_captured(captured)
    return torch.ops.attn_mlir.flex_fwd(
        query, key, value, list(captured), lists, key_lists, _packed(traced), scale, block_size)


def eager(query, key, value, score_mod, mask, scale, lists, key_lists, block_size):
    """(O, LSE) outside of a graph."""
    if torch.is_grad_enabled() and any(x.requires_grad for x in (query, key, value)):
        return differentiable(query, key, value, score_mod, mask, scale, lists, key_lists, block_size)
    return _attention.attention(
        query, key, value, score_mod=score_mod, mask=mask, scale=scale, return_lse=True,
        blocks=(block_size, *lists) if lists else None)


def check_captured(captured):
    if any(torch.is_tensor(array) and array.requires_grad for array in captured):
        raise NotImplementedError(
            "score_mod, mask_mod: gradients of captured tensors are not there yet in attn_mlir; expected captured.detach()")


class _Operator(HigherOrderOperator):
    """What Dynamo meets: functions or None, lists of a block mask or none, by queries and by keys."""

    def __init__(self):
        super().__init__("attn_mlir_flex")

    def __call__(self, *arguments):
        # Behind a graph break, of which Dynamo would trace the rest.
        return torch.compiler.disable(eager)(*arguments)


operator = _Operator()


def _hint(number):
    """A size that varies, as it is now: other sizes are of the same kind, but for 0 and 1, which Dynamo tells apart."""
    return number if isinstance(number, int) else number.node.hint


def _stand_in(example):
    """A tensor of the same kind, without elements: its numbers are no constants."""
    sizes, strides = (list(map(_hint, numbers)) for numbers in (example.shape, example.stride()))
    return torch.empty_strided(sizes, strides, dtype=example.dtype, device="meta")


def _as_function(module, arrays):
    """A subgraph of Dynamo as a function of score and index, or of the index alone."""
    def function(*values):
        result = module(*values, *arrays)
        return result[0] if isinstance(result, tuple) else result

    return function


def _regions_of(functions, heads):
    """The text of regions and which arrays they read, by place among those of both functions."""
    arrays, made = [], []
    for module, examples in functions:
        own = [_stand_in(example) for example in examples]
        arrays += own
        made.append(None if module is None else _as_function(module, own))
    traced, read = trace(*made, heads, are_fixed=True)
    places = {id(array): place for place, array in enumerate(arrays)}
    if any(id(array) not in places for array in read):
        raise TraceError(
            "score_mod, mask_mod: under torch.compile expected captured tensors to be read by values of the kernel alone, as in "
            "x[h], but got a tensor that was computed of one, as x[0], x[1:] and x.max() are: compute it in front of the function")
    return _packed(traced), [places[id(array)] for array in read]


@functools.lru_cache(maxsize=None)
def _variable_class():
    """What the operator is to Dynamo, whose classes are not public: where they differ, torch.compile says what it does of any
    operator that it does not know."""
    from torch._dynamo.exc import unimplemented
    from torch._dynamo.variables import higher_order_ops
    from torch._dynamo.variables.builder import wrap_fx_proxy

    class Variable(higher_order_ops.FlexAttentionHigherOrderVariable):
        _HOP_NAME = "attn_mlir_flex"

        def _subgraph(self, tx, query, function, name):
            """(module, proxies of what it captures)."""
            if function.is_python_constant() and function.as_python_constant() is None:
                return None, []
            node, lifted = self.create_wrapped_node(tx, query, function, name)
            return tx.output.nn_modules[node.node.target], [_as_tensor(tx, query, proxy) for proxy in lifted]

        def _call_function(self, tx, args, kwargs):
            query, key, value, score_mod, mask_mod, scale, lists, key_lists, block_size = args
            found = [self._subgraph(tx, query, score_mod, "score_mod"), self._subgraph(tx, query, mask_mod, "mask_fn")]
            heads = int(query.as_proxy().node.meta["example_value"].shape[1])
            text, places = "", []
            if any(module is not None for module, _ in found):
                try:
                    text, places = _regions_of(
                        [(module, [proxy.node.meta["example_value"] for proxy in proxies]) for module, proxies in found], heads)
                except (TraceError, AttributeError) as error:
                    unimplemented(
                        gb_type="attn_mlir flex_attention of a function that kernels do not have", context=str(error),
                        explanation=str(error), hints=["Without fullgraph=True the call runs outside of the graph."])
            captured = [proxy for _, proxies in found for proxy in proxies]
            if torch.is_grad_enabled() and any(proxy.node.meta["example_value"].requires_grad for proxy in captured):
                unimplemented(
                    gb_type="attn_mlir flex_attention with gradients", context="a captured tensor with requires_grad",
                    explanation="Gradients of what functions capture are not there yet in attn_mlir.",
                    hints=["Call it under torch.no_grad()."])
            arguments = (
                query.as_proxy(), key.as_proxy(), value.as_proxy(), [captured[place] for place in places],
                *([list.as_proxy() for list in given.unpack_var_sequence(tx)] for given in (lists, key_lists)), text,
                scale.as_proxy(), block_size.as_python_constant())
            return wrap_fx_proxy(
                tx=tx, proxy=tx.output.create_proxy("call_function", torch.ops.attn_mlir.flex_fwd.default, arguments, {}))

    def _as_tensor(tx, query, proxy):
        """A number that changes from call to call is an array of one element."""
        example = proxy.node.meta["example_value"]
        if isinstance(example, torch.Tensor):
            return proxy
        dtype = torch.int64 if isinstance(example, (int, torch.SymInt)) else torch.float32
        made = tx.output.create_proxy(
            "call_function", torch.scalar_tensor, (proxy,),
            {"dtype": dtype, "device": query.as_proxy().node.meta["example_value"].device})
        return wrap_fx_proxy(tx=tx, proxy=made).as_proxy()

    higher_order_ops._hop_name_to_variable_class["attn_mlir_flex"] = Variable
    return Variable


def prepare():
    """Tells Dynamo, which is slow to import, when it first meets the operator."""
    _variable_class()
    return True


# Dynamo calls it, and takes its result for a constant.
prepare._dynamo_marked_constant = True
