//===- AttentionBlocks.h - Lists of blocks of attn.attention ----*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONBLOCKS_H
#define ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONBLOCKS_H

#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Dialect/Attn/IR/IndexBuilder.h"
#include "mlir/IR/OpImplementation.h"

namespace attn {

/// Parses `<128, 64>`, the queries and keys of a block, into attribute `name`.
mlir::ParseResult parseBlockSize(mlir::OpAsmParser &parser,
                                 llvm::StringRef name,
                                 mlir::OperationState &result);

void printBlocks(mlir::OpAsmPrinter &p, AttentionOp op);

/// Whether lists of blocks fit an op whose other operands do; else failure
/// after a diagnostic. `batch`: its sequences, as far as types tell.
mlir::LogicalResult verifyBlocks(AttentionOp op, int64_t batch);

/// From the axes, which `batch`, `head`, `query` and `key` are expressions of,
/// to the dimensions of each view of lists.
llvm::SmallVector<llvm::SmallVector<mlir::AffineExpr>>
blockDims(AttentionOp op, mlir::AffineExpr batch, mlir::AffineExpr head,
          mlir::AffineExpr query, mlir::AffineExpr key);

/// What the lists of an op say of a tile of queries.
class ListedBlocks {
public:
  /// `batch`, `head` and `query` are the place of the tile's first row.
  ListedBlocks(AttentionOp op, const IndexBuilder &m, const TileContext &tile,
               mlir::Value batch, mlir::Value head, mlir::Value query,
               mlir::Value keys);

  /// The partial blocks, the full ones and, where keys may end within a block,
  /// the last of these if it does.
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
  /// One where the last of `full` full blocks reaches behind the last key.
  mlir::Value reachesBehind(mlir::Value full);

  AttentionOp op;
  const IndexBuilder &m;
  mlir::Value batch, head, row, keys;
  /// The keys of a block, and those that types tell.
  int64_t block, staticKeys;
  List partial, full;
};

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_IR_ATTENTIONBLOCKS_H
