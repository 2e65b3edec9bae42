//===- Runtime.cpp - The runtime of a bundle's platform -------------------===//

#include "Runtime.h"
#include "OpenBundle.h"

using namespace attn;

const Runtime &attn::runtimeOf(const Manifest &manifest) {
  switch (manifest.platform) {
  case Platform::Cpu:
    return cpuRuntime();
  case Platform::Hip:
    return hipRuntime(manifest);
  case Platform::Cuda:
    break;
  }
  return cudaRuntime();
}

const Runtime *attn::openedRuntimeOf(const Manifest &manifest) {
  switch (manifest.platform) {
  case Platform::Cpu:
    return &cpuRuntime();
  case Platform::Hip:
    return openedHipRuntime();
  case Platform::Cuda:
    break;
  }
  return openedCudaRuntime();
}

std::string attn::describeLaunch(const Launch &launch) {
  std::string clusters =
      launch.cluster ? " in clusters of " + std::to_string(launch.cluster) : "";
  return "for " + std::to_string(launch.grid) + " CTAs" + clusters + " of " +
         std::to_string(launch.block) + " threads with " +
         std::to_string(launch.sharedBytes) + " bytes of shared memory";
}
