//===- Launch.cpp - From the arguments of a call to a launch --------------===//

#include "Failure.h"
#include "OpenBundle.h"
#include <algorithm>
#include <cstring>
#include <iterator>

using namespace attn;

/// CTAs of a launch, at most. CUDA counts CTAs in 31 bits; a dispatch on AMD
/// GPUs threads in 32 (hsa_kernel_dispatch_packet_t).
static int64_t maxGrid(const Manifest &manifest, const VariantSpec &variant) {
  if (manifest.platform == Platform::Hip)
    return ((int64_t(1) << 32) - 1) / variant.block;
  return (int64_t(1) << 31) - 1;
}

[[noreturn]] static void failGrid(const Manifest &manifest, unsigned index,
                                  int64_t grid, int64_t most) {
  std::string wanted = "0 to " + std::to_string(most) + " CTAs";
  if (manifest.platform == Platform::Hip)
    wanted += " of " + std::to_string(manifest.variants[index].block) +
              " threads, fewer than 2^32 threads in all";
  fail(ATTN_ERROR_ARGUMENT, "the grid of variant " + std::to_string(index) +
                                ": " + wantedGot(wanted, std::to_string(grid)));
}

static unsigned gridOf(const Manifest &manifest, unsigned index,
                       const BoundView *views) {
  const VariantSpec &variant = manifest.variants[index];
  int64_t grid = variant.grid.evaluate(views, "the grid", index);
  int64_t most = maxGrid(manifest, variant);
  if (grid < 0 || grid > most)
    failGrid(manifest, index, grid, most);
  return grid;
}

void attn::plan(const Manifest &manifest, const AttnTensor *tensors,
                int32_t tensorCount, const AttnScalar *scalars,
                int32_t scalarCount, Call &call, Launch &launch) {
  launch.device = bindViews(manifest, tensors, tensorCount, call.views);
  checkScalars(manifest, scalars, scalarCount);
  call.scalars = scalars;
  launch.variant = selectVariant(manifest, call.views);
  const VariantSpec &variant = manifest.variants[launch.variant];
  launch.grid = gridOf(manifest, launch.variant, call.views);
  launch.block = variant.block;
  launch.sharedBytes = variant.sharedBytes;
  launch.context = {};
  launch.function = nullptr;
  launch.parameterCount = 0;
}

/// Everything but a tensor map fits a word; the driver reads as many of its
/// bytes as the parameter has.
static uint64_t wordOf(const ParameterSpec &spec, const Call &call) {
  uint64_t word = 0;
  switch (spec.kind) {
  case ParameterKind::Pointer:
    return call.views[spec.index].data;
  case ParameterKind::Size:
    return call.views[spec.index].sizes[spec.dim];
  case ParameterKind::Stride:
    return call.views[spec.index].strides[spec.dim];
  case ParameterKind::Scalar: {
    const AttnScalar &scalar = call.scalars[spec.index];
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
                           const Call &call, Launch &launch) {
  const auto &specs = manifest.variants[launch.variant].parameters;
  unsigned maps = 0;
  for (unsigned i = 0; i < specs.size(); ++i) {
    if (specs[i].kind == ParameterKind::TensorMap) {
      cuda::TensorMap &map = launch.maps[maps++];
      fillTensorMap(manifest, state, launch.variant, i,
                    call.views[specs[i].index], map);
      launch.parameters[i] = &map;
    } else {
      launch.words[i] = wordOf(specs[i], call);
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
                   const Context &context, const Call &call, Launch &launch) {
  std::lock_guard<std::mutex> lock(bundle.mutex);
  ContextState &state = stateOf(bundle, runtime, context);
  launch.function = functionOf(bundle.manifest, runtime, state, launch.variant);
  launch.context = context;
  fillParameters(bundle.manifest, state, call, launch);
}
