//===- KeepInStep.cpp - Persistent CTAs start their visits together -------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNKEEPINSTEP
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct KeepInStepPass : attn::impl::AttnKeepInStepBase<KeepInStepPass> {
  /// Why a grid stays as it is, or nothing.
  static StringRef whyNot(GridOp grid) {
    if (!grid)
      return "the grid is materialised already, or there is none";
    if (!grid.getPersistent())
      return "the grid is not persistent: each CTA has one visit";
    if (grid.getRun() != 1)
      return "CTAs take runs of tiles, which may be cut short";
    if (!grid.getBody().getOps<InStepOp>().empty())
      return "CTAs keep in step already";
    return "";
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    GridOp grid = kernel.getGrid();
    auto opts = remark::RemarkOpts::name("in-step")
                    .category("attn-keep-in-step")
                    .function(kernel.getSymName());
    StringRef reason = whyNot(grid);
    if (!reason.empty()) {
      remark::missed(kernel.getLoc(), opts) << reason.str();
      return;
    }
    OpBuilder b(grid);
    Location loc = grid.getLoc();
    // All CTAs make this many visits; some make one more.
    Value tiles = grid.getSizes().front();
    for (Value size : grid.getSizes().drop_front())
      tiles = b.createOrFold<arith::MulIOp>(loc, tiles, size);
    auto ctas = static_cast<int64_t>(*grid.getPersistent());
    Value rounds = b.createOrFold<arith::DivUIOp>(
        loc, tiles, arith::ConstantIndexOp::create(b, loc, ctas));
    b.setInsertionPointToStart(grid.getBodyBlock());
    Value all = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult,
                                      grid.getVisit(), rounds);
    InStepOp::create(b, loc, all);
    ++numGrids;
    remark::passed(grid.getLoc(), opts)
        << "CTAs start their visits together:" << remark::metric("ctas", ctas);
  }
};

} // namespace
