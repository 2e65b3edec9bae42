//===- AttnTypes.h - Views, rings and what is under way ---------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNTYPES_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNTYPES_H

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"

#define GET_TYPEDEF_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h.inc"

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNTYPES_H
