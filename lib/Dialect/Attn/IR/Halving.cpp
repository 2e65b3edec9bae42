//===- Halving.cpp - Searches by halving ----------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/Halving.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace attn;

/// Bits of what is counted, at most.
static constexpr int64_t kMostBits = 24;

Value attn::countHalvings(const IndexBuilder &m, Value count) {
  APInt constant;
  if (matchPattern(count, m_ConstantInt(&constant)))
    return m.constant(constant.getActiveBits());
  Value halvings = m.constant(0);
  for (int64_t bit = 0; bit < kMostBits; ++bit) {
    Value larger = m.compare(arith::CmpIPredicate::sge, count,
                             m.constant(int64_t(1) << bit));
    halvings = m.add(halvings, m.select(larger, m.constant(1), m.constant(0)));
  }
  return halvings;
}

Value attn::lastBefore(const IndexBuilder &m, Value halvings, Value count,
                       function_ref<Value(Value)> isBefore) {
  auto loop =
      scf::ForOp::create(m.b, m.loc, m.constant(0), halvings, m.constant(1),
                         ValueRange{m.constant(0), count});
  OpBuilder::InsertionGuard guard(m.b);
  m.b.setInsertionPointToStart(loop.getBody());
  Value low = loop.getRegionIterArg(0), high = loop.getRegionIterArg(1);
  Value middle = m.div(m.add(low, high), m.constant(2));
  Value before = isBefore(middle);
  scf::YieldOp::create(m.b, m.loc,
                       ValueRange{m.select(before, middle, low),
                                  m.select(before, high, middle)});
  return loop.getResult(0);
}
