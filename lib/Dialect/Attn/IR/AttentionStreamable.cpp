//===- AttentionStreamable.cpp - Attention as a streamable op -------------===//
//
// The online softmax; the algebra is in the documentation of attn.attention.
// Weights are relative to what attn.advance makes of the maximum.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "attn-mlir/Dialect/Attn/IR/TileBuilder.h"

using namespace mlir;
using namespace attn;

namespace {
/// Positions of the axes in getStreamAxes.
enum Axis { Batch, KvHead, GroupHead, Query, Key, QkDim, ValueDim, NumAxes };
/// Positions of the views that are streamed past or stay. Behind them come the
/// lengths, where there are any, and the results.
enum View { Q, K, V, Lengths };
/// Positions in the state.
enum State { Factor, Reference, L, Acc };
} // namespace

SmallVector<StreamAxis> AttentionOp::getStreamAxes() {
  int64_t hkv = getNumKvHeads();
  RankedTensorType q = getQuery().getType(), k = getKey().getType();
  auto batch = StreamAxis{"batch", AxisKind::Unit, q.getDimSize(0), Q, 0, true};
  return {batch,
          {"kv_head", AxisKind::Unit, hkv, K, 1, true},
          {"group", AxisKind::Unit, getNumQueryHeads() / hkv},
          {"query", AxisKind::Group, q.getDimSize(getSeqDim()), Q, 2},
          {"key", AxisKind::Stream, k.getDimSize(getSeqDim()), K, 2},
          {"qk_dim", AxisKind::Whole, getQkDim(), Q, 3},
          {"value_dim", AxisKind::Whole, getValueDim(), V, 3}};
}

SmallVector<AffineMap> AttentionOp::getViewMaps() {
  auto d = [&](Axis axis) { return getAffineDimExpr(axis, getContext()); };
  AffineExpr head =
      d(KvHead) * (getNumQueryHeads() / getNumKvHeads()) + d(GroupHead);
  auto map = [&](ArrayRef<AffineExpr> exprs) {
    return AffineMap::get(NumAxes, 0, exprs, getContext());
  };
  SmallVector<AffineMap> maps{map({d(Batch), head, d(Query), d(QkDim)}),
                              map({d(Batch), d(KvHead), d(Key), d(QkDim)}),
                              map({d(Batch), d(KvHead), d(Key), d(ValueDim)})};
  if (getLengths())
    maps.push_back(map({d(Batch)}));
  maps.push_back(map({d(Batch), head, d(Query), d(ValueDim)}));
  if (getLse())
    maps.push_back(map({d(Batch), head, d(Query)}));
  return maps;
}

SmallVector<SmallVector<int64_t>> AttentionOp::getViewPermutations() {
  SmallVector<int64_t> perm{0, getHeadDim(), getSeqDim(), 3};
  SmallVector<SmallVector<int64_t>> perms(3, perm);
  if (getLengths())
    perms.push_back({0});
  perms.push_back(perm);
  if (getLse())
    perms.push_back({0, 1, 2});
  return perms;
}

SmallVector<StringRef> AttentionOp::getViewNames() {
  SmallVector<StringRef> names{"q", "k", "v"};
  if (getLengths())
    names.push_back("lengths");
  names.push_back("o");
  if (getLse())
    names.push_back("lse");
  return names;
}

SmallVector<Value> AttentionOp::getScalarCaptures() {
  return llvm::to_vector(getCaptures());
}

std::optional<unsigned> AttentionOp::getLengthsView() {
  return getLengths() ? std::optional<unsigned>(Lengths) : std::nullopt;
}

/// Of a key that is not there the mask takes the score away.
bool AttentionOp::wantsZerosBehind(unsigned view) { return view == V; }

Reorder AttentionOp::getReorder() { return Reorder::Reassociates; }

SmallVector<AffineMap> AttentionOp::getStateMaps() {
  AffineExpr query = getAffineDimExpr(Query, getContext()),
             value = getAffineDimExpr(ValueDim, getContext());
  SmallVector<AffineMap> maps(3, AffineMap::get(NumAxes, 0, query));
  maps.push_back(AffineMap::get(NumAxes, 0, {query, value}, getContext()));
  return maps;
}

SmallVector<StringRef> AttentionOp::getStateNames() {
  return {"factor", "reference", "sum", "acc"};
}

int64_t AttentionOp::getFoldTemporaries(ArrayRef<int64_t> sizes) {
  return sizes[Query] * sizes[Key];
}

SmallVector<Segment> AttentionOp::buildSegments(OpBuilder &b, Location loc,
                                                const TileContext &tile) {
  KeyRange range{};
  if (auto mask = getMaskAttr()) {
    // The last query of the tile that exists.
    TileBuilder t{b, loc};
    Value first = tile.offsets[Query];
    Value end = b.createOrFold<arith::MinSIOp>(
        loc, t.add(first, tile.sizes[Query]), tile.extents[Query]);
    range = mask.buildKeyRange(b, loc, {tile.extents[Query], tile.extents[Key]},
                               first, t.add(end, -1));
  }
  return buildRangeSegments(b, loc, tile, range);
}

/// What is left to multiply scores with behind buildScores: the scale, which
/// costs nothing there, unless they are modified or the scale is out of the
/// ordinary.
static float softmaxScale(AttentionOp op) {
  float scale = op.getScale().convertToFloat();
  return op.hasScoreMod() || !AdvanceOp::isValidScale(scale) ? 1 : scale;
}

SmallVector<Value> AttentionOp::buildHead(OpBuilder &b, Location loc,
                                          const TileContext &tile) {
  TileBuilder t{b, loc};
  int64_t rows = tile.sizes[Query];
  auto [factor, reference] = t.initialReference(rows, softmaxScale(*this));
  return {factor, reference, t.splat(0, {rows}),
          t.splat(0, {rows, tile.sizes[ValueDim]})};
}

/// The scores of a tile, but for softmaxScale: modified and masked.
static Value buildScores(AttentionOp op, const TileBuilder &t,
                         const TileContext &tile, Value dot) {
  SmallVector<int64_t> shape{tile.sizes[Query], tile.sizes[Key]};
  // Index tiles: needed by a modification everywhere, by a mask where it acts.
  Value rows = t.iota(0, tile.offsets[Query], shape);
  Value cols = t.iota(1, tile.offsets[Key], shape);
  float scale = op.getScale().convertToFloat();
  Value scores = scale == softmaxScale(op) ? dot : t.scale(dot, scale);
  if (op.hasScoreMod()) {
    int64_t group = tile.axes[GroupHead].extent;
    Value head =
        t.add(t.mul(tile.offsets[KvHead], group), tile.offsets[GroupHead]);
    SmallVector<Value> arguments{scores, tile.offsets[Batch], head, rows, cols};
    llvm::append_range(arguments, tile.scalars);
    scores = inlineOverTiles(t.b, op.getScore().front(), arguments, shape)[0];
  }
  Value keep;
  if (auto mask = op.getMaskAttr())
    keep = mask.buildPredicate(
        t.b, t.loc, {tile.extents[Query], tile.extents[Key]}, rows, cols);
  if (tile.hasPartialTile() &&
      !(op.getMaskAttr() && op.getMaskAttr().impliesKeyExists())) {
    Value exists = t.lessThan(cols, t.spread(tile.extents[Key], shape));
    keep = keep ? t.logicalAnd(keep, exists) : exists;
  }
  return keep ? t.mask(scores, keep) : scores;
}

SmallVector<Value> AttentionOp::buildFold(OpBuilder &b, Location loc,
                                          const TileContext &tile,
                                          ValueRange state, ValueRange tiles) {
  TileBuilder t{b, loc};
  int64_t rows = tile.sizes[Query], keys = tile.sizes[Key];
  Value dot = t.dot(tiles[Q], tiles[K], t.splat(0, {rows, keys}),
                    /*transposeRhs=*/true);
  Value scores = buildScores(*this, t, tile, dot);
  AdvanceOp now = t.advance(t.reduce(ReduceKind::Max, scores), state[Factor],
                            state[Reference], softmaxScale(*this));
  Value p = t.weights(scores, now.getFactor(), now.getReference());
  Value l = t.fma(state[L], now.getRescale(), t.reduce(ReduceKind::Sum, p));
  Value acc =
      t.mul(state[Acc], t.broadcast(now.getRescale(), tile.sizes[ValueDim]));
  Type type = getValue().getType().getElementType();
  return {now.getFactor(), now.getReference(), l,
          t.dot(t.cast(p, type), tiles[V], acc)};
}

SmallVector<Value> AttentionOp::buildMerge(OpBuilder &b, Location loc,
                                           const TileContext &tile,
                                           ValueRange lhs, ValueRange rhs) {
  TileBuilder t{b, loc};
  auto to = t.merge(lhs[Factor], lhs[Reference], rhs[Factor], rhs[Reference],
                    softmaxScale(*this));
  auto rescaled = [&](ValueRange part, Value rescale) {
    Value wide = t.broadcast(rescale, tile.sizes[ValueDim]);
    return std::pair(t.mul(part[L], rescale), t.mul(part[Acc], wide));
  };
  auto [l, acc] = rescaled(lhs, to.rescales[0]);
  auto [otherL, otherAcc] = rescaled(rhs, to.rescales[1]);
  return {to.factor, to.reference, t.add(l, otherL), t.add(acc, otherAcc)};
}

SmallVector<Value> AttentionOp::buildTail(OpBuilder &b, Location loc,
                                          const TileContext &tile,
                                          ValueRange state) {
  TileBuilder t{b, loc};
  Value out = t.divideRows(state[Acc], state[L]);
  SmallVector<Value> results{
      t.cast(out, getOutput().getType().getElementType())};
  if (getLse())
    // log2(0) = -inf, as wanted.
    results.push_back(t.logSum(state[Factor], state[Reference], state[L],
                               softmaxScale(*this)));
  return results;
}
