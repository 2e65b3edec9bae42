//===- Passes.h - Passes that decide on pipelines ---------------*- C++ -*-===//

#ifndef ATTN_MLIR_TUNING_PASSES_H
#define ATTN_MLIR_TUNING_PASSES_H

#include "attn-mlir/Analysis/KernelRun.h"
#include "mlir/Pass/Pass.h"

namespace attn {

#define GEN_PASS_DECL
#include "attn-mlir/Tuning/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "attn-mlir/Tuning/Passes.h.inc"

} // namespace attn

#endif // ATTN_MLIR_TUNING_PASSES_H
