//===- Manifest.h - What a launcher must know of a device function -*- C++
//-*-===//

#ifndef ATTN_MLIR_CONVERSION_MANIFEST_H
#define ATTN_MLIR_CONVERSION_MANIFEST_H

#include "attn-mlir/Dialect/Attn/IR/Attn.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace attn {

/// The number of a kernel's argument among those that are views.
int64_t viewNumber(mlir::BlockArgument view);

/// An expression of docs/bundle.md for index arithmetic over the sizes of
/// views: nested arrays of strings and integers. Fails after a diagnostic where
/// `value` is anything else.
mlir::FailureOr<mlir::Attribute> buildSizeExpression(mlir::Value value);

} // namespace attn

#endif // ATTN_MLIR_CONVERSION_MANIFEST_H
