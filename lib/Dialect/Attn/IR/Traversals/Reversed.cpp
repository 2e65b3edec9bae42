//===- Reversed.cpp - From the last tile, where a value says so -----------===//

#include "Traversals.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTraversals.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace attn;

LogicalResult ReversedTraversalAttr::verifyOperands(
    function_ref<InFlightDiagnostic()> emitError, TypeRange types) const {
  return verifyTraversalOperands(emitError, types,
                                 IntegerType::get(getContext(), 1),
                                 /*mayReverse=*/false);
}

Value ReversedTraversalAttr::getBackward(ValueRange operands) const {
  return operandBehind(operands, 0);
}

std::string ReversedTraversalAttr::describe(ValueRange) const {
  return "alternates from tile to tile (sawtooth)";
}
