//===- Options.h - Options of the compiler library --------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_CAPI_OPTIONS_H
#define ATTN_MLIR_LIB_CAPI_OPTIONS_H

#include "attn-mlir-c/Compiler.h"
#include "attn-mlir/Compiler/CompileBundle.h"

namespace attn {

/// What a caller asks for.
struct LibraryOptions {
  CompileOptions compile;
  ExplainAs explain = ExplainAs::Nothing;
  bool remarks = false;
  /// The whole module, not its kernels alone.
  bool host = false;
  /// Texts of tuning files.
  std::vector<std::string> tuning;
};

/// Fails after a message to optionErrors().
llvm::LogicalResult parseOptions(llvm::ArrayRef<AttnOption> given,
                                 LibraryOptions &options);

} // namespace attn

#endif // ATTN_MLIR_LIB_CAPI_OPTIONS_H
