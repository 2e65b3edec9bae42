//===- AttentionStreamable.cpp - Attention as a streamable op -------------===//
//
// The online softmax; the algebra is in the documentation of attn.attention.
// Weights are relative to what attn.advance makes of the maximum.
//
//===----------------------------------------------------------------------===//

#include "AttentionBlocks.h"
#include "AttentionEarlier.h"
#include "AttentionRegions.h"
#include "AttentionScales.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/IR/MaskBounds.h"
#include "attn-mlir/Dialect/Attn/IR/RegionTiles.h"
#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "attn-mlir/Dialect/Attn/IR/TileBuilder.h"

using namespace mlir;
using namespace attn;

namespace {
/// Positions of the axes in getStreamAxes.
enum Axis { Batch, KvHead, GroupHead, Query, Key, QkDim, ValueDim, NumAxes };
/// Positions of the views that are streamed past or stay. Behind them come
/// lengths and offsets, where there are any, and the results.
enum View { Q, K, V, Lengths };

/// The views of lengths, offsets and pages that an op has.
struct SequenceViews {
  std::optional<unsigned> lengths, queryOffsets, keyOffsets, blockTable;

  explicit SequenceViews(AttentionOp op) {
    unsigned next = Lengths;
    for (auto [view, operand] : {std::pair(&lengths, Value(op.getLengths())),
                                 {&queryOffsets, Value(op.getQueryOffsets())},
                                 {&keyOffsets, Value(op.getKeyOffsets())},
                                 {&blockTable, Value(op.getBlockTable())}})
      if (operand)
        *view = next++;
  }
};
/// Positions in the state.
enum State { Factor, Reference, L, Acc };
} // namespace

/// The scales that an op has, in the order of operands.
static SmallVector<Value> scalesOf(AttentionOp op) {
  return llvm::filter_to_vector(
      ValueRange{op.getQueryScale(), op.getKeyScale(), op.getValueScale()},
      [](Value scale) { return scale != nullptr; });
}

SmallVector<StreamAxis> AttentionOp::getStreamAxes() {
  int64_t hkv = getNumKvHeads();
  RankedTensorType q = getQuery().getType(), k = getKey().getType();
  auto batch = StreamAxis{"batch", AxisKind::Unit, q.getDimSize(0), Q, 0, true};
  SequenceViews views(*this);
  if (views.queryOffsets)
    batch.countSequences(getQueryOffsets().getType(), *views.queryOffsets);
  auto key =
      StreamAxis{"key", AxisKind::Stream, k.getDimSize(getKeySeqDim()), K, 2};
  if (views.blockTable) {
    int64_t pages = getBlockTable().getType().getDimSize(1);
    key.block = getPageSize();
    key.extent = ShapedType::isDynamic(pages) ? pages : pages * key.block;
    key.view = *views.blockTable;
    key.dim = 1;
  }
  auto query =
      StreamAxis{"query", AxisKind::Group, q.getDimSize(getSeqDim()), Q, 2};
  if (hasBlocks()) {
    query.tileBlock = getBlockSize()[0];
    key.tileBlock = getBlockSize()[1];
  }
  if (getScaleBlock())
    key.tileBlock = static_cast<int64_t>(*getScaleBlock());
  return {batch,
          {"kv_head", AxisKind::Unit, hkv, K, 1, true},
          {"group", AxisKind::Unit, getNumQueryHeads() / hkv},
          query,
          key,
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
  // Where sequences are packed, they are not along a dimension of their own.
  AffineExpr packed = getAffineConstantExpr(0, getContext()),
             ofQueries = getQueryOffsets() ? packed : d(Batch),
             ofKeys = getKeyOffsets() || getBlockTable() ? packed : d(Batch),
             ofKey = d(Key);
  // The page is looked up.
  if (getBlockTable())
    ofKey = d(Key) % getPageSize();
  SmallVector<AffineMap> maps{map({ofQueries, head, d(Query), d(QkDim)}),
                              map({ofKeys, d(KvHead), ofKey, d(QkDim)}),
                              map({ofKeys, d(KvHead), ofKey, d(ValueDim)})};
  // There are whole groups of keys: as many or more.
  constexpr int64_t kGroup = InterleaveOp::kGroup;
  if (hasInterleavedValues())
    maps[V] = map(
        {d(Batch), d(KvHead), d(ValueDim), d(Key).floorDiv(kGroup) * kGroup});
  maps.append(getFirstBlockView() - maps.size(), map({d(Batch)}));
  if (getBlockTable())
    maps.back() = map({d(Batch), d(Key).floorDiv(getPageSize())});
  for (ArrayRef<AffineExpr> dims :
       blockDims(blocksOf(*this), d(Batch), head, d(Query), d(Key)))
    maps.push_back(map(dims));
  for (auto [number, capture] : llvm::enumerate(getCaptures()))
    if (isa<RankedTensorType>(capture.getType()))
      maps.push_back(
          map(captureDims({&getScore(), &getKeep()}, getCaptures(), number,
                          {d(Batch), head, d(Query), d(Key)})));
  if (getSinks()) {
    SmallVector<AffineExpr> dims(getSinks().getType().getRank(),
                                 getAffineConstantExpr(0, getContext()));
    dims.front() = head;
    maps.push_back(map(dims));
  }
  AffineExpr one = getAffineConstantExpr(0, getContext());
  for (Value scale : scalesOf(*this)) {
    auto type = cast<RankedTensorType>(scale.getType());
    SmallVector<AffineExpr> dims{type.getDimSize(0) == 1 ? one : d(Batch),
                                 type.getDimSize(1) == 1 ? one : d(KvHead)};
    if (isOfBlocks(scale))
      dims.push_back(d(Key).floorDiv(static_cast<int64_t>(*getScaleBlock())));
    maps.push_back(map(dims));
  }
  if (getEarlierOutput())
    maps.append({map({ofQueries, head, d(Query), d(ValueDim)}),
                 map({ofQueries, head, d(Query)})});
  maps.push_back(map({ofQueries, head, d(Query), d(ValueDim)}));
  if (getLse())
    maps.push_back(map({ofQueries, head, d(Query)}));
  return maps;
}

SmallVector<SmallVector<int64_t>> AttentionOp::getViewPermutations() {
  SmallVector<int64_t> perm{0, getHeadDim(), getSeqDim(), 3},
      ofKeys{0, getKeyHeadDim(), getKeySeqDim(), 3};
  SmallVector<SmallVector<int64_t>> perms{perm, ofKeys, ofKeys};
  if (hasInterleavedValues())
    perms[V] = {0, 1, 2, 3};
  auto asIs = [&](Type type) {
    perms.push_back(llvm::to_vector(
        llvm::seq<int64_t>(0, cast<RankedTensorType>(type).getRank())));
  };
  perms.append(getFirstBlockView() - perms.size(), SmallVector<int64_t>{0});
  if (getBlockTable())
    perms.back() = {0, 1};
  for (Type type : getBlocks().getTypes())
    asIs(type);
  for (Type type : getCaptures().getTypes())
    if (isa<RankedTensorType>(type))
      asIs(type);
  if (getSinks())
    asIs(getSinks().getType());
  for (Value scale : scalesOf(*this))
    asIs(scale.getType());
  if (getEarlierOutput())
    perms.append({perm, {0, 1, 2}});
  perms.push_back(perm);
  if (getLse())
    perms.push_back({0, 1, 2});
  return perms;
}

SmallVector<StringRef> AttentionOp::getViewNames() {
  SmallVector<StringRef> names{"q", "k", "v"};
  if (getLengths())
    names.push_back("lengths");
  if (getQueryOffsets())
    names.push_back("cu_seqlens_q");
  if (getKeyOffsets())
    names.push_back("cu_seqlens_k");
  if (getBlockTable())
    names.push_back("block_table");
  llvm::append_range(names, blockNames(blocksOf(*this)));
  unsigned tensors = 0;
  for (std::optional<unsigned> view : getCaptureViews())
    if (view)
      names.push_back(StringAttr::get(getContext(), "tensor" + Twine(tensors++))
                          .getValue());
  if (getSinks())
    names.push_back("sinks");
  for (auto [name, scale] :
       {std::pair<StringRef, Value>{"q_scale", getQueryScale()},
        {"k_scale", getKeyScale()},
        {"v_scale", getValueScale()}})
    if (scale)
      names.push_back(name);
  if (getEarlierOutput())
    names.append({"earlier_o", "earlier_lse"});
  names.push_back("o");
  if (getLse())
    names.push_back("lse");
  return names;
}

bool AttentionOp::readsElements(unsigned view) { return view > V; }

SmallVector<unsigned> AttentionOp::getTailViews() {
  // Of rows that hold the factor, the state of no keys has it, too.
  SmallVector<unsigned> views;
  auto [ofQuery, ofKey, ofValue] = getScaleViews();
  for (std::optional<unsigned> view : {getSinksView(), ofQuery, ofKey, ofValue})
    if (view)
      views.push_back(*view);
  if (std::optional<unsigned> earlier = getEarlierView())
    views.append({*earlier, *earlier + 1});
  return views;
}

std::optional<unsigned> AttentionOp::getLengthsView() {
  return SequenceViews(*this).lengths;
}

SmallVector<PackedAxis> AttentionOp::getPackedAxes() {
  SequenceViews views(*this);
  SmallVector<PackedAxis> axes;
  if (views.queryOffsets)
    axes.push_back({Query, Batch, *views.queryOffsets});
  if (views.keyOffsets)
    axes.push_back({Key, Batch, *views.keyOffsets});
  return axes;
}

SmallVector<Lookup> AttentionOp::getLookups() {
  std::optional<unsigned> table = SequenceViews(*this).blockTable;
  if (!table)
    return {};
  return {{K, /*dim=*/0, *table}, {V, /*dim=*/0, *table}};
}

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

/// Of the scale of the scores of scaled Q and K, which is not static, rows hold
/// the factor.
static bool scalesRows(AttentionOp op) {
  return op.scalesScores() && !op.hasScoreMod();
}

/// Binades by which weights are multiplied before they are rounded.
static int64_t binadesOf(AttentionOp op) {
  Type element = op.getQuery().getType().getElementType();
  return isFloat8(element) ? binadesOfFloat8(element) : 0;
}

/// The head of the queries of a tile.
static Value buildHeadIndex(const TileBuilder &t, const TileContext &tile) {
  int64_t group = tile.axes[GroupHead].extent;
  return t.add(t.mul(tile.offsets[KvHead], group), tile.offsets[GroupHead]);
}

/// What lists of blocks say of a tile.
static ListedBlocks listedBlocksOf(AttentionOp op, const IndexBuilder &m,
                                   const TileContext &tile) {
  Value head = buildHeadIndex({m.b, m.loc}, tile);
  return {blocksOf(op),
          m,
          tile,
          tile.offsets[Batch],
          head,
          tile.offsets[Query],
          tile.extents[Key],
          tile.axes[Key].extent};
}

StreamTraversal AttentionOp::buildTraversal(OpBuilder &b, Location loc,
                                            const TileContext &tile) {
  if (!hasBlocks())
    return {};
  IndexBuilder m{b, loc};
  return listedBlocksOf(*this, m, tile).buildTraversal();
}

SmallVector<Segment> AttentionOp::buildSegments(OpBuilder &b, Location loc,
                                                const TileContext &tile) {
  if (hasBlocks()) {
    IndexBuilder m{b, loc};
    return listedBlocksOf(*this, m, tile).buildSegments();
  }
  KeyRange range{};
  TileBuilder t{b, loc};
  Value first = tile.offsets[Query], last;
  if (getMaskAttr() || hasMaskRegion()) {
    // The last query of the tile that exists.
    Value end = b.createOrFold<arith::MinSIOp>(
        loc, t.add(first, tile.sizes[Query]), tile.extents[Query]);
    last = t.add(end, -1);
  }
  if (auto mask = getMaskAttr())
    range = mask.buildKeyRange(b, loc, {tile.extents[Query], tile.extents[Key]},
                               first, last);
  if (hasMaskRegion())
    range = buildRegionRange(b, loc, getKeep().front(),
                             {tile.offsets[Batch], buildHeadIndex(t, tile),
                              first, last, tile.extents[Key],
                              captureValues(getCaptureViews(), tile),
                              getSorted(), tile.sizes[Key]},
                             range);
  return buildRangeSegments(b, loc, tile, range);
}

/// What is left to multiply scores with behind buildScores: the scale, which
/// costs nothing there, unless they are modified or the scale is out of the
/// ordinary.
static float softmaxScale(AttentionOp op) {
  float scale = op.getScale().convertToFloat();
  return op.hasScoreMod() || op.scalesScores() ||
                 !AdvanceOp::isValidScale(scale)
             ? 1
             : scale;
}

static AttentionScales scalesIn(AttentionOp op, const TileBuilder &t,
                                const TileContext &tile) {
  return {op,
          t,
          tile.views,
          tile.offsets[Batch],
          tile.offsets[KvHead],
          tile.offsets[Key]};
}

SmallVector<Value> AttentionOp::buildHead(OpBuilder &b, Location loc,
                                          const TileContext &tile) {
  TileBuilder t{b, loc};
  int64_t rows = tile.sizes[Query];
  auto [factor, reference] = t.initialReference(rows, softmaxScale(*this));
  if (scalesRows(*this))
    factor = t.spread(scalesIn(*this, t, tile).ofRows(), {rows});
  return {factor, reference, t.splat(0, {rows}),
          t.splat(0, {rows, tile.sizes[ValueDim]})};
}

namespace {

/// The scores of a tile, but for softmaxScale: modified and masked.
class ScoreBuilder {
public:
  /// Reads what regions read, so that it is on its way during the product.
  ScoreBuilder(AttentionOp op, const TileBuilder &t, const TileContext &tile)
      : op(op), t(t), tile(tile), shape{tile.sizes[Query], tile.sizes[Key]} {
    if (!op.hasScoreMod() && !op.hasMaskRegion())
      return;
    buildIndices();
    OpBuilder outside = outsideStream(t.b);
    Value head = buildHeadIndex({outside, t.loc}, tile);
    enter(modification, op.getScore(), /*first=*/1, head);
    if (op.scalesScores())
      scoreScale = scalesIn(op, {outside, t.loc}, tile).ofScores();
    enter(keepRegion, op.getKeep(), /*first=*/0, head);
    // A mask region acts in some segments alone: it is read there.
    if (modification)
      modification->readEarly();
  }

  /// `blockScale`: of the tile's keys, or null; without a modification what is
  /// computed of scores has it.
  Value build(Value dot, Value blockScale) {
    // Index tiles: needed by a modification everywhere, by a mask where it
    // acts.
    if (!rows)
      buildIndices();
    float scale = op.getScale().convertToFloat();
    Value scores = dot;
    if (op.scalesScores()) {
      // Without a modification rows hold the factor, which is positive.
      Value all = scoreScale;
      if (modification && blockScale)
        all = arith::MulFOp::create(t.b, t.loc, all, blockScale);
      if (modification)
        scores = t.mul(dot, t.spread(all, shape));
      else if (scale < 0)
        scores = t.scale(dot, -1);
    } else if (scale != softmaxScale(op))
      scores =
          modification ? t.scaleContractible(dot, scale) : t.scale(dot, scale);
    if (modification) {
      modification->map(0, scores);
      scores = modification->finish().front();
    }
    Value keep = buildKeep();
    return keep ? t.mask(scores, keep) : scores;
  }

private:
  void buildIndices() {
    rows = t.iota(0, tile.offsets[Query], shape);
    cols = t.iota(1, tile.offsets[Key], shape);
  }

  /// Starts on a region whose indices begin at argument `first`.
  void enter(std::optional<RegionTiles> &entered, Region &region,
             unsigned first, Value head) {
    if (region.empty())
      return;
    entered.emplace(t.b, region.front(), shape);
    SmallVector<Value> arguments{tile.offsets[Batch], head, rows, cols};
    llvm::append_range(arguments, captureValues(op.getCaptureViews(), tile));
    for (auto [i, value] : llvm::enumerate(arguments))
      entered->map(first + i, value);
  }

  /// Which scores stay; null for all.
  Value buildKeep() {
    Value keep;
    auto restrict = [&](Value other) {
      keep = keep ? t.logicalAnd(keep, other) : other;
    };
    auto mask = op.getMaskAttr();
    if (Value kept =
            mask ? mask.buildPredicate(t.b, t.loc,
                                       {tile.extents[Query], tile.extents[Key]},
                                       rows, cols)
                 : Value())
      restrict(kept);
    if (keepRegion)
      restrict(keepRegion->finish().front());
    // Lists may name any block.
    bool mayReach = tile.hasPartialTile() || op.hasBlocks();
    if (mayReach && !(mask && mask.impliesKeyExists()))
      restrict(t.lessThan(cols, t.spread(tile.extents[Key], shape)));
    return keep;
  }

  AttentionOp op;
  const TileBuilder &t;
  const TileContext &tile;
  SmallVector<int64_t> shape;
  Value rows, cols, scoreScale;
  std::optional<RegionTiles> modification, keepRegion;
};

} // namespace

/// The reference of weights: that of rows, less the binades that they have
/// more.
static Value shifted(AttentionOp op, const TileBuilder &t, Value reference) {
  int64_t binades = binadesOf(op);
  if (binades == 0)
    return reference;
  return t.sub(reference, t.splat(binades, TileBuilder::shapeOf(reference)));
}

SmallVector<Value> AttentionOp::buildFold(OpBuilder &b, Location loc,
                                          const TileContext &tile,
                                          ValueRange state, ValueRange tiles) {
  TileBuilder t{b, loc};
  int64_t rows = tile.sizes[Query], keys = tile.sizes[Key];
  AttentionScales scales = scalesIn(*this, t, tile);
  Value blockScale = scales.ofTile(AttentionScales::Keys),
        ofValues = scales.ofTile(AttentionScales::Values);
  ScoreBuilder builder(*this, t, tile);
  Value dot = t.dot(tiles[Q], tiles[K], t.splat(0, {rows, keys}),
                    /*transposeRhs=*/true);
  Value scores = builder.build(dot, blockScale);
  Value max = t.reduce(ReduceKind::Max, scores), least;
  bool scalesTile = blockScale && scalesRows(*this);
  if (scalesTile) {
    least = arith::ConstantOp::create(b, loc, b.getF32FloatAttr(kLeastFactor));
    blockScale = arith::MaximumFOp::create(b, loc, blockScale, least);
    max = t.mul(max, t.spread(blockScale, {rows}));
  }
  AdvanceOp now = t.advance(max, state[Factor], state[Reference],
                            softmaxScale(*this), scalesRows(*this));
  // What stays is no result of the operation, so that loops need not carry it.
  Value carried = scalesRows(*this) ? state[Factor] : now.getFactor(),
        factor = carried;
  if (scalesTile)
    factor = arith::MaximumFOp::create(
        b, loc, t.mul(carried, t.spread(blockScale, {rows})),
        t.spread(least, {rows}));
  Value p = t.weights(scores, factor, shifted(*this, t, now.getReference()));
  Value l = t.fma(state[L], now.getRescale(), t.reduce(ReduceKind::Sum, p));
  Value acc =
      t.mul(state[Acc], t.broadcast(now.getRescale(), tile.sizes[ValueDim]));
  Type type = getQuery().getType().getElementType();
  if (hasInterleavedValues())
    p = InterleaveOp::create(b, loc, p.getType(), p);
  auto multiply = [&](Value sum) {
    return t.dot(t.cast(p, type), tiles[V], sum,
                 /*transposeRhs=*/hasInterleavedValues());
  };
  if (!ofValues)
    return {carried, now.getReference(), l, multiply(acc)};
  // A sum of its own, of which the block's scale is a factor.
  SmallVector<int64_t> shape{rows, tile.sizes[ValueDim]};
  Value product = multiply(t.splat(0, shape));
  return {carried, now.getReference(), l,
          t.fma(product, t.spread(ofValues, shape), acc)};
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

/// One more logit a row, in natural units.
static Value buildSinks(AttentionOp op, const TileBuilder &t,
                        const TileContext &tile) {
  RankedTensorType type = op.getSinks().getType();
  int64_t rows = tile.sizes[Query];
  SmallVector<Value> indices{buildHeadIndex(t, tile)};
  Type given = type.getElementType();
  if (type.getRank() == 2) {
    // So many rows one after the other have the same sink.
    Value several = arith::MaxUIOp::create(
        t.b, t.loc, t.index(1),
        arith::DivUIOp::create(t.b, t.loc, tile.extents[Query],
                               t.index(type.getDimSize(1))));
    indices.push_back(arith::DivUIOp::create(
        t.b, t.loc, t.iota(0, tile.offsets[Query], {rows}),
        t.spread(several, {rows})));
    given = RankedTensorType::get({rows}, given);
  }
  Value sinks = GatherOp::create(t.b, t.loc, given,
                                 tile.views[*op.getSinksView()], indices);
  if (!type.getElementType().isF32()) {
    Type f32 = t.b.getF32Type();
    if (auto tensor = dyn_cast<RankedTensorType>(given))
      f32 = tensor.clone(f32);
    sinks = arith::ExtFOp::create(t.b, t.loc, f32, sinks);
  }
  return type.getRank() == 2 ? sinks : t.spread(sinks, {rows});
}

/// The state with one more logit a row, to which no value belongs.
static SmallVector<Value> addSinks(AttentionOp op, const TileBuilder &t,
                                   const TileContext &tile, ValueRange state) {
  float scale = softmaxScale(op);
  Value sinks = buildSinks(op, t, tile);
  Value scores = scale == 1 ? sinks : t.scale(sinks, 1 / scale);
  // Rows that hold the factor have other units than sinks.
  if (scalesRows(op))
    scores = t.div(t.scale(sinks, llvm::numbers::log2e), state[Factor]);
  AdvanceOp now =
      t.advance(scores, state[Factor], state[Reference], scale, scalesRows(op));
  Value negative =
      arith::NegFOp::create(t.b, t.loc, shifted(op, t, now.getReference()));
  Value weight = t.exp2(t.fma(scores, now.getFactor(), negative));
  Value acc =
      t.mul(state[Acc], t.broadcast(now.getRescale(), tile.sizes[ValueDim]));
  return {now.getFactor(), now.getReference(),
          t.fma(state[L], now.getRescale(), weight), acc};
}

SmallVector<Value> AttentionOp::buildTail(OpBuilder &b, Location loc,
                                          const TileContext &tile,
                                          ValueRange folded) {
  TileBuilder t{b, loc};
  SmallVector<Value> state(folded);
  if (getSinks())
    state = addSinks(*this, t, tile, folded);
  Value out =
      t.divideRows(state[Acc], state[L],
                   scalesIn(*this, t, tile).shared(AttentionScales::Values));
  // log2(0) = -inf, as wanted.
  auto lse = [&]() {
    Value reference = shifted(*this, t, state[Reference]);
    return scalesRows(*this)
               ? t.scale(t.add(reference, t.log2(state[L])), llvm::numbers::ln2)
               : t.logSum(state[Factor], reference, state[L],
                          softmaxScale(*this));
  };
  Value all;
  if (getEarlierOutput())
    std::tie(out, all) = takeUpEarlier(
        *this, t, tile.views,
        {tile.offsets[Batch], buildHeadIndex(t, tile), tile.offsets[Query]},
        out, lse());
  SmallVector<Value> results{
      t.cast(out, getOutput().getType().getElementType())};
  if (getLse())
    results.push_back(all ? all : lse());
  return results;
}
