//===- AttnLayouts.h - Layouts of tiles -------------------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNLAYOUTS_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNLAYOUTS_H

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "mlir/IR/TensorEncoding.h"

#define GET_ATTRDEF_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h.inc"

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNLAYOUTS_H
