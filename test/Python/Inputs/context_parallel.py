"""One sequence over several processes (gloo), against float64 of the whole: run without arguments, it starts its ranks."""

import collections
import gc
import itertools
import os
import subprocess
import sys
import tempfile
import time
import types
import unittest
import unittest.mock

import attn_mlir
import attn_mlir.torch
import torch
import torch.distributed as dist
import torch.nn.functional as F
from attn_mlir._segments import gathered

EXCHANGES = ("ring", "all_gather", "heads")
TRANSFERS = ("copies", "collectives", "reads")
SIZE = int(os.environ.get("ATTN_TEST_RANKS", "0"))


def whole(heads=4, kv_heads=4, length=37, dim=16, value_dim=16, dtype=torch.float32, batch=2):
    torch.manual_seed(7)
    q = torch.randn(batch, heads, length, dim)
    k = torch.randn(batch, kv_heads, length, dim)
    return q.to(dtype), k.to(dtype), torch.randn(batch, kv_heads, length, value_dim).to(dtype)


def exact(q, k, v, keep=None, modification=None, scale=None, sinks=None):
    """(O, LSE) in float64."""
    group = q.shape[1] // k.shape[1]
    q, k, v = q.double(), k.double().repeat_interleave(group, 1), v.double().repeat_interleave(group, 1)
    scores = (q @ k.transpose(-1, -2)) * (q.shape[-1] ** -0.5 if scale is None else scale)
    h = torch.arange(q.shape[1]).view(-1, 1, 1)
    i, j = torch.arange(q.shape[2])[:, None], torch.arange(q.shape[2])[None]
    if modification is not None:
        scores = modification(scores, 0, h, i, j)
    if keep is not None:
        scores = scores.masked_fill(~keep(0, h, i, j), float("-inf"))
    every = scores
    if sinks is not None:
        every = torch.cat([scores, sinks.double().view(1, -1, 1, 1).expand(*scores.shape[:3], 1)], -1)
    lse = torch.logsumexp(every, -1)
    return torch.exp(scores - lse[..., None]).nan_to_num(0.0) @ v, lse


def band(left, right):
    return lambda b, h, i, j: (j >= i - left if left >= 0 else j >= 0) & (j <= i + right if right >= 0 else j >= 0)


class Runs(unittest.TestCase):
    def test_rows_of_copies(self):
        """Rows, as a device copies them, are the tensor, in few calls where memory allows."""
        from attn_mlir._peer_copies import runs

        for sizes, source, target, count in (
                ((2, 3, 5, 4), (60, 20, 4, 1), (60, 20, 4, 1), 1), ((2, 3, 5, 4), (60, 20, 4, 1), (96, 32, 4, 1), 1),
                ((2, 3, 5, 4), (60, 20, 4, 1), (100, 32, 4, 1), 2),
                ((1, 3, 5, 4), (60, 20, 4, 1), (96, 32, 4, 1), 1), ((2, 3, 5, 4), (60, 4, 12, 1), (60, 4, 12, 1), 1),
                ((2, 3, 5, 4), (120, 4, 24, 1), (60, 4, 12, 1), 1), ((2, 3, 5, 4), (60, 20, 4, 1), (60, 4, 12, 1), 6),
                ((1, 1, 1, 4), (60, 20, 4, 1), (60, 4, 12, 1), 1)):
            with self.subTest(source=source, target=target):
                data, found = torch.arange(400), torch.full((400,), -1)
                calls = list(runs(sizes, source, target))
                for here, there, width, height, pitch, pitch_there in calls:
                    found.as_strided((height, width), (pitch_there, 1), there).copy_(data.as_strided((height, width), (pitch, 1), here))
                wanted = torch.full((400,), -1)
                wanted.as_strided(sizes, target).copy_(data.as_strided(sizes, source))
                self.assertTrue(torch.equal(found, wanted))
                self.assertEqual(len(calls), count)


class Kernels(unittest.TestCase):
    def steps(self, rank, right, has_copies=True, gathers=False, dim=64, by_way=True, together=34 << 20):
        """(Element type of O, whether it takes up another one, options of the schedule, heads, rows, keys) of each kernel."""
        from attn_mlir import _attention, _context_gathered, _context_parallel, _context_parts
        from attn_mlir._exchange_model import H200
        from attn_mlir._segments import shares

        found = []

        def plan_of(problem, device, shapes, q, also=None):
            found.append((problem.result, problem.earlier, also, shapes.heads, shapes.queries, shapes.keys))

        q, k = (torch.empty(1, dtype=torch.bfloat16).expand(1, heads, 2048, dim) for heads in (16, 8))
        options, held = _context_parts.Options(-1, right, 0.125, None, None, None, None), shares(4096, 2)
        with unittest.mock.patch.object(_attention, "device_of", lambda name, x: _attention.Device("cuda", 0)):
            with unittest.mock.patch.object(_attention, "plan_of", plan_of), unittest.mock.patch(
                    "attn_mlir._context_continued.TOGETHER", together):
                if gathers:
                    with unittest.mock.patch.object(_context_gathered, "goes_by_way", lambda *arguments: by_way):
                        _context_gathered.Gathered(rank, q, k, k, options, held, [(False, False)] * 2, H200)
                else:
                    _context_parallel.parts_of(held, rank, (q, k, k), options, has_copies)
        return found

    def test_keys_one_behind_the_other(self):
        """Rows that see own keys alone come first; where there are none, some heads' own part, which the others' part takes up at the end."""
        from attn_mlir import _exchange_model

        def order(sets):
            return f"dynamic grid-order={sets} longest-first pair-tiles=false"

        groups = [slice(0, 2), slice(2, 4), slice(4, 6), slice(6, 8)]
        with unittest.mock.patch("attn_mlir._context_gathered.groups_of", lambda *arguments: groups):
            self.assertEqual(self.steps(0, 0, gathers=True), [
                ("", False, order("sixteen-sets"), 12, 1024, 1024), ("", False, order("sixteen-sets"), 4, 1024, 1024),
                *[("", False, order("sixteen-sets"), 4, 1024, 4096)] * 4])
            led = 8 // _exchange_model.FEW
            self.assertEqual(self.steps(1, 0, gathers=True), [
                ("f32", False, order("sixteen-sets"), 2 * led, 2048, 2048), ("", True, "dynamic stream-k=false", 2 * led, 2048, 1024),
                *[("", False, order("sixteen-sets"), 4, 2048, 3072)] * 3])
            # Arrays of other dimensions are not taken up, and own keys that multiprocessors copy are not waited for so.
            for how in {"dim": 12}, {"by_way": False}:
                self.assertEqual(self.steps(1, 0, gathers=True, **how)[1:], [("", False, order("sixteen-sets"), 4, 2048, 3072)] * 3)

    def test_own_keys_by_way_of_another_rank(self):
        """What that rank needs itself is read there; the rest goes behind all that it needs."""
        from attn_mlir._context_gathered import _split, _Way
        from attn_mlir._segments import gathered, shares

        self.assertEqual(
            list(_split(slice(2, 20), [(slice(10, 14), 40), (slice(0, 5), 7)])),
            [(slice(2, 5), 9), (slice(5, 10), None), (slice(10, 14), 40), (slice(14, 20), None)])
        held = shares(64, 2)
        of = [gathered(held, rank, -1, 0) for rank in range(2)]
        first, second = (_Way(held, of, rank, True) for rank in range(2))
        self.assertEqual((first.rank, first.parts, first.spare), (1, [(slice(0, 16), 0, 0, 32), (slice(16, 32), None, 0, 48)], 16))
        self.assertEqual((second.rank, second.parts, second.spare), (0, [(slice(0, 32), 0, 0, 16)], 0))
        alone = _Way(held, of, 1, False)
        self.assertEqual((alone.rank, alone.parts, alone.spare), (1, [(slice(0, 32), None, 0, 16)], 0))

    def test_keys_that_are_seen_are_sent(self):
        """Under a causal mask no row of the second rank sees the first one's last chunk, and it does not go there; what goes lies where it does in all of it."""
        from attn_mlir import _attention, _context_parallel, _context_parts
        from attn_mlir._segments import shares

        held = shares(64, 2)
        parallel, plan = types.SimpleNamespace(size=2, rounds=0), types.SimpleNamespace(copies=None, is_read=False)
        for rank, right, seen in ((0, 0, slice(0, 16)), (1, 0, slice(0, 32)), (0, -1, slice(0, 32)), (1, -1, slice(0, 32))):
            options = _context_parts.Options(-1, right, 0.25, None, None, None, None)
            q, k, v = tensors = [torch.randn(1, heads, 32, 16) for heads in (4, 2, 2)]
            with unittest.mock.patch.object(_attention, "plan_of", lambda *arguments: None):
                parts = _context_parallel.parts_of(held, rank, tensors, options)
            parallel.rank = rank
            run = _context_parallel.RUNS[type(parts)](parallel, plan, parts, *tensors, options, torch.empty_like(q))
            (group,) = run._groups()
            self.assertEqual(list(group), [1 - rank])
            for piece, x, begin in zip(group[1 - rank], (k, v), (0, 2 * 32 * 16 * 4)):
                self.assertTrue(torch.equal(piece.tensor, x[:, :, seen]))
                self.assertEqual((piece.offset, piece.strides), (begin, x.stride()[:3]))

    def test_parts_that_take_up_others(self):
        """One part in f32, which another one takes up, and rows or heads that need neither between; who is done takes the next tile, of few heads at a time under a
        causal mask."""
        heads, plain = "dynamic grid-order=sixteen-sets longest-first pair-tiles=false", "dynamic stream-k=false"
        self.assertEqual(self.steps(0, 0), [
            ("f32", False, heads, 16, 1024, 2048), ("", False, heads, 4, 1024, 1024), ("", True, plain, 16, 1024, 2048),
            ("", False, heads, 12, 1024, 1024)])
        self.assertEqual(self.steps(1, 0), [
            ("f32", False, heads, 12, 2048, 2048), ("f32", False, plain, 4, 2048, 1024), ("", True, plain, 12, 2048, 1024),
            ("", True, heads, 4, 2048, 2048)])
        self.assertEqual(self.steps(0, -1)[0], ("f32", False, None, 12, 2048, 2048))
        # Where L2 has no room for keys of two heads, tiles of one length are taken in fixed turns; those under a causal mask are not.
        size = 2048 * 128 * 2
        for room, also in ((2 * size, plain), (2 * size - 1, "stream-k=false")):
            self.assertEqual([step[2] for step in self.steps(0, 0, together=room)], [heads, heads, also, heads])
        # Beside collectives all take tiles, and parts are merged.
        self.assertEqual(self.steps(0, -1, has_copies=False), [
            ("f32", False, plain, heads, 2048, 2048) for heads in (12, 4, 16)])


@unittest.skipUnless(SIZE, "a rank of several")
class Ranks(unittest.TestCase):
    def check(self, exchange, tensors, order="balanced", layout="bhsd", bound=1e-5, keep=None, modification=None, **options):
        found = []
        # Copies and reads are the same for a ring and an all-gather.
        ways = {"ring": TRANSFERS, "all_gather": ("collectives",), "heads": ("auto",)}[exchange]
        for transfers, gathers, by_way in itertools.product(ways, (True, False), (True, False)):
            # Which of them the model takes is not asked here.
            def can(held, shape, window, links, gathers=gathers):
                return gathers and all(gathered(held, rank, *window) is not None for rank in range(len(held)))

            if (transfers == "copies" if gathers else by_way):
                with unittest.mock.patch("attn_mlir._context_gathered.gathers", can), unittest.mock.patch(
                        "attn_mlir._context_gathered.goes_by_way", lambda *arguments, by_way=by_way: by_way):
                    found.append((*self.check_transfers(
                        transfers, exchange, tensors, order, layout, bound, keep, modification, **options), by_way and gathers))
        kinds = collections.defaultdict(list)
        for o, kind, by_way in found:
            kinds[kind + " by way" * by_way].append(o)
        for several in kinds.values():
            self.assertTrue(all(torch.equal(several[0], o) for o in several), "the same bits by each way of transfers")
        asks = any(name in options for name in ("window", "mask", "score_mod", "cu_seqlens"))
        self.assertEqual([len(kinds[kind]) for kind in ("Gathered", "Gathered by way")], [int(exchange == "ring" and not asks)] * 2)
        # Of two ranks the second part takes up the first.
        if exchange == "ring" and not asks and SIZE == 2 and order == "balanced" and tensors[0].shape[2] > 4 * SIZE and not any(
                x.shape[3] % 8 for x in tensors):
            self.assertEqual(len(kinds["Continued"]), 2)

    def check_transfers(self, transfers, exchange, tensors, order, layout, bound, keep, modification, **options):
        parallel = attn_mlir.torch.context_parallel(exchange=exchange, order=order, transfers=transfers)
        dim = 2 if layout == "bhsd" else 1
        given = [x if layout == "bhsd" else x.transpose(1, 2).contiguous() for x in tensors]
        local = [parallel.shard(x, dim) for x in given]
        o, lse = parallel.attention(*local, return_lse=True, layout=layout, **options)
        self.assertEqual(o.dtype, tensors[0].dtype)
        wanted, wanted_lse = exact(
            *tensors, keep=keep, modification=modification, sinks=options.get("sinks"), scale=options.get("scale"))
        wanted = wanted if layout == "bhsd" else wanted.transpose(1, 2)
        found = parallel.unshard(o, dim).double()
        error = ((found - wanted).norm(dim=-1) / wanted.norm(dim=-1).clamp(min=1e-30)).max().item()
        self.assertLessEqual(error, bound)
        seen = wanted_lse.isfinite()
        found_lse = parallel.unshard(lse, 2).double()
        self.assertTrue(torch.equal(found_lse.isfinite(), seen))
        self.assertLessEqual((found_lse - wanted_lse)[seen].abs().max().item(), 2e-5 if bound < 1e-4 else 2e-2)
        before = parallel.rounds
        for _ in range(3):
            again = parallel.attention(*local, layout=layout, **options)
            self.assertTrue(torch.equal(again, o), "the same bits in each run")
        self.assertEqual(parallel.rounds, before + 3, "a call like one before takes one round")
        (plan,) = parallel._plans.values()
        return found, "Gathered" if plan.gathers else type(plan.parts).__name__

    def exchanges(self, heads=4, kv_heads=4):
        return [kind for kind in EXCHANGES if kind != "heads" or heads % SIZE == kv_heads % SIZE == 0]

    def test_masks(self):
        for exchange in self.exchanges():
            for order in ("balanced", "contiguous"):
                for name, options in (("full", {}), ("causal", {"causal": True}), ("window", {"window": (5, 0)}),
                                      ("both", {"window": (3, 9)}), ("left", {"window": 6})):
                    if order == "contiguous" and (exchange != "ring" or name in ("both", "left")):
                        continue  # As in the other order.
                    with self.subTest(exchange=exchange, order=order, mask=name):
                        left, right = options.get("window", (-1, 0 if "causal" in options else -1)) if name != "left" else (6, -1)
                        self.check(exchange, whole(), order, keep=band(left, right), **options)

    def test_lengths(self):
        for length in (SIZE, 2 * SIZE + 1, 64, 101):
            for exchange in self.exchanges():
                with self.subTest(length=length, exchange=exchange):
                    self.check(exchange, whole(length=length), keep=band(-1, 0), causal=True)

    def test_speeds(self):
        """Shares of different lengths give what others give; the numbers are the same on all ranks."""
        speeds = [1.0 + rank for rank in range(SIZE)]
        for length, exchange in itertools.product((37, 900), ("ring", "all_gather")):
            tensors = whole(length=length, batch=1)
            for mask in ({}, {"causal": True}):
                parallel = attn_mlir.torch.context_parallel(exchange=exchange, speeds=speeds)
                local = [parallel.shard(x, 2) for x in tensors]
                found = parallel.unshard(parallel.attention(*local, **mask), 2)
                wanted = exact(*tensors, keep=band(-1, 0) if mask else None)[0]
                self.assertLess((found - wanted).abs().max().item(), 1e-5)
                self.assertIn("this one", parallel.explain(*local, **mask))
        for wrong in ([1.0] * (SIZE + 1), [0.0] * SIZE):
            with self.assertRaisesRegex(ValueError, f"speeds: expected {SIZE} numbers above 0"):
                attn_mlir.torch.context_parallel(speeds=wrong)
        parallel = attn_mlir.torch.context_parallel(speeds=[1.0 + dist.get_rank()] * SIZE)
        with self.assertRaisesRegex(attn_mlir.CollectiveError, "speeds: expected the same on all ranks"):
            parallel.attention(*(x[:, :, :16] for x in tensors))

    def test_fewer_positions_than_ranks(self):
        self.check("ring", whole(length=1), keep=band(-1, 0), causal=True)
        self.check("all_gather", whole(length=1))

    def test_groups_and_dims(self):
        for exchange in self.exchanges(4, 2):
            self.check(exchange, whole(kv_heads=2, dim=20, value_dim=8), keep=band(-1, 0), causal=True, layout="bshd")
            self.check(exchange, whole(kv_heads=2), layout="bshd", scale=0.5)

    def test_bfloat16_is_rounded_once(self):
        tensors = whole(length=256, dim=64, value_dim=64, dtype=torch.bfloat16)
        self.check("ring", tensors, keep=band(-1, 0), causal=True, bound=6e-3)
        alone = attn_mlir.attention(*tensors, causal=True)
        parallel = attn_mlir.torch.context_parallel()
        o = parallel.unshard(parallel.attention(*(parallel.shard(x, 2) for x in tensors), causal=True), 2)
        wanted = exact(*tensors, keep=band(-1, 0))[0]
        errors = [((x.double() - wanted).norm() / wanted.norm()).item() for x in (o, alone)]
        self.assertLessEqual(errors[0], 1.05 * errors[1])

    def test_functions_see_positions(self):
        documents = torch.tensor([0] * 9 + [1] * 17 + [2] * 11, dtype=torch.int32)
        slopes = torch.tensor([0.5, 0.25, 0.125, 0.0625])

        def keep(b, h, i, j):
            return (documents[i] == documents[j]) & (j <= i)

        def modification(score, b, h, i, j):
            return score - slopes[h] * abs(i - j)

        for exchange in self.exchanges():
            with self.subTest(exchange=exchange):
                self.check(exchange, whole(), keep=keep, modification=modification, mask=keep, score_mod=modification)

    def test_packed_sequences(self):
        offsets = [0, 9, 9, 26, 37]
        sequence = torch.repeat_interleave(torch.arange(4), torch.tensor(offsets).diff())

        def keep(b, h, i, j):
            return sequence[i] == sequence[j]

        for exchange in self.exchanges():
            for given in (offsets, torch.tensor(offsets, dtype=torch.int32)):
                self.check(exchange, whole(), keep=keep, cu_seqlens=given)
            self.check(exchange, whole(), keep=lambda b, h, i, j: keep(b, h, i, j) & (j <= i), cu_seqlens=offsets, causal=True)
        parallel = attn_mlir.torch.context_parallel()
        local = [parallel.shard(x, 2) for x in whole()]
        with self.assertRaisesRegex(attn_mlir.CollectiveError, "cu_seqlens: expected the last to be 37, .* but got 36"):
            parallel.attention(*local, cu_seqlens=[0, 36])
        with self.assertRaisesRegex(attn_mlir.CollectiveError, "cu_seqlens: expected the same on all ranks"):
            parallel.attention(*local, cu_seqlens=[0, 1 + dist.get_rank(), 37])
        with self.assertRaisesRegex(ValueError, "cu_seqlens: expected numbers that rise from 0 on"):
            parallel.attention(*local, cu_seqlens=[0, 5, 4, 37])
        with self.assertRaisesRegex(ValueError, "cu_seqlens: expected whole numbers"):
            parallel.attention(*local, cu_seqlens=[0, 1.5])

    def test_sinks(self):
        sinks = torch.tensor([0.3, -1.0, 2.0, 0.0])
        for exchange in self.exchanges():
            self.check(exchange, whole(), keep=band(-1, 0), causal=True, sinks=sinks)

    def test_gradients(self):
        for exchange in self.exchanges(4, 4):
            for dtype, bound in ((torch.float32, 2e-5), (torch.bfloat16, 2e-2)):
                for options in ({}, {"causal": True, "layout": "bshd", "scale": 0.4}):
                    with self.subTest(exchange=exchange, dtype=dtype, options=options):
                        self.check_gradients(exchange, whole(dtype=dtype, value_dim=8), options, bound)
        self.check_gradients("ring", whole(kv_heads=2), {"causal": True}, 2e-5)
        self.check_gradients("ring", whole(length=1), {"causal": True}, 2e-5)

    def check_gradients(self, exchange, tensors, options, bound):
        parallel = attn_mlir.torch.context_parallel(exchange=exchange)
        swaps = options.get("layout") == "bshd"
        weight = torch.randn((*tensors[0].shape[:3], tensors[2].shape[3])).to(tensors[0].dtype)
        leaves = [x.double().requires_grad_() for x in tensors]
        keep = band(-1, 0) if options.get("causal") else None
        wanted = torch.autograd.grad(
            (exact(*leaves, keep=keep, scale=options.get("scale"))[0] * weight.double()).sum(), leaves)
        *local, factor = (parallel.shard(x, 2) for x in (*tensors, weight))
        *local, factor = ((x.transpose(1, 2).contiguous() if swaps else x) for x in (*local, factor))
        local = [x.requires_grad_() for x in local]
        found = torch.autograd.grad((parallel.attention(*local, **options) * factor).sum(), local)
        for dx, exactly, x in zip(found, wanted, local):
            self.assertEqual((dx.dtype, dx.shape), (x.dtype, x.shape))
            dx = parallel.unshard(dx.transpose(1, 2) if swaps else dx, 2).double()
            self.assertLessEqual(((dx - exactly).norm() / exactly.norm().clamp(min=0.5)).item(), bound)
        again = torch.autograd.grad((parallel.attention(*local, **options) * factor).sum(), local)
        self.assertTrue(all(map(torch.equal, found, again)), "the same bits in a second run")

    def test_scaled_dot_product_attention(self):
        tensors = whole()
        parallel = attn_mlir.torch.context_parallel(exchange="ring")
        local = [parallel.shard(x, 2) for x in tensors]
        with torch.no_grad():
            with parallel:
                o = F.scaled_dot_product_attention(*local, is_causal=True)
                with self.assertRaisesRegex(NotImplementedError, "attn_mask"):
                    F.scaled_dot_product_attention(*local, attn_mask=torch.ones(1, 1, dtype=torch.bool))
            self.assertFalse(attn_mlir.torch.is_active())
            wanted = F.scaled_dot_product_attention(*tensors, is_causal=True)
        self.assertLess((parallel.unshard(o, 2) - wanted).abs().max().item(), 1e-5)

    def test_ranks_that_differ(self):
        parallel = attn_mlir.torch.context_parallel(exchange="ring")
        q, k, v = (parallel.shard(x, 2) for x in whole())
        odd = dist.get_rank() == 0
        with self.assertRaisesRegex(attn_mlir.CollectiveError, "left bound of the window: expected the same on all ranks"):
            parallel.attention(q, k, v, window=(3 if odd else 4, 0))
        few = [x[:, :, 5:] if odd else x for x in (q, k, v)]
        with self.assertRaisesRegex(attn_mlir.CollectiveError, "positions on the ranks, as shard"):
            parallel.attention(*few)
        with self.assertRaisesRegex(attn_mlir.CollectiveError, "as many keys as queries on each rank"):
            parallel.attention(q, few[1], few[2])
        # One that cannot go on: its own error there, one that names it elsewhere.
        wanted = (ValueError, "head dimension 16") if odd else (attn_mlir.CollectiveError, "rank 0: ArgumentError: k: expected head")
        with self.assertRaisesRegex(*wanted):
            parallel.attention(q, k[..., :8] if odd else k, v)

        def bad(b, h, i, j):
            return float(i) > 3 if odd else i >= j

        wanted = (attn_mlir.TraceError, "") if odd else (attn_mlir.CollectiveError, "rank 0: TraceError")
        with self.assertRaisesRegex(*wanted):
            parallel.attention(q, k, v, mask=bad)
        self.assertEqual(parallel.attention(q, k, v).shape, q.shape)

    def test_ranks_of_which_some_know_the_call(self):
        """One rank has a plan that the others have not, or one of other shares: all agree anew, and none hangs."""
        for transfers in TRANSFERS:
            parallel = attn_mlir.torch.context_parallel(exchange="ring", transfers=transfers)
            tensors = whole()
            local = [parallel.shard(x, 2) for x in tensors]
            wanted, before = exact(*tensors)[0], parallel.rounds
            for forgets in (False, True, False, False):
                if forgets and dist.get_rank() == 0:
                    parallel._plans.clear()
                o = parallel.attention(*local)
                self.assertLess((parallel.unshard(o, 2) - wanted).abs().max().item(), 1e-5)
            # Four of unshard; two of words for a call that is new to a rank, one for another.
            self.assertEqual(parallel.rounds - before, 4 + 2 + 2 + 1 + 1)
            odd = dist.get_rank() == 0
            with self.assertRaisesRegex(attn_mlir.CollectiveError, "right bound of the window: expected the same on all"):
                parallel.attention(*local, causal=odd)
            # A length of which the first rank has as many positions: its plan is that of the other one.
            for length in (2 * SIZE, 2 * SIZE + 1) * 2:
                tensors = whole(length=length)
                local = [parallel.shard(x, 2) for x in tensors]
                o = parallel.unshard(parallel.attention(*local), 2)
                self.assertLess((o - exact(*tensors)[0]).abs().max().item(), 1e-5)

    def test_calls_of_a_kind_are_planned_once(self):
        """By shapes, element types, how tensors lie, options; counted on each rank."""
        kind = attn_mlir.torch.ContextParallel
        for transfers, exchange in itertools.product(TRANSFERS, EXCHANGES):
            parallel = attn_mlir.torch.context_parallel(exchange=exchange, transfers=transfers if exchange != "heads" else "auto")
            local = [parallel.shard(x, 2) for x in whole(heads=6, kv_heads=6)]
            others = [x.half() for x in local], [x.transpose(1, 2).contiguous().transpose(1, 2) for x in local]
            parallel.attention(*local, causal=True)
            with unittest.mock.patch.object(kind, "_planned", autospec=True, side_effect=kind._planned) as planned:
                with unittest.mock.patch.object(kind, "_parts_of", autospec=True, side_effect=kind._parts_of) as parts:
                    for _ in range(2):
                        parallel.attention(*(x.clone() for x in local), causal=True)
                    self.assertEqual((planned.call_count, parts.call_count), (0, 0))
                    for number, (tensors, options) in enumerate([
                            (local, {}), (local, {"scale": 0.5}), *((x, {"causal": True}) for x in others)]):
                        for _ in range(2):
                            parallel.attention(*tensors, **options)
                        self.assertEqual((planned.call_count, parts.call_count), (number + 1, number + 1))

    def test_ranks_that_call_other_things(self):
        parallel = attn_mlir.torch.context_parallel(exchange="ring")
        q, k, v = (parallel.shard(x, 2) for x in whole())
        with self.assertRaisesRegex(attn_mlir.CollectiveError, "expected the same call on all ranks, but got"):
            if dist.get_rank() == 0:
                parallel.unshard(q, 2)
            else:
                parallel.attention(q, k, v)
        self.assertEqual(parallel.attention(q, k, v).shape, q.shape)

    def test_error_while_others_wait(self):
        """The exchange goes on, and ends in an error where it arose."""
        parallel = attn_mlir.torch.context_parallel(exchange="ring")
        q, k, v = (parallel.shard(x, 2) for x in whole())
        from attn_mlir import _context_parts

        inner = _context_parts.Part.run

        def failing(self, *arguments):
            raise RuntimeError("no memory")

        if dist.get_rank() == 0:
            _context_parts.Part.run = failing
            try:
                with self.assertRaisesRegex(RuntimeError, "no memory"):
                    parallel.attention(q, k, v)
            finally:
                _context_parts.Part.run = inner
        else:
            parallel.attention(q, k, v)
        dist.barrier()

    def test_arguments(self):
        parallel = attn_mlir.torch.context_parallel()
        q, k, v = (parallel.shard(x, 2) for x in whole(kv_heads=1))
        with self.assertRaisesRegex(NotImplementedError, "gradients over several devices"):
            parallel.attention(q.requires_grad_(), k, v, window=3)
        with self.assertRaisesRegex(NotImplementedError, "mask: expected a function"):
            parallel.attention(q.detach(), k, v, mask=torch.ones(3, 3, dtype=torch.bool))
        with self.assertRaisesRegex(ValueError, "'heads' expects multiples of"):
            attn_mlir.torch.context_parallel(exchange="heads").attention(q.detach(), k, v)
        with self.assertRaisesRegex(ValueError, "transfers: expected 'auto', 'copies', 'reads' or 'collectives', but got 'mail'"):
            attn_mlir.torch.context_parallel(transfers="mail")
        with self.assertRaisesRegex(ValueError, "exchange: expected 'auto', 'ring'"):
            attn_mlir.torch.context_parallel(exchange="tree")
        with self.assertRaisesRegex(ValueError, "mesh: expected a DeviceMesh of one dimension"):
            attn_mlir.torch.context_parallel(3)

    def test_calls_keep_nothing(self):
        """What a call takes is given back at its end, and not when Python looks for cycles: parts are large."""
        from attn_mlir import _context_parts

        for transfers in TRANSFERS:
            parallel = attn_mlir.torch.context_parallel(exchange="ring", transfers=transfers)
            local = [parallel.shard(x, 2) for x in whole()]
            parallel.attention(*local, causal=True)
            gc.collect()
            gc.disable()
            try:
                for _ in range(2):
                    parallel.attention(*local, causal=True)
                runs = [x for x in gc.get_objects() if isinstance(x, _context_parts.RunOfParts)]
                self.assertEqual(runs, [])
            finally:
                gc.enable()

    def test_words_of_ranks(self):
        """By memory that ranks of one host share, else by a process group; a rank that does not come, or gave up, is an error in time."""
        tensors = whole()
        wanted, rank = exact(*tensors)[0], dist.get_rank()
        with unittest.mock.patch("attn_mlir._host_words.machine", lambda: (f"host {rank}", "boot")):
            apart = attn_mlir.torch.context_parallel(exchange="ring")
        together = attn_mlir.torch.context_parallel(exchange="ring", timeout=1)
        self.assertIsNone(apart._agree.board)
        self.assertIsNotNone(together._agree.board)
        for parallel in apart, together:
            local = [parallel.shard(x, 2) for x in tensors]
            for _ in range(2):
                self.assertLess((parallel.unshard(parallel.attention(*local), 2) - wanted).abs().max().item(), 1e-5)
        given_up = attn_mlir.torch.context_parallel(exchange="ring")
        if rank == 0:
            del given_up
        else:
            begin = time.monotonic()
            with self.assertRaisesRegex(attn_mlir.CollectiveError, "rank . has (ended, or has )?given up"):
                given_up.attention(*local)
            with self.assertRaisesRegex(attn_mlir.CollectiveError, "but at least one did not: rank . (said nothing within 1 s|has given up)"):
                together.attention(*local)
            self.assertLess(time.monotonic() - begin, 20)
        dist.barrier()
        # Who comes late must not go on with what the others said then, nor they with what it says now.
        with self.assertRaisesRegex(attn_mlir.CollectiveError, "rank . has given up in"):
            together.attention(*local)
        dist.barrier()

    def test_mesh(self):
        mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (SIZE,))
        parallel = attn_mlir.torch.context_parallel(mesh)
        q, k, v = whole()
        o = parallel.attention(*(parallel.shard(x, 2) for x in (q, k, v)))
        self.assertLess((parallel.unshard(o, 2) - exact(q, k, v)[0]).abs().max().item(), 1e-5)
        self.assertIn("<- this one", parallel.explain(q, k, v, causal=True))

    def test_distributed_tensors(self):
        """A call that PyTorch divides by itself stays its own: its flash back end on the CPU cannot."""
        from torch.distributed.tensor import Shard, distribute_tensor
        from torch.nn.attention import SDPBackend, sdpa_kernel

        mesh = torch.distributed.device_mesh.init_device_mesh("cpu", (SIZE,))
        tensors = whole(batch=SIZE)
        with torch.no_grad(), attn_mlir.torch.activate(), sdpa_kernel(SDPBackend.MATH):
            o = F.scaled_dot_product_attention(*(distribute_tensor(x, mesh, [Shard(0)]) for x in tensors))
        found = o.full_tensor()
        self.assertLess((found - exact(*tensors)[0]).abs().max().item(), 1e-5)

    def test_zz_a_rank_that_is_gone(self):
        """The last test: one rank ends, and the others say so at once."""
        parallel = attn_mlir.torch.context_parallel(timeout=20)
        q, k, v = (parallel.shard(x, 2) for x in whole())
        parallel.attention(q, k, v)
        if dist.get_rank() == 0:
            return
        begin = time.monotonic()
        with self.assertRaisesRegex(attn_mlir.CollectiveError, "expected all . ranks to call attention.*rank . has (ended|given up)"):
            parallel.attention(q, k, v)
        self.assertLess(time.monotonic() - begin, 15)


def start(size):
    """This file once a rank; their exit codes and what they said."""
    with tempfile.TemporaryDirectory() as folder:
        ranks = [
            subprocess.Popen(
                [sys.executable, os.path.abspath(__file__)], stderr=subprocess.STDOUT, stdout=subprocess.PIPE, text=True,
                env={**os.environ, "ATTN_TEST_RANKS": str(size), "ATTN_TEST_RANK": str(rank), "OMP_NUM_THREADS": "1",
                     "ATTN_TEST_STORE": os.path.join(folder, "store")})
            for rank in range(size)
        ]
        said = [rank.communicate(timeout=600)[0] for rank in ranks]
    return [rank.returncode for rank in ranks], said


def main():
    if SIZE:
        torch.set_num_threads(1)
        dist.init_process_group(
            "gloo", init_method="file://" + os.environ["ATTN_TEST_STORE"], world_size=SIZE, rank=int(os.environ["ATTN_TEST_RANK"]))
        done = unittest.main(exit=False)
        sys.stdout.flush()
        os._exit(0 if done.result.wasSuccessful() else 1)
    for size in (2, 3):
        codes, said = start(size)
        if any(codes):
            print("\n".join(said))
            sys.exit(f"{size} ranks ended with {codes}")
        print(f"{size} ranks:", said[-1].splitlines()[-3])


if __name__ == "__main__":
    main()
