//===- Distances.cpp - Numbers of positions as floats ---------------------===//
//
// The position of an element is that of a thread's first element and a
// constant. So is the distance of two: converted once, its floats differ by
// constants, and an addition takes the place of a subtraction and a conversion.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

namespace {

/// Integers that a thread's elements have in common, with factors, and what
/// each adds to their sum.
struct Affine {
  SmallVector<std::pair<Value, int64_t>> terms;
  SmallVector<int64_t> offsets;

  void add(const Affine &other, int64_t factor) {
    for (auto [term, own] : other.terms)
      terms.emplace_back(term, own * factor);
    for (auto [mine, theirs] : llvm::zip_equal(offsets, other.offsets))
      mine += theirs * factor;
  }

  /// Constants that are floats as they are, and stay so when added to another.
  bool hasExactOffsets() const {
    return llvm::all_of(offsets,
                        [](int64_t offset) { return llvm::isInt<24>(offset); });
  }
};

/// What `vector` is a sum of, through `depth` operations at most.
std::optional<Affine> affineOf(Value vector, unsigned depth = 8) {
  int64_t elements = cast<VectorType>(vector.getType()).getNumElements();
  DenseIntElementsAttr constant;
  if (matchPattern(vector, m_Constant(&constant)))
    return Affine{{},
                  llvm::map_to_vector(
                      constant.getValues<APInt>(),
                      [](const APInt &value) { return value.getSExtValue(); })};
  Affine sum{{}, SmallVector<int64_t>(elements, 0)};
  Operation *op = vector.getDefiningOp();
  if (auto broadcast = dyn_cast_or_null<vector::BroadcastOp>(op)) {
    if (isa<VectorType>(broadcast.getSourceType()))
      return std::nullopt;
    sum.terms.emplace_back(broadcast.getSource(), 1);
    return sum;
  }
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp>(op) || depth == 0)
    return std::nullopt;
  std::optional<Affine> lhs = affineOf(op->getOperand(0), depth - 1);
  std::optional<Affine> rhs = affineOf(op->getOperand(1), depth - 1);
  if (!lhs || !rhs)
    return std::nullopt;
  sum.add(*lhs, 1);
  sum.add(*rhs, isa<arith::SubIOp>(op) ? -1 : 1);
  return sum;
}

/// The sum of what all elements have in common.
Value buildSum(OpBuilder &b, Location loc, const Affine &affine) {
  Value sum;
  for (auto [term, factor] : affine.terms) {
    if (!sum && factor == 1)
      sum = term;
    else if (factor == 1)
      sum = arith::AddIOp::create(b, loc, sum, term);
    else
      sum = arith::SubIOp::create(
          b, loc,
          sum ? sum : arith::ConstantIntOp::create(b, loc, term.getType(), 0),
          term);
  }
  return sum;
}

/// f32(x + c) is f32(x) + c where both are below 2^24 in magnitude; beyond, the
/// sum is rounded twice, and may be off by one more last place.
struct DistancePattern : OpRewritePattern<arith::SIToFPOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::SIToFPOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<VectorType>(op.getType());
    if (!type || !type.getElementType().isF32() ||
        !getElementTypeOrSelf(op.getIn()).isInteger(32))
      return rewriter.notifyMatchFailure(op, "no f32 of 32 bits");
    std::optional<Affine> affine = affineOf(op.getIn());
    if (!affine || affine->terms.empty() || !affine->hasExactOffsets())
      return rewriter.notifyMatchFailure(op, "no sum with constants");
    Location loc = op.getLoc();
    Value common = arith::SIToFPOp::create(rewriter, loc, rewriter.getF32Type(),
                                           buildSum(rewriter, loc, *affine));
    auto offsets = llvm::map_to_vector(affine->offsets, [](int64_t offset) {
      return static_cast<float>(offset);
    });
    rewriter.replaceOpWithNewOp<arith::AddFOp>(
        op, vector::BroadcastOp::create(rewriter, loc, type, common),
        arith::ConstantOp::create(
            rewriter, loc, type,
            DenseElementsAttr::get(type, ArrayRef<float>(offsets))));
    return success();
  }
};

/// (x + c) * m is c * m + x * m, and x * m what all elements have in common:
/// one operation an element in place of two. Rounded once more than before, so
/// where the product may be reassociated.
struct ScaledDistancePattern : OpRewritePattern<arith::MulFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::MulFOp op,
                                PatternRewriter &rewriter) const override {
    if (!bitEnumContainsAll(op.getFastmath(),
                            arith::FastMathFlags::reassoc |
                                arith::FastMathFlags::contract))
      return rewriter.notifyMatchFailure(op, "may not be reassociated");
    for (auto [distance, factor] : {std::pair(op.getLhs(), op.getRhs()),
                                    std::pair(op.getRhs(), op.getLhs())}) {
      Value common = scalarOf(factor);
      auto sum = distance.getDefiningOp<arith::AddFOp>();
      Value first = sum ? scalarOf(sum.getLhs()) : nullptr;
      if (!common || !first || !matchPattern(sum.getRhs(), m_Constant()))
        continue;
      Location loc = op.getLoc();
      Value product = arith::MulFOp::create(rewriter, loc, first, common);
      rewriter.replaceOpWithNewOp<math::FmaOp>(
          op, sum.getRhs(), factor,
          vector::BroadcastOp::create(rewriter, loc, op.getType(), product));
      return success();
    }
    return rewriter.notifyMatchFailure(op, "no distance times a scalar");
  }

private:
  /// What is in all elements of a vector of f32.
  static Value scalarOf(Value vector) {
    auto broadcast = vector.getDefiningOp<vector::BroadcastOp>();
    return broadcast && broadcast.getSourceType().isF32()
               ? broadcast.getSource()
               : Value();
  }
};

} // namespace

void attn::shareDistances(LLVM::LLVMFuncOp function) {
  RewritePatternSet patterns(function.getContext());
  patterns.add<DistancePattern, ScaledDistancePattern>(patterns.getContext());
  walkAndApplyPatterns(function, std::move(patterns));
}
