//===- OptimisticMax.cpp - Softmax by the maximum that is known -----------===//
//
// A softmax may subtract any number from a row's scores, as long as nothing
// overflows. Takes the maximum of the tiles before, and checks the sums, which
// are needed anyway, for what that would miss.
//
//===----------------------------------------------------------------------===//

#include "StoredRows.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h"
#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNOPTIMISTICMAX
#include "attn-mlir/Dialect/Attn/Transforms/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

Value otherOperand(Operation *op, Value one) {
  if (op->getOperand(0) == one)
    return op->getOperand(1);
  return op->getOperand(1) == one ? op->getOperand(0) : Value();
}

/// The part of a stream's body that follows from a row maximum.
struct Softmax {
  StreamOp stream;
  /// What takes the tile's maximum, from what the stream carries.
  AdvanceOp advance;
  /// What depends on the tile's maximum up to products, in order.
  llvm::SetVector<Operation *> ops;
  /// The sums of exponentials among them.
  SmallVector<Operation *> sums;
  /// What others use of it.
  SmallVector<Value> results;

  /// Whether a value is 1 where the maximum does not rise.
  bool isScale(Value value) {
    if (auto broadcast = value.getDefiningOp<BroadcastOp>())
      return isScale(broadcast.getRows());
    return value == advance.getRescale();
  }
};

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

/// How large weights may become, and how small they begin.
struct Range {
  /// Of a sum of weights.
  double bound = 0;
  /// Binades by which a miss sets the reference above the maximum.
  double lead = 0;
  /// Whether that is so in the first tile, too: where the type of weights has
  /// few exponents, and its range is shared out.
  bool isShared = false;
};

class Rewriter {
public:
  Rewriter(Softmax &parts, const Range &range)
      : parts(parts), range(range), b(parts.stream.getContext()),
        loc(parts.advance.getLoc()) {}

  void run() {
    b.setInsertionPointAfter(parts.ops.back());
    map.map(parts.advance.getFactor(), parts.advance.getFactorBefore());
    map.map(parts.advance.getReference(), parts.advance.getReferenceBefore());
    Value missed;
    for (Operation *sum : parts.sums) {
      Value any = buildCheck(assume(sum->getResult(0)));
      missed = missed ? arith::OrIOp::create(b, loc, missed, any) : any;
    }
    // All of it before the branch: packed exponentials take fewer registers
    // while the scores, which a miss needs, are still there.
    SmallVector<Value> assumed;
    for (Value result : parts.results)
      assumed.push_back(assume(result));
    auto branch =
        scf::IfOp::create(b, loc, ValueRange(parts.results).getTypes(), missed,
                          /*withElse=*/true);
    b.setInsertionPointToStart(branch.thenBlock());
    IRMapping exact;
    for (Operation *op : parts.ops) {
      if (op == parts.advance && range.lead != 0)
        exact.map(parts.advance.getMaximum(),
                  raise(exact.lookup(parts.advance.getMaximum())));
      b.clone(*op, exact);
    }
    scf::YieldOp::create(b, loc,
                         llvm::map_to_vector(parts.results, [&](Value v) {
                           return exact.lookup(v);
                         }));
    b.setInsertionPointToStart(branch.elseBlock());
    scf::YieldOp::create(b, loc, assumed);
    for (auto [result, to] :
         llvm::zip_equal(parts.results, branch.getResults()))
      b.replaceUsesWithIf(result, to, [&](OpOperand &use) {
        return use.getOwner()->getBlock() == branch->getBlock() &&
               !parts.ops.contains(use.getOwner());
      });
    for (Operation *op : llvm::reverse(parts.ops))
      b.eraseOp(op);
  }

private:
  /// Whether any sum is above the bound, or no number. Rows that nobody stores
  /// have no say: they may be those of a neighbour.
  Value buildCheck(Value sums) {
    auto type = cast<RankedTensorType>(sums.getType());
    Value most = arith::ConstantOp::create(
        b, loc, type,
        DenseElementsAttr::get(type, static_cast<float>(range.bound)));
    Value above =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UGT, sums, most);
    if (Value stored = buildStoredRows(b, parts.stream, type))
      above = arith::AndIOp::create(b, loc, above, stored);
    return AnyOp::create(b, loc, above, /*holdsFirst=*/true);
  }

  /// The maximum of the row so far, some binades higher, but for a row that has
  /// seen nothing, unless the range is shared out: of scores that do not grow
  /// the weights are what they are without a lead. That maximum was not
  /// computed in tiles that did not miss, but the sum of the weights is no less
  /// than its weight, and no more than that times the keys.
  Value raise(Value maximum) {
    auto type = cast<RankedTensorType>(maximum.getType());
    auto splat = [&](float value) -> Value {
      return arith::ConstantOp::create(b, loc, type,
                                       DenseElementsAttr::get(type, value));
    };
    if (range.isShared)
      return arith::AddFOp::create(
          b, loc, maximum,
          arith::DivFOp::create(b, loc, splat(static_cast<float>(range.lead)),
                                parts.advance.getFactorBefore()));
    float scale = parts.advance.getScale().convertToFloat();
    Value before = parts.advance.getReferenceBefore();
    Value isFirst =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, before,
                              splat(AdvanceOp::getInitial(scale).second));
    Value known = maximum;
    if (Value sum = rowsOfSum(type)) {
      Value log = math::Log2Op::create(b, loc, sum);
      Value most = arith::DivFOp::create(
          b, loc, arith::AddFOp::create(b, loc, before, log),
          parts.advance.getFactorBefore());
      known = arith::MaximumFOp::create(b, loc, maximum, most);
    }
    Value higher = arith::AddFOp::create(
        b, loc, known,
        splat(static_cast<float>(range.lead /
                                 AdvanceOp::getFactors(scale).first)));
    return arith::SelectOp::create(b, loc, isFirst, maximum, higher);
  }

  /// What is carried of the sums of weights, one a row; null if it is not
  /// known.
  Value rowsOfSum(RankedTensorType rows) {
    for (BlockArgument carried : parts.stream.getCarried()) {
      auto type = dyn_cast<RankedTensorType>(carried.getType());
      bool isSum = llvm::any_of(carried.getUsers(), [&](Operation *user) {
        return parts.ops.contains(user) &&
               llvm::any_of(parts.sums, [&](Operation *sum) {
                 return llvm::is_contained(sum->getUsers(), user);
               });
      });
      if (!isSum || !type)
        continue;
      if (type == rows)
        return carried;
      if (type.getRank() == 2)
        return ReduceOp::create(b, loc, ReduceKind::Sum, carried);
    }
    return {};
  }

  /// What a value is if the carried maximum is that of the tile, too; built
  /// where it is not there yet.
  Value assume(Value value) {
    if (Value known = map.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (!op || !parts.ops.contains(op))
      return value;
    if (isa<arith::MulFOp>(op))
      for (unsigned i : {0, 1})
        if (parts.isScale(op->getOperand(i)))
          return assume(op->getOperand(1 - i));
    if (auto fma = dyn_cast<math::FmaOp>(op); fma && parts.isScale(fma.getB()))
      return arith::AddFOp::create(b, loc, assume(fma.getA()),
                                   assume(fma.getC()));
    for (Value operand : op->getOperands())
      map.map(operand, assume(operand));
    b.clone(*op, map);
    return map.lookup(value);
  }

  Softmax &parts;
  Range range;
  IRRewriter b;
  Location loc;
  /// From values to what they are assumed to be.
  IRMapping map;
};

/// Whether weights have few exponents.
bool hasF16(const Softmax &parts) {
  return llvm::any_of(parts.results, [](Value result) {
    return getElementTypeOrSelf(result.getType()).isF16();
  });
}

/// Binades that the reference may be ahead. Where an LSE is made of it, or
/// states are stored, exponents are kept so small that f32 has them to 2^-21:
/// the error of one becomes that of a sum which it dominates.
double leadFor(Softmax &parts, int64_t asked) {
  constexpr int64_t kOfLogarithms = 15;
  if (hasF16(parts))
    return 0;
  auto reference = cast<BlockArgument>(parts.advance.getReferenceBefore());
  StreamOp stream = parts.stream;
  if (!stream.getResults()[reference.getArgNumber() - 1].use_empty())
    return static_cast<double>(std::min(asked, kOfLogarithms));
  return static_cast<double>(asked);
}

/// The largest exponential whose sum over the elements of a tile, and whose
/// value in the products' element type, is finite.
double boundFor(const Softmax &parts) {
  constexpr double kBound = 65536;
  return hasF16(parts) ? kBound / 2 : kBound;
}

/// The 8-bit type that weights become, or null.
Type findFloat8(StreamOp stream) {
  Type found;
  stream.walk([&](arith::TruncFOp op) {
    if (Type type = getElementTypeOrSelf(op.getType()); isFloat8(type))
      found = type;
  });
  return found;
}

/// The most weights that a sum is of.
int64_t weightsOfSum(const Softmax &parts) {
  int64_t most = 1;
  for (Operation *sum : parts.sums) {
    auto from = cast<RankedTensorType>(sum->getOperand(0).getType()),
         to = cast<RankedTensorType>(sum->getResult(0).getType());
    most = std::max(most, from.getNumElements() / to.getNumElements());
  }
  return most;
}

/// That of 8-bit weights, which are relative to the reference less the binades
/// of their type: as many of the largest scores as a sum has do not miss, and
/// the rest of the range is for scores that grow. Nothing where units of rows
/// may change, or no range is left.
std::optional<Range> rangeOfFloat8(Softmax &parts, Type type) {
  double largest = largestOfFloat8(type);
  auto most = static_cast<int64_t>(std::floor(
      std::log2(largest / static_cast<double>(weightsOfSum(parts)))));
  if (!parts.advance.getSteady() || most < 0)
    return std::nullopt;
  double lead = static_cast<double>(binadesOfFloat8(type) - most);
  return Range{largest, lead, /*isShared=*/true};
}

struct OptimisticMaxPass
    : attn::impl::AttnOptimisticMaxBase<OptimisticMaxPass> {
  using AttnOptimisticMaxBase::AttnOptimisticMaxBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (lead < 0 || lead > kMostLead) {
      emitError(kernel.getLoc()) << "expected a lead of 0 to " << kMostLead
                                 << " binades, but got " << lead.getValue();
      return signalPassFailure();
    }
    SmallVector<StreamOp> streams;
    kernel.walk([&](StreamOp stream) { streams.push_back(stream); });
    if (streams.empty())
      remarks::emitOptimisticMaxNoStream(kernel);
    for (StreamOp stream : streams) {
      SoftmaxStreamMatcher matcher(stream, positions);
      if (failed(matcher.match()))
        continue;
      Softmax &parts = matcher.parts;
      std::optional<Range> range = Range{boundFor(parts), leadFor(parts, lead)};
      if (Type narrow = findFloat8(stream))
        range = rangeOfFloat8(parts, narrow);
      if (!range) {
        (void)remarks::emitOptimisticMaxNarrow(stream);
        continue;
      }
      Rewriter(parts, *range).run();
      ++numStreams;
      remarks::emitOptimisticMax(stream, range->bound);
    }
  }
};

} // namespace
