//===- IntegerMaxima.cpp - Maxima of scores as integers -------------------===//
//
// Floats that are not negative are in the order of their bits, and NVIDIA GPUs
// from Hopper on have the largest of three integers in one instruction, where
// they have that of two floats.
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
  // pass made is reduced already.
  auto loop = dyn_cast<scf::ForOp>(advance->getParentOp());
  bool takesIntegers = loop && loop.getBody()->getOps<DotOp>().empty() &&
                       !maximum.getTile().getDefiningOp<scf::IfOp>();
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

/// What is negative raises no reference that is not, and is below all else as
/// an integer, too. NaN with a sign may be lost, but not its exponential.
void rewrite(ReduceOp maximum, AdvanceOp advance) {
  IRRewriter rewriter(maximum);
  Location loc = maximum.getLoc();
  Value scores = maximum.getTile(),
        isBelowZero = buildIsBelowZero(rewriter, advance);
  auto reduced = [&](OpBuilder &b, Value tile) -> Value {
    return ReduceRegistersOp::create(b, loc, ReduceKind::Max, tile);
  };
  auto as = [&](OpBuilder &b, Type element, Value tile) -> Value {
    auto type = cast<RankedTensorType>(tile.getType());
    return arith::BitcastOp::create(b, loc, type.clone(element), tile);
  };
  auto branch = scf::IfOp::create(
      rewriter, loc, isBelowZero,
      [&](OpBuilder &b, Location) {
        scf::YieldOp::create(b, loc, reduced(b, scores));
      },
      [&](OpBuilder &b, Location) {
        Value most = reduced(b, as(b, b.getI32Type(), scores));
        scf::YieldOp::create(b, loc, as(b, b.getF32Type(), most));
      });
  rewriter.replaceOpWithNewOp<ReduceOp>(maximum, ReduceKind::Max,
                                        branch.getResult(0));
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
    numMaxima += maxima.size();
    if (!maxima.empty())
      remarks::emitIntegerMaxima(kernel, maxima.size());
  }
};

} // namespace
