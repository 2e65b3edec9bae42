//===- AttnStreamOp.h - Level 2: streams ------------------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNSTREAMOP_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNSTREAMOP_H

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTraversals.h"

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h.inc"

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNSTREAMOP_H
