//===- GridOrder.h - Grid orders as index arithmetic ------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_TRANSFORMS_GRIDORDER_H
#define ATTN_MLIR_DIALECT_ATTN_TRANSFORMS_GRIDORDER_H

#include "attn-mlir/Dialect/Attn/IR/AttnOrder.h"
#include "mlir/IR/Builders.h"

namespace attn {
class GridOp;

/// What a grid order is applied to: the names and sizes of the axes, and which
/// of them select the streamed data.
struct OrderedBox {
  OrderAttr order;
  llvm::SmallVector<llvm::StringRef> axes;
  llvm::SmallVector<llvm::StringRef> sharing;
  llvm::SmallVector<mlir::Value> sizes;

  /// The box of a grid's CTAs-to-be: tiles, or groups of `run` tiles.
  static OrderedBox of(GridOp grid, mlir::OpBuilder &builder);

  /// The number of points.
  mlir::Value buildCount(mlir::OpBuilder &builder, mlir::Location loc) const;

  /// The coordinates of the tile at dispatch position `position`.
  llvm::SmallVector<mlir::Value> buildCoordinates(mlir::OpBuilder &builder,
                                                  mlir::Location loc,
                                                  mlir::Value position) const;

  /// The inverse: the dispatch position of the tile at `coordinates`.
  mlir::Value buildPosition(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::ValueRange coordinates) const;

  /// Whether the tile that a persistent CTA takes after another one, `stride`
  /// dispatch positions further, mostly streams the same data (i1).
  mlir::Value buildKeepsSet(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value stride) const;

  /// Number of sets that `ctas` consecutive CTAs work on at once, in one L2
  /// domain.
  mlir::Value buildSetsInFlight(mlir::OpBuilder &builder, mlir::Location loc,
                                mlir::Value ctas) const;
};

/// Turns a grid and its order into index arithmetic (attn-materialize-grid).
/// `inTurn`: CTAs of a dynamic grid take tiles in turn.
void materializeGrid(GridOp grid, bool inTurn = false);

/// Whether a value is computed from a coordinate of a grid.
bool isComputedFrom(mlir::Value value, mlir::Value coordinate);

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_TRANSFORMS_GRIDORDER_H
