//===- AssignRoles.cpp - Which role computes which product ----------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNASSIGNROLES
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// Roles of the values of a block, from its first operation on.
class BlockRoles {
public:
  BlockRoles(Block &block, int64_t most) : block(block), last(most - 1) {}

  /// Gives products their roles; returns how many are of a later one than the
  /// first.
  int64_t run() {
    int64_t later = 0;
    for (Operation &op : block) {
      int64_t role = roleOfUsed(op);
      if (auto wait = dyn_cast<RingWaitOp>(op))
        role = std::max(role, rings.lookup(wait.getRing()));
      roles[&op] = role;
      if (auto put = dyn_cast<RingPutOp>(op)) {
        if (auto acquire = put.getSlot().getDefiningOp<RingAcquireOp>())
          rings[acquire.getRing()] = std::min(role + 1, last);
      } else if (auto issue = dyn_cast<DotIssueOp>(op)) {
        issue.setRole(role);
        later += role > 0;
      }
    }
    return later;
  }

private:
  /// The latest of what an operation and what it holds use.
  int64_t roleOfUsed(Operation &op) {
    int64_t role = 0;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Operation *from = operand.getDefiningOp();
        from = from ? block.findAncestorOpInBlock(*from) : nullptr;
        if (from && from != &op)
          role = std::max(role, roles.lookup(from));
      }
    });
    return role;
  }

  Block &block;
  int64_t last;
  llvm::DenseMap<Operation *, int64_t> roles;
  /// Of those who read what was put into a ring.
  llvm::DenseMap<Value, int64_t> rings;
};

struct AssignRolesPass : attn::impl::AttnAssignRolesBase<AssignRolesPass> {
  using AttnAssignRolesBase::AttnAssignRolesBase;

  void runOnOperation() override {
    constexpr int64_t kMost = 4;
    KernelOp kernel = getOperation();
    if (most < 0 || most > kMost) {
      kernel.emitError("expected 1 to ")
          << kMost << " roles, or 0 for what the kernel asks for, but got "
          << most.getValue();
      return signalPassFailure();
    }
    auto asked = kernel->getAttrOfType<IntegerAttr>(KernelOp::kRolesAttr);
    if ((most == 0 && !asked) || !kernel->hasAttr(KernelOp::kProducerWarpsAttr))
      return;
    int64_t roles = most != 0 ? most.getValue()
                              : std::clamp<int64_t>(asked.getInt(), 1, kMost);
    kernel.walk([&](StreamOp stream) {
      stream->walk([&](Block *block) {
        if (!block->getOps<DotIssueOp>().empty())
          numAssigned += BlockRoles(*block, roles).run();
      });
    });
  }
};

} // namespace
