//===- Relayout.h - From one order of dimensions to another -----*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_RAISE_RELAYOUT_H
#define ATTN_MLIR_LIB_RAISE_RELAYOUT_H

#include "Comprehension.h"
#include "mlir/IR/Builders.h"

namespace attn::raise {

/// Which variables each dimension of a tensor holds, from the outermost on.
using Groups = llvm::SmallVector<llvm::SmallVector<unsigned, 2>, 4>;

/// Those of a tensor that is read at these forms; nothing where its dimensions
/// are not products of variables, each of which it has once.
std::optional<Groups> groupsOf(const Comprehension &c, mlir::Value tensor,
                               llvm::ArrayRef<IndexForm> forms);

/// How many operations `relayout` makes; nothing where the groups hold
/// different variables.
std::optional<unsigned> relayoutCost(const Groups &from, const Groups &to);

/// Sizes of variables.
using SizeOf = llvm::function_ref<mlir::OpFoldResult(unsigned variable)>;

/// Reshapes and transposes a tensor, so that its dimensions hold other groups.
mlir::Value relayout(mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
                     const Groups &from, const Groups &to, SizeOf sizeOf);

/// A tensor with its elements as another float type.
mlir::Value castElements(mlir::OpBuilder &b, mlir::Location loc,
                         mlir::Value tensor, mlir::Type element);

/// An elementwise linalg.generic on tensors of the shape of the first.
mlir::Value mapElements(
    mlir::OpBuilder &b, mlir::Location loc, mlir::Value tensor,
    mlir::Type element,
    llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Value)> body);

} // namespace attn::raise

#endif // ATTN_MLIR_LIB_RAISE_RELAYOUT_H
