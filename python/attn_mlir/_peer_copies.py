"""Keys and values by copies: a rank writes those that it holds into memory of the others, on a stream of its own.

On GPUs that reach each other's memory that is done by copy engines, which leave the multiprocessors to the kernels. A
rank has a buffer with two slots, which are taken in turn; where in a slot something goes, the caller says. Or a rank writes
into a buffer of its own alone, where kernels of the others read it ("reads"). Nothing but events keeps devices apart, and an
event counts if it was recorded before another process waits for it. Rounds of words see to that:

- A rank copies before a round, and records that it did (``sent``). Behind the round the others wait for that, and read.
- Behind the last of its reads a rank records that the slot is free (``free``), before the next round. As slots are taken in
  turn, who copies into that one again has passed the next round. So is what another rank has there of its own (``Kept``).
"""

import collections
import contextlib
import ctypes
import functools
import itertools
import mmap
import os
import sys
import threading

import torch

from attn_mlir._exchange_model import MOST_GROUPS
from attn_mlir._host_words import machine, new_file

_SLOTS = 2
_ALIGNMENT = 256


Piece = collections.namedtuple("Piece", "tensor offset strides")
Piece.__doc__ = """A tensor [B, H, S, D], where it goes in a slot (bytes), and with which strides (elements, of B, H and S)."""

Back = collections.namedtuple("Back", "like shape source source_strides offset strides")
Back.__doc__ = """A piece of an own tensor (``like``) of so many elements that lies in the slot of another rank, and comes into the own one."""

Kept = collections.namedtuple("Kept", "rank pieces backs")
Kept.__doc__ = """Own keys for the own slot, by way of ``rank``'s: ``pieces`` go there besides what it needs itself, ``backs`` come back. Copies within a
device, where it is the own rank, are done by multiprocessors, which persistent kernels hold; those from one device to another never are."""


@functools.lru_cache(maxsize=1024)
def runs(sizes, source, target):
    """Copies of rows that do a copy of a tensor: (offset there, offset here, width, height, pitch there, pitch here), in elements.
    Strides are of all dimensions, of which the last is dense."""
    dims = sorted((dim for dim in zip(sizes, source, target) if dim[0] != 1), key=lambda dim: dim[2])
    width = 1
    while dims and dims[0][1] == dims[0][2] == width:
        width *= dims.pop(0)[0]
    dims.sort(key=lambda dim: dim[0])
    height, *pitches = dims.pop() if dims else (1, width, width)
    for dim in [dim for dim in dims if dim[1:] == tuple(height * pitch for pitch in pitches)][:1]:
        dims.remove(dim)
        height *= dim[0]
    outer = [[(i * here, i * there) for i in range(size)] for size, here, there in dims]
    return [
        (sum(here for here, _ in place), sum(there for _, there in place), width, height, *pitches) for place in itertools.product(*outer)]


def slot_of(rounds):
    """The slot of copies in front of the round that comes behind ``rounds`` others."""
    return rounds % _SLOTS


def _rounded(size):
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def places_of(sizes):
    """Where tensors of so many bytes lie one behind the other, each at a multiple of the alignment, and the end."""
    return list(itertools.accumulate(map(_rounded, sizes), initial=0))


class _HostMemory:
    """Memory of the host that processes share as a file, which has no name once all have it."""

    def __init__(self):
        self._path = None

    def allocate(self, size):
        descriptor, self._path = new_file(size)
        try:
            return torch.frombuffer(mmap.mmap(descriptor, size), dtype=torch.uint8), self._path
        finally:
            os.close(descriptor)

    def open(self, path):
        with open(path, "r+b") as file:
            return torch.frombuffer(mmap.mmap(file.fileno(), 0), dtype=torch.uint8)

    def place_of(self, buffer):
        """Where ``copy`` writes into a buffer."""
        return buffer

    def tensor_of(self, place, size):
        """The bytes of what was opened."""
        return place[:size]

    def settle(self):
        if self._path is not None:
            os.unlink(self._path)
            self._path = None

    def end(self):
        """All copies are over."""

    def copy(self, place, offset, piece):
        x = piece.tensor
        target = place.view(x.dtype).as_strided(x.shape, (*piece.strides, 1), (offset + piece.offset) // x.element_size())
        target.copy_(x)

    def close(self):
        pass

    def event(self):
        """Of copies that are done when they return."""
        return None, None

    def open_event(self, handle):
        return None

    def mark(self):
        """Where the work of this rank is now."""

    def wait(self, event):
        """What follows comes behind that."""

    def record(self, event):
        """What is there now is what others wait for."""

    def here(self):
        return contextlib.nullcontext()

    def behind(self, mark, is_own=False):
        return contextlib.nullcontext()

    def beside(self, mark):
        return contextlib.nullcontext()

    def join(self):
        pass


class _Mappings:
    """Memory of other processes that this one has mapped: a piece of it once, whoever asks for it."""

    def __init__(self):
        self._lock, self._found = threading.Lock(), {}

    def get(self, key, open_):
        with self._lock:
            address, users = self._found.get(key) or (open_(), 0)
            self._found[key] = address, users + 1
            return address

    def release(self, key, close):
        with self._lock:
            address, users = self._found.pop(key)
            if users > 1:
                self._found[key] = address, users - 1
            else:
                close(address)


_mappings = _Mappings()


class _Handle(ctypes.Structure):
    _fields_ = [("bytes", ctypes.c_char * 64)]


_UNIFIED = 4


class _Rows(ctypes.Structure):
    """CUDA_MEMCPY2D."""

    _fields_ = [
        ("source_x", ctypes.c_size_t), ("source_y", ctypes.c_size_t), ("source_kind", ctypes.c_int), ("source_host", ctypes.c_void_p),
        ("source", ctypes.c_uint64), ("source_array", ctypes.c_void_p), ("source_pitch", ctypes.c_size_t),
        ("target_x", ctypes.c_size_t), ("target_y", ctypes.c_size_t), ("target_kind", ctypes.c_int), ("target_host", ctypes.c_void_p),
        ("target", ctypes.c_uint64), ("target_array", ctypes.c_void_p), ("target_pitch", ctypes.c_size_t),
        ("width", ctypes.c_size_t), ("height", ctypes.c_size_t)]


class _DeviceMemory:
    """Memory of CUDA devices, by the driver's handles for other processes."""

    def __init__(self, device):
        self._device = device
        self._driver = ctypes.CDLL("libcuda.so.1")
        self._opened = {}
        # Copies to others and those within the device are done by different engines.
        self._stream, self._own_stream = torch.cuda.Stream(device), torch.cuda.Stream(device)
        self._second, self._is_beside = torch.cuda.Stream(device), False
        # The one that the caller, or a context of this one, is on: PyTorch takes 7 us to say.
        self._known = None

    def _call(self, name, *arguments):
        code = getattr(self._driver, name)(*arguments)
        if code != 0:
            raise OSError(f"{name}: the driver answers {code}")

    def allocate(self, size):
        buffer = torch.empty(size, dtype=torch.uint8, device=self._device)
        base, extent, handle = ctypes.c_uint64(), ctypes.c_size_t(), _Handle()
        self._call("cuMemGetAddressRange_v2", ctypes.byref(base), ctypes.byref(extent), ctypes.c_uint64(buffer.data_ptr()))
        self._call("cuIpcGetMemHandle", ctypes.byref(handle), base)
        return buffer, (bytes(handle), buffer.data_ptr() - base.value)

    def open(self, token):
        handle, offset = token
        if handle not in self._opened:
            self._opened[handle] = _mappings.get((self._device, handle), lambda: self._mapped(handle))
        return self._opened[handle] + offset

    def _mapped(self, handle):
        pointer = ctypes.c_uint64()
        # The flag lets devices reach each other where they can.
        self._call("cuIpcOpenMemHandle_v2", ctypes.byref(pointer), _Handle.from_buffer_copy(handle), ctypes.c_uint(1))
        return pointer.value

    def place_of(self, buffer):
        return buffer.data_ptr()

    def tensor_of(self, place, size):
        # Tensors of memory that another process owns: PyTorch has no public way to them, but for copies of its own.
        storage = torch._C._construct_storage_from_data_pointer(place, self._device, size)
        return torch.empty(0, dtype=torch.uint8, device=self._device).set_(storage, 0, (size,))

    def settle(self):
        pass

    def end(self):
        torch.cuda.synchronize(self._device)

    def close(self):
        """Memory of others is theirs alone again."""
        self._stream.synchronize()
        while self._opened:
            _mappings.release(
                (self._device, self._opened.popitem()[0]),
                lambda address: self._call("cuIpcCloseMemHandle", ctypes.c_uint64(address)))

    def copy(self, place, offset, piece):
        x, element = piece.tensor, piece.tensor.element_size()
        stream = ctypes.c_void_p(self._current().cuda_stream)
        for source, target, width, height, *pitches in runs(x.shape, x.stride(), (*piece.strides, 1)):
            source_pitch, target_pitch = (pitch * element for pitch in pitches)
            what = _Rows(
                source_kind=_UNIFIED, source=x.data_ptr() + source * element, source_pitch=source_pitch, target_kind=_UNIFIED,
                target=place + offset + piece.offset + target * element, target_pitch=target_pitch, width=width * element,
                height=height)
            self._call("cuMemcpy2DAsync_v2", ctypes.byref(what), stream)

    def event(self):
        event = torch.cuda.Event(interprocess=True)
        event.record()
        return event, event.ipc_handle()

    def open_event(self, handle):
        return torch.cuda.Event.from_ipc_handle(self._device, handle)

    def _current(self):
        return self._known if self._known is not None else torch.cuda.current_stream(self._device)

    def mark(self):
        event = torch.cuda.Event()
        event.record(self._current())
        return event

    def wait(self, event):
        event.wait(self._current())

    def record(self, event):
        event.record(self._current())

    @contextlib.contextmanager
    def here(self):
        """The caller's stream stays what it is within."""
        before, self._known = self._known, self._current()
        try:
            yield
        finally:
            self._known = before

    def behind(self, mark, is_own=False):
        return self._on(self._own_stream if is_own else self._stream, mark)

    @contextlib.contextmanager
    def _on(self, stream, mark):
        stream.wait_event(mark)
        before, self._known = self._known, stream
        try:
            with torch.cuda.stream(stream):
                yield
        finally:
            self._known = before

    def beside(self, mark):
        self._is_beside = True
        return self._on(self._second, mark)

    def join(self):
        if self._is_beside:
            torch.cuda.current_stream(self._device).wait_stream(self._second)
            self._is_beside = False


class Copies:
    """Buffers of the ranks of an agreement. ``grow`` and rounds are what all ranks do alike. ``are_read``: others read what a
    rank has in its own buffer, instead of getting it in theirs."""

    def __init__(self, agreement, device, are_read=False):
        self._agree, self.device, self._are_read = agreement, device, are_read
        self._rank, self._size = agreement.rank, agreement.size
        self._room, self._kept = 0, []
        self._memory = self._buffer = None

    def __del__(self):
        if self._memory is not None and not sys.is_finalizing():
            with contextlib.suppress(OSError, RuntimeError):
                self._memory.close()

    def grow(self, room):
        """Whether all ranks have slots of ``room`` bytes which the others reach."""
        if room <= self._room:
            return True
        offer, before = None, self._buffer
        with contextlib.suppress(OSError, RuntimeError, AttributeError):
            offer = self._offer(room)
        offers = self._agree.objects((machine(), str(self.device.type), offer))
        can = all(each[:2] == offers[0][:2] and each[2] is not None for each in offers)
        if can:
            try:
                self._open([each[2] for each in offers])
            except (OSError, RuntimeError, ValueError):
                can = False
        if self._memory is not None:
            self._memory.end()
        can = all(self._agree.objects(can))
        # Nobody copies into it any more.
        del before
        if self._memory is not None:
            self._memory.settle()
        self._room = room if can else 0
        return can

    def _offer(self, room):
        if self._memory is None:
            self._memory = _DeviceMemory(self.device) if self.device.type == "cuda" else _HostMemory()
        self._new_bytes = max(_SLOTS * room, 1)
        buffer, token = self._memory.allocate(self._new_bytes)
        self._new = buffer
        self._free = [self._memory.event() for _ in range(_SLOTS)]
        # One for each group, and one of what is kept by way of a rank.
        self._sent = [[[self._memory.event() for _ in range(MOST_GROUPS + 1)] for _ in range(self._size)] for _ in range(_SLOTS)]
        handles = [[[handle for _, handle in groups] for groups in row] for row in self._sent]
        return token, [handle for _, handle in self._free], handles

    def _open(self, offers):
        self._buffer = self._new
        others = [rank for rank in range(self._size) if rank != self._rank]
        self._peers = {rank: self._memory.open(offers[rank][0]) for rank in others}
        self._peer_free = {rank: [self._memory.open_event(handle) for handle in offers[rank][1]] for rank in others}
        self._arrived = {
            rank: [[self._memory.open_event(handle) for handle in row[self._rank]] for row in offers[rank][2]] for rank in others}
        self._theirs = {rank: self._memory.tensor_of(place, self._new_bytes) for rank, place in self._peers.items()}

    def mark(self):
        """Where the work of this rank is now, for ``send``."""
        return self._memory.mark()

    def send(self, slot, mark, readers, groups, kept=()):
        """Copies what is complete at ``mark``. ``groups``: for each group a dictionary of a rank's pieces, of which those of this rank itself
        are there to be read; ``kept``: for each group, or none, what comes into the own slot. ``finish`` must follow."""
        through = {keep.rank for keep in kept if keep.rank != self._rank}
        self._kept = [] if through else [self._keep_within(slot, mark, keep.pieces) for keep in kept]
        with self._memory.behind(mark):
            for rank in {*readers, *through}:
                self._memory.wait(self._peer_free[rank][slot])
            for number, group in enumerate(groups):
                if self._are_read:
                    self._write(self._memory.place_of(self._buffer), slot, group.get(self._rank, ()))
                for rank in readers:
                    self._write(self._peers[rank], slot, group.get(rank, ()))
                    self._memory.record(self._sent[slot][rank][number][0])
                if through:
                    self._kept += [self._keep(slot, keep) for keep in kept[number : number + 1]]
            for rank in through:
                self._memory.record(self._sent[slot][rank][MOST_GROUPS][0])

    def _keep(self, slot, keep):
        """Copies of a rank to itself, by way of another one."""
        self._write(self._peers[keep.rank], slot, keep.pieces)
        theirs = self._part_of(self._theirs[keep.rank], slot)
        self._write(self._memory.place_of(self._buffer), slot, [
            Piece(theirs[back.source :].view(back.like.dtype).as_strided(back.shape, (*back.source_strides, 1)), back.offset, back.strides)
            for back in keep.backs])
        return self._memory.mark()

    def _keep_within(self, slot, mark, pieces):
        with self._memory.behind(mark, is_own=True):
            self._write(self._memory.place_of(self._buffer), slot, pieces)
            return self._memory.mark()

    def _write(self, place, slot, pieces):
        for piece in pieces:
            if piece.tensor.numel():
                self._memory.copy(place, slot * self._room, piece)

    def receive(self, slot, rank, group=0):
        """Waits for what a rank, or this one itself, has sent in a round that is over."""
        if rank != self._rank:
            self._memory.wait(self._arrived[rank][slot][group])
        elif group < len(self._kept):
            self._memory.wait(self._kept[group])

    def slot(self, slot, rank=None):
        """The bytes of a slot: of a rank where they are read there, else of the own buffer."""
        return self._part_of(self._theirs[rank] if self._are_read else self._buffer, slot)

    def _part_of(self, buffer, slot):
        return buffer[slot * self._room : (slot + 1) * self._room]

    def beside(self, mark, is_second):
        """A context of the second stream, behind ``mark``, or of the one that the caller is on."""
        return self._memory.beside(mark) if is_second else contextlib.nullcontext()

    def join(self):
        """What follows comes behind the second stream."""
        self._memory.join()

    def finish(self, slot):
        """What was received is read; what was sent may be overwritten."""
        with self._memory.here():
            for event in self._kept:
                self._memory.wait(event)
            # Others' keys that come back to them by way of this slot are theirs again, too.
            for arrived in self._arrived.values():
                self._memory.wait(arrived[slot][MOST_GROUPS])
            self._memory.record(self._free[slot][0])
            for rank in range(self._size):
                if rank != self._rank:
                    for event, _ in self._sent[slot][rank]:
                        self._memory.wait(event)
