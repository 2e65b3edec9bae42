//===- Votes.cpp - What the threads of a warp agree on --------------------===//

#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace attn;

namespace {

struct AnyPattern : OpConversionPattern<AnyOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AnyOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!fragmentOf(op.getTile().getType()))
      return rewriter.notifyMatchFailure(op, "no fragment");
    Location loc = op.getLoc();
    constexpr int64_t kWholeWarp = 0xffffffff;
    Value mask = arith::ConstantIntOp::create(rewriter, loc, kWholeWarp, 32);
    rewriter.replaceOpWithNewOp<NVVM::VoteSyncOp>(
        op, rewriter.getI1Type(), mask,
        anyRegister(rewriter, loc, adaptor.getTile()), NVVM::VoteSyncKind::any);
    return success();
  }
};

} // namespace

void attn::populateVotePatterns(const TypeConverter &converter,
                                RewritePatternSet &patterns) {
  patterns.add<AnyPattern>(converter, patterns.getContext());
}
