//===- MergeStatesOp.cpp - Parts of attention as one ----------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "attn-mlir/Dialect/Attn/IR/TileBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"
#include <limits>

using namespace mlir;
using namespace attn;

namespace {
enum PartAxis { kBatch, kHead, kQuery, kPart, kDim, kNumAxes };
enum PartView { kOutputs, kLses };
enum PartState { kMaximum, kSum, kAcc };

constexpr double kNone = -std::numeric_limits<double>::infinity();
} // namespace

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

LogicalResult MergeStatesOp::verify() {
  RankedTensorType all = getOutputs().getType(), lses = getLses().getType(),
                   out = getOutput().getType();
  if (all.getRank() != 5)
    return emitOpError("expected outputs of rank 5, [parts, batch, heads, "
                       "queries, D] in the order of its layout, but got ")
           << all;
  unsigned head = headDimOf(getLayout()), query = seqDimOf(getLayout());
  int64_t columns = all.getDimSize(4);
  if (ShapedType::isDynamic(columns) || columns == 0)
    return emitOpError("expected a static D of 1 or more, but got ") << all;
  auto expect = [&](StringRef name, RankedTensorType type,
                    ArrayRef<int64_t> shape) -> LogicalResult {
    if (type.getRank() == static_cast<int64_t>(shape.size()) &&
        succeeded(verifyCompatibleShape(type.getShape(), shape)))
      return success();
    return emitOpError("expected ")
           << name << " of "
           << RankedTensorType::get(shape, type.getElementType())
           << ", as its outputs have, but got " << type;
  };
  int64_t parts = all.getDimSize(0), batch = all.getDimSize(1),
          heads = all.getDimSize(1 + head), queries = all.getDimSize(1 + query);
  if (failed(expect("lses", lses, {parts, batch, heads, queries})) ||
      failed(expect("a result", out, all.getShape().drop_front())))
    return failure();
  return getLse()
             ? expect("an LSE", getLse().getType(), {batch, heads, queries})
             : success();
}

SmallVector<StreamAxis> MergeStatesOp::getStreamAxes() {
  RankedTensorType all = getOutputs().getType();
  unsigned head = 1 + headDimOf(getLayout()), query = 1 + seqDimOf(getLayout());
  return {{"batch", AxisKind::Unit, all.getDimSize(1), kOutputs, 1, true},
          {"head", AxisKind::Unit, all.getDimSize(head), kOutputs, 2, true},
          {"query", AxisKind::Group, all.getDimSize(query), kOutputs, 3, true},
          {"part", AxisKind::Steps, all.getDimSize(0), kOutputs, 0},
          {"dim", AxisKind::Whole, all.getDimSize(4), kOutputs, 4}};
}

SmallVector<AffineMap> MergeStatesOp::getViewMaps() {
  auto map = [&](ArrayRef<PartAxis> axes) {
    SmallVector<AffineExpr> exprs;
    for (PartAxis axis : axes)
      exprs.push_back(getAffineDimExpr(axis, getContext()));
    return AffineMap::get(kNumAxes, 0, exprs, getContext());
  };
  SmallVector<AffineMap> maps{map({kPart, kBatch, kHead, kQuery, kDim}),
                              map({kPart, kBatch, kHead, kQuery}),
                              map({kBatch, kHead, kQuery, kDim})};
  if (getLse())
    maps.push_back(map({kBatch, kHead, kQuery}));
  return maps;
}

SmallVector<SmallVector<int64_t>> MergeStatesOp::getViewPermutations() {
  int64_t head = headDimOf(getLayout()), query = seqDimOf(getLayout());
  SmallVector<SmallVector<int64_t>> perms{
      {0, 1, 1 + head, 1 + query, 4}, {0, 1, 2, 3}, {0, head, query, 3}};
  if (getLse())
    perms.push_back({0, 1, 2});
  return perms;
}

SmallVector<StringRef> MergeStatesOp::getViewNames() {
  SmallVector<StringRef> names{"os", "lses", "o"};
  if (getLse())
    names.push_back("lse");
  return names;
}

//===----------------------------------------------------------------------===//
// State: the largest LSE, the sum of exponentials relative to it, and the sum
// of outputs with these weights
//===----------------------------------------------------------------------===//

Reorder MergeStatesOp::getReorder() { return Reorder::Reassociates; }

SmallVector<AffineMap> MergeStatesOp::getStateMaps() {
  AffineExpr query = getAffineDimExpr(kQuery, getContext()),
             dim = getAffineDimExpr(kDim, getContext());
  AffineMap rows = AffineMap::get(kNumAxes, 0, query);
  return {rows, rows, AffineMap::get(kNumAxes, 0, {query, dim}, getContext())};
}

SmallVector<StringRef> MergeStatesOp::getStateNames() {
  return {"maximum", "sum", "acc"};
}

int64_t MergeStatesOp::getFoldTemporaries(ArrayRef<int64_t> sizes) {
  return sizes[kQuery] * sizes[kDim];
}

SmallVector<Segment> MergeStatesOp::buildSegments(OpBuilder &b, Location loc,
                                                  const TileContext &tile) {
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  return {{zero, tile.extents[kPart], /*masked=*/false}};
}

SmallVector<Value> MergeStatesOp::buildHead(OpBuilder &b, Location loc,
                                            const TileContext &tile) {
  TileBuilder t{b, loc};
  int64_t rows = tile.sizes[kQuery];
  return {t.splat(kNone, {rows}), t.splat(0, {rows}),
          t.splat(0, {rows, tile.sizes[kDim]})};
}

/// A part by itself: its weight is 1, or 0 where it saw no key.
SmallVector<Value> MergeStatesOp::buildFold(OpBuilder &b, Location loc,
                                            const TileContext &tile,
                                            ValueRange state,
                                            ValueRange tiles) {
  TileBuilder t{b, loc};
  int64_t rows = tile.sizes[kQuery], columns = tile.sizes[kDim];
  Value lse = tiles[kLses], out = tiles[kOutputs];
  auto wide = RankedTensorType::get({rows, columns}, b.getF32Type());
  if (out.getType() != wide)
    out = arith::ExtFOp::create(b, loc, wide, out);
  Value none = t.equal(lse, t.splat(kNone, {rows}));
  Value weight = t.select(none, t.splat(0, {rows}), t.splat(1, {rows}));
  Value unused =
      t.equal(t.broadcast(weight, columns), t.splat(0, {rows, columns}));
  Value used = t.select(unused, t.splat(0, {rows, columns}), out);
  SmallVector<Value> part{lse, weight, used};
  return buildMerge(b, loc, tile, state, part);
}

SmallVector<Value> MergeStatesOp::buildMerge(OpBuilder &b, Location loc,
                                             const TileContext &tile,
                                             ValueRange lhs, ValueRange rhs) {
  TileBuilder t{b, loc};
  int64_t rows = tile.sizes[kQuery];
  Value maximum = t.max(lhs[kMaximum], rhs[kMaximum]);
  // -inf - -inf would be NaN.
  Value none = t.equal(maximum, t.splat(kNone, {rows}));
  Value reference = t.select(none, t.splat(0, {rows}), maximum);
  auto rescaled = [&](ValueRange part) {
    Value factor =
        t.exp2(t.scale(t.sub(part[kMaximum], reference), llvm::numbers::log2e));
    return std::pair(t.mul(part[kSum], factor),
                     t.mul(part[kAcc], t.broadcast(factor, tile.sizes[kDim])));
  };
  auto [sum, acc] = rescaled(lhs);
  auto [otherSum, otherAcc] = rescaled(rhs);
  return {maximum, t.add(sum, otherSum), t.add(acc, otherAcc)};
}

SmallVector<Value> MergeStatesOp::buildTail(OpBuilder &b, Location loc,
                                            const TileContext &tile,
                                            ValueRange state) {
  TileBuilder t{b, loc};
  Value out = t.divideRows(state[kAcc], state[kSum]);
  SmallVector<Value> results{
      t.cast(out, getOutput().getType().getElementType())};
  // log2(0) = -inf, as wanted.
  if (getLse())
    results.push_back(t.add(state[kMaximum],
                            t.scale(t.log2(state[kSum]), llvm::numbers::ln2)));
  return results;
}
