//===- Rotated.cpp - From an offset on, and around the end ----------------===//

#include "Traversals.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTraversals.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace attn;

LogicalResult RotatedTraversalAttr::verifyOperands(
    function_ref<InFlightDiagnostic()> emitError, TypeRange types) const {
  return verifyTraversalOperands(emitError, types, IndexType::get(getContext()),
                                 /*mayReverse=*/true);
}

Value RotatedTraversalAttr::getBackward(ValueRange operands) const {
  return operandBehind(operands, 1);
}

bool RotatedTraversalAttr::isInOrder() const { return false; }

/// The tile that is visited first: the offset modulo the count.
SmallVector<Value> RotatedTraversalAttr::buildSetup(OpBuilder &builder,
                                                    Location loc,
                                                    ValueRange operands, Value,
                                                    int64_t,
                                                    Value count) const {
  IndexBuilder m{builder, loc};
  // With the sign of the offset; nothing is divided by an empty segment.
  Value rest = builder.createOrFold<arith::RemSIOp>(loc, operands[0],
                                                    m.atLeastOne(count));
  Value negative = m.compare(arith::CmpIPredicate::slt, rest, m.constant(0));
  return {m.select(negative, m.add(rest, count), rest)};
}

Value RotatedTraversalAttr::buildTile(OpBuilder &builder, Location loc,
                                      ValueRange setup, Value visit,
                                      Value count) const {
  IndexBuilder m{builder, loc};
  Value tile = m.add(visit, setup[0]);
  Value wraps = m.compare(arith::CmpIPredicate::sge, tile, count);
  return m.select(wraps, m.sub(tile, count), tile);
}

std::string RotatedTraversalAttr::describe(ValueRange operands) const {
  return withDirection("from an offset on, and around the end of each segment",
                       getBackward(operands));
}
