//===- MatrixLayouts.h - Layouts of matrix instructions ---------*- C++ -*-===//
//
// The layouts of the operands of matrix instructions as instances of
// #attn.fragment. Matrix units (AttnUnits.td) say which of them they take.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_MATRIXLAYOUTS_H
#define ATTN_MLIR_DIALECT_ATTN_IR_MATRIXLAYOUTS_H

#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"

namespace attn {

/// Warps along the rows and along the columns of a result: where there are more
/// than blocks of 16 rows, they share the columns.
struct WarpGrid {
  int64_t down, across;
};
WarpGrid warpGrid(int64_t rows, int64_t warps);

/// The accumulator of mma.sync.m16n8k16 (PTX ISA, "Matrix fragments for
/// mma.m16n8k16") for a tile of rows x columns: each of `warps` warps has
/// rows / warps consecutive rows. rows is a multiple of 16 warps, columns of 8.
/// With fewer rows (warpGrid) warps that follow have the next columns.
FragmentAttr mmaAccumulator(mlir::MLIRContext *context, int64_t rows,
                            int64_t columns, int64_t warps);

/// The layout of an accumulator whose lanes of a row have exchanged columns: of
/// each 32 a lane has eight that follow each other, where it had two of each
/// eight. Null where a lane does not have that, or has columns of fewer.
FragmentAttr exchangedColumns(FragmentAttr accumulator);

/// For tiles that no matrix instruction takes: a row lies in the lanes of one
/// warp, each of which has neighbouring columns; warps follow each other along
/// the rows. Warps that are left share rows, column by column where these are
/// enough for all lanes, else as copies. A lane has `least` columns or more, as
/// far as they are a multiple. 16 divides the columns.
FragmentAttr rowsOfWarps(mlir::MLIRContext *context, int64_t rows,
                         int64_t columns, int64_t warps, int64_t lanes,
                         int64_t least = 1);

/// For tiles that go to or come from memory as they lie there: a lane has 16
/// bytes, `along` lanes neighbouring ones of a row, and those that follow have
/// the next rows of the warp's. 16 `along` bytes divide a row, and rows of the
/// warp are a multiple of lanes / along.
FragmentAttr linesOfWarps(mlir::RankedTensorType tile, int64_t warps,
                          int64_t lanes, int64_t along);

/// For tiles that are stored as columns (`attn.store_columns`): a thread has
/// blocks of 16 rows and 16 columns, row by row. 16 divides both sizes. Lanes
/// have up to four blocks of the same rows, then those of rows below.
FragmentAttr blocksOfThreads(mlir::MLIRContext *context, int64_t rows,
                             int64_t columns);

/// The A operand (16-bit elements) of the same instruction. In normal form it
/// is the accumulator's layout, so that a result feeds the next product as it
/// is.
FragmentAttr mmaLhs(mlir::MLIRContext *context, int64_t rows, int64_t columns,
                    int64_t warps);

/// An accumulator whose columns attn.interleave has named in groups of so many:
/// a lane has a quarter of each group as neighbours.
FragmentAttr mmaGroups(mlir::MLIRContext *context, int64_t rows,
                       int64_t columns, int64_t warps, int64_t group);

/// The A operand of mma.sync.m16n8k32, of 8-bit elements: lane l has columns
/// 4 (l % 4) to 4 (l % 4) + 3 of each 16. 32 divides the columns.
FragmentAttr mmaLhs8(mlir::MLIRContext *context, int64_t rows, int64_t columns,
                     int64_t warps);

/// The accumulator and the A operand of mma.sync.m16n8k16 where operands that
/// are widened share words: lane l has columns 4 (l % 4) + (0, 2, 1, 3) of each
/// 16, in this order. 16 divides the columns.
FragmentAttr mmaWidening(mlir::MLIRContext *context, int64_t rows,
                         int64_t columns, int64_t warps);

/// Rows and columns of the result of an MFMA instruction.
enum class MfmaBlock : int64_t { Small = 16, Large = 32 };

/// Consecutive columns that a lane has of a tile in mfmaTile: 8, or 4 where
/// columns are too few.
int64_t mfmaVector(MfmaBlock block, int64_t columns);

/// The layout of accumulators and of left-hand sides of products by MFMA, over
/// warps of 64 lanes with rows / warps consecutive rows each.
///
/// A product is computed transposed: C^T = B^T A^T, so that a lane holds
/// elements of one row of C, lane mod block (AMD CDNA 3 ISA, "Matrix Arithmetic
/// Instructions": the accumulator has column lane mod 32 and rows 8 (r / 4) +
/// 4 (lane / 32) + r mod 4 of the 32 x 32 result, column lane mod 16 and rows
/// 4 (lane / 16) + r of the 16 x 16 one; operands have 4 consecutive elements
/// along the summed dimension, from 4 (lane / block) on). Which row of B^T an
/// operand's row is, is free: chosen so (mfmaOperandRow) that a lane has
/// mfmaVector consecutive columns of C, and that they are what it must hold of
/// the left-hand side of a next product. Maxima of rows then take one exchange
/// (two with 16 x 16) between lanes.
///
/// rows is a multiple of block * warps; columns of 32 for accumulators in large
/// blocks, else of 16.
FragmentAttr mfmaTile(mlir::MLIRContext *context, MfmaBlock block, int64_t rows,
                      int64_t columns, int64_t warps);

/// Column of C, within those that `group` (one, or two blocks of 16 with
/// vectors of 8) accumulators cover, that row `m` of B^T in accumulator `a`
/// stands for.
int64_t mfmaOperandRow(MfmaBlock block, int64_t vector, int64_t m, int64_t a);

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_IR_MATRIXLAYOUTS_H
