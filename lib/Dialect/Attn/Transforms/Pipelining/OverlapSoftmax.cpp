//===- OverlapSoftmax.cpp - Products beside the softmax -------------------===//
//
// Rotates the loop of a stream by half a tile: the products of the first stage
// (the scores of a tile) are issued before those of the second (with the
// values) of the tile before, so that all are under way while threads compute
// exponentials (FlashAttention-3, "intra-warpgroup overlap").
//
//===----------------------------------------------------------------------===//

#include "SoftmaxLoop.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNOVERLAPSOFTMAX
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// Builds the rotated loops of a chain, in which each goes on where the one
/// before ended: one first tile, one product of the last tile.
class Rotator {
public:
  /// `settled`: the same loops as they are where what attn.settle says is so,
  /// or none.
  Rotator(ArrayRef<SoftmaxLoop> chain, ArrayRef<SoftmaxLoop> settled,
          MLIRContext *context)
      : chain(chain), settled(settled), loc(this->chain.front().loop.getLoc()),
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
    SmallVector<Operation *> after = opsOfRows(chain.back());
    SmallVector<Value> rows = usedBehind(after);
    SmallVector<Type> types(firstLoop.getResultTypes());
    llvm::append_range(types, ValueRange(rows).getTypes());
    auto guard = scf::IfOp::create(rewriter, loc, types, any,
                                   /*withElse=*/true);
    rewriter.setInsertionPointToStart(guard.elseBlock());
    SmallVector<Value> inits = firstLoop.getInitArgs();
    buildYield(inits, buildAfter(after, rows, inits));
    rewriter.setInsertionPointToStart(guard.thenBlock());
    State state = buildFirst(chain);
    state = settled.empty() ? buildLoops(chain, state) : buildVersions(state);
    SmallVector<Value> results = state.carried;
    SmallVector<DotIssueOp> issues = issueValues(chain.back(), state);
    for (auto [product, issue] : llvm::zip_equal(chain.back().values, issues))
      shorten(issue, product);
    SmallVector<Value> behind = buildAfter(after, rows, results);
    SmallVector<Value> sums = waitValues(chain.back(), issues, state);
    for (auto [product, sum] : llvm::zip_equal(chain.back().values, sums))
      results[product.sum] = sum;
    buildYield(results, behind);
    for (SoftmaxLoop &parts : llvm::reverse(settled))
      rewriter.eraseOp(parts.loop);
    ResultRange given = guard.getResults();
    rewriter.replaceAllUsesWith(rows, given.drop_front(results.size()));
    for (Operation *op : llvm::reverse(after))
      rewriter.eraseOp(op);
    rewriter.replaceOp(lastLoop, given.take_front(results.size()));
    for (SoftmaxLoop &parts : llvm::reverse(chain))
      if (parts.loop != lastLoop)
        rewriter.eraseOp(parts.loop);
  }

private:
  /// Between tiles: what the loop carried, with sums already scaled, the
  /// left-hand sides of the products that are still to come, for each whose
  /// rows of values a loop of the chain clears, from which row on, and for each
  /// that is added times a factor, that.
  struct State {
    SmallVector<Value> carried, lhs, rows, factors;
  };

  /// What is computed of rows alone behind a loop, such as of their sums, and
  /// not of the products with values: it need not wait for the last of them.
  static SmallVector<Operation *> opsOfRows(SoftmaxLoop &parts) {
    SmallVector<Operation *> ops;
    DenseSet<Value> known(parts.loop->result_begin(), parts.loop->result_end());
    for (const ValuesProduct &product : parts.values)
      known.erase(parts.loop.getResult(product.sum));
    DominanceInfo dominance(parts.loop->getParentOp());
    auto isKnown = [&](Value value) { return known.contains(value); };
    auto isThere = [&](Value value) {
      return isKnown(value) || matchPattern(value, m_Constant()) ||
             dominance.properlyDominates(value, parts.loop);
    };
    for (Operation *op = parts.loop->getNextNode(); op;
         op = op->getNextNode()) {
      if (op->getNumResults() != 0 && isPure(op) && op->getNumRegions() == 0 &&
          llvm::all_of(op->getResultTypes(), isOfRows) &&
          llvm::all_of(op->getOperands(), isThere) &&
          llvm::any_of(op->getOperands(), isKnown)) {
        ops.push_back(op);
        known.insert(op->result_begin(), op->result_end());
      }
    }
    // Constants may stand behind the loop.
    for (Operation *op : ops)
      for (Value operand : op->getOperands())
        if (!isKnown(operand) &&
            !dominance.properlyDominates(operand, parts.loop))
          operand.getDefiningOp()->moveBefore(parts.loop);
    return ops;
  }

  static bool isOfRows(Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    return tile && tile.getRank() == 1;
  }

  /// The results of operations that others use.
  static SmallVector<Value> usedBehind(ArrayRef<Operation *> ops) {
    SmallVector<Value> used;
    for (Operation *op : ops)
      llvm::copy_if(
          op->getResults(), std::back_inserter(used), [&](Value result) {
            return !llvm::all_of(result.getUsers(), [&](Operation *user) {
              return llvm::is_contained(ops, user);
            });
          });
    return used;
  }

  /// What operations behind the loops give for `carried`: `values` of theirs.
  SmallVector<Value> buildAfter(ArrayRef<Operation *> ops,
                                ArrayRef<Value> values, ValueRange carried) {
    IRMapping map;
    map.map(chain.back().loop.getResults(), carried);
    for (Operation *op : ops)
      cloneOp(*op, map);
    return llvm::map_to_vector(values,
                               [&](Value value) { return map.lookup(value); });
  }

  void buildYield(ValueRange carried, ValueRange others) {
    SmallVector<Value> values(carried);
    llvm::append_range(values, others);
    scf::YieldOp::create(rewriter, loc, values);
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
    for (Value value : parts.loop.getYieldedValues())
      state.carried.push_back(map.lookupOrDefault(value));
    for (auto [i, product] : llvm::enumerate(parts.values)) {
      state.carried[product.sum] = map.lookupOrDefault(product.getBefore());
      state.lhs.push_back(map.lookupOrDefault(product.issue.getLhs()));
      if (tensor::SplatOp splat = product.getSplat())
        state.factors.push_back(map.lookupOrDefault(splat.getInput()));
      if (!clearsRows(i))
        continue;
      auto tile = cast<RankedTensorType>(product.tile.getTile().getType());
      state.rows.push_back(product.tile.getRows()
                               ? map.lookupOrDefault(product.tile.getRows())
                               : arith::ConstantIndexOp::create(
                                     rewriter, loc, tile.getDimSize(0)));
    }
    return state;
  }

  bool clearsRows(unsigned i) {
    return llvm::any_of(chain, [&](SoftmaxLoop &parts) {
      return parts.values[i].tile.getRows();
    });
  }

  /// What an operation gives that yields the carried values, then left-hand
  /// sides, and then rows.
  State stateOf(ValueRange values) {
    unsigned carried = chain.front().loop.getNumResults(),
             products = chain.front().values.size();
    ValueRange rest = values.drop_front(carried + products);
    unsigned factors =
        llvm::count_if(chain.front().values, [](ValuesProduct product) {
          return bool(product.getSplat());
        });
    return {llvm::to_vector(values.take_front(carried)),
            llvm::to_vector(values.slice(carried, products)),
            llvm::to_vector(rest.drop_back(factors)),
            llvm::to_vector(rest.take_back(factors))};
  }

  static SmallVector<Value> valuesOf(const State &state) {
    SmallVector<Value> values = state.carried;
    llvm::append_range(values, state.lhs);
    llvm::append_range(values, state.rows);
    llvm::append_range(values, state.factors);
    return values;
  }

  /// Scores and softmax of the first tile: that of the first loop which runs.
  State buildFirst(MutableArrayRef<SoftmaxLoop> rest) {
    if (rest.size() == 1)
      return buildFirst(rest.front());
    Value here = runs[chain.size() - rest.size()];
    SmallVector<Type> types(rest.front().loop.getResultTypes());
    for (ValuesProduct &product : rest.front().values)
      types.push_back(product.issue.getLhs().getType());
    for (unsigned i = 0; i < rest.front().values.size(); ++i)
      if (clearsRows(i))
        types.push_back(rewriter.getIndexType());
    for (ValuesProduct &product : rest.front().values)
      if (tensor::SplatOp splat = product.getSplat())
        types.push_back(splat.getInput().getType());
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
      if (parts.isOfValues(&op))
        continue;
      // Nothing is known before the first tile.
      cloneTaken(rewriter, op, map);
    }
    return finish(parts, map);
  }

  /// What is said for the first visit is not asked again.
  Operation *cloneOp(Operation &op, IRMapping &map) {
    if (auto settle = dyn_cast<SettleOp>(op)) {
      map.map(settle.getResult(), map.lookupOrDefault(settle.getSums()));
      return nullptr;
    }
    return rewriter.clone(op, map);
  }

  /// lhs x values, added to the sums, of the tiles that are next in the rings.
  SmallVector<DotIssueOp> issueValues(SoftmaxLoop &parts, const State &state) {
    SmallVector<DotIssueOp> issues;
    const Value *rows = state.rows.begin();
    for (auto [i, product] : llvm::enumerate(parts.values)) {
      IRMapping map;
      map.map(product.issue.getLhs(), state.lhs[i]);
      if (!product.addition)
        map.map(product.issue.getAcc(), state.carried[product.sum]);
      auto tile = cast<RingWaitOp>(rewriter.clone(*product.tile, map));
      if (clearsRows(i))
        tile.getRowsMutable().assign(*rows++);
      issues.push_back(cast<DotIssueOp>(rewriter.clone(*product.issue, map)));
    }
    return issues;
  }

  /// Says how deep the product with the last tile is, which is the last loop's
  /// last one, if that has any.
  void shorten(DotIssueOp issue, const ValuesProduct &product) {
    scf::ForOp loop = chain.back().loop;
    if (!isConstantIntValue(loop.getStep(), 1))
      return;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(issue);
    Value last = arith::SubIOp::create(rewriter, loc, loop.getUpperBound(),
                                       loop.getStep());
    Depth depth = buildDepth(rewriter, loop, product.issue, last);
    if (!depth.columns)
      return;
    int64_t width =
        cast<RankedTensorType>(issue.getLhs().getType()).getDimSize(1);
    Value all = arith::ConstantIndexOp::create(rewriter, loc, width);
    issue.getDepthMutable().assign(arith::SelectOp::create(
        rewriter, loc, runs.back(), depth.columns, all));
    issue.setDiagonal(depth.isDiagonal);
  }

  /// The sums: products complete in their order.
  SmallVector<Value> waitValues(SoftmaxLoop &parts, ArrayRef<DotIssueOp> issues,
                                const State &before) {
    SmallVector<Value> sums;
    const Value *factors = before.factors.begin();
    for (auto [product, issue] : llvm::zip_equal(parts.values, issues)) {
      DotIssueOp issued = issue;
      int64_t outstanding = issues.size() - sums.size() - 1;
      sums.push_back(DotWaitOp::create(rewriter, loc, issued.getAcc().getType(),
                                       issued.getProduct(), outstanding));
      // What it may have waited for is of a tile that is long past.
      RingReleaseOp::create(rewriter, loc, product.release.getRing());
      Value sum = before.carried[product.sum];
      if (tensor::SplatOp splat = product.getSplat())
        sums.back() = math::FmaOp::create(
            rewriter, loc, sums.back(),
            tensor::SplatOp::create(rewriter, loc, splat.getType(), *factors++),
            sum);
      else if (product.addition)
        sums.back() = arith::AddFOp::create(rewriter, loc, sum, sums.back());
    }
    return sums;
  }

  State buildLoops(MutableArrayRef<SoftmaxLoop> loops, State state) {
    for (auto [parts, before] : llvm::zip_equal(loops, started))
      state = buildLoop(parts, buildLower(parts, before),
                        parts.loop.getUpperBound(), state);
    return state;
  }

  /// Both versions of each loop, the settled one behind the other: from the
  /// first tile on where a warpgroup is settled, else for the last tile without
  /// a mask, and for all with one.
  State buildInTurn(Value isSettled, State state) {
    for (auto [parts, then, before] :
         llvm::zip_equal(chain, settled, started)) {
      scf::ForOp loop = parts.loop;
      Value lower = buildLower(parts, before), upper = loop.getUpperBound(),
            turn = lower;
      if (!masksScores(loop)) {
        Value last =
            arith::SubIOp::create(rewriter, loc, upper, loop.getStep());
        last = arith::MaxSIOp::create(rewriter, loc, lower, last);
        turn = arith::SelectOp::create(rewriter, loc, isSettled, lower, last);
        state = buildLoop(parts, lower, turn, state);
      }
      state = buildLoop(then, turn, upper, state);
    }
    return state;
  }

  /// Whether the last tiles are settled ones, of loops that count tiles.
  bool settlesLastTiles() {
    return settlesLast(chain.front()) &&
           llvm::all_of(chain, [](SoftmaxLoop &parts) {
             return isConstantIntValue(parts.loop.getStep(), 1);
           });
  }

  /// The loops twice, of which a warpgroup takes one, if there are tiles left.
  State buildVersions(const State &state) {
    return buildIf(
        buildHasMore(), state,
        [&] {
          Value isSettled =
              buildIsSettled(rewriter, chain.front(), state.carried);
          if (settlesLastTiles())
            return buildInTurn(isSettled, state);
          return buildIf(
              isSettled, state, [&] { return buildLoops(settled, state); },
              [&] { return buildLoops(chain, state); });
        },
        [&] { return state; });
  }

  State buildIf(Value condition, const State &before,
                llvm::function_ref<State()> buildThen,
                llvm::function_ref<State()> buildElse) {
    SmallVector<Value> values = valuesOf(before);
    auto branch =
        scf::IfOp::create(rewriter, loc, TypeRange(ValueRange(values)),
                          condition, /*withElse=*/true);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(branch.thenBlock());
    scf::YieldOp::create(rewriter, loc, valuesOf(buildThen()));
    rewriter.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(rewriter, loc, valuesOf(buildElse()));
    return stateOf(branch.getResults());
  }

  /// Whether a loop has tiles behind the first.
  Value buildHasMore() {
    Value any;
    for (auto [parts, before] : llvm::zip_equal(chain, started)) {
      Value more = arith::CmpIOp::create(
          rewriter, loc, arith::CmpIPredicate::slt, buildLower(parts, before),
          parts.loop.getUpperBound());
      any = any ? arith::OrIOp::create(rewriter, loc, any, more) : more;
    }
    return any;
  }

  /// Of the tiles that are left, the first one of a loop: its second, where no
  /// loop before has one.
  Value buildLower(SoftmaxLoop &parts, Value before) {
    Value first = parts.loop.getLowerBound();
    Value second =
        arith::AddIOp::create(rewriter, loc, first, parts.loop.getStep());
    if (!before)
      return second;
    return arith::SelectOp::create(rewriter, loc, before, first, second);
  }

  /// The tiles of a loop from one up to another.
  State buildLoop(SoftmaxLoop &parts, Value lower, Value upper,
                  const State &state) {
    auto rotated = scf::ForOp::create(rewriter, loc, lower, upper,
                                      parts.loop.getStep(), valuesOf(state));
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
    SmallVector<DotIssueOp> values;
    bool pinned = static_cast<bool>(parts.keysRelease);
    for (Operation &op : loop.getBody()->without_terminator()) {
      if (parts.isOfValues(&op) || parts.late.contains(&op) ||
          (pinned && &op == parts.keysRelease))
        continue;
      Operation *clone = cloneOp(op, map);
      if (&op == parts.scores.back())
        values = issueValues(parts, before);
      // Products with values may stay under way.
      if (auto wait = dyn_cast_or_null<DotWaitOp>(clone);
          wait && !values.empty() && !parts.atOnce)
        wait.setOutstanding(wait.getOutstanding() + values.size());
    }
    if (pinned)
      RingReleaseOp::create(
          rewriter, loc, map.lookupOrDefault(parts.keysRelease.getRing()),
          map.lookup(parts.maximum),
          loop->getParentOfType<KernelOp>()->hasAttr(KernelOp::kFirstRowsAttr));
    SmallVector<Value> sums = waitValues(parts, values, before);
    for (auto [product, sum] : llvm::zip_equal(parts.values, sums))
      map.map(loop.getRegionIterArg(product.sum), sum);
    for (Operation &op : loop.getBody()->without_terminator())
      if (parts.late.contains(&op))
        cloneOp(op, map);
    return finish(parts, map);
  }

  SmallVector<SoftmaxLoop, 0> chain, settled;
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
  auto sameProducts = [](ValuesProduct left, ValuesProduct right) {
    return left.tile.getRing() == right.tile.getRing() &&
           left.sum == right.sum && !left.getSplat() == !right.getSplat() &&
           left.issue.getLhs().getType() == right.issue.getLhs().getType();
  };
  return next.values.size() == last.values.size() &&
         llvm::all_of(llvm::zip_equal(next.values, last.values),
                      [&](auto pair) {
                        return sameProducts(std::get<0>(pair),
                                            std::get<1>(pair));
                      }) &&
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
    SmallVector<SmallVector<SoftmaxLoop, 0>> chains;
    for (scf::ForOp loop : loops) {
      if (!loop->hasAttr(kOverlapLoop))
        continue;
      FailureOr<SoftmaxLoop> parts = readSoftmaxLoop(loop);
      if (failed(parts))
        return signalPassFailure();
      if (chains.empty() || !continues(*parts, chains.back().back()))
        chains.emplace_back();
      chains.back().push_back(std::move(*parts));
    }
    for (ArrayRef<SoftmaxLoop> chain : chains) {
      SmallVector<SoftmaxLoop, 0> settled = settleChain(chain);
      if (!settled.empty())
        remarks::emitOverlapSoftmaxSettled(kernel, settled.size());
      Rotator(chain, settled, &getContext()).run();
      numLoops += chain.size();
      remarks::emitOverlapSoftmax(kernel, chain.size());
    }
    dropMarks(kernel);
  }

  /// What was said of parts is done.
  static void dropMarks(KernelOp kernel) {
    kernel.walk([](Operation *op) {
      op->removeAttr(kOverlapLoop);
      op->removeAttr(kLoopPart);
    });
  }
};

} // namespace
