//===- Workshop.h - Schedules that are only tried ---------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_TUNING_WORKSHOP_H
#define ATTN_MLIR_LIB_TUNING_WORKSHOP_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace attn {

/// A module in a context of its own, in which remarks and diagnostics of what
/// is only tried are nobody's.
class Workshop {
public:
  explicit Workshop(mlir::ModuleOp module);

  /// A copy that is scheduled by options of the attn-schedule pipeline; null
  /// after a diagnostic.
  mlir::OwningOpRef<mlir::ModuleOp> scheduled(llvm::StringRef schedule);

  mlir::MLIRContext &getContext() { return context; }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> copy;
};

} // namespace attn

#endif // ATTN_MLIR_LIB_TUNING_WORKSHOP_H
