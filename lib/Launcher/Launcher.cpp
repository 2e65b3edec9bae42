//===- Launcher.cpp - The C interface -------------------------------------===//

#include "attn-mlir-c/Launcher.h"
#include "DeviceFacts.h"
#include "Guarded.h"
#include "OpenBundle.h"
#include <memory>
#include <utility>

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

AttnStatus attn::report(AttnStatus status, const char *text,
                        int32_t code) noexcept {
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
    *bundle = new AttnBundle(readBundle(path, /*program=*/nullptr));
  });
}

AttnStatus attnBundleOpenProgram(const char *path, const char *program,
                                 AttnBundle **bundle) {
  return guarded([&] {
    requireArgument(bundle, "bundle");
    *bundle = nullptr;
    requireArgument(path, "path");
    requireArgument(program, "program");
    *bundle = new AttnBundle(readBundle(path, program));
  });
}

AttnStatus attnBundleOpenMemory(const void *data, uint64_t bytes,
                                const char *program, AttnBundle **bundle) {
  return guarded([&] {
    requireArgument(bundle, "bundle");
    *bundle = nullptr;
    requireArgument(data, "data");
    std::string_view archive(static_cast<const char *>(data), bytes);
    *bundle = new AttnBundle(readArchivedBundle(archive, program));
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

[[noreturn]] static void failIndex(const char *name, size_t count,
                                   int32_t index) {
  fail(ATTN_ERROR_ARGUMENT,
       std::string(name) + ": " +
           wantedGot("0 to " + std::to_string(count) + " (exclusive)",
                     std::to_string(index)));
}

/// The entry of a query, which may be out of range.
template <typename Entry>
static const Entry &entryAt(const std::vector<Entry> &entries, int32_t index) {
  if (index < 0 || size_t(index) >= entries.size())
    failIndex("index", entries.size(), index);
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
    info->guard = variant.guard.empty() ? nullptr : variant.guardText.c_str();
    info->stepCount = variant.steps.size();
    info->workspaceCount = variant.workspace.size();
  });
}

AttnStatus attnBundleStep(const AttnBundle *bundle, int32_t variant,
                          int32_t index, AttnStepInfo *info) {
  return guarded([&] {
    requireArgument(bundle, "bundle");
    requireArgument(info, "info");
    const StepSpec &step =
        entryAt(entryAt(bundle->manifest.variants, variant).steps, index);
    *info = {};
    info->kernel = step.kernel.c_str();
    info->binary = bundle->manifest.binaries[step.binary].file.c_str();
    info->block = step.block;
    info->sharedBytes = step.sharedBytes;
    info->parameterCount = step.parameters.size();
  });
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

namespace {
/// The arguments of a call, as they are passed.
struct Arguments {
  const AttnTensor *views;
  int32_t viewCount;
  const AttnScalar *scalars;
  int32_t scalarCount;

  void plan(AttnBundle &bundle, Call &call, Launches &launches) const {
    attn::plan(bundle, views, viewCount, scalars, scalarCount, call, launches);
  }
};

/// A workspace for what is launched on a stream as long as it lives.
class StreamWorkspace {
public:
  StreamWorkspace(const Runtime &runtime, void *stream, uint64_t bytes)
      : runtime(runtime), stream(stream),
        data(bytes ? runtime.allocateOn(stream, bytes) : 0) {}
  StreamWorkspace(const StreamWorkspace &) = delete;
  StreamWorkspace &operator=(const StreamWorkspace &) = delete;
  ~StreamWorkspace() {
    try {
      free();
    } catch (...) {
      // Another failure is on its way.
    }
  }

  uint64_t get() const { return data; }
  void free() {
    if (uint64_t its = std::exchange(data, 0))
      runtime.freeOn(stream, its);
  }

private:
  const Runtime &runtime;
  void *stream;
  uint64_t data;
};
} // namespace

AttnStatus attnBundleWorkspaceBytes(AttnBundle *bundle, const AttnTensor *views,
                                    int32_t viewCount,
                                    const AttnScalar *scalars,
                                    int32_t scalarCount, uint64_t *bytes) {
  return guarded([&] {
    requireArgument(bytes, "bytes");
    *bytes = 0;
    requireArgument(bundle, "bundle");
    Call call;
    Launches launches;
    Arguments{views, viewCount, scalars, scalarCount}.plan(*bundle, call,
                                                           launches);
    *bytes = launches.bytes;
  });
}

/// Takes a workspace in the stream's order where `given` is null.
static void launch(AttnBundle &bundle, const Arguments &arguments,
                   const AttnWorkspace *given, void *stream) {
  Call call;
  Launches launches;
  arguments.plan(bundle, call, launches);
  if (given)
    checkWorkspace(given, launches);
  if (launches.empty())
    return;
  const Runtime &runtime = runtimeOf(bundle.manifest);
  CurrentContext context(runtime, launches.device);
  StreamWorkspace workspace(runtime, stream, given ? 0 : launches.bytes);
  resolve(bundle, runtime, context.get(), given ? given->data : workspace.get(),
          call, launches);
  enqueue(runtime, launches, stream);
  workspace.free();
}

AttnStatus attnBundleLaunch(AttnBundle *bundle, const AttnTensor *views,
                            int32_t viewCount, const AttnScalar *scalars,
                            int32_t scalarCount, void *stream) {
  return guarded([&] {
    requireArgument(bundle, "bundle");
    launch(*bundle, {views, viewCount, scalars, scalarCount},
           /*given=*/nullptr, stream);
  });
}

AttnStatus attnBundleLaunchIn(AttnBundle *bundle, const AttnTensor *views,
                              int32_t viewCount, const AttnScalar *scalars,
                              int32_t scalarCount,
                              const AttnWorkspace *workspace, void *stream) {
  return guarded([&] {
    requireArgument(bundle, "bundle");
    requireArgument(workspace, "workspace");
    launch(*bundle, {views, viewCount, scalars, scalarCount}, workspace,
           stream);
  });
}

/// Allocates a workspace where `given` is null.
static std::unique_ptr<AttnPrepared> prepare(AttnBundle &bundle,
                                             const Arguments &arguments,
                                             const AttnWorkspace *given) {
  auto result = std::make_unique<AttnPrepared>();
  Launches &launches = result->launches;
  Call call;
  arguments.plan(bundle, call, launches);
  if (given)
    checkWorkspace(given, launches);
  if (launches.empty())
    return result;
  const Runtime &runtime = runtimeOf(bundle.manifest);
  CurrentContext context(runtime, launches.device);
  // Who destroys it on failure frees by these.
  result->runtime = &runtime;
  launches.context = context.get();
  if (launches.bytes && !given) {
    result->device = runtime.currentDevice();
    result->workspace = runtime.allocate(launches.bytes);
  }
  resolve(bundle, runtime, context.get(),
          given ? given->data : result->workspace, call, launches);
  return result;
}

AttnPrepared::~AttnPrepared() {
  if (workspace)
    runtime->free(launches.context, device, workspace);
}

AttnStatus attnBundlePrepare(AttnBundle *bundle, const AttnTensor *views,
                             int32_t viewCount, const AttnScalar *scalars,
                             int32_t scalarCount, AttnPrepared **prepared) {
  return guarded([&] {
    requireArgument(prepared, "prepared");
    *prepared = nullptr;
    requireArgument(bundle, "bundle");
    *prepared = prepare(*bundle, {views, viewCount, scalars, scalarCount},
                        /*given=*/nullptr)
                    .release();
  });
}

AttnStatus attnBundlePrepareIn(AttnBundle *bundle, const AttnTensor *views,
                               int32_t viewCount, const AttnScalar *scalars,
                               int32_t scalarCount,
                               const AttnWorkspace *workspace,
                               AttnPrepared **prepared) {
  return guarded([&] {
    requireArgument(prepared, "prepared");
    *prepared = nullptr;
    requireArgument(bundle, "bundle");
    requireArgument(workspace, "workspace");
    *prepared =
        prepare(*bundle, {views, viewCount, scalars, scalarCount}, workspace)
            .release();
  });
}

int32_t attnPreparedStepCount(const AttnPrepared *prepared) {
  return prepared ? prepared->launches.size() : 0;
}

AttnStatus attnPreparedInfo(AttnPrepared *prepared, int32_t step,
                            AttnLaunchInfo *info) {
  return guarded([&] {
    requireArgument(prepared, "prepared");
    requireArgument(info, "info");
    Launches &launches = prepared->launches;
    if (step < 0 || unsigned(step) >= launches.size())
      failIndex("step", launches.size(), step);
    Launch &launch = launches[step];
    *info = {};
    info->function = launch.function;
    info->context = launch.function ? launches.context.handle : nullptr;
    info->variant = launches.variant;
    info->grid = launch.grid;
    info->block = launch.block;
    info->sharedBytes = launch.sharedBytes;
    info->parameters = launch.parameters;
    info->parameterCount = launch.parameterCount;
    info->cluster = launch.cluster;
  });
}

AttnStatus attnPreparedLaunch(AttnPrepared *prepared, void *stream) {
  return guarded([&] {
    requireArgument(prepared, "prepared");
    if (!prepared->runtime)
      return;
    CurrentContext context(*prepared->runtime, prepared->launches.context);
    enqueue(*prepared->runtime, prepared->launches, stream);
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
