//===- AttentionEarlier.h - Attention that goes on --------------*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONEARLIER_H
#define ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONEARLIER_H

#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/TileBuilder.h"

namespace attn {

/// What O and LSE of earlier keys cannot be.
mlir::LogicalResult verifyEarlier(AttentionOp op);

/// Where a tile of rows is.
struct RowsOfTile {
  mlir::Value batch, head, query;
};

/// O and LSE of a tile's rows, f32, each weighted with those of earlier keys.
std::pair<mlir::Value, mlir::Value>
takeUpEarlier(AttentionOp op, const TileBuilder &t, mlir::ValueRange views,
              RowsOfTile at, mlir::Value out, mlir::Value lse);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONEARLIER_H
