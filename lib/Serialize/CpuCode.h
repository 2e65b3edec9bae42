//===- CpuCode.h - Kernels to machine code for CPUs -------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_SERIALIZE_CPUCODE_H
#define ATTN_MLIR_LIB_SERIALIZE_CPUCODE_H

#include "mlir/IR/BuiltinOps.h"
#include <string>

namespace attn {

/// The architecture of bundles for CPUs such as this machine's: what every such
/// CPU of the last ten years has, so that a bundle can be moved ("x86_64-v3",
/// "aarch64").
llvm::StringRef cpuArch();

/// Makes a shared object of a module in the LLVM dialect, in process; fails
/// after a diagnostic.
mlir::FailureOr<std::string> compileToSharedObject(mlir::ModuleOp module);

} // namespace attn

#endif // ATTN_MLIR_LIB_SERIALIZE_CPUCODE_H
