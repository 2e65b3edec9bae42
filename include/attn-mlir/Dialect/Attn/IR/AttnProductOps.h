//===- AttnProductOps.h - Level 3: asynchronous products --------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNPRODUCTOPS_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNPRODUCTOPS_H

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnProductOps.h.inc"

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNPRODUCTOPS_H
