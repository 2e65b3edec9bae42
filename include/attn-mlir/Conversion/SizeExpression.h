//===- SizeExpression.h - What launchers know of functions ------*- C++ -*-===//

#ifndef ATTN_MLIR_CONVERSION_SIZEEXPRESSION_H
#define ATTN_MLIR_CONVERSION_SIZEEXPRESSION_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"

namespace attn {

/// The number of a kernel's argument among those that are views.
int64_t viewNumber(mlir::BlockArgument view);

/// Expressions of docs/bundle.md for index arithmetic over the sizes of views:
/// nested arrays of strings and integers.
class SizeExpressions {
public:
  /// Null where `value` is anything else.
  mlir::Attribute find(mlir::Value value);

private:
  mlir::Attribute build(mlir::Value value);

  llvm::DenseMap<mlir::Value, mlir::Attribute> expressions;
};

/// The expression of a number of CTAs. Fails after a diagnostic where `value`
/// is something else.
mlir::FailureOr<mlir::Attribute> buildSizeExpression(mlir::Value value);

} // namespace attn

#endif // ATTN_MLIR_CONVERSION_SIZEEXPRESSION_H
