//===- Launcher.cpp - The C interface -------------------------------------===//

#include "attn-mlir-c/Launcher.h"
#include "DeviceFacts.h"
#include "Failure.h"
#include "OpenBundle.h"
#include <exception>
#include <memory>
#include <new>

using namespace attn;

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

namespace {
struct LastError {
  std::string text;
  /// Said instead where there is no memory for a text.
  const char *plain = "";
  /// Of the call that failed, 0 where it was none of the platform's.
  int32_t cudaCode = 0, hipCode = 0;
};
} // namespace

static thread_local LastError lastError;

static AttnStatus report(AttnStatus status, const char *text,
                         int32_t code = 0) noexcept {
  lastError.cudaCode = status == ATTN_ERROR_CUDA ? code : 0;
  lastError.hipCode = status == ATTN_ERROR_HIP ? code : 0;
  try {
    lastError.text = text;
    lastError.plain = lastError.text.c_str();
  } catch (...) {
    lastError.plain = "out of memory";
  }
  return status;
}

/// Runs `body`, which throws nothing across the interface.
template <typename Body> static AttnStatus guarded(Body body) noexcept {
  try {
    body();
    return ATTN_SUCCESS;
  } catch (const Failure &failure) {
    return report(failure.status, failure.text.c_str(), failure.code);
  } catch (const std::bad_alloc &) {
    return report(ATTN_ERROR_INTERNAL, "out of memory");
  } catch (const std::exception &error) {
    return report(ATTN_ERROR_INTERNAL, error.what());
  } catch (...) {
    return report(ATTN_ERROR_INTERNAL, "unknown exception");
  }
}

static void requireArgument(const void *pointer, const char *name) {
  if (!pointer)
    fail(ATTN_ERROR_ARGUMENT,
         std::string(name) + ": expected a pointer, but got null");
}

const char *attnLastError() { return lastError.plain; }
int32_t attnLastCudaError() { return lastError.cudaCode; }
int32_t attnLastHipError() { return lastError.hipCode; }
const char *attnVersion() { return ATTN_VERSION; }
int32_t attnAbiVersion() { return ATTN_ABI_VERSION; }

//===----------------------------------------------------------------------===//
// Bundles
//===----------------------------------------------------------------------===//

AttnStatus attnBundleOpen(const char *path, AttnBundle **bundle) {
  return guarded([&] {
    requireArgument(bundle, "bundle");
    *bundle = nullptr;
    requireArgument(path, "path");
    *bundle = new AttnBundle(readBundle(path));
  });
}

void attnBundleClose(AttnBundle *bundle) {
  if (!bundle)
    return;
  guarded([&] { unloadModules(*bundle); });
  delete bundle;
}

const char *attnBundleName(const AttnBundle *bundle) {
  return bundle ? bundle->manifest.name.c_str() : "";
}
const char *attnBundleTarget(const AttnBundle *bundle) {
  return bundle ? bundle->manifest.target.c_str() : "";
}
const char *attnBundleArch(const AttnBundle *bundle) {
  return bundle ? bundle->manifest.arch.c_str() : "";
}
int32_t attnBundleViewCount(const AttnBundle *bundle) {
  return bundle ? bundle->manifest.views.size() : 0;
}
int32_t attnBundleScalarCount(const AttnBundle *bundle) {
  return bundle ? bundle->manifest.scalars.size() : 0;
}
int32_t attnBundleVariantCount(const AttnBundle *bundle) {
  return bundle ? bundle->manifest.variants.size() : 0;
}

/// The entry of a query, which may be out of range.
template <typename Entry>
static const Entry &entryAt(const std::vector<Entry> &entries, int32_t index) {
  if (index < 0 || size_t(index) >= entries.size())
    fail(ATTN_ERROR_ARGUMENT,
         "index: " + wantedGot("0 to " + std::to_string(entries.size()) +
                                   " (exclusive)",
                               std::to_string(index)));
  return entries[index];
}

AttnStatus attnBundleView(const AttnBundle *bundle, int32_t index,
                          AttnViewInfo *info) {
  return guarded([&] {
    requireArgument(bundle, "bundle");
    requireArgument(info, "info");
    const ViewSpec &view = entryAt(bundle->manifest.views, index);
    *info = {};
    info->name = view.name.c_str();
    info->access = view.access;
    info->dtype = view.element;
    info->rank = view.shape.size();
    for (size_t i = 0; i < view.shape.size(); ++i) {
      int axis = view.shape[i].axis;
      info->sizes[i] = view.shape[i].size;
      info->axes[i] = axis < 0 ? nullptr : bundle->manifest.axes[axis].c_str();
      info->permutation[i] = view.permutation[i];
    }
  });
}

AttnStatus attnBundleScalar(const AttnBundle *bundle, int32_t index,
                            AttnScalarInfo *info) {
  return guarded([&] {
    requireArgument(bundle, "bundle");
    requireArgument(info, "info");
    const ScalarSpec &scalar = entryAt(bundle->manifest.scalars, index);
    *info = {scalar.name.c_str(), scalar.type};
  });
}

AttnStatus attnBundleVariant(const AttnBundle *bundle, int32_t index,
                             AttnVariantInfo *info) {
  return guarded([&] {
    requireArgument(bundle, "bundle");
    requireArgument(info, "info");
    const VariantSpec &variant = entryAt(bundle->manifest.variants, index);
    *info = {};
    info->kernel = variant.kernel.c_str();
    info->binary = bundle->manifest.binaries[variant.binary].file.c_str();
    info->guard = variant.guard.empty() ? nullptr : variant.guardText.c_str();
    info->block = variant.block;
    info->sharedBytes = variant.sharedBytes;
    info->parameterCount = variant.parameters.size();
  });
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

AttnStatus attnBundleLaunch(AttnBundle *bundle, const AttnTensor *views,
                            int32_t viewCount, const AttnScalar *scalars,
                            int32_t scalarCount, void *stream) {
  return guarded([&] {
    requireArgument(bundle, "bundle");
    Call call;
    Launch launch;
    plan(bundle->manifest, views, viewCount, scalars, scalarCount, call,
         launch);
    if (launch.grid == 0)
      return;
    const Runtime &runtime = runtimeOf(bundle->manifest);
    CurrentContext context(runtime, launch.device);
    resolve(*bundle, runtime, context.get(), call, launch);
    runtime.enqueue(launch, stream);
  });
}

AttnStatus attnBundlePrepare(AttnBundle *bundle, const AttnTensor *views,
                             int32_t viewCount, const AttnScalar *scalars,
                             int32_t scalarCount, AttnPrepared **prepared) {
  return guarded([&] {
    requireArgument(prepared, "prepared");
    *prepared = nullptr;
    requireArgument(bundle, "bundle");
    auto result = std::make_unique<AttnPrepared>();
    Launch &launch = result->launch;
    Call call;
    plan(bundle->manifest, views, viewCount, scalars, scalarCount, call,
         launch);
    if (launch.grid != 0) {
      result->runtime = &runtimeOf(bundle->manifest);
      CurrentContext context(*result->runtime, launch.device);
      resolve(*bundle, *result->runtime, context.get(), call, launch);
    }
    *prepared = result.release();
  });
}

AttnStatus attnPreparedInfo(AttnPrepared *prepared, AttnLaunchInfo *info) {
  return guarded([&] {
    requireArgument(prepared, "prepared");
    requireArgument(info, "info");
    Launch &launch = prepared->launch;
    *info = {};
    info->function = launch.function;
    info->context = launch.context.handle;
    info->variant = launch.variant;
    info->grid = launch.grid;
    info->block = launch.block;
    info->sharedBytes = launch.sharedBytes;
    info->parameters = launch.parameters;
    info->parameterCount = launch.parameterCount;
  });
}

AttnStatus attnPreparedLaunch(AttnPrepared *prepared, void *stream) {
  return guarded([&] {
    requireArgument(prepared, "prepared");
    if (!prepared->launch.function)
      return;
    CurrentContext context(*prepared->runtime, prepared->launch.context);
    prepared->runtime->enqueue(prepared->launch, stream);
  });
}

void attnPreparedDestroy(AttnPrepared *prepared) { delete prepared; }

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

AttnStatus attnDeviceFacts(const char *platform, int32_t device,
                           AttnDeviceFacts *facts) {
  return guarded([&] {
    requireArgument(platform, "platform");
    requireArgument(facts, "facts");
    *facts = {};
    std::string name = platform;
    if (name == "cuda")
      *facts = cudaDeviceFacts(device);
    else if (name == "hip")
      *facts = hipDeviceFacts(device);
    else
      fail(ATTN_ERROR_ARGUMENT,
           "platform: " + wantedGot("'cuda' or 'hip'", "'" + name + "'"));
  });
}
