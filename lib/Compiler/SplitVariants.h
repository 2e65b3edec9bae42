//===- SplitVariants.h - Variants without a split stream --------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_COMPILER_SPLITVARIANTS_H
#define ATTN_MLIR_LIB_COMPILER_SPLITVARIANTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace attn {

/// Lowers a module by options of attn-schedule, or gives a diagnostic.
using LowerModule =
    llvm::function_ref<mlir::FailureOr<mlir::OwningOpRef<mlir::ModuleOp>>(
        mlir::ModuleOp, llvm::StringRef schedule)>;

/// Where sizes decide how many CTAs share a stream, adds variants of `module`,
/// which `input` was lowered to: for sizes for which one CTA has all of it, so
/// that there are no states to merge, and, if that is asked for, for those for
/// which a cluster has, so that no other kernel merges them. What is left for
/// all other sizes is `module` then. `guard`: what the sizes of all of these
/// are, if not empty; then clusters are all that `module` becomes where they
/// are asked for, as what is behind takes the other sizes.
mlir::LogicalResult addSplitVariants(
    mlir::ModuleOp input, llvm::StringRef schedule, llvm::StringRef guard,
    LowerModule lower, mlir::OwningOpRef<mlir::ModuleOp> &module,
    llvm::SmallVectorImpl<mlir::OwningOpRef<mlir::ModuleOp>> &variants);

} // namespace attn

#endif // ATTN_MLIR_LIB_COMPILER_SPLITVARIANTS_H
