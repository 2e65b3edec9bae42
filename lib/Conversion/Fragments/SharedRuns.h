//===- SharedRuns.h - Registers that lie side by side in memory -*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CONVERSION_FRAGMENTS_SHAREDRUNS_H
#define ATTN_MLIR_LIB_CONVERSION_FRAGMENTS_SHAREDRUNS_H

#include "FragmentsToVectors.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"

namespace attn {

/// Consecutive registers of `layout` whose elements are neighbours in a chunk
/// of a tile in shared memory, a power of two.
int64_t runInChunk(mlir::RankedTensorType tile, FragmentAttr layout);

/// Writes `elements`, a vector of what a thread holds of a tile with `layout`,
/// to where they lie in a tile of type `tile` in shared memory, as many
/// neighbours at once as a chunk has. `address` gives the address of an offset
/// in bytes.
void writeToShared(ThreadBuilder t, mlir::RankedTensorType tile,
                   FragmentAttr layout, mlir::Value elements,
                   llvm::function_ref<mlir::Value(mlir::Value)> address);

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_FRAGMENTS_SHAREDRUNS_H
