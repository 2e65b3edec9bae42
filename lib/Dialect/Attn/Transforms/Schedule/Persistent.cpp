//===- Persistent.cpp - A fixed number of CTAs take tiles in turn ---------===//

#include "Counts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnOrder.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "attn-mlir/Dialect/Attn/Utils/Footprint.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNPERSISTENT
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct PersistentPass : attn::impl::AttnPersistentBase<PersistentPass> {
  using AttnPersistentBase::AttnPersistentBase;

  /// Lets a CTA take two tiles at a time, from both ends of the last axis.
  LogicalResult pair(GridOp grid) {
    if (grid.getRun() != 1)
      return remarks::emitPersistentHasRun(grid, grid.getRun());
    grid.setRun(2);
    grid.setFolded(true);
    return success();
  }

  /// Lets CTAs take tiles from a counter.
  static void makeDynamic(GridOp grid) {
    OpBuilder b(grid);
    Value counter = CounterOp::create(
        b, grid.getLoc(), ViewType::get(b.getContext(), {1}, b.getI32Type()));
    grid.getCounterMutable().assign(counter);
    remarks::emitPersistentDynamic(grid);
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    GridOp grid = kernel.getGrid();
    if (failed(
            checkCounts(kernel.getLoc(), {"sms", sms}, {"resident", resident})))
      return signalPassFailure();
    if (!grid) {
      remarks::emitPersistentNoGrid(kernel);
      return;
    }
    if (grid.getCluster()) {
      remarks::emitPersistentClusters(grid);
      return;
    }
    if (grid.getPersistent()) {
      remarks::emitPersistentAlready(grid);
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
      remarks::emitPersistentFewTiles(grid, *tiles, ctas);
      return;
    }
    grid.setPersistent(ctas);
    ++numPersistent;
    remarks::emitPersistent(grid, ctas, perSm,
                            resident ? "option" : "footprint",
                            footprint.sharedBytes, footprint.registers);
    if (dynamic)
      makeDynamic(grid);
    else if (snake)
      grid.setSnake(true);
  }
};

} // namespace
