//===- Codegen.cpp - Device modules through LLVM --------------------------===//

#include "Codegen.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LegacyPassManager.h"

using namespace mlir;

/// Puts the predecessors of each block in the order in which they stand. The
/// translation goes by the order of uses, which is not printed: a module that
/// was printed and read back would give other code.
static void orderPredecessors(Operation *root) {
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

std::unique_ptr<llvm::Module>
attn::translateDeviceModule(gpu::GPUModuleOp module,
                            llvm::TargetMachine &machine,
                            llvm::LLVMContext &context) {
  DialectRegistry registry;
  registerAllToLLVMIRTranslations(registry);
  module->getContext()->appendDialectRegistry(registry);
  // Thousands of names that no one reads.
  context.setDiscardValueNames(true);
  orderPredecessors(module);
  std::unique_ptr<llvm::Module> code =
      translateModuleToLLVMIR(module, context, module.getName());
  if (!code) {
    module.emitError() << "no LLVM IR for the device module";
    return nullptr;
  }
  code->setTargetTriple(machine.getTargetTriple());
  code->setDataLayout(machine.createDataLayout());
  return code;
}

void attn::runPasses(
    llvm::Module &module, llvm::TargetMachine &machine,
    llvm::function_ref<llvm::ModulePassManager(llvm::PassBuilder &)> build) {
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
  build(builder).run(module, modules);
}

bool attn::emitCode(llvm::Module &module, llvm::TargetMachine &machine,
                    llvm::CodeGenFileType type,
                    llvm::SmallVectorImpl<char> &out) {
  llvm::raw_svector_ostream os(out);
  llvm::legacy::PassManager codegen;
  // The translation has verified the module.
  if (machine.addPassesToEmitFile(codegen, os, nullptr, type,
                                  /*DisableVerify=*/true))
    return false;
  codegen.run(module);
  return true;
}
