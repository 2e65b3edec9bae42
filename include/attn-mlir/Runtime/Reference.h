//===- Reference.h - What the results are compared with ---------*- C++ -*-===//

#ifndef ATTN_MLIR_RUNTIME_REFERENCE_H
#define ATTN_MLIR_RUNTIME_REFERENCE_H

#include "attn-mlir/Dialect/Attn/IR/Attn.h"
#include <vector>

namespace attn {

/// The sizes that may be dynamic.
struct AttentionSizes {
  int64_t batch, queries, keys;
};

/// Evaluates attn.attention by its definition, in float64, with nothing in
/// common with what the compiler makes of it.
///
/// Inputs are dense and in logical order, whatever the layout of the op: q
/// [B,Hq,Sq,Dqk], k [B,Hkv,Skv,Dqk], v [B,Hkv,Skv,Dv]. `captures` are the
/// values of the op's scalar captures. Makes output [B,Hq,Sq,Dv] and lse
/// [B,Hq,Sq]; a row that attends to nothing has output 0 and lse -inf. Fails
/// after a diagnostic where the op has a mask or a score operation that the
/// reference does not know, or where the inputs are of the wrong size.
///
/// The score modification is evaluated in float64 too, whatever its float
/// types; only a truncation to a type narrower than f32 rounds.
mlir::LogicalResult
referenceAttention(AttentionOp op, AttentionSizes sizes,
                   llvm::ArrayRef<double> q, llvm::ArrayRef<double> k,
                   llvm::ArrayRef<double> v, llvm::ArrayRef<double> captures,
                   std::vector<double> &output, std::vector<double> &lse);

/// c[m,n] = sum_k a[m,k] b[k,n]
void referenceMatmul(int64_t m, int64_t n, int64_t k, llvm::ArrayRef<double> a,
                     llvm::ArrayRef<double> b, std::vector<double> &c);

/// The largest |o - r|_2 / |r|_2 over the rows of `columns` values. A row whose
/// reference is zero has to be zero exactly, and a value that is not finite in
/// one of the two has to be the same in both; else the error is infinite, as it
/// is for different sizes. No rows have no error.
double rowwiseError(llvm::ArrayRef<double> result,
                    llvm::ArrayRef<double> reference, int64_t columns);

/// For LSE: the largest |x - r| / max(1, |r|). Infinities equal themselves; a
/// NaN anywhere or a difference in size makes the error infinite.
double elementwiseError(llvm::ArrayRef<double> result,
                        llvm::ArrayRef<double> reference);

} // namespace attn

#endif // ATTN_MLIR_RUNTIME_REFERENCE_H
