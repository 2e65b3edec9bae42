//===- Bundle.cpp - Device code and the manifest that describes it --------===//

#include "attn-mlir/Serialize/Bundle.h"
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

/// One kernel, with the manifest that its function carries.
class BundleWriter {
public:
  BundleWriter(LLVM::LLVMFuncOp function, TargetAttr target)
      : function(function), target(target),
        facts(function->getAttrOfType<DictionaryAttr>(kManifestAttr)) {}

  /// What the variants have in common.
  json::Object manifest() {
    json::Object result;
    result["format"] = "attn-mlir-bundle";
    result["version"] = 2;
    result["name"] = function.getName();
    result["target"] = json::Object{{"name", target.getName().getValue()},
                                    {"arch", target.getArch().getValue()}};
    result["views"] = views();
    result["scalars"] = scalars();
    return result;
  }

  /// One variant, whose code has that digest and lies in the file `binary`.
  json::Object variant(StringRef binary, StringRef digest,
                       std::optional<json::Object> resources) {
    json::Object result;
    for (StringRef key : {"align", "block", "grid", "guard", "limits",
                          "parameters", "shared_bytes"})
      if (Attribute value = facts.get(key))
        result[key] = toJson(value);
    result["binary"] = binary.str();
    result["kernel"] = function.getName();
    result["interface_sha256"] = sha256(interfaceText(result, digest));
    if (resources)
      result["resources"] = std::move(*resources);
    return result;
  }

private:
  /// What a launcher hands over with the code, as docs/bundle.md defines it:
  /// LLVM sorts keys and adds no spaces.
  std::string interfaceText(const json::Object &variant, StringRef digest) {
    json::Object interface{{"arch", target.getArch().getValue()},
                           {"binary_sha256", digest},
                           {"scalars", scalarTypes()}};
    for (StringRef key : {"block", "kernel", "parameters", "shared_bytes"})
      interface[key] = *variant.get(key);
    return llvm::formatv("{0}", json::Value(std::move(interface))).str();
  }

  json::Array scalarTypes() {
    json::Array result;
    for (auto type : facts.getAs<ArrayAttr>("scalars").getAsRange<TypeAttr>())
      result.push_back(nameOf(type.getValue()));
    return result;
  }

  json::Array views() {
    auto types = facts.getAs<ArrayAttr>("views");
    auto names = facts.getAs<ArrayAttr>("names");
    auto outputs = facts.getAs<IntegerAttr>(KernelOp::kOutputsAttr);
    size_t reads = outputs ? types.size() - outputs.getInt() : types.size() - 1;
    json::Array result;
    for (auto [i, entry] : llvm::enumerate(types.getAsRange<TypeAttr>())) {
      auto view = cast<ViewType>(entry.getValue());
      json::Object object;
      object["name"] = names && i < names.size()
                           ? cast<StringAttr>(names[i]).getValue().str()
                           : "view" + std::to_string(i);
      object["access"] = i < reads ? "read" : "write";
      object["element"] = nameOf(view.getElementType());
      object["shape"] = shape(view, i);
      object["permutation"] = permutation(view, i);
      result.push_back(std::move(object));
    }
    return result;
  }

  json::Array shape(ViewType view, size_t number) {
    auto names = facts.getAs<ArrayAttr>(KernelOp::kDimNamesAttr);
    json::Array result;
    for (auto [dim, size] : llvm::enumerate(view.getShape())) {
      StringRef name =
          names
              ? cast<StringAttr>(cast<ArrayAttr>(names[number])[dim]).getValue()
              : "";
      if (!ShapedType::isDynamic(size))
        result.push_back(size);
      else if (!name.empty())
        result.push_back(name.str());
      else
        result.push_back("view" + std::to_string(number) + "_dim" +
                         std::to_string(dim));
    }
    return result;
  }

  json::Array permutation(ViewType view, size_t number) {
    auto maps = facts.getAs<ArrayAttr>(KernelOp::kPermutationsAttr);
    json::Array result;
    for (unsigned dim = 0; dim < view.getRank(); ++dim)
      result.push_back(
          maps ? static_cast<int64_t>(cast<AffineMapAttr>(maps[number])
                                          .getValue()
                                          .getDimPosition(dim))
               : static_cast<int64_t>(dim));
    return result;
  }

  json::Array scalars() {
    auto views = facts.getAs<ArrayAttr>("views");
    auto types = facts.getAs<ArrayAttr>("scalars");
    auto names = facts.getAs<ArrayAttr>("names");
    json::Array result;
    for (auto [i, type] : llvm::enumerate(types.getAsRange<TypeAttr>())) {
      size_t at = views.size() + i;
      result.push_back(json::Object{
          {"name", names && at < names.size()
                       ? cast<StringAttr>(names[at]).getValue().str()
                       : "scalar" + std::to_string(i)},
          {"type", nameOf(type.getValue())}});
    }
    return result;
  }

  LLVM::LLVMFuncOp function;
  TargetAttr target;
  DictionaryAttr facts;
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
    if (function->getAttrOfType<DictionaryAttr>(kManifestAttr))
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
/// Code of one variant, the entry of its file in the manifest, and its own.
struct Variant {
  std::string file, code;
  json::Object binary, entry;
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
    module.emitWarning() << "no ptxas (option, CUDA_HOME, PATH): the bundle "
                            "holds PTX, which the driver compiles when it is "
                            "first launched";
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

static FailureOr<Variant> compileVariant(ModuleOp module, size_t number,
                                         const BundleOptions &options) {
  FailureOr<LLVM::LLVMFuncOp> function = findDeviceFunction(module);
  if (failed(function))
    return failure();
  TargetAttr target = TargetAttr::of(module);
  StringRef arch = target.getArch().getValue();
  auto device = (*function)->getParentOfType<gpu::GPUModuleOp>();
  FailureOr<DeviceCode> code =
      target.hasCapability("rocdl")
          ? compileForAmd(device, arch)
          : compileForNvidia(module, device, arch, options.ptxas);
  if (failed(code) || failed(checkParameters(*function)))
    return failure();
  std::string name =
      ((*function).getName() + "." + Twine(number) + "." + code->format).str();
  std::string digest = sha256(code->code);
  json::Object binary{{"file", name},
                      {"format", code->format},
                      {"bytes", static_cast<int64_t>(code->code.size())},
                      {"sha256", digest}};
  return Variant{name, std::move(code->code), std::move(binary),
                 BundleWriter(*function, target)
                     .variant(name, digest, std::move(code->resources))};
}

/// Whether a caller passes the same to `variant` as to `last`, for the same
/// chip; else a diagnostic.
static LogicalResult checkAgree(ModuleOp variant, size_t number,
                                ModuleOp last) {
  FailureOr<LLVM::LLVMFuncOp> ours = findDeviceFunction(variant),
                              theirs = findDeviceFunction(last);
  if (failed(ours) || failed(theirs))
    return failure();
  StringRef arch = TargetAttr::of(variant).getArch().getValue(),
            wanted = TargetAttr::of(last).getArch().getValue();
  if (arch != wanted)
    return variant.emitError()
           << "variant " << number << " expects to be for " << wanted
           << " as the last one, but got " << arch;
  auto manifest = (*ours)->getAttrOfType<DictionaryAttr>(kManifestAttr),
       other = (*theirs)->getAttrOfType<DictionaryAttr>(kManifestAttr);
  for (StringRef key :
       {StringRef("views"), StringRef("scalars"), StringRef("names"),
        StringRef(KernelOp::kDimNamesAttr), StringRef(KernelOp::kOutputsAttr),
        StringRef(KernelOp::kPermutationsAttr)})
    if (manifest.get(key) != other.get(key))
      return variant.emitError()
             << "variant " << number << " expects the " << key
             << " of the last one, " << other.get(key) << ", but got "
             << manifest.get(key);
  return success();
}

LogicalResult writeBundle(ArrayRef<ModuleOp> variants,
                          const BundleOptions &options) {
  ModuleOp last = variants.back();
  for (auto [i, module] : llvm::enumerate(variants.drop_back()))
    if (failed(checkAgree(module, i, last)))
      return failure();
  // Nothing is written unless all of it compiles.
  std::vector<Variant> compiled;
  for (auto [i, module] : llvm::enumerate(variants)) {
    FailureOr<Variant> variant = compileVariant(module, i, options);
    if (failed(variant))
      return failure();
    compiled.push_back(std::move(*variant));
  }
  if (std::error_code error =
          llvm::sys::fs::create_directories(options.directory))
    return last.emitError()
           << "cannot make " << options.directory << ": " << error.message();
  json::Array binaries, entries;
  for (Variant &variant : compiled) {
    if (failed(writeFile(last, options.directory, variant.file, variant.code)))
      return failure();
    binaries.push_back(std::move(variant.binary));
    entries.push_back(std::move(variant.entry));
  }
  FailureOr<LLVM::LLVMFuncOp> function = findDeviceFunction(last);
  if (failed(function))
    return failure();
  json::Object manifest =
      BundleWriter(*function, TargetAttr::of(last)).manifest();
  manifest["binaries"] = std::move(binaries);
  manifest["variants"] = std::move(entries);
  return writeFile(
      last, options.directory, "manifest.json",
      llvm::formatv("{0:2}\n", json::Value(std::move(manifest))).str());
}

namespace {

/// ["size", view, dim] of the first dimension that is the axis; null if none.
Attribute findAxis(Builder &b, DictionaryAttr manifest, StringRef axis) {
  auto names = manifest.getAs<ArrayAttr>(KernelOp::kDimNamesAttr);
  // Static dimensions have no name.
  if (!names || axis.empty())
    return {};
  for (auto [view, dims] : llvm::enumerate(names.getAsRange<ArrayAttr>()))
    for (auto [dim, name] : llvm::enumerate(dims.getAsRange<StringAttr>()))
      if (name.getValue() == axis)
        return b.getArrayAttr({b.getStringAttr("size"),
                               b.getI64IntegerAttr(static_cast<int64_t>(view)),
                               b.getI64IntegerAttr(static_cast<int64_t>(dim))});
  return {};
}

/// One comparison.
FailureOr<Attribute> parseComparison(ModuleOp module, DictionaryAttr manifest,
                                     StringRef text) {
  // Longer operators first.
  static constexpr std::pair<StringLiteral, StringLiteral> kOperators[] = {
      {"<=", "le"}, {">=", "ge"}, {"==", "eq"},
      {"!=", "ne"}, {"<", "lt"},  {">", "gt"}};
  Builder b(module.getContext());
  for (auto [symbol, name] : kOperators) {
    size_t at = text.find(symbol);
    if (at == StringRef::npos)
      continue;
    StringRef axis = text.take_front(at).trim();
    int64_t number;
    Attribute size = findAxis(b, manifest, axis);
    if (!size) {
      module.emitError()
          << "guard expects a dynamic axis of the kernel, but got '" << axis
          << "'";
      return failure();
    }
    if (text.drop_front(at + symbol.size()).trim().getAsInteger(10, number))
      break;
    if (number < 0) {
      module.emitError() << "guard expects a number of 0 or more, which a size "
                            "can be, but got '"
                         << text << "'";
      return failure();
    }
    return Attribute(b.getArrayAttr(
        {b.getStringAttr(name), size, b.getI64IntegerAttr(number)}));
  }
  module.emitError() << "guard expects comparisons of an axis with a number "
                        "('query<=16'), joined by '&', but got '"
                     << text << "'";
  return failure();
}

} // namespace

LogicalResult setGuard(ModuleOp module, StringRef guard) {
  FailureOr<LLVM::LLVMFuncOp> function = findDeviceFunction(module);
  if (failed(function))
    return failure();
  auto manifest = (*function)->getAttrOfType<DictionaryAttr>(kManifestAttr);
  Builder b(module.getContext());
  Attribute all;
  SmallVector<StringRef> parts;
  guard.split(parts, '&');
  for (StringRef part : parts) {
    FailureOr<Attribute> one = parseComparison(module, manifest, part.trim());
    if (failed(one))
      return failure();
    all = all ? b.getArrayAttr({b.getStringAttr("and"), all, *one}) : *one;
  }
  NamedAttrList entries(manifest);
  entries.set("guard", all);
  (*function)->setAttr(kManifestAttr, entries.getDictionary(b.getContext()));
  return success();
}

} // namespace attn
