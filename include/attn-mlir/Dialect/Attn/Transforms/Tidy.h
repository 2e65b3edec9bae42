//===- Tidy.h - Clean-up after a pass ---------------------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_TRANSFORMS_TIDY_H
#define ATTN_MLIR_DIALECT_ATTN_TRANSFORMS_TIDY_H

namespace mlir {
class Operation;
} // namespace mlir

namespace attn {

/// Folds, deduplicates and removes dead operations below `root`, so that the IR
/// a pass leaves reads well. Changes no schedule.
void tidy(mlir::Operation *root);

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_TRANSFORMS_TIDY_H
