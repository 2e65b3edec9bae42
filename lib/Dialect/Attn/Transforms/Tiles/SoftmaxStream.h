//===- SoftmaxStream.h - Streams with a softmax -----------------*- C++ -*-===//
//
// What attn-optimistic-max rewrites: the part of a stream's body that follows
// from a row maximum, and whether all of it is a softmax's.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_TRANSFORMS_TILES_SOFTMAXSTREAM_H
#define ATTN_TRANSFORMS_TILES_SOFTMAXSTREAM_H

#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallVector.h"

namespace attn {

/// The part of a stream's body that follows from a row maximum.
struct Softmax {
  StreamOp stream;
  /// What takes the tile's maximum, from what the stream carries.
  AdvanceOp advance;
  /// What depends on the tile's maximum up to products, in order.
  llvm::SetVector<mlir::Operation *> ops;
  /// The sums of exponentials among them.
  llvm::SmallVector<mlir::Operation *> sums;
  /// What others use of it.
  llvm::SmallVector<mlir::Value> results;

  /// Whether a value is 1 where the maximum does not rise.
  bool isScale(mlir::Value value) {
    if (auto broadcast = value.getDefiningOp<BroadcastOp>())
      return isScale(broadcast.getRows());
    return value == advance.getRescale();
  }
};

/// The other of two operands, or null.
mlir::Value otherOperand(mlir::Operation *op, mlir::Value one);

/// Finds the softmax of a stream, or fails with a remark where the stream stays
/// as it is; `positions`: also where scores depend on these.
llvm::FailureOr<Softmax> findSoftmax(StreamOp stream, bool positions);

} // namespace attn

#endif // ATTN_TRANSFORMS_TILES_SOFTMAXSTREAM_H
