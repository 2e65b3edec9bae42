//===- QuantizeOp.cpp - What makes FP8 ------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnCacheOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace attn;

/// Columns that rows are a multiple of, and may have.
static constexpr int64_t kColumns = 16, kMostColumns = 256;

static LogicalResult verifyScales(QuantizeOp op) {
  RankedTensorType scales = op.getScales().getType();
  int64_t heads = op.getNumHeads(),
          batch = op.getInput().getType().getDimSize(0);
  if (scales.getRank() == 2 && !scales.isDynamicDim(1) &&
      scales.getDimSize(1) > 0 && heads % scales.getDimSize(1) == 0 &&
      succeeded(verifyCompatibleShape(scales.getShape().take_front(), batch)))
    return success();
  return op.emitOpError("expected scales of rank 2, one for each batch of ")
         << op.getInput().getType() << " and for each of a divisor of its "
         << heads << " heads, but got " << scales;
}

static LogicalResult verifyRotation(QuantizeOp op) {
  RankedTensorType input = op.getInput().getType();
  if (!op.getFactor().isFinite() || op.getFactor().isNegative() ||
      op.getFactor().isZero())
    return op.emitOpError("expected a positive factor, but got ")
           << op.getFactorAttr();
  if (!op.getRotation()) {
    if (op.getFactor().isExactlyValue(1))
      return success();
    return op.emitOpError("expected a rotation with a factor, but got none");
  }
  auto wanted =
      RankedTensorType::get({op.getDim(), op.getDim()}, input.getElementType());
  if (op.getRotation().getType() == wanted)
    return success();
  return op.emitOpError("expected a rotation of ")
         << wanted << ", but got " << op.getRotation().getType();
}

LogicalResult QuantizeOp::verify() {
  RankedTensorType input = getInput().getType(),
                   numbers = getNumbers().getType();
  if (input.getRank() != 4)
    return emitOpError("expected an input of rank 4, but got ") << input;
  if (input.isDynamicDim(headDimOf(getLayout())) || getNumHeads() == 0 ||
      input.isDynamicDim(3) || getDim() == 0 || getDim() > kMostColumns ||
      getDim() % kColumns != 0)
    return emitOpError("expected an input with static heads and a last "
                       "dimension of a multiple of ")
           << kColumns << " up to " << kMostColumns << ", but got " << input;
  if (numbers != input.clone(numbers.getElementType()))
    return emitOpError("expected numbers of ")
           << input.clone(numbers.getElementType()) << ", but got " << numbers;
  if (failed(verifyScales(*this)))
    return failure();
  return verifyRotation(*this);
}
