//===- SequentialChecks.h - What attn-sequentialize-rings takes -*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CONVERSION_ATTNTOCPU_SEQUENTIALCHECKS_H
#define ATTN_MLIR_LIB_CONVERSION_ATTNTOCPU_SEQUENTIALCHECKS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/LLVM.h"

namespace attn {

class KernelOp;

/// For each column of a tile, the column of getThreadSlice() that stands for
/// the thread that holds it; failure if that depends on the row.
mlir::FailureOr<mlir::SmallVector<int64_t>>
ownersOfColumns(mlir::RankedTensorType tile);

/// Fails after a diagnostic where a kernel uses level 3 in a way that does not
/// say when a slot is filled, read and given back.
mlir::LogicalResult checkSequential(KernelOp kernel);

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_ATTNTOCPU_SEQUENTIALCHECKS_H
