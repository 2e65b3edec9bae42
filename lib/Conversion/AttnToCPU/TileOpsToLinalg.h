//===- TileOpsToLinalg.h - Tile operations on tensors -----------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CONVERSION_ATTNTOCPU_TILEOPSTOLINALG_H
#define ATTN_MLIR_LIB_CONVERSION_ATTNTOCPU_TILEOPSTOLINALG_H

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace attn {

/// Patterns that turn tile arithmetic that has no elementwise form (dots,
/// reductions, broadcasts, index tiles) into linalg on tensors.
void populateTileOpsToLinalg(mlir::RewritePatternSet &patterns);

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_ATTNTOCPU_TILEOPSTOLINALG_H
