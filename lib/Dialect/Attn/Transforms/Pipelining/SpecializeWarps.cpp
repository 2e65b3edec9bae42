//===- SpecializeWarps.cpp - A producer beside the consumers --------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Remarks.h"

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

  /// Why a kernel stays as it is, or nothing.
  static StringRef whyNot(KernelOp kernel) {
    if (!TargetAttr::of(kernel).hasCapability("setmaxnreg"))
      return "the target cannot move registers between warps";
    if (kernel->hasAttr(KernelOp::kProducerWarpsAttr))
      return "there is a producer already";
    auto threads = kernel->getAttrOfType<IntegerAttr>(KernelOp::kThreadsAttr);
    if (!threads || threads.getInt() % kGroupThreads != 0)
      return "consumers are not in groups of 4 warps";
    bool copies = false, byThreads = false, inStep = false;
    kernel.walk([&](Operation *op) {
      if (auto issue = dyn_cast<RingIssueOp>(op)) {
        copies = true;
        byThreads |= issue.getBy() != CopyKind::Tensor;
      }
      inStep |= isa<InStepOp>(op);
    });
    if (!copies)
      return "nothing is copied";
    if (byThreads)
      return "tiles are copied by all threads";
    return inStep ? "CTAs keep in step, all threads of each" : "";
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    auto opts = remark::RemarkOpts::name("specialized")
                    .category("attn-specialize-warps")
                    .function(kernel.getSymName());
    StringRef reason = whyNot(kernel);
    if (!reason.empty()) {
      remark::missed(kernel.getLoc(), opts) << reason.str();
      return;
    }
    kernel->setAttr(KernelOp::kProducerWarpsAttr,
                    Builder(kernel).getI64IntegerAttr(kGroup));
    if (overlap)
      kernel->setAttr(KernelOp::kOverlapAttr, UnitAttr::get(&getContext()));
    if (pingPong)
      kernel->setAttr(KernelOp::kPingPongAttr, UnitAttr::get(&getContext()));
    ++numKernels;
    remark::passed(kernel.getLoc(), opts)
        << "a producer fills the rings:" << remark::metric("warps", kGroup);
  }
};

} // namespace
