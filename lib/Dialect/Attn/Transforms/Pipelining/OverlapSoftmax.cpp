//===- OverlapSoftmax.cpp - Products beside the softmax -------------------===//
//
// Rotates the loop of a stream by half a tile: the scores of a tile are issued
// before the product with the values of the one before, so that both are under
// way while threads compute exponentials (FlashAttention-3, "intra-warpgroup
// overlap").
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNOVERLAPSOFTMAX
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// The parts of a loop that computes scores, their softmax, and the product
/// with values.
struct SoftmaxLoop {
  scf::ForOp loop;
  DotIssueOp scores, values;
  DotWaitOp scoresWait, valuesWait;
  /// The tile of values, and its release.
  RingWaitOp tile;
  RingReleaseOp release;
  /// The release of the keys, and the maximum so far, after which it may come.
  RingReleaseOp keysRelease;
  Value maximum;
  /// Which of the carried values is the sum.
  unsigned sum = 0;
  /// What waits for the product with the values of the last tile: what follows
  /// from the sum, and what becomes the product's left-hand side.
  llvm::DenseSet<Operation *> late;
  /// Whether both products are waited for before the softmax.
  bool atOnce = false;
};

/// Whether a branch is for a tile whose maximum was not what was assumed
/// (attn-optimistic-max).
bool isMissed(Value condition) {
  if (auto both = condition.getDefiningOp<arith::OrIOp>())
    return isMissed(both.getLhs()) && isMissed(both.getRhs());
  auto any = condition.getDefiningOp<AnyOp>();
  auto above = any ? any.getTile().getDefiningOp<arith::CmpFOp>() : nullptr;
  return above && above.getPredicate() == arith::CmpFPredicate::UGT &&
         matchPattern(above.getRhs(), m_Constant());
}

DotWaitOp onlyWait(DotIssueOp issue) {
  if (!issue.getProduct().hasOneUse())
    return {};
  return dyn_cast<DotWaitOp>(*issue.getProduct().user_begin());
}

RingReleaseOp releaseOf(RingWaitOp wait) {
  RingReleaseOp found;
  for (Operation *user : wait.getRing().getUsers())
    if (auto release = dyn_cast<RingReleaseOp>(user);
        release && release->getBlock() == wait->getBlock())
      found = release;
  return found;
}

/// Finds the parts, or fails with a remark on why the loop is another one.
class SoftmaxLoopMatcher {
public:
  explicit SoftmaxLoopMatcher(scf::ForOp loop) { parts.loop = loop; }

  LogicalResult match() {
    SmallVector<DotIssueOp> issues(parts.loop.getBody()->getOps<DotIssueOp>());
    if (issues.size() != 2)
      return remarks::emitOverlapSoftmaxProducts(parts.loop);
    parts.scores = issues[0];
    parts.values = issues[1];
    parts.scoresWait = onlyWait(parts.scores);
    parts.valuesWait = onlyWait(parts.values);
    if (!parts.scoresWait || !parts.valuesWait ||
        parts.scoresWait->getBlock() != parts.loop.getBody() ||
        parts.valuesWait->getBlock() != parts.loop.getBody())
      return remarks::emitOverlapSoftmaxNoWait(parts.loop);
    parts.tile = parts.values.getRhs().getDefiningOp<RingWaitOp>();
    parts.release = parts.tile ? releaseOf(parts.tile) : RingReleaseOp();
    if (!parts.release || parts.tile->getBlock() != parts.loop.getBody())
      return remarks::emitOverlapSoftmaxNoRing(parts.loop);
    if (!parts.tile.getTile().hasOneUse())
      return remarks::emitOverlapSoftmaxValuesUsed(parts.loop);
    findPin();
    if (sharesRing())
      return remarks::emitOverlapSoftmaxSharedRing(parts.loop);
    if (!findSum())
      return remarks::emitOverlapSoftmaxNoSum(parts.loop);
    if (parts.scoresWait.getOutstanding() != 0 ||
        parts.valuesWait.getOutstanding() != 0)
      return remarks::emitOverlapSoftmaxUnderWay(parts.loop);
    findLate();
    return checkOthers();
  }

  SoftmaxLoop parts;

private:
  /// The order of its tiles would be another one.
  bool sharesRing() {
    return llvm::count_if(parts.loop.getBody()->getOps<RingWaitOp>(),
                          [&](RingWaitOp wait) {
                            return wait.getRing() == parts.tile.getRing();
                          }) != 1;
  }

  bool findSum() {
    auto yield = cast<scf::YieldOp>(parts.loop.getBody()->getTerminator());
    for (auto [i, value] : llvm::enumerate(yield.getOperands()))
      if (value == parts.valuesWait.getTile() &&
          parts.valuesWait.getTile().hasOneUse()) {
        parts.sum = i;
        return true;
      }
    return false;
  }

  /// The reference that the loop advances, from a finite number on: it only
  /// rises, and a release after -inf would never come.
  void findPin() {
    if (auto keys = parts.scores.getRhs().getDefiningOp<RingWaitOp>();
        keys && keys->getBlock() == parts.loop.getBody())
      parts.keysRelease = releaseOf(keys);
    auto yield = cast<scf::YieldOp>(parts.loop.getBody()->getTerminator());
    for (auto [value, argument] :
         llvm::zip_equal(yield.getOperands(), parts.loop.getRegionIterArgs())) {
      auto advance = value.getDefiningOp<AdvanceOp>();
      if (advance && advance->getBlock() == parts.loop.getBody() &&
          value == advance.getReference() &&
          advance.getReferenceBefore() == argument && startsFinite(value))
        parts.maximum = value;
    }
  }

  /// Whether a value is a finite constant, or a reference advanced from one.
  static bool startsFinite(Value value) {
    APFloat constant(0.0f);
    if (matchPattern(value, m_ConstantFloat(&constant)))
      return constant.isFinite();
    if (auto advance = value.getDefiningOp<AdvanceOp>())
      return value == advance.getReference() &&
             startsBefore(advance.getReferenceBefore());
    auto result = dyn_cast<OpResult>(value);
    if (!result)
      return false;
    unsigned i = result.getResultNumber();
    if (auto loop = dyn_cast<scf::ForOp>(result.getOwner())) {
      auto advance = loop.getYieldedValues()[i].getDefiningOp<AdvanceOp>();
      return advance && loop.getYieldedValues()[i] == advance.getReference() &&
             advance.getReferenceBefore() == loop.getRegionIterArg(i) &&
             startsFinite(loop.getInitArgs()[i]);
    }
    auto branch = dyn_cast<scf::IfOp>(result.getOwner());
    return branch && startsFinite(branch.thenYield().getOperand(i)) &&
           startsFinite(branch.elseYield().getOperand(i));
  }

  static bool startsBefore(Value before) {
    auto argument = dyn_cast<BlockArgument>(before);
    if (!argument)
      return startsFinite(before);
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument != loop.getInductionVar() &&
           startsFinite(loop.getTiedLoopInit(argument)->get());
  }

  void findLate() {
    Block *body = parts.loop.getBody();
    SmallVector<Operation *> work;
    llvm::append_range(work, parts.loop.getRegionIterArg(parts.sum).getUsers());
    bool branches = false;
    while (!work.empty()) {
      Operation *op = body->findAncestorOpInBlock(*work.pop_back_val());
      if (op == parts.values || !parts.late.insert(op).second)
        continue;
      branches |= isa<scf::IfOp>(op);
      llvm::append_range(work, op->getUsers());
    }
    if (branches)
      return findAllLate();
    // The registers of the left-hand side are read until the product is there.
    Operation *lhs = parts.values.getLhs().getDefiningOp();
    while (lhs && lhs->getBlock() == parts.loop.getBody() && lhs->hasOneUse() &&
           isa<arith::TruncFOp, ConvertLayoutOp>(lhs)) {
      parts.late.insert(lhs);
      lhs = lhs->getOperand(0).getDefiningOp();
    }
  }

  /// Where the softmax branches on what it found, it scales the sum at once:
  /// products run beside the softmax of other warpgroups alone.
  void findAllLate() {
    for (Operation *op = parts.scoresWait->getNextNode();
         op != parts.loop.getBody()->getTerminator(); op = op->getNextNode())
      if (op != parts.values && op != parts.valuesWait &&
          isMemoryEffectFree(op))
        parts.late.insert(op);
    parts.maximum = {};
    parts.atOnce = true;
  }

  /// Everything else is arithmetic, or belongs to the scores.
  LogicalResult checkOthers() {
    for (Operation &op : parts.loop.getBody()->without_terminator()) {
      if (&op == parts.values || &op == parts.valuesWait || &op == parts.tile ||
          &op == parts.release)
        continue;
      if (parts.late.contains(&op) && !isMemoryEffectFree(&op))
        return remarks::emitOverlapSoftmaxEffects(parts.loop);
      if (!isMemoryEffectFree(&op) &&
          !isa<DotIssueOp, DotWaitOp, RingWaitOp, RingReleaseOp>(op))
        return remarks::emitOverlapSoftmaxCopies(parts.loop);
    }
    return success();
  }
};

/// Builds the rotated loops of a chain, in which each goes on where the one
/// before ended: one first tile, one product of the last tile.
class Rotator {
public:
  Rotator(ArrayRef<SoftmaxLoop> chain, MLIRContext *context)
      : chain(chain), loc(this->chain.front().loop.getLoc()),
        rewriter(context) {}

  void run() {
    scf::ForOp firstLoop = chain.front().loop, lastLoop = chain.back().loop;
    rewriter.setInsertionPoint(lastLoop);
    Value any;
    for (SoftmaxLoop &parts : chain) {
      runs.push_back(arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::slt, parts.loop.getLowerBound(),
          parts.loop.getUpperBound()));
      started.push_back(any);
      any = any ? arith::OrIOp::create(rewriter, loc, any, runs.back())
                : runs.back();
    }
    auto guard =
        scf::IfOp::create(rewriter, loc, firstLoop.getResultTypes(), any,
                          /*withElse=*/true);
    rewriter.setInsertionPointToStart(guard.elseBlock());
    scf::YieldOp::create(rewriter, loc, firstLoop.getInitArgs());
    rewriter.setInsertionPointToStart(guard.thenBlock());
    State state = buildFirst(chain);
    for (auto [parts, before] : llvm::zip_equal(chain, started))
      state = buildLoop(parts, before, state);
    SmallVector<Value> results = state.carried;
    results[chain.back().sum] = buildValues(chain.back(), state);
    scf::YieldOp::create(rewriter, loc, results);
    rewriter.replaceOp(lastLoop, guard.getResults());
    for (SoftmaxLoop &parts : llvm::reverse(chain))
      if (parts.loop != lastLoop)
        rewriter.eraseOp(parts.loop);
  }

private:
  /// Between tiles: what the loop carried, with the sum already scaled, the
  /// left-hand side of the product that is still to come and, where a loop of
  /// the chain clears rows of values, from which row on.
  struct State {
    SmallVector<Value> carried;
    Value lhs, rows;
  };

  static bool isOfValues(const SoftmaxLoop &parts, Operation &op) {
    return &op == parts.values || &op == parts.valuesWait ||
           &op == parts.tile || &op == parts.release;
  }

  /// Whether the release of the keys stands before the wait for the values and
  /// needs the maximum, so that the wait is not moved up beside the scores'.
  static bool pins(const SoftmaxLoop &parts) {
    return parts.keysRelease && parts.maximum &&
           !parts.late.contains(parts.maximum.getDefiningOp());
  }

  static IRMapping start(SoftmaxLoop &parts, Value position,
                         ValueRange carried) {
    IRMapping map;
    map.map(parts.loop.getInductionVar(), position);
    map.map(parts.loop.getRegionIterArgs(), carried);
    return map;
  }

  /// Where the values of the last tile are to be added.
  State finish(SoftmaxLoop &parts, IRMapping &map) {
    State state;
    for (auto [i, value] : llvm::enumerate(parts.loop.getYieldedValues()))
      state.carried.push_back(
          map.lookupOrDefault(i == parts.sum ? parts.values.getAcc() : value));
    state.lhs = map.lookupOrDefault(parts.values.getLhs());
    if (!clearsRows())
      return state;
    auto tile = cast<RankedTensorType>(parts.tile.getTile().getType());
    state.rows =
        parts.tile.getRows()
            ? map.lookupOrDefault(parts.tile.getRows())
            : arith::ConstantIndexOp::create(rewriter, loc, tile.getDimSize(0));
    return state;
  }

  bool clearsRows() {
    return llvm::any_of(
        chain, [](SoftmaxLoop &parts) { return parts.tile.getRows(); });
  }

  /// What an operation gives that yields the carried values and then the
  /// left-hand side.
  State stateOf(ValueRange values) {
    State state;
    if (clearsRows()) {
      state.rows = values.back();
      values = values.drop_back();
    }
    state.carried = llvm::to_vector(values.drop_back());
    state.lhs = values.back();
    return state;
  }
  static SmallVector<Value> valuesOf(const State &state) {
    SmallVector<Value> values = state.carried;
    values.push_back(state.lhs);
    if (state.rows)
      values.push_back(state.rows);
    return values;
  }

  /// Scores and softmax of the first tile: that of the first loop which runs.
  State buildFirst(MutableArrayRef<SoftmaxLoop> rest) {
    if (rest.size() == 1)
      return buildFirst(rest.front());
    Value here = runs[chain.size() - rest.size()];
    SmallVector<Type> types(rest.front().loop.getResultTypes());
    types.push_back(rest.front().values.getLhs().getType());
    if (clearsRows())
      types.push_back(rewriter.getIndexType());
    auto branch =
        scf::IfOp::create(rewriter, loc, types, here, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(rewriter, loc, valuesOf(buildFirst(rest.front())));
    rewriter.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(rewriter, loc,
                         valuesOf(buildFirst(rest.drop_front())));
    return stateOf(branch.getResults());
  }

  State buildFirst(SoftmaxLoop &parts) {
    IRMapping map = start(parts, parts.loop.getLowerBound(),
                          chain.front().loop.getInitArgs());
    for (Operation &op : parts.loop.getBody()->without_terminator()) {
      if (isOfValues(parts, op))
        continue;
      // Nothing is known before the first tile.
      if (auto branch = dyn_cast<scf::IfOp>(op);
          branch && isMissed(branch.getCondition()))
        inlineThen(branch, map);
      else
        rewriter.clone(op, map);
    }
    return finish(parts, map);
  }

  void inlineThen(scf::IfOp branch, IRMapping &map) {
    for (Operation &op : branch.thenBlock()->without_terminator())
      rewriter.clone(op, map);
    for (auto [result, value] :
         llvm::zip_equal(branch.getResults(), branch.thenYield().getOperands()))
      map.map(result, map.lookupOrDefault(value));
  }

  /// lhs x values, added to the sum, of the tile that is next in the ring.
  DotIssueOp issueValues(SoftmaxLoop &parts, const State &state) {
    IRMapping map;
    map.map(parts.values.getLhs(), state.lhs);
    map.map(parts.values.getAcc(), state.carried[parts.sum]);
    auto tile = cast<RingWaitOp>(rewriter.clone(*parts.tile, map));
    if (state.rows)
      tile.getRowsMutable().assign(state.rows);
    return cast<DotIssueOp>(rewriter.clone(*parts.values, map));
  }

  Value waitValues(SoftmaxLoop &parts, DotIssueOp issue) {
    Value sum = DotWaitOp::create(rewriter, loc, issue.getAcc().getType(),
                                  issue.getProduct(), /*outstanding=*/0);
    // What it may have waited for is of a tile that is long past.
    RingReleaseOp::create(rewriter, loc, parts.release.getRing());
    return sum;
  }

  Value buildValues(SoftmaxLoop &parts, const State &state) {
    return waitValues(parts, issueValues(parts, state));
  }

  /// The tiles of a loop but the first, unless that of a loop before came
  /// first.
  State buildLoop(SoftmaxLoop &parts, Value before, const State &state) {
    scf::ForOp loop = parts.loop;
    Value lower = arith::AddIOp::create(rewriter, loc, loop.getLowerBound(),
                                        loop.getStep());
    if (before)
      lower = arith::SelectOp::create(rewriter, loc, before,
                                      loop.getLowerBound(), lower);
    auto rotated =
        scf::ForOp::create(rewriter, loc, lower, loop.getUpperBound(),
                           loop.getStep(), valuesOf(state));
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(rotated.getBody());
    State after = buildBody(parts, rotated.getInductionVar(),
                            stateOf(rotated.getRegionIterArgs()));
    scf::YieldOp::create(rewriter, loc, valuesOf(after));
    return stateOf(rotated.getResults());
  }

  State buildBody(SoftmaxLoop &parts, Value position, const State &before) {
    scf::ForOp loop = parts.loop;
    IRMapping map = start(parts, position, before.carried);
    DotIssueOp values;
    bool pinned = pins(parts);
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (isOfValues(parts, op) || parts.late.contains(&op) ||
          (pinned && &op == parts.keysRelease))
        continue;
      Operation *clone = rewriter.clone(op, map);
      if (&op == parts.scores)
        values = issueValues(parts, before);
      // The product with the values may stay under way.
      if (&op == parts.scoresWait && !parts.atOnce)
        cast<DotWaitOp>(clone).setOutstanding(1);
    }
    if (pinned)
      RingReleaseOp::create(rewriter, loc,
                            map.lookupOrDefault(parts.keysRelease.getRing()),
                            map.lookup(parts.maximum));
    map.map(loop.getRegionIterArg(parts.sum), waitValues(parts, values));
    for (Operation &op : loop.getBody()->without_terminator())
      if (parts.late.contains(&op))
        rewriter.clone(op, map);
    return finish(parts, map);
  }

  SmallVector<SoftmaxLoop> chain;
  Location loc;
  IRRewriter rewriter;
  /// Of each loop: whether it runs, and whether one before it does (null:
  /// there is none).
  SmallVector<Value> runs, started;
};

/// Whether a loop goes on where another ended, with values from the same ring,
/// and nothing else uses what that gave or happens before.
bool continues(SoftmaxLoop &next, SoftmaxLoop &last) {
  scf::ForOp from = last.loop, to = next.loop;
  if (from->getBlock() != to->getBlock())
    return false;
  for (Operation *op = from->getNextNode(); op != to; op = op->getNextNode())
    if (!op || !isMemoryEffectFree(op))
      return false;
  return next.tile.getRing() == last.tile.getRing() && next.sum == last.sum &&
         next.values.getLhs().getType() == last.values.getLhs().getType() &&
         llvm::equal(to.getInitArgs(), from.getResults()) &&
         llvm::all_of(from.getResults(), [&](Value result) {
           return llvm::all_of(result.getUsers(),
                               [&](Operation *user) { return user == to; });
         });
}

struct OverlapSoftmaxPass
    : attn::impl::AttnOverlapSoftmaxBase<OverlapSoftmaxPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel->hasAttr(KernelOp::kOverlapAttr))
      return;
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](SpecializeOp roles) {
      roles.getConsumer().walk([&](scf::ForOp loop) {
        if (!loop.getBody()->getOps<DotIssueOp>().empty())
          loops.push_back(loop);
      });
    });
    if (loops.empty())
      remarks::emitOverlapSoftmaxNoLoop(kernel);
    SmallVector<SmallVector<SoftmaxLoop>> chains;
    for (scf::ForOp loop : loops) {
      SoftmaxLoopMatcher matcher(loop);
      if (failed(matcher.match()))
        continue;
      if (chains.empty() || !continues(matcher.parts, chains.back().back()))
        chains.emplace_back();
      chains.back().push_back(matcher.parts);
    }
    for (ArrayRef<SoftmaxLoop> chain : chains) {
      Rotator(chain, &getContext()).run();
      numLoops += chain.size();
      remarks::emitOverlapSoftmax(kernel, chain.size());
    }
  }
};

} // namespace
