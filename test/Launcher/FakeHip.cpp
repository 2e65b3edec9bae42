//===- FakeHip.cpp - A HIP runtime that only writes down its calls --------===//
//
// What the launcher calls of libamdhip64.so.5, whose hipDeviceProp_t has the
// layout before ROCm 6: for what the emulator, which computes, does not show.
// Environment: Fake.h. There are 2 devices; the first is current in each
// thread at first.
//
//===----------------------------------------------------------------------===//

#include "../../lib/Launcher/HipTypes.h"
#include "Fake.h"
#include <cstdint>
#include <mutex>
#include <set>

using namespace attn::hip;

namespace {
constexpr int kDeviceCount = 2;

std::mutex mutex;
std::set<void *> modules;
/// Device of a module, and of its functions: a launch elsewhere is an error.
struct Module {
  int device;
};
thread_local int current = 0;
thread_local Error last = kSuccess;
} // namespace

#define ATTN_FAKE_ENTER(name)                                                  \
  std::lock_guard<std::mutex> lock(mutex);                                     \
  if (Error result = injected(name)) {                                         \
    note("%s -> %d", name, result);                                            \
    return last = result;                                                      \
  }

extern "C" {

Error hipInit(unsigned) {
  ATTN_FAKE_ENTER("hipInit");
  note("hipInit");
  return kSuccess;
}

const char *hipGetErrorName(Error code) {
  return code == kLaunchFailure ? "hipErrorLaunchFailure" : nullptr;
}
const char *hipGetErrorString(Error code) {
  return code == kLaunchFailure ? "text of the fake runtime" : nullptr;
}

/// Not written down, as it follows every failure.
Error hipGetLastError() {
  Error result = last;
  last = kSuccess;
  return result;
}

Error hipGetDevice(int *device) {
  ATTN_FAKE_ENTER("hipGetDevice");
  note("hipGetDevice");
  *device = current;
  return kSuccess;
}

Error hipSetDevice(int device) {
  ATTN_FAKE_ENTER("hipSetDevice");
  note("hipSetDevice %d", device);
  if (device < 0 || device >= kDeviceCount)
    return last = kInvalidDevice;
  current = device;
  return kSuccess;
}

/// hipDeviceProp_t before ROCm 6: 256 bytes of name, gcnArchName at byte 396.
Error hipGetDeviceProperties(void *properties, int device) {
  ATTN_FAKE_ENTER("hipGetDeviceProperties");
  note("hipGetDeviceProperties %d", device);
  char *bytes = static_cast<char *>(properties);
  std::memset(bytes, 0, 792);
  std::strcpy(bytes, "fake device");
  std::strcpy(bytes + 396, "gfx942:sramecc+:xnack-");
  return kSuccess;
}

Error hipModuleLoadData(void **module, const void *image) {
  ATTN_FAKE_ENTER("hipModuleLoadData");
  note("hipModuleLoadData on %d", current);
  *module = new Module{current};
  modules.insert(*module);
  return kSuccess;
}

Error hipModuleUnload(void *module) {
  ATTN_FAKE_ENTER("hipModuleUnload");
  note("hipModuleUnload on %d", current);
  if (!modules.erase(module) ||
      static_cast<Module *>(module)->device != current)
    return last = kInvalidHandle;
  delete static_cast<Module *>(module);
  return kSuccess;
}

Error hipModuleGetFunction(void **function, void *module, const char *name) {
  ATTN_FAKE_ENTER("hipModuleGetFunction");
  note("hipModuleGetFunction %s", name);
  *function = module;
  return kSuccess;
}

Error hipModuleLaunchKernel(void *function, unsigned gridX, unsigned gridY,
                            unsigned gridZ, unsigned blockX, unsigned blockY,
                            unsigned blockZ, unsigned shared, void *stream,
                            void **params, void **extra) {
  ATTN_FAKE_ENTER("hipModuleLaunchKernel");
  note("hipModuleLaunchKernel on %d grid=%u,%u,%u block=%u,%u,%u shared=%u "
       "stream=%p first=0x%llx extra=%p",
       current, gridX, gridY, gridZ, blockX, blockY, blockZ, shared, stream,
       static_cast<unsigned long long>(*static_cast<uint64_t *>(params[0])),
       static_cast<void *>(extra));
  if (!modules.count(function) ||
      static_cast<Module *>(function)->device != current)
    return last = kInvalidHandle;
  return kSuccess;
}

Error hipMalloc(void **data, size_t bytes) {
  ATTN_FAKE_ENTER("hipMalloc");
  note("hipMalloc %zu on %d", bytes, current);
  *data = reinterpret_cast<void *>(0x700000000);
  return kSuccess;
}

Error hipFree(void *data) {
  ATTN_FAKE_ENTER("hipFree");
  note("hipFree %p on %d", data, current);
  return kSuccess;
}

Error hipMallocAsync(void **data, size_t bytes, void *stream) {
  ATTN_FAKE_ENTER("hipMallocAsync");
  note("hipMallocAsync %zu stream=%p on %d", bytes, stream, current);
  *data = reinterpret_cast<void *>(0x700000000);
  return kSuccess;
}

Error hipFreeAsync(void *data, void *stream) {
  ATTN_FAKE_ENTER("hipFreeAsync");
  note("hipFreeAsync %p stream=%p on %d", data, stream, current);
  return kSuccess;
}

} // extern "C"
