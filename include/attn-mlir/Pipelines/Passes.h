//===- Passes.h - Passes that apply schedules -------------------*- C++ -*-===//

#ifndef ATTN_MLIR_PIPELINES_PASSES_H
#define ATTN_MLIR_PIPELINES_PASSES_H

#include "mlir/Pass/Pass.h"

namespace attn {

#define GEN_PASS_DECL
#include "attn-mlir/Pipelines/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "attn-mlir/Pipelines/Passes.h.inc"

} // namespace attn

#endif // ATTN_MLIR_PIPELINES_PASSES_H
