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
//
//===----------------------------------------------------------------------===//

#include "Partitioner.h"
#include "attn-mlir/Dialect/Attn/IR/AttnPartOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"

using namespace mlir;
using namespace attn;
using arith::CmpIPredicate;

namespace {

/// A share begins in one tile, may hold one, and ends in one.
constexpr int64_t kPieces = 3;
/// Of a tile that is cut.
constexpr int64_t kParts = 2;

/// What one visit of a CTA takes.
struct Piece {
  Value tile;
  /// Steps of the tile's stream.
  Value from, to;
  /// All of a tile, or one of two parts of it; neither where it is nothing.
  Value isWhole, isPart;
  /// Which part, and of which of the places where one CTA ends and the next
  /// begins.
  Value part, cut;
};

/// Arithmetic of shares: of so many CTAs, tiles, and steps of each.
class Shares {
public:
  Shares(const IndexBuilder &m, int64_t ctas, Value tiles, Value steps)
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

  Value countVisits(const IndexBuilder &m) const {
    return m.add(sharedVisits, m.sub(tiles, sharedTiles));
  }

  Piece pieceOf(const IndexBuilder &m, Value visit) const {
    Value count = m.constant(number), cta = m.rem(visit, count);
    Value total = m.mul(sharedTiles, steps);
    Value begin = m.div(m.mul(cta, total), count);
    Value end = m.div(m.mul(m.add(cta, m.constant(1)), total), count);
    Value sharedTile =
        m.add(m.div(begin, steps), turnOf(m, cta, m.div(visit, count)));
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
    Value begins = m.compare(CmpIPredicate::eq, piece.from, zero);
    Value isCut = m.compare(CmpIPredicate::ult, m.sub(piece.to, piece.from),
                            steps);
    piece.isWhole = m.compare(CmpIPredicate::eq, m.sub(piece.to, piece.from),
                              steps);
    piece.isPart = m.logicalAnd(
        isCut, m.compare(CmpIPredicate::ult, piece.from, piece.to));
    piece.part = m.select(begins, zero, m.constant(1));
    piece.cut = m.sub(cta, piece.part);
    return piece;
  }

private:
  /// Every other CTA takes the pieces of its share from the last to the first,
  /// so that both parts of a tile are under way at once: then the one that is
  /// done last knows that it is.
  static Value turnOf(const IndexBuilder &m, Value cta, Value turn) {
    Value isOdd = m.compare(CmpIPredicate::eq, m.rem(cta, m.constant(2)),
                            m.constant(1));
    return m.select(isOdd, m.sub(m.constant(kPieces - 1), turn), turn);
  }

  Value tiles, steps, sharedTiles, sharedVisits;
  int64_t number;
};

} // namespace

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
  auto words = RankedTensorType::get({split.ctas}, host.getI64Type());
  views.push_back({"words",
                   tensor::EmptyOp::create(host, op.getLoc(), words,
                                           ValueRange()),
                   AffineMap::get(0, 0, getAffineConstantExpr(0, context)),
                   {0}});
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

SmallVector<Value> Partitioner::mergeCut(StreamKernel &kernel,
                                         ArrayRef<Value> own, Value part,
                                         unsigned firstState) {
  OpBuilder &b = kernel.getBuilder();
  IndexBuilder m{b, op.getLoc()};
  TileBuilder t{b, op.getLoc()};
  kernel.setOffset(splitAxis(), m.sub(m.constant(kParts - 1), part));
  Value isFirst = m.compare(CmpIPredicate::eq, part, m.constant(0));
  // In their order, whichever CTA is the last, so that launches repeat bits.
  SmallVector<Value> first, second;
  for (auto [i, mine] : llvm::enumerate(own)) {
    Value other = kernel.loadStored(firstState + i);
    Value holds = t.spread(isFirst, t.shapeOf(mine));
    first.push_back(t.select(holds, mine, other));
    second.push_back(t.select(holds, other, mine));
  }
  return op.buildMerge(b, op.getLoc(), kernel.getContext(), first, second);
}

void Partitioner::runStreamK() {
  SmallVector<KernelView> written(outputs);
  unsigned firstState = written.size();
  llvm::append_range(written, describeSlots());
  StreamKernel kernel(op, nameWith(""), streamKAxes(), inputs, written);
  OpBuilder &b = kernel.getBuilder();
  Location loc = op.getLoc();
  IndexBuilder m{b, loc};
  const TileContext &context = kernel.getContext();
  Value step = m.constant(sizes[streamed]);
  Shares shares(
      m, split.ctas,
      countTiles(m, [&](unsigned axis) { return context.extents[axis]; }),
      m.atLeastOne(m.ceilDiv(context.extents[streamed], step)));
  kernel.setExtent(workAxis(), shares.countVisits(m));
  kernel.enterGrid();
  Piece piece = shares.pieceOf(m, context.offsets[workAxis()]);
  enterTile(kernel, piece.tile);
  // What is no part has a word and a slot behind the last.
  Value cut = m.select(piece.isPart, piece.cut, m.constant(split.ctas));
  auto words = kernel.getKernel().getArguments()[inputs.size() +
                                                 written.size() - 1];
  Value begun =
      BeginPartOp::create(b, loc, piece.part, kParts, words, ValueRange(cut));
  Value valid = endStream(kernel);
  SmallVector<Value> tiles = kernel.loadTiles(/*streamed=*/false);
  SmallVector<Segment> segments = op.buildSegments(b, loc, context);
  SmallVector<Value> state = buildFolds(
      kernel,
      clip(kernel, segments, m.mul(piece.from, step), m.mul(piece.to, step),
           /*at=*/m.constant(0)),
      tiles);
  Value slot = m.mul(cut, m.constant(sizes[rowAxis()]));
  kernel.setOffset(splitAxis(), piece.part);
  kernel.setOffset(slotAxis(), slot);
  kernel.storeTiles(state, firstState);
  SmallVector<Value> results =
      checked(kernel, op.buildTail(b, loc, context, state), valid);
  // Nor are there results of a part: those lie behind the last row.
  Value row = context.offsets[rowAxis()];
  kernel.setOffset(rowAxis(), m.select(piece.isWhole, row,
                                       context.extents[rowAxis()]));
  kernel.storeTiles(results);
  kernel.setOffset(rowAxis(), row);

  auto last = LastPartOp::create(b, loc, begun, piece.isPart);
  {
    OpBuilder::InsertionGuard guard(b);
    b.createBlock(&last.getBody());
    b.setInsertionPoint(YieldOp::create(b, loc));
    SmallVector<Value> merged =
        mergeCut(kernel, state, piece.part, firstState);
    kernel.storeTiles(
        checked(kernel, op.buildTail(b, loc, context, merged), valid));
  }
  finish(kernel);
  // States and words are no views of the operation, but of those who launch.
  kernel.getKernel()->setAttr(
      KernelOp::kCountersAttr,
      host.getI64IntegerAttr(static_cast<int64_t>(written.size()) -
                             firstState));
  replaceBy(kernel.launch());
}
