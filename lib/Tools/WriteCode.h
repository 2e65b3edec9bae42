//===- WriteCode.h - PTX, cubins and code objects as files ------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_TOOLS_WRITECODE_H
#define ATTN_MLIR_LIB_TOOLS_WRITECODE_H

#include "CommandLine.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/ToolOutputFile.h"

namespace attn {

/// Writes the code of the one device function of a module in the LLVM dialect,
/// as
/// --emit says (ptx, cubin, isa or hsaco). With --remarks, what a back end says
/// of it goes to standard error. Fails after a diagnostic.
mlir::LogicalResult writeCode(mlir::ModuleOp module, const CommandLine &options,
                              llvm::ToolOutputFile &file);

} // namespace attn

#endif // ATTN_MLIR_LIB_TOOLS_WRITECODE_H
