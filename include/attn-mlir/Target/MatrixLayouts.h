//===- MatrixLayouts.h - Layouts of matrix instructions ---------*- C++ -*-===//
//
// What the matrix instructions of a target want of tiles: the layouts of their
// operands as instances of #attn.fragment.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_TARGET_MATRIXLAYOUTS_H
#define ATTN_MLIR_TARGET_MATRIXLAYOUTS_H

#include "attn-mlir/Dialect/Attn/IR/Attn.h"

namespace attn {

/// Rows and columns of tiles are multiples of this where a target has matrix
/// instructions (m16n8k16; MFMA 16x16x16), else 1.
int64_t tileGranule(TargetAttr target);

/// The accumulator of mma.sync.m16n8k16 (PTX ISA, "Matrix fragments for
/// mma.m16n8k16") for a tile of rows x columns: each of `warps` warps has
/// rows / warps consecutive rows. rows is a multiple of 16 warps, columns of 8.
FragmentAttr mmaAccumulator(mlir::MLIRContext *context, int64_t rows,
                            int64_t columns, int64_t warps);

/// The A operand (16-bit elements) of the same instruction. In normal form it
/// is the accumulator's layout, so that a result feeds the next product as it
/// is.
FragmentAttr mmaLhs(mlir::MLIRContext *context, int64_t rows, int64_t columns,
                    int64_t warps);

/// Rows that a warp has of the accumulator of wgmma: four warps have 64.
constexpr int64_t kWgmmaRowsPerWarp = 16;

/// Why wgmma (PTX ISA, "Asynchronous warpgroup level matrix instructions")
/// cannot compute a product of tiles with these types; empty if it can. Its
/// accumulator is that of mma.sync with 16 rows a warp, and so is its A operand
/// in registers.
std::string whyNotWgmma(mlir::RankedTensorType lhs, mlir::RankedTensorType rhs,
                        mlir::RankedTensorType result);

} // namespace attn

#endif // ATTN_MLIR_TARGET_MATRIXLAYOUTS_H
