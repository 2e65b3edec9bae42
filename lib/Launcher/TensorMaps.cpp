//===- TensorMaps.cpp - Encode tensor maps, and keep them -----------------===//

#include "Driver.h"
#include "Failure.h"
#include "OpenBundle.h"
#include <algorithm>

using namespace attn;
using namespace attn::cuda;

namespace {
/// The arguments of cuTensorMapEncodeTiled, innermost dimension first.
struct Geometry {
  uint64_t data;
  uint64_t sizes[kTensorMapMaxRank];
  /// In bytes; the innermost has none.
  uint64_t strides[kTensorMapMaxRank - 1];
};
} // namespace

size_t MapKeyHash::operator()(const MapKey &key) const {
  // Products that do not wait for each other: each place has a factor of its
  // own, which is odd.
  uint64_t hash = 0, factor = 0x9e3779b97f4a7c15;
  for (uint64_t word : key.words) {
    hash += (word ^ word >> 32) * factor;
    factor += 0x6a09e667f3bcc908;
  }
  return hash ^ hash >> 32;
}

[[noreturn]] static void unmappable(const ViewSpec &spec,
                                    const std::string &text) {
  fail(ATTN_ERROR_ARGUMENT,
       "view " + inQuotes(spec.name) + ", for its tensor map: " + text);
}

/// Byte stride of a dimension that is longer than 1.
static uint64_t byteStride(const ViewSpec &spec, const BoundView &view,
                           unsigned dim) {
  // Does not overflow: who bound the view multiplied it with the size, too.
  int64_t bytes = view.strides[dim] * bytesOf(spec.element);
  if (bytes < 0 || bytes >= kTensorMapStrideEnd || bytes % kTensorMapAlign)
    unmappable(spec,
               wantedGot("the stride of dimension " + std::to_string(dim) +
                             " to be a multiple of 16 bytes from 0 to "
                             "2^40 - 16",
                         std::to_string(bytes) + " bytes"));
  return bytes;
}

/// An address that a copy may read, for maps of views without elements: kernels
/// of packed sequences fetch a tile before they know that it has no rows, and
/// use nothing of it. The 16 bytes are those of another view's first element.
static uint64_t standIn(const BoundView *views, size_t count) {
  const BoundView *found = std::find_if(
      views, views + count, [](const BoundView &view) { return !view.empty; });
  return found == views + count
             ? kTensorMapAlign
             : found->data / kTensorMapAlign * kTensorMapAlign;
}

static Geometry geometryOf(const ViewSpec &spec, const BoundView &view,
                           uint64_t data) {
  Geometry result{};
  unsigned rank = spec.shape.size();
  result.data = data;
  for (unsigned i = 0; i < rank; ++i) {
    unsigned dim = rank - 1 - i;
    int64_t size = view.sizes[dim];
    if (size > kTensorMapMaxDim)
      unmappable(spec, wantedGot("dimension " + std::to_string(dim) +
                                     " to be at most 2^32",
                                 std::to_string(size)));
    // No dimension of a map is 0. That of a view with one has a single element.
    result.sizes[i] = view.empty ? 1 : size;
    // The stride of a dimension of size 1 can be anything: take one that is
    // allowed, which no access multiplies by more than 0.
    if (i > 0)
      result.strides[i - 1] = size <= 1 || view.empty
                                  ? kTensorMapAlign
                                  : byteStride(spec, view, dim);
  }
  if (view.empty)
    return result;
  if (view.data % kTensorMapAlign)
    unmappable(spec,
               "expected a base address of a multiple of 16 bytes, but got one "
               "that is " +
                   std::to_string(view.data % kTensorMapAlign) +
                   " bytes behind");
  if (view.sizes[rank - 1] != 1 && view.strides[rank - 1] != 1)
    unmappable(spec, wantedGot("stride 1 of the last dimension",
                               std::to_string(view.strides[rank - 1])));
  return result;
}

static int dataTypeOf(AttnType element) {
  return element == ATTN_F16     ? kTensorMapFloat16
         : element == ATTN_BF16  ? kTensorMapBFloat16
         : bytesOf(element) == 1 ? kTensorMapUInt8
                                 : kTensorMapFloat32;
}

static int swizzleOf(unsigned bytes) {
  return bytes == 32    ? kTensorMapSwizzle32B
         : bytes == 64  ? kTensorMapSwizzle64B
         : bytes == 128 ? kTensorMapSwizzle128B
                        : kTensorMapSwizzleNone;
}

static void encode(const ViewSpec &spec, const ParameterSpec &parameter,
                   const Geometry &geometry, TensorMap &map) {
  unsigned rank = spec.shape.size();
  uint32_t box[kTensorMapMaxRank], steps[kTensorMapMaxRank];
  for (unsigned i = 0; i < rank; ++i) {
    box[i] = parameter.box[rank - 1 - i];
    steps[i] = 1;
  }
  const Driver &cuda = driver();
  cuda.check(cuda.tensorMapEncodeTiled(
                 &map, dataTypeOf(spec.element), rank,
                 reinterpret_cast<void *>(geometry.data), geometry.sizes,
                 geometry.strides, box, steps, kTensorMapInterleaveNone,
                 swizzleOf(parameter.swizzle), kTensorMapL2Promotion128B,
                 kTensorMapFillZero),
             "cuTensorMapEncodeTiled", "for view " + inQuotes(spec.name));
}

static MapKey keyOf(unsigned step, unsigned parameter,
                    const Geometry &geometry) {
  MapKey key;
  uint64_t *word = key.words.data();
  *word++ = uint64_t(step) << 32 | parameter;
  *word++ = geometry.data;
  word = std::copy(std::begin(geometry.sizes), std::end(geometry.sizes), word);
  word =
      std::copy(std::begin(geometry.strides), std::end(geometry.strides), word);
  *word = 0;
  return key;
}

/// The last map of each parameter of a step, made at its first use.
static RecentMap *recentMaps(const Manifest &manifest, ContextState &state,
                             const StepSpec &step) {
  state.recent.resize(manifest.stepCount);
  std::vector<RecentMap> &its = state.recent[step.number];
  its.resize(step.parameters.size());
  return its.data();
}

void attn::fillTensorMap(const Manifest &manifest, ContextState &state,
                         const StepSpec &step, unsigned parameter,
                         const BoundView *views, uint64_t plan,
                         TensorMap &map) {
  RecentMap &recent = recentMaps(manifest, state, step)[parameter];
  const ParameterSpec &spec = step.parameters[parameter];
  const BoundView &view = views[spec.index];
  if (plan && recent.plan == plan && recent.data == view.data && !view.empty) {
    map = recent.map;
    return;
  }
  const std::vector<ViewSpec> &specs = manifest.viewsOf(step);
  const ViewSpec &viewSpec = specs[spec.index];
  Geometry geometry = geometryOf(
      viewSpec, view, view.empty ? standIn(views, specs.size()) : view.data);
  MapKey key = keyOf(step.number, parameter, geometry);
  auto found = state.maps.find(key);
  if (found == state.maps.end()) {
    TensorMap encoded;
    encode(viewSpec, spec, geometry, encoded);
    if (state.maps.size() >= kMaxKeptMaps)
      state.maps.clear();
    found = state.maps.emplace(key, encoded).first;
  }
  map = found->second;
  recent = {plan, view.data, map};
}
