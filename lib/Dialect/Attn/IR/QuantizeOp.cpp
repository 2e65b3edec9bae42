//===- QuantizeOp.cpp - What makes FP8 ------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnCacheOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace attn;

/// Columns that rows are a multiple of, and may have.
static constexpr int64_t kColumns = 16, kMostColumns = 256;

/// How many scales the rows of a head have.
static int64_t blocksOfRows(QuantizeOp op) {
  int64_t rows = op.getInput().getType().getDimSize(seqDimOf(op.getLayout()));
  return ShapedType::isDynamic(rows) ? rows
                                     : static_cast<int64_t>(llvm::divideCeil(
                                           rows, *op.getScaleBlock()));
}

static LogicalResult verifyScales(QuantizeOp op) {
  RankedTensorType scales = op.getScales().getType();
  int64_t heads = op.getNumHeads(),
          batch = op.getInput().getType().getDimSize(0),
          rank = op.getScaleBlock() ? 3 : 2;
  auto fits = [&](int64_t dim, int64_t size) {
    return succeeded(
        verifyCompatibleShape(scales.getShape().slice(dim, 1), size));
  };
  if (scales.getRank() == rank && !scales.isDynamicDim(1) &&
      scales.getDimSize(1) > 0 && heads % scales.getDimSize(1) == 0 &&
      fits(0, batch) && (rank == 2 || fits(2, blocksOfRows(op))))
    return success();
  InFlightDiagnostic error =
      op.emitOpError("expected scales of rank ")
      << rank << ", one for each batch of " << op.getInput().getType()
      << " and for each of a divisor of its " << heads << " heads";
  if (op.getScaleBlock())
    error << " and of its blocks of " << *op.getScaleBlock() << " rows";
  return error << ", but got " << scales;
}

/// Blocks are those that attention takes.
static LogicalResult verifyBlock(QuantizeOp op) {
  constexpr int64_t kLeast = 32;
  if (!op.getScaleBlock())
    return success();
  auto block = static_cast<int64_t>(*op.getScaleBlock());
  if (block >= kLeast && llvm::isPowerOf2_64(block))
    return success();
  return op.emitOpError("expected a scale_block of a power of two from ")
         << kLeast << " on, but got " << block;
}

/// A rotation of blocks, between which Sylvester's matrix is.
static LogicalResult verifyFactors(QuantizeOp op, RankedTensorType rotation) {
  RankedTensorType input = op.getInput().getType();
  int64_t count = rotation.getDimSize(0), columns = rotation.getDimSize(2);
  if (rotation.hasStaticShape() && count > 1 && llvm::isPowerOf2_64(count) &&
      rotation.getDimSize(1) == columns && columns % kColumns == 0 &&
      count * columns == op.getDim() &&
      rotation.getElementType() == input.getElementType())
    return success();
  return op.emitOpError("expected a rotation of a power of two of blocks of ")
         << input.getElementType() << ", of a multiple of " << kColumns
         << " rows and columns each, " << op.getDim() << " in all, but got "
         << rotation;
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
  RankedTensorType rotation = op.getRotation().getType();
  if (rotation.getRank() == 3)
    return verifyFactors(op, rotation);
  if (rotation == wanted)
    return success();
  return op.emitOpError("expected a rotation of ")
         << wanted << ", but got " << rotation;
}

/// Means are there where they are subtracted, one for each batch, head and
/// column.
static LogicalResult verifyMeans(QuantizeOp op) {
  if (!op.getCentered()) {
    if (!op.getMeans())
      return success();
    return op.emitOpError("expected no means of what is not centered, but got ")
           << op.getMeans().getType();
  }
  RankedTensorType input = op.getInput().getType();
  auto wanted = RankedTensorType::get(
      {input.getDimSize(0), op.getNumHeads(), op.getDim()},
      Float32Type::get(op.getContext()));
  auto means = op.getMeans() ? cast<RankedTensorType>(op.getMeans().getType())
                             : RankedTensorType();
  if (means && means.getRank() == wanted.getRank() &&
      means.getShape().drop_front() == wanted.getShape().drop_front() &&
      succeeded(verifyCompatibleShape(means.getShape().take_front(),
                                      wanted.getShape().take_front())))
    return success();
  InFlightDiagnostic error =
      op.emitOpError("expected means of ")
      << wanted << ", one for each batch, head and column, but got ";
  if (means)
    return error << means;
  return error << "none";
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
  if (failed(verifyBlock(*this)) || failed(verifyScales(*this)) ||
      failed(verifyMeans(*this)))
    return failure();
  return verifyRotation(*this);
}
