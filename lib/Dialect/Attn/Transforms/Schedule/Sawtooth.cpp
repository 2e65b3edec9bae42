//===- Sawtooth.cpp - Alternate the direction of streams ------------------===//
//
// "Sawtooth Wavefront Reordering", section 4: the persistent variant (parity of
// the CTA's local iteration) and the tile-based one (two consecutive tiles).
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "attn-mlir/Dialect/Attn/Transforms/GridOrder.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Tidy.h"
#include "attn-mlir/Dialect/Attn/Utils/Footprint.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSAWTOOTH
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// Whether `value` is computed from `source`. Other block arguments (the
/// position of a stream, whose bounds may depend on `source`) are leaves.
bool dependsOn(Value value, Value source) {
  if (value == source)
    return true;
  if (isa<BlockArgument>(value))
    return false;
  SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  (void)getBackwardSlice(value, &slice, options);
  return llvm::any_of(slice, [&](Operation *op) {
    return llvm::is_contained(op->getOperands(), source);
  });
}

/// Bytes that the stream of a grid reads, as arithmetic on i64: of a few
/// million keys they leave the 32 bits that indices have on a GPU.
class StreamBytes {
public:
  StreamBytes(GridOp grid, StreamOp stream, const IndexBuilder &m)
      : grid(grid), stream(stream), m(m) {}

  /// Distinct bytes that `ctas` CTAs on `sets` sets read between two
  /// visits to one tile.
  Value inFlight(Value ctas, Value sets) {
    Value total = wide(m.constant(0));
    stream.walk([&](LoadOp load) {
      if (Value bytes = bytesOf(load))
        total = m.add(total, m.mul(bytes, wide(isShared(load) ? sets : ctas)));
    });
    return total;
  }

  Value wide(Value index) {
    return m.b.createOrFold<arith::IndexCastOp>(m.loc, m.b.getI64Type(), index);
  }

private:
  /// Bytes that one pass over the stream loads here; null if not streamed.
  Value bytesOf(LoadOp load) {
    auto tile = cast<ShapedType>(load.getTile().getType());
    unsigned leading = load.getOffsets().size() - tile.getRank();
    for (unsigned i = 0; i < tile.getRank(); ++i) {
      if (!dependsOn(load.getOffsets()[leading + i], stream.getPosition()))
        continue;
      int64_t rowBytes = tile.getNumElements() / tile.getDimSize(i) *
                         load.getView().getType().getElementBytes();
      Value length =
          m.b.createOrFold<DimOp>(m.loc, load.getView(), int64_t(leading + i));
      return m.mul(wide(length), wide(m.constant(rowBytes)));
    }
    return {};
  }

  /// Whether all CTAs of a set load the same here.
  bool isShared(LoadOp load) {
    for (auto [coord, axis] : llvm::zip(grid.getCoordinates(), grid.getAxes()))
      if (!llvm::is_contained(grid.getSharing(), axis))
        for (Value offset : load.getOffsets())
          if (dependsOn(offset, coord))
            return false;
    return true;
  }

  GridOp grid;
  StreamOp stream;
  const IndexBuilder &m;
};

struct SawtoothPass : attn::impl::AttnSawtoothBase<SawtoothPass> {
  using AttnSawtoothBase::AttnSawtoothBase;

  remark::RemarkOpts remarkOpts(StringRef name) {
    return remark::RemarkOpts::name(name)
        .category("attn-sawtooth")
        .function(getOperation().getSymName());
  }

  /// The conditions under which alternation pays.
  struct Conditions {
    Value keepsSet, exceedsCache;
  };

  Conditions buildConditions(GridOp grid, StreamOp stream) {
    OpBuilder b(grid);
    IndexBuilder m{b, grid.getLoc()};
    TargetAttr target = TargetAttr::of(grid);
    OrderedBox box = OrderedBox::of(grid, b);
    Value ctas = m.minU(box.buildCount(b, m.loc), m.constant(slots(grid)));
    // Tiles of a run are neighbours along the last axis.
    bool runKeeps = grid.getRun() == 1 ||
                    !llvm::is_contained(grid.getSharing(),
                                        grid.getAxes().getValue().back());
    Conditions result;
    result.keepsSet = arith::ConstantIntOp::create(b, m.loc, runKeeps, 1);
    if (grid.getPersistent())
      result.keepsSet =
          m.logicalAnd(result.keepsSet, box.buildKeepsSet(b, m.loc, ctas));
    Value ctasOfDomain =
        m.ceilDiv(ctas, m.constant(target.get(Fact::L2Domains)));
    Value sets = m.minU(ctasOfDomain, box.buildSetsInFlight(b, m.loc, ctas));
    StreamBytes bytes(grid, stream, m);
    result.exceedsCache =
        m.compare(arith::CmpIPredicate::ugt, bytes.inFlight(ctasOfDomain, sets),
                  bytes.wide(m.constant(target.get(Fact::L2EffectiveBytes))));
    return result;
  }

  /// CTAs that run at once, at most.
  int64_t slots(GridOp grid) {
    if (grid.getPersistent())
      return *grid.getPersistent();
    TargetAttr target = TargetAttr::of(grid);
    return target.get(Fact::SMs) *
           residentCtas(target, footprintOf(getOperation()));
  }

  /// Reasons against alternation that show in the schedule.
  LogicalResult checkSchedule(GridOp grid, StreamOp stream,
                              unsigned numStreams) {
    if (numStreams > 1) {
      remark::missed(stream.getLoc(), remarkOpts("several-streams"))
          << "a tile streams several parts, whose order would have to change "
             "too";
      return failure();
    }
    if (!isConstantIntValue(stream.getLowers().front(), 0)) {
      remark::missed(stream.getLoc(), remarkOpts("window"))
          << "streams start where the tile does: consecutive tiles share "
             "little";
      return failure();
    }
    if (grid.getPersistent() || grid.getRun() != 1)
      return success();
    // Tiles in pairs: half as many CTAs.
    std::optional<int64_t> pairs =
        grid.countStatic([](int64_t tiles) { return tiles / 2; });
    if (pairs && *pairs < slots(grid)) {
      remark::missed(stream.getLoc(), remarkOpts("few-tiles"))
          << "with two tiles a CTA, some SMs would have none:"
          << remark::metric("ctas", *pairs)
          << remark::metric("slots", slots(grid));
      return failure();
    }
    return success();
  }

  /// The guard: null where alternation always pays; a remark and failure where
  /// it never does.
  FailureOr<Value> buildGuard(GridOp grid, StreamOp stream) {
    Conditions c = buildConditions(grid, stream);
    std::optional<int64_t> keeps = getConstantIntValue(c.keepsSet);
    std::optional<int64_t> exceeds = getConstantIntValue(c.exceedsCache);
    if (keeps && *keeps == 0) {
      remark::missed(stream.getLoc(), remarkOpts("changes-set"))
          << "consecutive tiles of a CTA stream different data";
      return failure();
    }
    if (exceeds && *exceeds == 0) {
      remark::missed(stream.getLoc(), remarkOpts("fits-cache"))
          << "the streamed data in flight fits the effective L2:"
          << remark::metric("l2-effective-bytes",
                            TargetAttr::of(grid).get(Fact::L2EffectiveBytes));
      return failure();
    }
    if (keeps && exceeds)
      return Value();
    OpBuilder b(grid);
    return IndexBuilder{b, grid.getLoc()}.logicalAnd(c.keepsSet,
                                                     c.exceedsCache);
  }

  void alternate(GridOp grid, StreamOp stream, unsigned numStreams) {
    if (stream.getReverse()) {
      remark::missed(stream.getLoc(), remarkOpts("has-direction"))
          << "the stream has a direction already";
      return;
    }
    if (stream.getOrdered()) {
      remark::missed(stream.getLoc(), remarkOpts("ordered"))
          << "the stream must run in its order";
      return;
    }
    if (!force && failed(checkSchedule(grid, stream, numStreams)))
      return;
    // One tile a CTA: let it take two, so that there is something to alternate.
    bool pair = !grid.getPersistent() && grid.getRun() == 1;
    if (pair)
      grid.setRun(2);
    Value guard;
    if (!force) {
      FailureOr<Value> built = buildGuard(grid, stream);
      if (failed(built)) {
        if (pair)
          grid.setRun(1);
        return;
      }
      guard = *built;
    }
    OpBuilder b(stream);
    Location loc = stream.getLoc();
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    Value parity = arith::AndIOp::create(b, loc, grid.getVisit(), one);
    Value odd =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, parity, one);
    if (guard) {
      odd = arith::AndIOp::create(b, loc, odd, guard);
      ++numGuarded;
    }
    stream.getReverseMutable().assign(odd);
    ++numAlternated;
    remark::passed(stream.getLoc(), remarkOpts("sawtooth"))
        << "the direction alternates:"
        << remark::metric("variant",
                          grid.getPersistent() ? "persistent" : "tile")
        << remark::metric("decided", force   ? "forced"
                                     : guard ? "at run time"
                                             : "at compile time");
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    GridOp grid = kernel.getGrid();
    if (!grid) {
      remark::missed(kernel.getLoc(), remarkOpts("no-grid"))
          << "the grid is materialised already, or there is none";
      return;
    }
    SmallVector<StreamOp> streams;
    grid.walk([&](StreamOp stream) { streams.push_back(stream); });
    if (streams.empty())
      remark::missed(grid.getLoc(), remarkOpts("no-stream"))
          << "nothing is streamed";
    for (StreamOp stream : streams)
      alternate(grid, stream, streams.size());
    tidy(kernel);
  }
};

} // namespace
