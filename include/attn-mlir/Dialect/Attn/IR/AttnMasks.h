//===- AttnMasks.h - Masks --------------------------------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNMASKS_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNMASKS_H

#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"

#include "attn-mlir/Dialect/Attn/IR/AttnMaskEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnMasks.h.inc"

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNMASKS_H
