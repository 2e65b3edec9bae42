//===- OverlapTiles.cpp - Products of the next tile beside the last -------===//
//
// Products that are sums over the tiles stay under way from one tile to the
// next, which issues its first products before it waits for them. The
// accumulators of these may not be read in a loop other than the one that
// issued them: ptxas would have each wait for itself.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNOVERLAPTILES
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// A product that is waited for only to be carried to the next tile.
struct SumProduct {
  DotWaitOp wait;
  /// Which of the carried values it is.
  unsigned carried;
};

/// The parts of a loop over tiles.
struct TileLoop {
  scf::ForOp loop;
  /// Products of the first stage, with what they need.
  llvm::SetVector<Operation *> early;
  /// The last of them.
  DotIssueOp lastEarly;
  SmallVector<SumProduct> sums;
  /// Releases of tiles that products of sums read.
  SmallVector<RingReleaseOp> late;

  bool isLate(Value ring) const {
    return llvm::any_of(
        late, [&](RingReleaseOp release) { return release.getRing() == ring; });
  }
};

class TileLoopMatcher {
public:
  explicit TileLoopMatcher(scf::ForOp loop) { parts.loop = loop; }

  TileLoop parts;

  /// Why the loop stays as it is; empty if it need not.
  std::string whyNot() {
    Block *body = parts.loop.getBody();
    SmallVector<DotIssueOp> first;
    DotIssueOp last;
    for (DotIssueOp issue : body->getOps<DotIssueOp>())
      (issue.getStage() == 0 ? first.emplace_back() : last) = issue;
    if (first.empty() || !last)
      return "its products are not of two stages";
    for (Operation &op : body->without_terminator())
      if (!isMemoryEffectFree(&op) && !isa<DotIssueOp, DotWaitOp, RingWaitOp,
                                           RingReleaseOp, LoadOp, ReadOp>(op))
        return "an operation has effects of its own";
    findSums(last);
    if (parts.sums.empty())
      return "no product is a sum over the tiles";
    for (DotIssueOp issue : first)
      if (!addEarly(issue))
        return "products of the first stage follow from other tiles, or rings "
               "have one stage";
    parts.lastEarly = first.back();
    for (DotWaitOp wait : body->getOps<DotWaitOp>())
      if (wait->isBeforeInBlock(parts.lastEarly))
        return "a product is waited for before the last of the first stage";
    return "";
  }

private:
  void findSums(DotIssueOp last) {
    Operation *yield = parts.loop.getBody()->getTerminator();
    for (auto [i, value] : llvm::enumerate(parts.loop.getYieldedValues())) {
      auto wait = value.getDefiningOp<DotWaitOp>();
      if (wait && wait.getTile().hasOneUse() && last->isBeforeInBlock(wait) &&
          wait->getBlock() == yield->getBlock())
        parts.sums.push_back({wait, static_cast<unsigned>(i)});
    }
    // Products complete in the order in which they are issued.
    llvm::sort(parts.sums, [](SumProduct a, SumProduct b) {
      return a.wait->isBeforeInBlock(b.wait);
    });
    for (RingReleaseOp release : parts.loop.getBody()->getOps<RingReleaseOp>())
      if (llvm::any_of(parts.sums, [&](SumProduct sum) {
            return sum.wait->isBeforeInBlock(release);
          }))
        parts.late.push_back(release);
  }

  /// What an early product needs: tiles of rings with a slot for the next one,
  /// and arithmetic on the position.
  bool addEarly(Operation *op) {
    if (parts.early.contains(op))
      return true;
    if (auto wait = dyn_cast<RingWaitOp>(op)) {
      if (parts.isLate(wait.getRing()) &&
          wait.getRing().getType().getStages() < 2)
        return false;
    } else if (!isa<DotIssueOp>(op) && !isMemoryEffectFree(op)) {
      return false;
    }
    for (Value operand : op->getOperands()) {
      if (llvm::is_contained(parts.loop.getRegionIterArgs(), operand))
        return false;
      Operation *source = operand.getDefiningOp();
      if (source && source->getBlock() == parts.loop.getBody() &&
          !addEarly(source))
        return false;
    }
    parts.early.insert(op);
    return true;
  }
};

class TileRotator {
public:
  TileRotator(TileLoop &parts, MLIRContext *context)
      : parts(parts), loop(parts.loop), loc(loop.getLoc()), rewriter(context) {}

  void run() {
    rewriter.setInsertionPoint(loop);
    Value any =
        arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                              loop.getLowerBound(), loop.getUpperBound());
    auto guard = scf::IfOp::create(rewriter, loc, loop.getResultTypes(), any,
                                   /*withElse=*/true);
    rewriter.setInsertionPointToStart(guard.elseBlock());
    scf::YieldOp::create(rewriter, loc, loop.getInitArgs());
    rewriter.setInsertionPointToStart(guard.thenBlock());
    SmallVector<Value> state =
        buildTile(loop.getLowerBound(), loop.getInitArgs(), /*first=*/true);
    state = buildLoop(state);
    waitForLast(state, /*after=*/0);
    scf::YieldOp::create(rewriter, loc, state);
    rewriter.replaceOp(loop, guard.getResults());
  }

private:
  /// The tiles but the first, with sums under way between them.
  SmallVector<Value> buildLoop(ValueRange state) {
    Value second = arith::AddIOp::create(rewriter, loc, loop.getLowerBound(),
                                         loop.getStep());
    auto rotated = scf::ForOp::create(
        rewriter, loc, second, loop.getUpperBound(), loop.getStep(), state);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(rotated.getBody());
    scf::YieldOp::create(rewriter, loc,
                         buildTile(rotated.getInductionVar(),
                                   rotated.getRegionIterArgs(),
                                   /*first=*/false));
    return SmallVector<Value>(rotated.getResults());
  }

  /// The products of the tile before are there, behind which `after` others
  /// were issued, and what they read is given back.
  void waitForLast(SmallVectorImpl<Value> &state, int64_t after) {
    int64_t outstanding = after + static_cast<int64_t>(parts.sums.size());
    for (SumProduct sum : parts.sums)
      state[sum.carried] =
          DotWaitOp::create(rewriter, loc, sum.wait.getTile().getType(),
                            state[sum.carried], --outstanding);
    for (RingReleaseOp release : parts.late)
      RingReleaseOp::create(rewriter, loc, release.getRing());
  }

  /// One tile, whose sums are products that are under way. Returns what it
  /// hands on.
  SmallVector<Value> buildTile(Value position, ValueRange carried, bool first) {
    IRMapping map;
    map.map(loop.getInductionVar(), position);
    SmallVector<Value> state(carried);
    if (first)
      map.map(loop.getRegionIterArgs(), carried);
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (isOfEnd(&op))
        continue;
      Operation *clone = rewriter.clone(op, map);
      if (auto wait = dyn_cast<RingWaitOp>(clone); wait && !first &&
                                                   parts.early.contains(&op) &&
                                                   parts.isLate(wait.getRing()))
        wait.setAhead(1);
      if (first || &op != parts.lastEarly)
        continue;
      waitForLast(state, countEarly());
      map.map(loop.getRegionIterArgs(), state);
    }
    return llvm::map_to_vector(llvm::enumerate(loop.getYieldedValues()),
                               [&](auto yielded) {
                                 for (SumProduct sum : parts.sums)
                                   if (sum.carried == yielded.index())
                                     return map.lookup(sum.wait.getProduct());
                                 return map.lookupOrDefault(yielded.value());
                               });
  }

  /// Waits for sums and releases of what these read come with the next tile.
  bool isOfEnd(Operation *op) const {
    return llvm::is_contained(parts.late, op) ||
           llvm::any_of(parts.sums,
                        [&](SumProduct sum) { return sum.wait == op; });
  }

  int64_t countEarly() const {
    return llvm::count_if(parts.early, llvm::IsaPred<DotIssueOp>);
  }

  TileLoop &parts;
  scf::ForOp loop;
  Location loc;
  IRRewriter rewriter;
};

/// Whether a maximum of rows is carried from tile to tile: those loops have a
/// pass of their own.
bool hasSoftmax(scf::ForOp loop) {
  return loop->walk([](AdvanceOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

struct OverlapTilesPass : attn::impl::AttnOverlapTilesBase<OverlapTilesPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel->hasAttr(KernelOp::kOverlapAttr))
      return;
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](SpecializeOp roles) {
      roles.getConsumer().walk([&](scf::ForOp loop) {
        bool sums =
            llvm::any_of(loop.getBody()->getOps<DotIssueOp>(),
                         [](DotIssueOp issue) { return issue.getStage() > 0; });
        if (sums && !hasSoftmax(loop))
          loops.push_back(loop);
      });
    });
    int64_t rotated = 0;
    for (scf::ForOp loop : loops) {
      TileLoopMatcher matcher(loop);
      std::string reason = matcher.whyNot();
      if (!reason.empty()) {
        remarks::emitOverlapTilesNot(loop, reason);
        continue;
      }
      TileRotator(matcher.parts, &getContext()).run();
      ++rotated;
    }
    numLoops += rotated;
    if (rotated > 0)
      remarks::emitOverlapTiles(kernel, rotated);
  }
};

} // namespace
