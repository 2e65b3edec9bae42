//===- SettledLoops.cpp - Loops that take the branch of each visit --------===//
//
// Where attn.settle says so behind the first tile, all others take the branches
// that hold in the first one, too: a second version of the loops has no test,
// and is planned like loops that never had one.
//
//===----------------------------------------------------------------------===//

#include "SoftmaxLoop.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace attn;

namespace {

/// What says of a loop how it goes on, if anything does, and hands it on.
SettleOp settleOf(scf::ForOp loop) {
  for (auto settle : loop.getBody()->getOps<SettleOp>())
    if (llvm::is_contained(loop.getYieldedValues(), settle.getResult()))
      return settle;
  return {};
}

/// What it is that rows are peaked by, which follows from their sums and from
/// what is there in front of the loop; fails where it does not.
FailureOr<llvm::SetVector<Operation *>> peakedOps(SettleOp settle) {
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> work{settle.getPeaked()};
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (value == settle.getSums() ||
        value.getParentBlock() != settle->getBlock())
      continue;
    Operation *op = value.getDefiningOp();
    if (!op || op->getNumRegions() != 0 || !isPure(op))
      return failure();
    if (ops.insert(op))
      llvm::append_range(work, op->getOperands());
  }
  return ops;
}

/// Whether a loop has a branch that holds in the first visit, and says for
/// which rows all others do best to take it.
bool settles(scf::ForOp loop) {
  SettleOp settle = settleOf(loop);
  return settle && succeeded(peakedOps(settle)) &&
         llvm::any_of(loop.getBody()->getOps<scf::IfOp>(),
                      [](scf::IfOp branch) {
                        return holdsFirst(branch.getCondition());
                      });
}

/// A loop with its branches taken, and without what none of them needs.
scf::ForOp buildSettled(IRRewriter &rewriter, scf::ForOp loop, IRMapping &map) {
  auto mapped = [&](Value value) { return map.lookupOrDefault(value); };
  auto settled =
      scf::ForOp::create(rewriter, loop.getLoc(), mapped(loop.getLowerBound()),
                         mapped(loop.getUpperBound()), mapped(loop.getStep()),
                         llvm::map_to_vector(loop.getInitArgs(), mapped));
  map.map(loop.getBody()->getArguments(), settled.getBody()->getArguments());
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPointToStart(settled.getBody());
  for (Operation &op : loop.getBody()->without_terminator())
    cloneTaken(rewriter, op, map);
  rewriter.clone(*loop.getBody()->getTerminator(), map);
  map.map(loop.getResults(), settled.getResults());
  (void)runRegionDCE(rewriter, settled->getRegions());
  settled->walk([](Operation *op) { op->removeAttr(kLoopPart); });
  return settled;
}

} // namespace

void attn::cloneTaken(OpBuilder &b, Operation &op, IRMapping &map) {
  if (auto settle = dyn_cast<SettleOp>(op)) {
    map.map(settle.getResult(), map.lookupOrDefault(settle.getSums()));
    return;
  }
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch || !holdsFirst(branch.getCondition())) {
    b.clone(op, map);
    return;
  }
  for (Operation &inner : branch.thenBlock()->without_terminator())
    cloneTaken(b, inner, map);
  for (auto [result, value] :
       llvm::zip_equal(branch.getResults(), branch.thenYield().getOperands()))
    map.map(result, map.lookupOrDefault(value));
}

// attn.mask is a choice here.
bool attn::masksScores(scf::ForOp loop) {
  return llvm::any_of(
      loop.getBody()->getOps<arith::SelectOp>(), [](arith::SelectOp choice) {
        auto tile = dyn_cast<RankedTensorType>(choice.getType());
        return tile && tile.getRank() == 2;
      });
}

bool attn::settlesLast(SoftmaxLoop &first) {
  return settleOf(first.loop).getLast();
}

SmallVector<SoftmaxLoop, 0> attn::settleChain(ArrayRef<SoftmaxLoop> chain) {
  SmallVector<SoftmaxLoop, 0> settled;
  // Where the first tile is masked, few keys say nothing about the others.
  if (masksScores(chain.front().loop) ||
      !llvm::all_of(
          chain, [](const SoftmaxLoop &parts) { return settles(parts.loop); }))
    return settled;
  IRRewriter rewriter(chain.front().loop->getContext());
  rewriter.setInsertionPointAfter(chain.back().loop);
  IRMapping map;
  SmallVector<scf::ForOp> loops;
  for (const SoftmaxLoop &parts : chain)
    loops.push_back(buildSettled(rewriter, parts.loop, map));
  for (scf::ForOp loop : loops) {
    FailureOr<SoftmaxLoop> parts = failure();
    if (succeeded(planOverlap(loop)))
      parts = readSoftmaxLoop(loop);
    if (failed(parts))
      break;
    settled.push_back(std::move(*parts));
  }
  if (settled.size() == loops.size())
    return settled;
  for (scf::ForOp loop : llvm::reverse(loops))
    rewriter.eraseOp(loop);
  return {};
}

Value attn::buildIsSettled(OpBuilder &b, SoftmaxLoop &first,
                           ValueRange carried) {
  SettleOp settle = settleOf(first.loop);
  auto yielded = first.loop.getYieldedValues();
  IRMapping map;
  map.map(settle.getSums(),
          carried[llvm::find(yielded, settle.getResult()) - yielded.begin()]);
  llvm::SetVector<Operation *> ops = *peakedOps(settle);
  for (Operation &op : *first.loop.getBody())
    if (ops.contains(&op))
      b.clone(op, map);
  return OftenOp::create(b, first.loop.getLoc(),
                         map.lookupOrDefault(settle.getPeaked()));
}
