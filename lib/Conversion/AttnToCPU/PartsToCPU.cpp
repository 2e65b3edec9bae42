//===- PartsToCPU.cpp - Parts of a stream on the CPU ----------------------===//
//
// CTAs may run on several threads. An atomic operation on memory acquires and
// releases there.
//
//===----------------------------------------------------------------------===//

#include "../PartWords.h"
#include "ViewAccess.h"
#include "attn-mlir/Dialect/Attn/IR/AttnPartOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace attn;

namespace {

struct BeginPartOnCPU : OpConversionPattern<BeginPartOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(BeginPartOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    PartWord part(rewriter, loc, op.getPart(), op.getParts());
    Value held = memref::AtomicRMWOp::create(
        rewriter, loc, arith::AtomicRMWKind::ori, part.begins(),
        adaptor.getWords(), op.getOffsets());
    rewriter.replaceOp(op, part.begunFrom(held));
    return success();
  }
};

struct EndPartOnCPU : OpConversionPattern<EndPartOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(EndPartOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value seen =
        lookAtParts(rewriter, loc, adaptor.getBefore(), op.getPart(),
                    op.getParts(), [&](OpBuilder &b, Value bits) {
                      return memref::AtomicRMWOp::create(
                                 b, loc, arith::AtomicRMWKind::xori, bits,
                                 adaptor.getWords(), op.getOffsets())
                          .getResult();
                    });
    rewriter.replaceOp(op, {PartWord::againOf(rewriter, loc, seen), seen});
    return success();
  }
};

} // namespace

void attn::populatePartPatternsForCPU(const TypeConverter &converter,
                                      RewritePatternSet &patterns) {
  patterns.add<BeginPartOnCPU, EndPartOnCPU>(converter, patterns.getContext());
}
