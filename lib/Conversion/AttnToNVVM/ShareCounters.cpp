//===- ShareCounters.cpp - Rings that one count serves --------------------===//
//
// A role counts the slots of each ring by itself. Where it goes through several
// in the same blocks, once in each, their counts are the same but within such a
// block: one register does for all, and slots and parities are computed once.
// A producer that is a warp has few registers, and as many rings as streams
// have operands and columns.
//
//===----------------------------------------------------------------------===//

#include "NVVMLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace attn;

namespace {

/// What one role does with a counter.
struct Count {
  LLVM::AllocaOp counter;
  SmallVector<LLVM::LoadOp> loads;
  /// Where it goes on by one, at most once a block.
  llvm::MapVector<Block *, LLVM::StoreOp> steps;
  bool isRegular = true;
};

/// The region of the role that an operation belongs to.
Region *roleOf(Operation *op) {
  Region *region = op->getParentRegion();
  while (region && !isa<LLVM::LLVMFuncOp>(region->getParentOp()) &&
         !region->getParentOp()->hasAttr(kRoleBranchAttr))
    region = region->getParentRegion();
  return region;
}

/// Whether a store adds one to what its counter was.
bool isStep(LLVM::StoreOp store) {
  auto sum = store.getValue().getDefiningOp<arith::AddIOp>();
  auto before = sum ? sum.getLhs().getDefiningOp<LLVM::LoadOp>() : nullptr;
  return before && before.getAddr() == store.getAddr() &&
         matchPattern(sum.getRhs(), m_One());
}

using Counts = llvm::MapVector<Region *, SmallVector<Count>>;

/// Adds what roles do with a counter, unless it is used otherwise.
void collect(LLVM::AllocaOp counter, Region *function, Counts &counts) {
  llvm::MapVector<Region *, Count> byRole;
  for (Operation *user : counter->getUsers()) {
    Region *region = roleOf(user);
    Count &count = byRole[region];
    count.counter = counter;
    auto load = dyn_cast<LLVM::LoadOp>(user);
    auto store = dyn_cast<LLVM::StoreOp>(user);
    if (load) {
      count.loads.push_back(load);
    } else if (!store || store.getValue() == counter.getResult()) {
      return;
    } else if (region == function) {
      // All begin at zero.
      if (!matchPattern(store.getValue(), m_Zero()))
        return;
    } else {
      count.isRegular &= isStep(store) &&
                         count.steps.insert({store->getBlock(), store}).second;
    }
  }
  for (auto &[region, count] : byRole)
    if (region != function && count.isRegular && !count.steps.empty())
      counts[region].push_back(count);
}

bool areAlike(const Count &x, const Count &y) {
  return x.steps.size() == y.steps.size() &&
         llvm::all_of(x.steps, [&](const auto &step) {
           return y.steps.contains(step.first);
         });
}

/// By how much one count is behind another, at an operation.
int64_t distanceAt(Operation *op, const Count &count, const Count &other) {
  int64_t distance = 0;
  for (Operation *at = op; at && at->getBlock(); at = at->getParentOp()) {
    auto own = count.steps.find(at->getBlock());
    if (own == count.steps.end())
      continue;
    LLVM::StoreOp theirs = other.steps.find(at->getBlock())->second;
    distance += int64_t(own->second->isBeforeInBlock(at)) -
                int64_t(theirs->isBeforeInBlock(at));
  }
  return distance;
}

void replace(const Count &count, const Count &by) {
  LLVM::AllocaOp counter = by.counter;
  for (LLVM::LoadOp load : count.loads) {
    OpBuilder b(load);
    Location loc = load.getLoc();
    Value value =
        LLVM::LoadOp::create(b, loc, load.getType(), counter.getResult());
    if (int64_t distance = distanceAt(load, count, by))
      value = arith::AddIOp::create(
          b, loc, value, arith::ConstantIntOp::create(b, loc, distance, 32));
    load.replaceAllUsesWith(value);
  }
  for (auto &[block, step] : count.steps)
    step->erase();
  for (LLVM::LoadOp load : count.loads)
    load->erase();
}

} // namespace

void attn::shareCounters(LLVM::LLVMFuncOp function) {
  Region &body = function.getBody();
  Counts counts;
  for (auto counter : body.front().getOps<LLVM::AllocaOp>())
    collect(counter, &body, counts);
  for (auto &[region, all] : counts)
    for (size_t i = 0; i < all.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (areAlike(all[i], all[j])) {
          replace(all[i], all[j]);
          // The loads that took the place of others are of the first alike,
          // which nothing replaces.
          break;
        }
}
