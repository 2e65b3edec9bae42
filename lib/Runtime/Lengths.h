//===- Lengths.h - Lengths of streams that a run makes ----------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_RUNTIME_LENGTHS_H
#define ATTN_MLIR_LIB_RUNTIME_LENGTHS_H

#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include "attn-mlir/Runtime/Oracle.h"
#include <random>

namespace attn {

/// The lengths of an op's streams in a run: what `options` state, or drawn: a
/// prime, the capacity, 0, 1, and so on. Fails after a diagnostic where as many
/// are stated as there are not.
mlir::FailureOr<std::vector<double>>
makeLengths(StreamableOpInterface op, llvm::ArrayRef<int64_t> extents,
            const OracleOptions &options, std::mt19937_64 &random);

/// The elements of a view of integers in a run: what `contents` state, or
/// drawn: of 8 bits 0 or 1, else, along the last dimension, numbers that never
/// fall, as those of documents.
std::vector<double> makeIntegers(mlir::IntegerType type, llvm::StringRef view,
                                 llvm::ArrayRef<int64_t> sizes,
                                 const ViewContents &contents,
                                 std::mt19937_64 &random);

/// Makes what lies behind the lengths of the streams NaN, in the input `view`
/// of an op, whose `values` are in the order of its tensor (`permutation`: from
/// the view's dimensions) or in the view's own.
void poisonBehind(StreamableOpInterface op, unsigned view,
                  llvm::ArrayRef<int64_t> extents,
                  llvm::ArrayRef<double> lengths,
                  llvm::ArrayRef<int64_t> permutation,
                  llvm::MutableArrayRef<double> values);

} // namespace attn

#endif // ATTN_MLIR_LIB_RUNTIME_LENGTHS_H
