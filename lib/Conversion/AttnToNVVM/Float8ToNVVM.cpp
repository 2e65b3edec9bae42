//===- Float8ToNVVM.cpp - Conversions of tiles to FP8 ---------------------===//
//
// Four elements, which are neighbours in an operand, make a register: two
// conversions of two each (PTX ISA, "cvt", e4m3x2 and e5m2x2).
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace attn;

namespace {

/// What is beyond the largest number becomes that.
struct TruncatePattern : OpConversionPattern<arith::TruncFOp> {
  TruncatePattern(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context, /*benefit=*/2) {}
  LogicalResult
  matchAndRewrite(arith::TruncFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!isFloat8(element) || !fragmentOf(op.getType()))
      return failure();
    if (!isNvidiaFloat8(element) ||
        !getElementTypeOrSelf(op.getIn().getType()).isF32())
      return op.emitOpError("expected f32 to f8E4M3FN or f8E5M2, but got ")
             << op.getIn().getType() << " to " << op.getType();
    constexpr int64_t kInWord = 4;
    int64_t count = fragmentOf(op.getType()).getNumRegisters();
    if (count % kInWord != 0)
      return op.emitOpError("expected a multiple of 4 elements a thread, but "
                            "got ")
             << count;
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    Location loc = op.getLoc();
    auto from = vector::ToElementsOp::create(rewriter, loc, adaptor.getIn());
    SmallVector<Value> words;
    for (int64_t i = 0; i < count; i += kInWord)
      words.push_back(convertFour(rewriter, loc, element,
                                  from.getResults().slice(i, kInWord)));
    rewriter.replaceOpWithNewOp<vector::FromElementsOp>(op, type, words);
    return success();
  }

private:
  static Value convertFour(OpBuilder &b, Location loc, Type element,
                           ValueRange four) {
    auto convert = [&](Value low, Value high) -> Value {
      Value pair = NVVM::ConvertF32x2ToF8x2Op::create(
          b, loc, b.getI16Type(), high, low, NVVM::FPRoundingMode::RN,
          NVVM::SaturationMode::SATFINITE, /*relu=*/false, element);
      return arith::ExtUIOp::create(b, loc, b.getI32Type(), pair);
    };
    constexpr int64_t kPairBits = 16;
    Value shift = arith::ConstantIntOp::create(b, loc, kPairBits, 32);
    Value high =
        arith::ShLIOp::create(b, loc, convert(four[2], four[3]), shift);
    return arith::OrIOp::create(b, loc, convert(four[0], four[1]), high);
  }
};

} // namespace

void attn::populateFloat8Patterns(const TypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<TruncatePattern>(converter, patterns.getContext());
}
