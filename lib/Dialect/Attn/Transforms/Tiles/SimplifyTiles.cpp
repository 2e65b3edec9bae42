//===- SimplifyTiles.cpp - Cheaper arithmetic on tiles --------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/TileBuilder.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "attn-mlir/Dialect/Attn/Transforms/Tidy.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSIMPLIFYTILES
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// x / broadcast(d) becomes x * broadcast(1 / d): one division a row.
void divideOnceARow(arith::DivFOp div) {
  auto divisor = div.getRhs().getDefiningOp<BroadcastOp>();
  OpBuilder b(div);
  TileBuilder t{b, div.getLoc()};
  Value rows = divisor.getRows();
  Value inverse = t.div(t.splat(1, TileBuilder::shapeOf(rows)), rows);
  auto columns = TileBuilder::shapeOf(divisor.getTile())[1];
  div.replaceAllUsesWith(t.mul(div.getLhs(), t.broadcast(inverse, columns)));
  div.erase();
}

struct SimplifyTilesPass
    : attn::impl::AttnSimplifyTilesBase<SimplifyTilesPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<arith::DivFOp> divisions;
    kernel.walk([&](arith::DivFOp div) {
      if (div.getRhs().getDefiningOp<BroadcastOp>())
        divisions.push_back(div);
    });
    if (divisions.empty())
      remarks::emitSimplifyTilesNothing(kernel);
    for (arith::DivFOp div : divisions)
      divideOnceARow(div);
    if (!divisions.empty())
      tidy(kernel);
  }
};

} // namespace
