//===- RoundSums.cpp - Sums of the weights that products take -------------===//
//
// O is a sum of V by weights that are rounded to V's type. Divided by the sum
// of the same weights it is a mean, whatever rounding did to them; divided by
// the sum of those that were not rounded a row of one key is off by that key's
// rounding.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNROUNDSUMS
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

/// A sum of weights that a stream carries, and what it is used for.
struct WeightSum {
  ReduceRegistersOp sum;
  /// The weights as products take them.
  arith::TruncFOp rounded;
  /// What adds the sum to the carried one, which the stream hands on.
  Operation *update = nullptr;
  unsigned index = 0;
  /// The row's sum behind the stream.
  ReduceOp total;
  /// What divides by it, and what takes its logarithm.
  SmallVector<Operation *> divisions, logarithms;
};

class SumMatcher {
public:
  SumMatcher(StreamOp stream, ReduceRegistersOp sum) : stream(stream) {
    found.sum = sum;
  }

  /// Empty where the sum is one to round, else why it is not.
  StringRef match() {
    if (found.sum.getKind() != ReduceKind::Sum)
      return "no stream sums weights in registers";
    Value weights = found.sum.getTile();
    for (Operation *user : weights.getUsers())
      if (auto rounded = dyn_cast<arith::TruncFOp>(user);
          rounded && isMultiplied(rounded))
        found.rounded = rounded;
    if (!weights.getDefiningOp<math::Exp2Op>() || !found.rounded)
      return "products take weights that are not rounded";
    if (!findUpdate())
      return "no stream carries the sum of weights";
    if (!findUses())
      return "the sum of weights is stored, or used for more than a quotient "
             "and a logarithm";
    return "";
  }

  WeightSum found;

private:
  static bool isMultiplied(arith::TruncFOp rounded) {
    return llvm::any_of(rounded->getUses(), [](OpOperand &use) {
      return isa<DotIssueOp, DotOp>(use.getOwner()) &&
             use.getOperandNumber() == 0;
    });
  }

  /// carried * factor + sum, in one operation or two.
  bool findUpdate() {
    if (!found.sum.getResult().hasOneUse())
      return false;
    Operation *update = *found.sum.getResult().user_begin();
    if (!isa<math::FmaOp, arith::AddFOp>(update) ||
        !update->getResult(0).hasOneUse())
      return false;
    OpOperand &use = *update->getResult(0).use_begin();
    if (!isa<YieldOp>(use.getOwner()) ||
        use.getOwner()->getBlock() != &stream.getBody().front())
      return false;
    found.update = update;
    found.index = use.getOperandNumber();
    return stream.getCarried()[found.index].hasOneUse();
  }

  bool findUses() {
    Value carried = stream.getResults()[found.index];
    if (!carried.hasOneUse())
      return false;
    found.total = dyn_cast<ReduceOp>(*carried.user_begin());
    if (!found.total || found.total.getKind() != ReduceKind::Sum)
      return false;
    for (Operation *user : found.total.getResult().getUsers()) {
      if (isa<math::Log2Op>(user))
        found.logarithms.push_back(user);
      else if (isa<arith::CmpFOp, arith::SelectOp, arith::DivFOp>(user))
        found.divisions.push_back(user);
      else
        return false;
    }
    return !found.divisions.empty();
  }

  StreamOp stream;
};

class SumRounder {
public:
  SumRounder(StreamOp stream, WeightSum &parts, bool byProducts)
      : stream(stream), parts(parts), byProducts(byProducts),
        b(stream.getContext()) {}

  void run() {
    // Others may use the weights before the products do.
    parts.rounded->moveAfter(parts.rounded.getIn().getDefiningOp());
    if (parts.logarithms.empty()) {
      b.setInsertionPoint(parts.sum);
      b.replaceOp(parts.sum, buildSum());
      return;
    }
    carryAnother();
  }

private:
  Value buildSum() {
    Location loc = parts.sum.getLoc();
    Value weights = arith::ExtFOp::create(b, loc, parts.sum.getTile().getType(),
                                          parts.rounded.getOut());
    auto sum =
        ReduceRegistersOp::create(b, loc, ReduceKind::Sum, weights, byProducts);
    return sum.getResult();
  }

  /// Lets the stream carry the sum of the rounded weights beside the other.
  void carryAnother() {
    unsigned index = parts.index;
    BlockArgument carried = stream.getCarried()[index];
    Block *body = &stream.getBody().front();
    BlockArgument another =
        body->addArgument(carried.getType(), carried.getLoc());
    b.setInsertionPointAfter(parts.update);
    // The factors of both are the same: a product of its own is another one.
    IRMapping map;
    map.map(carried, another);
    map.map(parts.sum.getResult(), buildSum());
    for (Value operand : parts.update->getOperands())
      if (auto product = operand.getDefiningOp<arith::MulFOp>();
          product && llvm::is_contained(product->getOperands(), carried))
        b.clone(*product, map);
    Operation *update = b.clone(*parts.update, map);
    auto yield = cast<YieldOp>(body->getTerminator());
    yield.getValuesMutable().append(update->getResult(0));
    SmallVector<Value> inits(stream.getInits());
    inits.push_back(inits[index]);
    SmallVector<Type> types(stream.getResultTypes());
    types.push_back(inits.back().getType());
    b.setInsertionPoint(stream);
    auto wider = StreamOp::create(
        b, stream.getLoc(), types, stream.getLowers(), stream.getUppers(),
        inits, stream.getTraversalOperands(), stream.getMasked(),
        stream.getStep(), stream.getOrdered(), stream.getTraversal());
    wider->setDiscardableAttrs(llvm::to_vector(stream->getDiscardableAttrs()));
    wider.getBody().takeBody(stream.getBody());
    wider.getProducer().takeBody(stream.getProducer());
    b.setInsertionPointAfter(parts.total);
    auto total = ReduceOp::create(b, parts.total.getLoc(), ReduceKind::Sum,
                                  wider.getResults().back());
    for (Operation *division : parts.divisions)
      division->replaceUsesOfWith(parts.total.getResult(), total.getResult());
    b.replaceOp(stream, wider.getResults().drop_back());
  }

  StreamOp stream;
  WeightSum &parts;
  bool byProducts;
  IRRewriter b;
};

struct RoundSumsPass : attn::impl::AttnRoundSumsBase<RoundSumsPass> {
  using AttnRoundSumsBase::AttnRoundSumsBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    bool byProducts = by == RoundedSums::Products;
    SmallVector<ReduceRegistersOp> sums;
    kernel.walk([&](ReduceRegistersOp sum) {
      if (isa_and_nonnull<StreamOp>(sum->getParentOp()))
        sums.push_back(sum);
    });
    StringRef reason = "no stream sums weights in registers";
    unsigned rounded = 0;
    for (ReduceRegistersOp sum : sums) {
      auto stream = cast<StreamOp>(sum->getParentOp());
      SumMatcher matcher(stream, sum);
      StringRef why = matcher.match();
      if (!why.empty()) {
        reason = why;
        continue;
      }
      SumRounder(stream, matcher.found, byProducts).run();
      ++rounded;
    }
    numSums += rounded;
    if (rounded == 0)
      remarks::emitRoundSumsNone(kernel, reason);
    else
      remarks::emitRoundSums(kernel, rounded,
                             byProducts ? "products" : "registers");
  }
};

} // namespace
