//===- Simulate.h - attn-compile --simulate ---------------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_TOOLS_SIMULATE_H
#define ATTN_MLIR_LIB_TOOLS_SIMULATE_H

#include "attn-mlir/Analysis/KernelRun.h"
#include "attn-mlir/Simulation/CacheSimulator.h"
#include "mlir/IR/BuiltinOps.h"
#include <optional>

namespace attn {

enum class SimulateFormat { None, Text, Json };

struct SimulateOptions {
  SimulateFormat format = SimulateFormat::None;
  llvm::StringMap<int64_t> sizes;
  /// What views of integers hold; those that are not here, the largest number.
  ViewContents contents;
  int64_t drift = kDefaultDrift;
  uint64_t seed = 1;
  /// Threads; 0: all cores.
  unsigned threads = 0;
  /// Most work (WorkEstimate) that is done.
  double maxWork = kDefaultMaxWork;
  /// CTAs of an SM, instead of the footprint's.
  std::optional<int64_t> resident;
  /// L2 sizes of a domain in bytes: also what each would miss.
  llvm::SmallVector<int64_t> curve;
};

/// Runs every kernel of a scheduled module through the L2 of its target, and
/// prints what hits and what misses. Fails after a diagnostic.
mlir::LogicalResult simulateKernels(mlir::ModuleOp module,
                                    const SimulateOptions &options,
                                    llvm::raw_ostream &os);

} // namespace attn

#endif // ATTN_MLIR_LIB_TOOLS_SIMULATE_H
