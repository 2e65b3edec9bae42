//===- Lengths.h - Lengths of streams that a run makes ----------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_RUNTIME_LENGTHS_H
#define ATTN_MLIR_LIB_RUNTIME_LENGTHS_H

#include "attn-mlir/Dialect/Attn/IR/AttnGradientOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTensorOps.h"
#include "attn-mlir/Runtime/Oracle.h"
#include <map>
#include <random>

namespace attn {

/// What the views of lengths and offsets of an op hold in a run, by the number
/// of the view.
using SequenceContents = std::map<unsigned, std::vector<double>>;

/// The lengths of an op's streams in a run and the offsets of its packed axes:
/// what `options` state, or drawn: lengths that are a prime, the capacity, 0,
/// 1, and so on, and sequences of a prime of elements, none, one and many;
/// unless `all`, some elements are of none. Fails after a diagnostic where as
/// many are stated as there are not.
mlir::FailureOr<SequenceContents> makeSequences(StreamableOpInterface op,
                                                llvm::ArrayRef<int64_t> extents,
                                                const OracleOptions &options,
                                                std::mt19937_64 &random,
                                                bool all = false);

/// Lists of blocks that gradients take, and the attention that they are of:
/// drawn by rows of queries, and behind them the same by rows of keys. What
/// reaches behind the last query or key is not full.
std::vector<std::vector<double>>
makeBlocksOfGradients(AttentionOp attention, AttentionBackwardOp gradient,
                      llvm::ArrayRef<int64_t> extents, std::mt19937_64 &random);

/// The elements of a view of integers in a run: what `contents` state, or
/// drawn: of 8 bits 0 or 1, else, along the last dimension, numbers that never
/// fall, as those of documents.
std::vector<double> makeIntegers(mlir::IntegerType type, llvm::StringRef view,
                                 llvm::ArrayRef<int64_t> sizes,
                                 const ViewContents &contents,
                                 std::mt19937_64 &random);

/// Makes what has no part in results NaN, in the input `view` of an op, whose
/// `values` are in the order of its tensor (`permutation`: from the view's
/// dimensions) or in the view's own: what lies behind the lengths of streams,
/// packed elements that are of no sequence, and the streams of sequences
/// without a row.
void poisonUnused(StreamableOpInterface op, unsigned view,
                  llvm::ArrayRef<int64_t> extents,
                  const SequenceContents &sequences,
                  llvm::ArrayRef<int64_t> permutation,
                  llvm::MutableArrayRef<double> values);

} // namespace attn

#endif // ATTN_MLIR_LIB_RUNTIME_LENGTHS_H
