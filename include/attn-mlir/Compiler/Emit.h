//===- Emit.h - What is made of a module ------------------------*- C++ -*-===//

#ifndef ATTN_MLIR_COMPILER_EMIT_H
#define ATTN_MLIR_COMPILER_EMIT_H

#include "mlir/IR/BuiltinOps.h"

namespace attn {

/// Stages of a compilation, in their order, and what comes of the last.
enum class Emit {
  Attn,
  Stream,
  Trace,
  Target,
  Loops,
  LLVM,
  Ptx,
  Cubin,
  Isa,
  Hsaco,
  Bundle,
  Archive,
  Object
};

/// Whether it is a bundle, in whichever form.
inline bool isBundle(Emit emit) {
  return emit == Emit::Bundle || emit == Emit::Archive;
}

/// The capability that says which GPUs the target is one of; empty if none.
llvm::StringRef deviceDialect(mlir::ModuleOp module);

/// Whether the target can have code of the kind that is asked for; fails after
/// a diagnostic.
mlir::LogicalResult checkEmit(mlir::ModuleOp module, Emit emit);

} // namespace attn

#endif // ATTN_MLIR_COMPILER_EMIT_H
