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

/// All that a tensor map depends on: step and parameter (which fix view,
/// box, swizzle and type), address, and sizes and strides as they are encoded.
struct MapKey {
  std::array<uint64_t, 2 + 2 * cuda::kTensorMapMaxRank> words;
  bool operator==(const MapKey &other) const { return words == other.words; }
};

struct MapKeyHash {
  size_t operator()(const MapKey &key) const;
};

/// The map that a parameter had last, of a call that was planned so.
struct RecentMap {
  /// 0: none.
  uint64_t plan = 0, data = 0;
  cuda::TensorMap map;
};

/// What is kept for one context.
struct ContextState {
  Context context;
  int device;
  /// Of each binary and step, null where not needed so far.
  std::vector<void *> modules, functions;
  std::unordered_map<MapKey, cuda::TensorMap, MapKeyHash> maps;
  /// Of each step and parameter.
  std::vector<std::vector<RecentMap>> recent;
};

/// Maps kept for a context. Full, all are dropped: who needs so many has new
/// addresses in every call, where keeping the newest serves no better.
constexpr size_t kMaxKeptMaps = 4096;

/// The launch of a step; parameters point into it, so it stays where it is.
struct Launch {
  unsigned grid, block, sharedBytes;
  /// CTAs of a cluster; 0: no clusters.
  unsigned cluster;
  /// It waits for the launch before it by itself.
  bool overlaps;
  /// Null where the grid is empty.
  void *function;
  unsigned parameterCount;
  void *parameters[kMaxParameters];
  uint64_t words[kMaxParameters];
  /// Behind the words: who takes one for a tensor map reads on in here.
  cuda::TensorMap maps[kMaxTensorMaps];
};

/// The launches of a call, one for each step. Most programs are one kernel:
/// its launch is on the stack, and needs no memory of its own.
class Launches {
public:
  /// Of the views, or ATTN_DEVICE_UNKNOWN.
  int32_t device;
  unsigned variant;
  /// Bytes of the workspace.
  uint64_t bytes;
  /// The number of its plan; calls of one differ in addresses alone.
  uint64_t plan = 0;
  Context context;

  void resize(unsigned steps) {
    count = steps;
    if (steps > 1)
      more.reset(new Launch[steps - 1]);
  }
  unsigned size() const { return count; }
  Launch &operator[](unsigned i) { return i ? more[i - 1] : first; }
  /// No step has anything to do.
  bool empty();

private:
  unsigned count = 0;
  Launch first;
  std::unique_ptr<Launch[]> more;
};

/// The arguments of a call, checked.
struct Call {
  /// The program's views, then the workspace of the variant.
  BoundView views[kMaxViews + kMaxWorkspace];
  const AttnScalar *scalars;
};

/// The plans of the last kinds of calls: arrays of the same sizes, strides and
/// alignments take the same variant, workspace and grids. Nothing of it depends
/// on scalars.
class KnownPlans {
public:
  /// Whether there was such a call, whose plan is filled in.
  bool recall(const Manifest &manifest, const AttnTensor *tensors, Call &call,
              Launches &launches);
  /// Keeps a plan, and gives it its number.
  void remember(const Manifest &manifest, const AttnTensor *tensors,
                const Call &call, Launches &launches);

private:
  static constexpr size_t kMostPlans = 8;
  struct Grid {
    unsigned grid, cluster;
  };
  struct Plan {
    std::vector<AttnTensor> tensors;
    std::vector<BoundView> views;
    int32_t device;
    unsigned variant;
    uint64_t bytes, number;
    std::vector<Grid> grids;
  };
  std::mutex mutex;
  std::vector<Plan> plans;
  /// How many were remembered; a further one takes the place of the oldest.
  uint64_t remembered = 0;
};

} // namespace attn

/// The opaque types of the C interface.
struct AttnBundle {
  const attn::Manifest manifest;
  attn::KnownPlans plans;
  /// Guards `contexts` and what they point to.
  std::mutex mutex;
  std::vector<std::unique_ptr<attn::ContextState>> contexts;

  explicit AttnBundle(attn::Manifest manifest)
      : manifest(std::move(manifest)) {}
};

struct AttnPrepared {
  /// Null where all grids are empty.
  const attn::Runtime *runtime = nullptr;
  attn::Launches launches;
  /// What was allocated for it, on `device`; 0: the workspace is the caller's.
  uint64_t workspace = 0;
  int device = 0;

  AttnPrepared() = default;
  AttnPrepared(const AttnPrepared &) = delete;
  AttnPrepared &operator=(const AttnPrepared &) = delete;
  ~AttnPrepared();
};

namespace attn {

/// Checks the arguments, selects the variant and sizes the grids: all that
/// needs no driver. Addresses of the workspace count from 0.
void plan(AttnBundle &bundle, const AttnTensor *tensors, int32_t tensorCount,
          const AttnScalar *scalars, int32_t scalarCount, Call &call,
          Launches &launches);

/// Fills in functions and parameters for `context`, which is current, with a
/// workspace at that address.
void resolve(AttnBundle &bundle, const Runtime &runtime, const Context &context,
             uint64_t workspace, Call &call, Launches &launches);

/// Launches the steps that have something to do, in order.
void enqueue(const Runtime &runtime, Launches &launches, void *stream);

/// Checks the views of a call against the manifest and fills `views`; the
/// device they are on, or ATTN_DEVICE_UNKNOWN.
int32_t bindViews(const Manifest &manifest, const AttnTensor *tensors,
                  int32_t count, BoundView *views);

void checkScalars(const Manifest &manifest, const AttnScalar *scalars,
                  int32_t count);

/// Fills in the arrays of a variant's workspace, behind each other from address
/// 0 on; their bytes.
uint64_t bindWorkspace(const Manifest &manifest, unsigned variant,
                       BoundView *views);

/// Checks a caller's workspace, and says where it is: on that device, if the
/// views do not.
void checkWorkspace(const AttnWorkspace *workspace, Launches &launches);

/// Makes the views of a step of those of the call, in `room` for kMaxViews.
const BoundView *bindSources(unsigned variant, const StepSpec &step,
                             const BoundView *views, BoundView *room);

/// The views of a step: most take those of the call.
inline const BoundView *bindStep(unsigned variant, const StepSpec &step,
                                 const BoundView *views, BoundView *room) {
  return step.sources.empty() ? views : bindSources(variant, step, views, room);
}

/// The first variant that applies, whose workspace of `bytes` is bound; throws,
/// and says why not, where none does.
unsigned selectVariant(const Manifest &manifest, BoundView *views,
                       uint64_t &bytes);

/// The state of the current context; holds the bundle's mutex.
ContextState &stateOf(AttnBundle &bundle, const Runtime &runtime,
                      const Context &context);

/// Loads the step's module unless it is; holds the bundle's mutex.
void *functionOf(const Manifest &manifest, const Runtime &runtime,
                 ContextState &state, const StepSpec &step);

/// Throw unless the manifest's parameters are as many, or parameter `index` as
/// large, as the kernel says.
void checkParameterCount(const StepSpec &step, size_t count);
void checkParameterBytes(const StepSpec &step, size_t index, size_t bytes);

/// Unloads the modules of all contexts that are known to exist.
void unloadModules(AttnBundle &bundle);

/// The tensor map of a parameter (CUDA's alone) of a step with these views,
/// kept or encoded; holds the bundle's mutex.
void fillTensorMap(const Manifest &manifest, ContextState &state,
                   const StepSpec &step, unsigned parameter,
                   const BoundView *views, uint64_t plan, cuda::TensorMap &map);

} // namespace attn

#endif // ATTN_LIB_LAUNCHER_BUNDLE_H
