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
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/ToolOutputFile.h"

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
    return json::Object{{"name", view.name},
                        {"access", view.written ? "write" : "read"},
                        {"element", nameOf(view.element)},
                        {"shape", std::move(shape)},
                        {"permutation", std::move(permutation)}};
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

LogicalResult writeFile(Operation *op, StringRef directory, StringRef name,
                        StringRef contents) {
  SmallString<128> path(directory);
  llvm::sys::path::append(path, name);
  std::error_code error;
  llvm::ToolOutputFile file(path, error, llvm::sys::fs::OF_None);
  if (error)
    return op->emitError() << "cannot write " << path << ": "
                           << error.message();
  file.os() << contents;
  file.keep();
  return success();
}

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

namespace {
/// A file of code, and its entry in the manifest.
struct Binary {
  std::string file, code, digest;
  json::Object entry;
  std::optional<json::Object> resources;
};
} // namespace

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

static FailureOr<DeviceCode> compileForNvidia(ModuleOp module,
                                              gpu::GPUModuleOp device,
                                              StringRef arch, StringRef given) {
  std::string ptxas = findPtxas(given);
  if (ptxas.empty()) {
    if (given != kNoPtxas)
      module.emitWarning() << "no ptxas (option, CUDA_HOME, PATH): the bundle "
                              "holds PTX, which the driver compiles when it "
                              "is first launched";
    FailureOr<std::string> ptx = translateToPtx(device, arch);
    if (failed(ptx))
      return failure();
    return DeviceCode{std::move(*ptx), "ptx", std::nullopt};
  }
  FailureOr<Cubin> cubin = compileToCubin(device, arch, ptxas);
  if (failed(cubin))
    return failure();
  if (!cubin->report.warnings.empty())
    module.emitWarning() << "ptxas: " << cubin->report.warnings;
  return DeviceCode{std::move(cubin->code), "cubin", describe(cubin->report)};
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

static FailureOr<DeviceCode> compileForGpu(LLVM::LLVMFuncOp kernel,
                                           const BundleOptions &options) {
  auto device = kernel->getParentOfType<gpu::GPUModuleOp>();
  TargetAttr target = TargetAttr::of(kernel);
  StringRef arch = target.getArch().getValue();
  FailureOr<DeviceCode> code =
      target.hasCapability("rocdl")
          ? compileForAmd(device, arch)
          : compileForNvidia(device->getParentOfType<ModuleOp>(), device, arch,
                             options.ptxas);
  if (failed(code) || failed(checkParameters(kernel)))
    return failure();
  return code;
}

/// The code of a kernel in variant `number`.
static FailureOr<Binary> compileKernel(LLVM::LLVMFuncOp kernel, size_t number,
                                       const BundleOptions &options) {
  auto module = kernel->getParentOfType<ModuleOp>();
  FailureOr<DeviceCode> code = TargetAttr::of(kernel).hasCapability("cpu")
                                   ? compileForCpu(module)
                                   : compileForGpu(kernel, options);
  if (failed(code))
    return failure();
  Binary binary;
  binary.file =
      (kernel.getName() + "." + Twine(number) + "." + code->format).str();
  binary.digest = sha256(code->code);
  binary.entry =
      json::Object{{"file", binary.file},
                   {"format", code->format},
                   {"bytes", static_cast<int64_t>(code->code.size())},
                   {"sha256", binary.digest}};
  binary.code = std::move(code->code);
  binary.resources = std::move(code->resources);
  return binary;
}

namespace {
/// Compiles variants, and writes what it compiled.
class BundleWriter {
public:
  BundleWriter(ModuleOp last, const BundleOptions &options)
      : last(last), options(options), text(TargetAttr::of(last)) {}

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
    llvm::StringMap<size_t> compiled;
    for (auto [i, program] : llvm::enumerate(*found)) {
      FailureOr<Attribute> guard = guardOf(programs[i], program.op);
      if (failed(guard))
        return failure();
      json::Object entry = text.variant(program, *guard);
      json::Array steps;
      for (ProgramStep &step : program.steps) {
        FailureOr<json::Object> one = addStep(step, number, compiled);
        if (failed(one))
          return failure();
        steps.push_back(std::move(*one));
      }
      entry["steps"] = std::move(steps);
      variants[i].push_back(std::move(entry));
    }
    return success();
  }

  LogicalResult write() {
    if (std::error_code error =
            llvm::sys::fs::create_directories(options.directory))
      return last.emitError()
             << "cannot make " << options.directory << ": " << error.message();
    json::Object manifest = text.header();
    json::Array entries, files;
    for (Binary &binary : binaries) {
      if (failed(writeFile(last, options.directory, binary.file, binary.code)))
        return failure();
      files.push_back(std::move(binary.entry));
    }
    for (auto [program, its] : llvm::zip(programs, variants)) {
      json::Object entry = text.program(program);
      entry["variants"] = std::move(its);
      entries.push_back(std::move(entry));
    }
    manifest["binaries"] = std::move(files);
    manifest["programs"] = std::move(entries);
    return writeFile(
        last, options.directory, "manifest.json",
        llvm::formatv("{0:2}\n", json::Value(std::move(manifest))).str());
  }

private:
  LogicalResult checkTarget(ModuleOp module, size_t number) {
    StringRef arch = TargetAttr::of(module).getArch().getValue(),
              wanted = TargetAttr::of(last).getArch().getValue();
    if (arch == wanted)
      return success();
    return module.emitError() << "variant " << number << " expects to be for "
                              << wanted << " as the last one, but got " << arch;
  }

  /// A kernel is compiled once, however often it is launched.
  FailureOr<json::Object> addStep(ProgramStep &step, size_t number,
                                  llvm::StringMap<size_t> &compiled) {
    auto [it, isNew] =
        compiled.try_emplace(step.kernel.getName(), binaries.size());
    if (isNew) {
      FailureOr<Binary> binary = compileKernel(step.kernel, number, options);
      if (failed(binary))
        return failure();
      binaries.push_back(std::move(*binary));
    }
    const Binary &binary = binaries[it->second];
    json::Object result = text.step(step, binary.file, binary.digest);
    if (binary.resources)
      result["resources"] = json::Object(*binary.resources);
    return result;
  }

  ModuleOp last;
  const BundleOptions &options;
  ManifestWriter text;
  std::vector<Program> programs;
  /// Of each program.
  std::vector<json::Array> variants;
  std::vector<Binary> binaries;
};
} // namespace

LogicalResult writeBundle(ArrayRef<ModuleOp> variants,
                          const BundleOptions &options) {
  BundleWriter writer(variants.back(), options);
  if (failed(writer.addPrograms()))
    return failure();
  // Nothing is written unless all of it compiles.
  for (auto [i, module] : llvm::enumerate(variants))
    if (failed(writer.addVariant(module, i)))
      return failure();
  return writer.write();
}

} // namespace attn
