//===- Remarks.cpp - What was raised, and what was not --------------------===//

#include "attn-mlir/Raise/Remarks.h"

namespace attn::remarks {

#include "attn-mlir/Raise/Remarks.cpp.inc"

} // namespace attn::remarks
