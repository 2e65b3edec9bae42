//===- MatchMask.cpp - Masks in a score -----------------------------------===//

#include "MatchMask.h"
#include "attn-mlir/Dialect/Attn/IR/AttnMasks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include <cmath>

using namespace mlir;
using namespace attn;
using namespace attn::raise;

namespace {

/// What hides a key: scores become -inf, or so low that no weight is left.
enum class Fill { None, Infinite, Low };

/// A condition under which keys are seen, and the score of those that are not.
struct Hidden {
  const Expr *condition = nullptr;
  bool negated = false;
  Fill fill = Fill::None;
  /// The score without it.
  const Expr *score = nullptr;
};

/// query * i + key * j + constant + offset * (keys - queries)
struct Distance {
  int64_t query = 0, key = 0, constant = 0, numKeys = 0, numQueries = 0;

  Distance scaled(int64_t by) const {
    return {query * by, key * by, constant * by, numKeys * by, numQueries * by};
  }
  Distance plus(const Distance &other) const {
    return {query + other.query, key + other.key, constant + other.constant,
            numKeys + other.numKeys, numQueries + other.numQueries};
  }
};

class MaskMatcher {
public:
  MaskMatcher(Comprehension &c, const AttentionMatch &match,
              std::optional<unsigned> query)
      : c(c), match(match), query(query) {}

  Refusal run(MaskedScore &result);

private:
  std::optional<Hidden> takeOff(const Expr *score);
  std::optional<Hidden> takeTerm(const Expr *sum, unsigned term);
  std::optional<Distance> distance(const Expr *expr);
  std::optional<Distance> castDistance(const Expr *cast);
  std::optional<Distance> sizeOf(Value scalar);
  std::optional<Band> bandOf(const Expr *condition, bool negated);
  std::optional<Band> compared(StringRef predicate, const Expr *lhs,
                               const Expr *rhs, bool negated);
  std::optional<Band> constantBand(const Expr *read, bool negated);
  MaskInterface attributeFor(const Band &band);

  int64_t extentOf(std::optional<unsigned> variable) const {
    return variable ? c.variable(*variable).extent : 1;
  }

  Comprehension &c;
  const AttentionMatch &match;
  std::optional<unsigned> query;
};

/// -inf has no weight. Nor has what is this far below any score that is not
/// hidden itself.
Fill fillOf(double number) {
  constexpr double kLow = -1e9, kLowestHalf = -65504;
  if (std::isinf(number) && number < 0)
    return Fill::Infinite;
  return number <= kLow || number == kLowestHalf ? Fill::Low : Fill::None;
}

std::optional<Band> intersect(const Band &a, const Band &b) {
  if (a.isEverything())
    return b;
  if (b.isEverything())
    return a;
  if (a.bottomRight != b.bottomRight)
    return std::nullopt;
  Band both = a;
  if (b.lower)
    both.lower = both.lower ? std::max(*both.lower, *b.lower) : *b.lower;
  if (b.upper)
    both.upper = both.upper ? std::min(*both.upper, *b.upper) : *b.upper;
  return both;
}

} // namespace

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

std::optional<Distance> MaskMatcher::sizeOf(Value scalar) {
  auto dim = scalar.getDefiningOp<tensor::DimOp>();
  std::optional<int64_t> index = dim ? dim.getConstantIndex() : std::nullopt;
  if (!index)
    return std::nullopt;
  for (const Path *path : {&match.query, &match.key, &match.value})
    for (const Source &source : *path) {
      if (source.tensor != dim.getSource() ||
          *index >= int64_t(source.forms.size()))
        continue;
      std::optional<unsigned> variable = source.forms[*index].asVariable();
      if (variable && variable == query)
        return Distance{0, 0, 0, 0, 1};
      if (variable == match.keyVariable)
        return Distance{0, 0, 0, 1, 0};
    }
  return std::nullopt;
}

/// Below zero signed and unsigned numbers differ.
static bool mayBeNegative(const Distance &d) {
  return d.query < 0 || d.key < 0 || d.constant < 0 || d.numKeys < 0 ||
         d.numQueries < 0;
}

std::optional<Distance> MaskMatcher::castDistance(const Expr *cast) {
  // Positions fit into 31 bits; in fewer they may wrap around.
  constexpr unsigned kLeastWidth = 32;
  auto integer = dyn_cast<IntegerType>(cast->type);
  if (integer && integer.getWidth() < kLeastWidth)
    return std::nullopt;
  std::optional<Distance> inner = distance(cast->operands[0]);
  bool isUnsigned = cast->name == "arith.extui" ||
                    cast->name == "arith.uitofp" ||
                    cast->name == "arith.index_castui";
  return inner && isUnsigned && mayBeNegative(*inner) ? std::nullopt : inner;
}

std::optional<Distance> MaskMatcher::distance(const Expr *expr) {
  static constexpr StringRef kCasts[] = {
      "arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui",
      "arith.trunci",     "arith.sitofp",       "arith.uitofp"};
  switch (expr->kind) {
  case ExprKind::Integer:
    if (expr->integer.getSignificantBits() > 40)
      return std::nullopt;
    return Distance{0, 0, expr->integer.getSExtValue(), 0, 0};
  case ExprKind::Number:
    if (expr->number != std::floor(expr->number) ||
        std::fabs(expr->number) > 1e9)
      return std::nullopt;
    return Distance{0, 0, int64_t(expr->number), 0, 0};
  case ExprKind::Index: {
    Distance sum{0, 0, expr->forms[0].constant, 0, 0};
    for (auto [variable, stride] : expr->forms[0].terms) {
      if (variable == query)
        sum.query += stride;
      else if (variable == match.keyVariable)
        sum.key += stride;
      else
        return std::nullopt;
    }
    return sum;
  }
  case ExprKind::Scalar:
    return sizeOf(expr->value);
  case ExprKind::Linear: {
    Distance sum;
    std::optional<Distance> start =
        distance(c.makeNumber(expr->number, expr->type));
    for (auto [operand, coefficient] :
         llvm::zip_equal(expr->operands, expr->coefficients)) {
      std::optional<Distance> part = distance(operand);
      if (!part || coefficient != std::floor(coefficient) ||
          std::fabs(coefficient) > 1e6)
        return std::nullopt;
      sum = sum.plus(part->scaled(coefficient));
    }
    return start ? std::optional(sum.plus(*start)) : std::nullopt;
  }
  case ExprKind::Call:
    break;
  default:
    return std::nullopt;
  }
  if (llvm::is_contained(kCasts, expr->name))
    return castDistance(expr);
  bool isSum = expr->name == "arith.addi",
       isProduct = expr->name == "arith.muli";
  if (!isSum && !isProduct && expr->name != "arith.subi")
    return std::nullopt;
  std::optional<Distance> lhs = distance(expr->operands[0]),
                          rhs = distance(expr->operands[1]);
  if (!lhs || !rhs)
    return std::nullopt;
  if (!isProduct)
    return lhs->plus(rhs->scaled(isSum ? 1 : -1));
  auto isConstant = [](const Distance &d) {
    return !d.query && !d.key && !d.numKeys && !d.numQueries;
  };
  if (isConstant(*rhs))
    return lhs->scaled(rhs->constant);
  return isConstant(*lhs) ? std::optional(rhs->scaled(lhs->constant))
                          : std::nullopt;
}

std::optional<Band> MaskMatcher::compared(StringRef predicate, const Expr *lhs,
                                          const Expr *rhs, bool negated) {
  std::optional<Distance> left = distance(lhs), right = distance(rhs);
  if (!left || !right)
    return std::nullopt;
  bool isUnsigned = predicate.consume_front("u");
  if (!isUnsigned && !predicate.consume_front("s"))
    predicate.consume_front("o");
  if (isUnsigned && isa<IntegerType, IndexType>(lhs->type) &&
      (mayBeNegative(*left) || mayBeNegative(*right)))
    return std::nullopt;
  Distance between = left->plus(right->scaled(-1));
  // As j - i + ..., compared with 0.
  bool flipped = between.key < 0;
  if (flipped)
    between = between.scaled(-1);
  if (between.key != 1 || between.query != -1)
    return std::nullopt;
  Band band;
  if (between.numKeys == -1 && between.numQueries == 1)
    band.bottomRight = true;
  else if (between.numKeys != 0 || between.numQueries != 0)
    return std::nullopt;
  bool isLess = predicate == "lt" || predicate == "le",
       isGreater = predicate == "gt" || predicate == "ge",
       isStrict = predicate == "lt" || predicate == "gt";
  if (!isLess && !isGreater)
    return std::nullopt;
  if (negated) {
    isLess = !isLess;
    isStrict = !isStrict;
  }
  if (flipped)
    isLess = !isLess;
  int64_t bound = -between.constant;
  if (isLess)
    band.upper = isStrict ? bound - 1 : bound;
  else
    band.lower = isStrict ? bound + 1 : bound;
  return band;
}

std::optional<Band> MaskMatcher::constantBand(const Expr *read, bool negated) {
  DenseElementsAttr elements;
  if (!matchPattern(read->value, m_Constant(&elements)))
    return std::nullopt;
  int64_t numKeys = extentOf(match.keyVariable), numQueries = extentOf(query);
  constexpr int64_t kMostElements = 1 << 24;
  if (elements.getNumElements() > kMostElements ||
      elements.getNumElements() != numKeys * numQueries || !query)
    return std::nullopt;
  // One dimension of queries before one of keys, and others of size 1.
  SmallVector<unsigned> order;
  for (auto [form, size] :
       llvm::zip_equal(read->forms, elements.getType().getShape())) {
    if (size == 1)
      continue;
    std::optional<unsigned> variable = form.asVariable();
    if (!variable)
      return std::nullopt;
    order.push_back(*variable);
  }
  if (order != SmallVector<unsigned>{*query, match.keyVariable})
    return std::nullopt;
  bool isFloat = isa<FloatType>(elements.getElementType());
  SmallVector<bool> seen;
  seen.reserve(numKeys * numQueries);
  if (isFloat) {
    for (APFloat value : elements.getValues<APFloat>()) {
      bool shown = value.isZero();
      bool losesInfo;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
      if (!shown && fillOf(value.convertToDouble()) == Fill::None)
        return std::nullopt;
      seen.push_back(shown);
    }
  } else {
    for (const APInt &value : elements.getValues<APInt>())
      seen.push_back(value.isZero() == negated);
  }
  // The band that the first row's and column's ends say, checked everywhere.
  auto at = [&](int64_t i, int64_t j) { return seen[i * numKeys + j]; };
  int64_t most = INT64_MIN, least = INT64_MAX;
  for (int64_t i = 0; i < numQueries; ++i)
    for (int64_t j = 0; j < numKeys; ++j)
      if (at(i, j)) {
        most = std::max(most, j - i);
        least = std::min(least, j - i);
      }
  if (most == INT64_MIN)
    return std::nullopt;
  for (int64_t i = 0; i < numQueries; ++i)
    for (int64_t j = 0; j < numKeys; ++j)
      if (at(i, j) != (least <= j - i && j - i <= most))
        return std::nullopt;
  Band band;
  if (most < numKeys - 1)
    band.upper = most;
  if (least > 1 - numQueries)
    band.lower = least;
  return band;
}

std::optional<Band> MaskMatcher::bandOf(const Expr *condition, bool negated) {
  if (condition->kind == ExprKind::Integer)
    return condition->integer.isZero() == negated ? std::optional(Band())
                                                  : std::nullopt;
  if (condition->kind == ExprKind::Read)
    return constantBand(condition, negated);
  if (condition->kind != ExprKind::Call)
    return std::nullopt;
  ArrayRef<const Expr *> operands = condition->operands;
  if (condition->isCall("arith.xori")) {
    for (unsigned side : {0u, 1u})
      if (operands[side]->kind == ExprKind::Integer &&
          operands[side]->integer.isAllOnes())
        return bandOf(operands[1 - side], !negated);
    return std::nullopt;
  }
  if (condition->isCall(negated ? "arith.ori" : "arith.andi")) {
    std::optional<Band> lhs = bandOf(operands[0], negated),
                        rhs = bandOf(operands[1], negated);
    return lhs && rhs ? intersect(*lhs, *rhs) : std::nullopt;
  }
  if (!condition->attributes || operands.size() != 2)
    return std::nullopt;
  Attribute predicate = condition->attributes.get("predicate");
  if (condition->isCall("arith.cmpi"))
    return compared(stringifyCmpIPredicate(arith::CmpIPredicate(
                        cast<IntegerAttr>(predicate).getInt())),
                    operands[0], operands[1], negated);
  if (condition->isCall("arith.cmpf"))
    return compared(stringifyCmpFPredicate(arith::CmpFPredicate(
                        cast<IntegerAttr>(predicate).getInt())),
                    operands[0], operands[1], negated);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Scores
//===----------------------------------------------------------------------===//

/// A term of a sum that is 0 for the keys that are seen.
std::optional<Hidden> MaskMatcher::takeTerm(const Expr *sum, unsigned term) {
  const Expr *operand = sum->operands[term];
  double coefficient = sum->coefficients[term], constant = sum->number;
  Hidden hidden;
  if (operand->kind == ExprKind::Select) {
    std::optional<double> yes = asNumber(operand->operands[1]),
                          no = asNumber(operand->operands[2]);
    if (!yes || !no || (*yes != 0) == (*no != 0))
      return std::nullopt;
    hidden.condition = operand->operands[0];
    hidden.negated = *no == 0;
    hidden.fill = fillOf(coefficient * (*yes + *no));
  } else if (operand->isCall("arith.uitofp") &&
             operand->operands[0]->type.isInteger(1)) {
    // (1 - seen) * low, or hidden * low.
    hidden.condition = operand->operands[0];
    hidden.negated = coefficient < 0;
    hidden.fill = fillOf(-std::fabs(coefficient));
    if (coefficient > 0 && constant != -coefficient)
      return std::nullopt;
    constant = coefficient > 0 ? 0 : constant;
  } else if (operand->kind == ExprKind::Read && coefficient > 0 &&
             constantBand(operand, false)) {
    DenseElementsAttr elements;
    matchPattern(operand->value, m_Constant(&elements));
    hidden.condition = operand;
    double highest = -INFINITY;
    bool allInfinite = true;
    for (APFloat value : elements.getValues<APFloat>()) {
      bool losesInfo;
      value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                    &losesInfo);
      double number = value.convertToDouble() * coefficient;
      if (number == 0)
        continue;
      allInfinite &= std::isinf(number);
      highest = std::max(highest, number);
    }
    hidden.fill = allInfinite ? Fill::Infinite : fillOf(highest);
  }
  if (hidden.fill == Fill::None)
    return std::nullopt;
  const Expr *rest = c.makeNumber(constant, sum->type);
  for (auto [number, other] : llvm::enumerate(sum->operands))
    if (number != term)
      rest = c.makeAdd(rest, other, sum->coefficients[number]);
  hidden.score = rest;
  return hidden;
}

std::optional<Hidden> MaskMatcher::takeOff(const Expr *score) {
  if (score->kind == ExprKind::Select) {
    for (unsigned hiddenSide : {1u, 2u}) {
      std::optional<double> number = asNumber(score->operands[hiddenSide]);
      if (!number || fillOf(*number) == Fill::None)
        continue;
      return Hidden{score->operands[0], hiddenSide == 1, fillOf(*number),
                    score->operands[3 - hiddenSide]};
    }
    return std::nullopt;
  }
  if (score->kind != ExprKind::Linear)
    return std::nullopt;
  for (unsigned term = 0; term < score->operands.size(); ++term)
    if (std::optional<Hidden> hidden = takeTerm(score, term))
      return hidden;
  // A select that a positive factor scales as a whole.
  if (score->operands.size() == 1 && score->number == 0 &&
      score->coefficients[0] > 0 &&
      score->operands[0]->kind == ExprKind::Select)
    if (std::optional<Hidden> hidden = takeOff(score->operands[0])) {
      hidden->score = c.makeScaled(hidden->score, score->coefficients[0]);
      return hidden;
    }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

MaskInterface MaskMatcher::attributeFor(const Band &band) {
  MLIRContext *context = match.root.getContext();
  int64_t numKeys = extentOf(match.keyVariable), numQueries = extentOf(query);
  bool known =
      !ShapedType::isDynamic(numKeys) && !ShapedType::isDynamic(numQueries);
  auto build = [&](int64_t shift, MaskAlign align) -> MaskInterface {
    std::optional<int64_t> left, right;
    if (band.lower)
      left = shift - *band.lower;
    if (band.upper)
      right = *band.upper - shift;
    if ((left && *left < 0) || (right && *right < 0))
      return {};
    if (!left && right == 0)
      return cast<MaskInterface>(
          Attribute(CausalMaskAttr::get(context, align)));
    return cast<MaskInterface>(Attribute(WindowMaskAttr::get(
        context, left.value_or(-1), right.value_or(-1), align)));
  };
  if (band.bottomRight)
    return build(0, MaskAlign::BottomRight);
  MaskInterface topLeft = build(0, MaskAlign::TopLeft);
  if (!known || numKeys == numQueries)
    return topLeft;
  MaskInterface bottomRight =
      build(numKeys - numQueries, MaskAlign::BottomRight);
  bool isCausal = isa_and_nonnull<CausalMaskAttr>(bottomRight);
  return isCausal || !topLeft ? bottomRight : topLeft;
}

namespace {
enum class EmptyRows { Never, Perhaps, Known };
} // namespace

/// Whether some query of a band sees no key.
static EmptyRows emptyRows(const Band &band, int64_t numQueries,
                           int64_t numKeys) {
  if (band.lower && band.upper && *band.lower > *band.upper)
    return EmptyRows::Known;
  bool known =
      !ShapedType::isDynamic(numKeys) && !ShapedType::isDynamic(numQueries);
  int64_t offset = 0;
  if (band.bottomRight) {
    if (!known)
      return EmptyRows::Perhaps;
    offset = numKeys - numQueries;
  }
  if (band.upper && offset + *band.upper < 0)
    return EmptyRows::Known;
  if (!band.lower)
    return EmptyRows::Never;
  if (!known)
    return EmptyRows::Perhaps;
  return numQueries - 1 + offset + *band.lower > numKeys - 1 ? EmptyRows::Known
                                                             : EmptyRows::Never;
}

/// Whether a score reads floats of a key, which may be -inf, or has numbers
/// that add up to that.
static bool mayBeInfinite(Comprehension &c, const Expr *score,
                          const AttentionMatch &match) {
  constexpr double kLarge = 1e30;
  bool found = false;
  c.walk(score, [&](const Expr *inner) {
    found |= inner->kind == ExprKind::Read && isa<FloatType>(inner->type) &&
             c.dependsOnVariable(inner, match.keyVariable);
    found |=
        (inner->kind == ExprKind::Number || inner->kind == ExprKind::Linear) &&
        inner->number < -kLarge;
  });
  return found;
}

Refusal MaskMatcher::run(MaskedScore &result) {
  result.score = match.scores;
  Band band;
  Fill kind = Fill::None;
  SmallVector<Hidden> others;
  constexpr unsigned kMostMasks = 8;
  for (unsigned count = 0; count < kMostMasks; ++count) {
    std::optional<Hidden> hidden = takeOff(result.score);
    // Whole rows of masks of different kinds differ from rows of one.
    if (!hidden || (kind != Fill::None && kind != hidden->fill))
      break;
    std::optional<Band> own = bandOf(hidden->condition, hidden->negated);
    std::optional<Band> both = own ? intersect(band, *own) : std::nullopt;
    if (both && !both->isEverything() && !attributeFor(*both))
      both = std::nullopt;
    // What is no condition can only become an attribute.
    if (!both && !hidden->condition->type.isInteger(1))
      break;
    EmptyRows empty =
        both ? emptyRows(*both, extentOf(query), extentOf(match.keyVariable))
             : EmptyRows::Perhaps;
    if (empty == EmptyRows::Known && hidden->fill == Fill::Infinite)
      return {Obstacle::EmptyRows,
              "a mask that hides all keys from a query, whose result is NaN",
              nullptr};
    // Where whole rows may be hidden, low scores still have weights; likewise
    // where what is left may be as low.
    if (hidden->fill == Fill::Low &&
        (empty != EmptyRows::Never || mayBeInfinite(c, hidden->score, match)))
      break;
    if (both)
      band = *both;
    else
      others.push_back(*hidden);
    kind = hidden->fill;
    result.mayBeEmpty |= empty != EmptyRows::Never;
    result.score = hidden->score;
  }
  if (!band.isEverything())
    result.mask = attributeFor(band);
  for (const Hidden &hidden : others) {
    Type i1 = IntegerType::get(match.root.getContext(), 1);
    result.keep.push_back(
        hidden.negated
            ? c.makeCall("arith.xori", i1,
                         {hidden.condition, c.makeInteger(APInt(1, 1), i1)})
            : hidden.condition);
  }
  result.mayBeEmpty |= mayBeInfinite(c, result.score, match);
  return {};
}

Refusal attn::raise::matchMask(Comprehension &c, const AttentionMatch &match,
                               std::optional<unsigned> query,
                               MaskedScore &result) {
  return MaskMatcher(c, match, query).run(result);
}
