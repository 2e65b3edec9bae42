//===- StageProducts.cpp - Which product follows from which ---------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "llvm/ADT/DenseMap.h"
#include <algorithm>

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSTAGEPRODUCTS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// Stages of the values of a block, from its first operation on.
class BlockStages {
public:
  explicit BlockStages(Block &block) : block(block) {}

  /// Gives products their stages; returns how many are of a later one than the
  /// first.
  int64_t run() {
    int64_t later = 0;
    for (Operation &op : block) {
      auto issue = dyn_cast<DotIssueOp>(op);
      if (!issue) {
        stages[&op] = stageOfUsed(op);
        followRings(op);
        continue;
      }
      int64_t stage = std::max({stageOf(issue.getLhs()),
                                stageOf(issue.getRhs()), stageOfSum(issue)});
      issue.setStage(stage);
      later += stage > 0;
      // What follows from it is of the next.
      stages[&op] = stage + 1;
    }
    return later;
  }

private:
  int64_t stageOf(Value value) {
    Operation *op = value.getDefiningOp();
    op = op ? block.findAncestorOpInBlock(*op) : nullptr;
    return op ? stages.lookup(op) : 0;
  }

  /// The latest of what an operation and what it holds use.
  int64_t stageOfUsed(Operation &op) {
    int64_t stage = 0;
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (!op.isAncestor(operand.getParentRegion()->getParentOp()))
          stage = std::max(stage, stageOf(operand));
    });
    return stage;
  }

  /// A tile that comes out of a ring follows from what was put into it.
  void followRings(Operation &op) {
    if (auto put = dyn_cast<RingPutOp>(op)) {
      if (auto acquire = put.getSlot().getDefiningOp<RingAcquireOp>())
        rings[acquire.getRing()] = stages[&op];
    } else if (auto wait = dyn_cast<RingWaitOp>(op)) {
      stages[&op] = std::max(stages[&op], rings.lookup(wait.getRing()));
    }
  }

  /// Of an accumulator: a product that goes on with another's result.
  int64_t stageOfSum(DotIssueOp issue) {
    if (auto wait = issue.getAcc().getDefiningOp<DotWaitOp>())
      if (auto before = wait.getProduct().getDefiningOp<DotIssueOp>();
          before && before->getBlock() == &block)
        return static_cast<int64_t>(before.getStage());
    return stageOf(issue.getAcc());
  }

  Block &block;
  /// Products that an operation's results follow from, one from the other.
  llvm::DenseMap<Operation *, int64_t> stages;
  /// The same, of tiles that were put into rings.
  llvm::DenseMap<Value, int64_t> rings;
};

struct StageProductsPass
    : attn::impl::AttnStageProductsBase<StageProductsPass> {
  void runOnOperation() override {
    getOperation().walk([&](StreamOp stream) {
      stream->walk([&](Block *block) {
        if (!block->getOps<DotIssueOp>().empty())
          numStaged += BlockStages(*block).run();
      });
    });
  }
};

} // namespace
