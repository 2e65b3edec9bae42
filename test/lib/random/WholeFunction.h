//===- WholeFunction.h - A function of one operation on the CPU -*- C++ -*-===//

#ifndef ATTN_MLIR_TEST_LIB_WHOLEFUNCTION_H
#define ATTN_MLIR_TEST_LIB_WHOLEFUNCTION_H

#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Runtime/CpuKernel.h"

namespace attn_random {

/// Calls a function of `compiled`, which computes `op` of its arguments alone,
/// with all that it does between kernels, and copies what it returns to the
/// results among `views`. Memory that it allocates starts with numbers that
/// show in results.
llvm::Error callWholeFunction(attn::CpuModule &compiled, llvm::StringRef name,
                              attn::StreamableOpInterface op,
                              llvm::ArrayRef<attn::StridedBuffer> views,
                              llvm::ArrayRef<attn::ScalarBytes> scalars);

} // namespace attn_random

#endif // ATTN_MLIR_TEST_LIB_WHOLEFUNCTION_H
