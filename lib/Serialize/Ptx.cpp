//===- Ptx.cpp - Device functions to PTX ----------------------------------===//

#include "attn-mlir/Serialize/Ptx.h"
#include "Codegen.h"
#include "SplitVectors.h"
#include "attn-mlir/Target/Capabilities.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
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
  // a * b + c is one operation only where the IR says so: what rounds once here
  // and twice on another target has no oracle.
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
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
  std::string error;
  auto machine = createMachine(arch, error);
  if (machine && !machine->getMCSubtargetInfo()->isCPUStringValid(arch)) {
    module.emitError() << "expected an architecture that LLVM's code generator "
                          "for NVIDIA GPUs knows, but got '"
                       << arch << "'";
    return failure();
  }
  if (!machine) {
    module.emitError() << "no code generator for NVIDIA GPUs: " << error;
    return failure();
  }
  if (failed(checkForNVIDIA(module, arch)))
    return failure();
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> code =
      translateDeviceModule(module, *machine, context);
  if (!code)
    return failure();
  runPasses(*code, *machine, [&](llvm::PassBuilder &) {
    llvm::ModulePassManager pm;
    pm.addPass(llvm::createModuleToFunctionPassAdaptor(buildPasses(order)));
    return pm;
  });
  SmallString<0> ptx;
  if (!emitCode(*code, *machine, llvm::CodeGenFileType::AssemblyFile, ptx)) {
    module.emitError() << "the code generator emits no PTX";
    return failure();
  }
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
