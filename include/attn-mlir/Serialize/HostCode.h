//===- HostCode.h - Functions for this machine's CPU ------------*- C++ -*-===//

#ifndef ATTN_MLIR_SERIALIZE_HOSTCODE_H
#define ATTN_MLIR_SERIALIZE_HOSTCODE_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace attn {

/// An object file of a module in the LLVM dialect, position independent, for
/// the processors that bundles for the CPU are for. Fails after a diagnostic.
mlir::FailureOr<std::string> compileToObject(mlir::ModuleOp module);

} // namespace attn

#endif // ATTN_MLIR_SERIALIZE_HOSTCODE_H
