//===- Execute.h - What is done with a random module ------------*- C++ -*-===//

#ifndef ATTN_MLIR_TEST_LIB_EXECUTE_H
#define ATTN_MLIR_TEST_LIB_EXECUTE_H

#include "RandomModule.h"
#include "mlir/IR/MLIRContext.h"

namespace attn_random {

struct Outcome {
  enum Status {
    /// Compiled, or right; of `run` and the like with results to compare.
    Passed,
    /// A diagnostic that the documentation has.
    Refused,
    /// What is wrong is in `kind`, the rest in `detail`.
    Failed
  } status = Passed;
  std::string kind, detail;
};

/// Does what its mode says with a module.
Outcome execute(mlir::MLIRContext &context, const RandomModule &module);

} // namespace attn_random

#endif // ATTN_MLIR_TEST_LIB_EXECUTE_H
