//===- Trace.cpp - Slice a kernel to its accesses -------------------------===//

#include "IndexProgram.h"
#include "attn-mlir/Analysis/Passes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnPartOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Tidy.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNTRACE
#include "attn-mlir/Analysis/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct TracePass : attn::impl::AttnTraceBase<TracePass> {
  void touch(IRRewriter &rewriter, Operation *access, AccessKind kind,
             Value view, ValueRange offsets, Type tile) {
    // What CTAs of a cluster show each other never leaves the chip.
    if (view.getDefiningOp<ExchangeOp>())
      return;
    auto ctas = access->getParentOfType<CtasOp>();
    rewriter.setInsertionPoint(access);
    TouchOp::create(rewriter, access->getLoc(), kind, ctas.getCta(), view,
                    offsets, cast<ShapedType>(tile).getShape());
    ++numTouches;
  }

  /// Each block of a load is one access.
  void touchLoaded(IRRewriter &rewriter, LoadOp load) {
    auto tile = cast<RankedTensorType>(load.getTile().getType());
    if (load.getBlocks().empty())
      return touch(rewriter, load, AccessKind::Load, load.getView(),
                   load.getOffsets(), tile);
    tile = tile.clone({load.getBlockRows(), tile.getDimSize(1)});
    SmallVector<Value> offsets = llvm::to_vector(load.getOffsets());
    touch(rewriter, load, AccessKind::Load, load.getView(), offsets, tile);
    for (Value first : load.getBlocks()) {
      offsets[0] = first;
      touch(rewriter, load, AccessKind::Load, load.getView(), offsets, tile);
    }
  }

  /// Rebuilds a stream without the tiles it carries.
  static void dropCarried(IRRewriter &rewriter, StreamOp stream) {
    rewriter.setInsertionPoint(stream);
    auto bare = StreamOp::create(rewriter, stream.getLoc(), TypeRange(),
                                 stream.getLowers(), stream.getUppers(),
                                 ValueRange(), stream.getTraversalOperands(),
                                 stream.getMasked(), stream.getStep(),
                                 stream.getOrdered(), stream.getTraversal());
    bare.getBody().takeBody(stream.getBody());
    Block &body = bare.getBody().front();
    rewriter.setInsertionPoint(body.getTerminator());
    rewriter.replaceOpWithNewOp<YieldOp>(body.getTerminator());
    body.eraseArguments(1, body.getNumArguments() - 1);
    rewriter.eraseOp(stream);
  }

  /// Which CTA is done last is not known: the one of the last part stands for
  /// it.
  static void mergeInOne(IRRewriter &rewriter, LastPartOp last) {
    BeginPartOp begin = last.getBegin();
    Location loc = last.getLoc();
    rewriter.setInsertionPoint(last);
    Value number = arith::ConstantIndexOp::create(
        rewriter, loc, static_cast<int64_t>(begin.getParts()) - 1);
    Value merges = arith::CmpIOp::create(
        rewriter, loc, arith::CmpIPredicate::eq, begin.getPart(), number);
    auto branch = scf::IfOp::create(rewriter, loc, merges,
                                    /*withElseRegion=*/false);
    rewriter.eraseOp(last.getBody().front().getTerminator());
    rewriter.inlineBlockBefore(&last.getBody().front(),
                               branch.thenBlock()->getTerminator());
    rewriter.eraseOp(last);
    rewriter.eraseOp(begin);
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (kernel.getGrid()) {
      kernel.emitOpError("expected its grid materialised before it is traced "
                         "(attn-materialize-grid)");
      return signalPassFailure();
    }
    IRRewriter rewriter(&getContext());
    kernel.walk([&](LastPartOp last) { mergeInOne(rewriter, last); });
    SmallVector<Operation *> dead;
    SmallVector<StreamOp> streams;
    WalkResult result = kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<LoadOp, StoreOp>(op) && !op->getParentOfType<CtasOp>())
        return op->emitOpError("cannot be traced outside of attn.ctas: no CTA "
                               "accesses this"),
               WalkResult::interrupt();
      if (isa<TakeOp>(op))
        return op->emitOpError("cannot be traced: expected tiles that CTAs "
                               "take in turn (attn-materialize-grid{in-turn})"),
               WalkResult::interrupt();
      if (isa<InStepOp, ExchangeOp, AwaitProgressOp, ReportProgressOp>(op)) {
        dead.push_back(op);
        return WalkResult::advance();
      }
      if (auto load = dyn_cast<LoadOp>(op))
        touchLoaded(rewriter, load);
      else if (auto store = dyn_cast<StoreOp>(op))
        touch(rewriter, op, AccessKind::Store, store.getView(),
              store.getOffsets(), store.getTile().getType());
      if (auto stream = dyn_cast<StreamOp>(op)) {
        if (!llvm::all_of(stream.getResultTypes(), isTile))
          return op->emitOpError(
                     "cannot be traced: expected index arithmetic to be "
                     "independent of what a stream carries"),
                 WalkResult::interrupt();
        streams.push_back(stream);
        return WalkResult::advance();
      }
      if (hasTiles(*op) && !op->hasTrait<OpTrait::IsTerminator>()) {
        if (op->getNumRegions() > 0 ||
            llvm::any_of(op->getResultTypes(),
                         [](Type type) { return !isTile(type); }))
          return op->emitOpError(
                     "cannot be traced: expected index arithmetic to be "
                     "independent of tiles"),
                 WalkResult::interrupt();
        dead.push_back(op);
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    for (Operation *op : dead)
      op->dropAllUses();
    for (StreamOp stream : streams) {
      stream->dropAllUses();
      for (BlockArgument carried : stream.getCarried())
        carried.dropAllUses();
    }
    for (Operation *op : dead)
      op->erase();
    for (StreamOp stream : streams)
      dropCarried(rewriter, stream);
    tidy(kernel);
  }
};

} // namespace
