//===- AttentionLike.h - Operations that say they are attention -*- C++ -*-===//

#ifndef ATTN_MLIR_RAISE_ATTENTIONLIKE_H
#define ATTN_MLIR_RAISE_ATTENTIONLIKE_H

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "mlir/IR/OpDefinition.h"

namespace attn {

/// Operands and attributes of the `attn.attention` that an operation is.
struct AttentionDescription {
  /// In the shapes that `layout` names.
  mlir::Value query, key, value;
  float scale = 1;
  /// Null where every query attends to every key.
  MaskInterface mask;
  TensorLayout layout = TensorLayout::BHSD;
  /// Null, or one i32 or i64 for each batch.
  mlir::Value lengths;
};

} // namespace attn

#include "attn-mlir/Raise/AttentionLike.h.inc"

#endif // ATTN_MLIR_RAISE_ATTENTIONLIKE_H
