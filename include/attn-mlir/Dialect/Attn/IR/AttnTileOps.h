//===- AttnTileOps.h - Level 2: tiles ---------------------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNTILEOPS_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNTILEOPS_H

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace attn {
/// Checks the shapes and element types of lhs (^T) x rhs (^T) added to acc, for
/// an operation that computes it.
llvm::LogicalResult verifyProduct(mlir::Operation *op, mlir::Type lhs,
                                  mlir::Type rhs, mlir::Type acc,
                                  bool transposeRhs, bool transposeLhs);

/// Checks a tile whose rows are loaded in blocks: one, and `others`.
llvm::LogicalResult verifyBlocks(mlir::Operation *op, ViewType view,
                                 mlir::ShapedType tile, size_t others);

/// attn.advance as `arith` and `math` without a branch, whatever the layout of
/// its rows.
void populateDecomposeAdvance(mlir::RewritePatternSet &patterns);
} // namespace attn

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h.inc"

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNTILEOPS_H
