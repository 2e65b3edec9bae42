//===- ChooseSchedule.h - Options of pipelines by the model -----*- C++ -*-===//

#ifndef ATTN_MLIR_PIPELINES_CHOOSESCHEDULE_H
#define ATTN_MLIR_PIPELINES_CHOOSESCHEDULE_H

#include "attn-mlir/Analysis/ScheduleModel.h"
#include "attn-mlir/Pipelines/Pipelines.h"
#include "mlir/IR/BuiltinOps.h"

namespace attn {

/// Options of the attn-schedule and attn-to-target pipelines, as text, and what
/// the model says of a module that is compiled with them.
struct ScheduleCandidate {
  std::string schedule, lower;
  /// Why it is out of the question, or empty.
  std::string rejected;
  /// Of all kernels together.
  double seconds = 0;
  /// Of the kernel that takes longest.
  Prediction prediction;
};

/// What of level 3 the model asks for.
Lowering loweringOf(const TargetOptions &options);
/// The same from options as text; failure if they are none.
mlir::FailureOr<Lowering> loweringOf(llvm::StringRef options);

/// All combinations of the options that the pipelines have for the operations
/// of `module` on its target. None is evaluated.
std::vector<ScheduleCandidate> enumerateSchedules(mlir::ModuleOp module);

/// Schedules a copy of `module` by every candidate and predicts it, fastest
/// first, those that are rejected last. Sizes are those of runKernel; axes that
/// are neither static nor given get `assumedSize`.
std::vector<ScheduleCandidate>
rankSchedules(mlir::ModuleOp module, const llvm::StringMap<int64_t> &sizes);

/// What a dynamic axis is assumed to have where no size is given: sequences of
/// 4096, four of them.
int64_t assumedSize(llvm::StringRef axis);

/// Sizes for all dynamic dimensions of `kernel`: of `given` where there, else
/// assumed ones. Names that are not the kernel's are left out.
llvm::StringMap<int64_t> completeSizes(KernelOp kernel,
                                       const llvm::StringMap<int64_t> &given);

/// In what `best` is better than `other`, in a few words.
std::string reasonFor(const ScheduleCandidate &best,
                      const ScheduleCandidate &other);

/// Attributes of a module that hold the options of both pipelines.
constexpr llvm::StringLiteral kScheduleAttr = "attn.schedule";
constexpr llvm::StringLiteral kLowerOptionsAttr = "attn.lower";

} // namespace attn

#endif // ATTN_MLIR_PIPELINES_CHOOSESCHEDULE_H
