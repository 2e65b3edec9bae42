//===- RowDotOp.cpp - Scalar products of rows as a streamable op ----------===//

#include "attn-mlir/Dialect/Attn/IR/AttnGradientOps.h"
#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "attn-mlir/Dialect/Attn/IR/TileBuilder.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace attn;

namespace {
enum RowDotAxis {
  kRowBatch,
  kRowHead,
  kRowQuery,
  kRowValueDim,
  kNumRowDotAxes
};
enum RowDotView { kRowLhs, kRowRhs, kRowResult };
} // namespace

LogicalResult RowDotOp::verify() {
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType(),
                   result = getResult().getType();
  if (lhs.getRank() != 4)
    return emitOpError("lhs expects rank 4, but got ") << lhs;
  if (failed(verifyCompatibleShape(lhs, rhs)))
    return emitOpError("rhs expects the shape of lhs, ")
           << lhs << ", but got " << rhs;
  unsigned head = headDimOf(getLayout()), query = seqDimOf(getLayout());
  if (lhs.isDynamicDim(head) || lhs.isDynamicDim(3) || lhs.getDimSize(3) == 0)
    return emitOpError("lhs expects static heads and a static last dimension "
                       "of 1 or more, but got ")
           << lhs;
  SmallVector<int64_t> wanted{lhs.getDimSize(0), lhs.getDimSize(head),
                              lhs.getDimSize(query)};
  if (result.getRank() == 3 &&
      succeeded(verifyCompatibleShape(result.getShape(), wanted)))
    return success();
  return emitOpError("result expects ")
         << RankedTensorType::get(wanted, result.getElementType())
         << ", but got " << result;
}

SmallVector<StreamAxis> RowDotOp::getStreamAxes() {
  RankedTensorType lhs = getLhs().getType();
  return {{"batch", AxisKind::Unit, lhs.getDimSize(0), kRowLhs, 0, true},
          {"head", AxisKind::Unit, lhs.getDimSize(headDimOf(getLayout())),
           kRowLhs, 1, true},
          {"query", AxisKind::Group, lhs.getDimSize(seqDimOf(getLayout())),
           kRowLhs, 2, true},
          {"value_dim", AxisKind::Stream, lhs.getDimSize(3), kRowLhs, 3}};
}

SmallVector<AffineMap> RowDotOp::getViewMaps() {
  AffineMap all =
      AffineMap::getMultiDimIdentityMap(kNumRowDotAxes, getContext());
  return {all, all, all.dropResult(kRowValueDim)};
}

SmallVector<SmallVector<int64_t>> RowDotOp::getViewPermutations() {
  SmallVector<int64_t> perm{0, headDimOf(getLayout()), seqDimOf(getLayout()),
                            3};
  return {perm, perm, {0, 1, 2}};
}

SmallVector<StringRef> RowDotOp::getViewNames() { return {"x", "y", "dots"}; }

Reorder RowDotOp::getReorder() { return Reorder::Reassociates; }

SmallVector<AffineMap> RowDotOp::getStateMaps() {
  return {AffineMap::get(kNumRowDotAxes, 0,
                         getAffineDimExpr(kRowQuery, getContext()))};
}

SmallVector<StringRef> RowDotOp::getStateNames() { return {"sum"}; }

int64_t RowDotOp::getFoldTemporaries(ArrayRef<int64_t> sizes) {
  return 2 * sizes[kRowQuery] * sizes[kRowValueDim];
}

SmallVector<Segment> RowDotOp::buildSegments(OpBuilder &b, Location loc,
                                             const TileContext &tile) {
  // Zeros beyond the end add nothing.
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  return {{zero, tile.extents[kRowValueDim], /*masked=*/false}};
}

SmallVector<Value> RowDotOp::buildHead(OpBuilder &b, Location loc,
                                       const TileContext &tile) {
  return {TileBuilder{b, loc}.splat(0, {tile.sizes[kRowQuery]})};
}

SmallVector<Value> RowDotOp::buildFold(OpBuilder &b, Location loc,
                                       const TileContext &tile,
                                       ValueRange state, ValueRange tiles) {
  TileBuilder t{b, loc};
  auto wide = [&](Value factor) -> Value {
    auto type = cast<RankedTensorType>(factor.getType());
    if (type.getElementType().isF32())
      return factor;
    return arith::ExtFOp::create(b, loc, type.clone(b.getF32Type()), factor);
  };
  Value products = t.mul(wide(tiles[kRowLhs]), wide(tiles[kRowRhs]));
  return {t.add(state[0], t.reduce(ReduceKind::Sum, products))};
}

SmallVector<Value> RowDotOp::buildMerge(OpBuilder &b, Location loc,
                                        const TileContext &tile, ValueRange lhs,
                                        ValueRange rhs) {
  return {TileBuilder{b, loc}.add(lhs[0], rhs[0])};
}

SmallVector<Value> RowDotOp::buildTail(OpBuilder &b, Location loc,
                                       const TileContext &tile,
                                       ValueRange state) {
  return {state[0]};
}
