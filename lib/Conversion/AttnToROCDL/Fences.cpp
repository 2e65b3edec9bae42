//===- Fences.cpp - Loads stay in front of products -----------------------===//
//
// Loads of the next tile are issued before the products of this one, which are
// what hides their latency. LLVM's scheduler takes a load for short and sinks
// it to where the registers are cheapest, a few products before the wait.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;

/// What may cross a fence (LLVM, "User Guide for AMDGPU Backend",
/// llvm.amdgcn.sched.barrier): VALU, SALU, LDS and transcendentals. Neither
/// loads nor matrix products: without those the fence sinks with the loads.
static constexpr int32_t kAllButLoadsAndProducts =
    0x2 | 0x4 | 0x80 | 0x100 | 0x200 | 0x400;

void attn::fenceLoads(LLVM::LLVMFuncOp function) {
  function.walk([](scf::ForOp loop) {
    RingIssueOp last;
    for (Operation &op : *loop.getBody()) {
      if (isa<DotOp>(op))
        break;
      if (auto issue = dyn_cast<RingIssueOp>(op))
        last = issue;
    }
    if (!last)
      return;
    OpBuilder b(loop.getContext());
    b.setInsertionPointAfter(last);
    ROCDL::SchedBarrier::create(b, last.getLoc(), kAllButLoadsAndProducts);
  });
}
