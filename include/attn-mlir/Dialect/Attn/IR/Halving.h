//===- Halving.h - Searches by halving --------------------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_HALVING_H
#define ATTN_MLIR_DIALECT_ATTN_IR_HALVING_H

#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"

namespace attn {

/// Halvings until one of so many (up to 2^24), or none, is left.
mlir::Value countHalvings(const IndexBuilder &m, mlir::Value count);

/// The last of `count` points that `isBefore` holds for, or 0: for those behind
/// the first for which it does not, it may say anything. Takes `halvings` steps
/// in a loop, in which `isBefore` builds at the insertion point of `m`.
mlir::Value
lastBefore(const IndexBuilder &m, mlir::Value halvings, mlir::Value count,
           llvm::function_ref<mlir::Value(mlir::Value point)> isBefore);

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_IR_HALVING_H
