//===- Progress.cpp - CTAs that wait for those in front of them -----------===//
//
// Additions of the threads of a CTA come before its barrier, and that before
// the fence and the store of one of them; the loads that see what is stored
// (acquire) before another CTA's barrier, and that before the additions of its
// threads (PTX ISA, "Causality order").
//
//===----------------------------------------------------------------------===//

#include "../AttnToGPU/ElementAddress.h"
#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include <limits>

using namespace mlir;
using namespace attn;

namespace {

LLVM::InlineAsmOp assembly(OpBuilder &b, Location loc, ValueRange operands,
                           StringRef text, StringRef constraints) {
  return LLVM::InlineAsmOp::create(
      b, loc, TypeRange(), operands, text, constraints,
      /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
}

struct ReportProgressPattern : OpConversionPattern<ReportProgressOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ReportProgressOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ThreadBuilder t{rewriter, loc};
    computeBarrier(rewriter, loc);
    ElementAddress own(rewriter, loc, op.getProgress(), op.getOffsets());
    Value place = op.getPlace()
                      ? t.narrow(op.getPlace())
                      : t.constant(std::numeric_limits<int32_t>::max());
    Value first = t.equals(t.thread(), 0);
    scf::IfOp::create(
        rewriter, loc, t.both(own.inside, first), [&](OpBuilder &b, Location) {
          assembly(b, loc, {own.pointer(b), place},
                   "fence.acq_rel.gpu;\nst.relaxed.gpu.global.u32 [$0], $1;",
                   "l,r,~{memory}");
          scf::YieldOp::create(b, loc);
        });
    rewriter.eraseOp(op);
    return success();
  }
};

/// Each thread looks at some of the tiles.
struct AwaitProgressPattern : OpConversionPattern<AwaitProgressOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(AwaitProgressOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ThreadBuilder t{rewriter, loc};
    Value thread = arith::IndexCastOp::create(rewriter, loc,
                                              rewriter.getIndexType(),
                                              t.thread());
    Value place = t.narrow(op.getPlace());
    scf::ForOp::create(
        rewriter, loc,
        arith::AddIOp::create(rewriter, loc, op.getFrom(), thread), op.getTo(),
        arith::ConstantIndexOp::create(rewriter, loc, computeThreads(op)),
        ValueRange(),
        [&](OpBuilder &b, Location, Value tile, ValueRange) {
          SmallVector<Value> offsets(op.getOffsets());
          offsets.push_back(tile);
          ElementAddress other(b, loc, op.getProgress(), offsets);
          poll(b, loc, other.pointer(b), place);
          scf::YieldOp::create(b, loc);
        });
    computeBarrier(rewriter, loc);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void poll(OpBuilder &b, Location loc, Value address, Value place) {
    constexpr StringLiteral kPoll =
        "{\n.reg .pred early;\n.reg .s32 seen;\nLOOK:\n"
        "ld.acquire.gpu.global.s32 seen, [$0];\n"
        "setp.lt.s32 early, seen, $1;\n"
        "@early bra LOOK;\n}";
    assembly(b, loc, {address, place}, kPoll, "l,r,~{memory}");
  }
};

} // namespace

void attn::populateProgressPatterns(const TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<AwaitProgressPattern, ReportProgressPattern>(
      converter, patterns.getContext());
}
