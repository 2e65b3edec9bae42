//===- OverlapSoftmax.cpp - Products beside the softmax -------------------===//
//
// Rotates the loop of a stream by half a tile: the scores of a tile are issued
// before the product with the values of the one before, so that both are under
// way while threads compute exponentials (FlashAttention-3, "intra-warpgroup
// overlap").
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/Attn.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"

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
  arith::MaximumFOp maximum;
  /// Which of the carried values is the sum.
  unsigned sum = 0;
  /// What waits for the product with the values of the last tile: what follows
  /// from the sum, and what becomes the product's left-hand side.
  llvm::DenseSet<Operation *> late;
};

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

/// Finds the parts, or says why the loop is another one.
class Matcher {
public:
  explicit Matcher(scf::ForOp loop) { parts.loop = loop; }

  StringRef match() {
    SmallVector<DotIssueOp> issues(parts.loop.getBody()->getOps<DotIssueOp>());
    if (issues.size() != 2)
      return "a loop does not have two asynchronous products";
    parts.scores = issues[0];
    parts.values = issues[1];
    parts.scoresWait = onlyWait(parts.scores);
    parts.valuesWait = onlyWait(parts.values);
    if (!parts.scoresWait || !parts.valuesWait ||
        parts.scoresWait->getBlock() != parts.loop.getBody() ||
        parts.valuesWait->getBlock() != parts.loop.getBody())
      return "a product is not waited for in its loop";
    parts.tile = parts.values.getRhs().getDefiningOp<RingWaitOp>();
    parts.release = parts.tile ? releaseOf(parts.tile) : RingReleaseOp();
    if (!parts.release || parts.tile->getBlock() != parts.loop.getBody())
      return "values do not come from a ring that the loop releases";
    findPin();
    if (!findSum())
      return "the product with the values is not a sum that the loop carries";
    findLate();
    return checkOthers();
  }

  SoftmaxLoop parts;

private:
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

  /// A row maximum that the loop computes and carries, from a finite number on:
  /// a release after -inf would never come.
  void findPin() {
    if (auto keys = parts.scores.getRhs().getDefiningOp<RingWaitOp>();
        keys && keys->getBlock() == parts.loop.getBody())
      parts.keysRelease = releaseOf(keys);
    auto yield = cast<scf::YieldOp>(parts.loop.getBody()->getTerminator());
    for (auto [value, init] :
         llvm::zip_equal(yield.getOperands(), parts.loop.getInitArgs())) {
      auto maximum = value.getDefiningOp<arith::MaximumFOp>();
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (maximum && maximum->getBlock() == parts.loop.getBody() && type &&
          type.getRank() == 1 && startsFinite(init))
        parts.maximum = maximum;
    }
  }

  /// Whether a value is a finite constant, or what a loop makes of one that
  /// only grows.
  static bool startsFinite(Value value) {
    APFloat constant(0.0f);
    if (matchPattern(value, m_ConstantFloat(&constant)))
      return constant.isFinite();
    auto result = dyn_cast<OpResult>(value);
    if (!result)
      return false;
    if (auto loop = dyn_cast<scf::ForOp>(result.getOwner()))
      return loop.getYieldedValues()[result.getResultNumber()]
                 .getDefiningOp<arith::MaximumFOp>() &&
             startsFinite(loop.getInitArgs()[result.getResultNumber()]);
    if (auto branch = dyn_cast<scf::IfOp>(result.getOwner())) {
      unsigned i = result.getResultNumber();
      return startsFinite(branch.thenYield().getOperand(i)) &&
             startsFinite(branch.elseYield().getOperand(i));
    }
    auto maximum = value.getDefiningOp<arith::MaximumFOp>();
    return maximum &&
           (startsFinite(maximum.getLhs()) || startsFinite(maximum.getRhs()));
  }

  void findLate() {
    SmallVector<Operation *> work;
    for (Operation *user : parts.loop.getRegionIterArg(parts.sum).getUsers())
      work.push_back(user);
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      if (op == parts.values || !parts.late.insert(op).second)
        continue;
      llvm::append_range(work, op->getUsers());
    }
    // The registers of the left-hand side are read until the product is there.
    Operation *lhs = parts.values.getLhs().getDefiningOp();
    while (lhs && lhs->getBlock() == parts.loop.getBody() && lhs->hasOneUse() &&
           isa<arith::TruncFOp, ConvertLayoutOp>(lhs)) {
      parts.late.insert(lhs);
      lhs = lhs->getOperand(0).getDefiningOp();
    }
  }

  /// Everything else is arithmetic, or belongs to the scores.
  StringRef checkOthers() {
    for (Operation &op : parts.loop.getBody()->without_terminator()) {
      if (&op == parts.values || &op == parts.valuesWait || &op == parts.tile ||
          &op == parts.release)
        continue;
      if (parts.late.contains(&op) && !isMemoryEffectFree(&op))
        return "what follows from the sum has effects";
      if (!isMemoryEffectFree(&op) &&
          !isa<DotIssueOp, DotWaitOp, RingWaitOp, RingReleaseOp>(op))
        return "a loop copies or stores";
    }
    // Late ones are computed once more before the loop, and behind it nothing.
    for (Operation *op : parts.late)
      if (op->getBlock() != parts.loop.getBody())
        return "what follows from the sum lies in a region";
    return "";
  }
};

/// Builds the rotated loop.
class Rotator {
public:
  explicit Rotator(const SoftmaxLoop &parts)
      : parts(parts), loop(parts.loop), loc(loop.getLoc()),
        rewriter(loop.getContext()) {}

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
    State first = buildFirst();
    State last = buildLoop(first);
    SmallVector<Value> results = last.carried;
    results[parts.sum] = buildValues(last);
    scf::YieldOp::create(rewriter, loc, results);
    rewriter.replaceOp(loop, guard.getResults());
  }

private:
  /// Between tiles: what the loop carried, with the sum already scaled, and the
  /// left-hand side of the product that is still to come.
  struct State {
    SmallVector<Value> carried;
    Value lhs;
  };

  bool isOfValues(Operation &op) {
    return &op == parts.values || &op == parts.valuesWait ||
           &op == parts.tile || &op == parts.release;
  }

  /// Whether the release of the keys stands before the wait for the values and
  /// needs the maximum, so that the wait is not moved up beside the scores'.
  bool pin() {
    return parts.keysRelease && parts.maximum &&
           !parts.late.contains(parts.maximum);
  }
  bool isPinned(Operation &op) { return pin() && &op == parts.keysRelease; }

  scf::YieldOp yield() {
    return cast<scf::YieldOp>(loop.getBody()->getTerminator());
  }

  IRMapping start(Value position, ValueRange carried) {
    IRMapping map;
    map.map(loop.getInductionVar(), position);
    map.map(loop.getRegionIterArgs(), carried);
    return map;
  }

  /// Where the values of the last tile are to be added.
  State finish(IRMapping &map) {
    State state;
    for (auto [i, value] : llvm::enumerate(yield().getOperands()))
      state.carried.push_back(
          map.lookupOrDefault(i == parts.sum ? parts.values.getAcc() : value));
    state.lhs = map.lookupOrDefault(parts.values.getLhs());
    return state;
  }

  /// Scores and softmax of the first tile.
  State buildFirst() {
    IRMapping map = start(loop.getLowerBound(), loop.getInitArgs());
    for (Operation &op : loop.getBody()->without_terminator())
      if (!isOfValues(op))
        rewriter.clone(op, map);
    return finish(map);
  }

  /// lhs x values, added to the sum, of the tile that is next in the ring.
  DotIssueOp issueValues(const State &state) {
    IRMapping map;
    map.map(parts.values.getLhs(), state.lhs);
    map.map(parts.values.getAcc(), state.carried[parts.sum]);
    rewriter.clone(*parts.tile, map);
    return cast<DotIssueOp>(rewriter.clone(*parts.values, map));
  }

  Value waitValues(DotIssueOp issue) {
    Value sum = DotWaitOp::create(rewriter, loc, issue.getAcc().getType(),
                                  issue.getProduct(), /*outstanding=*/0);
    IRMapping map;
    rewriter.clone(*parts.release, map);
    return sum;
  }

  Value buildValues(const State &state) {
    return waitValues(issueValues(state));
  }

  State buildLoop(const State &first) {
    Value second = arith::AddIOp::create(rewriter, loc, loop.getLowerBound(),
                                         loop.getStep());
    SmallVector<Value> inits = first.carried;
    inits.push_back(first.lhs);
    auto rotated = scf::ForOp::create(
        rewriter, loc, second, loop.getUpperBound(), loop.getStep(), inits);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(rotated.getBody());
    State before;
    llvm::append_range(before.carried, rotated.getRegionIterArgs().drop_back());
    before.lhs = rotated.getRegionIterArgs().back();
    State after = buildBody(rotated.getInductionVar(), before);
    after.carried.push_back(after.lhs);
    scf::YieldOp::create(rewriter, loc, after.carried);
    State result;
    llvm::append_range(result.carried, rotated.getResults().drop_back());
    result.lhs = rotated.getResults().back();
    return result;
  }

  State buildBody(Value position, const State &before) {
    IRMapping map = start(position, before.carried);
    DotIssueOp values;
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (isOfValues(op) || parts.late.contains(&op) || isPinned(op))
        continue;
      Operation *clone = rewriter.clone(op, map);
      if (&op == parts.scores)
        values = issueValues(before);
      // The product with the values may stay under way.
      if (&op == parts.scoresWait)
        cast<DotWaitOp>(clone).setOutstanding(1);
    }
    if (pin())
      RingReleaseOp::create(rewriter, loc,
                            map.lookupOrDefault(parts.keysRelease.getRing()),
                            map.lookup(parts.maximum.getResult()));
    map.map(loop.getRegionIterArg(parts.sum), waitValues(values));
    for (Operation &op : loop.getBody()->without_terminator())
      if (parts.late.contains(&op))
        rewriter.clone(op, map);
    return finish(map);
  }

  SoftmaxLoop parts;
  scf::ForOp loop;
  Location loc;
  IRRewriter rewriter;
};

struct OverlapSoftmaxPass
    : attn::impl::AttnOverlapSoftmaxBase<OverlapSoftmaxPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel->hasAttr(KernelOp::kOverlapAttr))
      return;
    auto opts = remark::RemarkOpts::name("overlapped")
                    .category("attn-overlap-softmax")
                    .function(kernel.getSymName());
    SmallVector<scf::ForOp> loops;
    kernel.walk([&](SpecializeOp roles) {
      roles.getConsumer().walk([&](scf::ForOp loop) {
        if (!loop.getBody()->getOps<DotIssueOp>().empty())
          loops.push_back(loop);
      });
    });
    if (loops.empty())
      remark::missed(kernel.getLoc(), opts)
          << "consumers have no loop with asynchronous products";
    for (scf::ForOp loop : loops) {
      Matcher matcher(loop);
      StringRef reason = matcher.match();
      if (!reason.empty()) {
        remark::missed(loop.getLoc(), opts) << reason.str();
        continue;
      }
      Rotator(matcher.parts).run();
      ++numLoops;
      remark::passed(kernel.getLoc(), opts)
          << "products are under way during the softmax";
    }
  }
};

} // namespace
