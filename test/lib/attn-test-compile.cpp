//===- attn-test-compile.cpp - attn-compile with the test dialect ---------===//

#include "TestDialect.h"
#include "attn-mlir/Pipelines/Registration.h"
#include "attn-mlir/Runtime/Oracle.h"
#include "attn-mlir/Tools/AttnCompileMain.h"
#include "mlir/IR/DialectRegistry.h"
#include <cmath>

using namespace mlir;

/// ln sum exp of each row, in float64.
static LogicalResult evaluate(attn::StreamableOpInterface op,
                              ArrayRef<int64_t> extents,
                              ArrayRef<std::vector<double>> inputs,
                              std::vector<double> &output,
                              std::vector<double> &) {
  if (!isa<attn_test::LogSumExpOp>(op.getOperation()))
    return failure();
  for (int64_t row = 0; row < extents[0]; ++row) {
    double sum = 0;
    for (int64_t column = 0; column < extents[1]; ++column)
      sum += std::exp(inputs[0][row * extents[1] + column]);
    output.push_back(std::log(sum));
  }
  return success();
}

int main(int argc, char **argv) {
  DialectRegistry registry;
  attn::registerDialects(registry);
  registry.insert<attn_test::AttnTestDialect>();
  return attn::attnCompileMain(argc, argv, registry, evaluate);
}
