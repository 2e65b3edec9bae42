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
  /// Most multiplications; about a minute of the reference on one core.
  double maxWork = 6e10;
};

/// Whether a function or a module has an operation of level 1 that says what is
/// computed.
bool computesAtLevel1(mlir::Operation *op);

/// Runs a module in the LLVM dialect on the CPU and prints how far it is from
/// `reference`, a module at level 1: a line for each kernel, against the
/// operation in its place (or that with its heads packed), and one for each
/// function around them, with what it does between kernels. Fails if an error
/// is out of bounds, or after a diagnostic: kernels that do not match the
/// operations, or that do not compile.
mlir::LogicalResult runOnCpu(mlir::ModuleOp module, mlir::ModuleOp reference,
                             const CpuRunOptions &options,
                             llvm::raw_ostream &os);

} // namespace attn

#endif // ATTN_MLIR_LIB_TOOLS_RUNONCPU_H
