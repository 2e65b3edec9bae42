//===- PlanOverlap.cpp - What of a stream runs beside what ----------------===//
//
// Says of each operation of a stream what it is to attn-overlap-softmax: of the
// scores, of products with values, or what waits for these. Whatever becomes
// loops of the stream hands that on.
//
//===----------------------------------------------------------------------===//

#include "SoftmaxLoop.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNPLANOVERLAP
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

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

/// Whether a copy fills a slot, which a producer does.
bool isFilling(Operation *op) {
  if (isa<RingAcquireOp>(op))
    return llvm::none_of(op->getUsers(), llvm::IsaPred<RingPutOp>);
  return isa<RingIssueOp, RingLandOp>(op);
}

RingReleaseOp releaseOf(RingWaitOp wait) {
  RingReleaseOp found;
  for (Operation *user : wait.getRing().getUsers())
    if (auto release = dyn_cast<RingReleaseOp>(user);
        release && release->getBlock() == wait->getBlock())
      found = release;
  return found;
}

/// What the planner asks of a stream, or of a loop that was written by hand.
struct Fold {
  Operation *op = nullptr;
  Block *body = nullptr;
  SmallVector<Value> carried, inits;

  explicit operator bool() const { return op; }
  ValueRange yielded() const { return body->getTerminator()->getOperands(); }
  bool holds(Value value) const {
    return op->isAncestor(value.getParentBlock()->getParentOp());
  }
};

Fold foldOf(Operation *op) {
  if (auto stream = dyn_cast_or_null<StreamOp>(op))
    return {op, &stream.getBody().front(),
            llvm::to_vector_of<Value>(stream.getCarried()),
            llvm::to_vector(stream.getInits())};
  if (auto loop = dyn_cast_or_null<scf::ForOp>(op))
    return {op, loop.getBody(),
            llvm::to_vector_of<Value>(loop.getRegionIterArgs()),
            llvm::to_vector(loop.getInitArgs())};
  return {};
}

/// Finds the parts of a fold, or fails with a remark on why it is another one.
class Planner {
public:
  explicit Planner(Fold fold) : fold(std::move(fold)) {}

  LogicalResult plan() {
    if (!sortProducts())
      return remarks::emitOverlapSoftmaxProducts(fold.op);
    if (!findWaits())
      return remarks::emitOverlapSoftmaxNoWait(fold.op);
    if (!llvm::all_of(parts.values, [&](ValuesProduct &product) {
          return findRing(product);
        }))
      return remarks::emitOverlapSoftmaxNoRing(fold.op);
    if (!llvm::all_of(parts.values, [](ValuesProduct &product) {
          return product.tile.getTile().hasOneUse();
        }))
      return remarks::emitOverlapSoftmaxValuesUsed(fold.op);
    findPin();
    if (llvm::any_of(parts.values, [&](ValuesProduct &product) {
          return sharesRing(product);
        }))
      return remarks::emitOverlapSoftmaxSharedRing(fold.op);
    if (!llvm::all_of(parts.values,
                      [&](ValuesProduct &product) { return findSum(product); }))
      return remarks::emitOverlapSoftmaxNoSum(fold.op);
    if (leavesUnderWay())
      return remarks::emitOverlapSoftmaxUnderWay(fold.op);
    findLate();
    return checkOthers();
  }

  /// Leaves what it found where attn-overlap-softmax reads it.
  void mark() {
    fold.op->setAttr(kOverlapLoop,
                     wordOf(parts.atOnce ? Beside::Others : Beside::Own));
    auto markAs = [&](Operation *op, LoopPart part) {
      op->setAttr(kLoopPart, wordOf(part));
    };
    for (DotIssueOp issue : parts.scores)
      markAs(issue, LoopPart::Scores);
    for (DotWaitOp wait : parts.scoresWaits)
      markAs(wait, LoopPart::Scores);
    for (Operation *op : parts.late)
      markAs(op, LoopPart::Late);
    if (parts.keysRelease && parts.maximum &&
        !parts.late.contains(parts.maximum.getDefiningOp())) {
      markAs(parts.keysRelease, LoopPart::Pin);
      markAs(parts.maximum.getDefiningOp(), LoopPart::Pin);
    }
    for (Operation &op : *fold.body)
      if (parts.isOfValues(&op))
        markAs(&op, LoopPart::Values);
  }

private:
  /// Time of products over that of exponentials from which on products with
  /// values run beside the softmax of their own warpgroup.
  static constexpr double kOutlast = 1.5;

  /// Whether the loop has products of the first stage and of the second, and no
  /// others.
  bool sortProducts() {
    for (DotIssueOp issue : fold.body->getOps<DotIssueOp>()) {
      if (issue.getStage() > 1)
        return false;
      if (issue.getStage() == 0)
        parts.scores.push_back(issue);
      else
        addValues(parts, issue);
    }
    return !parts.scores.empty() && !parts.values.empty();
  }

  bool findWaits() {
    for (DotIssueOp issue : parts.scores)
      parts.scoresWaits.push_back(onlyWait(issue));
    for (ValuesProduct &product : parts.values)
      product.wait = onlyWait(product.issue);
    auto isHere = [&](DotWaitOp wait) {
      return wait && wait->getBlock() == fold.body;
    };
    return llvm::all_of(parts.scoresWaits, isHere) &&
           llvm::all_of(parts.values, [&](ValuesProduct &product) {
             return isHere(product.wait);
           });
  }

  bool findRing(ValuesProduct &product) {
    product.tile = product.issue.getRhs().getDefiningOp<RingWaitOp>();
    product.release = product.tile ? releaseOf(product.tile) : RingReleaseOp();
    return product.release && product.tile->getBlock() == fold.body;
  }

  /// The order of its tiles would be another one.
  bool sharesRing(ValuesProduct &product) {
    return llvm::count_if(fold.body->getOps<RingWaitOp>(),
                          [&](RingWaitOp wait) {
                            return wait.getRing() == product.tile.getRing();
                          }) != 1;
  }

  bool findSum(ValuesProduct &product) {
    if (!product.wait.getTile().hasOneUse())
      return false;
    Value sum = product.wait.getTile();
    Operation *addition = *sum.user_begin();
    if (isa<arith::AddFOp, math::FmaOp>(addition) && addition->hasOneUse() &&
        matchPattern(product.issue.getAcc(), m_AnyZeroFloat()) &&
        !fold.holds(product.issue.getAcc())) {
      product.addition = addition;
      if (isa<math::FmaOp>(addition) &&
          (!product.getSplat() || product.getBefore() == sum))
        return false;
      sum = addition->getResult(0);
    }
    ValueRange yields = fold.yielded();
    auto yielded = llvm::find(yields, sum);
    product.sum = yielded - yields.begin();
    return yielded != yields.end();
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
        keys && keys->getBlock() == fold.body)
      parts.keysRelease = releaseOf(keys);
    for (auto [value, argument] :
         llvm::zip_equal(fold.yielded(), fold.carried)) {
      auto advance = value.getDefiningOp<AdvanceOp>();
      if (advance && advance->getBlock() == fold.body &&
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
    if (Fold before = foldOf(result.getOwner())) {
      Value yielded = before.yielded()[i];
      auto advance = yielded.getDefiningOp<AdvanceOp>();
      return advance && yielded == advance.getReference() &&
             advance.getReferenceBefore() == before.carried[i] &&
             startsFinite(before.inits[i]);
    }
    auto branch = dyn_cast<scf::IfOp>(result.getOwner());
    return branch && startsFinite(branch.thenYield().getOperand(i)) &&
           startsFinite(branch.elseYield().getOperand(i));
  }

  static bool startsBefore(Value before) {
    auto argument = dyn_cast<BlockArgument>(before);
    if (!argument)
      return startsFinite(before);
    Fold fold = foldOf(argument.getOwner()->getParentOp());
    const Value *carried = llvm::find(fold.carried, before);
    return carried != fold.carried.end() &&
           startsFinite(fold.inits[carried - fold.carried.begin()]);
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
    for (Operation &op : llvm::reverse(*fold.body))
      if (isa<arith::TruncFOp, ConvertLayoutOp, InterleaveOp>(op) &&
          isOnlyForValues(&op))
        parts.late.insert(&op);
  }

  /// Whether a stream of this kernel reads elements of tensors, or takes some
  /// that were read in front of it. Those that are read behind it want no
  /// registers here.
  bool readsElements() {
    Block *around = fold.op->getBlock();
    return fold.op->getParentOfType<KernelOp>()
        .walk([&](GatherOp gather) {
          Operation *there = around->findAncestorOpInBlock(*gather);
          return there && fold.op->isBeforeInBlock(there)
                     ? WalkResult::advance()
                     : WalkResult::interrupt();
        })
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
    TargetAttr target = TargetAttr::of(fold.op);
    double operations = 0, specials = 0;
    auto multiply = [&](DotIssueOp issue) {
      auto lhs = cast<ShapedType>(issue.getLhs().getType()),
           acc = cast<ShapedType>(issue.getAcc().getType());
      // Of 8 bits units multiply twice as many as of 16.
      operations += lhs.getElementTypeBitWidth() / 8.0 * acc.getNumElements() *
                    lhs.getDimSize(1);
    };
    llvm::for_each(parts.scores, multiply);
    for (ValuesProduct &product : parts.values)
      multiply(product.issue);
    for (Operation &op : *fold.body)
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
      user = fold.body->findAncestorOpInBlock(*user);
      return parts.isOfValues(user) || parts.late.contains(user);
    });
  }

  /// What follows from a sum; whether the loop branches on it.
  bool findLate(ValuesProduct &product) {
    Block *body = fold.body;
    SmallVector<Operation *> work;
    llvm::append_range(work, fold.carried[product.sum].getUsers());
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
         op != fold.body->getTerminator(); op = op->getNextNode())
      if (!parts.isOfValues(op) && isMemoryEffectFree(op) && !readsRing(op))
        parts.late.insert(op);
    parts.maximum = {};
    parts.atOnce = true;
  }

  /// Everything else is arithmetic, finds the tile, or belongs to the scores.
  LogicalResult checkOthers() {
    for (Operation &op : fold.body->without_terminator()) {
      if (parts.isOfValues(&op))
        continue;
      if (parts.late.contains(&op) && !isMemoryEffectFree(&op))
        return remarks::emitOverlapSoftmaxEffects(fold.op);
      // Of a stream they will be the producer's.
      bool fills = isa<StreamOp>(fold.op) && isFilling(&op);
      if (!isMemoryEffectFree(&op) && !fills &&
          !isa<DotIssueOp, DotWaitOp, RingWaitOp, RingReleaseOp, ReadOp>(op))
        return remarks::emitOverlapSoftmaxCopies(fold.op);
    }
    return success();
  }

  StringAttr wordOf(LoopPart part) {
    return StringAttr::get(fold.op->getContext(), stringifyLoopPart(part));
  }
  StringAttr wordOf(Beside beside) {
    return StringAttr::get(fold.op->getContext(), stringifyBeside(beside));
  }

  Fold fold;
  SoftmaxLoop parts;
};

} // namespace

LogicalResult attn::planOverlap(Operation *fold) {
  Planner planner(foldOf(fold));
  if (failed(planner.plan()))
    return failure();
  planner.mark();
  return success();
}

namespace {

struct PlanOverlapPass : attn::impl::AttnPlanOverlapBase<PlanOverlapPass> {
  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (!kernel->hasAttr(KernelOp::kOverlapAttr))
      return;
    kernel.walk([&](Operation *op) {
      Fold fold = foldOf(op);
      if (!fold || fold.body->getOps<DotIssueOp>().empty() ||
          (isa<scf::ForOp>(op) && !computes(op)))
        return;
      if (succeeded(planOverlap(op)))
        ++numPlanned;
    });
  }

  /// Whether a loop stands with those who compute: roles are split already.
  static bool computes(Operation *loop) {
    auto roles = loop->getParentOfType<SpecializeOp>();
    return roles && roles.getConsumer().isAncestor(loop->getParentRegion());
  }
};

} // namespace
