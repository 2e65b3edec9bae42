//===- Prefetch.cpp - Copies under way in registers -----------------------===//
//
// A ring of two stages that a loop fills one visit ahead needs one slot: the
// second stage is the registers that a copy goes through. It is issued at the
// start of a visit, and lands when the tile of this visit has been read.
//
//===----------------------------------------------------------------------===//

#include "ROCDLLowering.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace attn;

namespace {

/// Beyond every view: indices are smaller.
constexpr int64_t kNowhere = int64_t(1) << 30;

/// A branch of a loop that fills a ring for the next visit.
struct Fill {
  scf::IfOp branch;
  RingAcquireOp acquire;
  RingIssueOp issue;
  RingLandOp land;
  RingReleaseOp release;
};

/// Matches a branch that does nothing else, before a release in its block.
std::optional<Fill> match(scf::IfOp branch) {
  if (branch.getNumResults() || branch.elseBlock() ||
      !isa<scf::ForOp>(branch->getParentOp()))
    return std::nullopt;
  Fill fill{branch, {}, {}, {}, {}};
  for (Operation &op : branch.thenBlock()->without_terminator()) {
    if (auto acquire = dyn_cast<RingAcquireOp>(op); acquire && !fill.acquire)
      fill.acquire = acquire;
    else if (auto issue = dyn_cast<RingIssueOp>(op); issue && !fill.issue)
      fill.issue = issue;
    else if (auto land = dyn_cast<RingLandOp>(op); land && !fill.land)
      fill.land = land;
    else if (!isPure(&op))
      return std::nullopt;
  }
  if (!fill.land || fill.land.getPending() != fill.issue.getPending() ||
      fill.issue.getSlot() != fill.acquire.getSlot() ||
      fill.acquire.getRing().getType().getStages() != 2 ||
      fill.acquire.getAhead() != 1)
    return std::nullopt;
  for (auto release : branch->getBlock()->getOps<RingReleaseOp>())
    if (release.getRing() == fill.acquire.getRing() &&
        branch->isBeforeInBlock(release))
      fill.release = release;
  return fill.release ? std::optional(fill) : std::nullopt;
}

/// Moves an operation, and what it depends on in its block, to the start of the
/// block where that is arithmetic only.
void moveToStart(Operation *op) {
  Block *block = op->getBlock();
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *other) { return other->getBlock() == block; };
  SetVector<Operation *> slice;
  (void)getBackwardSlice(op, &slice, options);
  if (!llvm::all_of(slice, [](Operation *other) {
        return isPure(other) || isa<RingAcquireOp>(other);
      }))
    return;
  // What stands at the start already stays there.
  Operation *start = &block->front();
  while (slice.contains(start))
    start = start->getNextNode();
  slice.insert(op);
  for (Operation *other : slice)
    if (start != other && start->isBeforeInBlock(other))
      other->moveBefore(start);
}

void prefetch(Fill fill) {
  IRRewriter rewriter(fill.branch.getContext());
  scf::IfOp branch = fill.branch;
  Location loc = fill.issue.getLoc();
  Value exists = branch.getCondition();
  fill.acquire.setAhead(0);
  for (Operation &op :
       llvm::make_early_inc_range(branch.thenBlock()->without_terminator()))
    op.moveBefore(branch);
  rewriter.setInsertionPoint(fill.issue);
  // Without a next visit nothing is read: rows from nowhere on are zero.
  MutableOperandRange offsets = fill.issue.getOffsetsMutable();
  OpOperand &row = offsets[offsets.size() - 2];
  Value nowhere = arith::ConstantIndexOp::create(rewriter, loc, kNowhere);
  row.set(arith::SelectOp::create(rewriter, loc, exists, row.get(), nowhere));
  rewriter.eraseOp(branch);

  // After the release, as late as the barrier of the next wait allows.
  Operation *place = fill.release->getNextNode();
  while (!isa<RingWaitOp>(place) && !place->hasTrait<OpTrait::IsTerminator>())
    place = place->getNextNode();
  fill.land->moveBefore(place);
  moveToStart(fill.issue);
}

} // namespace

void attn::prefetchIntoRegisters(LLVM::LLVMFuncOp function) {
  SmallVector<Fill> fills;
  function.walk([&](scf::IfOp branch) {
    if (std::optional<Fill> fill = match(branch))
      fills.push_back(*fill);
  });
  // Only where every fill of a ring that runs ahead is one of these.
  llvm::DenseMap<Value, int64_t> known;
  for (const Fill &fill : fills)
    ++known[Fill(fill).acquire.getRing()];
  function.walk([&](RingCreateOp ring) {
    int64_t ahead = 0;
    for (Operation *user : ring->getUsers())
      if (auto acquire = dyn_cast<RingAcquireOp>(user))
        ahead += acquire.getAhead() > 0;
    bool all = ahead > 0 && known.lookup(ring.getRing()) == ahead;
    int64_t stages = ring.getRing().getType().getStages();
    ring->setAttr(
        kSlotsAttr,
        Builder(ring.getContext()).getI64IntegerAttr(all ? 1 : stages));
  });
  // Each goes to the start: the first of them last, for which the loop waits
  // first.
  for (const Fill &fill : llvm::reverse(fills)) {
    Fill copy = fill;
    auto ring = copy.acquire.getRing().getDefiningOp<RingCreateOp>();
    if (ring->getAttrOfType<IntegerAttr>(kSlotsAttr).getInt() == 1)
      prefetch(copy);
  }
}
