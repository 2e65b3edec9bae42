//===- TunedOp.cpp - Rows of tuning files ---------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTuningOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace attn;

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnTuningOps.cpp.inc"

void AttnDialect::registerTuningOps() {
  addOperations<
#define GET_OP_LIST
#include "attn-mlir/Dialect/Attn/IR/AttnTuningOps.cpp.inc"
      >();
}

namespace {

struct Guard {
  StringRef axis;
  bool upper;
  int64_t bound;
};

std::optional<Guard> parseGuard(StringRef text) {
  Guard guard;
  guard.upper = text.contains("<=");
  auto [axis, number] = text.split(guard.upper ? "<=" : ">=");
  guard.axis = axis;
  bool named = !axis.empty() && llvm::all_of(axis, [](char c) {
    return llvm::isAlnum(c) || c == '_';
  });
  if (!named || number.getAsInteger(10, guard.bound) || guard.bound < 0)
    return std::nullopt;
  return guard;
}

} // namespace

LogicalResult VariantAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  StringAttr guard, ScheduleAttr) {
  if (parseGuard(guard.getValue()))
    return success();
  return emitError() << "expected a guard such as \"query<=2048\", but got "
                     << guard;
}

StringRef VariantAttr::getAxis() const {
  return parseGuard(getGuard().getValue())->axis;
}

int64_t VariantAttr::getBound() const {
  return parseGuard(getGuard().getValue())->bound;
}

bool VariantAttr::isUpper() const {
  return parseGuard(getGuard().getValue())->upper;
}

LogicalResult TunedOp::verify() {
  int64_t columns = getColumnsAttr().getInt(), rows = getRowsAttr().getInt();
  if (columns < 1)
    return emitOpError("expected 1 or more columns, but got ") << columns;
  if (rows < 0)
    return emitOpError("expected 0 or more rows, but got ") << rows;
  if (!getContext()->isOperationRegistered(getOp()))
    return emitOpError("expected the name of an operation, but got '")
           << getOp() << "'";
  auto module = cast<ModuleOp>((*this)->getParentOp());
  if (!module->hasAttr(TargetAttr::kModuleAttr))
    return emitOpError("expected '")
           << TargetAttr::kModuleAttr
           << "' on its module: the chip that was measured";
  return success();
}
