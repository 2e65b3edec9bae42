//===- Forward.cpp - From the first tile to the last ----------------------===//

#include "Traversals.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTraversals.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace attn;

LogicalResult ForwardTraversalAttr::verifyOperands(
    function_ref<InFlightDiagnostic()> emitError, TypeRange types) const {
  return verifyTraversalOperands(emitError, types, {}, /*mayReverse=*/false);
}

std::string ForwardTraversalAttr::describe(ValueRange) const {
  return "forward (cyclic)";
}
