//===- PartitionStreamK.cpp - CTAs share what tiles visit evenly ----------===//
//
// Tiles that are no whole round of the CTAs leave some of these without work at
// the end. Here the tiles of the last round are shared evenly, in steps of the
// stream: each CTA has as many, from the end of one tile into the next, if need
// be ("Stream-K: Work-centric Parallel Decomposition for Dense Matrix-Matrix
// Multiplication on the GPU", Osama, Merrill, Cecka, Garland and Owens 2023;
// "Lean Attention", Sanovar et al. 2024, does so for attention while decoding).
// Parts of a tile store states, which a second kernel merges.
//
//===----------------------------------------------------------------------===//

#include "Partitioner.h"

using namespace mlir;
using namespace attn;
using arith::CmpIPredicate;

/// What sharing costs, in costs of a part elsewhere: two visits, and states of
/// two tiles.
static constexpr int64_t kCosts = 2;

KernelAxes Partitioner::streamKAxes() {
  int64_t rows = sizes[rowAxis()];
  KernelAxes result = axesWithSplit(slotsOfShares());
  result.axes.push_back({"row", AxisKind::Group, rows});
  result.sizes.push_back(rows);
  result.axes.push_back({"work", AxisKind::Unit, ShapedType::kDynamic});
  result.sizes.push_back(1);
  result.gridOrder = {workAxis()};
  return result;
}

SmallVector<KernelView> Partitioner::describeSlots() {
  IndexBuilder m{host, op.getLoc()};
  MLIRContext *context = op->getContext();
  Dim slots{getAffineDimExpr(splitAxis(), context),
            m.constant(slotsOfShares())};
  Dim rows{getAffineDimExpr(slotRowAxis(), context),
           m.constant(sizes[rowAxis()])};
  SmallVector<KernelView> views;
  for (auto [name, map] :
       llvm::zip_equal(op.getStateNames(), op.getStateMaps())) {
    SmallVector<Dim> dims{slots};
    for (AffineExpr expr : map.getResults()) {
      unsigned axis = cast<AffineDimExpr>(expr).getPosition();
      dims.push_back(axis == rowAxis() ? rows : Dim{expr, hostExtent(axis)});
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
  return {m, split.ctas, std::max<int64_t>(kCosts * partCost(), 1),
          countGrid(m, extent), m.atLeastOne(steps)};
}

void Partitioner::buildShares(StreamKernel &kernel) {
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
  kernel.setOffset(splitAxis(), m.select(piece.isPart, piece.slot,
                                         m.constant(slotsOfShares())));
  kernel.setOffset(slotRowAxis(), m.constant(0));
  kernel.storeTiles(state, outputs.size());
  SmallVector<Value> results =
      checked(kernel, op.buildTail(b, loc, context, state), valid);
  // Nor are there results of a part: those lie behind the last row.
  kernel.setOffset(rowAxis(),
                   m.select(piece.isWhole, context.offsets[rowAxis()],
                            context.extents[rowAxis()]));
  kernel.storeTiles(results);
}

SmallVector<Value> Partitioner::mergeSlots(StreamKernel &merge, Segment slots) {
  OpBuilder &b = merge.getBuilder();
  SmallVector<Value> head = op.buildHead(b, op.getLoc(), merge.getContext());
  auto visit = [&](ValueRange carried, int64_t several) {
    SmallVector<SmallVector<Value>> states;
    for (int64_t ahead = 0; ahead < several; ++ahead) {
      SmallVector<Value> state;
      for (unsigned i = 0; i < op.getStateMaps().size(); ++i)
        state.push_back(merge.loadView(i, splitAxis(), ahead));
      states.push_back(
          stateOrNothing(merge, splitAxis(), ahead, state, head, slots.hi));
    }
    return op.buildMerge(b, op.getLoc(), merge.getContext(), carried,
                         mergeAll(merge, std::move(states)));
  };
  return mergeParts(merge, splitAxis(), slots, slots.hi, visit);
}

void Partitioner::mergeShares(ArrayRef<KernelView> states) {
  KernelAxes kernelAxes = streamKAxes();
  int64_t rows = wholeShare(mergeRows(axes[rowAxis()], sizes[rowAxis()]));
  kernelAxes.sizes[slotRowAxis()] = rows;
  kernelAxes.gridOrder = {workAxis(), slotRowAxis()};
  kernelAxes.streamed = splitAxis();
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
  merge.setExtent(workAxis(), shares.countShared());
  merge.enterGrid();
  Value tile = context.offsets[workAxis()];
  auto [first, end] = shares.slotsOf(m, tile);
  enterTile(merge, tile);
  Value valid = op.getLengthsView()
                    ? merge.endStream(streamed, op.getStateMaps().size())
                    : Value();
  // A tile that is one part has its results.
  Value isCut = m.compare(CmpIPredicate::ult, m.add(first, m.constant(1)), end);
  Value row = m.add(context.offsets[rowAxis()], context.offsets[slotRowAxis()]);
  merge.narrow(rowAxis(), m.select(isCut, row, context.extents[rowAxis()]),
               rows);
  SmallVector<Value> state = mergeSlots(merge, {first, end, /*masked=*/false});
  merge.storeTiles(
      checked(merge, op.buildTail(b, op.getLoc(), context, state), valid));
  finish(merge, KernelOp::kMergeStep);
  replaceBy(merge.launch());
}

void Partitioner::runStreamK() {
  SmallVector<KernelView> states = describeSlots(), written(outputs);
  llvm::append_range(written, states);
  StreamKernel kernel(op, nameWith("_split"), streamKAxes(), inputs, written);
  buildShares(kernel);
  finish(kernel, KernelOp::kSplitStep);
  // States are no views of the operation, but of those who launch.
  kernel.getKernel()->setAttr(
      KernelOp::kCountersAttr,
      host.getI64IntegerAttr(static_cast<int64_t>(states.size())));
  // The merge has its results beside those of whole tiles.
  ValueRange made = kernel.launch().getResults();
  setTensors(outputs, made.take_front(outputs.size()));
  setTensors(states, made.drop_front(outputs.size()));
  mergeShares(states);
}
