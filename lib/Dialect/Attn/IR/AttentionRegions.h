//===- AttentionRegions.h - Regions of scalars of operations ----*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONREGIONS_H
#define ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONREGIONS_H

#include "mlir/IR/Operation.h"

namespace attn {

/// Whether the regions of an operation on attention, those that are not empty,
/// take the indices and captures that they should, compute with what is defined
/// for any index, and yield one number; else failure after a diagnostic.
mlir::LogicalResult verifyScoreRegions(mlir::Operation *op,
                                       mlir::ValueRange captures,
                                       mlir::Region &score, mlir::Region &keep);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONREGIONS_H
