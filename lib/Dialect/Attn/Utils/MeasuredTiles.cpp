//===- MeasuredTiles.cpp - Tile sizes that were measured ------------------===//

#include "attn-mlir/Dialect/Attn/Utils/MeasuredTiles.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace attn {

namespace {

/// For 16-bit elements and mma.sync: up to a number of columns of all axes that
/// are held whole, summed (for attention: of K and V), the fastest tile.
/// Measured on an H200 (docs/notebooks/performance.md, "Tiles of the mma.sync
/// kernels").
struct Row {
  int64_t columns;
  MeasuredTile tile;
};

constexpr Row kMmaSync[] = {
    {128, {128, 128}}, {256, {128, 64}}, {320, {128, 32}}, {512, {128, 64}}};

} // namespace

std::optional<MeasuredTile> measuredTile(TargetAttr target,
                                         StreamableOpInterface op) {
  if (!target.hasCapability("mma.sync"))
    return std::nullopt;
  Type element = getElementTypeOrSelf(op->getOperand(0).getType());
  if (!element.isF16() && !element.isBF16())
    return std::nullopt;
  int64_t columns = 0;
  for (const StreamAxis &axis : op.getStreamAxes())
    if (axis.kind == AxisKind::Whole)
      columns += axis.extent;
  if (columns == 0)
    return std::nullopt;
  for (const Row &row : kMmaSync)
    if (columns <= row.columns)
      return row.tile;
  return std::nullopt;
}

} // namespace attn
