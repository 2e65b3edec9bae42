//===- BulkAdditions.cpp - Additions by the tensor memory accelerator -----===//
//
// Who put the tile has written it, and made it visible to the asynchronous
// proxy, before the barrier of the slot. One thread starts a copy for each
// panel, which adds, and waits until the memory has been read. PTX ISA,
// "cp.reduce.async.bulk.tensor".
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;
using namespace attn;

namespace {

struct BulkAccumulatePattern : OpConversionPattern<AccumulateOp> {
  BulkAccumulatePattern(const TypeConverter &converter, MLIRContext *context)
      : OpConversionPattern(converter, context, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(AccumulateOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!op.isOutOfRing())
      return rewriter.notifyMatchFailure(op, "tile is not in shared memory");
    onFirstThread(rewriter, op, [&](OpBuilder &b) {
      add(b, op, adaptor.getTile());
      NVVM::CpAsyncBulkCommitGroupOp::create(b, op.getLoc());
      NVVM::CpAsyncBulkWaitGroupOp::create(b, op.getLoc(), uint32_t(0),
                                           b.getUnitAttr());
    });
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Nothing is added to what lies outside of the view.
  static void add(OpBuilder &b, AccumulateOp op, Value base) {
    Location loc = op.getLoc();
    ThreadBuilder t{b, loc};
    SharedTile tile(cast<RankedTensorType>(op.getTile().getType()), t);
    SmallVector<Value> coordinates;
    for (Value offset : llvm::reverse(op.getOffsets()))
      coordinates.push_back(t.narrow(offset));
    Value first = coordinates[0];
    for (int64_t panel = 0; panel < tile.numPanels(); ++panel) {
      coordinates[0] = t.add(first, panel * tile.panelColumns());
      NVVM::CpAsyncBulkTensorReduceOp::create(
          b, loc, ViewParameters(op.getView()).map,
          advance(b, loc, base, panel * tile.panelDistance()),
          NVVM::TMAReduxKind::ADD, NVVM::TMAStoreMode::TILE, coordinates,
          /*l2CacheHint=*/Value());
    }
  }
};

} // namespace

void attn::populateBulkAdditionPatterns(const TypeConverter &converter,
                                        RewritePatternSet &patterns) {
  patterns.add<BulkAccumulatePattern>(converter, patterns.getContext());
}
