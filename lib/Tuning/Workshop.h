//===- Workshop.h - Schedules that are only tried ---------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_TUNING_WORKSHOP_H
#define ATTN_MLIR_LIB_TUNING_WORKSHOP_H

#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace attn {

/// A module in a context of its own, in which remarks and diagnostics of what
/// is only tried are nobody's.
class Workshop {
public:
  explicit Workshop(mlir::ModuleOp module);

  /// A copy at level 2 that follows `schedule`, an attribute of any context;
  /// null after a diagnostic.
  mlir::OwningOpRef<mlir::ModuleOp> scheduled(ScheduleAttr schedule);

  /// Takes what was scheduled on to level 3, by the same schedule.
  mlir::LogicalResult lower(mlir::ModuleOp module, ScheduleAttr schedule);

  mlir::MLIRContext &getContext() { return context; }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> copy;
};

} // namespace attn

#endif // ATTN_MLIR_LIB_TUNING_WORKSHOP_H
