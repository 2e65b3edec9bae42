//===- AttnTraversals.h - Orders of a stream's visits -----------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNTRAVERSALS_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNTRAVERSALS_H

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/ValueRange.h"
#include <string>

#include "attn-mlir/Dialect/Attn/IR/AttnTraversalInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnTraversals.h.inc"

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNTRAVERSALS_H
