//===- PackGroup.h - Heads that share a KV head as rows ---------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_TRANSFORMS_PACKGROUP_H
#define ATTN_MLIR_DIALECT_ATTN_TRANSFORMS_PACKGROUP_H

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"

namespace attn {
class AttentionOp;

/// Why attn-pack-group leaves an operation as it is, in words; empty if it
/// packs.
llvm::StringRef whyNotPacked(AttentionOp op);

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_TRANSFORMS_PACKGROUP_H
