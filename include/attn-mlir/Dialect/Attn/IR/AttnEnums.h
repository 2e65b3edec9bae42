//===- AttnEnums.h - Enumerations of operations -----------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNENUMS_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNENUMS_H

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h.inc"

namespace attn {

/// The dimension of Q, K, V and O that holds the head.
inline unsigned headDimOf(TensorLayout layout) {
  return layout == TensorLayout::BHSD ? 1 : 2;
}

/// The dimension that holds the sequence.
inline unsigned seqDimOf(TensorLayout layout) {
  return layout == TensorLayout::BHSD ? 2 : 1;
}

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNENUMS_H
