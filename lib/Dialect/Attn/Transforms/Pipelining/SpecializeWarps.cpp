//===- SpecializeWarps.cpp - A producer beside the consumers --------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "attn-mlir/Dialect/Attn/Utils/RoleRegisters.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSPECIALIZEWARPS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct SpecializeWarpsPass
    : attn::impl::AttnSpecializeWarpsBase<SpecializeWarpsPass> {
  using AttnSpecializeWarpsBase::AttnSpecializeWarpsBase;

  /// Registers move between groups of four warps.
  static constexpr int64_t kGroup = 4;
  static constexpr int64_t kGroupThreads = 32 * kGroup;

  /// Fails, with a remark, where a kernel stays as it is.
  static LogicalResult check(KernelOp kernel) {
    if (!TargetAttr::of(kernel).hasCapability("setmaxnreg"))
      return remarks::emitSpecializeWarpsTarget(kernel);
    if (kernel->hasAttr(KernelOp::kProducerWarpsAttr))
      return remarks::emitSpecializeWarpsAlready(kernel);
    auto threads = kernel->getAttrOfType<IntegerAttr>(KernelOp::kThreadsAttr);
    if (!threads || threads.getInt() % kGroupThreads != 0)
      return remarks::emitSpecializeWarpsGroups(kernel);
    bool copies = false, byThreads = false, inStep = false;
    kernel.walk([&](Operation *op) {
      if (auto issue = dyn_cast<RingIssueOp>(op)) {
        copies = true;
        bool few = issue.getSlot().getType().getTile().getDimSize(0) == 1;
        byThreads |= issue.getBy() != CopyKind::Tensor && !few;
      }
      inStep |= isa<InStepOp>(op);
    });
    if (!copies)
      return remarks::emitSpecializeWarpsNoCopy(kernel);
    // One row is copied by a warp.
    if (byThreads)
      return remarks::emitSpecializeWarpsThreads(kernel);
    if (inStep)
      return remarks::emitSpecializeWarpsInStep(kernel);
    return success();
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(checkProducerRegisters(kernel, producerRegisters)))
      return signalPassFailure();
    if (failed(check(kernel)))
      return;
    kernel->setAttr(KernelOp::kProducerWarpsAttr,
                    Builder(kernel).getI64IntegerAttr(kGroup));
    if (producerRegisters)
      kernel->setAttr(KernelOp::kProducerRegistersAttr,
                      Builder(kernel).getI64IntegerAttr(producerRegisters));
    if (overlap)
      kernel->setAttr(KernelOp::kOverlapAttr, UnitAttr::get(&getContext()));
    if (firstRows)
      kernel->setAttr(KernelOp::kFirstRowsAttr, UnitAttr::get(&getContext()));
    if (pingPong)
      kernel->setAttr(KernelOp::kPingPongAttr, UnitAttr::get(&getContext()));
    if (pingPong && lateTurns)
      kernel->setAttr(KernelOp::kLateTurnsAttr, UnitAttr::get(&getContext()));
    ++numKernels;
    remarks::emitSpecializeWarps(kernel, kGroup);
  }
};

} // namespace
