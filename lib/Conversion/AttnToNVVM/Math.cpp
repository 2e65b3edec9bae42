//===- Math.cpp - Math functions on the special-function unit -------------===//
//
// What the unit computes directly: 2^x, log2 x and 1 / x, to about 2 ulp (PTX
// ISA, "ex2", "lg2", "rcp"); exp, log and tanh follow from these. The rest is
// left to MLIR's polynomial approximations.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Math/IR/Math.h"
#include "Lowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

namespace {

constexpr StringLiteral kExp2 = "llvm.nvvm.ex2.approx.ftz.f";
constexpr StringLiteral kLog2 = "llvm.nvvm.lg2.approx.ftz.f";
constexpr StringLiteral kMax = "llvm.nvvm.fmax.nan.f";
constexpr StringLiteral kRcp = "llvm.nvvm.rcp.approx.ftz.f";

/// f32 arithmetic on a scalar or a vector.
struct FloatBuilder {
  OpBuilder &b;
  Location loc;

  Value splat(Type type, double value) const {
    TypedAttr attr = b.getF32FloatAttr(value);
    if (auto vector = dyn_cast<ShapedType>(type))
      attr = DenseElementsAttr::get(vector, static_cast<float>(value));
    return arith::ConstantOp::create(b, loc, type, attr);
  }
  Value scale(Value x, double factor) const {
    return arith::MulFOp::create(b, loc, x, splat(x.getType(), factor));
  }
  /// One instruction an element.
  Value each(StringRef intrinsic, ValueRange operands) const {
    auto call = [&](ValueRange scalars) {
      return LLVM::CallIntrinsicOp::create(b, loc, scalars[0].getType(),
                                           b.getStringAttr(intrinsic), scalars)
          .getResult(0);
    };
    auto type = dyn_cast<VectorType>(operands[0].getType());
    if (!type)
      return call(operands);
    SmallVector<ResultRange> elements;
    for (Value operand : operands)
      elements.push_back(
          vector::ToElementsOp::create(b, loc, operand).getResults());
    SmallVector<Value> results;
    for (int64_t i = 0; i < type.getNumElements(); ++i)
      results.push_back(call(llvm::map_to_vector(
          elements, [&](ResultRange list) -> Value { return list[i]; })));
    return vector::FromElementsOp::create(b, loc, type, results);
  }
};

Value buildExp2(const FloatBuilder &f, Value x) { return f.each(kExp2, x); }
Value buildLog2(const FloatBuilder &f, Value x) { return f.each(kLog2, x); }
Value buildExp(const FloatBuilder &f, Value x) {
  return f.each(kExp2, f.scale(x, llvm::numbers::log2e));
}
Value buildLog(const FloatBuilder &f, Value x) {
  return f.scale(f.each(kLog2, x), llvm::numbers::ln2);
}
/// NaN where an operand is: what arith.maximumf means, in one instruction. The
/// code generator would make three of llvm.maximum.
struct MaximumPattern : OpRewritePattern<arith::MaximumFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::MaximumFOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32() ||
        isa<TensorType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "no f32 scalar or vector");
    FloatBuilder f{rewriter, op.getLoc()};
    rewriter.replaceOp(op, f.each(kMax, op->getOperands()));
    return success();
  }
};

/// 1 - 2 / (e^2x + 1): absolute error of an ulp of 1, where tanh.approx has
/// 2^-11.
Value buildTanh(const FloatBuilder &f, Value x) {
  Value one = f.splat(x.getType(), 1);
  Value e = f.each(kExp2, f.scale(x, 2 * llvm::numbers::log2e));
  Value sum = arith::AddFOp::create(f.b, f.loc, e, one);
  Value r = f.each(kRcp, sum);
  return arith::SubFOp::create(f.b, f.loc, one, f.scale(r, 2));
}

template <typename Op, Value (*build)(const FloatBuilder &, Value)>
struct MathPattern : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32() ||
        isa<TensorType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "no f32 scalar or vector");
    FloatBuilder f{rewriter, op.getLoc()};
    rewriter.replaceOp(op, build(f, op.getOperand()));
    return success();
  }
};

} // namespace

void attn::populateMathPatterns(RewritePatternSet &patterns) {
  patterns.add<
      MaximumPattern, MathPattern<math::Exp2Op, buildExp2>,
      MathPattern<math::Log2Op, buildLog2>, MathPattern<math::ExpOp, buildExp>,
      MathPattern<math::LogOp, buildLog>, MathPattern<math::TanhOp, buildTanh>>(
      patterns.getContext());
}
