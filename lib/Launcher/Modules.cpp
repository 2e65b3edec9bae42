//===- Modules.cpp - Load device code into a context ----------------------===//

#include "Bundle.h"
#include "Failure.h"
#include <algorithm>

using namespace attn;
using namespace attn::cuda;

/// Dynamic shared memory that a kernel may take without asking.
static constexpr int kDefaultSharedBytes = 48 << 10;
static constexpr size_t kJitLogBytes = 8 << 10;

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

ContextState &attn::stateOf(AttnBundle &bundle, Context context) {
  const Driver &cuda = driver();
  unsigned long long id;
  cuda.check(cuda.ctxGetId(context, &id), "cuCtxGetId");
  auto &contexts = bundle.contexts;
  for (auto &state : contexts)
    if (state->id == id)
      return *state;
  // Another id at the same address: that context, and its modules, are gone.
  contexts.erase(
      std::remove_if(contexts.begin(), contexts.end(),
                     [&](auto &state) { return state->context == context; }),
      contexts.end());
  auto state = std::make_unique<ContextState>();
  state->id = id;
  state->context = context;
  cuda.check(cuda.ctxGetDevice(&state->device), "cuCtxGetDevice");
  state->modules.resize(bundle.manifest.binaries.size());
  state->functions.resize(bundle.manifest.variants.size());
  contexts.push_back(std::move(state));
  return *contexts.back();
}

/// The modules of a context that exists, if it is still the one of `state`.
static void unloadState(const Driver &cuda, const ContextState &state) {
  unsigned long long id;
  if (cuda.ctxGetId(state.context, &id) != kSuccess || id != state.id ||
      cuda.ctxPushCurrent(state.context) != kSuccess)
    return;
  for (Module module : state.modules)
    if (module)
      cuda.moduleUnload(module);
  Context popped;
  cuda.ctxPopCurrent(&popped);
}

/// Does nothing where the device's primary context is not active, or another.
static void unloadPrimary(const Driver &cuda, const ContextState &state) {
  unsigned flags;
  int active = 0;
  if (cuda.devicePrimaryCtxGetState(state.device, &flags, &active) !=
          kSuccess ||
      !active)
    return;
  Context primary;
  if (cuda.devicePrimaryCtxRetain(&primary, state.device) != kSuccess)
    return;
  if (primary == state.context)
    unloadState(cuda, state);
  cuda.devicePrimaryCtxRelease(state.device);
}

void attn::unloadModules(AttnBundle &bundle) {
  const Driver *cuda = openedDriver();
  Context current;
  // Fails where the process is ending.
  if (!cuda || cuda->ctxGetCurrent(&current) != kSuccess)
    return;
  for (auto &state : bundle.contexts)
    if (state->context == current)
      unloadState(*cuda, *state);
    else
      unloadPrimary(*cuda, *state);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static Module loadCubin(const Manifest &manifest, const BinarySpec &binary) {
  Module module = nullptr;
  driver().check(driver().moduleLoadDataEx(&module, binary.contents.c_str(), 0,
                                           nullptr, nullptr),
                 "cuModuleLoadDataEx",
                 "to load " + inQuotes(binary.file) + ", which is built for " +
                     manifest.arch);
  return module;
}

/// The driver's compiler says in its log what it does not like.
static Module loadPtx(const Manifest &manifest, const BinarySpec &binary) {
  std::string log(kJitLogBytes, '\0');
  int options[] = {kJitErrorLogBuffer, kJitErrorLogBufferSizeBytes};
  void *values[] = {log.data(), reinterpret_cast<void *>(log.size() - 1)};
  Module module = nullptr;
  Result result = driver().moduleLoadDataEx(
      &module, binary.contents.c_str(), std::size(options), options, values);
  if (result == kSuccess)
    return module;
  log.resize(log.find('\0'));
  driver().check(result, "cuModuleLoadDataEx",
                 "to compile " + inQuotes(binary.file) + ", which is for " +
                     manifest.arch +
                     (log.empty() ? "" : " (its log: " + log + ")"));
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

static size_t bytesOf(const Manifest &manifest, const ParameterSpec &spec) {
  switch (spec.kind) {
  case ParameterKind::TensorMap:
    return sizeof(TensorMap);
  case ParameterKind::Scalar:
    return bytesOf(manifest.scalars[spec.index].type);
  default:
    return sizeof(uint64_t);
  }
}

/// A manifest that does not fit its kernel would make the driver read behind
/// the parameters, or the kernel take one for another. What is behind the last
/// is not asked: memory checkers report the error that the driver answers.
static void checkParameters(const Manifest &manifest,
                            const VariantSpec &variant, Function function) {
  const Driver &cuda = driver();
  if (!cuda.funcGetParamInfo)
    return;
  size_t count = variant.parameters.size();
  for (size_t i = 0; i < count; ++i) {
    size_t offset, bytes;
    Result result = cuda.funcGetParamInfo(function, i, &offset, &bytes);
    if (result != kSuccess && result != kInvalidValue)
      cuda.raise(result, "cuFuncGetParamInfo", "for " + variant.kernel);
    if (result != kSuccess)
      fail(ATTN_ERROR_BUNDLE,
           "kernel " + inQuotes(variant.kernel) + ": the manifest has " +
               std::to_string(count) + " parameters, the kernel has " +
               std::to_string(i));
    if (bytes != bytesOf(manifest, variant.parameters[i]))
      fail(ATTN_ERROR_BUNDLE,
           "kernel " + inQuotes(variant.kernel) + ": parameter " +
               std::to_string(i) + " has " +
               std::to_string(bytesOf(manifest, variant.parameters[i])) +
               " bytes in the manifest, " + std::to_string(bytes) +
               " in the kernel");
  }
}

static int attributeOf(Function function, int attribute,
                       const std::string &kernel) {
  int value = 0;
  driver().check(driver().funcGetAttribute(&value, attribute, function),
                 "cuFuncGetAttribute", "for " + inQuotes(kernel));
  return value;
}

static void configure(const VariantSpec &variant, Function function) {
  const Driver &cuda = driver();
  int most = attributeOf(function, kFuncMaxThreadsPerBlock, variant.kernel);
  if (int(variant.block) > most)
    fail(ATTN_ERROR_BUNDLE,
         "kernel " + inQuotes(variant.kernel) + ": the manifest wants " +
             std::to_string(variant.block) +
             " threads a CTA, this device can run it with at most " +
             std::to_string(most));
  int fixed = attributeOf(function, kFuncSharedSizeBytes, variant.kernel);
  if (int(variant.sharedBytes) + fixed > kDefaultSharedBytes)
    cuda.check(cuda.funcSetAttribute(function, kFuncMaxDynamicSharedSizeBytes,
                                     variant.sharedBytes),
               "cuFuncSetAttribute",
               "to give " + inQuotes(variant.kernel) + " " +
                   std::to_string(variant.sharedBytes) +
                   " bytes of dynamic shared memory a CTA");
  // Else a lazily loaded function is loaded by its first launch, which could be
  // captured into a graph.
  if (cuda.funcLoad)
    cuda.check(cuda.funcLoad(function), "cuFuncLoad",
               "for " + inQuotes(variant.kernel));
}

Function attn::functionOf(const Manifest &manifest, ContextState &state,
                          unsigned index) {
  if (Function function = state.functions[index])
    return function;
  const VariantSpec &variant = manifest.variants[index];
  const BinarySpec &binary = manifest.binaries[variant.binary];
  Module &module = state.modules[variant.binary];
  if (!module)
    module =
        binary.ptx ? loadPtx(manifest, binary) : loadCubin(manifest, binary);
  Function function = nullptr;
  driver().check(
      driver().moduleGetFunction(&function, module, variant.kernel.c_str()),
      "cuModuleGetFunction",
      "to find " + inQuotes(variant.kernel) + " in " + inQuotes(binary.file));
  checkParameters(manifest, variant, function);
  configure(variant, function);
  return state.functions[index] = function;
}
