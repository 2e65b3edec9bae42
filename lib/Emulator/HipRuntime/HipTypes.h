//===- HipTypes.h - What the emulator has of HIP's interface ----*- C++ -*-===//
//
// The names and numbers of HIP's public header hip_runtime_api.h (ROCm 5 and 6)
// that a launcher needs. HIP itself is not needed to build.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_MLIR_LIB_EMULATOR_HIPRUNTIME_HIPTYPES_H
#define ATTN_MLIR_LIB_EMULATOR_HIPRUNTIME_HIPTYPES_H

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

} // namespace attn::hip

#endif // ATTN_MLIR_LIB_EMULATOR_HIPRUNTIME_HIPTYPES_H
