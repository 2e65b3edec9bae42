//===- TileOps.cpp - Verification of tile operations ----------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace attn;

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.cpp.inc"

void AttnDialect::registerTileOps() {
  addOperations<
#define GET_OP_LIST
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.cpp.inc"
      >();
}

/// Checks that a tile of `shape` and element type `element` is addressed by one
/// offset for each dimension of the view, whose last dimensions it spans.
static LogicalResult verifyAccess(Operation *op, ViewType view,
                                  unsigned numOffsets,
                                  ArrayRef<int64_t> shape) {
  if (numOffsets != view.getRank())
    return op->emitOpError("expected ")
           << view.getRank() << " offsets, one for each dimension of " << view
           << ", but got " << numOffsets;
  if (shape.empty() || shape.size() > view.getRank())
    return op->emitOpError("expected a tile of rank 1 to ")
           << view.getRank() << ", but got rank " << shape.size();
  for (int64_t size : shape)
    if (size < 1)
      return op->emitOpError("expected tile sizes of at least 1, but got ")
             << size;
  return success();
}

static LogicalResult verifyElement(Operation *op, ViewType view,
                                   ShapedType tile) {
  if (view.getElementType() != tile.getElementType())
    return op->emitOpError("expected a tile of ")
           << view.getElementType() << " as the view has, but got " << tile;
  return success();
}

LogicalResult LoadOp::verify() {
  auto tile = cast<ShapedType>(getTile().getType());
  if (failed(verifyElement(*this, getView().getType(), tile)))
    return failure();
  return verifyAccess(*this, getView().getType(), getOffsets().size(),
                      tile.getShape());
}

LogicalResult StoreOp::verify() {
  auto tile = cast<ShapedType>(getTile().getType());
  if (failed(verifyElement(*this, getView().getType(), tile)))
    return failure();
  if (getScratch() &&
      !isa_and_nonnull<SharedAttr>(
          cast<RankedTensorType>(getScratch().getType()).getEncoding()))
    return emitOpError("expected scratch in shared memory, but got ")
           << getScratch().getType();
  if (getScratch()) {
    auto bits = [](ShapedType type) {
      return type.getNumElements() * type.getElementTypeBitWidth();
    };
    auto scratch = cast<ShapedType>(getScratch().getType());
    if (bits(scratch) < bits(tile))
      return emitOpError("expected scratch of at least ")
             << bits(tile) / 8 << " bytes, as the tile has, but got "
             << bits(scratch) / 8;
  }
  if (getByTensorMap()) {
    if (!getScratch())
      return emitOpError("expected `through` a tile in shared memory for "
                         "`by_tensor_map`, but got none");
    auto scratch = cast<ShapedType>(getScratch().getType());
    if (tile.getRank() != 2 || tile.getElementTypeBitWidth() != 16 ||
        scratch.getShape() != tile.getShape() ||
        scratch.getElementType() != tile.getElementType())
      return emitOpError(
                 "expected a matrix of 16-bit elements and memory of its "
                 "shape for `by_tensor_map`, but got ")
             << tile << " through " << scratch;
  }
  return verifyAccess(*this, getView().getType(), getOffsets().size(),
                      tile.getShape());
}

LogicalResult TouchOp::verify() {
  return verifyAccess(*this, getView().getType(), getOffsets().size(),
                      getTile());
}

LogicalResult attn::verifyProduct(Operation *op, Type lhsType, Type rhsType,
                                  Type accType, bool transposeRhs) {
  auto lhs = cast<ShapedType>(lhsType), rhs = cast<ShapedType>(rhsType),
       acc = cast<ShapedType>(accType);
  if (lhs.getElementType() != rhs.getElementType())
    return op->emitOpError("expected operands of one element type, but got ")
           << lhs.getElementType() << " and " << rhs.getElementType();
  unsigned inner = transposeRhs ? 1 : 0;
  if (lhs.getDimSize(1) != rhs.getDimSize(inner))
    return op->emitOpError(
               "expected operands that agree in the summed dimension, but got ")
           << lhs.getDimSize(1) << " and " << rhs.getDimSize(inner);
  if (acc.getDimSize(0) != lhs.getDimSize(0) ||
      acc.getDimSize(1) != rhs.getDimSize(1 - inner))
    return op->emitOpError("expected an accumulator of ")
           << lhs.getDimSize(0) << "x" << rhs.getDimSize(1 - inner)
           << ", but got " << acc;
  return success();
}

LogicalResult DotOp::verify() {
  return verifyProduct(*this, getLhs().getType(), getRhs().getType(),
                       getAcc().getType(), getTransposeRhs());
}

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         ValueRange operands, DictionaryAttr,
                                         OpaqueProperties, RegionRange,
                                         SmallVectorImpl<Type> &results) {
  results.push_back(rowsOf(cast<RankedTensorType>(operands[0].getType())));
  return success();
}

RankedTensorType ReduceOp::rowsOf(RankedTensorType tile) {
  auto layout = dyn_cast_or_null<FragmentAttr>(tile.getEncoding());
  return RankedTensorType::get({tile.getDimSize(0)}, tile.getElementType(),
                               layout ? layout.getRowSlice() : Attribute());
}

LogicalResult BroadcastOp::verify() {
  auto rows = cast<ShapedType>(getRows().getType()),
       tile = cast<ShapedType>(getTile().getType());
  if (rows.getDimSize(0) != tile.getDimSize(0))
    return emitOpError("expected a tile of ")
           << rows.getDimSize(0) << " rows, but got " << tile;
  auto layout = dyn_cast_or_null<FragmentAttr>(
      cast<RankedTensorType>(getTile().getType()).getEncoding());
  Attribute wanted = layout ? layout.getRowSlice() : Attribute();
  if (wanted != cast<RankedTensorType>(getRows().getType()).getEncoding())
    return emitOpError("expected rows in the layout of the tile's rows, ")
           << ReduceOp::rowsOf(cast<RankedTensorType>(getTile().getType()))
           << ", but got " << getRows().getType();
  return success();
}

LogicalResult IotaOp::verify() {
  int64_t dim = getDim();
  int64_t rank = cast<ShapedType>(getTile().getType()).getRank();
  if (rank == 0)
    return emitOpError("expected a tile of rank 1 or more, but got rank 0");
  if (dim < 0 || dim >= rank)
    return emitOpError("expected a dimension from 0 to ")
           << rank - 1 << ", but got " << dim;
  return success();
}

LogicalResult MaskOp::verify() {
  if (!(*this)->getParentOfType<StreamOp>())
    return emitOpError(
        "expected to stand in an attn.stream, whose segments say "
        "where it acts");
  return success();
}

//===----------------------------------------------------------------------===//
// Names of results, so that printed schedules read well
//===----------------------------------------------------------------------===//

void LoadOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getTile(), "tile");
}

void DotOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "dot");
}

void ReduceOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), stringifyReduceKind(getKind()));
}

void IotaOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getTile(), getDim() == 0 ? "rows" : "cols");
}

void MaskOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), "scores");
}
