//===- AttentionLike.cpp - Operations that say they are attention ---------===//

#include "attn-mlir/Raise/AttentionLike.h"

#include "attn-mlir/Raise/AttentionLike.cpp.inc"
