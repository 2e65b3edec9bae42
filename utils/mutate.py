#!/usr/bin/env python3
"""Plants defects in the passes, one at a time, and reports which tests see them.

Works in a copy of the tree (argument 1, made if it is missing), so that the
checkout stays as it is. Prints a Markdown table, with the seconds that each test took
to see a defect; exits with 1 if a mutant survives.

With --check it builds nothing: it says which texts no longer stand in their files once."""

import argparse
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
IR = "lib/Dialect/Attn/IR/"
TRANSFORMS = "lib/Dialect/Attn/Transforms/"
CONVERSION = "lib/Conversion/"

# name, what it does, file, text, replacement
MUTANTS = [
    ("drop-last-tile", "the stream ends a tile early", IR + "Streamable.cpp",
     "  } else {\n    hi = m.roundUp(hi);", "  } else {\n    hi = m.roundDown(hi);"),
    ("bound-short-by-one", "keys end one before the diagonal", IR + "AttnMasks.cpp",
     "range.hi = m.add(hi, right + 1);", "range.hi = m.add(hi, right);"),
    ("bound-long-by-one", "a tile beyond the last visible key is loaded",
     IR + "AttnMasks.cpp", "range.hi = m.add(hi, right + 1);",
     "range.hi = m.add(hi, right + 2);"),
    ("unmasked-by-one", "the unmasked part reaches one key too far", IR + "AttnMasks.cpp",
     "range.fullHi = m.add(lo, right + 1);", "range.fullHi = m.add(lo, right + 2);"),
    ("predicate-by-one", "the mask keeps one key too many", IR + "AttnMasks.cpp",
     "m.atMost(key, m.add(diagonal, right))", "m.atMost(key, m.add(diagonal, right + 1))"),
    ("window-left-by-one", "the window starts one key late", IR + "AttnMasks.cpp",
     "range.lo = m.add(lo, -left);", "range.lo = m.add(lo, 1 - left);"),
    ("unmasked-from-first-row", "the unmasked part starts where the first row's window does",
     IR + "AttnMasks.cpp", "range.fullLo = m.add(hi, -left);",
     "range.fullLo = m.add(lo, -left);"),
    ("no-tail-mask", "keys beyond the end take part", IR + "AttentionStreamable.cpp",
     "if (mayReach && !", "if (false && !"),
    ("window-implies-key", "a window that reaches one key beyond the end needs no test for it",
     IR + "AttnMasks.cpp", "MaskAlign::BottomRight && getRight() == 0",
     "MaskAlign::BottomRight && (getRight() == 0 || getRight() == 1)"),
    ("row-beyond-end", "rows beyond the last query widen the bounds",
     IR + "AttentionStreamable.cpp", "t.add(first, tile.sizes[Query]), tile.extents[Query]",
     "t.add(first, tile.sizes[Query]), t.add(first, tile.sizes[Query])"),
    ("no-rescale", "the sum is not rescaled to the new maximum",
     IR + "AttentionStreamable.cpp", "t.fma(state[L], now.getRescale(), t.reduce",
     "t.add(state[L], t.reduce"),
    ("region-full-bound", "keys that some query sees are taken for those that every one does",
     IR + "MaskBounds.cpp", "return {{}, {}, behind.lo, behind.hi};",
     "return {{}, {}, behind.hi, behind.hi};"),
    ("sorted-full-bound", "a tile in which numbers begin is taken to hold no other",
     IR + "SortedSearch.cpp", "Value full = add(tile, select(whole, zero, constant(1)));",
     "Value full = tile;"),
    ("merge-one-maximum", "a merge takes the maximum of one part",
     IR + "AttentionStreamable.cpp", "rhs[Factor], rhs[Reference],",
     "rhs[Factor], lhs[Reference],"),
    ("wrong-kv-head", "query heads are spread over KV heads the wrong way",
     IR + "AttentionStreamable.cpp",
     "d(KvHead) * (getNumQueryHeads() / getNumKvHeads()) + d(GroupHead)",
     "d(GroupHead) * getNumKvHeads() + d(KvHead)"),
    ("reverse-start", "a reversed segment starts a tile late", CONVERSION + "AttnToSCF/StreamToSCF.cpp",
     "Value last = arith::SubIOp::create(b, loc, count, one);\n      start",
     "Value last = count;\n      start"),
    ("rotated-no-wrap", "a rotated segment goes on behind its end", IR + "Traversals/Rotated.cpp",
     "m.select(wraps, m.sub(tile, count), tile)", "tile"),
    ("inside-out-twice", "visits from the middle take one side twice", IR + "Traversals/InsideOut.cpp",
     "m.select(odd, below, above)", "above"),
    ("segments-not-reversed", "segments stay in order when the stream runs in reverse",
     CONVERSION + "AttnToSCF/StreamToSCF.cpp", "  if (backward)\n      s =",
     "  if (false)\n      s ="),
    ("masked-swapped", "masked segments run unmasked", CONVERSION + "AttnToSCF/StreamToSCF.cpp",
     "      if (masked)\n", "      if (!masked)\n"),
    ("parity", "the first tile of a CTA streams backward", TRANSFORMS + "Schedule/Sawtooth.cpp",
     "arith::CmpIPredicate::eq, parity,", "arith::CmpIPredicate::ne, parity,"),
    ("sawtooth-off", "the direction never changes", TRANSFORMS + "Schedule/Sawtooth.cpp",
     "b, loc, grid.getVisit(), one)",
     "b, loc, grid.getVisit(), arith::ConstantIndexOp::create(b, loc, 0))"),
    ("run-overruns", "a run goes on beyond the last tile", TRANSFORMS + "Schedule/MaterializeGrid.cpp",
     "arith::MinUIOp::create(rewriter, loc, run, left)", "run"),
    ("stride-by-one", "persistent CTAs skip tiles", TRANSFORMS + "Schedule/MaterializeGrid.cpp",
     "ctasOp.getCta(), tiles, ctas);",
     "ctasOp.getCta(), tiles, arith::AddIOp::create(rewriter, loc, ctas, constant(1)));"),
    ("domain-base", "domains overlap in sharing sets", TRANSFORMS + "Schedule/GridOrder.cpp",
     "setBase = select(inFirst, mul(domain, perDomain), whole);",
     "setBase = select(inFirst, domain, whole);"),
    ("no-split", "the rest is ranked by domain too", TRANSFORMS + "Schedule/GridOrder.cpp",
     "whole = mul(perDomain, domains);", "whole = sets;"),
    ("load-one-beyond", "a load reads one row beyond the view", CONVERSION + "AttnToCPU/ViewAccess.cpp",
     "m.compare(arith::CmpIPredicate::slt, i, upper)", "m.compare(arith::CmpIPredicate::sle, i, upper)"),
    ("store-unclipped", "a store writes beyond the view", CONVERSION + "AttnToCPU/ViewAccess.cpp",
     "Value end = clamp(m.sub(dim, offset));",
     "Value end = all;"),
    ("release-is-no-read", "MI300X: a copy does not wait for reads up to a release",
     TRANSFORMS + "Pipelining/PlaceBarriers.cpp", "state.read.insert(release.getRing());", "(void)release;"),
    ("wait-is-no-read", "MI300X: a copy does not wait for reads behind a wait",
     TRANSFORMS + "Pipelining/PlaceBarriers.cpp", "state.read.insert(wait.getRing());", "(void)wait;"),
    ("mfma-operands", "MI300X: the operands of an MFMA change places", CONVERSION + "AttnToROCDL/MfmaToROCDL.cpp",
     "multiply(slice(operands[n], part, elements),\n                         slice(a[row], part, elements), acc)",
     "multiply(slice(a[row], part, elements),\n                         slice(operands[n], part, elements), acc)"),
    ("mfma-halves", "MI300X: one operand gives the other half of the sum", CONVERSION + "AttnToROCDL/MfmaToROCDL.cpp",
     "slice(a[row], part, elements), acc)",
     "slice(a[row], vector - elements - part, elements), acc)"),
    ("row-stride-unlimited", "MI300X: rows may be as far apart as they like",
     CONVERSION + "AttnToROCDL/AttnToROCDL.cpp", "limitRowStrides(function);", ""),
    ("tiles-unlimited", "the number of tiles may leave 32 bits", CONVERSION + "AttnToGPU/Limits.cpp",
     "if (range.most > kMostIndex)", "if (false)"),
    ("plain-always", "exponentials take the plain formula however large scores are",
     IR + "AdvanceOp.cpp", "r.splat(std::min<double>(kLimit / plain, kLargest))", "r.splat(kLargest)"),
    ("optimistic-unchecked", "exponentials take the maximum before, whatever the sums say",
     TRANSFORMS + "Tiles/OptimisticMax.cpp", "isAbove, sums, most",
     "arith::CmpFPredicate::OGT, most, most"),
    ("append-behind-table", "a token is stored at the place behind the last page",
     TRANSFORMS + "Schedule/AppendCache.cpp", "m.compare(CmpIPredicate::ult, at.place, places)",
     "m.compare(CmpIPredicate::ule, at.place, places)"),
    ("append-negative-length", "a negative length is taken for one",
     TRANSFORMS + "Schedule/AppendCache.cpp", "m.compare(CmpIPredicate::ule, length, places)",
     "m.compare(CmpIPredicate::sle, length, places)"),
    ("parts-settled-early", "a CTA that merges does not look once more who was done behind it",
     CONVERSION + "PartWords.cpp", "arith::AndIOp::create(b, loc, first, all), kSettled)",
     "first, kSettled)"),
    ("parts-of-one", "a CTA that merges takes each eight parts for one",
     TRANSFORMS + "Schedule/PartitionLast.cpp",
     "m.add(position, m.constant(ahead))", "m.add(position, m.constant(0 * ahead))"),
    ("share-slots", "parts of two tiles of one CTA have one slot", TRANSFORMS + "Schedule/Shares.cpp",
     "piece.slot = m.add(cta, tile);", "piece.slot = cta;"),
    ("share-lost-part", "a merge leaves out the last part of a tile that is shared", TRANSFORMS + "Schedule/Shares.cpp",
     "m.add(m.add(ownerOf(m, last), tile), one)};", "m.add(ownerOf(m, last), tile)};"),
    ("earlier-factor", "what earlier keys gave is not weighted", IR + "AttentionEarlier.cpp",
     "t.mul(before, wide)", "before"),
    ("scale-of-next-block", "a tile takes the scale of another block of keys", IR + "AttentionScales.cpp",
     "t.index(static_cast<int64_t>(*op.getScaleBlock()))", "t.index(2 * static_cast<int64_t>(*op.getScaleBlock()))"),
    ("quantized-by-first-block", "rows take the scale of the first block", TRANSFORMS + "Schedule/Quantize.cpp",
     "index().div(first, index().constant(block()))", "index().mul(first, index().constant(0))"),
    ("quantized-by-sums", "columns of a rotation of blocks are sums alone", TRANSFORMS + "Schedule/Quantize.cpp",
     "other = t.sub(one, other)", "other = t.add(one, other)"),
    ("backward-from-first", "a stream that always goes backwards begins in its first segment",
     CONVERSION + "AttnToSCF/StreamToSCF.cpp", "      return count - 1 - loop;", "      return loop;"),
    ("no-score-slack", "results are wrong where scores were rounded", "lib/Runtime/Reference.cpp",
     "return 0x1p-23 * largestScore + contraction;", "return 0 * (largestScore + contraction);"),
]

TESTS = [
    ("properties", ["test/lib/attn-property-test"]),
    ("bounds", ["test/lib/attn-sweep", "bounds"]),
    ("sweep", ["test/lib/attn-sweep", "0", "30"]),
    # A quarter of a minute of each mode, up to its first failure.
    ("random", ["test/lib/attn-random", "--seed=1", "--count=1000000", "--seconds=15",
                "--failures=1", "--keep"]),
    # A command without a program of the tree: lit tests, by folder.
    ("conversion", ["lit", "test/Conversion"]),
    ("appending", ["lit", "test/Launcher/append.test"]),
    ("quantizing", ["lit", "test/Tools/quantize.test"]),
]
LIT = shutil.which("lit-22") or "/usr/lib/llvm-22/bin/llvm-lit"


def check():
    """The number of mutants whose text is not there once."""
    stale = 0
    for name, _, file, text, _ in MUTANTS:
        count = (ROOT / file).read_text().count(text)
        if count != 1:
            print(f"{name}: the text stands {count} times in {file}")
            stale += 1
    print(f"{len(MUTANTS)} mutants, {stale} stale")
    return stale


def build(tree):
    return subprocess.run(
        ["ninja", "-C", tree / "build", "attn-property-test", "attn-sweep", "attn-random", "attn-opt",
         "attn-compile", "AttnMLIRLauncher", "AttnHipEmulator"],
        capture_output=True, text=True)


def kills(tree, tests, first):
    """The tests that fail, with the seconds that it took; with `first`, one of them."""
    failed = []
    for name, command in tests:
        start = time.monotonic()
        try:
            program = [LIT, "-q"] if command[0] == "lit" else [tree / "build" / command[0]]
            arguments = [tree / "build" / path for path in command[1:]] if command[0] == "lit" else command[1:]
            done = subprocess.run([*program, *arguments], capture_output=True, timeout=300)
            ok = done.returncode == 0
        except subprocess.TimeoutExpired:
            ok = False
        if not ok:
            failed.append(f"{name} ({time.monotonic() - start:.0f} s)")
            if first:
                break
    return failed


def copy(tree):
    """Brings the tree to the checkout's state; what did not change keeps its time."""
    files = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True,
                           text=True, check=True).stdout.split()
    for file in files:
        (tree / file).parent.mkdir(parents=True, exist_ok=True)
        if not (tree / file).exists() or (tree / file).read_bytes() != (ROOT / file).read_bytes():
            shutil.copy2(ROOT / file, tree / file)
    subprocess.run(["cmake", "--preset", "release"], cwd=tree, check=True,
                   capture_output=True)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("directory", nargs="?", type=pathlib.Path, help="the copy of the tree")
    parser.add_argument("names", nargs="*", metavar="NAME", help="mutants; default: all")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--first", action="store_true", help="stop at the first test that sees a mutant")
    parser.add_argument("--test", action="append", default=[], choices=[name for name, _ in TESTS],
                        help="one of the tests; default: all")
    given = parser.parse_args()
    unknown = set(given.names) - {mutant[0] for mutant in MUTANTS}
    if unknown:
        parser.error(f"expected names of mutants, but got {', '.join(sorted(unknown))}")
    if not given.check and not given.directory:
        parser.error("expected a DIRECTORY for the copy of the tree, but got none")
    return given


def main():
    given = arguments()
    if given.check:
        sys.exit(1 if check() else 0)
    tree = given.directory
    copy(tree)
    tests = [test for test in TESTS if not given.test or test[0] in given.test]
    survivors = 0
    print("| mutant | what it does | seen by |\n|---|---|---|")
    for name, effect, file, text, replacement in MUTANTS:
        if given.names and name not in given.names:
            continue
        path = tree / file
        original = path.read_text()
        if original.count(text) != 1:
            sys.exit(f"{name}: the text stands {original.count(text)} times in {file}")
        path.write_text(original.replace(text, replacement))
        try:
            built = build(tree)
            if built.returncode:
                sys.exit(f"{name} does not build:\n{built.stdout[-2000:]}")
            seen = kills(tree, tests, given.first)
        finally:
            path.write_text(original)
        survivors += not seen
        print(f"| {name} | {effect} | {', '.join(seen) or '**nothing**'} |", flush=True)
    sys.exit(1 if survivors else 0)


if __name__ == "__main__":
    main()
