//===- CopiesToLds.cpp - Rings in LDS, filled past the registers ----------===//
//
// A wave's load to LDS writes 16 bytes a lane, lane by lane (AMD CDNA 4 ISA,
// "Memory Buffer Load to LDS"). The layout of a tile follows from which chunk
// of the view each lane loads.
//
//===----------------------------------------------------------------------===//

#include "../Fragments/SharedTile.h"
#include "LdsRing.h"
#include "ROCDLLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/DialectConversion.h"

using namespace mlir;
using namespace attn;

namespace {

/// One instruction of all waves: the chunks of a tile that it loads.
class ChunksOfWaves {
public:
  ChunksOfWaves(RankedTensorType type, int64_t threads, int64_t item,
                ThreadBuilder t)
      : tile(type, t), first(item * threads), threads(threads), t(t),
        perPanel(tile.rows() * tile.chunksPerPanel()),
        count(perPanel * tile.numPanels()) {}

  static int64_t items(RankedTensorType type, int64_t threads) {
    return llvm::divideCeil(type.getNumElements() *
                                type.getElementTypeBitWidth() / 8,
                            SharedTile::kChunkBytes * threads);
  }

  /// Whether the thread has a chunk; null if all have.
  Value exists() const {
    if (first + threads <= count)
      return {};
    return t.less(t.add(t.thread(), first), t.constant(count));
  }

  /// Row of the thread's chunk, and its first column.
  std::pair<Value, Value> source() const {
    Value panel, place;
    int64_t row = 0;
    if (perPanel % threads == 0) {
      panel = t.constant(first / perPanel);
      row = first % perPanel / tile.chunksPerPanel();
      place = t.thread();
      // What decides about places in the layout has to be the thread's.
      if (row % tile.swizzleRows() != 0) {
        place = t.add(place, row * tile.chunksPerPanel());
        row = 0;
      }
    } else {
      Value number = t.add(t.thread(), first);
      panel = t.div(number, perPanel);
      place = t.rem(number, perPanel);
    }
    auto [found, chunk] = tile.chunkAt(place, row);
    int64_t columns = SharedTile::kChunkBytes / tile.elementBytes();
    return {found,
            t.add(t.mul(panel, tile.panelColumns()), t.mul(chunk, columns))};
  }

  /// Offset in the tile of what the wave's first lane loads.
  Value destination(Value wave) const {
    Value number = t.add(t.mul(wave, kLanes), first);
    constexpr int64_t kBytes = SharedTile::kChunkBytes;
    if (tile.numPanels() == 1 || tile.panelDistance() == perPanel * kBytes)
      return t.mul(number, kBytes);
    return t.add(t.mul(t.div(number, perPanel), tile.panelDistance()),
                 t.mul(t.rem(number, perPanel), kBytes));
  }

private:
  SharedTile tile;
  int64_t first, threads;
  ThreadBuilder t;
  int64_t perPanel, count;
};

struct IssueToLdsPattern : OpConversionPattern<RingIssueOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingIssueOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto acquire = op.getSlot().getDefiningOp<RingAcquireOp>();
    if (op.getBy() != CopyKind::Lds || !acquire)
      return rewriter.notifyMatchFailure(op, "not to LDS");
    Location loc = op.getLoc();
    ThreadBuilder t{rewriter, loc};
    RingBuilder ring{rewriter, loc, ringOf(acquire.getRing())};
    RankedTensorType tile = ring.type().getTile();
    Window window(rewriter, loc, op.getView(), offsetsOfCopy(op, rewriter),
                  tile.getShape(), op.getUntil());
    Value slot = ring.data(rewriter.getRemappedValue(op.getSlot()));
    Value wave = ROCDL::ReadfirstlaneOp::create(
        rewriter, loc, rewriter.getI32Type(), t.div(t.thread(), kLanes));
    int64_t threads = threadsOf(op);
    for (int64_t i = 0; i < ChunksOfWaves::items(tile, threads); ++i) {
      ChunksOfWaves chunks(tile, threads, i, t);
      auto [row, column] = chunks.source();
      Value to = ldsAt(rewriter, loc, t.add(slot, chunks.destination(wave)), 0);
      Value exists = chunks.exists();
      if (!exists) {
        window.loadToLds(row, column, to);
        continue;
      }
      auto branch = scf::IfOp::create(rewriter, loc, exists);
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPoint(branch.thenYield());
      window.loadToLds(row, column, to);
    }
    rewriter.replaceOpWithNewOp<LLVM::PoisonOp>(
        op, getTypeConverter()->convertType(op.getPending().getType()));
    return success();
  }
};

/// Waits for the wave's own loads; a barrier says when the slot is full.
struct LandInLdsPattern : OpConversionPattern<RingLandOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult
  matchAndRewrite(RingLandOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto issue = op.getPending().getDefiningOp<RingIssueOp>();
    if (!issue || issue.getBy() != CopyKind::Lds)
      return rewriter.notifyMatchFailure(op, "not to LDS");
    // vmcnt 0, and as many as there can be of the other counters (AMD CDNA 3
    // ISA, "S_WAITCNT").
    constexpr uint32_t kNoLoads = 0xf70;
    // The scheduler would move the wait in front of what covers it.
    ROCDL::SchedBarrier::create(rewriter, op.getLoc(), /*mask=*/0);
    ROCDL::SWaitcntOp::create(rewriter, op.getLoc(), kNoLoads);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void attn::separateLoadsToLds(LLVM::LLVMFuncOp function) {
  Builder b(function.getContext());
  bool any = false;
  function.walk([&](ROCDL::RawPtrBufferLoadLdsOp) { any = true; });
  if (!any)
    return;
  auto domain = LLVM::AliasScopeDomainAttr::get(b.getContext());
  auto scope = [&]() -> Attribute { return LLVM::AliasScopeAttr::get(domain); };
  ArrayAttr copies = b.getArrayAttr(scope()), others = b.getArrayAttr(scope());
  function.walk([&](LLVM::AliasAnalysisOpInterface op) {
    if (isa<ROCDL::RawPtrBufferLoadLdsOp>(op.getOperation())) {
      op.setAliasScopes(copies);
      return;
    }
    bool toLds = llvm::any_of(op.getAccessedOperands(), [](Value pointer) {
      auto type = dyn_cast<LLVM::LLVMPointerType>(pointer.getType());
      return type && type.getAddressSpace() == kShared;
    });
    if (!toLds)
      return;
    op.setAliasScopes(others);
    op.setNoAliasScopes(copies);
  });
}

void attn::populateCopyToLdsPatterns(const TypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<IssueToLdsPattern, LandInLdsPattern>(converter,
                                                    patterns.getContext());
}
