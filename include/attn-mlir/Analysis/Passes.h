//===- Passes.h - Passes that look at a schedule ----------------*- C++ -*-===//

#ifndef ATTN_MLIR_ANALYSIS_PASSES_H
#define ATTN_MLIR_ANALYSIS_PASSES_H

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "mlir/Pass/Pass.h"

namespace attn {
class KernelOp;

/// The schedule of a kernel in a few sentences: what is grouped and what is
/// streamed, tile sizes, order, CTAs and direction.
std::string describeSchedule(KernelOp kernel);

#define GEN_PASS_DECL
#include "attn-mlir/Analysis/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "attn-mlir/Analysis/Passes.h.inc"

} // namespace attn

#endif // ATTN_MLIR_ANALYSIS_PASSES_H
