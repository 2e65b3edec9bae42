//===- BuildAttention.h - attn.attention for what was found -----*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_RAISE_BUILDATTENTION_H
#define ATTN_MLIR_LIB_RAISE_BUILDATTENTION_H

#include "MatchAttention.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "mlir/IR/Builders.h"

namespace attn::raise {

/// Makes the operation, with what changes layouts around it, in front of the
/// root's operation. `result` takes the root's place. Rows without keys are NaN
/// if `keepNaN`, as they are in the program.
Refusal buildAttention(Comprehension &c, const AttentionMatch &match,
                       bool keepNaN, mlir::OpBuilder &b, AttentionOp &op,
                       mlir::Value &result);

} // namespace attn::raise

#endif // ATTN_MLIR_LIB_RAISE_BUILDATTENTION_H
