//===- BuildAttention.h - attn.attention for what was found -----*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_RAISE_BUILDATTENTION_H
#define ATTN_MLIR_LIB_RAISE_BUILDATTENTION_H

#include "MatchAttention.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "mlir/IR/Builders.h"

namespace attn::raise {

/// What takes the place of the program's operations.
struct BuiltAttention {
  AttentionOp op;
  /// For the root, and for the logarithms of sums that were found.
  mlir::Value result, lse;
  /// Whether rows without keys are made NaN again.
  bool restoresNaN = false;
};

/// Makes the operation, with what changes layouts around it, in front of the
/// root's operation. Rows without keys are NaN if `keepNaN`, as they are in the
/// program.
Refusal buildAttention(Comprehension &c, const AttentionMatch &match,
                       bool keepNaN, mlir::OpBuilder &b, BuiltAttention &built);

} // namespace attn::raise

#endif // ATTN_MLIR_LIB_RAISE_BUILDATTENTION_H
