//===- MeasuredOptions.h - Options that were measured -----------*- C++ -*-===//

#ifndef ATTN_MLIR_TUNING_MEASUREDOPTIONS_H
#define ATTN_MLIR_TUNING_MEASUREDOPTIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include <optional>

namespace attn {

/// Options of the attn-schedule and attn-to-target pipelines, as text.
struct MeasuredOptions {
  llvm::StringLiteral schedule, lower;
};

/// Options that are faster where a guard holds, an expression over sizes that
/// are known at run time, such as "query<=2048".
struct MeasuredVariant {
  llvm::StringLiteral guard;
  MeasuredOptions options;
};

struct MeasuredChoice {
  MeasuredOptions options;
  llvm::ArrayRef<MeasuredVariant> variants;
};

/// The fastest of the options that were measured for the attention in `module`
/// on its target, or on one with the same SMs; nothing if none were, or if its
/// operations want different ones (docs/performance.md says on which machine,
/// and benchmarks/forward.py repeats it).
std::optional<MeasuredChoice> measuredOptions(mlir::ModuleOp module);

/// The chip that the options of measuredOptions were measured on, where that is
/// not the target of `module` but one with the same SMs; else empty.
llvm::StringRef measuredOn(mlir::ModuleOp module);

} // namespace attn

#endif // ATTN_MLIR_TUNING_MEASUREDOPTIONS_H
