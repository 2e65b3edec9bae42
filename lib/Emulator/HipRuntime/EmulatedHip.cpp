//===- EmulatedHip.cpp - HIP's launching interface over the emulator ------===//
//
// A shared library with the functions of libamdhip64 that a launcher looks up,
// so that the same code runs on the emulator. One device; every call has
// completed when it returns; streams are accepted and mean nothing.
// Environment:
//
//   ATTN_EMULATE_INTERLEAVE=forward|reverse|random   order of waves
//   ATTN_EMULATE_SEED=N                              of `random`
//   ATTN_EMULATE_COUNTERS=FILE                       appends a line of JSON per
//   launch
//   ATTN_EMULATE_ARCH=gfx950:xnack-                  what the device says it is
//   ATTN_EMULATE_INSTRUCTIONS=N                      most of a launch
//
// What stopped a launch is printed to stderr and returned by
// attnEmulatorLastError().
//
//===----------------------------------------------------------------------===//

#include "../../Launcher/HipTypes.h"
#include "attn-mlir/Emulator/Gfx942/Machine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/raw_ostream.h"
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>

using namespace attn::gfx942;
using namespace attn::hip;
using llvm::StringRef;

#define ATTN_HIP_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

struct Module;
struct Function {
  Module *module;
  const KernelInfo *kernel;
};
struct Module {
  std::unique_ptr<CodeObject> object;
  std::map<std::string, Function> functions;
};

struct Device {
  std::mutex mutex;
  Machine machine;
  std::set<Module *> modules;
  std::set<Function *> functions;
  Error lastError = kSuccess;
  std::string lastMessage;
};

Device &device() {
  static auto *d = new Device; // lives as long as the process
  return *d;
}

/// Remembers a failure with its text.
Error failWith(Error code, const llvm::Twine &message) {
  device().lastError = code;
  device().lastMessage = message.str();
  llvm::errs() << "attn emulator: " << device().lastMessage << "\n";
  return code;
}
Error failWith(Error code, llvm::Error error) {
  return failWith(code, llvm::toString(std::move(error)));
}

/// What the device says it is, with its features.
std::string statedArch() {
  const char *arch = std::getenv("ATTN_EMULATE_ARCH");
  return arch ? arch : "gfx942:sramecc+:xnack-";
}

/// What is emulated: of what the device says it is, what the emulator knows.
const ArchInfo &emulatedArch() {
  std::string stated = statedArch();
  const ArchInfo &newer = infoOf(Arch::Gfx950);
  return StringRef(stated).split(':').first == newer.name
             ? newer
             : infoOf(Arch::Gfx942);
}

uint64_t addressOf(const void *pointer) {
  return reinterpret_cast<uint64_t>(pointer);
}
llvm::ArrayRef<uint8_t> bytesOf(const void *host, size_t size) {
  return {static_cast<const uint8_t *>(host), size};
}
llvm::MutableArrayRef<uint8_t> bytesOf(void *host, size_t size) {
  return {static_cast<uint8_t *>(host), size};
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// hipMemcpyDefault: by whether the addresses are the device's.
int directionOf(const void *to, const void *from, int kind) {
  if (kind != kDefaultDirection)
    return kind;
  GlobalMemory &memory = device().machine.memory();
  bool toDevice = memory.access(addressOf(to), 1, /*store=*/false);
  bool fromDevice = memory.access(addressOf(from), 1, /*store=*/false);
  if (toDevice)
    return fromDevice ? kDeviceToDevice : kHostToDevice;
  return fromDevice ? kDeviceToHost : kHostToHost;
}

llvm::Error copyOnDevice(uint64_t to, uint64_t from, size_t size) {
  std::vector<uint8_t> bytes(size);
  if (llvm::Error e = device().machine.memory().read(from, bytes))
    return e;
  return device().machine.memory().write(to, bytes);
}

Error copy(void *to, const void *from, size_t size, int kind) {
  std::lock_guard<std::mutex> lock(device().mutex);
  if (size == 0)
    return kSuccess;
  if (!to || !from)
    return failWith(kInvalidValue, "copy from or to a null pointer");
  GlobalMemory &memory = device().machine.memory();
  llvm::Error error = llvm::Error::success();
  switch (directionOf(to, from, kind)) {
  case kHostToHost:
    std::memmove(to, from, size);
    break;
  case kHostToDevice:
    error = memory.write(addressOf(to), bytesOf(from, size));
    break;
  case kDeviceToHost:
    error = memory.read(addressOf(from), bytesOf(to, size));
    break;
  case kDeviceToDevice:
    error = copyOnDevice(addressOf(to), addressOf(from), size);
    break;
  default:
    return failWith(kInvalidMemcpyDirection,
                    "no direction of a copy is " + llvm::Twine(kind));
  }
  return error ? failWith(kInvalidValue, std::move(error)) : Error(kSuccess);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

/// The arguments that `params` points to, laid out by the metadata.
std::vector<uint8_t> packParams(const KernelInfo &kernel, void **params) {
  std::vector<uint8_t> bytes;
  unsigned n = 0;
  for (const KernelArgument &arg : kernel.arguments) {
    if (arg.hidden())
      continue;
    bytes.resize(std::max<size_t>(bytes.size(), arg.offset + arg.size));
    std::memcpy(bytes.data() + arg.offset, params[n++], arg.size);
  }
  return bytes;
}

/// The buffer that `extra` names; false where it is malformed.
bool readExtra(void **extra, llvm::ArrayRef<uint8_t> &bytes) {
  const void *buffer = nullptr;
  const size_t *size = nullptr;
  for (; *extra != kLaunchParamEnd; extra += 2) {
    if (extra[0] == kLaunchParamBufferPointer)
      buffer = extra[1];
    else if (extra[0] == kLaunchParamBufferSize)
      size = static_cast<const size_t *>(extra[1]);
    else
      return false;
  }
  if (!buffer || !size)
    return false;
  bytes = bytesOf(buffer, *size);
  return true;
}

LaunchOptions optionsFromEnvironment() {
  LaunchOptions options;
  const char *order = std::getenv("ATTN_EMULATE_INTERLEAVE");
  if (order && StringRef(order) == "reverse")
    options.interleaving = Interleaving::Reverse;
  if (order && StringRef(order) == "random")
    options.interleaving = Interleaving::Random;
  if (const char *seed = std::getenv("ATTN_EMULATE_SEED"))
    options.seed = std::strtoull(seed, nullptr, 0);
  if (const char *most = std::getenv("ATTN_EMULATE_INSTRUCTIONS"))
    options.maxInstructions = std::strtoull(most, nullptr, 0);
  return options;
}

void writeCounters(const KernelInfo &kernel, const Counters &counters) {
  const char *path = std::getenv("ATTN_EMULATE_COUNTERS");
  if (!path)
    return;
  std::error_code code;
  llvm::raw_fd_ostream file(path, code, llvm::sys::fs::OF_Append);
  if (code) {
    llvm::errs() << "attn emulator: '" << path << "': " << code.message()
                 << "\n";
    return;
  }
  llvm::json::Object line{{"kernel", kernel.name},
                          {"counters", counters.toJSON()}};
  file << llvm::json::Value(std::move(line)) << "\n";
}

} // namespace

//===----------------------------------------------------------------------===//
// Devices and errors
//===----------------------------------------------------------------------===//

ATTN_HIP_EXPORT Error hipInit(unsigned flags) {
  return flags ? failWith(kInvalidValue, "hipInit takes no flags")
               : Error(kSuccess);
}

ATTN_HIP_EXPORT Error hipRuntimeGetVersion(int *version) {
  *version = 60000000;
  return kSuccess;
}

ATTN_HIP_EXPORT Error hipGetDeviceCount(int *count) {
  *count = 1;
  return kSuccess;
}

ATTN_HIP_EXPORT Error hipDeviceGet(int *handle, int ordinal) {
  if (ordinal != 0)
    return failWith(kInvalidDevice, "there is one device");
  *handle = 0;
  return kSuccess;
}

ATTN_HIP_EXPORT Error hipGetDevice(int *ordinal) {
  *ordinal = 0;
  return kSuccess;
}

ATTN_HIP_EXPORT Error hipSetDevice(int ordinal) {
  return ordinal == 0 ? Error(kSuccess)
                      : failWith(kInvalidDevice, "there is one device");
}

ATTN_HIP_EXPORT Error hipDeviceGetName(char *name, int length, int) {
  std::snprintf(name, length, "%s (emulated)", emulatedArch().name);
  return kSuccess;
}

/// The name and the architecture; the rest is 0.
ATTN_HIP_EXPORT Error hipGetDevicePropertiesR0600(void *properties,
                                                  int ordinal) {
  if (!properties || ordinal != 0)
    return failWith(properties ? kInvalidDevice : kInvalidValue,
                    "there is one device");
  char *bytes = static_cast<char *>(properties);
  std::memset(bytes, 0, kDevicePropertiesBytesR0600);
  std::snprintf(bytes + kDeviceNameOffset, kDeviceTextBytes, "%s (emulated)",
                emulatedArch().name);
  std::snprintf(bytes + kArchNameOffsetR0600, kDeviceTextBytes, "%s",
                statedArch().c_str());
  return kSuccess;
}

/// An MI300X's or an MI355X's.
ATTN_HIP_EXPORT Error hipDeviceGetAttribute(int *value, int attribute,
                                            int ordinal) {
  if (ordinal != 0)
    return failWith(kInvalidDevice, "there is one device");
  const ArchInfo &arch = emulatedArch();
  const std::map<int, int> values = {
      {kL2CacheSize, 4 << 20},
      {kComputeCapabilityMajor, 9},
      {kComputeCapabilityMinor, 4},
      {kMaxBlockDimX, 1024},
      {kMaxBlockDimY, 1024},
      {kMaxBlockDimZ, 1024},
      {kMaxGridDimX, 0x7fffffff},
      {kMaxGridDimY, 65536},
      {kMaxGridDimZ, 65536},
      {kMaxThreadsPerBlock, 1024},
      {kMaxThreadsPerMultiprocessor, 2048},
      {kMultiprocessorCount, arch.arch == Arch::Gfx942 ? 304 : 256},
      {kMaxSharedMemoryPerBlock, int(arch.ldsBytes)},
      {kSharedMemPerMultiprocessor, int(arch.ldsBytes)},
      {kWarpSize, 64},
  };
  auto it = values.find(attribute);
  if (it == values.end())
    return failWith(kInvalidValue, "the emulated device has no attribute " +
                                       llvm::Twine(attribute));
  *value = it->second;
  return kSuccess;
}

ATTN_HIP_EXPORT const char *hipGetErrorName(Error error) {
  switch (error) {
  case kSuccess:
    return "hipSuccess";
  case kInvalidValue:
    return "hipErrorInvalidValue";
  case kOutOfMemory:
    return "hipErrorOutOfMemory";
  case kNotInitialized:
    return "hipErrorNotInitialized";
  case kInvalidDevicePointer:
    return "hipErrorInvalidDevicePointer";
  case kInvalidMemcpyDirection:
    return "hipErrorInvalidMemcpyDirection";
  case kInvalidDevice:
    return "hipErrorInvalidDevice";
  case kInvalidImage:
    return "hipErrorInvalidImage";
  case kNoBinaryForGpu:
    return "hipErrorNoBinaryForGpu";
  case kInvalidHandle:
    return "hipErrorInvalidHandle";
  case kNotFound:
    return "hipErrorNotFound";
  case kLaunchFailure:
    return "hipErrorLaunchFailure";
  case kNotSupported:
    return "hipErrorNotSupported";
  default:
    return "hipErrorUnknown";
  }
}

ATTN_HIP_EXPORT const char *hipGetErrorString(Error error) {
  return hipGetErrorName(error);
}

ATTN_HIP_EXPORT Error hipPeekAtLastError() { return device().lastError; }

ATTN_HIP_EXPORT Error hipGetLastError() {
  return std::exchange(device().lastError, kSuccess);
}

/// The text of the last failure; valid until the next one.
ATTN_HIP_EXPORT const char *attnEmulatorLastError() {
  return device().lastMessage.c_str();
}

ATTN_HIP_EXPORT Error hipDeviceSynchronize() { return kSuccess; }
ATTN_HIP_EXPORT Error hipStreamSynchronize(void *) { return kSuccess; }

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

ATTN_HIP_EXPORT Error hipMalloc(void **pointer, size_t size) {
  std::lock_guard<std::mutex> lock(device().mutex);
  constexpr size_t kMost = size_t(1) << 36;
  if (!pointer || size > kMost)
    return failWith(pointer ? kOutOfMemory : kInvalidValue,
                    "cannot allocate " + llvm::Twine(size) + " bytes");
  *pointer = nullptr;
  if (size != 0)
    *pointer = reinterpret_cast<void *>(
        device().machine.memory().allocate(size, "hipMalloc"));
  return kSuccess;
}

ATTN_HIP_EXPORT Error hipFree(void *pointer) {
  std::lock_guard<std::mutex> lock(device().mutex);
  if (!pointer)
    return kSuccess;
  llvm::Error e = device().machine.memory().release(addressOf(pointer));
  return e ? failWith(kInvalidDevicePointer, std::move(e)) : Error(kSuccess);
}

/// All work is done when a launch returns.
ATTN_HIP_EXPORT Error hipMallocAsync(void **pointer, size_t size, void *) {
  return hipMalloc(pointer, size);
}
ATTN_HIP_EXPORT Error hipFreeAsync(void *pointer, void *) {
  return hipFree(pointer);
}

ATTN_HIP_EXPORT Error hipMemcpy(void *to, const void *from, size_t size,
                                int kind) {
  return copy(to, from, size, kind);
}
ATTN_HIP_EXPORT Error hipMemcpyAsync(void *to, const void *from, size_t size,
                                     int kind, void *) {
  return copy(to, from, size, kind);
}
ATTN_HIP_EXPORT Error hipMemcpyHtoD(void *to, void *from, size_t size) {
  return copy(to, from, size, kHostToDevice);
}
ATTN_HIP_EXPORT Error hipMemcpyDtoH(void *to, void *from, size_t size) {
  return copy(to, from, size, kDeviceToHost);
}

ATTN_HIP_EXPORT Error hipMemset(void *to, int value, size_t size) {
  std::lock_guard<std::mutex> lock(device().mutex);
  if (size == 0)
    return kSuccess;
  llvm::Error e =
      device().machine.memory().fill(addressOf(to), uint8_t(value), size);
  return e ? failWith(kInvalidValue, std::move(e)) : Error(kSuccess);
}
ATTN_HIP_EXPORT Error hipMemsetAsync(void *to, int value, size_t size, void *) {
  return hipMemset(to, value, size);
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

/// The size of the ELF file at `image`: HIP's interface does not pass it. An
/// ELF file ends with its section headers, or with its last segment.
static size_t imageSize(const void *image) {
  const auto *bytes = static_cast<const uint8_t *>(image);
  auto read = [&](size_t offset, size_t count) {
    uint64_t x = 0;
    std::memcpy(&x, bytes + offset, count);
    return x;
  };
  size_t end = read(40, 8) + read(58, 2) * read(60, 2);
  uint64_t segments = read(32, 8), entry = read(54, 2), count = read(56, 2);
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t segment = segments + i * entry;
    end = std::max<size_t>(end, read(segment + 8, 8) + read(segment + 32, 8));
  }
  return end;
}

ATTN_HIP_EXPORT Error hipModuleLoadData(Module **module, const void *image) {
  std::lock_guard<std::mutex> lock(device().mutex);
  if (!module || !image)
    return failWith(kInvalidValue, "hipModuleLoadData of a null pointer");
  if (std::memcmp(image,
                  "\x7f"
                  "ELF\2\1",
                  6) != 0)
    return failWith(kInvalidImage, "the module is not an ELF file");
  StringRef bytes(static_cast<const char *>(image), imageSize(image));
  auto object = CodeObject::load(bytes, "module");
  if (!object)
    return failWith(kNoBinaryForGpu, object.takeError());
  if ((*object)->arch() != emulatedArch().arch)
    return failWith(kNoBinaryForGpu, llvm::Twine("the device is ") +
                                         emulatedArch().name +
                                         ", but the module is for " +
                                         infoOf((*object)->arch()).name);
  auto *result = new Module{std::move(*object), {}};
  device().modules.insert(result);
  *module = result;
  return kSuccess;
}

ATTN_HIP_EXPORT Error hipModuleUnload(Module *module) {
  std::lock_guard<std::mutex> lock(device().mutex);
  if (!device().modules.erase(module))
    return failWith(kInvalidHandle, "hipModuleUnload of no module");
  for (auto &[name, function] : module->functions)
    device().functions.erase(&function);
  delete module;
  return kSuccess;
}

ATTN_HIP_EXPORT Error hipModuleGetFunction(Function **function, Module *module,
                                           const char *name) {
  std::lock_guard<std::mutex> lock(device().mutex);
  if (!device().modules.count(module))
    return failWith(kInvalidHandle, "hipModuleGetFunction of no module");
  auto kernel = module->object->find(name);
  if (!kernel)
    return failWith(kNotFound, kernel.takeError());
  *function =
      &module->functions.insert({name, {module, *kernel}}).first->second;
  device().functions.insert(*function);
  return kSuccess;
}

ATTN_HIP_EXPORT Error hipFuncSetAttribute(const void *, int, int) {
  return kSuccess; // all of LDS may be asked for without it
}

ATTN_HIP_EXPORT Error hipModuleLaunchKernel(Function *function, unsigned gridX,
                                            unsigned gridY, unsigned gridZ,
                                            unsigned blockX, unsigned blockY,
                                            unsigned blockZ,
                                            unsigned sharedBytes, void *,
                                            void **params, void **extra) {
  std::lock_guard<std::mutex> lock(device().mutex);
  if (!device().functions.count(function))
    return failWith(kInvalidHandle, "hipModuleLaunchKernel of no function");
  const KernelInfo &kernel = *function->kernel;
  if (params && extra)
    return failWith(kInvalidValue, "kernelParams and extra at once");
  std::vector<uint8_t> packed;
  llvm::ArrayRef<uint8_t> kernargs;
  if (params) {
    packed = packParams(kernel, params);
    kernargs = packed;
  } else if (extra && !readExtra(extra, kernargs)) {
    return failWith(kInvalidValue, "malformed extra");
  }
  auto counters =
      device().machine.launch(*function->module->object, kernel.name,
                              {gridX, gridY, gridZ}, {blockX, blockY, blockZ},
                              kernargs, sharedBytes, optionsFromEnvironment());
  if (!counters)
    return failWith(kLaunchFailure, counters.takeError());
  writeCounters(kernel, *counters);
  return kSuccess;
}
