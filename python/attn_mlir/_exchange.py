"""How devices of a process group show each other their keys and values, and agree beforehand that they can.

An exchange passes a flat tensor of each rank to all others; ``visit(source, tensor)`` is called for each of them, the
own one first, while others are on their way. What a visit raises is kept until the exchange is over, so that no other
rank waits for ever.
"""

import contextlib
import datetime
import functools
import hashlib
import struct

import torch
import torch.distributed as dist

from ._errors import CollectiveError
from ._host_words import Board

_MOST_TEXT = 384
_MOST_NUMBERS = 24
_FRAME = struct.Struct(f"<4q{_MOST_NUMBERS}q{_MOST_TEXT}s")  # What it is about, digest, length of the text, count of numbers; numbers, text.
_HEAD = struct.Struct("<3q")
ABOUT = ("attention", "a step of attention", "unshard")


class Said:
    """What the ranks say in a round: the ``numbers`` of each, None where ``is_known`` says that all named one plan."""

    def __init__(self, numbers=None):
        self.numbers, self.is_known = numbers, numbers is None


class _Round:
    """A round that has begun."""

    def __init__(self, agreement, frame, error):
        self._agreement, self._error, self._number = agreement, error, agreement.rounds
        if agreement.board is not None:
            with agreement.expected(error):
                agreement.board.post(self._number, frame)
            return
        own = torch.frombuffer(bytearray(frame), dtype=torch.uint8)
        self._said = [torch.empty_like(own) for _ in range(agreement.size)]
        with agreement.expected(error):
            self._work = dist.all_gather(self._said, own, group=agreement.group, async_op=True)

    def _frames(self):
        if self._agreement.board is not None:
            return self._agreement.board.read(self._number, self._agreement.timeout)
        self._work.wait()
        return [part.numpy() for part in self._said]

    def finish(self):
        with self._agreement.expected(self._error):
            said = self._frames()
        if self._error is not None:
            raise self._error
        # Of the same call and plan, and without an error: there is no more to read.
        heads = {_HEAD.unpack_from(part) for part in said}
        if len(heads) == 1:
            _, digest, failed = heads.pop()
            if digest and not failed:
                return Said()
        found = list(map(_FRAME.unpack_from, said))
        failed = [f"rank {rank}: {part[-1][: part[2]].decode(errors='replace')}" for rank, part in enumerate(found) if part[2]]
        if failed:
            raise CollectiveError(f"attention was not computed, since not all ranks can: {'; '.join(failed)}")
        calls = [ABOUT[part[0]] for part in found]
        if len(set(calls)) != 1:
            raise CollectiveError(f"expected the same call on all ranks, but got {calls}")
        return Said([part[4 : 4 + part[3]] for part in found])


class Agreement:
    """Rounds of words before exchanges: in each all ranks go on, or all raise.

    They go through memory of the host, so that no device waits for them: through one that all ranks share where they are processes of one host
    (``board``), else through a process group. A rank that does not come within ``timeout`` seconds, or is gone, is an error on all.
    ``rounds`` counts those that this rank began, which are as many on all.
    """

    def __init__(self, group, timeout):
        ranks = dist.get_process_group_ranks(group)
        self.group = dist.new_group(
            ranks, timeout=datetime.timedelta(seconds=timeout), backend="gloo", use_local_synchronization=True)
        self.rank, self.size, self.rounds, self.timeout = dist.get_rank(group), len(ranks), 0, timeout
        self.board = Board.of(self.rank, self.size, _FRAME.size, self.objects) if self.size > 1 else None

    @contextlib.contextmanager
    def expected(self, error=None):
        """What is raised within where another rank is missing, is an error in words."""
        try:
            yield
        except RuntimeError as failure:
            raise CollectiveError(
                f"rank {self.rank}: expected all {self.size} ranks to call attention, but at least one did not: {failure}"
            ) from error

    def begin(self, about, numbers, error=None, digest=0):
        """``error``: why this rank cannot go on; ``digest``: of the plan by which it would, 0 for none."""
        text = f"{type(error).__name__}: {error}".encode()[:_MOST_TEXT] if error is not None else b""
        padded = (*numbers, *(0,) * (_MOST_NUMBERS - len(numbers)))
        frame = _FRAME.pack(ABOUT.index(about), digest, len(text), len(numbers), *padded, text)
        self.rounds += 1
        return _Round(self, frame, error)

    def __call__(self, about, numbers, error=None):
        """What each rank says: its numbers, all of one count."""
        return self.begin(about, numbers, error).finish().numbers

    def objects(self, own):
        """An object of each rank."""
        found = [None] * self.size
        with self.expected():
            dist.all_gather_object(found, own, group=self.group)
        return found


def digest_of(said):
    """A number other than 0 of what all ranks said."""
    return int.from_bytes(hashlib.blake2b(repr(said).encode(), digest_size=7).digest(), "little") or 1


def agree_on(names, said):
    """Raises where ranks differ in what all must have alike; ``said`` holds the numbers of each rank."""
    for i, name in enumerate(names):
        values = [numbers[i] for numbers in said]
        if len(set(values)) != 1:
            raise CollectiveError(f"{name}: expected the same on all ranks, but got {values}")


class Delayed:
    """Calls functions, and keeps what the first that fails raises. It keeps no function, so that what owns it may call its own."""

    def __init__(self):
        self._error = None

    def __call__(self, function, *arguments):
        if self._error is not None:
            return
        try:
            function(*arguments)
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
    delayed = Delayed()
    _EXCHANGES[kind](group, own, counts, functools.partial(delayed, visit))
    delayed.finish()


def swap(group, parts, counts):
    """Sends ``parts[r]`` to rank r; returns a flat tensor of ``counts[s]`` elements from each rank s."""
    flat = torch.cat([part.reshape(-1) for part in parts])
    received = flat.new_empty(sum(counts))
    dist.all_to_all_single(received, flat, list(counts), [part.numel() for part in parts], group=group)
    return torch.split(received, list(counts))
