//===- InStep.cpp - CTAs that wait for each other, for a while ------------===//
//
// A counter in global memory that only grows, from zero: each CTA adds one a
// visit and waits until it is the next multiple of the number of CTAs. Nothing
// depends on that, so the wait is bounded, whatever the counter holds, and CTAs
// that are not resident cannot block others.
//
//===----------------------------------------------------------------------===//

#include "../AttnToGPU/ElementAddress.h"
#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

namespace {

/// Looks at the counter, each after a pause: about a millisecond in all.
constexpr int64_t kLooks = 2000;
constexpr int64_t kPauseNanoseconds = 256;

struct InStepPattern : OpConversionPattern<InStepOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(InStepOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ElementAddress counter(rewriter, loc, op.getCounter(), op.getOffsets());
    ThreadBuilder t{rewriter, loc};
    Value first = t.both(adaptor.getAll(), t.equals(t.thread(), 0));
    first = t.both(counter.inside, first);
    scf::IfOp::create(rewriter, loc, first, [&](OpBuilder &b, Location) {
      arriveAndWait(b, loc, counter.pointer(b));
      scf::YieldOp::create(b, loc);
    });
    gpu::BarrierOp::create(rewriter, loc);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void arriveAndWait(OpBuilder &b, Location loc, Value address) {
    ThreadBuilder t{b, loc};
    auto relaxed = LLVM::AtomicOrdering::monotonic;
    Value ticket = LLVM::AtomicRMWOp::create(b, loc, LLVM::AtomicBinOp::add,
                                             address, t.constant(1), relaxed);
    Value ctas = t.narrow(gpu::GridDimOp::create(b, loc, gpu::Dimension::x));
    Value round = arith::DivUIOp::create(b, loc, ticket, ctas);
    Value goal = arith::MulIOp::create(
        b, loc, arith::AddIOp::create(b, loc, round, t.constant(1)), ctas);
    auto isEarly = [&](OpBuilder &b, Value looks) {
      ThreadBuilder t{b, loc};
      Value seen = LLVM::LoadOp::create(b, loc, b.getI32Type(), address,
                                        /*alignment=*/4, /*isVolatile=*/true);
      // As a difference, which outlives an overflow of the counter.
      Value missing = arith::SubIOp::create(b, loc, goal, seen);
      return t.both(t.less(t.constant(0), missing),
                    t.less(looks, t.constant(kLooks)));
    };
    scf::WhileOp::create(
        b, loc, TypeRange{b.getI32Type()}, ValueRange{t.constant(0)},
        [&](OpBuilder &before, Location, ValueRange looks) {
          scf::ConditionOp::create(before, loc, isEarly(before, looks[0]),
                                   looks);
        },
        [&](OpBuilder &after, Location, ValueRange looks) {
          ThreadBuilder inner{after, loc};
          NVVM::NanosleepOp::create(after, loc,
                                    inner.constant(kPauseNanoseconds));
          scf::YieldOp::create(after, loc, inner.add(looks[0], 1));
        });
  }
};

} // namespace

void attn::populateInStepPatterns(const TypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<InStepPattern>(converter, patterns.getContext());
}
