//===- TunedOp.cpp - Rows of tuning files ---------------------------------===//

#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTuningOps.h"
#include "mlir/IR/Builders.h"
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

using Comparison = VariantAttr::Comparison;

/// Letters, digits and underlines.
static bool isName(StringRef text) {
  return !text.empty() && llvm::all_of(text, [](char c) {
    return llvm::isAlnum(c) || c == '_';
  });
}

static std::optional<Comparison> parseComparison(StringRef text) {
  Comparison comparison;
  comparison.upper = text.contains("<=");
  auto [axis, bound] = text.split(comparison.upper ? "<=" : ">=");
  auto [number, times] = bound.split('*');
  comparison.axis = axis;
  comparison.times = times;
  SmallVector<StringRef> factors;
  axis.split(factors, '*');
  bool named =
      llvm::all_of(factors, isName) && (isName(times) || !bound.contains('*'));
  if (!named || number.getAsInteger(10, comparison.bound) ||
      comparison.bound < 0)
    return std::nullopt;
  return comparison;
}

static std::optional<SmallVector<Comparison>> parseGuard(StringRef text) {
  SmallVector<Comparison> comparisons;
  SmallVector<StringRef> parts;
  text.split(parts, '&');
  for (StringRef part : parts) {
    std::optional<Comparison> one = parseComparison(part.trim());
    if (!one)
      return std::nullopt;
    comparisons.push_back(*one);
  }
  return comparisons;
}

LogicalResult VariantAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                  StringAttr guard, ScheduleAttr) {
  if (parseGuard(guard.getValue()))
    return success();
  return emitError() << "expected a guard such as \"query<=2048\", or several "
                        "joined by '&', but got "
                     << guard;
}

SmallVector<Comparison> VariantAttr::getComparisons() const {
  return *parseGuard(getGuard().getValue());
}

LogicalResult TunedOp::verify() {
  int64_t columns = getColumnsAttr().getInt(), rows = getRowsAttr().getInt();
  if (columns < 1)
    return emitOpError("expected 1 or more columns, but got ") << columns;
  if (std::optional<int64_t> keys = getKeyColumns();
      keys && (*keys < 1 || *keys > columns))
    return emitOpError("expected 1 to ")
           << columns << " columns of K, but got " << *keys;
  if (rows < 0)
    return emitOpError("expected 0 or more rows, but got ") << rows;
  if (std::optional<int64_t> most = getMostRows(); most && *most < rows)
    return emitOpError("expected rows from ")
           << rows << " to as many or more, but got " << *most;
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
