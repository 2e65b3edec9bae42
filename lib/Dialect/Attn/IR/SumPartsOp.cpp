//===- SumPartsOp.cpp - Sums of parts as a streamable op ------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnGradientOps.h"
#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "attn-mlir/Dialect/Attn/IR/TileBuilder.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace attn;

namespace {
enum SumAxis { kSumBatch, kSumHead, kSumQuery, kSumPart, kSumDim, kNumSumAxes };
} // namespace

LogicalResult SumPartsOp::verify() {
  RankedTensorType parts = getParts().getType(), result = getResult().getType();
  if (parts.getRank() != 5)
    return emitOpError(
               "parts expect rank 5, [parts, batch, heads, queries, D], "
               "but got ")
           << parts;
  if (parts.isDynamicDim(4) || parts.getDimSize(4) == 0)
    return emitOpError("parts expect a static D of 1 or more, but got ")
           << parts;
  if (getPacked() && parts.getDimSize(1) != 1)
    return emitOpError("parts expect 1 as the batch of packed rows, but got ")
           << parts;
  if (!getScale().isFinite())
    return emitOpError("scale expects a finite number, but got ")
           << getScaleAttr();
  SmallVector<int64_t> wanted(4);
  wanted[0] = parts.getDimSize(1);
  wanted[headDimOf(getLayout())] = parts.getDimSize(2);
  wanted[seqDimOf(getLayout())] = parts.getDimSize(3);
  wanted[3] = parts.getDimSize(4);
  if (result.getRank() == 4 &&
      succeeded(verifyCompatibleShape(result.getShape(), wanted)))
    return success();
  return emitOpError("result expects ")
         << RankedTensorType::get(wanted, result.getElementType())
         << ", but got " << result;
}

SmallVector<StreamAxis> SumPartsOp::getStreamAxes() {
  RankedTensorType parts = getParts().getType();
  return {{getPacked() ? "pack" : "batch", AxisKind::Unit, parts.getDimSize(1),
           0, 1, true},
          {"head", AxisKind::Unit, parts.getDimSize(2), 0, 2, true},
          {"query", AxisKind::Group, parts.getDimSize(3), 0, 3, true},
          {"part", AxisKind::Steps, parts.getDimSize(0), 0, 0},
          {"dim", AxisKind::Whole, parts.getDimSize(4), 0, 4}};
}

SmallVector<AffineMap> SumPartsOp::getViewMaps() {
  auto map = [&](ArrayRef<SumAxis> axes) {
    SmallVector<AffineExpr> exprs;
    for (SumAxis axis : axes)
      exprs.push_back(getAffineDimExpr(axis, getContext()));
    return AffineMap::get(kNumSumAxes, 0, exprs, getContext());
  };
  return {map({kSumPart, kSumBatch, kSumHead, kSumQuery, kSumDim}),
          map({kSumBatch, kSumHead, kSumQuery, kSumDim})};
}

SmallVector<SmallVector<int64_t>> SumPartsOp::getViewPermutations() {
  int64_t head = headDimOf(getLayout()), query = seqDimOf(getLayout());
  return {{0, 1, 2, 3, 4}, {0, head, query, 3}};
}

SmallVector<StringRef> SumPartsOp::getViewNames() { return {"parts", "sum"}; }

Reorder SumPartsOp::getReorder() { return Reorder::Reassociates; }

SmallVector<AffineMap> SumPartsOp::getStateMaps() {
  return {AffineMap::get(kNumSumAxes, 0,
                         {getAffineDimExpr(kSumQuery, getContext()),
                          getAffineDimExpr(kSumDim, getContext())},
                         getContext())};
}

SmallVector<StringRef> SumPartsOp::getStateNames() { return {"sum"}; }

SmallVector<Segment> SumPartsOp::buildSegments(OpBuilder &b, Location loc,
                                               const TileContext &tile) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  return {{zero, tile.extents[kSumPart], /*masked=*/false}};
}

SmallVector<Value> SumPartsOp::buildHead(OpBuilder &b, Location loc,
                                         const TileContext &tile) {
  return {TileBuilder{b, loc}.splat(
      0, {tile.sizes[kSumQuery], tile.sizes[kSumDim]})};
}

SmallVector<Value> SumPartsOp::buildFold(OpBuilder &b, Location loc,
                                         const TileContext &, ValueRange state,
                                         ValueRange tiles) {
  return {TileBuilder{b, loc}.add(state[0], tiles[0])};
}

SmallVector<Value> SumPartsOp::buildMerge(OpBuilder &b, Location loc,
                                          const TileContext &, ValueRange lhs,
                                          ValueRange rhs) {
  return {TileBuilder{b, loc}.add(lhs[0], rhs[0])};
}

SmallVector<Value> SumPartsOp::buildTail(OpBuilder &b, Location loc,
                                         const TileContext &,
                                         ValueRange state) {
  TileBuilder t{b, loc};
  return {t.cast(t.scale(state[0], getScale().convertToFloat()),
                 getElementTypeOrSelf(getResult()))};
}
