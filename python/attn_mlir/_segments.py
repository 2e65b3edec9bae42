"""Which parts of a sequence each device holds, and what its queries see of another's keys.

A *chunk* is a run of positions; a device's *share* is its chunks in ascending order, which lie one behind the other in
its arrays. Everything here is arithmetic on the host.
"""

import collections

from ._errors import ArgumentError

Chunk = collections.namedtuple("Chunk", "begin end")
Chunk.__doc__ = """Positions from ``begin`` to before ``end``."""

Call = collections.namedtuple("Call", "rows columns kind")
Call.__doc__ = """Attention of the queries ``rows`` of a share to the keys ``columns`` of another, both slices. ``kind``:
"full" (each sees each), "causal" (by the rows of the slices), "last" (the same, the last query sees the last key), or "positions"
(what positions say)."""

ORDERS = ("balanced", "contiguous")

# Long chunks of devices of different speeds are multiples of it, so that kernels' tiles are full.
_GRANULE = 128


def shares(total, devices, order="balanced", speeds=None):
    """The share of each device of ``total`` positions.

    "balanced": of 2 n chunks device i holds chunk i and chunk 2 n - 1 - i, so that all have as much to do where queries
    see the keys in front of them. "contiguous": n chunks, in order. Chunks differ by one position at most, unless there are ``speeds``, a
    number for each device, to which lengths, and in the balanced order what there is to do, are in proportion.
    """
    if order not in ORDERS:
        raise ArgumentError(f"order: expected 'balanced' or 'contiguous', but got {order!r}")
    count = devices if order == "contiguous" else 2 * devices
    bounds = [i * total // count for i in range(count + 1)] if speeds is None else _bounds_of(total, order, speeds)
    chunks = [Chunk(*pair) for pair in zip(bounds[:-1], bounds[1:])]
    if order == "contiguous":
        return [(chunk,) for chunk in chunks]
    return [(chunks[i], chunks[count - 1 - i]) for i in range(devices)]


def _bounds_of(total, order, speeds):
    """Where chunks begin, and the last ends. Chunks i and 2 n - 1 - i have one length, and so together as many keys in front of each query
    in the mean as any others."""
    whole = total if order == "contiguous" else total // 2
    granule = _GRANULE if whole >= 16 * _GRANULE * len(speeds) else 1
    bounds = [round(whole * sum(speeds[:i]) / sum(speeds) / granule) * granule for i in range(len(speeds))] + [whole]
    bounds = [min(bound, whole) for bound in bounds]
    return bounds if order == "contiguous" else bounds + [total - bound for bound in reversed(bounds[:-1])]


def length_of(share):
    return sum(chunk.end - chunk.begin for chunk in share)


def slices_of(share):
    """Where each chunk lies in its share."""
    found, at = [], 0
    for chunk in share:
        found.append(slice(at, at + chunk.end - chunk.begin))
        at = found[-1].stop
    return found


def _seen(queries, keys, left, right):
    """"none", "some" or "full": query i sees the keys from i - left to i + right; -1 is no bound."""
    if queries.begin == queries.end or keys.begin == keys.end:
        return "none"
    above = keys.begin > queries.end - 1 + right if right >= 0 else False
    below = keys.end - 1 < queries.begin - left if left >= 0 else False
    if above or below:
        return "none"
    full = (right < 0 or keys.end - 1 <= queries.begin + right) and (left < 0 or keys.begin >= queries.end - 1 - left)
    return "full" if full else "some"


def _crop(flags, share):
    """The slice from the first chunk that is flagged to the last."""
    places = [place for place, flag in zip(slices_of(share), flags) if flag]
    return slice(places[0].start, places[-1].stop)


def call_of(queries, keys, left=-1, right=-1, by_positions=False):
    """What the queries of a share have to compute with the keys of one; None where they see none.

    ``left``, ``right``: bounds of the window, -1 for none. ``by_positions``: there is a mask or a score modification
    besides that asks for positions.
    """
    seen = [[_seen(i, j, left, right) for j in keys] for i in queries]
    rows = [any(cell != "none" for cell in row) for row in seen]
    columns = [any(row[j] != "none" for row in seen) for j in range(len(keys))]
    if not any(rows):
        return None
    kept = [seen[i][j] for i in range(len(queries)) for j in range(len(keys)) if rows[i] and columns[j]]
    place = _crop(rows, queries), _crop(columns, keys)
    # A chunk between two that are flagged comes along.
    whole = place[0].stop - place[0].start == sum(length_of([c]) for c, flag in zip(queries, rows) if flag)
    whole = whole and place[1].stop - place[1].start == sum(length_of([c]) for c, flag in zip(keys, columns) if flag)
    if by_positions:
        return Call(*place, "positions")
    if whole and all(cell == "full" for cell in kept):
        return Call(*place, "full")
    # Rows of equal shares are in the order of their positions, so that theirs is the diagonal of the rows.
    if queries == keys and right == 0 and left < 0:
        every = slice(0, length_of(queries))
        return Call(every, every, "causal")
    return Call(*place, "positions")


Gathered = collections.namedtuple("Gathered", "pieces length calls")
Gathered.__doc__ = """Keys that a device has in one array: ``pieces`` are (device, columns of its share, where they begin there), own ones last;
``length`` of them all. ``calls``: each of rows of the own share; its columns are those of the array."""


def gathered(held, rank, left=-1, right=-1):
    """How keys lie so that rows of ``held[rank]`` see the last of a run of them; None where that cannot be.

    Behind keys that all of its rows see, a call has those of its own chunk: under a causal mask its last query sees the last of them.
    Rows that are further behind see more, so that theirs come in front. Chunks of neighbouring positions are one call.
    """
    if left >= 0 or right > 0:
        return None
    if length_of(held[rank]) == 0:
        return Gathered([], 0, [])
    chunks = _neighbours(held[rank])
    own = [(rank, place) for place in slices_of(chunks)]
    others = [
        [(source, place, chunk) for place, chunk in zip(slices_of(held[source]), held[source]) if chunk.end > chunk.begin]
        for source in range(len(held)) if source != rank]
    others = [each for share in others for each in share]
    if right < 0:
        rows = slice(0, length_of(held[rank]))
        pieces, length = _placed([(source, place) for source, place, _ in others] + own)
        return Gathered(pieces, length, [Call(rows, slice(0, length), "full")])
    seen = [[(source, place) for source, place, chunk in others if chunk.end <= rows.begin] for rows in chunks]
    new = [[each for each in more if each not in before] for before, more in zip([[], *seen[:-1]], seen)]
    pieces, length = _placed([each for more in reversed(new) for each in more] + own)
    calls, end = [], length - length_of(held[rank])
    for rows, keys in zip(slices_of(chunks), seen):
        calls.append(Call(rows, slice(end - sum(place.stop - place.start for _, place in keys), end + rows.stop), "last"))
    return Gathered(pieces, length, calls)


def _neighbours(share):
    """Chunks, of which those that follow one on the other are one."""
    found = []
    for chunk in share:
        begin = found.pop().begin if found and found[-1].end == chunk.begin else chunk.begin
        found.append(Chunk(begin, chunk.end))
    return found


def _placed(parts):
    """Parts one behind the other, joined where they are neighbours on their device, too."""
    found, at = [], 0
    for source, place in parts:
        if found and found[-1][0] == source and found[-1][1].stop == place.start:
            source, before, begin = found.pop()
            found.append((source, slice(before.start, place.stop), begin))
        elif place.stop > place.start:
            found.append((source, place, at))
        at += place.stop - place.start
    return found, at
