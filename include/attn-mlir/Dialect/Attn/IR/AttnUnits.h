//===- AttnUnits.h - Matrix units -------------------------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_IR_ATTNUNITS_H
#define ATTN_MLIR_DIALECT_ATTN_IR_ATTNUNITS_H

#include "attn-mlir/Dialect/Attn/IR/AttnLayouts.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include <string>

namespace attn {

/// Who issues a matrix instruction.
enum class MatrixIssuer { Thread, Warp, Warpgroup, PairOfCTAs };

/// Where accumulators live: in registers, or in a memory of their own with
/// explicit loads and stores.
enum class AccumulatorSpace { Registers, Memory };

/// How it is known that a product is there: it is when the instruction is done,
/// groups of products complete in their order, or a barrier says so.
enum class Completion { Sequential, Groups, Barrier };

/// Capabilities of targets: reads of shared memory meet in 64 banks, not 32;
/// there are reads that transpose what they read.
constexpr llvm::StringLiteral kLdsBanks64 = "lds-banks-64";
constexpr llvm::StringLiteral kLdsTranspose = "lds-transpose";

/// The tile by rows, in the widest panels.
SharedAttr plainlyStaged(mlir::RankedTensorType tile);

/// A layout that a tensor map writes with panels of 128 bytes in place of
/// narrow ones; any other as it is. `rowBytes`: as for `getWidened`.
SharedAttr withWidePanels(SharedAttr staged, int64_t rowBytes);

} // namespace attn

#include "attn-mlir/Dialect/Attn/IR/AttnUnitInterfaces.h.inc"

#define GET_ATTRDEF_CLASSES
#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h.inc"

namespace attn {

class DotOp;

/// The matrix units of a target, the fastest first.
llvm::SmallVector<MatrixUnitInterface> unitsOf(TargetAttr target);

/// The types of elements that operands of a unit, and of any unit of a target,
/// may be of; such types as words: "f16, bf16 or f8E4M3FN".
llvm::SmallVector<mlir::Type> elementsOf(MatrixUnitInterface unit);
llvm::SmallVector<mlir::Type> elementsOf(TargetAttr target);
std::string asText(llvm::ArrayRef<mlir::Type> types);

/// Whether a product of the target can go on while others are issued.
bool hasAsynchronousUnit(TargetAttr target);

/// What multiplies where a product names no unit: that unit of the target which
/// takes the smallest tiles, or `mma.sync` for a target that has none (level 3
/// on the CPU is run with the tiles of another target).
MatrixUnitInterface usualUnit(TargetAttr target);

/// The matrix unit in the assembly of a product.
mlir::ParseResult parseUnit(mlir::OpAsmParser &parser,
                            MatrixUnitInterface &unit);
void printUnit(mlir::OpAsmPrinter &printer, mlir::Operation *op,
               MatrixUnitInterface unit);

/// The unit of a product: the one that it names, or the usual one of its
/// target.
MatrixUnitInterface unitOf(DotOp dot);

/// Why a product of tiles of these types is not for a unit, their layouts
/// included; empty if it is.
std::string whyNotLaidOut(MatrixUnitInterface unit, mlir::RankedTensorType lhs,
                          mlir::RankedTensorType rhs,
                          mlir::RankedTensorType result, int64_t warps,
                          bool transposeLhs);

/// Rows and columns of tiles are multiples of this where a target has matrix
/// units, else 1.
int64_t tileGranule(TargetAttr target);

/// Threads of a warp.
int64_t lanesOf(TargetAttr target);

/// Most warps of a CTA.
int64_t mostWarps(TargetAttr target);

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_IR_ATTNUNITS_H
