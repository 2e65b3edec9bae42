//===- AttentionScales.h - What Q, K and V stand for multiples -*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONSCALES_H
#define ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONSCALES_H

#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/TileBuilder.h"

namespace attn {

/// What `scale_block` cannot have.
mlir::LogicalResult verifyScaleBlock(AttentionOp op);
/// Blocks that the keys have, as far as types tell.
int64_t blocksOfKeys(AttentionOp op);

/// Times any number that FP8 scores may be next to nothing, and by it sinks are
/// divided.
constexpr double kLeastFactor = 0x1p-96;

/// The scales of one tile, as f32.
class AttentionScales {
public:
  enum Of { Queries, Keys, Values };

  /// `batch`, `head` and `key`: where the tile is.
  AttentionScales(AttentionOp op, TileBuilder t, mlir::ValueRange views,
                  mlir::Value batch, mlir::Value head, mlir::Value key)
      : op(op), t(t), views(views), batch(batch), head(head), key(key) {}

  /// That of all keys, or null.
  mlir::Value shared(Of of);
  /// That of the keys of the tile, which is in a stream, or null.
  mlir::Value ofTile(Of of);
  /// What scores of scaled Q and K are multiplied with, but for scales of
  /// blocks.
  mlir::Value ofScores();
  /// That of rows, in units of base-2 exponents, of scores that have the sign
  /// of the scale. What is taken away by a mask stays away with a scale of 0,
  /// too.
  mlir::Value ofRows();

private:
  mlir::Value number(double value);
  /// `factor` times what Q and K are multiples of.
  mlir::Value times(float factor);
  mlir::Value build(Of of);
  bool isOfBlocks(Of of);

  AttentionOp op;
  TileBuilder t;
  mlir::ValueRange views;
  mlir::Value batch, head, key;
};

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONSCALES_H
