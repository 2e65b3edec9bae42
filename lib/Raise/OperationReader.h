//===- OperationReader.h - One operation on tensors, read -------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_RAISE_OPERATIONREADER_H
#define ATTN_MLIR_LIB_RAISE_OPERATIONREADER_H

#include "Comprehension.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"

namespace attn::raise {

/// Reads elements of the results of one operation. `deep` says how elements of
/// its operands are read: through the operations before it, or as they are.
struct OperationReader {
  Comprehension &c;
  bool deep;

  using Forms = llvm::ArrayRef<IndexForm>;

  /// An element of an operand.
  const Expr *element(mlir::Value tensor, Forms forms);

  /// Null where the operation is not one that expressions are made of.
  const Expr *result(mlir::OpResult result, Forms forms);

  const Expr *linalgResult(mlir::linalg::LinalgOp op, unsigned number,
                           Forms forms);
  const Expr *softmaxResult(mlir::linalg::SoftmaxOp op, Forms forms);
  const Expr *tensorResult(mlir::Operation *op, Forms forms);
  const Expr *tosaResult(mlir::Operation *op, Forms forms);
  const Expr *elementwiseResult(mlir::Operation *op, Forms forms);

  /// The element of a reshape's source.
  const Expr *collapsed(mlir::tensor::CollapseShapeOp op, Forms forms);
  const Expr *expanded(mlir::tensor::ExpandShapeOp op, Forms forms);
  const Expr *reshaped(mlir::Value source, mlir::ShapedType result,
                       Forms forms);

  /// Forms of all loops from those of a result, where the result has them.
  std::optional<llvm::SmallVector<std::optional<IndexForm>>>
  loopsOf(mlir::linalg::LinalgOp op, unsigned number, Forms forms);
  /// A value of the body for these loops.
  const Expr *body(mlir::linalg::LinalgOp op, Forms loops, mlir::Value value,
                   llvm::DenseMap<mlir::Value, const Expr *> &known);

  /// What a reduction reduces.
  const Expr *reducedLinalg(mlir::linalg::LinalgOp op, unsigned number,
                            Forms loops);
};

/// How a linalg operation reduces into a result.
struct LinalgReduction {
  ExprKind kind;
  /// What is added, or the factors of it (fma).
  llvm::SmallVector<mlir::Value, 2> reduced;
};
std::optional<LinalgReduction> findReduction(mlir::linalg::LinalgOp op,
                                             unsigned number);

/// The extent of a loop, and where it is read.
struct LoopExtent {
  int64_t extent;
  mlir::Value tensor;
  unsigned dim;
};
std::optional<LoopExtent> loopExtent(mlir::linalg::LinalgOp op, unsigned loop);

} // namespace attn::raise

#endif // ATTN_MLIR_LIB_RAISE_OPERATIONREADER_H
