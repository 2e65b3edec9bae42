//===- AttentionBlocks.h - Lists of blocks of attention ---------*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONBLOCKS_H
#define ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONBLOCKS_H

#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "mlir/IR/OpImplementation.h"

namespace attn {

/// Lists of blocks of an op, of which each row of blocks along the grouped axis
/// has one. Operands: counts and numbers of the partial blocks, then, where
/// there are any, of the full ones.
struct BlockLists {
  mlir::Operation *op;
  mlir::OperandRange lists;
  /// Queries and keys of a block.
  llvm::ArrayRef<int64_t> size;
  /// The operand view that the first is.
  unsigned firstView;
  /// Whether keys are grouped and queries streamed.
  bool byKeys = false;

  explicit operator bool() const { return !lists.empty(); }
  int64_t groupedBlock() const { return size[byKeys ? 1 : 0]; }
  int64_t streamedBlock() const { return size[byKeys ? 0 : 1]; }
};

BlockLists blocksOf(AttentionOp op);

/// Parses `<128, 64>`, the queries and keys of a block.
mlir::ParseResult parseBlockSize(mlir::OpAsmParser &parser,
                                 mlir::DenseI64ArrayAttr &sizes);
/// The same, into attribute `name`.
mlir::ParseResult parseBlockSize(mlir::OpAsmParser &parser,
                                 llvm::StringRef name,
                                 mlir::OperationState &result);
void printBlockSize(mlir::OpAsmPrinter &p, mlir::Operation *op,
                    mlir::DenseI64ArrayAttr sizes);

void printBlocks(mlir::OpAsmPrinter &p, AttentionOp op);

/// Whether lists of blocks fit an op of so many sequences, heads (`ofHeads`
/// says of what) and elements of the grouped axis, as far as types tell; else
/// failure after a diagnostic.
mlir::LogicalResult verifyBlocks(const BlockLists &blocks, int64_t batch,
                                 int64_t heads, llvm::StringRef ofHeads,
                                 int64_t grouped);

/// The same of attention; `batch`: its sequences.
mlir::LogicalResult verifyBlocks(AttentionOp op, int64_t batch);

/// From the axes, which `batch`, `head`, `grouped` and `streamed` are
/// expressions of, to the dimensions of each view of lists.
llvm::SmallVector<llvm::SmallVector<mlir::AffineExpr>>
blockDims(const BlockLists &blocks, mlir::AffineExpr batch,
          mlir::AffineExpr head, mlir::AffineExpr grouped,
          mlir::AffineExpr streamed);

/// Names of the views.
llvm::ArrayRef<llvm::StringRef> blockNames(const BlockLists &blocks);

/// What the lists of an op say of a tile of the grouped axis.
class ListedBlocks {
public:
  /// `batch`, `head` and `first` are the place of the tile's first row;
  /// `extent` is how long the stream is, and `staticExtent` the same as far as
  /// types tell.
  ListedBlocks(const BlockLists &blocks, const IndexBuilder &m,
               const TileContext &tile, mlir::Value batch, mlir::Value head,
               mlir::Value first, mlir::Value extent, int64_t staticExtent);

  /// The partial blocks, the full ones and, where the stream may end within a
  /// block, those of these that it does.
  llvm::SmallVector<Segment> buildSegments();

  StreamTraversal buildTraversal();

private:
  struct List {
    mlir::Value counts, numbers;
  };

  /// The place of the row of blocks, as the view of counts has it.
  llvm::SmallVector<mlir::Value> placeIn(mlir::Value counts);
  /// How many blocks a list has.
  mlir::Value count(const List &list);
  /// How many of `full` full blocks do not reach behind the end of the stream.
  mlir::Value countWhole(mlir::Value full);

  const IndexBuilder &m;
  mlir::Value batch, head, row, extent;
  /// The streamed elements of a block, and of all as types tell them.
  int64_t block, staticExtent;
  List partial, full;
};

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONBLOCKS_H
