"""Shares of a sequence and calls of pairs of them, against their definitions, for all small sizes."""

import itertools
import unittest

from attn_mlir import _exchange_model as model
from attn_mlir._errors import ArgumentError
from attn_mlir._segments import call_of, gathered, length_of, shares


def positions(share):
    return [position for chunk in share for position in range(chunk.begin, chunk.end)]


def sees(i, j, left, right):
    return (left < 0 or j >= i - left) and (right < 0 or j <= i + right)


class Segments(unittest.TestCase):
    def test_shares_are_a_partition(self):
        for total, devices, order in itertools.product((0, 1, 2, 7, 16, 97), (1, 2, 3, 8), ("balanced", "contiguous")):
            with self.subTest(total=total, devices=devices, order=order):
                found = shares(total, devices, order)
                self.assertEqual(sorted(p for share in found for p in positions(share)), list(range(total)))
                self.assertTrue(all(positions(share) == sorted(positions(share)) for share in found))
                lengths = [length_of(share) for share in found]
                self.assertLessEqual(max(lengths) - min(lengths), 2)

    def test_balance(self):
        """Of a causal mask all have as much, but for a part of the chunks' own triangles."""
        for devices in (2, 4, 8):
            work = [sum(i + 1 for i in positions(share)) for share in shares(64 * devices, devices)]
            self.assertLessEqual(max(work) / min(work), 1.01)

    def test_speeds(self):
        """Lengths, and in the balanced order the work of a causal mask, are in proportion to speeds, but for the size of tiles."""
        for order, speeds in itertools.product(("balanced", "contiguous"), ((1.0, 1.0), (1.0, 0.9), (2.0, 3.0, 1.0), (5.0, 1.0, 1.0, 1.0))):
            for total in (0, 1, 100, 1001, 16384, 20001):
                with self.subTest(order=order, speeds=speeds, total=total):
                    found = shares(total, len(speeds), order, speeds)
                    self.assertEqual(sorted(p for share in found for p in positions(share)), list(range(total)))
                    self.assertTrue(all(positions(share) == sorted(positions(share)) for share in found))
                    for share, speed in zip(found, speeds):
                        part = speed / sum(speeds)
                        self.assertAlmostEqual(length_of(share), total * part, delta=256 + 1)
                        if order == "balanced":
                            work = sum(i + 1 for i in positions(share))
                            self.assertAlmostEqual(work, total * total * part / 2, delta=total * 129)
        self.assertEqual(shares(32768, 2, speeds=(1.0, 1.0)), shares(32768, 2))

    def covered(self, queries, keys, call, left, right):
        """Pairs of positions that a call computes."""
        if call is None:
            return set()
        rows, columns = positions(queries)[call.rows], positions(keys)[call.columns]
        pairs = set()
        for (row, i), (column, j) in itertools.product(enumerate(rows), enumerate(columns)):
            if {"full": True, "causal": column <= row, "positions": sees(i, j, left, right)}[call.kind]:
                pairs.add((i, j))
        return pairs

    def test_calls(self):
        windows = [(-1, -1), (-1, 0), (3, 0), (0, 0), (2, 5), (-1, 2), (4, -1), (40, 40)]
        kinds = set()
        for total, devices, order in itertools.product((0, 1, 5, 12, 29), (1, 2, 3), ("balanced", "contiguous")):
            held = shares(total, devices, order)
            for queries, keys, (left, right) in itertools.product(held, held, windows):
                with self.subTest(queries=queries, keys=keys, left=left, right=right):
                    call = call_of(queries, keys, left, right)
                    kinds.add(call and call.kind)
                    wanted = {(i, j) for i in positions(queries) for j in positions(keys) if sees(i, j, left, right)}
                    self.assertEqual(self.covered(queries, keys, call, left, right), wanted)
                    other = call_of(queries, keys, left, right, by_positions=True)
                    self.assertEqual(self.covered(queries, keys, other, left, right), wanted)
        self.assertEqual(kinds, {None, "full", "causal", "positions"})

    def test_gathered(self):
        """Each row has one call, which shows it what it sees, and nothing comes that no row sees."""
        for total, devices, order, right in itertools.product(
                (0, 1, 5, 12, 29), (1, 2, 3, 4), ("balanced", "contiguous"), (-1, 0)):
            held = shares(total, devices, order)
            for rank, share in enumerate(held):
                with self.subTest(held=held, rank=rank, right=right):
                    found = gathered(held, rank, -1, right)
                    array = [None] * found.length
                    for source, place, begin in found.pieces:
                        array[begin : begin + place.stop - place.start] = positions(held[source])[place]
                    self.assertNotIn(None, array)
                    rows = positions(share)
                    seen = {}
                    for call in found.calls:
                        keys = array[call.columns]
                        past = len(keys) - (call.rows.stop - call.rows.start)
                        for row, i in enumerate(rows[call.rows]):
                            self.assertNotIn(i, seen)
                            seen[i] = keys if call.kind == "full" else keys[: row + past + 1]
                    self.assertEqual(sorted(seen), sorted(rows))
                    for i, keys in seen.items():
                        self.assertEqual(sorted(keys), [j for j in range(total) if sees(i, j, -1, right)])
                    self.assertTrue(set(array) <= {j for keys in seen.values() for j in keys} | set(rows))
        for window in ((3, 0), (-1, 2), (0, -1)):
            self.assertIsNone(gathered(shares(12, 2), 0, *window))

    def test_causal_needs_no_positions(self):
        """Of the balanced order each call is a plain one, and does half of the square, or all of one half of it."""
        for devices in (2, 4):
            held = shares(16 * devices, devices)
            for (r, queries), (s, keys) in itertools.product(enumerate(held), enumerate(held)):
                call = call_of(queries, keys, -1, 0)
                rows, columns = call.rows.stop - call.rows.start, call.columns.stop - call.columns.start
                self.assertEqual((call.kind, rows * columns), ("causal", 256) if r == s else ("full", 128))

    def test_order_that_is_none(self):
        with self.assertRaisesRegex(ArgumentError, "expected 'balanced' or 'contiguous', but got 'random'"):
            shares(8, 2, "random")

    def test_bytes(self):
        """What the slowest rank receives: K and V of the others, or heads of Q, K and V there and O back."""
        shape = model.Shape(batch=2, heads=8, kv_heads=4, qk_dim=64, value_dim=32, bytes=2)
        for devices in (2, 4):
            held = shares(1024, devices)
            found = {p.exchange: p for p in model.predictions(held, shape, (-1, 0))}
            length = 1024 // devices
            others = (devices - 1) * 2 * length * 4 * 96 * 2
            swapped = (devices - 1) * 2 * length * (8 * 64 + 4 * 96 + 8 * 32) // devices * 2
            self.assertEqual({kind: p.bytes for kind, p in found.items()}, {
                "ring": others, "all_gather": others, "heads": swapped})
            # Keys one behind the other are what rows see: all of it for the device with the last chunk, half of it for one with a chunk in
            # the middle; and own ones, where they come back.
            for rank, part in ((0, 1), (devices - 1, 1 / 2)):
                for by_way in (False, True):
                    received = model._one_behind_other(held, rank, shape, model.H200, (-1, 0), by_way)[1]
                    self.assertEqual(received, others * part + (others // (devices - 1) if by_way else 0))
        odd = model.predictions(shares(1024, 3), shape)
        self.assertNotIn("heads", [p.exchange for p in odd])

    def test_times(self):
        """Long sequences hide a ring's transfers; of short ones all is transfer, of which fewer bytes take less."""
        shape = model.Shape(batch=1, heads=32, kv_heads=32, qk_dim=128, value_dim=128, bytes=2)
        links = model.Links(pair=1e11, gather=5e10, latency=1e-5, rate=5e14, memory=float("inf"))
        times = {}
        for length in (4096, 262144):
            found = model.predictions(shares(length, 4), shape, (-1, 0), links)
            times[length] = {p.exchange: p for p in found}
            self.assertEqual([p.seconds for p in found], sorted(p.seconds for p in found))
        ring = times[262144]["ring"]
        self.assertEqual(ring.seconds, ring.computing)
        ideal = 2 * 32 * 262144**2 // 2 * 256 / 5e14 / 4
        self.assertAlmostEqual(ring.computing / ideal, 1, delta=1e-3)
        short = times[4096]
        self.assertGreater(short["ring"].seconds, 2 * short["ring"].computing)
        self.assertLess(short["heads"].seconds, short["all_gather"].seconds)
        # Merges cost, and collectives that take a part of the device cost more than copies, which do not.
        fast = links._replace(pair=4e11)
        slow = fast._replace(memory=1e12, taken=0.1)
        before, after = ({p.exchange: p.seconds for p in model.predictions(
            shares(262144, 4), shape, (-1, 0), each, (model.COPIES, *model.EXCHANGES))} for each in (fast, slow))
        self.assertGreaterEqual(after[model.COPIES], before[model.COPIES])
        for kind in model.EXCHANGES:
            self.assertGreater(after[kind] - before[kind], after[model.COPIES] - before[model.COPIES])
        # The host takes part where all else is short, and for each transfer.
        hosts = {p.exchange: p.seconds for p in model.predictions(shares(4096, 4), shape, (-1, 0), links._replace(call=1.0, each=0.1))}
        self.assertEqual({kind: round(seconds, 6) for kind, seconds in hosts.items()}, {"ring": 1.3, "all_gather": 1.1, "heads": 1.5})
        page = model.page(model.predictions(shares(4096, 4), shape), "ring")
        self.assertRegex(page, r"ring .*<- this one")
        self.assertEqual(page.count("<-"), 1)

    def test_groups(self):
        """Heads come in as many groups as hide their transfers: all at once where what comes first takes as long, else the first ones by themselves."""
        shape = model.Shape(batch=1, heads=32, kv_heads=32, qk_dim=128, value_dim=128, bytes=2)
        held, counts = shares(32768, 2), {}
        for pair, by_way, rank in itertools.product((1e9, 3e10, 4e11, 1e12), (False, True), range(2)):
            links = model.Links(pair=pair, gather=pair, latency=1e-5, rate=7e14)
            groups = model.groups_of(held, rank, gathered(held, rank, -1, 0), shape, links, by_way)
            self.assertEqual([head for group in groups for head in range(group.start, group.stop)], list(range(32)))
            counts.setdefault((by_way, rank), []).append(len(groups))
        # Device 1 has no rows that see own keys alone, but some heads' own part where own keys come by way of the other device.
        self.assertEqual(counts, {(False, 0): [4, 4, 1, 1], (False, 1): [4, 4, 2, 2], (True, 0): [4, 4, 2, 2], (True, 1): [4, 4, 2, 1]})
        one = model.groups_of(held, 1, gathered(held, 1, -1, 0), shape._replace(kv_heads=1), model.H200, True)
        self.assertEqual(one, [slice(0, 1)])

    def test_ways_of_own_keys(self):
        """By way of another device where that is hidden by what comes first, by multiprocessors where the link is slow, all is short, or L2 has a head's
        own keys and not all."""
        shape = model.Shape(batch=1, heads=32, kv_heads=32, qk_dim=128, value_dim=128, bytes=2)
        for length, pair, wanted in ((32768, 4e11, True), (32768, 1e9, False), (4096, 4e11, False), (131072, 4e11, False)):
            links = model.H200._replace(pair=pair)
            self.assertEqual(model.goes_by_way(shares(length, 2), shape, (-1, 0), links), wanted)



if __name__ == "__main__":
    unittest.main()
