//===- Scheduling.cpp - What LLVM's scheduler is told ---------------------===//
//
// Loads of the next tile are issued before the products of this one, which are
// what hides their latency. LLVM takes a load for short, and sinks it to where
// registers are cheapest, a few products before the wait. benchmarks/
// static_mi300x.md and two_waves.md have what each of the two below changes.
//
//===----------------------------------------------------------------------===//

#include "ROCDLLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

namespace {

/// What may cross a fence (LLVM, "User Guide for AMDGPU Backend",
/// llvm.amdgcn.sched.barrier): VALU, SALU, LDS and transcendentals. Neither
/// loads nor matrix products: without those the fence sinks with the loads.
constexpr int32_t kAllButLoadsAndProducts =
    0x2 | 0x4 | 0x80 | 0x100 | 0x200 | 0x400;

/// The strategy of llvm.amdgcn.iglp.opt that interleaves the exponentials of a
/// softmax with the products that take them (the same guide).
constexpr int32_t kInterleaveExponentials = 2;

/// The loop's first product.
DotOp firstDot(scf::ForOp loop) {
  auto dots = loop.getBody()->getOps<DotOp>();
  return dots.empty() ? DotOp() : *dots.begin();
}

/// The last copy that is issued before a product in its block.
RingIssueOp lastIssueBefore(DotOp dot) {
  RingIssueOp last;
  for (auto issue : dot->getBlock()->getOps<RingIssueOp>())
    if (issue->isBeforeInBlock(dot))
      last = issue;
  return last;
}

/// Whether exponentials and another product follow in the same basic block.
bool isSoftmaxBetweenProducts(DotOp dot) {
  bool exponentials = false;
  for (Operation *op = dot->getNextNode(); op; op = op->getNextNode()) {
    if (op->getNumRegions() > 0)
      return false;
    if (exponentials && isa<DotOp>(op))
      return true;
    exponentials |= isa<math::Exp2Op>(op);
  }
  return false;
}

} // namespace

void attn::guideScheduler(LLVM::LLVMFuncOp function) {
  function.walk([](scf::ForOp loop) {
    DotOp dot = firstDot(loop);
    RingIssueOp last = dot ? lastIssueBefore(dot) : RingIssueOp();
    if (!last)
      return;
    OpBuilder b(loop.getContext());
    b.setInsertionPointAfter(last);
    Location loc = last.getLoc();
    if (isSoftmaxBetweenProducts(dot))
      ROCDL::IglpOpt::create(b, loc, kInterleaveExponentials);
    else
      ROCDL::SchedBarrier::create(b, loc, kAllButLoadsAndProducts);
  });
}
