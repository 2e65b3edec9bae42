//===- ReleaseEarly.cpp - Slots given back behind the last product --------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNRELEASEEARLY
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct ReleaseEarlyPass : attn::impl::AttnReleaseEarlyBase<ReleaseEarlyPass> {
  /// The last operation of `block` that reads `tile`, or waits for a product
  /// that does; null where that is outside of the block.
  static Operation *lastReader(Value tile, Block *block) {
    Operation *last = tile.getDefiningOp();
    SmallVector<Value> work{tile};
    llvm::DenseSet<Value> seen{tile};
    // Products under way also leave loops and branches.
    auto follow = [&](ValueRange values) {
      for (Value value : values)
        if (isa<ProductType>(value.getType()) && seen.insert(value).second)
          work.push_back(value);
    };
    while (!work.empty())
      for (Operation *user : work.pop_back_val().getUsers()) {
        Operation *own = block->findAncestorOpInBlock(*user);
        if (!own)
          return nullptr;
        if (last->isBeforeInBlock(own))
          last = own;
        own->walk([&](Operation *op) {
          follow(op->getResults());
          for (Region &region : op->getRegions())
            for (Block &inner : region)
              follow(inner.getArguments());
        });
      }
    return last;
  }

  /// The wait whose slot a release of the same block gives back.
  static RingWaitOp waitOf(RingReleaseOp release) {
    RingWaitOp last;
    for (Operation *user : release.getRing().getUsers())
      if (auto wait = dyn_cast<RingWaitOp>(user);
          wait && wait->getBlock() == release->getBlock() &&
          wait->isBeforeInBlock(release) &&
          (!last || last->isBeforeInBlock(wait)))
        last = wait;
    return last;
  }

  void runOnOperation() override {
    SmallVector<RingReleaseOp> releases;
    getOperation().walk([&](RingReleaseOp release) {
      auto ring = release.getRing().getDefiningOp<RingCreateOp>();
      if (ring && ring.getOwnRows() && !release.getAfter())
        releases.push_back(release);
    });
    for (RingReleaseOp release : releases) {
      RingWaitOp wait = waitOf(release);
      if (!wait)
        continue;
      Operation *last = lastReader(wait.getTile(), release->getBlock());
      if (!last || last->getNextNode() == release ||
          !last->isBeforeInBlock(release))
        continue;
      release->moveAfter(last);
      ++numMoved;
    }
  }
};

} // namespace
