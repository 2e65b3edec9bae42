//===- CpuRuntime.cpp - Bundles for this machine's CPU --------------------===//
//
// Code is a shared object, and a kernel of it a function over a range of CTAs.
// There is one device, 0, with one context; launches are done when they return,
// so a stream says nothing.
//
//===----------------------------------------------------------------------===//

#include "CpuCode.h"
#include "CpuThreads.h"
#include "Failure.h"
#include "OpenBundle.h"
#include <cstdlib>
#include <dlfcn.h>

using namespace attn;

//===----------------------------------------------------------------------===//
// This machine
//===----------------------------------------------------------------------===//

#if defined(__x86_64__)
static const char *const machine = "x86_64-v3";

/// What the code may use and this processor does not have.
static std::string missingFeatures() {
  std::string missing;
#define ATTN_CHECK(feature)                                                    \
  if (!__builtin_cpu_supports(feature))                                        \
    missing += std::string(missing.empty() ? "" : ", ") + (feature);
  ATTN_CHECK("avx2")
  ATTN_CHECK("fma")
  ATTN_CHECK("f16c")
  ATTN_CHECK("bmi")
  ATTN_CHECK("bmi2")
  ATTN_CHECK("lzcnt")
  ATTN_CHECK("movbe")
#undef ATTN_CHECK
  return missing;
}
#elif defined(__aarch64__)
static const char *const machine = "aarch64";
static std::string missingFeatures() { return ""; }
#else
static const char *const machine = "no architecture that bundles are for";
static std::string missingFeatures() { return ""; }
#endif

static void checkArch(const Manifest &manifest) {
  std::string where =
      "bundle " + inQuotes(manifest.name) + " for " + manifest.target + ": ";
  if (manifest.arch != machine)
    fail(ATTN_ERROR_BUNDLE,
         where +
             wantedGot("a machine of architecture " + manifest.arch, machine));
  if (std::string missing = missingFeatures(); !missing.empty())
    fail(ATTN_ERROR_BUNDLE, where + wantedGot("a processor of " + manifest.arch,
                                              "one without " + missing));
}

//===----------------------------------------------------------------------===//
// Runtime
//===----------------------------------------------------------------------===//

namespace {
class CpuRuntime final : public Runtime {
public:
  ContextSwitch enter(int32_t device) const override {
    if (device > 0)
      fail(ATTN_ERROR_ARGUMENT,
           wantedGot("arrays on the CPU, which is device 0",
                     "arrays on device " + std::to_string(device)));
    return {};
  }
  ContextSwitch enter(const Context &) const override { return {}; }
  void leave(const ContextSwitch &) const noexcept override {}
  int currentDevice() const override { return 0; }

  void *loadModule(const Manifest &manifest,
                   const BinarySpec &binary) const override {
    checkArch(manifest);
    return loadSharedObject(binary.contents, inQuotes(binary.file));
  }
  void *findFunction(const Manifest &manifest, const StepSpec &step,
                     void *module) const override {
    if (void *function = dlsym(module, step.kernel.c_str()))
      return function;
    fail(ATTN_ERROR_BUNDLE, inQuotes(manifest.binaries[step.binary].file) +
                                ": expected kernel " + inQuotes(step.kernel) +
                                ", which is missing");
  }
  void
  unloadModules(const Context &, int,
                const std::vector<void *> &modules) const noexcept override {
    for (void *module : modules)
      if (module)
        dlclose(module);
  }

  uint64_t allocateOn(void *, uint64_t bytes) const override {
    return allocate(bytes);
  }
  void freeOn(void *, uint64_t data) const override { free({}, 0, data); }
  uint64_t allocate(uint64_t bytes) const override {
    // Below 2^62, and so is the next multiple.
    uint64_t whole =
        (bytes + kWorkspaceAlign - 1) / kWorkspaceAlign * kWorkspaceAlign;
    void *data = std::aligned_alloc(kWorkspaceAlign, whole);
    if (!data)
      fail(ATTN_ERROR_INTERNAL, "out of memory: cannot allocate " +
                                    std::to_string(bytes) +
                                    " bytes of workspace");
    return reinterpret_cast<uint64_t>(data);
  }
  void free(const Context &, int, uint64_t data) const noexcept override {
    std::free(reinterpret_cast<void *>(data));
  }

  void enqueue(Launch &launch, void *) const override {
    runOnThreads(reinterpret_cast<CpuFunction *>(launch.function), launch.grid,
                 launch.parameters, cpuThreads());
  }
};
} // namespace

static CpuRuntime runtime;

const Runtime &attn::cpuRuntime() { return runtime; }
