//===- Float8ToROCDL.cpp - Conversions of tiles to FP8 --------------------===//
//
// Two elements at a time, each pair into half of a register (AMD CDNA 3 ISA,
// "V_CVT_PK_FP8_F32"). gfx942 has the types of one zero and one NaN, gfx950
// those of OCP. What is beyond the largest number would become NaN there.
//
//===----------------------------------------------------------------------===//

#include "ROCDLLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace attn;

bool attn::convertsToFloat8(TargetAttr target, Type type) {
  return isa<Float8E4M3FNUZType>(type) != target.hasCapability(kOcpTypes);
}

StringRef attn::float8TypesOf(TargetAttr target) {
  return target.hasCapability(kOcpTypes) ? "f8E4M3FN or f8E5M2" : "f8E4M3FNUZ";
}

namespace {

struct TruncatePattern : OpConversionPattern<arith::TruncFOp> {
  TruncatePattern(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context, /*benefit=*/2) {}
  LogicalResult
  matchAndRewrite(arith::TruncFOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (!isFloat8(element) || !fragmentOf(op.getType()))
      return rewriter.notifyMatchFailure(op, "no tile of FP8");
    Location loc = op.getLoc();
    auto type = cast<VectorType>(getTypeConverter()->convertType(op.getType()));
    SmallVector<Value> numbers = llvm::to_vector_of<Value>(
        vector::ToElementsOp::create(rewriter, loc,
                                     asSingle(rewriter, loc, adaptor.getIn()))
            .getResults());
    constexpr int64_t kInWord = 4;
    int64_t count = numbers.size();
    // What fills the last word is not used.
    numbers.resize(llvm::alignTo(count, kInWord), numbers.front());
    SmallVector<Value> words;
    for (ArrayRef<Value> rest = numbers; !rest.empty();
         rest = rest.drop_front(kInWord))
      words.push_back(convertFour(rewriter, loc, element,
                                  rest.take_front(kInWord),
                                  isSummed(op.getIn())));
    auto all = VectorType::get({static_cast<int64_t>(words.size())},
                               rewriter.getI32Type());
    Value bytes = vector::BitCastOp::create(
        rewriter, loc,
        VectorType::get({static_cast<int64_t>(numbers.size())},
                        rewriter.getI8Type()),
        vector::FromElementsOp::create(rewriter, loc, all, words));
    if (bytes.getType() != type)
      bytes = vector::ExtractStridedSliceOp::create(
          rewriter, loc, bytes, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{count},
          ArrayRef<int64_t>{1});
    rewriter.replaceOp(op, bytes);
    return success();
  }

private:
  static Value asSingle(OpBuilder &b, Location loc, Value x) {
    auto type = cast<VectorType>(x.getType());
    if (type.getElementType().isF32())
      return x;
    return arith::ExtFOp::create(b, loc, type.clone(b.getF32Type()), x);
  }

  /// Whether no element is below zero, and a NaN is kept by a sum of the tile's
  /// rows, as of weights.
  static bool isSummed(Value tile) {
    return tile.getDefiningOp<math::Exp2Op>() &&
           llvm::any_of(tile.getUsers(), [](Operation *op) {
             if (auto all = dyn_cast<ReduceOp>(op))
               return all.getKind() == ReduceKind::Sum;
             auto own = dyn_cast<ReduceRegistersOp>(op);
             return own && own.getKind() == ReduceKind::Sum;
           });
  }

  static Value convertFour(OpBuilder &b, Location loc, Type element,
                           ArrayRef<Value> four, bool summed) {
    SmallVector<Value> bounded;
    for (Value x : four)
      bounded.push_back(summed ? smaller(b, loc, x, largestOfFloat8(element))
                               : clamp(b, loc, x, largestOfFloat8(element)));
    Value word = arith::ConstantIntOp::create(b, loc, 0, 32);
    for (bool high : {false, true}) {
      Value first = bounded[2 * high], second = bounded[2 * high + 1];
      word = isa<Float8E5M2Type>(element)
                 ? ROCDL::CvtPkBf8F32Op::create(b, loc, b.getI32Type(), first,
                                                second, word, high)
                       .getResult()
                 : ROCDL::CvtPkFp8F32Op::create(b, loc, b.getI32Type(), first,
                                                second, word, high)
                       .getResult();
    }
    return word;
  }

  /// A NaN becomes the bound.
  static Value smaller(OpBuilder &b, Location loc, Value x, double bound) {
    Value limit = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(bound));
    return arith::MinNumFOp::create(b, loc, x, limit);
  }

  /// Comparisons that do not hold let NaN pass.
  static Value clamp(OpBuilder &b, Location loc, Value x, double largest) {
    auto replace = [&](arith::CmpFPredicate beyond, double bound) {
      Value limit = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(bound));
      Value is = arith::CmpFOp::create(b, loc, beyond, x, limit);
      x = arith::SelectOp::create(b, loc, is, limit, x);
    };
    replace(arith::CmpFPredicate::OGT, largest);
    replace(arith::CmpFPredicate::OLT, -largest);
    return x;
  }
};

} // namespace

void attn::populateNarrowingPatterns(const TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<TruncatePattern>(converter, patterns.getContext());
}
