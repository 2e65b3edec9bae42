//===- GradientReference.h - Gradients of attention in float64 --*- C++ -*-===//

#ifndef ATTN_MLIR_RUNTIME_GRADIENTREFERENCE_H
#define ATTN_MLIR_RUNTIME_GRADIENTREFERENCE_H

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include <vector>

namespace attn {

/// A tensor operand, as it lies in memory.
struct GradientInput {
  llvm::SmallVector<int64_t> shape;
  std::vector<double> values;
};

/// A result, and the size of what each of its rows is a sum of: of terms that
/// are rounded each by itself, the root of the sum of squares (rowwiseError).
struct GradientResult {
  llvm::SmallVector<int64_t> shape;
  std::vector<double> values, units;
};

/// Whether an operation is a gradient of attention, or a part of one.
bool isGradient(mlir::Operation *op);

/// Evaluates such an operation by its definition, in float64, with nothing in
/// common with what the compiler makes of it: pair by pair, and with
/// differences for the derivative of a score modification. `numbers` are its
/// scalar operands. Fails after a diagnostic where it does not know the mask or
/// an operation of a region.
mlir::LogicalResult referenceGradient(mlir::Operation *op,
                                      llvm::ArrayRef<GradientInput> inputs,
                                      llvm::ArrayRef<double> numbers,
                                      std::vector<GradientResult> &results);

} // namespace attn

#endif // ATTN_MLIR_RUNTIME_GRADIENTREFERENCE_H
