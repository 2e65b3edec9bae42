//===- Bundle.h - An opened bundle -----------------------------*- C++ -*-===//

#ifndef ATTN_LIB_LAUNCHER_BUNDLE_H
#define ATTN_LIB_LAUNCHER_BUNDLE_H

#include "Driver.h"
#include "Manifest.h"
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

/// What is kept for one CUDA context.
struct ContextState {
  /// Of the context; unlike its address never used again.
  unsigned long long id;
  cuda::Context context;
  cuda::Device device;
  /// Of each binary and variant, null where not needed so far.
  std::vector<cuda::Module> modules;
  std::vector<cuda::Function> functions;
  std::unordered_map<MapKey, cuda::TensorMap, MapKeyHash> maps;
};

/// Maps kept for a context. Full, all are dropped: who needs so many has new
/// addresses in every call, where keeping the newest serves no better.
constexpr size_t kMaxKeptMaps = 4096;

/// A launch on its way; parameters point into it, so it stays where it is.
struct Launch {
  cuda::LaunchConfig config;
  /// Null where the grid is empty.
  cuda::Context context;
  cuda::Function function;
  /// Of the views, or ATTN_DEVICE_UNKNOWN.
  int32_t device;
  unsigned variant;
  unsigned parameterCount;
  void *parameters[kMaxParameters];
  uint64_t words[kMaxParameters];
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
void resolve(AttnBundle &bundle, cuda::Context context, const Call &call,
             Launch &launch);

/// Checks the views of a call against the manifest and fills `views`; the
/// device they are on, or ATTN_DEVICE_UNKNOWN.
int32_t bindViews(const Manifest &manifest, const AttnTensor *tensors,
                  int32_t count, BoundView *views);

void checkScalars(const Manifest &manifest, const AttnScalar *scalars,
                  int32_t count);

/// The first variant that applies; throws, and says why not, where none does.
unsigned selectVariant(const Manifest &manifest, const BoundView *views);

/// The state of the current context; holds the bundle's mutex.
ContextState &stateOf(AttnBundle &bundle, cuda::Context context);

/// Loads the variant's module unless it is; holds the bundle's mutex.
cuda::Function functionOf(const Manifest &manifest, ContextState &state,
                          unsigned variant);

/// Unloads the modules of the current context and of active primary ones.
/// Others go with their contexts, of which nobody can say whether they still
/// exist.
void unloadModules(AttnBundle &bundle);

/// The tensor map of a parameter, kept or encoded; holds the bundle's mutex.
void fillTensorMap(const Manifest &manifest, ContextState &state,
                   unsigned variant, unsigned parameter, const BoundView &view,
                   cuda::TensorMap &map);

} // namespace attn

#endif // ATTN_LIB_LAUNCHER_BUNDLE_H
