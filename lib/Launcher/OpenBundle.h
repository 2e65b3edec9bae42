//===- OpenBundle.h - An opened bundle --------------------------*- C++ -*-===//

#ifndef ATTN_LIB_LAUNCHER_BUNDLE_H
#define ATTN_LIB_LAUNCHER_BUNDLE_H

#include "Runtime.h"
#include <array>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace attn {

/// All that a tensor map depends on: variant and parameter (which fix view,
/// box, swizzle and type), address, and sizes and strides as they are encoded.
struct MapKey {
  std::array<uint64_t, 2 + 2 * cuda::kTensorMapMaxRank> words;
  bool operator==(const MapKey &other) const { return words == other.words; }
};

struct MapKeyHash {
  size_t operator()(const MapKey &key) const;
};

/// What is kept for one context.
struct ContextState {
  Context context;
  int device;
  /// Of each binary and variant, null where not needed so far.
  std::vector<void *> modules, functions;
  std::unordered_map<MapKey, cuda::TensorMap, MapKeyHash> maps;
};

/// Maps kept for a context. Full, all are dropped: who needs so many has new
/// addresses in every call, where keeping the newest serves no better.
constexpr size_t kMaxKeptMaps = 4096;

/// A launch on its way; parameters point into it, so it stays where it is.
struct Launch {
  unsigned grid, block, sharedBytes;
  Context context;
  /// Null where the grid is empty.
  void *function;
  /// Of the views, or ATTN_DEVICE_UNKNOWN.
  int32_t device;
  unsigned variant;
  unsigned parameterCount;
  void *parameters[kMaxParameters];
  uint64_t words[kMaxParameters];
  /// Behind the words: who takes one for a tensor map reads on in here.
  cuda::TensorMap maps[kMaxTensorMaps];
};

} // namespace attn

/// The opaque types of the C interface.
struct AttnBundle {
  const attn::Manifest manifest;
  /// Guards `contexts` and what they point to.
  std::mutex mutex;
  std::vector<std::unique_ptr<attn::ContextState>> contexts;

  explicit AttnBundle(attn::Manifest manifest)
      : manifest(std::move(manifest)) {}
};

struct AttnPrepared {
  /// Null where the grid is empty.
  const attn::Runtime *runtime = nullptr;
  attn::Launch launch;
};

namespace attn {

/// The arguments of a call, checked.
struct Call {
  BoundView views[kMaxViews];
  const AttnScalar *scalars;
};

/// Checks the arguments, selects the variant and sizes the grid: all that needs
/// no driver.
void plan(const Manifest &manifest, const AttnTensor *tensors,
          int32_t tensorCount, const AttnScalar *scalars, int32_t scalarCount,
          Call &call, Launch &launch);

/// Fills in function and parameters for `context`, which is current.
void resolve(AttnBundle &bundle, const Runtime &runtime, const Context &context,
             const Call &call, Launch &launch);

/// Checks the views of a call against the manifest and fills `views`; the
/// device they are on, or ATTN_DEVICE_UNKNOWN.
int32_t bindViews(const Manifest &manifest, const AttnTensor *tensors,
                  int32_t count, BoundView *views);

void checkScalars(const Manifest &manifest, const AttnScalar *scalars,
                  int32_t count);

/// The first variant that applies; throws, and says why not, where none does.
unsigned selectVariant(const Manifest &manifest, const BoundView *views);

/// The state of the current context; holds the bundle's mutex.
ContextState &stateOf(AttnBundle &bundle, const Runtime &runtime,
                      const Context &context);

/// Loads the variant's module unless it is; holds the bundle's mutex.
void *functionOf(const Manifest &manifest, const Runtime &runtime,
                 ContextState &state, unsigned variant);

/// Throw unless the manifest's parameters are as many, or parameter `index` as
/// large, as the kernel says.
void checkParameterCount(const VariantSpec &variant, size_t count);
void checkParameterBytes(const Manifest &manifest, const VariantSpec &variant,
                         size_t index, size_t bytes);

/// Unloads the modules of all contexts that are known to exist.
void unloadModules(AttnBundle &bundle);

/// The tensor map of a parameter (CUDA's alone), kept or encoded; holds the
/// bundle's mutex.
void fillTensorMap(const Manifest &manifest, ContextState &state,
                   unsigned variant, unsigned parameter, const BoundView &view,
                   cuda::TensorMap &map);

} // namespace attn

#endif // ATTN_LIB_LAUNCHER_BUNDLE_H
