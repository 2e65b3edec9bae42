//===- InsideOut.cpp - From the middle of a segment to its ends -----------===//

#include "Traversals.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTraversals.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace attn;

LogicalResult InsideOutTraversalAttr::verifyOperands(
    function_ref<InFlightDiagnostic()> emitError, TypeRange types) const {
  return verifyTraversalOperands(emitError, types, {}, /*mayReverse=*/true);
}

Value InsideOutTraversalAttr::getBackward(ValueRange operands) const {
  return operandBehind(operands, 0);
}

bool InsideOutTraversalAttr::isInOrder() const { return false; }

/// The middle.
SmallVector<Value> InsideOutTraversalAttr::buildSetup(OpBuilder &builder,
                                                      Location loc, ValueRange,
                                                      Value, int64_t,
                                                      Value count) const {
  IndexBuilder m{builder, loc};
  return {m.div(count, m.constant(2))};
}

/// Visits 0, 1, 2, 3, ... are 0, -1, 1, -2, ... from the middle.
Value InsideOutTraversalAttr::buildTile(OpBuilder &builder, Location loc,
                                        ValueRange setup, Value visit,
                                        Value) const {
  IndexBuilder m{builder, loc};
  Value one = m.constant(1);
  Value odd = m.compare(arith::CmpIPredicate::ne, m.logicalAnd(visit, one),
                        m.constant(0));
  Value away =
      builder.createOrFold<arith::ShRUIOp>(loc, m.add(visit, one), one);
  Value below = m.sub(setup[0], away), above = m.add(setup[0], away);
  return m.select(odd, below, above);
}

std::string InsideOutTraversalAttr::describe(ValueRange operands) const {
  return withDirection("from the middle of each segment to its ends",
                       getBackward(operands));
}
