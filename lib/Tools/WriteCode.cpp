//===- WriteCode.cpp - PTX, cubins and code objects as files --------------===//

#include "WriteCode.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Serialize/Bundle.h"
#include "attn-mlir/Serialize/Hsaco.h"
#include "attn-mlir/Serialize/Ptx.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace attn;

static LogicalResult writeAmdCode(gpu::GPUModuleOp device, StringRef arch,
                                  const CommandLine &options,
                                  llvm::ToolOutputFile &file) {
  if (options.emit == Emit::Isa) {
    FailureOr<std::string> isa = translateToIsa(device, arch);
    if (failed(isa))
      return failure();
    file.os() << *isa;
    file.keep();
    return success();
  }
  FailureOr<Hsaco> hsaco = compileToHsaco(device, arch);
  if (failed(hsaco))
    return failure();
  const HsacoReport &report = hsaco->report;
  if (options.remarks)
    llvm::errs() << "hsaco: " << report.vgprs << " VGPRs (of which "
                 << report.agprs << " AGPRs), " << report.sgprs << " SGPRs, "
                 << report.vgprSpills << " VGPRs and " << report.sgprSpills
                 << " SGPRs spilled, " << report.scratchBytes
                 << " bytes of scratch, " << report.ldsBytes
                 << " bytes of LDS\n";
  file.os() << hsaco->code;
  file.keep();
  return success();
}

LogicalResult attn::writeCode(ModuleOp module, const CommandLine &options,
                              llvm::ToolOutputFile &file) {
  FailureOr<LLVM::LLVMFuncOp> function = findDeviceFunction(module);
  if (failed(function))
    return failure();
  StringRef arch = TargetAttr::of(module).getArch().getValue();
  auto device = (*function)->getParentOfType<gpu::GPUModuleOp>();
  if (options.emit == Emit::Isa || options.emit == Emit::Hsaco)
    return writeAmdCode(device, arch, options, file);
  if (options.emit == Emit::Ptx) {
    FailureOr<std::string> ptx = translateToPtx(device, arch);
    if (failed(ptx))
      return failure();
    file.os() << *ptx;
    file.keep();
    return success();
  }
  FailureOr<std::string> ptxas = choosePtxas(module, options.ptxas);
  if (failed(ptxas))
    return failure();
  if (ptxas->empty())
    return module.emitError()
           << "expected ptxas (--ptxas, CUDA_HOME, PATH) for "
              "--emit=cubin; --emit=ptx does without";
  FailureOr<std::vector<Cubin>> cubins = compileToCubins(device, arch, *ptxas);
  if (failed(cubins))
    return failure();
  const Cubin &cubin = cubins->front();
  if (options.remarks)
    llvm::errs() << "ptxas: " << cubin.report.registers << " registers, "
                 << cubin.report.spillBytes << " bytes spilled, "
                 << cubin.report.stackBytes << " bytes of stack\n";
  llvm::errs() << cubin.report.warnings;
  file.os() << cubin.code;
  file.keep();
  return success();
}
