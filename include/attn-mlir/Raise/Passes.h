//===- Passes.h - Attention in other dialects, found ------------*- C++ -*-===//

#ifndef ATTN_MLIR_RAISE_PASSES_H
#define ATTN_MLIR_RAISE_PASSES_H

#include "mlir/Pass/Pass.h"

namespace attn {

#define GEN_PASS_DECL
#include "attn-mlir/Raise/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "attn-mlir/Raise/Passes.h.inc"

} // namespace attn

#endif // ATTN_MLIR_RAISE_PASSES_H
