//===- Codegen.h - Device modules through LLVM ------------------*- C++ -*-===//

#ifndef ATTN_MLIR_LIB_SERIALIZE_CODEGEN_H
#define ATTN_MLIR_LIB_SERIALIZE_CODEGEN_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Target/LLVM/ModuleToObject.h"
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

/// Each sets its back end up, once.
void initializeNvptx();
void initializeAmdgpu();
void initializeNative();

/// Makes code of a module in the LLVM dialect: MLIR's serialization, with
/// passes of ours. The same for a module that was printed and read back.
class DeviceCodegen : public mlir::LLVM::ModuleToObject {
public:
  DeviceCodegen(mlir::Operation *module, llvm::StringRef triple,
                llvm::StringRef arch, llvm::StringRef features,
                llvm::CodeGenOptLevel level, llvm::CodeGenFileType type)
      : ModuleToObject(*module, triple, arch, features), level(level),
        type(type) {}

  /// Null after a diagnostic.
  virtual llvm::TargetMachine *machine();

  /// Fails after a diagnostic.
  mlir::FailureOr<std::string> generate();

protected:
  virtual llvm::ModulePassManager buildPasses(llvm::PassBuilder &builder) = 0;

  /// What LLVM's own pipelines leave out or do less of.
  virtual llvm::PipelineTuningOptions tuning() { return {}; }

  void handleModulePreLink(llvm::Module &code) override;
  llvm::LogicalResult optimizeModule(llvm::Module &code, int) override;
  mlir::FailureOr<llvm::SmallVector<char, 0>>
  moduleToObject(llvm::Module &code) override;

private:
  llvm::CodeGenOptLevel level;
  llvm::CodeGenFileType type;
  /// The code generator reported an error.
  bool erroneous = false;
};

} // namespace attn

#endif // ATTN_MLIR_LIB_SERIALIZE_CODEGEN_H
