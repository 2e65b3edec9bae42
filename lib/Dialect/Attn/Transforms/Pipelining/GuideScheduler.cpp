//===- GuideScheduler.cpp - What the code generator's scheduler is told ---===//
//
// Loads of the next tile are issued before the products of this one, which are
// what hides their latency. LLVM takes a load for short, and sinks it to where
// registers are cheapest, a few products before the wait. benchmarks/
// static_mi300x.md and two_waves.md have what each of the two hints changes.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNGUIDESCHEDULER
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// Whether copies for the next visit are issued, to registers or to LDS, at the
/// start of this one.
bool isPrefetched(Value ring) {
  auto create = ring.getDefiningOp<RingCreateOp>();
  return create &&
         (create.hasStagesInRegisters() || create.getCopier() == CopyKind::Lds);
}

/// Whether the producer of a stream fills a ring.
bool fills(StreamOp stream, Value ring) {
  Block *producer = stream.getProducerBlock();
  return producer &&
         llvm::any_of(producer->getOps<RingAcquireOp>(),
                      [&](RingAcquireOp op) { return op.getRing() == ring; });
}

bool issuesAhead(StreamOp stream) {
  return llvm::any_of(
      stream.getBody().getOps<RingWaitOp>(), [&](RingWaitOp wait) {
        return isPrefetched(wait.getRing()) && fills(stream, wait.getRing());
      });
}

/// Whether an operation branches, or has a branch before it that fills its
/// ring.
bool branches(StreamOp stream, Operation *op) {
  auto wait = dyn_cast<RingWaitOp>(op);
  return op->getNumRegions() > 0 || (wait && fills(stream, wait.getRing()) &&
                                     !isPrefetched(wait.getRing()));
}

/// Whether exponentials and another product follow in the same basic block.
bool isSoftmaxBetweenProducts(StreamOp stream, DotOp dot) {
  bool exponentials = false;
  for (Operation *op = dot->getNextNode(); op; op = op->getNextNode()) {
    if (branches(stream, op))
      return false;
    if (exponentials && isa<DotOp>(op))
      return true;
    exponentials |= isa<math::Exp2Op>(op);
  }
  return false;
}

bool isGuided(StreamOp stream) {
  return !stream.getBody().getOps<SchedulingHintOp>().empty();
}

struct GuideSchedulerPass
    : attn::impl::AttnGuideSchedulerBase<GuideSchedulerPass> {
  void guide(StreamOp stream, DotOp dot) {
    SchedulingHint hint = isSoftmaxBetweenProducts(stream, dot)
                              ? SchedulingHint::InterleaveExponentials
                              : SchedulingHint::HoldCopies;
    OpBuilder b = OpBuilder::atBlockBegin(&stream.getBody().front());
    SchedulingHintOp::create(b, stream.getLoc(), hint);
    ++numStreams;
    remarks::emitGuideScheduler(stream, stringifySchedulingHint(hint));
  }

  void runOnOperation() override {
    SmallVector<StreamOp> streams;
    getOperation().walk([&](StreamOp stream) { streams.push_back(stream); });
    for (StreamOp stream : streams) {
      auto dots = stream.getBody().getOps<DotOp>();
      if (dots.empty() || !issuesAhead(stream))
        continue;
      if (isGuided(stream))
        remarks::emitGuideSchedulerAlready(stream);
      else
        guide(stream, *dots.begin());
    }
  }
};

} // namespace
