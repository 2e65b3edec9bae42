//===- SoftmaxStream.cpp - Streams with a softmax -------------------------===//

#include "SoftmaxStream.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace attn;

Value attn::otherOperand(Operation *op, Value one) {
  if (op->getOperand(0) == one)
    return op->getOperand(1);
  return op->getOperand(1) == one ? op->getOperand(0) : Value();
}

namespace {

bool isSum(Operation *op) {
  if (auto sum = dyn_cast<ReduceOp>(op))
    return sum.getKind() == ReduceKind::Sum;
  auto sum = dyn_cast<ReduceRegistersOp>(op);
  return sum && sum.getKind() == ReduceKind::Sum;
}

class SoftmaxStreamMatcher {
public:
  SoftmaxStreamMatcher(StreamOp stream, bool positions) : positions(positions) {
    parts.stream = stream;
  }

  /// Fails, with a remark, where the stream stays as it is.
  LogicalResult match() {
    ReduceOp max = findMaximum();
    if (!max)
      return remarks::emitOptimisticMaxNoAdvance(parts.stream);
    if (failed(collect(max)))
      return failure();
    if (!max.getResult().hasOneUse() || !usesAreOfSoftmax())
      return remarks::emitOptimisticMaxUsed(parts.stream);
    if (!scalesWhatIsCarried())
      return remarks::emitOptimisticMaxUnscaled(parts.stream);
    if (!positions && dependsOnPosition(max.getTile()))
      return remarks::emitOptimisticMaxPositions(parts.stream);
    if (parts.sums.empty())
      return remarks::emitOptimisticMaxNoSum(parts.stream);
    return findResults();
  }

  Softmax parts;

private:
  /// The maximum of an attn.advance from values that the stream carries, to
  /// those that it hands on.
  ReduceOp findMaximum() {
    auto yield = cast<YieldOp>(parts.stream.getBody().front().getTerminator());
    for (auto advance : parts.stream.getBody().getOps<AdvanceOp>()) {
      Value maximum = advance.getMaximum();
      // Of scores that are multiples of a scale.
      if (auto scaled = maximum.getDefiningOp<arith::MulFOp>();
          scaled && scaled->hasOneUse() && advance.getSteady())
        maximum = scaled.getLhs();
      auto max = maximum.getDefiningOp<ReduceOp>();
      if (!max || max.getKind() != ReduceKind::Max ||
          max->getBlock() != advance->getBlock() ||
          !isCarried(advance.getFactorBefore(), factorAfter(advance), yield) ||
          !isCarried(advance.getReferenceBefore(), advance.getReference(),
                     yield))
        continue;
      parts.advance = advance;
      return max;
    }
    return {};
  }

  /// That of a steady one is the factor before, which is used in its place.
  static Value factorAfter(AdvanceOp advance) {
    return advance.getSteady() ? advance.getFactorBefore()
                               : advance.getFactor();
  }

  bool isCarried(Value before, Value now, YieldOp yield) {
    auto argument = dyn_cast<BlockArgument>(before);
    return argument && argument.getOwner() == yield->getBlock() &&
           argument != parts.stream.getPosition() &&
           yield.getValues()[argument.getArgNumber() - 1] == now;
  }

  /// What follows from the maximum in its block, up to products, which are
  /// among it.
  static llvm::DenseSet<Operation *> upToProducts(ReduceOp max) {
    llvm::DenseSet<Operation *> found;
    SmallVector<Operation *> work{max};
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      if (op->getBlock() == max->getBlock() && found.insert(op).second &&
          !isa<DotOp, DotIssueOp>(op))
        llvm::append_range(work, op->getUsers());
    }
    return found;
  }

  /// Whether an operation adds a product, or a multiple of one, to a sum.
  static bool addsProduct(Operation *op,
                          const llvm::DenseSet<Operation *> &found) {
    return isa<arith::AddFOp, math::FmaOp>(op) &&
           llvm::any_of(op->getOperands(), [&](Value operand) {
             auto product = operand.getDefiningOp<DotOp>();
             return product && found.contains(product);
           });
  }

  LogicalResult collect(ReduceOp max) {
    llvm::DenseSet<Operation *> found, reached = upToProducts(max);
    SmallVector<Operation *> work{max};
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      bool here = op->getBlock() == max->getBlock();
      if ((here &&
           (isa<YieldOp, DotOp, DotIssueOp>(op) || addsProduct(op, reached))) ||
          !found.insert(op).second)
        continue;
      if (!here || op->getNumRegions() != 0 || !isMemoryEffectFree(op))
        return remarks::emitOptimisticMaxEffects(parts.stream);
      llvm::append_range(work, op->getUsers());
    }
    for (Operation &op : *max->getBlock())
      if (found.contains(&op)) {
        parts.ops.insert(&op);
        if (isSum(&op))
          parts.sums.push_back(&op);
      }
    return success();
  }

  /// Factor and reference are in exp2(fma(scores, factor, -reference)) alone,
  /// the scale is in products with what is carried, and sums are of
  /// exponentials: then every other carried value is relative to the reference,
  /// whatever that is.
  bool usesAreOfSoftmax() {
    Value factor = factorAfter(parts.advance);
    Value reference = parts.advance.getReference();
    return areUses(factor,
                   [&](OpOperand &use) {
                     return use.getOwner() == parts.advance ||
                            isInWeights(use, 1) || isMultipliedFactor(use);
                   }) &&
           areUses(reference,
                   [&](OpOperand &use) {
                     if (isSubtracted(use))
                       return true;
                     // Less some binades, for weights that use a range.
                     auto less = dyn_cast<arith::SubFOp>(use.getOwner());
                     return less && matchPattern(less.getRhs(), m_Constant()) &&
                            areUses(less, isSubtracted);
                   }) &&
           scalesAlone(parts.advance.getRescale()) &&
           areUnits(parts.advance.getFactorBefore()) &&
           areUnits(parts.advance.getReferenceBefore()) &&
           llvm::all_of(parts.sums, [](Operation *sum) {
             return isExponential(sum->getOperand(0));
           });
  }

  /// Rounded or not.
  static bool isExponential(Value value) {
    if (auto extended = value.getDefiningOp<arith::ExtFOp>())
      if (auto rounded = extended.getIn().getDefiningOp<arith::TruncFOp>())
        value = rounded.getIn();
    return value.getDefiningOp<math::Exp2Op>() != nullptr;
  }

  /// Of all but what the stream carries on.
  static bool areUses(Value value, llvm::function_ref<bool(OpOperand &)> are) {
    return llvm::all_of(value.getUses(), [&](OpOperand &use) {
      return isa<YieldOp>(use.getOwner()) || are(use);
    });
  }

  /// A factor that is multiplied by what the tile's scores are multiples of, or
  /// is some least factor.
  bool isMultipliedFactor(OpOperand &use) {
    auto scaled = dyn_cast<arith::MulFOp>(use.getOwner());
    return scaled && parts.advance.getSteady() &&
           !parts.isScale(otherOperand(scaled, use.get())) &&
           areUses(scaled, [](OpOperand &of) {
             auto least = dyn_cast<arith::MaximumFOp>(of.getOwner());
             if (!least || !matchPattern(least.getRhs(), m_Constant()))
               return isInWeights(of, 1);
             return areUses(least,
                            [](OpOperand &use) { return isInWeights(use, 1); });
           });
  }

  static bool isSubtracted(OpOperand &use) {
    auto negative = dyn_cast<arith::NegFOp>(use.getOwner());
    return negative &&
           areUses(negative, [](OpOperand &of) { return isInWeights(of, 2); });
  }

  /// Whether all that a number a row is broadcast for is an operand of
  /// exp2(fma(...)).
  static bool isInWeights(OpOperand &use, unsigned operand) {
    auto broadcast = dyn_cast<BroadcastOp>(use.getOwner());
    return broadcast && llvm::all_of(broadcast->getUses(), [&](OpOperand &of) {
             return isa<math::FmaOp>(of.getOwner()) &&
                    of.getOperandNumber() == operand &&
                    llvm::all_of(of.getOwner()->getUsers(),
                                 llvm::IsaPred<math::Exp2Op>);
           });
  }

  /// Whether an operation makes the exponent of a weight.
  static bool isWeight(Operation *op) {
    return isa<math::FmaOp>(op) &&
           llvm::all_of(op->getUsers(), llvm::IsaPred<math::Exp2Op>);
  }

  static bool isStateStore(Operation *op) {
    return isa<StoreOp>(op) &&
           op->getParentOfType<KernelOp>().getStep() == KernelOp::kSplitStep;
  }

  static bool isScaledByConstant(Operation *op) {
    return isa<arith::MulFOp>(op) &&
           llvm::any_of(op->getOperands(),
                        [](Value v) { return matchPattern(v, m_Constant()); });
  }

  /// Whether factors or references behind the stream stand for the units of
  /// other values alone: in LSE, and where states are merged, here or by the
  /// kernel that they are stored for.
  bool areUnits(Value carried) {
    unsigned number = cast<BlockArgument>(carried).getArgNumber() - 1;
    llvm::DenseSet<Operation *> seen;
    SmallVector<Value> work{parts.stream.getResults()[number]};
    while (!work.empty()) {
      for (Operation *user : work.pop_back_val().getUsers()) {
        if (isa<math::Exp2Op, arith::CmpFOp>(user) || isLogSum(user) ||
            isStateStore(user) || !seen.insert(user).second)
          continue;
        // One more logit, in the units that it finds.
        if (auto advance = dyn_cast<AdvanceOp>(user)) {
          work.append({advance.getFactor(), advance.getReference()});
          continue;
        }
        if (isWeight(user))
          continue;
        if (!isa<arith::DivFOp, arith::MaximumFOp, arith::NegFOp,
                 arith::SelectOp, arith::SubFOp>(user) &&
            !isScaledByConstant(user))
          return false;
        work.push_back(user->getResult(0));
      }
    }
    return true;
  }

  /// reference * unit + log2(l) * ln(2), or reference + log2(l).
  static bool isLogSum(Operation *op) {
    if (isa<arith::AddFOp>(op))
      return llvm::any_of(op->getOperands(), [](Value v) {
        return v.getDefiningOp<math::Log2Op>() != nullptr;
      });
    auto fma = dyn_cast<math::FmaOp>(op);
    auto log = fma ? fma.getC().getDefiningOp<arith::MulFOp>() : nullptr;
    return log && (log.getLhs().getDefiningOp<math::Log2Op>() ||
                   log.getRhs().getDefiningOp<math::Log2Op>());
  }

  bool scalesAlone(Value rows) {
    return llvm::all_of(rows.getUsers(), [&](Operation *user) {
      if (isa<BroadcastOp>(user))
        return scalesAlone(user->getResult(0));
      return llvm::any_of(parts.stream.getCarried(), [&](Value carried) {
        return llvm::is_contained(user->getOperands(), carried) &&
               isScaled(user, carried);
      });
    });
  }

  /// Everything else that is carried goes from units of the reference before to
  /// those of the one now.
  bool scalesWhatIsCarried() {
    for (BlockArgument argument : parts.stream.getCarried())
      for (Operation *user : argument.getUsers())
        if (user != parts.advance && argument != factorAfter(parts.advance) &&
            !isScaled(user, argument))
          return false;
    return true;
  }

  /// value * scale, or value * scale + more.
  bool isScaled(Operation *op, Value value) {
    if (auto fma = dyn_cast<math::FmaOp>(op);
        fma && (fma.getC() == value || value == fma.getB()))
      return false;
    return isa<arith::MulFOp, math::FmaOp>(op) &&
           parts.isScale(otherOperand(op, value));
  }

  /// Other than through what a mask keeps.
  bool dependsOnPosition(Value scores) {
    llvm::DenseSet<Operation *> seen;
    SmallVector<Value> work{scores};
    while (!work.empty()) {
      Value value = work.pop_back_val();
      if (value == parts.stream.getPosition())
        return true;
      Operation *op = value.getDefiningOp();
      if (!op || op->getBlock() != parts.advance->getBlock() ||
          !seen.insert(op).second)
        continue;
      if (isa<IotaOp>(op))
        return true;
      if (auto mask = dyn_cast<MaskOp>(op))
        work.push_back(mask.getScores());
      else
        llvm::append_range(work, op->getOperands());
    }
    return false;
  }

  bool positions;

  LogicalResult findResults() {
    Operation *last = parts.ops.back();
    for (Operation *op : parts.ops)
      for (Value result : op->getResults()) {
        bool escapes = false;
        for (Operation *user : result.getUsers()) {
          if (parts.ops.contains(user))
            continue;
          if (user->isBeforeInBlock(last))
            return remarks::emitOptimisticMaxEarly(parts.stream);
          escapes = true;
        }
        if (escapes)
          parts.results.push_back(result);
      }
    return success();
  }
};

} // namespace

FailureOr<Softmax> attn::findSoftmax(StreamOp stream, bool positions) {
  SoftmaxStreamMatcher matcher(stream, positions);
  if (failed(matcher.match()))
    return failure();
  return matcher.parts;
}
