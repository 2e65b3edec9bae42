//===- Runtime.h - What differs between platforms --------------*- C++ -*-===//
//
// Manifests, arguments, variants and what is kept of a bundle are the same for
// all devices. The calls are not: those to CUDA's driver, to HIP's runtime and
// into code for the CPU are behind this interface.
//
//===----------------------------------------------------------------------===//

#ifndef ATTN_LIB_LAUNCHER_RUNTIME_H
#define ATTN_LIB_LAUNCHER_RUNTIME_H

#include "Manifest.h"
#include <string>
#include <vector>

namespace attn {

struct Launch;

/// Where code is loaded and launched.
struct Context {
  /// The CUcontext. HIP has one context a device, without a handle: null; so
  /// has the CPU.
  void *handle = nullptr;
  /// Unlike an address never used again. HIP: the device's ordinal. CPU: 0.
  uint64_t id = 0;
};

/// A context that was made current, and what was before.
struct ContextSwitch {
  Context context;
  /// False where it was current already.
  bool changed = false;
  /// Of HIP, the device to go back to.
  int previous = 0;
};

/// CUDA's driver, HIP's runtime or the CPU; opened. Functions throw Failure
/// unless they say otherwise.
class Runtime {
public:
  /// Makes a context on `device` current: the one that is, if it is on that
  /// device (or `device` is negative), else the device's primary one.
  virtual ContextSwitch enter(int32_t device) const = 0;
  virtual ContextSwitch enter(const Context &context) const = 0;
  virtual void leave(const ContextSwitch &entered) const noexcept = 0;

  /// The ordinal of the current context's device.
  virtual int currentDevice() const = 0;

  /// Loads a binary into the current context.
  virtual void *loadModule(const Manifest &manifest,
                           const BinarySpec &binary) const = 0;
  /// The kernel of a step, which fits the manifest and can be launched.
  virtual void *findFunction(const Manifest &manifest, const StepSpec &step,
                             void *module) const = 0;
  /// Unloads what was loaded into a context, if that still exists. Null modules
  /// are skipped.
  virtual void
  unloadModules(const Context &context, int device,
                const std::vector<void *> &modules) const noexcept = 0;

  /// Memory in the current context: for what follows on `stream`, or until it
  /// is freed.
  virtual uint64_t allocateOn(void *stream, uint64_t bytes) const = 0;
  virtual void freeOn(void *stream, uint64_t data) const = 0;
  virtual uint64_t allocate(uint64_t bytes) const = 0;
  /// In a context, if that still exists.
  virtual void free(const Context &context, int device,
                    uint64_t data) const noexcept = 0;

  /// In the current context.
  virtual void enqueue(Launch &launch, void *stream) const = 0;

protected:
  /// Runtimes are never destroyed: calls may come while the process ends.
  ~Runtime() = default;
};

/// What launches the bundles of a platform, opened at the first call. Throws
/// where that fails, and tries again at the next call.
const Runtime &runtimeOf(const Manifest &manifest);

/// The same if it was opened, else null; never throws.
const Runtime *openedRuntimeOf(const Manifest &manifest);

/// Nothing has to be opened.
const Runtime &cpuRuntime();
const Runtime &cudaRuntime();
const Runtime *openedCudaRuntime();
const Runtime &hipRuntime(const Manifest &manifest);
const Runtime *openedHipRuntime();

/// "for 64 CTAs of ...", for messages.
std::string describeLaunch(const Launch &launch);

/// Makes a context current as long as it lives.
class CurrentContext {
public:
  template <typename Where>
  CurrentContext(const Runtime &runtime, const Where &where)
      : runtime(runtime), entered(runtime.enter(where)) {}
  ~CurrentContext() {
    if (entered.changed)
      runtime.leave(entered);
  }
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;

  const Context &get() const { return entered.context; }

private:
  const Runtime &runtime;
  ContextSwitch entered;
};

} // namespace attn

#endif // ATTN_LIB_LAUNCHER_RUNTIME_H
