//===- RegionTiles.h - Regions of scalars, evaluated for tiles --*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_REGIONTILES_H
#define ATTN_MLIR_DIALECT_ATTN_IR_REGIONTILES_H

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace attn {

/// A builder in front of the stream that `builder` stands in the body of; else
/// where it stands. For what is the same at all positions.
mlir::OpBuilder outsideStream(const mlir::OpBuilder &builder);

/// Evaluates a region of scalars for all elements of a tile: an operation with
/// a tile operand becomes the same operation on tiles. What depends on rows
/// alone (of `attn.iota` 0) is computed once a row, outside of a stream that
/// the builder stands in; what depends on columns alone once a column.
class RegionTiles {
public:
  /// Operations go to where `builder` stands then; all of them, if arguments
  /// are no longer the same at another position of the stream.
  RegionTiles(mlir::OpBuilder &builder, mlir::Block &body,
              llvm::ArrayRef<int64_t> shape, bool hoists = true);

  /// Gives an argument of the region its value: a scalar, a view, or a tile.
  void map(unsigned argument, mlir::Value value);

  /// Reads from memory what can be read with the arguments that are known so
  /// far, so that it is on its way while others are computed.
  void readEarly();

  /// The rest, with all arguments known: what the region yields, as tiles.
  llvm::SmallVector<mlir::Value> finish();

private:
  /// What a value of the region depends on, as bits.
  enum Span : unsigned { Scalar = 0, Rows = 1, Columns = 2, Full = 3 };

  /// A value of the region in the shapes that were asked for.
  struct Forms {
    Span natural = Scalar;
    mlir::Value values[4];
  };

  bool isKnown(mlir::Operation &op) const;
  void inlineOp(mlir::Operation &op);
  /// The value as a tile of this shape.
  mlir::Value get(mlir::Value value, Span span);
  mlir::Value make(Forms &forms, Span span);
  mlir::OpBuilder &builderOf(Span span);
  llvm::SmallVector<int64_t> shapeOf(Span span) const;
  mlir::Type typeOf(mlir::Type element, Span span) const;

  mlir::OpBuilder &inside;
  mlir::OpBuilder outside;
  mlir::Block &body;
  llvm::SmallVector<int64_t> shape;
  llvm::DenseMap<mlir::Value, Forms> known;
  llvm::DenseSet<mlir::Operation *> done;
};

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_IR_REGIONTILES_H
