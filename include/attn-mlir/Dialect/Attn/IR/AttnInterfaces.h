//===- AttnInterfaces.h - Streamable ops and masks --------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNINTERFACES_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNINTERFACES_H

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/Streamable.h"

#include "attn-mlir/Dialect/Attn/IR/AttnAttrInterfaces.h.inc"
#include "attn-mlir/Dialect/Attn/IR/AttnOpInterfaces.h.inc"

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNINTERFACES_H
