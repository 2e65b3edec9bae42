//===- Shares.cpp - What each of some CTAs takes of tiles -----------------===//

#include "Shares.h"

using namespace mlir;
using namespace attn;
using arith::CmpIPredicate;

/// A share begins in one tile, and ends in that or the next: it is shorter than
/// one.
static constexpr int64_t kPieces = 2;

Shares::Shares(const IndexBuilder &m, int64_t ctas, int64_t cost, Value tiles,
               Value steps)
    : tiles(tiles), steps(steps), number(ctas) {
  // (Launchers compute this: they have minima, and no comparisons.)
  Value count = m.constant(ctas), one = m.constant(1);
  Value rest = m.sub(tiles, m.mul(m.div(tiles, count), count));
  Value idle = m.mul(steps, m.sub(count, rest));
  Value gains = m.minU(m.div(idle, m.constant(ctas * cost)), one);
  sharedTiles = m.mul(gains, rest);
  wholeTiles = m.sub(tiles, sharedTiles);
  sharedVisits = m.mul(m.minU(sharedTiles, one), m.constant(kPieces * ctas));
}

Value Shares::countVisits(const IndexBuilder &m) const {
  return m.add(wholeTiles, sharedVisits);
}

Value Shares::beginOf(const IndexBuilder &m, Value cta) const {
  return m.div(m.mul(cta, m.mul(sharedTiles, steps)), m.constant(number));
}

Value Shares::ownerOf(const IndexBuilder &m, Value step) const {
  Value total = m.atLeastOne(m.mul(sharedTiles, steps));
  Value next = m.mul(m.add(step, m.constant(1)), m.constant(number));
  return m.div(m.sub(next, m.constant(1)), total);
}

Shares::Piece Shares::pieceOf(const IndexBuilder &m, Value visit) const {
  Value isShared = m.compare(CmpIPredicate::ult, visit, sharedVisits);
  Value count = m.constant(number), zero = m.constant(0);
  Value cta = m.rem(visit, count);
  Value begin = beginOf(m, cta), end = beginOf(m, m.add(cta, m.constant(1)));
  Value tile = m.add(m.div(begin, steps), m.div(visit, count));
  Value first = m.mul(tile, steps);
  Value lo = m.maxU(begin, first);
  Value hi = m.maxU(m.minU(end, m.add(first, steps)), lo);

  Piece piece;
  // Behind the end of a share there may be no tile.
  piece.tile = m.minU(
      m.select(isShared, tile, m.add(sharedTiles, m.sub(visit, sharedVisits))),
      m.sub(tiles, m.constant(1)));
  piece.from = m.select(isShared, m.sub(lo, first), zero);
  piece.to = m.select(isShared, m.sub(hi, first), steps);
  Value length = m.sub(piece.to, piece.from);
  piece.isWhole = m.compare(CmpIPredicate::eq, length, steps);
  piece.isPart = m.logicalAnd(m.compare(CmpIPredicate::ult, length, steps),
                              m.compare(CmpIPredicate::ne, length, zero));
  piece.slot = m.add(cta, tile);
  return piece;
}

std::pair<Value, Value> Shares::slotsOf(const IndexBuilder &m,
                                        Value tile) const {
  Value first = m.mul(tile, steps), one = m.constant(1);
  Value last = m.sub(m.add(first, steps), one);
  return {m.add(ownerOf(m, first), tile),
          m.add(m.add(ownerOf(m, last), tile), one)};
}
