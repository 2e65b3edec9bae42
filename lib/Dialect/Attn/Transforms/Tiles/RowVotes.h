//===- RowVotes.h - What a warp asks of its rows ----------------*- C++ -*-===//

#ifndef ATTN_TRANSFORMS_TILES_ROWVOTES_H
#define ATTN_TRANSFORMS_TILES_ROWVOTES_H

#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

namespace attn {

/// Which rows have a number (f32) that compares so with a bound.
inline mlir::Value buildCompareRows(mlir::OpBuilder &b, mlir::Location loc,
                                    mlir::arith::CmpFPredicate how,
                                    mlir::Value rows, float bound) {
  auto type = llvm::cast<mlir::RankedTensorType>(rows.getType());
  mlir::Value bounds = mlir::arith::ConstantOp::create(
      b, loc, type, mlir::DenseElementsAttr::get(type, bound));
  return mlir::arith::CmpFOp::create(b, loc, how, rows, bounds);
}

/// Whether any row of the warp has such a number.
inline mlir::Value buildAnyRow(mlir::OpBuilder &b, mlir::Location loc,
                               mlir::arith::CmpFPredicate how, mlir::Value rows,
                               float bound) {
  return AnyOp::create(b, loc, buildCompareRows(b, loc, how, rows, bound));
}

} // namespace attn

#endif // ATTN_TRANSFORMS_TILES_ROWVOTES_H
