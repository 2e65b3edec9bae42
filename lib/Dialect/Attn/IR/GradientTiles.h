//===- GradientTiles.h - Gradients of tiles of pairs ------------*- C++ -*-===//
//
// The fold of a tile of pairs in either orientation.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_GRADIENTTILES_H
#define ATTN_LIB_DIALECT_ATTN_IR_GRADIENTTILES_H

#include "Derivatives.h"
#include "GradientViews.h"
#include "attn-mlir/Dialect/Attn/IR/RegionTiles.h"
#include "mlir/IR/IRMapping.h"
#include <limits>

namespace attn {
namespace gradients {

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
    appendDerivative(clonedScore->front(), g.differentiated);
  }

  /// P, in f32.
  Value buildWeights() {
    Value scores =
        g.isByKeys() ? product(kGradK, kGradQ) : product(kGradQ, kGradK);
    double exponents = g.exponentScale();
    if (!g.score->empty()) {
      SmallVector<Value> both =
          evaluate(*clonedScore, /*first=*/1, t.scale(scores, g.scale));
      scores = both[0];
      derivative = both[1];
    } else if (!(g.scale > 0)) {
      // A masked score is -inf, which only a positive factor keeps.
      scores = t.scale(scores, exponents);
      exponents = 1;
    }
    if (Value kept = buildKeep())
      scores = t.mask(scores, kept);
    // What was added may be as large as there are numbers (1e9 for padding),
    // of which products would not cancel: differences do.
    if (!g.score->empty())
      return t.exp2(
          t.scale(t.add(scores, ofQueries(kGradLse, exponents)), exponents));
    Value factor = t.splat(exponents, shape);
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
    bool hoists = !g.isByKeys() && g.hoists;
    OpBuilder outside = hoists ? outsideStream(t.b) : OpBuilder(t.b);
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
    RegionTiles tiles(t.b, region.front(), shape, g.hoists);
    if (scores)
      tiles.map(0, scores);
    // What depends on rows alone is computed in front of the stream.
    OpBuilder outside = g.hoists ? outsideStream(t.b) : OpBuilder(t.b);
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
    // Lists may name any block.
    bool mayReach = tile.hasPartialTile() || g.blocks();
    if (mayReach && !implied)
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
