//===- VotesToNVVM.cpp - What the threads of a warp agree on --------------===//

#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

namespace {

/// Whether it is true in any thread of the warp.
Value voteAny(OpBuilder &b, Location loc, Value condition) {
  constexpr int64_t kWholeWarp = 0xffffffff;
  Value mask = arith::ConstantIntOp::create(b, loc, kWholeWarp, 32);
  return NVVM::VoteSyncOp::create(b, loc, b.getI1Type(), mask, condition,
                                  NVVM::VoteSyncKind::any);
}

struct AnyPattern : OpConversionPattern<AnyOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AnyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!fragmentOf(op.getTile().getType()))
      return rewriter.notifyMatchFailure(op, "no fragment");
    Location loc = op.getLoc();
    rewriter.replaceOp(
        op,
        voteAny(rewriter, loc, anyRegister(rewriter, loc, adaptor.getTile())));
    return success();
  }
};

struct OftenPattern : OpConversionPattern<OftenOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(OftenOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!fragmentOf(op.getTile().getType()))
      return rewriter.notifyMatchFailure(op, "no fragment");
    Location loc = op.getLoc();
    Value count = groupBarrier(rewriter, op,
                               anyRegister(rewriter, loc, adaptor.getTile()));
    Value isMany = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::uge, count,
        arith::ConstantIntOp::create(rewriter, loc, op.enoughOf(kGroupThreads),
                                     32));
    // All threads have the same answer. By a vote ptxas knows that, too, and
    // keeps uniform registers for what depends on it.
    rewriter.replaceOp(op, voteAny(rewriter, loc, isMany));
    return success();
  }
};

/// Nearly always the rows of a warp are plain, and stay so: the rest is in a
/// branch, which costs a vote.
struct AdvancePattern : OpRewritePattern<AdvanceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AdvanceOp op,
                                PatternRewriter &rewriter) const override {
    if (op.getSteady() || !fragmentOf(op.getMaximum().getType()))
      return rewriter.notifyMatchFailure(op, "no fragment");
    Location loc = op.getLoc();
    SmallVector<Value> plain = op.decomposePlain(rewriter);
    Value unusual =
        AnyOp::create(rewriter, loc, op.buildIsNotPlain(rewriter, plain[1]));
    auto branch = scf::IfOp::create(
        rewriter, loc, unusual,
        [&](OpBuilder &b, Location) {
          scf::YieldOp::create(b, loc, op.decompose(b));
        },
        [&](OpBuilder &b, Location) { scf::YieldOp::create(b, loc, plain); });
    rewriter.replaceOp(op, branch.getResults());
    return success();
  }
};

} // namespace

void attn::populateVotePatterns(const TypeConverter &converter,
                                RewritePatternSet &patterns) {
  patterns.add<AnyPattern, OftenPattern>(converter, patterns.getContext());
  patterns.add<AdvancePattern>(patterns.getContext(), /*benefit=*/2);
}
