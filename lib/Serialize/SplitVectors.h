//===- SplitVectors.h - Vectors into scalars --------------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_SERIALIZE_SPLITVECTORS_H
#define ATTN_MLIR_LIB_SERIALIZE_SPLITVECTORS_H

#include "llvm/IR/PassManager.h"

namespace attn {

/// Takes vectors of registers apart: each value of a vector type becomes a
/// value for each element, through arithmetic, casts, selects, calls of
/// elementwise intrinsics, shuffles and phis. Conversions to 16 bits stay in
/// pairs, for which there are instructions, and so do their packed forms. What
/// else has vectors (loads, stores, calls) keeps them.
///
/// LLVM's scalarizer does that for all that may occur; the lowering of
/// fragments makes thousands of elements out of few kinds of instruction, of
/// which this is ten times as fast.
struct SplitVectorsPass : llvm::PassInfoMixin<SplitVectorsPass> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace attn

#endif // ATTN_MLIR_LIB_SERIALIZE_SPLITVECTORS_H
