//===- AttnCacheOps.h - Level 1: caches and FP8 -----------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNCACHEOPS_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNCACHEOPS_H

#include "attn-mlir/Dialect/Attn/IR/AttnEnums.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnCacheOps.h.inc"

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNCACHEOPS_H
