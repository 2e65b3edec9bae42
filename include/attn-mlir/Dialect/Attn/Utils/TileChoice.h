//===- TileChoice.h - Tiles that fit a target -------------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_UTILS_TILECHOICE_H
#define ATTN_MLIR_DIALECT_ATTN_UTILS_TILECHOICE_H

#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "llvm/ADT/StringMap.h"

namespace attn {

/// Positions of axes in a tile, by name.
using TileSizes = llvm::StringMap<int64_t>;

/// Whether an axis is divided into tiles: neither a unit nor whole.
inline bool isTiled(const StreamAxis &axis) {
  return axis.kind == AxisKind::Group || axis.kind == AxisKind::Stream;
}

struct TileChoice {
  /// One size for each axis of the operation.
  llvm::SmallVector<int64_t> sizes;
  /// Whether the measured table chose, where nobody asked.
  bool fromTable = false;
};

/// The tile sizes of an operation on its target: what is asked, else the
/// largest default that fits. Fails where what is asked does not fit, after a
/// diagnostic that names the largest tile that does. `eachResult`: a kernel
/// holds the largest part of the state alone.
mlir::FailureOr<TileChoice> chooseTile(StreamableOpInterface op,
                                       const TileSizes &asked,
                                       bool eachResult = false);

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_UTILS_TILECHOICE_H
