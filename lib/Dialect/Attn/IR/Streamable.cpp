//===- Streamable.cpp - Helpers of streamable operations ------------------===//

#include "attn-mlir/Dialect/Attn/IR/Streamable.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnSchedule.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace attn {

void StreamAxis::countSequences(RankedTensorType offsets, unsigned view) {
  extent = sequencesOf(offsets);
  this->view = view;
  surplus = 1;
}

int64_t sequencesOf(RankedTensorType offsets) {
  int64_t numbers = offsets.getDimSize(0);
  return ShapedType::isDynamic(numbers) ? numbers : numbers - 1;
}

unsigned innermostStreamed(ArrayRef<StreamAxis> axes) {
  unsigned axis = axes.size();
  while (axis > 0 && !isStreamed(axes[axis - 1].kind))
    --axis;
  return axis > 0 ? axis - 1 : axes.size();
}

unsigned TileContext::streamAxis() const { return innermostStreamed(axes); }

SmallVector<SmallVector<unsigned>> unitRuns(ArrayRef<StreamAxis> axes) {
  SmallVector<SmallVector<unsigned>> runs;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    if (axis.kind != AxisKind::Unit)
      continue;
    if (runs.empty() || ShapedType::isDynamic(axis.extent))
      runs.emplace_back();
    runs.back().push_back(i);
  }
  return runs;
}

bool TileContext::hasPartialTile() const {
  unsigned stream = streamAxis();
  int64_t extent = axes[stream].extent;
  return ShapedType::isDynamic(extent) || extent % sizes[stream] != 0;
}

int64_t StreamableOpInterface::getStateElements(ArrayRef<int64_t> tileSizes) {
  int64_t total = 0;
  for (AffineMap map : getStateMaps()) {
    int64_t elements = 1;
    for (AffineExpr expr : map.getResults())
      elements *= tileSizes[cast<AffineDimExpr>(expr).getPosition()];
    total += elements;
  }
  return total;
}

bool StreamableOpInterface::canSplitOverCtas() {
  return getReorder() != Reorder::Ordered && getPackedAxes().empty() &&
         getContributions().empty();
}

namespace {

/// Bounds of segments, rounded to the tile of the stream. Bounds below zero are
/// clamped before they are rounded, so the unsigned divisions are right.
struct SegmentMath : IndexBuilder {
  Value zero, step;

  Value roundDown(Value x) const { return mul(div(x, step), step); }
  Value roundUp(Value x) const { return mul(ceilDiv(x, step), step); }
};

} // namespace

SmallVector<Segment> buildRangeSegments(OpBuilder &builder, Location loc,
                                        const TileContext &tile,
                                        const KeyRange &range) {
  unsigned stream = tile.streamAxis();
  SegmentMath m{{builder, loc}, {}, {}};
  m.zero = m.constant(0);
  m.step = m.constant(tile.sizes[stream]);
  Value extent = tile.extents[stream];

  // The whole stream, in tiles: [lo, hi).
  Value lo = m.zero, hi = extent;
  if (range.hi)
    hi = m.maxS(m.minS(range.hi, extent), m.zero);
  if (range.lo) {
    // An empty range must not be rounded to a tile.
    Value from = m.maxS(range.lo, m.zero);
    Value empty = m.compare(arith::CmpIPredicate::sge, from, hi);
    lo = m.roundDown(from);
    hi = m.roundUp(hi);
    lo = m.select(empty, hi, lo);
  } else {
    hi = m.roundUp(hi);
  }

  // The part in which every element takes part: [fullLo, fullHi).
  if (range.partial)
    return {{lo, hi, /*masked=*/true}};
  Value fullLo = lo, fullHi = hi;
  if (range.fullLo)
    fullLo = m.minS(m.maxS(m.roundUp(m.maxS(range.fullLo, m.zero)), lo), hi);
  if (range.fullHi || tile.hasPartialTile()) {
    Value bound = extent;
    if (range.fullHi)
      bound = m.maxS(m.minS(range.fullHi, extent), m.zero);
    fullHi = m.maxS(m.minS(m.roundDown(bound), hi), fullLo);
  }

  SmallVector<Segment> segments;
  auto append = [&](Value from, Value to, bool masked) {
    if (!isEqualConstantIntOrValue(from, to))
      segments.push_back({from, to, masked});
  };
  append(lo, fullLo, /*masked=*/true);
  append(fullLo, fullHi, /*masked=*/false);
  append(fullHi, hi, /*masked=*/true);
  // A stream has a segment, if only an empty one.
  if (segments.empty())
    segments.push_back({lo, hi, /*masked=*/false});
  return segments;
}

LogicalResult stateForm(Operation *root, StringRef form) {
  auto asked =
      ScheduleAttr::fromOptions(root->getContext(), 2, {{"form", form.str()}},
                                [&]() { return emitError(root->getLoc()); });
  if (!asked)
    return failure();
  root->walk([&](CompositeOpInterface op) {
    ScheduleAttr::set(op, asked.over(ScheduleAttr::of(op)));
  });
  return success();
}

unsigned expandComposites(Operation *root) {
  SmallVector<CompositeOpInterface> ops;
  root->walk([&](CompositeOpInterface op) { ops.push_back(op); });
  for (CompositeOpInterface op : ops) {
    OpBuilder b(op);
    op->replaceAllUsesWith(op.buildExpansion(b));
    op->erase();
  }
  return ops.size();
}

} // namespace attn
