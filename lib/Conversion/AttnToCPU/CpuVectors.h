//===- CpuVectors.h - What passes to vectors of the CPU share ---*- C++ -*-===//

#ifndef ATTN_CONVERSION_CPUVECTORS_H
#define ATTN_CONVERSION_CPUVECTORS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace attn {

/// Numbers of a vector for rows of `columns`: at most 16, two registers of
/// x86-64-v3; 0 where no vector of 4 divides a row.
int64_t vectorWidth(int64_t columns);

/// A buffer of f32 whose rows lie one behind the other, of which vectors can be
/// loaded and stored.
bool isBufferOfRows(mlir::Value buffer);

/// A loop from 0 to `range`, into which the builder goes on.
mlir::scf::ForOp loopOver(mlir::OpBuilder &b, mlir::Location loc, int64_t range,
                          int64_t step, mlir::ValueRange carried = {});

} // namespace attn

#endif // ATTN_CONVERSION_CPUVECTORS_H
