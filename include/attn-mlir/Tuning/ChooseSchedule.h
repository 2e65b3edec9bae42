//===- ChooseSchedule.h - Options of pipelines by the model -----*- C++ -*-===//

#ifndef ATTN_MLIR_TUNING_CHOOSESCHEDULE_H
#define ATTN_MLIR_TUNING_CHOOSESCHEDULE_H

#include "attn-mlir/Analysis/ScheduleModel.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Pipelines/Pipelines.h"
#include "mlir/IR/BuiltinOps.h"

namespace attn {
class KernelOp;

/// What a split over CTAs costs.
struct SplitCost {
  int64_t parts = 1;
  /// Of states in memory; 0 where a cluster merges them.
  double stateBytes = 0;
  double mergeSeconds = 0;
  /// Whether the CTAs of a cluster merge the states, and no second kernel.
  bool inCluster = false;
  /// Whether the device deals them: then they are of all streams together, and
  /// as many as there can be.
  bool dealt = false;
};

/// Of a kernel that merges, of its own or others' states, with its run and
/// prediction; nothing of others.
std::optional<SplitCost> splitCostOf(KernelOp kernel,
                                     const llvm::StringMap<int64_t> &sizes,
                                     const KernelRun &run,
                                     const Prediction &prediction);

/// A schedule, and what the model says of a module that is compiled by it.
struct ScheduleCandidate {
  ScheduleAttr schedule;
  /// Why it is out of the question, or empty.
  std::string rejected;
  /// Of all kernels together.
  double seconds = 0;
  /// Of the kernel that takes longest.
  Prediction prediction;
  /// Where streams are split over CTAs: into how many parts, what their states
  /// take, and how long the merge.
  std::optional<SplitCost> split;
};

/// What of level 3 the model asks for.
Lowering loweringOf(const TargetOptions &options);
/// The same from options as text; failure if they are none.
mlir::FailureOr<Lowering> loweringOf(llvm::StringRef options);

/// Whether the model's constants were measured on such operations and targets:
/// attention of 16 bits with enough rows for warpgroups, on chips with these
/// (docs/notebooks/transfer-model.md, "Calibration").
bool isModelCalibrated(mlir::ModuleOp module);

/// All combinations of what the pipelines have for the operations of `module`
/// on its target, as attributes of its context. None is evaluated. `keepViews`:
/// none that changes the shapes of a kernel's views.
std::vector<ScheduleCandidate> enumerateSchedules(mlir::ModuleOp module,
                                                  bool keepViews);

/// Schedules a copy of `module` by every candidate and predicts it, fastest
/// first, those that are rejected last: all of them, untried, where that takes
/// more work than `maxWork` (WorkEstimate). Sizes are those of runKernel; axes
/// that are neither static nor given get `assumedSize`.
std::vector<ScheduleCandidate>
rankSchedules(mlir::ModuleOp module, const llvm::StringMap<int64_t> &sizes,
              bool keepViews, double maxWork = kDefaultMaxWork,
              const ProgressFn &progress = {});

/// About the work of ranking: that of the first schedule for each of them; 0
/// where it cannot be scheduled.
double rankingWork(mlir::ModuleOp module, const llvm::StringMap<int64_t> &sizes,
                   bool keepViews);

/// The schedule for lengths up to a bound.
struct LengthChoice {
  /// Largest length; 0 in the last entry, which has no bound.
  int64_t upTo;
  ScheduleAttr schedule;
};

/// The fastest schedules by length of the dynamic grouped axis `axis`, from 512
/// to 16384, with as many batches as make 16384 rows; neighbours with the same
/// schedule are one. Empty where no candidate fits.
std::vector<LengthChoice> chooseByLength(mlir::ModuleOp module,
                                         llvm::StringRef axis);

/// The dynamic grouped axis of all operations of `module`, or empty.
std::string dynamicLength(mlir::ModuleOp module);

/// What a dynamic axis is assumed to have where no size is given: sequences of
/// 4096, four of them.
int64_t assumedSize(llvm::StringRef axis);

/// Sizes for all dynamic dimensions of `kernel`: of `given` where there, else
/// assumed ones. Names that are not the kernel's are left out.
llvm::StringMap<int64_t> completeSizes(KernelOp kernel,
                                       const llvm::StringMap<int64_t> &given);

/// Adds to `contents` what a kernel writes for those behind it to read: a list
/// of parts.
mlir::LogicalResult addWrites(KernelOp kernel,
                              const llvm::StringMap<int64_t> &sizes,
                              ViewContents &contents);

/// In what `best` is better than `other`, in a few words.
std::string reasonFor(const ScheduleCandidate &best,
                      const ScheduleCandidate &other);

} // namespace attn

#endif // ATTN_MLIR_TUNING_CHOOSESCHEDULE_H
