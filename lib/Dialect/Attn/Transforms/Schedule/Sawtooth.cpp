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
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "attn-mlir/Dialect/Attn/Transforms/Tidy.h"
#include "attn-mlir/Dialect/Attn/Utils/Footprint.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

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

  /// Bytes that a set has for one position of the stream.
  int64_t ofPosition() {
    int64_t total = 0;
    stream.walk([&](LoadOp load) {
      if (std::optional<unsigned> axis = streamedAxis(load))
        total += rowBytes(load, *axis);
    });
    return total;
  }

  Value wide(Value index) {
    return m.b.createOrFold<arith::IndexCastOp>(m.loc, m.b.getI64Type(), index);
  }

private:
  /// The axis of a load's tile that moves with the stream.
  std::optional<unsigned> streamedAxis(LoadOp load) {
    auto tile = cast<ShapedType>(load.getTile().getType());
    unsigned leading = load.getOffsets().size() - tile.getRank();
    for (unsigned i = 0; i < tile.getRank(); ++i)
      if (dependsOn(load.getOffsets()[leading + i], stream.getPosition()))
        return i;
    return std::nullopt;
  }

  int64_t rowBytes(LoadOp load, unsigned axis) {
    auto tile = cast<ShapedType>(load.getTile().getType());
    return tile.getNumElements() / tile.getDimSize(axis) *
           load.getView().getType().getElementBytes();
  }

  /// Bytes that one pass over the stream loads here; null if not streamed.
  Value bytesOf(LoadOp load) {
    std::optional<unsigned> axis = streamedAxis(load);
    if (!axis)
      return {};
    auto tile = cast<ShapedType>(load.getTile().getType());
    unsigned leading = load.getOffsets().size() - tile.getRank();
    Value length = m.b.createOrFold<DimOp>(m.loc, load.getView(),
                                           int64_t(leading + *axis));
    return m.mul(wide(length),
                 wide(m.constant(rowBytes(load, *axis) * stepsAround())));
  }

  /// How often streams around this one run it.
  int64_t stepsAround() {
    int64_t steps = 1;
    for (auto outer = stream->getParentOfType<StreamOp>(); outer;
         outer = outer->getParentOfType<StreamOp>())
      for (auto [lower, upper] :
           llvm::zip(outer.getLowers(), outer.getUppers())) {
        std::optional<int64_t> from = getConstantIntValue(lower),
                               to = getConstantIntValue(upper);
        if (from && to)
          steps *= llvm::divideCeil(*to - *from, outer.getStep());
      }
    return steps;
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

  /// The conditions under which alternation pays.
  struct Conditions {
    Value keepsSet, exceedsCache, coversDrift;
    Value all(const IndexBuilder &m) const {
      return m.logicalAnd(m.logicalAnd(keepsSet, exceedsCache), coversDrift);
    }
  };

  /// Where CTAs take one set after the other, nothing brings those together
  /// again that have drifted apart: a CTA that is behind reads what others have
  /// just read in the cyclic order alone. On an H200 that cost 3 to 11 % of the
  /// time (docs/passes/attn-sawtooth.md, "Several heads"), so memory must take
  /// more than that to begin with.
  Value buildCoversDrift(const OrderedBox &box, Value sets, bool memoryCounts,
                         int64_t domains, const IndexBuilder &m) {
    Value all = m.constant(1);
    for (auto [axis, size] : llvm::zip(box.axes, box.sizes))
      if (llvm::is_contained(box.sharing, axis))
        all = m.mul(all, size);
    Value stays = m.compare(arith::CmpIPredicate::ule, all,
                            m.mul(sets, m.constant(domains)));
    Value counts = arith::ConstantIntOp::create(m.b, m.loc, memoryCounts, 1);
    return m.logicalOr(stays, counts);
  }

  /// Whether reading one set in each L2 domain takes a share of the time of the
  /// products that all CTAs have with it.
  static bool memoryCounts(TargetAttr target, StreamOp stream,
                           StreamBytes bytes, int64_t ctas) {
    constexpr double kDriftShare = 0.04;
    double operations = 0;
    stream.walk([&](DotOp dot) { operations += dot.getNumOperations(); });
    double memory = static_cast<double>(bytes.ofPosition()) *
                    target.get(Fact::L2Domains) / target.get(Fact::DramGBps);
    double products =
        operations / stream.getStep() * ctas / target.get(Fact::TensorGflops);
    return memory >= kDriftShare * products;
  }

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
    int64_t most = getConstantIntValue(ctas).value_or(slots(grid));
    result.coversDrift =
        buildCoversDrift(box, sets, memoryCounts(target, stream, bytes, most),
                         target.get(Fact::L2Domains), m);
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
    if (numStreams > 1)
      return remarks::emitSawtoothSeveralStreams(stream);
    if (!isConstantIntValue(stream.getLowers().front(), 0))
      return remarks::emitSawtoothWindow(stream);
    if (grid.getPersistent() || grid.getRun() != 1)
      return success();
    // Tiles in pairs: half as many CTAs.
    std::optional<int64_t> pairs =
        grid.countStatic([](int64_t tiles) { return tiles / 2; });
    if (pairs && *pairs < slots(grid))
      return remarks::emitSawtoothFewTiles(stream, *pairs, slots(grid));
    return success();
  }

  /// The guard: null where alternation always pays; a remark and failure where
  /// it never does.
  FailureOr<Value> buildGuard(GridOp grid, StreamOp stream) {
    Conditions c = buildConditions(grid, stream);
    std::optional<int64_t> keeps = getConstantIntValue(c.keepsSet);
    std::optional<int64_t> exceeds = getConstantIntValue(c.exceedsCache);
    if (keeps && *keeps == 0)
      return remarks::emitSawtoothChangesSet(stream);
    if (exceeds && *exceeds == 0)
      return remarks::emitSawtoothFitsCache(
          stream, TargetAttr::of(grid).get(Fact::L2EffectiveBytes));
    std::optional<int64_t> covers = getConstantIntValue(c.coversDrift);
    if (covers && *covers == 0)
      return remarks::emitSawtoothDrifts(stream);
    if (keeps && exceeds && covers)
      return Value();
    OpBuilder b(grid);
    return c.all(IndexBuilder{b, grid.getLoc()});
  }

  void alternate(GridOp grid, StreamOp stream, unsigned numStreams) {
    if (!isa<ForwardTraversalAttr>(stream.getTraversal())) {
      remarks::emitSawtoothHasDirection(stream);
      return;
    }
    if (stream.getOrdered()) {
      remarks::emitSawtoothOrdered(stream);
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
    // What runs around it goes the same way: the whole order is reversed.
    SmallVector<StreamOp> nest{stream};
    while (auto outer = nest.back()->getParentOfType<StreamOp>())
      nest.push_back(outer);
    OpBuilder b(nest.back());
    Location loc = stream.getLoc();
    Value one = arith::ConstantIndexOp::create(b, loc, 1);
    Value parity = arith::AndIOp::create(b, loc, grid.getVisit(), one);
    Value odd =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, parity, one);
    if (guard) {
      odd = arith::AndIOp::create(b, loc, odd, guard);
      ++numGuarded;
    }
    for (StreamOp each : nest)
      each.traverseBy(ReversedTraversalAttr::get(&getContext()), odd);
    ++numAlternated;
    remarks::emitSawtooth(stream, grid.getPersistent() ? "persistent" : "tile",
                          force   ? "forced"
                          : guard ? "at run time"
                                  : "at compile time");
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    GridOp grid = kernel.getGrid();
    if (!grid) {
      remarks::emitSawtoothNoGrid(kernel);
      return;
    }
    if (grid.getCluster()) {
      remarks::emitSawtoothClusters(grid);
      return;
    }
    SmallVector<StreamOp> streams;
    grid.walk([&](StreamOp stream) {
      bool isInnermost = stream.getBody().getOps<StreamOp>().empty();
      if (isInnermost)
        streams.push_back(stream);
    });
    if (streams.empty())
      remarks::emitSawtoothNoStream(grid);
    for (StreamOp stream : streams)
      alternate(grid, stream, streams.size());
    tidy(kernel);
  }
};

} // namespace
