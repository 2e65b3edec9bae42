//===- DirectLoads.h - Loads that go into registers -------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_UTILS_DIRECTLOADS_H
#define ATTN_MLIR_DIALECT_ATTN_UTILS_DIRECTLOADS_H

#include "llvm/ADT/StringRef.h"

namespace attn {
class LoadOp;

/// Attribute of a kernel whose tiles are read once, by threads that each have
/// whole words of a row: no product takes them, and all are under way at once.
inline constexpr llvm::StringLiteral kDirectLoadsAttr = "direct_loads";

/// Whether a load goes straight into registers. No product reads the tile out
/// of shared memory, and no neighbour of it streams by: partial results, a
/// slice of them a visit, and what there is one number a row of.
bool isDirect(LoadOp load);

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_UTILS_DIRECTLOADS_H
