//===- MeasuredTiles.cpp - Tile sizes that were measured ------------------===//

#include "attn-mlir/Dialect/Attn/Utils/MeasuredTiles.h"
#include "attn-mlir/Dialect/Attn/IR/AttnGradientOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnMasks.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/Float8.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace attn {

namespace {

/// For 16-bit elements and mma.sync: up to a number of columns of all axes that
/// are held whole, summed (for attention: of K and V), the fastest tiles. The
/// second is for SMs that hold one CTA of the first, measured with CTAs that
/// ask for so much shared memory that an H200 holds as many as such an SM does
/// (docs/notebooks/performance.md, "Tiles of the mma.sync kernels").
struct Row {
  int64_t columns;
  MeasuredTile tiles[2];
};

constexpr Row kMmaSync[] = {{128, {{128, 128}, {128, 64}}},
                            {192, {{128, 64}, {128, 32}}},
                            {256, {{128, 64}, {128, 64}}},
                            {320, {{128, 32}, {128, 32}}},
                            {512, {{128, 64}, {128, 64}}}};

/// Under a window, which leaves more of a long tile empty.
constexpr Row kMmaSyncWindow[] = {{128, {{64, 128}, {128, 64}}}};

/// Of gradients, whose sums and pairs are held together: the largest tiles that
/// ptxas assembles without spills, where there are any (docs/backward.md).
constexpr Row kMmaSyncQueryGradient[] = {{256, {{64, 64}, {64, 32}}},
                                         {512, {{64, 32}, {64, 16}}}};
constexpr Row kMmaSyncKeyGradient[] = {{128, {{64, 32}, {64, 16}}},
                                       {512, {{64, 16}, {64, 16}}}};

bool isWindowed(StreamableOpInterface op) {
  auto attention = dyn_cast<AttentionOp>(op.getOperation());
  return attention && isa_and_nonnull<WindowMaskAttr>(attention.getMaskAttr());
}

ArrayRef<MeasuredTile> rowOf(ArrayRef<Row> rows, int64_t columns) {
  const Row *row = llvm::find_if(
      rows, [&](const Row &row) { return columns <= row.columns; });
  return row == rows.end() ? ArrayRef<MeasuredTile>() : row->tiles;
}

} // namespace

ArrayRef<MeasuredTile> measuredTiles(TargetAttr target,
                                     StreamableOpInterface op) {
  if (!target.hasCapability("mma.sync"))
    return {};
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (!element.isF16() && !element.isBF16() && !isFloat8(element))
    return {};
  int64_t columns = 0;
  for (const StreamAxis &axis : op.getStreamAxes())
    if (axis.kind == AxisKind::Whole)
      columns += axis.extent;
  if (columns == 0)
    return {};
  if (isa<AttentionBackwardQueryOp, AttentionBackwardCaptureOp>(op))
    return rowOf(kMmaSyncQueryGradient, columns);
  if (isa<AttentionBackwardKeyOp, AttentionBackwardFusedOp>(op))
    return rowOf(kMmaSyncKeyGradient, columns);
  ArrayRef<MeasuredTile> tiles;
  if (isWindowed(op))
    tiles = rowOf(kMmaSyncWindow, columns);
  return tiles.empty() ? rowOf(kMmaSync, columns) : tiles;
}

} // namespace attn
