/*===- Host.h - What compiled host code calls ----------------------*- C -*-===*
 *
 * The pass convert-attn-to-host (docs/embedding.md) makes functions that call
 * what is declared here: programs of a bundle that is part of their object file
 * are launched, with memory, a stream and a device of the caller's. It is part
 * of the launcher's library (attn-mlir-c/Launcher.h).
 *
 * What a caller writes is a table of hooks:
 *
 *   int32_t f(const AttnHostHooks *hooks, ...);   a compiled function
 *
 *   AttnHostHooks hooks;
 *   memset(&hooks, 0, sizeof hooks);
 *   hooks.bytes = sizeof hooks;
 *   hooks.stream = currentStream;
 *   if (f(&hooks, ...) != ATTN_SUCCESS)
 *     puts(attnLastError());
 *
 * All functions may be called from several threads at once; a call belongs to
 * the thread that began it. Nothing here exits, aborts or throws.
 *
 *===----------------------------------------------------------------------===*/

#ifndef ATTN_MLIR_C_HOST_H
#define ATTN_MLIR_C_HOST_H

#include "attn-mlir-c/Launcher.h"

#ifdef __cplusplus
extern "C" {
#endif

/**
 * What host code asks of its caller. Any function may be null: then the default
 * that is named there holds. `user` is passed to all of them. Hooks that return
 * a status return 0, or anything else for a failure, which the compiled
 * function returns as ATTN_ERROR_HOOK.
 */
typedef struct AttnHostHooks {
  /** sizeof(AttnHostHooks), by which later versions know this one. */
  uint64_t bytes;
  void *user;

  /** Memory for a buffer of the function, at a multiple of `alignment` (a power
   * of two); null where there is none. Default: the process's memory. */
  void *(*allocate)(void *user, uint64_t bytes, uint64_t alignment);
  /** Frees what `allocate` returned. Set with it, or not at all. */
  void (*deallocate)(void *user, void *memory);

  /** The stream of a launch: CUstream or hipStream_t. Default: null, the legacy
   * default stream. */
  void *(*stream)(void *user);
  /** Ordinal of the device that operands are on. Default:
   * ATTN_DEVICE_UNKNOWN, the current one. */
  int32_t (*device)(void *user);

  /** Makes an operand one that the device can address: `tensor`, whose `data`
   * is an address in the function's buffers, may get another `data`, `device`
   * and `strides`; `access` is AttnAccess. What is to be read is copied in the
   * order of `stream`. Default: buffers are addressable as they are. */
  int32_t (*acquire)(void *user, AttnTensor *tensor, int32_t access,
                     void *stream);
  /** Gives back what `acquire` made of `buffer`, after the launch: what was
   * written is copied. Called for each operand that was acquired, also where
   * the launch failed (`status`). Set with `acquire`, or not at all. */
  int32_t (*release)(void *user, const AttnTensor *buffer,
                     const AttnTensor *acquired, int32_t access, void *stream,
                     int32_t status);

  /** Memory on the device for what kernels of a launch hand to each other:
   * fills in `workspace` (attn-mlir-c/Launcher.h), at least `bytes` long.
   * Default: the launcher's own, in the order of the stream. */
  int32_t (*workspace)(void *user, uint64_t bytes, void *stream,
                       AttnWorkspace *workspace);
  /** Takes it back, when the launch is on its way. Set with `workspace`, or not
   * at all. */
  void (*releaseWorkspace)(void *user, const AttnWorkspace *workspace,
                           void *stream);

  /** Told of a failure once, where it happens, with its words, which are those
   * of attnLastError(). Default: nothing. */
  void (*error)(void *user, int32_t status, const char *message);
} AttnHostHooks;

/** A bundle in an object file. `opened` is null, and the library's. */
typedef struct AttnHostModule {
  const void *bundle; /**< An archive (docs/bundle.md). */
  uint64_t bytes;
  void *opened;
} AttnHostModule;

/** One run of a compiled function. */
typedef struct AttnHostCall AttnHostCall;

/** Begins a call. `hooks` may be null, and are copied; ATTN_ERROR_ARGUMENT
 * where they are not valid. `*call` is for attnHostEnd; null on failure. */
ATTN_C_API AttnStatus attnHostBegin(const AttnHostHooks *hooks,
                                    AttnHostCall **call);

/** Ends a call, frees memory that a failure left allocated, and returns
 * `status`. */
ATTN_C_API AttnStatus attnHostEnd(AttnHostCall *call, AttnStatus status);

/** Launches a program of the module, which is opened by the first call. Views
 * and scalars are as in attnBundleLaunch; `views` are changed. */
ATTN_C_API AttnStatus attnHostLaunch(AttnHostCall *call, AttnHostModule *module,
                                     const char *program, AttnTensor *views,
                                     int32_t viewCount,
                                     const AttnScalar *scalars,
                                     int32_t scalarCount);

/** Memory for a buffer, by the hook. `*memory` is null on failure. */
ATTN_C_API AttnStatus attnHostAllocate(AttnHostCall *call, uint64_t bytes,
                                       uint64_t alignment, void **memory);

/** Frees it; null is allowed. */
ATTN_C_API void attnHostFree(AttnHostCall *call, void *memory);

/** Unloads what was opened of a module, before its object is unloaded. Nobody
 * uses it at that time; a launch after it opens it anew. */
ATTN_C_API void attnHostModuleClose(AttnHostModule *module);

#ifdef __cplusplus
}
#endif

#endif /* ATTN_MLIR_C_HOST_H */
