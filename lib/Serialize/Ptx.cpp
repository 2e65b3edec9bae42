//===- Ptx.cpp - Device functions to PTX ----------------------------------===//

#include "attn-mlir/Serialize/Ptx.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include <mutex>

using namespace mlir;

namespace attn {

namespace {

void initializeNVPTX() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // Addresses in shared memory take one register, not two. The code
    // generator has no other way to ask for that.
    auto &options = llvm::cl::getRegisteredOptions();
    if (auto it = options.find("nvptx-short-ptr"); it != options.end())
      it->second->addOccurrence(0, "nvptx-short-ptr", "true");
  });
}

std::unique_ptr<llvm::TargetMachine> createMachine(StringRef arch,
                                                   std::string &error) {
  initializeNVPTX();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return nullptr;
  llvm::TargetOptions options;
  // a * b + c is one instruction, as the schedule's comments promise.
  options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  // Forms of mbarrier and TMA that older versions of PTX lack.
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, arch, "+ptx88", options, std::nullopt, std::nullopt,
      llvm::CodeGenOptLevel::Default));
}

/// Vectors are a thread's registers: taken apart, save pairs of 16 bits. Loops
/// over tiles are as large as they should be.
void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = false;
  tuning.LoopInterleaving = false;
  tuning.LoopVectorization = false;
  tuning.SLPVectorization = false;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  builder.registerPipelineStartEPCallback([](llvm::ModulePassManager &pm,
                                             llvm::OptimizationLevel) {
    llvm::ScalarizerPassOptions options;
    options.ScalarizeMinBits = 32;
    options.ScalarizeLoadStore = false;
    pm.addPass(
        llvm::createModuleToFunctionPassAdaptor(llvm::ScalarizerPass(options)));
  });
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2)
      .run(module, modules);
}

} // namespace

FailureOr<std::string> translateToPtx(gpu::GPUModuleOp module, StringRef arch,
                                      bool lineInfo) {
  std::string error;
  auto machine = createMachine(arch, error);
  if (!machine) {
    module.emitError() << "no code generator for NVIDIA GPUs: " << error;
    return failure();
  }
  DialectRegistry registry;
  registerAllToLLVMIRTranslations(registry);
  module->getContext()->appendDialectRegistry(registry);
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, context, module.getName());
  if (!code) {
    module.emitError() << "no LLVM IR for the device module";
    return failure();
  }
  code->setTargetTriple(machine->getTargetTriple());
  code->setDataLayout(machine->createDataLayout());
  optimize(*code, *machine);
  SmallString<0> ptx;
  llvm::raw_svector_ostream os(ptx);
  llvm::legacy::PassManager codegen;
  if (machine->addPassesToEmitFile(codegen, os, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile)) {
    module.emitError() << "the code generator emits no PTX";
    return failure();
  }
  codegen.run(*code);
  return std::string(ptx);
}

} // namespace attn
