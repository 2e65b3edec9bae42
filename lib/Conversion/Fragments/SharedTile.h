//===- SharedTile.h - Addresses in a tile in shared memory ------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CONVERSION_FRAGMENTS_SHAREDTILE_H
#define ATTN_MLIR_LIB_CONVERSION_FRAGMENTS_SHAREDTILE_H

#include "FragmentsToVectors.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"

namespace attn {

/// Computes byte offsets into a tile with an #attn.shared layout. Rows and
/// columns are those of the tile as it lies in memory (SharedAttr::
/// getStoredShape).
class SharedTile {
public:
  SharedTile(mlir::RankedTensorType type, ThreadBuilder t)
      : type(type), span(sharedOf(type).getSpan()),
        folded(sharedOf(type).getFolded()),
        stored(SharedAttr::getStoredShape(type)), t(t) {}

  static constexpr int64_t kChunkBytes = 16;

  int64_t elementBytes() const { return type.getElementTypeBitWidth() / 8; }
  int64_t rows() const { return stored.first; }
  /// Bytes of one row of a panel.
  int64_t panelBytes() const { return span; }
  int64_t panelColumns() const { return span / elementBytes(); }
  int64_t numPanels() const { return stored.second / panelColumns(); }
  int64_t bytes() const { return type.getNumElements() * elementBytes(); }
  int64_t chunksPerPanel() const { return span / kChunkBytes; }

  /// An address: (base + perThread) ^ flip + constant, for a base that is a
  /// multiple of 1024. Accesses share `perThread`, so that one register serves
  /// all chunks of a row.
  struct Offset {
    mlir::Value perThread;
    int64_t flip;
    int64_t constant;
  };

  /// What an address has of the thread: of row `threadRow`, which is
  /// `swizzleRow` modulo 8 (16 where folded), and of chunk `threadChunk` (null:
  /// 0).
  mlir::Value perThread(mlir::Value threadRow, mlir::Value swizzleRow,
                        mlir::Value threadChunk) const {
    // `swizzleRow` counts modulo 16 where bit 3 is folded in.
    if (folded)
      swizzleRow =
          t.bitXor(swizzleRow, t.mul(t.rem(t.div(swizzleRow, 8), 2), 4));
    // Bits 7 and up of the offset within a panel, as many as chunks need.
    mlir::Value bits = t.rem(t.div(swizzleRow, 128 / span), chunksPerPanel());
    if (threadChunk)
      bits = t.bitXor(bits, threadChunk);
    return t.add(t.mul(threadRow, span), t.shl(bits, 4));
  }

  /// Offset of chunk (columns of 16 bytes) `chunk` of row `row` beyond those of
  /// the thread. `row` is a multiple of 8 (16 where folded); `chunk` + the
  /// thread's has no carry (their bits are disjoint) and stays within a panel.
  Offset at(mlir::Value perThread, int64_t row, int64_t chunk) const {
    int64_t panel = chunk / chunksPerPanel(), local = chunk % chunksPerPanel();
    return {perThread, local * kChunkBytes, panel * rows() * span + row * span};
  }

  /// Offset of row `row` beyond the thread's, whose bits are disjoint from it.
  Offset atRow(mlir::Value perThread, int64_t row) const {
    int64_t swizzleRow = folded ? row ^ ((row >> 1) & 4) : row;
    int64_t bits = ((swizzleRow * span) >> 7) & (chunksPerPanel() - 1);
    return {perThread, bits * kChunkBytes, row * span};
  }

  /// Offset of a chunk whose row and number only the thread knows.
  mlir::Value chunk(mlir::Value row, mlir::Value number) const {
    mlir::Value local =
        perThread(row, t.rem(row, 8), t.rem(number, chunksPerPanel()));
    return t.add(local, t.mul(t.div(number, chunksPerPanel()), rows() * span));
  }

  /// Offset of an element of the tile.
  mlir::Value element(mlir::Value row, mlir::Value column) const {
    if (sharedOf(type).getTransposed())
      std::swap(row, column);
    mlir::Value byte = t.mul(column, elementBytes());
    mlir::Value chunk = t.div(t.rem(byte, span), kChunkBytes);
    mlir::Value local =
        t.add(perThread(row, t.rem(row, 16), chunk), t.rem(byte, kChunkBytes));
    return t.add(local, t.mul(t.div(byte, span), rows() * span));
  }

private:
  mlir::RankedTensorType type;
  int64_t span;
  bool folded;
  std::pair<int64_t, int64_t> stored;
  ThreadBuilder t;
};

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_FRAGMENTS_SHAREDTILE_H
