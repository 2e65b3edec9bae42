//===- SimplifyTiles.cpp - Cheaper arithmetic on tiles --------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "attn-mlir/Dialect/Attn/Transforms/Tidy.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSIMPLIFYTILES
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// A product may be contracted with a sum where the division could be.
void replaceByProduct(OpBuilder &b, arith::DivFOp div, Value factor) {
  Value product = arith::MulFOp::create(b, div.getLoc(), div.getLhs(), factor,
                                        div.getFastmath());
  div.replaceAllUsesWith(product);
  div.erase();
}

/// x / broadcast(d) becomes x * broadcast(1 / d): one division a row or column.
void divideOnceARow(arith::DivFOp div, BroadcastOp divisor) {
  OpBuilder b(div);
  Location loc = div.getLoc();
  auto type = cast<RankedTensorType>(divisor.getRows().getType());
  Value ones = arith::ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(type, b.getFloatAttr(type.getElementType(), 1)));
  Value inverse = arith::DivFOp::create(b, loc, ones, divisor.getRows());
  Value factor = BroadcastOp::create(b, loc, div.getType(), inverse);
  replaceByProduct(b, div, factor);
}

/// What all elements of a divisor are.
Value uniformDivisor(arith::DivFOp div) {
  auto splat = div.getRhs().getDefiningOp<tensor::SplatOp>();
  return splat ? splat.getInput() : Value();
}

/// x / splat(c) becomes x * splat(1 / c), with 1 / c computed where c is.
void divideOnce(arith::DivFOp div, Value divisor) {
  OpBuilder b(div);
  b.setInsertionPointAfterValue(divisor);
  Location loc = div.getLoc();
  Value one =
      arith::ConstantOp::create(b, loc, b.getFloatAttr(divisor.getType(), 1));
  Value inverse = arith::DivFOp::create(b, loc, one, divisor);
  b.setInsertionPoint(div);
  Value factor = tensor::SplatOp::create(b, loc, div.getType(), inverse);
  replaceByProduct(b, div, factor);
}

/// The same by a constant.
void divideByConstant(arith::DivFOp div, FloatAttr divisor) {
  OpBuilder b(div);
  llvm::APFloat inverse(divisor.getValue().getSemantics(), 1);
  inverse.divide(divisor.getValue(), llvm::APFloat::rmNearestTiesToEven);
  auto type = cast<RankedTensorType>(div.getType());
  Value factor = arith::ConstantOp::create(
      b, div.getLoc(), DenseElementsAttr::get(type, inverse));
  replaceByProduct(b, div, factor);
}

/// x * a * b becomes x * (a * b), of a constant a such as the scale, where the
/// second product may be reassociated.
bool mergeFactors(arith::MulFOp mul) {
  auto inner = mul.getLhs().getDefiningOp<arith::MulFOp>();
  SplatElementsAttr first, second;
  if (!bitEnumContainsAll(mul.getFastmath(), arith::FastMathFlags::reassoc) ||
      !inner || !inner->hasOneUse() ||
      !matchPattern(inner.getRhs(), m_Constant(&first)))
    return false;
  OpBuilder b(mul);
  Location loc = mul.getLoc();
  auto type = cast<RankedTensorType>(mul.getType());
  Value factor;
  if (auto splat = mul.getRhs().getDefiningOp<tensor::SplatOp>()) {
    b.setInsertionPointAfterValue(splat.getInput());
    Value constant = arith::ConstantOp::create(
        b, loc, cast<TypedAttr>(first.getSplatValue<Attribute>()));
    Value both = arith::MulFOp::create(b, loc, splat.getInput(), constant);
    b.setInsertionPoint(mul);
    factor = tensor::SplatOp::create(b, loc, type, both);
  } else if (matchPattern(mul.getRhs(), m_Constant(&second))) {
    llvm::APFloat both = first.getSplatValue<llvm::APFloat>();
    both.multiply(second.getSplatValue<llvm::APFloat>(),
                  llvm::APFloat::rmNearestTiesToEven);
    factor =
        arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, both));
  } else {
    return false;
  }
  mul.getLhsMutable().assign(inner.getLhs());
  mul.getRhsMutable().assign(factor);
  return true;
}

struct SimplifyTilesPass
    : attn::impl::AttnSimplifyTilesBase<SimplifyTilesPass> {
  /// Whether it divides fewer times now. A quotient is a product with the
  /// reciprocal only where it says so (`arcp`): others may count on exact ones.
  static bool simplify(arith::DivFOp div) {
    SplatElementsAttr constant;
    if (!bitEnumContainsAll(div.getFastmath(), arith::FastMathFlags::arcp))
      return false;
    if (auto divisor = div.getRhs().getDefiningOp<BroadcastOp>())
      divideOnceARow(div, divisor);
    else if (Value divisor = uniformDivisor(div))
      divideOnce(div, divisor);
    else if (matchPattern(div.getRhs(), m_Constant(&constant)))
      divideByConstant(div, constant.getSplatValue<FloatAttr>());
    else
      return false;
    return true;
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<arith::DivFOp> divisions;
    kernel.walk([&](arith::DivFOp div) {
      if (isa<RankedTensorType>(div.getType()))
        divisions.push_back(div);
    });
    auto simplified = llvm::count_if(divisions, simplify);
    SmallVector<arith::MulFOp> products;
    kernel.walk([&](arith::MulFOp mul) {
      if (isa<RankedTensorType>(mul.getType()))
        products.push_back(mul);
    });
    simplified += llvm::count_if(products, mergeFactors);
    if (simplified > 0)
      tidy(kernel);
    else
      remarks::emitSimplifyTilesNothing(kernel);
  }
};

} // namespace
