//===- StoredRows.h - Which rows of a stream's tiles are stored -*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_DIALECT_ATTN_TRANSFORMS_TILES_STOREDROWS_H
#define ATTN_MLIR_LIB_DIALECT_ATTN_TRANSFORMS_TILES_STOREDROWS_H

#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "mlir/IR/PatternMatch.h"

namespace attn {

/// Whether a row is stored, for each element of a tile of `type` whose rows are
/// those of what `stream` carries: an i1 tile, built in front of the stream.
/// Null where all rows are, or where stores behind the stream do not agree.
mlir::Value buildStoredRows(mlir::RewriterBase &b, StreamOp stream,
                            mlir::RankedTensorType type);

} // namespace attn

#endif // ATTN_MLIR_LIB_DIALECT_ATTN_TRANSFORMS_TILES_STOREDROWS_H
