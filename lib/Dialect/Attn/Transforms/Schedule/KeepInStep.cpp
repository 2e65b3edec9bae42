//===- KeepInStep.cpp - Persistent CTAs start their visits together -------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNKEEPINSTEP
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct KeepInStepPass : attn::impl::AttnKeepInStepBase<KeepInStepPass> {
  /// Fails, with a remark, where a kernel stays as it is.
  static LogicalResult check(KernelOp kernel) {
    GridOp grid = kernel.getGrid();
    if (!grid)
      return remarks::emitInStepNoGrid(kernel);
    if (!grid.getPersistent())
      return remarks::emitInStepNotPersistent(kernel);
    if (grid.getCounter())
      return remarks::emitInStepDynamic(kernel);
    if (grid.getRun() != 1)
      return remarks::emitInStepRuns(kernel);
    if (!grid.getBody().getOps<InStepOp>().empty())
      return remarks::emitInStepAlready(kernel);
    return success();
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(check(kernel)))
      return;
    GridOp grid = kernel.getGrid();
    OpBuilder b(grid);
    Location loc = grid.getLoc();
    // All CTAs make this many visits; some make one more.
    Value tiles = grid.getSizes().front();
    for (Value size : grid.getSizes().drop_front())
      tiles = b.createOrFold<arith::MulIOp>(loc, tiles, size);
    auto ctas = static_cast<int64_t>(*grid.getPersistent());
    Value rounds = b.createOrFold<arith::DivUIOp>(
        loc, tiles, arith::ConstantIndexOp::create(b, loc, ctas));
    Value counter = CounterOp::create(
        b, loc, ViewType::get(b.getContext(), {1}, b.getI32Type()));
    Value first = arith::ConstantIndexOp::create(b, loc, 0);
    b.setInsertionPointToStart(grid.getBodyBlock());
    Value all = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                      grid.getVisit(), rounds);
    InStepOp::create(b, loc, all, counter, first);
    ++numGrids;
    remarks::emitInStep(grid, ctas);
  }
};

} // namespace
