//===- BackwardSweep.h - Gradients on the CPU against float64 ---*- C++ -*-===//

#ifndef ATTN_MLIR_TEST_LIB_BACKWARDSWEEP_H
#define ATTN_MLIR_TEST_LIB_BACKWARDSWEEP_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"

namespace attn_test {

/// Functions of attention and of its gradients, of cases first, first + step,
/// ...: `what` is "backward", at level 2, "backward-fused", the
/// same in the fused form, "backward-ordered", in that whose CTAs add one after
/// the other, "backward-sequential", by way of level 3, or "derivatives", of
/// score modifications. The exit status.
int runBackward(mlir::MLIRContext &context, llvm::StringRef what,
                unsigned first, unsigned step);

} // namespace attn_test

#endif // ATTN_MLIR_TEST_LIB_BACKWARDSWEEP_H
