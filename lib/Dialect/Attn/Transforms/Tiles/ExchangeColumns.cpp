//===- ExchangeColumns.cpp - Lanes exchange columns of results ------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/MatrixLayouts.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNEXCHANGECOLUMNS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct ExchangeColumnsPass
    : attn::impl::AttnExchangeColumnsBase<ExchangeColumnsPass> {
  /// Bytes that a lane stores at once.
  static constexpr int64_t kChunkBytes = 16;

  /// Whether chunks of the tile's rows are chunks of the view's.
  static bool hasWholeChunks(StoreOp store) {
    int64_t last = store.getView().getType().getShape().back();
    return !ShapedType::isDynamic(last) && last * 2 % kChunkBytes == 0 &&
           isConstantIntValue(store.getOffsets().back(), 0);
  }

  /// The layout of chunks, or null, with a remark, where a store stays as it
  /// is.
  static FragmentAttr chunksOf(StoreOp store) {
    auto tile = cast<RankedTensorType>(store.getTile().getType());
    if (!store.getScratch() || store.getByTensorMap() || tile.getRank() != 2 ||
        tile.getElementTypeBitWidth() != 16) {
      (void)remarks::emitExchangeColumnsNoScratch(store);
      return {};
    }
    auto layout = dyn_cast_or_null<FragmentAttr>(tile.getEncoding());
    FragmentAttr chunks = layout ? exchangedColumns(layout) : FragmentAttr();
    if (!chunks || !hasWholeChunks(store)) {
      (void)remarks::emitExchangeColumnsFragment(store);
      return {};
    }
    return chunks;
  }

  /// Whether a store writes whole sectors from registers as it is: the lanes of
  /// a row have two 32-bit numbers each of eight that follow each other.
  static bool isWide(StoreOp store) {
    auto tile = cast<RankedTensorType>(store.getTile().getType());
    if (store.getScratch() || store.getByTensorMap() || tile.getRank() != 2 ||
        tile.getElementTypeBitWidth() != 32)
      return false;
    auto layout = dyn_cast_or_null<FragmentAttr>(tile.getEncoding());
    return layout && exchangedColumns(layout);
  }

  /// Says of the rings of tiles that stay, and whose rows products alone read,
  /// as their own, that this is so, where a CTA wants the next tile: else what
  /// gives it back early costs registers for nothing. Whether it said so of
  /// any.
  static bool markOwnRows(KernelOp kernel) {
    bool marked = false;
    kernel.walk([&](RingWaitOp wait) {
      auto ring = wait.getRing().getDefiningOp<RingCreateOp>();
      auto grid = dyn_cast<GridOp>(wait->getParentOp());
      Value tile = wait.getTile();
      if (!ring || !grid || !grid.getPersistent())
        return;
      bool own =
          !wait.getRows() && llvm::all_of(tile.getUses(), [](OpOperand &use) {
            return isa<DotOp>(use.getOwner()) && use.getOperandNumber() == 0 &&
                   !cast<DotOp>(use.getOwner()).getTransposeLhs();
          });
      for (Operation *user : ring.getRing().getUsers())
        own &= !isa<RingWaitOp>(user) || user == wait;
      marked |= own && !ring.getOwnRows();
      if (own)
        ring.setOwnRows(true);
    });
    return marked;
  }

  void exchange(RewriterBase &rewriter, StoreOp store, FragmentAttr chunks) {
    auto tile = cast<RankedTensorType>(store.getTile().getType());
    rewriter.setInsertionPoint(store);
    auto exchanged = ConvertLayoutOp::create(
        rewriter, store.getLoc(),
        RankedTensorType::get(tile.getShape(), tile.getElementType(), chunks),
        store.getTile());
    store.getTileMutable().assign(exchanged.getResult());
    store.getScratchMutable().clear();
    ++numStores;
    remarks::emitExchangeColumns(store);
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!TargetAttr::of(kernel).hasCapability("nvvm")) {
      remarks::emitExchangeColumnsTarget(kernel);
      return;
    }
    IRRewriter rewriter(kernel);
    SmallVector<StoreOp> wide;
    bool exchanges = false;
    kernel.walk([&](StoreOp store) {
      if (isWide(store)) {
        wide.push_back(store);
      } else if (FragmentAttr chunks = chunksOf(store)) {
        exchanges = true;
        exchange(rewriter, store, chunks);
      }
    });
    bool marked = (exchanges || !wide.empty()) && markOwnRows(kernel);
    for (StoreOp store : wide)
      if (marked)
        remarks::emitExchangeColumnsWide(store);
      else
        (void)remarks::emitExchangeColumnsNoScratch(store);
  }
};

} // namespace
