//===- AttentionValues.h - Where the values of attention lie ----*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONVALUES_H
#define ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONVALUES_H

#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"

namespace attn {

/// Columns of the widest head. Tiles of more than matrix units take at once
/// are split (attn-split-columns), but for those of 8-bit elements.
int64_t mostColumns(AttentionOp op);

/// What V by columns, and V within K, cannot have.
mlir::LogicalResult verifyValueOrder(AttentionOp op);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONVALUES_H
