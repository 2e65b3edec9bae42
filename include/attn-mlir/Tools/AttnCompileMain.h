//===- AttnCompileMain.h - The attn-compile tool as a function --*- C++ -*-===//

#ifndef ATTN_MLIR_TOOLS_ATTNCOMPILEMAIN_H
#define ATTN_MLIR_TOOLS_ATTNCOMPILEMAIN_H

#include "attn-mlir/Runtime/Oracle.h"

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace attn {

/// Runs attn-compile over the dialects in `registry`; returns its exit status.
/// A tool with streamable ops of its own calls this with a larger registry, and
/// with a reference for them.
int attnCompileMain(int argc, char **argv, mlir::DialectRegistry &registry,
                    ReferenceFn reference = {});

} // namespace attn

#endif // ATTN_MLIR_TOOLS_ATTNCOMPILEMAIN_H
