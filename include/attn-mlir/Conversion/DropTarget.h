//===- DropTarget.h - Modules without anything of the dialect ---*- C++ -*-===//

#ifndef ATTN_MLIR_CONVERSION_DROPTARGET_H
#define ATTN_MLIR_CONVERSION_DROPTARGET_H

#include "mlir/IR/BuiltinOps.h"

namespace attn {

/// Takes the target off a module in which no operation of the dialect is left,
/// so that others that lack the dialect read it.
void dropUnusedTarget(mlir::ModuleOp module);

} // namespace attn

#endif // ATTN_MLIR_CONVERSION_DROPTARGET_H
