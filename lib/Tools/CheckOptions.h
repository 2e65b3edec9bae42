//===- CheckOptions.h - Options that fit together ---------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_TOOLS_CHECKOPTIONS_H
#define ATTN_MLIR_LIB_TOOLS_CHECKOPTIONS_H

#include "CommandLine.h"
#include "attn-mlir/Analysis/KernelRun.h"
#include "mlir/IR/BuiltinOps.h"

namespace attn {

/// Whether the target is a GPU, and the stage asked for below level 2 for it.
bool isForGpu(mlir::ModuleOp module, const CommandLine &options);

/// What --contents says that views hold; fails after a message.
mlir::LogicalResult parseContents(const CommandLine &options,
                                  ViewContents &contents);

/// Fails, after a message, for options that would have no effect or that do not
/// go together.
mlir::LogicalResult checkOptions(const CommandLine &options);

} // namespace attn

#endif // ATTN_MLIR_LIB_TOOLS_CHECKOPTIONS_H
