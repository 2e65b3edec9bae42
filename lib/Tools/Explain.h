//===- Explain.h - One page about a kernel ----------------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_TOOLS_EXPLAIN_H
#define ATTN_MLIR_LIB_TOOLS_EXPLAIN_H

#include "attn-mlir/Tuning/ChooseSchedule.h"
#include "llvm/Support/JSON.h"

namespace attn {

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

/// A page of text.
mlir::FailureOr<std::string> explainAsText(const Explanation &explanation);

/// The same and more as JSON: every candidate, every fact.
mlir::FailureOr<llvm::json::Value>
explainAsJson(const Explanation &explanation);

/// Which L2 domain works on which tile, as a picture (SVG 1.1).
mlir::FailureOr<std::string> explainAsSvg(const Explanation &explanation);

} // namespace attn

#endif // ATTN_MLIR_LIB_TOOLS_EXPLAIN_H
