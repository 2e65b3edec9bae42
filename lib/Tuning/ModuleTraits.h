//===- ModuleTraits.h - What decides on the options of a module -*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_TUNING_MODULETRAITS_H
#define ATTN_MLIR_LIB_TUNING_MODULETRAITS_H

#include "Schedules.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include <limits>
#include <optional>

namespace attn {

/// Tiles that share what they stream, one set after the other in one L2 domain.
constexpr llvm::StringLiteral kSwizzledHeadFirst =
    "grid_order = swizzled_head_first";

struct ModuleTraits {
  TargetAttr target;
  /// Names of the grouped and streamed axes.
  llvm::SmallVector<std::string> groups;
  std::string stream;
  /// Whether tiles differ in length, as under a causal mask.
  bool uneven = false;
  /// Whether each row sees a part of the stream that does not grow with it.
  bool windowed = false;
  bool halfPrecision = true;
  bool attention = true;
  /// The largest extent of a grouped axis, if it is known.
  int64_t rows = std::numeric_limits<int64_t>::max();
  /// Whether tiles share what they stream: axes that name sets of such tiles.
  bool shares = false;
  /// The number of these sets, and bytes of a position of the stream, of all
  /// streamed operands together; the largest of all operations.
  std::optional<int64_t> sets;
  int64_t streamBytes = 0;
  std::optional<int64_t> streamExtent;
  /// Whether a dimension of an argument is that extent, which guards ask for.
  bool guards = true;
  /// Whether heads of a group can be rows of one tile (attn-pack-group), and
  /// whether parts of a stream can have states of their own.
  bool packs = false, splits = false;
  /// Registers that the state, and scores beside it, take in each thread of a
  /// warpgroup, of the least tile that one computes.
  int64_t warpgroupRegisters = 0;

  /// Nothing where operations have different axes. Extents that are not static
  /// are those of `sizes`, where there.
  static std::optional<ModuleTraits>
  of(mlir::ModuleOp module, const llvm::StringMap<int64_t> &sizes = {});

  /// `order`, a grid order: under a mask with the longest tiles first, and
  /// then, or else only, by itself.
  Schedules ordersFor(ScheduleAttr order) const;

  /// Attention of 16 bits with rows enough, on a chip with warpgroups.
  bool takesWarpgroups() const;

  /// Attention of 16 bits on such a chip, whatever its rows.
  bool hasWarpgroups() const;

  /// Whether that is more than a thread has, so that a warpgroup shares the
  /// columns with another (attn-share-weights).
  bool exceedsWarpgroup() const;

  /// Rows that leave most of a tile empty: what takes time is reading what is
  /// streamed, as where one token is decoded.
  bool isDecoding() const { return rows < kFewestRows; }

  /// Products of fewer rows leave most of a warpgroup's tile empty.
  static constexpr int64_t kFewestRows = 64;
};

} // namespace attn

#endif // ATTN_MLIR_LIB_TUNING_MODULETRAITS_H
