//===- Sawtooth.cpp - Alternate the direction of streams ------------------===//
//
// "Sawtooth Wavefront Reordering", section 4: the persistent variant (parity of
// the CTA's local iteration) and the tile-based one (two consecutive tiles).
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/Attn.h"
#include "attn-mlir/Dialect/Attn/Transforms/GridOrder.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Tidy.h"
#include "attn-mlir/Target/Footprint.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
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
  Operation *op = value.getDefiningOp();
  return op && llvm::any_of(op->getOperands(), [&](Value operand) {
           return dependsOn(operand, source);
         });
}

/// Bytes that the streams of a grid read, as index arithmetic before `builder`.
class StreamBytes {
public:
  StreamBytes(GridOp grid, StreamOp stream, OpBuilder &b)
      : grid(grid), stream(stream), b(b), loc(stream.getLoc()) {}

  /// Distinct bytes that `ctas` CTAs read between two visits to one tile, for
  /// streams of `elements` positions (null: the whole extent).
  Value inFlight(Value ctas, Value clusters, Value elements) {
    Value total = constant(0);
    stream.walk([&](LoadOp load) {
      Value bytes = bytesOf(load, elements);
      if (!bytes)
        return;
      Value copies = isShared(load) ? clusters : ctas;
      total = add(total, mul(bytes, copies));
    });
    return total;
  }

private:
  Value constant(int64_t v) {
    return arith::ConstantIndexOp::create(b, loc, v);
  }
  Value add(Value x, Value y) {
    return b.createOrFold<arith::AddIOp>(loc, x, y);
  }
  Value mul(Value x, Value y) {
    return b.createOrFold<arith::MulIOp>(loc, x, y);
  }

  /// Bytes that one pass over the stream loads here; null if not streamed.
  Value bytesOf(LoadOp load, Value elements) {
    auto tile = cast<ShapedType>(load.getTile().getType());
    unsigned leading = load.getOffsets().size() - tile.getRank();
    for (unsigned i = 0; i < tile.getRank(); ++i) {
      if (!dependsOn(load.getOffsets()[leading + i], stream.getPosition()))
        continue;
      int64_t rowBytes = tile.getNumElements() / tile.getDimSize(i) *
                         load.getView().getType().getElementBytes();
      Value length = elements ? elements
                              : b.createOrFold<DimOp>(loc, load.getView(),
                                                      int64_t(leading + i));
      return mul(length, constant(rowBytes));
    }
    return {};
  }

  /// Whether all CTAs of a cluster load the same here.
  bool isShared(LoadOp load) {
    for (auto [coord, axis] :
         llvm::zip(grid.getCoordinates(), grid.getAxes())) {
      if (llvm::is_contained(grid.getCluster(), axis))
        continue;
      for (Value offset : load.getOffsets())
        if (dependsOn(offset, coord))
          return false;
    }
    return true;
  }

  GridOp grid;
  StreamOp stream;
  OpBuilder &b;
  Location loc;
};

struct SawtoothPass : attn::impl::AttnSawtoothBase<SawtoothPass> {
  using AttnSawtoothBase::AttnSawtoothBase;

  remark::RemarkOpts remarkOpts(StringRef name) {
    return remark::RemarkOpts::name(name)
        .category("attn-sawtooth")
        .function(getOperation().getSymName());
  }

  /// Whether the tiles of a run stream the same data.
  static bool runKeepsCluster(GridOp grid) {
    return !llvm::is_contained(grid.getCluster(),
                               grid.getAxes().getValue().back());
  }

  /// The conditions under which alternation pays. Either is null where the
  /// other was found false already.
  struct Conditions {
    Value keepsCluster, exceedsCache;
  };

  /// Builds the conditions at `b`; `elements` as in StreamBytes::inFlight.
  Conditions buildConditions(GridOp grid, StreamOp stream, OpBuilder &b,
                             Value elements) {
    Location loc = stream.getLoc();
    TargetAttr target = TargetAttr::of(grid);
    OrderedBox box = OrderedBox::of(grid, b);
    Value tiles = box.buildCount(b, loc);
    int64_t slots = grid.getPersistent()
                        ? *grid.getPersistent()
                        : target.get(Fact::SMs) *
                              residentCtas(target, footprintOf(getOperation()));
    Value ctas = b.createOrFold<arith::MinUIOp>(
        loc, tiles, arith::ConstantIndexOp::create(b, loc, slots));
    Conditions result;
    result.keepsCluster =
        grid.getPersistent()
            ? box.buildKeepsCluster(b, loc, ctas)
            : arith::ConstantIntOp::create(b, loc, runKeepsCluster(grid), 1);
    Value domains =
        arith::ConstantIndexOp::create(b, loc, target.get(Fact::L2Domains));
    Value ctasOfDomain = b.createOrFold<arith::CeilDivUIOp>(loc, ctas, domains);
    Value clusters = b.createOrFold<arith::MinUIOp>(
        loc, ctasOfDomain, box.buildClustersInFlight(b, loc, ctas));
    Value bytes =
        StreamBytes(grid, stream, b).inFlight(ctasOfDomain, clusters, elements);
    Value cache = arith::ConstantIndexOp::create(
        b, loc, target.get(Fact::L2EffectiveBytes));
    result.exceedsCache = b.createOrFold<arith::CmpIOp>(
        loc, arith::CmpIPredicate::ugt, bytes, cache);
    return result;
  }

  /// The guard: null where alternation always pays; a remark and failure where
  /// it never does.
  FailureOr<Value> buildGuard(GridOp grid, StreamOp stream) {
    // A stream that starts late (a window) reads less than the whole extent:
    // then its own length counts, which is known in the body only.
    OpBuilder b(grid);
    Value elements;
    if (!isConstantIntValue(stream.getLowers().front(), 0)) {
      b.setInsertionPoint(stream);
      elements = b.createOrFold<arith::SubIOp>(stream.getLoc(),
                                               stream.getUppers().back(),
                                               stream.getLowers().front());
    }
    Conditions c = buildConditions(grid, stream, b, elements);
    std::optional<int64_t> keeps = getConstantIntValue(c.keepsCluster);
    std::optional<int64_t> exceeds = getConstantIntValue(c.exceedsCache);
    if (keeps && *keeps == 0) {
      remark::missed(stream.getLoc(), remarkOpts("changes-cluster"))
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
    if (keeps)
      return c.exceedsCache;
    if (exceeds)
      return c.keepsCluster;
    return b.createOrFold<arith::AndIOp>(stream.getLoc(), c.keepsCluster,
                                         c.exceedsCache);
  }

  void alternate(GridOp grid, StreamOp stream) {
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
      alternate(grid, stream);
    tidy(kernel);
  }
};

} // namespace
