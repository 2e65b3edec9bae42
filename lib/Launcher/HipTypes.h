//===- HipTypes.h - What is used of HIP's interface -------------*- C++ -*-===//
//
// The project builds without ROCm: this header declares the types, constants
// and functions of HIP's ABI that the launcher calls and that its stand-in, the
// emulator's lib/Emulator/HipRuntime, has. Source: "HIP Runtime API Reference"
// and its public header hip_runtime_api.h, ROCm 5 to 7. Handles (hipModule_t,
// hipFunction_t, hipStream_t) are pointers.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_LAUNCHER_HIPTYPES_H
#define ATTN_LIB_LAUNCHER_HIPTYPES_H

#include <cstddef>

namespace attn::hip {

using Error = int;
enum : Error {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kInvalidDevicePointer = 17,
  kInvalidMemcpyDirection = 21,
  kInvalidDevice = 101,
  kInvalidImage = 200,
  kNoBinaryForGpu = 209,
  kInvalidHandle = 400,
  kNotFound = 500,
  kLaunchFailure = 719,
  kNotSupported = 801,
};

enum CopyKind : int {
  kHostToHost,
  kHostToDevice,
  kDeviceToHost,
  kDeviceToDevice,
  kDefaultDirection,
};

/// hipDeviceAttribute_t.
enum Attribute : int {
  kL2CacheSize = 19,
  kComputeCapabilityMajor = 23,
  kMaxBlockDimX = 26,
  kMaxBlockDimY = 27,
  kMaxBlockDimZ = 28,
  kMaxGridDimX = 29,
  kMaxGridDimY = 30,
  kMaxGridDimZ = 31,
  kMaxThreadsPerBlock = 56,
  kMaxThreadsPerMultiprocessor = 57,
  kComputeCapabilityMinor = 61,
  kMultiprocessorCount = 63,
  kMaxSharedMemoryPerBlock = 74,
  kSharedMemPerMultiprocessor = 76,
  kWarpSize = 87,
};

/// HIP_LAUNCH_PARAM_*: the keys of hipModuleLaunchKernel's `extra`.
inline void *const kLaunchParamBufferPointer = reinterpret_cast<void *>(1);
inline void *const kLaunchParamBufferSize = reinterpret_cast<void *>(2);
inline void *const kLaunchParamEnd = reinterpret_cast<void *>(3);

/// hipDeviceProp_t, of which two texts are used. Its layout was changed once,
/// and the function that fills it renamed with it: R0600 since ROCm 6, without
/// a suffix (R0000) before.
constexpr size_t kDeviceTextBytes = 256;
constexpr size_t kDeviceNameOffset = 0;
constexpr size_t kArchNameOffsetR0600 = 1160;
constexpr size_t kArchNameOffsetR0000 = 396;
constexpr size_t kDevicePropertiesBytesR0600 = 1472;
/// More than either layout has.
constexpr size_t kDevicePropertiesRoom = 4096;

} // namespace attn::hip

/// X(member, symbol, type): the functions without which nothing is launched.
#define ATTN_HIP_FUNCTIONS(X)                                                  \
  X(init, "hipInit", Error(unsigned))                                          \
  X(getErrorName, "hipGetErrorName", const char *(Error))                      \
  X(getErrorString, "hipGetErrorString", const char *(Error))                  \
  X(getLastError, "hipGetLastError", Error())                                  \
  X(getDevice, "hipGetDevice", Error(int *))                                   \
  X(setDevice, "hipSetDevice", Error(int))                                     \
  X(moduleLoadData, "hipModuleLoadData", Error(void **, const void *))         \
  X(moduleUnload, "hipModuleUnload", Error(void *))                            \
  X(moduleGetFunction, "hipModuleGetFunction",                                 \
    Error(void **, void *, const char *))                                      \
  X(moduleLaunchKernel, "hipModuleLaunchKernel",                               \
    Error(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,  \
          unsigned, void *, void **, void **))

/// One of those for properties is there. Only hipDeviceFacts asks for
/// attributes, and only workspaces for memory (stream-ordered since ROCm 5.3).
#define ATTN_HIP_OPTIONAL_FUNCTIONS(X)                                         \
  X(mallocAsync, "hipMallocAsync", Error(void **, size_t, void *))             \
  X(freeAsync, "hipFreeAsync", Error(void *, void *))                          \
  X(malloc, "hipMalloc", Error(void **, size_t))                               \
  X(free, "hipFree", Error(void *))                                            \
  X(deviceGetAttribute, "hipDeviceGetAttribute", Error(int *, int, int))       \
  X(getPropertiesR0600, "hipGetDevicePropertiesR0600", Error(void *, int))     \
  X(getPropertiesR0000, "hipGetDeviceProperties", Error(void *, int))

#endif // ATTN_LIB_LAUNCHER_HIPTYPES_H
