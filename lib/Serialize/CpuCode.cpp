//===- CpuCode.cpp - Kernels to machine code for CPUs ---------------------===//

#include "CpuCode.h"
#include "BrainFloats.h"
#include "Codegen.h"
#include "Link.h"
#include "attn-mlir/Serialize/HostCode.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/TargetParser/Host.h"
#include <mutex>

using namespace mlir;

namespace attn {

namespace {

/// The name that LLVM has for it.
StringRef processor() {
#if defined(__x86_64__)
  return "x86-64-v3";
#else
  return "generic";
#endif
}

class CpuCodegen : public DeviceCodegen {
public:
  explicit CpuCodegen(ModuleOp module)
      : DeviceCodegen(module, triple(), processor(), /*features=*/"",
                      llvm::CodeGenOptLevel::Default,
                      llvm::CodeGenFileType::ObjectFile) {
    initializeNative();
  }

  /// MLIR's own is for executables that stay where they are linked to.
  llvm::TargetMachine *machine() override {
    if (shared || !DeviceCodegen::machine())
      return shared.get();
    llvm::Triple where{triple()};
    std::string error;
    if (const llvm::Target *target =
            llvm::TargetRegistry::lookupTarget(where, error))
      shared.reset(target->createTargetMachine(
          where, processor(), /*Features=*/"", llvm::TargetOptions(),
          llvm::Reloc::PIC_));
    if (!shared)
      getOperation().emitError()
          << "expected code for this machine's CPU, but got none: " << error;
    return shared.get();
  }

protected:
  void handleModulePreLink(llvm::Module &code) override {
    DeviceCodegen::handleModulePreLink(code);
    code.setPICLevel(llvm::PICLevel::BigPIC);
    moveBrainFloatsAsBits(code);
    defineBrainFloatRounding(code);
  }

  llvm::ModulePassManager buildPasses(llvm::PassBuilder &builder) override {
    return builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
  }

  /// Unrolled loops take a quarter to a half longer to compile, and gain
  /// nothing (benchmarks/cpu_gradients.py, benchmarks/cpu.py).
  llvm::PipelineTuningOptions tuning() override {
    llvm::PipelineTuningOptions options;
    options.LoopUnrolling = false;
    return options;
  }

private:
  static StringRef triple() {
    static const std::string name = llvm::sys::getDefaultTargetTriple();
    return name;
  }

  std::unique_ptr<llvm::TargetMachine> shared;
};

/// An object may be linked with others that have the same helper.
class HostCodegen : public CpuCodegen {
public:
  using CpuCodegen::CpuCodegen;

protected:
  void handleModulePreLink(llvm::Module &code) override {
    CpuCodegen::handleModulePreLink(code);
    if (llvm::Function *rounding = code.getFunction(kBrainFloatRounding))
      rounding->setLinkage(llvm::GlobalValue::LinkOnceODRLinkage);
  }
};

} // namespace

void initializeNative() {
  static std::once_flag once;
  std::call_once(once, []() {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

StringRef cpuArch() {
#if defined(__x86_64__)
  return "x86_64-v3";
#elif defined(__aarch64__)
  return "aarch64";
#else
#error "bundles for the CPU: x86-64 or AArch64"
#endif
}

FailureOr<std::string> compileToObject(ModuleOp module) {
  return HostCodegen(module).generate();
}

FailureOr<std::string> compileToSharedObject(ModuleOp module) {
  FailureOr<std::string> object = CpuCodegen(module).generate();
  if (failed(object))
    return failure();
  return linkShared(module, *object, {"-Bsymbolic", "--hash-style=gnu"},
                    {"libm.so.6", "libc.so.6"});
}

} // namespace attn
