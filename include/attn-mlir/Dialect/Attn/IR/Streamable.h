//===- Streamable.h - Vocabulary of streamable operations -------*- C++ -*-===//
//
// The values that StreamableOpInterface and MaskInterface speak in.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_STREAMABLE_H
#define ATTN_MLIR_DIALECT_ATTN_IR_STREAMABLE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/Value.h"
#include <optional>

namespace attn {

/// What the partition does with an axis.
enum class AxisKind {
  /// Spread over the grid one by one (batch, head): tile size 1.
  Unit,
  /// Spread over the grid in tiles (query, m, n).
  Group,
  /// Streamed past each group tile (key, k).
  Stream,
  /// Streamed one by one, without a dimension in tiles (parts to be merged). Of
  /// several streamed axes the last is streamed innermost, and the others,
  /// which
  /// are of this kind, around it.
  Steps,
  /// Held whole in every tile (head dimensions).
  Whole
};

/// Whether a stream runs along axes of this kind.
inline bool isStreamed(AxisKind kind) {
  return kind == AxisKind::Stream || kind == AxisKind::Steps;
}

/// Whether tiles hold one element of axes of this kind, and have no dimension
/// for them.
inline bool isSingle(AxisKind kind) {
  return kind == AxisKind::Unit || kind == AxisKind::Steps;
}

/// An axis of the iteration space of a streamable op.
struct StreamAxis {
  llvm::StringRef name;
  AxisKind kind;
  /// Number of elements, or ShapedType::kDynamic: then dimension `dim` of view
  /// `view` tells.
  int64_t extent;
  unsigned view = 0;
  unsigned dim = 0;
  /// Whether the axis selects the streamed data, so that CTAs that agree in all
  /// such axes stream the same tiles.
  bool selectsStream = false;
  /// By how much that dimension is larger: views of offsets have one more.
  int64_t surplus = 0;
  /// How many elements one of that dimension stands for: pages have several.
  int64_t block = 1;
  /// A tile lies in one block of so many elements, which it divides; 0: tiles
  /// lie anywhere.
  int64_t tileBlock = 0;

  /// Elements by the size of that dimension.
  int64_t extentBy(int64_t size) const { return (size - surplus) * block; }
  /// Makes it one of packed sequences, which the offsets of a view tell.
  void countSequences(mlir::RankedTensorType offsets, unsigned view);
};

/// How many sequences offsets pack, one fewer than there are numbers, as far as
/// the type tells.
int64_t sequencesOf(mlir::RankedTensorType offsets);

/// A dimension of a view that is looked up: its position is the element of view
/// `table` that the map of that one says. Tiles lie in one block of the axis
/// that the table has a dimension for, or are several.
struct Lookup {
  unsigned view, dim, table;
};

/// An axis of which each point of a unit axis has elements of its own, packed
/// in memory: those of point i are from element i of a view of offsets up to
/// element i + 1. Its extent, as views tell it, is that of all of them.
struct PackedAxis {
  unsigned axis;
  /// The unit axis.
  unsigned owner;
  /// The operand view of offsets; it has one dimension.
  unsigned offsets;
};

/// A result that all tiles of the grid add to: a fold yields, behind the state,
/// a tile of f32 for each such result, which lies at the place that the map of
/// the result gives at the fold's position. The operand view `view` is what is
/// added to: it holds the sum so far, and becomes the result. `ordered`: tiles
/// of the grid add one after the other.
struct Contribution {
  unsigned view, result;
  bool ordered = false;
};

/// Effect of changing the order of a stream, or of splitting it.
enum class Reorder {
  /// Results keep every bit.
  Exact,
  /// Rounding changes.
  Reassociates,
  /// Not allowed.
  Ordered
};

/// A part of a stream: positions lo, lo + step, ... < hi, in elements.
struct Segment {
  mlir::Value lo, hi;
  bool masked;
};

/// A traversal, with its operands; null: tiles one after the other.
struct StreamTraversal {
  mlir::Attribute traversal;
  llvm::SmallVector<mlir::Value> operands;
};

/// Sizes that a mask depends on. `keys` is the number of keys, also the bound
/// of the stream.
struct MaskSizes {
  mlir::Value queries, keys;
};

/// Keys that a block of queries sees, or queries that see a block of keys, each
/// half open: [lo, hi) is seen by some query of the block, [fullLo, fullHi) by
/// every one. A null value says that
/// there is no bound on that side, for any query. `partial`: no key is known to
/// be seen by every one.
struct KeyRange {
  mlir::Value lo, fullLo, fullHi, hi;
  bool partial = false;
};

/// Where a fold stands: one entry for each axis of the op.
struct TileContext {
  llvm::ArrayRef<StreamAxis> axes;
  /// Elements of the tile along the axis (1 for unit axes).
  llvm::SmallVector<int64_t> sizes;
  /// First element of the tile; null for the streamed axis outside of a fold.
  llvm::SmallVector<mlir::Value> offsets;
  /// Number of elements in all.
  llvm::SmallVector<mlir::Value> extents;
  /// The kernel's arguments for the op's scalar captures.
  llvm::SmallVector<mlir::Value> scalars;
  /// Those for the op's operand views; null of one that the kernel lacks.
  llvm::SmallVector<mlir::Value> views;

  /// Index of the axis that is streamed innermost.
  unsigned streamAxis() const;
  /// Whether the last tile of the stream may reach beyond its end.
  bool hasPartialTile() const;
};

/// The unit axes, in runs that a stored state has one dimension for: only the
/// first of a run is of an extent that is not static.
llvm::SmallVector<llvm::SmallVector<unsigned>>
unitRuns(llvm::ArrayRef<StreamAxis> axes);

/// The streamed axis that is innermost: the last.
unsigned innermostStreamed(llvm::ArrayRef<StreamAxis> axes);

/// Splits the stream of `tile` at the bounds of `range` (see KeyRange): parts
/// in which every element takes part are unmasked, the parts around them
/// masked. Bounds are aligned to the tile of the stream; nothing outside of
/// [range.lo, range.hi) or of the stream is visited.
llvm::SmallVector<Segment> buildRangeSegments(mlir::OpBuilder &builder,
                                              mlir::Location loc,
                                              const TileContext &tile,
                                              const KeyRange &range);

/// Has the composite operations inside of `root` take a form, as their
/// schedules could ask for; fails after a diagnostic where there is none of
/// that name.
llvm::LogicalResult stateForm(mlir::Operation *root, llvm::StringRef form);

/// Puts what computes the composite operations inside of `root` in their place;
/// returns how many there were.
unsigned expandComposites(mlir::Operation *root);

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_IR_STREAMABLE_H
