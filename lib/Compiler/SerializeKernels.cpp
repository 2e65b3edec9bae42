//===- SerializeKernels.cpp - Device functions to gpu.binary --------------===//

#include "attn-mlir/Compiler/Passes.h"
#include "attn-mlir/Conversion/DropTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Serialize/Hsaco.h"
#include "attn-mlir/Serialize/Ptx.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/ROCDLDialect.h"
#include "mlir/Target/LLVMIR/Dialect/All.h"

using namespace mlir;

namespace attn {
#define GEN_PASS_DEF_ATTNSERIALIZEKERNELS
#include "attn-mlir/Compiler/Passes.h.inc"
} // namespace attn

using namespace attn;

namespace {

struct SerializeKernelsPass
    : attn::impl::AttnSerializeKernelsBase<SerializeKernelsPass> {
  using AttnSerializeKernelsBase::AttnSerializeKernelsBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<gpu::GPUDialect, NVVM::NVVMDialect, ROCDL::ROCDLDialect>();
    registerAllToLLVMIRTranslations(registry);
  }

  gpu::ObjectAttr objectOf(Attribute target, gpu::CompilationTarget format,
                           StringRef code) {
    Builder b(&getContext());
    return gpu::ObjectAttr::get(&getContext(), target, format,
                                b.getStringAttr(code), DictionaryAttr(),
                                gpu::KernelTableAttr());
  }

  FailureOr<gpu::ObjectAttr> compileForAmd(gpu::GPUModuleOp device,
                                           StringRef arch) {
    FailureOr<Hsaco> hsaco = compileToHsaco(device, arch);
    if (failed(hsaco))
      return failure();
    Attribute target = ROCDL::ROCDLTargetAttr::get(&getContext(), /*O=*/3,
                                                   "amdgcn-amd-amdhsa", arch);
    return objectOf(target, gpu::CompilationTarget::Binary, hsaco->code);
  }

  FailureOr<gpu::ObjectAttr> compileForNvidia(gpu::GPUModuleOp device,
                                              StringRef arch) {
    Attribute target = NVVM::NVVMTargetAttr::get(&getContext(), /*O=*/3,
                                                 "nvptx64-nvidia-cuda", arch);
    FailureOr<std::string> path = choosePtxas(device, ptxas);
    if (failed(path))
      return failure();
    if (path->empty()) {
      FailureOr<std::string> ptx = translateToPtx(device, arch);
      if (failed(ptx))
        return failure();
      return objectOf(target, gpu::CompilationTarget::Assembly, *ptx);
    }
    FailureOr<std::vector<Cubin>> cubins = compileToCubins(device, arch, *path);
    if (failed(cubins))
      return failure();
    return objectOf(target, gpu::CompilationTarget::Binary,
                    cubins->front().code);
  }

  LogicalResult serialize(gpu::GPUModuleOp device) {
    TargetAttr target = TargetAttr::of(device);
    StringRef arch = target.getArch().getValue();
    FailureOr<gpu::ObjectAttr> object = failure();
    if (target.hasCapability("rocdl"))
      object = compileForAmd(device, arch);
    else if (target.hasCapability("nvvm"))
      object = compileForNvidia(device, arch);
    else
      return device.emitError()
             << "expected a target with the capability 'nvvm' or 'rocdl', but "
                "got "
             << target.getName() << " (attn-set-target)";
    if (failed(object))
      return failure();
    OpBuilder b(device);
    gpu::BinaryOp::create(b, device.getLoc(), device.getSymName(),
                          /*offloadingHandler=*/nullptr,
                          ArrayRef<Attribute>(*object));
    device.erase();
    ++numKernels;
    return success();
  }

  void runOnOperation() override {
    auto isKernel = [](LLVM::LLVMFuncOp function) {
      return function->hasAttr(kManifestAttr);
    };
    bool any = false;
    for (auto device : llvm::make_early_inc_range(
             getOperation().getOps<gpu::GPUModuleOp>())) {
      if (llvm::none_of(device.getOps<LLVM::LLVMFuncOp>(), isKernel))
        continue;
      if (failed(serialize(device)))
        return signalPassFailure();
      any = true;
    }
    if (any)
      dropUnusedTarget(getOperation());
  }
};

} // namespace
