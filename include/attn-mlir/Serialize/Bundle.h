//===- Bundle.h - Device code and its manifest ------------------*- C++ -*-===//

#ifndef ATTN_MLIR_SERIALIZE_BUNDLE_H
#define ATTN_MLIR_SERIALIZE_BUNDLE_H

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

/// Says for which sizes the programs of a lowered module are: comparisons of
/// dynamic axes of their views with numbers, such as "query<=16 & key>4096".
/// writeBundle reads it, by the names that axes have in the last variant.
mlir::LogicalResult setGuard(mlir::ModuleOp module, llvm::StringRef guard);

/// Says that the programs of a lowered module are for sizes for which those of
/// `split`, the same but with streams split over CTAs, would have `most` parts
/// at most. Whether any of them has parts whose number depends on sizes.
mlir::FailureOr<bool> setGuardOfParts(mlir::ModuleOp module,
                                      mlir::ModuleOp split, int64_t most);

/// Likewise, for sizes for which no kernel of those of `other` would have more
/// than `most` CTAs.
mlir::FailureOr<bool> setGuardOfGrid(mlir::ModuleOp module,
                                     mlir::ModuleOp other, int64_t most);

/// Writes a bundle (docs/bundle.md), or fails after a diagnostic, for an
/// unknown axis or comparison of a guard too; it is of modules in the LLVM
/// dialect (buildLowerToNVVMPipeline): variants of their programs, in the order
/// in which a launcher tries them. A program is a function of launches, or a
/// kernel that none launches.
mlir::LogicalResult writeBundle(llvm::ArrayRef<mlir::ModuleOp> variants,
                                const BundleOptions &options);

} // namespace attn

#endif // ATTN_MLIR_SERIALIZE_BUNDLE_H
