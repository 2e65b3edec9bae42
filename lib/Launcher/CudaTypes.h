//===- CudaTypes.h - What is used of the CUDA driver's interface *- C++ -*-===//
//
// The project builds without a CUDA toolkit: this header declares the few
// types, constants and functions of the driver's ABI that the launcher uses.
// Source: "CUDA Driver API", CUDA 12.x and 13.0 (cuda.h and cudaTypedefs.h;
// sections "Data types used by CUDA driver", "Module Management", "Execution
// Control", "Tensor Map Object Management"). The ABI of a symbol never changes;
// what is incompatible gets a new suffix (_v2), which is named here where there
// is one.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_LAUNCHER_CUDATYPES_H
#define ATTN_LIB_LAUNCHER_CUDATYPES_H

#include <cstddef>
#include <cstdint>

namespace attn {
namespace cuda {

using Result = int; // CUresult: 0 is CUDA_SUCCESS
using Device = int; // CUdevice: the ordinal
using Context = struct CUctxObject *;
using Module = struct CUmodObject *;
using Function = struct CUfuncObject *;
using Stream = struct CUstreamObject *;
using DevicePointer = unsigned long long; // CUdeviceptr

constexpr Result kSuccess = 0;
constexpr Result kInvalidValue = 1;

// CUfunction_attribute
constexpr int kFuncMaxThreadsPerBlock = 0;
constexpr int kFuncSharedSizeBytes = 1;
constexpr int kFuncMaxDynamicSharedSizeBytes = 8;

// CUjit_option
constexpr int kJitErrorLogBuffer = 5;
constexpr int kJitErrorLogBufferSizeBytes = 6;

// CUdevice_attribute
constexpr int kDeviceMultiprocessorCount = 16;
constexpr int kDeviceMemoryClockRate = 36; // kHz
constexpr int kDeviceMemoryBusWidth = 37;  // bits
constexpr int kDeviceL2CacheSize = 38;
constexpr int kDeviceCapabilityMajor = 75;
constexpr int kDeviceCapabilityMinor = 76;
constexpr int kDeviceSharedPerMultiprocessor = 81;
constexpr int kDeviceRegistersPerMultiprocessor = 82;
constexpr int kDeviceSharedPerBlockOptin = 97;
constexpr int kDeviceBlocksPerMultiprocessor = 106;

// CUtensorMapDataType
constexpr int kTensorMapUInt8 = 0;
constexpr int kTensorMapFloat16 = 6;
constexpr int kTensorMapFloat32 = 7;
constexpr int kTensorMapBFloat16 = 9;

// CUtensorMapInterleave, CUtensorMapSwizzle, CUtensorMapL2promotion,
// CUtensorMapFloatOOBfill
constexpr int kTensorMapInterleaveNone = 0;
constexpr int kTensorMapSwizzleNone = 0;
constexpr int kTensorMapSwizzle32B = 1;
constexpr int kTensorMapSwizzle64B = 2;
constexpr int kTensorMapSwizzle128B = 3;
constexpr int kTensorMapL2Promotion128B = 2;
constexpr int kTensorMapFillZero = 0;

// Limits of cuTensorMapEncodeTiled.
constexpr unsigned kTensorMapMaxRank = 5;
constexpr int64_t kTensorMapMaxBox = 256;
constexpr int64_t kTensorMapAlign = 16;
constexpr int64_t kTensorMapMaxDim = int64_t(1) << 32;
constexpr int64_t kTensorMapStrideEnd = int64_t(1) << 40;

/// CUtensorMap; its own alignment is 128 since CUDA 13, and 64 is what
/// cuTensorMapEncodeTiled asks for.
struct alignas(128) TensorMap {
  uint64_t opaque[16];
};
static_assert(sizeof(TensorMap) == 128, "a tensor map is 128 bytes");

/// CUlaunchAttribute, with those of its values that are used.
struct LaunchAttribute {
  struct Cluster {
    unsigned x, y, z;
  };
  int id;
  char pad[4];
  union {
    int allowed;
    Cluster cluster;
    int policy;
    char bytes[64];
  };
};
/// CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION.
constexpr int kLaunchClusters = 4;
/// CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE, and of its values
/// CU_CLUSTER_SCHEDULING_POLICY_SPREAD.
constexpr int kLaunchClusterPolicy = 5, kClusterSpread = 1;
/// CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION.
constexpr int kLaunchOverlapping = 6;

/// CUlaunchConfig.
struct LaunchConfig {
  unsigned gridDimX, gridDimY, gridDimZ;
  unsigned blockDimX, blockDimY, blockDimZ;
  unsigned sharedMemBytes;
  Stream stream;
  LaunchAttribute *attributes;
  unsigned attributeCount;
};

} // namespace cuda
} // namespace attn

/// X(member, symbol, type): the functions without which nothing is launched.
/// cuTensorMapEncodeTiled and cuCtxGetId came with CUDA 12.0.
#define ATTN_CUDA_FUNCTIONS(X)                                                 \
  X(init, "cuInit", Result(unsigned))                                          \
  X(getErrorName, "cuGetErrorName", Result(Result, const char **))             \
  X(getErrorString, "cuGetErrorString", Result(Result, const char **))         \
  X(ctxGetCurrent, "cuCtxGetCurrent", Result(Context *))                       \
  X(ctxGetDevice, "cuCtxGetDevice", Result(Device *))                          \
  X(ctxGetId, "cuCtxGetId", Result(Context, unsigned long long *))             \
  X(ctxPushCurrent, "cuCtxPushCurrent_v2", Result(Context))                    \
  X(ctxPopCurrent, "cuCtxPopCurrent_v2", Result(Context *))                    \
  X(devicePrimaryCtxRetain, "cuDevicePrimaryCtxRetain",                        \
    Result(Context *, Device))                                                 \
  X(devicePrimaryCtxRelease, "cuDevicePrimaryCtxRelease_v2", Result(Device))   \
  X(devicePrimaryCtxGetState, "cuDevicePrimaryCtxGetState",                    \
    Result(Device, unsigned *, int *))                                         \
  X(moduleLoadDataEx, "cuModuleLoadDataEx",                                    \
    Result(Module *, const void *, unsigned, int *, void **))                  \
  X(moduleUnload, "cuModuleUnload", Result(Module))                            \
  X(moduleGetFunction, "cuModuleGetFunction",                                  \
    Result(Function *, Module, const char *))                                  \
  X(funcGetAttribute, "cuFuncGetAttribute", Result(int *, int, Function))      \
  X(funcSetAttribute, "cuFuncSetAttribute", Result(Function, int, int))        \
  X(launchKernelEx, "cuLaunchKernelEx",                                        \
    Result(const LaunchConfig *, Function, void **, void **))                  \
  X(memAlloc, "cuMemAlloc_v2", Result(DevicePointer *, size_t))                \
  X(memFree, "cuMemFree_v2", Result(DevicePointer))                            \
  X(memAllocAsync, "cuMemAllocAsync", Result(DevicePointer *, size_t, Stream)) \
  X(memFreeAsync, "cuMemFreeAsync", Result(DevicePointer, Stream))             \
  X(tensorMapEncodeTiled, "cuTensorMapEncodeTiled",                            \
    Result(TensorMap *, int, uint32_t, void *, const uint64_t *,               \
           const uint64_t *, const uint32_t *, const uint32_t *, int, int,     \
           int, int))

/// The functions that may be missing: they came with CUDA 12.4, or only
/// cuda::deviceFacts asks for them.
#define ATTN_CUDA_OPTIONAL_FUNCTIONS(X)                                        \
  X(funcLoad, "cuFuncLoad", Result(Function))                                  \
  X(funcGetParamInfo, "cuFuncGetParamInfo",                                    \
    Result(Function, size_t, size_t *, size_t *))                              \
  X(deviceGet, "cuDeviceGet", Result(Device *, int))                           \
  X(deviceGetName, "cuDeviceGetName", Result(char *, int, Device))             \
  X(deviceGetAttribute, "cuDeviceGetAttribute", Result(int *, int, Device))

#endif // ATTN_LIB_LAUNCHER_CUDATYPES_H
