//===- Ptx.h - Device functions to PTX and machine code ---------*- C++ -*-===//

#ifndef ATTN_MLIR_SERIALIZE_PTX_H
#define ATTN_MLIR_SERIALIZE_PTX_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <vector>

namespace attn {

/// Ways to order the same operations. How ptxas allocates registers depends on
/// that more than on what there is to allocate: a kernel near the limit spills
/// with one order and does not with another.
enum class PtxOrder {
  /// Vectors are taken apart where they are computed (SplitVectorsPass).
  Direct,
  /// By LLVM's scalarizer, which keeps what some operations want whole; takes
  /// half as long again.
  Scalarizer,
};

/// Makes PTX of a gpu.module in the LLVM dialect, in process, for an
/// architecture ("sm_90a", "sm_121a"). Functions that have a debug-info scope
/// (MLIR's ensure-debug-info-scope-on-llvm-func) name source lines, for
/// profilers. Fails after a diagnostic.
mlir::FailureOr<std::string> translateToPtx(mlir::gpu::GPUModuleOp module,
                                            llvm::StringRef arch,
                                            PtxOrder order = PtxOrder::Direct);

/// In place of a path of ptxas: there shall be none, so that bundles hold PTX.
inline constexpr llvm::StringLiteral kNoPtxas = "none";

/// Finds ptxas: `given` if not empty, else ATTN_MLIR_PTXAS (which is like
/// `given`), else in CUDA_HOME or CUDA_PATH, else in PATH, else in the
/// toolkit's usual place. Empty if there is none, or none shall be.
std::string findPtxas(llvm::StringRef given);

/// What ptxas reports of a kernel (-v).
struct PtxasReport {
  int64_t registers = 0, spillBytes = 0, stackBytes = 0;
  /// Whether products of warpgroups wait for each other (C7512 and its like).
  bool serialized = false;
  /// Warnings, a line each.
  std::string warnings;
};

/// Machine code for PTX.
struct Cubin {
  std::string code;
  PtxasReport report;
};

/// Runs ptxas on PTX of one kernel.
llvm::Expected<Cubin> assemble(llvm::StringRef ptx, llvm::StringRef arch,
                               llvm::StringRef ptxas);

/// The path of ptxas that findPtxas finds, empty if none; fails after a
/// diagnostic where `given` is a path that cannot be executed.
mlir::FailureOr<std::string> choosePtxas(mlir::Operation *op,
                                         llvm::StringRef given);

/// Machine code for gpu.modules in the LLVM dialect, one for each. ptxas runs
/// on several threads. Where a kernel spills registers in one order, the others
/// are tried, and the code that spills least is taken. Fails after a
/// diagnostic.
mlir::FailureOr<std::vector<Cubin>>
compileToCubins(llvm::ArrayRef<mlir::gpu::GPUModuleOp> modules,
                llvm::StringRef arch, llvm::StringRef ptxas);

} // namespace attn

#endif // ATTN_MLIR_SERIALIZE_PTX_H
