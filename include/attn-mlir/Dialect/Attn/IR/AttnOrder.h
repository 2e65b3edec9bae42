//===- AttnOrder.h - The order of a grid ------------------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNORDER_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNORDER_H

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"

#define GET_ATTRDEF_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnOrder.h.inc"

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNORDER_H
