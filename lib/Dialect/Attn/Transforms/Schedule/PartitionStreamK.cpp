//===- PartitionStreamK.cpp - CTAs share what tiles visit evenly ----------===//
//
// Tiles that are no whole round of the CTAs leave some of these without work at
// the end. Here the tiles of the last round and of one before it are shared
// evenly, in steps of the stream: each CTA goes on from the end of one tile into
// the next, and takes whole tiles behind that. This is the hybrid of two tiles
// in "Stream-K: Work-centric Parallel Decomposition for Dense Matrix-Matrix
// Multiplication on the GPU" (Osama, Merrill, Cecka, Garland and Owens 2023);
// "LeanAttention" (Sanovar et al. 2024) does so for attention while decoding.
// A share is as long as a tile or longer, so that a tile is cut once at most.
// Where it is, both CTAs store states, which a second kernel merges.
//
//===----------------------------------------------------------------------===//

#include "Partitioner.h"
#include "Shares.h"
#include "attn-mlir/Dialect/Attn/Utils/DirectLoads.h"

using namespace mlir;
using namespace attn;
using arith::CmpIPredicate;

/// A share begins in one tile, may hold one, and ends in one.
static constexpr int64_t kPieces = 3;
/// Of a tile that is cut.
static constexpr int64_t kParts = 2;

Shares::Shares(const IndexBuilder &m, int64_t ctas, Value tiles, Value steps)
    : tiles(tiles), steps(steps), number(ctas) {
  Value count = m.constant(ctas);
  Value rest = m.sub(tiles, m.mul(m.div(tiles, count), count));
  // There is a round to share, and one before it. (Launchers compute this:
  // they have minima, and no comparisons.)
  Value one = m.constant(1);
  Value rounds = m.div(tiles, m.constant(ctas + 1));
  Value isShared = m.mul(m.minU(rest, one), m.minU(rounds, one));
  sharedTiles = m.mul(isShared, m.add(count, rest));
  sharedVisits = m.mul(isShared, m.constant(kPieces * ctas));
}

Value Shares::countVisits(const IndexBuilder &m) const {
  return m.add(sharedVisits, m.sub(tiles, sharedTiles));
}

Value Shares::beginOf(const IndexBuilder &m, Value cta) const {
  return m.div(m.mul(cta, m.mul(sharedTiles, steps)), m.constant(number));
}

Shares::Piece Shares::pieceOf(const IndexBuilder &m, Value visit) const {
  Value count = m.constant(number), cta = m.rem(visit, count);
  Value begin = beginOf(m, cta), end = beginOf(m, m.add(cta, m.constant(1)));
  Value sharedTile = m.add(m.div(begin, steps), m.div(visit, count));
  Value first = m.mul(sharedTile, steps);
  Value lo = m.maxU(begin, first);
  Value hi = m.maxU(m.minU(end, m.add(first, steps)), lo);
  Value inShare = m.compare(CmpIPredicate::ult, visit, sharedVisits);
  Value behind = m.add(sharedTiles, m.sub(visit, sharedVisits));
  Value zero = m.constant(0);

  Piece piece;
  // Behind the end of a share there may be no tile.
  piece.tile = m.minU(m.select(inShare, sharedTile, behind),
                      m.sub(tiles, m.constant(1)));
  piece.from = m.select(inShare, m.sub(lo, first), zero);
  piece.to = m.select(inShare, m.sub(hi, first), steps);
  Value length = m.sub(piece.to, piece.from);
  piece.isWhole = m.compare(CmpIPredicate::eq, length, steps);
  piece.isPart = m.logicalAnd(m.compare(CmpIPredicate::ult, length, steps),
                              m.compare(CmpIPredicate::ne, length, zero));
  Value begins = m.compare(CmpIPredicate::eq, piece.from, zero);
  piece.part = m.select(begins, zero, m.constant(1));
  piece.cut = m.sub(cta, piece.part);
  return piece;
}

std::pair<Value, Value> Shares::tileOf(const IndexBuilder &m, Value cut) const {
  Value end = beginOf(m, m.add(cut, m.constant(1)));
  Value tile = m.div(end, steps);
  Value isCut =
      m.compare(CmpIPredicate::ne, m.sub(end, m.mul(tile, steps)),
                m.constant(0));
  return {m.minU(tile, m.sub(tiles, m.constant(1))), isCut};
}

KernelAxes Partitioner::streamKAxes() {
  KernelAxes result = axesWithSplit(kParts);
  int64_t rows = sizes[rowAxis()];
  result.axes.push_back({"slot", AxisKind::Group, split.ctas * rows});
  result.sizes.push_back(rows);
  result.axes.push_back({"work", AxisKind::Unit, ShapedType::kDynamic});
  result.sizes.push_back(1);
  result.gridOrder = {workAxis()};
  return result;
}

SmallVector<KernelView> Partitioner::describeSlots() {
  IndexBuilder m{host, op.getLoc()};
  MLIRContext *context = op->getContext();
  Dim parts{getAffineDimExpr(splitAxis(), context), m.constant(kParts)};
  Dim slots{getAffineDimExpr(slotAxis(), context),
            m.constant(split.ctas * sizes[rowAxis()])};
  SmallVector<KernelView> views;
  for (auto [name, map] :
       llvm::zip_equal(op.getStateNames(), op.getStateMaps())) {
    SmallVector<Dim> dims{parts};
    for (AffineExpr expr : map.getResults()) {
      unsigned axis = cast<AffineDimExpr>(expr).getPosition();
      dims.push_back(axis == rowAxis() ? slots : Dim{expr, hostExtent(axis)});
    }
    views.push_back(describeState(name, dims));
  }
  return views;
}

void Partitioner::enterTile(StreamKernel &kernel, Value tile) {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  for (unsigned i : llvm::reverse(llvm::seq<unsigned>(0, axes.size()))) {
    const StreamAxis &axis = axes[i];
    if (axis.kind != AxisKind::Unit && axis.kind != AxisKind::Group)
      continue;
    Value count = kernel.getContext().extents[i], size = m.constant(sizes[i]);
    if (axis.kind == AxisKind::Group)
      count = m.ceilDiv(count, size);
    // There is no tile behind the last.
    Value coordinate = i == 0 ? tile : m.rem(tile, count);
    tile = i == 0 ? tile : m.div(tile, count);
    kernel.setOffset(i, axis.kind == AxisKind::Group ? m.mul(coordinate, size)
                                                     : coordinate);
  }
}

Shares Partitioner::sharesOf(StreamKernel &kernel) {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  const TileContext &context = kernel.getContext();
  auto extent = [&](unsigned axis) { return context.extents[axis]; };
  Value steps =
      m.ceilDiv(context.extents[streamed], m.constant(sizes[streamed]));
  return {m, split.ctas, countTiles(m, extent), m.atLeastOne(steps)};
}

void Partitioner::buildShares(StreamKernel &kernel, unsigned numStates) {
  OpBuilder &b = kernel.getBuilder();
  Location loc = op.getLoc();
  IndexBuilder m{b, loc};
  const TileContext &context = kernel.getContext();
  Shares shares = sharesOf(kernel);
  kernel.setExtent(workAxis(), shares.countVisits(m));
  kernel.enterGrid();
  Shares::Piece piece = shares.pieceOf(m, context.offsets[workAxis()]);
  enterTile(kernel, piece.tile);
  Value valid = endStream(kernel);
  SmallVector<Value> tiles = kernel.loadTiles(/*streamed=*/false);
  SmallVector<Segment> segments = op.buildSegments(b, loc, context);
  Value step = m.constant(sizes[streamed]);
  segments = clip(kernel, segments, m.mul(piece.from, step),
                  m.mul(piece.to, step), /*at=*/m.constant(0));
  SmallVector<Value> state = buildFolds(kernel, segments, tiles);
  // What is no part has a slot behind the last.
  Value cut = m.select(piece.isPart, piece.cut, m.constant(split.ctas));
  kernel.setOffset(splitAxis(), piece.part);
  kernel.setOffset(slotAxis(), m.mul(cut, m.constant(sizes[rowAxis()])));
  kernel.storeTiles(state);
  SmallVector<Value> results =
      checked(kernel, op.buildTail(b, loc, context, state), valid);
  // Nor are there results of a part: those lie behind the last row.
  kernel.setOffset(rowAxis(),
                   m.select(piece.isWhole, context.offsets[rowAxis()],
                            context.extents[rowAxis()]));
  kernel.storeTiles(results, numStates);
}

void Partitioner::mergeCuts(ArrayRef<KernelView> states) {
  KernelAxes kernelAxes = streamKAxes();
  int64_t tileRows = sizes[rowAxis()],
          rows = wholeShare(mergeRows(axes[rowAxis()], tileRows));
  kernelAxes.sizes[slotAxis()] = rows;
  kernelAxes.gridOrder = {slotAxis()};
  SmallVector<KernelView> read(states);
  if (op.getLengthsView())
    llvm::append_range(read, lengthViews());
  else if (ShapedType::isDynamic(axes[streamed].extent))
    read.push_back(inputOf(axes[streamed].view));
  llvm::append_range(read, tailViews());
  StreamKernel merge(op, nameWith("_merge"), kernelAxes, read, outputs);
  OpBuilder &b = merge.getBuilder();
  IndexBuilder m{b, op.getLoc()};
  const TileContext &context = merge.getContext();
  Shares shares = sharesOf(merge);
  merge.enterGrid();
  Value slot = context.offsets[slotAxis()], tileSize = m.constant(tileRows);
  auto [tile, isCut] = shares.tileOf(m, m.div(slot, tileSize));
  enterTile(merge, tile);
  Value valid = op.getLengthsView()
                    ? merge.endStream(streamed, op.getStateMaps().size())
                    : Value();
  Value row = m.add(context.offsets[rowAxis()], m.rem(slot, tileSize));
  merge.narrow(rowAxis(),
               m.select(isCut, row, context.extents[rowAxis()]), rows);
  SmallVector<SmallVector<Value>> parts(kParts);
  for (auto [part, state] : llvm::enumerate(parts)) {
    merge.setOffset(splitAxis(), m.constant(static_cast<int64_t>(part)));
    for (unsigned i = 0; i < states.size(); ++i)
      state.push_back(merge.loadView(i));
  }
  SmallVector<Value> merged = op.buildMerge(b, op.getLoc(), context,
                                            parts.front(), parts.back());
  merge.storeTiles(
      checked(merge, op.buildTail(b, op.getLoc(), context, merged), valid));
  merge.getKernel()->setAttr(kDirectLoadsAttr, host.getUnitAttr());
  finish(merge, KernelOp::kMergeStep);
  replaceBy(merge.launch());
}

void Partitioner::runStreamK() {
  SmallVector<KernelView> states = describeSlots(), written(states);
  llvm::append_range(written, outputs);
  StreamKernel kernel(op, nameWith("_split"), streamKAxes(), inputs, written);
  buildShares(kernel, states.size());
  finish(kernel, KernelOp::kSplitStep);
  // The merge has its results beside those of whole tiles.
  ValueRange made = kernel.launch().getResults();
  for (auto [state, value] : llvm::zip(states, made))
    state.tensor = value;
  for (auto [output, value] :
       llvm::zip_equal(outputs, made.drop_front(states.size())))
    output.tensor = value;
  mergeCuts(states);
}
