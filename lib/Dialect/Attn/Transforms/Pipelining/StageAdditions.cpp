//===- StageAdditions.cpp - Additions out of rings ------------------------===//
//
// Additions to memory from registers take issue slots, and the time until they
// are accepted, of warps that multiply. A copy out of shared memory adds a tile
// by one thread, and in the background (PTX ISA,
// "cp.reduce.async.bulk.tensor").
//
//===----------------------------------------------------------------------===//

#include "ProductWaits.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "attn-mlir/Dialect/Attn/Utils/Footprint.h"
#include "attn-mlir/Dialect/Attn/Utils/RoleRegisters.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSTAGEADDITIONS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// Puts a tile in front of the wait for another product of its block, so that
/// this is under way meanwhile.
class ProductOrder {
public:
  explicit ProductOrder(RingPutOp put) : put(put), block(put->getBlock()) {}

  /// Whether there is such a product.
  bool run() {
    wait = ofBlock<DotWaitOp>(put.getTile().getDefiningOp());
    issue = wait ? ofBlock<DotIssueOp>(wait.getProduct().getDefiningOp())
                 : DotIssueOp();
    if (!issue || !findOther())
      return false;
    other->moveAfter(issue);
    for (Operation *op : later)
      op->moveBefore(block->getTerminator());
    countOutstanding(*block);
    return true;
  }

private:
  template <typename Op> Op ofBlock(Operation *op) const {
    return op && op->getBlock() == block ? dyn_cast<Op>(op) : Op();
  }

  /// The last product that is issued before and waited for in front of the
  /// addition's, where only the next visit wants it; `later` are its wait and
  /// what it lets go. Rings that threads read are given back behind products
  /// that follow from what they read, which keep their place, then.
  bool findOther() {
    Operation *before = issue->getPrevNode();
    while (before && !isa<DotIssueOp>(before)) {
      if (isa<RingReleaseOp>(before))
        return false;
      before = before->getPrevNode();
    }
    other = cast_or_null<DotIssueOp>(before);
    if (!other || !other.getProduct().hasOneUse())
      return false;
    auto late = ofBlock<DotWaitOp>(*other.getProduct().user_begin());
    if (!late || !issue->isBeforeInBlock(late) || !late->isBeforeInBlock(wait))
      return false;
    if (llvm::any_of(late->getUsers(), [&](Operation *user) {
          return user != block->getTerminator();
        }))
      return false;
    for (Operation *op = late; op != wait; op = op->getNextNode())
      if (op == late || isa<RingReleaseOp>(op))
        later.push_back(op);
    return true;
  }

  RingPutOp put;
  Block *block;
  DotWaitOp wait;
  DotIssueOp issue, other;
  SmallVector<Operation *> later;
};

/// Rewrites the additions of one kernel: all or, with a remark, none. Those
/// that are ordered have one who waits for their turn.
class AdditionStager {
public:
  AdditionStager(KernelOp kernel, int64_t slots)
      : kernel(kernel), target(TargetAttr::of(kernel)), slots(slots) {}

  LogicalResult run(ArrayRef<AccumulateOp> additions) {
    for (AccumulateOp op : additions)
      if (failed(checkKernel(op)) || failed(checkTile(op)))
        return failure();
    for (AccumulateOp op : additions)
      types.insert({op.getView(), sharedType(op)});
    while (slots > 0 && !fits())
      --slots;
    if (slots == 0)
      return refuse(additions.front(),
                    "shared memory has no room for the tile");
    llvm::DenseMap<std::pair<Value, Type>, Value> rings;
    for (auto [view, tile] : types)
      rings[{view, tile}] = createRing(tile);
    for (AccumulateOp op : additions) {
      rewrite(op, rings.lookup({op.getView(), sharedType(op)}));
      remarks::emitStageAdditions(op, slots);
    }
    return success();
  }

private:
  /// Extent of a tensor map's box, and its dimensions (CUDA driver API,
  /// cuTensorMapEncodeTiled).
  static constexpr int64_t kMaxBox = 256, kMaxRank = 5;
  static constexpr int64_t kChunkBytes = 16;
  /// Shared memory beside rings: mailboxes and barriers.
  static constexpr int64_t kOfOthers = 1024;

  static LogicalResult refuse(AccumulateOp op, StringRef reason) {
    return remarks::emitStageAdditionsNot(op, reason);
  }

  LogicalResult checkKernel(AccumulateOp op) {
    if (!target.hasCapability("tma"))
      return refuse(op, "the target has no tensor maps");
    if (!kernel->hasAttr(KernelOp::kProducerWarpsAttr))
      return refuse(op, "the kernel has no producer");
    if (kernel->hasAttr(KernelOp::kRolesAttr))
      return refuse(op, "several roles compute");
    return success();
  }

  static LogicalResult checkTile(AccumulateOp op) {
    auto tile = cast<RankedTensorType>(op.getTile().getType());
    ViewType view = op.getView().getType();
    if (!isa_and_nonnull<FragmentAttr>(tile.getEncoding()))
      return refuse(op, "the tile is not in registers");
    if (!isa<StreamOp, GridOp>(op->getParentOp()))
      return refuse(op, "it stands under a condition");
    int64_t columns = view.getShape().back();
    if (view.getRank() > kMaxRank || tile.getDimSize(0) > kMaxBox)
      return refuse(op, "no tensor map has a box of its tile");
    if (ShapedType::isDynamic(columns) ||
        columns * view.getElementBytes() % kChunkBytes != 0)
      return refuse(op, "rows of the view are not known to be multiples of 16 "
                        "bytes");
    return success();
  }

  static RankedTensorType sharedType(AccumulateOp op) {
    auto tile = cast<RankedTensorType>(op.getTile().getType());
    int64_t rowBytes = tile.getDimSize(1) * tile.getElementTypeBitWidth() / 8;
    return RankedTensorType::get(
        tile.getShape(), tile.getElementType(),
        SharedAttr::getWidest(tile.getContext(), rowBytes));
  }

  /// Whether shared memory has room for rings of so many slots beside the
  /// others, and an SM holds as many CTAs as without them.
  bool fits() {
    int64_t before = 0;
    for (auto ring : kernel.getBody().getOps<RingCreateOp>())
      before += slotBytes(ring) + barrierBytes(ring.getRing().getType());
    int64_t bytes = before;
    for (auto [view, tile] : types) {
      auto ring = RingType::get(kernel.getContext(), slots, tile);
      bytes += slotBytes(ring) + barrierBytes(ring);
    }
    if (bytes + kOfOthers > target.get(Fact::SmemPerBlock))
      return false;
    int64_t threads =
        kernel->getAttrOfType<IntegerAttr>(KernelOp::kThreadsAttr).getInt();
    return residentWithRoles(target, threads, bytes) ==
           residentWithRoles(target, threads, before);
  }

  /// Behind the other rings.
  Value createRing(RankedTensorType tile) {
    OpBuilder b = OpBuilder::atBlockBegin(&kernel.getBody().front());
    for (auto ring : kernel.getBody().getOps<RingCreateOp>())
      b.setInsertionPointAfter(ring);
    return RingCreateOp::create(b, kernel.getLoc(),
                                RingType::get(b.getContext(), slots, tile));
  }

  static void rewrite(AccumulateOp op, Value ring) {
    OpBuilder b(op);
    Location loc = op.getLoc();
    RankedTensorType tile = cast<RingType>(ring.getType()).getTile();
    Value slot = RingAcquireOp::create(
        b, loc, SlotType::get(b.getContext(), tile), ring, /*ahead=*/0);
    auto put = RingPutOp::create(b, loc, op.getTile(), slot);
    auto wait = RingWaitOp::create(b, loc, tile, ring);
    op.getTileMutable().assign(wait.getTile());
    b.setInsertionPointAfter(op);
    RingReleaseOp::create(b, loc, ring);
    ProductOrder(put).run();
  }

  KernelOp kernel;
  TargetAttr target;
  int64_t slots;
  /// Additions one after the other to a view share a ring.
  llvm::SetVector<std::pair<Value, RankedTensorType>> types;
};

struct StageAdditionsPass
    : attn::impl::AttnStageAdditionsBase<StageAdditionsPass> {
  using AttnStageAdditionsBase::AttnStageAdditionsBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    constexpr int64_t kMostSlots = 64;
    if (slots < 1 || slots > kMostSlots) {
      emitError(kernel.getLoc()) << "expected 1 to " << kMostSlots
                                 << " slots, but got " << slots.getValue();
      return signalPassFailure();
    }
    SmallVector<AccumulateOp> additions;
    kernel.walk([&](AccumulateOp op) { additions.push_back(op); });
    if (!additions.empty() &&
        succeeded(AdditionStager(kernel, slots).run(additions)))
      numStaged += additions.size();
  }
};

} // namespace
