//===- Shares.h - What each of some CTAs takes of tiles ---------*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_SHARES_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_SHARES_H

#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"

namespace attn {

/// Arithmetic of even shares. Tiles have one numbering, and each has as many
/// steps of its stream as the others. CTAs take those of whole rounds, and then
/// share the others: each an equal number of steps, one behind the other. Where
/// that takes no fewer steps than a round by `cost`, tiles stay whole.
class Shares {
public:
  Shares(const IndexBuilder &m, int64_t ctas, int64_t cost, mlir::Value tiles,
         mlir::Value steps);

  /// What one visit of a CTA takes.
  struct Piece {
    mlir::Value tile;
    /// Steps of the tile's stream.
    mlir::Value from, to;
    /// All of a tile, or a part of it; neither where it is nothing.
    mlir::Value isWhole, isPart;
    /// Number of the part: those of a tile follow each other.
    mlir::Value slot;
  };

  /// Visits of all CTAs, which take them in turn.
  mlir::Value countVisits(const IndexBuilder &m) const;
  Piece pieceOf(const IndexBuilder &m, mlir::Value visit) const;

  mlir::Value countShared() const { return sharedTiles; }
  /// Its parts: the first, and the one behind the last.
  std::pair<mlir::Value, mlir::Value> slotsOf(const IndexBuilder &m,
                                              mlir::Value number) const;

private:
  /// The step, of those of all shared tiles, with which a CTA begins.
  mlir::Value beginOf(const IndexBuilder &m, mlir::Value cta) const;
  /// The CTA that takes a step.
  mlir::Value ownerOf(const IndexBuilder &m, mlir::Value step) const;

  mlir::Value tiles, steps, sharedTiles, wholeTiles, sharedVisits;
  int64_t number;
};

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_SHARES_H
