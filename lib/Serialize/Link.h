//===- Link.h - An object file as a shared object, in process ---*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_SERIALIZE_LINK_H
#define ATTN_MLIR_LIB_SERIALIZE_LINK_H

#include "mlir/IR/Operation.h"
#include <string>

namespace attn {

/// Links one object file, with more options of ld.lld. Fails after a diagnostic
/// at `op`. Calls from several threads wait for each other.
mlir::FailureOr<std::string> linkShared(mlir::Operation *op,
                                        llvm::StringRef object,
                                        llvm::ArrayRef<const char *> options);

} // namespace attn

#endif // ATTN_MLIR_LIB_SERIALIZE_LINK_H
