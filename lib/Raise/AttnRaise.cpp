//===- AttnRaise.cpp - Attention in linalg and tosa, found ----------------===//

#include "BuildAttention.h"
#include "MatchAttention.h"
#include "OperationReader.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Raise/AttentionLike.h"
#include "attn-mlir/Raise/Passes.h"
#include "attn-mlir/Raise/Remarks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"

namespace attn {
#define GEN_PASS_DEF_ATTNRAISE
#include "attn-mlir/Raise/Passes.h.inc"
} // namespace attn

using namespace mlir;
using namespace attn;
using namespace attn::raise;

/// Whether this sums over products, as far as its loops tell.
static bool isContraction(Operation *op) {
  if (isa<tosa::MatMulOp>(op))
    return true;
  auto linalg = dyn_cast<linalg::LinalgOp>(op);
  if (!linalg || linalg.getNumReductionLoops() == 0 ||
      linalg->getNumResults() != 1 || linalg.getNumDpsInputs() < 2)
    return false;
  std::optional<LinalgReduction> reduction = findReduction(linalg, 0);
  return reduction && reduction->kind == ExprKind::Sum;
}

/// Whether this computes elements of its only result from elements of operands.
static bool isElementwise(Operation *op) {
  if (op->getNumResults() != 1 || op->getNumRegions() > 1 ||
      !isa<RankedTensorType>(op->getResult(0).getType()))
    return false;
  if (auto linalg = dyn_cast<linalg::LinalgOp>(op))
    return linalg.getNumReductionLoops() == 0;
  if (isa<tosa::TosaDialect>(op->getDialect()))
    return !isContraction(op);
  return isa<arith::ArithDialect, math::MathDialect>(op->getDialect()) ||
         isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
             op);
}

/// Whether this changes the order of dimensions or the type alone.
static bool isTransposeOrCast(Operation *op) {
  if (isa<linalg::TransposeOp, tosa::TransposeOp, tosa::CastOp, arith::TruncFOp,
          arith::ExtFOp, tosa::IdentityOp>(op))
    return true;
  auto generic = dyn_cast<linalg::GenericOp>(op);
  if (!generic || generic.getNumDpsInputs() != 1)
    return false;
  // A body that yields its input, or a cast of it.
  Value yielded = generic.getBlock()->getTerminator()->getOperand(0);
  Operation *cast = yielded.getDefiningOp();
  if (isa_and_nonnull<arith::TruncFOp, arith::ExtFOp>(cast))
    yielded = cast->getOperand(0);
  return yielded == generic.getBlock()->getArgument(0) &&
         llvm::all_of(generic.getIndexingMapsArray(),
                      [](AffineMap map) { return map.isPermutation(); });
}

namespace {

/// Says why an operation stays.
void emitMissed(Operation *op, const Refusal &refusal) {
  std::optional<StringRef> at;
  if (refusal.at)
    at = refusal.at->getName().getStringRef();
  switch (refusal.obstacle) {
  case Obstacle::None:
  case Obstacle::NotAttention:
    return;
  case Obstacle::Init:
    remarks::emitRaiseInit(op, refusal.found, at);
    return;
  case Obstacle::NoMaximum:
    remarks::emitRaiseNoMaximum(op, refusal.found, at);
    return;
  case Obstacle::Maximum:
    remarks::emitRaiseMaximum(op, refusal.found, at);
    return;
  case Obstacle::NoSum:
    remarks::emitRaiseNoSum(op, refusal.found, at);
    return;
  case Obstacle::Sum:
    remarks::emitRaiseSum(op, refusal.found, at);
    return;
  case Obstacle::Weights:
    remarks::emitRaiseWeights(op, refusal.found, at);
    return;
  case Obstacle::Product:
    remarks::emitRaiseProduct(op, refusal.found, at);
    return;
  case Obstacle::Operands:
    remarks::emitRaiseOperands(op, refusal.found, at);
    return;
  case Obstacle::Users:
    remarks::emitRaiseUsers(op, refusal.found, at);
    return;
  case Obstacle::HeadSizes:
    remarks::emitRaiseHeadSizes(op, refusal.found, at);
    return;
  case Obstacle::Types:
    remarks::emitRaiseTypes(op, refusal.found, at);
    return;
  case Obstacle::EmptyRows:
    remarks::emitRaiseEmptyRows(op, refusal.found, at);
    return;
  case Obstacle::Scores:
    remarks::emitRaiseScores(op, refusal.found, at);
    return;
  }
}

struct AttnRaise : attn::impl::AttnRaiseBase<AttnRaise> {
  using AttnRaiseBase::AttnRaiseBase;

  LogicalResult initialize(MLIRContext *context) override {
    if (maskedRows == "nan" || maskedRows == "zero")
      return success();
    return emitError(UnknownLoc::get(context))
           << "attn-raise: masked-rows expects nan or zero, but got '"
           << maskedRows << "'";
  }

  void runOnOperation() override {
    // Found first: operations that are erased are none of these.
    SmallVector<Operation *> like, contractions;
    getOperation()->walk([&](Operation *op) {
      if (isa<AttentionLikeOpInterface>(op))
        like.push_back(op);
      else if (isContraction(op) && mayHoldWeights(op))
        contractions.push_back(op);
    });
    for (Operation *op : like)
      take(cast<AttentionLikeOpInterface>(op));
    for (Operation *op : contractions)
      raise(op);
  }

private:
  void take(AttentionLikeOpInterface like);
  void raise(Operation *contraction);
  /// Raises a value if it is the result of attention.
  Refusal attempt(Value root);
  void eraseVisited(const Comprehension &c, Operation *root);
};

} // namespace

void AttnRaise::take(AttentionLikeOpInterface like) {
  FailureOr<AttentionDescription> found = like.describeAttention();
  if (failed(found))
    return;
  OpBuilder b(like);
  OperationState state(like->getLoc(), AttentionOp::getOperationName());
  state.addTypes(like->getResultTypes());
  state.addOperands({found->query, found->key, found->value});
  if (found->lengths)
    state.addOperands(found->lengths);
  auto &properties = state.getOrAddProperties<AttentionOp::Properties>();
  properties.scale = b.getF32FloatAttr(found->scale);
  properties.layout = TensorLayoutAttr::get(b.getContext(), found->layout);
  properties.sorted = b.getDenseI64ArrayAttr({});
  properties.valueOrder = ValueOrderAttr::get(b.getContext(), ValueOrder::Rows);
  properties.blockSize = b.getDenseI64ArrayAttr({});
  properties.mask = found->mask;
  properties.operandSegmentSizes = {1, 1, 1, found->lengths ? 1 : 0};
  state.addRegion();
  state.addRegion();
  Operation *op = b.create(state);
  bool isValid = [&] {
    ScopedDiagnosticHandler silence(b.getContext(), [](Diagnostic &) {});
    return succeeded(verify(op));
  }();
  if (!isValid) {
    op->erase();
    ++numMissed;
    remarks::emitRaiseOperands(like,
                               "a description that is no valid attn.attention",
                               like->getName().getStringRef());
    return;
  }
  remarks::emitRaisedLike(like, like->getName().getStringRef());
  like->replaceAllUsesWith(op);
  like->erase();
  ++numRaised;
}

/// Names of the regions that an operation has.
static std::optional<StringRef> regionsOf(AttentionOp op) {
  if (op.hasScoreMod())
    return op.hasMaskRegion() ? "score, keep" : "score";
  return op.hasMaskRegion() ? std::optional<StringRef>("keep") : std::nullopt;
}

static void emitRaised(BuiltAttention &built) {
  AttentionOp op = built.op;
  Type element = op.getQuery().getType().getElementType();
  auto stated = [](bool isSo, StringRef text) {
    return isSo ? std::optional<StringRef>(text) : std::nullopt;
  };
  remarks::emitRaised(op, op.getScale().convertToDouble(),
                      op.getMaskAttr()
                          ? std::optional<Attribute>(op.getMaskAttr())
                          : std::nullopt,
                      stringifyTensorLayout(op.getLayout()),
                      element.isF32()   ? "f32"
                      : element.isF16() ? "f16"
                                        : "bf16",
                      regionsOf(op), stated(built.restoresNaN, "nan"),
                      stated(bool(built.lse), "returned"));
}

/// What used it before the root comes behind the root.
static void replaceLse(LogSumExp &found, Value lse, Operation *root) {
  found.value.replaceAllUsesWith(lse);
  for (Operation *user : found.earlyUsers) {
    user->moveAfter(root);
    root = user;
  }
}

Refusal AttnRaise::attempt(Value root) {
  Splits splits;
  constexpr unsigned kMostSplits = 8;
  for (unsigned attempt = 0; attempt < kMostSplits; ++attempt) {
    Comprehension c(splits);
    AttentionMatch match;
    Refusal refusal = matchAttention(c, root, match);
    if (c.takeSplit())
      continue;
    if (refusal)
      return refusal;
    Operation *rootOp = root.getDefiningOp();
    OpBuilder b(rootOp);
    // What was made for nothing is erased again.
    Operation *before = rootOp->getPrevNode();
    BuiltAttention built;
    refusal = buildAttention(c, match, maskedRows == "nan", b, built);
    if (refusal) {
      while (rootOp->getPrevNode() != before)
        rootOp->getPrevNode()->erase();
      return refusal;
    }
    emitRaised(built);
    root.replaceAllUsesWith(built.result);
    if (match.lse)
      replaceLse(*match.lse, built.lse, rootOp);
    eraseVisited(c, rootOp);
    return {};
  }
  return {Obstacle::Operands, "reshapes that take dimensions apart too often",
          root.getDefiningOp()};
}

void AttnRaise::eraseVisited(const Comprehension &c, Operation *root) {
  // From the root back, so that users go before what they use. What reading did
  // not reach, such as where a sum starts from, goes too.
  SmallVector<Operation *> worklist{root};
  for (Operation *op : c.visited)
    worklist.push_back(op);
  llvm::SmallPtrSet<Operation *, 32> erased;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    if (erased.contains(op) || !op->use_empty() || !isMemoryEffectFree(op))
      continue;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        if (Operation *def = operand.getDefiningOp();
            def && !op->isAncestor(def) &&
            (c.visited.contains(def) ||
             isa<tensor::EmptyOp, linalg::FillOp>(def) ||
             matchPattern(def, m_Constant())))
          worklist.push_back(def);
    });
    erased.insert(op);
    op->erase();
  }
}

/// The value behind transposes and casts that alone use this one, and behind
/// reshapes in front of these.
static Value behindLayout(Value root) {
  Value behind = root;
  while (root.hasOneUse()) {
    Operation *user = *root.user_begin();
    bool isReshape =
        isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tosa::ReshapeOp>(
            user);
    if (!isReshape && !isTransposeOrCast(user))
      break;
    root = user->getResult(0);
    if (!isReshape)
      behind = root;
  }
  return behind;
}

void AttnRaise::raise(Operation *contraction) {
  // Divisions may stand behind the second product.
  constexpr unsigned kMostSteps = 8;
  Value root = contraction->getResult(0);
  Refusal first;
  for (unsigned step = 0; step < kMostSteps; ++step) {
    Value behind = behindLayout(root);
    Refusal refusal = attempt(behind);
    // A cast may be to a type that a result does not have.
    if (behind != root &&
        (refusal.is(Obstacle::Types) || refusal.is(Obstacle::NotAttention)))
      refusal = attempt(root);
    if (!refusal) {
      ++numRaised;
      return;
    }
    if (!first)
      first = refusal;
    // Only weights that are not yet divided by a sum may be so further on.
    if (!refusal.is(Obstacle::NoSum) || !behind.hasOneUse() ||
        !isElementwise(*behind.user_begin()))
      break;
    root = (*behind.user_begin())->getResult(0);
  }
  if (first.is(Obstacle::NotAttention))
    return;
  ++numMissed;
  emitMissed(contraction, first);
}
