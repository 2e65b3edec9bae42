//===- GradientStreamable.cpp - Gradients as streamable ops ---------------===//
//
// One grid groups queries and streams keys, for dQ; the other groups keys and
// streams queries, for dK and dV, with all tiles of pairs transposed, so that
// the product of each with what is streamed needs no transposition. The fused
// form is the second, and contributes to dQ.
//
//===----------------------------------------------------------------------===//

#include "GradientTiles.h"

using namespace mlir;
using namespace attn;
using namespace attn::gradients;

//===----------------------------------------------------------------------===//
// attn.attention_backward_query
//===----------------------------------------------------------------------===//

SmallVector<StreamAxis> AttentionBackwardQueryOp::getStreamAxes() {
  return axesOf(gradientOf(*this));
}

SmallVector<AffineMap> AttentionBackwardQueryOp::getViewMaps() {
  GradientMaps maps(gradientOf(*this));
  return maps.withResults({maps.q});
}

SmallVector<SmallVector<int64_t>>
AttentionBackwardQueryOp::getViewPermutations() {
  return permutationsOf(gradientOf(*this));
}

SmallVector<StringRef> AttentionBackwardQueryOp::getViewNames() {
  return namesOf(gradientOf(*this), {"dq"});
}

SmallVector<Value> AttentionBackwardQueryOp::getScalarCaptures() {
  return scalarsAmong(getCaptures());
}

SmallVector<PackedAxis> AttentionBackwardQueryOp::getPackedAxes() {
  return packedAxesOf(gradientOf(*this));
}

bool AttentionBackwardQueryOp::readsElements(unsigned view) {
  return view >= gradientOf(*this).firstOther;
}

bool AttentionBackwardQueryOp::wantsZerosBehind(unsigned view) {
  return wantsZeros(view);
}

bool AttentionBackwardQueryOp::isOfColumns(unsigned) { return false; }

Reorder AttentionBackwardQueryOp::getReorder() { return Reorder::Reassociates; }

SmallVector<AffineMap> AttentionBackwardQueryOp::getStateMaps() {
  Gradient g = gradientOf(*this);
  return {sumMap(g, g.at.query, g.at.qkDim)};
}

SmallVector<StringRef> AttentionBackwardQueryOp::getStateNames() {
  return {"dq_sum"};
}

int64_t AttentionBackwardQueryOp::getFoldTemporaries(ArrayRef<int64_t> sizes) {
  return temporariesOf(gradientOf(*this), sizes);
}

SmallVector<Segment>
AttentionBackwardQueryOp::buildSegments(OpBuilder &b, Location loc,
                                        const TileContext &tile) {
  return segmentsOf(gradientOf(*this), b, loc, tile);
}

StreamTraversal
AttentionBackwardQueryOp::buildTraversal(OpBuilder &b, Location loc,
                                         const TileContext &tile) {
  return traversalOf(gradientOf(*this), b, loc, tile);
}

SmallVector<Value>
AttentionBackwardQueryOp::buildHead(OpBuilder &b, Location loc,
                                    const TileContext &tile) {
  return buildZeros(b, loc, getStateMaps(), tile);
}

SmallVector<Value> AttentionBackwardQueryOp::buildFold(OpBuilder &b,
                                                       Location loc,
                                                       const TileContext &tile,
                                                       ValueRange state,
                                                       ValueRange tiles) {
  Gradient g = gradientOf(*this);
  PairTile pairs(g, b, loc, tile, tiles);
  Value gradient = pairs.round(pairs.buildGradient(pairs.buildWeights()));
  return {pairs.addProduct(gradient, kGradK, state[0])};
}

SmallVector<Value> AttentionBackwardQueryOp::buildMerge(OpBuilder &b,
                                                        Location loc,
                                                        const TileContext &,
                                                        ValueRange lhs,
                                                        ValueRange rhs) {
  return addStates(b, loc, lhs, rhs);
}

SmallVector<Value> AttentionBackwardQueryOp::buildTail(OpBuilder &b,
                                                       Location loc,
                                                       const TileContext &,
                                                       ValueRange state) {
  return {finishSum(gradientOf(*this), b, loc, state[0], getQueryGradient(),
                    /*scaled=*/true)};
}

//===----------------------------------------------------------------------===//
// attn.attention_backward_key
//===----------------------------------------------------------------------===//

SmallVector<StreamAxis> AttentionBackwardKeyOp::getStreamAxes() {
  return axesOf(gradientOf(*this));
}

SmallVector<AffineMap> AttentionBackwardKeyOp::getViewMaps() {
  GradientMaps maps(gradientOf(*this));
  return maps.withResults({maps.k, maps.v});
}

SmallVector<SmallVector<int64_t>>
AttentionBackwardKeyOp::getViewPermutations() {
  return permutationsOf(gradientOf(*this));
}

SmallVector<StringRef> AttentionBackwardKeyOp::getViewNames() {
  return namesOf(gradientOf(*this), {"dk", "dv"});
}

SmallVector<Value> AttentionBackwardKeyOp::getScalarCaptures() {
  return scalarsAmong(getCaptures());
}

SmallVector<PackedAxis> AttentionBackwardKeyOp::getPackedAxes() {
  return packedAxesOf(gradientOf(*this));
}

bool AttentionBackwardKeyOp::readsElements(unsigned view) {
  return view >= gradientOf(*this).firstOther;
}

bool AttentionBackwardKeyOp::wantsZerosBehind(unsigned view) {
  return wantsZeros(view);
}

bool AttentionBackwardKeyOp::isOfColumns(unsigned view) {
  return view == kGradLse || view == kGradDelta;
}

Reorder AttentionBackwardKeyOp::getReorder() { return Reorder::Reassociates; }

SmallVector<AffineMap> AttentionBackwardKeyOp::getStateMaps() {
  Gradient g = gradientOf(*this);
  return {sumMap(g, g.at.key, g.at.qkDim), sumMap(g, g.at.key, g.at.valueDim)};
}

SmallVector<StringRef> AttentionBackwardKeyOp::getStateNames() {
  return {"dk_sum", "dv_sum"};
}

int64_t AttentionBackwardKeyOp::getFoldTemporaries(ArrayRef<int64_t> sizes) {
  return temporariesOf(gradientOf(*this), sizes);
}

SmallVector<Segment>
AttentionBackwardKeyOp::buildSegments(OpBuilder &b, Location loc,
                                      const TileContext &tile) {
  return segmentsOf(gradientOf(*this), b, loc, tile);
}

StreamTraversal
AttentionBackwardKeyOp::buildTraversal(OpBuilder &b, Location loc,
                                       const TileContext &tile) {
  return traversalOf(gradientOf(*this), b, loc, tile);
}

SmallVector<Value> AttentionBackwardKeyOp::buildHead(OpBuilder &b, Location loc,
                                                     const TileContext &tile) {
  return buildZeros(b, loc, getStateMaps(), tile);
}

SmallVector<Value> AttentionBackwardKeyOp::buildFold(OpBuilder &b, Location loc,
                                                     const TileContext &tile,
                                                     ValueRange state,
                                                     ValueRange tiles) {
  return foldByKeys(gradientOf(*this), b, loc, tile, state, tiles,
                    /*contributes=*/false);
}

SmallVector<Value> AttentionBackwardKeyOp::buildMerge(OpBuilder &b,
                                                      Location loc,
                                                      const TileContext &,
                                                      ValueRange lhs,
                                                      ValueRange rhs) {
  return addStates(b, loc, lhs, rhs);
}

SmallVector<Value> AttentionBackwardKeyOp::buildTail(OpBuilder &b, Location loc,
                                                     const TileContext &,
                                                     ValueRange state) {
  return finishByKeys(gradientOf(*this), b, loc, state);
}

//===----------------------------------------------------------------------===//
// attn.attention_backward_fused
//===----------------------------------------------------------------------===//

SmallVector<StreamAxis> AttentionBackwardFusedOp::getStreamAxes() {
  return axesOf(gradientOf(*this));
}

SmallVector<AffineMap> AttentionBackwardFusedOp::getViewMaps() {
  GradientMaps maps(gradientOf(*this));
  return maps.withResults({maps.k, maps.v, maps.querySum});
}

SmallVector<SmallVector<int64_t>>
AttentionBackwardFusedOp::getViewPermutations() {
  return permutationsOf(gradientOf(*this));
}

SmallVector<StringRef> AttentionBackwardFusedOp::getViewNames() {
  return namesOf(gradientOf(*this), {"dk", "dv", "dq_sum"});
}

SmallVector<Contribution> AttentionBackwardFusedOp::getContributions() {
  constexpr unsigned kQuerySum = 2;
  return {{kGradSum, kQuerySum, getOrdered()}};
}

SmallVector<Value> AttentionBackwardFusedOp::getScalarCaptures() {
  return scalarsAmong(getCaptures());
}

SmallVector<PackedAxis> AttentionBackwardFusedOp::getPackedAxes() {
  return packedAxesOf(gradientOf(*this));
}

bool AttentionBackwardFusedOp::readsElements(unsigned view) {
  return view >= gradientOf(*this).firstOther;
}

bool AttentionBackwardFusedOp::wantsZerosBehind(unsigned view) {
  return wantsZeros(view);
}

bool AttentionBackwardFusedOp::isOfColumns(unsigned view) {
  return view == kGradLse || view == kGradDelta;
}

/// Those who wait for each other go the same way.
Reorder AttentionBackwardFusedOp::getReorder() {
  return getOrdered() ? Reorder::Ordered : Reorder::Reassociates;
}

SmallVector<AffineMap> AttentionBackwardFusedOp::getStateMaps() {
  Gradient g = gradientOf(*this);
  return {sumMap(g, g.at.key, g.at.qkDim), sumMap(g, g.at.key, g.at.valueDim)};
}

SmallVector<StringRef> AttentionBackwardFusedOp::getStateNames() {
  return {"dk_sum", "dv_sum"};
}

/// The contribution comes when scores and weights are no longer there.
int64_t AttentionBackwardFusedOp::getFoldTemporaries(ArrayRef<int64_t> sizes) {
  Gradient g = gradientOf(*this);
  return std::max(temporariesOf(g, sizes),
                  sizes[g.at.query] * sizes[g.at.qkDim]);
}

SmallVector<Segment>
AttentionBackwardFusedOp::buildSegments(OpBuilder &b, Location loc,
                                        const TileContext &tile) {
  return segmentsOf(gradientOf(*this), b, loc, tile);
}

StreamTraversal
AttentionBackwardFusedOp::buildTraversal(OpBuilder &b, Location loc,
                                         const TileContext &tile) {
  return traversalOf(gradientOf(*this), b, loc, tile);
}

SmallVector<Value>
AttentionBackwardFusedOp::buildHead(OpBuilder &b, Location loc,
                                    const TileContext &tile) {
  return buildZeros(b, loc, getStateMaps(), tile);
}

SmallVector<Value> AttentionBackwardFusedOp::buildFold(OpBuilder &b,
                                                       Location loc,
                                                       const TileContext &tile,
                                                       ValueRange state,
                                                       ValueRange tiles) {
  return foldByKeys(gradientOf(*this), b, loc, tile, state, tiles,
                    /*contributes=*/true);
}

SmallVector<Value> AttentionBackwardFusedOp::buildMerge(OpBuilder &b,
                                                        Location loc,
                                                        const TileContext &,
                                                        ValueRange lhs,
                                                        ValueRange rhs) {
  return addStates(b, loc, lhs, rhs);
}

SmallVector<Value> AttentionBackwardFusedOp::buildTail(OpBuilder &b,
                                                       Location loc,
                                                       const TileContext &,
                                                       ValueRange state) {
  return finishByKeys(gradientOf(*this), b, loc, state);
}
