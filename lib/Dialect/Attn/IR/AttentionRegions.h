//===- AttentionRegions.h - Regions of scalars of operations ----*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONREGIONS_H
#define ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONREGIONS_H

#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/Operation.h"

namespace attn {

/// The operand views that captures are, of which the first is `first`; of
/// scalars nothing.
llvm::SmallVector<std::optional<unsigned>>
captureViews(mlir::ValueRange captures, unsigned first);

/// The captures that are scalars.
llvm::SmallVector<mlir::Value> scalarsAmong(mlir::ValueRange captures);

/// The argument of a score modification that the capture of this number is,
/// behind the score and four indices.
inline unsigned scoreArgumentOf(int64_t capture) { return 5 + capture; }

/// For each dimension of a captured tensor the expression that all reads in
/// `regions` take it at (`axes`: of batch, head, query and key), or 0 where
/// they do not.
llvm::SmallVector<mlir::AffineExpr>
captureDims(llvm::ArrayRef<mlir::Region *> regions, mlir::ValueRange captures,
            unsigned number, llvm::ArrayRef<mlir::AffineExpr> axes);

/// The captures as a kernel has them, by their views.
llvm::SmallVector<mlir::Value>
captureValues(llvm::ArrayRef<std::optional<unsigned>> views,
              const TileContext &tile);

/// Whether the regions of an operation on attention, those that are not empty,
/// take the indices and captures that they should, compute with what is defined
/// for any index, and yield one number; else failure after a diagnostic.
mlir::LogicalResult verifyScoreRegions(mlir::Operation *op,
                                       mlir::ValueRange captures,
                                       mlir::Region &score, mlir::Region &keep);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONREGIONS_H
