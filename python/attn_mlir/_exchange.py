"""How devices of a process group show each other their keys and values, and agree beforehand that they can.

An exchange passes a flat tensor of each rank to all others; ``visit(source, tensor)`` is called for each of them, the
own one first, while others are on their way. What a visit raises is kept until the exchange is over, so that no other
rank waits for ever.
"""

import datetime
import struct

import torch
import torch.distributed as dist

from ._errors import CollectiveError

_MOST_TEXT = 384


class Agreement:
    """A round of words before an exchange: all ranks go on, or all raise.

    It goes through memory of the host, so that no device waits for it. A rank that does not come within ``timeout``
    seconds, or is gone, is an error on all.
    """

    def __init__(self, group, timeout):
        ranks = dist.get_process_group_ranks(group)
        self._group = dist.new_group(
            ranks, timeout=datetime.timedelta(seconds=timeout), backend="gloo", use_local_synchronization=True)
        self._rank, self._size = dist.get_rank(group), len(ranks)

    def __call__(self, numbers, error=None):
        """What each rank says: its numbers, all of one count. ``error``: why this rank cannot go on."""
        text = f"{type(error).__name__}: {error}".encode()[:_MOST_TEXT] if error is not None else b""
        own = torch.frombuffer(
            bytearray(struct.pack(f"<qq{len(numbers)}q{_MOST_TEXT}s", len(text), len(numbers), *numbers, text)), dtype=torch.uint8)
        said = [torch.empty_like(own) for _ in range(self._size)]
        try:
            dist.all_gather(said, own, group=self._group)
        except RuntimeError as failure:
            raise CollectiveError(
                f"rank {self._rank}: expected all {self._size} ranks to call attention, but at least one did not: {failure}"
            ) from error
        found = [struct.unpack(f"<qq{len(numbers)}q{_MOST_TEXT}s", bytes(part.numpy())) for part in said]
        failed = [f"rank {rank}: {part[-1][: part[0]].decode(errors='replace')}" for rank, part in enumerate(found) if part[0]]
        if error is not None:
            raise error
        if failed:
            raise CollectiveError(f"attention was not computed, since not all ranks can: {'; '.join(failed)}")
        return [part[2:-1] for part in found]


def agree_on(names, said):
    """Raises where ranks differ in what all must have alike; ``said`` holds the numbers of each rank."""
    for i, name in enumerate(names):
        values = [numbers[i] for numbers in said]
        if len(set(values)) != 1:
            raise CollectiveError(f"{name}: expected the same on all ranks, but got {values}")


class Delayed:
    """Calls a function, and keeps what it raises."""

    def __init__(self, visit):
        self._visit, self._error = visit, None

    def __call__(self, *arguments):
        if self._error is not None:
            return
        try:
            self._visit(*arguments)
        except Exception as error:
            self._error = error

    def finish(self):
        if self._error is not None:
            raise self._error


def _ring(group, own, counts, visit):
    rank, size = dist.get_rank(group), len(counts)
    after, before = (dist.get_global_rank(group, (rank + step) % size) for step in (1, -1))
    current = own
    for step in range(size):
        transfers = ()
        if step + 1 < size:
            following = own.new_empty(counts[(rank - step - 1) % size])
            transfers = dist.batch_isend_irecv([
                dist.P2POp(dist.isend, current, after, group), dist.P2POp(dist.irecv, following, before, group)])
        visit((rank - step) % size, current)
        for transfer in transfers:
            transfer.wait()
        if transfers:
            current = following


def _all_gather(group, own, counts, visit):
    rank, size, most = dist.get_rank(group), len(counts), max(counts)
    padded = torch.nn.functional.pad(own, (0, most - own.numel()))
    everything = own.new_empty(size * most)
    gathering = dist.all_gather_into_tensor(everything, padded, group=group, async_op=True)
    visit(rank, own)
    gathering.wait()
    for step in range(1, size):
        source = (rank - step) % size
        visit(source, everything[source * most : source * most + counts[source]])


_EXCHANGES = {"ring": _ring, "all_gather": _all_gather}


def exchange(kind, group, own, counts, visit):
    """Shows each rank the tensors of all. ``counts``: the elements of each, at least 1."""
    delayed = Delayed(visit)
    _EXCHANGES[kind](group, own, counts, delayed)
    delayed.finish()


def swap(group, parts, counts):
    """Sends ``parts[r]`` to rank r; returns a flat tensor of ``counts[s]`` elements from each rank s."""
    flat = torch.cat([part.reshape(-1) for part in parts])
    received = flat.new_empty(sum(counts))
    dist.all_to_all_single(received, flat, list(counts), [part.numel() for part in parts], group=group)
    return torch.split(received, list(counts))
