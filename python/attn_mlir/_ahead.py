"""compile(): kernels ahead of time, from shapes and types."""

import collections
import os

from . import _kernels, _targets
from ._arrays import is_torch
from ._attention import (
    Plan,
    _check_devices,
    captured_inputs,
    device_of,
    lengths_element,
    problem_of,
    regions_of,
    sinks_element,
    target_of,
)
from ._errors import ArgumentError
from ._kernel import Kernel
from ._spec import element_of, mask_of, shapes_of, text_of

Spec = collections.namedtuple("Spec", "shape dtype")
Spec.__doc__ = """What an array will be: ``shape``, with None where sizes vary (batch size and lengths always may), and
``dtype``, such as "bfloat16"."""


class CompiledAttention:
    """Attention that is compiled for any batch size and length.

    ``text`` is the MLIR that was compiled, ``bundle`` the file that ``save`` writes, ``target`` and ``arch`` what it
    is for. A call takes arrays of the heads, dimensions and element type that it was compiled for.
    """

    def __init__(self, problem, target, bundle):
        self.problem = problem
        self.text = text_of(problem)
        self.target, self.arch = target.name, target.arch
        self.bundle = bundle
        self._entry = None

    def save(self, path):
        """Writes the bundle as one file, for :func:`attn_mlir.load` or the launcher's C interface."""
        temporary = f"{os.fspath(path)}.{os.getpid()}.tmp"
        try:
            with open(temporary, "wb") as file:
                file.write(self.bundle)
            os.replace(temporary, path)
        except OSError:
            if os.path.exists(temporary):
                os.unlink(temporary)
            raise

    def __call__(self, q, k, v, *, mask=None, score_mod=None, sinks=None, lengths=None, out=None, stream=None):
        """As :func:`attn_mlir.attention`; ``mask`` and ``score_mod`` are those of compile(), or do the same with
        other captured arrays."""
        problem = self.problem
        shapes = shapes_of(q.shape, k.shape, v.shape, problem.layout)
        device = device_of("q", q)
        _check_devices(device, [("k", k), ("v", v)])
        regions, captured = regions_of(mask, score_mod, shapes.heads, are_fixed=True)
        element = element_of("q", q, device.platform == "cpu")
        called = problem._replace(
            element=element, heads=shapes.heads, kv_heads=shapes.kv_heads, qk_dim=-(-shapes.qk_dim // 8) * 8,
            value_dim=-(-shapes.value_dim // 8) * 8, lengths=lengths_element(lengths, shapes.batch),
            sinks=sinks_element(sinks, shapes.heads), regions=regions)
        if text_of(called) != self.text:
            raise ArgumentError(
                f"expected what was compiled:\n{self.text}but got a call of:\n{text_of(called)}")
        plan = Plan(self._kernels(), shapes, problem, device, q)
        return plan.run(captured_inputs(plan, (q, k, v), lengths, regions, captured, sinks), out, stream)

    def _kernels(self):
        """An Entry with the one kernel, which takes all sizes."""
        if self._entry is None:
            entry = _kernels.Entry(self.text, (), None)
            entry.kernels = [Kernel(self.bundle)] * _kernels.MOST_VARIANTS
            self._entry = entry
        return self._entry


def _stands_for(name, given):
    """An object with shape and dtype."""
    if hasattr(given, "shape") and hasattr(given, "dtype"):
        return given
    try:
        shape, dtype = given
        return Spec(tuple(shape), dtype)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name}: expected an array, a Spec or a pair of shape and dtype, but got {given!r}") from None


def _target(target, q):
    if isinstance(target, str) and target != "native":
        return _targets.named(target)
    if target is None and is_torch(q) and q.device.type != "meta":
        return target_of(device_of("q", q))
    if target is None and not isinstance(q, Spec):
        return target_of(device_of("q", q))
    if target in (None, "native"):
        return _targets.native()
    raise ArgumentError(f"target: expected the name of a target, 'native' or None, but got {target!r}")


def _element_of_lengths(lengths):
    """``lengths`` is an array or what stands for one."""
    if lengths is None:
        return ""
    given = _stands_for("lengths", lengths)
    return lengths_element(given, given.shape[0] if len(given.shape) == 1 else None)


def _sized(shape):
    """A shape with numbers where it has None: they only have to agree."""
    return tuple(1 if size is None else size for size in shape)


def compile(q, k=None, v=None, *, mask=None, causal=False, window=None, scale=None, score_mod=None, sinks=None,
            lengths=None, return_lse=False, layout="bhsd", schedule=None, lower=None, target=None):
    """Compiles attention ahead of time, for any batch size and length: a :class:`CompiledAttention`.

    ``q``, ``k`` and ``v`` are arrays (torch's of device "meta", too), a :class:`Spec`, or pairs of shape and dtype;
    ``k`` is as ``q`` and ``v`` as ``k`` by default. ``target`` is a name of `attn-opt --list-targets`, "native", or
    None: the arrays' device, else as "native": the first GPU, or the CPU where there is none. The rest is as of
    :func:`attn_mlir.attention`.
    """
    q = _stands_for("q", q)
    k = q if k is None else _stands_for("k", k)
    v = k if v is None else _stands_for("v", v)
    shapes = shapes_of(_sized(q.shape), _sized(k.shape), _sized(v.shape), layout)
    found = _target(target, q)
    is_cpu = found.arch == "host"
    elements = [element_of(name, array, is_cpu) for name, array in (("q", q), ("k", k), ("v", v))]
    if len(set(elements)) != 1:
        raise ArgumentError(f"expected q, k and v of one element type, but got {', '.join(elements)}")
    regions, _ = regions_of(mask, score_mod, shapes.heads, are_fixed=True)
    problem = problem_of(
        shapes, elements[0], mask_of(causal, window), scale, layout, return_lse, _element_of_lengths(lengths),
        sinks_element(sinks, shapes.heads), regions)
    bundle = _kernels.bundle(text_of(problem), _kernels.options_of(found, schedule, lower), found)
    return CompiledAttention(problem, found, bundle)
