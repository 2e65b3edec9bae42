//===- GradientTiles.h - Gradients of tiles of pairs ------------*- C++ -*-===//
//
// What the streamable operations of gradients share: axes, views, and the fold
// of a tile of pairs in either orientation.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_GRADIENTTILES_H
#define ATTN_LIB_DIALECT_ATTN_IR_GRADIENTTILES_H

#include "AttentionRegions.h"
#include "Derivatives.h"
#include "attn-mlir/Dialect/Attn/IR/AttnGradientOps.h"
#include "attn-mlir/Dialect/Attn/IR/RegionTiles.h"
#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "attn-mlir/Dialect/Attn/IR/TileBuilder.h"
#include "mlir/IR/IRMapping.h"
#include <limits>

namespace attn {
namespace gradients {

using namespace mlir;
/// Positions of the views of all operations; behind them come the sum that the
/// fused one adds to, offsets of packed sequences, tensors that regions
/// capture, and the results.
enum GradientView {
  kGradQ,
  kGradK,
  kGradV,
  kGradDO,
  kGradLse,
  kGradDelta,
  kGradSum
};

/// Positions of the axes, which differ.
struct GradientAxes {
  unsigned batch, kvHead, group, query, key, qkDim, valueDim;
};
inline constexpr unsigned kNumGradientAxes = 7;
inline constexpr GradientAxes kByQueries{0, 1, 2, 3, 4, 5, 6};
inline constexpr GradientAxes kByKeys{0, 1, 3, 4, 2, 5, 6};

/// What both operations have.
struct Gradient {
  Operation *op;
  GradientAxes at;
  TensorLayout layout;
  RankedTensorType q, k, v;
  MaskInterface mask;
  float scale;
  Region *score, *keep;
  OperandRange captures;
  /// What says where packed sequences begin; null where none are.
  TypedValue<RankedTensorType> queryOffsets, keyOffsets;
  /// Of the first view behind those that all have.
  unsigned firstOther;

  std::optional<unsigned> queryOffsetsView() const {
    return queryOffsets ? std::optional(firstOther) : std::nullopt;
  }
  std::optional<unsigned> keyOffsetsView() const {
    return keyOffsets ? std::optional(firstOther + (queryOffsets ? 1 : 0))
                      : std::nullopt;
  }
  SmallVector<std::optional<unsigned>> captureViews() const {
    return attn::captureViews(captures, firstOther + (queryOffsets ? 1 : 0) +
                                            (keyOffsets ? 1 : 0));
  }
  bool isByKeys() const { return at.key < at.query; }
  int64_t kvHeads() const { return k.getDimSize(headDimOf(layout)); }
  int64_t groupSize() const {
    return q.getDimSize(headDimOf(layout)) / kvHeads();
  }
  /// Whether rows of a tile that are of another sequence contribute, unless
  /// they are masked.
  bool addsOfNeighbours() const { return keyOffsets && firstOther > kGradSum; }
  MLIRContext *context() const { return op->getContext(); }
  /// What the products of query and key are multiplied by on the way to base-2
  /// exponents, all at once unless a modification sees them before.
  double exponentScale() const {
    return (score->empty() ? double(scale) : 1.0) * llvm::numbers::log2e;
  }
};

template <typename Op> Gradient gradientOf(Op op, const GradientAxes &axes) {
  return {op,
          axes,
          op.getLayout(),
          op.getQuery().getType(),
          op.getKey().getType(),
          op.getValue().getType(),
          op.getMaskAttr(),
          op.getScale().convertToFloat(),
          &op.getScore(),
          &op.getKeep(),
          op.getCaptures(),
          op.getQueryOffsets(),
          op.getKeyOffsets(),
          std::is_same_v<Op, AttentionBackwardFusedOp> ? kGradSum + 1u
                                                       : kGradSum};
}

inline Gradient gradientOf(AttentionBackwardQueryOp op) {
  return gradientOf(op, kByQueries);
}
inline Gradient gradientOf(AttentionBackwardKeyOp op) {
  return gradientOf(op, kByKeys);
}
inline Gradient gradientOf(AttentionBackwardFusedOp op) {
  return gradientOf(op, kByKeys);
}

//===----------------------------------------------------------------------===//
// Axes and views
//===----------------------------------------------------------------------===//

/// Of the axis of sequences that these offsets, one more than there are, pack.
inline void setPackedOwner(StreamAxis &axis, RankedTensorType offsets,
                           unsigned view) {
  int64_t numbers = offsets.getDimSize(0);
  axis.extent = ShapedType::isDynamic(numbers) ? numbers : numbers - 1;
  axis.view = view;
  axis.surplus = 1;
}

inline SmallVector<StreamAxis> axesOf(const Gradient &g) {
  unsigned seq = seqDimOf(g.layout);
  AxisKind query = g.isByKeys() ? AxisKind::Stream : AxisKind::Group,
           key = g.isByKeys() ? AxisKind::Group : AxisKind::Stream,
           group = g.isByKeys() ? AxisKind::Steps : AxisKind::Unit;
  SmallVector<StreamAxis> axes(kNumGradientAxes);
  axes[g.at.batch] = {"batch", AxisKind::Unit, g.q.getDimSize(0), kGradQ, 0,
                      true};
  if (g.queryOffsets)
    setPackedOwner(axes[g.at.batch], g.queryOffsets.getType(),
                   *g.queryOffsetsView());
  axes[g.at.kvHead] = {"kv_head", AxisKind::Unit, g.kvHeads(), kGradK, 1, true};
  axes[g.at.group] = {"group", group, g.groupSize()};
  axes[g.at.query] = {"query", query, g.q.getDimSize(seq), kGradQ, 2};
  axes[g.at.key] = {"key", key, g.k.getDimSize(seq), kGradK, 2};
  axes[g.at.qkDim] = {"qk_dim", AxisKind::Whole, g.q.getDimSize(3), kGradQ, 3};
  axes[g.at.valueDim] = {"value_dim", AxisKind::Whole, g.v.getDimSize(3),
                         kGradV, 3};
  return axes;
}

inline AffineMap mapOf(const Gradient &g, ArrayRef<AffineExpr> exprs) {
  return AffineMap::get(kNumGradientAxes, 0, exprs, g.context());
}

/// Maps of Q, of K, of V and of what has a value dimension and queries.
struct GradientMaps {
  AffineMap q, k, v, o, rows, querySum;

  explicit GradientMaps(const Gradient &g) {
    auto d = [&](unsigned axis) { return getAffineDimExpr(axis, g.context()); };
    AffineExpr head = d(g.at.kvHead) * g.groupSize() + d(g.at.group),
               zero = getAffineConstantExpr(0, g.context());
    // Where sequences are packed, they are not along a dimension of their own.
    AffineExpr ofQueries = g.queryOffsets ? zero : d(g.at.batch),
               ofKeys = g.keyOffsets ? zero : d(g.at.batch);
    q = mapOf(g, {ofQueries, head, d(g.at.query), d(g.at.qkDim)});
    k = mapOf(g, {ofKeys, d(g.at.kvHead), d(g.at.key), d(g.at.qkDim)});
    v = mapOf(g, {ofKeys, d(g.at.kvHead), d(g.at.key), d(g.at.valueDim)});
    o = mapOf(g, {ofQueries, head, d(g.at.query), d(g.at.valueDim)});
    rows = mapOf(g, {ofQueries, head, d(g.at.query)});
    querySum = mapOf(g, {zero, ofQueries, head, d(g.at.query), d(g.at.qkDim)});
    if (g.queryOffsets)
      others.push_back(mapOf(g, {d(g.at.batch)}));
    if (g.keyOffsets)
      others.push_back(mapOf(g, {d(g.at.batch)}));
    for (auto [number, capture] : llvm::enumerate(g.captures))
      if (isa<RankedTensorType>(capture.getType()))
        others.push_back(mapOf(
            g, captureDims({g.score, g.keep}, g.captures, number,
                           {d(g.at.batch), head, d(g.at.query), d(g.at.key)})));
  }
  /// Of all operands, and of the results behind them.
  SmallVector<AffineMap> withResults(ArrayRef<AffineMap> results) const {
    SmallVector<AffineMap> maps{q, k, v, o, rows, rows};
    if (results.size() > 2)
      maps.push_back(querySum);
    llvm::append_range(maps, others);
    llvm::append_range(maps, results);
    return maps;
  }

private:
  /// Of offsets and captures.
  SmallVector<AffineMap> others;
};

inline SmallVector<SmallVector<int64_t>> permutationsOf(const Gradient &g) {
  SmallVector<int64_t> perm{0, headDimOf(g.layout), seqDimOf(g.layout), 3},
      rows{0, 1, 2};
  SmallVector<SmallVector<int64_t>> perms{perm, perm, perm, perm, rows, rows};
  bool contributes = g.firstOther > kGradSum;
  SmallVector<int64_t> sums{0, 1, 2, 3, 4};
  if (contributes)
    perms.push_back(sums);
  // Offsets and captures are as they are.
  for (Value other : g.op->getOperands().drop_front(g.firstOther))
    if (auto type = dyn_cast<RankedTensorType>(other.getType()))
      perms.push_back(llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  perms.resize(perms.size() + g.op->getNumResults(), perm);
  if (contributes)
    perms.back() = sums;
  return perms;
}

inline SmallVector<StringRef> namesOf(const Gradient &g,
                                      ArrayRef<StringRef> results) {
  SmallVector<StringRef> names{"q", "k", "v", "do", "lse", "delta"};
  if (g.firstOther > kGradSum)
    names.push_back("sum");
  if (g.queryOffsets)
    names.push_back("cu_seqlens_q");
  if (g.keyOffsets)
    names.push_back("cu_seqlens_k");
  unsigned tensors = 0;
  for (std::optional<unsigned> view : g.captureViews())
    if (view)
      names.push_back(
          StringAttr::get(g.context(), "tensor" + Twine(tensors++)).getValue());
  llvm::append_range(names, results);
  return names;
}

inline SmallVector<PackedAxis> packedAxesOf(const Gradient &g) {
  SmallVector<PackedAxis> axes;
  if (g.queryOffsets)
    axes.push_back({g.at.query, g.at.batch, *g.queryOffsetsView()});
  if (g.keyOffsets)
    axes.push_back({g.at.key, g.at.batch, *g.keyOffsetsView()});
  return axes;
}

/// Of what is one a query nothing is multiplied: it is replaced behind the end.
inline bool wantsZeros(unsigned view) {
  return view != kGradLse && view != kGradDelta;
}

/// The map of a sum of the state: a grouped axis, and one that is held whole.
inline AffineMap sumMap(const Gradient &g, unsigned row, unsigned column) {
  return mapOf(g, {getAffineDimExpr(row, g.context()),
                   getAffineDimExpr(column, g.context())});
}

/// Scores that become weights and gradients, in f32, and both again as they are
/// multiplied.
inline int64_t temporariesOf(const Gradient &g, ArrayRef<int64_t> sizes) {
  return 3 * sizes[g.at.query] * sizes[g.at.key];
}

/// The part of the streamed axis that matters to a tile of the grouped one.
inline SmallVector<Segment> segmentsOf(const Gradient &g, OpBuilder &b,
                                       Location loc, const TileContext &tile) {
  KeyRange range{};
  TileBuilder t{b, loc};
  if (g.mask) {
    unsigned grouped = g.isByKeys() ? g.at.key : g.at.query;
    MaskSizes sizes{tile.extents[g.at.query], tile.extents[g.at.key]};
    Value first = tile.offsets[grouped];
    // The last of the tile that exists.
    Value end = b.createOrFold<arith::MinSIOp>(
        loc, t.add(first, tile.sizes[grouped]), tile.extents[grouped]);
    Value last = t.add(end, -1);
    range = g.isByKeys() ? g.mask.buildQueryRange(b, loc, sizes, first, last)
                         : g.mask.buildKeyRange(b, loc, sizes, first, last);
  }
  // What a region keeps may be anything; and keys behind a sequence would add
  // to the gradient of its queries.
  range.partial |= !g.keep->empty() || g.addsOfNeighbours();
  return buildRangeSegments(b, loc, tile, range);
}

//===----------------------------------------------------------------------===//
// One tile of pairs
//===----------------------------------------------------------------------===//

/// Weights and their gradients, of a tile of pairs in either orientation.
class PairTile {
public:
  PairTile(const Gradient &g, OpBuilder &b, Location loc,
           const TileContext &tile, ValueRange tiles)
      : g(g), t{b, loc}, tile(tile), tiles(tiles),
        rowAxis(g.isByKeys() ? g.at.key : g.at.query),
        columnAxis(g.isByKeys() ? g.at.query : g.at.key),
        shape{tile.sizes[rowAxis], tile.sizes[columnAxis]} {
    clonedScore = std::make_unique<Region>();
    if (g.score->empty())
      return;
    IRMapping map;
    g.score->cloneInto(clonedScore.get(), map);
    appendDerivative(clonedScore->front(), /*argument=*/0);
  }

  /// P, in f32.
  Value buildWeights() {
    Value scores =
        g.isByKeys() ? product(kGradK, kGradQ) : product(kGradQ, kGradK);
    if (!g.score->empty()) {
      SmallVector<Value> both =
          evaluate(*clonedScore, /*first=*/1, t.scale(scores, g.scale));
      scores = both[0];
      derivative = both[1];
    }
    if (Value kept = buildKeep())
      scores = t.mask(scores, kept);
    Value factor = t.splat(g.exponentScale(), shape);
    return t.exp2(t.fma(scores, factor, ofQueries(kGradLse)));
  }

  /// The same of pairs by keys, with scores that start from -LSE, in their own
  /// units, where these are plain products that are rounded afterwards.
  Value buildWeightsAtOnce() {
    constexpr float kMost = 1 << 20;
    bool isRounded = !getElementTypeOrSelf(tiles[kGradQ]).isF32();
    if (!g.score->empty() || !isRounded || g.scale > kMost ||
        !(g.scale * kMost > 1))
      return buildWeights();
    Value scores = t.dot(tiles[kGradK], tiles[kGradQ],
                         ofQueries(kGradLse, /*unit=*/g.exponentScale()),
                         /*transposeRhs=*/true);
    if (Value kept = buildKeep())
      scores = t.mask(scores, kept);
    return t.exp2(t.scale(scores, g.exponentScale()));
  }

  /// dX, in f32, but for the scale.
  Value buildGradient(Value weights) {
    Value change =
        g.isByKeys() ? product(kGradV, kGradDO) : product(kGradDO, kGradV);
    return gradientFrom(weights, t.sub(change, ofQueries(kGradDelta)));
  }

  /// The same of pairs by keys, with a product that starts from -delta, which
  /// then takes no registers beside the product.
  Value buildGradientAtOnce(Value weights) {
    Value negative = t.scale(held(kGradDelta), -1);
    Value start = BroadcastOp::create(
        t.b, t.loc, RankedTensorType::get(shape, t.b.getF32Type()), negative);
    return gradientFrom(weights, t.dot(tiles[kGradV], tiles[kGradDO], start,
                                       /*transposeRhs=*/true));
  }

  /// The tile as it is multiplied.
  Value round(Value pairs) {
    return t.cast(pairs, getElementTypeOrSelf(tiles[kGradQ]));
  }

  /// sum + tile x rhs.
  Value addProduct(Value rounded, GradientView rhs, Value sum) {
    return t.dot(rounded, tiles[rhs], sum);
  }

  /// What pairs by keys and queries add to the gradient of the queries.
  Value contribution(Value rounded) {
    return t.dot(rounded, tiles[kGradK],
                 t.splat(0, {shape[1], tile.sizes[g.at.qkDim]}),
                 /*transposeRhs=*/false, /*transposeLhs=*/true);
  }

private:
  Value gradientFrom(Value weights, Value change) {
    Value gradient = t.mul(weights, change);
    return derivative ? t.mul(gradient, derivative) : gradient;
  }

  Value product(GradientView lhs, GradientView rhs) {
    return t.dot(tiles[lhs], tiles[rhs], t.splat(0, shape),
                 /*transposeRhs=*/true);
  }

  /// What there is one of for each query: of LSE minus the exponent that it is,
  /// in units of `unit`. Where queries are rows it is computed once, before the
  /// stream.
  Value ofQueries(GradientView view, double unit = 1) {
    OpBuilder outside = g.isByKeys() ? OpBuilder(t.b) : outsideStream(t.b);
    TileBuilder once{outside, t.loc};
    Value values = held(view);
    if (view == kGradLse) {
      // Of a query without keys it is infinite: all weights are 0.
      constexpr double kNone = -std::numeric_limits<double>::infinity();
      Value none = once.splat(kNone, once.shapeOf(values));
      values = once.select(once.equal(values, none), none,
                           once.scale(values, -llvm::numbers::log2e / unit));
    }
    auto type = RankedTensorType::get(shape, t.b.getF32Type());
    return BroadcastOp::create(t.b, t.loc, type, values);
  }

  /// What there is one of for each query, with zeros in the place of what is of
  /// the next sequence, which may be anything.
  Value held(GradientView view) {
    Value values = tiles[view];
    if (!g.isByKeys() || !g.queryOffsets)
      return values;
    SmallVector<int64_t> row(t.shapeOf(values));
    Value exists = t.lessThan(t.iota(1, tile.offsets[g.at.query], row),
                              t.spread(tile.extents[g.at.query], row));
    return t.select(exists, values, t.splat(0, row));
  }

  /// The index of each element along an axis of the op.
  Value indices(unsigned axis) {
    return t.iota(axis == rowAxis ? 0 : 1, tile.offsets[axis], shape);
  }

  /// What a region yields for the tile: `scores` is its argument before the
  /// indices, if it has one.
  SmallVector<Value> evaluate(Region &region, unsigned first, Value scores) {
    RegionTiles tiles(t.b, region.front(), shape);
    if (scores)
      tiles.map(0, scores);
    // What depends on rows alone is computed in front of the stream.
    OpBuilder outside = outsideStream(t.b);
    TileBuilder once{outside, t.loc};
    Value head = once.add(once.mul(tile.offsets[g.at.kvHead], g.groupSize()),
                          tile.offsets[g.at.group]);
    SmallVector<Value> arguments{tile.offsets[g.at.batch], head,
                                 indices(g.at.query), indices(g.at.key)};
    llvm::append_range(arguments, captureValues(g.captureViews(), tile));
    for (auto [i, value] : llvm::enumerate(arguments))
      tiles.map(first + i, value);
    return tiles.finish();
  }

  /// Which pairs take part; null for all.
  Value buildKeep() {
    Value keep;
    auto restrict = [&](Value other) {
      keep = keep ? t.logicalAnd(keep, other) : other;
    };
    MaskSizes sizes{tile.extents[g.at.query], tile.extents[g.at.key]};
    if (g.mask)
      if (Value kept = g.mask.buildPredicate(
              t.b, t.loc, sizes, indices(g.at.query), indices(g.at.key)))
        restrict(kept);
    if (!g.keep->empty())
      restrict(evaluate(*g.keep, /*first=*/0, Value()).front());
    bool implied = !g.isByKeys() && g.mask && g.mask.impliesKeyExists();
    if (tile.hasPartialTile() && !implied)
      restrict(t.lessThan(indices(columnAxis),
                          t.spread(tile.extents[columnAxis], shape)));
    if (g.addsOfNeighbours())
      restrict(
          t.lessThan(indices(rowAxis), t.spread(tile.extents[rowAxis], shape)));
    return keep;
  }

  const Gradient &g;
  TileBuilder t;
  const TileContext &tile;
  ValueRange tiles;
  unsigned rowAxis, columnAxis;
  SmallVector<int64_t> shape;
  /// The modification, with its derivative.
  std::unique_ptr<Region> clonedScore;
  /// The derivative, as a tile; null where it is 1.
  Value derivative;
};

/// A result: a sum that may still want the scale.
inline Value finishSum(const Gradient &g, OpBuilder &b, Location loc, Value sum,
                       Value result, bool scaled) {
  TileBuilder t{b, loc};
  return t.cast(scaled ? t.scale(sum, g.scale) : sum,
                getElementTypeOrSelf(result));
}

/// The sums of dK and dV with one more tile of pairs, and what that adds to dQ.
inline SmallVector<Value> foldByKeys(const Gradient &g, OpBuilder &b,
                                     Location loc, const TileContext &tile,
                                     ValueRange state, ValueRange tiles,
                                     bool contributes) {
  PairTile pairs(g, b, loc, tile, tiles);
  Value weights =
            contributes ? pairs.buildWeightsAtOnce() : pairs.buildWeights(),
        dv;
  auto addValues = [&] {
    dv = pairs.addProduct(pairs.round(weights), kGradDO, state[1]);
  };
  if (!contributes)
    addValues();
  Value gradient = pairs.round(contributes ? pairs.buildGradientAtOnce(weights)
                                           : pairs.buildGradient(weights));
  // Weights in two types at once are registers that the sums leave no room for.
  if (contributes)
    addValues();
  SmallVector<Value> folded{pairs.addProduct(gradient, kGradQ, state[0]), dv};
  if (contributes)
    folded.push_back(pairs.contribution(gradient));
  return folded;
}

/// dK and dV, the first two results.
inline SmallVector<Value> finishByKeys(const Gradient &g, OpBuilder &b,
                                       Location loc, ValueRange state) {
  auto results = g.op->getResults();
  return {finishSum(g, b, loc, state[0], results[0], /*scaled=*/true),
          finishSum(g, b, loc, state[1], results[1], /*scaled=*/false)};
}

inline SmallVector<Value> addStates(OpBuilder &b, Location loc, ValueRange lhs,
                                    ValueRange rhs) {
  SmallVector<Value> sums;
  for (auto [l, r] : llvm::zip_equal(lhs, rhs))
    sums.push_back(TileBuilder{b, loc}.add(l, r));
  return sums;
}

inline SmallVector<Value> buildZeros(OpBuilder &b, Location loc,
                                     ArrayRef<AffineMap> maps,
                                     const TileContext &tile) {
  SmallVector<Value> zeros;
  for (AffineMap map : maps) {
    SmallVector<int64_t> shape;
    for (AffineExpr expr : map.getResults())
      shape.push_back(tile.sizes[cast<AffineDimExpr>(expr).getPosition()]);
    zeros.push_back(TileBuilder{b, loc}.splat(0, shape));
  }
  return zeros;
}

} // namespace gradients
} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_IR_GRADIENTTILES_H
