//===- Modules.cpp - Device code of a bundle in a context -----------------===//

#include "Failure.h"
#include "OpenBundle.h"
#include <algorithm>

using namespace attn;

ContextState &attn::stateOf(AttnBundle &bundle, const Runtime &runtime,
                            const Context &context) {
  auto &contexts = bundle.contexts;
  for (auto &state : contexts)
    if (state->context.id == context.id)
      return *state;
  // Another id at the same address: that context, and its modules, are gone.
  if (context.handle)
    contexts.erase(std::remove_if(contexts.begin(), contexts.end(),
                                  [&](auto &state) {
                                    return state->context.handle ==
                                           context.handle;
                                  }),
                   contexts.end());
  auto state = std::make_unique<ContextState>();
  state->context = context;
  state->device = runtime.currentDevice();
  state->modules.resize(bundle.manifest.binaries.size());
  state->functions.resize(bundle.manifest.stepCount);
  contexts.push_back(std::move(state));
  return *contexts.back();
}

void attn::unloadModules(AttnBundle &bundle) {
  const Runtime *runtime = openedRuntimeOf(bundle.manifest);
  if (!runtime)
    return;
  for (auto &state : bundle.contexts)
    runtime->unloadModules(state->context, state->device, state->modules);
}

void *attn::functionOf(const Manifest &manifest, const Runtime &runtime,
                       ContextState &state, const StepSpec &step) {
  if (void *function = state.functions[step.number])
    return function;
  void *&module = state.modules[step.binary];
  if (!module)
    module = runtime.loadModule(manifest, manifest.binaries[step.binary]);
  return state.functions[step.number] =
             runtime.findFunction(manifest, step, module);
}

void attn::checkParameterCount(const StepSpec &step, size_t count) {
  if (count != step.parameters.size())
    fail(ATTN_ERROR_BUNDLE,
         "kernel " + inQuotes(step.kernel) + ": the manifest has " +
             std::to_string(step.parameters.size()) +
             " parameters, the kernel has " + std::to_string(count));
}

void attn::checkParameterBytes(const StepSpec &step, size_t index,
                               size_t bytes) {
  size_t ours = bytesOf(step, step.parameters[index]);
  if (bytes != ours)
    fail(ATTN_ERROR_BUNDLE, "kernel " + inQuotes(step.kernel) + ": parameter " +
                                std::to_string(index) + " has " +
                                std::to_string(ours) +
                                " bytes in the manifest, " +
                                std::to_string(bytes) + " in the kernel");
}
