//===- HostCall.cpp - Runs of compiled host code --------------------------===//

#include "Guarded.h"
#include "HostModule.h"
#include "attn-mlir-c/Host.h"
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

using namespace attn;

struct AttnHostCall {
  AttnHostHooks hooks = {};
  /// What was allocated and not freed.
  std::unordered_set<void *> live;

  AttnStatus tell(AttnStatus status) noexcept {
    if (status != ATTN_SUCCESS && hooks.error)
      hooks.error(hooks.user, status, attnLastError());
    return status;
  }
  void *stream() const {
    return hooks.stream ? hooks.stream(hooks.user) : nullptr;
  }
  void free(void *memory) const {
    if (hooks.allocate)
      hooks.deallocate(hooks.user, memory);
    else
      std::free(memory);
  }
};

//===----------------------------------------------------------------------===//
// Hooks
//===----------------------------------------------------------------------===//

static void requirePair(bool one, bool other, const char *name,
                        const char *otherName) {
  if (one != other)
    fail(ATTN_ERROR_ARGUMENT,
         "hooks: " + wantedGot("both of " + inQuotes(name) + " and " +
                                   inQuotes(otherName) + ", or none",
                               "one of them"));
}

static AttnHostHooks checkHooks(const AttnHostHooks *hooks) {
  AttnHostHooks result = {};
  if (!hooks)
    return result;
  if (hooks->bytes != sizeof(AttnHostHooks))
    fail(ATTN_ERROR_ARGUMENT,
         "hooks: " +
             wantedGot("'bytes' of " + std::to_string(sizeof(AttnHostHooks)),
                       std::to_string(hooks->bytes)));
  result = *hooks;
  requirePair(result.allocate, result.deallocate, "allocate", "deallocate");
  requirePair(result.acquire, result.release, "acquire", "release");
  requirePair(result.workspace, result.releaseWorkspace, "workspace",
              "releaseWorkspace");
  return result;
}

[[noreturn]] static void failHook(const std::string &what, int32_t status) {
  fail(ATTN_ERROR_HOOK, what + ": " + wantedGot("0", std::to_string(status)));
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

AttnStatus attnHostBegin(const AttnHostHooks *hooks, AttnHostCall **call) {
  return guarded([&] {
    requireArgument(call, "call");
    *call = nullptr;
    auto made = std::make_unique<AttnHostCall>();
    made->hooks = checkHooks(hooks);
    *call = made.release();
  });
}

AttnStatus attnHostEnd(AttnHostCall *call, AttnStatus status) {
  std::unique_ptr<AttnHostCall> owned(call);
  // What is left of a call that succeeded went elsewhere.
  if (call && status != ATTN_SUCCESS)
    for (void *memory : call->live)
      call->free(memory);
  return status;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static void *allocate(const AttnHostCall &call, uint64_t bytes,
                      uint64_t alignment) {
  if (call.hooks.allocate)
    return call.hooks.allocate(call.hooks.user, bytes, alignment);
  // aligned_alloc wants a multiple of the alignment.
  if (bytes > UINT64_MAX - alignment)
    return nullptr;
  return std::aligned_alloc(alignment,
                            (bytes + alignment - 1) / alignment * alignment);
}

AttnStatus attnHostAllocate(AttnHostCall *call, uint64_t bytes,
                            uint64_t alignment, void **memory) {
  AttnStatus status = guarded([&] {
    requireArgument(call, "call");
    requireArgument(memory, "memory");
    *memory = nullptr;
    // None may be asked for: an address of its own all the same.
    void *made = allocate(*call, bytes ? bytes : 1, alignment);
    if (!made)
      fail(call->hooks.allocate ? ATTN_ERROR_HOOK : ATTN_ERROR_INTERNAL,
           wantedGot("memory for a buffer of " + std::to_string(bytes) +
                         " bytes",
                     "none"));
    try {
      call->live.insert(made);
    } catch (...) {
      call->free(made);
      throw;
    }
    *memory = made;
  });
  return call ? call->tell(status) : status;
}

void attnHostFree(AttnHostCall *call, void *memory) {
  if (!call || !memory)
    return;
  call->live.erase(memory);
  call->free(memory);
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {

/// Operands that the device can address, given back at the end.
class Operands {
public:
  Operands(AttnHostCall &call, AttnBundle &bundle, AttnTensor *views,
           int32_t count, void *stream)
      : call(call), bundle(bundle), views(views), stream(stream) {
    int32_t device = call.hooks.device ? call.hooks.device(call.hooks.user)
                                       : ATTN_DEVICE_UNKNOWN;
    for (int32_t i = 0; i < count; ++i)
      views[i].device = device;
    if (!call.hooks.acquire)
      return;
    // What the hooks are told is the manifest's: check the count first.
    if (count != attnBundleViewCount(&bundle))
      return;
    buffers.assign(views, views + count);
  }

  void acquire() {
    for (; acquired < buffers.size(); ++acquired)
      if (int32_t failed = call.hooks.acquire(call.hooks.user, &views[acquired],
                                              accessOf(acquired), stream))
        failHook("hook 'acquire' for " + nameOf(acquired), failed);
  }

  /// All that were acquired; throws for the first that fails.
  void release(AttnStatus status) {
    int32_t failed = 0;
    size_t which = 0;
    for (size_t i = 0; i < acquired; ++i) {
      int32_t result = call.hooks.release(
          call.hooks.user, &buffers[i], &views[i], accessOf(i), stream, status);
      if (result && !failed) {
        failed = result;
        which = i;
      }
    }
    acquired = 0;
    if (failed && status == ATTN_SUCCESS)
      failHook("hook 'release' for " + nameOf(which), failed);
  }

private:
  AttnViewInfo infoOf(size_t i) const {
    AttnViewInfo info = {};
    attnBundleView(&bundle, static_cast<int32_t>(i), &info);
    return info;
  }
  int32_t accessOf(size_t i) const { return infoOf(i).access; }
  std::string nameOf(size_t i) const {
    return "view " + inQuotes(infoOf(i).name);
  }

  AttnHostCall &call;
  AttnBundle &bundle;
  AttnTensor *views;
  void *stream;
  std::vector<AttnTensor> buffers;
  size_t acquired = 0;
};

} // namespace

/// The code of the thread's last error.
static int32_t codeOf(AttnStatus status) {
  return status == ATTN_ERROR_CUDA ? attnLastCudaError() : attnLastHipError();
}

static void check(AttnStatus status) {
  if (status != ATTN_SUCCESS)
    throw Failure{status, attnLastError(), codeOf(status)};
}

/// Launches in a workspace of the hook's.
static void launchIn(const AttnHostCall &call, AttnBundle &bundle,
                     const AttnTensor *views, int32_t viewCount,
                     const AttnScalar *scalars, int32_t scalarCount,
                     void *stream) {
  uint64_t bytes = 0;
  check(attnBundleWorkspaceBytes(&bundle, views, viewCount, scalars,
                                 scalarCount, &bytes));
  if (bytes == 0)
    return check(attnBundleLaunch(&bundle, views, viewCount, scalars,
                                  scalarCount, stream));
  AttnWorkspace workspace = {};
  workspace.device = ATTN_DEVICE_UNKNOWN;
  if (int32_t failed =
          call.hooks.workspace(call.hooks.user, bytes, stream, &workspace))
    failHook("hook 'workspace'", failed);
  AttnStatus status = attnBundleLaunchIn(&bundle, views, viewCount, scalars,
                                         scalarCount, &workspace, stream);
  call.hooks.releaseWorkspace(call.hooks.user, &workspace, stream);
  check(status);
}

static void launch(AttnHostCall &call, AttnBundle &bundle, AttnTensor *views,
                   int32_t viewCount, const AttnScalar *scalars,
                   int32_t scalarCount) {
  void *stream = call.stream();
  Operands operands(call, bundle, views, viewCount, stream);
  AttnStatus status = guarded([&] {
    operands.acquire();
    if (call.hooks.workspace)
      launchIn(call, bundle, views, viewCount, scalars, scalarCount, stream);
    else
      check(attnBundleLaunch(&bundle, views, viewCount, scalars, scalarCount,
                             stream));
  });
  // The hooks may call the launcher, too.
  std::string text = status == ATTN_SUCCESS ? "" : attnLastError();
  int32_t code = codeOf(status);
  operands.release(status);
  if (status != ATTN_SUCCESS)
    throw Failure{status, std::move(text), code};
}

AttnStatus attnHostLaunch(AttnHostCall *call, AttnHostModule *module,
                          const char *program, AttnTensor *views,
                          int32_t viewCount, const AttnScalar *scalars,
                          int32_t scalarCount) {
  AttnStatus status = guarded([&] {
    requireArgument(call, "call");
    requireArgument(module, "module");
    requireArgument(program, "program");
    requireArgument(views, "views");
    launch(*call, openProgram(*module, program), views, viewCount, scalars,
           scalarCount);
  });
  return call ? call->tell(status) : status;
}
