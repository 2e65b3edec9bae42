//===- AttnTensorOps.h - Level 1: what is computed --------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNTENSOROPS_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNTENSOROPS_H

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace mlir {
class PatternRewriter;
} // namespace mlir

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h.inc"

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNTENSOROPS_H
