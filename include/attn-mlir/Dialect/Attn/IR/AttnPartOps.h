//===- AttnPartOps.h - Parts of a stream, and which ends last ---*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNPARTOPS_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNPARTOPS_H

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace attn {

/// Parts of one stream that a word has room for: two bits each, and two that
/// are left.
constexpr int64_t kMostPartsOfWord = 31;

} // namespace attn

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnPartOps.h.inc"

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNPARTOPS_H
