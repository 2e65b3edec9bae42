//===- MatmulOp.cpp - Matrix product as a streamable op -------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "attn-mlir/Dialect/Attn/IR/TileBuilder.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace attn;

namespace {
enum Axis { M, N, K, NumAxes };
enum View { A, B, C };
} // namespace

LogicalResult MatmulOp::verify() {
  RankedTensorType a = getLhs().getType(), b = getRhs().getType(),
                   c = getResult().getType();
  for (auto [name, type] : {std::pair<StringRef, RankedTensorType>{"lhs", a},
                            {"rhs", b},
                            {"result", c}})
    if (type.getRank() != 2)
      return emitOpError() << name << " expects rank 2, but got " << type;
  if (a.getElementType() != b.getElementType())
    return emitOpError("rhs expects the element type of lhs, ")
           << a.getElementType() << ", but got " << b.getElementType();
  auto differ = [](int64_t x, int64_t y) {
    return failed(verifyCompatibleDims({x, y}));
  };
  if (differ(a.getDimSize(1), b.getDimSize(0)))
    return emitOpError("rhs expects ")
           << a.getDimSize(1) << " rows, as lhs has columns, but got "
           << b.getDimSize(0);
  if (differ(a.getDimSize(0), c.getDimSize(0)) ||
      differ(b.getDimSize(1), c.getDimSize(1)))
    return emitOpError(
               "result expects the rows of lhs and the columns of rhs, ")
           << a.getDimSize(0) << "x" << b.getDimSize(1) << ", but got " << c;
  return success();
}

SmallVector<StreamAxis> MatmulOp::getStreamAxes() {
  RankedTensorType a = getLhs().getType(), b = getRhs().getType();
  // CTAs that agree in n stream the same panel of the right-hand side.
  return {{"m", AxisKind::Group, a.getDimSize(0), A, 0},
          {"n", AxisKind::Group, b.getDimSize(1), B, 1, true},
          {"k", AxisKind::Stream, a.getDimSize(1), A, 1}};
}

SmallVector<AffineMap> MatmulOp::getViewMaps() {
  auto d = [&](Axis axis) { return getAffineDimExpr(axis, getContext()); };
  auto map = [&](Axis row, Axis column) {
    return AffineMap::get(NumAxes, 0, {d(row), d(column)}, getContext());
  };
  return {map(M, K), map(K, N), map(M, N)};
}

SmallVector<StringRef> MatmulOp::getViewNames() { return {"a", "b", "c"}; }

Reorder MatmulOp::getReorder() { return Reorder::Reassociates; }

SmallVector<AffineMap> MatmulOp::getStateMaps() { return {getViewMaps()[C]}; }

SmallVector<StringRef> MatmulOp::getStateNames() { return {"acc"}; }

SmallVector<Segment> MatmulOp::buildSegments(OpBuilder &b, Location loc,
                                             const TileContext &tile) {
  // Zero padding adds nothing: no part needs a mask.
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  return {{zero, tile.extents[K], /*masked=*/false}};
}

SmallVector<Value> MatmulOp::buildHead(OpBuilder &b, Location loc,
                                       const TileContext &tile) {
  return {TileBuilder{b, loc}.splat(0, {tile.sizes[M], tile.sizes[N]})};
}

SmallVector<Value> MatmulOp::buildFold(OpBuilder &b, Location loc,
                                       const TileContext &tile,
                                       ValueRange state, ValueRange tiles) {
  return {TileBuilder{b, loc}.dot(tiles[A], tiles[B], state[0])};
}

SmallVector<Value> MatmulOp::buildMerge(OpBuilder &b, Location loc,
                                        const TileContext &tile, ValueRange lhs,
                                        ValueRange rhs) {
  return {TileBuilder{b, loc}.add(lhs[0], rhs[0])};
}

SmallVector<Value> MatmulOp::buildTail(OpBuilder &b, Location loc,
                                       const TileContext &tile,
                                       ValueRange state) {
  return {TileBuilder{b, loc}.cast(state[0],
                                   getResult().getType().getElementType())};
}
