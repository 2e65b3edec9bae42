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
  /// Of the zeros; without these there is no such axis.
  kRowZeroDim
};
enum RowDotView { kRowLhs, kRowRhs, kRowMinus };

unsigned numAxes(RowDotOp op) {
  return op.getZeros() ? kRowZeroDim + 1 : kRowZeroDim;
}
} // namespace

LogicalResult RowDotOp::verify() {
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType(),
                   result = getResult().getType();
  if (lhs.getRank() != 4)
    return emitOpError("lhs expects rank 4, but got ") << lhs;
  if (failed(verifyCompatibleShape(lhs, rhs)))
    return emitOpError("rhs expects the shape of lhs, ")
           << lhs << ", but got " << rhs;
  if (getPacked() && lhs.getDimSize(0) != 1)
    return emitOpError("lhs expects 1 as the first dimension of packed rows, "
                       "but got ")
           << lhs;
  unsigned head = headDimOf(getLayout()), query = seqDimOf(getLayout());
  if (lhs.isDynamicDim(head) || lhs.isDynamicDim(3) || lhs.getDimSize(3) == 0)
    return emitOpError("lhs expects static heads and a static last dimension "
                       "of 1 or more, but got ")
           << lhs;
  SmallVector<int64_t> wanted{lhs.getDimSize(0), lhs.getDimSize(head),
                              lhs.getDimSize(query)};
  if (result.getRank() != 3 ||
      failed(verifyCompatibleShape(result.getShape(), wanted)))
    return emitOpError("result expects ")
           << RankedTensorType::get(wanted, result.getElementType())
           << ", but got " << result;
  if (getMinus() &&
      failed(verifyCompatibleShape(getMinus().getType().getShape(), wanted)))
    return emitOpError("minus expects ")
           << RankedTensorType::get(wanted, result.getElementType())
           << ", but got " << getMinus().getType();
  if (!getZeros())
    return success();
  auto zeros = cast<RankedTensorType>(getZeros().getType());
  bool isKnown =
      zeros.getRank() == 5 && !zeros.isDynamicDim(4) && zeros.getDimSize(4) > 0;
  wanted.insert(wanted.begin(), 1);
  wanted.push_back(isKnown ? zeros.getDimSize(4) : lhs.getDimSize(3));
  if (isKnown && succeeded(verifyCompatibleShape(zeros.getShape(), wanted)))
    return success();
  return emitOpError("zeros expect ")
         << RankedTensorType::get(wanted, zeros.getElementType())
         << ", with any static last dimension of 1 or more, but got " << zeros;
}

SmallVector<StreamAxis> RowDotOp::getStreamAxes() {
  RankedTensorType lhs = getLhs().getType();
  SmallVector<StreamAxis> axes{
      {getPacked() ? "pack" : "batch", AxisKind::Unit, lhs.getDimSize(0),
       kRowLhs, 0, true},
      {"head", AxisKind::Unit, lhs.getDimSize(headDimOf(getLayout())), kRowLhs,
       1, true},
      {"query", AxisKind::Group, lhs.getDimSize(seqDimOf(getLayout())), kRowLhs,
       2, true},
      {"value_dim", AxisKind::Stream, lhs.getDimSize(3), kRowLhs, 3}};
  if (getZeros())
    axes.push_back(
        {"zero_dim", AxisKind::Whole,
         cast<RankedTensorType>(getZeros().getType()).getDimSize(4)});
  return axes;
}

SmallVector<AffineMap> RowDotOp::getViewMaps() {
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(numAxes(*this), 0, exprs, getContext());
  };
  auto d = [&](RowDotAxis axis) {
    return getAffineDimExpr(axis, getContext());
  };
  AffineMap all =
      map({d(kRowBatch), d(kRowHead), d(kRowQuery), d(kRowValueDim)});
  AffineMap rows = all.dropResult(kRowValueDim);
  SmallVector<AffineMap> maps{all, all, rows};
  if (getMinus())
    maps.push_back(rows);
  if (getZeros())
    maps.push_back(map({getAffineConstantExpr(0, getContext()), d(kRowBatch),
                        d(kRowHead), d(kRowQuery), d(kRowZeroDim)}));
  return maps;
}

SmallVector<SmallVector<int64_t>> RowDotOp::getViewPermutations() {
  SmallVector<int64_t> perm{0, headDimOf(getLayout()), seqDimOf(getLayout()),
                            3};
  SmallVector<SmallVector<int64_t>> perms{perm, perm, {0, 1, 2}};
  if (getMinus())
    perms.push_back({0, 1, 2});
  if (getZeros())
    perms.push_back({0, 1, 2, 3, 4});
  return perms;
}

SmallVector<StringRef> RowDotOp::getViewNames() {
  SmallVector<StringRef> names{"x", "y"};
  if (getMinus())
    names.push_back("minus");
  names.push_back("dots");
  if (getZeros())
    names.push_back("zeros");
  return names;
}

bool RowDotOp::readsElements(unsigned view) {
  return getMinus() && view == kRowMinus;
}

SmallVector<unsigned> RowDotOp::getTailViews() {
  return getMinus() ? SmallVector<unsigned>{kRowMinus}
                    : SmallVector<unsigned>();
}

Reorder RowDotOp::getReorder() { return Reorder::Reassociates; }

SmallVector<AffineMap> RowDotOp::getStateMaps() {
  return {AffineMap::get(numAxes(*this), 0,
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
  TileBuilder t{b, loc};
  SmallVector<Value> results{state[0]};
  if (getMinus()) {
    Value rows = t.iota(0, tile.offsets[kRowQuery], {tile.sizes[kRowQuery]});
    Value minus = GatherOp::create(
        b, loc, state[0].getType(), tile.views[kRowMinus],
        ValueRange{tile.offsets[kRowBatch], tile.offsets[kRowHead], rows});
    results[0] = t.sub(state[0], minus);
  }
  if (getZeros())
    results.push_back(
        t.splat(0, {tile.sizes[kRowQuery], tile.sizes[kRowZeroDim]}));
  return results;
}
