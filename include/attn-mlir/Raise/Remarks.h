//===- Remarks.h - What was raised, and what was not ------------*- C++ -*-===//

#ifndef ATTN_MLIR_RAISE_REMARKS_H
#define ATTN_MLIR_RAISE_REMARKS_H

#include "attn-mlir/Support/Remarks.h"

namespace attn::remarks {

#include "attn-mlir/Raise/Remarks.h.inc"

} // namespace attn::remarks

#endif // ATTN_MLIR_RAISE_REMARKS_H
