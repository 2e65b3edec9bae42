//===- VotesToROCDL.cpp - What the lanes of a wave agree on ---------------===//

#include "ROCDLLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"

using namespace mlir;
using namespace attn;

namespace {

/// All 64 lanes take part: level 3 has no branch within a wave.
struct AnyPattern : OpConversionPattern<AnyOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AnyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!fragmentOf(op.getTile().getType()))
      return rewriter.notifyMatchFailure(op, "no fragment");
    Location loc = op.getLoc();
    Value lanes =
        ROCDL::BallotOp::create(rewriter, loc, rewriter.getI64Type(),
                                anyRegister(rewriter, loc, adaptor.getTile()));
    Value none =
        arith::ConstantIntOp::create(rewriter, loc, rewriter.getI64Type(), 0);
    rewriter.replaceOpWithNewOp<arith::CmpIOp>(op, arith::CmpIPredicate::ne,
                                               lanes, none);
    return success();
  }
};

} // namespace

void attn::populateBallotPatterns(const TypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<AnyPattern>(converter, patterns.getContext());
}
