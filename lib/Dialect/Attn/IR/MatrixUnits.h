//===- MatrixUnits.h - What units of all targets share ----------*- C++ -*-===//

#ifndef ATTN_LIB_DIALECT_ATTN_IR_MATRIXUNITS_H
#define ATTN_LIB_DIALECT_ATTN_IR_MATRIXUNITS_H

#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"

namespace attn {

/// Rows and columns of tiles are multiples of this for every unit.
constexpr int64_t kGranule = 16;

/// The tile by rows, or by columns, in the widest panels.
SharedAttr stagedAs(mlir::RankedTensorType tile, bool transposed, bool folded,
                    bool paired);

/// What all units ask of a product; empty where it is so.
std::string whyNotSized(MatrixUnitInterface unit, mlir::RankedTensorType lhs,
                        mlir::RankedTensorType result, int64_t warps);

} // namespace attn

#endif // ATTN_LIB_DIALECT_ATTN_IR_MATRIXUNITS_H
