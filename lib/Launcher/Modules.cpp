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
  state->functions.resize(bundle.manifest.variants.size());
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
                       ContextState &state, unsigned index) {
  if (void *function = state.functions[index])
    return function;
  const VariantSpec &variant = manifest.variants[index];
  void *&module = state.modules[variant.binary];
  if (!module)
    module = runtime.loadModule(manifest, manifest.binaries[variant.binary]);
  return state.functions[index] =
             runtime.findFunction(manifest, variant, module);
}

void attn::checkParameterCount(const VariantSpec &variant, size_t count) {
  if (count != variant.parameters.size())
    fail(ATTN_ERROR_BUNDLE,
         "kernel " + inQuotes(variant.kernel) + ": the manifest has " +
             std::to_string(variant.parameters.size()) +
             " parameters, the kernel has " + std::to_string(count));
}

void attn::checkParameterBytes(const Manifest &manifest,
                               const VariantSpec &variant, size_t index,
                               size_t bytes) {
  size_t ours = bytesOf(manifest, variant.parameters[index]);
  if (bytes != ours)
    fail(ATTN_ERROR_BUNDLE, "kernel " + inQuotes(variant.kernel) +
                                ": parameter " + std::to_string(index) +
                                " has " + std::to_string(ours) +
                                " bytes in the manifest, " +
                                std::to_string(bytes) + " in the kernel");
}
