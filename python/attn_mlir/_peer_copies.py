"""Keys and values by copies: a rank writes those that it holds into memory of the others, on a stream of its own.

On GPUs that reach each other's memory that is done by copy engines, which leave the multiprocessors to the kernels. A
rank has a buffer with a place for each other rank, twice: slots are taken in turn. Or it writes them once into a buffer of
its own, where kernels of the others read them ("reads"). Nothing but events keeps devices apart, and an event counts if it
was recorded before another process waits for it. Rounds of words see to that:

- A rank copies before a round, and records that it did (``sent``). Behind the round the others wait for that, and read.
- Behind the last of its reads a rank records that the slot is free (``free``), before the next round. As slots are taken in
  turn, who copies into that one again has passed the next round.
"""

import contextlib
import ctypes
import mmap
import os
import socket
import sys
import tempfile
import threading

import torch

_SLOTS = 2
_ALIGNMENT = 256


def slot_of(rounds):
    """The slot of copies in front of the round that comes behind ``rounds`` others."""
    return rounds % _SLOTS


def _rounded(size):
    return -(-size // _ALIGNMENT) * _ALIGNMENT


def room_of(sizes):
    """Bytes of tensors of so many bytes, each at a multiple of the alignment."""
    return sum(map(_rounded, sizes))


class _NoEvent:
    """Of copies that are done when they return."""

    def record(self):
        pass

    def wait(self):
        pass


class _HostMemory:
    """Memory of the host that processes share as a file, which has no name once all have it."""

    def __init__(self):
        self._path = None

    def allocate(self, size):
        descriptor, self._path = tempfile.mkstemp(prefix="attn-mlir-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        try:
            # Where there is no room, this says so, and not a signal when it is written.
            os.posix_fallocate(descriptor, 0, size)
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

    def copy(self, peer, offset, tensor):
        source = tensor.view(-1).view(torch.uint8)
        peer[offset : offset + source.numel()] = source

    def close(self):
        pass

    def event(self):
        return _NoEvent(), None

    def open_event(self, handle):
        return _NoEvent()

    def mark(self):
        """Where the work of this rank is now."""

    def behind(self, mark):
        return contextlib.nullcontext()


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


class _DeviceMemory:
    """Memory of CUDA devices, by the driver's handles for other processes."""

    def __init__(self, device):
        self._device = device
        self._driver = ctypes.CDLL("libcuda.so.1")
        self._opened = {}
        self._stream = torch.cuda.Stream(device)

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

    def copy(self, peer, offset, tensor):
        self._call(
            "cuMemcpyAsync", ctypes.c_uint64(peer + offset), ctypes.c_uint64(tensor.data_ptr()),
            ctypes.c_size_t(tensor.numel() * tensor.element_size()), ctypes.c_void_p(self._stream.cuda_stream))

    def event(self):
        event = torch.cuda.Event(interprocess=True)
        event.record()
        return event, event.ipc_handle()

    def open_event(self, handle):
        return torch.cuda.Event.from_ipc_handle(self._device, handle)

    def mark(self):
        event = torch.cuda.Event()
        event.record()
        return event

    @contextlib.contextmanager
    def behind(self, mark):
        self._stream.wait_event(mark)
        with torch.cuda.stream(self._stream):
            yield


def _machine():
    """What processes that share memory have alike."""
    try:
        with open("/proc/sys/kernel/random/boot_id") as file:
            boot = file.read()
    except OSError:
        boot = ""
    return socket.gethostname(), boot


class Copies:
    """Buffers of the ranks of an agreement. ``grow`` and rounds are what all ranks do alike. ``are_read``: others read what a
    rank has in its own buffer, instead of getting it in theirs."""

    def __init__(self, agreement, device, are_read=False):
        self._agree, self.device, self._are_read = agreement, device, are_read
        self._rank, self._size = agreement.rank, agreement.size
        self._room = 0
        self._memory = self._buffer = None

    def __del__(self):
        if self._memory is not None and not sys.is_finalizing():
            with contextlib.suppress(OSError, RuntimeError):
                self._memory.close()

    def grow(self, room):
        """Whether all ranks can copy ``room`` bytes to each other."""
        if room <= self._room:
            return True
        offer, before = None, self._buffer
        with contextlib.suppress(OSError, RuntimeError, AttributeError):
            offer = self._offer(room)
        offers = self._agree.objects((_machine(), str(self.device.type), offer))
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
        self._new_bytes = max(_SLOTS * (1 if self._are_read else self._size - 1) * room, 1)
        buffer, token = self._memory.allocate(self._new_bytes)
        self._new, self._new_room = buffer, room
        self._free = [self._memory.event() for _ in range(_SLOTS)]
        self._sent = [[self._memory.event() for _ in range(self._size)] for _ in range(_SLOTS)]
        return token, [handle for _, handle in self._free], [[handle for _, handle in row] for row in self._sent]

    def _open(self, offers):
        self._buffer, self._peer_room = self._new, self._new_room
        others = [rank for rank in range(self._size) if rank != self._rank]
        self._peers = {rank: self._memory.open(offers[rank][0]) for rank in others}
        self._peer_free = {rank: [self._memory.open_event(handle) for handle in offers[rank][1]] for rank in others}
        self._arrived = {
            rank: [self._memory.open_event(row[self._rank]) for row in offers[rank][2]] for rank in others}
        self._read = {
            rank: self._memory.tensor_of(place, self._new_bytes) if self._are_read else self._buffer
            for rank, place in self._peers.items()}

    def _place(self, slot, reader, writer):
        if self._are_read:
            return slot * self._peer_room
        return (slot * (self._size - 1) + writer - (writer > reader)) * self._peer_room

    def mark(self):
        """Where the work of this rank is now, for ``send``."""
        return self._memory.mark()

    def send(self, slot, mark, tensors, readers):
        """Copies tensors, each dense in memory and complete at ``mark``, to the ranks ``readers``. ``finish`` must follow."""
        with self._memory.behind(mark):
            if self._are_read and readers:
                for rank in readers:
                    self._peer_free[rank][slot].wait()
                self._write(self._memory.place_of(self._buffer), self._place(slot, None, self._rank), tensors)
            for rank in readers:
                if not self._are_read:
                    self._peer_free[rank][slot].wait()
                    self._write(self._peers[rank], self._place(slot, rank, self._rank), tensors)
                self._sent[slot][rank][0].record()

    def _write(self, place, offset, tensors):
        for tensor in tensors:
            if tensor.numel():
                self._memory.copy(place, offset, tensor)
            offset += _rounded(tensor.numel() * tensor.element_size())

    def receive(self, slot, rank, sizes):
        """Bytes that a rank has sent in a round that is over, in tensors of ``sizes``."""
        self._arrived[rank][slot].wait()
        offset, found = self._place(slot, self._rank, rank), []
        for size in sizes:
            found.append(self._read[rank][offset : offset + size])
            offset += _rounded(size)
        return found

    def finish(self, slot):
        """What was received is read; what was sent may be overwritten."""
        self._free[slot][0].record()
        for rank in range(self._size):
            if rank != self._rank:
                self._sent[slot][rank][0].wait()
