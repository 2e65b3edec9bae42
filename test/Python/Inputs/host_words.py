"""Words between processes of one host: frames, ranks that give up, what is not shared. Ranks that use them: context_parallel.py."""

import gc
import os
import unittest
from unittest import mock

from attn_mlir._host_words import Board, machine


class Words(unittest.TestCase):
    def setUp(self):
        # Elsewhere there is no board, as below.
        x86 = mock.patch("platform.machine", lambda: "x86_64")
        x86.start()
        self.addCleanup(x86.stop)

    def test_frames(self):
        """Words count where the round's number and their checksum are there; of a rank that says nothing there are none."""
        def new():
            return Board.of(0, 1, 8, lambda own: [own])

        board = new()
        for number in (1, 2, 3):
            board.post(number, bytes([number] * 8))
            self.assertEqual(board.read(number, 1), [bytes([number] * 8)])
        self.assertEqual(board.read(2, 1), [bytes([2] * 8)])
        with self.assertRaisesRegex(RuntimeError, "rank 0 said nothing within 0.05 s"):
            board.read(4, 0.05)
        # Who has not heard all has given up for good.
        with self.assertRaisesRegex(RuntimeError, "rank 0 has given up in an earlier call"):
            board.post(4, bytes(8))
        with self.assertRaisesRegex(RuntimeError, "rank 0 has given up"):
            board.read(3, 1)
        board = new()
        board.post(1, bytes(8))
        board._memory[board._place(0, 1) + 16] = 7
        with self.assertRaisesRegex(RuntimeError, "rank 0 said nothing"):
            board.read(1, 0.05)
        board = new()
        with mock.patch("time.sleep", side_effect=KeyboardInterrupt), self.assertRaises(KeyboardInterrupt):
            board.read(1, 1)
        with self.assertRaisesRegex(RuntimeError, "has given up"):
            board.post(1, bytes(8))

    def test_what_is_not_shared(self):
        """Ranks of two hosts, of one process, or without room have no board; nothing stays open."""
        def opened():
            gc.collect()
            found = (os.path.join("/proc/self/fd", name) for name in os.listdir("/proc/self/fd"))
            return sum("attn-mlir-" in os.readlink(path) for path in found if os.path.lexists(path))

        here, before = machine(), opened()
        for others in (("another", "boot"), 1, None), (here, os.getpid(), None):
            answers = iter(([None, others], [False, True]))
            self.assertIsNone(Board.of(0, 2, 8, lambda own, answers=answers: [own, *next(answers)[1:]]))
        with mock.patch.object(os, "posix_fallocate", side_effect=OSError("no room")):
            answers = iter(([None, (here, 1, None)], [False, False]))
            self.assertIsNone(Board.of(0, 2, 8, lambda own: [own, *next(answers)[1:]]))
        with mock.patch("platform.machine", lambda: "aarch64"):
            answers = iter(([None, (here, 1, None)], [False, False]))
            self.assertIsNone(Board.of(0, 2, 8, lambda own: [own, *next(answers)[1:]]))

        def fails(own):
            self.files = [path for path in os.listdir("/dev/shm") if path == os.path.basename(own[2])]
            raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            Board.of(0, 2, 8, fails)
        self.assertEqual([len(self.files), [path for path in self.files if path in os.listdir("/dev/shm")]], [1, []])
        # Another one that could not open it.
        answers = iter(([None, (here, 1, None)], [True, False]))
        self.assertIsNone(Board.of(0, 2, 8, lambda own: [own, *next(answers)[1:]]))
        self.assertEqual(opened(), before)


if __name__ == "__main__":
    unittest.main()
