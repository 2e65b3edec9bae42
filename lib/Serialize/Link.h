//===- Link.h - An object file as a shared object, in process ---*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_SERIALIZE_LINK_H
#define ATTN_MLIR_LIB_SERIALIZE_LINK_H

#include "mlir/IR/Operation.h"
#include <string>

namespace attn {

/// Links one object file, with more options of ld.lld, to what loads the shared
/// libraries `needed`, which need not be on this machine. Fails after a
/// diagnostic at `op`. Calls from several threads wait for each other.
mlir::FailureOr<std::string>
linkShared(mlir::Operation *op, llvm::StringRef object,
           llvm::ArrayRef<const char *> options,
           llvm::ArrayRef<llvm::StringRef> needed = {});

} // namespace attn

#endif // ATTN_MLIR_LIB_SERIALIZE_LINK_H
