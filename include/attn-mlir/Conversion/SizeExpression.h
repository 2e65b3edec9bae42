//===- SizeExpression.h - What launchers know of functions ------*- C++ -*-===//

#ifndef ATTN_MLIR_CONVERSION_SIZEEXPRESSION_H
#define ATTN_MLIR_CONVERSION_SIZEEXPRESSION_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"
#include <functional>

namespace attn {

/// The number of a kernel's argument among those that are views.
int64_t viewNumber(mlir::BlockArgument view);

/// The expression ["size", view, dim] of docs/bundle.md.
mlir::Attribute sizeExpression(mlir::Builder &b, int64_t view, int64_t dim);

/// Expressions of docs/bundle.md for index arithmetic over the sizes of views:
/// nested arrays of strings and integers.
class SizeExpressions {
public:
  /// What an operation that is no arithmetic stands for; null if for nothing.
  using LeafFn = std::function<mlir::Attribute(mlir::Operation *)>;

  /// Of kernels: leaves are sizes of arguments.
  SizeExpressions();
  explicit SizeExpressions(LeafFn leaf) : leaf(std::move(leaf)) {}

  /// Null where `value` is anything else.
  mlir::Attribute find(mlir::Value value);

  /// What of `value`, which is no such expression, is none: where it came in.
  mlir::Value findCause(mlir::Value value);

private:
  mlir::Attribute build(mlir::Value value);

  LeafFn leaf;
  llvm::DenseMap<mlir::Value, mlir::Attribute> expressions;
};

/// The expression of a number of CTAs. Fails after a diagnostic where `value`
/// is something else.
mlir::FailureOr<mlir::Attribute> buildSizeExpression(mlir::Value value);

} // namespace attn

#endif // ATTN_MLIR_CONVERSION_SIZEEXPRESSION_H
