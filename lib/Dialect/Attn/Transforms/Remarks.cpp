//===- Remarks.cpp - What passes on kernels report ------------------------===//

#include "attn-mlir/Dialect/Attn/Transforms/Remarks.h"

namespace attn::remarks {

#include "attn-mlir/Dialect/Attn/Transforms/Remarks.cpp.inc"

} // namespace attn::remarks
