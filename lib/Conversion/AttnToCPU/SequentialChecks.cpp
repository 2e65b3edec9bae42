//===- SequentialChecks.cpp - What attn-sequentialize-rings takes ---------===//

#include "SequentialChecks.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"

using namespace mlir;
using namespace attn;

FailureOr<SmallVector<int64_t>> attn::ownersOfColumns(RankedTensorType tile) {
  auto layout = cast<FragmentAttr>(tile.getEncoding());
  FragmentAttr slice = layout.getThreadSlice();
  SmallVector<int64_t> owners(tile.getDimSize(1), -1);
  for (int64_t t = 0; t < layout.getNumThreads(); ++t) {
    int64_t thread = slice.getThreadOffset(t)[1];
    int64_t first = layout.getThreadOffset(t)[1];
    for (int64_t r = 0; r < layout.getNumRegisters(); ++r) {
      int64_t &owner = owners[first + layout.getRegisterOffset(r)[1]];
      if (owner >= 0 && owner != thread)
        return failure();
      owner = thread;
    }
  }
  return owners;
}

namespace {

bool isShared(Type type) {
  auto tile = dyn_cast<RankedTensorType>(type);
  return tile && isa_and_nonnull<SharedAttr>(tile.getEncoding());
}

LogicalResult checkReduce(ReduceRegistersOp op) {
  if (op.getKind() != ReduceKind::Sum)
    return op.emitOpError("expected 'sum' to run on the CPU, but got '")
           << stringifyReduceKind(op.getKind()) << "'";
  auto tile = cast<RankedTensorType>(op.getTile().getType());
  if (failed(ownersOfColumns(tile)))
    return op.emitOpError(
               "expected a layout in which the same threads of every "
               "row hold a column, one each, but got ")
           << tile;
  return success();
}

/// Tiles in shared memory are named only where they are read or lent, so that
/// it is clear when.
LogicalResult checkUse(Operation *op, OpOperand &use) {
  if (!isShared(use.get().getType()))
    return success();
  bool reads = isa<AccumulateOp, ConvertLayoutOp, RingArrangeOp>(op) ||
               (isa<DotOp>(op) && use.getOperandNumber() < 2);
  auto store = dyn_cast<StoreOp>(op);
  if (!reads && !(store && store.getScratch() == use.get() &&
                  store.getTile() != use.get()))
    return op->emitOpError("expected a tile in registers, but got ")
           << use.get().getType();
  if (!use.get().getDefiningOp<RingWaitOp>())
    return op->emitOpError("expected a tile in shared memory straight from "
                           "attn.ring.wait");
  return success();
}

/// Each slot is filled once and announced once, by operations that are known.
LogicalResult checkChain(Operation *op) {
  for (Value operand : op->getOperands())
    if (isa<RingType, SlotType, PendingType>(operand.getType()) &&
        !isa_and_nonnull<RingCreateOp, RingAcquireOp, RingIssueOp>(
            operand.getDefiningOp()))
      return op->emitOpError("expected ")
             << operand.getType()
             << " straight from the operation that made it";
  if (isa<RingAcquireOp, RingIssueOp>(op) && !op->hasOneUse())
    return op->emitOpError("expected one use of its result, but got ")
           << llvm::range_size(op->getUses());
  if (isa<RingAcquireOp, RingIssueOp, RingLandOp, RingPutOp, RingWaitOp,
          RingReleaseOp, RingArrangeOp>(op) &&
      !op->getParentOfType<CtasOp>())
    return op->emitOpError("expected to stand in attn.ctas");
  return success();
}

LogicalResult checkOp(Operation *op) {
  if (isa<GridOp>(op))
    return op->emitOpError(
        "expected to be lowered by attn-materialize-grid first");
  if (isa<StreamOp>(op))
    return op->emitOpError(
        "expected to be lowered by convert-attn-stream-to-scf first");
  if (auto ring = dyn_cast<RingCreateOp>(op); ring && ring.getParts())
    return ring.emitOpError("expected slots without parts, which roles have, "
                            "but got ")
           << ring.getNumParts();
  if (auto convert = dyn_cast<ConvertLayoutOp>(op);
      convert && isShared(convert.getType()))
    return op->emitOpError("expected a result in registers, but got ")
           << convert.getType();
  if (auto reduce = dyn_cast<ReduceRegistersOp>(op);
      reduce && failed(checkReduce(reduce)))
    return failure();
  for (OpOperand &use : op->getOpOperands())
    if (failed(checkUse(op, use)))
      return failure();
  return checkChain(op);
}

} // namespace

LogicalResult attn::checkSequential(KernelOp kernel) {
  WalkResult result = kernel.walk<WalkOrder::PreOrder>([](Operation *op) {
    return failed(checkOp(op)) ? WalkResult::interrupt()
                               : WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  if (int64_t count = llvm::range_size(kernel.getBody().getOps<CtasOp>());
      count != 1)
    return kernel.emitOpError("expected one attn.ctas, but got ") << count;
  return success();
}
