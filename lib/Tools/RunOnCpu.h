//===- RunOnCpu.h - attn-compile --run --------------------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_TOOLS_RUNONCPU_H
#define ATTN_MLIR_LIB_TOOLS_RUNONCPU_H

#include "attn-mlir/Runtime/Oracle.h"
#include "mlir/IR/BuiltinOps.h"

namespace attn {

struct CpuRunOptions {
  /// What to run kernels on, and what they are compared with.
  OracleOptions oracle;
  /// Largest error; 0: the project's bound for the element type of a result.
  double tolerance = 0;
  /// Optimisation level of the just-in-time compiler, 0 to 3.
  unsigned optimise = 3;
  /// Most multiplications; about a minute of the reference on one core.
  double maxWork = 6e10;
};

/// Runs the kernels of a module in the LLVM dialect on the CPU, each against
/// the op of `ops` in its place, and prints a line a kernel: its errors, and
/// whether they are within bounds. Fails if one is not, or after a diagnostic:
/// kernels that do not match `ops`, or that do not compile.
mlir::LogicalResult runOnCpu(mlir::ModuleOp module,
                             llvm::ArrayRef<StreamableOpInterface> ops,
                             const CpuRunOptions &options,
                             llvm::raw_ostream &os);

} // namespace attn

#endif // ATTN_MLIR_LIB_TOOLS_RUNONCPU_H
