//===- Math.cpp - Math functions in few instructions ----------------------===//
//
// GPUs compute 2^x, log2 x and 1 / x directly; exp, log and tanh follow from
// these. The rest is left to MLIR's polynomial approximations.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Math/IR/Math.h"
#include "Device.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

namespace {

/// f32 arithmetic on a scalar or a vector.
struct FloatBuilder {
  OpBuilder &b;
  Location loc;
  const MathIntrinsics &intrinsics;

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
    return each(operands, [&](ValueRange scalars) -> Value {
      return LLVM::CallIntrinsicOp::create(b, loc, scalars[0].getType(),
                                           b.getStringAttr(intrinsic), scalars)
          .getResult(0);
    });
  }
  Value each(ValueRange operands,
             function_ref<Value(ValueRange scalars)> call) const {
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

Value buildExp2(const FloatBuilder &f, Value x) {
  return f.each(f.intrinsics.exp2, x);
}
Value buildLog2(const FloatBuilder &f, Value x) {
  return f.each(f.intrinsics.log2, x);
}
Value buildMagnitude(const FloatBuilder &f, Value x) {
  return f.each(f.intrinsics.magnitude, x);
}
Value buildExp(const FloatBuilder &f, Value x) {
  return f.each(f.intrinsics.exp2, f.scale(x, llvm::numbers::log2e));
}
Value buildLog(const FloatBuilder &f, Value x) {
  return f.scale(f.each(f.intrinsics.log2, x), llvm::numbers::ln2);
}
/// NaN where an operand is: what arith.maximumf means, in one instruction. The
/// code generator would make three of llvm.maximum.
struct MaximumPattern : OpRewritePattern<arith::MaximumFOp> {
  MaximumPattern(MLIRContext *context, const MathIntrinsics &intrinsics)
      : OpRewritePattern(context), intrinsics(intrinsics) {}
  LogicalResult matchAndRewrite(arith::MaximumFOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32() ||
        isa<TensorType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "no f32 scalar or vector");
    FloatBuilder f{rewriter, op.getLoc(), intrinsics};
    rewriter.replaceOp(op, f.each(intrinsics.maximum, op->getOperands()));
    return success();
  }

private:
  const MathIntrinsics &intrinsics;
};

/// 1 - 2 / (e^2x + 1): absolute error of an ulp of 1, where tanh.approx has
/// 2^-11.
Value buildTanh(const FloatBuilder &f, Value x) {
  Value one = f.splat(x.getType(), 1);
  Value e = f.each(f.intrinsics.exp2, f.scale(x, 2 * llvm::numbers::log2e));
  Value sum = arith::AddFOp::create(f.b, f.loc, e, one);
  Value r = f.each(f.intrinsics.rcp, sum);
  return arith::SubFOp::create(f.b, f.loc, one, f.scale(r, 2));
}

/// Where an approximation is asked for: error 2^-11 of the result.
struct ApproximateTanhPattern : OpRewritePattern<math::TanhOp> {
  ApproximateTanhPattern(MLIRContext *context, const MathIntrinsics &intrinsics)
      : OpRewritePattern(context, /*benefit=*/2), intrinsics(intrinsics) {}
  LogicalResult matchAndRewrite(math::TanhOp op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32() ||
        isa<TensorType>(op.getType()) ||
        !bitEnumContainsAll(op.getFastmath(), arith::FastMathFlags::afn))
      return rewriter.notifyMatchFailure(op, "no approximation is asked for");
    FloatBuilder f{rewriter, op.getLoc(), intrinsics};
    rewriter.replaceOp(
        op, f.each(op.getOperand(), [&](ValueRange scalars) -> Value {
          return LLVM::TanhOp::create(rewriter, op.getLoc(), scalars[0],
                                      LLVM::FastmathFlags::afn);
        }));
    return success();
  }

private:
  const MathIntrinsics &intrinsics;
};

template <typename Op, Value (*build)(const FloatBuilder &, Value)>
struct MathPattern : OpRewritePattern<Op> {
  MathPattern(MLIRContext *context, const MathIntrinsics &intrinsics)
      : OpRewritePattern<Op>(context), intrinsics(intrinsics) {}
  LogicalResult matchAndRewrite(Op op,
                                PatternRewriter &rewriter) const override {
    if (!getElementTypeOrSelf(op.getType()).isF32() ||
        isa<TensorType>(op.getType()))
      return rewriter.notifyMatchFailure(op, "no f32 scalar or vector");
    FloatBuilder f{rewriter, op.getLoc(), intrinsics};
    rewriter.replaceOp(op, build(f, op.getOperand()));
    return success();
  }

private:
  const MathIntrinsics &intrinsics;
};

void populateMath(RewritePatternSet &patterns,
                  const MathIntrinsics &intrinsics) {
  patterns.add<
      MathPattern<math::Exp2Op, buildExp2>,
      MathPattern<math::Log2Op, buildLog2>, MathPattern<math::ExpOp, buildExp>,
      MathPattern<math::LogOp, buildLog>, MathPattern<math::TanhOp, buildTanh>>(
      patterns.getContext(), intrinsics);
  if (!intrinsics.maximum.empty())
    patterns.add<MaximumPattern>(patterns.getContext(), intrinsics);
  if (!intrinsics.magnitude.empty())
    patterns.add<MathPattern<math::AbsFOp, buildMagnitude>>(
        patterns.getContext(), intrinsics);
  if (intrinsics.hasTanh)
    patterns.add<ApproximateTanhPattern>(patterns.getContext(), intrinsics);
}

/// Math that back ends cannot select, or get wrong: LLVM's remainder of floats
/// is x - trunc(x / y) y for NVIDIA, and a call of no one's library for AMD.
bool isUnselectable(Operation *op) {
  if (isa<arith::RemFOp>(op))
    return true;
  return isa_and_nonnull<math::MathDialect>(op->getDialect()) &&
         !isa<math::FmaOp, math::AbsFOp, math::SqrtOp, math::CopySignOp,
              math::FloorOp, math::CeilOp, math::AbsIOp>(op);
}

bool hasMath(LLVM::LLVMFuncOp function) {
  return function
      .walk([](Operation *op) {
        return isUnselectable(op) ? WalkResult::interrupt()
                                  : WalkResult::advance();
      })
      .wasInterrupted();
}

/// What no one lowers would kill the back end later.
LogicalResult checkMath(LLVM::LLVMFuncOp function, StringRef vendor) {
  WalkResult result = function.walk([&](Operation *op) {
    if (!isUnselectable(op))
      return WalkResult::advance();
    op->emitOpError("has no lowering for ") << vendor << " GPUs";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

} // namespace

LogicalResult attn::lowerMath(LLVM::LLVMFuncOp function,
                              const MathIntrinsics &intrinsics,
                              StringRef vendor) {
  RewritePatternSet math(function.getContext());
  populateMath(math, intrinsics);
  walkAndApplyPatterns(function, std::move(math));
  if (hasMath(function)) {
    RewritePatternSet approximations(function.getContext());
    populateMathPolynomialApproximationPatterns(approximations);
    if (failed(applyPatternsGreedily(function, std::move(approximations))))
      return failure();
  }
  return checkMath(function, vendor);
}
