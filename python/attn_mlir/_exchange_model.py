"""What the exchanges of a sequence over devices move, and how long that takes: which one is chosen, and why.

A device computes the pairs of queries and keys that its calls visit, at a rate; transfers run beside what needs nothing of them.
Only ratios of the figures count for the choice.
"""

import collections

from ._segments import call_of, gathered, length_of

EXCHANGES = ("ring", "all_gather", "heads")
# Not an exchange of collectives: each rank writes into memory of the others.
COPIES = "copies"

# Groups of heads in which keys are copied.
MOST_GROUPS = 4

# Of K and V of heads whose tiles are under way, which CTAs that are out of step share in L2; of more heads less of the end is empty.
TOGETHER = 34 << 20

# Of heads of K: what fills the end of another kernel is this part of them.
FEW = 4

Links = collections.namedtuple("Links", "pair gather latency rate memory taken call each", defaults=(2.7e12, 0.0, 0.0, 0.0))
Links.__doc__ = """``pair``, ``gather``: bytes a second that a device receives from one other, and in an all-gather;
``latency``: seconds of a transfer of nothing; ``rate``: operations a second of a device's attention; ``memory``: bytes a second of its own
memory; ``taken``: the part of a device that collectives take while they move keys; ``call``, ``each``: seconds of the host for a call, and for each
transfer of it, which short sequences wait for."""

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
    if call.kind == "last":
        return rows * columns - rows * rows // 2
    return rows * columns // (2 if call.kind == "causal" else 1)


def _seconds(pairs, shape, links):
    return 2 * shape.batch * shape.heads * pairs * (shape.qk_dim + shape.value_dim) / links.rate


def _computing(held, rank, source, shape, links, window):
    return _seconds(_pairs(call_of(held[rank], held[source], *window)), shape, links)


def _kv_bytes(length, shape):
    return length * shape.batch * shape.kv_heads * (shape.qk_dim + shape.value_dim) * shape.bytes


def _merging(held, rank, shape, links, window):
    """Parts of f32 written, read again, and one result of them."""
    calls = [call_of(held[rank], share, *window) for share in held]
    rows = [call.rows.stop - call.rows.start for call in calls if call is not None]
    if len(rows) < 2:
        return 0.0
    width = shape.batch * shape.heads * shape.value_dim
    return width * (2 * 4 * sum(rows) + shape.bytes * length_of(held[rank])) / links.memory


def _joining(held, rank, shape, links, window):
    """Of two parts the second kernel reads the first one's result where it ends; more are merged."""
    calls = [call_of(held[rank], share, *window) for share in held]
    if sum(call is not None for call in calls) != 2:
        return _merging(held, rank, shape, links, window)
    rows = min(call.rows.stop - call.rows.start for call in calls if call is not None)
    return shape.batch * shape.heads * shape.value_dim * 4 * rows / links.memory


def _packing(held, rank, shape, links):
    """K and V of a rank in one array."""
    return 2 * _kv_bytes(length_of(held[rank]), shape) / links.memory


def _beside(compute, transfer, links):
    """Computation and a collective's transfer at one time."""
    return max(compute + links.taken * min(compute, transfer), transfer)


def _ring(held, rank, shape, links, window):
    size, seconds, moved = len(held), _packing(held, rank, shape, links), 0
    for step in range(size):
        compute = _computing(held, rank, (rank - step) % size, shape, links, window)
        transfer = 0.0
        if step + 1 < size:
            received = _kv_bytes(length_of(held[(rank - step - 1) % size]), shape)
            moved += received
            transfer = links.latency + received / links.pair
        seconds += _beside(compute, transfer, links)
    return seconds + _merging(held, rank, shape, links, window), moved


def _all_gather(held, rank, shape, links, window):
    size = len(held)
    most = max(_kv_bytes(length_of(share), shape) for share in held)
    transfer = links.latency + (size - 1) * most / links.gather
    others = sum(_computing(held, rank, source, shape, links, window) for source in range(size) if source != rank)
    seconds = _packing(held, rank, shape, links) + _beside(_computing(held, rank, rank, shape, links, window), transfer, links)
    return seconds + others + _merging(held, rank, shape, links, window), (size - 1) * most


def _heads(held, rank, shape, links, window):
    """Nothing runs beside: all of Q, K and V is there before the kernel, and all of O before the end. Each is put into order by a copy
    where it leaves, and where it arrives."""
    size = len(held)
    length = sum(map(length_of, held)) - length_of(held[rank])
    row = shape.batch * shape.bytes / size
    there = length * row * (shape.heads * shape.qk_dim + shape.kv_heads * (shape.qk_dim + shape.value_dim))
    back = length_of(held[rank]) * row * (size - 1) * shape.heads * shape.value_dim
    computing = sum(_computing(held, i, j, shape, links, window) for i in range(size) for j in range(size)) / size
    ordering = 4 * (there + back) * size / (size - 1) / links.memory if size > 1 else 0.0
    return _SWAPS * links.latency + (there + back) / links.pair + ordering + computing, there + back


def _by_parts(held, rank, shape, links, window):
    """Own keys, then those of others, and what joins them."""
    sources = [source for source in range(len(held)) if source != rank]
    calls = [call_of(held[rank], held[source], *window) for source in sources]
    moved = _kv_bytes(sum(call.columns.stop - call.columns.start for call in calls if call is not None), shape)
    own = _computing(held, rank, rank, shape, links, window)
    others = sum(_computing(held, rank, source, shape, links, window) for source in sources)
    return max(own, links.latency + moved / links.pair) + others + _joining(held, rank, shape, links, window), moved


def _one_behind_other(held, rank, shape, links, window, by_way):
    """Keys that lie one behind the other. ``by_way``: own ones come by way of another rank; else multiprocessors copy them, at half of the
    memory's rate."""
    of = gathered(held, rank, *window)
    arrival, own, rest = _gathering(held, rank, of, shape, links, by_way)
    moves = len(of.pieces) > 1
    seconds = own + (2 * _packing(held, rank, shape, links) if moves and not by_way else 0.0)
    for group in groups_of(held, rank, of, shape, links, by_way):
        part = (group.stop - group.start) / shape.kv_heads
        seconds = max(seconds, arrival * group.stop / shape.kv_heads) + rest * part
    return seconds, _kv_bytes(of.length - (0 if by_way and moves else length_of(held[rank])), shape)


def _by_way(held, rank, shape, links, window):
    """Seconds with own keys by way of another rank. Pieces there and back begin each by themselves. It is nothing where L2 has K and V of a head's own
    keys, which parts read, but not of all: the kernels of such calls took longer than those of parts."""
    size = (shape.qk_dim + shape.value_dim) * shape.bytes
    if length_of(held[rank]) * size <= TOGETHER < gathered(held, rank, *window).length * size:
        return (float("inf"),)
    return (_one_behind_other(held, rank, shape, links, window, True)[0] + 3 * links.latency,)


def _within(held, rank, shape, links, window):
    return _one_behind_other(held, rank, shape, links, window, False)


def _slowest(kind, held, shape, links, window):
    return max(kind(held, rank, shape, links, window)[0] for rank in range(len(held)))


def goes_by_way(held, shape, window, links):
    """Whether own keys of ranks come to lie behind the others by way of another rank, and not by multiprocessors."""
    by_way, within = (_slowest(kind, held, shape, links, window) for kind in (_by_way, _within))
    return by_way < within


def gathers(held, shape, window, links):
    """Whether keys that are copied lie one behind the other: where that can be, and takes less than parts and their merge."""
    if any(gathered(held, rank, *window) is None for rank in range(len(held))):
        return False
    one = min(_slowest(kind, held, shape, links, window) for kind in (_by_way, _within))
    return one < _slowest(_by_parts, held, shape, links, window)


def _copies(held, rank, shape, links, window):
    if not gathers(held, shape, window, links):
        return _by_parts(held, rank, shape, links, window)
    return _one_behind_other(held, rank, shape, links, window, goes_by_way(held, shape, window, links))


def led(held, rank, of, shape):
    """Of a rank without rows that see own keys alone: heads of K of which the own part comes first, while keys of others arrive."""
    if len(of.calls) != 1 or of.length == length_of(held[rank]) or shape.qk_dim % 8 or shape.value_dim % 8:
        return 0
    return shape.kv_heads // FEW


def _gathering(held, rank, of, shape, links, by_way):
    """Seconds until all keys have arrived, of what needs own keys alone, and of the rest."""
    here = length_of(held[rank])
    before = of.length - here
    arrival = links.latency + _kv_bytes(before + (2 * here if by_way else 0), shape) / links.pair if before else 0.0
    own = sum(_pairs(call) for call in of.calls if call.columns.start >= before)
    rest = sum(map(_pairs, of.calls)) - own
    if by_way and led(held, rank, of, shape):
        own = (rest - here * before) * led(held, rank, of, shape) // shape.kv_heads
        rest -= own
    return arrival, _seconds(own, shape, links), _seconds(rest, shape, links)


def groups_of(held, rank, of, shape, links, by_way):
    """Heads of K in the order in which they come to lie as ``of`` says: all of them where what comes first takes as long, else a first part and
    the rest where that arrives beside the first, else as many of the size of the first."""
    arrival, own, rest = _gathering(held, rank, of, shape, links, by_way)
    heads = shape.kv_heads
    few = max(1, heads // MOST_GROUPS)
    if arrival <= own or heads < 2:
        ends = [heads]
    elif arrival <= max(own, arrival * few / heads) + rest * few / heads:
        ends = [few, heads]
    else:
        ends = [heads * (i + 1) // min(MOST_GROUPS, heads) for i in range(min(MOST_GROUPS, heads))]
    return [slice(begin, end) for begin, end in zip([0, *ends[:-1]], ends)]


# Of heads: Q, K and V there, O and LSE back.
_SWAPS = 5

_MODELS = {COPIES: _copies, "ring": _ring, "all_gather": _all_gather, "heads": _heads}


def can_swap_heads(shape, devices):
    return shape.heads % devices == 0 and shape.kv_heads % devices == 0


def predictions(held, shape, window=(-1, -1), links=H200, kinds=EXCHANGES):
    """A Prediction for each of ``kinds`` that serves, the best first. ``held`` are the shares of all devices."""
    size, found = len(held), []
    computing = max(
        sum(_computing(held, rank, source, shape, links, window) for source in range(size)) for rank in range(size))
    for kind in kinds:
        if kind == "heads" and not can_swap_heads(shape, size):
            continue
        worst = max(_MODELS[kind](held, rank, shape, links, window) for rank in range(size))
        transfers = {"heads": _SWAPS, "ring": size - 1}.get(kind, 1)
        seconds = max(worst[0], links.call + transfers * links.each)
        found.append(Prediction(kind, seconds, int(worst[1]), computing))
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
