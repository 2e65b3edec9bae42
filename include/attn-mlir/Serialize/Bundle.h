//===- Bundle.h - Device code and its manifest ------------------*- C++ -*-===//

#ifndef ATTN_MLIR_SERIALIZE_BUNDLE_H
#define ATTN_MLIR_SERIALIZE_BUNDLE_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"
#include <string>
#include <vector>

namespace attn {

/// What fits the header of an archive.
inline constexpr size_t kMaxBundleName = 100;

/// A file of a bundle, with a name of kMaxBundleName bytes at most.
struct BundleFile {
  std::string name, contents;
};

/// A bundle (docs/bundle.md): manifest.json, then its binaries.
struct Bundle {
  std::vector<BundleFile> files;
};

/// The one device function of a module that is lowered for a GPU; fails after a
/// diagnostic if there is none or several.
mlir::FailureOr<mlir::LLVM::LLVMFuncOp>
findDeviceFunction(mlir::ModuleOp module);

/// Notes in the functions of a level-1 module how its operations call their
/// views, for programs of which no kernel takes a view as it is.
void stateViews(mlir::ModuleOp module);

/// Says for which sizes the programs of a lowered module are: comparisons of
/// dynamic axes of their views with numbers, such as "query<=16 & key>4096".
/// compileBundle reads it, by the names that axes have in the last variant.
mlir::LogicalResult setGuard(mlir::ModuleOp module, llvm::StringRef guard);

/// Says for which sizes they are not.
mlir::LogicalResult excludeGuard(mlir::ModuleOp module, llvm::StringRef guard);

/// Whether a guard holds for sizes of axes; fails after a diagnostic for an
/// axis whose size is not known.
mlir::FailureOr<bool> guardHolds(mlir::ModuleOp module, llvm::StringRef guard,
                                 const llvm::StringMap<int64_t> &sizes);

/// Says that the programs of a lowered module are for sizes for which those of
/// `split`, the same but with streams split over CTAs, would have `most` parts
/// at most. Whether any of them has parts whose number depends on sizes.
mlir::FailureOr<bool> setGuardOfParts(mlir::ModuleOp module,
                                      mlir::ModuleOp split, int64_t most);

/// Likewise, for sizes for which no kernel of those of `other` would have more
/// than `most` CTAs.
mlir::FailureOr<bool> setGuardOfGrid(mlir::ModuleOp module,
                                     mlir::ModuleOp other, int64_t most);

/// Sets all back ends up, which are else set up when code is first made: for
/// those who make code on several threads.
void initializeCodegen();

/// Makes a bundle, or fails after a diagnostic, for an unknown axis or
/// comparison of a guard too; it is of modules in the LLVM dialect
/// (buildLowerToNVVMPipeline): variants of their programs, in the order in
/// which a launcher tries them. A program is a function of launches, or a
/// kernel that none launches. `ptxas`: its path, or empty to look for it
/// (findPtxas).
mlir::FailureOr<Bundle> compileBundle(llvm::ArrayRef<mlir::ModuleOp> variants,
                                      llvm::StringRef ptxas);

/// Writes a bundle as a directory, which is made where it is missing; fails
/// after a diagnostic at `op`.
mlir::LogicalResult writeBundle(const Bundle &bundle, mlir::Operation *op,
                                llvm::StringRef directory);

/// A bundle as one file: a ustar archive (POSIX.1) of what writeBundle writes.
std::string packBundle(const Bundle &bundle);

} // namespace attn

#endif // ATTN_MLIR_SERIALIZE_BUNDLE_H
