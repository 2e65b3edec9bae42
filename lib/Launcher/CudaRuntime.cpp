//===- CudaRuntime.cpp - Bundles for CUDA, through the driver -------------===//

#include "Driver.h"
#include "Failure.h"
#include "OpenBundle.h"
#include <map>

using namespace attn;
using namespace attn::cuda;

/// Dynamic shared memory that a kernel may take without asking.
static constexpr int kDefaultSharedBytes = 48 << 10;
static constexpr size_t kJitLogBytes = 8 << 10;

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

/// A manifest that does not fit its kernel would make the driver read behind
/// the parameters, or the kernel take one for another. What is behind the last
/// is not asked: memory checkers report the error that the driver answers.
static void checkParameters(const StepSpec &step, Function function) {
  const Driver &cuda = driver();
  if (!cuda.funcGetParamInfo)
    return;
  size_t count = step.parameters.size();
  for (size_t i = 0; i < count; ++i) {
    size_t offset, bytes;
    Result result = cuda.funcGetParamInfo(function, i, &offset, &bytes);
    if (result != kSuccess && result != kInvalidValue)
      cuda.raise(result, "cuFuncGetParamInfo", "for " + step.kernel);
    if (result != kSuccess)
      checkParameterCount(step, i);
    else
      checkParameterBytes(step, i, bytes);
  }
}

static int attributeOf(Function function, int attribute,
                       const std::string &kernel) {
  int value = 0;
  driver().check(driver().funcGetAttribute(&value, attribute, function),
                 "cuFuncGetAttribute", "for " + inQuotes(kernel));
  return value;
}

static void configure(const StepSpec &step, Function function) {
  const Driver &cuda = driver();
  int most = attributeOf(function, kFuncMaxThreadsPerBlock, step.kernel);
  if (int(step.block) > most)
    fail(ATTN_ERROR_BUNDLE,
         "kernel " + inQuotes(step.kernel) + ": the manifest expects " +
             std::to_string(step.block) +
             " threads a CTA, this device can run it with at most " +
             std::to_string(most));
  int fixed = attributeOf(function, kFuncSharedSizeBytes, step.kernel);
  if (int(step.sharedBytes) + fixed > kDefaultSharedBytes)
    cuda.check(cuda.funcSetAttribute(function, kFuncMaxDynamicSharedSizeBytes,
                                     step.sharedBytes),
               "cuFuncSetAttribute",
               "to give " + inQuotes(step.kernel) + " " +
                   std::to_string(step.sharedBytes) +
                   " bytes of dynamic shared memory a CTA");
  // Else a lazily loaded function is loaded by its first launch, which could be
  // captured into a graph.
  if (cuda.funcLoad)
    cuda.check(cuda.funcLoad(function), "cuFuncLoad",
               "for " + inQuotes(step.kernel));
}

//===----------------------------------------------------------------------===//
// Contexts
//===----------------------------------------------------------------------===//

static CUctxObject *handleOf(const attn::Context &context) {
  return static_cast<CUctxObject *>(context.handle);
}

/// The primary context of a device, retained until the process ends.
static cuda::Context primaryContext(Device device) {
  static std::mutex mutex;
  static std::map<Device, cuda::Context> retained;
  std::lock_guard<std::mutex> lock(mutex);
  cuda::Context &context = retained[device];
  if (!context)
    driver().check(driver().devicePrimaryCtxRetain(&context, device),
                   "cuDevicePrimaryCtxRetain",
                   "for device " + std::to_string(device));
  return context;
}

static void push(cuda::Context context) {
  driver().check(driver().ctxPushCurrent(context), "cuCtxPushCurrent");
}

/// Runs `release` in a context that exists, if it is still the one that was.
template <typename Release>
static void releaseIn(const Driver &cuda, const attn::Context &context,
                      Release release) {
  unsigned long long id;
  if (cuda.ctxGetId(handleOf(context), &id) != kSuccess || id != context.id ||
      cuda.ctxPushCurrent(handleOf(context)) != kSuccess)
    return;
  release();
  cuda::Context popped;
  cuda.ctxPopCurrent(&popped);
}

/// Does nothing where the device's primary context is not active, or another.
template <typename Release>
static void releaseInPrimary(const Driver &cuda, const attn::Context &context,
                             int device, Release release) {
  unsigned flags;
  int active = 0;
  if (cuda.devicePrimaryCtxGetState(device, &flags, &active) != kSuccess ||
      !active)
    return;
  cuda::Context primary;
  if (cuda.devicePrimaryCtxRetain(&primary, device) != kSuccess)
    return;
  if (primary == context.handle)
    releaseIn(cuda, context, release);
  cuda.devicePrimaryCtxRelease(device);
}

/// In the current context and in active primary ones. What is in others goes
/// with them: nobody can say whether they still exist.
template <typename Release>
static void releaseIfKnown(const attn::Context &context, int device,
                           Release release) {
  const Driver &cuda = driver();
  cuda::Context current;
  // Fails where the process is ending.
  if (cuda.ctxGetCurrent(&current) != kSuccess)
    return;
  if (current == context.handle)
    releaseIn(cuda, context, release);
  else
    releaseInPrimary(cuda, context, device, release);
}

//===----------------------------------------------------------------------===//
// Runtime
//===----------------------------------------------------------------------===//

namespace {
class CudaRuntime final : public Runtime {
public:
  ContextSwitch enter(int32_t device) const override;
  ContextSwitch enter(const attn::Context &context) const override;
  void leave(const ContextSwitch &) const noexcept override {
    cuda::Context popped;
    driver().ctxPopCurrent(&popped);
  }
  int currentDevice() const override {
    Device device;
    driver().check(driver().ctxGetDevice(&device), "cuCtxGetDevice");
    return device;
  }
  void *loadModule(const Manifest &manifest,
                   const BinarySpec &binary) const override {
    return binary.format == BinaryFormat::Ptx ? loadPtx(manifest, binary)
                                              : loadCubin(manifest, binary);
  }
  void *findFunction(const Manifest &manifest, const StepSpec &step,
                     void *module) const override;
  void
  unloadModules(const attn::Context &context, int device,
                const std::vector<void *> &modules) const noexcept override;
  uint64_t allocateOn(void *stream, uint64_t bytes) const override;
  void freeOn(void *stream, uint64_t data) const override;
  uint64_t allocate(uint64_t bytes) const override;
  void free(const attn::Context &context, int device,
            uint64_t data) const noexcept override;
  void enqueue(Launch &launch, void *stream) const override;
};
} // namespace

ContextSwitch CudaRuntime::enter(int32_t device) const {
  const Driver &cuda = driver();
  cuda::Context context = nullptr;
  cuda.check(cuda.ctxGetCurrent(&context), "cuCtxGetCurrent");
  Device current = device;
  if (context && device >= 0)
    cuda.check(cuda.ctxGetDevice(&current), "cuCtxGetDevice");
  ContextSwitch result;
  result.changed = !context || current != device;
  if (result.changed)
    context = primaryContext(device < 0 ? 0 : device);
  unsigned long long id;
  cuda.check(cuda.ctxGetId(context, &id), "cuCtxGetId");
  result.context = {context, id};
  if (result.changed)
    push(context);
  return result;
}

ContextSwitch CudaRuntime::enter(const attn::Context &context) const {
  cuda::Context current = nullptr;
  driver().check(driver().ctxGetCurrent(&current), "cuCtxGetCurrent");
  ContextSwitch result;
  result.context = context;
  result.changed = current != context.handle;
  if (result.changed)
    push(handleOf(context));
  return result;
}

void *CudaRuntime::findFunction(const Manifest &manifest, const StepSpec &step,
                                void *module) const {
  Function function = nullptr;
  driver().check(driver().moduleGetFunction(&function,
                                            static_cast<Module>(module),
                                            step.kernel.c_str()),
                 "cuModuleGetFunction",
                 "to find " + inQuotes(step.kernel) + " in " +
                     inQuotes(manifest.binaries[step.binary].file));
  checkParameters(step, function);
  configure(step, function);
  return function;
}

void CudaRuntime::unloadModules(
    const attn::Context &context, int device,
    const std::vector<void *> &modules) const noexcept {
  releaseIfKnown(context, device, [&] {
    for (void *module : modules)
      if (module)
        driver().moduleUnload(static_cast<Module>(module));
  });
}

static std::string workspaceOf(uint64_t bytes) {
  return "for " + std::to_string(bytes) + " bytes of workspace";
}

uint64_t CudaRuntime::allocateOn(void *stream, uint64_t bytes) const {
  DevicePointer data = 0;
  driver().check(
      driver().memAllocAsync(&data, bytes, static_cast<Stream>(stream)),
      "cuMemAllocAsync", workspaceOf(bytes));
  return data;
}

void CudaRuntime::freeOn(void *stream, uint64_t data) const {
  driver().check(driver().memFreeAsync(data, static_cast<Stream>(stream)),
                 "cuMemFreeAsync", "to free the workspace");
}

uint64_t CudaRuntime::allocate(uint64_t bytes) const {
  DevicePointer data = 0;
  driver().check(driver().memAlloc(&data, bytes), "cuMemAlloc",
                 workspaceOf(bytes));
  return data;
}

void CudaRuntime::free(const attn::Context &context, int device,
                       uint64_t data) const noexcept {
  releaseIfKnown(context, device, [&] { driver().memFree(data); });
}

void CudaRuntime::enqueue(Launch &launch, void *stream) const {
  LaunchConfig config{};
  config.gridDimX = launch.grid;
  config.blockDimX = launch.block;
  config.gridDimY = config.gridDimZ = config.blockDimY = config.blockDimZ = 1;
  config.sharedMemBytes = launch.sharedBytes;
  config.stream = static_cast<Stream>(stream);
  LaunchAttribute attributes[3] = {};
  config.attributes = attributes;
  if (launch.overlaps) {
    LaunchAttribute &overlapping = attributes[config.attributeCount++];
    overlapping.id = kLaunchOverlapping;
    overlapping.allowed = 1;
  }
  if (launch.cluster) {
    LaunchAttribute &cluster = attributes[config.attributeCount++];
    cluster.id = kLaunchClusters;
    cluster.cluster = {launch.cluster, 1, 1};
    // Two CTAs of a cluster on one SM leave another SM without work.
    LaunchAttribute &policy = attributes[config.attributeCount++];
    policy.id = kLaunchClusterPolicy;
    policy.policy = kClusterSpread;
  }
  const Driver &cuda = driver();
  Result result =
      cuda.launchKernelEx(&config, static_cast<Function>(launch.function),
                          launch.parameters, nullptr);
  if (result != kSuccess)
    cuda.raise(result, "cuLaunchKernelEx", describeLaunch(launch));
}

static const CudaRuntime runtime;

const Runtime &attn::cudaRuntime() {
  driver();
  return runtime;
}

const Runtime *attn::openedCudaRuntime() {
  return openedDriver() ? &runtime : nullptr;
}
