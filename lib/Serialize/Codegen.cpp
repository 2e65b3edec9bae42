//===- Codegen.cpp - Device modules through LLVM --------------------------===//

#include "Codegen.h"
#include "attn-mlir/Serialize/Bundle.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
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

namespace {
/// Turns errors of the code generator into diagnostics: LLVM's own handler ends
/// the process.
struct ErrorHandler : llvm::DiagnosticHandler {
  ErrorHandler(Operation &op, bool &erroneous) : op(op), erroneous(erroneous) {}
  bool handleDiagnostics(const llvm::DiagnosticInfo &info) override {
    if (info.getSeverity() != llvm::DS_Error)
      return true;
    std::string text;
    llvm::raw_string_ostream os(text);
    llvm::DiagnosticPrinterRawOStream printer(os);
    info.print(printer);
    op.emitError() << "code generator: " << text;
    erroneous = true;
    return true;
  }
  Operation &op;
  bool &erroneous;
};
} // namespace

void attn::initializeCodegen() {
  initializeNvptx();
  initializeAmdgpu();
  initializeNative();
}

llvm::TargetMachine *attn::DeviceCodegen::machine() {
  FailureOr<llvm::TargetMachine *> machine = getOrCreateTargetMachine();
  if (failed(machine))
    return nullptr;
  // a * b + c is one operation only where the IR says so: what rounds once here
  // and twice on another target has no oracle.
  (*machine)->Options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  (*machine)->setOptLevel(level);
  return *machine;
}

FailureOr<std::string> attn::DeviceCodegen::generate() {
  DialectRegistry registry;
  registerAllToLLVMIRTranslations(registry);
  getOperation().getContext()->appendDialectRegistry(registry);
  orderPredecessors(&getOperation());
  std::optional<SmallVector<char, 0>> code = run();
  if (!code || erroneous)
    return failure();
  return std::string(code->begin(), code->end());
}

void attn::DeviceCodegen::handleModulePreLink(llvm::Module &code) {
  llvm::LLVMContext &context = code.getContext();
  // Thousands of names that no one reads.
  context.setDiscardValueNames(true);
  context.setDiagnosticHandler(
      std::make_unique<ErrorHandler>(getOperation(), erroneous));
}

/// MLIR's own builds LLVM's default pipeline and no other.
LogicalResult attn::DeviceCodegen::optimizeModule(llvm::Module &code, int) {
  llvm::PassBuilder builder(machine(), tuning());
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager graph;
  llvm::ModuleAnalysisManager modules;
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(graph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, graph, modules);
  buildPasses(builder).run(code, modules);
  return success();
}

/// MLIR's own makes assembly alone, and of that objects by assembling it.
FailureOr<SmallVector<char, 0>>
attn::DeviceCodegen::moduleToObject(llvm::Module &code) {
  SmallVector<char, 0> out;
  llvm::raw_svector_ostream os(out);
  llvm::legacy::PassManager codegen;
  // The translation has verified the module.
  if (machine()->addPassesToEmitFile(codegen, os, nullptr, type,
                                     /*DisableVerify=*/true))
    return getOperation().emitError() << "the code generator emits no code";
  codegen.run(code);
  return out;
}
