//===- Hsaco.cpp - Device functions to machine code for AMD GPUs ----------===//

#include "attn-mlir/Serialize/Hsaco.h"
#include "Codegen.h"
#include "Link.h"
#include "mlir/Target/LLVM/ROCDL/Utils.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/TargetParser/TargetParser.h"

using namespace mlir;

namespace attn {

void initializeAmdgpu() { ROCDL::SerializeGPUModuleBase::init(); }

namespace {

/// What loads on every ROCm since 5.3.
constexpr uint32_t kCodeObjectVersion = 500;

/// Whether code objects of that version have no number for an architecture: one
/// that stands for several chips.
bool isGeneric(StringRef arch) {
  llvm::AMDGPU::GPUKind kind = llvm::AMDGPU::parseArchAMDGCN(arch);
  return kind >= llvm::AMDGPU::GK_AMDGCN_GENERIC_FIRST &&
         kind <= llvm::AMDGPU::GK_AMDGCN_GENERIC_LAST;
}

LogicalResult checkArch(gpu::GPUModuleOp module, StringRef arch,
                        llvm::TargetMachine *machine) {
  // The code generator ends the process where it has no instruction.
  if (!machine ||
      !machine->getMCSubtargetInfo()->checkFeatures("+gfx940-insts,+mai-insts"))
    return module.emitError()
           << "expected an architecture with the matrix instructions "
              "of CDNA 3 (gfx942), but got "
           << arch;
  if (isGeneric(arch))
    return module.emitError()
           << "expected an architecture of one chip, which code objects of "
              "version "
           << kCodeObjectVersion / 100 << " name, but got '" << arch << "'";
  return success();
}

/// Attributes that the code generator is asked by, the first that needs least
/// memory for registers is taken. With registers for two waves of a SIMD one
/// computes its softmax beside the products of the other; scheduling for
/// parallelism keeps more values alive.
struct Attempt {
  bool twoWaves, parallelism;
};
constexpr Attempt kAttempts[] = {{true, true}, {true, false}, {false, false}};

/// Stores are joined only where they are known to be aligned: LLVM 22 joins
/// five or seven of 16 bits otherwise, which lanes of 80 and 112 columns have,
/// and ends the process where it finds no instruction for them.
constexpr StringLiteral kFeatures = "-unaligned-access-mode";

class AmdCodegen : public DeviceCodegen {
public:
  AmdCodegen(gpu::GPUModuleOp module, StringRef arch,
             llvm::CodeGenFileType type, Attempt attempt)
      : DeviceCodegen(module, "amdgcn-amd-amdhsa", arch, kFeatures,
                      llvm::CodeGenOptLevel::Aggressive, type),
        attempt(attempt) {
    initializeAmdgpu();
  }

protected:
  void handleModulePreLink(llvm::Module &code) override {
    DeviceCodegen::handleModulePreLink(code);
    code.addModuleFlag(llvm::Module::Error, "amdhsa_code_object_version",
                       kCodeObjectVersion);
    for (llvm::Function &function : code) {
      if (function.getCallingConv() != llvm::CallingConv::AMDGPU_KERNEL)
        continue;
      if (attempt.twoWaves)
        function.addFnAttr("amdgpu-waves-per-eu", "2");
      if (attempt.parallelism)
        function.addFnAttr("amdgpu-sched-strategy", "iterative-ilp");
    }
  }
  llvm::ModulePassManager buildPasses(llvm::PassBuilder &builder) override {
    return builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2);
  }

private:
  Attempt attempt;
};

FailureOr<std::string> generate(gpu::GPUModuleOp module, StringRef arch,
                                llvm::CodeGenFileType type, Attempt attempt) {
  AmdCodegen codegen(module, arch, type, attempt);
  if (failed(checkArch(module, arch, codegen.machine())) ||
      failed(checkForAMD(module, arch)))
    return failure();
  return codegen.generate();
}

/// Reads the metadata of kernels; false if there is none.
bool readMetadata(MLIRContext *context, StringRef code, HsacoReport &report) {
  Builder b(context);
  std::optional<DenseMap<StringAttr, NamedAttrList>> kernels =
      ROCDL::getAMDHSAKernelsELFMetadata(b, ArrayRef(code.data(), code.size()));
  if (!kernels)
    return false;
  for (auto &[name, fields] : *kernels) {
    auto read = [&fields = fields](StringRef field, int64_t &most) {
      if (auto value = dyn_cast_or_null<IntegerAttr>(fields.get(field)))
        most = std::max(most, value.getInt());
    };
    read("vgpr_count", report.vgprs);
    read("agpr_count", report.agprs);
    read("sgpr_count", report.sgprs);
    read("group_segment_fixed_size", report.ldsBytes);
    read("private_segment_fixed_size", report.scratchBytes);
    read("vgpr_spill_count", report.vgprSpills);
    read("sgpr_spill_count", report.sgprSpills);
  }
  return true;
}

} // namespace

static FailureOr<Hsaco> compile(gpu::GPUModuleOp module, StringRef arch,
                                Attempt attempt) {
  FailureOr<std::string> object =
      generate(module, arch, llvm::CodeGenFileType::ObjectFile, attempt);
  if (failed(object))
    return failure();
  FailureOr<std::string> code = linkShared(module, *object, {"--no-undefined"});
  if (failed(code))
    return failure();
  Hsaco hsaco{std::move(*code), {}};
  if (!readMetadata(module.getContext(), hsaco.code, hsaco.report)) {
    module.emitError() << "the code object has no metadata of kernels";
    return failure();
  }
  return hsaco;
}

/// The first attempt that spills nothing, else the one that spills least.
static FailureOr<std::pair<Hsaco, Attempt>> choose(gpu::GPUModuleOp module,
                                                   StringRef arch) {
  auto badness = [](const HsacoReport &report) {
    return std::tuple(report.scratchBytes, report.vgprSpills,
                      report.sgprSpills);
  };
  std::optional<std::pair<Hsaco, Attempt>> best;
  for (Attempt attempt : kAttempts) {
    FailureOr<Hsaco> hsaco = compile(module, arch, attempt);
    if (failed(hsaco))
      return failure();
    if (!best || badness(hsaco->report) < badness(best->first.report))
      best = {std::move(*hsaco), attempt};
    if (badness(best->first.report) == badness({}))
      break;
  }
  return std::move(*best);
}

FailureOr<std::string> translateToIsa(gpu::GPUModuleOp module, StringRef arch) {
  FailureOr<std::pair<Hsaco, Attempt>> chosen = choose(module, arch);
  if (failed(chosen))
    return failure();
  return generate(module, arch, llvm::CodeGenFileType::AssemblyFile,
                  chosen->second);
}

FailureOr<Hsaco> compileToHsaco(gpu::GPUModuleOp module, StringRef arch) {
  FailureOr<std::pair<Hsaco, Attempt>> chosen = choose(module, arch);
  if (failed(chosen))
    return failure();
  return std::move(chosen->first);
}

} // namespace attn
