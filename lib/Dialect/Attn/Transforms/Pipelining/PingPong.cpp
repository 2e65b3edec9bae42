//===- PingPong.cpp - Consumers take turns at the tensor cores ------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNPINGPONG
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// Whether a product is added to what a loop carries and nothing else asks for
/// it: no work is beside which it could run.
bool isOnlySummed(DotIssueOp issue) {
  if (!issue.getProduct().hasOneUse())
    return false;
  auto wait = dyn_cast<DotWaitOp>(*issue.getProduct().user_begin());
  if (!wait || !wait.getTile().hasOneUse())
    return false;
  Operation *user = *wait.getTile().user_begin();
  return isa<scf::YieldOp>(user) && isa<scf::ForOp>(user->getParentOp());
}

struct PingPongPass : attn::impl::AttnPingPongBase<PingPongPass> {
  /// The last product that is issued before `issue` is waited for.
  static DotIssueOp lastOfTurn(DotIssueOp issue) {
    DotIssueOp last = issue;
    for (Operation *op = issue->getNextNode(); op; op = op->getNextNode()) {
      if (isa<DotWaitOp>(op))
        break;
      if (auto next = dyn_cast<DotIssueOp>(op))
        last = next;
    }
    return last;
  }

  /// Behind what a turn is passed: the last product is issued, or, `late`, done
  /// if it is one with values.
  static Operation *endOfTurn(DotIssueOp last, bool late) {
    if (!late || last.getStage() == 0 || !last.getProduct().hasOneUse())
      return last;
    Operation *end = *last.getProduct().user_begin();
    if (!isa<DotWaitOp>(end) || end->getBlock() != last->getBlock())
      return last;
    // Another turn begins only when this one is passed.
    for (Operation *op = last->getNextNode(); op != end; op = op->getNextNode())
      if (isa<DotIssueOp>(op))
        return last;
    return end;
  }

  static void takeTurns(SpecializeOp roles, ArrayRef<DotIssueOp> first,
                        int64_t groups, bool late) {
    OpBuilder b = OpBuilder::atBlockBegin(&roles.getConsumer().front());
    TurnOp::create(b, roles.getLoc(), Turn::Start, groups, late);
    llvm::DenseSet<Operation *> covered;
    for (DotIssueOp issue : first) {
      if (covered.contains(issue))
        continue;
      DotIssueOp last = lastOfTurn(issue);
      for (Operation *op = issue; op != last; op = op->getNextNode())
        covered.insert(op->getNextNode());
      b.setInsertionPoint(issue);
      TurnOp::create(b, issue.getLoc(), Turn::Take, groups, late);
      b.setInsertionPointAfter(endOfTurn(last, late));
      TurnOp::create(b, issue.getLoc(), Turn::Pass, groups, late);
    }
  }

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel->hasAttr(KernelOp::kPingPongAttr))
      return;
    constexpr int64_t kGroupThreads = 128;
    auto threads = kernel->getAttrOfType<IntegerAttr>(KernelOp::kThreadsAttr);
    int64_t groups = threads ? threads.getInt() / kGroupThreads : 0;
    if (groups < 2) {
      remarks::emitPingPongOneGroup(kernel);
      return;
    }
    kernel.walk([&](SpecializeOp roles) {
      SmallVector<DotIssueOp> first;
      roles.getConsumer().walk([&](DotIssueOp issue) {
        if (issue.getStage() == 0 && !isOnlySummed(issue))
          first.push_back(issue);
      });
      // Several roles are pipelined by their rings.
      if (first.empty() || roles.getNumComputing() > 1 ||
          !roles.getConsumer().getOps<TurnOp>().empty())
        return;
      takeTurns(roles, first, groups,
                kernel->hasAttr(KernelOp::kLateTurnsAttr));
      ++numKernels;
      remarks::emitPingPong(kernel, groups);
    });
  }
};

} // namespace
