"""Words between processes of one host, through memory that they share: a round takes some microseconds, where one of a process group's
takes a quarter of a millisecond.

A rank's words lie in one of two frames, which rounds take in turn. Who begins a round has read those of the one before, so that all have
when any rank gets to the round behind it, and nothing is overwritten that is still to be read. A frame counts if it has the round's number
and the checksum of its words. A rank that leaves a round without the words of all has given up for good, as one that closes its connections: its frames say so to
all that come later. While a rank lives it holds a lock on its byte of the file, which the system takes from processes that end.

Words also say that what a rank wrote in front of them is there. So they are only where stores of a processor are seen in their order (x86).
"""

import contextlib
import fcntl
import mmap
import os
import platform
import socket
import struct
import sys
import tempfile
import time
import zlib

_HEAD = struct.Struct("<QQ")  # Number of the round, checksum.
_FRAMES, _GIVEN_UP = 2, 2**64 - 1
# For how long to ask without a pause, and with short ones; and between looks whether a rank still lives.
_SPIN_S, _SHORT_S, _LOOK_S = 1e-3, 20e-3, 10e-3


def machine():
    """What processes that share memory have alike."""
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            boot = file.read()
    except OSError:
        boot = ""
    return socket.gethostname(), boot


def new_file(size):
    """(Descriptor, path) of a file of so many bytes, in memory where the system has that."""
    descriptor, path = tempfile.mkstemp(prefix="attn-mlir-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    try:
        # Where there is no room, this says so, and not a signal when it is written.
        os.posix_fallocate(descriptor, 0, size)
    except OSError:
        os.close(descriptor)
        os.unlink(path)
        raise
    return descriptor, path


class Board:
    """Frames of all ranks of a group, which are processes of one host."""

    @classmethod
    def of(cls, rank, size, frame_bytes, objects):
        """None where ranks do not share memory. ``objects``: an object of each rank, from that of this one; all ranks call this."""
        board, descriptor, path = None, -1, None
        try:
            if rank == 0 and platform.machine() in ("x86_64", "AMD64"):
                with contextlib.suppress(OSError):
                    descriptor, path = new_file(size * _FRAMES * (_HEAD.size + frame_bytes))
            said = objects((machine(), os.getpid(), path))
            # Locks are those of processes, so that each rank has to be one.
            if len({each[0] for each in said}) == 1 and len({each[1] for each in said}) == size and said[0][2] is not None:
                with contextlib.suppress(OSError):
                    descriptor = descriptor if rank == 0 else os.open(said[0][2], os.O_RDWR)
                    board = cls(descriptor, rank, size, frame_bytes)
                descriptor = -1
            return board if all(objects(board is not None)) else None
        finally:
            if descriptor >= 0:
                os.close(descriptor)
            if path is not None:
                os.unlink(path)

    def __init__(self, descriptor, rank, size, frame_bytes):
        self._descriptor, self._rank, self._size, self._bytes = descriptor, rank, size, frame_bytes
        self._has_given_up = False
        self._memory = mmap.mmap(descriptor, size * _FRAMES * (_HEAD.size + frame_bytes))
        fcntl.lockf(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, rank)

    def __del__(self):
        # The lock goes with the descriptor.
        if not sys.is_finalizing():
            os.close(self._descriptor)

    def _place(self, rank, number):
        return (rank * _FRAMES + number % _FRAMES) * (_HEAD.size + self._bytes)

    def post(self, number, frame):
        """The words of this rank in a round, of which the first has number 1. Raises RuntimeError where it has given up."""
        if self._has_given_up:
            raise RuntimeError(f"rank {self._rank} has given up in an earlier call")
        at = self._place(self._rank, number)
        self._memory[at + _HEAD.size : at + _HEAD.size + self._bytes] = frame
        _HEAD.pack_into(self._memory, at, number, zlib.crc32(frame))

    def read(self, number, timeout):
        """The words of each rank. Raises RuntimeError where one has none within so many seconds, is gone, or has given up."""
        found = [None] * self._size
        try:
            begin = time.monotonic()
            look = begin + _SPIN_S
            while None in found:
                found = [self._frame(rank, number) if frame is None else frame for rank, frame in enumerate(found)]
                now = time.monotonic()
                if now > look and None in found:
                    look = now + _LOOK_S
                    self._look(found, number, timeout, now - begin)
                # Other threads of this process go on meanwhile.
                if None in found:
                    time.sleep(0 if now < begin + _SPIN_S else 50e-6 if now < begin + _SHORT_S else 1e-3)
        except BaseException:
            self._give_up()
            raise
        return found

    def _give_up(self):
        """A rank that comes later must not take this one's words for those of a round that it goes on from."""
        self._has_given_up = True
        for number in range(_FRAMES):
            _HEAD.pack_into(self._memory, self._place(self._rank, number), _GIVEN_UP, 0)

    def _frame(self, rank, number):
        at = self._place(rank, number)
        found, checksum = _HEAD.unpack_from(self._memory, at)
        if found == _GIVEN_UP:
            raise RuntimeError(f"rank {rank} has given up in this call or an earlier one")
        if found != number:
            return None
        frame = self._memory[at + _HEAD.size : at + _HEAD.size + self._bytes]
        return frame if zlib.crc32(frame) == checksum else None

    def _look(self, found, number, timeout, waited):
        """Raises where a rank of which there are no words is gone, or has had its time."""
        for rank in (rank for rank, frame in enumerate(found) if frame is None):
            # What it said before it ended counts.
            if self._is_gone(rank) and self._frame(rank, number) is None:
                raise RuntimeError(f"rank {rank} has ended, or has given up its part")
            if waited > timeout:
                raise RuntimeError(f"rank {rank} said nothing within {timeout:g} s")

    def _is_gone(self, rank):
        if rank == self._rank:
            return False
        try:
            fcntl.lockf(self._descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, rank)
        except OSError:
            return False
        fcntl.lockf(self._descriptor, fcntl.LOCK_UN, 1, rank)
        return True
