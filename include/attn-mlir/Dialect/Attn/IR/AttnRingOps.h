//===- AttnRingOps.h - Level 3: target tile program -------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNRINGOPS_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNRINGOPS_H

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnRingOps.h.inc"

namespace attn {

/// The ring that is filled out of `ring` (attn.ring.arrange), or null.
mlir::Value arrangedOutOf(mlir::Value ring);

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNRINGOPS_H
