//===- MatchAttention.cpp - Attention in an expression --------------------===//

#include "MatchAttention.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>

using namespace mlir;
using namespace attn::raise;

bool Source::contains(unsigned variable) const {
  return llvm::any_of(
      forms, [&](const IndexForm &form) { return form.contains(variable); });
}

namespace {

/// A number times factors, each to a power.
struct Factors {
  double scale = 1;
  SmallVector<std::pair<const Expr *, double>> all;
};

Factors factorsOf(const Expr *expr) {
  Factors factors;
  if (expr->kind == ExprKind::Linear && expr->operands.size() == 1 &&
      expr->number == 0) {
    factors.scale = expr->coefficients[0];
    expr = expr->operands[0];
  }
  if (expr->kind == ExprKind::Number)
    factors.scale = expr->number;
  else if (expr->kind == ExprKind::Product)
    for (auto [factor, power] :
         llvm::zip_equal(expr->operands, expr->coefficients))
      factors.all.push_back({factor, power});
  else
    factors.all.push_back({expr, 1});
  return factors;
}

bool isExponential(const Expr *expr) {
  return expr->isCall("math.exp") || expr->isCall("math.exp2");
}

class Matcher {
public:
  Matcher(Comprehension &c, AttentionMatch &match) : c(c), match(match) {}

  Refusal run(Value root);

private:
  Refusal takeWeights(const Expr *sum, const Expr *others);
  Refusal matchWeights(const Expr *weights);
  std::pair<const Expr *, const Expr *> takeLogarithm(const Expr *exponential);
  Refusal matchScores(const Expr *exponential, const Expr *sum);
  Refusal matchProduct();
  Refusal matchStart(const Expr *reduction);
  Refusal classify();
  Refusal checkUsers();
  bool isDead(Operation *op, unsigned steps = 8);

  /// The one loop that a reduction has, but for those of one step.
  std::optional<IndexForm> reducedLoop(const Expr *reduction);
  /// What a reduction reduces, along the keys.
  const Expr *alongKeys(const Expr *reduction);
  Path trace(const Expr *read);
  /// The farthest source that has the variable, or the nearest source.
  static void shorten(Path &path, unsigned variable);

  Comprehension &c;
  AttentionMatch &match;
  IndexForm keys;
  const Expr *valueRead = nullptr;
  Operation *rootOp = nullptr;
};

} // namespace

static Refusal refuse(Obstacle obstacle, const Twine &found,
                      Operation *at = nullptr) {
  return {obstacle, found.str(), at};
}

static const Refusal notAttention{Obstacle::NotAttention, {}, nullptr};

std::optional<IndexForm> Matcher::reducedLoop(const Expr *reduction) {
  std::optional<IndexForm> found;
  for (const IndexForm &loop : c.makeReducedLoops(reduction)) {
    if (loop.terms.empty())
      continue;
    if (found)
      return std::nullopt;
    found = loop;
  }
  return found && found->asVariable() ? found : std::nullopt;
}

const Expr *Matcher::alongKeys(const Expr *reduction) {
  SmallVector<IndexForm> loops = c.makeReducedLoops(reduction);
  unsigned numLoops = 0;
  for (IndexForm &loop : loops) {
    if (loop.terms.empty())
      continue;
    std::optional<unsigned> own = loop.asVariable();
    if (++numLoops > 1 || !own ||
        c.variable(*own).extent != c.variable(match.keyVariable).extent)
      return nullptr;
    loop = keys;
  }
  return numLoops == 1 ? c.deepen(c.reduced(reduction, loops)) : nullptr;
}

Refusal Matcher::matchStart(const Expr *reduction) {
  const Expr *start = c.initial(reduction);
  if (!start)
    return {};
  std::optional<double> number = asNumber(start);
  if (reduction->kind == ExprKind::Sum) {
    if (number == 0.0)
      return {};
    return refuse(Obstacle::Init,
                  "a sum that starts from something else than 0",
                  reduction->op);
  }
  auto type = dyn_cast<FloatType>(getElementTypeOrSelf(
      reduction->op->getResult(unsigned(reduction->number)).getType()));
  if (number && type) {
    double lowest =
        -APFloat::getLargest(type.getFloatSemantics()).convertToDouble();
    if (*number <= lowest)
      return {};
  }
  return refuse(Obstacle::Init,
                "a maximum that starts from a number that scores may be below",
                reduction->op);
}

//===----------------------------------------------------------------------===//
// The second product and the softmax
//===----------------------------------------------------------------------===//

Refusal Matcher::run(Value root) {
  match.root = root;
  rootOp = root.getDefiningOp();
  auto type = cast<RankedTensorType>(root.getType());
  // Loops of results are told from those of operations by their number.
  constexpr unsigned kResultLoops = 1000;
  for (auto [dim, size] : llvm::enumerate(type.getShape()))
    match.rootForms.push_back(
        c.makeLoop(rootOp, kResultLoops + dim, size, root, dim));
  const Expr *result = c.read(root, match.rootForms);
  if (!result || c.wantsSplit())
    return notAttention;
  Factors factors = factorsOf(result);
  Refusal first = notAttention;
  for (auto [number, each] : llvm::enumerate(factors.all)) {
    auto [sum, power] = each;
    if (sum->kind != ExprKind::Sum || power != 1)
      continue;
    const Expr *others = c.makeNumber(factors.scale, sum->type);
    for (auto [other, otherFactor] : llvm::enumerate(factors.all))
      if (other != number)
        others = c.makeMul(others, otherFactor.second > 0
                                       ? otherFactor.first
                                       : c.makeReciprocal(otherFactor.first));
    Refusal refusal = takeWeights(sum, others);
    if (!refusal)
      return refusal;
    if (first.is(Obstacle::NotAttention))
      first = refusal;
  }
  return first;
}

/// Whether a denominator has a sum, and not only exponentials of sums as that
/// of a sigmoid has.
static bool dividesBySum(const Expr *denominator) {
  SmallVector<const Expr *> worklist{denominator};
  llvm::SmallPtrSet<const Expr *, 8> seen;
  while (!worklist.empty()) {
    const Expr *expr = worklist.pop_back_val();
    if (expr->kind == ExprKind::Sum)
      return true;
    if (!isExponential(expr) && seen.insert(expr).second)
      llvm::append_range(worklist, expr->operands);
  }
  return false;
}

/// Whether this is made from a softmax, or nearly one.
static bool looksLikeSoftmax(Comprehension &c, const Expr *weights) {
  bool hasExponential = false, hasRows = false;
  c.walk(weights, [&](const Expr *inner) {
    hasExponential |= isExponential(inner);
    hasRows |= inner->kind == ExprKind::Maximum;
    if (inner->kind == ExprKind::Product)
      for (auto [factor, power] :
           llvm::zip_equal(inner->operands, inner->coefficients))
        hasRows |= power < 0 && dividesBySum(factor);
  });
  return hasExponential && hasRows;
}

Refusal Matcher::takeWeights(const Expr *sum, const Expr *others) {
  std::optional<IndexForm> loop = reducedLoop(sum);
  if (!loop)
    return notAttention;
  keys = *loop;
  match.keyVariable = *loop->asVariable();
  SmallVector<IndexForm> loops = c.makeReducedLoops(sum);
  for (IndexForm &each : loops)
    if (!each.terms.empty())
      each = keys;
  const Expr *body = c.reduced(sum, loops);
  if (!body)
    return notAttention;
  Factors factors = factorsOf(body);
  Refusal first = notAttention;
  for (auto [number, each] : llvm::enumerate(factors.all)) {
    const Expr *read = each.first;
    if (read->kind != ExprKind::Read || each.second != 1 ||
        !c.dependsOnVariable(read, match.keyVariable))
      continue;
    // Else the other operand may be the values, which are not to be looked
    // through.
    if (!llvm::any_of(factors.all, [&](const auto &other) {
          return other.first != read &&
                 (other.first->kind != ExprKind::Read ||
                  mayHoldExponentials(other.first->value));
        }))
      continue;
    const Expr *weights =
        c.makeMul(others, c.makeNumber(factors.scale, sum->type));
    match.weightType = {};
    for (auto [other, otherFactor] : llvm::enumerate(factors.all)) {
      if (other == number)
        continue;
      const Expr *deep = c.deepen(otherFactor.first);
      if (otherFactor.first->kind == ExprKind::Read &&
          c.dependsOnVariable(otherFactor.first, match.keyVariable))
        match.weightType = getElementTypeOrSelf(otherFactor.first->value);
      weights = c.makeMul(
          weights, otherFactor.second > 0 ? deep : c.makeReciprocal(deep));
    }
    if (!weights || c.wantsSplit() || !looksLikeSoftmax(c, weights))
      continue;
    valueRead = read;
    Refusal refusal = matchWeights(weights);
    if (!refusal)
      refusal = matchStart(sum);
    if (!refusal || !first.is(Obstacle::NotAttention) || c.wantsSplit())
      return refusal;
    first = refusal;
  }
  return first;
}

/// exp(s - log(sum)) is exp(s) / sum: both of these, or what was given.
std::pair<const Expr *, const Expr *>
Matcher::takeLogarithm(const Expr *exponential) {
  const Expr *argument = exponential->operands[0];
  StringRef logarithm =
      exponential->isCall("math.exp2") ? "math.log2" : "math.log";
  const Expr *sum = nullptr;
  if (argument->kind != ExprKind::Linear)
    return {exponential, sum};
  const Expr *rest = c.makeNumber(argument->number, argument->type);
  for (auto [term, coefficient] :
       llvm::zip_equal(argument->operands, argument->coefficients)) {
    if (!sum && coefficient == -1 && term->isCall(logarithm) &&
        term->operands[0]->kind == ExprKind::Sum)
      sum = term->operands[0];
    else
      rest = c.makeAdd(rest, term, coefficient);
  }
  if (!sum)
    return {exponential, sum};
  return {c.makeCall(exponential->name, exponential->type, {rest}), sum};
}

Refusal Matcher::matchWeights(const Expr *weights) {
  Factors factors = factorsOf(weights);
  const Expr *exponential = nullptr, *sum = nullptr;
  bool isOther = factors.scale != 1;
  for (auto [factor, power] : factors.all) {
    if (power == 1 && isExponential(factor) && !exponential)
      exponential = factor;
    else if (power == -1 && factor->kind == ExprKind::Sum && !sum)
      sum = factor;
    else if (power == -1 && !sum)
      return refuse(Obstacle::Sum, "a denominator that is more, or less, than "
                                   "the sum of the exponentials");
    else
      isOther = true;
  }
  if (exponential && !sum)
    std::tie(exponential, sum) = takeLogarithm(exponential);
  bool isWide = false;
  c.walk(weights, [&](const Expr *inner) { isWide |= inner->type.isF64(); });
  if (isWide)
    return refuse(Obstacle::Types, "scores or weights of f64");
  if (!exponential || isOther)
    return refuse(Obstacle::Weights,
                  "weights that are more than an exponential over a sum");
  if (!sum)
    return refuse(Obstacle::NoSum, "exponentials that no sum divides");
  if (Refusal refusal = matchScores(exponential, sum))
    return refusal;
  if (Refusal refusal = matchProduct())
    return refusal;
  if (Refusal refusal = classify())
    return refusal;
  return checkUsers();
}

Refusal Matcher::matchScores(const Expr *exponential, const Expr *sum) {
  const Expr *argument = exponential->operands[0];
  const Expr *maximum = nullptr;
  double factor = 0;
  const Expr *rest =
      c.makeNumber(argument->kind == ExprKind::Linear ? argument->number : 0,
                   argument->type);
  if (argument->kind == ExprKind::Linear)
    for (auto [term, coefficient] :
         llvm::zip_equal(argument->operands, argument->coefficients)) {
      if (term->kind == ExprKind::Maximum && coefficient < 0 && !maximum) {
        maximum = term;
        factor = -coefficient;
      } else {
        rest = c.makeAdd(rest, term, coefficient);
      }
    }
  if (!maximum)
    return refuse(Obstacle::NoMaximum,
                  "exponentials of scores that no maximum was taken from");
  const Expr *under = alongKeys(maximum);
  if (!under || c.makeScaled(under, factor) != rest)
    return refuse(Obstacle::Maximum,
                  "a maximum of something else than the scores of a query",
                  maximum->op);
  if (Refusal refusal = matchStart(maximum))
    return refusal;
  if (alongKeys(sum) != exponential)
    return refuse(Obstacle::Sum,
                  "a sum of something else than the exponentials of a query",
                  sum->op);
  if (Refusal refusal = matchStart(sum))
    return refusal;
  bool isBase2 = exponential->isCall("math.exp2");
  match.scores = isBase2 ? c.makeScaled(rest, llvm::numbers::ln2) : rest;
  match.softmax = {maximum, sum, factor, isBase2};
  return {};
}

//===----------------------------------------------------------------------===//
// The first product
//===----------------------------------------------------------------------===//

Path Matcher::trace(const Expr *read) {
  Path path{{read->value, read->forms, 1}};
  constexpr unsigned kMostSteps = 32;
  while (path.size() < kMostSteps) {
    const Source &last = path.back();
    const Expr *step = c.readStep(last.tensor, last.forms);
    c.dropSplit();
    double scale = last.scale;
    if (step && step->kind == ExprKind::Linear && step->operands.size() == 1 &&
        step->number == 0) {
      scale *= step->coefficients[0];
      step = step->operands[0];
    }
    if (!step || step->kind != ExprKind::Read)
      break;
    c.visited.insert(last.tensor.getDefiningOp());
    path.push_back({step->value, step->forms, scale});
  }
  return path;
}

Refusal Matcher::matchProduct() {
  SmallVector<const Expr *> sums;
  c.walk(match.scores, [&](const Expr *inner) {
    if (inner->kind == ExprKind::Sum)
      sums.push_back(inner);
  });
  llvm::sort(sums, [](const Expr *a, const Expr *b) { return a->id < b->id; });
  size_t most = 0;
  const Expr *queryRead = nullptr, *keyRead = nullptr;
  for (const Expr *sum : sums) {
    std::optional<IndexForm> loop = reducedLoop(sum);
    if (!loop)
      continue;
    SmallVector<IndexForm> loops = c.makeReducedLoops(sum);
    for (IndexForm &each : loops)
      if (!each.terms.empty())
        each = *loop;
    const Expr *body = c.reduced(sum, loops);
    if (!body)
      continue;
    Factors factors = factorsOf(body);
    if (factors.all.size() != 2 ||
        llvm::any_of(factors.all, [](const auto &factor) {
          return factor.first->kind != ExprKind::Read || factor.second != 1;
        }))
      continue;
    const Expr *lhs = factors.all[0].first, *rhs = factors.all[1].first;
    if (c.dependsOnVariable(lhs, match.keyVariable))
      std::swap(lhs, rhs);
    if (c.dependsOnVariable(lhs, match.keyVariable) ||
        !c.dependsOnVariable(rhs, match.keyVariable))
      continue;
    // Of several, such as of relative positions, that with the most variables.
    size_t numTerms = 0;
    for (const Expr *read : {lhs, rhs})
      for (const IndexForm &form : read->forms)
        numTerms += form.terms.size();
    if (numTerms <= most)
      continue;
    most = numTerms;
    match.product = sum;
    match.productScale = factors.scale;
    match.qkVariable = *loop->asVariable();
    queryRead = lhs;
    keyRead = rhs;
  }
  if (!match.product)
    return refuse(Obstacle::Product,
                  "scores without a product of queries and keys over one "
                  "dimension");
  if (Refusal refusal = matchStart(match.product))
    return refusal;
  // Only what all three share may be taken apart.
  DenseSet<unsigned> shared;
  for (const IndexForm &form : queryRead->forms)
    for (auto [variable, stride] : form.terms)
      if (c.dependsOnVariable(keyRead, variable) &&
          c.dependsOnVariable(valueRead, variable))
        shared.insert(variable);
  c.splittable = &shared;
  // A split that an operand asks for is taken like any other.
  for (const Expr *read : {queryRead, keyRead, valueRead}) {
    const Expr *step = c.readStep(read->value, read->forms);
    for (unsigned i = 0; i < 16 && step && !c.wantsSplit(); ++i) {
      Factors factors = factorsOf(step);
      if (factors.all.size() != 1 ||
          factors.all[0].first->kind != ExprKind::Read)
        break;
      step =
          c.readStep(factors.all[0].first->value, factors.all[0].first->forms);
    }
    if (c.wantsSplit()) {
      c.splittable = nullptr;
      return notAttention;
    }
  }
  match.query = trace(queryRead);
  match.key = trace(keyRead);
  match.value = trace(valueRead);
  c.splittable = nullptr;
  return {};
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

void Matcher::shorten(Path &path, unsigned variable) {
  while (path.size() > 1 && !path.back().contains(variable))
    path.pop_back();
}

Refusal Matcher::classify() {
  SmallVector<unsigned> outer;
  for (const IndexForm &form : match.rootForms)
    for (auto [variable, stride] : form.terms)
      outer.push_back(variable);
  // Where only some of the operands are broadcast, the others' variables say
  // how far to look through that.
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned variable : outer) {
      bool q = match.query.back().contains(variable),
           k = match.key.back().contains(variable),
           v = match.value.back().contains(variable);
      auto require = [&](Path &path) {
        size_t before = path.size();
        shorten(path, variable);
        changed |= path.size() != before;
      };
      if (k && !q)
        require(match.query);
      if (v && !k && q)
        require(match.key);
      if (k && !v)
        require(match.value);
      if (v && !q && match.query.front().contains(variable))
        require(match.query);
    }
  }
  SmallVector<unsigned> values;
  for (unsigned variable : outer) {
    bool q = match.query.back().contains(variable),
         k = match.key.back().contains(variable),
         v = match.value.back().contains(variable);
    if (q && k && v)
      match.batch.push_back(variable);
    else if (q && !k && !v)
      match.queryLike.push_back(variable);
    else if (!q && !k && v)
      values.push_back(variable);
    else
      return refuse(Obstacle::Operands,
                    "queries, keys and values that do not share their batch "
                    "and head dimensions",
                    match.product->op);
  }
  bool keysOnly = match.key.back().contains(match.keyVariable) &&
                  match.value.back().contains(match.keyVariable) &&
                  match.query.back().contains(match.qkVariable) &&
                  match.key.back().contains(match.qkVariable);
  if (values.size() != 1 || !keysOnly)
    return refuse(Obstacle::Operands,
                  "values that do not have one dimension of their own",
                  match.product->op);
  match.valueVariable = values[0];
  return {};
}

//===----------------------------------------------------------------------===//
// Users
//===----------------------------------------------------------------------===//

/// Whether nothing uses what an operation computes, at some length.
bool Matcher::isDead(Operation *op, unsigned steps) {
  if (steps == 0 || !isMemoryEffectFree(op) ||
      op->hasTrait<OpTrait::IsTerminator>())
    return false;
  if (!llvm::all_of(op->getUsers(),
                    [&](Operation *user) { return isDead(user, steps - 1); }))
    return false;
  // It goes with what it uses.
  c.visited.insert(op);
  return true;
}

Refusal Matcher::checkUsers() {
  SmallVector<Operation *> worklist{match.product->op};
  llvm::SmallPtrSet<Operation *, 16> seen{match.product->op};
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val();
    for (Operation *user : op->getUsers()) {
      if (user == rootOp)
        continue;
      bool isOther = !c.visited.contains(user) && !isDead(user);
      if (isOther && !match.lse) {
        match.lse = matchLogSumExp(c, match.softmax, user, rootOp);
        if (c.wantsSplit())
          return notAttention;
        isOther = !match.lse;
      }
      if (isOther)
        return refuse(Obstacle::Users,
                      "scores or probabilities that something else uses", user);
      if (match.lse && user == match.lse->value.getDefiningOp())
        continue;
      if (seen.insert(user).second)
        worklist.push_back(user);
    }
  }
  return {};
}

Refusal attn::raise::matchAttention(Comprehension &c, Value root,
                                    AttentionMatch &match) {
  return Matcher(c, match).run(root);
}
