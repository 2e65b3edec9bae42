//===- Shares.h - What each of some CTAs takes of tiles ---------*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_SHARES_H
#define ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_SHARES_H

#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"

namespace attn {

/// Arithmetic of even shares. Tiles have one numbering, and each has as many
/// steps of its stream as the others. Those of the last round of the CTAs that
/// is not whole, and of the round before it, are cut where a CTA has had its
/// share; the others are behind them. Where all rounds are whole, or there is
/// but one, no tile is cut.
class Shares {
public:
  Shares(const IndexBuilder &m, int64_t ctas, mlir::Value tiles,
         mlir::Value steps);

  /// What one visit of a CTA takes.
  struct Piece {
    mlir::Value tile;
    /// Steps of the tile's stream.
    mlir::Value from, to;
    /// All of a tile, or one of its two parts; neither where it is nothing.
    mlir::Value isWhole, isPart;
    /// Which of the two, and which cut makes them: that behind the CTA of this
    /// number.
    mlir::Value part, cut;
  };

  /// Visits of all CTAs, of which each takes every so manieth.
  mlir::Value countVisits(const IndexBuilder &m) const;
  Piece pieceOf(const IndexBuilder &m, mlir::Value visit) const;
  /// The tile at the end of a CTA's share, and whether it is cut there.
  std::pair<mlir::Value, mlir::Value> tileOf(const IndexBuilder &m,
                                             mlir::Value cut) const;

private:
  /// The step, of those of all shared tiles, with which a CTA begins.
  mlir::Value beginOf(const IndexBuilder &m, mlir::Value cta) const;

  mlir::Value tiles, steps, sharedTiles, sharedVisits;
  int64_t number;
};

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_TRANSFORMS_SCHEDULE_SHARES_H
