//===- Ptx.cpp - Device functions to PTX ----------------------------------===//

#include "attn-mlir/Serialize/Ptx.h"
#include "SplitVectors.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/Reassociate.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/Scalarizer.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
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

/// What pays here: kernels are one function of a few loops whose bodies are
/// long and straight, so the usual pipelines mostly look for what is not there,
/// and the code generator has three passes of its own for common expressions.
llvm::FunctionPassManager buildPasses(PtxOrder order) {
  llvm::FunctionPassManager pm;
  // Vectors are a thread's registers: taken apart, save pairs of 16 bits.
  if (order == PtxOrder::Direct) {
    pm.addPass(SplitVectorsPass());
  } else {
    llvm::ScalarizerPassOptions scalarizer;
    scalarizer.ScalarizeMinBits = 32;
    scalarizer.ScalarizeLoadStore = false;
    pm.addPass(llvm::ScalarizerPass(scalarizer));
  }
  pm.addPass(llvm::SROAPass(llvm::SROAOptions::ModifyCFG));
  pm.addPass(llvm::EarlyCSEPass());
  pm.addPass(llvm::SimplifyCFGPass());
  pm.addPass(llvm::InstCombinePass());
  pm.addPass(llvm::ReassociatePass());
  pm.addPass(llvm::LoopSimplifyPass());
  pm.addPass(llvm::LCSSAPass());
  llvm::LoopPassManager loops;
  loops.addPass(llvm::LoopRotatePass());
  loops.addPass(llvm::LICMPass(llvm::LICMOptions()));
  pm.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops),
                                                   /*UseMemorySSA=*/true));
  pm.addPass(llvm::SimplifyCFGPass());
  return pm;
}

void optimize(llvm::Module &module, llvm::TargetMachine &machine,
              PtxOrder order) {
  llvm::PassBuilder builder(&machine);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  llvm::ModulePassManager pm;
  pm.addPass(llvm::createModuleToFunctionPassAdaptor(buildPasses(order)));
  pm.run(module, modules);
}

/// Puts the predecessors of each block in the order in which they stand. The
/// translation goes by the order of uses, which is not printed: a module that
/// was printed and read back would give other code.
void orderPredecessors(Operation *root) {
  llvm::DenseMap<Operation *, unsigned> numbers;
  root->walk([&](Operation *op) { numbers.try_emplace(op, numbers.size()); });
  root->walk([&](Block *block) {
    SmallVector<std::pair<unsigned, unsigned>> uses;
    for (BlockOperand &use : block->getUses())
      uses.push_back({numbers.lookup(use.getOwner()), uses.size()});
    if (uses.size() < 2 || llvm::is_sorted(uses))
      return;
    SmallVector<unsigned> order(uses.size());
    llvm::sort(uses);
    for (auto [place, use] : llvm::enumerate(uses))
      order[use.second] = place;
    block->shuffleUseList(order);
  });
}

} // namespace

FailureOr<std::string> translateToPtx(gpu::GPUModuleOp module, StringRef arch,
                                      PtxOrder order) {
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
  // Thousands of names that no one reads.
  context.setDiscardValueNames(true);
  orderPredecessors(module);
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, context, module.getName());
  if (!code) {
    module.emitError() << "no LLVM IR for the device module";
    return failure();
  }
  code->setTargetTriple(machine->getTargetTriple());
  code->setDataLayout(machine->createDataLayout());
  optimize(*code, *machine, order);
  SmallString<0> ptx;
  llvm::raw_svector_ostream os(ptx);
  llvm::legacy::PassManager codegen;
  // The translation has verified the module.
  if (machine->addPassesToEmitFile(codegen, os, nullptr,
                                   llvm::CodeGenFileType::AssemblyFile,
                                   /*DisableVerify=*/true)) {
    module.emitError() << "the code generator emits no PTX";
    return failure();
  }
  codegen.run(*code);
  return std::string(ptx);
}

FailureOr<Cubin> compileToCubin(gpu::GPUModuleOp module, StringRef arch,
                                StringRef ptxas) {
  auto badness = [](const Cubin &cubin) {
    return std::pair(cubin.report.serialized, cubin.report.spillBytes);
  };
  std::optional<Cubin> best;
  for (PtxOrder order : {PtxOrder::Direct, PtxOrder::Scalarizer}) {
    FailureOr<std::string> ptx = translateToPtx(module, arch, order);
    if (failed(ptx))
      return failure();
    llvm::Expected<Cubin> cubin = assemble(*ptx, arch, ptxas);
    if (!cubin) {
      module.emitError() << llvm::toString(cubin.takeError());
      return failure();
    }
    if (!best || badness(*cubin) < badness(*best))
      best = std::move(*cubin);
    if (badness(*best) == std::pair(false, int64_t(0)))
      break;
  }
  return std::move(*best);
}

} // namespace attn
