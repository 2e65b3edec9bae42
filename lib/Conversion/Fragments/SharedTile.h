//===- SharedTile.h - Addresses in a tile in shared memory ------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CONVERSION_FRAGMENTS_SHAREDTILE_H
#define ATTN_MLIR_LIB_CONVERSION_FRAGMENTS_SHAREDTILE_H

#include "FragmentsToVectors.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include <utility>

namespace attn {

/// Computes byte offsets into a tile with an #attn.shared layout. Rows and
/// columns are those of the tile as it lies in memory (SharedAttr::
/// getStoredShape).
class SharedTile {
public:
  SharedTile(mlir::RankedTensorType type, ThreadBuilder t)
      : type(type), layout(sharedOf(type)), span(layout.getSpan()),
        stored(SharedAttr::getStoredShape(type)), t(t) {}

  static constexpr int64_t kChunkBytes = 16;

  int64_t elementBytes() const { return type.getElementTypeBitWidth() / 8; }
  int64_t rows() const { return stored.first; }
  /// Bytes of one row of a panel.
  int64_t panelBytes() const { return span; }
  int64_t panelColumns() const { return span / elementBytes(); }
  /// The last may be in part empty.
  int64_t numPanels() const {
    return llvm::divideCeil(stored.second, panelColumns());
  }
  int64_t bytes() const { return SharedAttr::getNumBytes(type); }
  /// Bytes from a panel to the next.
  int64_t panelDistance() const { return SharedAttr::getPanelDistance(type); }
  /// Rows after which the places of chunks repeat.
  int64_t swizzleRows() const { return SharedAttr::getSwizzleRows(type); }
  /// Whether bit 3 of an offset says which half of a chunk lies there.
  bool exchangesHalves() const { return SharedAttr::exchangesHalves(type); }
  /// Whether rows change places in pairs, which is a bit of an offset beyond
  /// its row's.
  bool exchangesRows() const { return SharedAttr::getExchangedRows(type) != 0; }
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
  /// `swizzleRow` modulo swizzleRows(), and of chunk `threadChunk` (null: 0).
  mlir::Value perThread(mlir::Value threadRow, mlir::Value swizzleRow,
                        mlir::Value threadChunk) const {
    auto bit = [&](int64_t i) { return t.rem(t.div(swizzleRow, 1 << i), 2); };
    if (layout.getPaired())
      return perThreadOfPairs(threadRow, threadChunk, bit);
    mlir::Value folded = layout.getFolded()
                             ? t.bitXor(swizzleRow, t.mul(bit(3), 4))
                             : swizzleRow;
    // Bits 7 and up of the offset within a panel, as many as chunks need.
    mlir::Value bits = t.rem(t.div(folded, 128 / span), chunksPerPanel());
    if (threadChunk)
      bits = t.bitXor(bits, threadChunk);
    mlir::Value rowBytes = t.mul(threadRow, span);
    if (exchangesRows())
      rowBytes = t.bitXor(rowBytes, t.shl(t.bitXor(bit(2), bit(3)), 6));
    mlir::Value place = t.add(rowBytes, t.shl(bits, 4));
    if (!exchangesHalves())
      return place;
    return t.add(place, t.shl(t.bitXor(bit(3), bit(4)), 3));
  }

  /// Offset of chunk (columns of 16 bytes) `chunk` of row `row` beyond those of
  /// the thread. `row` is a multiple of swizzleRows(); `chunk` + the thread's
  /// has no carry (their bits are disjoint) and stays within a panel.
  Offset at(mlir::Value perThread, int64_t row, int64_t chunk) const {
    int64_t panel = chunk / chunksPerPanel(), local = chunk % chunksPerPanel();
    return {perThread, local * kChunkBytes,
            panel * panelDistance() + row * span};
  }

  /// Offset of row `row` beyond the thread's, whose bits are disjoint from it.
  Offset atRow(mlir::Value perThread, int64_t row) const {
    int64_t flip = SharedAttr::getFlip(type, row);
    // Of rows that change places the bit may be set already.
    int64_t exchanged = row & SharedAttr::getExchangedRows(type);
    return {perThread, flip ^ (exchanged * span), (row - exchanged) * span};
  }

  /// Offset of a chunk whose row and number only the thread knows.
  mlir::Value chunk(mlir::Value row, mlir::Value number) const {
    mlir::Value local = perThread(row, t.rem(row, swizzleRows()),
                                  t.rem(number, chunksPerPanel()));
    return t.add(local,
                 t.mul(t.div(number, chunksPerPanel()), panelDistance()));
  }

  /// Row and chunk of a panel that lie at chunk number `place` of it
  /// (SharedAttr:: liesByChunks), `row` rows beyond that, which is a multiple
  /// of swizzleRows().
  std::pair<mlir::Value, mlir::Value> chunkAt(mlir::Value place,
                                              int64_t row) const {
    mlir::Value found = t.div(place, chunksPerPanel()),
                number = t.rem(place, chunksPerPanel());
    for (const SharedAttr::Swizzle &swizzle : SharedAttr::getSwizzles(type)) {
      // Bits that decide are the same of the row that was found.
      mlir::Value parity = parityOf(swizzle, [&](int64_t i) {
        return t.rem(t.div(t.div(place, chunksPerPanel()), 1 << i), 2);
      });
      if (int64_t bit = int64_t(1) << swizzle.bit; bit < span)
        number = t.bitXor(number, t.mul(parity, bit / kChunkBytes));
      else
        found = t.bitXor(found, t.mul(parity, bit / span));
    }
    return {t.add(found, row), number};
  }

  /// Offset of an element of the tile.
  mlir::Value element(mlir::Value row, mlir::Value column) const {
    if (sharedOf(type).getTransposed())
      std::swap(row, column);
    mlir::Value byte = t.mul(column, elementBytes());
    mlir::Value chunk = t.div(t.rem(byte, span), kChunkBytes);
    mlir::Value at = perThread(row, t.rem(row, swizzleRows()), chunk),
                inChunk = t.rem(byte, kChunkBytes);
    mlir::Value local =
        exchangesHalves() ? t.bitXor(at, inChunk) : t.add(at, inChunk);
    return t.add(local, t.mul(t.div(byte, span), panelDistance()));
  }

private:
  /// perThread of a layout that is `paired`, by the bits of the swizzle row.
  template <typename Bit>
  mlir::Value perThreadOfPairs(mlir::Value threadRow, mlir::Value threadChunk,
                               Bit bit) const {
    mlir::Value place = t.mul(threadRow, span);
    if (threadChunk)
      place = t.add(place, t.shl(threadChunk, 4));
    for (const SharedAttr::Swizzle &swizzle : SharedAttr::getSwizzles(type))
      place = t.bitXor(place, t.shl(parityOf(swizzle, bit), swizzle.bit));
    return place;
  }

  template <typename Bit>
  mlir::Value parityOf(const SharedAttr::Swizzle &swizzle, Bit bit) const {
    mlir::Value parity;
    for (int64_t i = 0; swizzle.rowBits >> i != 0; ++i)
      if (swizzle.rowBits >> i & 1)
        parity = parity ? t.bitXor(parity, bit(i)) : bit(i);
    return parity;
  }

  mlir::RankedTensorType type;
  SharedAttr layout;
  int64_t span;
  std::pair<int64_t, int64_t> stored;
  ThreadBuilder t;
};

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_FRAGMENTS_SHAREDTILE_H
