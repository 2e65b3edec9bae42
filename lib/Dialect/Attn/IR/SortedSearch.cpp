//===- SortedSearch.cpp - Bounds from numbers that never fall -------------===//

#include "SortedSearch.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/Halving.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace attn;
using arith::CmpIPredicate;

Value SortedSearch::read(Value key) const {
  SmallVector<Value> all(indices);
  all.push_back(key);
  return ReadOp::create(b, loc, view, all);
}

Value SortedSearch::lastOf(Value tile) const {
  Value end = mul(add(tile, constant(1)), constant(step));
  return sub(minS(end, keys), constant(1));
}

Value SortedSearch::firstTile(Value from, Value to, Value number, bool byLast,
                              bool above) const {
  Value steps = countHalvings(*this, sub(to, from));
  auto loop = scf::ForOp::create(b, loc, constant(0), steps, constant(1),
                                 ValueRange{from, to});
  OpBuilder inner = OpBuilder::atBlockBegin(loop.getBody());
  SortedSearch s = {{inner, loc}, view, indices, keys, step};
  Value low = loop.getRegionIterArg(0), high = loop.getRegionIterArg(1);
  Value middle = s.div(s.add(low, high), s.constant(2));
  Value key = byLast ? s.lastOf(middle) : s.mul(middle, s.constant(step));
  Value found = s.compare(above ? CmpIPredicate::sgt : CmpIPredicate::sge,
                          s.read(key), number);
  Value open = s.compare(CmpIPredicate::slt, low, high);
  Value nextLow = s.select(found, low, s.add(middle, s.constant(1)));
  Value nextHigh = s.select(found, middle, high);
  scf::YieldOp::create(
      inner, loc,
      ValueRange{s.select(open, nextLow, low), s.select(open, nextHigh, high)});
  return loop.getResult(1);
}

KeyRange SortedSearch::refine(KeyRange range, std::optional<Number> least,
                              std::optional<Number> most) const {
  Value size = constant(step), zero = constant(0);
  auto clamp = [&](Value key) { return minS(maxS(key, zero), keys); };
  // Whole tiles that hold what is left.
  Value from = range.lo ? div(clamp(range.lo), size) : zero,
        to = ceilDiv(range.hi ? clamp(range.hi) : keys, size);
  to = maxS(from, to);
  auto restrict = [&](Value &bound, Value other, bool isLeast) {
    bound = !bound ? other : isLeast ? maxS(bound, other) : minS(bound, other);
  };
  auto isOne = [&](const Number &number) {
    return compare(CmpIPredicate::eq, number.lo, number.hi);
  };
  if (least) {
    Value tile = firstTile(from, to, least->lo, /*byLast=*/true, least->strict);
    // Where all queries want one number, it begins in this tile.
    Value whole =
        compare(least->strict ? CmpIPredicate::sgt : CmpIPredicate::sge,
                read(mul(tile, size)), least->hi);
    Value full = add(tile, select(whole, zero, constant(1)));
    restrict(range.lo, mul(tile, size), true);
    restrict(range.fullLo, select(isOne(*least), mul(full, size), keys), true);
    from = tile;
  }
  if (most) {
    Value tile = firstTile(from, to, most->hi, /*byLast=*/false, !most->strict);
    Value before = sub(tile, constant(1));
    Value whole =
        compare(most->strict ? CmpIPredicate::slt : CmpIPredicate::sle,
                read(lastOf(before)), most->lo);
    Value full = select(whole, tile, before);
    restrict(range.hi, mul(tile, size), false);
    restrict(range.fullHi, select(isOne(*most), mul(full, size), zero), false);
  }
  return range;
}
