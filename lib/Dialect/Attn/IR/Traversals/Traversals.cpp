//===- Traversals.cpp - What traversals share -----------------------------===//

#include "Traversals.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTraversals.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using namespace attn;

#include "attn-mlir/Dialect/Attn/IR/AttnTraversalInterfaces.cpp.inc"

LogicalResult
attn::verifyTraversalOperands(function_ref<InFlightDiagnostic()> emitError,
                              TypeRange types, ArrayRef<Type> own,
                              bool mayReverse) {
  TypeRange first = types.take_front(own.size());
  TypeRange rest = types.drop_front(first.size());
  bool reverses = mayReverse && rest.size() == 1 && rest[0].isInteger(1);
  if (first == TypeRange(own) && (rest.empty() || reverses))
    return success();
  InFlightDiagnostic error = emitError() << "expected a traversal of ";
  if (own.empty())
    error << "no operands";
  else
    error << "operands (" << TypeRange(own) << ")";
  if (mayReverse)
    error << ", and maybe one of type i1";
  return error << ", but got (" << types << ")";
}

Value attn::operandBehind(ValueRange operands, unsigned own) {
  return operands.size() > own ? operands[own] : Value();
}

ViewType attn::listAt(TypeRange types, unsigned place) {
  auto list =
      types.size() > place ? dyn_cast<ViewType>(types[place]) : ViewType();
  bool holdsNumbers = list && (list.getElementType().isInteger(32) ||
                               list.getElementType().isInteger(64));
  return holdsNumbers ? list : ViewType();
}

std::string attn::withDirection(StringRef words, Value backward) {
  return (words + (backward ? ", alternates from tile to tile" : "")).str();
}
