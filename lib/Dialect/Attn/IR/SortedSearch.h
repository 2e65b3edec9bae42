//===- SortedSearch.h - Bounds from numbers that never fall -----*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_SORTEDSEARCH_H
#define ATTN_LIB_DIALECT_ATTN_IR_SORTEDSEARCH_H

#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include <optional>

namespace attn {

/// Numbers of a view that never fall along its last dimension, which keys
/// count: where they pass others is found by halving, a tile of the stream at a
/// time.
struct SortedSearch : IndexBuilder {
  mlir::Value view;
  /// Indices of all dimensions but the last.
  llvm::SmallVector<mlir::Value> indices;
  /// Number of keys, no more than there are numbers.
  mlir::Value keys;
  /// Keys of a tile.
  int64_t step;

  /// A number that those of keys are compared with: of some query of a block,
  /// the least and the largest.
  struct Number {
    mlir::Value lo, hi;
    /// Whether equal ones are left out.
    bool strict;
  };

  /// Bounds `range` to keys whose numbers are at least `least` and at most
  /// `most`, for some query of a block. Keys that every query sees are known
  /// where the block has one number alone.
  KeyRange refine(KeyRange range, std::optional<Number> least,
                  std::optional<Number> most) const;

private:
  mlir::Value read(mlir::Value key) const;
  /// The last key of a tile.
  mlir::Value lastOf(mlir::Value tile) const;
  /// The first tile in [from, to) of which the first (or last) number is at
  /// least, or above, `number`; `to` where there is none.
  mlir::Value firstTile(mlir::Value from, mlir::Value to, mlir::Value number,
                        bool byLast, bool above) const;
};

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_IR_SORTEDSEARCH_H
