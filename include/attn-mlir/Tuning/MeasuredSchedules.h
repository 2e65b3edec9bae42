//===- MeasuredSchedules.h - What tuning files say --------------*- C++ -*-===//
//
// A tuning file is a module of attn.tuned operations; its attn.target is the
// chip that was measured. Those below tuning/ are part of the library.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_TUNING_MEASUREDSCHEDULES_H
#define ATTN_MLIR_TUNING_MEASUREDSCHEDULES_H

#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <optional>

namespace attn {

struct MeasuredSchedule {
  ScheduleAttr schedule;
  /// Schedules that are faster for sizes that are known at run time only, the
  /// first whose guard holds.
  llvm::SmallVector<VariantAttr> variants;
  /// The chip that was measured, where it is not the operation's target but has
  /// the same SMs; else empty.
  llvm::StringRef relatedChip;
};

/// The tuning files of the library, parsed.
llvm::SmallVector<mlir::OwningOpRef<mlir::ModuleOp>>
builtinTuning(mlir::MLIRContext *context);

/// What was measured for an operation on its target, or on a chip with the same
/// SMs, by the first of the files that has a row for it. Guards over static
/// sizes are decided. Nothing if nobody measured.
std::optional<MeasuredSchedule>
measuredSchedule(StreamableOpInterface op,
                 llvm::ArrayRef<mlir::ModuleOp> tuning);

} // namespace attn

#endif // ATTN_MLIR_TUNING_MEASUREDSCHEDULES_H
