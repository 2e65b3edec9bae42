"""What the exchanges of a sequence over devices move, and how long that takes: which one is chosen, and why.

A transfer runs beside the computation of what has arrived before, so a step takes the longer of the two; what a device
computes is the pairs of queries and keys that its calls visit, at a rate. Only ratios of the figures count for the choice.
"""

import collections

from ._segments import call_of, length_of

EXCHANGES = ("ring", "all_gather", "heads")

Links = collections.namedtuple("Links", "pair gather latency rate")
Links.__doc__ = """``pair``, ``gather``: bytes a second that a device receives from one other, and in an all-gather;
``latency``: seconds of a transfer of nothing; ``rate``: operations a second of a device's attention."""

# Two H200 of one host over NVLink: bytes a second as measured through NCCL. Latency and rate are assumed, of the size
# that transfers and long causal attention in bf16 of D 128 have; they were not fitted.
H200 = Links(pair=340e9, gather=267e9, latency=20e-6, rate=600e12)

Shape = collections.namedtuple("Shape", "batch heads kv_heads qk_dim value_dim bytes")
Shape.__doc__ = """Of Q, K and V on a device but for the length; ``bytes`` of an element."""

Prediction = collections.namedtuple("Prediction", "exchange seconds bytes computing")
Prediction.__doc__ = """Of the slowest device: seconds in all, bytes that it receives, seconds that it computes."""


def _pairs(call):
    """Pairs of queries and keys that a call visits, about."""
    if call is None:
        return 0
    rows, columns = (place.stop - place.start for place in call[:2])
    return rows * columns // (2 if call.kind == "causal" else 1)


def _computing(held, rank, source, shape, links, window):
    pairs = _pairs(call_of(held[rank], held[source], *window))
    return 2 * shape.batch * shape.heads * pairs * (shape.qk_dim + shape.value_dim) / links.rate


def _kv_bytes(share, shape):
    return length_of(share) * shape.batch * shape.kv_heads * (shape.qk_dim + shape.value_dim) * shape.bytes


def _ring(held, rank, shape, links, window):
    size, seconds, moved = len(held), 0.0, 0
    for step in range(size):
        compute = _computing(held, rank, (rank - step) % size, shape, links, window)
        transfer = 0.0
        if step + 1 < size:
            received = _kv_bytes(held[(rank - step - 1) % size], shape)
            moved += received
            transfer = links.latency + received / links.pair
        seconds += max(compute, transfer)
    return seconds, moved


def _all_gather(held, rank, shape, links, window):
    size = len(held)
    most = max(_kv_bytes(share, shape) for share in held)
    transfer = links.latency + (size - 1) * most / links.gather
    others = sum(_computing(held, rank, source, shape, links, window) for source in range(size) if source != rank)
    return max(_computing(held, rank, rank, shape, links, window), transfer) + others, (size - 1) * most


def _heads(held, rank, shape, links, window):
    """Nothing runs beside: all of Q, K and V is there before the kernel, and all of O before the end."""
    size = len(held)
    length = sum(map(length_of, held)) - length_of(held[rank])
    row = shape.batch * shape.bytes / size
    there = length * row * (shape.heads * shape.qk_dim + shape.kv_heads * (shape.qk_dim + shape.value_dim))
    back = length_of(held[rank]) * row * (size - 1) * shape.heads * shape.value_dim
    computing = sum(_computing(held, i, j, shape, links, window) for i in range(size) for j in range(size)) / size
    return 2 * links.latency + (there + back) / links.pair + computing, there + back


_MODELS = {"ring": _ring, "all_gather": _all_gather, "heads": _heads}


def can_swap_heads(shape, devices):
    return shape.heads % devices == 0 and shape.kv_heads % devices == 0


def predictions(held, shape, window=(-1, -1), links=H200):
    """A Prediction for each exchange that serves, the best first. ``held`` are the shares of all devices."""
    size, found = len(held), []
    computing = max(
        sum(_computing(held, rank, source, shape, links, window) for source in range(size)) for rank in range(size))
    for kind in EXCHANGES:
        if kind == "heads" and not can_swap_heads(shape, size):
            continue
        worst = max(_MODELS[kind](held, rank, shape, links, window) for rank in range(size))
        found.append(Prediction(kind, worst[0], int(worst[1]), computing))
    return sorted(found, key=lambda prediction: prediction.seconds)


def page(found, chosen):
    """Predictions as a text."""
    lines = [f"{'exchange':<12}{'ms':>10}{'MB received':>14}{'of ideal':>10}"]
    for prediction in found:
        mark = "  <- this one" if prediction.exchange == chosen else ""
        lines.append(
            f"{prediction.exchange:<12}{prediction.seconds * 1e3:>10.3f}{prediction.bytes / 1e6:>14.1f}"
            f"{prediction.computing / prediction.seconds if prediction.seconds else 1:>10.0%}{mark}")
    return "\n".join(lines) + "\n"
