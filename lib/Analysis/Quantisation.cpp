//===- Quantisation.cpp - What bytes a value do to transfers --------------===//

#include "attn-mlir/Analysis/Quantisation.h"
#include "attn-mlir/Dialect/Attn/IR/AttnStreamOp.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTileOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"
#include <cmath>

using namespace mlir;
using namespace attn;
using llvm::SmallBitVector;

namespace {

/// Which axes of a grid decide about some offsets.
SmallBitVector axesOf(GridOp grid, ValueRange offsets) {
  ValueRange coordinates = grid.getCoordinates();
  SmallBitVector axes(coordinates.size());
  SmallVector<Value> open(offsets);
  llvm::DenseSet<Value> seen;
  while (!open.empty()) {
    Value value = open.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    for (auto [axis, coordinate] : llvm::enumerate(coordinates))
      if (value == coordinate)
        axes.set(axis);
    if (Operation *op = value.getDefiningOp())
      llvm::append_range(open, op->getOperands());
  }
  return axes;
}

/// Axes of which a CTA has several elements: along them the stored tile is.
SmallBitVector tiledAxes(KernelOp kernel, GridOp grid) {
  SmallBitVector axes(grid.getCoordinates().size());
  kernel.walk([&](StoreOp store) {
    unsigned rank = cast<ShapedType>(store.getTile().getType()).getRank();
    axes |= axesOf(grid, store.getOffsets().take_back(rank));
  });
  return axes;
}

/// Sets that share no axis, of which others are joined.
unsigned countClasses(SmallVector<SmallBitVector> sets) {
  SmallVector<SmallBitVector> classes;
  for (SmallBitVector set : sets) {
    if (set.none())
      continue;
    llvm::erase_if(classes, [&](const SmallBitVector &other) {
      bool joined = set.anyCommon(other);
      if (joined)
        set |= other;
      return joined;
    });
    classes.push_back(set);
  }
  return classes.size();
}

void widen(Type &widest, Type own) {
  if (!widest || widest.getIntOrFloatBitWidth() < own.getIntOrFloatBitWidth())
    widest = own;
}

} // namespace

double Quantisation::factorOf(double bytes) const {
  return bytes / streamedBytes() * std::pow(bytes / stayingBytes(), beta);
}

std::optional<Quantisation> attn::quantisationOf(KernelOp kernel) {
  GridOp grid = kernel.getGrid();
  if (!grid)
    return std::nullopt;
  SmallBitVector tiled = tiledAxes(kernel, grid);
  SmallVector<SmallBitVector> lacking;
  Type streamed, staying;
  kernel.walk([&](LoadOp load) {
    auto tile = cast<ShapedType>(load.getTile().getType());
    Type element = tile.getElementType();
    if (!load->getParentOfType<StreamOp>()) {
      if (tile.getRank() == 2)
        widen(staying, element);
      return;
    }
    widen(streamed, element);
    SmallBitVector lacks = tiled;
    lacking.push_back(lacks.reset(axesOf(grid, load.getOffsets())));
  });
  if (!streamed)
    return std::nullopt;
  unsigned classes = countClasses(lacking);
  return Quantisation{streamed, staying ? staying : streamed,
                      classes == 0 ? 0.0 : 1.0 / classes};
}
