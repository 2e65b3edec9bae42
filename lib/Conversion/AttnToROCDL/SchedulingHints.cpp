//===- SchedulingHints.cpp - Hints as LLVM's scheduler takes them ---------===//

#include "ROCDLLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace attn;

namespace {

/// What may cross a fence (LLVM, "User Guide for AMDGPU Backend",
/// llvm.amdgcn.sched.barrier): VALU, SALU, LDS and transcendentals. Neither
/// loads nor matrix products: without those the fence sinks with the loads.
constexpr int32_t kAllButLoadsAndProducts =
    0x2 | 0x4 | 0x80 | 0x100 | 0x200 | 0x400;

/// The strategy of llvm.amdgcn.iglp.opt that interleaves the exponentials of a
/// softmax with the products that take them (the same guide).
constexpr int32_t kInterleaveExponentials = 2;

struct SchedulingHintPattern : OpConversionPattern<SchedulingHintOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(SchedulingHintOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (op.getHint() == SchedulingHint::InterleaveExponentials)
      ROCDL::IglpOpt::create(rewriter, op.getLoc(), kInterleaveExponentials);
    else
      ROCDL::SchedBarrier::create(rewriter, op.getLoc(),
                                  kAllButLoadsAndProducts);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void attn::populateSchedulingHintPatterns(const TypeConverter &converter,
                                          RewritePatternSet &patterns) {
  patterns.add<SchedulingHintPattern>(converter, patterns.getContext());
}
