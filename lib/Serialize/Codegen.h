//===- Codegen.h - Device modules through LLVM ------------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_SERIALIZE_CODEGEN_H
#define ATTN_MLIR_LIB_SERIALIZE_CODEGEN_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CodeGen.h"
#include "llvm/Target/TargetMachine.h"

namespace attn {

/// A diagnostic at the first operation of a gpu.module that the code generator
/// for an architecture is not known to have instructions for: it would end the
/// process.
llvm::LogicalResult checkForNVIDIA(mlir::gpu::GPUModuleOp module,
                                   llvm::StringRef arch);
llvm::LogicalResult checkForAMD(mlir::gpu::GPUModuleOp module,
                                llvm::StringRef arch);

/// LLVM IR of a gpu.module in the LLVM dialect, for a machine. The same for a
/// module that was printed and read back. Null after a diagnostic.
std::unique_ptr<llvm::Module>
translateDeviceModule(mlir::gpu::GPUModuleOp module,
                      llvm::TargetMachine &machine, llvm::LLVMContext &context);

/// Runs the passes that `build` makes.
void runPasses(
    llvm::Module &module, llvm::TargetMachine &machine,
    llvm::function_ref<llvm::ModulePassManager(llvm::PassBuilder &)> build);

/// Appends code to `out`; false if the machine emits none of this type.
bool emitCode(llvm::Module &module, llvm::TargetMachine &machine,
              llvm::CodeGenFileType type, llvm::SmallVectorImpl<char> &out);

} // namespace attn

#endif // ATTN_MLIR_LIB_SERIALIZE_CODEGEN_H
