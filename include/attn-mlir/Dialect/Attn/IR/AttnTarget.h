//===- AttnTarget.h - What a schedule is made for ---------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNTARGET_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNTARGET_H

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Target/Facts.h"

#define GET_ATTRDEF_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h.inc"

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNTARGET_H
