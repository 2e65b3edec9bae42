//===- HipRuntime.cpp - Bundles for AMD GPUs, through HIP's runtime -------===//
//
// A device is current for each thread, as in CUDA's runtime, and has one
// context. Code objects for HIP need no configuration: all of LDS may be asked
// for at the launch. HIP does not say what parameters a kernel has: what the
// manifest says of them is sealed with the code (Manifest.cpp).
//
//===----------------------------------------------------------------------===//

#include "DeviceFacts.h"
#include "Failure.h"
#include "HipTypes.h"
#include "OpenBundle.h"
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace attn;
using namespace attn::hip;

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// The entry points; of the optional ones one is null where HIP lacks it.
struct Hip {
#define ATTN_MEMBER(member, symbol, ...)                                       \
  using member##Type = __VA_ARGS__;                                            \
  member##Type *member = nullptr;
  ATTN_HIP_FUNCTIONS(ATTN_MEMBER)
  ATTN_HIP_OPTIONAL_FUNCTIONS(ATTN_MEMBER)
#undef ATTN_MEMBER

  /// Throws unless `result` is success; `doing` is what `call` was to do.
  void check(Error result, const char *call,
             const std::string &doing = "") const {
    if (result != kSuccess)
      raise(result, call, doing);
  }
  [[noreturn]] void raise(Error result, const char *call,
                          const std::string &doing) const;
};
} // namespace

void Hip::raise(Error result, const char *call,
                const std::string &doing) const {
  // Else frameworks, which ask for the last error of anyone, report it again.
  getLastError();
  const char *name = getErrorName(result), *text = getErrorString(result);
  std::string message = std::string(call) + " failed";
  if (!doing.empty())
    message += " " + doing;
  message += std::string(": ") + (name ? name : "unknown HIP error") + " (" +
             std::to_string(result) + ")";
  if (text)
    message += std::string(": ") + text;
  throw Failure{ATTN_ERROR_HIP, message, result};
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

/// By soname, newest first, then by the names that a developer's installation
/// and a framework's own copy have.
static const char *const libraryNames[] = {
    "libamdhip64.so.7",
    "libamdhip64.so.6",
    "libamdhip64.so.5",
    "libamdhip64.so",
    "/opt/rocm/lib/libamdhip64.so",
};

static std::string lastLoaderError() {
  const char *why = dlerror();
  return why ? why : "unknown error";
}

/// What the process has loaded comes first: a framework may bring its own, and
/// two in one process do not know each other's streams and memory.
static void *openAnyLibrary(std::string &file, std::string &tried) {
  for (int flags : {RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD, RTLD_NOW | RTLD_LOCAL})
    for (const char *name : libraryNames) {
      file = name;
      if (void *library = dlopen(name, flags))
        return library;
      if (!(flags & RTLD_NOLOAD))
        tried += std::string("\n  ") + name + ": " + lastLoaderError();
    }
  return nullptr;
}

/// `user` is what needs HIP, for the message.
static void *openLibrary(const std::string &user, std::string &file) {
  const char *override = std::getenv("ATTN_HIP_RUNTIME");
  std::string tried;
  if (!override || !*override) {
    if (void *library = openAnyLibrary(file, tried))
      return library;
  } else {
    file = override;
    if (void *library = dlopen(override, RTLD_NOW | RTLD_LOCAL))
      return library;
    tried = "\n  " + file + ": " + lastLoaderError();
  }
  fail(ATTN_ERROR_DRIVER,
       "cannot open the HIP runtime, which " + user +
           " needs (ATTN_HIP_RUNTIME names another file); tried:" + tried);
}

template <typename Function>
static void lookUp(void *library, const std::string &file, const char *symbol,
                   Function *&function, bool required) {
  function = reinterpret_cast<Function *>(dlsym(library, symbol));
  if (!function && required)
    fail(ATTN_ERROR_DRIVER, "the HIP runtime " + inQuotes(file) + " has no " +
                                symbol + ": expected one of ROCm 5 or newer");
}

static const Hip *openHip(const std::string &user) {
  std::string file;
  void *library = openLibrary(user, file);
  auto result = new Hip; // Lives as long as the process.
  // Once it was initialised the runtime has threads of its own: it stays.
  bool initialised = false;
  try {
#define ATTN_LOOK_UP(member, symbol, ...)                                      \
  lookUp(library, file, symbol, result->member, /*required=*/true);
    ATTN_HIP_FUNCTIONS(ATTN_LOOK_UP)
#undef ATTN_LOOK_UP
    lookUp(library, file, "hipMallocAsync", result->mallocAsync, false);
    lookUp(library, file, "hipFreeAsync", result->freeAsync, false);
    lookUp(library, file, "hipMalloc", result->malloc, false);
    lookUp(library, file, "hipFree", result->free, false);
    lookUp(library, file, "hipGetDevicePropertiesR0600",
           result->getPropertiesR0600, /*required=*/false);
    lookUp(library, file, "hipGetDeviceProperties", result->getPropertiesR0000,
           /*required=*/!result->getPropertiesR0600);
    lookUp(library, file, "hipDeviceGetAttribute", result->deviceGetAttribute,
           /*required=*/false);
    initialised = true;
    result->check(result->init(0), "hipInit");
  } catch (...) {
    delete result;
    if (!initialised)
      dlclose(library);
    throw;
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

namespace {
/// As HIP says it: the name, and "gfx942:sramecc+:xnack-".
struct DeviceTexts {
  std::string name, arch;
};
} // namespace

static std::string textAt(const char *properties, size_t offset) {
  const char *text = properties + offset;
  return std::string(text, strnlen(text, kDeviceTextBytes));
}

static DeviceTexts describeDevice(const Hip &hip, int device) {
  alignas(16) char properties[kDevicePropertiesRoom] = {};
  bool newer = hip.getPropertiesR0600;
  Error result = newer ? hip.getPropertiesR0600(properties, device)
                       : hip.getPropertiesR0000(properties, device);
  hip.check(result, "hipGetDeviceProperties",
            "for device " + std::to_string(device));
  return {
      textAt(properties, kDeviceNameOffset),
      textAt(properties, newer ? kArchNameOffsetR0600 : kArchNameOffsetR0000)};
}

/// The runtime itself says no more than that there is no binary for the GPU.
static void checkArch(const Hip &hip, const Manifest &manifest, int device) {
  DeviceTexts texts = describeDevice(hip, device);
  if (texts.arch.substr(0, texts.arch.find(':')) == manifest.arch)
    return;
  fail(ATTN_ERROR_BUNDLE,
       "bundle " + inQuotes(manifest.name) + " for " + manifest.target + ": " +
           wantedGot("a device of architecture " + manifest.arch, texts.arch) +
           " (device " + std::to_string(device) + ", " + texts.name + ")");
}

//===----------------------------------------------------------------------===//
// Runtime
//===----------------------------------------------------------------------===//

namespace {
class HipRuntime final : public Runtime {
public:
  /// Opens HIP unless it is; `user` is what needs it, for messages.
  void open(const std::string &user) {
    if (isOpen())
      return;
    std::lock_guard<std::mutex> lock(openMutex);
    if (!opened.load(std::memory_order_relaxed))
      opened.store(openHip(user), std::memory_order_release);
  }
  bool isOpen() const { return opened.load(std::memory_order_acquire); }

  ContextSwitch enter(int32_t device) const override;
  ContextSwitch enter(const Context &context) const override {
    return enter(int32_t(context.id));
  }
  void leave(const ContextSwitch &entered) const noexcept override {
    hip().setDevice(entered.previous);
  }
  int currentDevice() const override {
    int device = 0;
    hip().check(hip().getDevice(&device), "hipGetDevice");
    return device;
  }
  void *loadModule(const Manifest &manifest,
                   const BinarySpec &binary) const override;
  void *findFunction(const Manifest &manifest, const StepSpec &step,
                     void *module) const override;
  void
  unloadModules(const Context &context, int device,
                const std::vector<void *> &modules) const noexcept override;
  uint64_t allocateOn(void *stream, uint64_t bytes) const override;
  void freeOn(void *stream, uint64_t data) const override;
  uint64_t allocate(uint64_t bytes) const override;
  void free(const Context &context, int device,
            uint64_t data) const noexcept override;
  void enqueue(Launch &launch, void *stream) const override;

  AttnDeviceFacts deviceFacts(int device) const;

private:
  const Hip &hip() const { return *opened.load(std::memory_order_acquire); }

  std::mutex openMutex;
  std::atomic<const Hip *> opened{nullptr};
};
} // namespace

ContextSwitch HipRuntime::enter(int32_t device) const {
  ContextSwitch result;
  result.previous = currentDevice();
  if (device < 0)
    device = result.previous;
  result.context.id = device;
  result.changed = device != result.previous;
  if (result.changed)
    hip().check(hip().setDevice(device), "hipSetDevice",
                "to device " + std::to_string(device));
  return result;
}

void *HipRuntime::loadModule(const Manifest &manifest,
                             const BinarySpec &binary) const {
  checkArch(hip(), manifest, currentDevice());
  void *module = nullptr;
  hip().check(hip().moduleLoadData(&module, binary.contents.data()),
              "hipModuleLoadData",
              "to load " + inQuotes(binary.file) + ", which is built for " +
                  manifest.arch);
  return module;
}

void *HipRuntime::findFunction(const Manifest &manifest, const StepSpec &step,
                               void *module) const {
  void *function = nullptr;
  hip().check(hip().moduleGetFunction(&function, module, step.kernel.c_str()),
              "hipModuleGetFunction",
              "to find " + inQuotes(step.kernel) + " in " +
                  inQuotes(manifest.binaries[step.binary].file));
  return function;
}

/// Runs `release` with a device current.
template <typename Release>
static void releaseOn(const Hip &hip, int device, Release release) {
  int current = 0;
  // Fails where the process is ending.
  if (hip.getDevice(&current) != kSuccess ||
      (current != device && hip.setDevice(device) != kSuccess))
    return;
  release();
  if (current != device)
    hip.setDevice(current);
}

void HipRuntime::unloadModules(
    const Context &, int device,
    const std::vector<void *> &modules) const noexcept {
  releaseOn(hip(), device, [&] {
    for (void *module : modules)
      if (module)
        hip().moduleUnload(module);
  });
}

static void requireMemory(const void *allocate, const void *free,
                          const char *names) {
  if (!allocate || !free)
    fail(ATTN_ERROR_DRIVER, std::string("the HIP runtime has no ") + names +
                                ", which a workspace that the caller does not "
                                "pass needs");
}

uint64_t HipRuntime::allocateOn(void *stream, uint64_t bytes) const {
  requireMemory(reinterpret_cast<const void *>(hip().mallocAsync),
                reinterpret_cast<const void *>(hip().freeAsync),
                "hipMallocAsync and hipFreeAsync");
  void *data = nullptr;
  hip().check(hip().mallocAsync(&data, bytes, stream), "hipMallocAsync",
              "for " + std::to_string(bytes) + " bytes of workspace");
  return reinterpret_cast<uint64_t>(data);
}

void HipRuntime::freeOn(void *stream, uint64_t data) const {
  hip().check(hip().freeAsync(reinterpret_cast<void *>(data), stream),
              "hipFreeAsync", "to free the workspace");
}

uint64_t HipRuntime::allocate(uint64_t bytes) const {
  requireMemory(reinterpret_cast<const void *>(hip().malloc),
                reinterpret_cast<const void *>(hip().free),
                "hipMalloc and hipFree");
  void *data = nullptr;
  hip().check(hip().malloc(&data, bytes), "hipMalloc",
              "for " + std::to_string(bytes) + " bytes of workspace");
  return reinterpret_cast<uint64_t>(data);
}

void HipRuntime::free(const Context &, int device,
                      uint64_t data) const noexcept {
  releaseOn(hip(), device, [&] { hip().free(reinterpret_cast<void *>(data)); });
}

void HipRuntime::enqueue(Launch &launch, void *stream) const {
  Error result = hip().moduleLaunchKernel(
      launch.function, launch.grid, 1, 1, launch.block, 1, 1,
      launch.sharedBytes, stream, launch.parameters, /*extra=*/nullptr);
  if (result != kSuccess)
    hip().raise(result, "hipModuleLaunchKernel", describeLaunch(launch));
}

static HipRuntime runtime;

const Runtime &attn::hipRuntime(const Manifest &manifest) {
  runtime.open(inQuotes(manifest.name) + " for " + manifest.arch);
  return runtime;
}

const Runtime *attn::openedHipRuntime() {
  return runtime.isOpen() ? &runtime : nullptr;
}

AttnDeviceFacts HipRuntime::deviceFacts(int device) const {
  AttnDeviceFacts facts = {};
  DeviceTexts texts = describeDevice(hip(), device);
  setText(facts.name, texts.name);
  setText(facts.arch, texts.arch.substr(0, texts.arch.find(':')));
  auto ask = [&](Attribute attribute) {
    int value = 0;
    if (hip().deviceGetAttribute)
      hip().check(hip().deviceGetAttribute(&value, attribute, device),
                  "hipDeviceGetAttribute",
                  "for device " + std::to_string(device));
    return int64_t(value);
  };
  facts.sms = ask(kMultiprocessorCount);
  facts.smem_per_sm = ask(kSharedMemPerMultiprocessor);
  facts.smem_per_block = ask(kMaxSharedMemoryPerBlock);
  facts.l2_bytes = ask(kL2CacheSize);
  return facts;
}

AttnDeviceFacts attn::hipDeviceFacts(int device) {
  runtime.open("a question about device " + std::to_string(device));
  return runtime.deviceFacts(device);
}
