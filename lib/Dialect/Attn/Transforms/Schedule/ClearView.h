//===- ClearView.h - Kernels that make views of integers zero ---*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_CLEARVIEW_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_CLEARVIEW_H

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"

namespace attn {

/// A kernel that makes a view of integers zero; it stands in front of `kernel`,
/// for which it is.
KernelOp buildClear(KernelOp kernel, llvm::StringRef name, ViewType type,
                    mlir::SymbolTable &symbols);

/// Launches a kernel that makes memory zero, and returns it; the kernel stands
/// in front of `kernel`, for which it is. `memory` is a tensor of integers. One
/// for each launch: none may be taken for another's.
mlir::Value buildCleared(mlir::OpBuilder &b, mlir::Location loc,
                         KernelOp kernel, llvm::StringRef name,
                         mlir::Value memory, mlir::SymbolTable &symbols);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_CLEARVIEW_H
