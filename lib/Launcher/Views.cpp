//===- Views.cpp - Check the arguments of a call --------------------------===//

#include "Failure.h"
#include "OpenBundle.h"

using namespace attn;

namespace {
/// An argument, for messages.
struct Argument {
  const ViewSpec &spec;
  const AttnTensor &tensor;
  int index;

  [[noreturn]] void error(const std::string &text) const {
    fail(ATTN_ERROR_ARGUMENT, "view " + inQuotes(spec.name) + " (argument " +
                                  std::to_string(index) + "): " + text);
  }
  /// The view's dimension, and the caller's where it is another.
  std::string dimension(unsigned dim) const {
    std::string text = "dimension " + std::to_string(dim);
    if (spec.permutation[dim] != int(dim))
      text += " (" + std::to_string(spec.permutation[dim]) + " of the array)";
    return text;
  }
};

/// The size of an axis and the dimension that set it.
struct AxisSize {
  int64_t size; // -1: not known yet.
  unsigned view, dim;
};
} // namespace

static void checkForm(const Argument &argument) {
  const ViewSpec &spec = argument.spec;
  const AttnTensor &tensor = argument.tensor;
  if (tensor.dtype != spec.element)
    argument.error("expected element type " +
                   std::string(nameOf(spec.element)) + ", but got " +
                   nameOf(tensor.dtype));
  if (tensor.rank != int32_t(spec.shape.size()))
    argument.error(wantedGot("rank " + std::to_string(spec.shape.size()),
                             std::to_string(tensor.rank)));
}

static void checkDim(const Manifest &manifest, const Argument &argument,
                     unsigned dim, const BoundView &view, AxisSize *axes) {
  const DimSpec &wanted = argument.spec.shape[dim];
  int64_t size = view.sizes[dim];
  if (size < 0)
    argument.error(argument.dimension(dim) +
                   ": expected a size of at least 0, "
                   "but got " +
                   std::to_string(size));
  if (wanted.axis < 0) {
    if (size != wanted.size)
      argument.error(argument.dimension(dim) + ": " +
                     wantedGot("size " + std::to_string(wanted.size),
                               std::to_string(size)));
    return;
  }
  AxisSize &axis = axes[wanted.axis];
  if (axis.size < 0) {
    axis.size = size;
    axis.view = argument.index;
    axis.dim = dim;
  } else if (size != axis.size) {
    argument.error(
        argument.dimension(dim) + ": " +
        wantedGot("size " + std::to_string(axis.size), std::to_string(size)) +
        "; axis " + inQuotes(manifest.axes[wanted.axis]) +
        " has that size in dimension " + std::to_string(axis.dim) + " of " +
        inQuotes(manifest.views[axis.view].name));
  }
}

/// Strides of dimensions longer than 1: no address may leave 64 bits, and what
/// is written may not lie on itself.
static void checkStride(const Argument &argument, unsigned dim,
                        const BoundView &view, int64_t &extent) {
  int64_t size = view.sizes[dim], stride = view.strides[dim], bytes;
  if (size <= 1)
    return;
  if (stride == 0 && argument.spec.access == ATTN_WRITE)
    argument.error(argument.dimension(dim) +
                   ": expected a stride other than 0 "
                   "in a view that is written, but got 0");
  int64_t magnitude = stride < 0 ? -uint64_t(stride) : stride;
  if (magnitude < 0 || __builtin_mul_overflow(magnitude, size, &bytes) ||
      __builtin_mul_overflow(bytes, bytesOf(argument.spec.element), &bytes) ||
      __builtin_add_overflow(extent, bytes, &extent))
    argument.error(argument.dimension(dim) + ": size " + std::to_string(size) +
                   " and stride " + std::to_string(stride) +
                   " leave the address space");
}

static std::string memoryOf(const Manifest &manifest) {
  return manifest.platform == Platform::Cpu ? "memory" : "device memory";
}

static void bindView(const Manifest &manifest, const Argument &argument,
                     BoundView &view, AxisSize *axes) {
  checkForm(argument);
  view.data = argument.tensor.data;
  view.empty = false;
  unsigned rank = argument.spec.shape.size();
  for (unsigned dim = 0; dim < rank; ++dim) {
    int from = argument.spec.permutation[dim];
    view.sizes[dim] = argument.tensor.sizes[from];
    view.strides[dim] = argument.tensor.strides[from];
    checkDim(manifest, argument, dim, view, axes);
    view.empty |= view.sizes[dim] == 0;
  }
  if (view.empty)
    return;
  int64_t extent = 0;
  for (unsigned dim = 0; dim < rank; ++dim)
    checkStride(argument, dim, view, extent);
  if (!view.data)
    argument.error("expected the address of " + memoryOf(manifest) +
                   ", but got null");
}

/// What is written over another view is its array: the rest of it stays.
static void checkOver(const Manifest &manifest, const Argument &argument,
                      const AttnTensor *tensors) {
  if (argument.spec.over < 0)
    return;
  const AttnTensor &own = argument.tensor, &other = tensors[argument.spec.over];
  bool same = own.data == other.data && own.rank == other.rank;
  for (int32_t dim = 0; same && dim < own.rank; ++dim)
    same = own.sizes[dim] == other.sizes[dim] &&
           (own.sizes[dim] <= 1 || own.strides[dim] == other.strides[dim]);
  if (!same)
    argument.error("expected the array of " +
                   inQuotes(manifest.views[argument.spec.over].name) +
                   ", which it is written over, but got another");
}

int32_t attn::bindViews(const Manifest &manifest, const AttnTensor *tensors,
                        int32_t count, BoundView *views) {
  if (count != int32_t(manifest.views.size()) || !tensors)
    fail(ATTN_ERROR_ARGUMENT,
         wantedGot(std::to_string(manifest.views.size()) + " views",
                   tensors ? std::to_string(count) : "null"));
  // Named axes are at most the dimensions of all views.
  AxisSize axes[kMaxViews * ATTN_MAX_RANK];
  for (size_t i = 0; i < manifest.axes.size(); ++i)
    axes[i].size = -1;
  int32_t device = ATTN_DEVICE_UNKNOWN, deviceFrom = 0;
  for (int32_t i = 0; i < count; ++i) {
    Argument argument{manifest.views[i], tensors[i], i};
    bindView(manifest, argument, views[i], axes);
    checkOver(manifest, argument, tensors);
    int32_t its = tensors[i].device;
    if (its < ATTN_DEVICE_UNKNOWN)
      argument.error(wantedGot("a device ordinal or -1", std::to_string(its)));
    if (device == ATTN_DEVICE_UNKNOWN) {
      device = its;
      deviceFrom = i;
    } else if (its != ATTN_DEVICE_UNKNOWN && its != device) {
      argument.error(
          wantedGot("device " + std::to_string(device), std::to_string(its)) +
          "; " + inQuotes(manifest.views[deviceFrom].name) + " is on device " +
          std::to_string(device));
    }
  }
  return device;
}

void attn::checkScalars(const Manifest &manifest, const AttnScalar *scalars,
                        int32_t count) {
  if (count != int32_t(manifest.scalars.size()) || (count && !scalars))
    fail(ATTN_ERROR_ARGUMENT,
         wantedGot(std::to_string(manifest.scalars.size()) + " scalars",
                   count && !scalars ? "null" : std::to_string(count)));
  for (int32_t i = 0; i < count; ++i) {
    const ScalarSpec &spec = manifest.scalars[i];
    auto error = [&](const std::string &text) {
      fail(ATTN_ERROR_ARGUMENT, "scalar " + inQuotes(spec.name) + ": " + text);
    };
    if (scalars[i].type != spec.type)
      error(wantedGot("type " + std::string(nameOf(spec.type)),
                      nameOf(scalars[i].type)));
    int64_t value = scalars[i].value.i64;
    if (spec.isIndex && (value < -kMaxIndex || value > kMaxIndex))
      error(wantedGot("an index from " + std::to_string(-kMaxIndex) + " to " +
                          std::to_string(kMaxIndex) +
                          ", as the device has 32 bits for it",
                      std::to_string(value)));
  }
}
