//===- MaskBounds.cpp - Bounds of keys from a mask region -----------------===//
//
// Interval arithmetic. A condition on the key, e(key) >= t or e(key) <= t with
// e monotone, bounds the key by the inverse of e at t. Where t depends on the
// query, it lies in an interval over a block of queries: its weaker end bounds
// the keys that some query sees, its stronger end those that every query does.
//
//===----------------------------------------------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/MaskBounds.h"
#include "RegionNumbers.h"
#include "SortedSearch.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace attn;
using arith::CmpIPredicate;

namespace {

/// Arithmetic on ranges of keys.
struct RangeBuilder : IndexBuilder {
  Value minOrNull(Value x, Value y) const {
    return x && y ? minS(x, y) : (x ? x : y);
  }
  Value maxOrNull(Value x, Value y) const {
    return x && y ? maxS(x, y) : (x ? x : y);
  }

  KeyRange both(const KeyRange &x, const KeyRange &y) const {
    return {maxOrNull(x.lo, y.lo), maxOrNull(x.fullLo, y.fullLo),
            minOrNull(x.fullHi, y.fullHi), minOrNull(x.hi, y.hi),
            x.partial || y.partial};
  }

  /// What holds every key of either, and of what every query sees the longer.
  KeyRange either(const KeyRange &x, const KeyRange &y, Value keys) const {
    KeyRange range;
    range.lo = x.lo && y.lo ? minS(x.lo, y.lo) : Value();
    range.hi = x.hi && y.hi ? maxS(x.hi, y.hi) : Value();
    range.partial = x.partial && y.partial;
    if (range.partial)
      return range;
    auto fullOf = [&](const KeyRange &r) {
      return std::pair(r.fullLo ? r.fullLo : constant(0),
                       r.fullHi ? r.fullHi : keys);
    };
    auto [xLo, xHi] = fullOf(x.partial ? y : x);
    auto [yLo, yHi] = fullOf(y.partial ? x : y);
    Value longer = compare(CmpIPredicate::sge, sub(xHi, xLo), sub(yHi, yLo));
    range.fullLo = select(longer, xLo, yLo);
    range.fullHi = select(longer, xHi, yHi);
    return range;
  }
};

/// One region at one place.
class RegionBounds : RegionNumbers {
public:
  RegionBounds(OpBuilder &b, Location loc, Block &body,
               const RegionPlace &place)
      : RegionNumbers(b, loc, body, place), ranges{{b, loc}} {}

  /// `known`, restricted by all conditions that hold together: those on sorted
  /// captures last, so that there is less to search.
  KeyRange run(KeyRange known) {
    SetVector<Value> together;
    together.insert(body.getTerminator()->getOperand(0));
    for (size_t i = 0; i < together.size(); ++i)
      if (auto both = together[i].getDefiningOp<arith::AndIOp>())
        together.insert_range(both->getOperands());
    SmallVector<SortedCondition> searched;
    KeyRange own{};
    for (Value condition : together) {
      if (condition.getDefiningOp<arith::AndIOp>())
        continue;
      if (std::optional<SortedCondition> sorted = asSorted(condition))
        searched.push_back(*sorted);
      else
        own = ranges.both(own, rangeOf(condition, /*isTrue=*/true));
    }
    KeyRange range = ranges.both(known, orNothing(own));
    for (const SortedCondition &condition : searched)
      range = search(range, condition);
    return range;
  }

private:
  /// A range, or none where captured numbers are too large for bounds to be
  /// known to be right.
  KeyRange orNothing(KeyRange range) {
    auto orElse = [&](Value &bound, Value otherwise) {
      if (bound && valid)
        bound = m.select(valid, bound, otherwise);
    };
    orElse(range.lo, m.zero());
    orElse(range.hi, place.keys);
    orElse(range.fullLo, place.keys);
    orElse(range.fullHi, m.zero());
    return range;
  }

  //===--------------------------------------------------------------------===//
  // Sorted captures
  //===--------------------------------------------------------------------===//

  /// A number that the key picks from a sorted capture, compared with what does
  /// not depend on it.
  struct SortedCondition {
    CmpIPredicate predicate;
    GatherOp gather;
    SmallVector<Value> indices;
    Interval other;
    /// Whether all numbers that it depends on lie inside of tensors.
    Value inside;
  };

  /// What is read from a tensor, if a value is that number whatever it is cast
  /// to: an index has the 64 bits of the widest.
  static GatherOp elementOf(Value value) {
    auto bitsOf = [](Value x) {
      return x.getType().isIndex() ? 64 : x.getType().getIntOrFloatBitWidth();
    };
    unsigned narrowest = 64;
    for (; auto cast = value.getDefiningOp<arith::IndexCastOp>();
         value = cast.getIn())
      narrowest = std::min(narrowest, bitsOf(value));
    auto gather = value.getDefiningOp<GatherOp>();
    return gather && bitsOf(value) <= narrowest ? gather : GatherOp();
  }

  bool isSorted(GatherOp gather) {
    return llvm::is_contained(place.sorted, int64_t(captureOf(gather)));
  }

  /// Compares an index of the last dimension with its size.
  Value compareWithSize(GatherOp gather, CmpIPredicate predicate, Value index) {
    Value view = place.captures[captureOf(gather)];
    int64_t last = cast<ViewType>(view.getType()).getRank() - 1;
    return m.compare(predicate, index, DimOp::create(m.b, m.loc, view, last));
  }

  /// What the queries read from a sorted capture, or anything else that an
  /// interval is known of. `inside` is set where they do: whether all may.
  std::optional<Interval> sortedInterval(Value value, Value &inside) {
    GatherOp gather = elementOf(value);
    if (!gather || !isSorted(gather))
      return intervalOf(value);
    auto points = pointsOf(gather.getIndices().drop_back());
    auto last = intervalOf(gather.getIndices().back());
    if (!points || !last)
      return std::nullopt;
    auto read = [&](Value index) -> Value {
      SmallVector<Value> all(*points);
      all.push_back(index);
      return ReadOp::create(m.b, m.loc, place.captures[captureOf(gather)], all);
    };
    inside =
        m.logicalAnd(m.compare(CmpIPredicate::sge, last->lo, m.zero()),
                     compareWithSize(gather, CmpIPredicate::slt, last->hi));
    return Interval{read(last->lo), read(last->hi), kMost};
  }

  std::optional<SortedCondition> asSorted(Value condition) {
    auto compare = condition.getDefiningOp<arith::CmpIOp>();
    if (!compare)
      return std::nullopt;
    CmpIPredicate predicate = compare.getPredicate();
    Value lhs = compare.getLhs(), rhs = compare.getRhs();
    if (hasKey(rhs)) {
      std::swap(lhs, rhs);
      predicate = swapped(predicate);
    }
    GatherOp gather = elementOf(lhs);
    if (!gather || !isSorted(gather) || hasKey(rhs) || isUnsigned(predicate) ||
        predicate == CmpIPredicate::ne ||
        gather.getIndices().back() != body.getArgument(kKey))
      return std::nullopt;
    auto indices = pointsOf(gather.getIndices().drop_back());
    Value inside;
    std::optional<Interval> other = sortedInterval(rhs, inside);
    if (!indices || !other)
      return std::nullopt;
    Value all = compareWithSize(gather, CmpIPredicate::sle, place.keys);
    return SortedCondition{predicate, gather, *indices, *other,
                           inside ? m.logicalAnd(inside, all) : all};
  }

  KeyRange search(KeyRange range, const SortedCondition &condition) {
    SortedSearch sorted{{m.b, m.loc},
                        place.captures[captureOf(condition.gather)],
                        condition.indices,
                        place.keys,
                        place.step};
    CmpIPredicate predicate = condition.predicate;
    bool strict =
        predicate == CmpIPredicate::sgt || predicate == CmpIPredicate::slt;
    SortedSearch::Number number{condition.other.lo, condition.other.hi, strict};
    std::optional<SortedSearch::Number> least, most;
    if (predicate != CmpIPredicate::sle && predicate != CmpIPredicate::slt)
      least = number;
    if (predicate != CmpIPredicate::sge && predicate != CmpIPredicate::sgt)
      most = number;
    KeyRange found = sorted.refine(range, least, most);
    // Where numbers may be read from outside, nothing is known.
    auto orElse = [&](Value &bound, Value before, Value otherwise) {
      if (bound)
        bound = m.select(condition.inside, bound, before ? before : otherwise);
    };
    orElse(found.lo, range.lo, m.zero());
    orElse(found.hi, range.hi, place.keys);
    orElse(found.fullLo, {}, place.keys);
    orElse(found.fullHi, {}, m.zero());
    return found;
  }

  //===--------------------------------------------------------------------===//
  // Conditions
  //===--------------------------------------------------------------------===//

  static KeyRange unknown() { return {{}, {}, {}, {}, /*partial=*/true}; }

  Value boolean(bool value) {
    return arith::ConstantOp::create(m.b, m.loc, m.b.getBoolAttr(value));
  }

  /// All keys where some query, and where every query, has the condition.
  KeyRange allWhere(Value possible, Value certain) {
    KeyRange range{};
    range.hi = m.select(possible, place.keys, m.zero());
    range.fullHi = m.select(certain, place.keys, m.zero());
    return range;
  }

  /// The keys for which a condition is true, or false: once for each, since a
  /// region may use a condition in many others.
  KeyRange rangeOf(Value condition, bool isTrue) {
    auto [it, isNew] = computed[isTrue].try_emplace(condition);
    if (!isNew)
      return it->second;
    KeyRange range = computeRange(condition, isTrue);
    return computed[isTrue][condition] = range;
  }

  KeyRange computeRange(Value condition, bool isTrue) {
    if (std::optional<int64_t> number = constantOf(condition)) {
      bool holds = (*number != 0) == isTrue;
      return holds ? KeyRange{} : allWhere(boolean(false), boolean(false));
    }
    Operation *op = condition.getDefiningOp();
    if (auto compare = dyn_cast_or_null<arith::CmpIOp>(op))
      return rangeOfCompare(compare, isTrue);
    if (isa_and_nonnull<arith::AndIOp, arith::OrIOp>(op)) {
      KeyRange x = rangeOf(op->getOperand(0), isTrue),
               y = rangeOf(op->getOperand(1), isTrue);
      return isa<arith::AndIOp>(op) == isTrue ? ranges.both(x, y)
                                              : ranges.either(x, y, place.keys);
    }
    if (isa_and_nonnull<arith::XOrIOp>(op))
      for (unsigned side : {0, 1})
        if (std::optional<int64_t> number = constantOf(op->getOperand(side)))
          return rangeOf(op->getOperand(1 - side), isTrue == (*number == 0));
    if (auto choice = dyn_cast_or_null<arith::SelectOp>(op)) {
      auto branch = [&](Value value, bool chosen) {
        return ranges.both(rangeOf(choice.getCondition(), chosen),
                           rangeOf(value, isTrue));
      };
      return ranges.either(branch(choice.getTrueValue(), true),
                           branch(choice.getFalseValue(), false), place.keys);
    }
    return unknown();
  }

  KeyRange rangeOfCompare(arith::CmpIOp compare, bool isTrue) {
    CmpIPredicate predicate = compare.getPredicate();
    if (!isTrue)
      predicate = arith::invertPredicate(predicate);
    Value lhs = compare.getLhs(), rhs = compare.getRhs();
    if (hasKey(rhs)) {
      std::swap(lhs, rhs);
      predicate = swapped(predicate);
    }
    std::optional<Interval> other = intervalOf(rhs);
    if (!other || !isWide(lhs.getType()))
      return unknown();
    if (isUnsigned(predicate)) {
      if (!isNatural(lhs) || !isNatural(rhs))
        return unknown();
      predicate = asSigned(predicate);
    }
    if (!hasKey(lhs))
      return rangeOfQueries(predicate, lhs, *other);
    Interval one = m.number(1);
    switch (predicate) {
    case CmpIPredicate::eq:
      return ranges.both(atLeast(lhs, *other), atMost(lhs, *other));
    case CmpIPredicate::sge:
      return atLeast(lhs, *other);
    case CmpIPredicate::sgt:
      return atLeast(lhs, m.add(*other, one));
    case CmpIPredicate::sle:
      return atMost(lhs, *other);
    case CmpIPredicate::slt:
      return atMost(lhs, m.sub(*other, one));
    default:
      return unknown();
    }
  }

  /// A condition on the query alone.
  KeyRange rangeOfQueries(CmpIPredicate predicate, Value lhs, Interval rhs) {
    std::optional<Interval> its = intervalOf(lhs);
    if (!its)
      return unknown();
    Interval x = *its;
    if (predicate == CmpIPredicate::sge || predicate == CmpIPredicate::sgt) {
      std::swap(x, rhs);
      predicate = swapped(predicate);
    }
    if (predicate == CmpIPredicate::sle || predicate == CmpIPredicate::slt)
      return allWhere(m.compare(predicate, x.lo, rhs.hi),
                      m.compare(predicate, x.hi, rhs.lo));
    auto le = CmpIPredicate::sle, ge = CmpIPredicate::sge;
    Value meet =
        m.logicalAnd(m.compare(le, x.lo, rhs.hi), m.compare(ge, x.hi, rhs.lo));
    Value same =
        m.logicalAnd(m.compare(ge, x.lo, rhs.hi), m.compare(le, x.hi, rhs.lo));
    if (predicate == CmpIPredicate::eq)
      return allWhere(meet, same);
    auto no = [&](Value c) {
      return m.compare(CmpIPredicate::eq, c, boolean(false));
    };
    return allWhere(no(same), no(meet));
  }

  //===--------------------------------------------------------------------===//
  // Inverses
  //===--------------------------------------------------------------------===//

  /// The keys for which e >= t, t somewhere in the interval.
  KeyRange atLeast(Value e, Interval t) {
    return fits(e) ? solve(e, t, /*atLeast=*/true) : unknown();
  }
  KeyRange atMost(Value e, Interval t) {
    return fits(e) ? solve(e, t, /*atLeast=*/false) : unknown();
  }

  /// How far from zero a number is at most: so many times the keys, and what is
  /// added to them.
  struct Reach {
    int64_t keys, rest;
  };

  /// The reach of what `solve` follows, and of all on the way there; nothing
  /// where it is not followed, or may leave 32 bits for few keys, too.
  std::optional<Reach> reachOf(Value e) {
    if (e == body.getArgument(kKey))
      return Reach{1, 0};
    Operation *op = e.getDefiningOp();
    if (isCast(op))
      return reachOf(op->getOperand(0));
    if (!op || op->getNumOperands() != 2)
      return std::nullopt;
    unsigned side = hasKey(op->getOperand(0)) ? 0 : 1;
    std::optional<Reach> reach = reachOf(op->getOperand(side));
    if (!reach)
      return std::nullopt;
    if (isa<arith::AddIOp, arith::SubIOp>(op)) {
      std::optional<Interval> other = intervalOf(op->getOperand(1 - side));
      if (!other)
        return std::nullopt;
      reach->rest += other->most;
    } else if (isa<arith::MulIOp>(op)) {
      int64_t factor = factorOf(op->getOperand(1)).value_or(kMost);
      if (std::max(reach->keys, reach->rest) >= kMost / factor)
        return std::nullopt;
      *reach = {reach->keys * factor, reach->rest * factor};
    } else if (!isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op)) {
      return std::nullopt;
    }
    return reach;
  }

  /// Whether `solve` may follow an expression. Where it multiplies and there
  /// are too many keys, bounds are not valid.
  bool fits(Value e) {
    std::optional<Reach> reach = reachOf(e);
    // Sums alone have 32 bits: indices and `most` of intervals are bounded.
    if (!reach || reach->keys == 1)
      return reach.has_value();
    if (reach->rest >= kMost)
      return false;
    require(m.compare(CmpIPredicate::sle, place.keys,
                      m.constant((kMost - 1 - reach->rest) / reach->keys)));
    return true;
  }

  KeyRange solve(Value e, Interval t, bool atLeast) {
    if (t.most > kMost)
      return unknown();
    if (e == body.getArgument(kKey)) {
      if (atLeast)
        return {t.lo, t.hi, {}, {}};
      Interval behind = m.add(t, m.number(1));
      return {{}, {}, behind.lo, behind.hi};
    }
    Operation *op = e.getDefiningOp();
    if (isCast(op))
      return solve(op->getOperand(0), t, atLeast);
    if (!op || op->getNumOperands() != 2)
      return unknown();
    if (isa<arith::AddIOp, arith::SubIOp>(op))
      return solveSum(op, t, atLeast);
    Value x = op->getOperand(0);
    std::optional<int64_t> factor = factorOf(op->getOperand(1));
    if (!factor)
      return unknown();
    Interval rest = m.number(*factor - 1);
    if (isa<arith::MulIOp>(op)) {
      // x c >= t where x >= ceil(t / c).
      Interval up = atLeast ? m.add(t, rest) : t;
      return solve(x,
                   {m.floorDiv(up.lo, *factor), m.floorDiv(up.hi, *factor),
                    up.most / *factor + 1},
                   atLeast);
    }
    bool isFloor = isa<arith::FloorDivSIOp>(op) ||
                   (isa<arith::DivUIOp, arith::DivSIOp>(op) && isNatural(x));
    if (!isFloor || t.most > kMost / *factor)
      return unknown();
    // x / c <= t where x <= t c + c - 1.
    Value size = m.constant(*factor);
    Interval from{m.mul(t.lo, size), m.mul(t.hi, size), t.most * *factor};
    return solve(x, atLeast ? from : m.add(from, rest), atLeast);
  }

  KeyRange solveSum(Operation *op, Interval t, bool atLeast) {
    Value x = op->getOperand(0), y = op->getOperand(1);
    bool isSum = isa<arith::AddIOp>(op);
    if (isSum && hasKey(y))
      std::swap(x, y);
    // y - x >= t where x <= y - t.
    bool isTurned = !hasKey(x);
    if (isTurned)
      std::swap(x, y);
    std::optional<Interval> other = intervalOf(y);
    if (!other)
      return unknown();
    if (isTurned)
      return solve(x, m.sub(*other, t), !atLeast);
    return solve(x, isSum ? m.sub(t, *other) : m.add(t, *other), atLeast);
  }

  //===--------------------------------------------------------------------===//
  // Predicates
  //===--------------------------------------------------------------------===//

  static CmpIPredicate swapped(CmpIPredicate predicate) {
    switch (predicate) {
    case CmpIPredicate::slt:
      return CmpIPredicate::sgt;
    case CmpIPredicate::sle:
      return CmpIPredicate::sge;
    case CmpIPredicate::sgt:
      return CmpIPredicate::slt;
    case CmpIPredicate::sge:
      return CmpIPredicate::sle;
    case CmpIPredicate::ult:
      return CmpIPredicate::ugt;
    case CmpIPredicate::ule:
      return CmpIPredicate::uge;
    case CmpIPredicate::ugt:
      return CmpIPredicate::ult;
    case CmpIPredicate::uge:
      return CmpIPredicate::ule;
    default:
      return predicate;
    }
  }

  static bool isUnsigned(CmpIPredicate predicate) {
    return asSigned(predicate) != predicate;
  }

  static CmpIPredicate asSigned(CmpIPredicate predicate) {
    switch (predicate) {
    case CmpIPredicate::ult:
      return CmpIPredicate::slt;
    case CmpIPredicate::ule:
      return CmpIPredicate::sle;
    case CmpIPredicate::ugt:
      return CmpIPredicate::sgt;
    case CmpIPredicate::uge:
      return CmpIPredicate::sge;
    default:
      return predicate;
    }
  }

  RangeBuilder ranges;
  /// Where conditions are false, and where they are true.
  DenseMap<Value, KeyRange> computed[2];
};

} // namespace

KeyRange attn::buildRegionRange(OpBuilder &builder, Location loc, Block &body,
                                const RegionPlace &place,
                                const KeyRange &known) {
  return RegionBounds(builder, loc, body, place).run(known);
}
