//===- Remarks.cpp - How options were chosen ------------------------------===//

#include "attn-mlir/Tuning/Remarks.h"

namespace attn::remarks {

#include "attn-mlir/Tuning/Remarks.cpp.inc"

} // namespace attn::remarks
