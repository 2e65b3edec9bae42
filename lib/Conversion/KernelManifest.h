//===- KernelManifest.h - What a launcher is told of a kernel ---*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CONVERSION_KERNELMANIFEST_H
#define ATTN_MLIR_LIB_CONVERSION_KERNELMANIFEST_H

#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "mlir/IR/Builders.h"

namespace attn {

/// Describes one parameter (docs/bundle.md, "parameters").
mlir::DictionaryAttr
describeParameter(mlir::Builder &b, llvm::StringRef kind,
                  llvm::ArrayRef<std::pair<llvm::StringRef, int64_t>> fields);

/// The manifest of a kernel whose CTAs of `threads` threads take these
/// parameters: what kManifestAttr holds, without limits.
mlir::NamedAttrList describeKernel(KernelOp kernel, mlir::Attribute grid,
                                   int64_t threads,
                                   llvm::ArrayRef<mlir::Attribute> parameters);

} // namespace attn

#endif // ATTN_MLIR_LIB_CONVERSION_KERNELMANIFEST_H
