//===- Passes.h - Passes that compile bundles -------------------*- C++ -*-===//

#ifndef ATTN_MLIR_COMPILER_PASSES_H
#define ATTN_MLIR_COMPILER_PASSES_H

#include "attn-mlir/Compiler/CompileBundle.h"
#include "mlir/Pass/Pass.h"

namespace attn {

#define GEN_PASS_DECL
#include "attn-mlir/Compiler/Passes.h.inc"

/// attn-embed-programs with all that attn-compile can be told.
std::unique_ptr<mlir::Pass> createAttnEmbedPrograms(CompileOptions options);

#define GEN_PASS_REGISTRATION
#include "attn-mlir/Compiler/Passes.h.inc"

} // namespace attn

#endif // ATTN_MLIR_COMPILER_PASSES_H
