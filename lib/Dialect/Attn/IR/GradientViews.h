//===- GradientViews.h - Axes and views of gradients ------------*- C++ -*-===//
//
// What the streamable operations of gradients share: axes, views, and the parts
// of a stream.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_GRADIENTVIEWS_H
#define ATTN_LIB_DIALECT_ATTN_IR_GRADIENTVIEWS_H

#include "AttentionBlocks.h"
#include "AttentionRegions.h"
#include "attn-mlir/Dialect/Attn/IR/AttnGradientOps.h"
#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "attn-mlir/Dialect/Attn/IR/TileBuilder.h"

namespace attn {
namespace gradients {

using namespace mlir;
/// Positions of the views of all operations; behind them come the sum that the
/// fused one adds to, offsets of packed sequences, lists of blocks, tensors
/// that regions capture, and the results.
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

/// What the operations have in common.
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
  /// Lists of blocks, and the queries and keys of one.
  OperandRange listed;
  ArrayRef<int64_t> blockSize;
  /// Of the first view behind those that all have.
  unsigned firstOther;
  unsigned numAxes = kNumGradientAxes;
  /// An axis of one step, where there is nothing else to stream: all tiles of
  /// pairs are loaded in it.
  std::optional<unsigned> once = std::nullopt;
  /// Whether rows are the same at all positions of the innermost stream.
  bool hoists = true;
  /// The argument of the score that pairs have the derivative by.
  unsigned differentiated = 0;

  std::optional<unsigned> queryOffsetsView() const {
    return queryOffsets ? std::optional(firstOther) : std::nullopt;
  }
  std::optional<unsigned> keyOffsetsView() const {
    return keyOffsets ? std::optional(firstOther + (queryOffsets ? 1 : 0))
                      : std::nullopt;
  }
  SmallVector<std::optional<unsigned>> captureViews() const {
    return attn::captureViews(captures, firstBlockView() + listed.size());
  }
  unsigned firstBlockView() const {
    return firstOther + (queryOffsets ? 1 : 0) + (keyOffsets ? 1 : 0);
  }
  BlockLists blocks() const {
    return {op, listed, blockSize, firstBlockView(), isByKeys()};
  }
  /// Whether tiles of pairs add to a sum of another axis, a view of its own.
  bool contributes() const { return firstOther > kGradSum; }
  bool isByKeys() const { return at.key < at.query; }
  int64_t kvHeads() const { return k.getDimSize(headDimOf(layout)); }
  int64_t groupSize() const {
    return q.getDimSize(headDimOf(layout)) / kvHeads();
  }
  /// Whether rows of a tile that are of another sequence contribute, unless
  /// they are masked.
  bool addsOfNeighbours() const { return keyOffsets && contributes(); }
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
          op.getBlocks(),
          op.getBlockSize(),
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

inline SmallVector<StreamAxis> axesOf(const Gradient &g) {
  unsigned seq = seqDimOf(g.layout);
  AxisKind query = g.isByKeys() ? AxisKind::Stream : AxisKind::Group,
           key = g.isByKeys() ? AxisKind::Group : AxisKind::Stream,
           group = g.isByKeys() ? AxisKind::Steps : AxisKind::Unit;
  SmallVector<StreamAxis> axes(kNumGradientAxes);
  axes[g.at.batch] = {"batch", AxisKind::Unit, g.q.getDimSize(0), kGradQ, 0,
                      true};
  if (g.queryOffsets)
    axes[g.at.batch].countSequences(g.queryOffsets.getType(),
                                    *g.queryOffsetsView());
  axes[g.at.kvHead] = {"kv_head", AxisKind::Unit, g.kvHeads(), kGradK, 1, true};
  axes[g.at.group] = {"group", group, g.groupSize()};
  axes[g.at.query] = {"query", query, g.q.getDimSize(seq), kGradQ, 2};
  axes[g.at.key] = {"key", key, g.k.getDimSize(seq), kGradK, 2};
  if (g.blocks()) {
    axes[g.at.query].tileBlock = g.blockSize[0];
    axes[g.at.key].tileBlock = g.blockSize[1];
  }
  axes[g.at.qkDim] = {"qk_dim", AxisKind::Whole, g.q.getDimSize(3), kGradQ, 3};
  axes[g.at.valueDim] = {"value_dim", AxisKind::Whole, g.v.getDimSize(3),
                         kGradV, 3};
  return axes;
}

inline AffineMap mapOf(const Gradient &g, ArrayRef<AffineExpr> exprs) {
  return AffineMap::get(g.numAxes, 0, exprs, g.context());
}

/// Maps of Q, of K, of V and of what has a value dimension and queries.
struct GradientMaps {
  AffineMap q, k, v, o, rows, querySum;

  explicit GradientMaps(const Gradient &g) : contributes(g.contributes()) {
    auto d = [&](unsigned axis) { return getAffineDimExpr(axis, g.context()); };
    AffineExpr head = d(g.at.kvHead) * g.groupSize() + d(g.at.group),
               zero = getAffineConstantExpr(0, g.context()),
               once = g.once ? d(*g.once) : zero,
               kvHead = d(g.at.kvHead) + once;
    // Where sequences are packed, they are not along a dimension of their own.
    AffineExpr ofQueries = g.queryOffsets ? zero : d(g.at.batch),
               ofKeys = g.keyOffsets ? zero : d(g.at.batch);
    q = mapOf(g, {ofQueries, head + once, d(g.at.query), d(g.at.qkDim)});
    k = mapOf(g, {ofKeys, kvHead, d(g.at.key), d(g.at.qkDim)});
    v = mapOf(g, {ofKeys, kvHead, d(g.at.key), d(g.at.valueDim)});
    o = mapOf(g, {ofQueries, head + once, d(g.at.query), d(g.at.valueDim)});
    rows = mapOf(g, {ofQueries, head, d(g.at.query)});
    querySum = mapOf(g, {zero, ofQueries, head, d(g.at.query), d(g.at.qkDim)});
    if (g.queryOffsets)
      others.push_back(mapOf(g, {d(g.at.batch)}));
    if (g.keyOffsets)
      others.push_back(mapOf(g, {d(g.at.batch)}));
    for (ArrayRef<AffineExpr> dims : blockDims(
             g.blocks(), d(g.at.batch), g.isByKeys() ? d(g.at.kvHead) : head,
             d(g.isByKeys() ? g.at.key : g.at.query),
             d(g.isByKeys() ? g.at.query : g.at.key)))
      others.push_back(mapOf(g, dims));
    for (auto [number, capture] : llvm::enumerate(g.captures))
      if (isa<RankedTensorType>(capture.getType()))
        others.push_back(mapOf(
            g, captureDims({g.score, g.keep}, g.captures, number,
                           {d(g.at.batch), head, d(g.at.query), d(g.at.key)})));
  }
  /// Of all operands, and of the results behind them.
  SmallVector<AffineMap> withResults(ArrayRef<AffineMap> results) const {
    SmallVector<AffineMap> maps{q, k, v, o, rows, rows};
    if (contributes)
      maps.push_back(querySum);
    llvm::append_range(maps, others);
    llvm::append_range(maps, results);
    return maps;
  }

private:
  bool contributes;
  /// Of offsets, lists of blocks and captures.
  SmallVector<AffineMap> others;
};

inline SmallVector<SmallVector<int64_t>> permutationsOf(const Gradient &g) {
  SmallVector<int64_t> perm{0, headDimOf(g.layout), seqDimOf(g.layout), 3},
      rows{0, 1, 2};
  SmallVector<SmallVector<int64_t>> perms{perm, perm, perm, perm, rows, rows};
  SmallVector<int64_t> sums{0, 1, 2, 3, 4};
  if (g.contributes())
    perms.push_back(sums);
  // Offsets, lists of blocks and captures are as they are.
  for (Value other : g.op->getOperands().drop_front(g.firstOther))
    if (auto type = dyn_cast<RankedTensorType>(other.getType()))
      perms.push_back(llvm::to_vector(llvm::seq<int64_t>(0, type.getRank())));
  perms.resize(perms.size() + g.op->getNumResults(), perm);
  if (g.contributes())
    perms.back() = sums;
  return perms;
}

inline SmallVector<StringRef> namesOf(const Gradient &g,
                                      ArrayRef<StringRef> results) {
  SmallVector<StringRef> names{"q", "k", "v", "do", "lse", "delta"};
  if (g.contributes())
    names.push_back("sum");
  if (g.queryOffsets)
    names.push_back("cu_seqlens_q");
  if (g.keyOffsets)
    names.push_back("cu_seqlens_k");
  llvm::append_range(names, blockNames(g.blocks()));
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

/// What lists of blocks say of a tile of the grouped axis. Where keys are
/// grouped all heads of the group have one list.
inline ListedBlocks listedBlocksOf(const Gradient &g, const IndexBuilder &m,
                                   const TileContext &tile) {
  unsigned grouped = g.isByKeys() ? g.at.key : g.at.query,
           streamed = g.isByKeys() ? g.at.query : g.at.key;
  Value head = tile.offsets[g.at.kvHead];
  if (!g.isByKeys())
    head =
        m.add(m.mul(head, m.constant(g.groupSize())), tile.offsets[g.at.group]);
  return {g.blocks(),
          m,
          tile,
          tile.offsets[g.at.batch],
          head,
          tile.offsets[grouped],
          tile.extents[streamed],
          tile.axes[streamed].extent};
}

inline StreamTraversal traversalOf(const Gradient &g, OpBuilder &b,
                                   Location loc, const TileContext &tile) {
  if (!g.blocks())
    return {};
  IndexBuilder m{b, loc};
  return listedBlocksOf(g, m, tile).buildTraversal();
}

/// The part of the streamed axis that matters to a tile of the grouped one.
inline SmallVector<Segment> segmentsOf(const Gradient &g, OpBuilder &b,
                                       Location loc, const TileContext &tile) {
  if (g.blocks()) {
    IndexBuilder m{b, loc};
    return listedBlocksOf(g, m, tile).buildSegments();
  }
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

} // namespace gradients
} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_IR_GRADIENTVIEWS_H
