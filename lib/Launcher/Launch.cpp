//===- Launch.cpp - From the arguments of a call to a launch --------------===//

#include "Failure.h"
#include "OpenBundle.h"
#include <algorithm>
#include <cstring>
#include <iterator>

using namespace attn;

/// CTAs of a launch, at most. CUDA counts CTAs in 31 bits; a dispatch on AMD
/// GPUs threads in 32 (hsa_kernel_dispatch_packet_t).
static int64_t maxGrid(const Manifest &manifest, const StepSpec &step) {
  if (manifest.platform == Platform::Hip)
    return ((int64_t(1) << 32) - 1) / step.block;
  return (int64_t(1) << 31) - 1;
}

/// "variant 0", with the kernel where the variant has several.
static std::string describeStep(const Manifest &manifest, unsigned variant,
                                const StepSpec &step) {
  std::string text = "variant " + std::to_string(variant);
  return manifest.variants[variant].steps.size() == 1
             ? text
             : text + ", kernel " + inQuotes(step.kernel);
}

[[noreturn]] static void failGrid(const Manifest &manifest, unsigned variant,
                                  const StepSpec &step, int64_t grid,
                                  int64_t most) {
  std::string wanted = "0 to " + std::to_string(most) + " CTAs";
  if (manifest.platform == Platform::Hip)
    wanted += " of " + std::to_string(step.block) +
              " threads, fewer than 2^32 threads in all";
  fail(ATTN_ERROR_ARGUMENT, "the grid of " +
                                describeStep(manifest, variant, step) + ": " +
                                wantedGot(wanted, std::to_string(grid)));
}

/// No device has larger clusters of CTAs than the driver says in its error;
/// more than this is no number of them.
constexpr int64_t kMaxCluster = 1024;

/// Sets the CTAs of a launch, and those of its clusters.
static void setGrid(const Manifest &manifest, unsigned variant,
                    const StepSpec &step, const BoundView *views,
                    Launch &launch) {
  BoundView room[kMaxViews];
  views = bindStep(variant, step, views, room);
  const StepSpec *named =
      manifest.variants[variant].steps.size() == 1 ? nullptr : &step;
  int64_t grid = step.grid.evaluate(views, "the grid", variant, named);
  int64_t most = maxGrid(manifest, step);
  if (grid < 0 || grid > most)
    failGrid(manifest, variant, step, grid, most);
  launch.grid = grid;
  launch.cluster = 0;
  if (!step.hasCluster || grid == 0)
    return;
  int64_t cluster = step.cluster.evaluate(views, "the cluster", variant, named);
  if (cluster < 1 || cluster > kMaxCluster || grid % cluster != 0)
    fail(ATTN_ERROR_ARGUMENT,
         "the clusters of " + describeStep(manifest, variant, step) + ": " +
             wantedGot("1 to " + std::to_string(kMaxCluster) +
                           " CTAs, which divide the grid of " +
                           std::to_string(grid),
                       std::to_string(cluster)));
  launch.cluster = cluster;
}

/// Variant, workspace and grids of a call whose arrays are of a new kind.
static void planAnew(const Manifest &manifest, const AttnTensor *tensors,
                     int32_t count, Call &call, Launches &launches) {
  launches.device = bindViews(manifest, tensors, count, call.views);
  launches.variant = selectVariant(manifest, call.views, launches.bytes);
  const std::vector<StepSpec> &steps =
      manifest.variants[launches.variant].steps;
  launches.resize(steps.size());
  for (unsigned i = 0; i < steps.size(); ++i)
    setGrid(manifest, launches.variant, steps[i], call.views, launches[i]);
}

void attn::plan(AttnBundle &bundle, const AttnTensor *tensors,
                int32_t tensorCount, const AttnScalar *scalars,
                int32_t scalarCount, Call &call, Launches &launches) {
  const Manifest &manifest = bundle.manifest;
  bool isCall = tensors && tensorCount == int32_t(manifest.views.size());
  if (!isCall || !bundle.plans.recall(manifest, tensors, call, launches)) {
    planAnew(manifest, tensors, tensorCount, call, launches);
    bundle.plans.remember(manifest, tensors, call, launches);
  }
  checkScalars(manifest, scalars, scalarCount);
  call.scalars = scalars;
  launches.context = {};
  const std::vector<StepSpec> &steps =
      manifest.variants[launches.variant].steps;
  for (unsigned i = 0; i < steps.size(); ++i) {
    Launch &launch = launches[i];
    launch.block = steps[i].block;
    launch.sharedBytes = steps[i].sharedBytes;
    launch.overlaps = steps[i].overlaps;
    launch.function = nullptr;
    launch.parameterCount = 0;
  }
}

bool Launches::empty() {
  for (unsigned i = 0; i < count; ++i)
    if ((*this)[i].grid != 0)
      return false;
  return true;
}

/// Everything but a tensor map fits a word; the driver reads as many of its
/// bytes as the parameter has.
static uint64_t wordOf(const StepSpec &step, const ParameterSpec &spec,
                       const BoundView *views, const AttnScalar *scalars) {
  uint64_t word = 0;
  switch (spec.kind) {
  case ParameterKind::Pointer:
    return views[spec.index].data;
  case ParameterKind::Size:
    return views[spec.index].sizes[spec.dim];
  case ParameterKind::Stride:
    return views[spec.index].strides[spec.dim];
  case ParameterKind::Scalar: {
    const StepScalarSpec &its = step.scalars[spec.index];
    if (its.index < 0)
      return its.word;
    const AttnScalar &scalar = scalars[its.index];
    std::memcpy(&word, &scalar.value, bytesOf(AttnType(scalar.type)));
    return word;
  }
  case ParameterKind::TensorMap:
    break;
  }
  return 0;
}

/// The largest parameter, of zeros.
static cuda::TensorMap zeros;

static void fillParameters(const Manifest &manifest, ContextState &state,
                           const StepSpec &step, const BoundView *views,
                           const AttnScalar *scalars, uint64_t plan,
                           Launch &launch) {
  const auto &specs = step.parameters;
  unsigned maps = 0;
  for (unsigned i = 0; i < specs.size(); ++i) {
    if (specs[i].kind == ParameterKind::TensorMap) {
      cuda::TensorMap &map = launch.maps[maps++];
      fillTensorMap(manifest, state, step, i, views, plan, map);
      launch.parameters[i] = &map;
    } else {
      launch.words[i] = wordOf(step, specs[i], views, scalars);
      launch.parameters[i] = &launch.words[i];
    }
  }
  launch.parameterCount = specs.size();
  // Digests can be forged. A kernel that has more parameters than its manifest
  // says reads zeros, and none of this process's memory.
  std::fill(launch.parameters + specs.size(), std::end(launch.parameters),
            &zeros);
}

void attn::resolve(AttnBundle &bundle, const Runtime &runtime,
                   const Context &context, uint64_t workspace, Call &call,
                   Launches &launches) {
  const Manifest &manifest = bundle.manifest;
  const VariantSpec &variant = manifest.variants[launches.variant];
  for (size_t i = 0; i < variant.workspace.size(); ++i)
    call.views[manifest.views.size() + i].data += workspace;
  launches.context = context;
  std::lock_guard<std::mutex> lock(bundle.mutex);
  ContextState &state = stateOf(bundle, runtime, context);
  for (unsigned i = 0; i < launches.size(); ++i) {
    Launch &launch = launches[i];
    if (launch.grid == 0)
      continue;
    const StepSpec &step = variant.steps[i];
    BoundView room[kMaxViews];
    const BoundView *views = bindStep(launches.variant, step, call.views, room);
    launch.function = functionOf(manifest, runtime, state, step);
    fillParameters(manifest, state, step, views, call.scalars, launches.plan,
                   launch);
  }
}

void attn::enqueue(const Runtime &runtime, Launches &launches, void *stream) {
  bool first = true;
  for (unsigned i = 0; i < launches.size(); ++i) {
    if (launches[i].grid == 0)
      continue;
    // It would wait for the end of what was before the call, but what the call
    // reads may come from elsewhere.
    launches[i].overlaps &= !first;
    runtime.enqueue(launches[i], stream);
    first = false;
  }
}
