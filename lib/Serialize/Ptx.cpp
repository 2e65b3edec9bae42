//===- Ptx.cpp - Device functions to PTX ----------------------------------===//

#include "attn-mlir/Serialize/Ptx.h"
#include "Codegen.h"
#include "SplitVectors.h"
#include "attn-mlir/Target/Capabilities.h"
#include "mlir/Target/LLVM/NVVM/Utils.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
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

void initialize() {
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
    initialize();
  }

protected:
  llvm::ModulePassManager buildPasses(llvm::PassBuilder &) override {
    llvm::ModulePassManager pm;
    pm.addPass(llvm::createModuleToFunctionPassAdaptor(makePasses(order)));
    return pm;
  }

private:
  PtxOrder order;
};

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
