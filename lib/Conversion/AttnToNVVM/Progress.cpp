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

/// Where an element lies: the base of the view, and the number of the element
/// in 32 bits. What they are computed from is kept in registers across the
/// stream, which has few; the address itself is not.
SmallVector<Value> placeOf(OpBuilder &b, Location loc, Value view,
                           ValueRange offsets) {
  ElementAddress element(b, loc, view, offsets);
  Value base = LLVM::AddrSpaceCastOp::create(
      b, loc, LLVM::LLVMPointerType::get(b.getContext(), kGlobal),
      element.view.pointer);
  return {base,
          arith::TruncIOp::create(b, loc, b.getI32Type(), element.element)};
}

/// `text` sees the address of the element as `element`, and the place as $2.
void accessElement(OpBuilder &b, Location loc, ArrayRef<Value> element,
                   Value place, StringRef text) {
  std::string whole =
      ("{\n.reg .b64 element;\nmad.wide.s32 element, $1, 4, $0;\n" + text +
       "\n}")
          .str();
  LLVM::InlineAsmOp::create(
      b, loc, TypeRange(), ValueRange{element[0], element[1], place}, whole,
      "l,r,r,~{memory}", /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT),
      ArrayAttr());
}

struct ReportProgressPattern : OpConversionPattern<ReportProgressOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(ReportProgressOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ThreadBuilder t{rewriter, loc, readThreadAgain(rewriter, loc)};
    computeBarrier(rewriter, loc);
    Value place = op.getPlace()
                      ? t.narrow(op.getPlace())
                      : t.constant(std::numeric_limits<int32_t>::max());
    scf::IfOp::create(
        rewriter, loc, t.equals(t.thread(), 0), [&](OpBuilder &b, Location) {
          accessElement(
              b, loc, placeOf(b, loc, op.getProgress(), op.getOffsets()), place,
              "fence.acq_rel.gpu;\n"
              "st.relaxed.gpu.global.u32 [element], $2;");
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
  matchAndRewrite(AwaitProgressOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    ThreadBuilder t{rewriter, loc};
    Value thread = arith::IndexCastOp::create(
        rewriter, loc, rewriter.getIndexType(), readThreadAgain(rewriter, loc));
    Value place = t.narrow(op.getPlace());
    scf::ForOp::create(
        rewriter, loc,
        arith::AddIOp::create(rewriter, loc, op.getFrom(), thread), op.getTo(),
        arith::ConstantIndexOp::create(rewriter, loc, computeThreads(op)),
        ValueRange(), [&](OpBuilder &b, Location, Value tile, ValueRange) {
          SmallVector<Value> offsets(op.getOffsets());
          offsets.push_back(tile);
          poll(b, loc, placeOf(b, loc, op.getProgress(), offsets), place);
          scf::YieldOp::create(b, loc);
        });
    computeBarrier(rewriter, loc);
    rewriter.eraseOp(op);
    return success();
  }

private:
  static void poll(OpBuilder &b, Location loc, ArrayRef<Value> element,
                   Value place) {
    accessElement(b, loc, element, place,
                  ".reg .pred early;\n.reg .s32 seen;\nLOOK:\n"
                  "ld.acquire.gpu.global.s32 seen, [element];\n"
                  "setp.lt.s32 early, seen, $2;\n"
                  "@early bra LOOK;");
  }
};

} // namespace

void attn::populateProgressPatterns(const TypeConverter &converter,
                                    RewritePatternSet &patterns) {
  patterns.add<AwaitProgressPattern, ReportProgressPattern>(
      converter, patterns.getContext());
}
