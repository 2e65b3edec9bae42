//===- SeparateReaders.cpp - A tile twice, by rows and by columns ---------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "attn-mlir/Dialect/Attn/Utils/DirectLoads.h"
#include "attn-mlir/Dialect/Attn/Utils/Footprint.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSEPARATEREADERS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

RankedTensorType loadedTile(LoadOp load) {
  return cast<RankedTensorType>(load.getTile().getType());
}

/// Whether a product sums over the rows of the operand.
bool sumsOverRows(OpOperand &use) {
  auto dot = dyn_cast<DotOp>(use.getOwner());
  return dot && use.getOperandNumber() == 1 && !dot.getTransposeRhs();
}

/// How products that sum over the rows of a tile, or others, want it to lie;
/// null where no unit takes it.
SharedAttr wantedLayout(LoadOp load, bool overRows) {
  for (OpOperand &use : load.getTile().getUses())
    if (isa<DotOp>(use.getOwner()) && sumsOverRows(use) == overRows)
      return unitOf(cast<DotOp>(use.getOwner()))
          .getStaged(TargetAttr::of(load), loadedTile(load), overRows);
  return {};
}

/// Whether the two kinds of readers want one in rows and one in columns.
bool isReadBothWays(LoadOp load) {
  SharedAttr byRows = wantedLayout(load, /*overRows=*/false),
             byColumns = wantedLayout(load, /*overRows=*/true);
  return byRows && byColumns &&
         byRows.getTransposed() != byColumns.getTransposed();
}

struct SeparateReadersPass
    : attn::impl::AttnSeparateReadersBase<SeparateReadersPass> {
  using AttnSeparateReadersBase::AttnSeparateReadersBase;

  /// Shared memory of the ring of a streamed tile: of two stages one is
  /// registers (attn-prefetch-to-registers).
  int64_t bytesOf(LoadOp load) const {
    int64_t depth = stages > 0 ? stages.getValue() : kDefaultStages;
    SharedAttr layout = wantedLayout(load, /*overRows=*/false);
    if (!layout)
      layout = wantedLayout(load, /*overRows=*/true);
    RankedTensorType tile = loadedTile(load);
    if (!layout)
      return depth * tile.getNumElements() * tile.getElementTypeBitWidth() / 8;
    return slotBytes(RingType::get(load.getContext(), depth == 2 ? 1 : depth,
                                   tile.cloneWithEncoding(layout)));
  }

  void separate(LoadOp load, OpBuilder &b) {
    b.setInsertionPointAfter(load);
    auto second = cast<LoadOp>(b.clone(*load));
    load.getTile().replaceUsesWithIf(second.getTile(), sumsOverRows);
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(checkStages(kernel, stages)))
      return signalPassFailure();
    TargetAttr target = TargetAttr::of(kernel);
    // Others read a tile either way, or copy it as it lies in memory.
    if (!target.hasCapability("buffer"))
      return;
    SmallVector<LoadOp> bothWays;
    int64_t bytes = 0, separated = 0;
    kernel.walk([&](LoadOp load) {
      if (isDirect(load) || !load->getParentOfType<StreamOp>())
        return;
      bytes += bytesOf(load);
      if (isReadBothWays(load))
        bothWays.push_back(load);
    });
    OpBuilder b(kernel.getContext());
    for (LoadOp load : bothWays) {
      int64_t more = bytesOf(load);
      if (bytes + more > target.get(Fact::SmemPerBlock)) {
        remarks::emitSeparateReadersRoom(kernel, bytes + more,
                                         target.get(Fact::SmemPerBlock));
        break;
      }
      bytes += more;
      separate(load, b);
      ++separated;
    }
    numSeparated += separated;
    if (separated > 0)
      remarks::emitSeparateReaders(kernel, separated, bytes);
  }
};

} // namespace
