/*===- Launcher.h - Launch a bundle on a GPU or the CPU ------------*- C -*-===*
 *
 * A bundle (docs/bundle.md) is what `attn-compile --emit=bundle` writes: device
 * code and a manifest that says how to launch it, as one or several programs. A
 * program is a row of kernels, its steps, and the memory that they share, its
 * workspace. This interface opens one program of a bundle and launches it. The
 * library behind it links neither LLVM nor CUDA nor ROCm. What the bundle's
 * architecture needs is opened at the first call that needs it: for "sm_..."
 * the CUDA driver (libcuda.so.1, or the file that the environment variable
 * ATTN_CUDA_DRIVER names), for "gfx..." the HIP runtime (libamdhip64.so, or the
 * file that ATTN_HIP_RUNTIME names). A "device" is one of that platform.
 * Bundles for "x86_64-v3" and "aarch64" run on this machine's CPU, on as many
 * threads as ATTN_CPU_THREADS says: "device memory" is the process's, of device
 * 0 or ATTN_DEVICE_UNKNOWN, streams say nothing, and a launch is done when it
 * returns.
 *
 * Errors: a function that returns an AttnStatus returns ATTN_SUCCESS (0) or
 * says what went wrong, in words, in attnLastError(). No function exits, aborts
 * or throws.
 *
 * Threads: all functions may be called from several threads at once, also on
 * one bundle; attnBundleClose and attnPreparedDestroy only when nobody else
 * uses their argument.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ATTN_MLIR_C_LAUNCHER_H
#define ATTN_MLIR_C_LAUNCHER_H

#include <stdint.h>

#if defined(_WIN32)
#define ATTN_C_API __declspec(dllexport)
#else
#define ATTN_C_API __attribute__((visibility("default")))
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Changes with every incompatible change of this header; see attnAbiVersion.
 */
#define ATTN_ABI_VERSION 4

/** Most dimensions of a view. */
#define ATTN_MAX_RANK 8

/** AttnTensor::device where the caller does not know it. */
#define ATTN_DEVICE_UNKNOWN (-1)

typedef enum AttnStatus {
  ATTN_SUCCESS = 0,
  /** An argument of the call is wrong: shape, element type, device, null. */
  ATTN_ERROR_ARGUMENT = 1,
  /** The bundle cannot be read or its manifest is not valid. */
  ATTN_ERROR_BUNDLE = 2,
  /** No variant of the bundle applies to these arguments. */
  ATTN_ERROR_NO_VARIANT = 3,
  /** The CUDA driver or the HIP runtime cannot be opened, or is too old. */
  ATTN_ERROR_DRIVER = 4,
  /** A call of the CUDA driver failed; attnLastCudaError() has its code. */
  ATTN_ERROR_CUDA = 5,
  /** Out of memory, or a defect of the launcher. */
  ATTN_ERROR_INTERNAL = 6,
  /** A call of the HIP runtime failed; attnLastHipError() has its code. */
  ATTN_ERROR_HIP = 7,
  /** A hook of the caller's failed (attn-mlir-c/Host.h). */
  ATTN_ERROR_HOOK = 8
} AttnStatus;

/** Types of elements and of scalars. */
typedef enum AttnType {
  ATTN_F16 = 0,
  ATTN_BF16 = 1,
  ATTN_F32 = 2,
  /* For scalars only. */
  ATTN_F64 = 3,
  ATTN_I1 = 4,
  ATTN_I8 = 5,
  ATTN_I16 = 6,
  /* For both. */
  ATTN_I32 = 7,
  ATTN_I64 = 8, /**< Also MLIR's index. */
  /* For elements only: FP8 (OCP; of AMD's gfx942). */
  ATTN_F8E4M3FN = 9,
  ATTN_F8E5M2 = 10,
  ATTN_F8E4M3FNUZ = 11
} AttnType;

typedef enum AttnAccess { ATTN_READ = 0, ATTN_WRITE = 1 } AttnAccess;

/** What a device says of itself; 0 where it does not say. */
typedef struct AttnDeviceFacts {
  char name[128];
  char arch[32];             /**< "sm_90", "gfx942". */
  int64_t sms;               /**< Multiprocessors or compute units. */
  int64_t max_resident_ctas; /**< Most CTAs of one of them. */
  int64_t smem_per_sm;       /**< Bytes of shared memory or LDS of one. */
  int64_t smem_per_block;    /**< Most bytes of it that a CTA may use. */
  int64_t registers_per_sm;  /**< 32-bit registers of one. */
  int64_t l2_bytes;  /**< Bytes of L2, of one die where it has several. */
  int64_t dram_gbps; /**< Memory bandwidth, 10^9 bytes a second. */
} AttnDeviceFacts;

/** A program of a bundle, opened. */
typedef struct AttnBundle AttnBundle;

/** A call whose variant, tensor maps and parameters are computed. */
typedef struct AttnPrepared AttnPrepared;

/**
 * A strided array in device memory. Dimensions are the caller's: the launcher
 * applies the view's permutation. Strides are in elements; that of a dimension
 * of size 1 is not looked at. The memory is the caller's and must live until
 * the launched work is done.
 */
typedef struct AttnTensor {
  uint64_t data;    /**< Device address of element 0; any where a size is 0. */
  int32_t dtype;    /**< AttnType. */
  int32_t rank;     /**< Entries used of `sizes` and `strides`. */
  int32_t device;   /**< Ordinal of the device, or ATTN_DEVICE_UNKNOWN. */
  int32_t reserved; /**< 0. */
  int64_t sizes[ATTN_MAX_RANK];
  int64_t strides[ATTN_MAX_RANK];
} AttnTensor;

/** A scalar argument; the field of `value` is that of `type`. */
typedef struct AttnScalar {
  int32_t type;     /**< AttnType. */
  int32_t reserved; /**< 0. */
  union {
    uint16_t bits16; /**< ATTN_F16, ATTN_BF16: the bits of the number. */
    float f32;
    double f64;
    uint8_t i1; /**< 0 or 1. */
    int8_t i8;
    int16_t i16;
    int32_t i32;
    int64_t i64;
  } value;
} AttnScalar;

/** Device memory for what steps hand to each other. It is the caller's, must
 * live until the launched work is done, and is not shared with other launches
 * that may run at the same time. What it holds does not matter. */
typedef struct AttnWorkspace {
  uint64_t data;    /**< Device address: a multiple of 256. */
  uint64_t bytes;   /**< At least what attnBundleWorkspaceBytes says. */
  int32_t device;   /**< Ordinal of the device, or ATTN_DEVICE_UNKNOWN. */
  int32_t reserved; /**< 0. */
} AttnWorkspace;

/** What the manifest says of a view. Strings live as long as the bundle. */
typedef struct AttnViewInfo {
  const char *name;
  int32_t access; /**< AttnAccess. */
  int32_t dtype;  /**< AttnType. */
  int32_t rank;
  /** The view's dimensions, in logical order; -1 where dynamic. */
  int64_t sizes[ATTN_MAX_RANK];
  /** Name of a dynamic dimension; null where it is static. Dimensions of one
   * name have one size. */
  const char *axes[ATTN_MAX_RANK];
  /** permutation[i] is the dimension of the caller's array that is dimension i
   * of the view. */
  int32_t permutation[ATTN_MAX_RANK];
} AttnViewInfo;

typedef struct AttnScalarInfo {
  const char *name;
  int32_t type; /**< AttnType. */
} AttnScalarInfo;

typedef struct AttnVariantInfo {
  const char *guard;      /**< In words; null where the variant has none. */
  int32_t stepCount;      /**< Kernels that it launches, in order. */
  int32_t workspaceCount; /**< Arrays of its workspace. */
} AttnVariantInfo;

/** One kernel of a variant. */
typedef struct AttnStepInfo {
  const char *kernel;
  const char *binary;  /**< File in the bundle's directory. */
  int32_t block;       /**< Threads of a CTA. */
  int32_t sharedBytes; /**< Dynamic shared memory of a CTA. */
  int32_t parameterCount;
} AttnStepInfo;

/** What cuLaunchKernelEx or hipModuleLaunchKernel is called with for a step.
 * Pointers live as long as the AttnPrepared. */
typedef struct AttnLaunchInfo {
  /** CUfunction or hipFunction_t; for the CPU a function void(int64_t begin,
   * int64_t end, void **parameters), for a range of CTAs. Null: the grid is
   * empty. */
  void *function;
  /** CUcontext of the function; null likewise, for HIP and for the CPU. */
  void *context;
  int32_t variant;
  uint32_t grid; /**< CTAs (x; y and z are 1); 0: there is nothing to launch. */
  uint32_t block;       /**< Threads of a CTA. */
  uint32_t sharedBytes; /**< Dynamic shared memory of a CTA. */
  void **parameters;    /**< kernelParams. */
  int32_t parameterCount;
  uint32_t cluster; /**< CTAs of a cluster (x); 0: none is asked for. */
} AttnLaunchInfo;

/** Version of the library, as "0.1.0". */
ATTN_C_API const char *attnVersion(void);

/** ATTN_ABI_VERSION of the library; another than the header's: do not call. */
ATTN_C_API int32_t attnAbiVersion(void);

/** The last error of the calling thread, "" where there was none. Valid until
 * the thread's next failing call. */
ATTN_C_API const char *attnLastError(void);

/** The CUresult of the thread's last error, 0 where it was none of CUDA's. */
ATTN_C_API int32_t attnLastCudaError(void);

/** The hipError_t of the thread's last error, 0 where it was none of HIP's. */
ATTN_C_API int32_t attnLastHipError(void);

/**
 * Reads the bundle `path` (UTF-8), a directory or one file (an archive,
 * docs/bundle.md), and all its binaries: it is not needed afterwards. Opens no
 * driver. `*bundle` is the caller's, for attnBundleClose; null on failure
 * (ATTN_ERROR_BUNDLE). Where the bundle has several programs,
 * attnBundleOpenProgram says which; else attnBundleOpen fails, and lists their
 * names.
 */
ATTN_C_API AttnStatus attnBundleOpen(const char *path, AttnBundle **bundle);
ATTN_C_API AttnStatus attnBundleOpenProgram(const char *path,
                                            const char *program,
                                            AttnBundle **bundle);

/** The same of an archive of `bytes` bytes at `data`, which is copied.
 * `program` is null for the only one. */
ATTN_C_API AttnStatus attnBundleOpenMemory(const void *data, uint64_t bytes,
                                           const char *program,
                                           AttnBundle **bundle);

/**
 * Unloads the modules and frees the bundle; null is allowed. All work launched
 * from it must be done, and CUDA graphs captured from it must not be launched
 * afterwards. A module in a context that is neither current nor a device's
 * primary one stays until that context is destroyed.
 */
ATTN_C_API void attnBundleClose(AttnBundle *bundle);

/** Name of the program, of the target and of its architecture ("sm_90a"). */
ATTN_C_API const char *attnBundleName(const AttnBundle *bundle);
ATTN_C_API const char *attnBundleTarget(const AttnBundle *bundle);
ATTN_C_API const char *attnBundleArch(const AttnBundle *bundle);

/** Counts; 0 for a null bundle. */
ATTN_C_API int32_t attnBundleViewCount(const AttnBundle *bundle);
ATTN_C_API int32_t attnBundleScalarCount(const AttnBundle *bundle);
ATTN_C_API int32_t attnBundleVariantCount(const AttnBundle *bundle);

/** Facts of one; ATTN_ERROR_ARGUMENT where `index` is out of range. */
ATTN_C_API AttnStatus attnBundleView(const AttnBundle *bundle, int32_t index,
                                     AttnViewInfo *info);
ATTN_C_API AttnStatus attnBundleScalar(const AttnBundle *bundle, int32_t index,
                                       AttnScalarInfo *info);
ATTN_C_API AttnStatus attnBundleVariant(const AttnBundle *bundle, int32_t index,
                                        AttnVariantInfo *info);
ATTN_C_API AttnStatus attnBundleStep(const AttnBundle *bundle, int32_t variant,
                                     int32_t index, AttnStepInfo *info);

/** Bytes of the workspace that the variant for these arguments takes; 0 where
 * it takes none. */
ATTN_C_API AttnStatus attnBundleWorkspaceBytes(
    AttnBundle *bundle, const AttnTensor *views, int32_t viewCount,
    const AttnScalar *scalars, int32_t scalarCount, uint64_t *bytes);

/**
 * Launches the first variant that applies, on `stream` (CUstream, cudaStream_t
 * or hipStream_t; null is the legacy default stream), and returns without
 * waiting for it. `views` and `scalars` are as many as the manifest has, in its
 * order; the arrays are not used after the return.
 *
 * The current context is used if it is on the tensors' device; else that
 * device's primary context is current during the call. (HIP's devices have one
 * context: the device is current during the call.) A call with a new
 * variant or context loads a module; any other only launches, and can be
 * captured into a CUDA graph. A workspace is allocated and freed in the order
 * of the stream (cuMemAllocAsync, hipMallocAsync).
 */
ATTN_C_API AttnStatus attnBundleLaunch(AttnBundle *bundle,
                                       const AttnTensor *views,
                                       int32_t viewCount,
                                       const AttnScalar *scalars,
                                       int32_t scalarCount, void *stream);

/** The same in a workspace of the caller's. */
ATTN_C_API AttnStatus attnBundleLaunchIn(
    AttnBundle *bundle, const AttnTensor *views, int32_t viewCount,
    const AttnScalar *scalars, int32_t scalarCount,
    const AttnWorkspace *workspace, void *stream);

/**
 * Everything that attnBundleLaunch does but the launch. `*prepared` is the
 * caller's, for attnPreparedDestroy before the bundle is closed; null on
 * failure. Its workspace is allocated once and freed with it: it can run once
 * at a time.
 */
ATTN_C_API AttnStatus attnBundlePrepare(
    AttnBundle *bundle, const AttnTensor *views, int32_t viewCount,
    const AttnScalar *scalars, int32_t scalarCount, AttnPrepared **prepared);

/** The same in a workspace of the caller's. */
ATTN_C_API AttnStatus attnBundlePrepareIn(
    AttnBundle *bundle, const AttnTensor *views, int32_t viewCount,
    const AttnScalar *scalars, int32_t scalarCount,
    const AttnWorkspace *workspace, AttnPrepared **prepared);

/** Steps of the variant; 0 for null. */
ATTN_C_API int32_t attnPreparedStepCount(const AttnPrepared *prepared);

/** What a step is launched with, in the order in which they are. */
ATTN_C_API AttnStatus attnPreparedInfo(AttnPrepared *prepared, int32_t step,
                                       AttnLaunchInfo *info);

/** Launches all steps on `stream`, as often as wanted, in the context of the
 * preparation, which must still exist. */
ATTN_C_API AttnStatus attnPreparedLaunch(AttnPrepared *prepared, void *stream);

/** All work launched from it must be done where it has a workspace. */
ATTN_C_API void attnPreparedDestroy(AttnPrepared *prepared);

/** Asks a device of a platform, "cuda" or "hip", what it is. */
ATTN_C_API AttnStatus attnDeviceFacts(const char *platform, int32_t device,
                                      AttnDeviceFacts *facts);

#ifdef __cplusplus
}
#endif

#endif /* ATTN_MLIR_C_LAUNCHER_H */
