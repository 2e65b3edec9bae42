//===- IntegerMaxima.cpp - Maxima of scores as integers -------------------===//
//
// Floats that are not negative are in the order of their bits, and NVIDIA GPUs
// from Hopper on have the largest of three integers in one instruction, where
// they have that of two floats.
//
// Where each tile has a branch behind its maximum anyway, it asks for negative
// references, too. Else there are two versions of the loop, for a branch would
// part what is scheduled side by side.
//
//===----------------------------------------------------------------------===//

#include "RowVotes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNINTEGERMAXIMA
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// What advances by a maximum of scores, from what a loop carries; null where a
/// maximum is for something else.
AdvanceOp advanceOf(ReduceOp maximum) {
  auto tile = cast<RankedTensorType>(maximum.getTile().getType());
  if (maximum.getKind() != ReduceKind::Max ||
      !isa_and_nonnull<FragmentAttr>(tile.getEncoding()) ||
      !maximum.getResult().hasOneUse())
    return {};
  auto advance = dyn_cast<AdvanceOp>(*maximum.getResult().user_begin());
  if (!advance || maximum->getBlock() != advance->getBlock())
    return {};
  auto before = dyn_cast<BlockArgument>(advance.getReferenceBefore());
  if (!before || before.getOwner() != advance->getBlock())
    return {};
  // Threads that multiply themselves (attn.dot) were not measured. What this
  // pass made is reduced already, and integers in one case, a branch's in the
  // other.
  auto loop = dyn_cast<scf::ForOp>(advance->getParentOp());
  bool takesIntegers = loop && loop.getBody()->getOps<DotOp>().empty() &&
                       !maximum.getTile().getDefiningOp<scf::IfOp>() &&
                       !maximum.getTile().getDefiningOp<arith::BitcastOp>();
  return takesIntegers ? advance : AdvanceOp();
}

/// Whether a warp has a row whose reference is below zero, or NaN: known where
/// the loop begins, long before the scores are.
Value buildIsBelowZero(RewriterBase &rewriter, AdvanceOp advance) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(advance->getBlock());
  return buildAnyRow(rewriter, advance.getLoc(), arith::CmpFPredicate::ULT,
                     advance.getReferenceBefore(), 0);
}

/// The maxima of what registers hold of rows.
Value buildMost(OpBuilder &b, Location loc, Value tile) {
  return ReduceRegistersOp::create(b, loc, ReduceKind::Max, tile);
}

/// The same by integers. What is negative raises no reference that is not, and
/// is below all else as an integer, too. NaN with a sign may be lost, but not
/// its exponential.
Value buildMostInteger(OpBuilder &b, Location loc, Value tile) {
  auto as = [&](Type element, Value of) -> Value {
    auto type = cast<RankedTensorType>(of.getType());
    return arith::BitcastOp::create(b, loc, type.clone(element), of);
  };
  return as(b.getF32Type(), buildMost(b, loc, as(b.getI32Type(), tile)));
}

/// Integers in a branch of each tile.
void rewrite(ReduceOp maximum, AdvanceOp advance) {
  IRRewriter rewriter(maximum);
  Location loc = maximum.getLoc();
  Value scores = maximum.getTile(),
        isBelowZero = buildIsBelowZero(rewriter, advance);
  auto branch = scf::IfOp::create(
      rewriter, loc, isBelowZero,
      [&](OpBuilder &b, Location) {
        scf::YieldOp::create(b, loc, buildMost(b, loc, scores));
      },
      [&](OpBuilder &b, Location) {
        scf::YieldOp::create(b, loc, buildMostInteger(b, loc, scores));
      });
  rewriter.replaceOpWithNewOp<ReduceOp>(maximum, ReduceKind::Max,
                                        branch.getResult(0));
}

/// The one maximum of a loop; null where there are several, or none.
ReduceOp maximumOf(scf::ForOp loop) {
  ReduceOp found;
  for (auto op : loop.getBody()->getOps<ReduceOp>()) {
    if (op.getKind() != ReduceKind::Max)
      continue;
    if (found)
      return {};
    found = op;
  }
  return found;
}

/// Loops whose one maximum of scores advances a steady reference. One with a
/// mask, which is a choice here, goes through few tiles, and does not pay for a
/// second version; where products are of warpgroups all threads come to a vote.
SmallVector<scf::ForOp> findSteadyLoops(KernelOp kernel) {
  SmallVector<scf::ForOp> found;
  kernel.walk([&](scf::ForOp loop) {
    ReduceOp maximum = maximumOf(loop);
    if (!maximum || maximum.getTile().getDefiningOp<arith::SelectOp>() ||
        loop.getBody()->getOps<DotIssueOp>().empty())
      return;
    AdvanceOp advance = advanceOf(maximum);
    if (advance && advance.getSteady())
      found.push_back(loop);
  });
  return found;
}

/// Tiles by floats while a row of the warpgroup has a reference below zero;
/// gives the tile that is next, and what the loop carries in front of it.
scf::WhileOp buildFloats(RewriterBase &rewriter, scf::ForOp loop,
                         unsigned reference) {
  SmallVector<Value> inits{loop.getLowerBound()};
  llvm::append_range(inits, loop.getInitArgs());
  auto condition = [&](OpBuilder &b, Location loc, ValueRange carried) {
    Value below =
        OftenOp::create(b, loc,
                        buildCompareRows(b, loc, arith::CmpFPredicate::ULT,
                                         carried.drop_front()[reference], 0),
                        /*once=*/true);
    Value more = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt,
                                       carried.front(), loop.getUpperBound());
    scf::ConditionOp::create(b, loc, arith::AndIOp::create(b, loc, more, below),
                             carried);
  };
  auto body = [&](OpBuilder &b, Location loc, ValueRange carried) {
    IRMapping map;
    map.map(loop.getBody()->getArguments(), carried);
    for (Operation &op : loop.getBody()->without_terminator())
      b.clone(op, map);
    SmallVector<Value> results{
        arith::AddIOp::create(b, loc, carried.front(), loop.getStep())};
    for (Value value : loop.getYieldedValues())
      results.push_back(map.lookupOrDefault(value));
    scf::YieldOp::create(b, loc, results);
  };
  return scf::WhileOp::create(rewriter, loop.getLoc(),
                              TypeRange(ValueRange(inits)), inits, condition,
                              body);
}

/// A copy of the loop that compares scores as integers, from where `floats`
/// ended.
scf::ForOp buildIntegers(OpBuilder &b, scf::ForOp loop, scf::WhileOp floats,
                         unsigned reference) {
  Location loc = loop.getLoc();
  SmallVector<Value> inits(floats.getResults().drop_front());
  // The larger one is the reference: it is not below zero. But what the loop
  // carries is another value than what it begins with then, so that old and new
  // references have registers of their own; where they share some, ptxas
  // interleaves maxima with exponentials (docs/notebooks/performance.md,
  // "References in registers of their own").
  auto rows = cast<RankedTensorType>(inits[reference].getType());
  Value zero = arith::ConstantOp::create(b, loc, rows,
                                         DenseElementsAttr::get(rows, 0.0F));
  inits[reference] = arith::MaximumFOp::create(b, loc, inits[reference], zero);
  auto copy = cast<scf::ForOp>(b.clone(*loop));
  copy.setLowerBound(floats.getResult(0));
  copy.getInitArgsMutable().assign(inits);
  ReduceOp maximum = maximumOf(copy);
  IRRewriter rewriter(maximum);
  rewriter.replaceOpWithNewOp<ReduceOp>(
      maximum, ReduceKind::Max,
      buildMostInteger(rewriter, loc, maximum.getTile()));
  return copy;
}

/// Whether anything asks for a value but branches whose result nothing asks
/// for.
bool isNeeded(Value value) {
  return llvm::any_of(value.getUses(), [&](OpOperand &use) {
    auto yield = dyn_cast<scf::YieldOp>(use.getOwner());
    auto branch = yield ? dyn_cast<scf::IfOp>(yield->getParentOp()) : nullptr;
    return !branch || isNeeded(branch.getResult(use.getOperandNumber()));
  });
}

/// What is released behind a loop asks for the reference, where nothing else
/// does, since no logarithm of sums is asked for: its register stays one of its
/// own only if it is read behind the loop.
void useBehind(RewriterBase &rewriter, scf::IfOp loop, unsigned reference) {
  for (Operation *op = loop->getNextNode(); op; op = op->getNextNode()) {
    auto release = dyn_cast<RingReleaseOp>(op);
    if (!release || release.getAfter())
      continue;
    rewriter.modifyOpInPlace(release, [&] {
      release.getAfterMutable().assign(loop.getResult(reference));
    });
    return;
  }
}

/// Two versions of a loop: references do not fall.
void divide(scf::ForOp loop) {
  IRRewriter rewriter(loop);
  Location loc = loop.getLoc();
  unsigned reference =
      cast<BlockArgument>(advanceOf(maximumOf(loop)).getReferenceBefore())
          .getArgNumber() -
      loop.getNumInductionVars();
  scf::WhileOp floats = buildFloats(rewriter, loop, reference);
  Value more = arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                                     floats.getResult(0), loop.getUpperBound());
  auto integers = scf::IfOp::create(
      rewriter, loc, more,
      [&](OpBuilder &b, Location) {
        scf::YieldOp::create(
            b, loc, buildIntegers(b, loop, floats, reference).getResults());
      },
      [&](OpBuilder &b, Location) {
        scf::YieldOp::create(b, loc, floats.getResults().drop_front());
      });
  if (!isNeeded(loop.getResult(reference)))
    useBehind(rewriter, integers, reference);
  rewriter.replaceOp(loop, integers.getResults());
}

struct IntegerMaximaPass
    : attn::impl::AttnIntegerMaximaBase<IntegerMaximaPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!TargetAttr::of(kernel).hasCapability("wgmma"))
      return;
    SmallVector<std::pair<ReduceOp, AdvanceOp>> maxima;
    kernel.walk([&](ReduceOp op) {
      // The scores of 8-bit numbers have factors that are given at run time,
      // and no branch behind their maximum: one would part what ptxas has side
      // by side (docs/notebooks/performance.md, "Three maxima at once").
      if (AdvanceOp advance = advanceOf(op); advance && !advance.getSteady())
        maxima.emplace_back(op, advance);
    });
    for (auto [maximum, advance] : maxima)
      rewrite(maximum, advance);
    SmallVector<scf::ForOp> loops = findSteadyLoops(kernel);
    for (scf::ForOp loop : loops)
      divide(loop);
    numMaxima += maxima.size();
    numLoops += loops.size();
    if (!maxima.empty() || !loops.empty())
      remarks::emitIntegerMaxima(kernel, maxima.size() + loops.size());
  }
};

} // namespace
