//===- MaskBounds.h - Bounds of keys from a mask region ---------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_MASKBOUNDS_H
#define ATTN_MLIR_DIALECT_ATTN_IR_MASKBOUNDS_H

#include "attn-mlir/Dialect/Attn/IR/Streamable.h"

namespace attn {

/// Where a mask region stands: its arguments, with a range of queries in place
/// of one and none for the key.
struct RegionPlace {
  mlir::Value batch, head;
  /// Queries first..last, both inclusive.
  mlir::Value firstQuery, lastQuery;
  /// Number of keys.
  mlir::Value keys;
  /// The captures of the op, in order: scalars and views of the kernel.
  llvm::SmallVector<mlir::Value> captures;
  /// Those of which numbers never fall along the last dimension.
  llvm::ArrayRef<int64_t> sorted;
  /// Keys of a tile of the stream.
  int64_t step;
};

/// The keys that `body`, a mask region (batch, head, query, key, captures ...),
/// can let some query of the place attend to, and those that it lets every one.
/// It follows comparisons of integers in which the key occurs on one side,
/// inside of sums, differences, products with constants and quotients by
/// constants; and, or, not and select of these; what does not depend on the key
/// it evaluates for the range of queries. A number that the key picks from a
/// sorted capture, compared with another, bounds it where this and other
/// conditions hold together. Whatever else there is bounds nothing: the range
/// holds every key that is kept, and `partial` is set where none is known to be
/// kept by all. Numbers that the region computes are taken not to overflow.
/// Nothing outside of `known` is in the range.
KeyRange buildRegionRange(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Block &body, const RegionPlace &place,
                          const KeyRange &known);

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_IR_MASKBOUNDS_H
