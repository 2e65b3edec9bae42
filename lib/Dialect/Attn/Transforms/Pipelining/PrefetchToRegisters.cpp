//===- PrefetchToRegisters.cpp - Copies under way in registers ------------===//
//
// A ring that a stream fills one visit ahead needs memory for one stage less
// than it has: the other stage is the registers that a copy goes through. It is
// issued at the start of a visit, and lands when the tile of this visit has
// been read.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNPREFETCHTOREGISTERS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// Stages of a ring of which one is registers: with more the copies of several
/// visits would be under way in them, with fewer nothing runs ahead.
constexpr int64_t kStages = 2;

/// The one operation of a kind on a ring in a block itself, or null.
template <typename Op> Op onlyOn(Value ring, Block *block) {
  Op only;
  for (auto op : block->getOps<Op>()) {
    if (op.getRing() != ring)
      continue;
    if (only)
      return {};
    only = op;
  }
  return only;
}

/// Whether the body of a stream reads one tile of a ring a visit, and then
/// gives its slot back, which the producer fills.
bool isReadInTurn(Value ring, StreamOp stream) {
  Block *body = &stream.getBody().front();
  auto wait = onlyOn<RingWaitOp>(ring, body);
  auto release = onlyOn<RingReleaseOp>(ring, body);
  return wait && release && wait->isBeforeInBlock(release) &&
         onlyOn<RingAcquireOp>(ring, stream.getProducerBlock());
}

/// The stream whose producer an operation stands in, or null.
StreamOp producedBy(Operation *op) {
  auto stream = dyn_cast<StreamOp>(op->getParentOp());
  return stream && op->getBlock() == stream.getProducerBlock() ? stream
                                                               : StreamOp();
}

struct PrefetchToRegistersPass
    : attn::impl::AttnPrefetchToRegistersBase<PrefetchToRegistersPass> {
  /// Whether streams fill the ring through registers; of others nothing is
  /// said.
  static bool isStreamed(RingCreateOp ring) {
    return ring.getCopier() == CopyKind::Registers &&
           llvm::any_of(ring->getUsers(), producedBy);
  }

  /// Fails, with a remark, where a ring stays as it is.
  static LogicalResult check(RingCreateOp ring) {
    int64_t stages = ring.getRing().getType().getStages();
    if (ring.getSlots())
      return remarks::emitPrefetchToRegistersAlready(ring);
    if (stages != kStages)
      return remarks::emitPrefetchToRegistersStages(ring, stages);
    for (Operation *user : ring->getUsers()) {
      auto acquire = dyn_cast<RingAcquireOp>(user);
      if (!acquire)
        continue;
      StreamOp stream = producedBy(acquire);
      if (stream ? !isReadInTurn(ring.getRing(), stream)
                 : acquire.getAhead() > 0)
        return remarks::emitPrefetchToRegistersTurn(ring);
    }
    return success();
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    int64_t count = 0;
    for (auto ring : kernel.getBody().getOps<RingCreateOp>()) {
      if (!isStreamed(ring) || failed(check(ring)))
        continue;
      ring.setSlots(kStages - 1);
      ++count;
    }
    numRings += count;
    if (count > 0)
      remarks::emitPrefetchToRegisters(kernel, count);
  }
};

} // namespace
