//===- Remarks.h - How options were chosen ----------------------*- C++ -*-===//

#ifndef ATTN_MLIR_TUNING_REMARKS_H
#define ATTN_MLIR_TUNING_REMARKS_H

#include "attn-mlir/Support/Remarks.h"

namespace attn::remarks {

#include "attn-mlir/Tuning/Remarks.h.inc"

} // namespace attn::remarks

#endif // ATTN_MLIR_TUNING_REMARKS_H
