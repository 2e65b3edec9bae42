//===- AdvanceOp.cpp - What exponentials are relative to ------------------===//
//
// exp2(fma(x, c, -fl(M c))) is one instruction a score before the exponential,
// and right as long as fl(M c) is near M c. Where it is not, the unit of the
// scores is changed to a power of two, by which products are exact.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace attn;

namespace {
/// From here on a product with c is off by more than 8: P in f16 would overflow
/// soon.
constexpr double kLimit = 0x1p28;
/// Below this, references are plain for certain: a power of two is at least a
/// third of the factor that it stands for.
constexpr double kPlain = 0x1p26;
constexpr float kLargest = std::numeric_limits<float>::max();

double plainFactor(double scale) { return scale * llvm::numbers::log2e; }

/// A power of two near the factor whose product with a finite score, in units
/// of `scale`, is finite.
double exactFactor(double scale) {
  double factor = plainFactor(scale);
  if (factor <= 1)
    return std::exp2(std::ceil(std::log2(factor)));
  return std::max(1.0, std::exp2(std::floor(std::log2(scale))));
}

/// Arithmetic on one value a row.
struct RowBuilder {
  OpBuilder &b;
  Location loc;
  RankedTensorType type;

  Value splat(double value) const {
    return arith::ConstantOp::create(
        b, loc, type, DenseElementsAttr::get(type, static_cast<float>(value)));
  }
  Value mul(Value x, Value y) const {
    return arith::MulFOp::create(b, loc, x, y);
  }
  Value compare(arith::CmpFPredicate how, Value x, Value y) const {
    return arith::CmpFOp::create(b, loc, how, x, y);
  }
  Value select(Value c, Value x, Value y) const {
    return arith::SelectOp::create(b, loc, c, x, y);
  }
  /// 2^x / 2^y.
  Value ratio(Value x, Value y) const {
    return math::Exp2Op::create(b, loc, arith::SubFOp::create(b, loc, x, y));
  }
};

RowBuilder rowsOf(OpBuilder &b, AdvanceOp op) {
  return {b, op.getLoc(), cast<RankedTensorType>(op.getMaximum().getType())};
}
} // namespace

std::pair<float, float> AdvanceOp::getInitial(float scale) {
  float factor = exactFactor(scale), lowest = -kLargest / std::max(1.0f, scale);
  return {factor, lowest * factor};
}

std::pair<float, float> AdvanceOp::getFactors(float scale) {
  return {static_cast<float>(plainFactor(scale)),
          static_cast<float>(exactFactor(scale))};
}

bool AdvanceOp::isValidScale(float scale) {
  return scale >= 0x1p-64f && scale <= 0x1p64f;
}

LogicalResult AdvanceOp::verify() {
  if (!isValidScale(getScale().convertToFloat()))
    return emitOpError("expected a scale from 2^-64 to 2^64, but got ")
           << getScaleAttr();
  return success();
}

void AdvanceOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getFactor(), "factor");
  setName(getReference(), "reference");
  setName(getRescale(), "rescale");
}

Value AdvanceOp::buildIsNotPlain(OpBuilder &b, Value reference) {
  assert(!getSteady() && "all rows are plain");
  RowBuilder r = rowsOf(b, *this);
  // True of NaN.
  Value before = r.compare(arith::CmpFPredicate::ULE, getReferenceBefore(),
                           r.splat(-kPlain));
  Value now = r.compare(arith::CmpFPredicate::UGE, reference, r.splat(kPlain));
  return arith::OrIOp::create(b, getLoc(), before, now);
}

SmallVector<Value> AdvanceOp::decomposePlain(OpBuilder &b) {
  RowBuilder r = rowsOf(b, *this);
  Value reference =
      arith::MaximumFOp::create(b, getLoc(), getReferenceBefore(),
                                r.mul(getMaximum(), getFactorBefore()));
  return {getFactorBefore(), reference,
          r.ratio(getReferenceBefore(), reference)};
}

SmallVector<Value> AdvanceOp::decompose(OpBuilder &b) {
  if (getSteady())
    return decomposePlain(b);
  RowBuilder r = rowsOf(b, *this);
  Location loc = getLoc();
  double scale = getScale().convertToFloat(), plain = plainFactor(scale);
  // True of NaN, which is handed on.
  Value grows =
      r.compare(arith::CmpFPredicate::UGT,
                r.mul(getMaximum(), getFactorBefore()), getReferenceBefore());
  Value isSmall = r.compare(
      arith::CmpFPredicate::OLT, math::AbsFOp::create(b, loc, getMaximum()),
      r.splat(std::min<double>(kLimit / plain, kLargest)));
  Value ofMaximum =
      r.select(isSmall, r.splat(plain), r.splat(exactFactor(scale)));
  Value factor = r.select(grows, ofMaximum, getFactorBefore());
  Value reference =
      r.select(grows, r.mul(getMaximum(), ofMaximum), getReferenceBefore());
  // Where the unit changes, the maximum has risen by 16 binades or more.
  Value sameUnit =
      r.compare(arith::CmpFPredicate::OEQ, factor, getFactorBefore());
  Value ratio = r.ratio(getReferenceBefore(), reference);
  return {factor, reference, r.select(sameUnit, ratio, r.splat(0))};
}

namespace {
struct DecomposePattern : OpRewritePattern<AdvanceOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(AdvanceOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op.decompose(rewriter));
    return success();
  }
};

/// Nobody set the first visit apart.
struct DropSettlePattern : OpRewritePattern<SettleOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(SettleOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, op.getSums());
    return success();
  }
};
} // namespace

void attn::populateDecomposeAdvance(RewritePatternSet &patterns) {
  patterns.add<DecomposePattern, DropSettlePattern>(patterns.getContext());
}
