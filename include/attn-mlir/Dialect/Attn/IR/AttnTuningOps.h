//===- AttnTuningOps.h - Schedules that were measured -----------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNTUNINGOPS_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNTUNINGOPS_H

#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "mlir/IR/BuiltinOps.h"

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnTuningOps.h.inc"

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNTUNINGOPS_H
