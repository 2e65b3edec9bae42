//===- StagedLoads.cpp - How the tiles of loads lie in rings --------------===//

#include "StagedLoads.h"
#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"

using namespace mlir;
using namespace attn;

RankedTensorType attn::tileOf(LoadOp load) {
  return cast<RankedTensorType>(load.getTile().getType());
}

/// Whether all users are products that sum over the rows of the tile.
static bool isSummedOverRows(LoadOp load) {
  return llvm::all_of(load.getTile().getUses(), [](OpOperand &use) {
    auto dot = dyn_cast<DotOp>(use.getOwner());
    return dot && use.getOperandNumber() == 1 && !dot.getTransposeRhs();
  });
}

MatrixUnitInterface attn::unitOf(LoadOp load) {
  for (Operation *user : load.getTile().getUsers())
    if (auto dot = dyn_cast<DotOp>(user))
      return unitOf(dot);
  return usualUnit(TargetAttr::of(load));
}

RankedTensorType attn::sharedType(LoadOp load) {
  RankedTensorType tile = tileOf(load);
  return RankedTensorType::get(tile.getShape(), tile.getElementType(),
                               unitOf(load).getStaged(TargetAttr::of(load),
                                                      tile,
                                                      isSummedOverRows(load)));
}

RankedTensorType attn::widenedType(LoadOp load) {
  RankedTensorType tile = sharedType(load);
  ViewType view = load.getView().getType();
  int64_t columns = view.getShape().back();
  if (ShapedType::isDynamic(columns))
    columns = tile.getDimSize(1);
  return tile.cloneWithEncoding(unitOf(load).getWidened(
      cast<SharedAttr>(tile.getEncoding()), columns * view.getElementBytes()));
}

int64_t attn::dividingChunk(ViewType view) {
  int64_t columns = view.getShape().back();
  if (ShapedType::isDynamic(columns))
    return kMaxChunk;
  int64_t bytes = columns * view.getElementBytes(), chunk = kMaxChunk;
  while (bytes % chunk != 0)
    chunk /= 2;
  return chunk;
}

SmallVector<Value> attn::positionsOf(LoadOp load) {
  SmallVector<Value> positions(load.getOffsets());
  llvm::append_range(positions, load.getBlocks());
  if (load.getUntil())
    positions.push_back(load.getUntil());
  return positions;
}

bool attn::isOfColumns(LoadOp load) {
  RankedTensorType tile = tileOf(load);
  return tile.getRank() == 2 && tile.getDimSize(0) == 1 &&
         load->getParentOfType<StreamOp>();
}
