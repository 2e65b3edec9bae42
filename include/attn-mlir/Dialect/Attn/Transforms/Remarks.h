//===- Remarks.h - What passes on kernels report ----------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_TRANSFORMS_REMARKS_H
#define ATTN_MLIR_DIALECT_ATTN_TRANSFORMS_REMARKS_H

#include "attn-mlir/Support/Remarks.h"

namespace attn::remarks {

#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h.inc"

} // namespace attn::remarks

#endif // ATTN_MLIR_DIALECT_ATTN_TRANSFORMS_REMARKS_H
