//===- AttnSchedule.h - How an operation is compiled ------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNSCHEDULE_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNSCHEDULE_H

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"

#define GET_ATTRDEF_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h.inc"

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNSCHEDULE_H
