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
    if (!isNvidiaFloat8(element))
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
    Value wide = adaptor.getIn();
    if (auto own = cast<VectorType>(wide.getType());
        !own.getElementType().isF32())
      wide = arith::ExtFOp::create(rewriter, loc,
                                   own.clone(rewriter.getF32Type()), wide);
    auto from = vector::ToElementsOp::create(rewriter, loc, wide);
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
      return NVVM::ConvertF32x2ToF8x2Op::create(
          b, loc, b.getI16Type(), high, low, NVVM::FPRoundingMode::RN,
          NVVM::SaturationMode::SATFINITE, /*relu=*/false, element);
    };
    // As a vector of two, of which ptxas makes a conversion that merges; of a
    // shift and an "or" it makes one instruction more.
    Value halves = vector::FromElementsOp::create(
        b, loc, VectorType::get({2}, b.getI16Type()),
        ValueRange{convert(four[0], four[1]), convert(four[2], four[3])});
    return LLVM::BitcastOp::create(b, loc, b.getI32Type(), halves);
  }
};

} // namespace

std::array<Value, 2> attn::exchangeHalves(OpBuilder &b, Location loc,
                                          Value first, Value second) {
  ThreadBuilder t{b, loc};
  Value sixteen = t.constant(16);
  auto both = [&](Value x, int64_t bits) -> Value {
    return arith::AndIOp::create(
        b, loc, x, arith::ConstantIntOp::create(b, loc, bits, 32));
  };
  Value low = arith::OrIOp::create(
      b, loc, both(first, 0xffff),
      arith::ShLIOp::create(b, loc, second, sixteen).getResult());
  Value high = arith::OrIOp::create(
      b, loc, arith::ShRUIOp::create(b, loc, first, sixteen).getResult(),
      both(second, -0x10000));
  return {low, high};
}

std::array<Value, 2> attn::widenFloat8(OpBuilder &b, Location loc, Value word,
                                       Type from, Type to) {
  auto bytes = VectorType::get({4}, b.getI8Type());
  auto pair = VectorType::get({2}, b.getF16Type());
  Value four = LLVM::BitcastOp::create(b, loc, bytes, word);
  std::array<Value, 2> halves;
  for (int32_t i : {0, 1}) {
    Value two = LLVM::ShuffleVectorOp::create(
        b, loc, four, four, ArrayRef<int32_t>{2 * i, 2 * i + 1});
    halves[i] = NVVM::ConvertF8x2ToF16x2Op::create(b, loc, pair, two,
                                                   /*relu=*/false, from);
  }
  auto asWord = [&](Value vector) -> Value {
    return LLVM::BitcastOp::create(b, loc, b.getI32Type(), vector);
  };
  if (to.isF16())
    return exchangeHalves(b, loc, asWord(halves[0]), asWord(halves[1]));
  // f16 has every number of FP8, and so has bf16: no step rounds.
  std::array<Value, 2> words;
  for (int32_t i : {0, 1}) {
    Value own = LLVM::ShuffleVectorOp::create(b, loc, halves[0], halves[1],
                                              ArrayRef<int32_t>{i, 2 + i});
    Value wide = LLVM::FPExtOp::create(
        b, loc, VectorType::get({2}, b.getF32Type()), own);
    words[i] =
        asWord(LLVM::FPTruncOp::create(b, loc, VectorType::get({2}, to), wide));
  }
  return words;
}

void attn::populateFloat8Patterns(const TypeConverter &converter,
                                  RewritePatternSet &patterns) {
  patterns.add<TruncatePattern>(converter, patterns.getContext());
}
