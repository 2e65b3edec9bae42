//===- DelayWaits.cpp - Products beside each other and arithmetic ---------===//
//
// A list scheduler for the body of a stream: products that follow from loads
// alone are issued first, each product is waited for where its result is used,
// and a ring's slot is given back when the products that read it are done.
//
//===----------------------------------------------------------------------===//

#include "ProductWaits.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNDELAYWAITS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// The ring that an operation acts on; null for others.
Value ringOf(Operation *op) {
  if (auto wait = dyn_cast<RingWaitOp>(op))
    return wait.getRing();
  if (auto release = dyn_cast<RingReleaseOp>(op))
    return release.getRing();
  if (auto acquire = dyn_cast<RingAcquireOp>(op))
    return acquire.getRing();
  if (auto put = dyn_cast<RingPutOp>(op))
    if (auto acquire = put.getSlot().getDefiningOp<RingAcquireOp>())
      return acquire.getRing();
  return {};
}

/// What is done with results behind all products, in its order.
bool addsUp(Operation *op) {
  return isa<AccumulateOp, AwaitProgressOp, ReportProgressOp>(op);
}

/// Orders one block anew.
class BlockScheduler {
public:
  explicit BlockScheduler(Block &block) : block(block) {}

  /// The first operation that cannot change its place; null if all can.
  Operation *findFixed() {
    for (Operation &op : block.without_terminator())
      if (!isMemoryEffectFree(&op) && !ringOf(&op) &&
          !isa<DotIssueOp, DotWaitOp, LoadOp, ReadOp>(op) && !addsUp(&op))
        return &op;
    return nullptr;
  }

  /// Returns how many waits let a later product be under way.
  int64_t run() {
    for (Operation &op : block)
      original.push_back(&op);
    findRingOrder();
    // What a sum starts from is there before any product is under way:
    // assemblers would wait for that one.
    for (DotIssueOp issue : firstProducts())
      if (Operation *start = issue.getAcc().getDefiningOp();
          start && start->getBlock() == &block && !isa<DotWaitOp>(start))
        emit(start);
    for (DotIssueOp issue : firstProducts())
      emit(issue);
    for (Operation *op : original)
      if (!isa<DotWaitOp, RingReleaseOp>(op) && !addsUp(op) &&
          !op->hasTrait<OpTrait::IsTerminator>())
        emit(op);
    for (Operation *op : original)
      emit(op);
    for (Operation *op : order)
      op->moveBefore(&block, block.end());
    for (Operation *op : original)
      if (isa<LoadOp, ReadOp>(op))
        placeLoad(op);
    return countOutstanding(block);
  }

private:
  /// Those that follow from loads alone.
  SmallVector<DotIssueOp> firstProducts() const {
    SmallVector<DotIssueOp> products;
    for (Operation *op : original)
      if (auto issue = dyn_cast<DotIssueOp>(op); issue && issue.getStage() == 0)
        products.push_back(issue);
    return products;
  }

  /// Accesses to one ring keep their order, and a slot is given back behind
  /// what reads it.
  void findRingOrder() {
    llvm::DenseMap<Value, SmallVector<Operation *>> before;
    for (Operation *op : original) {
      Value ring = ringOf(op);
      if (!ring)
        continue;
      auto &known = before[ring];
      after[op] = known;
      known.push_back(op);
      auto wait = dyn_cast<RingWaitOp>(op);
      if (!wait)
        continue;
      for (Operation *user : wait.getTile().getUsers())
        addReader(user, known);
    }
  }

  void addReader(Operation *user, SmallVector<Operation *> &readers) {
    if (auto issue = dyn_cast<DotIssueOp>(user))
      for (Operation *wait : issue.getProduct().getUsers())
        readers.push_back(block.findAncestorOpInBlock(*wait));
    Operation *own = block.findAncestorOpInBlock(*user);
    readers.push_back(own);
    // What threads read themselves has surely arrived when a product starts
    // that depends on it.
    if (auto read = dyn_cast_if_present<ConvertLayoutOp>(own))
      if (Operation *product = productFrom(read))
        readers.push_back(product);
  }

  /// The first product of the block that follows from an operation.
  Operation *productFrom(Operation *source) {
    llvm::SmallSetVector<Operation *, 16> work;
    work.insert(source);
    Operation *first = nullptr;
    for (unsigned i = 0; i < work.size(); ++i) {
      if (isa<DotIssueOp>(work[i])) {
        if (!first || work[i]->isBeforeInBlock(first))
          first = work[i];
        continue;
      }
      for (Operation *user : work[i]->getUsers())
        if (Operation *own = block.findAncestorOpInBlock(*user))
          work.insert(own);
    }
    return first;
  }

  /// What has to come before an operation.
  llvm::SmallSetVector<Operation *, 8> needsOf(Operation *op) {
    llvm::SmallSetVector<Operation *, 8> needs;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *source = operand.getDefiningOp())
          if (Operation *own = block.findAncestorOpInBlock(*source);
              own && own != op)
            needs.insert(own);
    });
    for (Operation *other : after.lookup(op))
      if (other && other != op)
        needs.insert(other);
    return needs;
  }

  void emit(Operation *op) {
    if (done.contains(op))
      return;
    done.insert(op);
    for (Operation *need : needsOf(op))
      emit(need);
    order.push_back(op);
    placed.insert(op);
    // Slots that nothing reads any more.
    for (Operation *release : original)
      if (isa<RingReleaseOp>(release) && !done.contains(release) &&
          llvm::all_of(needsOf(release),
                       [&](Operation *need) { return placed.contains(need); }))
        emit(release);
  }

  /// What comes from memory takes long, and registers: behind the products that
  /// are under way while threads wait for what it is combined with, but for the
  /// last of them.
  void placeLoad(Operation *load) {
    Operation *first = nullptr;
    for (Operation *user : load->getUsers()) {
      Operation *own = block.findAncestorOpInBlock(*user);
      if (own && (!first || own->isBeforeInBlock(first)))
        first = own;
    }
    Operation *place = first;
    while (place && !isa<DotWaitOp>(place))
      place = place->getPrevNode();
    while (place && !isa<DotIssueOp>(place))
      place = place->getPrevNode();
    if (!place)
      return;
    for (Operation *need : needsOf(load))
      if (place->isBeforeInBlock(need))
        return;
    load->moveBefore(place);
  }

  Block &block;
  SmallVector<Operation *> original, order;
  llvm::DenseMap<Operation *, SmallVector<Operation *>> after;
  llvm::DenseSet<Operation *> done, placed;
};

struct DelayWaitsPass : attn::impl::AttnDelayWaitsBase<DelayWaitsPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    SmallVector<Block *> blocks;
    kernel.walk([&](StreamOp stream) {
      Block &body = stream.getBody().front();
      if (!body.getOps<DotIssueOp>().empty())
        blocks.push_back(&body);
    });
    if (blocks.empty()) {
      remarks::emitDelayWaitsNone(kernel);
      return;
    }
    for (Block *block : blocks) {
      BlockScheduler scheduler(*block);
      if (Operation *fixed = scheduler.findFixed()) {
        remarks::emitDelayWaitsFixed(fixed, fixed->getName().getStringRef());
        continue;
      }
      int64_t delayed = scheduler.run();
      numDelayed += delayed;
      remarks::emitDelayWaits(kernel, delayed);
    }
  }
};

} // namespace
