//===- SchedulePolicy.h - Schedules that the facts ask for ------*- C++ -*-===//
//
// Which grid orders and traversals suit the L2 of a target. Several L2 domains
// want the tiles that share K and V in one of them ("Optimizing Attention on
// GPUs by Exploiting GPU Architectural NUMA Effects", section 3); K and V that
// one domain does not hold want streams whose direction alternates ("Sawtooth
// Wavefront Reordering", section 4).
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_TUNING_SCHEDULEPOLICY_H
#define ATTN_MLIR_TUNING_SCHEDULEPOLICY_H

#include "attn-mlir/Analysis/KernelRun.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace attn {

/// Schedules for the operations of a module, without tiles. Empty where the
/// facts ask for nothing: no operation whose tiles share what they stream, or
/// several with different axes.
struct SchedulePolicy {
  /// The one that the facts ask for by themselves first.
  std::vector<ScheduleAttr> schedules;
  /// Why, in words.
  std::string reason;
  /// A schedule for sizes that are known when the kernel is launched
  /// ("key>=81920": schedule); empty and null if there is none.
  std::string guard;
  ScheduleAttr guarded;
};

/// What the facts of the module's target ask for; `sizes` are those of dynamic
/// axes that are known, by name.
SchedulePolicy schedulePolicy(mlir::ModuleOp module,
                              const llvm::StringMap<int64_t> &sizes);

/// The schedule that moves the fewest bytes to and from memory, by the cache
/// simulator, and what it moves.
struct SimulatedChoice {
  ScheduleAttr schedule;
  int64_t dramBytes = 0;
  /// What the first schedule of the policy moves.
  int64_t firstBytes = 0;
};

/// Simulates the schedules of `policy`. Nothing where a size is not known,
/// where simulating all of them takes more work than `maxWork` (WorkEstimate),
/// or where nothing is to be gained: all that the operations read and write
/// fits into a part of the L2. Of equals, the first of the policy.
std::optional<SimulatedChoice>
simulatePolicy(mlir::ModuleOp module, const SchedulePolicy &policy,
               const llvm::StringMap<int64_t> &sizes, double maxWork);

/// `schedule` with what it wants of level 3: twice the warps for large tiles of
/// persistent CTAs, which keep the arithmetic of the grid in registers, too
/// (docs/targets.md, "Schedules that follow from facts").
ScheduleAttr withLowering(mlir::ModuleOp module, ScheduleAttr schedule);

/// Work of simulatePolicy for which a compiler does not ask: a few seconds.
constexpr double kPolicyWork = 5e8;

} // namespace attn

#endif // ATTN_MLIR_TUNING_SCHEDULEPOLICY_H
