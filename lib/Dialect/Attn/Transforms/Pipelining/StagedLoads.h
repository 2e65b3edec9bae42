//===- StagedLoads.h - How the tiles of loads lie in rings ------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_DIALECT_ATTN_TRANSFORMS_PIPELINING_STAGEDLOADS_H
#define ATTN_MLIR_LIB_DIALECT_ATTN_TRANSFORMS_PIPELINING_STAGEDLOADS_H

#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"
#include "mlir/IR/BuiltinTypes.h"

#include <cstdint>

namespace attn {

mlir::RankedTensorType tileOf(LoadOp load);

/// The unit that multiplies the tile, as far as any does.
MatrixUnitInterface unitOf(LoadOp load);

/// The tile's type, with the layout that it has in shared memory.
mlir::RankedTensorType sharedType(LoadOp load);

/// The same in fewer and wider panels, if the unit knows any. Rows of an extent
/// that is not known are as long as the tile's.
mlir::RankedTensorType widenedType(LoadOp load);

/// Bytes of the largest copy at once.
constexpr int64_t kMaxChunk = 16;

/// The largest chunk that divides the rows of a view.
int64_t dividingChunk(ViewType view);

/// What says where a load reads: offsets, blocks and an end.
llvm::SmallVector<mlir::Value> positionsOf(LoadOp load);

/// Whether the tile has one value for each column of others, in a stream.
bool isOfColumns(LoadOp load);

} // namespace attn

#endif // ATTN_MLIR_LIB_DIALECT_ATTN_TRANSFORMS_PIPELINING_STAGEDLOADS_H
