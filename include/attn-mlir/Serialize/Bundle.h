//===- Bundle.h - Device code and the manifest that describes it -*- C++
//-*-===//

#ifndef ATTN_MLIR_SERIALIZE_BUNDLE_H
#define ATTN_MLIR_SERIALIZE_BUNDLE_H

#include "attn-mlir/Dialect/Attn/IR/Attn.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace attn {

/// How a bundle is written.
struct BundleOptions {
  /// Directory, made where it is missing.
  std::string directory;
  /// Path of ptxas, or empty to look for it (findPtxas).
  std::string ptxas;
};

/// The one device function of a module that is lowered for a GPU; fails after a
/// diagnostic if there is none or several.
mlir::FailureOr<mlir::LLVM::LLVMFuncOp>
findDeviceFunction(mlir::ModuleOp module);

/// Writes a bundle (docs/bundle.md) of a module in the LLVM dialect
/// (buildLowerToNVVMPipeline).
mlir::LogicalResult writeBundle(mlir::ModuleOp module,
                                const BundleOptions &options);

} // namespace attn

#endif // ATTN_MLIR_SERIALIZE_BUNDLE_H
