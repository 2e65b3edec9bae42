//===- WarpChoice.h - Warps of a CTA ----------------------------*- C++ -*-===//

#ifndef ATTN_MLIR_DIALECT_ATTN_UTILS_WARPCHOICE_H
#define ATTN_MLIR_DIALECT_ATTN_UTILS_WARPCHOICE_H

#include "attn-mlir/Dialect/Attn/IR/AttnUnits.h"

namespace attn {
class KernelOp;

/// Warps for tiles of `rows` rows that `unit` multiplies: about 32 rows each,
/// which use each right-hand operand twice; 4 warps if there are rows enough
/// for them, and more where a thread would hold more of the kernel's products
/// than it has registers for, or where masks at both ends of a stream (windows)
/// are computed on an SM that holds no second CTA.
int64_t defaultWarps(KernelOp kernel, int64_t rows, MatrixUnitInterface unit);

} // namespace attn

#endif // ATTN_MLIR_DIALECT_ATTN_UTILS_WARPCHOICE_H
