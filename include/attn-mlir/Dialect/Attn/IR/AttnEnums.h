//===- AttnEnums.h - Enumerations of operations -----------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNENUMS_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNENUMS_H

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h.inc"

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNENUMS_H
