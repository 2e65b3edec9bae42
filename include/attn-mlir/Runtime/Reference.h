//===- Reference.h - What the results are compared with ---------*- C++ -*-===//

#ifndef ATTN_MLIR_RUNTIME_REFERENCE_H
#define ATTN_MLIR_RUNTIME_REFERENCE_H

#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include <vector>

namespace attn {
class AttentionOp;

/// The sizes that may be dynamic.
struct AttentionSizes {
  int64_t batch, queries, keys;
};

/// Attention by its definition, and what a row's result may differ by.
struct AttentionReference {
  /// [B,Hq,Sq,Dv] and [B,Hq,Sq].
  std::vector<double> output, lse;
  /// [B,Hq,Sq]: by how much the relative error of a row may exceed the usual
  /// bound (scoreSlack), and the largest score behind that.
  std::vector<double> slack, largestScore;
  /// [B,Hq,Sq,Dv]: where a row has much slack, the least and the largest value
  /// of V at keys that take part. An output is a mean of them, whatever their
  /// weights. Elsewhere infinite.
  std::vector<double> low, high;
};

/// The bound of a row, in the one place that states it: its relative error is
/// at most the usual bound of the element type plus this. `largestScore` is the
/// largest magnitude of its finite scores, in natural units, that can have a
/// weight; rounding a score to f32 moves it by half of 2^-23 of that, and the
/// row by as much. `contraction` is how far a modification that may be
/// contracted (`fastmath<contract>`) moves a score.
double scoreSlack(double largestScore, double contraction);

/// Evaluates attn.attention by its definition, in float64, with nothing in
/// common with what the compiler makes of it.
///
/// Inputs are those of the op, dense and in logical order, whatever its layout:
/// q [B,Hq,Sq,Dqk], k [B,Hkv,Skv,Dqk], v [B,Hkv,Skv,Dv], its lengths, where it
/// has them (what lies behind them is not read), captured tensors and sinks;
/// `shapes` are theirs. `scalars` are the values of the op's scalar captures. A
/// row that attends to nothing has output 0 and lse -inf. Fails after a
/// diagnostic where the op has a mask or a score operation that the reference
/// does not know, or where the inputs are of the wrong size.
///
/// A score modification is evaluated as it is written: it sees the scaled score
/// in f32, and each of its operations is rounded to its type.
mlir::LogicalResult
referenceAttention(AttentionOp op, AttentionSizes sizes,
                   llvm::ArrayRef<std::vector<double>> inputs,
                   llvm::ArrayRef<llvm::SmallVector<int64_t>> shapes,
                   llvm::ArrayRef<double> scalars, AttentionReference &result);

/// c[m,n] = sum_k a[m,k] b[k,n]
void referenceMatmul(int64_t m, int64_t n, int64_t k, llvm::ArrayRef<double> a,
                     llvm::ArrayRef<double> b, std::vector<double> &c);

/// What attn.merge_states makes of `parts` outputs of rows [rows, columns] and
/// of their LSEs, by its definition.
void referenceMergedStates(int64_t parts, int64_t rows, int64_t columns,
                           llvm::ArrayRef<double> outputs,
                           llvm::ArrayRef<double> lses,
                           std::vector<double> &output,
                           std::vector<double> &lse);

/// The error of the row that exceeds its slack most.
struct RowError {
  double error = 0, slack = 0;
  int64_t row = 0;
};

/// |o - r|_2 / |r|_2 of rows of `columns` values: of the row where that exceeds
/// `slack` (one a row, or none) most. A row whose reference is zero has to be
/// zero exactly, and a value that is not finite in one of the two has to be the
/// same in both; else the error is infinite, as it is for different sizes. No
/// rows have no error. With `units`, one a row, the error is relative to the
/// larger of |r|_2 and that: to the size of what a row is a sum of, where terms
/// may cancel.
RowError rowwiseError(llvm::ArrayRef<double> result,
                      llvm::ArrayRef<double> reference, int64_t columns,
                      llvm::ArrayRef<double> slack = {},
                      llvm::ArrayRef<double> units = {});

/// For LSE: |x - r| / max(1, |r|), likewise; slack counts in units of x.
/// Infinities equal themselves; else what is not finite has an infinite error.
RowError elementwiseError(llvm::ArrayRef<double> result,
                          llvm::ArrayRef<double> reference,
                          llvm::ArrayRef<double> slack = {});

/// How far values lie outside of [low, high] at most, relative to these.
double distanceOutside(llvm::ArrayRef<double> result,
                       llvm::ArrayRef<double> low, llvm::ArrayRef<double> high);

} // namespace attn

#endif // ATTN_MLIR_RUNTIME_REFERENCE_H
