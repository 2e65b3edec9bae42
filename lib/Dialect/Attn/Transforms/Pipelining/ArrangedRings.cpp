//===- ArrangedRings.cpp - Rings filled out of others ---------------------===//

#include "ArrangedRings.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"

using namespace mlir;
using namespace attn;

static RankedTensorType tileOf(Value ring) {
  return cast<RingType>(ring.getType()).getTile();
}

ArrangeOp attn::arrangementOf(LoadOp load) {
  Value tile = load.getTile();
  return tile.hasOneUse() ? dyn_cast<ArrangeOp>(*tile.user_begin())
                          : ArrangeOp();
}

RingType attn::ringOf(ArrangeOp op, int64_t stages) {
  auto tile = cast<RankedTensorType>(op.getResult().getType());
  for (Operation *user : op.getResult().getUsers())
    if (auto dot = dyn_cast<DotOp>(user))
      tile = tile.cloneWithEncoding(
          unitOf(dot).getStaged(TargetAttr::of(op), tile,
                                /*summedOverRows=*/false));
  return RingType::get(op.getContext(), stages, tile);
}

static Value createRing(OpBuilder &b, ArrangeOp op, int64_t stages) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(
      &op->getParentOfType<KernelOp>().getBody().front());
  return RingCreateOp::create(b, op.getLoc(), ringOf(op, stages));
}

void attn::stageArrangement(RewriterBase &rewriter, ArrangeOp op, Value rows,
                            Value end, int64_t stages) {
  Location loc = op.getLoc();
  Value arranged = arrangedOutOf(rows);
  if (!arranged)
    arranged = createRing(rewriter, op, stages);
  RankedTensorType columns = tileOf(arranged);
  Value tile = RingWaitOp::create(rewriter, loc, tileOf(rows), rows, end);
  Value slot = RingAcquireOp::create(
      rewriter, loc, SlotType::get(op.getContext(), columns), arranged,
      /*ahead=*/0);
  RingArrangeOp::create(rewriter, loc, tile, slot);
  RingReleaseOp::create(rewriter, loc, rows);
  Block *block = op->getBlock();
  auto users = llvm::map_to_vector(op->getUsers(), [&](Operation *user) {
    return block->findAncestorOpInBlock(*user);
  });
  auto before = [](Operation *a, Operation *b) {
    return a->isBeforeInBlock(b);
  };
  auto [first, last] = std::minmax_element(users.begin(), users.end(), before);
  rewriter.setInsertionPoint(*first);
  Value ready = RingWaitOp::create(rewriter, loc, columns, arranged);
  rewriter.setInsertionPointAfter(*last);
  RingReleaseOp::create(rewriter, loc, arranged);
  rewriter.replaceOp(op, ready);
}
