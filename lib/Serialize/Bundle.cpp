//===- Bundle.cpp - Device code and the manifest that describes it --------===//

#include "attn-mlir/Serialize/Bundle.h"
#include "CpuCode.h"
#include "Program.h"
#include "attn-mlir/Dialect/Attn/IR/AttnDialect.h"
#include "attn-mlir/Dialect/Attn/IR/AttnKernelOps.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTarget.h"
#include "attn-mlir/Dialect/Attn/IR/AttnTypes.h"
#include "attn-mlir/Serialize/Hsaco.h"
#include "attn-mlir/Serialize/Ptx.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
namespace json = llvm::json;

namespace attn {

namespace {

/// Attributes of a manifest as JSON: numbers, strings, lists, dictionaries.
json::Value toJson(Attribute attr) {
  if (isa<UnitAttr>(attr))
    return true;
  if (auto integer = dyn_cast<IntegerAttr>(attr))
    return integer.getInt();
  if (auto string = dyn_cast<StringAttr>(attr))
    return string.getValue().str();
  if (auto array = dyn_cast<ArrayAttr>(attr)) {
    json::Array result;
    for (Attribute element : array)
      result.push_back(toJson(element));
    return result;
  }
  if (auto dictionary = dyn_cast<DictionaryAttr>(attr)) {
    json::Object result;
    for (NamedAttribute entry : dictionary)
      result[entry.getName().getValue()] = toJson(entry.getValue());
    return result;
  }
  return nullptr;
}

std::string nameOf(Type type) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << type;
  return text;
}

std::string sha256(StringRef bytes) {
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(bytes)),
                     /*LowerCase=*/true);
}

/// The architecture that code of a target is for.
StringRef archOf(TargetAttr target) {
  return target.hasCapability("cpu") ? cpuArch() : target.getArch().getValue();
}

/// What a manifest says of programs, as JSON.
class ManifestWriter {
public:
  explicit ManifestWriter(TargetAttr target) : target(target) {}

  json::Object header() {
    json::Object result;
    result["format"] = "attn-mlir-bundle";
    result["version"] = 2;
    result["target"] = json::Object{{"name", target.getName().getValue()},
                                    {"arch", archOf(target)}};
    return result;
  }

  /// What the variants of a program have in common.
  json::Object program(const Program &program) {
    json::Array views, scalars;
    for (const ProgramView &view : program.views)
      views.push_back(viewOf(view));
    for (const ProgramScalar &scalar : program.scalars)
      scalars.push_back(
          json::Object{{"name", scalar.name}, {"type", nameOf(scalar.type)}});
    return json::Object{{"name", program.name},
                        {"views", std::move(views)},
                        {"scalars", std::move(scalars)}};
  }

  /// One variant, without its steps.
  json::Object variant(const Program &program, Attribute guard) {
    json::Object result;
    if (guard)
      result["guard"] = toJson(guard);
    if (!program.limits.empty())
      result["limits"] = listOf(program.limits);
    json::Array workspace;
    for (const WorkspaceArray &array : program.workspace)
      workspace.push_back(json::Object{{"name", array.name},
                                       {"element", nameOf(array.element)},
                                       {"shape", listOf(array.shape)}});
    if (!workspace.empty())
      result["workspace"] = std::move(workspace);
    return result;
  }

  /// A step whose code has that digest and lies in the file `binary`.
  json::Object step(const ProgramStep &step, StringRef binary,
                    StringRef digest) {
    KernelFacts facts(step.kernel);
    json::Object result;
    for (StringRef key :
         {StringRef("align"), StringRef("block"), StringRef("cluster"),
          StringRef("grid"), StringRef("limits"), StringRef("parameters"),
          StringRef("shared_bytes"), StringRef(kOverlapsKey)})
      if (Attribute value = facts.get(key))
        result[key] = toJson(value);
    addLimits(result, step);
    if (!step.views.empty())
      result["views"] = viewsOf(step);
    if (step.scalars)
      result["scalars"] = scalarsOf(*step.scalars);
    result["binary"] = binary.str();
    result["kernel"] = const_cast<ProgramStep &>(step).kernel.getName();
    result["interface_sha256"] = sha256(interfaceText(result, facts, digest));
    return result;
  }

private:
  static json::Array listOf(ArrayRef<Attribute> expressions) {
    json::Array result;
    for (Attribute expression : expressions)
      result.push_back(toJson(expression));
    return result;
  }

  static void addLimits(json::Object &result, const ProgramStep &step) {
    if (step.limits.empty())
      return;
    json::Array *limits = result.getArray("limits");
    if (!limits) {
      result["limits"] = json::Array();
      limits = result.getArray("limits");
    }
    for (Attribute limit : step.limits)
      limits->push_back(toJson(limit));
  }

  static json::Object viewOf(const ProgramView &view) {
    json::Array shape, permutation;
    for (auto [size, axis] : llvm::zip(view.shape, view.axes))
      shape.push_back(ShapedType::isDynamic(size) ? json::Value(axis)
                                                  : json::Value(size));
    for (int64_t dim : view.permutation)
      permutation.push_back(dim);
    json::Object result{{"name", view.name},
                        {"access", view.written ? "write" : "read"},
                        {"element", nameOf(view.element)},
                        {"shape", std::move(shape)},
                        {"permutation", std::move(permutation)}};
    if (view.over)
      result["over"] = *view.over;
    return result;
  }

  static json::Array viewsOf(const ProgramStep &step) {
    json::Array result;
    for (const StepView &view : step.views) {
      json::Object entry{{"base", view.base}};
      if (!view.shape.empty()) {
        entry["shape"] = listOf(view.shape);
        entry["strides"] = listOf(view.strides);
      }
      result.push_back(std::move(entry));
    }
    return result;
  }

  static json::Array scalarsOf(ArrayRef<StepScalar> scalars) {
    json::Array result;
    for (const StepScalar &scalar : scalars)
      if (scalar.constant)
        result.push_back(
            json::Object{{"constant", bitsOf(scalar.constant)},
                         {"type", nameOf(scalar.constant.getType())}});
      else
        result.push_back(scalar.index);
    return result;
  }

  /// The bits of a number, which fit the 64 of a number in the manifest.
  static int64_t bitsOf(TypedAttr constant) {
    if (auto number = dyn_cast<FloatAttr>(constant))
      return static_cast<int64_t>(
          number.getValue().bitcastToAPInt().getZExtValue());
    auto integer = cast<IntegerAttr>(constant);
    return integer.getType().isInteger(1)
               ? static_cast<int64_t>(integer.getValue().getZExtValue())
               : integer.getValue().getSExtValue();
  }

  /// What a launcher hands over with the code, as docs/bundle.md defines it:
  /// LLVM sorts keys and adds no spaces.
  std::string interfaceText(const json::Object &step, const KernelFacts &facts,
                            StringRef digest) {
    json::Array scalars;
    for (Attribute type : facts.scalarTypes())
      scalars.push_back(nameOf(cast<TypeAttr>(type).getValue()));
    json::Object interface{{"arch", archOf(target)},
                           {"binary_sha256", digest},
                           {"scalars", std::move(scalars)}};
    for (StringRef key : {StringRef("block"), StringRef("cluster"),
                          StringRef("kernel"), StringRef("parameters"),
                          StringRef("shared_bytes"), StringRef(kOverlapsKey)})
      if (const json::Value *value = step.get(key))
        interface[key] = *value;
    return llvm::formatv("{0}", json::Value(std::move(interface))).str();
  }

  TargetAttr target;
};

} // namespace

FailureOr<LLVM::LLVMFuncOp> findDeviceFunction(ModuleOp module) {
  SmallVector<LLVM::LLVMFuncOp> found;
  module.walk([&](LLVM::LLVMFuncOp function) {
    auto facts = function->getAttrOfType<DictionaryAttr>(kManifestAttr);
    // What only clears a counter is no kernel to ask for: whoever launches one
    // kernel alone clears its counters.
    auto step = facts ? facts.getAs<StringAttr>(KernelOp::kStepAttr) : nullptr;
    if (facts && (!step || step.getValue() != KernelOp::kClearStep))
      found.push_back(function);
  });
  if (found.size() == 1)
    return found.front();
  module.emitError() << "expected one kernel for a GPU, but got "
                     << found.size();
  return failure();
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// Of a kernel's argument, which may be passed by value behind a pointer.
static uint64_t bytesOfArgument(LLVM::LLVMFuncOp function, unsigned index,
                                const DataLayout &layout) {
  auto byValue = function.getArgAttrOfType<TypeAttr>(
      index, LLVM::LLVMDialect::getByValAttrName());
  return layout.getTypeSize(byValue ? byValue.getValue()
                                    : function.getArgumentTypes()[index]);
}

/// What a launcher passes for a parameter; 0 where it is none (a module in the
/// LLVM dialect may have been edited).
static uint64_t bytesOfParameter(DictionaryAttr facts, DictionaryAttr parameter,
                                 const DataLayout &layout) {
  constexpr uint64_t kTensorMapBytes = 128, kWordBytes = 8;
  auto kind = parameter.getAs<StringAttr>("kind");
  if (!kind || kind == "tensor_map")
    return kind ? kTensorMapBytes : 0;
  if (kind != "scalar")
    return kWordBytes;
  auto scalars = facts.getAs<ArrayAttr>("scalars");
  auto index = parameter.getAs<IntegerAttr>("index");
  if (!index || index.getValue().uge(scalars.size()))
    return 0;
  Type type = cast<TypeAttr>(scalars[index.getInt()]).getValue();
  return type.isIndex() ? kWordBytes : layout.getTypeSize(type).getFixedValue();
}

/// The launcher cannot compare parameters with the code, which it does not
/// read: they are compared here, before they are sealed together.
static LogicalResult checkParameters(LLVM::LLVMFuncOp function) {
  auto facts = function->getAttrOfType<DictionaryAttr>(kManifestAttr);
  auto parameters = facts.getAs<ArrayAttr>("parameters");
  if (!parameters || !facts.getAs<ArrayAttr>("scalars"))
    return function.emitError()
           << "expected a manifest with 'parameters' and 'scalars', but got "
           << facts;
  unsigned arguments = function.getNumArguments();
  if (parameters.size() != arguments)
    return function.emitError()
           << "expected " << arguments
           << " parameters in the manifest, as the kernel has arguments, but "
              "got "
           << parameters.size();
  DataLayout layout(function->getParentOfType<ModuleOp>());
  for (auto [i, parameter] :
       llvm::enumerate(parameters.getAsRange<DictionaryAttr>())) {
    uint64_t wanted = bytesOfArgument(function, i, layout),
             got = bytesOfParameter(facts, parameter, layout);
    if (wanted != got)
      return function.emitError()
             << "expected parameter " << i << " of the manifest to have "
             << wanted << " bytes, as the kernel's argument, but got " << got;
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Variants
//===----------------------------------------------------------------------===//

static json::Object describe(const PtxasReport &report) {
  return json::Object{{"registers", report.registers},
                      {"spill_bytes", report.spillBytes},
                      {"stack_bytes", report.stackBytes}};
}

static json::Object describe(const HsacoReport &report) {
  return json::Object{{"registers", report.vgprs},
                      {"accumulation_registers", report.agprs},
                      {"scalar_registers", report.sgprs},
                      {"lds_bytes", report.ldsBytes},
                      {"scalar_spills", report.sgprSpills},
                      {"spill_bytes", 4 * report.vgprSpills},
                      {"stack_bytes", report.scratchBytes}};
}

namespace {
/// Code for a chip, in one of the formats of docs/bundle.md.
struct DeviceCode {
  std::string code;
  StringRef format;
  std::optional<json::Object> resources;
};
} // namespace

/// PTX where there is no ptxas.
static FailureOr<DeviceCode> compileToText(gpu::GPUModuleOp device,
                                           StringRef arch) {
  FailureOr<std::string> ptx = translateToPtx(device, arch);
  if (failed(ptx))
    return failure();
  return DeviceCode{std::move(*ptx), "ptx", std::nullopt};
}

static FailureOr<DeviceCode> compileForAmd(gpu::GPUModuleOp device,
                                           StringRef arch) {
  FailureOr<Hsaco> hsaco = compileToHsaco(device, arch);
  if (failed(hsaco))
    return failure();
  return DeviceCode{std::move(hsaco->code), "hsaco", describe(hsaco->report)};
}

static FailureOr<DeviceCode> compileForCpu(ModuleOp module) {
  FailureOr<std::string> code = compileToSharedObject(module);
  if (failed(code))
    return failure();
  return DeviceCode{std::move(*code), "so", std::nullopt};
}

namespace {

/// Kernels that have code of their own, and their code.
class KernelCode {
public:
  /// Of a kernel in variant `variant`; its number among all.
  size_t add(LLVM::LLVMFuncOp kernel, size_t variant) {
    auto [it, isNew] = numbers.try_emplace(kernel, kernels.size());
    if (isNew)
      kernels.push_back({kernel, variant, {}, {}, {}});
    return it->second;
  }

  /// Fails after a diagnostic.
  LogicalResult compile(StringRef given) {
    if (kernels.empty())
      return success();
    if (failed(generate(given)))
      return failure();
    // What is wrong with the code is said first.
    for (Kernel &kernel : kernels)
      if (!isForCpu(kernel) && failed(checkParameters(kernel.function)))
        return failure();
    return success();
  }

private:
  LogicalResult generate(StringRef given) {
    if (TargetAttr::of(kernels.front().function).hasCapability("nvvm")) {
      auto module = kernels.front().function->getParentOfType<ModuleOp>();
      FailureOr<std::string> ptxas = choosePtxas(module, given);
      if (failed(ptxas))
        return failure();
      if (!ptxas->empty())
        return assembleAll(*ptxas);
      if (given.empty())
        module.emitWarning() << "no ptxas (option, CUDA_HOME, PATH): the "
                                "bundle holds PTX, which "
                                "the driver compiles when it is first launched";
    }
    for (Kernel &kernel : kernels) {
      FailureOr<DeviceCode> code = compileOne(kernel);
      if (failed(code))
        return failure();
      take(kernel, std::move(*code));
    }
    return success();
  }

public:
  StringRef file(size_t number) const { return kernels[number].file; }
  const DeviceCode &code(size_t number) const { return kernels[number].code; }
  StringRef digest(size_t number) const { return kernels[number].digest; }

  /// Their files, and what a manifest says of them.
  json::Array moveTo(std::vector<BundleFile> &files) {
    json::Array entries;
    for (Kernel &kernel : kernels) {
      entries.push_back(
          json::Object{{"file", kernel.file},
                       {"format", kernel.code.format},
                       {"bytes", static_cast<int64_t>(kernel.code.code.size())},
                       {"sha256", kernel.digest}});
      files.push_back({kernel.file, std::move(kernel.code.code)});
    }
    return entries;
  }

private:
  struct Kernel {
    LLVM::LLVMFuncOp function;
    size_t variant = 0;
    DeviceCode code;
    std::string file, digest;
  };

  static bool isForCpu(const Kernel &kernel) {
    return TargetAttr::of(kernel.function).hasCapability("cpu");
  }

  static gpu::GPUModuleOp deviceOf(const Kernel &kernel) {
    return kernel.function->getParentOfType<gpu::GPUModuleOp>();
  }

  static FailureOr<DeviceCode> compileOne(const Kernel &kernel) {
    TargetAttr target = TargetAttr::of(kernel.function);
    StringRef arch = target.getArch().getValue();
    if (isForCpu(kernel))
      return compileForCpu(kernel.function->getParentOfType<ModuleOp>());
    return target.hasCapability("rocdl")
               ? compileForAmd(deviceOf(kernel), arch)
               : compileToText(deviceOf(kernel), arch);
  }

  LogicalResult assembleAll(StringRef ptxas) {
    SmallVector<gpu::GPUModuleOp> devices(
        llvm::map_range(kernels, [](Kernel &k) { return deviceOf(k); }));
    StringRef arch = TargetAttr::of(devices.front()).getArch().getValue();
    FailureOr<std::vector<Cubin>> cubins =
        compileToCubins(devices, arch, ptxas);
    if (failed(cubins))
      return failure();
    for (auto [kernel, cubin] : llvm::zip(kernels, *cubins)) {
      if (!cubin.report.warnings.empty())
        kernel.function->getParentOfType<gpu::GPUModuleOp>()
                ->getParentOfType<ModuleOp>()
                .emitWarning()
            << "ptxas: " << cubin.report.warnings;
      take(kernel, {std::move(cubin.code), "cubin", describe(cubin.report)});
    }
    return success();
  }

  static void take(Kernel &kernel, DeviceCode code) {
    std::string name = kernel.function.getName().str(),
                suffix =
                    ("." + Twine(kernel.variant) + "." + code.format).str();
    if (name.size() + suffix.size() > kMaxBundleName) {
      constexpr size_t kDigits = 16;
      std::string digest = sha256(name).substr(0, kDigits);
      name.resize(kMaxBundleName - suffix.size() - kDigits - 1);
      name += "-" + digest;
    }
    kernel.file = name + suffix;
    kernel.digest = sha256(code.code);
    kernel.code = std::move(code);
  }

  std::vector<Kernel> kernels;
  llvm::DenseMap<Operation *, size_t> numbers;
};

/// Compiles variants, and describes what it compiled.
class BundleBuilder {
public:
  explicit BundleBuilder(ModuleOp last)
      : last(last), text(TargetAttr::of(last)) {}

  LogicalResult addPrograms() {
    FailureOr<std::vector<Program>> found = findPrograms(last);
    if (failed(found))
      return failure();
    programs = std::move(*found);
    variants.resize(programs.size());
    return success();
  }

  LogicalResult addVariant(ModuleOp module, size_t number) {
    if (failed(checkTarget(module, number)))
      return failure();
    FailureOr<std::vector<Program>> found = findPrograms(module, programs);
    if (failed(found))
      return failure();
    for (auto [i, program] : llvm::enumerate(*found)) {
      FailureOr<Attribute> guard = guardOf(programs[i], program.op);
      if (failed(guard))
        return failure();
      SmallVector<size_t> kernels;
      for (ProgramStep &step : program.steps)
        kernels.push_back(code.add(step.kernel, number));
      variants[i].push_back({std::move(program), *guard, std::move(kernels)});
    }
    return success();
  }

  FailureOr<Bundle> build(StringRef ptxas) {
    if (failed(code.compile(ptxas)))
      return failure();
    json::Object manifest = text.header();
    json::Array entries;
    for (auto [program, its] : llvm::zip(programs, variants)) {
      json::Array list;
      for (const Variant &variant : its)
        list.push_back(describeVariant(variant));
      json::Object entry = text.program(program);
      entry["variants"] = std::move(list);
      entries.push_back(std::move(entry));
    }
    Bundle bundle;
    bundle.files.emplace_back();
    manifest["binaries"] = code.moveTo(bundle.files);
    manifest["programs"] = std::move(entries);
    bundle.files.front() = {
        "manifest.json",
        llvm::formatv("{0:2}\n", json::Value(std::move(manifest))).str()};
    return bundle;
  }

private:
  struct Variant {
    Program program;
    Attribute guard;
    /// The code of each step.
    SmallVector<size_t> kernels;
  };

  LogicalResult checkTarget(ModuleOp module, size_t number) {
    StringRef arch = TargetAttr::of(module).getArch().getValue(),
              wanted = TargetAttr::of(last).getArch().getValue();
    if (arch == wanted)
      return success();
    return module.emitError() << "variant " << number << " expects to be for "
                              << wanted << " as the last one, but got " << arch;
  }

  json::Object describeVariant(const Variant &variant) {
    json::Object entry = text.variant(variant.program, variant.guard);
    json::Array steps;
    for (auto [step, kernel] :
         llvm::zip(variant.program.steps, variant.kernels)) {
      json::Object one =
          text.step(step, code.file(kernel), code.digest(kernel));
      if (const auto &resources = code.code(kernel).resources)
        one["resources"] = json::Object(*resources);
      steps.push_back(std::move(one));
    }
    entry["steps"] = std::move(steps);
    return entry;
  }

  ModuleOp last;
  ManifestWriter text;
  std::vector<Program> programs;
  /// Of each program.
  std::vector<std::vector<Variant>> variants;
  KernelCode code;
};
} // namespace

FailureOr<Bundle> compileBundle(ArrayRef<ModuleOp> variants, StringRef ptxas) {
  BundleBuilder builder(variants.back());
  if (failed(builder.addPrograms()))
    return failure();
  for (auto [i, module] : llvm::enumerate(variants))
    if (failed(builder.addVariant(module, i)))
      return failure();
  return builder.build(ptxas);
}

} // namespace attn
