//===- RegionNumbers.cpp - Numbers that a region computes -----------------===//

#include "RegionNumbers.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn;
using arith::CmpIPredicate;

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

bool RegionNumbers::hasKey(Value value) {
  auto [it, isNew] = keyed.try_emplace(value, false);
  if (!isNew)
    return it->second;
  bool result = value == body.getArgument(kKey);
  if (Operation *op = value.getDefiningOp())
    for (Value operand : op->getOperands())
      result |= hasKey(operand);
  return keyed[value] = result;
}

std::optional<int64_t> RegionNumbers::constantOf(Value value) {
  APInt number;
  if (!matchPattern(value, m_ConstantInt(&number)) ||
      number.getSignificantBits() > 32)
    return std::nullopt;
  return number.getSExtValue();
}

std::optional<int64_t> RegionNumbers::factorOf(Value value) {
  std::optional<int64_t> number = constantOf(value);
  return number && *number > 0 && *number <= kMost ? number : std::nullopt;
}

bool RegionNumbers::isNatural(Value value) {
  auto [it, isNew] = natural.try_emplace(value, false);
  if (!isNew)
    return it->second;
  bool result = computeNatural(value);
  return natural[value] = result;
}

bool RegionNumbers::computeNatural(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return argument.getArgNumber() <= kKey;
  if (std::optional<int64_t> number = constantOf(value))
    return *number >= 0;
  Operation *op = value.getDefiningOp();
  return isa<arith::AddIOp, arith::MulIOp, arith::DivUIOp, arith::DivSIOp,
             arith::FloorDivSIOp, arith::RemUIOp, arith::RemSIOp,
             arith::MinSIOp, arith::IndexCastOp, arith::IndexCastUIOp,
             arith::ExtSIOp, arith::ExtUIOp>(op) &&
         llvm::all_of(op->getOperands(),
                      [&](Value operand) { return isNatural(operand); });
}

bool RegionNumbers::isWide(Type type) {
  return type.isIndex() || type.isInteger(32) || type.isInteger(64);
}

bool RegionNumbers::isCast(Operation *op) {
  if (!isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
                       arith::ExtUIOp, arith::TruncIOp>(op))
    return false;
  Value from = op->getOperand(0);
  bool keepsAll = isa<arith::ExtSIOp>(op) ||
                  (isa<arith::IndexCastOp>(op) && from.getType().isInteger(32));
  return isWide(from.getType()) && isWide(op->getResult(0).getType()) &&
         (keepsAll || isNatural(from));
}

//===----------------------------------------------------------------------===//
// Without the key
//===----------------------------------------------------------------------===//

std::optional<Interval> RegionNumbers::intervalOf(Value value) {
  if (!isWide(value.getType()) || hasKey(value))
    return std::nullopt;
  auto [it, isNew] = intervals.try_emplace(value, std::nullopt);
  if (!isNew)
    return it->second;
  std::optional<Interval> interval = computeInterval(value);
  if (interval && interval->most > kMost)
    interval = std::nullopt;
  return intervals[value] = interval;
}

std::optional<Interval> RegionNumbers::computeInterval(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return intervalOfArgument(argument);
  if (std::optional<int64_t> number = constantOf(value))
    return m.number(*number);
  Operation *op = value.getDefiningOp();
  if (auto gather = dyn_cast<GatherOp>(op))
    return intervalOfElement(gather);
  if (isCast(op))
    return intervalOf(op->getOperand(0));
  if (auto select = dyn_cast<arith::SelectOp>(op)) {
    auto x = intervalOf(select.getTrueValue()),
         y = intervalOf(select.getFalseValue());
    return x && y ? std::optional(m.hull(*x, *y)) : std::nullopt;
  }
  return op->getNumOperands() == 2 ? intervalOfPair(op) : std::nullopt;
}

std::optional<Interval> RegionNumbers::intervalOfPair(Operation *op) {
  std::optional<int64_t> factor = factorOf(op->getOperand(1));
  auto x = intervalOf(op->getOperand(0)), y = intervalOf(op->getOperand(1));
  if (!x || !y)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return m.add(*x, *y);
  if (isa<arith::SubIOp>(op))
    return m.sub(*x, *y);
  if (isa<arith::MinSIOp>(op))
    return Interval{m.minS(x->lo, y->lo), m.minS(x->hi, y->hi),
                    std::max(x->most, y->most)};
  if (isa<arith::MaxSIOp>(op))
    return Interval{m.maxS(x->lo, y->lo), m.maxS(x->hi, y->hi),
                    std::max(x->most, y->most)};
  if (!factor || !isNatural(op->getOperand(0)))
    return std::nullopt;
  if (isa<arith::MulIOp>(op))
    return Interval{m.mul(x->lo, m.constant(*factor)),
                    m.mul(x->hi, m.constant(*factor)), x->most * *factor};
  if (isa<arith::DivUIOp, arith::DivSIOp, arith::FloorDivSIOp>(op))
    return Interval{m.floorDiv(x->lo, *factor), m.floorDiv(x->hi, *factor),
                    x->most / *factor};
  if (isa<arith::RemUIOp, arith::RemSIOp>(op))
    return Interval{m.zero(), m.constant(*factor - 1), *factor};
  return std::nullopt;
}

std::optional<Interval>
RegionNumbers::intervalOfArgument(BlockArgument argument) {
  Value values[] = {place.batch, place.head};
  unsigned number = argument.getArgNumber();
  if (number < std::size(values))
    return Interval{values[number], values[number], kMostIndex};
  if (number < kKey)
    return Interval{place.firstQuery, place.lastQuery, kMostIndex};
  Value captured = place.captures[number - kKey - 1];
  if (!captured.getType().isIndex())
    captured = m.b.createOrFold<arith::IndexCastOp>(m.loc, m.b.getIndexType(),
                                                    captured);
  return intervalOfCapture(captured);
}

Interval RegionNumbers::intervalOfCapture(Value number) {
  Value most = m.constant(kMostCapture), least = m.constant(-kMostCapture);
  Value isSmall = m.logicalAnd(m.compare(CmpIPredicate::sle, number, most),
                               m.compare(CmpIPredicate::sge, number, least));
  require(isSmall);
  return {number, number, kMostCapture};
}

void RegionNumbers::require(Value condition) {
  valid = valid ? m.logicalAnd(valid, condition) : condition;
}

unsigned RegionNumbers::captureOf(GatherOp gather) {
  return cast<BlockArgument>(gather.getSource()).getArgNumber() - kKey - 1;
}

std::optional<SmallVector<Value>> RegionNumbers::pointsOf(ValueRange indices) {
  SmallVector<Value> points;
  for (Value index : indices) {
    std::optional<Interval> interval = intervalOf(index);
    if (!interval || interval->lo != interval->hi)
      return std::nullopt;
    points.push_back(interval->lo);
  }
  return points;
}

std::optional<Interval> RegionNumbers::intervalOfElement(GatherOp gather) {
  Value view = place.captures[captureOf(gather)];
  std::optional<SmallVector<Value>> indices = pointsOf(gather.getIndices());
  if (!indices)
    return std::nullopt;
  return intervalOfCapture(ReadOp::create(m.b, m.loc, view, *indices));
}
