//===- MaterializeGrid.cpp - The grid as index arithmetic -----------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "attn-mlir/Dialect/Attn/Transforms/GridOrder.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "attn-mlir/Dialect/Attn/Transforms/Tidy.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNMATERIALIZEGRID
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// Rewrites one grid.
class GridMaterializer {
public:
  GridMaterializer(GridOp grid, bool inTurn)
      : grid(grid), takes(grid.getCounter() && !inTurn),
        rewriter(grid->getContext()), loc(grid.getLoc()) {}

  void run() {
    rewriter.setInsertionPoint(grid);
    OrderedBox box = OrderedBox::of(grid, rewriter);
    Value tiles = box.buildCount(rewriter, loc), ctas = tiles;
    if (grid.getPersistent())
      ctas = rewriter.createOrFold<arith::MinUIOp>(
          loc, tiles, constant(*grid.getPersistent()));
    // The default order, which grids of clusters have, counts along the last
    // axis first.
    Value cluster = grid.getCluster() ? grid.getSizes().back() : Value();
    auto ctasOp = CtasOp::create(rewriter, loc, ctas, cluster);
    Block *block = rewriter.createBlock(&ctasOp.getBody(), {},
                                        {rewriter.getIndexType()}, {loc});
    YieldOp::create(rewriter, loc);
    enterCtas(block);
    rewriter.setInsertionPoint(block->getTerminator());
    // Of a grid without tiles no CTA runs; coordinates would be remainders of a
    // division by zero.
    bool hasTiles = !matchPattern(tiles, m_Zero());
    SmallVector<Value> coords(grid.getSizes().size() + 1, constant(0));
    if (hasTiles)
      coords = buildVisit(box, ctasOp.getCta(), tiles, ctas);
    Block *body = grid.getBodyBlock();
    rewriter.eraseOp(body->getTerminator());
    rewriter.inlineBlockBefore(body, rewriter.getInsertionBlock(),
                               rewriter.getInsertionPoint(), coords);
    rewriter.eraseOp(grid);
  }

private:
  /// What is copied once for all visits of a CTA is the CTA's, too.
  void enterCtas(Block *block) {
    for (Operation &op : llvm::make_early_inc_range(*grid->getBlock())) {
      if (&op == grid)
        break;
      if (isa<RingAcquireOp, RingIssueOp, RingLandOp, RingWaitOp>(op))
        op.moveBefore(block->getTerminator());
    }
  }

  /// Opens the loops over the tiles of a CTA; the coordinates of one, and the
  /// visit.
  SmallVector<Value> buildVisit(const OrderedBox &box, Value cta, Value tiles,
                                Value ctas) {
    Value position = cta, round = constant(0);
    if (grid.getPersistent() && endsWithFirstAxis(box))
      tiles = countExisting(box);
    if (takes) {
      std::tie(position, round) = takeTiles(tiles);
    } else if (grid.getSnake()) {
      std::tie(position, round) = takeByTurns(cta, tiles, ctas);
    } else if (grid.getPersistent()) {
      auto loop = scf::ForOp::create(rewriter, loc, cta, tiles, ctas);
      rewriter.setInsertionPointToStart(loop.getBody());
      position = loop.getInductionVar();
      round = arith::DivUIOp::create(
          rewriter, loc, arith::SubIOp::create(rewriter, loc, position, cta),
          ctas);
    }
    SmallVector<Value> coords = box.buildCoordinates(rewriter, loc, position);
    if (grid.getRun() != 1)
      enterRun(coords, round);
    if (grid.getFolded())
      coords.back() = fold(coords.back());
    coords.push_back(round);
    return coords;
  }

  /// Whether the points that exist come before the others: where the first axis
  /// is the slowest.
  bool endsWithFirstAxis(const OrderedBox &box) {
    if (!grid.getUntil() || box.order.getDomains() > 1 ||
        box.order.getTogether() > 1)
      return false;
    StringRef first = box.axes.front();
    StringRef slowest = box.order.getDigits().front().getValue();
    if (slowest == "sharing" && !box.sharing.empty())
      slowest = box.sharing.front();
    return slowest == first &&
           llvm::none_of(box.order.getReversed(), [&](StringAttr axis) {
             return axis.getValue() == first;
           });
  }

  /// The number of points that exist, of tiles or of runs of them.
  Value countExisting(const OrderedBox &box) {
    IndexBuilder m{rewriter, loc};
    Value existing =
        ReadOp::create(rewriter, loc, grid.getUntil(), grid.getUntilOffsets());
    // What is negative is large without its sign.
    existing = m.minU(existing, grid.getSizes().front());
    if (box.sizes.size() == 1)
      existing = m.ceilDiv(existing, m.constant(grid.getRun()));
    for (Value size : ArrayRef(box.sizes).drop_front())
      existing = m.mul(existing, size);
    return existing;
  }

  /// Opens the loop over the tiles that a CTA takes from the counter, until
  /// there are no more: the tile, and how many the CTA took before.
  std::pair<Value, Value> takeTiles(Value tiles) {
    Value counter = grid.getCounter();
    Type index = rewriter.getIndexType();
    Value first = TakeOp::create(rewriter, loc, counter, constant(0));
    auto loop = scf::WhileOp::create(
        rewriter, loc, TypeRange{index, index}, ValueRange{first, constant(0)},
        [&](OpBuilder &b, Location, ValueRange tile) {
          Value exists = arith::CmpIOp::create(
              b, loc, arith::CmpIPredicate::ult, tile[0], tiles);
          scf::ConditionOp::create(b, loc, exists, tile);
        },
        [&](OpBuilder &, Location, ValueRange tile) {
          Value next = TakeOp::create(rewriter, loc, counter, constant(0));
          Value visit =
              arith::AddIOp::create(rewriter, loc, tile[1], constant(1));
          scf::YieldOp::create(rewriter, loc, ValueRange{next, visit});
        });
    Block *body = loop.getAfterBody();
    rewriter.setInsertionPointToStart(body);
    return {body->getArgument(0), body->getArgument(1)};
  }

  /// Opens the loop over the strides, of which every other one is walked
  /// backwards: the tile, and the number of the stride.
  std::pair<Value, Value> takeByTurns(Value cta, Value tiles, Value ctas) {
    IndexBuilder m{rewriter, loc};
    Value last = m.sub(m.sub(ctas, constant(1)), cta);
    auto placeIn = [&](Value stride) {
      Value odd = m.compare(arith::CmpIPredicate::ne,
                            m.rem(stride, constant(2)), constant(0));
      return m.select(odd, last, cta);
    };
    // Of the last stride, which may be cut short, some CTAs have none.
    Value whole = m.div(tiles, ctas);
    Value more = m.compare(arith::CmpIPredicate::ult, placeIn(whole),
                           m.rem(tiles, ctas));
    Value strides = m.add(whole, m.select(more, constant(1), constant(0)));
    auto loop =
        scf::ForOp::create(rewriter, loc, constant(0), strides, constant(1));
    rewriter.setInsertionPointToStart(loop.getBody());
    Value round = loop.getInductionVar();
    return {m.add(m.mul(round, ctas), placeIn(round)), round};
  }

  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(rewriter, loc, value);
  }

  /// Opens the loop over the tiles of a run, cut off at the end of the axis;
  /// turns the group's coordinate into the tile's, and the round into the
  /// visit.
  void enterRun(MutableArrayRef<Value> coords, Value &round) {
    Value run = constant(grid.getRun());
    Value first = arith::MulIOp::create(rewriter, loc, coords.back(), run);
    Value left =
        arith::SubIOp::create(rewriter, loc, grid.getSizes().back(), first);
    Value visits = rewriter.createOrFold<arith::MulIOp>(loc, round, run);
    auto loop = scf::ForOp::create(
        rewriter, loc, constant(0),
        arith::MinUIOp::create(rewriter, loc, run, left), constant(1));
    rewriter.setInsertionPointToStart(loop.getBody());
    Value i = loop.getInductionVar();
    coords.back() = arith::AddIOp::create(rewriter, loc, first, i);
    round = rewriter.createOrFold<arith::AddIOp>(loc, visits, i);
  }

  /// n - 1, 0, n - 2, 1, ... for 0, 1, 2, 3, ...
  Value fold(Value tile) {
    Value half = arith::DivUIOp::create(rewriter, loc, tile, constant(2));
    Value odd = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::ne,
        arith::RemUIOp::create(rewriter, loc, tile, constant(2)), constant(0));
    Value last = arith::SubIOp::create(rewriter, loc, grid.getSizes().back(),
                                       constant(1));
    return arith::SelectOp::create(
        rewriter, loc, odd, half,
        arith::SubIOp::create(rewriter, loc, last, half));
  }

  GridOp grid;
  /// Whether CTAs take tiles from the counter.
  bool takes;
  IRRewriter rewriter;
  Location loc;
};

struct MaterializeGridPass
    : attn::impl::AttnMaterializeGridBase<MaterializeGridPass> {
  using AttnMaterializeGridBase::AttnMaterializeGridBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    auto grids = llvm::to_vector(kernel.getBody().getOps<GridOp>());
    if (grids.empty()) {
      remarks::emitMaterializeGridNoGrid(kernel);
      return;
    }
    for (GridOp grid : grids) {
      materializeGrid(grid, inTurn);
      ++numMaterialized;
    }
    tidy(kernel);
  }
};

} // namespace

void attn::materializeGrid(GridOp grid, bool inTurn) {
  GridMaterializer(grid, inTurn).run();
}
