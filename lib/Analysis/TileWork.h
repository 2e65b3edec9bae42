//===- TileWork.h - What tile operations ask of an SM -----------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_ANALYSIS_TILEWORK_H
#define ATTN_MLIR_LIB_ANALYSIS_TILEWORK_H

#include "attn-mlir/Analysis/KernelRun.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"

namespace attn {
class LoadOp;
class StreamOp;

/// Bytes of a tile's elements.
int64_t tileBytes(mlir::Type type);

/// Whether a load is of what CTAs of a cluster show each other.
bool isOnChip(LoadOp load);

/// Adds up what a region does outside of streams that it holds; `masked`: where
/// attn.mask acts.
TileWork workOf(mlir::Block &block, bool masked);

/// What a step of a stream does, with and without masks.
StreamWork workOf(StreamOp stream);

} // namespace attn

#endif // ATTN_MLIR_LIB_ANALYSIS_TILEWORK_H
