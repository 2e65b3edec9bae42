//===- FunctionOracle.h - Run a whole function and compare ------*- C++ -*-===//

#ifndef ATTN_MLIR_RUNTIME_FUNCTIONORACLE_H
#define ATTN_MLIR_RUNTIME_FUNCTIONORACLE_H

#include "attn-mlir/Runtime/Oracle.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace attn {

/// How far the results of a function are from those of its level-1 form.
struct FunctionReport {
  /// Why it was not run, or empty.
  std::string skipped;
  /// Of the results that are no LSE, and of those that are: the row that
  /// exceeds its bound most, and the bound where scores are small.
  struct Error {
    bool any = false;
    RowError row;
    double bound = 0;
    bool isWithin() const { return row.error <= bound + row.slack; }
  };
  Error output, lse;
  /// Whether nothing was written beside the arguments.
  bool guardsIntact = true;

  bool isWithin() const {
    return output.isWithin() && lse.isWithin() && guardsIntact;
  }
};

/// Takes sizes of arguments, "arg0.1", out of the sizes of axes: dimensions of
/// a function's arguments that its operations do not tell.
llvm::StringMap<int64_t> takeArgumentSizes(llvm::StringMap<int64_t> &sizes);

/// Runs a function of `lowered`, which `compiled` was made from, with kernels
/// and what stands between them, on random arguments, and compares its results
/// with those of `reference`, its level-1 form. Sizes of arguments follow from
/// those of axes, or are in `argumentSizes`. `tolerance` takes the place of the
/// usual bounds if it is not 0.
mlir::FailureOr<FunctionReport>
runFunctionOracle(mlir::func::FuncOp reference, mlir::ModuleOp lowered,
                  CpuModule &compiled, const OracleOptions &options,
                  const llvm::StringMap<int64_t> &argumentSizes,
                  double tolerance);

} // namespace attn

#endif // ATTN_MLIR_RUNTIME_FUNCTIONORACLE_H
