//===- Persistent.cpp - A fixed number of CTAs take tiles in turn ---------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnOrder.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Utils/Footprint.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNPERSISTENT
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct PersistentPass : attn::impl::AttnPersistentBase<PersistentPass> {
  using AttnPersistentBase::AttnPersistentBase;

  remark::RemarkOpts remarkOpts(StringRef name) {
    return remark::RemarkOpts::name(name)
        .category("attn-persistent")
        .function(getOperation().getSymName());
  }

  /// Lets a CTA take two tiles at a time, from both ends of the last axis.
  LogicalResult pair(GridOp grid) {
    if (grid.getRun() != 1) {
      remark::missed(grid.getLoc(), remarkOpts("has-run"))
          << "a CTA takes several tiles at a time already:"
          << remark::metric("run", grid.getRun());
      return failure();
    }
    grid.setRun(2);
    grid.setFolded(true);
    return success();
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    GridOp grid = kernel.getGrid();
    auto valid = [](int64_t count) {
      return count >= 0 && count <= OrderAttr::kMaxCount;
    };
    if (!valid(sms) || !valid(resident)) {
      emitError(kernel.getLoc())
          << "expected sms and resident of 1 to " << OrderAttr::kMaxCount
          << ", or 0 for the target's, but got " << sms.getValue() << " and "
          << resident.getValue();
      return signalPassFailure();
    }
    if (!grid) {
      remark::missed(kernel.getLoc(), remarkOpts("no-grid"))
          << "the grid is materialised already, or there is none";
      return;
    }
    if (grid.getPersistent()) {
      remark::missed(grid.getLoc(), remarkOpts("already-persistent"))
          << "the grid is persistent already";
      return;
    }
    if (pairTiles && failed(pair(grid)))
      return;
    TargetAttr target = TargetAttr::of(kernel);
    Footprint footprint = footprintOf(kernel);
    int64_t perSm = resident ? resident : residentCtas(target, footprint);
    int64_t ctas = (sms ? sms : target.get(Fact::SMs)) * perSm;
    if (ctas > OrderAttr::kMaxCount) {
      emitError(kernel.getLoc()) << "expected " << OrderAttr::kMaxCount
                                 << " CTAs at most, but got " << ctas;
      return signalPassFailure();
    }
    std::optional<int64_t> tiles = grid.countStatic(
        [&](int64_t count) { return llvm::divideCeil(count, grid.getRun()); });
    if (tiles && *tiles <= ctas) {
      if (pairTiles) {
        grid.setRun(1);
        grid.setFolded(false);
      }
      remark::missed(grid.getLoc(), remarkOpts("few-tiles"))
          << "each CTA would take one tile at most:"
          << remark::metric("tiles", *tiles) << remark::metric("ctas", ctas);
      return;
    }
    grid.setPersistent(ctas);
    ++numPersistent;
    remark::passed(grid.getLoc(), remarkOpts("persistent"))
        << "CTAs take tiles in turn:" << remark::metric("ctas", ctas)
        << remark::metric("resident", perSm)
        << remark::metric("resident-from", resident ? "option" : "footprint")
        << remark::metric("shared-bytes", footprint.sharedBytes)
        << remark::metric("registers", footprint.registers);
  }
};

} // namespace
