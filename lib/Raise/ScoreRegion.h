//===- ScoreRegion.h - Expressions as regions -------------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_RAISE_SCOREREGION_H
#define ATTN_MLIR_LIB_RAISE_SCOREREGION_H

#include "MatchAttention.h"
#include "Relayout.h"
#include "mlir/IR/Builders.h"

namespace attn::raise {

/// Which variables the indices of a region stand for.
struct RegionIndices {
  /// Batch, head, query, key: from the outermost variable on.
  Groups groups;
};

/// Emits expressions of scores as scalar operations, and gathers the captures
/// that these need.
class RegionEmitter {
public:
  RegionEmitter(Comprehension &c, const Groups &indices)
      : c(c), groups(indices) {}

  /// What has to be passed for an expression. False where it cannot be emitted.
  bool collect(const Expr *expr, const Expr *score);
  llvm::ArrayRef<mlir::Value> captures() const { return values.getArrayRef(); }

  /// Emits into a region: `indices` are its batch, head, query and key,
  /// `arguments` its captures, converted to types that can be captured.
  mlir::Value emit(mlir::OpBuilder &b, mlir::Location loc, const Expr *expr,
                   const Expr *score, mlir::Value scoreValue,
                   mlir::ValueRange indices, mlir::ValueRange arguments);

  /// A value as a region takes it: booleans as i8. Null where it cannot.
  static mlir::Value capturable(mlir::OpBuilder &b, mlir::Location loc,
                                mlir::Value value);

private:
  /// The expression as it is emitted: long ones that do not depend on the score
  /// are read from the tensor that the program computes.
  const Expr *asEmitted(const Expr *expr, const Expr *score);
  mlir::Value emitIndex(mlir::OpBuilder &b, mlir::Location loc,
                        const IndexForm &form, mlir::ValueRange indices);
  mlir::Value emitNode(mlir::OpBuilder &b, mlir::Location loc, const Expr *expr,
                       const Expr *score, llvm::ArrayRef<mlir::Value> operands,
                       mlir::ValueRange indices, mlir::ValueRange arguments);

  Comprehension &c;
  Groups groups;
  llvm::SetVector<mlir::Value> values;
};

} // namespace attn::raise

#endif // ATTN_MLIR_LIB_RAISE_SCOREREGION_H
