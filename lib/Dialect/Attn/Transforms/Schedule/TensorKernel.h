//===- TensorKernel.h - Kernels that are made of tensors --------*- C++ -*-===//
//
// What the kernels of operations that nothing streams past have in common.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_TENSORKERNEL_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_TENSORKERNEL_H

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"

namespace attn {

/// A view of a kernel: what it is called, its tensor, its order of dimensions,
/// and their axes, of which launchers learn those that are dynamic.
struct TensorView {
  llvm::StringRef name;
  mlir::Value tensor;
  llvm::SmallVector<int64_t> permutation;
  llvm::SmallVector<llvm::StringRef> axes;

  ViewType getType() const;
};

/// Puts a kernel behind the function that launches it in place of `op`, and
/// behind the kernels made before.
void insertBehind(KernelOp kernel, mlir::Operation *op);

/// Makes a kernel of these views, of which it writes the last `outputs`, in
/// place of `op`, named after its function; `b` stands in it then.
KernelOp openKernel(mlir::OpBuilder &b, mlir::Operation *op,
                    llvm::StringRef suffix, llvm::StringRef step,
                    llvm::ArrayRef<TensorView> views, unsigned outputs = 1);

/// Makes a grid without an order, all of whose axes share tiles, or those that
/// are named; `b` stands in it then.
GridOp openGrid(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange sizes,
                llvm::ArrayRef<llvm::StringRef> axes);
GridOp openGrid(mlir::OpBuilder &b, mlir::Location loc, mlir::ValueRange sizes,
                llvm::ArrayRef<llvm::StringRef> axes,
                llvm::ArrayRef<llvm::StringRef> sharing);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_TENSORKERNEL_H
