//===- Ptx.cpp - Device functions to PTX ----------------------------------===//

#include "attn-mlir/Serialize/Ptx.h"
#include "Codegen.h"
#include "SplitVectors.h"
#include "attn-mlir/Target/Capabilities.h"
#include "mlir/Target/LLVM/NVVM/Utils.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/ThreadPool.h"
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
#include <deque>
#include <mutex>

using namespace mlir;

namespace attn {

void initializeNvptx() {
  NVVM::SerializeGPUModuleBase::init();
  static std::once_flag once;
  std::call_once(once, [] {
    // Addresses in shared memory take one register, not two. The code
    // generator has no other way to ask for that.
    auto &options = llvm::cl::getRegisteredOptions();
    if (auto it = options.find("nvptx-short-ptr"); it != options.end())
      it->second->addOccurrence(0, "nvptx-short-ptr", "true");
  });
}

namespace {

/// What pays here: kernels are one function of a few loops whose bodies are
/// long and straight, so the usual pipelines mostly look for what is not there,
/// and the code generator has three passes of its own for common expressions.
llvm::FunctionPassManager makePasses(PtxOrder order) {
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

class PtxCodegen : public DeviceCodegen {
public:
  PtxCodegen(gpu::GPUModuleOp module, StringRef arch, PtxOrder order)
      // Forms of mbarrier and TMA that older versions of PTX lack.
      : DeviceCodegen(module, "nvptx64-nvidia-cuda", arch, "+ptx88",
                      llvm::CodeGenOptLevel::Default,
                      llvm::CodeGenFileType::AssemblyFile),
        order(order) {
    initializeNvptx();
  }

protected:
  /// Assembly waits, multiplies and shares out registers for a warp: it may not
  /// come to depend on conditions that lanes differ in. MLIR has no word for
  /// that at an inline assembly; CUDA's compilers say it of each.
  void handleModulePreLink(llvm::Module &code) override {
    DeviceCodegen::handleModulePreLink(code);
    for (llvm::Function &function : code)
      for (llvm::Instruction &instruction : llvm::instructions(function))
        if (auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction))
          if (call->isInlineAsm())
            call->setConvergent();
  }

  llvm::ModulePassManager buildPasses(llvm::PassBuilder &) override {
    llvm::ModulePassManager pm;
    pm.addPass(llvm::createModuleToFunctionPassAdaptor(makePasses(order)));
    return pm;
  }

private:
  PtxOrder order;
};

/// PTX ISA, "Identifiers", but for `%`, which LLVM does not print.
bool isPtxName(StringRef name) {
  auto follows = [](char c) {
    return llvm::isAlnum(c) || c == '_' || c == '$';
  };
  if (name.empty() || llvm::isDigit(name.front()) ||
      !llvm::all_of(name, follows))
    return false;
  return llvm::isAlpha(name.front()) || name.size() > 1;
}

/// LLVM ends the process at names that PTX cannot have.
LogicalResult checkNames(gpu::GPUModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (!function.isExternal() && !isPtxName(function.getName()))
      return function.emitError()
             << "expected a name for NVIDIA GPUs, of letters, digits, '_' and "
                "'$' and not with a digit first, but got '"
             << function.getName() << "'";
  return success();
}

} // namespace

FailureOr<std::string> translateToPtx(gpu::GPUModuleOp module, StringRef arch,
                                      PtxOrder order) {
  // The code generator takes the oldest one for a name that it does not know,
  // and ends the process where that lacks an instruction.
  if (std::string wanted = wantedArch(arch, "mma.sync"); !wanted.empty()) {
    module.emitError() << "expected the architecture " << wanted
                       << ", but got '" << arch << "'";
    return failure();
  }
  if (failed(checkNames(module)))
    return failure();
  PtxCodegen codegen(module, arch, order);
  llvm::TargetMachine *machine = codegen.machine();
  if (machine && !machine->getMCSubtargetInfo()->isCPUStringValid(arch)) {
    module.emitError() << "expected an architecture that LLVM's code generator "
                          "for NVIDIA GPUs knows, but got '"
                       << arch << "'";
    return failure();
  }
  if (!machine || failed(checkForNVIDIA(module, arch)))
    return failure();
  return codegen.generate();
}

namespace {

/// Runs ptxas on several texts at once, and on equal ones once.
class Assembler {
public:
  Assembler(StringRef arch, StringRef ptxas) : arch(arch), ptxas(ptxas) {}

  /// Numbers are those of wait's results.
  size_t start(std::string ptx) {
    auto [it, isNew] = numbers.try_emplace(ptx, results.size());
    if (isNew) {
      std::optional<llvm::Expected<Cubin>> &result = results.emplace_back();
      pool.async([this, &result, text = std::move(ptx)]() {
        result.emplace(assemble(text, arch, ptxas));
      });
    }
    return it->second;
  }

  void wait() { pool.wait(); }

  /// Fails after a diagnostic at `op`; of equal texts at the first.
  FailureOr<Cubin> get(size_t number, Operation *op) {
    llvm::Expected<Cubin> &result = *results[number];
    if (result)
      return *result;
    op->emitError() << llvm::toString(result.takeError());
    return failure();
  }

private:
  StringRef arch, ptxas;
  llvm::StringMap<size_t> numbers;
  /// Threads write to what does not move.
  std::deque<std::optional<llvm::Expected<Cubin>>> results;
  llvm::DefaultThreadPool pool;
};

/// Code of one module so far: the best of the orders that were tried.
struct Attempt {
  std::optional<Cubin> best;
  size_t number = 0;

  std::pair<bool, int64_t> badness(const Cubin &cubin) const {
    return {cubin.report.serialized, cubin.report.spillBytes};
  }
  bool isGood() const {
    return best && badness(*best) == std::pair(false, int64_t(0));
  }
  void take(Cubin cubin) {
    if (!best || badness(cubin) < badness(*best))
      best = std::move(cubin);
  }
};

/// Tries one order for those whose code could be better.
LogicalResult tryOrder(ArrayRef<gpu::GPUModuleOp> modules, StringRef arch,
                       StringRef ptxas, PtxOrder order,
                       MutableArrayRef<Attempt> attempts) {
  Assembler assembler(arch, ptxas);
  for (auto [module, attempt] : llvm::zip(modules, attempts)) {
    if (attempt.isGood())
      continue;
    FailureOr<std::string> ptx = translateToPtx(module, arch, order);
    if (failed(ptx))
      return failure();
    attempt.number = assembler.start(std::move(*ptx));
  }
  assembler.wait();
  for (auto [module, attempt] : llvm::zip(modules, attempts)) {
    if (attempt.isGood())
      continue;
    FailureOr<Cubin> cubin = assembler.get(attempt.number, module);
    if (failed(cubin))
      return failure();
    attempt.take(std::move(*cubin));
  }
  return success();
}

} // namespace

FailureOr<std::vector<Cubin>>
compileToCubins(ArrayRef<gpu::GPUModuleOp> modules, StringRef arch,
                StringRef ptxas) {
  std::vector<Attempt> attempts(modules.size());
  for (PtxOrder order : {PtxOrder::Direct, PtxOrder::Scalarizer})
    if (failed(tryOrder(modules, arch, ptxas, order, attempts)))
      return failure();
  std::vector<Cubin> cubins;
  for (Attempt &attempt : attempts)
    cubins.push_back(std::move(*attempt.best));
  return cubins;
}

} // namespace attn
