//===- SoftmaxLoop.cpp - Loops with products of two stages ----------------===//

#include "SoftmaxLoop.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn;

bool attn::holdsFirst(Value condition) {
  if (auto either = condition.getDefiningOp<arith::OrIOp>())
    return holdsFirst(either.getLhs()) || holdsFirst(either.getRhs());
  auto any = condition.getDefiningOp<AnyOp>();
  return any && any.getHoldsFirst();
}

namespace {

DotWaitOp onlyWait(DotIssueOp issue) {
  if (!issue.getProduct().hasOneUse())
    return {};
  return dyn_cast<DotWaitOp>(*issue.getProduct().user_begin());
}

/// Whether registers are filled from a slot, which is released soon.
bool readsRing(Operation *op) {
  auto convert = dyn_cast<ConvertLayoutOp>(op);
  return convert && convert.getSource().getDefiningOp<RingWaitOp>();
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
    if (!sortProducts())
      return remarks::emitOverlapSoftmaxProducts(parts.loop);
    if (!findWaits())
      return remarks::emitOverlapSoftmaxNoWait(parts.loop);
    if (!llvm::all_of(parts.values, [&](ValuesProduct &product) {
          return findRing(product);
        }))
      return remarks::emitOverlapSoftmaxNoRing(parts.loop);
    if (!llvm::all_of(parts.values, [](ValuesProduct &product) {
          return product.tile.getTile().hasOneUse();
        }))
      return remarks::emitOverlapSoftmaxValuesUsed(parts.loop);
    findPin();
    if (llvm::any_of(parts.values, [&](ValuesProduct &product) {
          return sharesRing(product);
        }))
      return remarks::emitOverlapSoftmaxSharedRing(parts.loop);
    if (!llvm::all_of(parts.values,
                      [&](ValuesProduct &product) { return findSum(product); }))
      return remarks::emitOverlapSoftmaxNoSum(parts.loop);
    if (leavesUnderWay())
      return remarks::emitOverlapSoftmaxUnderWay(parts.loop);
    findLate();
    return checkOthers();
  }

  SoftmaxLoop parts;

private:
  /// Time of products over that of exponentials from which on products with
  /// values run beside the softmax of their own warpgroup.
  static constexpr double kOutlast = 1.5;

  /// Whether the loop has products of the first stage and of the second, and no
  /// others.
  bool sortProducts() {
    for (DotIssueOp issue : parts.loop.getBody()->getOps<DotIssueOp>()) {
      if (issue.getStage() > 1)
        return false;
      if (issue.getStage() == 0)
        parts.scores.push_back(issue);
      else
        parts.values.push_back({issue, {}, {}, {}, 0, {}});
    }
    return !parts.scores.empty() && !parts.values.empty();
  }

  bool findWaits() {
    for (DotIssueOp issue : parts.scores)
      parts.scoresWaits.push_back(onlyWait(issue));
    for (ValuesProduct &product : parts.values)
      product.wait = onlyWait(product.issue);
    auto isHere = [&](DotWaitOp wait) {
      return wait && wait->getBlock() == parts.loop.getBody();
    };
    return llvm::all_of(parts.scoresWaits, isHere) &&
           llvm::all_of(parts.values, [&](ValuesProduct &product) {
             return isHere(product.wait);
           });
  }

  bool findRing(ValuesProduct &product) {
    product.tile = product.issue.getRhs().getDefiningOp<RingWaitOp>();
    product.release = product.tile ? releaseOf(product.tile) : RingReleaseOp();
    return product.release && product.tile->getBlock() == parts.loop.getBody();
  }

  /// The order of its tiles would be another one.
  bool sharesRing(ValuesProduct &product) {
    return llvm::count_if(parts.loop.getBody()->getOps<RingWaitOp>(),
                          [&](RingWaitOp wait) {
                            return wait.getRing() == product.tile.getRing();
                          }) != 1;
  }

  bool findSum(ValuesProduct &product) {
    auto yield = cast<scf::YieldOp>(parts.loop.getBody()->getTerminator());
    if (!product.wait.getTile().hasOneUse())
      return false;
    Value sum = product.wait.getTile();
    if (auto addition = dyn_cast<arith::AddFOp>(*sum.user_begin());
        addition && addition->hasOneUse() &&
        matchPattern(product.issue.getAcc(), m_AnyZeroFloat()) &&
        parts.loop.isDefinedOutsideOfLoop(product.issue.getAcc())) {
      product.addition = addition;
      sum = addition;
    }
    auto yielded = llvm::find(yield.getOperands(), sum);
    product.sum = yielded - yield.getOperands().begin();
    return yielded != yield.getOperands().end();
  }

  bool leavesUnderWay() {
    return llvm::any_of(
               parts.scoresWaits,
               [](DotWaitOp wait) { return wait.getOutstanding() != 0; }) ||
           llvm::any_of(parts.values, [](ValuesProduct &product) {
             return product.wait.getOutstanding() != 0;
           });
  }

  /// The reference that the loop advances, from a finite number on: it only
  /// rises, and a release after -inf would never come.
  void findPin() {
    if (auto keys = parts.scores.back().getRhs().getDefiningOp<RingWaitOp>();
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
    bool branches = false;
    for (ValuesProduct &product : parts.values)
      branches |= findLate(product);
    if (branches && !productsOutlastSoftmax())
      return findAllLate();
    if (branches)
      parts.maximum = {};
    // The registers of left-hand sides are read until the products are there.
    for (Operation &op : llvm::reverse(*parts.loop.getBody()))
      if (isa<arith::TruncFOp, ConvertLayoutOp, InterleaveOp>(op) &&
          isOnlyForValues(&op))
        parts.late.insert(&op);
  }

  /// Whether a loop of these consumers reads elements of tensors.
  bool readsElements() {
    auto roles = parts.loop->getParentOfType<SpecializeOp>();
    return roles && roles.getConsumer()
                        .walk([](GatherOp) { return WalkResult::interrupt(); })
                        .wasInterrupted();
  }

  /// Whether an SM takes clearly longer for the products of a tile than for the
  /// exponentials, by the target's facts: those of the values are worth running
  /// beside the softmax of their own warpgroup then. Where exponentials take as
  /// long, products of other warpgroups fill that time
  /// (docs/notebooks/performance.md, "Values under way until the branch").
  bool productsOutlastSoftmax() {
    // What masks and modifications read wants the registers.
    if (readsElements())
      return false;
    TargetAttr target = TargetAttr::of(parts.loop);
    double operations = 0, specials = 0;
    auto multiply = [&](DotIssueOp issue) {
      auto lhs = cast<ShapedType>(issue.getLhs().getType()),
           acc = cast<ShapedType>(issue.getAcc().getType());
      operations += 2.0 * acc.getNumElements() * lhs.getDimSize(1);
    };
    llvm::for_each(parts.scores, multiply);
    for (ValuesProduct &product : parts.values)
      multiply(product.issue);
    for (Operation &op : *parts.loop.getBody())
      if (isa<math::Exp2Op, math::ExpOp, math::TanhOp>(op))
        if (auto tile = dyn_cast<ShapedType>(op.getResult(0).getType()))
          specials += tile.getNumElements();
    double rate = static_cast<double>(target.get(Fact::TensorGflops)) * 1e3 /
                  target.get(Fact::SMs) / target.get(Fact::ClockMHz);
    return operations / rate >
           kOutlast * specials / target.get(Fact::SpecialPerClock);
  }

  /// Whether only products with values use an operation, or what already waits
  /// for them.
  bool isOnlyForValues(Operation *op) {
    return llvm::all_of(op->getUsers(), [&](Operation *user) {
      user = parts.loop.getBody()->findAncestorOpInBlock(*user);
      return parts.isOfValues(user) || parts.late.contains(user);
    });
  }

  /// What follows from a sum; whether the loop branches on it.
  bool findLate(ValuesProduct &product) {
    Block *body = parts.loop.getBody();
    SmallVector<Operation *> work;
    llvm::append_range(work,
                       parts.loop.getRegionIterArg(product.sum).getUsers());
    bool branches = false;
    while (!work.empty()) {
      Operation *op = body->findAncestorOpInBlock(*work.pop_back_val());
      if (op == product.issue || (product.addition && op == product.addition) ||
          !parts.late.insert(op).second)
        continue;
      branches |= isa<scf::IfOp>(op);
      llvm::append_range(work, op->getUsers());
    }
    return branches;
  }

  /// Where the softmax branches on what it found, and scales the sum at once:
  /// products run beside the softmax of other warpgroups alone. Tiles are read
  /// out of rings before their slots are released.
  void findAllLate() {
    for (Operation *op = parts.scoresWaits.back()->getNextNode();
         op != parts.loop.getBody()->getTerminator(); op = op->getNextNode())
      if (!parts.isOfValues(op) && isMemoryEffectFree(op) && !readsRing(op))
        parts.late.insert(op);
    parts.maximum = {};
    parts.atOnce = true;
  }

  /// Everything else is arithmetic, finds the tile, or belongs to the scores.
  LogicalResult checkOthers() {
    for (Operation &op : parts.loop.getBody()->without_terminator()) {
      if (parts.isOfValues(&op))
        continue;
      if (parts.late.contains(&op) && !isMemoryEffectFree(&op))
        return remarks::emitOverlapSoftmaxEffects(parts.loop);
      if (!isMemoryEffectFree(&op) &&
          !isa<DotIssueOp, DotWaitOp, RingWaitOp, RingReleaseOp, ReadOp>(op))
        return remarks::emitOverlapSoftmaxCopies(parts.loop);
    }
    return success();
  }
};

} // namespace

FailureOr<SoftmaxLoop> attn::matchSoftmaxLoop(scf::ForOp loop) {
  SoftmaxLoopMatcher matcher(loop);
  if (failed(matcher.match()))
    return failure();
  return matcher.parts;
}
