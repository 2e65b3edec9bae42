//===- CompileHost.h - A module with attention among other ops --*- C++ -*-===//

#ifndef ATTN_MLIR_COMPILER_COMPILEHOST_H
#define ATTN_MLIR_COMPILER_COMPILEHOST_H

#include "attn-mlir/Compiler/CompileBundle.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attn {

/// Attention among other operations, also in linalg or tosa, to launches of
/// programs, whose bundle the module holds: attn-set-target (with a target or
/// facts), attn-raise, attn-expand, attn-outline-programs, attn-embed-programs.
/// What is behind it is the embedder's: bufferization, convert-attn-to-host,
/// and the way to LLVM.
void buildEmbedPipeline(mlir::OpPassManager &pm, CompileOptions options);

/// Makes a function on tensors one that C calls: it takes descriptors of
/// memrefs, and does not write to its arguments, but to those of which
/// `bufferization.writable` says so.
void exportFunction(mlir::func::FuncOp function);

/// The module of a compilation to the LLVM dialect, whole: as above, and
/// the rest by upstream's conversions (attn-lower-host-to-llvm).
mlir::LogicalResult compileHost(Compilation &compilation);

} // namespace attn

#endif // ATTN_MLIR_COMPILER_COMPILEHOST_H
