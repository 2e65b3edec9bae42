//===- Passes.h - Conversions out of the dialect ----------------*- C++ -*-===//

#ifndef ATTN_MLIR_CONVERSION_PASSES_H
#define ATTN_MLIR_CONVERSION_PASSES_H

#include "mlir/Pass/Pass.h"

namespace attn {

#define GEN_PASS_DECL
#include "attn-mlir/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "attn-mlir/Conversion/Passes.h.inc"

} // namespace attn

#endif // ATTN_MLIR_CONVERSION_PASSES_H
