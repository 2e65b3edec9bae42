//===- MatchLogSumExp.cpp - Logarithms of sums that a program keeps -------===//

#include "MatchAttention.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace attn::raise;

namespace {

/// Which variable stands for which.
using Renaming = llvm::DenseMap<unsigned, unsigned>;

using Terms = SmallVector<std::pair<unsigned, int64_t>, 2>;

} // namespace

static Terms byStride(const IndexForm &form) {
  Terms terms(form.terms);
  llvm::sort(terms,
             [](const auto &a, const auto &b) { return a.second > b.second; });
  return terms;
}

/// Whether these are the same reduction at the same index, but for the names of
/// variables. Asks for a split where one variable stands for several.
static bool isRenamed(Comprehension &c, const Expr *own, const Expr *other,
                      Renaming &renaming) {
  if (own->kind != other->kind || own->op != other->op ||
      own->number != other->number)
    return false;
  for (auto [ownForm, otherForm] : llvm::zip_equal(own->forms, other->forms)) {
    Terms ownTerms = byStride(ownForm), otherTerms = byStride(otherForm);
    if (ownForm.constant != otherForm.constant)
      return false;
    if (ownTerms.size() != otherTerms.size()) {
      if (ownTerms.size() == 1 && otherTerms.size() > 1 &&
          !ShapedType::isDynamic(otherTerms[otherTerms.size() - 2].second))
        c.divide(ownForm, otherTerms[otherTerms.size() - 2].second);
      return false;
    }
    for (auto [ownTerm, otherTerm] : llvm::zip_equal(ownTerms, otherTerms)) {
      auto known = renaming.try_emplace(ownTerm.first, otherTerm.first).first;
      if (known->second != otherTerm.first ||
          ownTerm.second != otherTerm.second)
        return false;
    }
  }
  return true;
}

static bool isNear(double a, double b) {
  return std::abs(a - b) <= 1e-6 * std::abs(b);
}

/// By what an expression is more than the natural logarithm of the sum, if it
/// is that.
static std::optional<double> matchSum(Comprehension &c, const Expr *expr,
                                      const Softmax &softmax,
                                      Renaming &renaming) {
  if (!expr || expr->kind != ExprKind::Linear || expr->number != 0 ||
      expr->operands.size() != 2)
    return std::nullopt;
  unsigned first = expr->operands[0]->kind == ExprKind::Maximum ? 0 : 1;
  const Expr *maximum = expr->operands[first],
             *logarithm = expr->operands[1 - first];
  bool isLog2 = logarithm->isCall("math.log2");
  if ((!isLog2 && !logarithm->isCall("math.log")) ||
      !isRenamed(c, maximum, softmax.maximum, renaming) ||
      !isRenamed(c, logarithm->operands[0], softmax.sum, renaming))
    return std::nullopt;
  constexpr double ln2 = llvm::numbers::ln2;
  double scale = expr->coefficients[1 - first] / (isLog2 ? ln2 : 1),
         factor = softmax.factor * (softmax.isBase2 ? ln2 : 1);
  if (!isNear(expr->coefficients[first], scale * factor))
    return std::nullopt;
  return isNear(scale, 1) ? 1 : scale;
}

/// The groups of a tensor, by other names.
static std::optional<Groups> renamedGroups(const Comprehension &c, Value value,
                                           ArrayRef<IndexForm> forms,
                                           const Renaming &renaming) {
  std::optional<Groups> groups = groupsOf(c, value, forms);
  if (!groups)
    return std::nullopt;
  for (auto &group : *groups)
    for (unsigned &variable : group) {
      auto known = renaming.find(variable);
      if (known == renaming.end())
        return std::nullopt;
      variable = known->second;
    }
  return groups;
}

/// What depends on a value before `root`, in order; nothing where it has to
/// stay before it.
static std::optional<SmallVector<Operation *>> usersBefore(Value value,
                                                           Operation *root) {
  Block *block = root->getBlock();
  Operation *def = value.getDefiningOp();
  if (def->getBlock() != block)
    return std::nullopt;
  SmallVector<Operation *> users;
  if (!def->isBeforeInBlock(root))
    return users;
  llvm::SmallPtrSet<Operation *, 8> depend{def};
  for (Operation *op = def->getNextNode();; op = op->getNextNode()) {
    bool isUser = op->walk([&](Operation *inner) {
                      for (Value operand : inner->getOperands())
                        if (Operation *own = operand.getDefiningOp();
                            own && depend.contains(own))
                          return WalkResult::interrupt();
                      return WalkResult::advance();
                    }).wasInterrupted();
    if (isUser && (op == root || !isMemoryEffectFree(op)))
      return std::nullopt;
    if (op == root)
      return users;
    if (isUser) {
      depend.insert(op);
      users.push_back(op);
    }
  }
}

std::optional<LogSumExp> attn::raise::matchLogSumExp(Comprehension &c,
                                                     const Softmax &softmax,
                                                     Operation *user,
                                                     Operation *root) {
  constexpr unsigned kMostSteps = 16, kResultLoops = 1000;
  for (unsigned step = 0; step < kMostSteps; ++step) {
    auto type = user->getNumResults() == 1
                    ? dyn_cast<RankedTensorType>(user->getResult(0).getType())
                    : RankedTensorType();
    if (!type || user == root)
      return std::nullopt;
    LogSumExp found;
    found.value = user->getResult(0);
    IndexForms forms;
    for (auto [dim, size] : llvm::enumerate(type.getShape()))
      forms.push_back(
          c.makeLoop(user, kResultLoops + dim, size, found.value, dim));
    const Expr *expr = c.read(found.value, forms);
    c.dropSplit();
    Renaming renaming;
    if (std::optional<double> scale = matchSum(c, expr, softmax, renaming)) {
      std::optional<Groups> groups =
          renamedGroups(c, found.value, forms, renaming);
      auto users = usersBefore(found.value, root);
      if (!groups || !users)
        return std::nullopt;
      found.groups = *groups;
      found.scale = *scale;
      found.earlyUsers = *users;
      return found;
    }
    if (c.wantsSplit() || !user->hasOneUse())
      return std::nullopt;
    user = *user->user_begin();
  }
  return std::nullopt;
}
