//===- CopyPlan.h - How threads share the copy of a tile --------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CONVERSION_ATTNTOROCDL_COPYPLAN_H
#define ATTN_MLIR_LIB_CONVERSION_ATTNTOROCDL_COPYPLAN_H

#include "../Fragments/SharedTile.h"
#include "ROCDLLowering.h"

namespace attn {

/// A number that a thread computes, and a constant beyond it.
struct Place {
  mlir::Value perThread;
  int64_t constant = 0;
};

/// How the threads of a CTA share the copy of a tile. A plain tile is copied by
/// chunks of 16 bytes; of a transposed one a thread takes four rows, which
/// become neighbours in its registers. Of one that goes to two slots in both
/// orders (`blocks`) it takes the same four rows for either.
class CopyPlan {
public:
  CopyPlan(mlir::RankedTensorType tile, int64_t threads, bool blocks = false)
      : tile(tile), threads(threads),
        elementBytes(tile.getElementTypeBitWidth() / 8),
        width(16 / elementBytes), blocks(blocks),
        transposed(sharedOf(tile).getTransposed()) {
    // Fewer columns, but words, where threads would have nothing to do.
    while (hasFourRows() && width * elementBytes > 4 && count() < threads)
      width /= 2;
    // Without a remainder a thread has as many words in either order.
    if (blocks && count() % threads != 0)
      *this = CopyPlan(tile, threads);
  }

  static constexpr int64_t kRows = 4;

  bool isTransposed() const { return transposed; }
  /// Whether an item has four rows, not one.
  bool hasFourRows() const { return transposed || blocks; }
  /// Neighbouring elements of a row that a thread copies.
  int64_t itemWidth() const { return width; }
  /// Items of the tile.
  int64_t count() const {
    return hasFourRows() ? rowGroups() * (tile.getDimSize(1) / width)
                         : tile.getNumElements() * elementBytes / 16;
  }
  int64_t itemsPerThread() const { return llvm::divideCeil(count(), threads); }
  int64_t wordsPerItem() const {
    return hasFourRows() ? kRows * width * elementBytes / 4 : 4;
  }
  int64_t words() const { return itemsPerThread() * wordsPerItem(); }

  /// Whether thread and item exist; null if all do.
  mlir::Value exists(ThreadBuilder t, int64_t item) const {
    if ((item + 1) * threads <= count())
      return {};
    return t.less(t.add(t.thread(), item * threads), t.constant(count()));
  }
  /// First and last row of all threads' chunks of an item.
  std::pair<int64_t, int64_t> rowsOf(int64_t item) const {
    int64_t rows = tile.getDimSize(0);
    if (hasFourRows())
      return {0, rows - 1};
    return {item * threads / minorSize(),
            std::min(((item + 1) * threads - 1) / minorSize(), rows - 1)};
  }
  /// Number of the group of rows (where an item has four) or of the chunk in
  /// its row.
  Place minor(ThreadBuilder t, int64_t item) const {
    if (isSquare()) {
      mlir::Value number = itemNumber(t, item);
      mlir::Value low = t.rem(t.div(number, kSquare), kSquare);
      mlir::Value high = t.div(number, kSquare * columnGroups());
      return {t.add(low, t.mul(high, kSquare)),
              wholeRounds(item) ? item * threads / columnGroups() : 0};
    }
    if (int64_t chunks = chunksTogether(); chunks > 0) {
      mlir::Value number = itemNumber(t, item);
      mlir::Value high = t.rem(t.div(number, kGroupsTogether * chunks),
                               rowGroups() / kGroupsTogether);
      return {
          t.add(t.rem(number, kGroupsTogether), t.mul(high, kGroupsTogether))};
    }
    int64_t size = minorSize();
    if (item * threads % size == 0)
      return {t.rem(t.thread(), size)};
    return {t.rem(t.add(t.thread(), item * threads), size)};
  }
  /// Number of the group of columns (where an item has four rows) or of the
  /// row.
  Place major(ThreadBuilder t, int64_t item) const {
    if (isSquare()) {
      mlir::Value number = itemNumber(t, item);
      mlir::Value high =
          t.rem(t.div(number, kSquare * kSquare), columnGroups() / kSquare);
      return {t.add(t.rem(number, kSquare), t.mul(high, kSquare))};
    }
    if (int64_t chunks = chunksTogether(); chunks > 0) {
      mlir::Value number = itemNumber(t, item);
      mlir::Value high = t.mul(t.div(number, rowGroups() * chunks), chunks);
      return {t.add(t.rem(t.div(number, kGroupsTogether), chunks), high),
              wholeRounds(item) ? item * threads / rowGroups() : 0};
    }
    int64_t size = minorSize();
    if (item * threads % size == 0)
      return {t.div(t.thread(), size), item * threads / size};
    return {t.div(t.add(t.thread(), item * threads), size)};
  }

private:
  /// Groups of rows and chunks of columns that the lanes of a wave read at
  /// once: whole lines of 128 bytes of as few rows as fit. What 16 lanes write
  /// together, 8 groups of 2 chunks, lies in as many banks as LDS has (the
  /// fold of SharedAttr sets rows that are 8 apart half a row apart).
  static constexpr int64_t kGroupsTogether = 8, kMostChunks = 8;

  /// Chunks of a row that neighbouring lanes read, a power of two; 0 where all
  /// groups of rows come first.
  int64_t chunksTogether() const {
    int64_t chunks = tile.getDimSize(1) / width, together = kMostChunks;
    while (chunks % together != 0)
      together /= 2;
    bool whole = transposed && width * elementBytes == 16 &&
                 sharedOf(tile).getSpan() == 128 &&
                 rowGroups() % kGroupsTogether == 0 && count() % threads == 0;
    return whole && together * rowGroups() > kLanes ? together : 0;
  }

  /// Of a tile that is written in both orders, 16 lanes have 4 groups of rows
  /// and of columns: those that are written together then meet a bank twice at
  /// most, in either order, and 64 lanes read whole lines.
  static constexpr int64_t kSquare = 4;
  bool isSquare() const {
    return blocks && rowGroups() % kSquare == 0 &&
           columnGroups() % kSquare == 0;
  }

  /// Whether all rows of as many chunks, or all columns of as many groups of
  /// rows, are done before an item.
  bool wholeRounds(int64_t item) const {
    if (isSquare())
      return item * threads % (kSquare * columnGroups()) == 0;
    return item * threads % (rowGroups() * chunksTogether()) == 0;
  }
  /// Number of a thread's item in the tile, without what is left to a constant.
  mlir::Value itemNumber(ThreadBuilder t, int64_t item) const {
    return wholeRounds(item) ? t.thread() : t.add(t.thread(), item * threads);
  }

  int64_t rowGroups() const { return tile.getDimSize(0) / kRows; }
  int64_t columnGroups() const { return tile.getDimSize(1) / width; }
  int64_t minorSize() const {
    return hasFourRows() ? rowGroups() : tile.getDimSize(1) * elementBytes / 16;
  }

  mlir::RankedTensorType tile;
  int64_t threads, elementBytes, width;
  bool blocks, transposed;
};

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_ATTNTOROCDL_COPYPLAN_H
