//===- Cluster.h - What the CTAs of a cluster show each other ---*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CONVERSION_ATTNTONVVM_CLUSTER_H
#define ATTN_MLIR_LIB_CONVERSION_ATTNTONVVM_CLUSTER_H

#include "NVVMLowering.h"

namespace attn {

/// Distributed shared memory (NVPTX's address spaces).
constexpr unsigned kSharedCluster = 7;

/// Places the tiles of each attn.exchange behind `bytes` bytes of shared
/// memory; returns the bytes in all.
int64_t placeExchanges(mlir::LLVM::LLVMFuncOp function, int64_t bytes);

/// Makes the views of each placed attn.exchange casts, as those of parameters
/// are (ViewParameters), of the address of the CTA's own tile.
void castExchanges(mlir::LLVM::LLVMFuncOp function);

/// Whether a view is one of these.
bool isShown(mlir::Value view);

/// The part of such a view that a tile is loaded from.
class ShownTile {
public:
  ShownTile(LoadOp op, mlir::OpBuilder &b);

  /// Whether element (i), (i, j) of the tile lies in the view.
  mlir::Value contains(mlir::ValueRange coordinates) const;
  /// Address of an element, in the memory of the CTA that gave it.
  mlir::Value address(mlir::ValueRange coordinates) const;
  /// An address that can be read in place of what is not in the view.
  mlir::Value elsewhere() const;

private:
  mlir::OpBuilder &b;
  mlir::Location loc;
  ViewParameters view;
  int64_t bytes;
  mlir::Value exists, base;
  llvm::SmallVector<mlir::Value> starts;
  llvm::SmallVector<int64_t> sizes;
};

/// attn.exchange, through shared memory.
void populateClusterPatterns(const mlir::TypeConverter &converter,
                             mlir::RewritePatternSet &patterns);

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_ATTNTONVVM_CLUSTER_H
