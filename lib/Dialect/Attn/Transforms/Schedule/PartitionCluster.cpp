//===- PartitionCluster.cpp - A stream over the CTAs of a cluster ---------===//

#include "Partitioner.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Target/Facts.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

/// Bytes that a CTA may be sent by its cluster: rings want what is left.
static constexpr int64_t kMostScattered = 16 << 10;

Value Partitioner::countInCluster(StreamKernel &kernel) {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  if (split.parts > 0)
    return m.constant(split.parts);
  TargetAttr target = TargetAttr::of(op);
  auto extent = [&](unsigned axis) {
    return kernel.getContext().extents[axis];
  };
  Value tiles = countTiles(m, extent);
  Value sharing = m.ceilDiv(tiles, m.constant(target.get(Fact::MaxClusters)));
  Value fit = m.div(m.constant(target.get(Fact::MaxClusterCTAs)), sharing);
  // Two neighbours are a cluster anywhere.
  Value pairs =
      m.minU(m.div(m.constant(target.get(Fact::SMs)), tiles), m.constant(2));
  return m.atLeastOne(m.minU(m.maxS(fit, pairs), countWorth(m, extent)));
}

ExchangeOp Partitioner::exchange(StreamKernel &kernel, ArrayRef<Value> state) {
  int64_t parts = split.parts > 0 ? split.parts : ShapedType::kDynamic;
  SmallVector<Type> types;
  for (auto [value, map] : llvm::zip_equal(state, op.getStateMaps())) {
    SmallVector<int64_t> shape{parts};
    for (AffineExpr expr : map.getResults()) {
      unsigned axis = cast<AffineDimExpr>(expr).getPosition();
      int64_t extent = axes[axis].extent;
      shape.push_back(ShapedType::isDynamic(extent)
                          ? sizes[axis]
                          : std::clamp<int64_t>(extent, 1, sizes[axis]));
    }
    types.push_back(ViewType::get(op->getContext(), shape,
                                  getElementTypeOrSelf(value.getType())));
  }
  auto shown =
      ExchangeOp::create(kernel.getBuilder(), op.getLoc(), types,
                         kernel.getContext().offsets[splitAxis()], state,
                         /*scatter=*/IntegerAttr());
  scatter(shown);
  return shown;
}

void Partitioner::scatter(ExchangeOp shown) {
  bool byRows = llvm::all_of(op.getStateMaps(), [&](AffineMap map) {
    return map.getNumResults() > 0 && map.getDimPosition(0) == rowAxis();
  });
  if (!byRows)
    return;
  int64_t rows = sharedRows();
  if (split.parts > 0)
    rows = wholeShare(
        std::min<int64_t>(rows, llvm::divideCeil(heldRows(), split.parts)));
  shown.setScatter(rows);
  if (shown.getBytes() > kMostScattered)
    shown.removeScatterAttr();
}

int64_t Partitioner::heldRows() const {
  int64_t extent = axes[rowAxis()].extent, size = sizes[rowAxis()];
  return ShapedType::isDynamic(extent) ? size : std::min(extent, size);
}

int64_t Partitioner::sharedRows() const {
  // A CTA's share in the largest cluster: its loads are under way together.
  int64_t share = heldRows() / TargetAttr::of(op).get(Fact::MaxClusterCTAs);
  return wholeShare(
      std::max(mergeRows(axes[rowAxis()], sizes[rowAxis()]), share));
}

int64_t Partitioner::wholeShare(int64_t rows) const {
  // What is behind the tile belongs to another cluster.
  while (sizes[rowAxis()] % rows != 0)
    --rows;
  return rows;
}

SmallVector<Value> Partitioner::loadShown(StreamKernel &kernel,
                                          ExchangeOp shown, Value row,
                                          int64_t ahead) {
  OpBuilder &b = kernel.getBuilder();
  IndexBuilder m{b, op.getLoc()};
  const TileContext &context = kernel.getContext();
  Value part = m.add(context.offsets[splitAxis()], m.constant(ahead));
  SmallVector<Value> state;
  for (auto [view, map] :
       llvm::zip_equal(shown.getViews(), op.getStateMaps())) {
    SmallVector<Value> offsets{part};
    SmallVector<int64_t> shape;
    for (AffineExpr expr : map.getResults()) {
      unsigned axis = cast<AffineDimExpr>(expr).getPosition();
      offsets.push_back(axis == rowAxis() ? row : m.constant(0));
      shape.push_back(context.sizes[axis]);
    }
    auto tile = RankedTensorType::get(shape, b.getF32Type());
    state.push_back(LoadOp::create(b, op.getLoc(), tile, view, offsets));
  }
  return state;
}

void Partitioner::mergeRowsOfTile(StreamKernel &kernel, int64_t rows,
                                  Value from, Value step, LoadRows load,
                                  Value valid) {
  OpBuilder &b = kernel.getBuilder();
  IndexBuilder m{b, op.getLoc()};
  const TileContext &context = kernel.getContext();
  unsigned axis = rowAxis();
  Value first = context.offsets[axis];
  Value end =
      m.minS(m.sub(context.extents[axis], first), m.constant(sizes[axis]));
  auto loop = scf::ForOp::create(b, op.getLoc(), from, end, step);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value row = loop.getInductionVar();
  kernel.narrow(axis, m.add(first, row), rows);
  auto loadAhead = [&](int64_t ahead) { return load(row, ahead); };
  buildMerges(kernel, loadAhead, valid);
}

void Partitioner::mergeShown(StreamKernel &kernel, ExchangeOp shown,
                             Value valid) {
  IndexBuilder m{kernel.getBuilder(), op.getLoc()};
  const TileContext &context = kernel.getContext();
  int64_t rows = shown.getScatter() ? static_cast<int64_t>(*shown.getScatter())
                                    : sharedRows();
  Value step = m.constant(rows), part = context.offsets[splitAxis()],
        parts = context.extents[splitAxis()];
  auto load = [&](Value row, int64_t ahead) {
    return loadShown(kernel, shown, row, ahead);
  };
  mergeRowsOfTile(kernel, rows, m.mul(part, step), m.mul(parts, step), load,
                  valid);
}

void Partitioner::runInCluster() {
  KernelAxes kernelAxes =
      axesWithSplit(split.parts > 0 ? split.parts : ShapedType::kDynamic);
  StreamKernel kernel(op, nameWith(""), kernelAxes, withSplitAxis(inputs),
                      withSplitAxis(outputs));
  kernel.setExtent(splitAxis(), countInCluster(kernel));
  kernel.enterGrid(/*cluster=*/true);
  Value valid = endStream(kernel);
  SmallVector<Value> state = buildPart(kernel);
  mergeShown(kernel, exchange(kernel, state), valid);
  finish(kernel);
  replaceBy(kernel.launch());
}
