//===- AttnKernelOps.h - Level 2: kernels and grids -------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNKERNELOPS_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNKERNELOPS_H

#include "attn-mlir/Dialect/Attn/IR/AttnOrder.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace attn {
// Other parents of attn.yield.
class AttentionBackwardCaptureOp;
class AttentionBackwardFusedOp;
class AttentionBackwardKeyOp;
class AttentionBackwardOp;
class AttentionBackwardQueryOp;
class AttentionOp;
class BesideOp;
class LastPartOp;
class SpecializeOp;
class StreamOp;
} // namespace attn

#define GET_OP_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h.inc"

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNKERNELOPS_H
