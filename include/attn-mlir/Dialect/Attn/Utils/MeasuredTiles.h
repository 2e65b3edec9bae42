//===- MeasuredTiles.h - Tile sizes that were measured ----------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_UTILS_MEASUREDTILES_H
#define ATTN_MLIR_DIALECT_ATTN_UTILS_MEASUREDTILES_H

#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include <optional>

namespace attn {

/// Tile sizes of the grouped and the streamed axes.
struct MeasuredTile {
  int64_t group, stream;
};

/// The fastest of the tiles that were measured for what `op` computes on
/// targets such as this, of which the first that an SM holds twice is to be
/// taken; empty if none were measured (docs/notebooks/performance.md says on
/// which machine, and benchmarks/forward.py repeats it).
llvm::ArrayRef<MeasuredTile> measuredTiles(TargetAttr target,
                                           StreamableOpInterface op);

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_UTILS_MEASUREDTILES_H
