//===- OptionChoice.h - Who chooses a module's options ----------*- C++ -*-===//
//
// What attn-compile does where neither options nor attributes say how a module
// is to be compiled; embedders call the same.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_TUNING_OPTIONCHOICE_H
#define ATTN_MLIR_TUNING_OPTIONCHOICE_H

#include "attn-mlir/Analysis/KernelRun.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace attn {

/// Who chooses where the module states no options.
enum class Choose { Measured, Model, Nobody };

/// What is known when options are chosen.
struct OptionRequest {
  Choose by = Choose::Measured;
  /// Sizes of dynamic axes, by name.
  llvm::StringMap<int64_t> sizes;
  /// Tuning files that come before those of the library.
  llvm::SmallVector<mlir::ModuleOp> tuning;
  /// Whether variants may be chosen for sizes that are known at a launch only.
  bool variants = false;
  /// Work (WorkEstimate) beyond which the model predicts nothing.
  double maxWork = kDefaultMaxWork;
};

/// The operations of a module, in order.
llvm::SmallVector<StreamableOpInterface> operationsOf(mlir::ModuleOp module);

/// A schedule for each operation of a module, for sizes for which a guard
/// holds.
struct GuardedSchedules {
  std::string guard;
  llvm::SmallVector<ScheduleAttr> schedules;
};

/// What was chosen, in words; operations hold it as #attn.schedule. Where they
/// differ, the words are those of the first, and "several" chose if not all
/// were chosen by the same.
struct OptionChoice {
  /// Options of the attn-schedule and attn-to-target pipelines.
  std::string schedule, lower;
  /// Tried in this order before what operations hold; for operations of one
  /// function.
  std::vector<GuardedSchedules> variants;
  /// "default", "attribute", "measured", "related" (measured on a chip with the
  /// same SMs), "model" or "policy".
  std::string scheduleFrom = "default", lowerFrom = "default";
};

/// Chooses a schedule for each operation of a module at level 1 whose target is
/// set, and leaves it on the operation as `attn.schedule`. Who comes first: the
/// attribute, if it is there; what was measured on the facts of its target
/// (measuredSchedule); the model where it is calibrated; the policy that
/// follows from the facts (schedulePolicy), for known sizes that one of its
/// schedules which moves the fewest bytes. Remarks say which. Fails after a
/// diagnostic.
mlir::FailureOr<OptionChoice> chooseOptions(mlir::ModuleOp module,
                                            const OptionRequest &request);

} // namespace attn

#endif // ATTN_MLIR_TUNING_OPTIONCHOICE_H
