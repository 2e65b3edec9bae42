//===- OptionChoice.h - Who chooses a module's options ----------*- C++ -*-===//
//
// What attn-compile does where neither options nor attributes say how a module
// is to be compiled; embedders call the same.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_TUNING_OPTIONCHOICE_H
#define ATTN_MLIR_TUNING_OPTIONCHOICE_H

#include "attn-mlir/Analysis/KernelRun.h"
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
  /// Whether variants may be chosen for sizes that are known at a launch only.
  bool variants = false;
  /// Work (WorkEstimate) beyond which the model predicts nothing.
  double maxWork = kDefaultMaxWork;
};

/// Options of the attn-schedule and attn-to-target pipelines.
struct OptionChoice {
  std::string schedule, lower;
  /// "guard: schedule: lower", tried in this order before the options above.
  std::vector<std::string> variants;
  /// "default", "attribute", "measured", "related" (measured on a chip with the
  /// same SMs), "model" or "policy".
  std::string scheduleFrom = "default", lowerFrom = "default";
};

/// Chooses options for a module at level 1 whose target is set. Who comes
/// first: the module's attributes, which are taken off it; options that were
/// measured on the facts of its target (measuredOptions); the model where it is
/// calibrated; the policy that follows from the facts (schedulePolicy), for
/// known sizes that one of its schedules which moves the fewest bytes. Remarks
/// say which. Fails after a diagnostic.
mlir::FailureOr<OptionChoice> chooseOptions(mlir::ModuleOp module,
                                            const OptionRequest &request);

} // namespace attn

#endif // ATTN_MLIR_TUNING_OPTIONCHOICE_H
