//===- SeparateExchanges.h - Clusters whose CTAs run in turn ----*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CONVERSION_ATTNTOCPU_SEPARATEEXCHANGES_H
#define ATTN_MLIR_LIB_CONVERSION_ATTNTOCPU_SEPARATEEXCHANGES_H

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"

namespace attn {

/// Makes each cluster of the kernels of `module` one turn of attn.ctas: all of
/// its CTAs up to their attn.exchange, which then is memory that they stored
/// to, and all of them from there on. Or gives a diagnostic.
mlir::LogicalResult separateExchanges(mlir::ModuleOp module);

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_ATTNTOCPU_SEPARATEEXCHANGES_H
