//===- RegionNumbers.h - Numbers that a region computes ---------*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_REGIONNUMBERS_H
#define ATTN_LIB_DIALECT_ATTN_IR_REGIONNUMBERS_H

#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "attn-mlir/Dialect/Attn/IR/MaskBounds.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/DenseMap.h"
#include <optional>

namespace attn {
class GatherOp;

/// Magnitudes of what bounds are computed from, at most: of an index (docs/
/// bundle.md, limits), of a captured number, and of anything. The last leaves
/// room for a tile in the 32 bits that an index of a GPU has.
constexpr int64_t kMostIndex = int64_t(1) << 29;
constexpr int64_t kMostCapture = int64_t(1) << 24;
constexpr int64_t kMost = int64_t(1) << 30;

/// The numbers that an expression without the key takes, for some query each,
/// and their magnitude at most.
struct Interval {
  mlir::Value lo, hi;
  int64_t most;
};

/// Arithmetic on intervals.
struct IntervalBuilder : IndexBuilder {
  mlir::Value zero() const { return constant(0); }
  using IndexBuilder::add;
  using IndexBuilder::sub;
  Interval add(Interval x, Interval y) const {
    return {add(x.lo, y.lo), add(x.hi, y.hi), x.most + y.most};
  }
  Interval sub(Interval x, Interval y) const {
    return {sub(x.lo, y.hi), sub(x.hi, y.lo), x.most + y.most};
  }
  Interval number(int64_t x) const {
    return {constant(x), constant(x), std::abs(x)};
  }
  Interval hull(Interval x, Interval y) const {
    return {minS(x.lo, y.lo), maxS(x.hi, y.hi), std::max(x.most, y.most)};
  }
  mlir::Value floorDiv(mlir::Value x, int64_t y) const {
    return b.createOrFold<mlir::arith::FloorDivSIOp>(loc, x, constant(y));
  }
};

/// What one region computes at one place: which of it depends on the key, and
/// an interval for what does not. Numbers are taken not to overflow.
class RegionNumbers {
public:
  /// The argument of a mask region that is the key.
  static constexpr unsigned kKey = AttentionOp::kKeepArguments - 1;

  RegionNumbers(mlir::OpBuilder &b, mlir::Location loc, mlir::Block &body,
                const RegionPlace &place)
      : m{{b, loc}}, body(body), place(place) {}

  /// Whether a value depends on the key.
  bool hasKey(mlir::Value value);
  /// A constant of 32 bits.
  static std::optional<int64_t> constantOf(mlir::Value value);
  /// A constant above zero that is not too large to multiply indices with.
  static std::optional<int64_t> factorOf(mlir::Value value);
  /// Whether a value is never negative: such that follow from indices.
  bool isNatural(mlir::Value value);
  /// Types of which numbers are indices, as far as these go.
  static bool isWide(mlir::Type type);
  /// Whether an operation changes the type of a number alone.
  bool isCast(mlir::Operation *op);
  /// An integer that does not depend on the key, if one is known.
  std::optional<Interval> intervalOf(mlir::Value value);
  /// Values that all queries have in common; nothing where they do not.
  std::optional<llvm::SmallVector<mlir::Value>>
  pointsOf(mlir::ValueRange indices);
  /// The number of a captured tensor that is read.
  static unsigned captureOf(GatherOp gather);

protected:
  IntervalBuilder m;
  mlir::Block &body;
  const RegionPlace &place;
  /// Whether all captured numbers that intervals depend on, and products with
  /// keys, are small enough; null where there are none.
  mlir::Value valid;
  void require(mlir::Value condition);

private:
  bool computeNatural(mlir::Value value);
  std::optional<Interval> computeInterval(mlir::Value value);
  std::optional<Interval> intervalOfPair(mlir::Operation *op);
  std::optional<Interval> intervalOfArgument(mlir::BlockArgument argument);
  Interval intervalOfCapture(mlir::Value number);
  /// An element of a captured tensor, where all queries read the same.
  std::optional<Interval> intervalOfElement(GatherOp gather);

  // Each value once: where many use one, their trees are exponential.
  llvm::DenseMap<mlir::Value, bool> keyed, natural;
  llvm::DenseMap<mlir::Value, std::optional<Interval>> intervals;
};

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_IR_REGIONNUMBERS_H
