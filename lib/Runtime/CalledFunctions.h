//===- CalledFunctions.h - What code compiled for the CPU calls -*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_RUNTIME_CALLEDFUNCTIONS_H
#define ATTN_MLIR_LIB_RUNTIME_CALLEDFUNCTIONS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

namespace attn {

struct CalledFunction {
  llvm::StringRef name;
  void *address;
};

/// Functions by which the LLVM dialect copies buffers and rounds to short
/// floats. MLIR has them in shared libraries only, which a wheel lacks.
llvm::ArrayRef<CalledFunction> calledFunctions();

} // namespace attn

#endif // ATTN_MLIR_LIB_RUNTIME_CALLEDFUNCTIONS_H
