//===- ScheduleModel.h - Predicted resources and time -----------*- C++ -*-===//
//
// What a scheduled kernel asks of its target, and how long it takes: from the
// run of its index arithmetic (KernelRun.h), the target's facts, and constants
// that were calibrated once (docs/notebooks/transfer-model.md lists the
// measurements).
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_ANALYSIS_SCHEDULEMODEL_H
#define ATTN_MLIR_ANALYSIS_SCHEDULEMODEL_H

#include "attn-mlir/Analysis/KernelRun.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include <map>

namespace attn {

/// What of level 3 the model asks for: options of attn-to-target.
struct Lowering {
  /// Asynchronous products by warpgroups.
  bool warpgroups = false;
  /// A producer warpgroup; softmax beside products; groups in turns.
  bool specialized = false, overlap = false, pingPong = false;
  /// Exponentials by the maximum of the tiles before (attn-optimistic-max);
  /// results by the tensor memory accelerator (attn-store-tensors).
  bool optimisticMax = false, tensorStores = false;
  int64_t stages = 2, residentStages = 1;
  /// Of a thread that copies; 0 for the default.
  int64_t producerRegisters = 0;
  /// Warps of a CTA that compute; 0 for the default.
  int64_t warps = 0;
};

/// What time is lost to.
enum class Bound { Tensor, Exp, Issue, Latency, L2, Dram };
llvm::StringRef boundName(Bound bound);

/// Registers, shared memory and CTAs of an SM.
struct Resources {
  int64_t sharedBytes = 0, sharedLimit = 0;
  /// Threads that compute, and all.
  int64_t consumerThreads = 0, threads = 0;
  /// 32-bit registers of a thread that computes.
  int64_t registers = 0, registerLimit = 0;
  /// CTAs that an SM holds at once.
  int64_t resident = 1;
  /// Why the kernel does not fit, or empty.
  std::string misfit;
};

Resources resourcesOf(const KernelRun &run, TargetAttr target,
                      const Lowering &lowering);

/// L2 by a closed form: CTAs of a wave walk in lock-step; what they share
/// counts once; what a wave before left behind counts where it fits.
struct L2Traffic {
  double requestedBytes = 0, missedBytes = 0, writtenBytes = 0;
  double hitRate() const {
    return requestedBytes > 0 ? 1 - missedBytes / requestedBytes : 0;
  }
};

/// One entry for each L2 domain of the target.
std::vector<L2Traffic> trafficOf(const KernelRun &run, TargetAttr target,
                                 int64_t slots);

struct Prediction {
  Resources resources;
  int64_t ctas = 0, slots = 0, visits = 0;
  double waves = 0;
  /// Share of the time of all slots in which they have nothing to do.
  double idle = 0;
  std::vector<L2Traffic> traffic;
  /// Cycles of an SM on the tensor cores, special function units and
  /// instruction slots, if work were spread evenly.
  double tensorCycles = 0, expCycles = 0, issueCycles = 0;
  /// Cycles of the slot that is done last; and what it does, for calibration.
  double cycles = 0, slotWork = 0, slotSteps = 0, slotVisits = 0;
  double computeSeconds = 0, l2Seconds = 0, dramSeconds = 0, seconds = 0;
  /// Until SMs have read what misses L2: few of them do not keep memory busy.
  double readSeconds = 0;
  /// Of the last cluster: its exchange, and the merge of what was shown.
  double mergeSeconds = 0;
  Bound bound = Bound::Tensor;

  L2Traffic totalTraffic() const;
  bool fits() const { return resources.misfit.empty(); }
};

/// Traffic of a run by slots, for predictions of one run with several
/// lowerings.
using TrafficMemo = std::map<int64_t, std::vector<L2Traffic>>;

Prediction predict(const KernelRun &run, TargetAttr target,
                   const Lowering &lowering, TrafficMemo *memo = nullptr);

} // namespace attn

#endif // ATTN_MLIR_ANALYSIS_SCHEDULEMODEL_H
