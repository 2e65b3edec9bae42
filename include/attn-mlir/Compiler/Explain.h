//===- Explain.h - One page about a kernel ----------------------*- C++ -*-===//

#ifndef ATTN_MLIR_COMPILER_EXPLAIN_H
#define ATTN_MLIR_COMPILER_EXPLAIN_H

#include "attn-mlir/Tuning/ChooseSchedule.h"
#include "llvm/Support/JSON.h"

namespace attn {

/// How a page is written.
enum class ExplainAs { Nothing, Text, Json, Svg };

/// What a page is about.
struct Explanation {
  /// Scheduled, with its target.
  mlir::ModuleOp module;
  /// Options of both pipelines, and who chose each: option, attribute,
  /// measured, model or default.
  std::string schedule, lower, scheduleFrom, lowerFrom;
  /// --lower, which comes after what a kernel holds.
  std::string overrides;
  /// Sizes that were given.
  llvm::StringMap<int64_t> sizes;
  /// Other candidates, fastest first; empty where the input was scheduled.
  std::vector<ScheduleCandidate> candidates;
};

/// Writes the page: as text; the same and more as JSON, with every candidate
/// and every fact; or, as a picture (SVG 1.1), which L2 domain works on which
/// tile.
mlir::LogicalResult writeExplanation(const Explanation &explanation,
                                     ExplainAs how, llvm::raw_ostream &os);

} // namespace attn

#endif // ATTN_MLIR_COMPILER_EXPLAIN_H
