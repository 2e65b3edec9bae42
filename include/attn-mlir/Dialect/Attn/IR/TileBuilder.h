//===- TileBuilder.h - Arithmetic on tiles ----------------------*- C++ -*-===//
//
// Shorthand for building level-2 arithmetic, so that a fold reads like its
// formula.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_TILEBUILDER_H
#define ATTN_MLIR_DIALECT_ATTN_IR_TILEBUILDER_H

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

namespace attn {

/// Builds tile and index arithmetic at one place. Operands of elementwise
/// operations have one common type.
struct TileBuilder {
  mlir::OpBuilder &b;
  mlir::Location loc;

  // Index arithmetic, folded where possible.
  mlir::Value index(int64_t value) const {
    return mlir::arith::ConstantIndexOp::create(b, loc, value);
  }
  mlir::Value add(mlir::Value x, int64_t y) const {
    return b.createOrFold<mlir::arith::AddIOp>(loc, x, index(y));
  }
  mlir::Value mul(mlir::Value x, int64_t y) const {
    return b.createOrFold<mlir::arith::MulIOp>(loc, x, index(y));
  }

  // Elementwise arithmetic: of tiles of floats, or of indices.
  mlir::Value add(mlir::Value x, mlir::Value y) const {
    if (mlir::getElementTypeOrSelf(x).isIndex())
      return b.createOrFold<mlir::arith::AddIOp>(loc, x, y);
    return mlir::arith::AddFOp::create(b, loc, x, y);
  }
  mlir::Value sub(mlir::Value x, mlir::Value y) const {
    return mlir::arith::SubFOp::create(b, loc, x, y);
  }
  mlir::Value mul(mlir::Value x, mlir::Value y) const {
    return mlir::arith::MulFOp::create(b, loc, x, y);
  }
  mlir::Value div(mlir::Value x, mlir::Value y) const {
    return mlir::arith::DivFOp::create(b, loc, x, y);
  }
  mlir::Value max(mlir::Value x, mlir::Value y) const {
    return mlir::arith::MaximumFOp::create(b, loc, x, y);
  }
  mlir::Value exp2(mlir::Value x) const {
    return mlir::math::Exp2Op::create(b, loc, x);
  }
  mlir::Value log2(mlir::Value x) const {
    return mlir::math::Log2Op::create(b, loc, x);
  }
  mlir::Value fma(mlir::Value x, mlir::Value y, mlir::Value z) const {
    return mlir::math::FmaOp::create(b, loc, x, y, z);
  }
  mlir::Value equal(mlir::Value x, mlir::Value y) const {
    return mlir::arith::CmpFOp::create(b, loc, mlir::arith::CmpFPredicate::OEQ,
                                       x, y);
  }
  mlir::Value lessThan(mlir::Value x, mlir::Value y) const {
    return mlir::arith::CmpIOp::create(b, loc, mlir::arith::CmpIPredicate::slt,
                                       x, y);
  }
  mlir::Value logicalAnd(mlir::Value x, mlir::Value y) const {
    return mlir::arith::AndIOp::create(b, loc, x, y);
  }
  mlir::Value select(mlir::Value c, mlir::Value x, mlir::Value y) const {
    return mlir::arith::SelectOp::create(b, loc, c, x, y);
  }
  /// x * factor, for a tile of f32.
  mlir::Value scale(mlir::Value x, double factor) const {
    return mul(x, splat(factor, shapeOf(x)));
  }
  /// x * factor, one operation with a sum that may be contracted.
  mlir::Value scaleContractible(mlir::Value x, double factor) const {
    return mlir::arith::MulFOp::create(b, loc, x, splat(factor, shapeOf(x)),
                                       mlir::arith::FastMathFlags::contract);
  }
  /// Converts a tile of f32 to `element`.
  mlir::Value cast(mlir::Value x, mlir::Type element) const {
    if (mlir::getElementTypeOrSelf(x) == element)
      return x;
    return mlir::arith::TruncFOp::create(
        b, loc, mlir::RankedTensorType::get(shapeOf(x), element), x);
  }

  // Tiles from scalars.
  mlir::Value splat(double value, llvm::ArrayRef<int64_t> shape) const {
    auto type = mlir::RankedTensorType::get(shape, b.getF32Type());
    return mlir::arith::ConstantOp::create(
        b, loc, type,
        mlir::DenseElementsAttr::get(type, static_cast<float>(value)));
  }
  mlir::Value spread(mlir::Value scalar, llvm::ArrayRef<int64_t> shape) const {
    return mlir::tensor::SplatOp::create(
        b, loc, mlir::RankedTensorType::get(shape, scalar.getType()), scalar);
  }
  mlir::Value iota(int64_t dim, mlir::Value start,
                   llvm::ArrayRef<int64_t> shape) const {
    return IotaOp::create(b, loc,
                          mlir::RankedTensorType::get(shape, b.getIndexType()),
                          dim, start);
  }

  // Tile operations of the dialect.
  mlir::Value dot(mlir::Value lhs, mlir::Value rhs, mlir::Value acc,
                  bool transposeRhs = false, bool transposeLhs = false) const {
    return DotOp::create(b, loc, acc.getType(), lhs, rhs, acc, transposeRhs,
                         /*prioritized=*/false, /*unit=*/nullptr, transposeLhs);
  }
  mlir::Value reduce(ReduceKind kind, mlir::Value tile) const {
    return ReduceOp::create(b, loc, kind, tile);
  }
  mlir::Value broadcast(mlir::Value rows, int64_t columns) const {
    auto type = mlir::RankedTensorType::get({shapeOf(rows)[0], columns},
                                            b.getF32Type());
    return BroadcastOp::create(b, loc, type, rows);
  }
  mlir::Value mask(mlir::Value scores, mlir::Value keep) const {
    return MaskOp::create(b, loc, scores.getType(), scores, keep);
  }

  // What softmax weights are relative to (attn.advance): one value a row each.
  /// The factor and the reference of rows that have seen no score.
  std::pair<mlir::Value, mlir::Value> initialReference(int64_t rows,
                                                       float scale) const {
    auto [factor, reference] = AdvanceOp::getInitial(scale);
    return {splat(factor, {rows}), splat(reference, {rows})};
  }
  AdvanceOp advance(mlir::Value maximum, mlir::Value factor,
                    mlir::Value reference, float scale,
                    bool steady = false) const {
    mlir::Type type = maximum.getType();
    return AdvanceOp::create(b, loc, type, type, type, maximum, factor,
                             reference, b.getF32FloatAttr(scale),
                             steady ? b.getUnitAttr() : mlir::UnitAttr());
  }
  /// Factor and reference for the scores of two rows together, and by what the
  /// sums of either are multiplied.
  struct Merged {
    mlir::Value factor, reference, rescales[2];
  };
  Merged merge(mlir::Value factor, mlir::Value reference,
               mlir::Value otherFactor, mlir::Value otherReference,
               float scale) const {
    // Units differ only if one maximum is beyond all of the other unit. What is
    // in the larger unit is compared in the smaller: a division would take as
    // long as all of the merge.
    auto [plain, exact] = AdvanceOp::getFactors(scale);
    float small = std::min(plain, exact), large = std::max(plain, exact);
    auto inSmall = [&](mlir::Value ref, mlir::Value unit) {
      return select(equal(unit, splat(small, shapeOf(unit))), ref,
                    this->scale(ref, small / large));
    };
    mlir::Value same = equal(factor, otherFactor);
    mlir::Value larger = mlir::arith::CmpFOp::create(
        b, loc, mlir::arith::CmpFPredicate::OGE, inSmall(reference, factor),
        inSmall(otherReference, otherFactor));
    Merged to;
    to.factor = select(larger, factor, otherFactor);
    to.reference = select(same, max(reference, otherReference),
                          select(larger, reference, otherReference));
    std::pair<mlir::Value, mlir::Value> parts[] = {
        {factor, reference}, {otherFactor, otherReference}};
    for (auto [i, part] : llvm::enumerate(parts))
      to.rescales[i] = select(equal(part.first, to.factor),
                              exp2(sub(part.second, to.reference)),
                              splat(0, shapeOf(part.first)));
    return to;
  }
  /// The weights of a tile of scores.
  mlir::Value weights(mlir::Value scores, mlir::Value factor,
                      mlir::Value reference) const {
    int64_t columns = shapeOf(scores)[1];
    mlir::Value negative = mlir::arith::NegFOp::create(b, loc, reference);
    return exp2(
        fma(scores, broadcast(factor, columns), broadcast(negative, columns)));
  }
  /// The logarithm of a sum of exponentials, of the sum of their weights.
  mlir::Value logSum(mlir::Value factor, mlir::Value reference, mlir::Value sum,
                     float scale) const {
    mlir::Value unit = div(splat(scale, shapeOf(factor)), factor);
    return fma(reference, unit, this->scale(log2(sum), llvm::numbers::ln2));
  }

  /// Rows of weighted sums, each by the sum of its weights, times a scalar
  /// `scale` if there is one. A row without keys has 0 in both: it is divided
  /// by 1. One reciprocal a row will do (`arcp`).
  mlir::Value divideRows(mlir::Value rows, mlir::Value sums,
                         mlir::Value scale = {}) const {
    mlir::Value empty = equal(sums, splat(0, shapeOf(sums)));
    mlir::Value divisor = select(empty, splat(1, shapeOf(sums)), sums);
    if (scale)
      divisor = div(divisor, spread(scale, shapeOf(sums)));
    return mlir::arith::DivFOp::create(b, loc, rows,
                                       broadcast(divisor, shapeOf(rows)[1]),
                                       mlir::arith::FastMathFlags::arcp);
  }

  static llvm::ArrayRef<int64_t> shapeOf(mlir::Value tile) {
    return mlir::cast<mlir::RankedTensorType>(tile.getType()).getShape();
  }
};

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_IR_TILEBUILDER_H
