//===- TestReference.h - What results are compared with ---------*- C++ -*-===//

#ifndef ATTN_MLIR_TEST_LIB_TESTREFERENCE_H
#define ATTN_MLIR_TEST_LIB_TESTREFERENCE_H

#include "TestDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnInterfaces.h"
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace attn_test {

/// ln sum exp of each row, in float64: a ReferenceFn.
inline mlir::LogicalResult
evaluateLogSumExp(attn::StreamableOpInterface op,
                  llvm::ArrayRef<int64_t> extents,
                  llvm::ArrayRef<std::vector<double>> inputs,
                  std::vector<double> &output, std::vector<double> &) {
  if (!llvm::isa<LogSumExpOp>(op.getOperation()))
    return mlir::failure();
  for (int64_t row = 0; row < extents[0]; ++row) {
    llvm::ArrayRef<double> values =
        llvm::ArrayRef(inputs[0]).slice(row * extents[1], extents[1]);
    double max = -std::numeric_limits<double>::infinity(), sum = 0;
    for (double value : values)
      max = std::max(max, value);
    for (double value : values)
      sum += std::exp(value - max);
    output.push_back(max + std::log(sum));
  }
  return mlir::success();
}

} // namespace attn_test

#endif // ATTN_MLIR_TEST_LIB_TESTREFERENCE_H
