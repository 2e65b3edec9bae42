//===- AttnGradientOps.h - Level 1: gradients of attention ------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNGRADIENTOPS_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNGRADIENTOPS_H

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnGradientOps.h.inc"

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNGRADIENTOPS_H
