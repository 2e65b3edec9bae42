//===- CaptureGradientStreamable.cpp - Gradients of captures --------------===//
//
// The sum of tiles of pairs over whatever dimensions the result lacks. A grid
// that groups what it has, and streams the rest, adds all of a tile in one CTA.
//
//===----------------------------------------------------------------------===//

#include "GradientTiles.h"

using namespace mlir;
using namespace attn;
using namespace attn::gradients;

namespace {

/// By keys, with the axes of the grid before those that are streamed.
constexpr GradientAxes kByKeysInGrid{0, 1, 2, 4, 3, 5, 6};

/// What the result is summed over.
struct Sums {
  bool batch, heads, queries, keys;

  explicit Sums(AttentionBackwardCaptureOp op) {
    RankedTensorType type = op.getCaptureGradient().getType(),
                     q = op.getQuery().getType();
    unsigned head = headDimOf(op.getLayout()), seq = seqDimOf(op.getLayout());
    auto isSum = [&](unsigned dim, unsigned ofQuery) {
      return type.getDimSize(dim) == 1 && q.getDimSize(ofQuery) != 1;
    };
    // A packed sequence is not summed with others.
    batch = isSum(0, 0) && !op.getQueryOffsets() && !op.getKeyOffsets();
    heads = isSum(1, head);
    keys = type.getRank() == 3;
    queries = !keys && isSum(2, seq);
  }
  bool pairs() const { return queries || keys; }
};

/// The axes among batch and heads that are summed over.
SmallVector<unsigned> stepsOf(const Gradient &g, const Sums &sums) {
  SmallVector<unsigned> steps;
  if (sums.batch)
    steps.push_back(g.at.batch);
  if (sums.heads && g.kvHeads() > 1)
    steps.push_back(g.at.kvHead);
  if (sums.heads && g.groupSize() > 1)
    steps.push_back(g.at.group);
  return steps;
}

Gradient gradientOf(AttentionBackwardCaptureOp op) {
  Sums sums(op);
  Gradient g =
      gradients::gradientOf(op, sums.queries ? kByKeysInGrid : kByQueries);
  SmallVector<unsigned> steps = stepsOf(g, sums);
  if (!sums.pairs() && steps.empty())
    g.once = g.numAxes++;
  g.hoists = steps.empty();
  g.differentiated = scoreArgumentOf(op.getOf());
  return g;
}

/// The dimensions of a tile of the result.
SmallVector<unsigned> keptOf(const Gradient &g, const Sums &sums) {
  SmallVector<unsigned> kept;
  if (!sums.queries)
    kept.push_back(g.at.query);
  if (!sums.keys)
    kept.push_back(g.at.key);
  return kept;
}

} // namespace

SmallVector<StreamAxis> AttentionBackwardCaptureOp::getStreamAxes() {
  Sums sums(*this);
  Gradient g = gradientOf(*this);
  SmallVector<StreamAxis> axes = axesOf(g);
  axes[g.at.group].kind = AxisKind::Unit;
  axes[g.at.query].kind = sums.queries ? AxisKind::Stream : AxisKind::Group;
  axes[g.at.key].kind = sums.keys ? AxisKind::Stream : AxisKind::Group;
  for (unsigned axis : stepsOf(g, sums))
    axes[axis].kind = AxisKind::Steps;
  if (g.once)
    axes.push_back({"once", AxisKind::Steps, 1});
  return axes;
}

SmallVector<AffineMap> AttentionBackwardCaptureOp::getViewMaps() {
  Sums sums(*this);
  Gradient g = gradientOf(*this);
  auto d = [&](unsigned axis) { return getAffineDimExpr(axis, getContext()); };
  AffineExpr zero = getAffineConstantExpr(0, getContext());
  bool isPacked = sums.keys ? bool(g.queryOffsets) : bool(g.keyOffsets);
  SmallVector<AffineExpr> dims{
      sums.batch || isPacked ? zero : d(g.at.batch),
      sums.heads ? zero : d(g.at.kvHead) * g.groupSize() + d(g.at.group),
      sums.queries ? zero : d(g.at.query)};
  if (!sums.keys)
    dims.push_back(d(g.at.key));
  return GradientMaps(g).withResults({mapOf(g, dims)});
}

SmallVector<SmallVector<int64_t>>
AttentionBackwardCaptureOp::getViewPermutations() {
  SmallVector<SmallVector<int64_t>> perms = permutationsOf(gradientOf(*this));
  perms.back() = llvm::to_vector(
      llvm::seq<int64_t>(0, getCaptureGradient().getType().getRank()));
  return perms;
}

SmallVector<StringRef> AttentionBackwardCaptureOp::getViewNames() {
  return namesOf(gradientOf(*this), {"dcapture"});
}

SmallVector<Value> AttentionBackwardCaptureOp::getScalarCaptures() {
  return scalarsAmong(getCaptures());
}

SmallVector<PackedAxis> AttentionBackwardCaptureOp::getPackedAxes() {
  return packedAxesOf(gradientOf(*this));
}

bool AttentionBackwardCaptureOp::readsElements(unsigned view) {
  return view >= gradientOf(*this).firstOther;
}

bool AttentionBackwardCaptureOp::wantsZerosBehind(unsigned view) {
  return wantsZeros(view);
}

bool AttentionBackwardCaptureOp::isOfColumns(unsigned view) {
  return gradientOf(*this).isByKeys() &&
         (view == kGradLse || view == kGradDelta);
}

bool AttentionBackwardCaptureOp::loadsStepsAhead() { return false; }

Reorder AttentionBackwardCaptureOp::getReorder() {
  return Reorder::Reassociates;
}

SmallVector<AffineMap> AttentionBackwardCaptureOp::getStateMaps() {
  Gradient g = gradientOf(*this);
  return {mapOf(g, llvm::map_to_vector(keptOf(g, Sums(*this)), [&](unsigned a) {
                  return getAffineDimExpr(a, getContext());
                }))};
}

SmallVector<StringRef> AttentionBackwardCaptureOp::getStateNames() {
  return {"dcapture_sum"};
}

int64_t
AttentionBackwardCaptureOp::getFoldTemporaries(ArrayRef<int64_t> sizes) {
  return temporariesOf(gradientOf(*this), sizes);
}

SmallVector<Segment>
AttentionBackwardCaptureOp::buildSegments(OpBuilder &b, Location loc,
                                          const TileContext &tile) {
  if (Sums(*this).pairs())
    return segmentsOf(gradientOf(*this), b, loc, tile);
  // All steps, each with the mask.
  return {{TileBuilder{b, loc}.index(0), tile.extents[tile.streamAxis()],
           /*masked=*/true}};
}

SmallVector<Value>
AttentionBackwardCaptureOp::buildHead(OpBuilder &b, Location loc,
                                      const TileContext &tile) {
  return buildZeros(b, loc, getStateMaps(), tile);
}

SmallVector<Value>
AttentionBackwardCaptureOp::buildFold(OpBuilder &b, Location loc,
                                      const TileContext &tile, ValueRange state,
                                      ValueRange tiles) {
  Gradient g = gradientOf(*this);
  PairTile pairs(g, b, loc, tile, tiles);
  Value gradient = pairs.buildGradient(pairs.buildWeights());
  TileBuilder t{b, loc};
  if (Sums(*this).pairs())
    gradient = t.reduce(ReduceKind::Sum, gradient);
  return {t.add(state[0], gradient)};
}

SmallVector<Value> AttentionBackwardCaptureOp::buildMerge(OpBuilder &b,
                                                          Location loc,
                                                          const TileContext &,
                                                          ValueRange lhs,
                                                          ValueRange rhs) {
  return addStates(b, loc, lhs, rhs);
}

SmallVector<Value> AttentionBackwardCaptureOp::buildTail(OpBuilder &b,
                                                         Location loc,
                                                         const TileContext &,
                                                         ValueRange state) {
  return {finishSum(gradientOf(*this), b, loc, state[0], getCaptureGradient(),
                    /*scaled=*/false)};
}
